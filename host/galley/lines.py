"""All the straight lines that a board's clock may follow, seen from the host's clock.

For: from four-stamp exchanges, proved bounds on the host time of any board time. It must not judge samples:
what contradicts the others is `clock`'s to set aside.

Every exchange says two things for certain: the request was sent before the board had it, and the board's
answer was on its way before the host had it. With board time to the right and host time upwards, the
board's clock is a line that passes above all points (rx, sent) and below all points (tx, received). Only
the lower hull of the latter and the upper hull of the former can touch such a line (convex-hull skew
estimation: Moon, Skelly, Towsley, "Estimation and removal of clock skew from network delay measurements",
INFOCOM 1999). The highest and the lowest line at a given board time are the bounds of its host time.

A crystal is not quite straight: its rate changes with temperature. A change of at most BEND moves it off
its tangent by `BEND * age**2 / 2`, so points loosen by that much with age (in place of the fixed margin of
Huygens, Geng et al., NSDI 2018). Old points then hold the rate, new ones the offset.

Points are kept for two to three blocks of BLOCK_US, as the corners of each block's hulls, so memory is
bounded. Inside, x is µs since a base that moves with the blocks, and y is ns above a line of the nominal
rate.
"""

from __future__ import annotations

from collections import deque
from math import inf
from typing import Final, NamedTuple

from galley.hull import Hull, steepest

BLOCK_US: Final = 20_000_000
BLOCKS: Final = 3
MOST_CORNERS: Final = 256  # a block that has so many ends early
RATE_LIMIT: Final = 0.5  # ns per µs: ±500 ppm, a ceramic resonator at its worst
ANY_RATE: Final = (-RATE_LIMIT, RATE_LIMIT)
BEND: Final = 0.8e-10  # ns per µs², half of 0.16 ppm a second: ±3 ppm swings of 2 minutes and longer
STAMP_US: Final = 1  # stamps may be rounded to the nearest µs rather than down
DUST_NS: Final = 0.01  # float rounding


class Exchange(NamedTuple):
    """Host ns sent, board µs received, board µs sent, host ns received."""

    sent_ns: int
    rx_us: int
    tx_us: int
    received_ns: int


class Lines:
    """The lines through one board's exchanges, given in the order of board time, with stamps of a granule."""

    __slots__ = (
        "_base_ns",
        "_base_us",
        "_blocks",
        "_granule_us",
        "_limits",
        "_lower",
        "_newest_lower",
        "_newest_upper",
        "_start",
        "_upper",
        "_witness",
    )

    def __init__(self, first: Exchange, granule_us: int, limits: tuple[float, float] = ANY_RATE) -> None:
        """`limits`: rates beyond the nominal one, in ns per µs, that hold for the first block."""
        self._base_us = first.rx_us
        self._base_ns = first.sent_ns
        self._blocks: deque[tuple[float, list[tuple[float, float]], list[tuple[float, float]]]] = deque()
        self._upper, self._lower = Hull(BEND), Hull(BEND)
        self._newest_upper, self._newest_lower = Hull(BEND), Hull(BEND)
        self._start = 0.0
        self._granule_us = granule_us
        self._limits = limits
        # a line known to fit: its place, height and slope
        self._witness: tuple[float, float, float] | None = None
        self.add(first)

    # -- in -----------------------------------------------------------------------------------------

    def set_granule(self, granule_us: int) -> None:
        """All stamps, those of before too, are known to have this granule."""
        if granule_us != self._granule_us:
            self._granule_us = granule_us
            self._witness = None

    def miss_ns(self, sample: Exchange) -> float:
        """By how much no line fits `sample` too; 0 when one does."""
        granule_us = self._granule_us
        low_x, low_y, high_x, high_y = self._points(sample)
        low_x, low_y = low_x + granule_us, low_y - 1000 * granule_us
        high_x, high_y = high_x - STAMP_US, high_y + 1000 * STAMP_US
        low_fits = high_fits = False
        if self._witness is not None:
            at, height, slope = self._witness
            low_fits = low_y <= height + slope * (low_x - at)
            high_fits = high_y >= height + slope * (high_x - at)
        miss = 0.0
        if not low_fits:
            over = self._heights(low_x)
            miss = inf if over is None else max(miss, low_y - over[1] - DUST_NS)
        if not high_fits:
            under = self._heights(high_x)
            miss = inf if under is None else max(miss, under[0] - high_y - DUST_NS)
        return miss

    def add(self, sample: Exchange) -> bool:
        """Take a sample; False when it proves that there is no line any more."""
        low_x, low_y, high_x, high_y = self._points(sample)
        if (
            low_x - self._start >= BLOCK_US
            or len(self._newest_upper) + len(self._newest_lower) > MOST_CORNERS
        ):
            self._next_block(low_x)
            low_x, low_y, high_x, high_y = self._points(sample)
        for hull in (self._upper, self._newest_upper):
            hull.add(high_x, high_y)
        for hull in (self._lower, self._newest_lower):
            hull.add(low_x, -low_y)
        if self._witness is not None:
            at, height, slope = self._witness
            granule_us = self._granule_us
            over = height + slope * (low_x + granule_us - at)
            under = height + slope * (high_x - STAMP_US - at)
            if low_y - 1000 * granule_us <= over and high_y + 1000 * STAMP_US >= under:
                return True
        self._witness = self._middle(high_x)
        return self._witness is not None

    def _points(self, sample: Exchange) -> tuple[float, float, float, float]:
        low_x = sample.rx_us - self._base_us
        high_x = sample.tx_us - self._base_us
        low_y = sample.sent_ns - self._base_ns - 1000 * low_x
        high_y = sample.received_ns - self._base_ns - 1000 * high_x
        return float(low_x), float(low_y), float(high_x), float(high_y)

    def _next_block(self, now_x: float) -> None:
        """End a block, forget what is too old, and move the base to the oldest block that is kept."""
        self._limits = ANY_RATE
        blocks = self._blocks
        blocks.append((self._start, self._newest_upper.corners(), self._newest_lower.corners()))
        while len(blocks) >= BLOCKS:
            blocks.popleft()
        move_x = int(blocks[0][0])
        move_y = 0.0 if self._witness is None else float(round(self._witness[2] * move_x))
        self._base_us += move_x
        self._base_ns += 1000 * move_x + int(move_y)
        self._upper, self._lower = Hull(BEND), Hull(BEND)
        for number, (start, upper, lower) in enumerate(blocks):
            moved_upper = [(x - move_x, y - move_y) for x, y in upper]
            moved_lower = [(x - move_x, y + move_y) for x, y in lower]
            blocks[number] = (start - move_x, moved_upper, moved_lower)
            for x, y in moved_upper:
                self._upper.add(x, y)
            for x, y in moved_lower:
                self._lower.add(x, y)
        self._newest_upper, self._newest_lower = Hull(BEND), Hull(BEND)
        self._start = now_x - move_x
        if self._witness is not None:
            at, height, slope = self._witness
            self._witness = (at - move_x, height - move_y, slope)

    # -- out ----------------------------------------------------------------------------------------

    def span(self, board_us: int) -> tuple[float, float] | None:
        """The host ns between which `board_us` was, less `nominal_ns(board_us)`; None when no line fits."""
        return self._heights(float(board_us - self._base_us))

    def nominal_ns(self, board_us: int) -> int:
        """The host time of `board_us` on the line of the nominal rate through the base."""
        return self._base_ns + 1000 * (board_us - self._base_us)

    def rates(self, board_us: int) -> tuple[float, float] | None:
        """The least and the largest rate at `board_us`, in host ns per board µs above 1000; None: no line."""
        return self._slopes(float(board_us - self._base_us))

    def _slopes(self, at: float) -> tuple[float, float] | None:
        upper_at, lower_at, gap = at + STAMP_US, at - self._granule_us, 1000.0 * (STAMP_US + self._granule_us)
        least, most = self._limits
        most_found = steepest(self._upper, self._lower, upper_at, lower_at, gap, (least, most))
        if most_found is None:
            return None
        least_found = steepest(self._lower, self._upper, lower_at, upper_at, gap, (-most, -least))
        return None if least_found is None else (min(-least_found, most_found), most_found)

    def _heights(self, at: float) -> tuple[float, float] | None:
        slopes = self._slopes(at)
        if slopes is None:
            return None
        least, most = slopes
        high = self._upper.highest(least, most, at + STAMP_US) + 1000 * STAMP_US
        low = -(self._lower.highest(-most, -least, at - self._granule_us) + 1000 * self._granule_us)
        return (low, high) if low <= high else ((low + high) / 2, (low + high) / 2)

    def _middle(self, at: float) -> tuple[float, float, float] | None:
        slopes = self._slopes(at)
        if slopes is None:
            return None
        slope = (slopes[0] + slopes[1]) / 2
        high = self._upper.reach(slope, at + STAMP_US)[0] + 1000 * STAMP_US
        low = -(self._lower.reach(-slope, at - self._granule_us)[0] + 1000 * self._granule_us)
        return at, (low + high) / 2, slope
