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

# Thousandths of the budget: a die by style; a lamp, the pupil and a hole by mode; the drift ring. For a whole
# board they sum to 1000 at most. What pulses goes from the first of two shares to the second.
DIE_SHARES = (50, 100, 50, 20, 50)
GLOW_SHARES = (25, 75)
LAMP_SHARES = {pins.STATION: (16, 16, 5), pins.DECK: (80, 80, 25), pins.UNKNOWN: (0, 0, 0)}
LAMP_PULSE_SHARES = {pins.STATION: (3, 16), pins.DECK: (16, 80), pins.UNKNOWN: (0, 0)}
PUPIL_SHARES = (160, 160, 50)
PUPIL_PULSE_SHARES = (40, 160)
HOLE_SHARES = (60, 60, 18)
HOLE_PULSE_SHARES = (12, 60)
DRIFT_SHARE = 120
SIGN_SHARES = (2, 12)

# What a board shows by itself: one pixel that pulses slowly, and a colour that says why.
SIGN_WAITING = 5  # white: waiting for the host
SIGN_FAULT = 7  # orange: a fault that a person must mend; the console says which

# The drift ring: how many pixels in which colour for each step of the die towards a hole, 0-3.
DRIFT_PIXELS = (3, 6, 9, 12)
DRIFT_COLOURS = (2, 4, 7, 1)
# Places in a deck's codes (`wire.DARK_DECK`).
PUPIL = 1
DRIFT = 2
HOLE = 3
HOLES = 4

MOVING = (False, False, True, False, True, False, False, False)  # by the three bits of a style
_FULL = 256


def wave(now_ms: int, rank: int, of: int) -> int:
    """0..256 and back every PULSE_MS, smooth at both ends; rank of `of` sets waves apart evenly."""
    at = (now_ms % PULSE_MS * 512 // PULSE_MS + rank * 512 // of) & 511
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
        # lights: lamps, then of a deck the pupil and the holes; the drift ring lies between these two
        self._lights = self._lamps + (1 + HOLES if board == pins.DECK else 0)
        self._drift_part = self._dice + self._lamps + 1 if board == pins.DECK else 0
        self._light_codes = bytearray(self._lights)
        self._light_parts = bytearray(self._lights)
        self._light_shares = [LAMP_SHARES[board]] * self._lamps
        self._light_pulses = [LAMP_PULSE_SHARES[board]] * self._lamps
        if board == pins.DECK:
            self._light_shares += [PUPIL_SHARES] + [HOLE_SHARES] * HOLES
            self._light_pulses += [PUPIL_PULSE_SHARES] + [HOLE_PULSE_SHARES] * HOLES
        for i in range(self._lights):
            self._light_parts[i] = self._dice + i + (1 if i > self._lamps else 0)
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
        deck: "array[int]",
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
            self._draw_lights(lamps, deck, now_ms)
            if self._drift_part:
                self._draw_drift(deck[DRIFT])
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

    def _draw_lights(self, lamps: "array[int]", deck: "array[int]", now_ms: int) -> None:
        codes = self._light_codes
        pulsing = 0
        for i in range(self._lights):
            if i < self._lamps:
                codes[i] = lamps[i]
            else:
                codes[i] = deck[PUPIL if i == self._lamps else HOLE + i - self._lamps - 1]
            if codes[i] & 3 == glyphs.PULSE and codes[i] >> 2:
                pulsing += 1
        rank = 0
        for i in range(self._lights):
            code = codes[i]
            colour = code >> 2
            mode = code & 3
            part = self._light_parts[i]
            pulses = mode == glyphs.PULSE and colour
            if pulses:
                self._moving = True
            elif code == self._codes[part] and not self._anew:
                continue
            self._codes[part] = code
            known = colour < len(glyphs.COLOURS) and mode < len(glyphs.MODES)
            share = self._light_shares[i][mode] * _FULL if known else 0
            if pulses:
                low, high = self._light_pulses[i]
                share = low * _FULL + (high - low) * wave(now_ms, rank, pulsing)
                rank += 1
            if not known:
                colour = 0
            mask = (1 << len(self._parts[part][2])) - 1 if colour else 0
            self.frame.set(part, mask, colour, share * self._brightness // 255)

    def _draw_drift(self, step: int) -> None:
        part = self._drift_part
        if step == self._codes[part] and not self._anew:
            return
        self._codes[part] = step
        lit = DRIFT_PIXELS[step] if step < len(DRIFT_PIXELS) else 0
        colour = DRIFT_COLOURS[step] if lit else 0
        self.frame.set(part, (1 << lit) - 1, colour, DRIFT_SHARE * _FULL * self._brightness // 255)

    def _draw_sign(self, sign: int, now_ms: int) -> None:
        if self._anew:
            for i in range(len(self._parts)):
                self.frame.set(i, 0, 0, 0)
        low, high = SIGN_SHARES
        self.frame.set(self._sign_part, 1, sign, low * _FULL + (high - low) * wave(now_ms, 0, 1))
        self._moving = True
