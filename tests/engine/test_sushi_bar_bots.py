"""The bots of the sushi bar: they play by the rules, know the odds of a turn, and the stronger win more."""

from collections import Counter
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley_engine.bots import STRENGTHS, policy
from galley_engine.dice import Dice
from galley_engine.games import sushi_bar as bar
from galley_engine.odds.sushi_bar import Goal, chance
from galley_engine.policies.sushi_bar import expected_lead
from galley_engine.policies.sushi_bar_turn import Turn
from galley_engine.simulate import interval, play


def game(strengths: tuple[str, ...], seed: int, **options: object) -> bar.State:
    """The end of a game of bots."""
    dice = Dice(2 * seed)
    start = bar.start(len(strengths), bar.options(options), dice, None)
    policies = [policy("sushi_bar", strength) for strength in strengths]
    end = play(bar, start, policies, dice, Dice(2 * seed + 1)).state
    assert isinstance(end, bar.State)
    return end


@settings(deadline=None, max_examples=20)
@given(
    st.lists(st.sampled_from(STRENGTHS), min_size=2, max_size=5).map(tuple),
    st.integers(0, 2**32),
    st.sampled_from(
        [{}, {"throws": 1}, {"throws": 5}, {"sushi_tiles": []}, {"bone_tiles": [-9, -1], "sushi_tiles": [5]}]
    ),
)
def test_games_of_bots_always_end(strengths: tuple[str, ...], seed: int, options: dict[str, object]) -> None:
    assert game(strengths, seed, **options).phase == "over"


@pytest.mark.parametrize(
    "better,worse,games,least",
    [
        ("best", "easy", 24, 0.8),
        ("best", "good", 30, 0.45),
        ("good", "easy", 20, 0.75),
        ("easy", "random", 40, 0.6),
    ],
)
def test_the_stronger_bot_wins_more_games(better: str, worse: str, games: int, least: float) -> None:
    wins = 0.0
    for seed in range(games):
        place = seed % 2
        won = bar.winners(game((better, worse) if place == 0 else (worse, better), seed))
        wins += (place in won) / len(won)
    print(f"{better} wins {wins} of {games} games against {worse}: {interval(int(wins), games)}")
    assert wins / games > least


def choosing(dice: str, throw: int, rows: Any, stacks: Any = None) -> bar.State:
    """A position of seat 0 after a throw, the dice in the letters S, B, U, R; none locked before."""
    setup = {"rows": rows} | ({"stacks": stacks} if stacks else {})
    letters = {"S": "sushi", "B": "bone", "U": "blue", "R": "red"}
    state = bar.start(2, bar.options({}), None, setup)
    return state._replace(phase="choose", throw=throw, dice=tuple(letters[letter] for letter in dice))


@pytest.mark.parametrize("strength", ["easy", "good", "best"])
def test_the_better_of_two_tiles_is_taken_at_the_end(strength: str) -> None:
    state = choosing("SSSBB", 3, {"sushi": [1, 1, 6], "bone": [-1, -4]}, [{"bone": [-1]}, {}])
    assert policy("sushi_bar", strength).choose(state, 0, Dice(1)) == {
        "do": "take",
        "seat": 0,
        "kind": "sushi",
    }


def test_the_best_takes_what_hurts_the_leader_most() -> None:
    rows = {"sushi": [1], "bone": [-1]}
    stacks = [{"sushi": [4], "bone": [-1]}, {"sushi": [6, 5, 4], "bone": [-1, -1, -1]}]
    steal = {"do": "steal", "seat": 0, "kind": "sushi", "from": 1, "position": 3}
    assert policy("sushi_bar", "best").choose(choosing("UUUUS", 3, rows, stacks), 0, Dice(1)) == steal


def test_the_best_ends_the_game_when_nothing_better_can_come() -> None:
    rows, stacks = (
        {"sushi": [6], "bone": []},
        [{"sushi": [5], "bone": [-1, -1]}, {}],
    )
    state = choosing("SUURR", 1, rows, stacks)
    assert policy("sushi_bar", "best").choose(state, 0, Dice(1)) == {"do": "take", "seat": 0, "kind": "sushi"}


def test_a_sushi_without_a_bone_is_worth_something_until_the_end() -> None:
    stacks = (bar.Tiles((6,), ()), bar.Tiles((), ()))
    assert expected_lead(bar.Tiles((1,), (-1,)), stacks, 0) == pytest.approx(0.7 * 6)
    assert expected_lead(bar.Tiles((), ()), stacks, 0) == 0
    assert expected_lead(bar.Tiles((1,), (-1,)), stacks, 1) == pytest.approx(-0.7 * 6)


def test_the_values_of_a_turn_are_the_exact_odds() -> None:
    """A turn that is worth 1 with at least three sushi is worth the chance of that."""
    turn = Turn(3, lambda counts: float(counts[0] >= 3))
    goal = Goal(3, exact=False)
    for locked, throws_left in product(((1, 0, 0, 0), (1, 1, 0, 0), (0, 2, 1, 1), (2, 0, 1, 0)), (1, 2)):
        faces = [face for face, count in zip(bar.FACES, locked, strict=True) for _ in range(count)]
        expected = float(chance("sushi", goal, faces, 4 - throws_left))
        assert turn.locked(throws_left, locked) == pytest.approx(expected, abs=1e-12)


def test_a_turn_stops_when_nothing_better_can_come() -> None:
    turn = Turn(3, lambda counts: float(counts[0] >= 3))
    assert turn.choose(2, (0, 0, 0, 0), (3, 1, 1, 0)) == (None, 1.0)
    assert turn.choose(0, (1, 1, 1, 1), (0, 1, 0, 0)) == (None, 0.0)
    lock, value = turn.choose(2, (0, 0, 0, 0), (2, 1, 1, 1))
    assert lock == (2, 0, 0, 0)
    assert value == pytest.approx(float(chance("sushi", Goal(3, exact=False), ["sushi"] * 2, 2)))


@pytest.mark.parametrize("strength", STRENGTHS)
def test_a_bot_acts_only_in_its_turn(strength: str) -> None:
    state = bar.start(2, bar.options({}), None)
    bot = policy("sushi_bar", strength)
    assert bot.choose(state, 1, Dice(1)) is None
    assert bot.choose(state, 0, Dice(1)) == {"do": "throw", "seat": 0}
    assert bot.choose(state._replace(phase="over"), 0, Dice(1)) is None


def test_all_but_the_random_one_decide_without_whims() -> None:
    state = choosing("SSBUR", 1, {"sushi": [1, 4], "bone": [-1, -2]})
    chosen = Counter(
        (strength, str(policy("sushi_bar", strength).choose(state, 0, Dice(seed))))
        for strength in STRENGTHS
        for seed in range(30)
    )
    kinds = Counter(strength for strength, _ in chosen)
    assert kinds["random"] > 5
    assert kinds["easy"] == kinds["good"] == kinds["best"] == 1
