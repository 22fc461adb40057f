"""Traces from boards that are there: both stamp the same edge, the host notes what it exchanges with them.

For: `galley race-test --connect LEFT --connect RIGHT`. Wire one key's pin of the left board to the same pin
of the right one, and ground to ground: a press at either is then one edge that both stamp. It must not
judge the stamps: it hands over a trace.

The ports are opened as for a game, so what is measured is this host, these cables and these boards. Edges
that both boards made within PAIR_NS are the same edge, however late either came.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from galley.clock import ClockSync
from galley.connection import Connection, sessions
from galley.link import PROBE_EVERY_NS, UNSURE_EVERY_NS
from galley.link_events import Beat, Hello, KeyEdge, LinkEvent, LinkState, StateChanged, TimeSample
from galley.ports import BoardPort
from galley.race_trace import BOARDS, Edge, Entry, Exchange, Start
from galley.ticks import MS_PERIOD, US_PERIOD, KeyBase, Widener

PAIR_NS: Final = 100_000_000
ALONE: Final = 100  # edges of a board that wait for the other's
LIVE_WITHIN_S: Final = 10.0
ENOUGH: Final = 100  # exchanges after which a slow board's clock is not known much better any more


class NoBoard(Exception):
    """There are no two boards to measure; the message says what is missing and the remedy."""


@dataclass(slots=True)
class _Ticks:
    us: Widener = field(default_factory=lambda: Widener(US_PERIOD))
    ms: Widener = field(default_factory=lambda: Widener(MS_PERIOD))
    keys: KeyBase = field(default_factory=KeyBase)
    sync: ClockSync = field(default_factory=ClockSync)
    exchanges: int = 0

    @property
    def known(self) -> bool:
        """Whether the board's clock is known as well as it soon will be."""
        return self.keys.known and (self.sync.converged or self.exchanges >= ENOUGH)


class Pairing:
    """Which edges of the two boards are the same one: told by when they were made, not by when they came."""

    def __init__(self) -> None:
        self.pairs = 0
        self._edges = 0
        self._alone: dict[str, deque[tuple[int, int]]] = {board: deque(maxlen=ALONE) for board in BOARDS}

    def number(self, board: str, made_ns: int) -> int:
        """The number of an edge that `board` made at host ns: its partner's, if that is known already."""
        others = self._alone[next(other for other in BOARDS if other != board)]
        for partner in others:
            if abs(made_ns - partner[1]) < PAIR_NS:
                others.remove(partner)
                self.pairs += 1
                return partner[0]
        self._edges += 1
        self._alone[board].append((self._edges, made_ns))
        return self._edges


class Recorder:
    """Two open ports and the trace of what came from them; `wanted` edges end it.

    `ready` is set once edges count: both clocks are known. `told` is given how many both boards made: 0 then.
    """

    def __init__(self, paths: Sequence[str], wanted: int, told: Callable[[int], None]) -> None:
        self.entries: list[Entry] = []
        self.ready = asyncio.Event()
        self._wanted = wanted
        self._told = told
        self._ticks = {board: _Ticks() for board in BOARDS}
        self._pairing = Pairing()
        self._asked = set(BOARDS)
        self._ended = asyncio.Event()
        self._met = asyncio.Event()  # both answer, or a port cannot be opened
        numbers = sessions()
        self._connections = {
            board: Connection(BoardPort(path, path), numbers, self._event)
            for board, path in zip(BOARDS, paths, strict=True)
        }

    async def run(self, seconds: float) -> None:
        """Note what comes for `seconds`, or until there are enough edges. Raises NoBoard."""
        for connection in self._connections.values():
            connection.open()
        try:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._met.wait(), LIVE_WITHIN_S)
            for board, connection in self._connections.items():
                if connection.problem is not None:
                    raise NoBoard(f"{board}: {connection.problem}")
            for board, connection in self._connections.items():
                if connection.state is not LinkState.LIVE:
                    path = connection.port.path
                    raise NoBoard(f"{board}: {path}: no board answers: check the cable and the port's name")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ended.wait(), seconds)
        finally:
            for connection in self._connections.values():
                connection.close()

    def _event(self, connection: Connection, event: LinkEvent) -> None:
        board = next(name for name, other in self._connections.items() if other is connection)
        ticks = self._ticks[board]
        if isinstance(event, TimeSample):
            rx_us, tx_us = ticks.us.widen(event.board_rx_us), ticks.us.widen(event.board_tx_us)
            self.entries.append(Exchange(board, event.sent_ns, rx_us, tx_us, event.received_ns))
            ticks.exchanges += 1
            ticks.sync.observe(event.sent_ns, rx_us, tx_us, event.received_ns)
            connection.probe_every(PROBE_EVERY_NS if ticks.sync.sure else UNSURE_EVERY_NS)  # as in a game
            if not self.ready.is_set() and all(other.known for other in self._ticks.values()):
                self.ready.set()
                self._told(0)
            self._asked.discard(board)
            if self._pairing.pairs >= self._wanted and not self._asked:
                self._ended.set()
        elif isinstance(event, Beat):
            ticks.keys.observe(ticks.ms.widen(event.ticks_ms), ticks.us.widen(event.ticks_us))
        elif isinstance(event, KeyEdge) and event.down and ticks.keys.known and ticks.exchanges:
            stamp_us, off_us = ticks.keys.stamped(ticks.ms.widen(event.stamp_ms), event.us)
            pairs = self._pairing.pairs
            number = self._pairing.number(board, ticks.sync.host_time(stamp_us).ns)
            self.entries.append(Edge(board, number, stamp_us, off_us))
            if self._pairing.pairs > pairs:
                self._asked = set(BOARDS)  # the trace ends with one more exchange of each
                self._told(self._pairing.pairs)
        elif isinstance(event, Hello):
            self._ticks[board] = _Ticks(sync=ClockSync(event.clock_lag_us))
            self.entries.append(Start(board, event.clock_lag_us))
        elif isinstance(event, StateChanged) and (connection.problem is not None or self._all_live()):
            self._met.set()

    def _all_live(self) -> bool:
        return all(connection.state is LinkState.LIVE for connection in self._connections.values())


def recorded(paths: Sequence[str], wanted: int, seconds: float, told: Callable[[int], None]) -> list[Entry]:
    """A trace of the two boards at `paths`, left first; for `told` see `Recorder`. Raises NoBoard."""

    async def record() -> list[Entry]:
        recorder = Recorder(paths, wanted, told)
        await recorder.run(seconds)
        return recorder.entries

    return asyncio.run(record())
