"""One direction of a line on which things go wrong: bytes in, what arrives of them out, by a given clock.

For: faults of a transport as data, in simulated time as well as between real ports (`fault_line`). It must
not know frames beyond their newline, nor the time of day: every method is given `now_ms`.

Bytes pass in this order: whole frames are lost (`drop_frame`), single bytes are spoilt (`corrupt`), what is
left waits until nothing stalls it, until the next USB frame is due (`frame_quantum`), and goes on in pieces
of at most so many bytes (`short_write`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

NEWLINE: Final = 10
FLIP_BIT: Final = 3


class FaultStream:
    """What was `fed` and has not been taken waits; `count` tells how often each fault struck."""

    def __init__(self) -> None:
        self._waiting = bytearray()
        self._spoil: dict[int, str] = {}  # bytes from now -> how
        self._frames_to_drop = 0
        self._dropping = False
        self._at_start = True
        self._piece = 0
        self._pieces = 0
        self._until_ms = 0.0
        self._quantum_ms = 0
        self._asked_ms: float | None = None  # when the bus asks for what waits
        self._taken_ms = -math.inf
        self._struck: dict[str, int] = {}

    @property
    def count(self) -> Mapping[str, int]:
        """How often each knob changed what went by."""
        return MappingProxyType(self._struck)

    # -- knobs ----------------------------------------------------------------------------------------

    def drop_frame(self, n: int) -> None:
        """Lose the next `n` whole frames."""
        self._frames_to_drop += n

    def corrupt(self, pos: int, how: str = "flip") -> None:
        """Spoil the byte that comes after `pos` others: flip a bit of it, drop it or double it."""
        if how not in ("flip", "drop", "double"):
            raise ValueError(f"corrupt {how}: use flip, drop or double")
        self._spoil[pos] = how

    def inject(self, data: bytes) -> None:
        """Let bytes come that nobody has sent."""
        self._waiting += data
        self._strike("inject")

    def stall(self, s: float, now_ms: float) -> None:
        """Hold everything for so long; it comes afterwards."""
        self._until_ms = max(self._until_ms, now_ms + 1000 * s)
        self._strike("stall")

    def frame_quantum(self, ms: int) -> None:
        """Let bytes arrive at whole multiples of `ms` only, as a bus asked in turns does; 0: at once."""
        self._quantum_ms = ms

    def short_write(self, n: int, pieces: int = 1 << 30) -> None:
        """Let at most `n` bytes through at a time, so many times; 0 lets all through."""
        self._piece, self._pieces = n, pieces if n else 0

    def calm(self, now_ms: float) -> None:
        """End what lasts: stalls, frames of the bus, short pieces, and faults still to come."""
        self._until_ms = now_ms
        self._quantum_ms = self._pieces = self._frames_to_drop = 0
        self._spoil.clear()

    def clear(self) -> None:
        """The line was cut: what waits is gone, and so is a fault half done."""
        self._waiting.clear()
        self._dropping, self._at_start = False, True

    # -- bytes ----------------------------------------------------------------------------------------

    def feed(self, data: bytes) -> None:
        """Bytes that were sent."""
        if not self._frames_to_drop and not self._dropping and not self._spoil:
            self._waiting += data
            self._at_start = data[-1] == NEWLINE if data else self._at_start
            return
        for byte in data:
            self._pass(byte)

    def take(self, now_ms: float) -> bytes:
        """What arrives now."""
        if not self._waiting or self.due_ms(now_ms) > now_ms:
            return b""
        self._taken_ms, self._asked_ms = now_ms, None
        count = len(self._waiting)
        if self._pieces:
            self._pieces -= 1
            count = min(count, self._piece)
            self._strike("short_write")
        data = bytes(self._waiting[:count])
        del self._waiting[:count]
        return data

    def give_back(self, data: bytes) -> None:
        """The far end did not take the rest of what `take` gave."""
        self._waiting[:0] = data

    @property
    def waiting(self) -> int:
        """Bytes that have not been taken."""
        return len(self._waiting)

    def due_ms(self, now_ms: float) -> float:
        """When `take` gives something next: now, later, or never (infinite) while nothing waits."""
        if not self._waiting:
            self._asked_ms = None
            return math.inf
        at_ms = max(now_ms, self._until_ms)
        if self._quantum_ms:
            if self._asked_ms is None or self._asked_ms < self._until_ms:
                self._asked_ms = math.ceil(at_ms / self._quantum_ms) * self._quantum_ms
            at_ms = max(now_ms, self._asked_ms)
        if self._pieces and at_ms <= self._taken_ms:
            at_ms = self._taken_ms + 1
        return at_ms

    def _pass(self, byte: int) -> None:
        if self._at_start and self._frames_to_drop:
            self._frames_to_drop -= 1
            self._dropping = True
            self._strike("drop_frame")
        self._at_start = byte == NEWLINE
        if self._dropping:
            self._dropping = not self._at_start
            return
        how = self._spoil.pop(0, None)
        self._spoil = {pos - 1: was for pos, was in self._spoil.items()}
        if how is not None:
            self._strike("corrupt")
        if how == "flip":
            byte ^= 1 << FLIP_BIT
        if how != "drop":
            self._waiting.append(byte)
        if how == "double":
            self._waiting.append(byte)

    def _strike(self, knob: str) -> None:
        self._struck[knob] = self._struck.get(knob, 0) + 1
