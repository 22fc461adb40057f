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

from collections import deque
from math import gcd
from typing import Final

from galley_board.wire import EDGE_DOUBT_US, NO_US

SCAN_US: Final = 1000
TWO_TICKS_US: Final = 20  # a tick that begins so early in a millisecond has another after it
US_PERIOD: Final = 1 << 26
MS_PERIOD: Final = 1 << 29
COARSEST_US: Final = 1000
# 1e6 / 2**k µs is no whole number from k = 7 on: the steps of counters of 128 Hz to 65536 Hz
BINARY_POWERS: Final = range(16, 6, -1)
MOST_ODD: Final = 6  # two stamps each of three exchanges
RECENT: Final = 12
KEY_BASE_MOMENTS: Final = 16
TICKS_MS_ORIGIN: Final = 0x1FFF0000  # ticks_ms at power-on
MOST_LATE_US: Final = 20_000  # a turn that reads both clocks far apart, and the step of ticks_ms


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


class Granule:
    """The step of a clock, found from its stamps; `us` starts at 1000 and falls as stamps show finer steps.

    Whole steps are the greatest common divisor of the differences. Steps of 1e6/2**k µs are kept as long as
    all stamps lie on their grid, rounded down to whole µs. A stamp that asks for a finer step is odd. A few
    odd ones are stray; when MOST_ODD in a row are odd (the clock jumped) the step is found anew from these
    alone, when they are as many among the last RECENT, from all of those. A granule that is too large only
    makes bounds wider; one that is too small would make them wrong.
    """

    __slots__ = ("_first", "_grids", "_newest", "_odd", "_recent", "_run", "_whole", "us")

    def __init__(self) -> None:
        self.us = COARSEST_US
        self._first: int | None = None
        self._newest: int | None = None
        self._whole = 0
        # k -> how far the stamps lie off the grid through the first one, lowest and highest, in 2**-k µs
        self._grids: dict[int, tuple[int, int]] = dict.fromkeys(BINARY_POWERS, (0, 0))
        self._run = 0
        self._recent: deque[int] = deque(maxlen=RECENT)
        self._odd: deque[bool] = deque(maxlen=RECENT)

    def take(self, stamp_us: int) -> None:
        """Learn from one stamp; those of one clock only."""
        if self._first is None:
            self._first = self._newest = stamp_us
        if stamp_us == self._newest or self.us == 1:
            return
        self._newest = stamp_us
        whole, grids = _refined(self._whole, self._grids, stamp_us - self._first)
        odd = _step_us(whole, grids) != self.us
        if not odd:
            self._whole, self._grids = whole, grids
        self._recent.append(stamp_us)
        self._odd.append(odd)
        self._run = self._run + 1 if odd else 0
        if self._run == MOST_ODD:
            self._start(tuple(self._recent)[-MOST_ODD:])
        elif sum(self._odd) == MOST_ODD:
            self._start(tuple(self._recent))

    def holds(self, stamp_us: int) -> bool:
        """Whether a stamp can be one of this clock's, so that it shows the last step, not the instant."""
        if self._first is None or self.us == 1:
            return False
        away_us = stamp_us - self._first
        if self._whole and self._whole % self.us == 0:
            return away_us % self.us == 0
        coarsest = min(self._grids, default=0)
        return bool(coarsest) and coarsest in _refined(0, {coarsest: self._grids[coarsest]}, away_us)[1]

    def _start(self, stamps_us: tuple[int, ...]) -> None:
        """Find the step anew, from these stamps only."""
        self._first, self._newest = stamps_us[0], stamps_us[-1]
        self._whole, self._grids = 0, dict.fromkeys(BINARY_POWERS, (0, 0))
        for stamp_us in stamps_us[1:]:
            self._whole, self._grids = _refined(self._whole, self._grids, stamp_us - stamps_us[0])
        self.us = _step_us(self._whole, self._grids)
        self._recent.clear()
        self._odd.clear()
        self._run = 0


def _refined(
    whole: int, grids: dict[int, tuple[int, int]], away_us: int
) -> tuple[int, dict[int, tuple[int, int]]]:
    """The divisor and the grids that also allow a stamp so far from the first one."""
    left = {}
    for k, (lowest, highest) in grids.items():
        off = ((away_us << k) + 500_000) % 1_000_000 - 500_000
        around = min(lowest, off), max(highest, off)
        if (
            around[1] - around[0] <= (1 << k) + (1 << k) // 16
        ):  # rounding down moves a stamp by less than 1 µs
            left[k] = around
    return gcd(whole, away_us), left


def _step_us(whole: int, grids: dict[int, tuple[int, int]]) -> int:
    binary = -(-1_000_000 >> min(grids)) if grids else 1
    return min(COARSEST_US, max(whole or COARSEST_US, binary))


class KeyBase:
    """Where the base of ticks_ms lies on that of ticks_us; both already widened, both of one counter.

    At each moment `ticks_ms` was read, and `ticks_us` in the same turn a little later, so each moment gives
    a distance that is too large by the turn's delay and by what ticks_ms had rounded off. CircuitPython
    adds TICKS_MS_ORIGIN to the milliseconds of `monotonic_ns` (shared-bindings/supervisor): where the
    moments agree with that the distance is known exactly, up to the wrap of ticks_us. Where they do not,
    the smallest of the last KEY_BASE_MOMENTS is taken; that may be late by `doubt_us`.
    """

    __slots__ = ("_distances", "_exact_us", "_next")

    def __init__(self) -> None:
        self._distances: list[int] = []
        self._exact_us: int | None = None
        self._next = 0

    def observe(self, ticks_ms: int, ticks_us: int) -> None:
        """Learn from one moment at which both were read."""
        distance_us = ticks_us - 1000 * ticks_ms
        if len(self._distances) < KEY_BASE_MOMENTS:
            self._distances.append(distance_us)
        else:
            self._distances[self._next] = distance_us
        self._next = (self._next + 1) % KEY_BASE_MOMENTS
        least_us = min(self._distances)
        late_us = (least_us + 1000 * TICKS_MS_ORIGIN) % US_PERIOD
        self._exact_us = least_us - late_us if late_us <= MOST_LATE_US else None

    @property
    def known(self) -> bool:
        """Whether any moment was observed."""
        return bool(self._distances)

    @property
    def doubt_us(self) -> int:
        """By how much `us` can be late: 0 where the board counts as CircuitPython does."""
        return COARSEST_US if self._exact_us is None else 0

    def stamped(self, stamp_ms: int, us: int) -> tuple[int, int]:
        """When a key's edge was, in ticks_us, and how far off that may be either way.

        `us` is the key frame's. A keypad's scan is up to one scan after the edge and anywhere in its tick,
        which is not known where two begin in one millisecond.
        """
        at_us, doubt_us = self.us(stamp_ms), self.doubt_us
        if us < NO_US:
            return at_us + us, EDGE_DOUBT_US + doubt_us
        if us > NO_US + TWO_TICKS_US and not doubt_us:
            return at_us + us - NO_US - 1, SCAN_US
        return at_us + SCAN_US // 2, SCAN_US + SCAN_US // 2 + doubt_us

    def us(self, stamp_ms: int) -> int:
        """The ticks_us at which ticks_ms came to `stamp_ms`. Raises ValueError before the first moment."""
        return 1000 * stamp_ms + (min(self._distances) if self._exact_us is None else self._exact_us)
