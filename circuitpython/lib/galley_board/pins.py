"""What is wired where: every pin name and the order of every pixel, as data.

For: the one place to change when a wire moves. It must not touch hardware: `hardware` looks the
names up in `board`, the host draws its picture of the box from the same tables, and the wiring
table of the README is printed from here (`python3 circuitpython/lib/galley_board/pins.py`).

Hardware: Raspberry Pi Pico 2 (or Pico). Every key, strap and sensor switches to GND, because the
RP2350's pull-downs do not hold (erratum E9). Pixels are WS2812 on one data line per board, 3.3 V
shifted to 5 V.

A *key's* number is its place in `KEYS`. A *part* of the picture is what shines as one: a die, a lamp,
a ring; `PARTS` names it, says of what kind it is, and where its pixels are in the chain.
"""

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

# Held while the board starts, this key keeps the USB drive and the console of a production board.
RESCUE_PIN = {STATION: "GP9", DECK: "GP0", UNKNOWN: ""}

PIXEL_PIN = "GP16"
BUZZER_PIN = {STATION: "GP22", DECK: "GP18", UNKNOWN: ""}
SIDE_PIN = "GP19"  # stations only: open = left, GND = right
EXTERNAL_POWER_PIN = {STATION: "GP28", DECK: "", UNKNOWN: ""}  # pulled to GND when the 5 V inlet has power
# The eye's driver sleeps: no motor is driven yet.
HELD_LOW = {STATION: (), DECK: (("EYE_nSLEEP", "GP10"),), UNKNOWN: ()}

DICE = 8
DIE_ROWS = 3
DIE_COLUMNS = 3
LAMPS = {STATION: 11, DECK: 6, UNKNOWN: 0}
PIXELS = {STATION: 83, DECK: 34, UNKNOWN: 1}

# Most lit current in mA, whatever the host asks for: from the USB port alone, and with the 5 V inlet.
MOST_MA = {STATION: (220, 1300), DECK: (92, 92), UNKNOWN: (60, 60)}

# Bits of the hello's `caps`: what this board has.
CAPS = {"dice": 1, "lamps": 2, "buzzer": 4}
CAPS_OF_BOARD = {STATION: 7, DECK: 6, UNKNOWN: 0}


def die_pixel(die: int, row: int, column: int) -> int:
    """Place in a station's chain of one pixel of die 0-7, rows and columns 0-2 from the top left."""
    return (die // 4) * 36 + row * 12 + (die % 4) * 3 + column


def lamp_pixel(board: str, lamp: int) -> int:
    """Place in the chain of a key's lamp; a station's MODE key has none."""
    return lamp if board == DECK else 72 + lamp


def _station_parts() -> "tuple[tuple[str, str, tuple[int, ...]], ...]":
    parts: "list[tuple[str, str, tuple[int, ...]]]" = []
    for die in range(DICE):
        places = tuple([die_pixel(die, i // 3, i % 3) for i in range(DIE_ROWS * DIE_COLUMNS)])
        parts.append(("die %d" % (die + 1), "die", places))
    for lamp in range(LAMPS[STATION]):
        parts.append(("lamp " + KEYS[STATION][lamp][0], "lamp", (lamp_pixel(STATION, lamp),)))
    return tuple(parts)


def _deck_parts() -> "tuple[tuple[str, str, tuple[int, ...]], ...]":
    parts: "list[tuple[str, str, tuple[int, ...]]]" = []
    for lamp in range(LAMPS[DECK]):
        parts.append(("lamp " + KEYS[DECK][lamp][0], "lamp", (lamp_pixel(DECK, lamp),)))
    parts.append(("pupil ring", "ring", tuple(range(6, 18))))
    parts.append(("drift ring", "unused", tuple(range(18, 30))))
    parts.append(("holes", "unused", tuple(range(30, 34))))
    return tuple(parts)


# board -> ((name, kind, places in the chain), ...) in chain order; dice come first, then lamps
PARTS = {STATION: _station_parts(), DECK: _deck_parts(), UNKNOWN: (("sign", "unused", (0,)),)}

# Where the calm "waiting for the host" pixel is: ROLL's lamp, the pupil's first pixel.
WAITING_PIXEL = {STATION: lamp_pixel(STATION, 8), DECK: 6, UNKNOWN: 0}


def wiring_table() -> str:
    """The wiring of both boards as a Markdown table, for the README."""
    lines = ["| pin | station | deck |", "|---|---|---|"]
    for number in range(29):
        pin = "GP%d" % number
        row = (pin, _use_of(STATION, pin), _use_of(DECK, pin))
        if row[1] or row[2]:
            lines.append("| %s | %s | %s |" % row)
    return "\n".join(lines) + "\n"


def _use_of(board: str, pin: str) -> str:
    for name, key_pin in KEYS[board]:
        if pin == key_pin:
            return "key %s to GND" % name
    for name, low_pin in HELD_LOW[board]:
        if pin == low_pin:
            return "%s, held low" % name
    if pin == PIXEL_PIN:
        return "data of %d pixels" % PIXELS[board]
    if pin == BUZZER_PIN[board]:
        return "buzzer"
    if pin == EXTERNAL_POWER_PIN[board]:
        return "power at the 5 V inlet: GND = yes"
    if pin == SIDE_PIN and board == STATION:
        return "side strap: open = left, GND = right"
    return ""


if __name__ == "__main__":
    print(wiring_table(), end="")
