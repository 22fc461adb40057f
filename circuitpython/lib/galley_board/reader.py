"""The reader well: which colour lies in it, by a TCS34725, or that this cannot be said.

For: a colour's number out of four counts of light. It must not know what a colour means. "Unsure" is an
answer: it says nothing rather than something wrong.

Hardware: a TCS34725 with its lamp on, I2C address 0x29, looking up into the well. Only the registers used
here are driven, with buffers made once: a library would allocate at every reading.

What a colour looks like is not known but taught (`learn`): each of the four is laid in once, and the empty
well is shown once. Of each the *hue* is kept in non-volatile memory, red, green and blue in thousandths of
their sum, and the clear light. A reading is empty when both are near the empty well's; else it is the colour
whose hue is nearest, if that is near enough and the next one is clearly further off. What is told changes
when AGREE readings in a row say the same.
"""

from array import array

from galley_board import deck_codes
from galley_board.link import since_ms

TYPE_CHECKING = False  # a board has no typing module; type checkers take it for true
if TYPE_CHECKING:
    from galley_board.hardware_types import Bus, Bytes


ADDRESS = 0x29
CHIPS = (0x44, 0x4D)
COLOURS = 4
ITEMS = 5  # four colours and the empty well
READ_MS = 60
RETRY_MS = 2000
AGREE = 3
NEAR = 90  # thousandths, red, green and blue together
APART = 2  # the second nearest is further off by this factor
CLEAR_PERCENT = 25
DARK = 20  # of the clear count: less says nothing about a hue
PLACE = 16  # in the non-volatile memory
MARK = 0x67
KEPT_BYTES = 43  # mark, what was taught, two bytes a value, their sum

_COMMAND = 0x80
_AUTO = 0x20
_ENABLE = 0x00
_ATIME = 0x01
_CONTROL = 0x0F
_ID = 0x12
_CLEAR = 0x14
_ON = 0x03
_24_MS = 0xF6
_GAIN_4 = 0x01
_FIELDS = 4  # clear, red, green, blue


class Reader:
    """A sensor on a locked `bus` (None: there is none); `nvm` keeps what it was taught.

    `state` is one of `deck_codes.READER_*`; `lost` says that it stopped answering, `version` grows when that
    changes. `taught` has a bit for each colour from red on, then one for the empty well.
    """

    def __init__(self, bus: "Bus | None", nvm: "Bytes") -> None:
        self.state = deck_codes.READER_MISSING
        self.there = False
        self.lost = False
        self.version = 0
        self.taught = 0
        self._bus = bus
        self._nvm = nvm
        self._known = array("H", [0] * (ITEMS * _FIELDS))
        self._now = array("H", [0] * _FIELDS)
        self._two = bytearray(2)
        self._one = bytearray(1)
        self._counts = bytearray(2 * _FIELDS)
        self._read_ms = 0
        self._candidate = deck_codes.READER_MISSING
        self._agreed = 0
        self._recall()
        if bus is not None and self._start():
            self.there = True
            self.state = deck_codes.READER_UNTAUGHT

    # -- the sensor ---------------------------------------------------------------------------------

    def _start(self) -> bool:
        bus = self._bus
        if bus is None:
            return False
        try:
            self._one[0] = _COMMAND | _ID
            bus.writeto_then_readfrom(ADDRESS, self._one, self._two)
            if self._two[0] not in CHIPS:
                return False
            self._write(_ATIME, _24_MS)
            self._write(_CONTROL, _GAIN_4)
            self._write(_ENABLE, _ON)
        except OSError:
            return False
        return True

    def _write(self, register: int, value: int) -> None:
        self._two[0] = _COMMAND | register
        self._two[1] = value
        if self._bus is not None:
            self._bus.writeto(ADDRESS, self._two)

    def _measure(self) -> bool:
        """Read the four counts into `_now`, as clear and three thousandths; False when it does not answer."""
        bus = self._bus
        if bus is None:
            return False
        try:
            self._one[0] = _COMMAND | _AUTO | _CLEAR
            bus.writeto_then_readfrom(ADDRESS, self._one, self._counts)
        except OSError:
            return False
        now, counts = self._now, self._counts
        for i in range(_FIELDS):
            now[i] = counts[2 * i] | counts[2 * i + 1] << 8
        total = now[1] + now[2] + now[3]
        for i in range(1, _FIELDS):
            now[i] = now[i] * 1000 // total if total else 0
        return True

    # -- every turn of the loop ---------------------------------------------------------------------

    def poll(self, now_ms: int) -> bool:
        """Read when it is time, and say so. One that does not answer is tried again every RETRY_MS."""
        if not self.there:
            return False
        if 0 <= since_ms(now_ms, self._read_ms) < (RETRY_MS if self.lost else READ_MS):
            return False
        self._read_ms = now_ms
        answers = self._start() if self.lost else self._measure()
        if answers == self.lost:
            self.lost = not answers
            self.version += 1
        if self.lost:
            self._take(deck_codes.READER_MISSING)
        elif answers:
            self._take(self._judge())
        return True

    def _take(self, found: int) -> None:
        if found != self._candidate:
            self._candidate = found
            self._agreed = 0
        self._agreed += 1
        if self._agreed >= AGREE or self.lost:
            self.state = found

    # -- judging ------------------------------------------------------------------------------------

    def _judge(self) -> int:
        if self.taught != (1 << ITEMS) - 1:
            return deck_codes.READER_UNTAUGHT
        now = self._now
        empty = self._known[COLOURS * _FIELDS]
        if self._off(COLOURS) <= NEAR and abs(now[0] - empty) * 100 <= empty * CLEAR_PERCENT:
            return deck_codes.READER_EMPTY
        if now[0] < DARK:
            return deck_codes.READER_UNSURE
        nearest = 0
        for item in range(1, COLOURS):
            if self._off(item) < self._off(nearest):
                nearest = item
        off = self._off(nearest)
        if off > NEAR:
            return deck_codes.READER_UNSURE
        for item in range(COLOURS):
            if item != nearest and self._off(item) < max(off * APART, off + NEAR // 3):
                return deck_codes.READER_UNSURE
        return nearest + 1

    def _off(self, item: int) -> int:
        """How far the hue is from a known one, in thousandths."""
        at = item * _FIELDS
        off = 0
        for i in range(1, _FIELDS):
            off += abs(self._now[i] - self._known[at + i])
        return off

    # -- teaching -----------------------------------------------------------------------------------

    def learn(self, item: int) -> None:
        """What lies in the well now is item 1-4, red to yellow, or 5, nothing; 0 forgets all."""
        if not self.there:
            return
        if item == deck_codes.WELL_FORGET:
            self.taught = 0
        elif not self.lost and self._measure():
            at = (item - 1) * _FIELDS
            for i in range(_FIELDS):
                self._known[at + i] = self._now[i]
            self.taught |= 1 << item - 1
        self._keep()

    def _keep(self) -> None:
        """Write what is known to non-volatile memory, with a sum that tells it from an old or worn one."""
        kept = bytearray(KEPT_BYTES)
        kept[0] = MARK
        kept[1] = self.taught
        for i in range(ITEMS * _FIELDS):
            kept[2 + 2 * i] = self._known[i] & 255
            kept[3 + 2 * i] = self._known[i] >> 8
        kept[-1] = sum(kept) & 255
        self._nvm[PLACE : PLACE + KEPT_BYTES] = kept  # at once: every write stops the board for a while

    def _recall(self) -> None:
        kept = self._nvm[PLACE : PLACE + KEPT_BYTES]
        if kept[0] != MARK or kept[-1] != sum(kept[:-1]) & 255 or kept[1] >= 1 << ITEMS:
            return
        self.taught = kept[1]
        for i in range(ITEMS * _FIELDS):
            self._known[i] = kept[2 + 2 * i] | kept[3 + 2 * i] << 8
