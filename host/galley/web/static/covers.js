// Covers: the picture of each game, as on the lid of its box, 160 x 110 each. Made of the drawings of art.svg.

import { svg } from "./draw.js";

const use = (name, x, y, size, turn = 0) => svg("use", {
  href: `#${name}`, x, y, width: size, height: size, transform: turn === 0 ? null : `rotate(${turn} ${x + size / 2} ${y + size / 2})`,
});
const rect = (x, y, width, height, rx, fill, more = {}) => svg("rect", { x, y, width, height, rx, fill, ...more });
const circle = (cx, cy, r, fill, more = {}) => svg("circle", { cx, cy, r, fill, ...more });
const path = (d, fill, more = {}) => svg("path", { d, fill, ...more });
const group = (transform, ...children) => svg("g", { transform }, ...children);

function die(x, y, face, turn) {
  return group(`rotate(${turn} ${x + 22} ${y + 22})`,
    rect(x + 1.5, y + 3, 44, 44, 9, "#000", { opacity: 0.4 }),
    rect(x, y, 44, 44, 9, "#f7ebd0", { stroke: "#c9ad78", "stroke-width": 1.5 }),
    use(face, x + 6, y + 6, 32));
}

const duel = () => [
  rect(0, 0, 160, 110, 8, "#5a2018"), path("M0 78H160V102Q160 110 152 110H8Q0 110 0 102Z", "#3b140f"),
  die(10, 36, "salmon", -12), die(106, 38, "yuck", 10), use("bell", 53, 30, 56), use("star", 67, 6, 22),
];

function tile(x, y, turn, face, fill, stroke, n) {
  return group(`rotate(${turn} ${x + 15} ${y + 21})`,
    rect(x + 1.5, y + 2.5, 32, 44, 5, "#000", { opacity: 0.4 }),
    rect(x, y, 32, 44, 5, fill, { stroke, "stroke-width": 2 }),
    face,
    svg("text", { x: x + 16, y: y + 40, "text-anchor": "middle", class: "cover-n" }, n));
}

const bone = (x, y) => group(`translate(${x} ${y}) scale(0.24)`,
  path("M14 52H74M36 36V68M54 38V66", "none", { stroke: "#7d2420", "stroke-width": 9, "stroke-linecap": "round" }),
  path("M72 52L96 34V70Z", "#7d2420"), circle(12, 52, 15, "#7d2420"));

const bar = () => [
  rect(0, 0, 160, 110, 8, "#17404a"), path("M0 74H160V96H0Z", "#0e2a31"), path("M0 78H160M0 92H160", "none", { stroke: "#2e6b78", "stroke-width": 1.6 }),
  tile(14, 26, -8, use("salmon", 18, 30, 24), "#cfe3f5", "#3d78b8", "3"), tile(46, 16, 3, use("shrimp", 50, 20, 24), "#cfe3f5", "#3d78b8", "6"),
  tile(82, 18, -3, bone(86, 20), "#f6d3cb", "#b8433a", "−2"), tile(114, 28, 9, use("roe", 118, 32, 24), "#cfe3f5", "#3d78b8", "5"),
];

const worm = (x, y, colour) => group(`translate(${x} ${y})`,
  path("M4 26C4 8 22 8 24 20C26 32 42 34 42 16V8", "none", { stroke: "#5d2b12", "stroke-width": 15, "stroke-linecap": "round" }),
  path("M4 26C4 8 22 8 24 20C26 32 42 34 42 16V8", "none", { stroke: colour, "stroke-width": 11, "stroke-linecap": "round" }),
  circle(39.5, 7, 2.6, "#fff"), circle(45.5, 7, 2.6, "#fff"), circle(39.8, 7.4, 1.3, "#20120b"), circle(45.2, 7.4, 1.3, "#20120b"));

const flame = (x) => path(`M${x} 100C${x - 9} 92 ${x - 4} 86 ${x} 78C${x + 2} 86 ${x + 9} 90 ${x} 100Z`, "#ff9c2e");

const grill = () => [
  rect(0, 0, 160, 110, 8, "#3a2119"), path("M6 74H154L146 104H14Z", "#141010"), ...[30, 58, 84, 110, 134].map(flame),
  path("M8 70H152M8 77H152", "none", { stroke: "#8d8a88", "stroke-width": 3.4, "stroke-linecap": "round" }),
  worm(20, 36, "#e58a8a"), worm(92, 34, "#d8a25c"),
  circle(80, 30, 21, "#f2e6cd", { stroke: "#3f6b3a", "stroke-width": 5 }), svg("text", { x: 80, y: 37, "text-anchor": "middle", class: "cover-plate" }, "25"),
];

const dropping = (x, y, fill) => group(`translate(${x} ${y})`,
  path("M0 10C-3 2 6 3 6-3C14-1 14 4 18 5C24 7 22 14 11 14C4 14 1 13 0 10Z", "#f4efe4", { stroke: "#b9b2a0", "stroke-width": 1.4 }), circle(11, 9, 3.2, fill));

const deck = () => [
  rect(0, 0, 160, 110, 8, "#14344f"), circle(80, 55, 51, "#8a5a30", { stroke: "#d9b273", "stroke-width": 4 }),
  path("M42 24V86M54 12V98M67 6V104M93 6V104M106 12V98M118 24V86", "none", { stroke: "#6c4322", "stroke-width": 1.6 }),
  dropping(40, 62, "#e5483d"), dropping(104, 68, "#4a8fe7"), dropping(98, 24, "#f2c230"),
  path("M46 52C58 30 102 30 114 52C102 74 58 74 46 52Z", "#fdfaf2", { stroke: "#2c1a10", "stroke-width": 3 }),
  circle(80, 52, 16, "#3f8f86"), circle(80, 52, 8, "#14100d"), circle(86, 46, 3.6, "#fff"),
];

const COVERS = { sushi_duel: duel, sushi_bar: bar, worm_grill: grill, poop_deck: deck };

export function cover(game) {
  return svg("svg", { class: "cover", viewBox: "0 0 160 110", "aria-hidden": "true" }, ...COVERS[game]());
}
