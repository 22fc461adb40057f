// Turns: what the scenes of the games share: dice that may be keys, the news; those in turns also seats and ranks.
// Knows no game: what a die shows, and what stands beside a seat, is given.

import { el, food, show } from "./draw.js";
import { rich, text, told, who } from "./words.js";

const NEWS_LINES = 2;
export const TUMBLE = [{ transform: "rotate(-35deg) scale(0.72)" }, { transform: "rotate(9deg) scale(1.05)" }, { transform: "none" }];
const ARRIVE = [{ transform: "translateY(0.5em) scale(0.94)", opacity: 0.2 }, { transform: "none", opacity: 1 }];

export const calm = matchMedia("(prefers-reduced-motion: reduce)");

// The station at which a seat plays.
export const sideOf = (seat) => (seat % 2 === 0 ? "left" : "right");

// Makes `node` the key (board, key) for fingers while it has a job, else just what it shows; `name` says what it is.
export function touchable(node, board, key, job, name) {
  const press = { "data-board": board, "data-key": key, tabindex: "0", role: "button" };
  for (const [attribute, value] of Object.entries(press)) {
    if (job === null) node.removeAttribute(attribute);
    else node.setAttribute(attribute, value);
  }
  if (job === null) node.setAttribute("role", "img");
  node.setAttribute("aria-label", job === null ? name : text("key.with_job", { board, key: name, job: text(`job.${job}`) }));
}

// The number of the KEEP key that a die is, while it is one.
export const keyMark = (i, job) => (job === null ? null : el("kbd", { class: "die-key", "aria-hidden": "true" }, String(i + 1)));

export const dice = (count) => Array.from({ length: count }, (_, i) => el("div", { class: "turn-die" },
  el("div", { class: "die die-null", role: "img", "data-die": i }), el("span", { class: "die-note" })));

// Shows one die of `dice`. `shown` has `face` (null: not thrown), its `art` and `name`, `kept` (what is written on it
// then, or null), `dim`, `note` (below it), `thrown` (what changes with each throw) and `job` of its key at `side`.
export function updateDie(root, i, side, { face, art, name, kept = null, dim = false, note = "", thrown, job = null }) {
  const node = root.firstElementChild;
  node.classList.toggle("die-null", face === null);
  node.classList.toggle("kept", kept !== null);
  node.classList.toggle("spent", dim);
  node.dataset.face = face ?? "";
  touchable(node, side, i, job, kept === null ? name : text("die.marked", { name, mark: kept }));
  show(node, [face, kept, job !== null], () => [
    face === null ? null : food(art),
    kept === null ? null : el("span", { class: "kept-mark" }, kept),
    keyMark(i, job),
  ]);
  show(root.lastElementChild, note, () => [note]);
  const tumbles = face !== null && node.dataset.thrown !== undefined && node.dataset.thrown !== String(thrown);
  node.dataset.thrown = thrown;
  if (tumbles && kept === null && !calm.matches) node.animate(TUMBLE, { duration: 240, easing: "ease-out" });
}

export const mountNews = () => el("div", { class: "news", role: "log" });

export function updateNews(root, news) {
  const lines = told(news).slice(-NEWS_LINES).reverse();
  const before = root.firstElementChild?.dataset.n ?? null;
  const drawn = show(root, lines.map(({ n }) => n), () => lines.map(({ key, params, n }, i) =>
    el("p", { class: i === 0 ? "news-line news-latest" : "news-line", "data-news": key, "data-n": n }, ...rich(`news.${key}`, params))));
  const latest = root.firstElementChild;
  if (drawn && latest !== null && latest.dataset.n !== before && !calm.matches) latest.animate(ARRIVE, { duration: 320, easing: "ease-out" });
}

// Who plays at the dice: the seat, its station, and how strong a bot it is.
export function player(seat) {
  return [who(seat.colour), el("span", { class: "player-side" },
    seat.bot ? text("game.bot_at", { bot: text(`bot.${seat.bot}`), side: sideOf(seat.seat) }) : text("game.at", { side: sideOf(seat.seat) }))];
}

// How a seat stands in the score: at the turn, or a winner.
export const standing = ({ turn, winners }, seat) => (turn === seat ? "seat at-turn" : winners?.includes(seat) ? "seat has-won" : "seat");

// What a seat has in the end; nothing before.
export const points = ({ phase, scores }, seat) => (phase === "over" ? el("b", { class: "seat-points" }, text("result.points", { n: scores[seat] })) : null);

// A drawing and a number beside it, and what they mean in words.
export const counted = (art, number, words) => el("span", { class: "counted", role: "img", "aria-label": words }, food(art), el("b", {}, String(number)));

// The result: who has won (`winners` are seats), what ended the game, and everybody in order of `points`, with what
// `parts` makes for a seat.
export function outcome(house, winners, ended, points, parts) {
  const colours = winners.map((seat) => house.seats[seat].colour);
  const ranks = [...house.seats].sort((a, b) => points[b.seat] - points[a.seat]);
  return el("div", { class: "result result-turns" },
    el("h2", { class: colours.length === 1 ? "winner" : "winner winner-shared", "data-winner": colours.join(" ") },
      ...(colours.length === 1 ? rich("result.winner", { by: colours[0] }) : rich("result.shared", { winners: colours }))),
    el("div", { class: "decided" }, ...ended.filter((part) => part !== null)),
    el("ol", { class: "ranks" }, ...ranks.map(({ seat, colour, bot }) =>
      el("li", { class: "rank", "data-seat": colour, "data-won": points[seat] },
        who(colour),
        bot ? el("span", { class: "seat-bot" }, text("bot")) : null,
        el("span", { class: "rank-parts" }, ...parts(seat, colour)),
        el("span", { class: "rank-n" }, text("result.points", { n: points[seat] }))))));
}
