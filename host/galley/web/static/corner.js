// Corner: the buttons at the top right of the kiosk: pause, sound, language.

import { el, show, svg } from "./draw.js";
import { text } from "./words.js";

const MODE = 11;
const GLOBE = "M50 8A42 42 0 1 0 50 92A42 42 0 1 0 50 8ZM50 8C24 32 24 68 50 92C76 68 76 32 50 8ZM10 50H90";

const SPEAKER = "M12 38H30L54 16V84L30 62H12Z";
const WAVES = "M66 34C74 42 74 58 66 66M76 22C92 38 92 62 76 78";
const CROSS = "M68 38L92 62M92 38L68 62";

function sign(fill, stroke) {
  return svg("svg", { viewBox: "0 0 100 100", class: "sign", "aria-hidden": "true" },
    fill === null ? null : svg("path", { d: fill, class: "sign-fill" }), stroke === null ? null : svg("path", { d: stroke, class: "sign-line" }));
}

// `does` has toggleSound() and openLanguages().
export function mount(root, does) {
  root.replaceChildren(
    el("button", { type: "button", class: "tool tool-pause", "data-board": "left", "data-key": MODE, hidden: true }),
    el("button", { type: "button", class: "tool tool-sound" }),
    el("button", { type: "button", class: "tool tool-language", "aria-haspopup": "dialog" }));
  root.querySelector(".tool-sound").addEventListener("click", does.toggleSound);
  root.querySelector(".tool-language").addEventListener("click", does.openLanguages);
}

export function update(root, { meta, house }, sounding) {
  const pause = root.querySelector(".tool-pause");
  pause.hidden = house.phase !== "game" || house.paused !== null;
  show(pause, 0, () => [sign("M26 20H42V80H26ZM58 20H74V80H58Z", null), el("span", { class: "tool-word" }, text("pause.hold"))]);
  pause.setAttribute("aria-label", text("pause.label"));
  const sound = root.querySelector(".tool-sound");
  const still = !sounding || house.muted || meta?.quiet;
  sound.setAttribute("aria-pressed", sounding);
  sound.setAttribute("aria-label", text(sounding ? "sound.turn_off" : "sound.turn_on"));
  show(sound, [sounding, still, house.muted, meta?.quiet], () => [sign(SPEAKER, still ? CROSS : WAVES),
    house.muted || meta?.quiet ? el("span", { class: "tool-word" }, text(house.muted ? "sound.muted" : "sound.quiet")) : null]);
  const language = root.querySelector(".tool-language");
  const others = (meta?.languages ?? []).filter((one) => one !== meta.language).join(" ");
  show(language, [meta?.language, others], () => [sign(null, GLOBE), el("span", { class: "tool-languages" },
    el("span", {}, text(`language.${meta?.language ?? "en"}`)), el("span", { class: "tool-others", "aria-hidden": "true" }, others))]);
  language.setAttribute("aria-label", text("language.change", { language: text(`language.${meta?.language ?? "en"}`) }));
}

// A button for each language, by its own name.
export function languages(meta, choose) {
  return (meta?.languages ?? []).map((language) => {
    const node = el("button", { type: "button", class: "language", lang: language, "data-language": language,
      "aria-pressed": String(language === meta.language) }, text(`language.${language}`));
    node.addEventListener("click", () => choose(language));
    return node;
  });
}
