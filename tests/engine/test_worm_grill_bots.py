"""The bots of the worm grill: they play by the rules, the stronger win, and they see what pays."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley_engine.bots import STRENGTHS, policy
from galley_engine.dice import Dice
from galley_engine.game import Step
from galley_engine.games import worm_grill as grill
from galley_engine.odds.worm_grill_turn import Turn
from galley_engine.policies.worm_grill import by, standing


def play(strengths: tuple[str, ...], seed: int, **options: object) -> grill.State:
    """The end of a game of bots."""
    bots = [policy("worm_grill", strength) for strength in strengths]
    dice, whims = Dice(seed), Dice(seed + 1)
    state = grill.start(len(bots), grill.options(options), dice, None)
    while state.phase != "over":
        action = bots[state.turn].choose(state, state.turn, whims)
        step = grill.apply(state, action, 0, dice)
        assert isinstance(step, Step), step
        state = step.state
    return state


def share(better: str, worse: str, games: int) -> float:
    """The share of games that `better` wins against one `worse`, ties as halves."""
    won = 0.0
    for seed in range(games):
        seat = seed % 2
        winners = grill.full(play((better, worse) if seat == 0 else (worse, better), seed))["winners"]
        assert isinstance(winners, list)
        won += (seat in winners) / len(winners)
    print(f"{better} wins {won:g} of {games} games against {worse}")
    return won / games


@settings(deadline=None, max_examples=15)
@given(
    st.lists(st.sampled_from(STRENGTHS), min_size=2, max_size=5).map(tuple),
    st.integers(0, 2**32),
    st.sampled_from(
        [
            {},
            {"stop_requires_good": True, "plates": 1},
            {"no_free_place": "no_effect", "snails": 3},
            {"place_value": {"36": 0, "35": 0}, "snail_points": 0},
        ]
    ),
)
def test_games_of_bots_always_end(strengths: tuple[str, ...], seed: int, options: dict[str, object]) -> None:
    assert grill.ending(play(strengths, seed, **options)) is not None


@pytest.mark.parametrize(
    "better,worse,games,least",
    [("easy", "random", 40, 0.9), ("good", "easy", 20, 0.55), ("best", "easy", 20, 0.6)],
)
def test_the_stronger_bot_wins_more_games(better: str, worse: str, games: int, least: float) -> None:
    assert share(better, worse, games) > least


@pytest.mark.parametrize("strength", STRENGTHS)
def test_a_bot_acts_in_its_turn_only(strength: str) -> None:
    bot, state = policy("worm_grill", strength), grill.start(2, grill.options({}), None)
    assert bot.choose(state, 0, Dice(1)) == {"do": "throw", "seat": 0}
    assert bot.choose(state, 1, Dice(1)) is None
    assert bot.choose(state._replace(phase="over"), 0, Dice(1)) is None


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 2**32))
def test_the_face_kept_is_the_best_of_all_though_few_are_valued(seed: int) -> None:
    dice, state = Dice(seed), grill.start(2, grill.options({}), None)
    choices = []
    while state.phase != "over":
        if state.phase == "keep":
            choices.append(state)
        step = grill.apply(state, dice.die(grill.moves(state, state.turn, 0)), 0, dice)
        assert isinstance(step, Step)
        state = step.state
    for choice in choices[::5]:
        values = Turn(standing(choice.options, choice.board, choice.turn)).keeps(choice.aside, choice.dice)
        best = max(values, key=values.__getitem__)
        assert by(standing)(choice, dice)["face"] == grill.FACE_OF[best]


def deciding(aside: str, dice: str, seats: int = 2, **setup: Any) -> grill.State:
    """Seat 0 has these dice aside and these on the table, and may stop or throw."""
    state = grill.start(seats, grill.options({}), None, setup)
    return state._replace(phase="decide", aside=aside, dice=dice)


def decision(strength: str, state: grill.State) -> Any:
    action = policy("worm_grill", strength).choose(state, 0, Dice(1))
    assert action is not None
    return action["do"]


@pytest.mark.parametrize("strength", ["easy", "good", "best"])
def test_what_is_good_is_taken_with_little_left_to_throw(strength: str) -> None:
    assert decision(strength, deciding("ww6644", "1")) == "stop"


@pytest.mark.parametrize("strength", ["easy", "good", "best"])
def test_a_bad_total_is_not_stopped_on(strength: str) -> None:
    assert decision(strength, deciding("www6", "1234")) == "throw"
    assert decision(strength, deciding("6666", "1234")) == "throw"


@pytest.mark.parametrize("strength", ["good", "best"])
def test_a_closed_place_is_thrown_past(strength: str) -> None:
    closed = {"25": {"plates": [1, 1]}}
    assert decision(strength, deciding("www64", "1123", grill=closed, worms=[0, 4])) == "throw"


def test_the_best_ends_the_game_when_it_leads_and_goes_on_when_it_does_not() -> None:
    """Stopping below 23 with an empty supply is a bad throw that ends the game."""
    ahead = deciding("ww61", "222", worms=[9, 5], supply={"snails": 0})
    behind = deciding("ww61", "222", worms=[5, 9], supply={"snails": 0})
    assert (decision("best", ahead), decision("best", behind)) == ("stop", "throw")
    assert decision("good", ahead) == "throw"


def test_the_best_prefers_to_rob_the_leader() -> None:
    """A theft of two worms moves the standing by four, two worms of the supply by two."""
    from galley_engine.policies.worm_grill import standing

    state = grill.start(2, grill.options({}), None, {"grill": {"25": {"plates": [1]}}, "worms": [0, 2]})
    payoffs = standing(state.options, state.board, 0)
    assert payoffs[25] > payoffs[26] > 0
    assert all(payoff == 0 for payoff in payoffs[: grill.FIRST])
