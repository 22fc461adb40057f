"""Checks of actions' fields, and actions that nobody can change."""

import copy
import json
from typing import Any

import pytest

from galley_engine.actions import ANYTHING, SEAT, Check, Form, Move
from galley_engine.game import Fields

CHECKS = {
    "seat": SEAT,
    "to": SEAT,
    "die": Check(int, range(6), "a die from 0 to 5"),
    "side": Check(str, ("left", "right"), "left or right"),
    "dice": ANYTHING,
    "faces": ANYTHING,
}
FORM = Form(Fields(("seat", "die", "side", "dice"), ("faces",)), CHECKS)
GOOD = {"do": "x", "seat": 1, "die": 5, "side": "left", "dice": [1, 2]}


@pytest.mark.parametrize("more", [{}, {"faces": []}, {"faces": None}, {"dice": None}, {"seat": 0}])
def test_fields_as_in_the_table_are_in_order(more: dict[str, object]) -> None:
    assert FORM.refusal({**GOOD, **more}, 2, 0) is None


@pytest.mark.parametrize(
    "more,message",
    [
        ({"seat": 2}, "seat is 2, it must be a seat of this game"),
        ({"seat": -1}, "seat is -1, it must be a seat of this game"),
        ({"seat": True}, "seat is true, it must be a seat of this game"),
        ({"seat": 1.0}, "seat is 1.0, it must be a seat of this game"),
        ({"seat": None}, "seat is null, it must be a seat of this game"),
        ({"die": 6}, "die is 6, it must be a die from 0 to 5"),
        ({"die": "5"}, 'die is "5", it must be a die from 0 to 5'),
        ({"side": "up"}, 'side is "up", it must be left or right'),
        ({"side": ["left"]}, "side is a list of 1, it must be left or right"),
        ({"why": 1}, 'the field "why" is not known here'),
        ({7: 1}, "the field 7 is not known here"),
    ],
)
def test_any_other_value_is_refused_in_words(more: dict[Any, object], message: str) -> None:
    assert FORM.refusal({**GOOD, **more}, 2, 0) == ("bad_value", message)


@pytest.mark.parametrize("key", ["seat", "die", "side", "dice"])
def test_a_missing_field_is_named(key: str) -> None:
    action = {name: value for name, value in GOOD.items() if name != key}
    assert FORM.refusal(action, 2, 0) == ("bad_value", f"{key} is missing")


@pytest.mark.parametrize("at_ms", [True, 1.0, "1", None])
def test_a_stamp_of_another_type_is_refused(at_ms: object) -> None:
    refusal = FORM.refusal(GOOD, 2, at_ms)
    assert refusal is not None
    assert "whole number of milliseconds" in refusal.message


def test_a_move_reads_like_any_action() -> None:
    move = Move({"do": "keep", "seat": 1})
    assert move == {"do": "keep", "seat": 1}
    assert json.dumps(move) == '{"do": "keep", "seat": 1}'
    assert {**move, "die": 2} == {"do": "keep", "seat": 1, "die": 2}
    mine = dict(move)
    mine["seat"] = 2
    assert move["seat"] == 1


def test_a_move_cannot_be_changed() -> None:
    move: Any = Move({"do": "keep", "seat": 1})
    attempts = (
        lambda: move.__setitem__("seat", 2),
        lambda: move.__delitem__("seat"),
        lambda: move.__ior__({"seat": 2}),
        lambda: move.update(seat=2),
        lambda: move.pop("seat"),
        move.popitem,
        move.clear,
        lambda: move.setdefault("x", 1),
    )
    for attempt in attempts:
        with pytest.raises(TypeError, match="a move is shared"):
            attempt()
    assert move == {"do": "keep", "seat": 1} == copy.copy(dict(move))
