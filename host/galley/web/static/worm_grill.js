// The grill scene: the places 23 to 36 with what lies on them, the dice aside and thrown, the odds, the seats.
// A die is its KEEP key for whoever touches it.

import { art, badge, el, food, show } from "./draw.js";
import { counted, dice, mountNews, outcome, player, sideOf, points, standing, updateDie, updateNews } from "./turns.js";
import { text, who } from "./words.js";

const DICE = 8;
const FACES = ["1", "2", "3", "4", "worm", "6"];
const AIMS = 2;

const find = (root, selector) => root.querySelector(selector);

const percent = (chance) => {
  const whole = Math.round(100 * chance);
  const shown = whole === 0 && chance > 0 ? "< 1" : whole === 100 && chance < 1 ? "> 99" : String(whole);
  return text("chance", { n: shown });
};

const parts = () => [
  el("ol", { class: "grill-places", "aria-label": text("game.grill") }),
  el("section", { class: "grill-dice panel" }, el("header", { class: "player" }), el("div", { class: "turn-dice" }, ...dice(DICE))),
  el("section", { class: "grill-odds panel" }),
  mountNews(),
  el("ol", { class: "score" }),
];

// `touch`: the dice are keys.
function update(root, { house, table, news = [] }, touch) {
  const { state, odds = null, ends = null, hint = null } = table;
  const at = state.turn === null ? null : house.seats[state.turn];
  updatePlaces(find(root, ".grill-places"), state, house.seats, odds);
  const chances = state.phase === "keep" && odds !== null;
  show(find(root, ".player"), [at, chances], () => at === null ? [] : [...player(at), chances ? el("span", { class: "player-odds" }, text("game.keep_odds")) : null]);
  updateDice(root, state, odds, hint, at === null || !touch ? {} : table.keys?.[sideOf(at.seat)] ?? {});
  updateOdds(find(root, ".grill-odds"), state, odds, ends);
  updateNews(find(root, ".news"), news);
  updateSeats(find(root, ".score"), state, house.seats);
}

export default {
  mount: () => el("div", { class: "grill" }, ...parts()),
  update: (root, topics) => update(root, topics, true),
};

// The same in little for the page of the box, which has the keys themselves.
export const glance = { name: "of-turns of-grill", mount: parts, update: (root, topics) => update(root, topics, false) };

// -- the grill

const plate = (colour) => el("span", { class: `on-plate who-${colour}` }, badge(colour, text(`letter.${colour}`)));

function lies({ plates, snail, worms }, seats) {
  if (snail) return [art("snail", "on-snail")];
  if (plates.length > 0) return plates.map((seat) => plate(seats[seat].colour));
  return Array.from({ length: worms }, () => food("worm"));
}

function said(place, { plates, snail, worms }, seats) {
  if (snail) return text("game.place_snail", { place });
  if (plates.length > 1) return text("game.place_closed", { place, seat: seats[plates[0]].colour });
  if (plates.length > 0) return text("game.place_plate", { place, worms, seat: seats[plates[0]].colour });
  return text("game.place_free", { place, worms });
}

function updatePlaces(root, state, seats, odds) {
  const aim = best(odds?.places ?? {})[0]?.[0] ?? null;
  const here = state.turn !== null && state.total > 0 ? state.total : null;
  show(root, [state.grill, seats, odds?.places, here], () => Object.entries(state.grill).map(([place, what]) => {
    const chance = odds?.places[place] ?? null;
    const kinds = [
      "grill-place", `worth-${what.worms}`, what.plates.length > 1 ? "closed" : "", what.plates.length > 0 || what.snail ? "taken" : "",
      odds !== null && chance === null ? "useless" : "", place === aim ? "aim" : "", Number(place) === here ? "here" : "",
    ];
    return el("li", { class: kinds.filter(Boolean).join(" "), "data-place": place, "aria-label": said(place, what, seats) },
      el("b", { class: "grill-n" }, place),
      el("span", { class: "grill-lies" }, ...lies(what, seats)),
      what.plates.length > 0 || what.snail ? el("span", { class: "grill-worth" }, ...Array.from({ length: what.worms }, () => food("worm"))) : null,
      el("span", { class: "grill-chance" }, chance ? percent(chance) : ""));
  }));
}

// The likeliest places first: [[place, chance]].
const best = (places) => Object.entries(places).filter(([, chance]) => chance > 0).sort(([, a], [, b]) => b - a);

// -- dice and odds

function updateDice(root, state, odds, hint, keys) {
  const aside = FACES.flatMap((face) => Array(state.aside[face] ?? 0).fill(face));
  const thrown = state.dice.map(String);
  const all = thrown.length === 0 ? [] : [...aside, ...thrown];
  const over = state.phase === "decide";
  root.querySelectorAll(".turn-die").forEach((node, i) => {
    const face = all[i] ?? null;
    const kept = face !== null && i < aside.length;
    const chance = face === null || kept ? undefined : odds?.keep[face];
    node.classList.toggle("advised", hint?.do === "keep" && String(hint.face) === face && !kept);
    updateDie(node, i, sideOf(state.turn ?? 0), {
      face, art: face, name: text(face === null ? "die.unrolled" : `symbol.${face}`), kept: kept ? text("game.aside") : null,
      dim: face !== null && !kept && (over || chance === undefined), note: chance === undefined ? "" : percent(chance),
      thrown: `${state.turn} ${aside.length} ${over || all.length === 0 ? "lies" : thrown.join("")}`, job: keys[i] === "set_aside" ? "set_aside" : null,
    });
  });
}

function updateOdds(root, state, odds, ends) {
  const worm = (state.aside.worm ?? 0) > 0;
  show(root, [state.total, worm, odds, ends, state.phase], () => odds === null ? [] : [
    el("div", { class: "grill-total" },
      el("b", { class: "total-n", "data-total": state.total }, String(state.total)),
      el("span", { class: worm ? "total-worm" : "total-worm missing" }, food("worm"), text(worm ? "game.worm_in" : "game.worm_missing"))),
    el("ul", { class: "chances" },
      ...(ends === null ? [good(odds.good, "game.good_end")] : [
        el("li", { class: `chance grill-ends ends-${ends === "bad" ? "bad" : "good"}`, "data-ends": ends }, el("b", {}, text("game.stop")), el("span", {}, text("game.ends", { ends, place: state.total }))),
        good(odds.throw, "game.throw_on"),
      ]), ...aims(odds, ends === null ? null : state.total)),
  ]);
}

const good = (chance, key) => el("li", { class: "chance chance-good", "data-good": chance }, el("b", {}, percent(chance)), el("span", {}, text(key)));

const aims = ({ places }, here) => best(places).filter(([place]) => Number(place) !== here).slice(0, here === null ? AIMS : 1).map(([place, chance]) =>
  el("li", { class: "chance", "data-aim": place }, el("b", {}, percent(chance)), el("span", {}, text("game.reach", { place }))));

// -- seats, facts, how to play, result

function updateSeats(root, state, seats) {
  show(root, [seats, state.worms, state.snails, state.plates, state.turn, state.phase], () => seats.map(({ seat, colour, bot }) =>
    el("li", { class: standing(state, seat), "data-seat": colour, "data-worms": state.worms[seat], "data-snails": state.snails[seat] },
      who(colour),
      bot ? el("span", { class: "seat-bot" }, text("bot")) : null,
      points(state, seat),
      el("span", { class: "has" },
        counted("worm", state.worms[seat], text("game.worms", { n: state.worms[seat] })),
        counted("snail", state.snails[seat], text("game.snails", { n: state.snails[seat] })),
        el("span", { class: "counted", role: "img", "aria-label": text("game.plates", { n: state.plates[seat] }) },
          el("i", { class: "plate-own" }), el("b", {}, String(state.plates[seat])))))));
}

export const facts = ({ state }) => [
  text("game.worm_supply", { n: state.supply.worms }), text("game.snail_supply", { n: state.supply.snails }),
];

const die = (face, kept = false) => el("div", { class: kept ? "die kept" : "die" }, food(face));
const strip = (...things) => el("div", { class: "strip" }, ...things);
const place = (n, ...children) => el("div", { class: "grill-place" }, el("b", { class: "grill-n" }, n), el("span", { class: "grill-lies" }, ...children));

export const howto = [
  () => el("div", { class: "howto-dice howto-grill" }, strip(die("worm", true), die("worm", true)), strip(die("4"), die("2"), die("6"))),
  () => el("div", { class: "howto-dice howto-grill" }, strip(die("worm", true), ...["6", "6", "6"].map((face) => die(face, true))), strip(place("23", plate("red")), food("worm"))),
  () => el("div", { class: "howto-dice howto-grill" }, strip(place("25", plate("blue")), art("arrow", "arrow"), place("25", plate("red"))), strip(place("36", art("snail", "on-snail")))),
];

// Why the game is over, from the last turn.
function ending({ last, supply }) {
  if (last?.result === "top_snail") return "no_snail";
  return supply.snails > 0 ? "grill_full" : "supply_empty";
}

export function result({ house, table }) {
  const { state } = table;
  const each = worthOfSnail(state);
  return outcome(house, state.winners ?? [],
    [art("snail", "on-snail"), el("p", {}, text("game.over", { why: ending(state) })), each === null ? null : el("p", { class: "decided-why" }, text("game.counts", { n: each }))],
    state.scores,
    (seat) => [
      counted("worm", state.worms[seat], text("game.worms", { n: state.worms[seat] })),
      counted("snail", state.snails[seat] === 0 ? 0 : `${state.snails[seat]} × ${each}`, text("game.snails", { n: state.snails[seat] })),
    ]);
}

// What each snail counted in the end, null if nobody had one.
function worthOfSnail({ scores, worms, snails }) {
  const seat = snails.findIndex((n) => n > 0);
  return seat < 0 ? null : (scores[seat] - worms[seat]) / snails[seat];
}
