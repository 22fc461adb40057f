"""What holds in every game of the sushi duel, however it is played."""

import json
import os
import subprocess
import sys
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from galley_engine.dice import Dice
from galley_engine.game import REFUSALS, SEAT_PARAMETERS, Refusal, Step
from galley_engine.games import sushi_duel as duel
from tests.engine.arbitrary import Values, json_values

OPTIONS: list[dict[str, object]] = [
    {},
    {"false_bell": "none", "false_call_lock_ms": 1000},
    {"false_bell": "lose_duel", "visible": 2, "start_seat": 1},
    {"star_dice": 5, "yuck_dice": 1, "visible": 5, "min_roll_interval_ms": 0},
    {"star_dice": 6, "yuck_dice": 0, "targets": {"2": 1, "3": 1, "4": 2, "5": 1, "6": 2}},
]


def walk(seats: int, seed: int, moves: int, given: dict[str, object]) -> list[Step[duel.State]]:
    """Steps of a game in which, at each turn, some seat does some thing that is allowed.

    A bell that holds is rung at once, and dice set aside are soon freed, so that the game gets on.
    """
    dice = Dice(seed)
    state = duel.start(seats, duel.options(given), dice, None)
    steps: list[Step[duel.State]] = []
    for number in range(moves):
        at_ms = 400 * (number + 1)
        allowed = [move for seat in range(seats) for move in duel.moves(state, seat, at_ms)]
        if not allowed:
            break
        wins = [
            move
            for move in allowed
            if move["do"] == "bell"
            and duel.complete_platters(state, duel.side_of(state, move["seat"]) or "left")  # type: ignore[arg-type]
        ]
        step = duel.apply(state, wins[0] if wins else dice.die(allowed), at_ms, dice)
        assert isinstance(step, Step), step
        steps.append(step)
        state = step.state
    return steps


games = st.builds(
    walk,
    seats=st.integers(2, 6),
    seed=st.integers(0, 2**32),
    moves=st.integers(1, 300),
    given=st.sampled_from(OPTIONS),
)

near_misses: Values = st.one_of(
    st.integers(-1, 7),
    st.sampled_from(
        ["left", "right", "shrimp", "yuck", True, None, 0.0, float("nan"), 10**400, set(), b"left"]
    ),
    st.lists(st.sampled_from(["shrimp", "star", "yuck", None, 0]), max_size=7),
    json_values,
)
actions = st.one_of(
    json_values,
    st.dictionaries(st.text(max_size=8), json_values, max_size=4),
    st.fixed_dictionaries(
        {"do": st.sampled_from([*duel.actions, "fly"])},
        optional=dict.fromkeys(
            ("seat", "opponent", "die", "platter", "side", "to", "faces", "x"), near_misses
        ),
    ),
)


@settings(deadline=None, max_examples=60)
@given(games)
def test_platters_are_neither_lost_nor_made(steps: list[Step[duel.State]]) -> None:
    for state, *_ in steps:
        assert sum(state.won) + len(state.visible) + len(state.stock) == 19


@settings(deadline=None, max_examples=60)
@given(games)
def test_a_state_is_always_in_order(steps: list[Step[duel.State]]) -> None:
    for state, *_ in steps:
        left, right = state.stations
        assert (left.seat is None) == (right.seat is None) == (state.phase == "challenge")
        assert left.seat is None or left.seat != right.seat
        assert (state.caller is not None) == (state.phase in ("choose", "share"))
        assert (max(state.won) == state.target) == (state.phase == "over")
        for station in state.stations:
            assert all(
                face is None or face in die
                for face, die in zip(station.faces, state.options.dice, strict=True)
            )
            assert not any(
                kept and face is None for kept, face in zip(station.kept, station.faces, strict=True)
            )
            assert state.phase not in ("challenge", "ready") or not any(station.faces)
        shown = duel.full(state)
        assert json.loads(json.dumps(shown)) == shown == duel.public(state, 0)


@settings(deadline=None, max_examples=60)
@given(games)
def test_a_replay_without_chance_gives_equal_states(steps: list[Step[duel.State]]) -> None:
    for number in range(1, len(steps)):
        recorded = json.loads(json.dumps(steps[number].action))
        again = duel.apply(steps[number - 1].state, recorded, 400 * (number + 1), None)
        assert isinstance(again, Step)
        assert again == steps[number]
        assert hash(again.state) == hash(steps[number].state)


@settings(deadline=None, max_examples=60)
@given(games)
def test_events_have_the_parameters_of_their_table(steps: list[Step[duel.State]]) -> None:
    for state, _, happened in steps:
        for kind, data in happened:
            assert set(data) == set(duel.events[kind])
            assert all(data[key] in range(state.seats) for key in SEAT_PARAMETERS.intersection(data))


@settings(deadline=None, max_examples=100)
@given(games, st.lists(actions, min_size=1, max_size=8), st.integers(-(10**6), 10**6))
def test_whatever_an_action_is_it_is_a_step_or_a_typed_refusal(
    steps: list[Step[duel.State]], tries: list[Any], at_ms: int
) -> None:
    state = steps[-1].state
    before = duel.full(state)
    for action in tries:
        outcome = duel.apply(state, action, at_ms, Dice(1))
        if isinstance(outcome, Refusal):
            assert outcome.code in REFUSALS
            assert len(outcome.message) < 300
        else:
            assert isinstance(duel.apply(state, outcome.action, at_ms, None), Step)
        assert duel.full(state) == before


@settings(deadline=None, max_examples=60)
@given(games, st.integers(-1000, 200_000))
def test_legal_is_what_apply_accepts(steps: list[Step[duel.State]], at_ms: int) -> None:
    state = steps[-1].state
    for seat in range(state.seats):
        legal = duel.legal(state, seat, at_ms)
        moves = duel.moves(state, seat, at_ms)
        assert {move["do"] for move in moves} == set(legal)
        for move in moves:
            assert isinstance(duel.apply(state, move, at_ms, Dice(1)), Step)
        for do in set(duel.actions) - set(legal):
            for extra in (
                {},
                {"opponent": (seat + 1) % state.seats},
                {"die": 0},
                {"platter": 0},
                {"side": "left", "to": 0},
            ):
                assert isinstance(
                    duel.apply(state, {"do": do, "seat": seat, **extra}, at_ms, Dice(1)), Refusal
                )


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 6), st.integers(0, 2**32), st.lists(json_values, max_size=3), st.text(max_size=8))
def test_a_stamp_of_the_wrong_type_is_refused(seats: int, seed: int, junk: list[Any], text: str) -> None:
    state = duel.start(seats, duel.options({}), Dice(seed), None)
    for at_ms in (*junk, text, True, 1.0, None):
        if type(at_ms) is not int:
            outcome = duel.apply(state, {"do": "challenge", "seat": 0, "opponent": 1}, at_ms, None)
            assert isinstance(outcome, Refusal)
            assert outcome.code == "bad_value"


def test_a_game_does_not_depend_on_the_hash_seed() -> None:
    program = (
        "from galley_engine.bots import policy\n"
        "from galley_engine.dice import Dice\n"
        "from galley_engine.games import load\n"
        "game, dice, bot = load('sushi_duel'), Dice(5), policy('sushi_duel', 'best')\n"
        "state = game.start(4, game.options({}), dice, None)\n"
        "for number in range(400):\n"
        "    for seat in range(4):\n"
        "        action = bot.choose(state, seat, dice)\n"
        "        if action:\n"
        "            state = game.apply(state, action, 1000 * number, dice).state\n"
        "            print(action, game.full(state))\n"
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
    assert len(played[0].splitlines()) > 100
