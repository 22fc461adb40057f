"""The bytes on the pixels' data line: every glyph, every lamp, the rings, all within the board's budget."""

from __future__ import annotations

import pytest

from galley.tables.table import DICE, FRAME_LAMPS, BoardView, DeckView
from galley_board import glyphs, pins
from tests.hil.light import lamp, shows
from tests.hil.table import Table

pytestmark = pytest.mark.hil

STATIONS = ("left", "right")


@pytest.mark.parametrize("role", STATIONS)
async def test_every_glyph_shines_as_it_is_drawn(table: Table, role: str) -> None:
    board = table.board(role)
    numbers = [number for _, number, _, _ in glyphs.TABLE]
    for first in range(0, len(numbers), DICE):
        some = numbers[first : first + DICE]
        codes = [glyphs.die_code(number, glyphs.PLAIN) for number in some]
        await shows(table, board, BoardView(dice=(*codes, *[0] * (DICE - len(codes)))))
        rgb = table.rig.pixels[role]
        for die, number in enumerate(some):
            lit = [
                place for place in range(9) if any(rgb[3 * (at := pixel(die, place)) : 3 * at + 3])
            ]  # fmt: skip
            assert lit == [place for place in range(9) if glyphs.MASKS[number] >> place & 1]


def pixel(die: int, place: int) -> int:
    return pins.die_pixel(die, place // 3, place % 3)


@pytest.mark.parametrize("role", STATIONS)
async def test_every_style_of_a_die_that_stands_still(table: Table, role: str) -> None:
    star = glyphs.GLYPHS["star"]
    styles = (glyphs.PLAIN, glyphs.KEPT, glyphs.DIM)
    codes = [glyphs.die_code(star, styles[die % 3]) for die in range(DICE)]
    await shows(table, table.board(role), BoardView(dice=tuple(codes)))


@pytest.mark.parametrize("role", ["left", "right", "deck"])
async def test_every_lamp_by_itself_and_all_together(table: Table, role: str) -> None:
    board = table.board(role)
    count = pins.LAMPS[board.which]
    for number in range(count):
        lamps = [0] * FRAME_LAMPS
        lamps[number] = lamp("blue")
        await shows(table, board, BoardView(lamps=tuple(lamps)))
        rgb = table.rig.pixels[role]
        lit = [at for at in range(pins.PIXELS[board.which]) if any(rgb[3 * at : 3 * at + 3])]
        assert lit == [pins.lamp_pixel(board.which, number)]
    every = [lamp("white")] * count + [0] * (FRAME_LAMPS - count)
    await shows(table, board, BoardView(lamps=tuple(every)))
    milliamps = sum(table.rig.pixels[role]) / 255 * 20
    assert milliamps <= pins.MOST_MA[board.which][0]


async def test_the_rings_and_the_holes_of_the_deck(table: Table) -> None:
    deck = table.board("deck")
    for drift in range(4):
        holes = [0] * 4
        holes[drift] = lamp("red")
        view = DeckView(drift=drift, pupil=lamp("cyan"), holes=(holes[0], holes[1], holes[2], holes[3]))
        await shows(table, deck, BoardView(deck=view))
