"""Both ends of the link in one process, on a cable that may do anything, with a clock of 1 ms steps."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field
from typing import Self

from galley.link import HostLink
from galley.link_events import KeyEdge, LinkEvent, LinkState, StateChanged
from galley.sim.fault_stream import FaultStream
from galley_board import wire
from galley_board.link import BoardLink
from tests.board.workbench import feed

MS = 1_000_000
TICKS_AT_START = wire.TICKS_MS_PERIOD - 65_500


@dataclass
class Line:
    """A simulated cable between a `BoardLink` and a `HostLink` with a clock that jumps 1 ms a step.

    `spoil(data, to_board)` returns what arrives of a chunk (b"" loses it).
    """

    board: BoardLink = field(default_factory=lambda: BoardLink(1, 4711, 83, 0, 0xABCDEF))
    host: HostLink = field(default_factory=lambda: HostLink(1))
    now_ms: int = 0
    events: list[LinkEvent] = field(default_factory=list)
    host_reads: bool = True
    host_runs: bool = True
    chunk: int = 4096
    port_takes: int = 320
    _to_host: deque[bytes] = field(default_factory=deque)

    def ticks_ms(self) -> int:
        return (TICKS_AT_START + self.now_ms) % wire.TICKS_MS_PERIOD

    def start(self) -> Self:
        self.events += self.host.opened(0)
        self.run(20)
        assert self.state() is LinkState.LIVE
        return self

    def state(self) -> LinkState:
        return self.host.state

    def spoil(self, data: bytes, to_board: bool) -> bytes:
        return data

    def step(self) -> None:
        self.now_ms += 1
        ticks_ms, ticks_us = self.ticks_ms(), self.now_ms * 1000 % wire.TICKS_US_PERIOD
        now_ns = self.now_ms * MS
        self.events += self.host.poll(now_ns) if self.host_runs else []
        data = self.spoil(self.host.take_outgoing(), True)
        feed(self.board, data, ticks_ms, ticks_us)
        self.board.poll(ticks_ms, ticks_us)
        room = self.port_takes - sum(map(len, self._to_host))
        taken = min(self.board.out_len, max(0, room))
        if taken:
            self._to_host.append(bytes(self.board.out[:taken]))
            self.board.written(taken, ticks_ms)
        if self.host_reads and self._to_host:
            data = self.spoil(self._to_host.popleft(), False)
            for at in range(0, len(data), self.chunk):
                self.events += self.host.receive(data[at : at + self.chunk], now_ns)

    def run(self, ms: int) -> None:
        for _ in range(ms):
            self.step()

    def press(self, key: int, down: bool, us: int = wire.NO_US) -> None:
        self.board.key_edge(key, down, self.ticks_ms(), us)
        self.board.bitmap = self.board.bitmap | 1 << key if down else self.board.bitmap & ~(1 << key)

    def edges(self) -> list[tuple[int, bool]]:
        return [(e.key, e.down) for e in self.events if isinstance(e, KeyEdge)]

    def states(self) -> list[LinkState]:
        return [e.state for e in self.events if isinstance(e, StateChanged)]


class LossyLine(Line):
    """Loses, cuts, doubles and spoils chunks by a seeded generator until `quiet`."""

    def __init__(self, seed: int, rate: float) -> None:
        super().__init__()
        self.random = random.Random(seed)
        self.rate = rate
        self.quiet = True

    def spoil(self, data: bytes, to_board: bool) -> bytes:
        if self.quiet or not data or self.random.random() > self.rate:
            return data
        at = self.random.randrange(len(data))
        return self.random.choice(
            (
                b"",
                data[:at],
                data[at:],
                data[:at] + data[at + 1 :],
                data + data,
                data[:at] + bytes([self.random.randrange(256)]) + data[at:],
                data[:at] + bytes([data[at] ^ 1 << self.random.randrange(8)]) + data[at + 1 :],
                b"Traceback (most recent call last):\r\n" + data,
            )
        )


class FaultyLine(Line):
    """A line with the faults of `galley.sim.fault_stream`, both ways; they are written down."""

    def __init__(self) -> None:
        super().__init__()
        self.to_host = FaultStream()
        self.to_board = FaultStream()
        self.faults: list[str] = []

    def spoil(self, data: bytes, to_board: bool) -> bytes:
        stream = self.to_board if to_board else self.to_host
        stream.feed(data)
        return stream.take(self.now_ms)

    def step(self) -> None:
        super().step()
        late = self.to_host.take(self.now_ms)  # a line gives what it held even when nothing follows
        if late and self.host_reads:
            self.events += self.host.receive(late, self.now_ms * MS)
