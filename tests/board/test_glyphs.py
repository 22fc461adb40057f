"""Glyphs: every symbol of the four games has one, told apart by its pattern alone."""

from __future__ import annotations

from itertools import combinations

import pytest

from galley_board import glyphs

GAMES = {
    "sushi_duel": {"shrimp", "salmon", "octopus", "cucumber", "roe", "star", "yuck"},
    "sushi_bar": {"sushi", "bone", "blue", "red"},
    "worm_grill": {"1", "2", "3", "4", "5", "6", "worm"},
    "poop_deck": {"red", "green", "blue", "yellow"},
}
# On the wire since protocol 1: a number that moves would show the wrong face on an older board.
FIXED = {
    "blank": 0,
    "unrolled": 1,
    "0": 2,
    "9": 11,
    "shrimp": 16,
    "yuck": 22,
    "sushi": 24,
    "worm": 32,
    "red": 40,
}


def test_every_symbol_of_the_four_games_has_a_glyph() -> None:
    assert {game: set(symbols) for game, symbols in glyphs.GAME_GLYPHS.items()} == GAMES


def test_numbers_are_one_to_one_and_fit_the_wire() -> None:
    numbers = list(glyphs.GLYPHS.values())
    assert len(set(numbers)) == len(numbers) == len(glyphs.TABLE)
    assert all(0 <= number < glyphs.GLYPH_IDS for number in numbers)
    assert {name: glyphs.GLYPHS[name] for name in FIXED} == FIXED


@pytest.mark.parametrize("game", GAMES)
def test_glyphs_of_one_game_differ_in_pattern_alone(game: str) -> None:
    numbers = [*glyphs.GAME_GLYPHS[game].values(), glyphs.GLYPHS["blank"], glyphs.GLYPHS["unrolled"]]
    for one, other in combinations(numbers, 2):
        assert glyphs.MASKS[one] != glyphs.MASKS[other], (one, other)


def test_patterns_are_three_rows_of_three() -> None:
    for name, _, colour, pattern in glyphs.TABLE:
        rows = pattern.split(" ")
        assert [len(row) for row in rows] == [3, 3, 3], name
        assert set(pattern) <= set("#. "), name
        assert colour in glyphs.COLOURS, name


def test_a_mask_reads_its_pattern_from_the_top_left() -> None:
    assert glyphs.mask_of("#.. ... ...") == 1
    assert glyphs.mask_of("..# ... ...") == 4
    assert glyphs.mask_of("... ... ..#") == 256
    assert glyphs.MASKS[glyphs.GLYPHS["star"]] == 0b010_111_010


def test_shares_of_a_colour_sum_to_one_pixel_step() -> None:
    for name, (number, *shares) in glyphs.COLOURS.items():
        assert sum(shares) == (0 if name == "off" else 255), name
        assert list(glyphs.COLOUR_SHARES[3 * number : 3 * number + 3]) == shares


def test_numbers_of_colours_are_those_of_the_wire() -> None:
    assert [name for name, _ in sorted(glyphs.COLOURS.items(), key=lambda item: item[1][0])] == [
        "off", "red", "green", "blue", "yellow", "white", "violet", "orange", "pink", "cyan",
    ]  # fmt: skip


def test_a_tumbling_die_lights_as_many_pixels_in_every_frame() -> None:
    assert {mask.bit_count() for mask in glyphs.ROLL_MASKS} == {3}
    assert len(set(glyphs.ROLL_MASKS)) == len(glyphs.ROLL_MASKS)
