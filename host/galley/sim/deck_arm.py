"""The arm of the simulated deck: an angle that a motor turns, and the marks that it passes.

For: `deck_rig`, which drives it by a board's pins and lets it push what lies there. It knows angle and speed,
no board and no dropping. Time comes in as what has passed, in s.
"""

from __future__ import annotations

import math
from typing import Final

from galley_board import eye

HOME_HALF_DEG: Final = float(eye.HOME_HALF_DEG)
NUDGE_DEG: Final = 1e-6


class Arm:
    """An arm on a motor: `deg` is counted on past 360, home at every full turn. Times in s."""

    def __init__(self, sectors: int) -> None:
        self.deg = 0.0
        self.speed_deg_s = 0.0
        self._sector_deg = 360 / sectors
        self._sectors = sectors

    @property
    def heading(self) -> int:
        """1 or -1; 1 while it stands."""
        return -1 if self.speed_deg_s < 0 else 1

    @property
    def at_home(self) -> bool:
        """Whether the home switch sees it."""
        return abs((self.deg + 180) % 360 - 180) <= HOME_HALF_DEG

    @property
    def sector(self) -> int:
        """The sector it is in; sector 0 lies about home."""
        return round(self.deg / self._sector_deg) % self._sectors

    def next_mark(self) -> float:
        """The angle of the next border of a sector, or edge of home, in its way."""
        half = self._sector_deg / 2
        grids = ((self._sector_deg, half), (360.0, HOME_HALF_DEG), (360.0, -HOME_HALF_DEG))
        if self.heading > 0:
            return min(_above(self.deg, step, offset) for step, offset in grids)
        return -min(_above(-self.deg, step, offset) for step, offset in grids)

    def wait_s(self) -> float | None:
        """How long until it is there; None while it stands."""
        if not self.speed_deg_s:
            return None
        return abs((self.next_mark() - self.deg) / self.speed_deg_s)

    def turn(self, passed_s: float) -> bool:
        """Let time pass, but no further than the next mark; whether it has just gone over that."""
        mark, deg = self.next_mark(), self.deg + self.speed_deg_s * passed_s
        if self.speed_deg_s and (mark - deg) * self.heading <= 0:
            self.deg = mark + NUDGE_DEG * self.heading
            return True
        self.deg = deg
        return False


def _above(deg: float, step: float, offset: float) -> float:
    """The first of offset + n * step that is greater than `deg`."""
    return offset + (math.floor((deg - offset + NUDGE_DEG / 2) / step) + 1) * step
