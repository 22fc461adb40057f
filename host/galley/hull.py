"""The lower convex hull of points that come from left to right, and what a straight line under it can reach.

For: the two-variable linear programs of `clock`. It must not know what the points mean.

Points are (x, y). Each is loosened by `bend * (x - at)**2` as seen from a place `at`: a line drawn for `at`
may pass above a point by that much. Loosening by a square is the same as adding `bend * x**2` to every y
and tilting the line, so one hull of the points (x, y + bend * x**2) serves every `at`.

The hull is Andrew's monotone chain (1979): adding a point costs a constant time on average, a question the
logarithm of the number of corners.
"""

from __future__ import annotations

from bisect import bisect_right

ROUNDS = 64  # Newton's steps go from corner to corner: 4 to 8 are usual


class Hull:
    """The lower hull of what was added; `bend` is how fast old points loosen, in y per x squared."""

    __slots__ = ("_slopes", "_xs", "_zs", "bend")

    def __init__(self, bend: float) -> None:
        self.bend = bend
        self._xs: list[float] = []
        self._zs: list[float] = []
        self._slopes: list[float] = []  # of the edges, rising; one fewer than corners

    def __len__(self) -> int:
        return len(self._xs)

    def add(self, x: float, y: float) -> None:
        """Add a point that is not left of any other."""
        xs, zs, slopes = self._xs, self._zs, self._slopes
        z = y + self.bend * x * x
        if xs and x <= xs[-1]:
            if z >= zs[-1]:
                return
            xs.pop()
            zs.pop()
            if slopes:
                slopes.pop()
        while slopes and z - zs[-1] <= slopes[-1] * (x - xs[-1]):
            xs.pop()
            zs.pop()
            slopes.pop()
        if xs:
            slopes.append((z - zs[-1]) / (x - xs[-1]))
        xs.append(x)
        zs.append(z)

    def corners(self) -> list[tuple[float, float]]:
        """The corners as points (x, y), from left to right."""
        return [(x, z - self.bend * x * x) for x, z in zip(self._xs, self._zs, strict=True)]

    def reach(self, slope: float, at: float) -> tuple[float, float]:
        """How high a line of this slope may be at `at`, under all points, and the x where it meets one."""
        bend = self.bend
        i = bisect_right(self._slopes, slope + 2 * bend * at)
        x = self._xs[i]
        return self._zs[i] + bend * at * (at - 2 * x) - slope * (x - at), x

    def highest(self, least: float, most: float, at: float) -> float:
        """How high any line with a slope from `least` to `most` may be at `at` to stay under all points."""
        height, x = self.reach(most, at)
        if x <= at:
            return height
        height, x = self.reach(least, at)
        if x >= at:
            return height
        xs, zs = self._xs, self._zs
        i = bisect_right(xs, at) - 1
        return zs[i] + self._slopes[i] * (at - xs[i]) - self.bend * at * at


def steepest(
    upper: Hull,
    lower: Hull,
    upper_at: float,
    lower_at: float,
    gap: float,
    limits: tuple[float, float],
) -> float | None:
    """The largest slope within `limits` of a line under `upper` and over the mirrored `lower`.

    `lower` holds its points with y turned round. Seen from `upper_at` and `lower_at` the line has the same
    height, and `gap` more room between them. None when no line fits. Newton's method on the room between
    both, a concave function of the slope: it comes from the right and never steps past the answer.
    """
    least, slope = limits
    for _ in range(ROUNDS):
        under, upper_x = upper.reach(slope, upper_at)
        over, lower_x = lower.reach(-slope, lower_at)
        room = under + over + gap
        if room >= 0:
            return slope
        rate = (lower_x - lower_at) - (upper_x - upper_at)
        if rate >= 0:
            return None
        step = slope - room / rate
        if step >= slope:  # the rest is rounding
            return slope
        if step < least:
            return None
        slope = step
    return slope
