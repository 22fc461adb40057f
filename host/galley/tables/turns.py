"""What the games in turns have in common on the box: where a seat plays, and the digits on a calm station.

For: the tables of games in which one seat at a time acts, at the station nearest to it: even seats left, odd
seats right. The other station shows the table. It must not know any game.
"""

from __future__ import annotations

from typing import Final

from galley.tables.table import BLANK, STATIONS
from galley_board import glyphs

TUMBLE_MS: Final = 200
ENDED_MS: Final = 1600
"""How long thrown dice tumble, and how long dice that ended a turn stay to be looked at."""

ROLLING: Final = glyphs.die_code(glyphs.GLYPHS["unrolled"], glyphs.ROLLING)
UNROLLED: Final = glyphs.die_code(glyphs.GLYPHS["unrolled"], glyphs.DIM)


def near(seat: int) -> str:
    """The station at which this seat plays."""
    return STATIONS[seat % len(STATIONS)]


def across(side: str) -> str:
    """The other station."""
    return STATIONS[1 - STATIONS.index(side)]


def calm(glyph: str) -> int:
    """The code of a die that shows a glyph of this name in calm, as the other station does."""
    return glyphs.die_code(glyphs.GLYPHS[glyph], glyphs.DIM)


def two_digits(number: int) -> tuple[int, int]:
    """The codes of two calm dice that show a number below 100; the tens of a small one are blank."""
    tens, ones = divmod(number, 10)
    return calm(str(tens)) if tens else BLANK, calm(str(ones))
