// Boards: draws the two stations and the deck's seat keys to scale (1 unit = 1 mm), every pixel and every key.
//
// Where things are is data below, as on the real boxes: two rows of four dice at 50 mm pitch, each die with its
// keep key in front of it, the three big keys in a column on the right. Pixels are in the order of the chain.
// A picture offers its pixels to paint and its keys to press; it knows no topic and sends nothing.

import { badge, el, svg } from "./draw.js";
import { text } from "./words.js";

const WIDTH = 320, HEIGHT = 240;
const WINDOW = 44, CELL = 14, PITCH = 50, FIRST_X = 46;
const ROWS = [{ die: 64, key: 110 }, { die: 158, key: 204 }];
const COLUMN_X = 272;

// What one sees (radii) and what one may hit (`reach`: left, top, right, bottom) in mm; `lamp` is the key's place in the
// chain. Reaches leave no gap and never overlap: a die belongs to its keep key, and a finger finds 64 px at 1.28 px a mm.
const KEEPS = Array.from({ length: 8 }, (_, n) => ({
  key: n, word: "keep", n: n + 1, x: FIRST_X + (n % 4) * PITCH, y: ROWS[n >> 2].key, r: 12, bezel: 14, lamp: 72 + n,
  reach: [FIRST_X + (n % 4) * PITCH - PITCH / 2, n < 4 ? 51 : 135, FIRST_X + (n % 4) * PITCH + PITCH / 2, n < 4 ? 135 : 238],
}));
const BIG = [
  { key: 8, word: "roll", x: COLUMN_X, y: 204, r: 14.5, bezel: 17, reach: [224, 170, 318, 238], lamp: 80 },
  { key: 9, word: "bell", x: COLUMN_X, y: 133, r: 27, bezel: 30, reach: [224, 96, 318, 170], lamp: 81 },
  { key: 10, word: "yuck", x: COLUMN_X, y: 62, r: 14.5, bezel: 17, reach: [224, 20, 318, 96], lamp: 82 },
  { key: 11, word: "mode", x: 196, y: 22, r: 6.5, bezel: 8, reach: [157, 0, 224, 51], lamp: null },
];
const STATION_KEYS = [...KEEPS, ...BIG];
const SEATS = ["red", "green", "blue", "yellow", "white", "violet"];

// What every key does at once is said by the prompt, not beside each key.
const ANY_KEY = new Set(["wake", "go_on", "other_game"]);

export const ROLES = ["left", "right", "deck"];

// An LED's light is linear and these are run far below their full light; a screen is neither.
const GAIN = 6, GAMMA = 1 / 2.2;
const OPAL = [30, 22, 17];
const CAP = [52, 40, 31];

function seen(rgb, base) {
  const channel = (i) => {
    const light = Math.min(1, (parseInt(rgb.slice(2 * i, 2 * i + 2), 16) / 255) * GAIN) ** GAMMA;
    return Math.round(base[i] + (255 - base[i]) * light);
  };
  return `rgb(${channel(0)},${channel(1)},${channel(2)})`;
}

// One picture of a board: paint(rgb) shows pixels, label(key, job, letter) names a key, keys are its elements.
class Picture {
  constructor(board) {
    this.board = board;
    this.pixels = [];
    this.shown = [];
    this.fills = new Map();
    this.keys = new Map();
  }

  pixel(index, base, ...shapes) {
    const node = svg("g", { "data-px": index, "data-rgb": "000000", class: "px", fill: seen("000000", base) }, ...shapes);
    this.pixels[index] = { node, base };
    this.shown[index] = "000000";
    return node;
  }

  // `rgb` is hex, 6 digits a pixel; only pixels that changed are touched.
  paint(rgb) {
    for (let i = 0; i < this.pixels.length; i += 1) {
      const now = rgb.slice(6 * i, 6 * i + 6);
      if (now.length < 6 || now === this.shown[i]) continue;
      this.shown[i] = now;
      const { node, base } = this.pixels[i];
      const kind = now + base[0];
      if (!this.fills.has(kind)) this.fills.set(kind, seen(now, base));
      node.setAttribute("fill", this.fills.get(kind));
      node.setAttribute("data-rgb", now);
    }
  }

  addKey(key, name, node, job, letter) {
    this.keys.set(key, { node, name, job, letter });
    this.label(key, null, "");
    return node;
  }

  label(key, job, letter) {
    const { node, name, job: words, letter: mark } = this.keys.get(key);
    node.classList.toggle("works", job !== null);
    node.dataset.job = job ?? "";
    const said = job === null ? "" : text(`job.${job}`);
    words.textContent = ANY_KEY.has(job) ? "" : said;
    mark.textContent = letter;
    node.setAttribute("aria-label", job === null ? text("key.on", { board: this.board, key: name }) : text("key.with_job", { board: this.board, key: name, job: said }));
  }
}

const round = (x, y, r, className) => svg("circle", { cx: x, cy: y, r, class: className });

function stationKey(picture, side, { key, word, n, x, y, r, bezel, reach, lamp }) {
  const name = text(`key.${word}`, { n }), [left, top, right, bottom] = reach;
  const job = svg("text", { x, y: y + bezel + 8, class: "job" });
  const letter = svg("text", { x, y, class: "letter", "aria-hidden": "true" });
  const cap = lamp === null ? round(x, y, r, "cap-dark") : picture.pixel(lamp, CAP, round(x, y, r, "cap-light"));
  const node = svg("g", { class: `key key-${word}`, role: "button", tabindex: "0", "data-board": side, "data-key": key },
    svg("rect", { x: left, y: top, width: right - left, height: bottom - top, class: "reach" }),
    round(x, y, bezel, "bezel"),
    svg("g", { class: "cap-moves" }, cap, svg("ellipse", { cx: x, cy: y - r * 0.45, rx: r * 0.62, ry: r * 0.36, class: "gloss" }), letter));
  picture.addKey(key, name, node, job, letter);
  const engraved = n === undefined
    ? svg("text", { x, y: word === "mode" ? y : y - bezel - 4, dx: word === "mode" ? -12 : 0, class: `engraved engraved-${word}` }, name)
    : svg("text", { x: x - 19, y: y + 3, class: "engraved" }, n);
  return [node, job, engraved];
}

function dieWindow(picture, die) {
  const x = FIRST_X + (die % 4) * PITCH, y = ROWS[die >> 2].die;
  const step = WINDOW / 3;
  const cells = Array.from({ length: 9 }, (_, i) => {
    const row = Math.floor(i / 3), column = i % 3;
    const cx = x + (column - 1) * step, cy = y + (row - 1) * step;
    return picture.pixel((die >> 2) * 36 + row * 12 + (die % 4) * 3 + column, OPAL,
      svg("rect", { x: cx - CELL / 2 - 1.6, y: cy - CELL / 2 - 1.6, width: CELL + 3.2, height: CELL + 3.2, rx: 4, class: "halo" }),
      svg("rect", { x: cx - CELL / 2, y: cy - CELL / 2, width: CELL, height: CELL, rx: 2.6 }));
  });
  return svg("g", { class: "die-window" },
    svg("rect", { x: x - WINDOW / 2 - 2, y: y - WINDOW / 2 - 2, width: WINDOW + 4, height: WINDOW + 4, rx: 4.5, class: "frame" }), ...cells);
}

// A station; `side` is left or right. Returns its picture, whose `root` is to be put on the page; `holder` is the
// place for the name of whoever plays there.
export function station(side) {
  const picture = new Picture(side);
  picture.holder = svg("text", { x: 24, y: 34, class: "holder" });
  const screws = [[9, 9], [WIDTH - 9, 9], [9, HEIGHT - 9], [WIDTH - 9, HEIGHT - 9]];
  picture.root = svg("svg", { class: "station", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "xMidYMid slice", role: "group", "aria-label": text(`board.${side}`) },
    svg("rect", { x: 1, y: 1, width: WIDTH - 2, height: HEIGHT - 2, rx: 9, class: "plate" }),
    ...screws.map(([x, y]) => round(x, y, 2.6, "screw")),
    svg("text", { x: 24, y: 20, class: "name" }, text(`board.${side}`)),
    picture.holder,
    ...Array.from({ length: 8 }, (_, die) => dieWindow(picture, die)),
    ...STATION_KEYS.flatMap((place) => stationKey(picture, side, place)));
  return picture;
}

// The seat keys of the deck, each with a line of words beside it that the page fills.
export function deck() {
  const picture = new Picture("deck");
  picture.said = new Map();
  picture.root = el("div", { class: "deck", role: "group", "aria-label": text("board.deck") }, ...SEATS.map((colour, key) => {
    const name = text("key.seat", { seat: colour });
    const job = el("span", { class: "seat-job" });
    const letter = svg("text", { x: 20, y: 20, class: "letter", "aria-hidden": "true" });
    const node = svg("svg", { class: "key key-seat", viewBox: "0 0 40 40", role: "button", tabindex: "0", "data-board": "deck", "data-key": key },
      round(20, 20, 17, "bezel"),
      svg("g", { class: "cap-moves" },
        picture.pixel(key, CAP, round(20, 20, 14.5, "cap-light")),
        svg("ellipse", { cx: 20, cy: 13.5, rx: 9, ry: 5, class: "gloss" }),
        letter));
    picture.addKey(key, name, node, job, letter);
    const said = el("span", { class: "seat-said" });
    picture.said.set(colour, said);
    return el("div", { class: "seat", "data-seat": colour }, node,
      el("div", { class: "seat-words" },
        el("span", { class: `who who-${colour}` }, badge(colour, text(`letter.${colour}`)), el("span", {}, text(`colour.${colour}`))), said, job));
  }));
  return picture;
}
