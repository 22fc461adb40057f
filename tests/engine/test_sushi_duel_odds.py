"""The odds of the sushi duel against counts that anyone can make."""

from math import inf, isclose

import pytest

from galley_engine.dice import Dice
from galley_engine.policies.sushi_duel_odds import (
    Hold,
    combo_throws,
    holds_within,
    slowest_mean,
    uniform_throws,
)

SYMBOLS = "ABCDE"


@pytest.mark.parametrize(
    "star_dice,yuck_dice,throws",
    [
        (0, 0, 0.0),
        (1, 0, 3.0),  # two faces of six fit
        (0, 1, 6.0),
        (2, 0, 3.0 + 3.0 - 9 / 5),  # the later of two: both means less that of the sooner
        (1, 1, 3.0 + 6.0 - 9 / 4),
    ],
)
def test_a_uniform_platter_takes_as_long_as_its_slowest_die(
    star_dice: int, yuck_dice: int, throws: float
) -> None:
    assert isclose(uniform_throws(star_dice, yuck_dice), throws, abs_tol=1e-6)


def test_a_die_that_cannot_fit_never_does() -> None:
    assert slowest_mean((1, 0), (3, 2)) == inf


@pytest.mark.parametrize(
    "hold,throws",
    [
        (Hold(1, 2, 3), 0.0),  # complete
        (Hold(1, 1, 3), 3.0),  # a star die needs the missing ingredient or another star
        (Hold(2, 0, 3), 2.0),  # a star die needs one of two ingredients, or a star
        (Hold(3, 0, 2), 2.0),  # a yuck die needs one of three ingredients
    ],
)
def test_the_last_die_of_a_combo(hold: Hold, throws: float) -> None:
    assert isclose(combo_throws(3, 3)[hold], throws, abs_tol=1e-6)


def test_a_combo_takes_the_throws_it_is_said_to_take() -> None:
    throws, dice = combo_throws(3, 3), Dice(11)
    games, total = 4000, 0
    for _ in range(games):
        hold = Hold(0, 0, 0)
        while sum(hold) < 6:
            total += 1
            held = SYMBOLS[: hold.on_star_dice], SYMBOLS[hold.on_star_dice :][: hold.on_yuck_dice]
            star = [dice.die(SYMBOLS + "*") for _ in range(3 - hold.stars - hold.on_star_dice)]
            yuck = [dice.die(SYMBOLS + "Y") for _ in range(3 - hold.on_yuck_dice)]
            on_yuck = {*yuck, *held[1]} - {"Y"}
            on_star = {*star, *held[0]} - {"*"} - on_yuck
            offer = Hold(hold.stars + star.count("*"), len(on_star), len(on_yuck))
            hold = min(holds_within(offer, throws), key=lambda choice: throws[choice])
    assert isclose(total / games, throws[Hold(0, 0, 0)], rel_tol=0.03)


def test_more_stars_never_hurt() -> None:
    throws = combo_throws(3, 3)
    assert all(
        throws[Hold(hold.stars + 1, hold.on_star_dice, hold.on_yuck_dice)] < mean
        for hold, mean in throws.items()
        if Hold(hold.stars + 1, hold.on_star_dice, hold.on_yuck_dice) in throws
    )
