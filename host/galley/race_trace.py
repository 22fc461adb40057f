"""Traces of two boards that stamped the same edges: what was exchanged and stamped, and what it comes to.

For: measuring how far apart two boards' clocks are told, and telling it again from a file. It must not know
where a trace comes from: a link model, simulated boards, or two real ones with a wire between two pins.

A trace is a list of entries in the order in which the host learnt of them. As a file it is JSON lines:

    {"trace": "galley race-test", "version": 1, "source": "two boards on a wire"}
    {"board": "left", "lag_us": 500}                                      it said hello: its clock begins anew
    {"board": "left", "exchange": [sent_ns, rx_us, tx_us, received_ns]}   board times widened
    {"board": "left", "edge": 17, "us": 123456789, "off_us": 33}          edge 17 as this board stamped it

An edge is asked about when its board's next exchange has been observed, as a verdict would be.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from galley.clock import ClockSync

KIND: Final = "galley race-test"
VERSION: Final = 1
BOARDS: Final = ("left", "right")


class Start(NamedTuple):
    """A board's clock begins; it may be behind an even one by `lag_us`, now more, now less."""

    board: str
    lag_us: int


class Exchange(NamedTuple):
    """A four-stamp exchange with a board; board times in widened µs."""

    board: str
    sent_ns: int
    rx_us: int
    tx_us: int
    received_ns: int


class Edge(NamedTuple):
    """One edge as one board stamped it, in widened µs, which may be off by `off_us` either way.

    0: a stamp of the clock of the exchanges, which shows its last step.
    """

    board: str
    number: int
    us: int
    off_us: int


class Gap(NamedTuple):
    """How far apart both boards' stamps of an edge are told, right less left, ± the stated uncertainty."""

    edge: int
    ns: int
    uncertainty_ns: int


Entry: TypeAlias = Start | Exchange | Edge


class BadTrace(ValueError):
    """The file is no trace; the message names the line and what is wrong with it."""


def gaps(entries: Iterable[Entry]) -> list[Gap]:
    """Each edge that both boards stamped, in the order in which both were known. The true gap is zero."""
    clocks = {board: ClockSync() for board in BOARDS}
    waiting: dict[str, list[Edge]] = {board: [] for board in BOARDS}
    told: dict[int, dict[str, tuple[int, int]]] = {}
    found = []
    for entry in entries:
        if isinstance(entry, Start):
            clocks[entry.board] = ClockSync(entry.lag_us)
            waiting[entry.board].clear()
            continue
        if isinstance(entry, Edge):
            waiting[entry.board].append(entry)
            continue
        clock = clocks[entry.board]
        clock.observe(*entry[1:])
        for edge in waiting[entry.board]:
            when = clock.host_time(edge.us) if edge.off_us == 0 else clock.instant(edge.us)
            both = told.setdefault(edge.number, {})
            both[edge.board] = when.ns, when.uncertainty_ns + 1000 * edge.off_us
            if len(both) == len(BOARDS):
                (left_ns, left_off), (right_ns, right_off) = both["left"], both["right"]
                found.append(Gap(edge.number, right_ns - left_ns, left_off + right_off))
                del told[edge.number]
        waiting[entry.board].clear()
    return found


def written(entries: Iterable[Entry], source: str) -> Iterator[str]:
    """The lines of a trace's file, without their ends."""
    yield json.dumps({"trace": KIND, "version": VERSION, "source": source})
    for entry in entries:
        yield json.dumps({"board": entry.board, **_told(entry)})


def _told(entry: Entry) -> dict[str, Any]:
    match entry:
        case Start(_, lag_us):
            return {"lag_us": lag_us}
        case Exchange(_, sent_ns, rx_us, tx_us, received_ns):
            return {"exchange": [sent_ns, rx_us, tx_us, received_ns]}
        case Edge(_, number, us, off_us):
            return {"edge": number, "us": us, "off_us": off_us}


def read(lines: Iterable[str]) -> tuple[str, list[Entry]]:
    """The source and the entries of a trace's file. Raises BadTrace."""
    source: str | None = None
    entries: list[Entry] = []
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            line = json.loads(text)
            if source is None:
                source = _source(line)
            else:
                entries.append(_entry(line))
        except (ValueError, KeyError, TypeError) as error:
            why = error if isinstance(error, BadTrace) else "no entry of a trace"
            raise BadTrace(f"line {number}: {why}: use a file that --record wrote") from error
    if source is None:
        raise BadTrace("the file is empty: use a file that --record wrote")
    return source, entries


def _source(line: Any) -> str:
    if line["trace"] != KIND or line["version"] != VERSION:
        raise BadTrace(f"not a trace of version {VERSION}")
    return str(line["source"])


def _entry(line: Any) -> Entry:
    board = line["board"]
    if board not in BOARDS:
        raise BadTrace(f"there is no board {board!r}")
    entry: Entry
    if "exchange" in line:
        entry = Exchange(board, *line["exchange"])
    elif "lag_us" in line:
        entry = Start(board, line["lag_us"])
    else:
        entry = Edge(board, line["edge"], line["us"], line["off_us"])
    if not all(type(number) is int for number in entry[1:]):
        raise BadTrace("times are whole numbers")
    return entry
