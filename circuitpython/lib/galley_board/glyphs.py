"""The faces of the LED dice: 3x3 patterns, each with a colour.

For: turning a symbol's name into a number on the wire, and the number into light. It must not know
any rule: a game's symbols are only listed here by the game's own words.

Every two glyphs of one game differ in their pattern alone, because about one player in twenty does
not see the difference of red and green. Numbers of glyphs and colours are fixed: they are on the
wire. Patterns are written as three rows from the top, `#` lit.
"""

from array import array

# colour -> (number on the wire, share of red, green and blue in its light; the shares sum to 255)
COLOURS = {
    "off": (0, 0, 0, 0),
    "red": (1, 255, 0, 0),
    "green": (2, 0, 255, 0),
    "blue": (3, 0, 15, 240),
    "yellow": (4, 145, 110, 0),
    "white": (5, 85, 85, 85),
    "violet": (6, 100, 0, 155),
    "orange": (7, 200, 55, 0),
    "pink": (8, 160, 25, 70),
    "cyan": (9, 0, 130, 125),
}

PLAIN = 0
KEPT = 1
ROLLING = 2
DIM = 3
GLOW = 4
STYLES = ("plain", "kept", "rolling", "dim", "glow")

STEADY = 0
PULSE = 1
LOW = 2
MODES = ("steady", "pulse", "dim")

# name, number on the wire, colour, pattern
TABLE = (
    ("blank", 0, "white", "... ... ..."),
    ("unrolled", 1, "white", "... #.# ..."),
    ("0", 2, "cyan", ".#. #.# .#."),
    ("1", 3, "cyan", "... .#. ..."),
    ("2", 4, "cyan", "#.. ... ..#"),
    ("3", 5, "cyan", "#.. .#. ..#"),
    ("4", 6, "cyan", "#.# ... #.#"),
    ("5", 7, "cyan", "#.# .#. #.#"),
    ("6", 8, "cyan", "#.# #.# #.#"),
    ("7", 9, "cyan", "#.# ### #.#"),
    ("8", 10, "cyan", "### #.# ###"),
    ("9", 11, "cyan", "### ### ###"),
    ("tick", 12, "green", "..# #.# .#."),
    ("cross", 13, "red", "#.# .#. #.#"),
    ("arrow", 14, "white", ".#. ..# .#."),
    ("shrimp", 16, "pink", ".## #.. .##"),
    ("salmon", 17, "orange", "... ### ###"),
    ("octopus", 18, "violet", ".#. ### #.#"),
    ("cucumber", 19, "green", "### #.# ###"),
    ("roe", 20, "red", "##. ##. ..."),
    ("star", 21, "yellow", ".#. ### .#."),
    ("yuck", 22, "white", "#.# .#. #.#"),
    ("sushi", 24, "orange", "... ### ###"),
    ("bone", 25, "white", "##. ### .##"),
    ("chopsticks_blue", 26, "blue", "#.# #.# #.#"),
    ("chopsticks_red", 27, "red", "### ... ###"),
    ("worm", 32, "pink", "##. .#. .##"),
    ("red", 40, "red", "... ### ..."),
    ("green", 41, "green", ".#. .#. .#."),
    ("blue", 42, "blue", "#.. .#. ..#"),
    ("yellow", 43, "yellow", "..# .#. #.."),
)

# A die that tumbles: a bar that turns. Each frame has three lit pixels, so its light stays the same.
ROLL_FRAMES = ("... ### ...", "#.. .#. ..#", ".#. .#. .#.", "..# .#. #..")

GLYPH_IDS = 64
GLYPHS = {name: number for name, number, _, _ in TABLE}

SUSHI_DUEL = ("shrimp", "salmon", "octopus", "cucumber", "roe", "star", "yuck")

# A game's symbol (in the words of its scenarios) -> glyph
GAME_GLYPHS = {
    "sushi_duel": {name: GLYPHS[name] for name in SUSHI_DUEL},
    "sushi_bar": {
        "sushi": GLYPHS["sushi"],
        "bone": GLYPHS["bone"],
        "blue": GLYPHS["chopsticks_blue"],
        "red": GLYPHS["chopsticks_red"],
    },
    "worm_grill": {name: GLYPHS[name] for name in ("1", "2", "3", "4", "5", "6", "worm")},
    "poop_deck": {name: GLYPHS[name] for name in ("red", "green", "blue", "yellow")},
}


def mask_of(pattern: str) -> int:
    """The nine bits of a pattern; bit 0 is its top left pixel, bit 8 its bottom right one."""
    mask = 0
    bit = 1
    for sign in pattern:
        if sign != " ":
            if sign == "#":
                mask |= bit
            bit <<= 1
    return mask


def die_code(glyph: int, style: int) -> int:
    """The number that stands for one die in a dice frame."""
    return glyph * 8 + style


def lamp_code(colour: int, mode: int) -> int:
    """The number that stands for one lamp in a lamps frame."""
    return colour * 4 + mode


def _by_number() -> "tuple[array[int], bytearray]":
    masks = array("H", [0] * GLYPH_IDS)
    colours = bytearray(GLYPH_IDS)
    for _, number, colour, pattern in TABLE:
        masks[number] = mask_of(pattern)
        colours[number] = COLOURS[colour][0]
    return masks, colours


def _shares() -> bytearray:
    shares = bytearray(3 * len(COLOURS))
    for number, red, green, blue in COLOURS.values():
        shares[3 * number] = red
        shares[3 * number + 1] = green
        shares[3 * number + 2] = blue
    return shares


# by glyph number; a number without a glyph is blank
MASKS, GLYPH_COLOURS = _by_number()
# three bytes by colour number
COLOUR_SHARES = _shares()
ROLL_MASKS = array("H", [mask_of(frame) for frame in ROLL_FRAMES])
