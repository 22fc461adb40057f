"""The check for any game: all of ours pass it, and each way to break the protocol is found and named."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from galley_engine.check_game import NotAGame, check_game
from galley_engine.game import Event, Fields, Refusal, Step
from galley_engine.games import NAMES, OFFERS, load

DUEL = load("sushi_duel")


@pytest.mark.parametrize("name", NAMES)
def test_our_games_pass(name: str) -> None:
    check_game(load(name), games=1, moves=100)


def broken(**parts: Any) -> Any:
    """The duel with parts of it replaced; None takes a part away."""
    offered = {offer: getattr(DUEL, offer) for offer in OFFERS} | {"max_seats": 2} | parts
    return SimpleNamespace(**{offer: part for offer, part in offered.items() if part is not None})


def applied(change: Any) -> Any:
    """An apply whose steps are changed."""

    def apply(state: Any, action: Any, at_ms: int, chance: Any) -> Any:
        outcome = DUEL.apply(state, action, at_ms, chance)
        return outcome if isinstance(outcome, Refusal) else change(outcome)

    return apply


def without_faces(step: Step[Any]) -> Step[Any]:
    return step._replace(action={key: value for key, value in step.action.items() if key != "faces"})


BROKEN = [
    ({"ending": None}, "it has no ending"),
    ({"min_seats": 1}, "it is for 2 to 6 seats"),
    ({"actions": {**DUEL.actions, "look": Fields(("n",))}}, "the action look has a field {'n'}"),
    ({"options": lambda given: DUEL.options({})}, "an unknown option is not refused"),
    ({"options_of": lambda state: {"false_bell": "none"}}, "options_of does not give the options"),
    ({"setup_of": lambda state: {}}, "setup_of does not give the start position"),
    ({"full": lambda state: {**DUEL.full(state), "won": state.won}}, "the state is not plain JSON"),
    ({"full": lambda state: {"game": "sushi_duel", "seats": 2}}, "the state shows"),
    ({"full": lambda state: {**DUEL.full(state), "game": "duel"}}, "the state names another game"),
    ({"full": lambda state: {**DUEL.full(state), "winners": [0]}}, "winners are for the end"),
    ({"ending": lambda state: "target"}, "an ending is for the end"),
    ({"public": lambda state, seat: {}}, "seat None sees other keys"),
    ({"actors": lambda state: ()}, "the phase is challenge, but () may act"),
    ({"actors": lambda state: (1,)}, "seat 0 has moves and is no actor"),
    ({"legal": lambda state, seat, at_ms: ()}, "legal is not the kinds of moves"),
    (
        {"moves": lambda state, seat, at_ms: [{**move, "x": 1} for move in DUEL.moves(state, seat, at_ms)]},
        'is a move, but refused: the field "x" is not known here',
    ),
    ({"apply": applied(without_faces)}, "does not do the same again without chance"),
    (
        {"apply": applied(lambda step: step._replace(events=(Event("x", {}),)))},
        "the event x is not in its table",
    ),
    (
        {"apply": lambda state, action, at_ms, chance: Refusal("not_legal", "no")},
        "None is not unknown_action",
    ),
]


@pytest.mark.parametrize("parts, sentence", BROKEN, ids=[str(sentence) for _, sentence in BROKEN])
def test_what_breaks_the_protocol_is_named(parts: dict[str, Any], sentence: str) -> None:
    with pytest.raises(NotAGame) as error:
        check_game(broken(**parts), games=1, moves=60)
    assert sentence in str(error.value)
