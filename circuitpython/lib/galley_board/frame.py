"""One frame of light: what each part should shine, brought within the limits, given to the chain.

For: the last step before the pixels, which nothing goes around: whatever was asked for, no frame draws
more than the budget or makes a third flash in a second. It must not know what a part shows.

Hardware: WS2812 pixels on one data line, driven by `neopixel.NeoPixel` (any object with `strip[i] =
0xRRGGBB` and `show()` will do).

Parts (see `pins.PARTS`) are set one by one, and only those that change cost anything: sums over the
frame are kept up, and the chain gets only the pixels that differ. A frame beyond a limit is dimmed or
brightened as a whole into what is allowed, so that its picture comes at once and only its level waits.
Where that cannot be (all dark, say), the old frame stays a little longer.
"""

from array import array

from galley_board import glyphs
from galley_board.limits import DARK_PART, FlashGuard, light_of, units_of

try:
    from galley_board.hardware_types import Strip
except ImportError:  # a board has no typing module
    pass


def bits_in(mask: int) -> int:
    """How many bits of `mask` are set."""
    count = 0
    while mask:
        count += mask & 1
        mask >>= 1
    return count


class Colours:
    """For each part a mask of its lit pixels and their one colour; `total` and `light` sum up all."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.mask = array("H", [0] * count)
        self.lit = bytearray(count)
        self.red = bytearray(count)
        self.green = bytearray(count)
        self.blue = bytearray(count)
        self.total = 0
        self.light = 0

    def set(self, part: int, mask: int, red: int, green: int, blue: int) -> None:
        """Change one part."""
        self._count(part, -1)
        lit = self.lit[part] if mask == self.mask[part] else bits_in(mask)
        self.put(part, mask, lit, red, green, blue)
        self._count(part, 1)

    def put(self, part: int, mask: int, lit: int, red: int, green: int, blue: int) -> None:
        """Change one part and leave the sums to the caller."""
        self.mask[part] = mask
        self.lit[part] = lit
        self.red[part] = red
        self.green[part] = green
        self.blue[part] = blue

    def _count(self, part: int, sign: int) -> None:
        lit = self.lit[part] * sign
        red, green, blue = self.red[part], self.green[part], self.blue[part]
        self.total += lit * (red + green + blue)
        self.light += lit * light_of(red, green, blue)

    def copy(self, other: "Colours") -> None:
        """Become the same as `other`."""
        for i in range(self.count):
            self.put(i, other.mask[i], other.lit[i], other.red[i], other.green[i], other.blue[i])
        self.total = other.total
        self.light = other.light

    def dim(self, numerator: int, denominator: int) -> None:
        """Scale all colours down; what is left over by rounding is dark."""
        for i in range(self.count):
            self.set(
                i,
                self.mask[i],
                self.red[i] * numerator // denominator,
                self.green[i] * numerator // denominator,
                self.blue[i] * numerator // denominator,
            )

    def brighten(self, numerator: int, denominator: int) -> None:
        """Scale all colours up, as far as a pixel goes; what is left over by rounding is light."""
        for i in range(self.count):
            self.set(
                i,
                self.mask[i],
                min(255, -(-self.red[i] * numerator // denominator)),
                min(255, -(-self.green[i] * numerator // denominator)),
                min(255, -(-self.blue[i] * numerator // denominator)),
            )


class Frame:
    """The frame of one chain. `parts` as in `pins.PARTS`; `most_ma` is the largest budget it may be given.

    `units` is the budget now in force, `held` counts the times a frame had to wait because it would
    have flashed.
    """

    def __init__(
        self, strip: "Strip", parts: "tuple[tuple[str, str, tuple[int, ...]], ...]", most_ma: int
    ) -> None:
        count = len(parts)
        self.units = units_of(most_ma)
        self.held = 0
        self._strip = strip
        self._count = count
        self._first = array("H", [0] * (count + 1))
        places: "list[int]" = []
        for i in range(count):
            places.extend(parts[i][2])
            self._first[i + 1] = len(places)
        self._place = bytearray(places)
        self._wanted = Colours(count)
        self._bent = Colours(count)
        self._shown = Colours(count)
        self._sum_guard = FlashGuard(self.units // DARK_PART)
        self._light_guard = FlashGuard(light_of(self.units, self.units, self.units) // 3 // DARK_PART)

    def set(self, part: int, mask: int, colour: int, share: int) -> None:
        """Have a part shine: `share`, in 1/256 of a thousandth of the budget, for its lit pixels together."""
        lit = self._wanted.lit[part] if mask == self._wanted.mask[part] else bits_in(mask)
        at = 3 * colour
        # units for each lit pixel, in 1/256 too; a colour's three shares sum to 255
        each = share * self.units // 1000 // lit if lit else 0
        shares = glyphs.COLOUR_SHARES
        self._wanted.set(
            part,
            mask,
            min(255, (each * shares[at] // 255 + 128) >> 8),
            min(255, (each * shares[at + 1] // 255 + 128) >> 8),
            min(255, (each * shares[at + 2] // 255 + 128) >> 8),
        )

    def show(self, now_ms: int) -> bool:
        """Show what was set, as nearly as the limits allow; True when that is all of it."""
        self._sum_guard.bounds(now_ms)
        self._light_guard.bounds(now_ms)
        now = self._wanted
        if not self._allowed(now):
            now = self._bent
            now.copy(self._wanted)
            self._bend(now)
            if not self._allowed(now):
                # the frame would flash, so it waits; what is shown still obeys a lowered budget
                self.held += 1
                if self._shown.total <= self.units:
                    return False
                now.copy(self._shown)
                now.dim(self.units, now.total)
        self._sum_guard.admit(now.total, now_ms)
        self._light_guard.admit(now.light, now_ms)
        self._write(now)
        return now is self._wanted

    def _allowed(self, colours: Colours) -> bool:
        return (
            colours.total <= self.units
            and self._sum_guard.low <= colours.total <= self._sum_guard.high
            and self._light_guard.low <= colours.light <= self._light_guard.high
        )

    def _bend(self, colours: Colours) -> None:
        """Dim or brighten a whole frame towards what is allowed."""
        if colours.total > self.units:
            colours.dim(self.units, colours.total)
        if not colours.total or not colours.light:
            return
        if colours.total < self._sum_guard.low:
            colours.brighten(self._sum_guard.low, colours.total)
        if colours.light < self._light_guard.low:
            colours.brighten(self._light_guard.low, colours.light)
        most = min(self._sum_guard.high, self.units)
        if colours.total > most:
            colours.dim(most, colours.total)
        if colours.light > self._light_guard.high:
            colours.dim(self._light_guard.high, colours.light)

    def _write(self, colours: Colours) -> None:
        """Give the strip the pixels that differ from those it holds, and show it if any did."""
        strip = self._strip
        shown = self._shown
        changed = False
        for i in range(self._count):
            mask = colours.mask[i]
            red, green, blue = colours.red[i], colours.green[i], colours.blue[i]
            if (
                mask == shown.mask[i]
                and red == shown.red[i]
                and green == shown.green[i]
                and blue == shown.blue[i]
            ):
                continue
            shown.put(i, mask, colours.lit[i], red, green, blue)
            changed = True
            colour = red << 16 | green << 8 | blue
            for at in range(self._first[i], self._first[i + 1]):
                strip[self._place[at]] = colour if mask & 1 else 0
                mask >>= 1
        shown.total = colours.total
        shown.light = colours.light
        if changed:
            strip.show()
