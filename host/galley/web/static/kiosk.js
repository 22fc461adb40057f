// The kiosk: what players and onlookers see. Picks the scene of the phase; around it the bar, the prompts, the pause.

import { el, show } from "./draw.js";
import { duel } from "./duel.js";
import { attract, join, result } from "./scenes.js";
import { start } from "./shell.js";
import { has, missing, rich, text } from "./words.js";

const SCENES = { attract, join, game: duel, result };

const at = (id) => document.getElementById(id);
let scene = null;

function changed(topics) {
  const { house = null, table = null } = topics;
  if (house === null) return;
  const name = house.phase === "game" && table === null ? "join" : house.phase;
  if (name !== scene) {
    scene = name;
    document.body.dataset.phase = name;
    at("scene").replaceChildren(SCENES[name].mount());
  }
  SCENES[name].update(at("scene"), topics);
  prompts(house.prompts);
  facts(name, topics);
  paused(house.paused, topics.boards ?? []);
}

// The first prompt is what matters most; the others stand below it, smaller.
function prompts(list) {
  show(at("prompts"), list, () => list.filter(({ key }) => has(`prompt.${key}`)).map(({ key, params }, i) =>
    el("p", { class: i === 0 ? "prompt" : "prompt prompt-also", "data-prompt": key }, ...rich(`prompt.${key}`, params))));
}

function facts(name, { table }) {
  const state = name === "game" ? table.state : null;
  show(at("facts"), state && [state.target, state.stock], () => state === null ? [] : [
    el("span", { class: "fact" }, text("game.target", { n: state.target })),
    el("span", { class: "fact", "data-stock": state.stock }, text("game.stock", { n: state.stock })),
  ]);
}

function paused(pause, boards) {
  const box = at("paused");
  box.hidden = pause === null;
  const away = pause?.boards ?? [];
  const notes = boards.filter((board) => away.includes(board.role) && board.note).map((board) => board.note);
  show(box, [pause, notes], () => {
    if (pause === null) return [];
    const remedies = notes.length > 0
      ? notes.map(({ key, params }) => rich(`note.${key}`, params))
      : [rich("paused.remedy", pause)];
    return [el("div", { class: "paused-card" },
      el("h2", {}, text("paused")),
      el("p", { class: "paused-why" }, ...rich(missing(pause), pause)),
      ...remedies.map((remedy) => el("p", { class: "paused-remedy" }, ...remedy)),
      el("p", { class: "paused-stays" }, text("paused.stays")))];
  });
}

start("kiosk", { changed });
