"""One frame of light: what each part should shine, brought within the limits, given to the chain.

For: the last step before the pixels, which nothing goes around: whatever was asked for, no frame draws
more than the budget or makes a third flash in a second. It must not know what a part shows.

Hardware: WS2812 pixels on one data line, driven by `neopixel.NeoPixel` (any object with `strip[i] =
0xRRGGBB` and `show()` will do).

Parts (see `pins.parts`) are set one by one, and only those that change cost anything: sums over the
frame are kept up, and the chain gets only the pixels that differ. A frame beyond a limit is dimmed or
brightened as a whole into what is allowed, so that its picture comes at once and only its level waits.
Where that cannot be (all dark, say), the old frame stays a little longer.

A frame that was set is brought to light by `step`, again and again until it is there: a whole one takes a
board more than a turn of its loop may take, so each call does a little. WORK of it is about a quarter of a
turn; what takes longer, to scale all colours or to write the chain, says that it wants to be `alone` in one.
"""

from array import array

from galley_board import glyphs
from galley_board.limits import DARK_PART, FlashGuard, light_of, units_of

TYPE_CHECKING = False  # a board has no typing module; type checkers take it for true
if TYPE_CHECKING:
    from galley_board.hardware_types import Strip


# How much work something is, as measured on the second Python.
WORK = 60
PART_WORK = 10  # and as much as it has pixels

_IDLE = 0
_FIT = 1
_BEND = 2
_BENT = _BEND + 5
_PUT = _BENT + 1
_SHOW = _PUT + 1


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

    def set(self, part: int, mask: int, lit: int, red: int, green: int, blue: int) -> None:
        """Change one part, of which `lit` pixels shine."""
        reds, greens, blues = self.red, self.green, self.blue
        was, red_was, green_was, blue_was = self.lit[part], reds[part], greens[part], blues[part]
        self.total += lit * (red + green + blue) - was * (red_was + green_was + blue_was)
        self.light += lit * light_of(red, green, blue) - was * light_of(red_was, green_was, blue_was)
        self.mask[part] = mask
        self.lit[part] = lit
        reds[part] = red
        greens[part] = green
        blues[part] = blue

    def first_other(self, other: "Colours", start: int) -> int:
        """The first part from `start` on that shines otherwise there; `count` when there is none."""
        colours = self.red == other.red and self.green == other.green and self.blue == other.blue
        if colours and self.mask == other.mask:
            return self.count
        reds, greens, blues = self.red, self.green, self.blue
        part = start
        while (
            self.mask[part] == other.mask[part]
            and reds[part] == other.red[part]
            and greens[part] == other.green[part]
            and blues[part] == other.blue[part]
        ):
            part += 1
        return part

    def take(self, part: int, other: "Colours") -> None:
        """Have a part shine here as there, and leave the sums to the caller."""
        self.mask[part] = other.mask[part]
        self.lit[part] = other.lit[part]
        self.red[part] = other.red[part]
        self.green[part] = other.green[part]
        self.blue[part] = other.blue[part]

    def copy(self, other: "Colours") -> None:
        """Become the same as `other`."""
        self.mask[:] = other.mask
        self.lit[:] = other.lit
        self.red[:] = other.red
        self.green[:] = other.green
        self.blue[:] = other.blue
        self.total = other.total
        self.light = other.light

    def dim(self, numerator: int, denominator: int) -> None:
        """Scale all colours down; what is left over by rounding is dark."""
        self._scale(numerator, denominator, 0)

    def brighten(self, numerator: int, denominator: int) -> None:
        """Scale all colours up, as far as a pixel goes; what is left over by rounding is light."""
        self._scale(numerator, denominator, denominator - 1)

    def _scale(self, numerator: int, denominator: int, rest: int) -> None:
        lits, reds, greens, blues = self.lit, self.red, self.green, self.blue
        total = light = 0
        for i in range(self.count):
            lit = lits[i]
            if lit:
                red = (reds[i] * numerator + rest) // denominator
                green = (greens[i] * numerator + rest) // denominator
                blue = (blues[i] * numerator + rest) // denominator
                if numerator > denominator:
                    red, green, blue = min(255, red), min(255, green), min(255, blue)
                reds[i] = red
                greens[i] = green
                blues[i] = blue
                total += lit * (red + green + blue)
                light += lit * light_of(red, green, blue)
        self.total = total
        self.light = light


class Frame:
    """The frame of one chain. `parts` as of `pins.parts`; `most_ma` is the largest budget it may be given.

    `units` is the budget now in force, `held` counts the times a frame had to wait because it would
    have flashed, `whole` says whether what was set last was shown as it is.
    """

    def __init__(self, strip: "Strip", parts: "list[list[int]]", most_ma: int) -> None:
        count = len(parts)
        self.units = units_of(most_ma)
        self.held = 0
        self._strip = strip
        self._count = count
        self._first = array("H", [0] * (count + 1))
        places: "list[int]" = []
        for i in range(count):
            places.extend(parts[i])
            self._first[i + 1] = len(places)
        self._place = bytearray(places)
        self.whole = True
        self._wanted = Colours(count)
        self._bent = Colours(count)
        self._next = self._wanted
        self._stage = _IDLE
        self._at = 0
        self._changed = False
        self._shown = Colours(count)
        self._sum_guard = FlashGuard(self.units // DARK_PART)
        self._light_guard = FlashGuard(light_of(self.units, self.units, self.units) // 3 // DARK_PART)

    def set(self, part: int, mask: int, colour: int, share: int) -> None:
        """Have a part shine: `share`, in 1/256 of a thousandth of the budget, for its lit pixels together."""
        wanted = self._wanted
        lit = wanted.lit[part] if mask == wanted.mask[part] else bits_in(mask)
        at = 3 * colour
        # units for each lit pixel, in 1/256 too; a colour's three shares sum to 255
        each = share * self.units // 1000 // lit if lit else 0
        shares = glyphs.COLOUR_SHARES
        red = min(255, (each * shares[at] // 255 + 128) >> 8)
        green = min(255, (each * shares[at + 1] // 255 + 128) >> 8)
        blue = min(255, (each * shares[at + 2] // 255 + 128) >> 8)
        wanted.set(part, mask, lit, red, green, blue)

    @property
    def idle(self) -> bool:
        """Whether nothing is on its way to the chain: only then may parts be set."""
        return self._stage == _IDLE

    @property
    def alone(self) -> bool:
        """Whether the next step is as much as WORK."""
        return _BEND <= self._stage < _PUT or self._stage == _SHOW

    def begin(self) -> None:
        """Bring to light what was set."""
        self._stage = _FIT

    def step(self, now_ms: int) -> int:
        """Do the next bit of work on what was set; how much that was, in parts of WORK."""
        if self._stage == _FIT:
            return self._fit(now_ms)
        if self._stage < _PUT:
            self._bend()
            return WORK
        if self._stage == _PUT:
            return self._put()
        self._show(now_ms)
        return WORK

    def _fit(self, now_ms: int) -> int:
        """See what the limits allow now, and whether what was set is that."""
        self._sum_guard.bounds(now_ms)
        self._light_guard.bounds(now_ms)
        self._next = self._wanted
        self.whole = self._allowed(self._wanted)
        self._stage = _PUT
        if not self.whole:
            self._next = self._bent
            self._bent.copy(self._wanted)
            self._stage = _BEND
        self._at = 0
        self._changed = False
        return PART_WORK

    def _allowed(self, colours: Colours) -> bool:
        return (
            colours.total <= self.units
            and self._sum_guard.low <= colours.total <= self._sum_guard.high
            and self._light_guard.low <= colours.light <= self._light_guard.high
        )

    def _bend(self) -> None:
        """Dim or brighten a whole frame towards what is allowed, in five steps; do the next that it needs."""
        colours, guard, light_guard = self._bent, self._sum_guard, self._light_guard
        total, light = colours.total, colours.light
        most = min(guard.high, self.units)
        while self._stage < _BENT:
            stage = self._stage
            self._stage = stage + 1
            if stage == _BEND and total > self.units:
                return colours.dim(self.units, total)
            if stage == _BEND + 1 and light and total < guard.low:
                return colours.brighten(guard.low, total)
            if stage == _BEND + 2 and light and light < light_guard.low:
                return colours.brighten(light_guard.low, light)
            if stage == _BEND + 3 and light and total > most:
                return colours.dim(most, total)
            if stage == _BEND + 4 and light > light_guard.high:
                return colours.dim(light_guard.high, light)
        return self._accept()

    def _accept(self) -> None:
        """Take the bent frame, or, where it would flash all the same, let it wait."""
        self._stage = _PUT
        if self._allowed(self._bent):
            return
        # what is shown still obeys a lowered budget
        self.held += 1
        if self._shown.total <= self.units:
            self._stage = _IDLE
            return
        self._bent.copy(self._shown)
        self._bent.dim(self.units, self._bent.total)

    def _put(self) -> int:
        """Give the strip the pixels of the next part that differs from what it holds."""
        colours, shown = self._next, self._shown
        part = shown.first_other(colours, self._at)
        if part < self._count:
            self._at = part + 1
            self._changed = True
            self._put_part(part)
            return PART_WORK + self._first[part + 1] - self._first[part]
        self._stage = _SHOW
        return 1

    def _show(self, now_ms: int) -> None:
        """Write the chain, if anything changed and still may be shown."""
        colours, shown = self._next, self._shown
        shown.total = colours.total
        shown.light = colours.light
        if shown.total > self.units:  # the budget was lowered meanwhile
            self._stage = _FIT
            return
        self._stage = _IDLE
        self._sum_guard.admit(shown.total, now_ms)
        self._light_guard.admit(shown.light, now_ms)
        if self._changed:
            self._strip.show()

    def _put_part(self, part: int) -> None:
        colours, shown, strip, place = self._next, self._shown, self._strip, self._place
        mask = colours.mask[part]
        colour = colours.red[part] << 16 | colours.green[part] << 8 | colours.blue[part]
        either = mask | shown.mask[part]
        at = self._first[part]
        shown.take(part, colours)
        while either:
            if either & 1:
                strip[place[at]] = colour if mask & 1 else 0
            at += 1
            mask >>= 1
            either >>= 1
