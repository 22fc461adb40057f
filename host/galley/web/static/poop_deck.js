// The poop deck scene: the deck in the middle, left who has the tongs and what was lifted, right the die and the piles.
// A dropping is a button while a simulated hand may lift it: `data-dropping` has its number (see `lifts`).

import { badge, el, show, svg } from "./draw.js";
import { chip, DeckView, dropping, dye, picture } from "./deckview.js";
import { mountNews, updateNews } from "./turns.js";
import { rich, text, who } from "./words.js";

const DYES = ["red", "green", "blue", "yellow"];
const BRINK = 3;

const find = (root, selector) => root.querySelector(selector);
const views = new WeakMap();

// Whether somebody may lift a dropping by touching it: a key would grab one, and there is a hand to do it.
const liftable = ({ deck, keys = {} }) => deck.lying !== null && Object.values(keys.deck ?? {}).includes("grab");

const sum = (counts) => Object.values(counts).reduce((all, n) => all + n, 0);

// How many droppings of each colour there were in the beginning.
const each = ({ deck, galley, collected }) => (deck + galley + sum(collected)) / DYES.length;

function mountDeck() {
  const view = new DeckView();
  const node = el("div", { class: "deck-place" }, view.root);
  views.set(node, view);
  return node;
}

function updateDeck(node, { state, deck, keys }, boards = []) {
  views.get(node).show(deck, state.die, {
    liftable: liftable({ deck, keys }),
    label: text("game.deck", { n: state.deck, galley: state.galley }),
    eye_deg: boards.find(({ role }) => role === "deck")?.deck?.eye_deg ?? null,
  });
}

export default {
  mount() {
    return el("div", { class: "poopdeck" },
      el("section", { class: "poop-crew panel" },
        el("header", { class: "tongs" }), el("div", { class: "hand" }), mountNews(), el("ol", { class: "crew" })),
      mountDeck(),
      el("section", { class: "poop-piles panel" }, el("div", { class: "poop-die" }), el("ol", { class: "piles" }), el("div", { class: "galley" })));
  },

  update(root, { house, table, boards, news = [] }) {
    const { state, deck } = table;
    updateTongs(root, state, house.seats);
    updateHand(root, table, house.seats);
    updateNews(find(root, ".news"), news);
    updateCrew(find(root, ".crew"), house.seats, state.turn);
    updateDie(find(root, ".poop-die"), state.die, deck);
    updatePiles(root, state);
    updateDeck(find(root, ".deck-place"), table, boards);
  },
};

// -- who has the tongs, and what they hold

function updateTongs(root, state, seats) {
  const seat = state.turn === null ? null : seats[state.turn];
  show(find(root, ".tongs"), seat, () => seat === null ? [] : [
    el("span", { class: "tongs-word" }, text("game.tongs")), who(seat.colour), seat.bot ? el("span", { class: "seat-bot" }, text(`bot.${seat.bot}`)) : null]);
}

// What is lifted (with a question mark as long as its colour is not known), or guessed, or came of the last one.
function updateHand(root, { state, deck, counts }, seats) {
  const held = state.holding === null ? null : deck.lying?.held?.colour ?? "unknown";
  show(find(root, ".hand"), [held, counts, deck.guess, deck.aim === null, deck.said, seats], () => {
    if (held !== null) return [...lifted(held === "unknown" ? null : held, held === "unknown" ? "game.hand_hidden" : "game.hand_holds"), counts.length === 0 ? null : counting(counts)];
    if (deck.guess !== null) return lifted(deck.guess, "game.hand_guess");
    if (deck.said !== null) return said(deck.said, seats);
    return [tongs(), el("p", { class: "hand-word" }, text(deck.aim === null ? "game.hand_empty" : "game.hand_reaches"))];
  });
}

const lifted = (colour, word) => [picture("hand-dropping", colour), el("p", { class: "hand-word" }, ...rich(word, { dye: colour }))];

// The colours that the die has shown since the grab: one of them, and it is kept.
const counting = (counts) => el("p", { class: "hand-counts" }, text("game.hand_counts"), ...counts.map((colour) => chip(colour, text(`dye.${colour}`))));

const tongs = () => svg("svg", { class: "hand-tongs", viewBox: "0 0 100 60", "aria-hidden": "true" },
  svg("path", { d: "M94 30C80 8 50 6 16 18L8 24M94 30C80 52 50 54 16 42L8 36", class: "tongs-metal" }),
  svg("circle", { cx: 92, cy: 30, r: 6, class: "tongs-joint" }));

// What somebody announced, and what came of it.
function said({ by, colour, truth, right }, seats) {
  const word = truth === undefined ? right ? "game.said_collected" : "game.said_put_back" : right ? "game.said_knew" : "game.said_wrong";
  return [
    svg("svg", { class: "hand-said", viewBox: "-34 -16 68 32", "data-right": right, "aria-hidden": "true" },
      svg("g", { transform: "translate(-15 0)" }, dye(truth ?? colour, 14)),
      svg("path", { d: right ? "M9 1L16 8L28 -8" : "M10 -8L26 8M26 -8L10 8", class: right ? "mark-right" : "mark-wrong" })),
    el("p", { class: "hand-word" }, ...rich(word, { by: seats[by].colour, dye: colour, truth })),
  ];
}

function updateCrew(root, seats, turn) {
  show(root, [seats, turn], () => seats.map(({ seat, colour, bot }) =>
    el("li", { class: seat === turn ? "crew-seat at-turn" : "crew-seat", "data-seat": colour }, badge(colour, text(`letter.${colour}`)),
      el("span", {}, text(`colour.${colour}`)), bot ? el("span", { class: "seat-bot" }, text("bot")) : null)));
}

// -- the die and the piles

function updateDie(root, die, { drift, danger, turning }) {
  root.classList.toggle("danger", danger);
  root.classList.toggle("turning", turning);
  show(root, [die, drift, danger], () => [
    chip(die, die === null ? text("game.die_hidden") : text("game.die", { dye: die })),
    el("div", { class: "die-words" },
      el("p", { class: "die-shows" }, ...(die === null ? [text("game.die_hidden")] : rich("game.die", { dye: die }))),
      drift === null ? el("p", { class: "drift-word" }, text("game.die_loose")) : el("div", { class: "drift-track", role: "img", "aria-label": text("game.drift", { drift }) },
        ...Array.from({ length: BRINK + 1 }, (_, step) => el("i", { class: step === drift ? "drift-step drift-now" : "drift-step", "data-step": step })),
        el("span", { class: "drift-hole" })),
      drift === null ? null : el("p", { class: "drift-word", "aria-hidden": "true" }, text("game.drift", { drift }))),
  ]);
}

const row = (n, of, className = "pile-row") => el("span", { class: className, "aria-hidden": "true" },
  ...Array.from({ length: Math.max(n, of) }, (_, i) => el("i", { class: i < n ? "spot full" : "spot" }, i < n ? picture("spot-poop") : null)));

function updatePiles(root, state) {
  const of = each(state);
  show(find(root, ".piles"), [state.collected, of, state.die], () => DYES.map((colour) => {
    const n = state.collected[colour];
    return el("li", { class: colour === state.die ? "pile wanted" : "pile", "data-dye": colour, "data-collected": n, "aria-label": text("game.pile", { dye: colour, n, of }) },
      chip(colour), row(n, of));
  }));
  show(find(root, ".galley"), [state.galley, sum(state.collected)], () => [
    el("span", { class: "balance", "data-collected": sum(state.collected) }, el("b", {}, String(sum(state.collected))), el("span", {}, text("game.collected"))),
    el("span", { class: "balance balance-galley", "data-galley": state.galley }, el("b", {}, String(state.galley)), el("span", {}, text("game.in_galley"))),
  ]);
}

// -- facts, result, how to play

export const facts = ({ state, deck }) => [text("game.on_deck", { n: state.deck }), text("game.open_holes", { n: deck.open.length })];

// The crew wins or loses together; what decided it is the count, or the die in a hole.
export function result({ house, table }) {
  const { state, deck } = table;
  const won = state.result === "won", all = sum(state.collected);
  const by = deck.said === null ? null : house.seats[deck.said.by].colour;
  return el("div", { class: "result result-crew", "data-result": state.result },
    el("h2", { class: "winner", "data-winner": (state.winners ?? []).map((seat) => house.seats[seat].colour).join(" ") }, text(won ? "result.crew_won" : "result.crew_lost")),
    el("div", { class: "decided" },
      el("p", {}, text(state.why === "die_fell" ? "result.die_fell" : "result.counted", { n: all, galley: state.galley })),
      state.why === "die_fell" ? el("div", { class: "decided-die" }, fallenDie(state.die)) : null,
      state.why === "counted" && deck.said !== null ? el("p", { class: "decided-why" }, ...rich(deck.said.right ? "game.said_collected" : "game.said_put_back", { by, dye: deck.said.truth ?? deck.said.colour })) : null,
      el("div", { class: "crew-of" }, ...house.seats.map(({ colour }) => who(colour)))),
    el("ol", { class: "ranks" },
      el("li", { class: "rank rank-crew", "data-collected": all }, el("b", {}, String(all)), el("span", {}, text("game.collected")),
        el("span", { class: "rank-parts" }, ...DYES.map((colour) => el("span", { class: "rank-dye" }, chip(colour), el("b", {}, String(state.collected[colour])))))),
      el("li", { class: "rank rank-galley", "data-galley": state.galley }, el("b", {}, String(state.galley)), el("span", {}, text("game.in_galley")), row(state.galley, 0, "rank-parts rank-row"))));
}

const fallenDie = (colour) => svg("svg", { viewBox: "-40 -30 80 60", class: "fallen-die", "aria-hidden": "true" },
  svg("circle", { r: 27, class: "hole-edge" }), svg("circle", { r: 24, class: "hole-deep" }), svg("g", { transform: "rotate(-18) translate(2 4)" }, dye(colour, 13)));

const scene = (...children) => svg("svg", { viewBox: "0 0 160 100", class: "poop-howto", "aria-hidden": "true" },
  svg("rect", { x: 4, y: 6, width: 152, height: 88, rx: 8, class: "deck-wood" }),
  svg("path", { d: "M26 6V94M48 6V94M70 6V94M92 6V94M114 6V94M136 6V94", class: "deck-plank" }), ...children);
const put = (x, y, size, ...children) => svg("g", { transform: `translate(${x} ${y}) scale(${size})` }, ...children);
const hole = (x, y) => svg("g", {}, svg("circle", { cx: x, cy: y, r: 22, class: "hole-edge" }), svg("circle", { cx: x, cy: y, r: 19, class: "hole-deep" }));
const sweep = (d) => svg("path", { d, class: "howto-way" });
const bigEye = (x, y, turn) => svg("g", { class: "eye eye-blue", transform: `translate(${x} ${y}) rotate(${turn})` },
  svg("path", { d: "M-3 -14L-2.4 -54H2.4L3 -14Z", class: "arm-bar" }), svg("rect", { x: -8, y: -60, width: 16, height: 9, rx: 4.5, class: "arm-bumper" }),
  svg("circle", { r: 20, class: "eye-white" }), svg("circle", { cy: -7, r: 11, class: "eye-ring" }), svg("circle", { cy: -7, r: 8.5, class: "eye-iris" }), svg("circle", { cy: -7, r: 4.6, class: "eye-pupil" }));

export const howto = [
  () => scene(put(34, 50, 1.7, dye("blue", 12)), svg("path", { d: "M60 50H72M60 50l4 -4M60 50l4 4M72 50l-4 -4M72 50l-4 4", class: "howto-line" }),
    put(104, 36, 1.9, dropping()), put(104, 68, 1.25, dye("blue", 12)), svg("path", { d: "M130 50l7 8L150 38", class: "howto-tick" })),
  () => scene(hole(132, 28), put(58, 26, 1.2, dropping()), bigEye(60, 78, 50), put(118, 62, 1.25, dropping()), sweep("M126 52C131 46 133 42 133 36")),
  () => scene(hole(128, 50), put(92, 50, 1.5, dye("red", 12)), sweep("M74 38C64 28 52 28 44 38"), put(34, 58, 1.1, svg("circle", { r: 16, class: "howto-key" }), svg("use", { href: "#shape-violet", x: -9, y: -9, width: 18, height: 18, class: "howto-violet" }))),
];

// -- the box page, and lifting

// The same deck for the page of the box, with the piles below it; the die and what is held are `beside` it, before the boards.
export const glance = {
  name: "on-deck",
  mount: () => [mountDeck(), el("div", { class: "deck-counts" }, el("ol", { class: "piles" }), el("div", { class: "galley" }))],
  beside: () => el("div", { class: "glance-side" }, el("div", { class: "poop-die" }), el("div", { class: "hand" }), mountNews()),

  update(root, { house, table, boards, news = [] }) {
    const { state, deck } = table;
    updateHand(root, table, house.seats);
    updateDie(find(root, ".poop-die"), state.die, deck);
    updatePiles(root, state);
    updateNews(find(root, ".news"), news);
    updateDeck(find(root, ".deck-place"), table, boards);
  },
};

// Calls `lift(number)` when a dropping below `root` that is a button is touched, or chosen with Enter or Space. Where their
// reaches overlap, it is the one whose middle is nearest.
export function lifts(root, lift) {
  const choose = (node, event) => {
    if (node === null) return;
    event.preventDefault();
    lift(Number(node.dataset.dropping));
  };
  root.addEventListener("pointerdown", (event) => { if (event.button === 0) choose(touched(event.clientX, event.clientY), event); });
  root.addEventListener("keydown", (event) => {
    if (!event.repeat && (event.code === "Enter" || event.code === "Space")) choose(event.target.closest?.(BUTTON) ?? null, event);
  });
}

const BUTTON = '[data-dropping][role="button"]';

function touched(x, y) {
  const under = new Set(document.elementsFromPoint(x, y).map((node) => node.closest(BUTTON)).filter((node) => node !== null));
  const far = (node) => {
    const { left, top, width, height } = node.querySelector(".dropping-reach").getBoundingClientRect();
    return Math.hypot(left + width / 2 - x, top + height / 2 - y);
  };
  return [...under].sort((a, b) => far(a) - far(b))[0] ?? null;
}
