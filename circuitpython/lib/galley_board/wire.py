"""The wire: frames between a board and the host, one module for both ends.

For: turning numbers into one line of ASCII and back, so that a line which was cut, corrupted,
mixed with console noise or never sent is refused. It must not know what a number means to a
game, nor time, nor any port.

A frame is one line of at most 60 bytes (64 would stall some USB stacks), newline included:

    K 17 204 9 1 536805123 1000 3 201 82b07632
    | |  '- the fields of this kind ---'  '- crc32 of all that stands before the last space
    | '- counts the frames of this direction, modulo 100
    '- kind: upper case from the board, lower case from the host

Fields are whole numbers in canonical decimal form, each within the range of its row in `FORMS`;
any other spelling is refused even when its checksum is right. After anything wrong the decoder
takes up again at the next newline.

A host is as new as its boards or newer, for it flashes them. So a kind may grow at its end: a host takes it
without the new field too (`OLDER`), and a bit of the hello's `caps` says that a board has what is new.

Board rules hold here: the CircuitPython subset, no typing module. Bytes are cut, joined, read and spelt as
wholes, which a board does in C: byte by byte it took a millisecond and more for a frame, and that is worth
some garbage.
"""

from array import array
from binascii import crc32

TYPE_CHECKING = False  # a board has no typing module; type checkers take it for true
if TYPE_CHECKING:
    from typing import TypeAlias

    Numbers: TypeAlias = "array[int] | list[int] | tuple[int, ...]"
    Form: TypeAlias = "tuple[str, tuple[tuple[str, int, int], ...]]"


PROTOCOL = 1
MAX_FRAME = 60
MAX_FIELDS = 11
SEQUENCE = 100

BOOT_ID_MAX = 999999
COUNT_MAX = 0xFFFF
KEY_SEQ_MAX = 0x1FFFFFFF
AGE_MAX_MS = 99999
# The `us` of a key frame: below NO_US the microseconds after its stamp; NO_US: a keypad's scan, somewhere in
# the two milliseconds after; more: less NO_US + 1, where the tick of the scan began.
NO_US = 1000
FIRMWARE_MAX = 0xFFFFFF
KEYS = 17  # as many as a board can have: see `pins.SENSOR_KEYS`
FAULTS_MAX = (KEYS + 1 << 15) - 1  # 15 faults, and above them a key's number plus one: see `faults`
CAPS_MAX = 9999
SESSION_MAX = 0xFFFF
EDGE_DOUBT_US = 33  # how far off either way an edge with a `us` can be on the base of `ticks_us`
DIE_CODES = 512
LAMP_CODES = 64
LAMP_CODE_MAX = LAMP_CODES - 1
FACES = 8
HOME_FACE = 8  # for the drum of a deck: find home
NO_FACE = 9  # leave it as it lies, its coils off
DARK_DRIFT = 9
STILL = 100  # the eye's speed on the wire is this plus its percent
RUN_MAX_MS = 3000
DECK_CODES = 7  # what a deck holds beside its lamps: face, pupil, drift, four holes
FALL_BITS = 7  # of each hole's count of what fell through, hole 1 in the lowest; it wraps
FALLS_MAX = (1 << 4 * FALL_BITS) - 1
DARK_DECK = (NO_FACE, 0, DARK_DRIFT, 0, 0, 0, 0)
RESTART = 1  # of a service frame: restart the chip
OPEN_DRIVE = 2  # the same, and show console and USB drive until the next restart
TICKS_MS_PERIOD = 1 << 29
TICKS_US_PERIOD = 1 << 26

ROLES = ("", "left", "right", "deck")

# kind -> what the kind is called, and a (name, lowest, highest) for each field
FORMS: "dict[str, Form]" = {
    # board -> host
    "H": (
        "hello",
        (
            ("proto", 1, 255),
            ("role", 0, 3),
            ("boot_id", 1, BOOT_ID_MAX),
            ("session", 1, SESSION_MAX),
            ("pixels", 0, 999),
            ("caps", 0, CAPS_MAX),
            ("firmware", 0, FIRMWARE_MAX),
            ("faults", 0, FAULTS_MAX),
        ),
    ),
    "K": (
        "key",
        (
            ("key_seq", 1, KEY_SEQ_MAX),
            ("key", 0, KEYS - 1),
            ("down", 0, 1),
            ("stamp_ms", 0, TICKS_MS_PERIOD - 1),
            ("us", 0, 2 * NO_US - 1),
            ("age_ms", 0, AGE_MAX_MS),
            ("first", 1, KEY_SEQ_MAX),
        ),
    ),
    "B": (
        "beat",
        (
            ("boot_id", 1, BOOT_ID_MAX),
            ("bitmap", 0, (1 << KEYS) - 1),
            ("ticks_ms", 0, TICKS_MS_PERIOD - 1),
            ("ticks_us", 0, TICKS_US_PERIOD - 1),
            ("shown", 0, COUNT_MAX),
            ("faults", 0, FAULTS_MAX),
        ),
    ),
    "S": (
        "stats",
        (
            ("overflow", 0, COUNT_MAX),
            ("lost", 0, COUNT_MAX),
            ("bad_frames", 0, COUNT_MAX),
            ("loop_us", 0, 999999),
            ("gc_us", 0, 999999),
            ("heap", 0, 9999999),
            ("resends", 0, COUNT_MAX),
        ),
    ),
    "T": (
        "time",
        (
            ("id", 0, COUNT_MAX),
            ("rx_us", 0, TICKS_US_PERIOD - 1),
            ("tx_us", 0, TICKS_US_PERIOD - 1),
            ("next", 1, KEY_SEQ_MAX),
        ),
    ),
    "D": (
        "deck",
        (
            ("eye_deg", 0, 359),
            ("doubt_deg", 0, 180),
            ("eye", 0, 7),
            ("face", 0, FACES),
            ("drum", 0, 6),
            ("reader", 0, 7),
            ("flags", 0, 2047),
            ("falls", 0, FALLS_MAX),
        ),
    ),
    # host -> board
    "h": ("hello", (("proto", 1, 255), ("session", 1, SESSION_MAX))),
    "a": ("ack", (("boot_id", 1, BOOT_ID_MAX), ("key_seq", 0, KEY_SEQ_MAX))),
    "d": ("dice", (("die", 0, DIE_CODES - 1),) * 8),
    "l": ("lamps", (("lamp", 0, LAMP_CODE_MAX),) * 11),
    "c": ("config", (("budget_ma", 1, 9999), ("brightness", 0, 255))),
    "t": ("time", (("id", 0, COUNT_MAX),)),
    "z": ("buzz", (("hz", 0, 9999), ("ms", 0, 9999))),
    "s": ("service", (("what", RESTART, OPEN_DRIVE),)),
    # host -> deck
    "e": ("eye", (("speed", 0, 2 * STILL), ("ms", 0, RUN_MAX_MS))),
    "g": ("go", (("deg", 0, 359), ("ms", 0, RUN_MAX_MS))),
    "m": ("drum", (("face", 0, NO_FACE),)),
    "p": (
        "deck lights",
        (
            ("pupil", 0, LAMP_CODE_MAX),
            ("drift", 0, DARK_DRIFT),
            ("hole1", 0, LAMP_CODE_MAX),
            ("hole2", 0, LAMP_CODE_MAX),
            ("hole3", 0, LAMP_CODE_MAX),
            ("hole4", 0, LAMP_CODE_MAX),
        ),
    ),
    "w": ("well", (("colour", 0, 5),)),
}
FROM_BOARD = "HKBSTD"
FROM_HOST = "hadlctzsegmpw"

ZERO = 48
OLDER = ("D", 7)  # a kind, and how many fields it had in older boards, which a host takes too


class FieldError(ValueError):
    """A frame was asked for with an unknown kind, a wrong number of fields or a field out of its range."""


def check(kind: str, fields: "Numbers", count: int) -> None:
    """Raise FieldError unless the first `count` of `fields` suit `kind`."""
    form = FORMS.get(kind)
    if form is None:
        raise FieldError("frame kind %r is unknown: use one of %s" % (kind, "".join(FORMS)))
    called, bounds = form
    if count != len(bounds):
        raise FieldError(f"frame {called} has {count} fields: it takes {len(bounds)}")
    for i in range(count):
        name, low, high = bounds[i]
        if not low <= fields[i] <= high:
            raise FieldError(f"{name} of frame {called} is {fields[i]}: it must be {low} to {high}")


def put(out: bytearray, at: int, kind: str, seq: int, fields: "Numbers", count: int) -> int:
    """Write one frame into `out` from position `at` and return the position after its newline.

    `out` needs MAX_FRAME bytes of room. Raises FieldError and writes nothing when a field is out of its
    range.
    """
    frame = _frame(kind, seq, fields, count)
    end = at + len(frame)
    out[at:end] = frame
    return end


def encode(kind: str, seq: int, *fields: int) -> bytes:
    """The same frame as bytes. Raises FieldError."""
    return _frame(kind, seq, fields, len(fields))


def _frame(kind: str, seq: int, fields: "Numbers", count: int) -> bytes:
    check(kind, fields, count)
    # bytes all the way: a board compares each new text with all names that it knows
    body = b"%s %d" % (kind.encode(), seq) + b" %d" * count % tuple(fields[:count])
    return b"%s %08x\n" % (body, crc32(body))


def digest(dice: "Numbers", lamps: "Numbers", deck: "Numbers", budget_ma: int, brightness: int) -> int:
    """16 bits over all outputs a board holds: the host compares it to what it asked for.

    `dice` are 8 codes below 512, `lamps` 11 codes below 64, `deck` the DECK_CODES (DARK_DECK on a station).
    """
    held = bytearray(2 * len(dice) + len(lamps) + len(deck) + 3)
    at = 0
    for code in dice:
        held[at] = code & 255
        held[at + 1] = code >> 8
        at += 2
    for code in lamps:
        held[at] = code
        at += 1
    for code in deck:
        held[at] = code
        at += 1
    held[at] = budget_ma & 255
    held[at + 1] = budget_ma >> 8
    held[at + 2] = brightness
    return crc32(held) & COUNT_MAX


class Decoder:
    """Bytes in, frames out.

    `take` stops after each whole frame and leaves it in `kind`, `seq`, `count` and `fields`, which
    stay until the next call. Counters only grow: `frames` accepted, `bad` lines refused, `gaps`
    frames missing by their sequence number (a guess: it cannot see 100 lost in a row).
    """

    def __init__(self, kinds: str) -> None:
        self._kinds = {kind.encode(): kind for kind in kinds}
        self.kind = ""
        self.seq = 0
        self.count = 0
        self.fields = array("l", [0] * MAX_FIELDS)
        self.frames = 0
        self.bad = 0
        self.gaps = 0
        self._line = b""
        self._too_long = False
        self._last_seq = -1

    def take(self, data: "bytes | bytearray", start: int, end: int) -> int:
        """Read `data[start:end]` up to the end of the next whole frame.

        Returns the position after the last byte read. `kind` is "" when the bytes ran out before
        a frame was whole.
        """
        self.kind = ""
        view = memoryview(data)
        at = start
        while at < end and not self.kind:
            piece = bytes(view[at : min(end, at + MAX_FRAME)])
            stop = piece.find(b"\n")
            line = self._line + (piece if stop < 0 else piece[:stop])
            at += len(piece) if stop < 0 else stop + 1
            if len(line) >= MAX_FRAME:
                line = b""
                self._too_long = True
            if stop < 0:
                self._line = line
                continue
            if (line or self._too_long) and (self._too_long or not self._parse(line)):
                self.bad += 1
            self._line = b""
            self._too_long = False
        return at

    def _parse(self, line: bytes) -> bool:
        words = line.split(b" ")
        count = len(words) - 3
        kind = self._kinds.get(words[0])
        if kind is None or count < 0 or words[-1] != b"%08x" % crc32(line[:-9]):
            return False
        bounds = FORMS[kind][1]
        if count != len(bounds) and (kind, count) != OLDER:
            return False
        seq = number(words[1])
        if not 0 <= seq < SEQUENCE:
            return False
        values = self.fields
        for i in range(count):
            word = words[i + 2]
            # as `number` does, without a call for each
            if not word.isdigit() or (word[0] == ZERO and len(word) > 1):
                return False
            value = int(word)
            _, low, high = bounds[i]
            if not low <= value <= high:
                return False
            values[i] = value
        self.kind = kind
        self.count = count
        self.frames += 1
        if self._last_seq >= 0:
            self.gaps += (seq - self._last_seq - 1) % SEQUENCE
        self._last_seq = self.seq = seq
        return True


def number(word: bytes) -> int:
    """The number that these bytes spell in canonical decimal form, or -1 when they do not."""
    if not word.isdigit() or (word[0] == ZERO and len(word) > 1):
        return -1
    return int(word)
