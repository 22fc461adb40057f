"""The firmware on a bench: its modules in this process, over the stand-ins, with a clock that tests move.

`bench()` puts the stand-ins first on the path, and gives the path and the modules back at the end, so that
other tests find the machine as it was. Times are milliseconds since the board's power-on.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from galley_board import pins, wire
from galley_board.link import BoardLink

ROOT = Path(__file__).resolve().parents[2]
FIRMWARE = ROOT / "circuitpython"
LIB = FIRMWARE / "lib"
STANDINS = ROOT / "host" / "galley" / "sim" / "standins"

NS_PER_MS = 1_000_000
POWER_ON_NS = 10**12

# what imports the hardware, and so must be fresh for each bench
BOUND = {"neopixel", *(f"galley_board.{name}" for name in ("hardware", "start", "station", "deck", "loop"))}


class MemoryPort:
    """A data port that a test fills and empties."""

    def __init__(self) -> None:
        self.connected = True
        self.timeout: float | None = None
        self.write_timeout: float | None = None
        self.room = 1 << 30
        self.waiting = bytearray()
        self.written = bytearray()

    @property
    def in_waiting(self) -> int:
        return len(self.waiting)

    def readinto(self, buf: bytearray) -> int:
        count = min(len(buf), len(self.waiting))
        buf[:count] = self.waiting[:count]
        del self.waiting[:count]
        return count

    def write(self, buf: memoryview) -> int:
        count = min(len(buf), self.room)
        self.written += buf[:count]
        return count


class Bench:
    """One board's surroundings, and the modules that see them."""

    def __init__(self) -> None:
        self.now_ns = 0
        self.port = MemoryPort()
        self.sequence = 0
        self.rig = importlib.import_module("rig").rig
        self.rig.clock = lambda: POWER_ON_NS + self.now_ns
        self.rig.power_on_ns = POWER_ON_NS
        self.rig.pause = lambda seconds: self.wait_ms(seconds * 1000)
        self.rig.board = "left"

    def module(self, name: str) -> Any:
        return importlib.import_module(name)

    @property
    def now_ms(self) -> int:
        """`ticks_ms` now."""
        return int(self.rig.ticks_ms())

    def at_ms(self, ms: float) -> None:
        """Move the clock to `ms` after power-on."""
        self.now_ns = round(ms * NS_PER_MS)

    def wait_ms(self, ms: float) -> None:
        """Move the clock on."""
        self.now_ns += round(ms * NS_PER_MS)

    def press(self, pin: int, down: bool = True) -> None:
        """Join a pin to GND, or let it go."""
        self.rig.set_pin(pin, 0 if down else None)

    # -- a whole board ---------------------------------------------------------------------------

    def start(self, role: str = "left") -> Any:
        """The loop of a board with this role, its port in memory."""
        self.module("usb_cdc").data = self.port
        if role == "right":
            self.press(19)
        if role == "deck":
            self.press(int(pins.device_pin(pins.DECK, "GUARD").removeprefix("GP")))  # its lid is closed
        loop = self.module("galley_board.loop")
        loop.time = SimpleNamespace(monotonic_ns=self.rig.monotonic_ns)
        loop.gc = SimpleNamespace(collect=lambda: None)  # this process has more to collect than a board
        self.module("galley_board.start").time = SimpleNamespace(sleep=self.rig.pause)
        number = wire.ROLES.index(role)
        names = ("start", "station", "station", "deck")
        entry = self.module(f"galley_board.{names[number]}")
        return (entry.loop if number else entry.unknown)(number)

    def host_sends(self, kind: str, *fields: int) -> None:
        """Put a frame of the host into the port."""
        self.port.waiting += wire.encode(kind, self.sequence, *fields)
        self.sequence = (self.sequence + 1) % wire.SEQUENCE

    def turn(self, loop: Any, times: int = 1) -> None:
        """Turns of one millisecond each."""
        for _ in range(times):
            loop.turn()
            self.wait_ms(1)

    def frames(self, kinds: str = wire.FROM_BOARD) -> list[tuple[str, dict[str, int]]]:
        """The board's frames of these kinds so far, each field by its name; takes them from the port."""
        found = decoded(bytes(self.port.written))
        self.port.written.clear()
        return [frame for frame in found if frame[0] in kinds]


def feed(link: BoardLink, data: bytes, now_ms: int, now_us: int) -> None:
    """Have a board's link obey all of `data`, of which its loop would give it a frame a turn."""
    at = 0
    while at < len(data):
        at = link.take(data, at, len(data), now_ms, now_us)


def decoded(data: bytes) -> list[tuple[str, dict[str, int]]]:
    """The board's frames in a stream: kind, and each field by its name."""
    decoder, found, at = wire.Decoder(wire.FROM_BOARD), [], 0
    while at < len(data):
        at = decoder.take(data, at, len(data))
        if decoder.kind:
            names = [name for name, _, _ in wire.FORMS[decoder.kind][1]]
            found.append((decoder.kind, dict(zip(names, decoder.fields, strict=False))))
    return found


@contextmanager
def bench() -> Iterator[Bench]:
    """A bench of its own for one test."""
    fresh = {path.stem for path in STANDINS.glob("*.py")} | BOUND
    before = {name: sys.modules.pop(name) for name in fresh if name in sys.modules}
    path = list(sys.path)
    sys.path[:0] = [str(STANDINS), str(LIB)]
    try:
        yield Bench()
    finally:
        sys.path[:] = path
        for name in fresh:
            sys.modules.pop(name, None)
            package, _, child = name.rpartition(".")
            if package:  # `from package import child` would find the old module there
                vars(sys.modules[package]).pop(child, None)
        sys.modules.update(before)
