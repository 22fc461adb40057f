"""The worm grill (Heckmeck Barbecue, Reiner Knizia): eight dice, a grill from 23 to 36, plates and snails.

This module is the game: `apply` and the table of its actions, RULES. Its position and the questions one can
ask of it are in `worm_grill_state`, what people may give in `worm_grill_setup`, what the actions do in
`worm_grill_effects`; what others need of these is offered here too.

An action is checked in this order, and the first thing wrong is the refusal:

    1. game_over         the phase is `over`, whatever the action is
    2. unknown_action    no object, or `do` is not a key of RULES
    3. bad_value         a field missing, unknown, of the wrong type or out of its fixed range
    4. wrong_phase       the row's phases
    5. not_your_turn     another seat plays
    6. bad_value, not_legal     the effect: the values in this position, faces last

The game knows no time: a stamp must be a whole number, and makes no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from galley_engine.actions import ANYTHING, MOST_SEATS, SEAT, Check, Form, Move, Rules
from galley_engine.game import Chance, Fields, JSONObject, Refusal, Step
from galley_engine.games import worm_grill_effects as effects
from galley_engine.games.worm_grill_effects import landed
from galley_engine.games.worm_grill_setup import MAX_SEATS, MIN_SEATS, options, start
from galley_engine.games.worm_grill_state import (
    CLOSED,
    DICE,
    FACE_OF,
    FACES,
    FIRST,
    FREE,
    LAST,
    LETTER_OF,
    LETTERS,
    PHASES,
    PLACES,
    RESULTS,
    SNAIL,
    WORM,
    Board,
    Last,
    Options,
    State,
    ending,
    full,
    highest,
    keepable,
    may_stop,
    options_of,
    public,
    result_of,
    scores,
    setup_of,
    total_of,
    why_bad,
)
from galley_engine.given import listed

__all__ = [
    "CLOSED",
    "DICE",
    "FACES",
    "FACE_OF",
    "FIRST",
    "FREE",
    "LAST",
    "LETTERS",
    "LETTER_OF",
    "PHASES",
    "PLACES",
    "RESULTS",
    "RULES",
    "SNAIL",
    "WORM",
    "Board",
    "Last",
    "Options",
    "State",
    "actions",
    "actors",
    "apply",
    "ending",
    "events",
    "full",
    "highest",
    "keepable",
    "landed",
    "legal",
    "max_seats",
    "may_stop",
    "min_seats",
    "moves",
    "name",
    "options",
    "options_of",
    "public",
    "result_of",
    "scores",
    "setup_of",
    "start",
    "total_of",
    "why_bad",
]

name: Final = "worm_grill"
min_seats: Final = MIN_SEATS
max_seats: Final = MAX_SEATS

events: Mapping[str, tuple[str, ...]] = {
    "thrown": ("by", "faces"),
    "set_aside": ("by", "face", "dice"),  # dice: how many
    "throw_bad": ("by", "total", "why"),  # why: only_used_faces, no_worm, too_low, closed or no_plate
    "snail_placed": ("place",),
    "plate_placed": ("by", "place", "worms"),  # worms: what was paid
    "plate_stolen": ("by", "on", "place", "worms"),
    "plate_stacked": ("by", "place", "worms"),
    "snail_taken": ("by", "place"),  # place: null for one of the supply
    "game_ended": ("why",),  # as `ending` has it
}


def apply(state: State, action: Any, at_ms: int, chance: Chance | None) -> Step[State] | Refusal:
    """The step that `action` makes at `at_ms`, or why it is refused; see the order above. Never raises."""
    phase = state.phase
    if phase == "over":
        return Refusal("game_over", "the game has ended")
    rule = RULES.of(action, len(state.board.worms), at_ms)
    if isinstance(rule, Refusal):
        return rule
    if phase not in rule.phases:
        return Refusal("wrong_phase", f"the phase is {phase}, this belongs to {listed(rule.phases)}")
    seat = action["seat"]
    if seat != state.turn:
        return Refusal("not_your_turn", f"it is the turn of seat {state.turn}")
    return rule.effect(state, action, seat, at_ms, chance)


def actors(state: State) -> tuple[int, ...]:
    """The seat whose turn it is; nobody after the end."""
    return () if state.phase == "over" else _ALONE[state.turn]


def legal(state: State, seat: int, at_ms: int) -> tuple[str, ...]:
    """The kinds of action of which at least one would be accepted from `seat` at `at_ms`."""
    return tuple(dict.fromkeys(str(move["do"]) for move in moves(state, seat, at_ms)))


def moves(state: State, seat: int, at_ms: int) -> list[JSONObject]:
    """Every action that would be accepted from `seat` at `at_ms`, without outcomes."""
    if seat != state.turn:
        return []
    phase = state.phase
    if phase == "throw":
        return [_THROW[seat]]
    if phase == "keep":
        dice, aside = state.dice, state.aside
        found: list[JSONObject] = []
        for letter, move in _KEEP[seat]:
            if letter in dice and letter not in aside:
                found.append(move)
        return found
    if phase == "decide":
        freely = not state.options.stop_requires_good
        return [*_THROW_OR_STOP[seat]] if freely or may_stop(state) else [_THROW[seat]]
    return []


# --- The table ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Rule:
    """One action: its phases, its fields, what it does."""

    phases: tuple[str, ...]
    form: Form
    effect: Callable[[State, Mapping[str, Any], int, int, Chance | None], Step[State] | Refusal]


_CHECKS: Mapping[str, Check] = {
    "seat": SEAT,
    "face": Check((int, str), LETTER_OF, listed(map(str, FACES))),
    "faces": ANYTHING,  # looked at when dice are thrown
}

actions: Mapping[str, Fields] = {
    "throw": Fields(("seat",), ("faces",)),
    "keep": Fields(("seat", "face")),
    "stop": Fields(("seat",)),
}

_FORMS = {do: Form(fields, _CHECKS) for do, fields in actions.items()}

RULES: Final = Rules[_Rule](
    {
        "throw": _Rule(("throw", "decide"), _FORMS["throw"], effects.throw),
        "keep": _Rule(("keep",), _FORMS["keep"], effects.keep),
        "stop": _Rule(("decide",), _FORMS["stop"], effects.stop),
    }
)

_ALONE: Final = tuple((seat,) for seat in range(MOST_SEATS))
_THROW: Final = tuple(Move(do="throw", seat=seat) for seat in range(MOST_SEATS))
_THROW_OR_STOP: Final = tuple(zip(_THROW, effects.STOP, strict=True))
_KEEP: Final = tuple(tuple((kept.letter, kept.move) for kept in of.values()) for of in effects.KEPT)
