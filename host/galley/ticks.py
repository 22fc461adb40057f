"""What a board's ticks are worth: wraps undone, the step found, key stamps put on one base.

For: whole-number stamps as they come off the wire, before any host time is thought of. It must not know
links, the host's clock or verdicts.

* `Widener` undoes a wrap: `ticks_us` modulo 2**26 (67 s), `ticks_ms` modulo 2**29 (6.2 days, for the first
  time 65.5 s after power-on, adafruit/circuitpython#9434).
* `Granule` finds the step of a clock from its stamps alone: 1 µs, 30.5 µs (`time.monotonic_ns`, which counts
  1/32768 s), 1 ms (`ticks_ms`), or any other whole number.
* `KeyBase` brings stamps in ticks_ms onto the base of ticks_us, from moments at which both were read.

A stamp is taken as a counter that shows its last full step: the true time is in [stamp, stamp + granule).
"""

from __future__ import annotations

from math import gcd
from typing import Final

US_PERIOD: Final = 1 << 26
MS_PERIOD: Final = 1 << 29
COARSEST_US: Final = 1000
# 1e6 / 2**k µs is no whole number from k = 7 on: the steps of counters of 128 Hz to 65536 Hz
BINARY_POWERS: Final = range(16, 6, -1)
STEPS_SEEN: Final = 3
KEY_BASE_MOMENTS: Final = 16


class Widener:
    """Endless ticks from ticks modulo `period`, given in any order less than half a period apart.

    The first ticks given come out as they are. Memory is one number.
    """

    __slots__ = ("_newest", "_period")

    def __init__(self, period: int) -> None:
        self._period: Final = period
        self._newest: int | None = None

    def widen(self, ticks: int) -> int:
        """`ticks` plus the whole number of periods that brings it nearest to the newest ticks so far."""
        if self._newest is None:
            self._newest = ticks
            return ticks
        half = self._period // 2
        wide = self._newest + (ticks - self._newest + half) % self._period - half
        self._newest = max(self._newest, wide)
        return wide

    def reset(self) -> None:
        """The counter started anew: the next ticks are the first."""
        self._newest = None


class Granule:
    """The step of a clock, found from its stamps; `us` starts at 1000 and falls as stamps show finer steps.

    Whole steps are the greatest common divisor of the differences. Steps of 1e6/2**k µs are kept as long as
    all stamps lie on their grid, rounded down to whole µs. A granule that is still too large only makes
    bounds wider, so nothing has to be taken back when it falls.
    """

    __slots__ = ("_first", "_grids", "_newest", "_steps", "_whole", "us")

    def __init__(self) -> None:
        self.us = COARSEST_US
        self._first: int | None = None
        self._newest = 0
        self._whole = 0
        self._steps = 0
        # k -> how far the stamps lie off the grid through the first one, lowest and highest, in 2**-k µs
        self._grids = dict.fromkeys(BINARY_POWERS, (0, 0))

    def take(self, stamp_us: int) -> None:
        """Learn from one stamp; those of one clock only."""
        if self._first is None:
            self._first = self._newest = stamp_us
            return
        if stamp_us == self._newest or (self.us == 1 and not self._grids):
            return
        self._newest = stamp_us
        self._steps += 1
        away = stamp_us - self._first
        self._whole = gcd(self._whole, away)
        for k, (lowest, highest) in list(self._grids.items()):
            off = ((away << k) + 500_000) % 1_000_000 - 500_000
            around = min(lowest, off), max(highest, off)
            if around[1] - around[0] > (1 << k) + (1 << k) // 16:  # rounding down moves it by less than 1 µs
                del self._grids[k]
            else:
                self._grids[k] = around
        if self._steps >= STEPS_SEEN:
            binary = -(-1_000_000 >> min(self._grids)) if self._grids else 1
            self.us = min(COARSEST_US, max(self._whole, binary))


class KeyBase:
    """Where the base of ticks_ms lies on that of ticks_us; both already widened, both of one crystal.

    At each moment `ticks_ms` was read, and `ticks_us` in the same turn a little later; so each moment gives a
    distance that is too large by the turn's delay and by what ticks_ms had rounded off. The smallest of the
    last KEY_BASE_MOMENTS is taken: with a heartbeat of 4 a second it is right to some 0.1 ms, always late.
    """

    __slots__ = ("_distances", "_next")

    def __init__(self) -> None:
        self._distances: list[int] = []
        self._next = 0

    def observe(self, ticks_ms: int, ticks_us: int) -> None:
        """Learn from one moment at which both were read."""
        distance = ticks_us - 1000 * ticks_ms
        if len(self._distances) < KEY_BASE_MOMENTS:
            self._distances.append(distance)
        else:
            self._distances[self._next] = distance
        self._next = (self._next + 1) % KEY_BASE_MOMENTS

    @property
    def known(self) -> bool:
        """Whether any moment was observed."""
        return bool(self._distances)

    def us(self, stamp_ms: int) -> int:
        """The ticks_us at which ticks_ms came to `stamp_ms`. Raises ValueError before the first moment."""
        return 1000 * stamp_ms + min(self._distances)

    def reset(self) -> None:
        """The board started anew."""
        self._distances.clear()
        self._next = 0
