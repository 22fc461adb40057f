// Overlays: what lies over the scene: a pause and its reason, "is anybody there?", the choice of a language.

import * as corner from "./corner.js";
import { el, show, svg } from "./draw.js";
import { has, missing, rich, text } from "./words.js";

const SECOND_MS = 1000;
const LAST_S = 5;

// A game that waits: for a board that is away, or because the crew stopped it. A board that is there but was
// sent away (a wrong role, no data port) may be the one that is missing, so what to do about it is said too.
export function paused(box, pause, boards, prompts) {
  const away = pause?.boards ?? [];
  const notes = boards.filter(({ role, note }) =>
    note && (away.includes(role) || (role === "unknown" && away.length > 0))).map((board) => board.note);
  box.hidden = pause === null;
  box.dataset.because = pause?.because ?? "";
  show(box, [pause, notes, prompts], () => pause === null ? [] : [el("div", { class: "paused-card" },
    el("h2", {}, text(pause.because === "operator" ? "paused.operator" : "paused")),
    ...why(pause, notes, prompts))]);
}

function why(pause, notes, prompts) {
  if (pause.because === "operator") return byTheCrew(pause, prompts);
  if (pause.because === "boards_missing") return byBoards(pause, notes);
  return [el("p", { class: "paused-why" }, text(`paused.${pause.because}`)), el("p", { class: "paused-stays" }, text("paused.waits"))];
}

function byBoards(pause, notes) {
  const remedies = notes.length > 0 ? notes.map(({ key, params }) => rich(`note.${key}`, params)) : [rich("paused.remedy", pause)];
  return [
    el("p", { class: "paused-why" }, ...rich(missing(pause), pause)),
    ...remedies.map((remedy) => el("p", { class: "paused-remedy" }, ...remedy)),
    el("p", { class: "paused-stays" }, text("paused.stays")),
  ];
}

function byTheCrew(pause, prompts) {
  return [
    el("ul", { class: "paused-deeds" }, ...prompts.filter(({ key }) => has(`prompt.${key}`)).map(({ key, params }) =>
      el("li", { "data-prompt": key }, ...rich(`prompt.${key}`, params)))),
    el("p", { class: "paused-stays" }, text(pause.muted ? "paused.is_muted" : "paused.waits")),
  ];
}

// The question of the time-out: counts down by itself from the moment it came. `tick` sounds the last seconds.
export class Asking {
  constructor(box, tick) {
    this.box = box;
    this.tick = tick;
    this.end_ms = null;
    this.timer = 0;
  }

  update(asking, key) {
    if (asking === null) {
      clearInterval(this.timer);
      this.end_ms = null;
      this.box.hidden = true;
      return;
    }
    if (this.end_ms !== null) return;
    this.whole_s = asking.seconds;
    this.end_ms = performance.now() + asking.seconds * SECOND_MS;
    this.box.hidden = false;
    this.left_s = null;
    this.box.replaceChildren(el("button", { type: "button", class: "asking-card", "data-board": key?.board, "data-key": key?.key },
      el("span", { class: "asking-title" }, text("asking.title")),
      el("span", { class: "asking-clock" },
        svg("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" },
          svg("circle", { cx: 50, cy: 50, r: 44, class: "asking-ring" }),
          svg("circle", { cx: 50, cy: 50, r: 44, class: "asking-left", pathLength: 100, transform: "rotate(-90 50 50)" })),
        el("b", { class: "asking-seconds" })),
      el("span", { class: "asking-what" }, text("asking.any_key"))));
    this.count();
    this.timer = setInterval(() => this.count(), SECOND_MS / 5);
  }

  count() {
    const left_s = Math.max(0, Math.ceil((this.end_ms - performance.now()) / SECOND_MS));
    if (left_s === this.left_s) return;
    if (this.left_s !== null && left_s <= LAST_S && left_s > 0) this.tick();
    this.left_s = left_s;
    this.box.querySelector(".asking-seconds").textContent = String(left_s);
    this.box.querySelector(".asking-left").setAttribute("stroke-dasharray", `${(100 * left_s) / this.whole_s} 100`);
  }

  // The words are others now; the count goes on.
  reworded() {
    if (this.end_ms === null) return;
    this.box.querySelector(".asking-title").textContent = text("asking.title");
    this.box.querySelector(".asking-what").textContent = text("asking.any_key");
  }
}

// The languages by their own names, over everything, until one is chosen or the sheet is closed.
export class Sheet {
  constructor(box, choose) {
    this.box = box;
    this.choose = choose;
    box.addEventListener("click", (event) => { if (event.target === box) this.close(); });
    box.addEventListener("keydown", (event) => { if (event.code === "Escape") this.close(); });
  }

  open(meta) {
    const close = el("button", { type: "button", class: "sheet-close" }, text("language.close"));
    close.addEventListener("click", () => this.close());
    this.box.replaceChildren(el("div", { class: "sheet-card" },
      el("h2", {}, text("language.title")),
      el("div", { class: "languages" }, ...corner.languages(meta, (language) => {
        this.choose(language);
        this.close();
      })),
      close));
    this.before = document.activeElement;
    this.box.hidden = false;
    this.box.querySelector("button").focus();
  }

  close() {
    this.box.hidden = true;
    this.before?.focus();
  }
}
