// Deck view: the poop deck from above: planks, the eye with its arm, droppings, the die, four corner holes. Own drawings.
//
// Units are those of the picture: the shaft is at 0,0, the deck a square of 2 x HALF. A cell is a sector (0 at the top,
// clockwise) and a ring. Between two reports the arm goes on at the pace it had, at most FORESEEN_MS; with reduced motion
// it stays where it was reported, sector by sector. Knows no game and no page: what lies where is given.

import { el, svg } from "./draw.js";
import { text } from "./words.js";

const HALF = 112;
const RINGS = [45, 67, 88];
const CORNER = 84;
const FORESEEN_MS = 600;
const SOON_MS = 120;
const OLD_MS = 3000;
const FOLLOW = 0.14;
const FALL_MS = 480;
const REACH = 20;
const DRIFTS = [1, 2, 3];

const calm = matchMedia("(prefers-reduced-motion: reduce)");

const radians = (deg) => ((deg - 90) * Math.PI) / 180;
const at = (deg, radius) => [Math.cos(radians(deg)) * radius, Math.sin(radians(deg)) * radius];
const place = ([x, y]) => `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
const circle = (cx, cy, r, className) => svg("circle", { cx, cy, r, class: className });
const path = (d, className) => svg("path", { d, class: className });

// What a seagull leaves behind, friendly, about 22 wide, its foot at 0,8.
export function dropping() {
  return svg("g", { class: "poop" },
    svg("ellipse", { cx: 1, cy: 8.6, rx: 11, ry: 4.2, class: "poop-shade" }),
    path("M-11 5.5C-12 1-8.5-1.2-6.4-1.4C-7.6-5-4-7.2-1.4-7.4C-2.2-9.4-0.4-11.6 1.8-11.4C2.6-9.6 5.4-8.8 5.2-5.6C8-5 8.6-2.4 7.4-0.6C10.4 0 12 3 10.8 5.8C9.6 9.2 4.8 9.8 0 9.8C-4.8 9.8-10 9.4-11 5.5Z", "poop-body"),
    path("M-6.4-1.4C-3.4 0.6 3 0.6 7.4-0.6M-1.4-7.4C0.4-6 3.4-5.4 5.2-5.6", "poop-fold"),
    circle(-3.2, 3.2, 1.25, "poop-eye"), circle(3, 3.2, 1.25, "poop-eye"),
    path("M-2 5.8C-0.8 7 1 7 2.2 5.8", "poop-smile"));
}

// A colour as it is under a dropping and on the die: its shape, its colour and its letter, `r` in radius.
export function dye(colour, r) {
  const size = colour === null ? 0 : r * 2;
  return svg("g", { class: colour === null ? "dye-none" : `dye-mark badge-${colour}` },
    circle(0, 0, r, "dye-ground"),
    colour === null ? svg("text", { class: "dye-letter", y: 1, "font-size": r }, "?") : null,
    colour === null ? null : svg("use", { href: `#shape-${colour}`, x: -size * 0.39, y: -size * 0.39, width: size * 0.78, height: size * 0.78, class: "dye-shape" }),
    colour === null ? null : svg("text", { class: "dye-letter", y: colour === "green" ? r * 0.16 : r * 0.04, "font-size": r * (colour === "green" || colour === "yellow" ? 0.62 : 0.74) }, text(`letter.${colour}`)));
}

function planks() {
  const lines = [];
  for (let x = -HALF + 16; x < HALF; x += 16) lines.push(`M${x} ${-HALF}V${HALF}`);
  const joints = [[-96, -40], [-80, 52], [-64, -72], [-48, 20], [-32, 84], [-16, -58], [16, 66], [32, -84], [48, -18], [64, 74], [80, -50], [96, 38]];
  return svg("g", {},
    svg("rect", { x: -HALF, y: -HALF, width: 2 * HALF, height: 2 * HALF, rx: 12, class: "deck-wood" }),
    path(lines.join(""), "deck-plank"),
    path(joints.map(([x, y]) => `M${x - 16} ${y}H${x}`).join(""), "deck-plank"),
    ...RINGS.map((radius) => circle(0, 0, radius, "deck-ring")),
    svg("rect", { x: -HALF, y: -HALF, width: 2 * HALF, height: 2 * HALF, rx: 12, class: "deck-rail" }));
}

function corner(sector, i) {
  const deg = sector * 22.5, [x, y] = [Math.sign(at(deg, 1)[0]) * CORNER, Math.sign(at(deg, 1)[1]) * CORNER];
  const posts = [-26, -13, 0, 13, 26].map((turn) => at(deg + turn * 0.62, 106 + Math.abs(turn) * 0.12));
  return svg("g", { class: "corner", "data-hole": i },
    circle(x, y, 24, "hole-edge"), circle(x, y, 21, "hole-deep"),
    path(`M${x - 12} ${y + 6}q6 -5 12 0t12 0M${x - 9} ${y + 13}q5 -4 9 0t9 0`, "hole-sea"),
    svg("g", { class: "railing" },
      circle(x, y, 24, "rail-cover"),
      path(`M${posts.map(([px, py]) => `${px.toFixed(1)} ${py.toFixed(1)}`).join("L")}`, "rail-bar"),
      ...posts.map(([px, py]) => circle(px, py, 3.1, "rail-post"))));
}

function eye() {
  return svg("g", { class: "eye" },
    svg("g", { class: "arm" },
      path("M-3.4 -20L-2.4 -98H2.4L3.4 -20Z", "arm-bar"),
      svg("rect", { x: -9, y: -104, width: 18, height: 10, rx: 5, class: "arm-bumper" })),
    circle(0, 1.5, 27, "eye-shade"), circle(0, 0, 26, "eye-white"),
    path("M-22 6C-17 4-15 8-11 7M21 9C17 6 15 10 11 9M-8 23C-7 18-3 17-3 13", "eye-vein"),
    svg("g", { class: "gaze" },
      circle(0, -9, 14.5, "eye-ring"), circle(0, -9, 11.5, "eye-iris"), circle(0, -9, 6, "eye-pupil")),
    circle(-7, -11, 3.4, "eye-gleam"));
}

// The drum at the eye's home, with the drift round it: three steps from the middle to the brink.
function drum() {
  return svg("g", { class: "drum", transform: `translate(0 ${-HALF - 3})` },
    circle(0, 0, 18, "drum-case"),
    ...DRIFTS.map((step) => path(arc(15.2, -118 + (step - 1) * 82, -42 + (step - 1) * 82), `drift drift-${step}`)),
    svg("g", { class: "drum-face" }));
}

function arc(radius, from, to) {
  const [[x1, y1], [x2, y2]] = [at(from, radius), at(to, radius)];
  return `M${x1.toFixed(2)} ${y1.toFixed(2)}A${radius} ${radius} 0 0 1 ${x2.toFixed(2)} ${y2.toFixed(2)}`;
}

// A deck. `show(deck, die, more)` draws it: `deck` as the table has it, the die's colour or null; `liftable` is whether
// droppings are buttons now, `label` what it shows in words, `eye_deg` where a real deck's eye is (null: not known).
export class DeckView {
  constructor() {
    this.holes = [];
    this.lying = new Map();
    this.things = svg("g", { class: "things" });
    this.eye = eye();
    this.drum = drum();
    this.corners = svg("g", {});
    this.root = svg("svg", { class: "deckview", viewBox: `${-HALF - 3} ${-HALF - 22} ${2 * HALF + 6} ${2 * HALF + 25}`, role: "group" },
      planks(), this.corners, this.drum, this.things, this.eye);
    this.deg = 0;
    this.seen = null;
    this.loop = null;
  }

  show(deck, die, { liftable, label, eye_deg }) {
    this.root.setAttribute("aria-label", label);
    this.drawCorners(deck);
    this.drawDrum(deck, die);
    this.drawDroppings(deck, liftable);
    this.eye.setAttribute("class", `eye eye-${die ?? "blind"}${deck.eye === 0 ? " eye-still" : ""}`);
    const deg = deck.lying?.arm_deg ?? eye_deg;
    if (deg !== null) this.turn(deg, deck.eye);
  }

  drawCorners({ holes, open }) {
    if (this.holes.join() !== holes.join()) {
      this.holes = holes;
      this.corners.replaceChildren(...holes.map(corner));
    }
    holes.forEach((sector, i) => this.corners.children[i].classList.toggle("closed", !open.includes(sector)));
  }

  // A loose die lies among the droppings, where that is known.
  drawDrum({ drift, turning, danger, lying, sectors }, die) {
    const there = lying?.die_at ?? null;
    this.drum.style.transform = there === null ? "" : place(at((there.sector * 360) / sectors, RINGS[there.ring] ?? RINGS.at(-1)));
    this.drum.classList.toggle("turning", turning);
    this.drum.classList.toggle("danger", danger);
    this.drum.classList.toggle("loose", drift === null && there === null);
    for (const step of DRIFTS) this.drum.querySelector(`.drift-${step}`).classList.toggle("on", drift !== null && drift >= step);
    if (this.face === die) return;
    this.face = die;
    this.drum.querySelector(".drum-face").replaceChildren(dye(die, 11.5));
  }

  drawDroppings(deck, liftable) {
    const lying = deck.lying?.droppings ?? [];
    const here = new Set(lying.map(({ n }) => n));
    for (const [n, node] of this.lying) if (!here.has(n)) this.remove(n, node, deck);
    for (const { n, sector, ring } of lying) {
      const node = this.lying.get(n) ?? this.add(n);
      node.style.transform = place(at((sector * 360) / deck.sectors, RINGS[ring] ?? RINGS.at(-1)));
      node.classList.toggle("pointed", liftable && n === deck.pointed);
      node.classList.toggle("aimed", n === deck.aim);
      button(node, liftable, text("game.dropping", { n: n + 1 }));
    }
  }

  add(n) {
    const node = svg("g", { class: "dropping", "data-dropping": n },
      circle(0, 0, REACH, "dropping-reach"), circle(0, 0, 14, "dropping-mark"), dropping());
    this.lying.set(n, node);
    this.things.append(node);
    return node;
  }

  // A dropping that is not held has fallen: it slides into the nearest open hole and is gone.
  remove(n, node, deck) {
    this.lying.delete(n);
    const hole = nearest(node, deck);
    if (calm.matches || hole === null || deck.lying?.held?.n === n) {
      node.remove();
      return;
    }
    node.setAttribute("class", "dropping falling");
    const [x, y] = [CORNER * Math.sign(hole[0]), CORNER * Math.sign(hole[1])];
    const falls = node.animate([{}, { transform: `${place([x, y])} scale(0.9)` }, { transform: `${place([x, y])} scale(0.1)`, opacity: 0 }], { duration: FALL_MS, easing: "ease-in" });
    falls.onfinish = () => node.remove();
  }

  // The arm was seen at `deg`, and its motor is told `pace`.
  turn(deg, pace) {
    if (calm.matches) {
      this.point(Math.round(deg / 22.5) * 22.5);
      return;
    }
    const now_ms = performance.now();
    const since_ms = this.seen === null ? Infinity : now_ms - this.seen.ms;
    const way = this.seen === null ? 0 : ((deg - this.seen.deg + 540) % 360) - 180;
    if (pace !== 0 && (since_ms < SOON_MS || (way === 0 && since_ms < OLD_MS))) return;
    const speed = pace === 0 || since_ms > OLD_MS ? 0 : way / since_ms;
    this.seen = { deg, ms: now_ms, speed };
    this.loop ??= requestAnimationFrame(() => this.frame());
  }

  frame() {
    this.loop = null;
    if (!this.root.isConnected || this.seen === null) return;
    const { deg, ms, speed } = this.seen;
    const foreseen = deg + speed * Math.min(FORESEEN_MS, performance.now() - ms);
    const off = ((foreseen - this.deg + 540) % 360) - 180;
    if (Math.abs(off) > 0.05) this.point((this.deg + off * FOLLOW + 360) % 360);
    if (speed !== 0 || Math.abs(off) > 0.05) this.loop = requestAnimationFrame(() => this.frame());
  }

  point(deg) {
    this.deg = deg;
    this.eye.style.transform = `rotate(${deg.toFixed(2)}deg)`;
  }
}

function nearest(node, { open, sectors }) {
  const [, x, y] = /translate\(([-\d.]+)px, ([-\d.]+)px\)/.exec(node.style.transform) ?? [null, 0, 0];
  const holes = open.map((sector) => at((sector * 360) / sectors, 1));
  return holes.sort((a, b) => b[0] * x + b[1] * y - a[0] * x - a[1] * y)[0] ?? null;
}

function button(node, works, name) {
  node.classList.toggle("liftable", works);
  for (const [attribute, value] of [["role", "button"], ["tabindex", "0"], ["aria-label", name]]) {
    if (works) node.setAttribute(attribute, value);
    else node.removeAttribute(attribute);
  }
  if (works) node.removeAttribute("aria-hidden");
  else node.setAttribute("aria-hidden", "true");
}

// A dropping as a picture of its own, as in a list; `colour` is what is stuck under it, if that is known.
export function picture(className, colour) {
  return svg("svg", { class: className, viewBox: colour === undefined ? "-13 -13 26 26" : "-24 -13 48 42", "aria-hidden": "true" },
    colour === undefined ? null : svg("g", { transform: "translate(10 15)" }, dye(colour, 13)),
    colour === undefined ? dropping() : svg("g", { transform: "translate(-7 0) rotate(-14)" }, dropping()));
}

// The colour of the die or of a dropping, in a line of text or large; its name is said by `label`, if there is one.
export function chip(colour, label = null) {
  return el("span", { class: "dye-chip", ...(label === null ? { "aria-hidden": "true" } : { role: "img", "aria-label": label }) },
    svg("svg", { viewBox: "-13 -13 26 26" }, dye(colour, 12.5)));
}
