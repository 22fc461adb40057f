"""The odds of the worm grill against published figures, counting by hand, and play."""

import subprocess
import sys
from fractions import Fraction
from functools import cache
from itertools import product
from math import isclose
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley_engine.dice import Dice
from galley_engine.game import Step
from galley_engine.games import worm_grill as grill
from galley_engine.odds import BadQuestion
from galley_engine.odds import worm_grill as odds
from galley_engine.odds.worm_grill_turn import HIGHEST, Turn

LETTERS = "1234w6"


@pytest.mark.parametrize(
    "question,chance",
    [
        ({"at_least": 23}, 0.856018911),
        ({"exactly": 30}, 0.192925840),
        ({"at_least": 23, "aside": ["worm"] * 3}, 0.976215191),
        ({"at_least": 23, "aside": ["worm"] * 3, "left": 5}, 0.976215191),
        ({}, 0.856018911),
    ],
)
def test_the_odds_are_those_that_were_counted_before(question: dict[str, Any], chance: float) -> None:
    answer: Any = odds.ask(question)
    assert answer.keys() == {"chance"}
    assert isclose(answer["chance"], chance, abs_tol=5e-10)


@cache
def by_counting(at_least: int, exactly: int | None, aside: str, left: int) -> Fraction:
    """The chance worked out with fractions over every single throw: slow, and as plain as the rules."""
    total = grill.total_of(aside)
    good = "w" in aside and total >= at_least and exactly in (None, total)
    best = Fraction(good)
    if left and set(aside) != set(LETTERS):
        best = max(best, thrown_by_counting(at_least, exactly, aside, left))
    return best


def thrown_by_counting(at_least: int, exactly: int | None, aside: str, left: int) -> Fraction:
    worth = Fraction(0)
    for dice in product(LETTERS, repeat=left):
        kept = [
            by_counting(
                at_least, exactly, "".join(sorted(aside + face * dice.count(face))), left - dice.count(face)
            )
            for face in set(dice) - set(aside)
        ]
        worth += max(kept, default=Fraction(0))
    return Fraction(worth, len(LETTERS) ** left)


@pytest.mark.parametrize(
    "at_least,exactly,aside,left",
    [
        (23, None, "www6", 4),
        (23, None, "6664", 4),
        (30, None, "w666", 4),
        (1, 27, "ww66", 4),
        (1, 24, "4444", 4),
        (23, None, "12346", 3),
        (23, None, "12346w", 2),
        (1, None, "", 3),
        (5, 12, "", 3),
    ],
)
def test_the_odds_agree_with_counting_every_throw(
    at_least: int, exactly: int | None, aside: str, left: int
) -> None:
    counted = by_counting(at_least, exactly, aside, left)
    assert isclose(odds.chance(at_least, exactly, aside, left), counted, abs_tol=1e-14)


def test_a_player_who_follows_the_advice_succeeds_as_often_as_it_says() -> None:
    options, dice, games, successes = grill.options({}), Dice(8), 3000, 0
    start = grill.start(2, options, None)
    for _ in range(games):
        state = start
        while state.turn == 0:
            asked: dict[str, Any] = {
                "aside": [grill.FACE_OF[letter] for letter in state.aside],
                "advise": True,
            }
            if state.phase == "keep":
                asked["dice"] = [grill.FACE_OF[letter] for letter in state.dice]
            advised = odds.ask(asked)["advise"]
            assert isinstance(advised, dict)
            step = grill.apply(state, {**advised, "seat": 0}, 0, dice)
            assert isinstance(step, Step), step
            state = step.state
        assert state.board.last is not None
        successes += state.board.last.result != "bad"
    assert isclose(successes / games, odds.chance(23), abs_tol=0.03)


def test_advice_has_all_choices_the_best_first() -> None:
    answer: Any = odds.ask({"aside": ["worm", "worm", 6], "dice": [1, 2, 2, 4, 6], "advise": True})
    assert [(choice["do"], choice["face"]) for choice in answer["choices"]] == [
        ("keep", 4),
        ("keep", 2),
        ("keep", 1),
    ]
    assert answer["advise"] == {"do": "keep", "face": 4}
    assert answer["chance"] == answer["choices"][0]["value"]
    values = [odds.chance(aside=aside) for aside in ("ww64", "ww622", "ww61")]
    assert [choice["value"] for choice in answer["choices"]] == values


@pytest.mark.parametrize(
    "question,advise",
    [
        ({}, {"do": "throw"}),
        ({"aside": ["worm", "worm", "worm", 6, 4]}, {"do": "stop"}),
        ({"aside": ["worm", "worm", 6]}, {"do": "throw"}),
        ({"aside": ["worm"] * 8}, {"do": "stop"}),
        ({"aside": [1, 2, 3, 4, "worm", 6], "at_least": 30}, {"do": "stop"}),
        ({"aside": ["worm", 6], "dice": ["worm", 6, 6, 6, 6, 6]}, None),
        ({"aside": ["worm", 6], "left": 0}, {"do": "stop"}),
    ],
)
def test_the_advice_is_what_the_rules_allow(question: dict[str, Any], advise: Any) -> None:
    answer: Any = odds.ask({**question, "advise": True})
    assert answer["advise"] == advise
    assert (answer["choices"] == []) == (advise is None)


def test_a_goal_that_contradicts_itself_is_never_reached() -> None:
    assert odds.chance(at_least=30, exactly=29) == 0.0
    assert odds.chance(at_least=29, exactly=29) == odds.chance(exactly=29) > 0


def test_the_tables_of_the_start_fall_with_the_total() -> None:
    at_least, exactly = odds.start_tables()
    assert list(at_least) == list(exactly) == list(grill.PLACES)
    assert sorted(at_least.values(), reverse=True) == list(at_least.values())
    assert all(exactly[place] <= at_least[place] for place in grill.PLACES)
    assert at_least[23] == odds.chance(23)


@settings(deadline=None, max_examples=50)
@given(
    st.text(alphabet=LETTERS, max_size=8),
    st.lists(st.floats(-5, 5), min_size=38, max_size=38),
    st.integers(0, 12),
)
def test_no_choice_is_worth_more_than_the_best_payoff(aside: str, payoffs: list[float], ahead: int) -> None:
    turn = Turn([*[0.0] * 20, *payoffs])
    left = 8 - len(aside)
    value = turn.value(aside, left, ahead)
    assert min(0.0, *payoffs) - 1e-12 <= value <= max(0.0, *payoffs) + 1e-12
    if aside:
        assert value == max(turn.stop(aside, ahead), turn.throw(aside, left, ahead))


def test_points_counted_ahead_are_as_good_as_points_set_aside() -> None:
    turn = Turn([0.0] * 25 + [1.0, 0.5, 2.0])
    plain = Turn([0.0] * 21 + [1.0, 0.5, 2.0])
    assert turn.value("w", 5, ahead=4) == plain.value("w", 5)
    assert turn.keeps("w", "66123", ahead=4) == plain.keeps("w", "66123")


@pytest.mark.parametrize(
    "question,key",
    [
        ({"atleast": 23}, "atleast"),
        ({"at_least": 0}, "at_least"),
        ({"at_least": 48}, "at_least"),
        ({"at_least": "23"}, "at_least"),
        ({"at_least": True}, "at_least"),
        ({"exactly": HIGHEST + 1}, "exactly"),
        ({"exactly": None}, "exactly"),
        ({"aside": "worm"}, "aside"),
        ({"aside": [5]}, "aside.0"),
        ({"aside": ["worm", True]}, "aside.1"),
        ({"aside": ["worm", [6]]}, "aside.1"),
        ({"aside": [6] * 9}, "aside"),
        ({"dice": [6, 1.0]}, "dice.1"),
        ({"aside": [6] * 5, "dice": [1] * 4}, "dice"),
        ({"left": 9}, "left"),
        ({"left": -1}, "left"),
        ({"aside": [6], "left": 8}, "left"),
        ({"dice": [1, 2], "left": 3}, "left"),
        ({"advise": 1}, "advise"),
    ],
)
def test_a_wrong_question_is_refused_by_name(question: dict[str, Any], key: str) -> None:
    with pytest.raises(BadQuestion) as error:
        odds.ask(question)
    assert error.value.key == key
    assert len(str(error.value)) < 200


def test_warm_questions_and_advice_are_answered_at_once() -> None:
    question = {"aside": ["worm", 6, 6], "dice": [1, 2, 3, 4, 4], "advise": True}
    odds.ask(question)
    times = []
    for _ in range(20):
        began = perf_counter()
        odds.ask(question)
        times.append(perf_counter() - began)
    print(f"a warm piece of advice takes {min(times) * 1e6:.0f} us")
    assert min(times) < 0.001


def test_all_start_tables_are_worked_out_quickly_and_stay_small() -> None:
    """Cold, in a process of its own: 0.1 s on a quiet machine of 3 GHz; the limit is for busy ones."""
    program = (
        "from resource import RUSAGE_SELF, getrusage\n"
        "from galley_engine.odds import worm_grill as odds\n"
        "before = getrusage(RUSAGE_SELF)\n"
        "odds.start_tables()\n"
        "after = getrusage(RUSAGE_SELF)\n"
        "print(after.ru_utime - before.ru_utime, 1024 * (after.ru_maxrss - before.ru_maxrss))\n"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout
    seconds, peak_bytes = map(float, printed.split())
    print(f"all start tables take {seconds:.3f} s and {peak_bytes / 1e6:.1f} MB")
    assert seconds < 1.0
    assert peak_bytes < 20e6
