"""A game as a record: JSON lines that hold all there is to know to see it again, without rolling a die.

    {"game":"sushi_duel","options":{..},"record":1,"seats":2,"seed":7,"setup":{..},"version":"0.1.0"}
    {"at_ms":1200,"do":"challenge","n":1,"opponent":1,"seat":0,"sum":"5f0c1d2e"}
    ...
    {"end":"over"}           a finished game; an interrupted one has {"open":n}, n the number of its steps

The header holds the options in force and the layout as it was dealt. Then comes a line for each accepted
step: the action with every outcome of chance, its number `n`, its time `at_ms`, the `verdict` if a race was
decided, and `sum`. Lines have sorted keys, no spaces, UTF-8, and end with a newline.

`sum` is a crc32 in 8 hex digits over the bytes of all lines so far, each with its newline and without its
own `sum`: the crc of one line is the start value for the next. So a line that was changed, left out or
moved, the header among them, shows at the first step from there on. It is no signature: it finds accidents,
not forgers.

The reader believes nothing: form, numbers, times and sums are checked before a step is played, the rules
when it is. What it does not like is one sentence with the number of the line (BadRecord). It needs one line
in memory at a time, and none may be longer than LONGEST_LINE, so any file may be thrown at it.

It does no input or output: bytes go in line by line, text comes out line by line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple
from zlib import crc32

from galley_engine import VERSION
from galley_engine.game import JSON, AnyGame, BadInput, BadOption, JSONObject, Refusal
from galley_engine.games import UnknownGame, load
from galley_engine.given import listed, one_line, shown
from galley_engine.strict_json import BadJSON, read, same

FORM: Final = 1
"""The form of records that is written and read here, the header's `record`."""

HEADER_KEYS: Final = ("record", "game", "seats", "options", "setup", "seed", "version")
STEP_KEYS: Final = ("n", "at_ms", "sum", "verdict")
"""Keys of a step's line that are not the action's."""

LONGEST_LINE: Final = 1_000_000
"""Bytes; the longest line of the games there are is a header of a few thousand."""

HIGHEST_SEED: Final = 2**64 - 1


class BadRecord(ValueError):
    """The lines are not a whole, unchanged record that can be read here; `line` is the first one wrong."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(one_line(f"line {line}: {message}"))
        self.line = line


class Verdict(NamedTuple):
    """How a race was decided: by how much, how sure that is, and over whom. Times in microseconds."""

    gap_us: int
    uncertainty_us: int
    heat: bool  # a dead heat, which the game's rule decided
    over: int  # the seat that lost the race


class Entry(NamedTuple):
    """An accepted step: its time, the action with its outcomes, and the verdict if there was a race."""

    at_ms: int
    action: Mapping[str, JSON]
    verdict: Verdict | None = None


class Record(NamedTuple):
    """A record that was read and played: the game, where it started, all steps, and where it stands."""

    game: AnyGame
    seed: int | None
    start: Any
    entries: tuple[Entry, ...]
    state: Any


# --- Writing --------------------------------------------------------------------------------------


def header_of(game: AnyGame, start: Any, seed: int | None) -> str:
    """The first line: `start` is the state as dealt, `seed` that of the dice, kept to go on from."""
    return canonical(
        {
            "record": FORM,
            "game": game.name,
            "seats": game.full(start)["seats"],
            "options": game.options_of(start),
            "setup": game.setup_of(start),
            "seed": seed,
            "version": VERSION,
        }
    )


class Writer:
    """Gives the lines of one record, each with its newline, to be written in this order."""

    def __init__(self, header: str) -> None:
        """`header` is the first line, as `header_of` gives it or as it was written before."""
        self.header: Final = header
        self.n = 0
        self._crc = crc32(self.header.encode())

    def step(self, entry: Entry) -> str:
        """The line of the next step."""
        self.n += 1
        fields: JSONObject = {**entry.action, "n": self.n, "at_ms": entry.at_ms}
        if entry.verdict is not None:
            fields["verdict"] = entry.verdict._asdict()
        self._crc = crc32(canonical(fields).encode(), self._crc)
        return canonical({**fields, "sum": f"{self._crc:08x}"})

    def last(self, phase: str) -> str:
        """The last line, for a game that stands in `phase`."""
        return canonical({"end": phase} if phase == "over" else {"open": self.n})


def lines(game: AnyGame, start: Any, seed: int | None, entries: Iterable[Entry], phase: str) -> Iterator[str]:
    """The whole record of a game that stands in `phase` after `entries`."""
    writer = Writer(header_of(game, start, seed))
    yield writer.header
    yield from map(writer.step, entries)
    yield writer.last(phase)


def canonical(document: JSON) -> str:
    """A document as a line: sorted keys, no spaces, a newline."""
    return json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":")) + "\n"


# --- Playing again --------------------------------------------------------------------------------


def state_after(game: AnyGame, start: Any, steps: Iterable[tuple[int, Mapping[str, JSON]]]) -> Any:
    """The state after `steps`, each an at_ms and an accepted action, without any chance.

    This is how a step is undone: all but the last are played again. Raises ValueError if one is refused.
    """
    state = start
    for n, (at_ms, action) in enumerate(steps, start=1):
        outcome = game.apply(state, action, at_ms, None)
        if isinstance(outcome, Refusal):
            raise ValueError(f"step {n} is refused with {outcome.code}: {outcome.message}")
        state = outcome.state
    return state


# --- Reading --------------------------------------------------------------------------------------


def replay(given: Iterable[bytes]) -> Record:
    """Play a record from its lines, each with its newline. Raises BadRecord with the number of the line."""
    return _replay(given, load)


def replay_of(game: AnyGame, given: Iterable[bytes]) -> Record:
    """The same for a record of `game`, which need not be found by its name. Raises BadRecord."""

    def only(name: str) -> AnyGame:
        if name != game.name:
            raise UnknownGame(f"this is a record of {shown(name)}, not of {game.name}")
        return game

    return _replay(given, only)


def _replay(given: Iterable[bytes], find: Callable[[str], AnyGame]) -> Record:
    numbered = enumerate(given, start=1)
    first = next(numbered, None)
    if first is None:
        raise BadRecord(1, "there is no header: the file is empty")
    header = _parsed(*first)
    game, start, seed = _started(header, find)
    reader = _Reader(game, start, crc32(first[1]))
    last = 1
    for number, raw in numbered:
        last = number
        if reader.ended:
            raise BadRecord(number, "there is more after the end of the game: cut the file after that")
        reader.take(number, raw)
    if not reader.ended:
        raise BadRecord(last + 1, f"the record was cut: after {reader.n} steps neither end nor open follows")
    return Record(game, seed, start, tuple(reader.entries), reader.state)


class _Reader:
    """Takes the lines after the header and plays them."""

    def __init__(self, game: AnyGame, start: Any, crc: int) -> None:
        self.state = start
        self.entries: list[Entry] = []
        self.ended = False
        self._game = game
        self._crc = crc
        self._seats = game.full(start)["seats"]

    @property
    def n(self) -> int:
        """The steps taken."""
        return len(self.entries)

    def take(self, number: int, raw: bytes) -> None:
        """One line: a step, or the last line."""
        fields = _parsed(number, raw)
        if fields.keys() == {"end"} or fields.keys() == {"open"}:
            self._end(number, fields)
            return
        entry, said = self._entry(number, fields)
        summed = {key: value for key, value in fields.items() if key != "sum"}
        crc = crc32(canonical(summed).encode(), self._crc)
        if said != f"{crc:08x}":
            raise BadRecord(
                number,
                f"its sum is {shown(said)}, but the lines up to here add up to {crc:08x}: "
                "a line was edited, cut out or moved; use an unchanged copy",
            )
        outcome = self._game.apply(self.state, entry.action, entry.at_ms, None)
        if isinstance(outcome, Refusal):
            raise BadRecord(number, f"the game refuses this step with {outcome.code}: {outcome.message}")
        if not same(dict(entry.action), outcome.action):
            raise BadRecord(
                number, f"the step holds more than the game uses, which is {listed(outcome.action)}"
            )
        self._crc = crc
        self.state = outcome.state
        self.entries.append(entry)

    def _entry(self, number: int, fields: JSONObject) -> tuple[Entry, JSON]:
        for key in ("n", "at_ms", "sum", "do"):
            if key not in fields:
                raise BadRecord(number, f"{key} is missing, a step has do, n, at_ms and sum")
        n, at_ms = fields["n"], fields["at_ms"]
        if type(n) is not int or n != self.n + 1:
            raise BadRecord(number, f"n is {shown(n)}, expected {self.n + 1}: lines were cut out or moved")
        before_ms = self.entries[-1].at_ms if self.entries else 0
        if type(at_ms) is not int or at_ms < before_ms:
            raise BadRecord(number, f"at_ms is {shown(at_ms)}, it must be a whole number from {before_ms} on")
        verdict = _verdict(number, fields["verdict"], self._seats) if "verdict" in fields else None
        action = {key: value for key, value in fields.items() if key not in STEP_KEYS}
        return Entry(at_ms, action, verdict), fields["sum"]

    def _end(self, number: int, fields: JSONObject) -> None:
        phase = self.state.phase
        (key, value), *_ = fields.items()
        if (key == "end") != (phase == "over"):
            raise BadRecord(
                number, f"it says {key}, but after {self.n} steps the phase is {phase}: lines were cut"
            )
        wanted = phase if key == "end" else self.n
        if not same(value, wanted):
            raise BadRecord(
                number, f"{key} is {shown(value)}, expected {wanted} after these steps: lines were cut"
            )
        self.ended = True


def _parsed(number: int, raw: bytes) -> JSONObject:
    """The object on a line that is in the one form in which lines are written."""
    if len(raw) > LONGEST_LINE:
        raise BadRecord(number, f"is longer than {LONGEST_LINE:_} bytes: this is no record")
    if not raw.endswith(b"\n"):
        raise BadRecord(number, "ends without a newline: the record was cut in the middle of this line")
    try:
        document = read(raw)
    except BadJSON as error:
        raise BadRecord(number, error.message) from None
    if not isinstance(document, dict):
        raise BadRecord(number, f"is {shown(document)}, it must be an object")
    if canonical(document).encode(errors="replace") != raw:
        raise BadRecord(number, "is not written with sorted keys and without spaces: it was edited")
    return document


def _started(header: JSONObject, find: Callable[[str], AnyGame]) -> tuple[AnyGame, Any, int | None]:
    """The game of a header, its start position and its seed. The version is looked at first of all."""
    form, version = header.get("record"), header.get("version")
    if type(form) is not int or form < 1:
        raise BadRecord(1, f"record is {shown(form)}, it must be {FORM}: this is no header of a record")
    if form > FORM or _newer(version):
        made = f"record form {form}" if form > FORM else f"version {version}"
        raise BadRecord(1, f"was made by a newer Galley ({made}); this one is {VERSION}: update it")
    for key in HEADER_KEYS:
        if key not in header:
            raise BadRecord(1, f"{key} is missing, a header has {listed(HEADER_KEYS, 'and')}")
    for key in header:
        if key not in HEADER_KEYS:
            raise BadRecord(1, f"{shown(key)} is not known, a header has {listed(HEADER_KEYS, 'and')}")
    name, seats, seed = header["game"], header["seats"], header["seed"]
    if seed is not None and (type(seed) is not int or not 0 <= seed <= HIGHEST_SEED):
        raise BadRecord(1, f"seed is {shown(seed)}, it must be a whole number from 0 on, or null")
    try:
        game = find(name if isinstance(name, str) else shown(name))
    except UnknownGame as error:
        raise BadRecord(1, f"game: {error}") from None
    if type(seats) is not int or not game.min_seats <= seats <= game.max_seats:
        raise BadRecord(
            1, f"seats is {shown(seats)}, {game.name} is played by {game.min_seats} to {game.max_seats}"
        )
    options, setup = (_object(header[key], key) for key in ("options", "setup"))
    try:
        start = game.start(seats, game.options(options), None, setup)
    except BadInput as error:
        part = "options" if isinstance(error, BadOption) else "setup"
        raise BadRecord(1, f"{part}.{error.key}: {error.message}") from None
    return game, start, seed


def _object(value: JSON, key: str) -> Mapping[str, JSON]:
    if not isinstance(value, dict):
        raise BadRecord(1, f"{key} is {shown(value)}, it must be an object")
    return value


def _newer(version: JSON) -> bool:
    """Whether the version of a header is above ours. Raises BadRecord if it is none."""
    return _numbers(version) > _numbers(VERSION)


def _numbers(version: JSON) -> list[int]:
    parts = version.split(".") if isinstance(version, str) else []
    if not parts or not all(part.isascii() and part.isdigit() and len(part) <= 9 for part in parts):
        raise BadRecord(1, f"version is {shown(version)}, it must be numbers with points, as in {VERSION}")
    return [int(part) for part in parts]


def _verdict(number: int, value: JSON, seats: JSON) -> Verdict:
    wanted = "gap_us, uncertainty_us, heat and over"
    if not isinstance(value, dict) or value.keys() != set(Verdict._fields):
        raise BadRecord(number, f"verdict is {shown(value)}, it must be an object with {wanted}")
    gap_us, uncertainty_us, heat, over = (value[key] for key in Verdict._fields)
    for key, us in (("gap_us", gap_us), ("uncertainty_us", uncertainty_us)):
        if type(us) is not int or us < 0:
            raise BadRecord(number, f"verdict.{key} is {shown(us)}, it must be a whole number from 0 on")
    if not isinstance(heat, bool):
        raise BadRecord(number, f"verdict.heat is {shown(heat)}, it must be true or false")
    if type(over) is not int or over not in range(seats if isinstance(seats, int) else 0):
        raise BadRecord(number, f"verdict.over is {shown(over)}, it must be a seat of this game")
    assert type(gap_us) is int
    assert type(uncertainty_us) is int
    return Verdict(gap_us, uncertainty_us, heat, over)
