"""The odds of the sushi duel against counts that anyone can make."""

from math import inf, isclose
from time import perf_counter
from typing import Any

import pytest

from galley_engine.dice import Dice
from galley_engine.games import sushi_duel as duel
from galley_engine.odds import BadQuestion
from galley_engine.odds import sushi_duel as odds
from galley_engine.odds.sushi_duel import (
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


def test_a_uniform_platter_takes_eleven_throws_and_a_bit() -> None:
    assert isclose(uniform_throws(3, 3), 11.102379307, abs_tol=5e-10)
    platters: Any = odds.ask({})["platters"]
    assert [part["platter"] for part in platters] == [
        "shrimp",
        "salmon",
        "octopus",
        "cucumber",
        "roe",
        "combo",
    ]
    for part in platters[:5]:
        assert isclose(part["throws"], 11.102379307, abs_tol=5e-10)
        assert isclose(part["chance"], (2 / 6) ** 3 * (1 / 6) ** 3, rel_tol=1e-12)
        assert part["hold"] == []


def test_the_mean_of_a_combo_solves_its_equations() -> None:
    throws = combo_throws(3, 3)
    for hold, mean in throws.items():
        if sum(hold) < 6:
            offers = odds.offers(3, 3)[hold]
            best = {offer: min(throws[kept] for kept in holds_within(offer, throws)) for offer in offers}
            assert isclose(mean, 1 + sum(p * best[offer] for offer, p in offers.items()), rel_tol=1e-13)
            assert isclose(sum(offers.values()), 1.0, rel_tol=1e-12)


def test_the_odds_follow_the_dice_shown() -> None:
    dice = ["shrimp", "star", "roe", "shrimp", "yuck", "-"]
    answer: Any = odds.ask({"dice": dice, "platters": ["shrimp", "combo"]})
    shrimp, combo = answer["platters"]
    assert (shrimp["hold"], combo["hold"]) == ([0, 1, 3], [1, 3])
    assert isclose(shrimp["chance"], (2 / 6) * (1 / 6) ** 2)
    assert isclose(shrimp["throws"], uniform_throws(1, 2))
    assert isclose(combo["throws"], combo_throws(3, 3)[Hold(1, 0, 1)])


def test_the_chance_of_the_next_throw_is_what_the_dice_give() -> None:
    hold = Hold(1, 1, 2)  # free: a star die, a yuck die; two ingredients are missing
    by_hand = 0
    for star in SYMBOLS + "*":
        for yuck in SYMBOLS + "Y":
            shown = ["*", "A", "B", "C", star, yuck]
            by_hand += "Y" not in shown and all(shown.count(symbol) <= 1 for symbol in SYMBOLS)
    assert isclose(odds.combo_chance(hold, 3, 3), by_hand / 36)


@pytest.mark.parametrize(
    "dice,platter",
    [("shrimp star star shrimp shrimp shrimp", "shrimp"), ("star star roe shrimp salmon cucumber", "combo")],
)
def test_a_complete_platter_needs_no_throw(dice: str, platter: str) -> None:
    answer: Any = odds.ask({"dice": dice.split(), "platters": [platter]})
    assert answer["platters"] == [
        {"platter": platter, "chance": 1.0, "throws": 0.0, "hold": [0, 1, 2, 3, 4, 5]}
    ]


def test_the_platters_are_those_of_the_game() -> None:
    state = duel.start(2, duel.options({}), None, None)
    kinds = {platter[0][0] if len(platter) == 1 else "combo" for platter in (*state.visible, *state.stock)}
    assert kinds == set(odds.PLATTERS)


@pytest.mark.parametrize(
    "question,key",
    [
        ({"die": []}, "die"),
        ({"dice": "star"}, "dice"),
        ({"dice": ["star"] * 5}, "dice"),
        ({"dice": ["star"] * 6}, "dice.3"),
        ({"dice": ["yuck", "-", "-", "-", "-", "-"]}, "dice.0"),
        ({"dice": ["-", 1, "-", "-", "-", "-"]}, "dice.1"),
        ({"dice": ["-", ["roe"], "-", "-", "-", "-"]}, "dice.1"),
        ({"platters": "combo"}, "platters"),
        ({"platters": ["fish"]}, "platters.0"),
        ({"platters": ["combo", 3]}, "platters.1"),
    ],
)
def test_a_wrong_question_is_refused_by_name(question: dict[str, Any], key: str) -> None:
    with pytest.raises(BadQuestion) as error:
        odds.ask(question)
    assert error.value.key == key


def test_questions_are_answered_at_once() -> None:
    odds.ask({})
    began = perf_counter()
    odds.offers.cache_clear()
    odds.combo_throws.cache_clear()
    odds.ask({})
    assert perf_counter() - began < 1.0
    times = []
    for _ in range(20):
        began = perf_counter()
        odds.ask({"dice": ["star", "-", "roe", "salmon", "yuck", "-"]})
        times.append(perf_counter() - began)
    assert min(times) < 0.001
