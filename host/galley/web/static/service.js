// The crew's page: every board, how its link stands, who it is, its counters, its faults, its clock, what to do.

import { el, show } from "./draw.js";
import { plots } from "./plots.js";
import * as deck from "./service_deck.js";
import * as house from "./service_house.js";
import * as lan from "./service_lan.js";
import { start } from "./shell.js";
import { has, rich, text } from "./words.js";

const at = (id) => document.getElementById(id);
const row = (word, value) => value === null || value === "" ? [] : [el("dt", {}, text(word)), el("dd", {}, value)];

function card(board) {
  const faults = board.faults.map((fault) => has(`fault.${fault}`) ? text(`fault.${fault}`) : fault);
  return el("article", { class: `card card-${board.state}`, "data-role": board.role, "data-state": board.state },
    el("header", {},
      el("h3", {}, text(`board.${board.role}`)),
      el("span", { class: "state" }, text(`state.${board.state}`))),
    board.note === null ? null : el("p", { class: "note", role: "alert" },
      el("b", {}, text("service.remedy")), " ", ...rich(`note.${board.note.key}`, board.note.params)),
    el("dl", {},
      ...row("service.kind", text(board.simulated ? "service.simulated" : "service.real")),
      ...row("service.identity", board.identity),
      ...row("service.port", board.port),
      ...row("service.process", board.pid === null ? null : String(board.pid)),
      ...row("service.firmware", board.firmware),
      ...row("service.boot", board.boot_id === null ? null : String(board.boot_id)),
      ...row("service.round_trip", board.round_trip_us === null ? null : text("service.microseconds", { n: board.round_trip_us })),
      ...row("service.clock", board.clock ? text(`clock.${board.clock.state}`, board.clock) : null),
      ...row("service.faults", faults.length > 0 ? faults.join(text("list.comma")) : text("service.fine"))),
    el("table", {},
      el("caption", {}, text("service.counters")),
      el("tbody", {}, ...Object.entries(board.counters).map(([name, value]) =>
        el("tr", {}, el("th", { scope: "row" }, has(`counter.${name}`) ? text(`counter.${name}`) : name), el("td", {}, String(value)))))));
}

let channel = null;

function changed({ boards = [], meta, clocks, clocks_now, lan: network }) {
  const send = (command) => channel?.send(command);
  house.update(at("house"), meta, send);
  lan.update(at("lan"), network);
  deck.update(at("deck"), boards.find(({ role }) => role === "deck"), send);
  show(at("boards"), boards, () => boards.length === 0 ? [el("p", {}, text("service.nothing"))] : boards.map(card));
  show(at("clocks"), [clocks?.first, clocks_now?.first, Object.values(clocks_now?.boards ?? {})[0]?.length], () => plots(clocks, clocks_now));
  show(at("version"), [meta?.version, meta?.build], () => [meta ? text("service.version", { version: meta.version, build: meta.build }) : null]);
}

channel = await start("service", { changed });
