"""What tests of the journal share: games that play themselves, always the same, and disks with faults."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from galley.journal import Journal
from galley.journal_reader import Player
from galley.journal_schema import durable
from galley.session import Session
from galley_engine.dice import Dice
from galley_engine.game import JSONObject, Step
from galley_engine.games import load

PATIENCE_S = 60.0
BEAT_MS = 700
PLAYERS = (Player("red", None), Player("blue", "good"))


def deal(name: str = "sushi_duel", seed: int = 7, seats: int = 2, now_ms: int = 0) -> Session:
    """A game that has just been dealt."""
    return Session.start(load(name), seats, {}, seed, now_ms)


def move(session: Session) -> bool:
    """Take the next step: any that is allowed, chosen by nothing but its number. False when it is over."""
    at_ms = session.steps[-1][0] if session.steps else 0
    while session.state.phase != "over":
        at_ms += BEAT_MS
        allowed: list[JSONObject] = []
        for seat in session.game.actors(session.state):
            allowed += session.game.moves(session.state, seat, at_ms)
        if allowed:
            wish = Dice(len(session.steps)).die(allowed)
            step = session.do(dict(wish), session.started_ms + at_ms)
            assert isinstance(step, Step), step
            return True
    return False


def played(name: str = "sushi_duel", steps: int = 40, seed: int = 7) -> Session:
    """A game of so many steps, or one that is over before."""
    session = deal(name, seed)
    while len(session.steps) < steps and move(session):
        pass
    return session


def toggled(steps: int, follow: Callable[[Session], object] = lambda session: None) -> Session:
    """A duel that goes on for ever: roll, set a die aside, free it again."""
    session = deal()
    opening: list[JSONObject] = [
        {"do": "challenge", "seat": 0, "opponent": 1},
        {"do": "ready", "seat": 0},
        {"do": "ready", "seat": 1},
    ]
    for action in opening:
        session.do(action, 0)
    while len(session.steps) < steps:
        n = len(session.steps)
        wish: JSONObject = {"do": "keep", "seat": 0, "die": 2} if n % 3 else {"do": "roll", "seat": 0}
        assert isinstance(session.do(wish, n * BEAT_MS), Step)
        follow(session)
    return session


class Watch:
    """Woken by a journal's thread; `until` waits for what it reports."""

    def __init__(self) -> None:
        self._woken = threading.Condition()
        self.times = 0

    def __call__(self) -> None:
        with self._woken:
            self.times += 1
            self._woken.notify_all()

    def until(self, done: Callable[[], Any]) -> None:
        """Wait until `done()` is true, looking at it whenever the journal got on."""
        with self._woken:
            assert self._woken.wait_for(done, PATIENCE_S), "the journal did not get there"


class Disk:
    """A disk whose commits may be slow, blocked, or refused: `connect` is for Journal.open."""

    def __init__(self, slow_s: float = 0.0) -> None:
        self.slow_s = slow_s
        self.open = threading.Event()  # commits wait while it is not set
        self.open.set()
        self.entered = threading.Event()
        self.fails: Exception | None = None
        self.pages: int | None = None  # the database may have so many pages and no more
        self.opened = 0

    def connect(self, path: Path) -> sqlite3.Connection:
        """As `connected`, on this disk."""
        disk = self

        class Connection(sqlite3.Connection):
            def commit(self) -> None:
                disk.entered.set()
                assert disk.open.wait(PATIENCE_S)
                threading.Event().wait(disk.slow_s)
                if disk.fails is not None:
                    raise disk.fails
                super().commit()

        self.opened += 1
        connection = sqlite3.connect(path, isolation_level=None, timeout=2.0, factory=Connection)
        durable(connection)
        if self.pages is not None:
            connection.execute(f"PRAGMA max_page_count={self.pages}")
        return connection


def written(path: Path, session: Session, house: JSONObject | None = None) -> int:
    """A journal that holds this game on the table, written and closed; the game's number."""
    journal = Journal.open(path)
    number = journal.begin(session, PLAYERS)
    session.changes[:] = []
    for n, (at_ms, action) in enumerate(session.steps, start=1):
        state = session.state if n == len(session.steps) else None
        journal.append(number, n, at_ms, action, session.drawn_after(n), state=state)
    for n, verdict in session.verdicts.items():
        journal.verdict(number, n, verdict)
    if house is not None:
        journal.house(house)
    assert journal.close() == 0
    return number
