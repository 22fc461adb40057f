"""A plain stroke font for engraving: capitals, digits and a few signs.

Letters are polylines on a grid 4 wide and 6 high, each point written as two digits (x, y), so cut files do
not depend on a font that a machine may not have.
"""

from __future__ import annotations

from galley_enclosure.sheet import Label

_ROUND = "10 01 05 16 36 45 41 30 10"
GLYPHS = {
    "A": "00 26 40|13 33",
    "B": "00 06 36 45 44 33 03|33 42 41 30 00",
    "C": "45 36 16 05 01 10 30 41",
    "D": "00 06 26 44 42 20 00",
    "E": "40 00 06 46|03 33",
    "F": "00 06 46|03 33",
    "G": "45 36 16 05 01 10 30 41 43 23",
    "H": "00 06|40 46|03 43",
    "I": "10 30|20 26|16 36",
    "J": "01 10 30 41 46",
    "K": "00 06|46 03 40",
    "L": "06 00 40",
    "M": "00 06 23 46 40",
    "N": "00 06 40 46",
    "O": _ROUND,
    "P": "00 06 36 45 44 33 03",
    "Q": _ROUND + "|21 40",
    "R": "00 06 36 45 44 33 03|23 40",
    "S": "01 10 30 41 42 33 13 04 05 16 36 45",
    "T": "20 26|06 46",
    "U": "06 01 10 30 41 46",
    "V": "06 20 46",
    "W": "06 10 23 30 46",
    "X": "00 46|06 40",
    "Y": "06 23 46|23 20",
    "Z": "06 46 00 40",
    "0": _ROUND + "|01 45",
    "1": "15 26 20|10 30",
    "2": "05 16 36 45 44 00 40",
    "3": "05 16 36 45 44 33 42 41 30 10 01|13 33",
    "4": "30 36 02 42",
    "5": "46 06 03 33 42 41 30 10 01",
    "6": "45 36 16 05 01 10 30 41 42 33 03",
    "7": "06 46 10",
    "8": "13 04 05 16 36 45 44 33 13 02 01 10 30 41 42 33",
    "9": "01 10 30 41 45 36 16 05 04 13 43",
    ".": "20 21",
    "-": "13 33",
    " ": "",
}
ADVANCE = 0.75


def strokes(label: Label) -> list[list[tuple[float, float]]]:
    """Polylines of the label's text, centred on its point; raises `KeyError` for a sign the font lacks."""
    wide, high, step = 0.15 * label.size, label.size / 6, ADVANCE * label.size
    left, low = label.x - step * len(label.text) / 2 + (step - 4 * wide) / 2, label.y - label.size / 2
    return [
        [(left + i * step + int(p[0]) * wide, low + int(p[1]) * high) for p in line.split()]
        for i, sign in enumerate(label.text.upper())
        for line in filter(None, GLYPHS[sign].split("|"))
    ]
