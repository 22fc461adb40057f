"""What holds in every game of the poop deck, however it is played and whatever the world does."""

import json
from itertools import pairwise, product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from galley_engine.dice import Dice
from galley_engine.game import REFUSALS, SEAT_PARAMETERS, Refusal, Step
from galley_engine.games import poop_deck as deck
from tests.engine.arbitrary import Values, json_values

OPTIONS: list[dict[str, object]] = [
    {},
    {"match_rule": "at_announce", "start_seat": 1},
    {"droppings_per_colour": 1},
    {"droppings_per_colour": 8},
]


def walk(seats: int, seed: int, moves: int, given: dict[str, object]) -> list[Step[deck.State]]:
    """Steps of a game in which any seat does and the world makes anything that is possible.

    The die falls in a game in thirty only, so that the others get on.
    """
    dice = Dice(seed)
    state = deck.start(seats, deck.options(given), dice, None)
    steps: list[Step[deck.State]] = []
    while len(steps) < moves and state.phase != "over":
        happens = dice.die(range(3)) == 0
        allowed = [move for seat in range(seats) for move in deck.moves(state, seat, 0)]
        if happens:
            allowed = deck.happenings(state)
            if dice.die(range(30)):
                allowed.remove({"do": "die_fell"})
        step = deck.apply(state, dice.die(allowed), 0, None)
        assert isinstance(step, Step), step
        steps.append(step)
        state = step.state
    return steps


games = st.builds(
    walk,
    seats=st.integers(2, 4),
    seed=st.integers(0, 2**32),
    moves=st.integers(1, 300),
    given=st.sampled_from(OPTIONS),
)
near_misses: Values = st.one_of(
    st.integers(-1, 5),
    st.sampled_from(["red", "hole", "gone", True, None, 0.0, float("nan"), 10**400, set(), b"red"]),
    json_values,
)
actions = st.one_of(
    json_values,
    st.dictionaries(st.text(max_size=8), json_values, max_size=4),
    st.fixed_dictionaries(
        {"do": st.sampled_from([*deck.actions, "fly"])},
        optional=dict.fromkeys(("seat", "colour", "truth", "because", "x"), near_misses),
    ),
)


@settings(deadline=None, max_examples=80)
@given(games)
def test_droppings_are_neither_lost_nor_made(steps: list[Step[deck.State]]) -> None:
    for state, *_ in steps:
        assert state.deck + sum(state.collected) + state.galley == state.options.droppings


@settings(deadline=None, max_examples=80)
@given(games)
def test_a_state_is_always_in_order(steps: list[Step[deck.State]]) -> None:
    for state, *_ in steps:
        assert max(state.collected) <= state.options.droppings_per_colour
        assert (state.phase == "over") == (state.deck == 0 or state.die_fell)
        assert not state.seen or state.phase == "hold"
        assert state.phase != "hold" or state.die is None or state.die in state.seen
        shown: Any = deck.full(state)
        assert json.loads(json.dumps(shown)) == shown == deck.public(state, 0)
        if state.phase == "over":
            won = not state.die_fell and sum(state.collected) >= state.galley
            assert shown["result"] == ("won" if won else "lost")
            assert shown["winners"] == (list(range(state.seats)) if won else [])


@settings(deadline=None, max_examples=60)
@given(games)
def test_a_replay_without_chance_gives_equal_states(steps: list[Step[deck.State]]) -> None:
    for before, step in pairwise(steps):
        recorded = json.loads(json.dumps(step.action))
        again = deck.apply(before.state, recorded, 0, None)
        assert again == step
        assert isinstance(again, Step)
        assert hash(again.state) == hash(step.state)


@settings(deadline=None, max_examples=60)
@given(games)
def test_events_have_the_parameters_of_their_table(steps: list[Step[deck.State]]) -> None:
    for state, _, happened in steps:
        for kind, data in happened:
            assert tuple(data) == deck.events[kind]
            assert all(data[key] in range(state.seats) for key in SEAT_PARAMETERS.intersection(data))


@settings(deadline=None, max_examples=100)
@given(games, st.lists(actions, min_size=1, max_size=8), st.integers(-(10**6), 10**6))
def test_whatever_an_action_is_it_is_a_step_or_a_typed_refusal(
    steps: list[Step[deck.State]], tries: list[Any], at_ms: int
) -> None:
    state = steps[-1].state
    before = deck.full(state)
    for action in tries:
        outcome = deck.apply(state, action, at_ms, Dice(1))
        if isinstance(outcome, Refusal):
            assert outcome.code in REFUSALS
            assert len(outcome.message) < 300
        else:
            assert deck.apply(state, outcome.action, at_ms, None) == outcome
        assert deck.full(state) == before


@settings(deadline=None, max_examples=80)
@given(games)
def test_legal_is_what_apply_accepts(steps: list[Step[deck.State]]) -> None:
    state = steps[-1].state
    values: dict[str, tuple[str, ...]] = {
        "colour": deck.COLOURS,
        "truth": deck.COLOURS,
        "because": deck.BECAUSE,
    }
    for seat in range(state.seats):
        moves = deck.moves(state, seat, 0)
        assert {move["do"] for move in moves} == set(deck.legal(state, seat, 0))
        for do, fields in deck.actions.items():
            if do in deck.EVENTS:
                continue
            names = [name for name in fields.required if name != "seat"]
            for chosen in product(*(values[name] for name in names)):
                action = {"do": do, "seat": seat, **dict(zip(names, chosen, strict=True))}
                assert isinstance(deck.apply(state, action, 0, None), Step) == (action in moves), action
    for event in ({"do": "dropping_fell"}, {"do": "die_fell"}, {"do": "die_shows", "colour": "red"}):
        accepted = isinstance(deck.apply(state, event, 0, None), Step)
        assert accepted == (event in deck.happenings(state))
