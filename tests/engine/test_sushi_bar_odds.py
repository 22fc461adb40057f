"""The odds of the sushi bar: known values, other ways to count, and questions in JSON."""

import time
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from galley_engine.dice import Dice
from galley_engine.games.sushi_bar import DICE, DIE, FACES
from galley_engine.odds import BadQuestion
from galley_engine.odds.sushi_bar import Goal, ask, chance, choices


def test_the_published_chance_of_exactly_three_sushi() -> None:
    assert chance("sushi", Goal(3, exact=True)) == Fraction(360980, 531441)


def test_sushi_and_bone_are_alike_and_so_are_the_chopsticks() -> None:
    for wanted, exact in product(range(DICE + 1), (True, False)):
        goal = Goal(wanted, exact)
        assert chance("sushi", goal) == chance("bone", goal)
        assert chance("blue", goal) == chance("red", goal)


@pytest.mark.parametrize("kind,hit", [("sushi", Fraction(1, 3)), ("blue", Fraction(1, 6))])
def test_for_at_least_so_many_one_keeps_all_hits_and_each_die_has_its_throws(
    kind: str, hit: Fraction
) -> None:
    """Each die is thrown until it hits, three times at most, so the dice are independent.

    Except that one die at least must be locked after a throw: with no hit a miss is, and is thrown no more.
    """
    never = 1 - hit
    one_more = 1 - never**3
    freely = sum(
        (
            one_more**count * (1 - one_more) ** (DICE - count) * combinations
            for count, combinations in ((5, 1), (4, 5), (3, 10))
        ),
        Fraction(0),
    )
    found = chance(kind, Goal(3, exact=False))
    assert found < freely
    assert found > freely - never**DICE


def by_hand(kind: str, goal: Goal, locked: tuple[str, ...], throw: int) -> Fraction:
    """The same chance over all faces of all dice, and all ways to lock them."""
    free = DICE - len(locked)
    total = Fraction(0)
    for shown in product(DIE, repeat=free):
        total += best_by_hand(kind, goal, locked, shown, throw)
    return total * Fraction(1, len(DIE)) ** free


def best_by_hand(
    kind: str, goal: Goal, locked: tuple[str, ...], shown: tuple[str, ...], throw: int
) -> Fraction:
    best: Fraction = Fraction(goal.met((*locked, *shown).count(kind)))
    if throw < 3:
        for mask in product((False, True), repeat=len(shown)):
            if any(mask) and not all(mask):
                more = tuple(face for face, keep in zip(shown, mask, strict=True) if keep)
                best = max(best, by_hand(kind, goal, (*locked, *more), throw + 1))
    return best


@pytest.mark.parametrize("kind,locked,throw", [("sushi", "sushi bone red", 3), ("blue", "blue red red", 2)])
@pytest.mark.parametrize("goal", [Goal(2, exact=True), Goal(2, exact=False), Goal(1, exact=True)])
def test_the_chance_is_that_of_trying_everything(kind: str, locked: str, throw: int, goal: Goal) -> None:
    faces = tuple(locked.split())
    assert chance(kind, goal, faces, throw) == by_hand(kind, goal, faces, throw)


def test_playing_by_the_choices_gives_the_chance() -> None:
    dice, goal, won, games = Dice(11), Goal(3, exact=True), 0, 4000
    for _ in range(games):
        locked: list[str] = []
        for throw in (1, 2, 3):
            shown = dice.throw((DIE,) * (DICE - len(locked)))
            found = choices("sushi", goal, locked, shown, throw)
            locked += [shown[die] for die in found[0].lock] if found else shown
        won += locked.count("sushi") == 3
    assert abs(won / games - 360980 / 531441) < 0.03


def test_choices_are_the_best_first_and_of_equals_the_fewest_dice() -> None:
    found = choices("sushi", Goal(3, exact=False), ["sushi"], ["sushi", "bone", "sushi", "red"], 2)
    assert found[0] == ((0, 2), Fraction(1))
    assert [choice.chance for choice in found] == sorted((choice.chance for choice in found), reverse=True)
    assert choices("sushi", Goal(3, exact=True), ["sushi"], ["sushi"] * 4, 3) == []


def test_a_question_of_the_start() -> None:
    assert ask({"kind": "sushi", "exactly": 3}) == {"chance": 360980 / 531441}


def test_a_question_of_the_middle_of_a_turn() -> None:
    answer: Any = ask(
        {"kind": "sushi", "at_least": 3, "locked": ["sushi", "bone"], "throw": 2, "advise": True}
    )
    assert answer["chance"] == pytest.approx(
        float(chance("sushi", Goal(3, exact=False), ("sushi", "bone"), 2)), abs=1e-12
    )
    assert answer["advise"] == {"do": "throw"}
    last: Any = ask({"kind": "sushi", "at_least": 3, "locked": ["sushi", "sushi", "bone"], "throw": 3})
    assert last["chance"] == pytest.approx(5 / 9, abs=1e-12)


def test_advice_names_dice_as_the_game_does() -> None:
    question: dict[str, object] = {"kind": "sushi", "exactly": 2, "locked": ["bone"], "advise": True}
    answer: Any = ask({**question, "dice": ["sushi", "red", "sushi", "blue"]})
    assert answer["chance"] == 1
    assert answer["advise"] == {"do": "lock", "dice": [1, 2, 3, 4]}
    assert answer["choices"][0] == {"do": "lock", "dice": [1, 2, 3, 4], "value": 1.0}
    assert len(answer["choices"]) == 11


def test_with_nothing_left_to_throw_the_goal_is_met_or_not() -> None:
    for faces, met in ((["blue"] * 3 + ["red"] * 2, 1.0), (["blue"] * 2 + ["red"] * 3, 0.0)):
        answer = ask({"kind": "blue", "at_least": 3, "locked": faces, "advise": True})
        assert answer == {"chance": met, "advise": None, "choices": []}
        after = ask({"kind": "blue", "at_least": 3, "locked": faces[:3], "dice": faces[3:], "throw": 3})
        assert after == {"chance": met}


@pytest.mark.parametrize(
    "question,key",
    [
        ({"exactly": 3}, "kind"),
        ({"kind": "fish", "exactly": 3}, "kind"),
        ({"kind": "sushi"}, "exactly"),
        ({"kind": "sushi", "exactly": 3, "at_least": 3}, "exactly"),
        ({"kind": "sushi", "exactly": 6}, "exactly"),
        ({"kind": "sushi", "at_least": -1}, "at_least"),
        ({"kind": "sushi", "at_least": True}, "at_least"),
        ({"kind": "sushi", "at_least": 3, "locked": ["star"]}, "locked.0"),
        ({"kind": "sushi", "at_least": 3, "locked": "sushi"}, "locked"),
        ({"kind": "sushi", "at_least": 3, "locked": ["sushi"] * 6}, "locked"),
        ({"kind": "sushi", "at_least": 3, "locked": ["sushi"], "throw": 1}, "throw"),
        ({"kind": "sushi", "at_least": 3, "locked": ["sushi"], "throw": 3}, "throw"),
        ({"kind": "sushi", "at_least": 3, "throw": 4}, "throw"),
        ({"kind": "sushi", "at_least": 3, "dice": ["sushi"]}, "dice"),
        ({"kind": "sushi", "at_least": 3, "advise": 1}, "advise"),
        ({"kind": "sushi", "at_least": 3, "aside": []}, "aside"),
    ],
)
def test_an_impossible_question_is_refused_by_name(question: dict[str, object], key: str) -> None:
    with pytest.raises(BadQuestion) as error:
        ask(question)
    assert error.value.key == key


def test_a_warm_answer_takes_far_less_than_a_visitor_notices() -> None:
    question: dict[str, object] = {
        "kind": "red",
        "at_least": 3,
        "dice": [*FACES, "red"],
        "advise": True,
    }
    ask(question)
    started = time.process_time()
    for _ in range(20):
        ask(question)
    assert (time.process_time() - started) / 20 < 0.01
