"""What a board never shows, whatever it is asked for: too much current, too many flashes.

For: arithmetic on the light of a whole frame. It must not know what the frame shows.

Current: every step of a pixel's red, green or blue draws 20/255 mA, so a budget in mA is a number of
steps ("units"). The 1 mA that each pixel draws when dark comes on top and is not counted here.

Flashes: a *change* is a turn of a board's mean light by 10 % or more (of the larger of the two
values, and at least of DARK_PART of the whole budget), up after down or down after up. A flash is
two opposing changes. At most 2 flashes, so 4 changes, may fall into any second (design rule, after
WCAG 2.3.1). `FlashGuard` follows one measure of light and says between which values the next frame
may lie; the renderer dims or brightens the frame into that range, or keeps the old one for a while.
"""

from array import array

from galley_board.link import since_ms

UNITS_PER_20_MA = 255
CHANGE_PART = 10  # a tenth
GUARD_PART = 11  # the guard allows an eleventh, to stay clear of a tenth for all rounding
DARK_PART = 100
CHANGES = 4
WINDOW_MS = 1000
ANY = 0x3FFFFFFF


def units_of(budget_ma: int) -> int:
    """How many colour steps, summed over a frame, draw `budget_ma` at most."""
    return budget_ma * UNITS_PER_20_MA // 20


def light_of(red: int, green: int, blue: int) -> int:
    """Relative luminance of a colour in 1/1024 steps (Rec. 709; pixels are linear in their steps)."""
    return 218 * red + 732 * green + 74 * blue


class FlashGuard:
    """Counts the changes of one measure of light, and bounds what may come next.

    `admit` tells the guard what is shown; `low` and `high` are what `bounds` found. Light is a whole
    number in any unit below 2**26, so that no product here needs more than a board's small integers.
    """

    def __init__(self, dark: int) -> None:
        self.low = 0
        self.high = ANY
        self.changes = 0  # since the start, for tests and service
        self._dark = dark
        self._extreme = 0
        self._rising = True
        self._times = array("l", [0] * CHANGES)
        self._used = 0

    def bounds(self, now_ms: int) -> None:
        """Set `low` and `high`, inclusive, for a frame shown at `now_ms`."""
        times = self._times
        while self._used and not 0 <= since_ms(now_ms, times[0]) <= WINDOW_MS:
            self._used -= 1
            for i in range(self._used):
                times[i] = times[i + 1]
        self.low = 0
        self.high = ANY
        if self._used < CHANGES:
            return
        if self._rising:
            self.low = self._extreme - max(self._extreme, self._dark) // GUARD_PART
        else:
            self.high = self._extreme + max(self._extreme, self._dark) // GUARD_PART

    def admit(self, light: int, now_ms: int) -> None:
        """`light` is shown from `now_ms` on."""
        extreme = self._extreme
        larger = max(light, extreme, self._dark)
        if self._rising:
            turned = (extreme - light) * CHANGE_PART >= larger
            further = light > extreme
        else:
            turned = (light - extreme) * CHANGE_PART >= larger
            further = light < extreme
        if turned:
            self._rising = not self._rising
            self._count(now_ms)
        if turned or further:
            self._extreme = light

    def _count(self, now_ms: int) -> None:
        self.changes += 1
        times = self._times
        if self._used == CHANGES:  # a forced change, by a lower budget: the oldest gives way
            for i in range(CHANGES - 1):
                times[i] = times[i + 1]
            self._used -= 1
        times[self._used] = now_ms
        self._used += 1
