"""What holds in every game of the worm grill, however it is played."""

import json
import os
import subprocess
import sys
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from galley_engine.dice import Dice
from galley_engine.game import REFUSALS, SEAT_PARAMETERS, Refusal, Step
from galley_engine.games import worm_grill as grill
from tests.engine.arbitrary import Values, json_values

OPTIONS: list[dict[str, object]] = [
    {},
    {"no_free_place": "no_effect", "start_seat": 1},
    {"stop_requires_good": True, "snails": 4},
    {"plates": 1, "snails": 40},
    {"snail_points": 0, "place_value": {str(place): 36 - place for place in grill.PLACES}},
    {"worm_supply": 5, "plates": 28},
    {"snails": 0},
]
UNDERPAYING = OPTIONS[5]
FAR_MORE_ACTIONS_THAN_A_GAME_TAKES = 100_000


def walk(seats: int, seed: int, share: int, given: dict[str, object]) -> list[Step[grill.State]]:
    """Steps of a game in which the seat to act does any allowed thing, `share` percent of it from the start.

    Steps do not make a state invalid by being the last, so a game cut short serves as well as a whole one.
    """
    dice = Dice(seed)
    state = grill.start(seats, grill.options(given), dice, None)
    steps: list[Step[grill.State]] = []
    for _ in range(FAR_MORE_ACTIONS_THAN_A_GAME_TAKES):
        if state.phase == "over":
            return steps[: 1 + len(steps) * share // 100]
        step = grill.apply(state, dice.die(grill.moves(state, state.turn, 0)), 0, dice)
        assert isinstance(step, Step), step
        steps.append(step)
        state = step.state
    raise AssertionError(f"still playing: {state}")


games = st.builds(
    walk,
    seats=st.integers(2, 5),
    seed=st.integers(0, 2**32),
    share=st.integers(0, 100),
    given=st.sampled_from(OPTIONS),
)

near_misses: Values = st.one_of(
    st.integers(-1, 7),
    st.sampled_from(["worm", "w", "6", True, None, 0.0, 1.0, float("nan"), 10**400, set(), b"worm"]),
    st.lists(st.sampled_from([1, 2, 3, 4, "worm", 6, 5, True, None, [6]]), max_size=9),
    json_values,
)
actions = st.one_of(
    json_values,
    st.dictionaries(st.text(max_size=8), json_values, max_size=4),
    st.fixed_dictionaries(
        {"do": st.sampled_from([*grill.actions, "fly"])},
        optional=dict.fromkeys(("seat", "face", "faces", "x"), near_misses),
    ),
)


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 5), st.integers(0, 2**32), st.sampled_from(OPTIONS))
def test_random_legal_play_always_ends(seats: int, seed: int, options: dict[str, object]) -> None:
    last = walk(seats, seed, 100, options)[-1].state
    shown = grill.full(last)
    points = shown["scores"]
    assert isinstance(points, list)
    assert shown["winners"] == [seat for seat in range(seats) if points[seat] == max(points)]
    assert grill.ending(last) in ("supply_empty", "grill_full", "no_snail")


@settings(deadline=None, max_examples=60)
@given(games)
def test_worms_plates_and_snails_are_neither_lost_nor_made(steps: list[Step[grill.State]]) -> None:
    for state, *_ in steps:
        board, options = state.board, state.options
        lying = [lies for lies in board.grill if lies != grill.SNAIL]
        assert sum(board.worms) + board.worm_supply == options.worm_supply
        assert sum(board.snails) + board.snail_supply + board.grill.count(grill.SNAIL) == options.snails
        for seat, plates in enumerate(board.plates):
            assert plates + sum(lies.count(seat) for lies in lying) == options.plates
        assert min(*board.worms, *board.snails, *board.plates, board.worm_supply, board.snail_supply) >= 0


@settings(deadline=None, max_examples=60)
@given(games)
def test_a_seat_has_the_worms_of_its_plates_while_nobody_was_underpaid(
    steps: list[Step[grill.State]],
) -> None:
    underpaid = False
    for state, _, happened in steps:
        value = dict(zip(grill.PLACES, state.options.place_value, strict=True))
        underpaid |= any(data["worms"] != value[data["place"]] for _, data in happened if "worms" in data)  # type: ignore[index]
        if underpaid:
            assert state.options == grill.options(UNDERPAYING)
            return
        for seat, worms in enumerate(state.board.worms):
            on_grill = zip(state.options.place_value, state.board.grill, strict=True)
            assert worms == sum(points * lies.count(seat) for points, lies in on_grill)


@settings(deadline=None, max_examples=60)
@given(games)
def test_a_state_is_always_in_order(steps: list[Step[grill.State]]) -> None:
    for state, *_ in steps:
        assert len(state.dice) + len(state.aside) in (0, 8)
        assert (state.phase in ("keep", "decide")) == bool(state.dice)
        assert bool(state.aside) or state.phase != "decide"
        assert grill.actors(state) == (() if state.phase == "over" else (state.turn,))
        shown = grill.full(state)
        assert json.loads(json.dumps(shown)) == shown == grill.public(state, 0)
        assert (shown["turn"] is None) == (state.phase == "over") == (shown["winners"] is not None)


@settings(deadline=None, max_examples=60)
@given(games)
def test_a_replay_without_chance_gives_equal_states(steps: list[Step[grill.State]]) -> None:
    for before, after in pairwise(steps):
        recorded = json.loads(json.dumps(after.action))
        again = grill.apply(before.state, recorded, 0, None)
        assert isinstance(again, Step)
        assert again == after
        assert hash(again.state) == hash(after.state)


@settings(deadline=None, max_examples=60)
@given(games)
def test_events_have_the_parameters_of_their_table(steps: list[Step[grill.State]]) -> None:
    for state, _, happened in steps:
        assert happened
        for kind, data in happened:
            assert set(data) == set(grill.events[kind])
            assert all(data[key] in range(state.seats) for key in SEAT_PARAMETERS.intersection(data))


@settings(deadline=None, max_examples=100)
@given(games, st.lists(actions, min_size=1, max_size=8), st.integers(-(10**6), 10**6) | json_values)
def test_whatever_an_action_is_it_is_a_step_or_a_typed_refusal(
    steps: list[Step[grill.State]], tries: list[Any], at_ms: Any
) -> None:
    state = steps[-1].state
    before = grill.full(state)
    for action in tries:
        outcome = grill.apply(state, action, at_ms, Dice(1))
        if isinstance(outcome, Refusal):
            assert outcome.code in REFUSALS
            assert len(outcome.message) < 300
        else:
            assert type(at_ms) is int
            assert isinstance(grill.apply(state, outcome.action, at_ms, None), Step)
        assert grill.full(state) == before


@settings(deadline=None, max_examples=60)
@given(games)
def test_legal_is_what_apply_accepts(steps: list[Step[grill.State]]) -> None:
    state = steps[-1].state
    kept = [{"face": face} for face in grill.FACES]
    for seat in range(state.seats):
        moves = grill.moves(state, seat, 0)
        assert tuple(dict.fromkeys(move["do"] for move in moves)) == grill.legal(state, seat, 0)
        for do in grill.actions:
            for values in kept if do == "keep" else [{}]:
                action = {"do": do, "seat": seat, **values}
                assert isinstance(grill.apply(state, action, 0, Dice(1)), Step) == (action in moves)


def test_a_game_does_not_depend_on_the_hash_seed() -> None:
    program = (
        "from galley_engine.bots import policy\n"
        "from galley_engine.dice import Dice\n"
        "from galley_engine.games import load\n"
        "game, dice = load('worm_grill'), Dice(5)\n"
        "bots = [policy('worm_grill', strength) for strength in ('best', 'good', 'easy', 'random')]\n"
        "state = game.start(4, game.options({}), dice, None)\n"
        "while state.phase != 'over':\n"
        "    action = bots[state.turn].choose(state, state.turn, dice)\n"
        "    state = game.apply(state, action, 0, dice).state\n"
        "    print(action, game.full(state))\n"
    )
    played = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    ]
    assert played[0] == played[1]
    assert len(played[0].splitlines()) > 50
