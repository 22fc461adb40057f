"""Presses on their way from the boards into the house, in the order in which they were made.

For: the joint between box, timekeeper and house. Which presses race the house says, which was first the
timekeeper; here the boards are asked for their time as often as that needs, and no more. It must not know
pages, nor why a press races.

A press that races waits for its turn (`timekeeper`), and later ones of the same board wait behind it. All
others go into the house at once.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from galley.box import NS_PER_MS, Box
from galley.house import House
from galley.link import PROBE_EVERY_NS, REST_EVERY_NS, UNSURE_EVERY_NS
from galley.link_events import Beat, KeyEdge, TimeSample
from galley.tables.table import BOARDS
from galley.timekeeper import Timekeeper
from galley_engine.race import LATE


class Racing:
    """The presses of one box. `on_moved` is called when the house may have changed."""

    def __init__(self, house: House, box: Box, on_moved: Callable[[], None]) -> None:
        self.keeper = Timekeeper()
        self._house = house
        self._box = box
        self._on_moved = on_moved
        self._closed_ns: int | None = None  # since when a start is awaited
        self._paced = False  # whether the boards are asked for their time as in a race
        self._asking: asyncio.TimerHandle | None = None

    @property
    def waits(self) -> bool:
        """Whether a press waits for its turn."""
        return self.keeper.probes_due_ns(time.monotonic_ns()) is not None

    def joined(self, board: str, boot_id: int) -> None:
        """A board answers now."""
        self.keeper.joined(board, boot_id, time.monotonic_ns(), self._box.clock_lag_us(board))

    def left(self, board: str) -> None:
        """A board has stopped answering."""
        if board in self._house.needed:
            self.keeper.left(board, time.monotonic_ns())
        else:
            self.keeper.gone(board)
        self._decide()  # others may go on; what is void goes before a new start of the board counts anew

    def edge(self, board: str, edge: KeyEdge) -> None:
        """A key went down or up."""
        at_ms = edge.received_ns // NS_PER_MS - edge.age_ms
        if not edge.down:
            self._house.release(board, edge.key, at_ms)
        elif self._house.races(board, edge.key) or self.keeper.races(board):
            self.keeper.enter(board, edge, edge.received_ns)
            self._decide()
            return
        else:
            self._house.press(board, edge.key, at_ms)
        self._on_moved()

    def timing(self, board: str, event: Beat | TimeSample) -> None:
        """Something was learned about a board's clock."""
        if isinstance(event, Beat):
            self.keeper.beat(board, event)
        else:
            self.keeper.sample(board, event)
            self._pace(board)
            self._decide()

    def follow(self) -> None:
        """The house has changed: a start may have been given, a race may be possible from now on."""
        if self._house.gate_open != (self._closed_ns is None):
            now_ns = time.monotonic_ns()
            if self._closed_ns is not None:
                self.keeper.start_given(self._closed_ns, now_ns)
            self._closed_ns = now_ns if self._closed_ns is None else None
        if self._house.racing != self._paced:
            self._paced = self._house.racing
            for board in BOARDS:
                self._pace(board)

    def _pace(self, board: str) -> None:
        """Have a board asked for its time as often as it may decide something: answers wake this host."""
        if not self._house.racing:
            every_ns = REST_EVERY_NS
        else:
            every_ns = UNSURE_EVERY_NS if self.keeper.unsure(board) else PROBE_EVERY_NS
        self._box.probe_every(board, every_ns)

    def _decide(self) -> None:
        """Let every press out whose turn has come; ask the boards again while some wait."""
        moved = False
        while heat := self.keeper.heat():
            places = [(press.source, press.key) for press in heat]
            timed = self.keeper.take(heat[self._house.settle(places)])
            press = timed.press
            self._house.press(press.source, press.key, press.ns // NS_PER_MS, timed)
            moved = True
        for refused in self.keeper.refused():
            if refused.why == LATE:  # a bounce's second edge: it raced nobody, and still counts
                self._house.press(refused.press.source, refused.press.key, refused.press.ns // NS_PER_MS)
                moved = True
        if moved:
            self._on_moved()
        due_ns = self.keeper.probes_due_ns(time.monotonic_ns())
        if due_ns is not None and self._asking is None:
            self._asking = asyncio.get_running_loop().call_later(due_ns / 1e9, self._ask)

    def _ask(self) -> None:
        self._asking = None
        self._box.probe_all()
        self.keeper.asked(time.monotonic_ns())
        self._decide()
