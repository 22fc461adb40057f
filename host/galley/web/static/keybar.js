// Key bar: every key of the box that does something now, as a button at the foot of the kiosk.
//
// It is made from the words of the keys alone. Keys that the scene itself offers (a die, a card, a platter) are left
// out; a word that any key may say becomes one button. Round a game both stations do the same and are shown once; in
// a game the left one's keys stand on the left and the right one's on the right.

import { badge, el, keycap, show } from "./draw.js";
import { rich, text } from "./words.js";

const SEATS = ["red", "green", "blue", "yellow", "white", "violet"];
const NAMES = ["keep", "keep", "keep", "keep", "keep", "keep", "keep", "keep", "roll", "bell", "yuck", "mode"];
const ANY_KEY = new Set(["wake", "go_on", "again", "other_game"]);
const MANY = 9;
// The one thing to do next for whoever has read nothing: the first of these that a key does now is drawn as such. Where a
// player has to weigh one thing against another, as going on against stopping, none is.
const LEADS_ON = ["next_picture", "take", "start", "again", "resume", "ready", "roll", "throw", "grab", "done"];
const CHOICE = new Set(["stop", "bell", "guess"]);

// What every key does: {board: {key: word}}; in a game the table's words, around it the house's.
export function jobs({ house, table }) {
  const merged = {};
  for (const board of ["left", "deck", "right"]) merged[board] = { ...house?.keys?.[board], ...table?.keys?.[board] };
  return merged;
}

const list = (all) => Object.entries(all).flatMap(([board, keys]) => Object.entries(keys).map(([key, word]) => ({ board, key, word })));

// The buttons in three groups, left to right: [[{board, key, word, any}]]. `apart`: each station has keys of its own.
export function groups(all, offered, apart) {
  const keys = list(all);
  const count = (word) => keys.filter((key) => key.word === word).length;
  const many = [...ANY_KEY].filter((word) => count(word) >= MANY);
  const one = (board) => keys.filter((key) => key.board === board && !many.includes(key.word) && !offered.has(`${board} ${key.key}`));
  const shared = many.map((word) => ({ ...keys.find((key) => key.word === word), any: true }));
  return apart ? [one("left"), [...shared, ...one("deck")], one("right")] : [[], [...one("left"), ...shared], one("deck")];
}

// The word of LEADS_ON that is to stand out among those shown, or null.
function leading(words) {
  return words.some((word) => CHOICE.has(word)) ? null : LEADS_ON.find((word) => words.includes(word)) ?? null;
}

function button({ board, key, word, any = false }, wide, leads) {
  const said = text(`job.${word}`);
  const number = Number(key) + 1;
  const deck = board === "deck";
  const name = deck ? text("key.seat", { seat: SEATS[key] }) : text(`key.${NAMES[key]}`, { n: number });
  const face = deck ? badge(SEATS[key], text(`letter.${SEATS[key]}`)) : keycap(name);
  return el("button", {
    type: "button", class: `press press-${any ? "any" : deck ? `seat who-${SEATS[key]}` : NAMES[key]}${leads ? " press-lead" : ""}`, "data-board": board, "data-key": key, "data-job": word,
    "aria-label": any ? said : text("key.with_job", { board, key: name, job: said }),
  }, any ? null : face, el("span", { class: "press-word" }, ...(wide === null ? [said] : wide)));
}

// `banner` is the prompt to be said by the one button that stands for all keys, or null.
export function update(root, all, offered, apart, banner) {
  const shown = groups(all, offered, apart);
  const count = shown.flat().length;
  const lead = leading(shown.flat().map(({ word }) => word));
  show(root, [shown, banner], () => shown.map((group) => el("div", { class: "press-group" },
    ...group.map((key) => button(key, key.any && banner !== null ? rich(`prompt.${banner.key}`, banner.params) : null, key.word === lead)))));
  root.dataset.crowd = count > 15 ? "dense" : count > 11 ? "close" : count > 8 ? "some" : "";
  root.classList.toggle("apart", apart);
}
