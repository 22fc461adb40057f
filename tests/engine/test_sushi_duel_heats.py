"""The sushi duel's dead heats, case by case as the rules' table has them."""

from __future__ import annotations

from itertools import permutations

import pytest

from galley_engine.dice import Dice
from galley_engine.games import sushi_duel
from galley_engine.games.sushi_duel_heats import first
from galley_engine.games.sushi_duel_state import State

LEFT, RIGHT = 2, 4
MATES = (0, 1, 3, 5)


def duel(won: tuple[int, ...] = (0,) * 6) -> State:
    """Six seats, seat 2 at the left station and seat 4 at the right one."""
    state = sushi_duel.start(6, sushi_duel.options({"start_seat": LEFT}), Dice(1))
    left, right = state.stations
    stations = (left._replace(seat=LEFT), right._replace(seat=RIGHT))
    return state._replace(stations=stations, phase="duel", won=won)


@pytest.mark.parametrize(
    ("winner", "loser"),
    [
        (("roll", LEFT), ("yuck", RIGHT)),
        (("roll", RIGHT), ("mate", 0)),
        (("mate", 0), ("bell", LEFT)),
        (("mate", 3), ("yuck", LEFT)),
        (("bell", RIGHT), ("yuck", LEFT)),
        (("keep", RIGHT), ("bell", LEFT)),
    ],
)
def test_the_pairs_of_the_table(winner: tuple[str, int], loser: tuple[str, int]) -> None:
    actions = [{"do": do, "seat": seat} for do, seat in (winner, loser)]
    assert first(duel(), actions) == 0
    assert first(duel(), actions[::-1]) == 1


@pytest.mark.parametrize(
    ("won", "winner"),
    [
        ((0, 0, 1, 0, 0, 0), RIGHT),
        ((0, 0, 0, 0, 1, 0), LEFT),
        ((3, 3, 2, 3, 2, 3), LEFT),  # equal: clockwise from seat 0
    ],
)
def test_of_two_bells_the_one_with_fewer_platters_then_clockwise_from_seat_0(
    won: tuple[int, ...], winner: int
) -> None:
    for seats in permutations((LEFT, RIGHT)):
        actions = [{"do": "bell", "seat": seat} for seat in seats]
        assert actions[first(duel(won), actions)]["seat"] == winner


def test_of_several_mates_the_first_one_clockwise_from_the_left_duelist() -> None:
    for seats in permutations(MATES):
        actions = [{"do": "mate", "seat": seat} for seat in seats]
        order = []
        while actions:
            order.append(actions.pop(first(duel(), actions))["seat"])
        assert order == [3, 5, 0, 1]


def test_the_choice_does_not_depend_on_the_order_in_which_they_are_given() -> None:
    actions = [("yuck", LEFT), ("bell", RIGHT), ("mate", 1), ("roll", RIGHT), ("mate", 5)]
    for given in permutations(actions):
        left = [{"do": do, "seat": seat} for do, seat in given]
        order = []
        while left:
            chosen = left.pop(first(duel(), left))
            order.append((chosen["do"], chosen["seat"]))
        assert order == [("roll", RIGHT), ("mate", 5), ("mate", 1), ("bell", RIGHT), ("yuck", LEFT)]
