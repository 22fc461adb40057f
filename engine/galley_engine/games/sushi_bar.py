"""The sushi bar (Sushizock im Gockelwok, Reiner Knizia): five dice, two rows of tiles, sticks to steal with.

This module is the game: `apply` and the table of its actions, RULES. Its position and the questions one can
ask of it are in `sushi_bar_state`, what people may give in `sushi_bar_setup`, what the actions do in
`sushi_bar_effects`; what others need of these is offered here too.

An action is checked in this order, and the first thing wrong is the refusal:

    1. game_over         the phase is `over`, whatever the action is
    2. unknown_action    no object, or `do` is not a key of RULES
    3. bad_value         a field missing, unknown, of the wrong type or out of its fixed range
    4. wrong_phase       the row's phase
    5. not_your_turn     another seat is to act
    6. not_legal         the row's `possible`: there is nothing to lock for after the last throw
    7. bad_value, not_legal     the effect: the values in this position, faces last
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations
from typing import Any, Final, NoReturn, TypeAlias

from galley_engine.actions import ANYTHING, SEAT, Check, Form, Further, Move, Rules
from galley_engine.game import Chance, Fields, JSONObject, Refusal, Step
from galley_engine.games import sushi_bar_effects as effects
from galley_engine.games.sushi_bar_setup import MAX_SEATS, MIN_SEATS, options, start
from galley_engine.games.sushi_bar_state import (
    CHOPSTICKS,
    COUNTS,
    DICE,
    DIE,
    FACES,
    FREE,
    KINDS,
    PHASES,
    TO_STEAL,
    Count,
    Options,
    State,
    Tiles,
    count,
    forced_tile,
    full,
    is_last_throw,
    options_of,
    public,
    scores,
    setup_of,
    steals_any,
    takes,
    victims,
    winners,
)

__all__ = [
    "CHOPSTICKS",
    "DICE",
    "DIE",
    "FACES",
    "FREE",
    "KINDS",
    "PHASES",
    "RULES",
    "Count",
    "Options",
    "State",
    "Tiles",
    "actions",
    "actors",
    "apply",
    "count",
    "ending",
    "events",
    "forced_tile",
    "full",
    "is_last_throw",
    "legal",
    "max_seats",
    "min_seats",
    "moves",
    "name",
    "options",
    "options_of",
    "public",
    "scores",
    "setup_of",
    "start",
    "steals_any",
    "takes",
    "victims",
    "winners",
]

name: Final = "sushi_bar"
min_seats: Final = MIN_SEATS
max_seats: Final = MAX_SEATS

events: Mapping[str, tuple[str, ...]] = {
    "thrown": ("by", "throw", "dice", "faces"),  # the number of the throw; dice thrown and what they show
    "locked": ("by", "dice"),
    "tile_taken": ("by", "kind", "place", "tile"),  # place: in the row before, from 0; tile: its value
    "tile_stolen": ("by", "on", "kind", "position", "tile"),  # position: from the top, from 1
    "tile_forced": ("by", "kind", "place", "tile"),
    "stack_counted": ("by", "sushi", "bone", "given_up", "score"),  # the tiles that stay, those given up
    "game_ended": ("scores", "winners"),
}


def apply(state: State, action: Any, at_ms: int, chance: Chance | None) -> Step[State] | Refusal:
    """The step that `action` makes at `at_ms`, or why it is refused; see the order above. Never raises."""
    phase = state.phase
    if phase == "over":
        return Refusal("game_over", "the game has ended")
    rule = RULES.of(action, len(state.stacks), at_ms)
    if isinstance(rule, Refusal):
        return rule
    if phase != rule.phase:
        return Refusal("wrong_phase", f"the phase is {phase}, this belongs to {rule.phase}")
    seat = action["seat"]
    if seat != state.turn:
        return Refusal("not_your_turn", f"seat {state.turn} is to act, not {seat}")
    if rule.possible is not None and not rule.possible(state):
        return Refusal("not_legal", rule.impossible)
    return rule.effect(state, action, seat, at_ms, chance)


def actors(state: State) -> tuple[int, ...]:
    """The seat whose turn it is; nobody when the game is over."""
    return _NOBODY if state.phase == "over" else _ALONE[state.turn]


def ending(state: State) -> str | None:
    """`rows_empty` when the game is over, for it ends in no other way; None before."""
    return "rows_empty" if state.phase == "over" else None


def legal(state: State, seat: int, at_ms: int) -> tuple[str, ...]:
    """The kinds of action of which at least one would be accepted from `seat`, at any time."""
    return tuple(dict.fromkeys(str(move["do"]) for move in moves(state, seat, at_ms)))


def moves(state: State, seat: int, at_ms: int) -> list[JSONObject]:
    """Every action that would be accepted from `seat`, at any time, without outcomes."""
    phase = state.phase
    if phase == "over" or seat != state.turn:
        return []
    if phase == "throw":
        return [_THROW[seat]]
    sushi, bone, blue, red = COUNTS[state.dice]
    rows = state.rows
    found: list[JSONObject] = []
    if 0 < sushi <= len(rows.sushi):
        found.append(_TAKE_SUSHI[seat])
    if 0 < bone <= len(rows.bone):
        found.append(_TAKE_BONE[seat])
    if blue >= TO_STEAL or red >= TO_STEAL:
        found += _steals(state, seat)
    if not is_last_throw(state):
        found += _LOCKS[seat][state.locked]
    return found


# --- Actions made once ----------------------------------------------------------------------------


class _Fixed(list[int]):
    """The dice of a Move: a list that cannot be changed, like the Move itself."""

    __slots__ = ()

    def _refuse(self, *args: object, **kwargs: object) -> NoReturn:
        raise TypeError("a move is shared: copy its dice with list(dice) and change the copy")

    __setitem__ = _refuse
    __delitem__ = _refuse
    __iadd__ = _refuse
    __imul__ = _refuse
    append = _refuse
    clear = _refuse
    extend = _refuse
    insert = _refuse
    pop = _refuse
    remove = _refuse
    reverse = _refuse
    sort = _refuse


_SEATS = range(MAX_SEATS)
_NOBODY: tuple[int, ...] = ()
_ALONE = tuple((seat,) for seat in _SEATS)
_THROW = tuple(Move({"do": "throw", "seat": seat}) for seat in _SEATS)
_TAKE_SUSHI = tuple(Move({"do": "take", "seat": seat, "kind": "sushi"}) for seat in _SEATS)
_TAKE_BONE = tuple(Move({"do": "take", "seat": seat, "kind": "bone"}) for seat in _SEATS)


def _some(dice: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Every way to pick at least one of `dice`."""
    return tuple(chain.from_iterable(combinations(dice, size) for size in range(1, len(dice) + 1)))


_LOCKS = tuple(
    {
        locked: tuple(Move({"do": "lock", "seat": seat, "dice": _Fixed(dice)}) for dice in _some(free))
        for locked, free in FREE.items()
    }
    for seat in _SEATS
)


@cache
def _steal(seat: int, kind: str, victim: int, position: int) -> Move:
    return Move({"do": "steal", "seat": seat, "kind": kind, "from": victim, "position": position})


def _steals(state: State, seat: int) -> list[JSONObject]:
    return [
        _steal(seat, kind, victim, position)
        for which, kind in enumerate(KINDS)
        for victim in victims(state, kind)
        for position in range(1, len(state.stacks[victim][which]) + 1 if steals_any(state, kind) else 2)
    ]


# --- The table ------------------------------------------------------------------------------------


Effect: TypeAlias = Callable[[State, Mapping[str, Any], int, int, Chance | None], Step[State] | Refusal]


@dataclass(frozen=True, slots=True)
class _Rule:
    """One action: its phase, what it needs of the position, its fields, what it does."""

    phase: str
    possible: Callable[[State], bool] | None  # None: always
    impossible: str  # what is wrong where it is not possible
    form: Form
    fields: Fields
    effect: Effect


def _may_lock(state: State) -> bool:
    return not is_last_throw(state)


_CHECKS: Mapping[str, Check] = {
    "seat": SEAT,
    "from": SEAT,
    "kind": Check(str, KINDS, "sushi or bone"),
    "position": Check(int, range(1, 1 << 62), "a place in the stack, 1 for the top tile"),
    "dice": ANYTHING,  # a list: `no_dice` looks at it
    "faces": ANYTHING,  # looked at when dice are thrown
}


def _rule(
    phase: str,
    possible: Callable[[State], bool] | None,
    impossible: str,
    fields: Fields,
    effect: Effect,
    further: Further | None = None,
) -> _Rule:
    return _Rule(phase, possible, impossible, Form(fields, _CHECKS, further), fields, effect)


RULES: Final = Rules[_Rule](
    {
        "throw": _rule("throw", None, "", Fields(("seat",), ("faces",)), effects.throw),
        "take": _rule("choose", None, "", Fields(("seat", "kind")), effects.take),
        "steal": _rule("choose", None, "", Fields(("seat", "kind", "from", "position")), effects.steal),
        "lock": _rule(
            "choose",
            _may_lock,
            "no throw can follow, a tile must be taken",
            Fields(("seat", "dice")),
            effects.lock,
            effects.no_dice,
        ),
    }
)

actions: Mapping[str, Fields] = {do: rule.fields for do, rule in RULES.items()}
