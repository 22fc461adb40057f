"""What is wired where: every pin name and the order of every pixel, as data.

For: the one place to change when a wire moves. It must not touch hardware: `hardware` looks the
names up in `board`, the host draws its picture of the box from the same tables and prints the wiring
table of the README from them (`galley firmware wiring`).

Hardware: Raspberry Pi Pico 2 (or Pico). Every key, strap and sensor switches to GND, because the
RP2350's pull-downs do not hold (erratum E9). Pixels are WS2812 on one data line per board, 3.3 V
shifted to 5 V.

A *key's* number is its place in `KEYS`. A *part* of the picture is what shines as one: a die, a lamp,
a ring; `parts` says where its pixels are in the chain.
"""

TYPE_CHECKING = False  # a board has no typing module; type checkers take it for true
if TYPE_CHECKING:
    from galley_board.hardware_types import Setting


STATION = "station"
DECK = "deck"
UNKNOWN = "unknown"  # a board that was not told its role: one pixel, to say so
BOARD_OF_ROLE = {"": UNKNOWN, "left": STATION, "right": STATION, "deck": DECK}

KEYS = {
    STATION: (
        ("KEEP1", "GP0"),
        ("KEEP2", "GP1"),
        ("KEEP3", "GP2"),
        ("KEEP4", "GP3"),
        ("KEEP5", "GP4"),
        ("KEEP6", "GP5"),
        ("KEEP7", "GP6"),
        ("KEEP8", "GP7"),
        ("ROLL", "GP8"),
        ("BELL", "GP9"),
        ("YUCK", "GP10"),
        ("MODE", "GP11"),
    ),
    DECK: (
        ("SEAT1 red", "GP0"),
        ("SEAT2 green", "GP1"),
        ("SEAT3 blue", "GP2"),
        ("SEAT4 yellow", "GP3"),
        ("SEAT5 white", "GP4"),
        ("SEAT6 violet", "GP5"),
    ),
    UNKNOWN: (),
}

# The race keys, which a PIO may stamp: neighbouring pins, the lowest first.
EDGE_KEYS = {STATION: (8, 9, 10), DECK: (), UNKNOWN: ()}

# Held while the board starts, this key keeps the USB drive and the console of a production board.
RESCUE_PIN = {STATION: "GP9", DECK: "GP0", UNKNOWN: ""}
RESCUE_KEY = {STATION: "BELL", DECK: "SEAT1", UNKNOWN: ""}

PIXEL_PIN = "GP16"
BUZZER_PIN = {STATION: "GP22", DECK: "GP18", UNKNOWN: ""}
SIDE_PIN = "GP19"  # stations only: open = left, GND = right
EXTERNAL_POWER_PIN = {STATION: "GP28", DECK: "", UNKNOWN: ""}  # pulled to GND when the 5 V inlet has power
# What else is wired.
DEVICES = {
    STATION: (),
    DECK: (
        ("HOLE1", "GP6"),
        ("HOLE2", "GP7"),
        ("HOLE3", "GP8"),
        ("HOLE4", "GP9"),
        ("EYE_nSLEEP", "GP10"),
        ("EYE_nFAULT", "GP11"),
        ("EYE_HOME", "GP12"),
        ("DIE_HOME", "GP13"),
        ("EYE_IN1", "GP14"),
        ("EYE_IN2", "GP15"),
        ("IR_STROBE", "GP17"),
        ("GUARD", "GP19"),
        ("SDA", "GP20"),
        ("SCL", "GP21"),
        ("DIE_IN1", "GP22"),
        ("DIE_IN2", "GP26"),
        ("DIE_IN3", "GP27"),
        ("DIE_IN4", "GP28"),
    ),
    UNKNOWN: (),
}
FIRST_LOW = {STATION: (), DECK: ("EYE_nSLEEP",), UNKNOWN: ()}  # opened before anything else
DIE_BUILDS = ("drum", "loose")

# Sensors whose edges must not be lost are told as keys of the deck, numbered after those that are pressed.
FIRST_SENSOR_KEY = 6
SENSOR_KEYS = (
    "hole 1",
    "hole 2",
    "hole 3",
    "hole 4",
    "well red",
    "well green",
    "well blue",
    "well yellow",
    "well unsure",
    "guard open",
    "eye home",
)

# settings.toml may say these, and GALLEY_PIN_ with a pin's name to give it another pin, or "none".
SETTINGS = ("GALLEY_ROLE", "GALLEY_PRODUCTION", "GALLEY_EDGES", "GALLEY_DIE")
SETTING_OF_PIN = "GALLEY_PIN_"

DICE = 8
DIE_ROWS = 3
DIE_COLUMNS = 3
LAMPS = {STATION: 11, DECK: 6, UNKNOWN: 0}
PIXELS = {STATION: 83, DECK: 34, UNKNOWN: 1}

# Most lit current in mA, whatever the host asks for: from the USB port alone, and with the 5 V inlet.
MOST_MA = {STATION: (220, 1300), DECK: (92, 92), UNKNOWN: (60, 60)}

# Bits of the hello's `caps`: what this board has, and what its clock lacks.
CAPS = {
    "dice": 1,
    "lamps": 2,
    "buzzer": 4,
    "clock_lags": 8,
    "edges": 64,
    "eye": 128,
    "drum": 256,
    "beams": 512,
    "reader": 1024,
    "falls": 2048,
}
CLOCK_LAG_US = 500  # by how much a clock that lags may be behind an even one (adafruit/circuitpython#10315)
CAPS_OF_BOARD = {STATION: 7, DECK: 6, UNKNOWN: 0}  # `edges` comes on top where they are on


def die_pixel(die: int, row: int, column: int) -> int:
    """Place in a station's chain of one pixel of die 0-7, rows and columns 0-2 from the top left."""
    return (die // 4) * 36 + row * 12 + (die % 4) * 3 + column


def lamp_pixel(board: str, lamp: int) -> int:
    """Place in the chain of a key's lamp; a station's MODE key has none."""
    return lamp if board == DECK else 72 + lamp


def parts(board: str) -> "list[list[int]]":
    """For each part its places in the chain: dice, lamps, on the deck pupil, drift ring and holes."""
    if board == UNKNOWN:
        return [[0]]
    dice = DICE if board == STATION else 0
    found = [[die_pixel(die, i // 3, i % 3) for i in range(DIE_ROWS * DIE_COLUMNS)] for die in range(dice)]
    found += [[lamp_pixel(board, lamp)] for lamp in range(LAMPS[board])]
    if board == DECK:
        found += [list(range(6, 18)), list(range(18, 30)), [30], [31], [32], [33]]
    return found


# Where the calm "waiting for the host" pixel is: ROLL's lamp, the pupil's first pixel.
WAITING_PIXEL = {STATION: lamp_pixel(STATION, 8), DECK: 6, UNKNOWN: 0}


def device_pin(board: str, name: str) -> str:
    """The pin of one of a board's DEVICES. Raises KeyError."""
    for known, pin in DEVICES[board]:
        if known == name:
            return pin
    raise KeyError(name)


def chosen(name: str, pin: str, setting: "Setting") -> str:
    """The pin that settings.toml gives to `name`, else `pin`; "" for none. `setting` is `os.getenv`."""
    asked = setting(setting_of(name))
    if asked is None:
        return pin
    return "" if asked == "none" else str(asked)


def setting_of(name: str) -> str:
    """The key of settings.toml that gives a pin to `name`: GALLEY_PIN_SEAT1 for "SEAT1 red"."""
    return SETTING_OF_PIN + name.partition(" ")[0].upper()


def settings() -> "list[str]":
    """All keys of settings.toml that a board knows."""
    known = list(SETTINGS)
    for keys in KEYS.values():
        known += [setting_of(name) for name, _ in keys]
    for devices in DEVICES.values():
        known += [setting_of(name) for name, _ in devices]
    return known + [setting_of(name) for name in ("PIXELS", "BUZZER", "SIDE", "EXT_PWR")]
