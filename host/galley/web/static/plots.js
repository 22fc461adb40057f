// Plots: what the boards' clocks did in the last ten minutes, as small line charts. Knows points, words and SVG.
//
// A point is [offset_us, round_trip_us, drift_ppm, uncertainty_us] of one second, or null where nothing was known.

import { el, svg } from "./draw.js";
import { spoken, text } from "./words.js";

const SHOWN_S = 600;
const WIDTH = 340, HEIGHT = 112;
const LEFT = 48, RIGHT = 12, TOP = 8, BOTTOM = 20;
const TICKS = 3;

// place in a point, divisor to the unit, unit, whether zero belongs on the axis
const CHARTS = {
  offset: { place: 0, per: 1000, unit: "ms", zero: false },
  round_trip: { place: 1, per: 1000, unit: "ms", zero: true },
  drift: { place: 2, per: 1, unit: "ppm", zero: false },
  uncertainty: { place: 3, per: 1000, unit: "ms", zero: true },
};

function numbers(n, decimals) {
  return n.toLocaleString(spoken() ?? "en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

// The distance of round ticks: 1, 2 or 5 times a power of ten.
function stepFor(span) {
  const power = 10 ** Math.floor(Math.log10(span / TICKS));
  return power * [1, 2, 5, 10].find((times) => times * power * TICKS >= span * 0.999);
}

// From where to where an axis goes, its ticks, and how many decimals they need.
export function axis(values, zero) {
  let low = Math.min(...values, ...(zero ? [0] : []));
  let high = Math.max(...values);
  if (high - low < 0.01) [low, high] = zero ? [0, Math.max(high, 0.01)] : [low - 0.05, high + 0.05];
  const step = stepFor(high - low);
  const first = Math.floor(low / step + 0.001), last = Math.ceil(high / step - 0.001);
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
  return { low: ticks[0], high: ticks.at(-1), ticks, decimals: Math.max(0, -Math.floor(Math.log10(step) + 0.001)) };
}

// The points of one board as one row that ends now, the newest SHOWN_S of them.
export function joined(older, newest, board) {
  const late = newest?.boards[board] ?? [];
  const early = older?.boards[board] ?? [];
  const meets = older && older.first + early.length === newest?.first;
  return (meets ? [...early, ...late] : late).slice(-SHOWN_S);
}

function line(values, x, y) {
  let drawn = "", pen = false;
  values.forEach((value, i) => {
    if (value !== null) drawn += `${pen ? "L" : "M"}${x(i).toFixed(1)} ${y(value).toFixed(1)}`;
    pen = value !== null;
  });
  return drawn;
}

function chart(name, points) {
  const { place, per, unit, zero } = CHARTS[name];
  const values = points.map((point) => (point === null ? null : point[place] / per));
  const known = values.filter((value) => value !== null);
  const { low, high, ticks, decimals } = axis(known, zero);
  const x = (i) => WIDTH - RIGHT - (points.length - 1 - i) * (WIDTH - LEFT - RIGHT) / (SHOWN_S - 1);
  const y = (value) => HEIGHT - BOTTOM - (value - low) * (HEIGHT - TOP - BOTTOM) / (high - low);
  const title = text(`plot.${name}`), newest = text(`plot.${unit}`, { n: numbers(known.at(-1), 2) });
  const minutes = [10, 5, 0];
  return el("figure", { class: "plot", "data-plot": name },
    el("figcaption", {}, title, el("b", {}, newest)),
    svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${title}: ${newest}` },
      ...ticks.flatMap((tick) => [
        svg("line", { class: "plot-grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(tick), y2: y(tick) }),
        svg("text", { class: "plot-tick", x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, numbers(tick, decimals)),
      ]),
      ...minutes.map((ago) => svg("text", {
        class: "plot-tick", y: HEIGHT - 4, "text-anchor": ago === 0 ? "end" : ago === 10 ? "start" : "middle",
        x: WIDTH - RIGHT - ago * 60 * (WIDTH - LEFT - RIGHT) / SHOWN_S,
      }, ago === 0 ? text("plot.now") : text("plot.ago", { n: ago }))),
      svg("path", { class: "plot-line", d: line(values, x, y) })));
}

// One article for each board whose clock is known, with a chart for each quantity.
export function plots(older, newest) {
  const boards = Object.keys(newest?.boards ?? {});
  const found = boards.map((board) => [board, joined(older, newest, board)])
    .filter(([, points]) => points.some((point) => point !== null));
  if (found.length === 0) return [el("p", {}, text("plot.none"))];
  return found.map(([board, points]) => el("article", { class: "card", "data-clock": board },
    el("h3", {}, text(`board.${board}`)),
    ...Object.keys(CHARTS).map((name) => chart(name, points))));
}
