"""Pixels: what the host asked for, as light on the parts of one board.

For: turning die and lamp codes into the colour and level of each part. It must not know a game, a pin
or the link: it is given codes and a time. What it may show is decided below it, in `frame`.

Light is shared out by *part* (a die, a lamp, a ring; see `pins.parts`): each style is a share of the
board's whole budget, in thousandths, whatever its colour and however many pixels it lights. So a die
that changes its face, or tumbles, keeps its light, and all dice kept and all lamps lit just fit.
Pulses of several parts are set apart evenly, so that one rises as another falls.

`draw` is called every turn. It begins a frame when the outputs changed (but SHOW_GAP_MS after the last one:
the driver would wait there) and, for parts that move, every FRAME_MS. Only parts whose code changed, or
that move, are worked out. A frame in which much changes takes several turns: each does WORK of it (see
`frame`).
"""

from array import array

from galley_board import glyphs, pins
from galley_board.frame import WORK, Frame
from galley_board.limits import units_of
from galley_board.link import since_ms

TYPE_CHECKING = False  # a board has no typing module; type checkers take it for true
if TYPE_CHECKING:
    from galley_board.hardware_types import Strip


FRAME_MS = 33
SIGN_FRAME_MS = 100
SHOW_GAP_MS = 3
SET_WORK = 20  # of WORK, as measured on the second Python
SAME_WORK = 2
DECK_WORK = 40  # what a deck does in a turn, where eye and drum move beside the pixels
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
LIGHTS = (PUPIL, HOLE, HOLE + 1, HOLE + 2, HOLE + 3)

MOVING = (False, False, True, False, True, False, False, False)  # by the three bits of a style
_FULL = 256


def wave(now_ms: int, rank: int, of: int) -> int:
    """0..256 and back every PULSE_MS, smooth at both ends; rank of `of` sets waves apart evenly."""
    at = (now_ms % PULSE_MS * 512 // PULSE_MS + rank * 512 // of) & 511
    if at > 256:
        at = 512 - at
    return at * at * (768 - 2 * at) >> 16


class Renderer:
    """The picture on one board, a key of `pins.PIXELS`. `most_ma` bounds every budget asked for."""

    def __init__(self, strip: "Strip", board: str) -> None:
        parts = pins.parts(board)
        self.most_ma = pins.MOST_MA[board][0]
        self.frame = Frame(strip, parts, self.most_ma)
        self._whole = array("H", [(1 << len(places)) - 1 for places in parts])  # every pixel of a part lit
        self._dice = pins.DICE if board == pins.STATION else 0
        self._lamps = pins.LAMPS[board]
        self._count = len(parts)
        self._turn_work = DECK_WORK if board == pins.DECK else WORK
        # by part; a die has its own shares, the drift ring one
        self._shares = [LAMP_SHARES[board]] * self._count
        self._pulse_shares = [LAMP_PULSE_SHARES[board]] * self._count
        self._drift_part = self._count
        if board == pins.DECK:
            pupil = self._lamps
            self._drift_part = pupil + 1
            self._shares[pupil:] = [PUPIL_SHARES] + [HOLE_SHARES] * (1 + HOLES)
            self._pulse_shares[pupil:] = [PUPIL_PULSE_SHARES] + [HOLE_PULSE_SHARES] * (1 + HOLES)
        self._sign_part = 0
        for i in range(len(parts)):
            if parts[i][0] == pins.WAITING_PIXEL[board]:
                self._sign_part = i
        self._codes = array("H", [0] * self._count)
        self._moves = bytearray(self._count)
        self._part = -1  # the next to be worked out; -1 between frames
        self._rank = 0
        self._glowing = 0
        self._pulsing = 0
        self._version = -1
        self._sign = 0
        self._brightness = -1
        self._anew = True  # every part must be worked out, not only those whose code changed
        self._pending = True
        self._moving = False
        self._drawn = False
        self._drawn_ms = 0
        self._shown_ms = 0

    @property
    def drawing(self) -> bool:
        """Whether a frame is in work."""
        return self._part >= 0 or not self.frame.idle

    def waits(self, version: int) -> bool:
        """Whether there is something to draw, with the outputs at this version."""
        return self.drawing or self._pending or version != self._version

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
        """Do the next bit of what is due at `now_ms`; True when there was something to draw.

        `sign` is 0 for the host's outputs, else the colour of the board's own sign, which replaces
        them. `version` grows with every change of the outputs.
        """
        units = units_of(min(budget_ma, self.most_ma))
        if units != self.frame.units or brightness != self._brightness or sign != self._sign:
            self.frame.units = units
            self._brightness = brightness
            self._sign = sign
            self._anew = self._pending = True
            self._part = -1
        elif version != self._version:
            self._pending = True
        self._version = version
        left = self._turn_work
        if not self.drawing:
            if not self._due(now_ms):
                return False
            self._begin(dice, lamps, deck, now_ms)
            left -= SAME_WORK * self._count
        while left > 0 and self._part >= 0:
            left -= self._draw_sign() if sign else self._work(dice, lamps, deck)
            if self._part == self._count:
                self._part = -1
                self._anew = False
                self.frame.begin()
        while left > 0 and not self.frame.idle and (left == self._turn_work or not self.frame.alone):
            left -= self.frame.step(now_ms)
        if not self.drawing:
            self._shown_ms = now_ms
            if not self.frame.whole:
                self._moving = True  # the limits bent it or held it back: look again at the next frame's time
        return True

    def _due(self, now_ms: int) -> bool:
        since = since_ms(now_ms, self._drawn_ms)
        due = not 0 <= since < (SIGN_FRAME_MS if self._sign else FRAME_MS)
        if not self._pending and not (self._moving and due):
            return False
        return not (self._drawn and 0 <= since_ms(now_ms, self._shown_ms) < SHOW_GAP_MS)

    def _begin(self, dice: "array[int]", lamps: "array[int]", deck: "array[int]", now_ms: int) -> None:
        """Begin a frame, as of `now_ms`."""
        self._drawn = True
        self._drawn_ms = now_ms
        self._pending = self._moving = False
        self._part = self._rank = 0
        self._glowing = self._pulsing = 0
        if self._sign:
            return
        for part in range(self._dice):
            self._glowing += dice[part] & 7 == glyphs.GLOW
        for part in range(self._lamps):
            self._pulsing += lamps[part] & 3 == glyphs.PULSE and lamps[part] > 3
        if self._drift_part < self._count:
            for place in LIGHTS:
                self._pulsing += deck[place] & 3 == glyphs.PULSE and deck[place] > 3

    def _code(self, part: int, dice: "array[int]", lamps: "array[int]", deck: "array[int]") -> int:
        """What is asked of a part; of a deck's after its lamps it stands in the same order in `deck`."""
        if part < self._dice:
            return dice[part]
        part -= self._dice
        return lamps[part] if part < self._lamps else deck[PUPIL + part - self._lamps]

    def _work(self, dice: "array[int]", lamps: "array[int]", deck: "array[int]") -> int:
        """Work out the next part that needs it; how much work that was, in parts of WORK."""
        codes = self._codes
        passed = 0
        for part in range(self._part, self._count):
            if part == self._dice:
                self._rank = 0  # dice glow among themselves, lights pulse among themselves
            code = self._code(part, dice, lamps, deck)
            if self._anew or code != codes[part] or self._moves[part]:
                self._part = part + 1
                codes[part] = code
                self._draw_part(part, code)
                return SET_WORK + passed
            passed += SAME_WORK
        self._part = self._count
        return passed

    def _draw_part(self, part: int, code: int) -> None:
        """Set one part to what a code says."""
        moves = False
        if part < self._dice:
            moves = MOVING[code & 7]
            self._draw_die(part, code >> 3, code & 7)
        elif part == self._drift_part:
            lit = DRIFT_PIXELS[code] if code < len(DRIFT_PIXELS) else 0
            self._set(part, (1 << lit) - 1, DRIFT_COLOURS[code] if lit else 0, DRIFT_SHARE * _FULL)
        else:
            moves = code & 3 == glyphs.PULSE and code >> 2 != 0
            self._draw_light(part, code >> 2, code & 3)
        self._moves[part] = moves
        self._moving = self._moving or moves

    def _set(self, part: int, mask: int, colour: int, share: int) -> None:
        self.frame.set(part, mask, colour, share * self._brightness // 255)

    def _draw_die(self, die: int, glyph: int, style: int) -> None:
        mask = glyphs.MASKS[glyph]
        share = DIE_SHARES[style] * _FULL if style < len(DIE_SHARES) else 0
        if style == glyphs.ROLLING:
            mask = glyphs.ROLL_MASKS[(self._drawn_ms // ROLL_MS + die) & 3]
        elif style == glyphs.GLOW:
            share = self._wave(GLOW_SHARES, self._glowing)
        self._set(die, mask, glyphs.GLYPH_COLOURS[glyph], share)

    def _draw_light(self, part: int, colour: int, mode: int) -> None:
        share = 0
        if colour >= len(glyphs.COLOURS) or mode >= len(glyphs.MODES):
            colour = 0
        elif mode == glyphs.PULSE and colour:
            share = self._wave(self._pulse_shares[part], self._pulsing)
        else:
            share = self._shares[part][mode] * _FULL
        self._set(part, self._whole[part] if colour else 0, colour, share)

    def _wave(self, shares: "tuple[int, int]", of: int) -> int:
        """The share of the next of `of` parts that go up and down together."""
        low, high = shares
        rank = self._rank
        self._rank = rank + 1
        return low * _FULL + (high - low) * wave(self._drawn_ms, rank, max(1, of))

    def _draw_sign(self) -> int:
        """The next part of a board's own sign: one that pulses, the others dark."""
        part = self._part if self._anew else self._sign_part
        self._part = part + 1 if self._anew else self._count
        self._moving = True
        if part == self._sign_part:
            self._set(part, 1, self._sign, self._wave(SIGN_SHARES, 1))
        else:
            self.frame.set(part, 0, 0, 0)
        return SET_WORK
