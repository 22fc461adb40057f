"""What happens on the box, noticed from how it stands, told once to the log and counted.

For: the host, which shows the chronicle the topic `boards`, the game on the table and the journal's state
whenever they may have changed. It must not know where they come from. Nothing about people is told: a seat is
a number, a game a name.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from traceback import format_exception
from typing import Any, Final

from galley.logs import tell
from galley.session import Session

AWAY: Final = frozenset({"board_absent", "board_gone", "board_silent"})
"""Notes that say what `board_left` says."""

TRACEBACK: Final = "Traceback (most recent call last):"
TRACEBACK_LINES: Final = 40


@dataclass(frozen=True, slots=True)
class _Board:
    """What of a board's entry is worth a line when it changes."""

    boot_id: int | None = None
    live: bool = False
    faults: tuple[str, ...] = ()


class Chronicle:
    """One run of the host. `begun`, `over` and `left` count its games; `journal_state` was told last."""

    def __init__(self) -> None:
        self.begun: Counter[str] = Counter()
        self.over: Counter[str] = Counter()
        self.left: Counter[str] = Counter()
        self._boards: dict[str, _Board] = {}
        self._notes: frozenset[tuple[str, str, str]] = frozenset()
        self._session: Session | None = None
        self._is_over = False
        self._phase = ""
        self.journal_state = "ok"
        self._is_ending = False
        self._consoles: dict[str, deque[str]] = {}

    # -- boards -----------------------------------------------------------------------------------------

    def boards(self, entries: Iterable[Mapping[str, Any]]) -> None:
        """The topic `boards` as it is now; nothing is told once the host ends, which lets all go."""
        if self._is_ending:
            return
        notes: set[tuple[str, str, str]] = set()
        for entry in entries:
            note = entry["note"]
            if note is not None and note["key"] not in AWAY:
                params = note["params"]
                notes.add((note["key"], params.get("board", ""), params.get("port", "")))
            if entry["role"] != "unknown":
                self._board(entry["role"], entry)
        for key, board, port in sorted(notes - self._notes):
            tell(logging.WARNING, key, board=board, port=port)
        self._notes = frozenset(notes)

    def _board(self, role: str, entry: Mapping[str, Any]) -> None:
        before = self._boards.get(role, _Board())
        now = _Board(entry["boot_id"], entry["state"] == "live", tuple(entry["faults"]))
        self._boards[role] = now
        if now.live and (not before.live or now.boot_id != before.boot_id):
            tell(
                logging.INFO,
                "board_joined",
                board=role,
                identity=entry["identity"],
                simulated=entry["simulated"],
                port=entry["port"],
                boot_id=entry["boot_id"],
                firmware=entry["firmware"],
            )
        elif before.live and not now.live:
            note = entry["note"]
            tell(logging.WARNING, "board_left", board=role, state=entry["state"], note=note and note["key"])
        for fault in sorted(set(now.faults) - set(before.faults)):
            tell(logging.WARNING, "board_fault", board=role, fault=fault)
        for fault in sorted(set(before.faults) - set(now.faults)):
            tell(logging.INFO, "board_fault_over", board=role, fault=fault)

    def console(self, board: str, line: str) -> None:
        """A simulated board printed a line: of what it prints a traceback is told, as one."""
        gathered = self._consoles.get(board)
        if line.startswith(TRACEBACK):
            self._consoles[board] = deque([line], maxlen=TRACEBACK_LINES)
        elif gathered is not None:
            gathered.append(line)
            if line and not line.startswith(" "):  # the exception itself, which ends it
                del self._consoles[board]
                tell(logging.ERROR, "board_traceback", board=board, lines=list(gathered))

    # -- games ------------------------------------------------------------------------------------------

    def taken_up(self, session: Session | None) -> None:
        """The game that was on the table when the host was started: it began in an earlier run."""
        self._session = session
        if session is not None:
            self._is_over = session.state.phase == "over"
            tell(logging.INFO, "game_resumed", game=session.game.name, step=len(session.steps))

    def house(self, phase: str, session: Session | None) -> None:
        """The phase, and the game on the table, None outside games and in a demonstration."""
        if phase != self._phase:
            self._phase = phase
            tell(logging.DEBUG, "phase", phase=phase)
        if session is not self._session:
            if self._session is not None and not self._is_over:
                self._count("game_left", self.left, self._session)
            self._session, self._is_over = session, False
            if session is not None:
                self._count("game_begun", self.begun, session)
        if session is not None and (session.state.phase == "over") != self._is_over:
            self._is_over = not self._is_over
            if self._is_over:
                self._count("game_over", self.over, session)
            else:  # its last step was taken back
                self.over[session.game.name] -= 1
                tell(logging.INFO, "game_goes_on", game=session.game.name, steps=len(session.steps))

    def _count(self, event: str, counts: Counter[str], session: Session) -> None:
        counts[session.game.name] += 1
        tell(logging.INFO, event, game=session.game.name, steps=len(session.steps))

    # -- the host ---------------------------------------------------------------------------------------

    def started(self, **facts: object) -> None:
        """The host serves."""
        tell(logging.INFO, "started", **facts)

    def remarked(self, remarks: Sequence[str]) -> None:
        """What the start had to say, in sentences."""
        for remark in remarks:
            tell(logging.WARNING, "remark", text=remark)

    def journal(self, state: str, detail: str) -> None:
        """How the journal is, with the words of `journal_writer.Health`."""
        if state != self.journal_state:
            self.journal_state = state
            if state == "ok":
                tell(logging.INFO, "journal_well")
            else:
                tell(logging.ERROR, "journal_trouble", state=state, detail=detail)

    def lagged(self, worst_s: float, count: int) -> None:
        """The event loop was late."""
        tell(logging.WARNING, "loop_lag", worst_ms=round(worst_s * 1000), count=count)

    def failed(self, error: BaseException) -> None:
        """A part of the host failed, which ends it."""
        tell(logging.ERROR, "failed", lines=[line.rstrip() for line in format_exception(error)])

    def stopping(self, ran_s: float) -> None:
        """The host ends."""
        self._is_ending = True
        tell(logging.INFO, "stopping", ran_s=round(ran_s, 1), games=self.begun.total())
