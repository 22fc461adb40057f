"""What holds in every game of the sushi bar, however it is played."""

import json
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from galley_engine.dice import Dice
from galley_engine.game import REFUSALS, SEAT_PARAMETERS, Refusal, Step
from galley_engine.games import sushi_bar as bar
from tests.engine.arbitrary import Values, json_values

FAR_MORE_ACTIONS_THAN_A_GAME_TAKES = 20_000

OPTIONS: list[dict[str, object]] = [
    {},
    {"throws": 1},
    {"throws": 5, "start_seat": 1},
    {"sushi_tiles": [1, 9], "bone_tiles": [-9, -1, -1]},
    {"sushi_tiles": []},
    {"bone_tiles": [], "throws": 2},
]


def walk(seats: int, seed: int, moves: int, given: dict[str, object]) -> list[Step[bar.State]]:
    """Steps of a game in which the seat to act does any allowed thing."""
    dice = Dice(seed)
    state = bar.start(seats, bar.options(given), dice, None)
    steps: list[Step[bar.State]] = []
    while len(steps) < moves and state.phase != "over":
        (seat,) = bar.actors(state)
        step = bar.apply(state, dice.die(bar.moves(state, seat, 0)), 0, dice)
        assert isinstance(step, Step), step
        steps.append(step)
        state = step.state
    return steps


games = st.builds(
    walk,
    seats=st.integers(2, 5),
    seed=st.integers(0, 2**32),
    moves=st.integers(1, 400),
    given=st.sampled_from(OPTIONS),
)

near_misses: Values = st.one_of(
    st.integers(-1, 6),
    st.sampled_from(["sushi", "bone", "blue", True, None, 0.0, float("nan"), 10**400, set(), b"sushi"]),
    st.lists(st.sampled_from(["sushi", "bone", "red", None, 0]), max_size=6),
    st.lists(st.integers(-1, 5), max_size=6),
    json_values,
)
actions = st.one_of(
    json_values,
    st.dictionaries(st.text(max_size=8), json_values, max_size=4),
    st.fixed_dictionaries(
        {"do": st.sampled_from([*bar.actions, "fly"])},
        optional=dict.fromkeys(("seat", "kind", "from", "position", "dice", "faces", "x"), near_misses),
    ),
)


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 5), st.integers(0, 2**32), st.sampled_from(OPTIONS))
def test_random_play_always_ends(seats: int, seed: int, given: dict[str, object]) -> None:
    end = walk(seats, seed, FAR_MORE_ACTIONS_THAN_A_GAME_TAKES, given)[-1].state
    assert end.phase == "over"
    assert end.rows == ((), ())
    assert bar.ending(end) == "rows_empty"
    shown: Any = bar.full(end)
    assert shown["scores"] == [bar.count(tiles).score for tiles in end.stacks]
    assert shown["winners"] == [
        seat for seat, score in enumerate(shown["scores"]) if score == max(shown["scores"])
    ]


@settings(deadline=None, max_examples=60)
@given(games)
def test_tiles_are_neither_lost_nor_made(steps: list[Step[bar.State]]) -> None:
    for state, *_ in steps:
        everywhere = (state.rows, *state.stacks)
        assert sorted(tile for tiles in everywhere for tile in tiles.sushi) == sorted(
            state.options.sushi_tiles
        )
        assert sorted(tile for tiles in everywhere for tile in tiles.bone) == sorted(state.options.bone_tiles)


@settings(deadline=None, max_examples=60)
@given(games)
def test_a_state_is_always_in_order(steps: list[Step[bar.State]]) -> None:
    for state, *_ in steps:
        assert (state.rows == ((), ())) == (state.phase == "over")
        assert (state.throw == 0) == (state.dice == (None,) * 5)
        assert state.throw <= state.options.throws
        assert state.phase != "choose" or None not in state.dice
        if state.phase == "choose" and bar.is_last_throw(state):
            assert bar.legal(state, state.turn, 0)
            assert "lock" not in bar.legal(state, state.turn, 0)
        shown = bar.full(state)
        assert json.loads(json.dumps(shown)) == shown


@settings(deadline=None, max_examples=60)
@given(games)
def test_a_public_view_has_no_covered_tile(steps: list[Step[bar.State]]) -> None:
    for state, *_ in steps:
        covered = state._replace(
            stacks=tuple(
                bar.Tiles(
                    tuple(99 for _ in tiles.sushi[:-1]) + tiles.sushi[-1:],
                    tuple(-99 for _ in tiles.bone[:-1]) + tiles.bone[-1:],
                )
                for tiles in state.stacks
            )
        )
        if state.phase != "over":
            for seat in (None, *range(state.seats)):
                assert bar.public(covered, seat) == bar.public(state, seat)


@settings(deadline=None, max_examples=60)
@given(games)
def test_a_replay_without_chance_gives_equal_states(steps: list[Step[bar.State]]) -> None:
    for before, step in pairwise(steps):
        recorded = json.loads(json.dumps(step.action))
        assert recorded == step.action
        again = bar.apply(before.state, recorded, 0, None)
        assert again == step
        assert isinstance(again, Step)
        assert hash(again.state) == hash(step.state)


@settings(deadline=None, max_examples=60)
@given(games)
def test_events_have_the_parameters_of_their_table(steps: list[Step[bar.State]]) -> None:
    for state, _, happened in steps:
        for kind, data in happened:
            assert tuple(data) == bar.events[kind]
            assert all(data[key] in range(state.seats) for key in SEAT_PARAMETERS.intersection(data))
            assert json.dumps(data)


@settings(deadline=None, max_examples=100)
@given(games, st.lists(actions, min_size=1, max_size=8), st.integers(-(10**6), 10**6))
def test_whatever_an_action_is_it_is_a_step_or_a_typed_refusal(
    steps: list[Step[bar.State]], tries: list[Any], at_ms: int
) -> None:
    state = steps[-1].state
    before = bar.full(state)
    for action in tries:
        outcome = bar.apply(state, action, at_ms, Dice(1))
        if isinstance(outcome, Refusal):
            assert outcome.code in REFUSALS
            assert len(outcome.message) < 300
        else:
            assert isinstance(bar.apply(state, outcome.action, at_ms, None), Step)
        assert bar.full(state) == before


@settings(deadline=None, max_examples=60)
@given(games)
def test_legal_is_what_apply_accepts(steps: list[Step[bar.State]]) -> None:
    state = steps[-1].state
    for seat in range(state.seats):
        legal, moves = bar.legal(state, seat, 0), bar.moves(state, seat, 0)
        assert {move["do"] for move in moves} == set(legal)
        assert bool(moves) == (seat in bar.actors(state))
        for move in moves:
            assert isinstance(bar.apply(state, move, 0, Dice(1)), Step)
        every: list[dict[str, Any]] = [{"do": "throw"}, *({"do": "lock", "dice": [die]} for die in range(5))]
        for kind in bar.KINDS:
            every.append({"do": "take", "kind": kind})
            every += [
                {"do": "steal", "kind": kind, "from": victim, "position": position}
                for victim in range(state.seats)
                for position in range(1, 13)
            ]
        for action in ({**fields, "seat": seat} for fields in every):
            accepted = isinstance(bar.apply(state, action, 0, Dice(1)), Step)
            assert accepted == (action in moves), action


@settings(deadline=None, max_examples=40)
@given(st.lists(json_values, max_size=3), st.text(max_size=8))
def test_a_stamp_of_the_wrong_type_is_refused(junk: list[Any], text: str) -> None:
    state = bar.start(2, bar.options({}), None)
    for at_ms in (*junk, text, True, 1.0, None):
        if type(at_ms) is not int:
            outcome = bar.apply(state, {"do": "throw", "seat": 0}, at_ms, Dice(1))
            assert isinstance(outcome, Refusal)
            assert outcome.code == "bad_value"
