// The scenes around a game: attract (what is this?), join (who plays?), result (who won?).

import { art, badge, el, food, show } from "./draw.js";
import { tray } from "./duel.js";
import { rich, text, who } from "./words.js";

const SEATS = ["red", "green", "blue", "yellow", "white", "violet"];

const die = (face, kept = false) => el("div", { class: kept ? "die kept" : "die" }, food(face));

const STEPS = [
  ["attract.roll", () => [die("salmon", true), die("salmon", true), die("roe")]],
  ["attract.ring", () => [tray({ salmon: 3 }), art("bell", "bell")]],
  ["attract.yuck", () => [die("yuck"), art("arrow", "arrow"), die("octopus")]],
];

export const attract = {
  mount() {
    return el("div", { class: "attract" },
      el("div", { class: "noren", "aria-hidden": "true" }, ...Array.from(text("brand"), (letter) => el("span", { class: "noren-cloth" }, letter))),
      el("h2", { class: "attract-title" }, text("attract.title")),
      el("p", { class: "attract-what" }, text("attract.what")),
      el("ol", { class: "steps" }, ...STEPS.map(([key, draw]) =>
        el("li", { class: "step" }, el("div", { class: "step-art", "aria-hidden": "true" }, ...draw()), el("p", {}, text(key))))),
      el("p", { class: "hint", hidden: true }, text("simulated.hint"), " ", el("a", { href: "/box" }, text("simulated.open"))));
  },

  update(root, { meta }) {
    root.querySelector(".hint").hidden = !meta?.simulated;
  },
};

export const join = {
  mount() {
    return el("div", { class: "join" },
      el("h2", { class: "join-title" }, text("join.title")),
      el("ol", { class: "seats" }, ...SEATS.map((colour) => el("li", { class: `seat-key who-${colour}`, "data-seat": colour }))));
  },

  update(root, { house }) {
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

export const result = {
  mount() {
    return el("div", { class: "result" },
      el("div", { class: "winner" }), el("div", { class: "decided" }), el("ol", { class: "ranks" }));
  },

  update(root, { house, table, news = [] }) {
    const state = table?.state ?? null;
    const last = news.filter(({ key }) => key === "platter_taken").at(-1) ?? null;
    show(root.querySelector(".result"), [house.seats, state?.won, state?.winners, last], () => {
      if (state === null) return [];
      const winners = (state.winners ?? []).map((seat) => house.seats[seat].colour);
      const ranks = [...house.seats].sort((a, b) => state.won[b.seat] - state.won[a.seat]);
      return [
        el("h2", { class: "winner", "data-winner": winners.join(" ") },
          ...(winners.length === 1 ? rich("result.winner", { by: winners[0] }) : rich("result.shared", { seats: winners }))),
        last === null ? el("div") : el("div", { class: "decided" },
          el("p", {}, text("result.decided")), tray(last.params.platter)),
        el("ol", { class: "ranks" }, ...ranks.map(({ seat, colour, bot }) =>
          el("li", { class: "rank", "data-seat": colour, "data-won": state.won[seat] },
            who(colour),
            bot ? el("span", { class: "seat-bot" }, text("bot")) : null,
            el("span", { class: "plates", "aria-hidden": "true" },
              ...Array.from({ length: state.won[seat] }, () => el("i", { class: "plate plate-won" }))),
            el("span", { class: "rank-n" }, text("result.platters", { n: state.won[seat] }))))),
      ];
    });
  },
};
