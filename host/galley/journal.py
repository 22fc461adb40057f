"""The journal: every accepted step is on the disk before a page shows it, and the loop never waits for that.

For: whoever runs the house. Open it, take up what `latest` gives, then tell it what happens:

    journal = Journal.open(folder / JOURNAL, on_change=wake)
    number = journal.begin(session, players)      a game is on the table
    ticket = journal.follow(number, session)      after every input: whatever the session has changed
    ticket = journal.house({"phase": "join"})     the state outside games, the last one wins
    journal.leave(number)                         the game leaves the table, over or not
    journal.acknowledges(ticket)                  may pages show what this ticket stands for?

Every call returns at once with a *ticket*, a number that grows; `committed` is the highest on the disk. A
step is known by (game, n): telling it twice writes it once, and the first stands.

A step that is taken back leaves its row; the numbers that the chance had drawn after the step before it are
kept there, so the same throw comes again after a restart too.

What cannot be written waits: `health` says why, and up to WAITING writes are kept. If play goes on all the
same (`unjournalled`) for longer than that, more is dropped and counted, and the game's end is `cut`: so it
never goes on from a place that is not its last.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Self

from galley import journal_rows
from galley.data_folder import Hold, set_aside
from galley.journal_reader import Latest, Player, latest
from galley.journal_schema import Connect, Damaged, connected, judged, ready, state_of, to_read
from galley.journal_writer import Health, Writer
from galley.session import Session
from galley_engine.game import JSON, JSONObject
from galley_engine.record import Verdict, canonical, header_of

SNAPSHOT_EVERY: Final = 256
WAITING: Final = 65_536
CHECKED_WHOLE_BYTES: Final = 64_000_000
"""A larger file is not read from end to end when it is opened, only what is needed; `verify` reads it all."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """A file that was in the journal's place: where it is now, why, and how (damaged or foreign)."""

    path: Path
    word: str
    reason: str

    @property
    def sentence(self) -> str:
        """What to tell whoever looks after the box."""
        return f"{self.reason}: it is kept as {self.path.name}, and a new journal was begun"


class Journal:
    """One box's journal. All calls belong to one thread; none waits but `open` and `close`."""

    def __init__(
        self,
        path: Path,
        found: Latest,
        highest: int,
        *,
        connect: Connect,
        on_change: Callable[[], object] | None,
        unjournalled: bool,
        aside: SetAside | None,
        hold: Hold | None,
    ) -> None:
        """Use `open`. `highest` is the number of the last game in the file."""
        self.path = path
        self.unjournalled = unjournalled
        self.aside = aside
        self._found: Latest | None = found
        self._highest = highest
        self._hold = hold
        self._dropped = 0
        self._steps: dict[int, int | None] = {}  # of the game on the table, its steps; None once it was cut
        self._shot = 0  # the step of its last snapshot
        if found.game is not None:
            self._steps[found.game.number] = len(found.game.steps)
        self._connect = connect
        self._writer = Writer(self._ready, partial(state_of, path=path), on_change)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        on_change: Callable[[], object] | None = None,
        unjournalled: bool = False,
        connect: Connect = connected,
    ) -> Self:
        """The journal at `path`, made if there is none; a damaged or foreign file is set aside (`aside`).

        Raises JournalRefused for one of a newer Galley, FolderInUse if another box has it. A disk that is
        full or read-only raises nothing: `health` says so, and what is written waits.

        `on_change` is called in the writing thread after every commit and change of health: give it something
        like `partial(loop.call_soon_threadsafe, look)`. `connect` opens the file (tests: a disk with faults).
        """
        hold: Hold | None = None
        aside: SetAside | None = None
        trouble: Exception | None = None
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            hold = Hold(path.parent)
        except OSError as error:
            trouble = error
        try:
            found, highest = Latest(None), int(time.time())  # a number that no game in an unseen file has
            try:
                try:
                    found, highest = _examined(path, connect)
                except Damaged as damage:
                    aside = SetAside(set_aside(path, "damaged"), damage.word, str(damage))
                    found, highest = _examined(path, connect)
            except (OSError, sqlite3.Error) as error:
                trouble = error
                with suppress(OSError, sqlite3.Error, Damaged, ValueError, TypeError):
                    found, highest = _read_only(path)
            journal = cls(
                path,
                found,
                highest,
                connect=connect,
                on_change=on_change,
                unjournalled=unjournalled,
                aside=aside,
                hold=hold,
            )
        except BaseException:
            if hold is not None:
                hold.release()
            raise
        if trouble is not None:
            journal._writer.in_trouble(trouble)
        return journal

    def _ready(self) -> sqlite3.Connection:
        """In the writing thread: open the file. The folder may not have been there before."""
        if self._hold is None:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._hold = Hold(self.path.parent)
        return ready(self.path, self._connect)

    def latest(self) -> Latest:
        """Where the box stood when the journal was opened. Ask once, at the start."""
        if self._found is None:
            raise RuntimeError("latest() was asked before: what it gave was let go")
        found, self._found = self._found, None
        return found

    # -- what happens ---------------------------------------------------------------------------------

    def begin(self, session: Session, players: Sequence[Player]) -> int:
        """A game that was just dealt is on the table; its number, by which all else is told.

        One that was there and not over has been left.
        """
        self._highest = number = self._highest + 1
        self._steps, self._shot = {number: 0}, 0
        header = header_of(session.game, session.dealt, session.chance.seed)
        who = canonical([list(player) for player in players])
        self._writer.put(
            partial(journal_rows.begin, number, int(time.time()), header, who, session.drawn_after(0))
        )
        return number

    def follow(self, number: int, session: Session) -> int:
        """Write down all that `session` has changed since the last call; the ticket of the last of it.

        Of a step that was taken back in the same breath nothing is written.
        """
        steps, changes = session.steps, session.changes[:]
        session.changes.clear()
        for change in changes:
            n = change.n
            if change.what == "undo":
                self.undo(number, n)
            elif n <= len(steps):
                if change.what == "step":
                    at_ms, action = steps[n - 1]
                    state = session.state if n == len(steps) else None
                    self.append(number, n, at_ms, action, session.drawn_after(n), state=state)
                if n in session.verdicts:
                    self.verdict(number, n, session.verdicts[n])
        return self._writer.issued

    def append(
        self, number: int, n: int, at_ms: int, action: JSONObject, drawn: int, *, state: Any = None
    ) -> int:
        """Step `n` of a game was accepted; `drawn` and `state` are those after it, `state` may be left out.

        Raises ValueError for a step that leaves a gap, KeyError for a game that is not on the table.
        """
        known = self._steps[number]
        if known is None or n <= known:
            self._dropped += known is None
            return self._writer.issued
        if n != known + 1:
            raise ValueError(f"step {n} of game {number} follows step {known}: one is missing")
        if self._is_full():
            return self._cut(number)
        self._steps[number] = n
        shot = state if n - self._shot >= SNAPSHOT_EVERY else None
        if shot is not None:
            self._shot = n
        over = state is not None and state.phase == "over"
        text = canonical(action)[:-1]
        return self._writer.put(partial(journal_rows.append, number, n, at_ms, drawn, text, over, shot))

    def undo(self, number: int, n: int) -> int:
        """Step `n`, the last one, was taken back; nothing happens if it was before."""
        known = self._steps[number]
        if known is None or n != known:
            return self._writer.issued
        if self._is_full():
            return self._cut(number)
        self._steps[number] = n - 1
        if n <= self._shot:
            self._shot = max(0, self._shot - SNAPSHOT_EVERY)
        return self._writer.put(partial(journal_rows.undo, number, n))

    def verdict(self, number: int, n: int, verdict: Verdict) -> int:
        """How the race that step `n` decided was judged; a later verdict takes its place."""
        known = self._steps[number]
        if known is None or n > known or self._is_full():
            return self._writer.issued
        return self._writer.put(partial(journal_rows.verdict, number, n, verdict))

    def leave(self, number: int) -> int:
        """The game leaves the table; one that is not over has been left. Nothing more can be told of it."""
        self._steps.pop(number, None)
        return self._writer.put(partial(journal_rows.leave, number))

    def house(self, state: Mapping[str, JSON]) -> int:
        """The state of the house outside games, a small JSON object without anything personal."""
        if self._is_full():
            return self._writer.issued
        return self._writer.put(partial(journal_rows.house, canonical(state)[:-1]))

    def _is_full(self) -> bool:
        """Whether no more may wait; if so that is counted."""
        full = self._writer.waiting >= WAITING
        self._dropped += full
        return full

    def _cut(self, number: int) -> int:
        self._steps[number] = None
        return self._writer.put(partial(journal_rows.end, number, "cut"))

    # -- what is known ----------------------------------------------------------------------------------

    @property
    def committed(self) -> int:
        """The highest ticket that is on the disk."""
        return self._writer.committed

    @property
    def state(self) -> str:
        """How the journal is, as a key of `Health`; cheap enough for every turn of the loop."""
        return self._writer.state

    def acknowledges(self, ticket: int) -> bool:
        """Whether pages may show it: it is on the disk, or the disk fails and play may go on without."""
        return ticket <= self.committed or (self.unjournalled and self._writer.state != "ok")

    @property
    def health(self) -> Health:
        """How it goes; cheap, but not for every turn of the loop."""
        return self._writer.health(self._dropped)

    def close(self) -> int:
        """Bring what waits to the disk and end; the number of writes that a failing disk did not take."""
        unwritten = self._writer.close()
        if self._hold is not None:
            self._hold.release()
        return unwritten


# --- Opening --------------------------------------------------------------------------------------


def _examined(path: Path, connect: Connect) -> tuple[Latest, int]:
    """What is in a journal that is whole. Raises Damaged, JournalRefused, OSError, sqlite3.Error."""
    connection = ready(path, connect)
    try:
        if path.stat().st_size <= CHECKED_WHOLE_BYTES:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if found != "ok":
                raise Damaged(" ".join(found.split()))
        return latest(connection), _highest(connection)
    except sqlite3.Error as error:
        raise judged(error, path) from error
    except (Damaged, ValueError, TypeError) as error:
        raise Damaged(f"{path} is damaged ({error})") from error
    finally:
        connection.close()


def _read_only(path: Path) -> tuple[Latest, int]:
    connection = to_read(path)
    try:
        return latest(connection), _highest(connection)
    finally:
        connection.close()


def _highest(connection: sqlite3.Connection) -> int:
    highest: int = connection.execute("SELECT coalesce(max(id), 0) FROM game").fetchone()[0]
    return highest
