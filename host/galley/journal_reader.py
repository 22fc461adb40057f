"""What a journal holds: its games, their records, and where the box stood when it was last heard of.

For: going on after any end, and for whoever lists, exports and checks games. It reads from a connection that
is given to it, never writes, and must not know files.

A game is taken up from its newest snapshot and the few steps after it. A snapshot is trusted by the version
of Galley that made it, if its seal holds and its form fits; else the game is played again from the start,
which takes longer and gives the same state.
"""

from __future__ import annotations

import gc
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from galley.journal_schema import Damaged, seal, step_seal
from galley.session import Session
from galley_engine import VERSION
from galley_engine.game import AnyGame, JSONObject
from galley_engine.record import BadRecord, Entry, Verdict, Writer, canonical, replay, state_after
from galley_engine.stored import NotStored, coder_of

PARSED_AT_ONCE: Final = 5_000
"""Actions; one call of the JSON reader for so many costs a fraction of a call for each."""


class Player(NamedTuple):
    """Who sits on a seat: its colour, and the strength of its bot or None."""

    colour: str
    bot: str | None


@dataclass(frozen=True, slots=True)
class Resumable:
    """The game that was on the table, as it stood after its last step on the disk."""

    number: int  # by which the journal knows it
    players: tuple[Player, ...]
    game: AnyGame
    seed: int
    dealt: Any
    state: Any
    steps: list[tuple[int, JSONObject]]
    drawn: list[int]  # numbers the chance had drawn: after dealing, and after each step
    kept: tuple[int, Any]  # the step of the snapshot it goes on from, and the state after it
    verdicts: dict[int, Verdict]
    last_ms: int  # the latest stamp, of a step that was taken back too

    @property
    def options(self) -> JSONObject:
        """The options in force."""
        return self.game.options_of(self.dealt)

    def session(self, now_ms: int) -> Session:
        """The running game, its clock going on at house time `now_ms`."""
        return Session.restore(
            self.game,
            self.seed,
            dealt=self.dealt,
            state=self.state,
            steps=self.steps,
            drawn=self.drawn,
            kept=self.kept,
            verdicts=self.verdicts,
            last_ms=self.last_ms,
            now_ms=now_ms,
        )


@dataclass(frozen=True, slots=True)
class Latest:
    """Where the box stood: the state of the house (None in a new journal), and the game on the table.

    `trouble` says in one sentence why there is no game though there was one, as after an update that has
    other rules; its record stays in the journal.
    """

    house: JSONObject | None
    game: Resumable | None = None
    trouble: str | None = None


class Listed(NamedTuple):
    """A game in the journal; `ended` is over, left, cut (its end is missing), or None while it may go on."""

    number: int
    began_s: int
    game: str
    players: tuple[Player, ...]
    steps: int
    undone: int
    ended: str | None

    @property
    def line(self) -> str:
        """The game in one line, its time in UTC."""
        began = f"{datetime.fromtimestamp(self.began_s, UTC):%Y-%m-%d %H:%M}"
        seats = " ".join(f"{p.colour}:{p.bot}" if p.bot else p.colour for p in self.players)
        return (
            f"{self.number:>6}  {began}  {self.game:<10}  {self.steps:>6}  {self.ended or 'open':<4}  {seats}"
        )


class _Game(NamedTuple):
    header: str
    players: tuple[Player, ...]
    drawn: int
    ended: str | None


def games(connection: sqlite3.Connection) -> list[Listed]:
    """All games, oldest first; of one whose header is damaged little is known."""
    rows = connection.execute(
        "SELECT id, began_s, ended, (SELECT count(*) FROM step WHERE game = game.id),"
        " (SELECT count(*) FROM undone WHERE game = game.id) FROM game ORDER BY id"
    ).fetchall()
    listed = []
    for number, began_s, ended, steps, undone in rows:
        try:
            game = _game(connection, number)
            name, players = str(json.loads(game.header).get("game")), game.players
        except Damaged:
            name, players = "damaged", ()
        listed.append(Listed(number, began_s, name, players, steps, undone, ended))
    return listed


def numbers(connection: sqlite3.Connection) -> list[int]:
    """The numbers of all games, ascending."""
    return [number for (number,) in connection.execute("SELECT id FROM game ORDER BY id")]


def seats_and_draws(connection: sqlite3.Connection, number: int) -> tuple[tuple[Player, ...], list[int]]:
    """Who sits where, and the numbers drawn after the deal and each step. Raises KeyError, Damaged."""
    game = _game(connection, number)
    return game.players, [game.drawn, *_steps(connection, number)[1]]


def record_lines(connection: sqlite3.Connection, number: int) -> Iterator[str]:
    """The record of a game, byte for byte what `Session.record` gives. Raises KeyError, Damaged."""
    game = _game(connection, number)
    verdicts = _verdicts(connection, number)
    writer = Writer(game.header)
    yield writer.header
    for n, (at_ms, action) in enumerate(_steps(connection, number)[0], start=1):
        yield writer.step(Entry(at_ms, action, verdicts.get(n)))
    yield writer.last("over" if game.ended == "over" else "open")


def latest(connection: sqlite3.Connection) -> Latest:
    """Where the box stood. Raises Damaged."""
    row = connection.execute("SELECT state, game, seal FROM house").fetchone()
    if row is None:
        return Latest(None)
    state, number, sealed = row
    if sealed != seal(state, number):
        raise Damaged("the state of the house does not fit its seal")
    house: JSONObject = json.loads(state)
    if number is None:
        return Latest(house)
    try:
        game = _game(connection, number)
    except KeyError:
        raise Damaged(f"game {number} was on the table and is missing") from None
    if game.ended == "cut":
        return Latest(house, None, f"game {number} cannot go on: its last steps never came to the disk")
    try:
        return Latest(house, _resumable(connection, number, game))
    except (BadRecord, _Unplayable) as error:
        return Latest(house, None, f"game {number} cannot go on: {error}")


class _Unplayable(ValueError):
    """The rules refuse what was accepted once."""


def _resumable(connection: sqlite3.Connection, number: int, game: _Game) -> Resumable:
    dealt = replay([game.header.encode(), canonical({"open": 0}).encode()])
    if dealt.seed is None:
        raise _Unplayable("its record has no seed to go on from")
    steps, drawn = _steps(connection, number)
    kept, state = _state(connection, number, dealt.game, dealt.start, steps)
    undone_ms = connection.execute("SELECT max(at_ms) FROM undone WHERE game = ?", (number,)).fetchone()[0]
    return Resumable(
        number,
        game.players,
        dealt.game,
        dealt.seed,
        dealt.start,
        state,
        steps,
        [game.drawn, *drawn],
        kept,
        _verdicts(connection, number),
        max(steps[-1][0] if steps else 0, undone_ms or 0),
    )


def _state(
    connection: sqlite3.Connection,
    number: int,
    game: AnyGame,
    dealt: Any,
    steps: Sequence[tuple[int, JSONObject]],
) -> tuple[tuple[int, Any], Any]:
    """The newest snapshot that can be used, with its step, and the state after all `steps`."""
    n, state = 0, dealt
    row = connection.execute(
        "SELECT n, version, state, seal FROM snapshot WHERE game = ? AND n <= ? ORDER BY n DESC LIMIT 1",
        (number, len(steps)),
    ).fetchone()
    if row is not None and row[1] == VERSION and row[3] == seal(number, row[0], row[1], row[2]):
        try:
            n, state = row[0], coder_of(type(dealt)).read(json.loads(row[2]))
        except NotStored:
            n, state = 0, dealt
    try:
        return (n, state), state_after(game, state, steps[n:])
    except ValueError as error:
        raise _Unplayable(f"its rules have changed, after step {n} {error}") from None


def snapshots(connection: sqlite3.Connection, number: int) -> Iterator[tuple[int, str, bool]]:
    """Of every snapshot of a game by this version: its step, its JSON, and whether its seal holds."""
    rows = connection.execute(
        "SELECT n, version, state, seal FROM snapshot WHERE game = ? ORDER BY n", (number,)
    )
    for n, version, state, sealed in rows:
        if version == VERSION:
            yield n, state, sealed == seal(number, n, version, state)


def _game(connection: sqlite3.Connection, number: int) -> _Game:
    row = connection.execute(
        "SELECT began_s, header, players, drawn, ended, seal FROM game WHERE id = ?", (number,)
    ).fetchone()
    if row is None:
        raise KeyError(number)
    began_s, header, players, drawn, ended, sealed = row
    if sealed != seal(number, began_s, header, players, drawn):
        raise Damaged(f"the header of game {number} does not fit its seal")
    return _Game(header, tuple(Player(colour, bot) for colour, bot in json.loads(players)), drawn, ended)


def _steps(connection: sqlite3.Connection, number: int) -> tuple[list[tuple[int, JSONObject]], list[int]]:
    """The steps of a game, each its stamp and its action, and the numbers drawn after each."""
    rows = connection.execute(
        "SELECT n, at_ms, drawn, action, seal FROM step WHERE game = ? ORDER BY n", (number,)
    )
    steps: list[tuple[int, JSONObject]] = []
    draws: list[int] = []
    with _uncollected():
        while some := rows.fetchmany(PARSED_AT_ONCE):
            for expected, (n, at_ms, drawn, action, sealed) in enumerate(some, start=len(steps) + 1):
                if n != expected or sealed != step_seal(number, n, at_ms, drawn, action):
                    raise Damaged(f"step {expected} of game {number} is missing or does not fit its seal")
            _, stamps, drawn_after, actions, _ = zip(*some, strict=True)
            steps += zip(stamps, json.loads(f"[{','.join(actions)}]"), strict=True)
            draws += drawn_after
    return steps, draws


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the garbage collector, which would look at 100,000 new actions again and again for nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _verdicts(connection: sqlite3.Connection, number: int) -> dict[int, Verdict]:
    rows = connection.execute(
        "SELECT n, gap_us, uncertainty_us, heat, over, seal FROM verdict WHERE game = ? ORDER BY n", (number,)
    )
    verdicts = {}
    for n, gap_us, uncertainty_us, heat, over, sealed in rows:
        if sealed != seal(number, n, gap_us, uncertainty_us, heat, over):
            raise Damaged(f"the verdict of step {n} of game {number} does not fit its seal")
        verdicts[n] = Verdict(gap_us, uncertainty_us, bool(heat), over)
    return verdicts
