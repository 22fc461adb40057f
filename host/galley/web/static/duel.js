// The duel scene: two sets of dice, the platters between them, what just happened, and who has won what.
// A die is its KEEP key for whoever touches it, and so is a platter while one is to be taken.

import { art, badge, drawAs, el, food, show } from "./draw.js";
import { calm, keyMark, mountNews, touchable, TUMBLE, updateNews } from "./turns.js";
import { rich, symbolName, symbols, text, who } from "./words.js";

const SIDES = ["left", "right"];

const find = (root, selector) => root.querySelector(selector);

function mountSide(side) {
  return el("section", { class: `side side-${side}`, "data-side": side, "aria-label": text(`board.${side}`) },
    el("header", { class: "duelist" }),
    el("div", { class: "dice" }, ...Array.from({ length: 6 }, (_, i) => el("div", { class: "die die-null", role: "img", "data-die": i }))),
    el("p", { class: "remark" }));
}

// The platters on the counter, the news, the score: all that is not a station.
export default {
  mount() {
    return el("div", { class: "duel" },
      mountSide("left"),
      el("section", { class: "counter" }),
      mountSide("right"),
      mountNews(),
      el("ol", { class: "score" }));
  },

  update(root, { house, table, news = [] }) {
    const colours = house.seats.map(({ colour }) => colour);
    const { state, complete = {} } = table;
    const keys = table.keys ?? {};
    drawAs(table.ingredients);
    for (const side of SIDES) updateSide(find(root, `.side-${side}`), side, table, house, complete[side] ?? [], keys[side] ?? {});
    updateCounter(find(root, ".counter"), state, colours, complete, keys);
    updateNews(find(root, ".news"), news);
    updateScore(find(root, ".score"), state, house.seats);
  },
};

function updateSide(root, side, { state, ready = [] }, house, complete, keys) {
  const station = state.stations[side];
  const seat = station.seat === null ? null : house.seats[station.seat];
  show(find(root, ".duelist"), seat, () => [
    seat === null ? el("span", { class: "duelist-nobody" }, text("game.nobody")) : who(seat.colour),
    el("span", { class: "duelist-side" }, el("span", {}, text(`game.${side}`)), seat?.bot ? el("span", {}, text(`bot.${seat.bot}`)) : null),
  ]);
  root.classList.toggle("empty", seat === null);
  root.querySelectorAll(".die").forEach((die, i) => updateDie(die, station.faces[i], station.kept[i], side, keys[i] ?? null));
  const remark = remarkOn(station, state.phase, ready, complete);
  root.dataset.remark = remark ?? "";
  show(find(root, ".remark"), remark, () => remark === null ? [] : [text(`game.${remark}`)]);
}

// What there is to say of a station beside its dice.
function remarkOn({ seat, faces }, phase, ready, complete) {
  if (phase === "ready") return ready.includes(seat) ? "ready" : null;
  if (faces.includes("yuck")) return "shows_yuck";
  return phase === "duel" && complete.length > 0 ? "complete" : null;
}

function updateDie(die, face, kept, side, job) {
  die.classList.toggle("die-null", face === null);
  die.classList.toggle("kept", kept);
  die.dataset.face = face ?? "";
  const name = face === null ? text("die.unrolled") : symbolName(face);
  const own = job === "keep" || job === "free" ? job : null;
  touchable(die, side, die.dataset.die, own, kept ? text("die.kept", { face }) : name);
  const rolled = die.dataset.shown !== `${face} ${kept}`;
  die.dataset.shown = `${face} ${kept}`;
  show(die, [face, kept, own !== null], () => [
    face === null ? null : food(face),
    kept ? el("span", { class: "kept-mark" }, text("game.kept")) : null,
    keyMark(Number(die.dataset.die), own),
  ]);
  // Only the picture tumbles: were it the whole light die, dice rolled in haste would flash.
  if (rolled && face !== null && !kept && !calm.matches) die.firstElementChild.animate(TUMBLE, { duration: 240, easing: "ease-out" });
}

export function tray(platter, attributes = {}) {
  return el("div", { class: "tray", role: "img", "aria-label": text("platter", { platter }), ...attributes }, ...symbols(platter).map(food));
}

function updateCounter(root, state, colours, complete, keys) {
  const done = (i) => SIDES.map((side) => (complete[side] ?? []).includes(i) ? colours[state.stations[side].seat] : null);
  const taking = (i) => SIDES.find((side) => keys[side]?.[i] === "choose") ?? null;
  const value = [state.visible, state.visible.map((_, i) => [done(i), taking(i)]), state.phase, state.caller];
  show(root, value, () => state.visible.length === 0 ? [el("p", { class: "counter-empty" }, text("game.empty"))] : state.visible.map((platter, i) => {
    const [left, right] = done(i);
    const offered = state.phase === "choose" && (left ?? right) !== null;
    const key = taking(i) === null ? {} : {
      "data-board": taking(i), "data-key": i, role: "button", tabindex: "0", "aria-label": text("key.with_job", { board: taking(i), key: text("game.platter", { n: i + 1 }), job: text("job.choose") }),
    };
    return el("div", { class: `place${offered ? " offered" : ""}${left || right ? " complete" : ""}`, "data-place": i, ...key },
      el("span", { class: "place-number", "aria-label": text("game.platter", { n: i + 1 }), role: "img" }, String(i + 1)),
      tray(platter),
      ...[["left", left], ["right", right]].map(([side, colour]) => colour === null ? null
        : el("span", { class: `place-done place-done-${side}`, "data-done": colour }, badge(colour, text(`letter.${colour}`)))));
  }));
}

// One place per seat: who it is, and a plate for each platter that wins the game.
function updateScore(root, state, seats) {
  const dueling = SIDES.map((side) => state.stations[side].seat);
  show(root, [seats, state.won, state.target, dueling], () => seats.map(({ seat, colour, bot }) => {
    const won = state.won[seat];
    return el("li", { class: `seat${dueling.includes(seat) ? " dueling" : ""}`, "data-seat": colour, "data-won": won },
      who(colour),
      bot ? el("span", { class: "seat-bot" }, text("bot")) : null,
      el("span", { class: "plates", role: "img", "aria-label": text("game.won", { n: won, target: state.target }) },
        ...Array.from({ length: state.target }, (_, i) => el("i", { class: i < won ? "plate plate-won" : "plate" }))));
  }));
}

export const facts = ({ state }) => [text("game.target", { n: state.target }), text("game.stock", { n: state.stock })];

const die = (face, kept = false) => el("div", { class: kept ? "die kept" : "die" }, food(face));

const picture = (...children) => el("div", { class: "howto-dice" }, ...children);

export const howto = [
  () => picture(die("salmon", true), die("salmon", true), die("roe")),
  () => picture(tray({ salmon: 3 }), art("bell", "bell")),
  () => picture(die("yuck"), art("arrow", "arrow"), die("octopus")),
];

// Who has won, the platter that decided it (and by how much, if another rang too), and what everybody has.
export function result({ house, table, news = [] }) {
  const { state } = table;
  drawAs(table.ingredients);
  const last = news.findLast(({ key }) => key === "platter_taken") ?? null;
  const close = last === null ? null : news.find(({ key, n }) => key === "first" && n > last.n) ?? null;
  const winners = (state.winners ?? []).map((seat) => house.seats[seat].colour);
  const ranks = [...house.seats].sort((a, b) => state.won[b.seat] - state.won[a.seat]);
  return el("div", { class: "result" },
    el("h2", { class: "winner", "data-winner": winners.join(" ") },
      ...(winners.length === 1 ? rich("result.winner", { by: winners[0] }) : rich("result.shared", { winners }))),
    last === null ? el("div") : el("div", { class: "decided" },
      el("p", {}, text("result.decided")), tray(last.params.platter),
      close === null ? null : el("p", { class: "decided-why" }, ...rich("news.first", close.params))),
    el("ol", { class: "ranks" }, ...ranks.map(({ seat, colour, bot }) =>
      el("li", { class: "rank", "data-seat": colour, "data-won": state.won[seat] },
        who(colour),
        bot ? el("span", { class: "seat-bot" }, text("bot")) : null,
        el("span", { class: "plates", "aria-hidden": "true" },
          ...Array.from({ length: state.won[seat] }, () => el("i", { class: "plate plate-won" }))),
        el("span", { class: "rank-n" }, text("result.platters", { n: state.won[seat] }))))));
}
