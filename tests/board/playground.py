"""A simulated board with a host's hand on its port: real process, real pty, real pyserial, one event loop.

Waiting is on events with a generous time-out; nothing here sleeps for a fixed time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import serial

from galley.sim.boards import SimulatedBoard
from galley.sim.knobs import Knobs
from galley_board import wire

PATIENCE_S = 20.0

Frame = tuple[str, dict[str, int]]


def played(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run one test's coroutine on a loop of its own."""
    asyncio.run(test())


class Watched(SimulatedBoard):
    """A simulated board whose pixels, console and comings and goings can be awaited."""

    def __init__(self, role: str, replug_s: float = 0.05, knobs: Knobs | None = None) -> None:
        self.frames: list[bytes] = []
        self.said: list[str] = []
        self.paused: list[float] = []  # collections of garbage, in ms, as they began
        self._news = asyncio.Condition()
        super().__init__(role, self._pixels, self._console, self._moved, replug_s, knobs)

    def _pixels(self, role: str, rgb: bytes) -> None:
        assert role == self.role
        self.frames.append(rgb)
        self._tell()

    def _console(self, role: str, line: str) -> None:
        self.said.append(line)
        self._tell()

    def _heard(self, event: dict[str, Any]) -> None:
        if event["ev"] == "gc_pause":
            self.paused.append(event["ms"])
            self._tell()
        super()._heard(event)

    def _moved(self, role: str) -> None:
        self._tell()

    def _tell(self) -> None:
        async def tell() -> None:
            async with self._news:
                self._news.notify_all()

        self._telling = asyncio.get_running_loop().create_task(tell())

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until something about the board is so."""
        async with self._news:
            await asyncio.wait_for(self._news.wait_for(lambda: bool(condition())), PATIENCE_S)

    @property
    def lit(self) -> set[int]:
        """The places of the pixels that shine now."""
        return {at // 3 for at, step in enumerate(self.frames[-1]) if step} if self.frames else set()


class Host:
    """A host's end of a port: sends frames, collects the board's."""

    def __init__(self, path: str) -> None:
        self.port = serial.Serial(path, 115200, timeout=0, write_timeout=0, exclusive=True)
        self.heard: list[Frame] = []
        self.raw = bytearray()
        self._decoder = wire.Decoder(wire.FROM_BOARD)
        self._sequence = 0
        self._news = asyncio.Event()
        self.listen()

    def listen(self) -> None:
        """Read what comes from now on."""
        asyncio.get_running_loop().add_reader(self.port.fileno(), self._readable)

    def ignore(self) -> None:
        """Keep the port open, but do not read."""
        asyncio.get_running_loop().remove_reader(self.port.fileno())

    def close(self) -> None:
        self.ignore()
        self.port.close()

    def _readable(self) -> None:
        try:
            data = self.port.read(4096)
        except serial.SerialException:  # the board is gone
            self.ignore()
            return
        self.raw += data
        at = 0
        while at < len(data):
            at = self._decoder.take(data, at, len(data))
            if self._decoder.kind:
                names = [name for name, _, _ in wire.FORMS[self._decoder.kind][1]]
                fields = dict(zip(names, self._decoder.fields, strict=False))
                self.heard.append((self._decoder.kind, fields))
        self._news.set()

    @property
    def bad(self) -> int:
        return self._decoder.bad

    def send(self, kind: str, *fields: int) -> None:
        self.port.write(wire.encode(kind, self._sequence, *fields))
        self._sequence = (self._sequence + 1) % wire.SEQUENCE

    async def next(
        self, kind: str, condition: Callable[[dict[str, int]], object] = lambda fields: True
    ) -> dict[str, int]:
        """The first frame of this kind that is so, of those not taken yet; earlier ones are dropped."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                while self.heard:
                    found, fields = self.heard.pop(0)
                    if found == kind and condition(fields):
                        return fields
                self._news.clear()
                await self._news.wait()

    async def greet(self, session: int = 77) -> dict[str, int]:
        """Say hello; the board's hello."""
        self.send("h", wire.PROTOCOL, session)
        return await self.next("H", lambda fields: fields["session"] == session)


@asynccontextmanager
async def plugged(role: str, **options: Any) -> AsyncIterator[Watched]:
    """A board that has started, and is gone afterwards."""
    board = Watched(role, **options)
    try:
        await board.start()
        yield board
    finally:
        await board.stop()


@asynccontextmanager
async def talking(board: Watched) -> AsyncIterator[Host]:
    """A host that has the board's port open and has been greeted."""
    assert board.port is not None
    host = Host(board.port)
    try:
        await host.greet()
        yield host
    finally:
        host.close()
