// The virtual box: the boards as they are, every pixel as the firmware wrote it, every key to be pressed.

import { deck, ROLES, station } from "./boards.js";
import { el, show } from "./draw.js";
import { Fingers, letters } from "./fingers.js";
import * as glance from "./glance.js";
import { glance as poop_deck, lifts } from "./poop_deck.js";
import { start } from "./shell.js";
import { glance as sushi_bar } from "./sushi_bar.js";
import { sideOf } from "./turns.js";
import { has, missing, rich, text } from "./words.js";
import { glance as worm_grill } from "./worm_grill.js";

const GLANCES = { sushi_bar, worm_grill, poop_deck };

const at = (id) => document.getElementById(id);
const pictures = {};
const places = {};
const plugs = {};
let channel = null;
let printed = new Map();
let latest = {};
let glancing = null;
const painted = new Map();

function mount() {
  at("boards").replaceChildren();
  glancing = null;
  for (const role of ["deck", "left", "right"]) {
    const picture = role === "deck" ? deck() : station(role);
    pictures[role] = picture;
    places[role] = el("section", { class: `board board-${role}`, "data-role": role }, picture.root, el("p", { class: "board-state" }));
    plugs[role] = el("button", { class: "plug", type: "button", hidden: true, "data-plug": role });
    plugs[role].addEventListener("click", () => plug(role));
    at("boards").append(places[role]);
    if (painted.has(role)) picture.paint(painted.get(role));
  }
  at("boards").append(el("div", { class: "plugs" }, ...ROLES.map((role) => plugs[role])));
}

function plug(role) {
  channel.send({ do: "plug", board: role, in: places[role].dataset.plugged !== "true" });
}

function changed(topics) {
  latest = topics;
  if (Object.keys(pictures).length === 0) mount();
  const { house = null, table = null, boards = [], meta } = topics;
  const state = table !== null && (table.game ?? house?.game) === "sushi_duel" ? table.state : null;
  look(topics);
  prompts(house?.prompts ?? [], house?.paused ?? null);
  label(table?.keys ?? {}, house?.keys ?? {});
  seats(house, state);
  for (const side of ["left", "right"]) holder(side, house, playing(side, table?.state ?? null));
  for (const role of ROLES) standing(role, boards.find((board) => board.role === role) ?? null, meta?.simulated ?? false);
}

// The table at a glance: in the poop deck that is the deck itself, on which one lifts droppings.
function look(topics) {
  const { house = null, table = null } = topics;
  const wanted = table === null ? glance : GLANCES[table.game ?? house.game] ?? glance;
  const deckIsOn = wanted === poop_deck;
  if (wanted !== glancing) {
    glancing = wanted;
    at("glance").className = `glance ${wanted.name ?? ""}`.trim();
    at("glance").replaceChildren(...wanted.mount());
    document.querySelector(".glance-side")?.remove();
    if (deckIsOn) at("boards").prepend(wanted.beside());
    document.body.classList.toggle("has-deck", deckIsOn);
    document.body.classList.toggle("has-turns", wanted !== glance && !deckIsOn);
  }
  wanted.update(deckIsOn ? at("glance").parentElement : at("glance"), topics);
}

function prompts(list, paused) {
  const why = paused === null || paused.because === "operator" ? null : paused;
  show(at("prompts"), [list, why], () => why !== null
    ? [el("p", { class: "prompt" }, `${text("paused")}: `, ...rich(why.boards.length > 0 ? missing(why) : `paused.${why.because}`, why))]
    : list.filter(({ key }) => has(`prompt.${key}`)).map(({ key, params }) =>
      el("p", { class: "prompt", "data-prompt": key }, ...rich(`prompt.${key}`, params))));
}

function label(inGame, around) {
  for (const [role, picture] of Object.entries(pictures)) {
    for (const key of picture.keys.keys()) {
      const job = inGame[role]?.[key] ?? around[role]?.[key] ?? null;
      picture.label(key, job, printed.get(`${role} ${key}`) ?? "");
    }
  }
}

function seats(house, state) {
  for (const [colour, node] of pictures.deck.said) {
    const seat = house?.seats.find((candidate) => candidate.colour === colour) ?? null;
    const won = seat !== null && state !== null ? state.won[seat.seat] : null;
    node.closest(".seat").classList.toggle("taken", seat !== null);
    show(node, [seat, won], () => [
      seat?.bot ? text("bot") : null,
      won === null ? null : el("span", { class: "plates-n", "data-won": won }, text("result.platters", { n: won })),
    ]);
  }
}

// The seat that plays at a station: as the duel's stations say, or whose turn it is.
function playing(side, state) {
  if (state?.stations !== undefined) return state.stations[side].seat;
  const turn = GLANCES[latest.table?.game]?.name.startsWith("of-turns") ? state.turn : null;
  return turn !== null && sideOf(turn) === side ? turn : null;
}

// Who plays at a station, while there is a game.
function holder(side, house, number) {
  const seat = number === null ? null : house.seats[number];
  const { holder: node } = pictures[side];
  node.setAttribute("class", seat === null ? "holder" : `holder who-${seat.colour}`);
  show(node, seat, () => [seat === null ? null : text(`colour.${seat.colour}`)]);
}

// How a board stands, in words: nothing while all is well, else its state and the remedy.
function standing(role, board, simulated) {
  const place = places[role];
  const state = board?.state ?? "absent";
  place.classList.toggle("not-live", state !== "live");
  place.classList.toggle("gone", board?.port === null || board === null);
  place.dataset.state = state;
  place.dataset.plugged = String(board !== null && board.port !== null);
  const note = board?.note ?? null;
  const real = state === "live" && !board.simulated;
  place.classList.toggle("real", real);
  show(place.querySelector(".board-state"), [state, note, real], () => state === "live"
    ? real ? [text("box.real")] : []
    : [
      el("b", {}, `${text(`board.${role}`)}: ${text(`state.${state}`)}`),
      note === null ? null : el("span", {}, ...rich(`note.${note.key}`, note.params)),
    ]);
  const plugged = place.dataset.plugged === "true";
  const button = plugs[role];
  button.hidden = !simulated;
  const deed = plugged ? "box.unplug" : "box.plug";
  button.classList.toggle("plugged", plugged);
  button.setAttribute("aria-label", text(`${deed}.board`, { board: role }));
  show(button, deed, () => [el("b", {}, text(role === "deck" ? "board.deck" : `side.${role}`)), el("span", {}, text(deed))]);
}

const fingers = new Fingers(
  (board, key, down) => channel !== null && channel.send({ do: "key", board, key, down }),
  (board, key, down) => {
    const { node } = pictures[board].keys.get(key);
    node.classList.toggle("down", down);
    node.setAttribute("aria-pressed", down);
  },
);

fingers.watch(document.documentElement);
lifts(document.documentElement, (dropping) => channel?.send({ do: "lift", dropping }));

channel = await start("box", {
  changed,
  pixels(board, rgb) {
    painted.set(board, rgb);
    pictures[board]?.paint(rgb);
  },
  reworded() {
    fingers.allOff();
    if (Object.keys(pictures).length > 0) mount();
  },
  link: (up) => { if (!up) fingers.allOff(); },
});
printed = await letters();
if (Object.keys(pictures).length > 0) label(latest.table?.keys ?? {}, latest.house?.keys ?? {});
