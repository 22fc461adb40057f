// The deck on the crew's page: what its moving parts do, and the walk that teaches the colour reader its colours.

import { badge, el, show } from "./draw.js";
import { has, rich, text } from "./words.js";

// In the order of `calibrate`: a number is what the host is told.
const COLOURS = ["red", "green", "blue", "yellow", "empty"];

// Fills `root`; `board` is the deck's entry, `send` takes commands.
export function update(root, board, send) {
  const deck = board?.deck ?? null;
  const reads = board?.caps?.includes("reader") ?? false;
  show(root, [deck, reads, board?.state], () => deck === null ? [el("p", {}, text("service.no_deck"))] : [
    el("dl", {},
      ...line("service.eye", state("eye", deck.eye)),
      ...line("service.eye_at", text("service.degrees", { n: deck.eye_deg, doubt: deck.doubt_deg })),
      ...line("service.drum", state("drum", deck.drum)),
      ...line("service.guard", text(deck.guard_open ? "service.guard_open" : "service.guard_closed"))),
    ...(reads ? walk(deck, send) : [el("p", {}, text("service.no_reader"))]),
  ]);
}

const line = (word, value) => [el("dt", {}, text(word)), el("dd", {}, value)];
const state = (part, name) => has(`${part}.${name}`) ? text(`${part}.${name}`) : name;

// One colour after the other: lay it in the well, press its button. What was learned has a tick.
function walk(deck, send) {
  const taught = new Set(deck.taught);
  return [
    el("p", {}, text(taught.size === COLOURS.length ? "service.taught_all" : "service.teach")),
    el("div", { class: "teach" }, ...COLOURS.map((colour, number) => {
      const node = el("button", { type: "button", class: `choice teach-${colour}`, "data-teach": colour, "aria-pressed": String(taught.has(colour)) },
        ...(colour === "empty" ? [text("service.empty")] : [badge(colour, text(`letter.${colour}`)), " ", text(`colour.${colour}`)]));
      node.addEventListener("click", () => send({ do: "calibrate", colour: number }));
      return node;
    })),
    el("p", { class: "reading", role: "status" }, ...rich("service.reads", { what: text(`reader.${deck.reader}`) })),
  ];
}
