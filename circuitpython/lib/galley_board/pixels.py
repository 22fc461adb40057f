"""Pixels: what the host asked for, as light on the parts of one board.

For: turning die and lamp codes into the colour and level of each part. It must not know a game, a pin
or the link: it is given codes and a time. What it may show is decided below it, in `frame`.

Light is shared out by *part* (a die, a lamp, a ring; see `pins.PARTS`): each style is a share of the
board's whole budget, in thousandths, whatever its colour and however many pixels it lights. So a die
that changes its face, or tumbles, keeps its light, and all dice kept and all lamps lit just fit.
Pulses of several parts are set apart evenly, so that one rises as another falls.

`draw` is called every turn. It shows a change of outputs at once (but SHOW_GAP_MS after the last
frame: the driver would wait there), moving parts at most every FRAME_MS, and nothing else. Only parts
whose code changed, or that move, are worked out.
"""

from array import array

from galley_board import glyphs, pins
from galley_board.frame import Frame
from galley_board.limits import units_of
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

# Thousandths of the budget: a die by style, a lamp by mode, the ring. For a whole board they sum to
# 1000 at most. What pulses goes from the first of two shares to the second.
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

MOVING = (False, False, True, False, True, False, False, False)  # by the three bits of a style
_FULL = 256


def wave(now_ms: int, rank: int, of: int) -> int:
    """0..256 and back every PULSE_MS, smooth at both ends; rank of `of` sets waves apart evenly."""
    at = (now_ms * 512 // PULSE_MS + rank * 512 // of) & 511
    if at > 256:
        at = 512 - at
    return at * at * (768 - 2 * at) >> 16


class Renderer:
    """The picture on one board. `board` is a key of `pins.PARTS`; `most_ma` bounds every budget asked for."""

    def __init__(self, strip: "Strip", board: str) -> None:
        parts = pins.PARTS[board]
        self.most_ma = pins.MOST_MA[board][0]
        self.frame = Frame(strip, parts, self.most_ma)
        self._parts = parts
        self._dice = pins.DICE if board == pins.STATION else 0
        self._lamps = pins.LAMPS[board]
        self._lamp_shares = LAMP_SHARES[board]
        self._lamp_pulse = LAMP_PULSE_SHARES[board]
        self._sign_part = 0
        for i in range(len(parts)):
            if parts[i][2][0] == pins.WAITING_PIXEL[board]:
                self._sign_part = i
        self._codes = array("H", [0] * len(parts))
        self._version = -1
        self._sign = 0
        self._brightness = -1
        self._anew = True  # every part must be worked out, not only those whose code changed
        self._pending = True
        self._moving = False
        self._drawn = False
        self._drawn_ms = 0

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
        """Show what is due at `now_ms`; True when there was something to draw.

        `sign` is 0 for the host's outputs, else the colour of the board's own sign, which replaces
        them. `version` grows with every change of the outputs.
        """
        units = units_of(min(budget_ma, self.most_ma))
        if units != self.frame.units or brightness != self._brightness or sign != self._sign:
            self.frame.units = units
            self._brightness = brightness
            self._sign = sign
            self._anew = self._pending = True
        elif version != self._version:
            self._pending = True
        self._version = version
        since = since_ms(now_ms, self._drawn_ms)
        due = not 0 <= since < (SIGN_FRAME_MS if sign else FRAME_MS)
        if not self._pending and not (self._moving and due):
            return False
        if self._drawn and 0 <= since < SHOW_GAP_MS:
            return False
        self._drawn = True
        self._drawn_ms = now_ms
        self._pending = False
        self._moving = False
        if sign:
            self._draw_sign(sign, now_ms)
        else:
            self._draw_dice(dice, now_ms)
            self._draw_lamps(lamps, now_ms)
            if self._anew:
                self._draw_rest()
        self._anew = False
        if not self.frame.show(now_ms):
            self._moving = True  # the limits bent it or held it back: look again at the next frame's time
        return True

    def _draw_dice(self, dice: "array[int]", now_ms: int) -> None:
        glowing = 0
        for i in range(self._dice):
            if dice[i] & 7 == glyphs.GLOW:
                glowing += 1
        rank = 0
        for i in range(self._dice):
            code = dice[i]
            style = code & 7
            if MOVING[style]:
                self._moving = True
            elif code == self._codes[i] and not self._anew:
                continue
            self._codes[i] = code
            glyph = code >> 3
            mask = glyphs.MASKS[glyph]
            share = DIE_SHARES[style] * _FULL if style < len(DIE_SHARES) else 0
            if style == glyphs.ROLLING:
                mask = glyphs.ROLL_MASKS[(now_ms // ROLL_MS + i) & 3]
            elif style == glyphs.GLOW:
                low, high = GLOW_SHARES
                share = low * _FULL + (high - low) * wave(now_ms, rank, glowing)
                rank += 1
            self.frame.set(i, mask, glyphs.GLYPH_COLOURS[glyph], share * self._brightness // 255)

    def _draw_lamps(self, lamps: "array[int]", now_ms: int) -> None:
        pulsing = 0
        for i in range(self._lamps):
            if lamps[i] & 3 == glyphs.PULSE and lamps[i] >> 2:
                pulsing += 1
        rank = 0
        for i in range(self._lamps):
            code = lamps[i]
            colour = code >> 2
            mode = code & 3
            part = self._dice + i
            pulses = mode == glyphs.PULSE and colour
            if pulses:
                self._moving = True
            elif code == self._codes[part] and not self._anew:
                continue
            self._codes[part] = code
            known = colour < len(glyphs.COLOURS) and mode < len(glyphs.MODES)
            share = self._lamp_shares[mode] * _FULL if known else 0
            if pulses:
                low, high = self._lamp_pulse
                share = low * _FULL + (high - low) * wave(now_ms, rank, pulsing)
                rank += 1
            if not known:
                colour = 0
            self.frame.set(part, 1 if colour else 0, colour, share * self._brightness // 255)

    def _draw_rest(self) -> None:
        for i in range(self._dice + self._lamps, len(self._parts)):
            _, kind, places = self._parts[i]
            mask = (1 << len(places)) - 1 if kind == "ring" else 0
            self.frame.set(i, mask, RING_COLOUR, RING_SHARE * _FULL * self._brightness // 255)

    def _draw_sign(self, sign: int, now_ms: int) -> None:
        if self._anew:
            for i in range(len(self._parts)):
                self.frame.set(i, 0, 0, 0)
        low, high = SIGN_SHARES
        self.frame.set(self._sign_part, 1, sign, low * _FULL + (high - low) * wave(now_ms, 0, 1))
        self._moving = True
