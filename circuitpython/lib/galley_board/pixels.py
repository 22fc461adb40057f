"""Pixels: what the host asked for, as light on one board's chain.

For: turning die and lamp codes into colours, a pixel at a time, within the limits of `limits`. It
must not know a game, a pin or the link: it is given codes, a time and a strip.

Hardware: WS2812 pixels on one data line, driven by `neopixel.NeoPixel` (any object with `strip[i] =
0xRRGGBB` and `show()` will do).

Light is shared out by *part* (a die, a lamp, a ring; see `pins.PARTS`): each style is a share of the
board's whole budget, in thousandths, whatever its colour and however many pixels it lights. So a die
that changes its face, or tumbles, keeps its light, and all dice kept and all lamps lit just fit.
Pulses of several parts are set apart evenly, so that one rises as another falls.

`draw` is called every turn. It shows a change of outputs at once (but SHOW_GAP_MS after the last
frame: the driver would wait there), moving parts at most every FRAME_MS, and nothing else.
"""

from array import array

from galley_board import glyphs, pins
from galley_board.limits import DARK_PART, FlashGuard, light_of, units_of
from galley_board.link import since_ms

try:
    from galley_board.hardware_types import Strip
except ImportError:  # a board has no typing module
    pass

FRAME_MS = 33
SIGN_FRAME_MS = 100
SHOW_GAP_MS = 3
PULSE_MS = 2048  # a power of two: it divides the period of ticks_ms
ROLL_MS = 128

# thousandths of the budget for one die by style, one lamp by mode, the ring; they sum to at most
# 1000 for a whole board. `light` means: by pulsing, from the first share to the second.
DIE_SHARES = (50, 100, 50, 20, 50)
GLOW_SHARES = (25, 75)
LAMP_SHARES = {pins.STATION: (16, 16, 5), pins.DECK: (80, 80, 25), pins.UNKNOWN: (0, 0, 0)}
LAMP_PULSE_SHARES = {pins.STATION: (3, 16), pins.DECK: (16, 80), pins.UNKNOWN: (0, 0)}
RING_SHARE = 40
SIGN_SHARES = (2, 12)

# What a board shows by itself: one pixel that pulses slowly, and a colour that says why.
SIGN_WAITING = 5  # white: waiting for the host
SIGN_FAULT = 7  # orange: a fault that a person must mend; the console says which
RING_COLOUR = 5

_FULL = 256


def _wave(now_ms: int, rank: int, of: int) -> int:
    """0..256 and back every PULSE_MS, smooth at both ends; rank of `of` sets waves apart evenly."""
    at = (now_ms * 512 // PULSE_MS + rank * 512 // of) & 511
    if at > 256:
        at = 512 - at
    return at * at * (768 - 2 * at) >> 16


def _part_at(parts: "tuple[tuple[str, str, tuple[int, ...]], ...]", pixel: int) -> int:
    for i in range(len(parts)):
        if parts[i][2][0] == pixel:
            return i
    raise ValueError("pixel %d is the first of no part" % pixel)


def _bits(mask: int) -> int:
    count = 0
    while mask:
        count += mask & 1
        mask >>= 1
    return count


class Renderer:
    """The picture on one board. `board` is a key of `pins.PARTS`.

    `most_ma` bounds the budget, whatever is asked for. `lit_units` is the sum of all colour steps now
    shown, `held` counts the times a frame was put off because it would have flashed.
    """

    def __init__(self, strip: "Strip", board: str) -> None:
        parts = pins.PARTS[board]
        count = len(parts)
        self.most_ma = pins.MOST_MA[board][0]
        self.lit_units = 0
        self.held = 0
        self._strip = strip
        self._board = board
        self._count = count
        self._dice = pins.DICE if board == pins.STATION else 0
        self._lamps = pins.LAMPS[board]
        self._lamp_shares = LAMP_SHARES[board]
        self._lamp_pulse = LAMP_PULSE_SHARES[board]
        self._first = array("H", [0] * (count + 1))
        places: "list[int]" = []
        for i in range(count):
            places.extend(parts[i][2])
            self._first[i + 1] = len(places)
        self._place = bytearray(places)
        self._sign = _part_at(parts, pins.WAITING_PIXEL[board])
        # per part: lit pixels as a mask, and the colour of each of them
        self._mask = array("H", [0] * count)
        self._lit = bytearray(count)
        self._red = array("L", [0] * count)
        self._green = array("L", [0] * count)
        self._blue = array("L", [0] * count)
        self._shown_mask = array("H", [0] * count)
        self._shown_colour = array("L", [0] * count)
        self._version = -1
        self._waiting = True
        self._sign_colour = SIGN_WAITING
        self._moving = False
        self._pending = True
        self._shown_ms = 0
        self._drawn = False
        self._units = units_of(self.most_ma)
        self._sum_guard = FlashGuard(self._units // DARK_PART)
        self._light_guard = FlashGuard(light_of(self._units, self._units, self._units) // 3 // DARK_PART)
        self._sum = 0
        self._light = 0

    def draw(
        self,
        dice: "array[int]",
        lamps: "array[int]",
        version: int,
        budget_ma: int,
        brightness: int,
        sign: int,
        now_ms: int,
    ) -> bool:
        """Show what is due at `now_ms`; True when a frame was written.

        `sign` is 0 for the host's outputs, else the colour of the board's own sign, which replaces
        them. `version` grows with every change of the outputs.
        """
        if version != self._version or sign != self._sign_colour:
            self._version = version
            self._sign_colour = sign
            self._units = units_of(min(budget_ma, self.most_ma))
            self._pending = True
        since = since_ms(now_ms, self._shown_ms)
        due = not 0 <= since < (SIGN_FRAME_MS if sign else FRAME_MS)
        if not self._pending and not (self._moving and due):
            return False
        if self._drawn and 0 <= since < SHOW_GAP_MS:
            return False
        self._shown_ms = now_ms
        self._drawn = True
        self._pending = False
        self._moving = False
        if sign:
            self._draw_sign(sign, now_ms)
        else:
            self._draw_dice(dice, brightness, now_ms)
            self._draw_lamps(lamps, brightness, now_ms)
        return self._show(now_ms)

    # -- what each part should be --------------------------------------------------------------

    def _draw_dice(self, dice: "array[int]", brightness: int, now_ms: int) -> None:
        glowing = 0
        for i in range(self._dice):
            if dice[i] & 7 == glyphs.GLOW:
                glowing += 1
        rank = 0
        for i in range(self._dice):
            code = dice[i]
            glyph = code >> 3
            style = code & 7
            mask = glyphs.MASKS[glyph]
            share = DIE_SHARES[style] * _FULL if style < len(DIE_SHARES) else 0
            if style == glyphs.ROLLING:
                mask = glyphs.ROLL_MASKS[(now_ms // ROLL_MS + i) & 3]
                self._moving = True
            elif style == glyphs.GLOW:
                low, high = GLOW_SHARES
                share = low * _FULL + (high - low) * _wave(now_ms, rank, glowing)
                rank += 1
                self._moving = True
            self._set(i, mask, glyphs.GLYPH_COLOURS[glyph], share * brightness // 255)

    def _draw_lamps(self, lamps: "array[int]", brightness: int, now_ms: int) -> None:
        pulsing = 0
        for i in range(self._lamps):
            if lamps[i] & 3 == glyphs.PULSE and lamps[i] >> 2:
                pulsing += 1
        rank = 0
        for i in range(self._lamps):
            colour = lamps[i] >> 2
            mode = lamps[i] & 3
            if colour > 9 or mode > 2:
                colour = mode = 0
            share = self._lamp_shares[mode] * _FULL
            if mode == glyphs.PULSE and colour:
                low, high = self._lamp_pulse
                share = low * _FULL + (high - low) * _wave(now_ms, rank, pulsing)
                rank += 1
                self._moving = True
            self._set(self._dice + i, 1 if colour else 0, colour, share * brightness // 255)
        for i in range(self._dice + self._lamps, self._count):
            ring = pins.PARTS[self._board][i][1] == "ring"
            whole = (1 << (self._first[i + 1] - self._first[i])) - 1
            self._set(i, whole if ring else 0, RING_COLOUR, RING_SHARE * _FULL * brightness // 255)

    def _draw_sign(self, sign: int, now_ms: int) -> None:
        low, high = SIGN_SHARES
        share = low * _FULL + (high - low) * _wave(now_ms, 0, 1)
        for i in range(self._count):
            self._set(i, 1 if i == self._sign else 0, sign, share)
        self._moving = True

    def _set(self, part: int, mask: int, colour: int, share: int) -> None:
        """`share` in 1/256 of a thousandth of the budget, for all lit pixels of the part together."""
        if mask != self._mask[part]:
            self._mask[part] = mask
            self._lit[part] = _bits(mask)
        lit = self._lit[part]
        at = 3 * colour
        # units for each lit pixel, in 1/256 too; a colour's three shares sum to 255
        each = share * self._units // 1000 // lit if lit else 0
        shares = glyphs.COLOUR_SHARES
        self._red[part] = min(255, (each * shares[at] // 255 + 128) >> 8)
        self._green[part] = min(255, (each * shares[at + 1] // 255 + 128) >> 8)
        self._blue[part] = min(255, (each * shares[at + 2] // 255 + 128) >> 8)

    # -- the limits ----------------------------------------------------------------------------

    def _measure(self) -> None:
        total = light = 0
        for i in range(self._count):
            lit = self._lit[i]
            if lit:
                red, green, blue = self._red[i], self._green[i], self._blue[i]
                total += lit * (red + green + blue)
                light += lit * light_of(red, green, blue)
        self._sum = total
        self._light = light

    def _dim(self, numerator: int, denominator: int) -> None:
        for i in range(self._count):
            if self._lit[i]:
                self._red[i] = self._red[i] * numerator // denominator
                self._green[i] = self._green[i] * numerator // denominator
                self._blue[i] = self._blue[i] * numerator // denominator
        self._measure()

    def _brighten(self, numerator: int, denominator: int) -> None:
        for i in range(self._count):
            if self._lit[i]:
                self._red[i] = min(255, -(-self._red[i] * numerator // denominator))
                self._green[i] = min(255, -(-self._green[i] * numerator // denominator))
                self._blue[i] = min(255, -(-self._blue[i] * numerator // denominator))
        self._measure()

    def _recall(self) -> None:
        """Take up again what is shown now."""
        for i in range(self._count):
            mask = self._shown_mask[i]
            colour = self._shown_colour[i]
            self._mask[i] = mask
            self._lit[i] = _bits(mask)
            self._red[i] = colour >> 16
            self._green[i] = colour >> 8 & 255
            self._blue[i] = colour & 255
        self._measure()

    def _within_limits(self) -> bool:
        return (
            self._sum <= self._units
            and self._sum_guard.low <= self._sum <= self._sum_guard.high
            and self._light_guard.low <= self._light <= self._light_guard.high
        )

    def _bend(self) -> None:
        """Dim or brighten the whole frame towards what the guards allow, so that it need not wait."""
        if not self._sum or not self._light:
            return
        if self._sum < self._sum_guard.low:
            self._brighten(self._sum_guard.low, self._sum)
        if self._light < self._light_guard.low:
            self._brighten(self._light_guard.low, self._light)
        if self._sum > min(self._sum_guard.high, self._units):
            self._dim(min(self._sum_guard.high, self._units), self._sum)
        if self._light > self._light_guard.high:
            self._dim(self._light_guard.high, self._light)

    def _show(self, now_ms: int) -> bool:
        self._measure()
        if self._sum > self._units:
            self._dim(self._units, self._sum)
        self._sum_guard.bounds(now_ms)
        self._light_guard.bounds(now_ms)
        if not self._within_limits():
            self._moving = True  # look again at the next frame's time
            self._bend()
            if not self._within_limits():
                # the frame would flash, so it waits; what is shown still obeys a lowered budget
                self.held += 1
                if self.lit_units <= self._units:
                    return False
                self._recall()
                self._dim(self._units, self._sum)
        self.lit_units = self._sum
        self._sum_guard.admit(self._sum, now_ms)
        self._light_guard.admit(self._light, now_ms)
        return self._write()

    def _write(self) -> bool:
        """Give the strip what differs from what it holds, and show it if anything did."""
        strip = self._strip
        changed = False
        for i in range(self._count):
            colour = self._red[i] << 16 | self._green[i] << 8 | self._blue[i]
            mask = self._mask[i] if colour else 0
            if mask == self._shown_mask[i] and (colour == self._shown_colour[i] or not mask):
                continue
            changed = True
            self._shown_mask[i] = mask
            self._shown_colour[i] = colour
            for at in range(self._first[i], self._first[i + 1]):
                strip[self._place[at]] = colour if mask & 1 else 0
                mask >>= 1
        if changed:
            strip.show()
        return changed
