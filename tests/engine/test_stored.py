"""States as JSON: every state of every game comes back equal, and nothing else does."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley_engine.games import NAMES, load
from galley_engine.stored import NotStored, coder_of
from tests.engine.arbitrary import json_values
from tests.host.journal_kit import deal, move


def through(state: Any) -> Any:
    coder = coder_of(type(state))
    return coder.read(json.loads(json.dumps(coder.write(state))))


@pytest.mark.parametrize("name", NAMES)
def test_every_state_of_a_game_comes_back_with_all_its_types(name: str) -> None:
    session = deal(name, seed=5, seats=max(2, load(name).min_seats))
    for _ in range(150):
        again = through(session.state)
        assert again == session.state
        assert repr(again) == repr(session.state)  # 1 is equal to True, and ("a",) to a named tuple of it
        assert hash(again) == hash(session.state)
        if not move(session):
            break
    assert len(session.steps) > 10


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_whatever_is_no_state_is_refused_and_never_half_read(name: str, data: st.DataObject) -> None:
    state = deal(name, seats=max(2, load(name).min_seats)).state
    coder = coder_of(type(state))
    written = json.loads(json.dumps(coder.write(state)))
    place: Any = written
    while isinstance(place, list) and place:
        index = data.draw(st.integers(0, len(place) - 1))
        if not isinstance(place[index], list) or data.draw(st.booleans()):
            place[index] = data.draw(json_values)
            break
        place = place[index]
    try:
        again = coder.read(written)
    except NotStored:
        return
    assert json.dumps(coder.write(again)) == json.dumps(written)


class Small(NamedTuple):
    seat: int | None
    ready: bool


class Odd(NamedTuple):
    seats: frozenset[int]


class Unclear(NamedTuple):
    pair: tuple[int, ...] | tuple[str, ...]


@pytest.mark.parametrize(
    "wrong",
    [None, [], [1], [1, True, 2], [True, True], [1, 0], [1.0, True], {"seat": 1, "ready": True}, "ab"],
)
def test_every_value_is_held_against_its_hint(wrong: object) -> None:
    assert coder_of(Small).read([None, True]) == Small(None, True)
    with pytest.raises(NotStored):
        coder_of(Small).read(wrong)


def test_what_its_hint_does_not_say_is_not_written() -> None:
    with pytest.raises(NotStored):
        coder_of(Small).write(Small("1", True))  # type: ignore[arg-type]
    with pytest.raises(NotStored):
        coder_of(Small).write((1, True))


@pytest.mark.parametrize("kind", [Odd, Unclear, dict, object])
def test_a_type_without_a_form_is_refused_at_once(kind: type) -> None:
    with pytest.raises(NotStored):
        coder_of(kind)
