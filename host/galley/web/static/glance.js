// Glance: the table in a strip, so that one can play on the box page alone: platters, dice names, latest news.

import { drawAs, el, food, show, svg } from "./draw.js";
import { rich, symbols, text, told } from "./words.js";

// How a station's dice show each symbol: rows from the top, `#` is lit (the boards' own table of glyphs).
export const LEGEND = {
  shrimp: ".## #.. .##",
  salmon: "... ### ###",
  octopus: ".#. ### #.#",
  cucumber: "### #.# ###",
  roe: "##. ##. ...",
  star: ".#. ### .#.",
  yuck: "#.# .#. #.#",
};

function pattern(symbol, rows) {
  const cells = rows.split(" ").flatMap((row, y) => Array.from(row, (sign, x) =>
    svg("rect", { x: x * 10 + 1, y: y * 10 + 1, width: 8, height: 8, rx: 1.6, class: sign === "#" ? "lit" : "unlit" })));
  return svg("svg", { class: `pattern pattern-${symbol}`, viewBox: "0 0 30 30", "aria-hidden": "true" }, ...cells);
}

export function mount() {
  return [
    el("div", { class: "platters" }),
    el("div", { class: "news", role: "log" }),
    el("ul", { class: "legend", "aria-label": text("box.legend") }, ...Object.entries(LEGEND).map(([symbol, rows]) =>
      el("li", {}, pattern(symbol, rows), food(symbol), el("span", {}, text(`symbol.${symbol}`))))),
  ];
}

export function update(root, { house, table = null, news = [] }) {
  const state = table !== null && (table.game ?? house?.game) === "sushi_duel" ? table.state : null;
  drawAs(table?.ingredients);
  const complete = [...(table?.complete?.left ?? []), ...(table?.complete?.right ?? [])];
  show(root.querySelector(".platters"), [state?.visible, complete], () => (state?.visible ?? []).map((platter, i) =>
    el("div", { class: complete.includes(i) ? "tray complete" : "tray", role: "img", "aria-label": text("platter", { platter }), "data-place": i },
      el("span", { class: "place-number", "aria-hidden": "true" }, String(i + 1)), ...symbols(platter).map(food))));
  const latest = told(news).at(-1) ?? null;
  show(root.querySelector(".news"), latest?.n ?? null, () => latest === null ? []
    : [el("p", { "data-news": latest.key, "data-n": latest.n }, ...rich(`news.${latest.key}`, latest.params))]);
  root.classList.toggle("other", table !== null && state === null);
  root.classList.toggle("quiet", state === null && house?.phase !== "game");
}
