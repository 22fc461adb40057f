"""The names of a board's faults: bits of one number that travels in every hello and heartbeat.

For: the firmware sets the bits, the host and the pages read them by name, the README lists them.
It must not know how a fault is found.

Bits 0-14 are the faults of `FAULTS`. Bits 15-19 hold one key's number plus one (0 = no key), the
first that is stuck or muted, or the first beam that is blocked, so that a person can go and look at it.
"""

ROLE_UNKNOWN = 1
ROLE_STRAP = 2
PIN_MISSING = 4
PIXELS_MISSING = 8
KEY_STUCK = 16
KEY_MUTED = 32
KEY_OVERFLOW = 64
WATCHDOG_RESET = 128
EDGES_MISSING = 256
PIN_TWICE = 512
SETTING_UNKNOWN = 1024
EYE_STOPPED = 2048
DRUM_NO_HOME = 4096
BEAM_BLOCKED = 8192
READER_LOST = 16384

KEY_SHIFT = 15

# name for the pages' catalogue, bit, what it means and what to do, for the console
FAULTS = (
    ("role_unknown", ROLE_UNKNOWN, "GALLEY_ROLE in settings.toml is not left, right or deck"),
    ("role_strap", ROLE_STRAP, "GALLEY_ROLE and the side strap on GP19 (open = left, GND = right) disagree"),
    ("pin_missing", PIN_MISSING, "this board has no pin of that name: use a Pico 2 or change pins.py"),
    ("pixels_missing", PIXELS_MISSING, "no pixels: copy lib/neopixel.py, and check the data pin in pins.py"),
    ("key_stuck", KEY_STUCK, "a key was down when the board started: look at its switch and wire"),
    ("key_muted", KEY_MUTED, "a key chatters and is ignored until it is quiet: look at its switch"),
    ("key_overflow", KEY_OVERFLOW, "more key changes than the board can hold: some presses were lost"),
    ("watchdog_reset", WATCHDOG_RESET, "the watchdog restarted this board: it had hung"),
    (
        "edges_missing",
        EDGES_MISSING,
        "GALLEY_EDGES asks for edges to a microsecond, which this board cannot give: a keypad stamps all",
    ),
    ("pin_twice", PIN_TWICE, "two things want one pin: give each its own in settings.toml"),
    (
        "setting_unknown",
        SETTING_UNKNOWN,
        "settings.toml has a GALLEY_ value that this firmware does not know",
    ),
    (
        "eye_stopped",
        EYE_STOPPED,
        "the eye was driven and did not come home, or its driver stopped it: free the arm, then start anew",
    ),
    (
        "drum_no_home",
        DRUM_NO_HOME,
        "the die turned once and more without its home: look at its switch and magnet",
    ),
    ("beam_blocked", BEAM_BLOCKED, "a hole's beam was broken when the board started: clear the hole"),
    ("reader_lost", READER_LOST, "the colour reader stopped answering: look at its cable"),
)


def names(faults: int) -> "list[str]":
    """The names of the bits that are set in `faults`, in the order of `FAULTS`."""
    return [name for name, bit, _ in FAULTS if faults & bit]


def key_of(faults: int) -> int:
    """The number of the key that `key_stuck` or `key_muted` is about, or -1."""
    return (faults >> KEY_SHIFT) - 1


def with_key(faults: int, key: int) -> int:
    """`faults` naming `key` as the one to look at."""
    return (faults & ((1 << KEY_SHIFT) - 1)) | ((key + 1) << KEY_SHIFT)


def explain(bit: int) -> str:
    """What the fault means and what to do about it, in English for the console."""
    for name, known, text in FAULTS:
        if bit == known:
            return "%s: %s" % (name, text)
    return "fault %d" % bit
