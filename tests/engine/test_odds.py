"""What the odds of all games have in common: how they are found, and what they can be asked."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley_engine.game import JSONObject
from galley_engine.games import NAMES as GAMES
from galley_engine.games import UnknownGame
from galley_engine.odds import KINDS, NAMES, BadQuestion, Odds, load


@pytest.mark.parametrize("name", NAMES)
def test_odds_are_found_by_the_name_of_their_game(name: str) -> None:
    assert name in GAMES
    fields = load(name).fields
    assert fields
    for key, (kind, words) in fields.items():
        assert key.isidentifier()
        assert kind in KINDS
        assert 0 < len(words) < 100


def test_a_game_without_odds_is_refused_with_the_names_of_those_that_have_some() -> None:
    with pytest.raises(UnknownGame, match=r'no odds for "chess"; there are odds for .*worm_grill'):
        load("chess")


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 60)
    | st.floats()
    | st.sampled_from(["worm", "star", "sushi", "-"]),
    lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)


def asked(module: Odds, question: Any) -> "JSONObject | BadQuestion":
    try:
        return module.ask(question)
    except BadQuestion as error:
        return error


@settings(deadline=None)
@given(st.data())
def test_whatever_is_asked_it_is_an_answer_in_json_or_a_bad_question(data: st.DataObject) -> None:
    module = load(data.draw(st.sampled_from(NAMES)))
    keys = st.sampled_from([*module.fields, "x"])
    question: Any = data.draw(st.dictionaries(keys, json_values, max_size=3) | json_values)
    answer = asked(module, question)
    if isinstance(answer, BadQuestion):
        assert len(str(answer)) < 400
    else:
        assert json.loads(json.dumps(answer)) == answer
