// The scenes around a game: attract (what is this?), choose and options, join (who plays?), how to play, result.

import { cover } from "./covers.js";
import { badge, el, keycap, show } from "./draw.js";
import { GAMES, MINUTES } from "./games.js";
import { has, rich, text } from "./words.js";

const SEATS = ["red", "green", "blue", "yellow", "white", "violet"];
const SHOWN_SCORES = 5;
const SHOWN_OPTIONS = 6;

const keep = (n) => keycap(text("key.keep", { n }));

// Who won what today: chips of seat, game and how often.
export function today(scores) {
  return el("div", { class: "today" },
    el("span", { class: "today-title" }, text("scores.today")),
    el("ul", { class: "today-list" }, ...scores.map(({ game, colour, won }) =>
      el("li", {}, el("span", { class: `today-score who-${colour}`, "data-score": `${colour} ${game} ${won}`, role: "img",
        "aria-label": text("scores.entry", { seat: colour, n: won, game: text(`title.${game}`) }) },
      badge(colour, text(`letter.${colour}`)), el("b", {}, text("scores.times", { n: won })), cover(game))))));
}

// What there is while no game plays for show.
export const attract = {
  mount() {
    return el("div", { class: "attract" },
      el("div", { class: "noren", "aria-hidden": "true" }, ...Array.from(text("brand"), (letter) => el("span", { class: "noren-cloth" }, letter))),
      el("p", { class: "attract-what" }, text("attract.what")),
      el("ul", { class: "attract-games" }, ...Object.keys(MINUTES).map((game) =>
        el("li", { class: "attract-game" }, cover(game), el("span", {}, text(`title.${game}`))))),
      el("div", { class: "attract-today" }),
      el("p", { class: "hint", hidden: true }, text("simulated.hint"), " ", el("a", { href: "/box" }, text("simulated.open"))));
  },

  update(root, { meta, house }) {
    root.querySelector(".hint").hidden = !meta?.simulated;
    scores(root.querySelector(".attract-today"), house.scores);
  },
};

function scores(root, list = []) {
  show(root, list, () => list.length === 0 ? [] : [today(list.slice(0, SHOWN_SCORES))]);
}

export const choose = {
  mount() {
    return el("div", { class: "choose" },
      el("h2", { class: "around-title" }, text("choose.title")),
      el("ol", { class: "cards" }),
      el("div", { class: "choose-today" }));
  },

  update(root, { house }) {
    show(root.querySelector(".cards"), [house.games, house.game], () => house.games.map(({ game, seats: [least, most] }, i) =>
      el("li", { class: game === house.game ? "card chosen" : "card", "data-game": game },
        el("button", { type: "button", class: "card-button", "data-board": "left", "data-key": i, "aria-current": game === house.game ? "true" : null },
          cover(game),
          el("span", { class: "card-name" }, text(`title.${game}`)),
          el("span", { class: "card-what" }, text(`what.${game}`)),
          el("span", { class: "card-facts" },
            el("span", {}, text("choose.players", { least, most })), el("span", {}, text("choose.minutes", { n: MINUTES[game] }))),
          el("span", { class: "card-key" }, keep(i + 1))))));
    scores(root.querySelector(".choose-today"), house.scores);
  },
};

// An option's value in words, where it has words.
function valueWord(key, value) {
  if (key === "language") return text(`language.${value}`);
  return has(`value.${key}.${value}`) ? text(`value.${key}.${value}`) : String(value);
}

// Some options round the chosen one, as many as there is room for.
function near(list) {
  const chosen = Math.max(0, list.findIndex(({ chosen: is }) => is));
  const first = Math.max(0, Math.min(chosen - SHOWN_OPTIONS + 2, list.length - SHOWN_OPTIONS));
  return list.slice(first, first + SHOWN_OPTIONS);
}

export const options = {
  mount() {
    return el("div", { class: "options" },
      el("h2", { class: "around-title" }),
      el("ol", { class: "option-list" }));
  },

  update(root, { house }) {
    show(root.querySelector(".around-title"), house.game, () => [text("options.title", { game: text(`title.${house.game}`) })]);
    show(root.querySelector(".option-list"), house.options, () => near(house.options).map(({ key, value, values, chosen }) =>
      el("li", { class: chosen ? "option chosen" : "option", "data-option": key, "aria-current": chosen ? "true" : null },
        el("span", { class: "option-name" }, text(`option.${key}`)),
        el("ul", { class: "values" }, ...values.map((one, i) => {
          const inside = [chosen ? el("kbd", { class: "cap cap-keep" }, String(i + 1)) : null, el("span", {}, valueWord(key, one))];
          const is = { class: one === value ? "value is" : "value", "data-value": String(one) };
          return el("li", {}, chosen
            ? el("button", { type: "button", ...is, "data-board": "left", "data-key": i, "aria-pressed": String(one === value) }, ...inside)
            : el("span", is, ...inside));
        })))));
  },
};

export const join = {
  mount() {
    return el("div", { class: "join" },
      el("h2", { class: "around-title" }),
      el("ol", { class: "seats" }, ...SEATS.map((colour, key) => el("li", {},
        el("button", { type: "button", class: `seat-key who-${colour}`, "data-seat": colour, "data-board": "deck", "data-key": key })))));
  },

  update(root, { house }) {
    show(root.querySelector(".around-title"), house.game, () => [text("join.title", { game: text(`title.${house.game}`) })]);
    const taken = new Map(house.seats.map((seat) => [seat.colour, seat]));
    for (const node of root.querySelectorAll(".seat-key")) {
      const { seat: colour } = node.dataset;
      const seat = taken.get(colour) ?? null;
      node.classList.toggle("taken", seat !== null);
      show(node, seat, () => [
        el("span", { class: "button" }, badge(colour, text(`letter.${colour}`))),
        el("span", { class: "seat-name" }, text(`colour.${colour}`)),
        el("span", { class: "seat-is" }, seat === null ? text("join.free") : seat.bot ? text(`bot.${seat.bot}`) : text("join.joined")),
      ]);
    }
  },
};

export const howto = {
  mount() {
    return el("div", { class: "howto" }, el("h2", { class: "around-title" }), el("ol", { class: "steps" }));
  },

  update(root, { house }) {
    show(root.querySelector(".around-title"), house.game, () => [text("howto.title", { game: text(`title.${house.game}`) })]);
    show(root.querySelector(".steps"), house.game, () => GAMES[house.game].howto.map((draw, i) =>
      el("li", { class: "step", "data-step": i },
        el("span", { class: "step-n", "aria-hidden": "true" }, String(i + 1)),
        el("div", { class: "step-art", "aria-hidden": "true" }, draw()),
        el("p", {}, ...rich(`howto.${house.game}.${i + 1}`)))));
    root.querySelectorAll(".step").forEach((step, i) => {
      step.classList.toggle("now", i === house.howto);
      step.classList.toggle("seen", i < house.howto);
      step.setAttribute("aria-current", i === house.howto ? "step" : "false");
    });
  },
};

export const result = {
  mount: () => el("div", { class: "result-of" }),

  update(root, topics) {
    const { house, table } = topics;
    const { keys, ...shown } = table ?? {};
    show(root.querySelector(".result-of"), [house.seats, shown, topics.news], () => table === null ? [] : [GAMES[table.game ?? house.game].result(topics)]);
  },
};
