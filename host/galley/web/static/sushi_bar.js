// The bar scene: the two rows of tiles, the dice, what they offer, and everybody's two stacks: their tops and heights.
// A die is its KEEP key for whoever touches it.

import { art, badge, el, food, show } from "./draw.js";
import { dice, mountNews, outcome, player, sideOf, points, standing, updateDie, updateNews } from "./turns.js";
import { text, who } from "./words.js";

const DICE = 5;
const KINDS = ["sushi", "bone"];
const STICKS = { sushi: "sticks_blue", bone: "sticks_red" };
const SYMBOL = { sushi: "sushi", bone: "bone", blue: "sticks_blue", red: "sticks_red" };
const SUSHI_ART = ["cucumber", "octopus", "shrimp", "salmon", "roe", "roe"];
const MOST_TILES = 12;

const find = (root, selector) => root.querySelector(selector);

const parts = () => [
  el("section", { class: "bar-rows" }, ...KINDS.map((kind) => el("ol", { class: `bar-row row-${kind}`, "data-row": kind, "aria-label": text("game.row", { kind }) }))),
  el("section", { class: "bar-offers panel" }),
  el("section", { class: "bar-dice panel" }, el("header", { class: "player" }), el("div", { class: "turn-dice" }, ...dice(DICE))),
  mountNews(),
  el("ol", { class: "score" }),
];

// `touch`: the dice are keys.
function update(root, { house, table, news = [] }, touch) {
  const { state } = table;
  const at = state.turn === null ? null : house.seats[state.turn];
  const mind = at === null || at.bot ? { option: null, victim: null, position: 1 } : table; // a bot's mind is its own
  for (const kind of KINDS) updateRow(find(root, `.row-${kind}`), kind, state.rows[kind], table.offers ?? [], mind.option);
  updateOffers(find(root, ".bar-offers"), state, house.seats, table.offers ?? [], mind, at);
  show(find(root, ".player"), [at, state.throw], () => at === null ? [] : [...player(at), state.throw > 0 ? el("span", { class: "throw-n" }, text("game.throw", { n: state.throw })) : null]);
  updateDice(root, state, table.marked ?? [], at === null || !touch ? {} : table.keys?.[sideOf(at.seat)] ?? {});
  updateNews(find(root, ".news"), news);
  updateSeats(find(root, ".score"), state, house.seats, table.offers ?? [], mind);
}

export default {
  mount: () => el("div", { class: "sushibar" }, ...parts()),
  update: (root, topics) => update(root, topics, true),
};

// The same in little for the page of the box, which has the keys themselves.
export const glance = { name: "of-turns of-bar", mount: parts, update: (root, topics) => update(root, topics, false) };

// -- tiles

const worth = (kind, value) => (kind === "bone" ? `−${-value}` : String(value));
const picture = (kind, value) => (kind === "bone" ? "bone" : SUSHI_ART[Math.min(value, SUSHI_ART.length) - 1]);

// A tile, open if its value is given.
function tile(kind, value, attributes = {}) {
  const { class: more = "", ...others } = attributes;
  return el("span", { class: `tile tile-${kind} ${more}`.trim(), ...others },
    value === null ? null : food(picture(kind, value)), value === null ? null : el("b", {}, worth(kind, value)));
}

function updateRow(root, kind, row, offers, option) {
  const offered = offers.findIndex((offer) => offer.do === "take" && offer.kind === kind);
  const at = offered < 0 ? null : offers[offered].place;
  const marked = offered >= 0 && offered === option;
  show(root, [row, at, marked], () => [
    ...row.slice(0, MOST_TILES).map((value, place) => el("li", { class: `tile-place${place === at ? marked ? " offered chosen" : " offered" : ""}`, "data-place": place, "data-tile": value },
      tile(kind, value, { role: "img", "aria-label": text("game.tile", { kind, tile: worth(kind, value), n: place + 1 }) }),
      el("span", { class: "tile-n", "aria-hidden": "true" }, String(place + 1)))),
    row.length > MOST_TILES ? el("li", { class: "row-more" }, text("game.more", { n: row.length - MOST_TILES })) : null,
    row.length === 0 ? el("li", { class: "row-empty" }, text("game.row_empty", { kind })) : null,
  ]);
}

// -- the offers

function offerArt(offer) {
  if (offer.do === "take") return tile(offer.kind, offer.tile);
  if (offer.do === "steal") return el("span", { class: "offer-sticks" }, food(STICKS[offer.kind]));
  return el("span", { class: "offer-sticks" }, art("arrow", "arrow"));
}

function offerWords(offer, seats, { victim, position }, marked) {
  if (offer.do === "take") return text("game.offer_take", { kind: offer.kind, n: offer.place + 1, tile: worth(offer.kind, offer.tile) });
  if (offer.do === "on") return text("game.offer_on");
  const on = marked && victim !== null ? [seats[victim].colour] : offer.from.map((seat) => seats[seat].colour);
  if (!offer.any) return text("game.offer_steal", { kind: offer.kind, seats: on });
  return marked && victim !== null ? text("game.offer_tile", { kind: offer.kind, seats: on, n: position }) : text("game.offer_any", { kind: offer.kind, seats: on });
}

function updateOffers(root, state, seats, offers, mind, at) {
  const value = [state.phase, state.throw, offers, mind.option, mind.victim, mind.position, at?.bot, seats];
  show(root, value, () => {
    if (state.phase !== "choose") return [el("p", { class: "offers-none" }, text(state.phase === "throw" ? "game.before_throw" : "game.rows_empty"))];
    if (offers.length === 0) return [el("p", { class: "offers-none" }, text("game.no_offer"))];
    return [el("ul", { class: "offers" }, ...offers.map((offer, i) =>
      el("li", { class: i === mind.option ? "offer chosen" : "offer", "data-offer": offer.do, "data-kind": offer.kind ?? "", "aria-current": i === mind.option ? "true" : null },
        offerArt(offer), el("span", {}, offerWords(offer, seats, mind, i === mind.option)))))];
  });
}

// -- dice

function updateDice(root, state, marked, keys) {
  root.querySelectorAll(".turn-die").forEach((node, i) => {
    const face = state.throw > 0 ? state.dice[i] : null;
    const locked = state.locked[i];
    const kept = locked ? text("game.locked") : marked.includes(i) ? text("game.marked") : null;
    node.classList.toggle("locked", locked);
    updateDie(node, i, sideOf(state.turn ?? 0), {
      face, art: SYMBOL[face], name: text(face === null ? "die.unrolled" : `symbol.${SYMBOL[face]}`), kept, dim: state.phase === "throw" && !locked,
      thrown: `${state.turn} ${state.throw}`, job: ["mark", "unmark"].includes(keys[i]) ? keys[i] : null,
    });
  });
}

// -- seats, facts, how to play, result

function stack(kind, { height, top }, mark) {
  const layers = Math.min(height, 4);
  return el("span", { class: `tile-stack stack-${layers} ${mark}`.trim(), role: "img", "data-height": height, "aria-label": height === 0 ? text("game.stack_empty", { kind }) : text("game.stack", { kind, n: height, tile: worth(kind, top) }) },
    height === 0 ? el("span", { class: `tile tile-none tile-${kind}` }) : tile(kind, top), el("b", { class: "stack-n" }, String(height)));
}

function updateSeats(root, state, seats, offers, mind) {
  const robbed = (seat, kind) => {
    const i = offers.findIndex((offer) => offer.do === "steal" && offer.kind === kind && offer.from.includes(seat));
    if (i < 0) return "";
    return i === mind.option && mind.victim === seat ? "offered chosen" : "offered";
  };
  show(root, [seats, state.stacks, state.turn, offers, mind.option, mind.victim, state.scores], () => seats.map(({ seat, colour, bot }) =>
    el("li", { class: standing(state, seat), "data-seat": colour },
      el("span", { class: "seat-who" }, who(colour), bot ? el("span", { class: "seat-bot" }, text("bot")) : null), points(state, seat),
      ...KINDS.map((kind) => stack(kind, state.stacks[seat][kind], robbed(seat, kind))))));
}

export const facts = ({ state }) => KINDS.map((kind) => text("game.tiles_left", { kind, n: state.rows[kind].length }));

const die = (face, kept = false) => el("div", { class: kept ? "die kept" : "die" }, food(SYMBOL[face]));
const strip = (kind, values, at) => el("div", { class: "strip" }, ...values.map((value, i) => tile(kind, value, { class: i === at ? "chosen" : "" })));
const pair = (colour, sushi, bone) => el("div", { class: "strip" }, badge(colour, text(`letter.${colour}`)), ...sushi.map((value) => tile("sushi", value)), ...bone.map((value) => tile("bone", value)));

export const howto = [
  () => el("div", { class: "howto-dice howto-bar" }, el("div", { class: "strip" }, die("sushi", true), die("sushi", true), die("sushi", true)), strip("sushi", [3, 1, 6, 2], 2)),
  () => el("div", { class: "howto-dice howto-bar" }, el("div", { class: "strip" }, die("blue", true), die("blue", true), die("blue", true)), pair("green", [5], [])),
  () => el("div", { class: "howto-dice howto-bar" }, pair("red", [4, 6], [-1, -2])),
];

export function result({ house, table, news = [] }) {
  const { state } = table;
  const counts = new Map(news.filter(({ key }) => key === "stack_counted").map(({ params }) => [params.by, params]));
  const sum = (tiles) => tiles.reduce((total, value) => total + value, 0);
  return outcome(house, state.winners ?? [],
    [el("p", {}, text("game.over", { why: "rows_empty" })),
      [...counts.values()].some(({ given_up: lost }) => lost.length > 0) ? el("p", { class: "decided-why" }, text("game.over_rule")) : null],
    state.scores ?? house.seats.map(() => 0),
    (seat, colour) => {
      const counted = counts.get(colour) ?? null;
      if (counted === null) return [];
      return [
        counted.sushi.length === 0 ? null : el("span", { class: "rank-sum rank-sum-sushi" }, food("sushi"), el("b", {}, `+${sum(counted.sushi)}`)),
        counted.bone.length === 0 ? null : el("span", { class: "rank-sum rank-sum-bone" }, food("bone"), el("b", {}, worth("bone", sum(counted.bone)))),
        counted.given_up.length === 0 ? null : el("span", { class: "given-up" }, text("game.given_up", { n: counted.given_up.length })),
      ];
    });
}
