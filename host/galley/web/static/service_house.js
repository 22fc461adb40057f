// The house, on the crew's page: its language, how loud it is, and when it is quiet.

import { el, show } from "./draw.js";
import { text } from "./words.js";

const HOUR_MINUTES = 60;

const clock = (minutes) => [Math.floor(minutes / HOUR_MINUTES), minutes % HOUR_MINUTES].map((n) => String(n).padStart(2, "0")).join(":");
const minutesOf = (time) => time.split(":").reduce((hours, part) => hours * HOUR_MINUTES + Number(part), 0);

function field(word, id, ...inputs) {
  return el("div", { class: "field" }, el(inputs.length > 1 ? "span" : "label", inputs.length > 1 ? { id: `${id}-word` } : { for: id }, text(word)),
    el("div", { class: "field-inputs", ...(inputs.length > 1 ? { role: "group", "aria-labelledby": `${id}-word` } : {}) }, ...inputs));
}

function languages(meta, send) {
  return meta.languages.map((language) => {
    const node = el("button", { type: "button", class: "choice", lang: language, "data-language": language, "aria-pressed": String(language === meta.language) },
      text(`language.${language}`));
    node.addEventListener("click", () => send({ do: "language", to: language }));
    return node;
  });
}

function volume(meta, send) {
  const node = el("input", { type: "range", id: "volume", min: 0, max: 100, step: 5, value: meta.volume });
  node.addEventListener("change", () => send({ do: "volume", to: Number(node.value) }));
  return node;
}

function quiet(meta, send) {
  const [begin, end] = (meta.quiet_hours ?? [0, 0]).map((minutes, i) =>
    el("input", { type: "time", value: clock(minutes), "data-quiet": i, "aria-label": text(i === 0 ? "service.quiet_begin" : "service.quiet_end") }));
  for (const node of [begin, end]) {
    node.addEventListener("change", () => {
      if (begin.value !== "" && end.value !== "") send({ do: "quiet", begin: minutesOf(begin.value), end: minutesOf(end.value) });
    });
  }
  return [begin, el("span", {}, "–"), end];
}

// Fills `root` with the settings of `meta`; `send` takes commands.
export function update(root, meta, send) {
  if (!meta?.languages) return;
  show(root, [meta.language, meta.languages, meta.volume, meta.quiet_hours, meta.quiet], () => [
    field("language.title", "language", ...languages(meta, send)),
    field("service.volume", "volume", volume(meta, send)),
    field("service.quiet", "quiet", ...quiet(meta, send)),
    el("p", { class: "field-note" }, text(meta.quiet ? "service.quiet_now" : "service.quiet_none")),
  ]);
}
