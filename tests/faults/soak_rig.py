"""A table for the soak: three boards on faulty cables that outlive the host, a hand that presses, a tally.

The boards and their cables belong to this process, the host is a child; so a host that is killed finds its
boards as they were, and for it they are real. What the hand presses and what the boards tell of it is
written down here (`soak_keys`), what the host took it tells itself; what the boards show is read from their
own beats, before any fault. The deck lies on simulated pins: its arm follows its motor, what falls breaks a
beam, and nobody but the hand here sees a dropping.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final, Self

from galley.sim.boards import SimulatedBoard
from galley.sim.deck_rig import SimDeck
from galley.sim.fault_line import FaultLine, swap
from galley.sim.fault_plan import Fault, noise
from galley.tables.table import BELL, BOARDS
from galley_board import pins, wire
from galley_engine.dice import Dice
from tests.faults.enemy import broken_frames
from tests.faults.soak_keys import KeyBook
from tests.loop.box_process import Page

NS_PER_MS: Final = 1_000_000
REPLUG_S: Final = 0.8
GUARD: Final = pins.FIRST_SENSOR_KEY + pins.SENSOR_KEYS.index("guard open")
BY_HAND: Final = {
    role: {*range(len(pins.KEYS[pins.BOARD_OF_ROLE[role]])), *([GUARD] if role == "deck" else [])}
    for role in BOARDS
}
"""The keys of a board that nothing moves but the hand; the deck's lid is among them."""


@dataclass
class Tally:
    """What was injected and what was survived."""

    faults: Counter[str] = field(default_factory=Counter)
    edges_made: int = 0
    edges_checked: int = 0
    edges_given_up: int = 0
    overflows: int = 0
    sessions: int = 0
    races: Counter[str] = field(default_factory=Counter)
    views: int = 0
    rebuilt: int = 0
    falls: int = 0
    falls_unseen: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    steps: int = 0
    games: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def lines(self) -> list[str]:
        """For a person."""
        return [
            f"soak: {self.seconds:.0f} s, {self.steps} steps shown; games finished: {told(self.games)}",
            f"injected: {told(self.faults)}; the host ended: {told(self.kills)}",
            (
                f"keys: {self.edges_made} edges made; {self.edges_checked} told on {self.sessions} links and "
                f"taken once, but {self.edges_given_up} that were given up; {self.overflows} full queues"
            ),
            f"races, by what was said of them: {told(self.races)}; none was wrong",
            f"deck: {self.falls} falls counted, {self.falls_unseen} made good that no board counted",
            f"views: {self.views} as the host asked, {self.rebuilt} of lights and pages as the journal says",
        ]


def told(counts: Counter[str]) -> str:
    """Counts in one line."""
    return ", ".join(f"{count} {what}" for what, count in sorted(counts.items())) or "none"


class Rig:
    """The boards and their cables, and the `deck` on the third one's pins. Open it with `async with`."""

    def __init__(self, folder: Path, seed: int, tally: Tally) -> None:
        self.tally = tally
        self.books = {role: KeyBook(BY_HAND[role]) for role in BOARDS}
        self.shown: dict[str, int] = {}
        self._powered: dict[str, int | None] = dict.fromkeys(BOARDS)
        self._opens: Counter[str] = Counter()
        self.lines = {role: FaultLine(folder / role, self._listener(role)) for role in BOARDS}
        self.boards = {
            role: SimulatedBoard(role, on_change=self._changed, replug_s=REPLUG_S) for role in BOARDS
        }
        self.deck = SimDeck(self.boards["deck"], Dice(seed))

    async def __aenter__(self) -> Self:
        await asyncio.gather(*(board.start() for board in self.boards.values()))
        return self

    async def __aexit__(self, *_: object) -> None:
        for line in self.lines.values():
            line.close()
        await asyncio.gather(*(board.stop() for board in self.boards.values()))

    @property
    def arguments(self) -> list[str]:
        """For the host: where the boards are."""
        return [word for line in self.lines.values() for word in ("--connect", str(line.path))]

    def _changed(self, role: str) -> None:
        board = self.boards[role]
        if self._powered[role] != board.pid:
            self._powered[role] = board.pid
            self.books[role].power_on()
        self.lines[role].plug(board.port)

    def _listener(self, role: str) -> Callable[[bytes], None]:
        def listen(data: bytes) -> None:
            book, opens = self.books[role], self.lines[role].opens
            if self._opens[role] != opens:
                self._opens[role] = opens
                book.opened()
            shown = book.hear(data, time.monotonic_ns())
            if shown is not None:
                self.shown[role] = shown

        return listen

    async def press(self, role: str, key: int, hold_ms: int) -> None:
        """Press a key, hold it, let it go, and let go of it long enough."""
        self._move(role, key, True)
        await asyncio.sleep(hold_ms / 1000)
        self._move(role, key, False)
        await asyncio.sleep(0.05)

    def _move(self, role: str, key: int, down: bool, at_ns: int | None = None) -> bool:
        """Move a key, now or at a time; whether the board was told before that time."""
        board, now_ns = self.boards[role], time.monotonic_ns()
        board.press(key, down, at_ns)
        in_time = at_ns is None or time.monotonic_ns() < at_ns
        self.books[role].make(key, down, at_ns or now_ns, felt=board.plugged, sure=in_time)
        self.tally.edges_made += 1
        return in_time

    async def press_all(self, role: str, keys: list[int]) -> None:
        """Press keys of one board one after the other."""
        for key in keys:
            await self.press(role, key, 25)

    def lid(self, is_open: bool) -> None:
        """Open the deck's lid, which stops the eye, or close it."""
        if is_open != self.deck.guard_open:
            self.deck.open_guard(is_open)
            self.books["deck"].make(GUARD, is_open, time.monotonic_ns(), felt=self.boards["deck"].plugged)
            self.tally.edges_made += 1

    async def race(self, first: str, second: str, gap_ms: float) -> bool:
        """Two bells, so far apart, told ahead so that the gap is exact; whether they were told in time."""
        at_ns = time.monotonic_ns() + 20 * NS_PER_MS
        in_time = True
        for role, later_ms in ((first, 0.0), (second, gap_ms)):
            begin_ns = at_ns + round(later_ms * NS_PER_MS)
            in_time &= self._move(role, BELL, True, begin_ns)
            in_time &= self._move(role, BELL, False, begin_ns + 60 * NS_PER_MS)
        await asyncio.sleep(0.15)
        return in_time

    # -- faults -----------------------------------------------------------------------------------------

    def inject(self, fault: Fault) -> None:
        """Make a fault of a plan happen now."""
        role = fault.where
        line, board, args = self.lines[role], self.boards[role], fault.args
        self.tally.faults[fault.knob] += 1
        match fault.knob:
            case "corrupt" | "drop_frame" | "short_write":
                getattr(line.stream(str(args[0])), fault.knob)(*args[1:])
            case "frame_quantum_ms":
                line.stream(str(args[0])).frame_quantum(int(args[1]))
            case "inject":
                line.inject(str(args[0]), noise(str(args[1])))
            case "flood":
                kinds = wire.FROM_BOARD if args[0] == "to_host" else wire.FROM_HOST
                line.inject(str(args[0]), broken_frames(Random(int(args[1])), kinds, 40))
            case "stall":
                line.stall("read" if args[0] == "to_host" else "write", int(args[1]) / 1000)
            case "unplug" | "slow_close" | "second_opener":
                getattr(line, fault.knob)(int(args[0]) / 1000)
            case "hub":
                for each in self.lines.values():
                    each.unplug(int(args[0]) / 1000)
            case "swap":
                swap(line, self.lines[BOARDS[(BOARDS.index(role) + int(args[0])) % len(BOARDS)]])
            case "gc_pause":
                board.gc_pause(int(args[0]))
            case "reset":
                self._reset(board)
            case "blackout":
                for one in self.boards.values():
                    self._reset(one)

    @staticmethod
    def _reset(board: SimulatedBoard) -> None:
        if board.pid is not None:
            os.kill(board.pid, signal.SIGKILL)


class Watch:
    """A page that is read all the time; `gone` when the host has closed it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.seen: list[tuple[int, Any]] = []
        self.moved_s = 0.0  # when it showed another step last
        self.gone = asyncio.Event()
        self._reading = asyncio.get_running_loop().create_task(self._read())

    async def _read(self) -> None:
        try:
            while True:
                await self.page.step()
                table = self.page.topics.get("table")
                if table is not None and self.page.house["phase"] == "game":
                    at = (table["step"], table["state"])
                    if not self.seen or self.seen[-1][0] != at[0]:
                        self.seen.append(at)
                        self.moved_s = time.monotonic()
        finally:
            self.gone.set()

    async def end(self) -> None:
        """Read no more."""
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)

    async def until(self, done: Callable[[Page], object], s: float) -> bool:
        """Whether this becomes so in time."""
        end_s = time.monotonic() + s
        while not done(self.page):
            if time.monotonic() > end_s or self.gone.is_set():
                return False
            await asyncio.sleep(0.02)
        return True

    @property
    def table(self) -> Any:
        """The topic `table`, None outside a game."""
        return self.page.topics.get("table")

    @property
    def playing(self) -> bool:
        """Whether a game goes on and the host is there."""
        return not self.gone.is_set() and bool(self.page.house["phase"] == "game")

    @property
    def jobs(self) -> list[tuple[str, int, str]]:
        """What keys do now: board, key, word."""
        table, house = self.table, self.page.topics.get("house") or {}
        keys: Mapping[str, Mapping[str, str]] = (table and table.get("keys")) or house.get("keys") or {}
        return [
            (board, int(key), word)
            for board, own in sorted(keys.items())
            for key, word in sorted(own.items())
        ]
