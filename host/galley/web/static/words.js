// Words: turns keys and parameters into text, for people and for screen readers.
//
// The catalogue (lang/*.json) is flat: key -> template. A template may hold {parameters} and [KEYS] of the box.
// What a parameter is follows from its name (KINDS): seats become a badge and a coloured name, as do the colours of
// droppings (dyes); platters and symbols become drawings. An entry may be a table instead: "?" names the parameter that
// selects a row, "#" the number whose plural form does. This module knows no page and no game.

import { badge, el, food, keycap } from "./draw.js";

const KINDS = {
  colour: "dye", truth: "dye", dye: "dye",
  by: "seat", on: "seat", to: "seat", left: "seat", right: "seat", seat: "seat",
  seats: "seats", winners: "winners", platter: "platter", face: "symbol", side: "side", board: "board", boards: "boards", places: "places",
};

const catalogues = new Map();
let catalogue = {};
let plurals = new Intl.PluralRules("en");
let language = null;

// The language of all words from now on. Rejects, and changes nothing, when there is no such catalogue.
export async function speak(wanted) {
  if (!catalogues.has(wanted)) {
    const answer = await fetch(`/static/lang/${wanted}.json`);
    if (!answer.ok) throw new Error(answer.status);
    catalogues.set(wanted, await answer.json());
  }
  catalogue = catalogues.get(wanted);
  plurals = new Intl.PluralRules(wanted);
  language = wanted;
}

export const spoken = () => language;

export const has = (key) => key in catalogue;

function template(key, params) {
  const entry = catalogue[key];
  if (entry === undefined) return key;
  if (typeof entry === "string") return entry;
  if ("?" in entry) return entry[params[entry["?"]]] ?? key;
  return entry[plurals.select(params[entry["#"]])] ?? entry.other;
}

function parts(key, params) {
  return template(key, params).split(/(\{\w+\}|\[[^\]]+\])/).filter((part) => part !== "");
}

function joined(items, word) {
  const out = [];
  items.forEach((item, i) => {
    if (i > 0) out.push(i === items.length - 1 ? catalogue[word] : catalogue["list.comma"]);
    out.push(item);
  });
  return out;
}

const PLAIN = {
  seat: (colour) => text(`colour.${colour}`),
  seats: (colours) => joined(colours.map(PLAIN.seat), "list.or").join(""),
  winners: (colours) => joined(colours.map(PLAIN.seat), "list.and").join(""),
  dye: (colour) => text(`dye.${colour}`),
  symbol: (symbol) => (has(`symbol.${symbol}`) ? text(`symbol.${symbol}`) : symbol),
  platter: (platter) => joined(Object.entries(platter).map(([face, n]) => text("count", { n, face })), "list.and").join(""),
  side: (side) => text(`side.${side}`),
  board: (board) => text(`board.${board}`),
  boards: (boards) => joined(boards.map(PLAIN.board), "list.and").join(""),
  places: (places) => joined(places.map((n) => text("key.keep", { n })), "list.or").join(""),
};

const RICH = {
  seat: (colour) => [who(colour)],
  seats: (colours) => joined(colours.map(who), "list.or"),
  winners: (colours) => joined(colours.map(who), "list.and"),
  dye: (colour) => [el("span", { class: `dye who-${colour}` }, badge(colour, text(`letter.${colour}`)), el("span", {}, text(`dye.${colour}`)))],
  symbol: (symbol) => [food(symbol)],
  platter: (platter) => [el("span", { class: "little-platter", role: "img", "aria-label": PLAIN.platter(platter) },
    ...symbols(platter).map(food))],
  places: (places) => joined(places.map((n) => keycap(text("key.keep", { n }))), "list.or"),
};

// What a symbol is called: a name of the box's own is its own word.
export const symbolName = PLAIN.symbol;

// The symbols of a platter one by one: {"shrimp": 2, "roe": 1} -> shrimp, shrimp, roe.
export function symbols(platter) {
  return Object.entries(platter).flatMap(([symbol, n]) => Array(n).fill(symbol));
}

// A seat as people know it: its badge and its colour's name.
export function who(colour) {
  return el("span", { class: `who who-${colour}` }, badge(colour, text(`letter.${colour}`)), el("span", {}, text(`colour.${colour}`)));
}

function filled(part, params, forms) {
  const name = part.slice(1, -1);
  if (part[0] === "[" && part.length > 1) return forms === RICH ? [keycap(name)] : [name];
  if (part[0] !== "{") return [part];
  const value = params[name];
  if (value === undefined || value === null) return [part];
  const form = forms[KINDS[name]] ?? PLAIN[KINDS[name]] ?? signed;
  return [form(value)].flat();
}

// A number below zero has a minus, not a hyphen.
const signed = (value) => (typeof value === "number" && value < 0 ? `−${-value}` : String(value));

// The words as one string.
export function text(key, params = {}) {
  return parts(key, params).flatMap((part) => filled(part, params, PLAIN)).join("");
}

// The words as nodes, with badges, drawings and key caps.
export function rich(key, params = {}) {
  return parts(key, params).flatMap((part) => filled(part, params, RICH));
}

// The key that a line begins with, as if it said only what that key does: "[BELL] start" -> "BELL"; else null.
export const keyFirst = (key, params) => /^\[([^\]]+)\]/.exec(template(key, params))?.[1] ?? null;

// The entry that says which boards are away; one or several.
export const missing = ({ boards }) => (boards.length > 1 ? "paused.boards_missing_more" : "paused.boards_missing");

// Happens several times a second: seen on the dice, not told in words.
const NOT_TOLD = new Set(["rolled", "kept", "freed", "thrown", "locked"]);

// What follows from other news: it stands beside that, never in its place.
const BESIDE = new Set(["platter_revealed", "sets_passed", "challenged", "got_ready", "snail_placed"]);

// The news to be told, what matters most last: before it what followed from it, before that what was before.
export function told(news) {
  const all = news.filter(({ key }) => !NOT_TOLD.has(key));
  const main = all.findLastIndex(({ key }) => !BESIDE.has(key));
  if (main < 0) return all;
  return [...all.slice(0, main).filter(({ key }) => !BESIDE.has(key)), ...all.slice(main + 1), all[main]];
}

// Puts words into all elements below `root` that name some: data-word (text), data-label (aria-label).
export function fillWords(root) {
  for (const node of root.querySelectorAll("[data-word]")) node.textContent = text(node.dataset.word);
  for (const node of root.querySelectorAll("[data-label]")) node.setAttribute("aria-label", text(node.dataset.label));
}
