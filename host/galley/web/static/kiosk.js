// The kiosk: what players and onlookers see, and may touch. Picks the scene by phase and game; around it the bar, the
// prompts, the keys, the overlays, the sounds. With `/?wall` it only shows: no keys, no buttons, no sound.

import * as corner from "./corner.js";
import { el, show } from "./draw.js";
import { Fingers } from "./fingers.js";
import { GAMES } from "./games.js";
import * as keybar from "./keybar.js";
import { Loudspeaker } from "./loudspeaker.js";
import { Asking, paused, Sheet } from "./overlays.js";
import { lifts } from "./poop_deck.js";
import { attract, choose, howto, join, options, result, today } from "./scenes.js";
import { start } from "./shell.js";
import { has, keyFirst, rich, text } from "./words.js";

const AROUND = { attract, choose, options, join, howto, result };
const SHOWN_IN_ATTRACT = 3;

const at = (id) => document.getElementById(id);
const wall = new URLSearchParams(location.search).has("wall");
const onlyShows = () => wall || document.body.classList.contains("watching");
let channel = null;
let mounted = null;
let latest = {};

document.body.classList.toggle("wall", wall);
const speaker = new Loudspeaker(at("caption"), (on) => channel?.send({ do: "speaker", on }));
const asking = new Asking(at("asking"), () => speaker.sound("tick"));
const sheet = new Sheet(at("sheet"), (to) => channel.send({ do: "language", to }));
if (!wall) corner.mount(at("tools"), { toggleSound: () => speaker.toggle(), openLanguages: () => sheet.open(latest.meta) });

// The scene of a phase: of the game while one is played, or played for show; else one of those around.
function sceneOf({ house, table = null }) {
  const playing = table !== null && (house.phase === "game" || house.phase === "attract");
  if (playing) return [`game ${table.game ?? house.game}`, GAMES[table.game ?? house.game].default];
  const name = house.phase === "game" ? "join" : house.phase;
  return [name, AROUND[name]];
}

function changed(topics) {
  latest = topics;
  const { house = null, table = null } = topics;
  if (house === null) return;
  const [name, scene] = sceneOf(topics);
  if (name !== mounted) {
    mounted = name;
    at("scene").replaceChildren(scene.mount());
  }
  document.body.dataset.phase = house.phase;
  document.body.dataset.scene = name;
  scene.update(at("scene"), topics);
  prompts(topics);
  facts(topics);
  document.body.classList.toggle("waiting", house.paused !== null || (house.asking ?? null) !== null);
  paused(at("paused"), house.paused, topics.boards ?? [], house.prompts);
  const all = keybar.jobs(topics);
  asking.update(house.asking ?? null, any(all));
  speaker.update(topics, channel?.page ?? null);
  if (!wall) touchable(topics, onlyShows() ? {} : all);
}

function touchable(topics, all) {
  const { house, table = null } = topics;
  const offered = new Set([...at("scene").querySelectorAll("[data-board][data-key]")].map(({ dataset }) => `${dataset.board} ${dataset.key}`));
  const apart = Object.keys(table?.keys ?? {}).length > 0 && house.phase === "game";
  keybar.update(at("keys"), all, house.paused === null ? offered : new Set(), apart, house.phase === "attract" ? house.prompts[0] ?? null : null);
  corner.update(at("tools"), topics, speaker.on);
}

// A key that does something now: what a touch of the whole page presses.
function any(all) {
  for (const [board, keys] of Object.entries(all)) for (const key of Object.keys(keys)) return { board, key };
  return { board: "left", key: 8 };
}

// The first prompt is what matters most; the others stand below it, smaller. What a button says is not said twice; but a
// die that is its KEEP key does not say so.
function prompts({ house, table = null }) {
  if (house.phase === "attract" && !onlyShows() && table !== null) {
    marquee(house, table);
    return;
  }
  const playing = house.phase === "game";
  const needed = (key, i) => key === null || onlyShows() || (playing && (i === 0 || (key.startsWith("KEEP") && house.paused === null)));
  const list = house.prompts.filter(({ key, params }, i) => has(`prompt.${key}`) && needed(keyFirst(`prompt.${key}`, params), i));
  const banner = house.phase === "attract" && !onlyShows();
  show(at("prompts"), [list, banner], () => banner ? [] : list.map(({ key, params }, i) =>
    el("p", { class: i === 0 ? "prompt" : "prompt prompt-also", "data-prompt": key }, ...rich(`prompt.${key}`, params))));
}

// Above the game that plays for show: which one it is, and who won today.
function marquee(house, table) {
  const game = table.game ?? house.game;
  const scores = (house.scores ?? []).slice(0, SHOWN_IN_ATTRACT);
  show(at("prompts"), ["marquee", game, scores], () => [
    el("h2", { class: "marquee" }, el("span", { class: "marquee-demo" }, text("attract.demo")), text(`title.${game}`)),
    scores.length === 0 ? null : today(scores),
  ]);
}

function facts({ house, table = null }) {
  const game = table?.game ?? house.game;
  const said = table === null || house.phase === "result" ? [] : GAMES[game].facts?.(table) ?? [];
  show(at("facts"), said, () => said.map((fact) => el("span", { class: "fact" }, fact)));
}

const fingers = new Fingers(
  (board, key, down) => !wall && channel !== null && channel.send({ do: "key", board, key: Number(key), down }),
  (board, key, down) => {
    for (const node of document.querySelectorAll(`[data-board="${board}"][data-key="${key}"]`)) node.classList.toggle("down", down);
  },
);
if (!wall) fingers.watch(document.documentElement);
if (!wall) lifts(document.documentElement, (dropping) => channel?.send({ do: "lift", dropping }));

channel = await start("kiosk", {
  changed,
  reworded() {
    mounted = null;
    asking.reworded();
  },
  link(up) {
    if (up) speaker.connected();
    else fingers.allOff();
  },
});
