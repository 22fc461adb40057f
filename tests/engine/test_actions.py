"""Checks of actions' fields, and actions that nobody can change."""

import copy
import json
import pickle
from typing import Any, NamedTuple

import pytest

from galley_engine.actions import ANYTHING, SEAT, Check, Data, Form, Move, Rules
from galley_engine.game import Fields, Refusal

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


class OnlyForm(NamedTuple):
    """A rule of a game without rules."""

    form: Form


@pytest.mark.parametrize("more", [{}, {"faces": []}, {"faces": None}, {"dice": None}, {"seat": 0}])
def test_fields_as_in_the_table_are_in_order(more: dict[str, object]) -> None:
    assert FORM.refusal({**GOOD, **more}, 2, 0) is None


@pytest.mark.parametrize(
    "more,message",
    [
        ({"seat": 2}, "seat is 2, it must be a seat from 0 to 1"),
        ({"seat": -1}, "seat is -1, it must be a seat from 0 to 1"),
        ({"seat": True}, "seat is true, it must be a seat from 0 to 1"),
        ({"seat": 1.0}, "seat is 1.0, it must be a seat from 0 to 1"),
        ({"seat": None}, "seat is null, it must be a seat from 0 to 1"),
        ({"die": 6}, "die is 6, it must be a die from 0 to 5"),
        ({"die": "5"}, 'die is "5", it must be a die from 0 to 5'),
        ({"side": "up"}, 'side is "up", it must be left or right'),
        ({"side": ["left"]}, "side is a list of 1, it must be left or right"),
        ({"why": 1}, 'the field "why" is not known here, only do, seat, die, side, dice and faces'),
        ({7: 1}, "the field 7 is not known here, only do, seat, die, side, dice and faces"),
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


def test_a_move_that_was_found_in_order_is_still_looked_at_in_another_question() -> None:
    rules, others = (Rules({"x": OnlyForm(Form(Fields((key,)), CHECKS))}) for key in ("seat", "die"))
    move = Move({"do": "x", "seat": 3})
    for _ in range(2):
        assert rules.of(move, 4, 0) is rules["x"]
        assert rules.of(move, 3, 0) == ("bad_value", "seat is 3, it must be a seat from 0 to 2")
        assert rules.of(move, 4, 0.5) == (
            "bad_value",
            "at_ms is 0.5, it must be a whole number of milliseconds",
        )
        assert others.of(move, 4, 0) == ("bad_value", "die is missing")
        assert Rules({"y": rules["x"]}).of(move, 4, 0) == ("unknown_action", 'do is "x", it must be y')


def test_a_field_may_have_one_of_several_types() -> None:
    form = Form(Fields(("face",)), {"face": Check((int, str), (1, "worm"), "1 or worm")})
    for face in (1, "worm"):
        assert form.refusal({"do": "x", "face": face}, 2, 0) is None
    for other in (True, 1.0, 2, "1", None, [1]):
        assert form.refusal({"do": "x", "face": other}, 2, 0) is not None


@pytest.mark.parametrize("make", [dict, Move])
@pytest.mark.parametrize("more", [{}, {"faces": [1]}])
def test_what_a_check_cannot_say_is_asked_last(make: Any, more: dict[str, object]) -> None:
    def no_twins(action: Any) -> Refusal | None:
        return Refusal("bad_value", "twice") if len(set(action["dice"])) < len(action["dice"]) else None

    form = Form(Fields(("seat", "dice"), ("faces",)), CHECKS, no_twins)
    twins = make({"do": "x", "seat": 1, "dice": [2, 2], **more})
    for _ in range(2):
        assert form.refusal(twins, 2, 0) == ("bad_value", "twice")
        assert form.refusal(twins, 1, 0) == ("bad_value", "seat is 1, it must be a seat from 0 to 0")
        assert form.refusal(make({"do": "x", "seat": 1, "dice": [2, 3], **more}), 2, 0) is None


def test_shared_objects_can_be_sent_to_another_process() -> None:
    for shared in (Move({"do": "keep", "seat": 1}), Data(by=1, faces=(1, 2))):
        again = pickle.loads(pickle.dumps(shared))
        assert (again, type(again)) == (shared, type(shared))
        assert copy.deepcopy(shared) == shared


def test_the_data_of_an_event_cannot_be_changed() -> None:
    data: Any = Data(by=1)
    with pytest.raises(TypeError, match="an event's data is shared"):
        data["by"] = 2


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
