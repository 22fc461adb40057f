// Drawing: makes elements, and the small pictures that every page uses. No words, no topics, no game.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// A drawing of art.svg by name.
export function art(name, className) {
  return svg("svg", { class: className, viewBox: "0 0 100 100", "aria-hidden": "true" }, svg("use", { href: `#${name}` }));
}

const INGREDIENTS = ["shrimp", "salmon", "octopus", "cucumber", "roe"];
const drawnAs = new Map();

// From now on ingredients of these names are drawn as the usual five, in their order.
export function drawAs(names = INGREDIENTS) {
  names.forEach((name, i) => drawnAs.set(name, INGREDIENTS[i]));
}

export function food(symbol) {
  const drawn = drawnAs.get(symbol) ?? symbol;
  return art(drawn, `food food-${drawn}`);
}

// A seat's badge: its colour, its shape and its letter, so that no one needs to see the colour.
export function badge(colour, letter) {
  return el("span", { class: `badge badge-${colour}`, "aria-hidden": "true" }, art(`shape-${colour}`, "badge-shape"), el("b", {}, letter));
}

export const keycap = (label) => el("kbd", { class: `cap cap-${label.split(" ")[0].toLowerCase()}` }, label);

// Loads the drawings into the page, so that <use> finds them by name.
export async function loadArt() {
  const answer = await fetch("/static/art.svg");
  const drawing = new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement;
  drawing.setAttribute("class", "art");
  drawing.setAttribute("aria-hidden", "true");
  document.body.prepend(document.importNode(drawing, true));
}

const shown = new WeakMap();
let wording = 0;

// All that `show` filled is to be made again: the words are others now.
export const forgetShown = () => { wording += 1; };

// Fills `node` with what `build` makes, but only when `value` (any JSON) is another than last time. Tells whether it did.
export function show(node, value, build) {
  const key = `${wording} ${JSON.stringify(value)}`;
  if (shown.get(node) === key) return false;
  shown.set(node, key);
  node.replaceChildren(...build().filter((child) => child !== null));
  return true;
}
