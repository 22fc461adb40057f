"""What the house does, kept: every step goes to the journal, and pages learn of it when it is on the disk.

For: the joint between the house and its journal. It must not know boards, nor how pages are told. Call
`follow` whenever the house may have changed; what it gives is what pages may show now. What waits for the
disk comes later from `due`, when the journal has said that it got on.

While the disk takes nothing, the house is held, in whatever phase: nothing moves, and the pages show what is
on the disk and why nothing comes after it. Where whoever started the box allowed it (`unjournalled`), play
goes on, and the pages say what is wrong with the disk.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, Final

from galley.house import House
from galley.journal import Journal
from galley.journal_reader import Player
from galley.journal_writer import Health
from galley.session import Session

WAITING_TOPICS: Final = 64
OPERATOR: Final = "operator"

Topics = Mapping[str, Any]


class Keeping:
    """A house and its journal. `journal` None keeps nothing, for a box that was told to forget."""

    def __init__(self, house: House, journal: Journal | None) -> None:
        self._house = house
        self._journal = journal
        self._session: Session | None = None
        self._number = 0
        self._ticket = 0
        self._saved: dict[str, Any] = {}
        self._waiting: deque[tuple[int, Topics]] = deque(maxlen=WAITING_TOPICS)
        self._shown: Topics = {}
        self._told: str | None = None

    def resume(self, now_ms: int) -> str | None:
        """Take up where the journal's last state says; a sentence if a game there could not be."""
        journal = self._journal
        if journal is None:
            return None
        found = journal.latest()
        session = None if found.game is None else found.game.session(now_ms)
        self._house.restore(found.house, session, now_ms)
        if found.game is not None:
            self._number, self._session = found.game.number, session
        self._shown = self._house.topics()
        return found.trouble

    def follow(self) -> Topics | None:
        """Write down what changed; the topics that pages may show now, None if all of that has to wait."""
        topics = self._house.topics()
        journal = self._journal
        if journal is None:
            return topics
        ticket = self._write(journal)
        if journal.acknowledges(ticket):
            self._waiting.clear()
            self._shown = topics
            return topics
        self._waiting.append((ticket, topics))
        held = self.trouble is not None and topics["house"]["paused"] is not None
        return self._held(topics) if held else None

    def _held(self, topics: Mapping[str, Any]) -> Topics:
        """What is on the disk, with the pause and the keys of now: `topics` are those that have to wait."""
        shown, now = self._shown, topics["house"]
        prompts = now["prompts"] if now["paused"]["because"] == OPERATOR else []  # whose menu is no step
        house = {**shown["house"], "paused": now["paused"], "keys": now["keys"], "prompts": prompts}
        table = shown["table"]
        return {**shown, "house": house, "table": None if table is None else {**table, "keys": {}}}

    def due(self) -> Topics | None:
        """The journal got on: the latest topics that are on the disk by now, if pages do not have them."""
        journal, found = self._journal, None
        while journal is not None and self._waiting and journal.acknowledges(self._waiting[0][0]):
            found = self._shown = self._waiting.popleft()[1]
        return found

    @property
    def trouble(self) -> str | None:
        """Why nothing gets on the disk, as a key of `journal_writer.Health`; None while it does."""
        if self._journal is None:
            return None
        return None if self._journal.state == "ok" else self._journal.state

    @property
    def health(self) -> Health | None:
        """How the journal does; None for a box that keeps nothing."""
        return None if self._journal is None else self._journal.health

    def hold_or_release(self, now_ms: int) -> bool:
        """Hold the house while the disk takes nothing, unless play may go on without.

        True if the trouble is another than at the last call: boards and pages must hear of it.
        """
        trouble, before = self.trouble, self._told
        allowed = self._journal is not None and self._journal.unjournalled
        self._house.hold(None if allowed else trouble, now_ms)
        self._told = trouble
        return trouble != before

    def close(self) -> None:
        """Bring what waits to the disk."""
        if self._journal is not None:
            self._write(self._journal)
            self._journal.close()

    def _write(self, journal: Journal) -> int:
        session = self._house.session
        if session is not self._session:
            if self._session is not None:
                journal.follow(self._number, self._session)  # it may have ended in this very turn
                self._ticket = journal.leave(self._number)
            self._session = session
            if session is not None:
                players = [Player(seat.colour, seat.bot) for seat in self._house.seats]
                self._number = journal.begin(session, players)
        if session is not None:
            self._ticket = journal.follow(self._number, session)
        saved = self._house.saved()
        if saved != self._saved:
            self._saved = saved
            self._ticket = journal.house(saved)
        return self._ticket
