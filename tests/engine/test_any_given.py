"""Whatever is given as options, setup or seats, a game starts from it or refuses it by name, in one line.

What is given comes close to what a game takes: its own options and a dealt layout, with something in them
left out, added or changed, at any depth.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley_engine.dice import Dice
from galley_engine.game import BadInput
from galley_engine.games import NAMES, load
from galley_engine.simulate import wander
from tests.engine.arbitrary import json_values

NEAR = st.integers(-2, 9) | st.sampled_from((True, None, 10**400, "\n", "\ud800", "x" * 9000)) | json_values
KEYS = st.text(max_size=3) | st.sampled_from(("seat", "y" * 9000, "\ud800\n")) | st.integers() | st.none()


@st.composite
def nearly(draw: st.DrawFn, good: Any) -> Any:
    """The document `good` with one thing in it that is different."""
    if not isinstance(good, dict | list) or not good or draw(st.integers(0, 3)) == 0:
        return draw(NEAR)
    bad = good.copy()
    place = draw(st.sampled_from(sorted(bad) if isinstance(bad, dict) else range(len(bad))))
    what = draw(st.sampled_from(("change", "leave out", "add")))
    if what == "change":
        bad[place] = draw(nearly(bad[place]))
    elif what == "leave out":
        del bad[place]
    elif isinstance(bad, dict):
        bad[draw(KEYS)] = draw(NEAR)
    else:
        bad.insert(place, draw(NEAR))
    return bad


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=100)
@given(data=st.data())
def test_what_is_given_is_taken_or_refused_by_name_in_one_line(name: str, data: st.DataObject) -> None:
    game = load(name)
    seats: Any = data.draw(st.integers(game.min_seats, game.max_seats), "seats")
    dealt = game.start(seats, game.options({}), Dice(data.draw(st.integers(0, 9))), None)
    options, setup = json.loads(json.dumps((game.options_of(dealt), game.setup_of(dealt))))
    which = data.draw(st.sampled_from(("options", "options", "setup", "setup", "seats")))
    if which == "options":
        options = data.draw(nearly(options), which)
    elif which == "setup":
        setup = data.draw(nearly(setup), which)
    else:
        seats = data.draw(NEAR, which)
    before = repr((options, setup))
    refused: BadInput | None = None
    try:
        start = game.start(seats, game.options(options), None, setup)
    except BadInput as error:
        refused = error
    assert repr((options, setup)) == before
    if refused is not None:
        assert refused.key
        assert str(refused).isprintable()
        assert len(str(refused)) < 300
        return
    again = json.loads(json.dumps((game.options_of(start), game.setup_of(start))))
    assert game.start(seats, game.options(again[0]), None, again[1]) == start
    if start.phase != "over":
        wander(game, start, 3, Dice(1))
