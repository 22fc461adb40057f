"""Whatever the fields of an action are called and hold, a game answers with a Step or a Refusal.

The dicts are made to come close to what the games know: their own words as keys, legal moves with a field
renamed, left out, added or changed. So a field that is missing behind one too many is among them.
"""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from galley_engine.actions import ANYTHING, SEAT, Check, Form
from galley_engine.dice import Dice
from galley_engine.game import REFUSALS, Fields, Refusal, Step
from galley_engine.games import NAMES, load
from galley_engine.simulate import wander
from tests.engine.arbitrary import json_values

WORDS = ("sushi", "bone", "blue", "red", "green", "left", "right", "worm", "hole", "gone", "yuck", "rice")
VALUES = json_values | st.integers(-1, 8) | st.sampled_from(WORDS) | st.lists(st.integers(0, 6), max_size=8)
ODD_KEYS = st.text(max_size=3) | st.integers(0, 2) | st.booleans() | st.none() | st.tuples(st.integers())


def keys_of(name: str) -> list[str]:
    """All fields that actions of the game have."""
    fields = load(name).actions.values()
    return sorted({key for required, optional in fields for key in (*required, *optional)})


@st.composite
def close_to_an_action(draw: st.DrawFn, name: str, moves: list[dict[str, Any]]) -> dict[Any, Any]:
    """A move or just a `do`, some of its fields under other names or with other values, others besides."""
    keys = st.sampled_from(keys_of(name)) | ODD_KEYS
    does = st.sampled_from(sorted(load(name).actions)).map(lambda do: {"do": do})
    action: dict[Any, Any] = dict(draw(does | st.sampled_from(moves) if moves else does))
    for key in draw(st.lists(st.sampled_from(sorted(action)), max_size=2, unique=True)):
        value = action.pop(key)
        action[draw(keys | st.just(key))] = draw(VALUES | st.just(value))
    return {**action, **draw(st.dictionaries(keys, VALUES, max_size=4))}


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=100)
@given(data=st.data())
def test_any_dict_is_answered_and_never_an_exception(name: str, data: st.DataObject) -> None:
    game = load(name)
    seats = data.draw(st.integers(game.min_seats, game.max_seats), "seats")
    start = game.start(seats, game.options({}), Dice(1), None)
    state = wander(game, start, data.draw(st.integers(0, 40), "moves"), Dice(data.draw(st.integers(0, 50))))
    moves = [move for seat in game.actors(state) for move in game.moves(state, seat, 1 << 40)]
    action = data.draw(close_to_an_action(name, moves), "action")
    before = game.full(state)
    at_ms: Any = data.draw(st.integers() | json_values, "at_ms")
    outcome = game.apply(state, action, at_ms, Dice(2))
    if isinstance(outcome, Refusal):
        assert outcome.code in REFUSALS
        assert outcome.message.isprintable()
        assert len(outcome.message) < 300
    else:
        assert isinstance(outcome, Step)
        required, optional = game.actions[str(action["do"])]
        assert {"do", *required} <= outcome.action.keys() <= {"do", *required, *optional}
    assert game.full(state) == before


@pytest.mark.parametrize("name", NAMES)
def test_a_field_missing_behind_an_unknown_one_is_refused_in_every_action(name: str) -> None:
    """The number of fields is right, and so is each that is known."""
    game = load(name)
    seen: set[tuple[str, str]] = set()
    for seed in range(12):
        state = game.start(game.max_seats, game.options({}), Dice(seed), None)
        for number in range(60):
            for move in (move for seat in game.actors(state) for move in game.moves(state, seat, 1 << 40)):
                for key in game.actions[str(move["do"])].required:
                    action = {"x" if field == key else field: value for field, value in move.items()}
                    outcome = game.apply(state, action, 1 << 40, Dice(0))
                    assert outcome == Refusal("bad_value", f"{key} is missing")
                    seen.add((str(move["do"]), key))
            state = wander(game, state, 1, Dice(seed << 10 | number))
            if state.phase == "over":
                break
    asked = {do for do, _ in seen}
    assert seen == {(do, key) for do in asked for key in game.actions[do].required}
    assert len(asked) >= 3


FIELDS = Fields(("seat", "face", "dice"), ("faces",))
CHECKS = {
    "seat": SEAT,
    "face": Check((int, str), (1, "worm"), "1 or worm"),
    "dice": ANYTHING,
    "faces": ANYTHING,
}
MOSTLY_GOOD = st.fixed_dictionaries(
    {},
    optional={
        "seat": st.integers(0, 2) | VALUES,
        "face": st.sampled_from((1, "worm")) | VALUES,
        "dice": VALUES,
        "faces": VALUES,
    },
)


@settings(deadline=None)
@example({"seat": 0, "face": 1, "x": 1}, {})
@given(MOSTLY_GOOD, st.dictionaries(ODD_KEYS, VALUES, max_size=1))
def test_a_form_passes_only_the_fields_of_its_table(good: dict[str, Any], odd: dict[Any, Any]) -> None:
    action: dict[Any, Any] = {"do": "x", **good, **odd}
    refusal = Form(FIELDS, CHECKS).refusal(action, 3, 0)
    assert (refusal is None) == (
        {"seat", "face", "dice"} <= action.keys() <= {"do", "seat", "face", "dice", "faces"}
        and type(action["seat"]) is int
        and action["seat"] in range(3)
        and type(action["face"]) in (int, str)
        and action["face"] in (1, "worm")
    )
    assert refusal is None or refusal.code == "bad_value"
