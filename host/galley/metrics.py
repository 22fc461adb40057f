"""How the box does, in numbers, in the text that Prometheus reads: data in, text out.

For: whoever keeps an eye on a box from a distance. It must not know where the numbers come from: they are
given as a `Reading`, whose `boards` are entries of the topic `boards` and whose `journal` has the fields of
`journal_writer.Health`. What is not known is left out, never made up.

The format is the text exposition format 0.0.4: for each family a HELP and a TYPE line, then its samples.
Units are base units (seconds, bytes, degrees Celsius), and counters end in `_total`, as its readers expect.
A counter of a link begins again at 0 when its port is opened anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

LINK_STATES: Final = ("absent", "opening", "hello", "live", "stale", "lost")
JOURNAL_STATES: Final = (
    "ok", "off", "disk_full", "read_only", "locked", "disk_error", "damaged", "failed",
)  # fmt: skip

Labels: TypeAlias = tuple[tuple[str, str], ...]
Board: TypeAlias = Mapping[str, Any]


class Sample(NamedTuple):
    """One number with its labels."""

    labels: Labels
    value: float


@dataclass(frozen=True, slots=True)
class Family:
    """Samples of one name. `help` is one sentence; any text is escaped when it is written."""

    name: str
    kind: Literal["gauge", "counter"]
    help: str
    samples: Sequence[Sample]


@dataclass(frozen=True, slots=True)
class Reading:
    """All numbers of one moment. `journal` None: the box keeps nothing. Times are seconds."""

    version: str
    build: str
    uptime_s: float
    phase: str
    phases: Sequence[str]
    boards: Sequence[Board]
    journal: Mapping[str, Any] | None
    lag_worst_s: float  # of the last minute
    lag_most_s: float  # since the start
    lags: int  # how often it was more than it may be
    games_begun: Mapping[str, int]
    games_over: Mapping[str, int]
    games_left: Mapping[str, int]
    pages: int
    bad_messages: int
    temperatures: Mapping[str, float]  # by the name of the place, in degrees Celsius


def text(reading: Reading) -> str:
    """The whole answer to a reader."""
    return written([family for part in PARTS for family in part(reading) if family.samples])


def written(families: Sequence[Family]) -> str:
    """Families as text; each name must come once."""
    lines: list[str] = []
    for family in families:
        lines.append(f"# HELP {family.name} {_escaped(family.help)}")
        lines.append(f"# TYPE {family.name} {family.kind}")
        lines += [
            f"{family.name}{_labels(sample.labels)} {_number(sample.value)}" for sample in family.samples
        ]
    return "".join(f"{line}\n" for line in lines)


def _labels(labels: Labels) -> str:
    if not labels:
        return ""
    pairs = (f'{name}="{_escaped(value).replace(chr(34), chr(92) + chr(34))}"' for name, value in labels)
    return "{" + ",".join(pairs) + "}"


def _escaped(words: str) -> str:
    return words.replace("\\", r"\\").replace("\n", r"\n")


def _number(value: float) -> str:
    if isinstance(value, int):
        return str(int(value))  # True is 1
    if math.isfinite(value):
        return repr(value)
    return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"


# --- Boards ---------------------------------------------------------------------------------------


class _OfBoards(NamedTuple):
    """A family with a sample for each board: where its number is, and what makes it a base unit."""

    name: str
    kind: Literal["gauge", "counter"]
    help: str
    where: tuple[str, ...]
    scale: float = 1
    is_report: bool = False  # the board reports it now and then; 0 stands for not yet


OF_BOARDS: Final = (
    _OfBoards("simulated", "gauge", "Whether the board is simulated.", ("simulated",)),
    _OfBoards("bad_frames_total", "counter", "Frames that failed their check, on both ends.",
              ("counters", "bad_frames")),
    _OfBoards("resends_total", "counter", "Key events that the board sent again.", ("counters", "resends")),
    _OfBoards("repeats_total", "counter", "Key events that came again and were dropped.",
              ("counters", "repeats")),
    _OfBoards("keys_lost_total", "counter", "Key events that the board could not keep.",
              ("counters", "lost")),
    _OfBoards("overflows_total", "counter", "Times that the board's scanner had no room.",
              ("counters", "overflow")),
    _OfBoards("round_trip_seconds", "gauge", "The latest probe, there and back.", ("round_trip_us",), 1e-6),
    _OfBoards("clock_uncertainty_seconds", "gauge", "How far off the board's time may be, either way.",
              ("clock", "uncertainty_us"), 1e-6),
    _OfBoards("clock_drift_ppm", "gauge", "How much faster the board's clock runs than the host's.",
              ("clock", "drift_ppm")),
    _OfBoards("clock_jumps_total", "counter", "Times that the board's clock was begun anew.",
              ("clock", "jumps")),
    _OfBoards("loop_seconds", "gauge", "The longest turn of the board's loop of late.",
              ("counters", "loop_us"), 1e-6, True),
    _OfBoards("collection_seconds", "gauge", "The board's latest garbage collection.",
              ("counters", "gc_us"), 1e-6, True),
    _OfBoards("heap_free_bytes", "gauge", "Memory that is free on the board.", ("counters", "heap"), 1, True),
)  # fmt: skip


HEAP: Final = ("counters", "heap")
"""Never 0 on a board that has reported."""


def _boards(reading: Reading) -> Iterator[Family]:
    known = [board for board in reading.boards if board["role"] != "unknown"]
    yield _one_of(
        "galley_board_link_state",
        "How the link to a board stands: 1 for the state that it is in.",
        LINK_STATES,
        [((("board", board["role"]),), board["state"]) for board in known],
    )
    yield Family(
        "galley_board_frames_total",
        "counter",
        "Frames that came from a board and went to it.",
        [
            Sample((("board", board["role"]), ("direction", direction)), count)
            for board in known
            for direction, where in (("in", ("counters", "frames_in")), ("out", ("frames_out",)))
            if (count := _found(board, where)) is not None
        ],
    )
    for family in OF_BOARDS:
        samples = [
            Sample((("board", board["role"]),), number if family.scale == 1 else number * family.scale)
            for board in known
            if (number := _found(board, family.where)) is not None
            and not (family.is_report and _found(board, HEAP) == 0)
        ]
        yield Family(f"galley_board_{family.name}", family.kind, family.help, samples)
    yield Family(
        "galley_board_fault",
        "gauge",
        "1 for each fault that a board reports.",
        [
            Sample((("board", board["role"]), ("fault", fault)), 1)
            for board in known
            for fault in board["faults"]
        ],
    )
    yield Family(
        "galley_boards_refused",
        "gauge",
        "Boards and ports that have no place on the box.",
        [Sample((), len(reading.boards) - len(known))],
    )


def _found(board: Board, where: Sequence[str]) -> float | None:
    found: Any = board
    for key in where:
        found = None if found is None else found.get(key)
    return found  # type: ignore[no-any-return]  # a number of the topic, or None


def _one_of(
    name: str, help_: str, words: Sequence[str], seen: Sequence[tuple[Labels, str]], label: str = "state"
) -> Family:
    """A family that says in which of a few states each thing is: 1 for that one, 0 for the others."""
    samples = [
        Sample((*labels, (label, word)), int(word == state)) for labels, state in seen for word in words
    ]
    return Family(name, "gauge", help_, samples)


# --- The host -------------------------------------------------------------------------------------


def _host(reading: Reading) -> Iterator[Family]:
    info = (("version", reading.version), ("build", reading.build))
    yield Family("galley_info", "gauge", "Which Galley this is.", [Sample(info, 1)])
    yield _gauge("galley_uptime_seconds", "How long the host has run.", reading.uptime_s)
    yield _one_of("galley_phase", "What the box does: 1 for its phase.", reading.phases,
                  [((), reading.phase)], "phase")  # fmt: skip
    yield _gauge(
        "galley_loop_lag_worst_seconds", "The host's worst lag of the last minute.", reading.lag_worst_s
    )
    yield _gauge("galley_loop_lag_most_seconds", "The host's worst lag since its start.", reading.lag_most_s)
    yield _counter("galley_loop_lags_total", "Times that the host lagged by more than 100 ms.", reading.lags)
    yield _gauge("galley_pages", "Pages that are open.", reading.pages)
    yield _counter(
        "galley_bad_messages_total", "Messages of pages that were no commands.", reading.bad_messages
    )
    yield Family(
        "galley_temperature_celsius",
        "gauge",
        "Temperatures inside the host's machine.",
        [Sample((("place", place),), degrees) for place, degrees in sorted(reading.temperatures.items())],
    )


def _journal(reading: Reading) -> Iterator[Family]:
    journal = reading.journal
    state = "off" if journal is None else journal["state"]
    yield _one_of(
        "galley_journal_state", "How the journal is: 1 for its state.", JOURNAL_STATES, [((), state)]
    )
    if journal is None:
        return
    yield Family(
        "galley_journal_commit_seconds",
        "gauge",
        "How long the latest commits took, as quantiles.",
        [
            Sample((("quantile", quantile),), journal[key] / 1000)
            for quantile, key in (("0.5", "commit_p50_ms"), ("0.99", "commit_p99_ms"))
        ],
    )
    yield _counter("galley_journal_commits_total", "Commits of this run.", journal["commits"])
    yield _gauge("galley_journal_waiting", "Writes that are not on the disk yet.", journal["waiting"])
    yield _counter("galley_journal_dropped_total", "Writes that found no room to wait.", journal["dropped"])


def _games(reading: Reading) -> Iterator[Family]:
    for word, help_, counts in (
        ("begun", "Games that were dealt in this run.", reading.games_begun),
        ("over", "Games that were played to their end in this run.", reading.games_over),
        ("left", "Games that left the table before their end in this run.", reading.games_left),
    ):
        samples = [Sample((("game", game),), count) for game, count in sorted(counts.items())]
        yield Family(f"galley_games_{word}_total", "counter", help_, samples)


def _gauge(name: str, help_: str, value: float) -> Family:
    return Family(name, "gauge", help_, [Sample((), value)])


def _counter(name: str, help_: str, value: int) -> Family:
    return Family(name, "counter", help_, [Sample((), value)])


PARTS: Final[tuple[Callable[[Reading], Iterator[Family]], ...]] = (_host, _boards, _journal, _games)
