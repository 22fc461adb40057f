"""The sushi duel (Sushi Dice, Henri Kermarrec): two duelists roll against each other for platters.

This module is the game: `apply` and the table of its actions, RULES. Its position and the questions one can
ask of it are in `sushi_duel_state`, what people may give in `sushi_duel_setup`, what the actions do in
`sushi_duel_effects`; what others need of these is offered here too.

An action is checked in this order, and the first thing wrong is the refusal:

    1. game_over         the phase is `over`, whatever the action is
    2. unknown_action    no object, or `do` is not a key of RULES
    3. bad_value         a field missing, unknown, of the wrong type or out of its fixed range
    4. wrong_phase       the row's phase
    5. not_your_turn, not_a_duelist, is_a_duelist     the row's `who`
    6. nothing_to_roll, too_soon, not_legal           the row's `guard`: what this seat cannot do now at all
    7. bad_value, not_legal                           the effect: the values in this position, faces last

The order of presses and dead heats are settled before: whoever calls `apply` passes one action at a time,
with its stamp. What may be done now, seat by seat, is the table MOVES; it asks the same questions as the
checks 4 to 7, and the actions in its answers are made once for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import compress
from typing import Any, Final

from galley_engine.actions import ANYTHING, MOST_SEATS, SEAT, Check, Form, Move, Rules
from galley_engine.game import Chance, Fields, JSONObject, Refusal, Step
from galley_engine.games import sushi_duel_effects as effects
from galley_engine.games.sushi_duel_setup import DICE, MAX_SEATS, MIN_SEATS, options, start
from galley_engine.games.sushi_duel_state import (
    PHASES,
    SIDES,
    STAR,
    YUCK,
    Options,
    Platter,
    State,
    Station,
    complete_platters,
    fits,
    full,
    mine_and_other,
    observers,
    options_of,
    public,
    ready_seats,
    setup_of,
    share_candidates,
    shows_yuck,
    side_of,
)

__all__ = [
    "MOVES",
    "PHASES",
    "RULES",
    "SIDES",
    "STAR",
    "YUCK",
    "Options",
    "Platter",
    "State",
    "Station",
    "actions",
    "actors",
    "apply",
    "complete_platters",
    "ending",
    "events",
    "fits",
    "full",
    "legal",
    "max_seats",
    "min_seats",
    "mine_and_other",
    "moves",
    "name",
    "observers",
    "options",
    "options_of",
    "public",
    "ready_seats",
    "setup_of",
    "share_candidates",
    "shows_yuck",
    "side_of",
    "start",
]

name: Final = "sushi_duel"
min_seats: Final = MIN_SEATS
max_seats: Final = MAX_SEATS

events: Mapping[str, tuple[str, ...]] = {
    "challenged": ("by", "on"),
    "got_ready": ("by",),
    "duel_started": ("left", "right"),
    "rolled": ("by", "dice", "faces"),  # the dice rolled and what they show, in die order
    "kept": ("by", "die", "face"),
    "freed": ("by", "die", "face"),
    "bell_false": ("by", "penalty"),  # penalty: the option false_bell
    "must_choose": ("by", "places"),  # several platters fit: their places in `visible`
    "platter_taken": ("by", "place", "platter", "won"),  # won: the platters of `by` now
    "platter_revealed": ("place", "platter"),
    "sets_passed": ("left", "right"),  # the new holders
    "yuck_called": ("by", "on"),
    "yuck_missed": ("by", "on", "lock_ms"),  # lock_ms: how long `by` may not call, 0 for not at all
    "mate_called": ("by",),
    "mate_missed": ("by", "lock_ms"),
    "sets_shared": ("by", "side", "to"),  # side: the set that `by` takes
    "game_won": ("by", "won"),
}


def apply(state: State, action: Any, at_ms: int, chance: Chance | None) -> Step[State] | Refusal:
    """The step that `action` makes at `at_ms`, or why it is refused; see the order above. Never raises."""
    phase = state.phase
    if phase == "over":
        return Refusal("game_over", "the game has ended")
    rule = RULES.of(action, len(state.won), at_ms)
    if isinstance(rule, Refusal):
        return rule
    if phase != rule.phase:
        return Refusal("wrong_phase", f"the phase is {phase}, this belongs to {rule.phase}")
    seat = action["seat"]
    refusal = rule.who(state, seat) or (rule.guard and rule.guard(state, seat, at_ms))
    return refusal or rule.effect(state, action, seat, at_ms, chance)


def actors(state: State) -> tuple[int, ...]:
    """The seats that may act: in a duel all, before it the duelists, else the one who must decide."""
    phase = state.phase
    if phase == "duel":
        return _ALL_SEATS[len(state.won)]
    if phase == "ready":
        left, right = state.stations
        return tuple(sorted(seat for seat in (left.seat, right.seat) if seat is not None))
    if phase == "over":
        return ()
    return (state.options.start_seat if state.caller is None else state.caller,)


def ending(state: State) -> str | None:
    """A game ends when somebody reaches the target, and in no other way."""
    return "target" if state.phase == "over" else None


def legal(state: State, seat: int, at_ms: int) -> tuple[str, ...]:
    """The kinds of action of which at least one would be accepted from `seat` at `at_ms`."""
    return tuple(dict.fromkeys(str(move["do"]) for move in moves(state, seat, at_ms)))


def moves(state: State, seat: int, at_ms: int) -> list[JSONObject]:
    """Every action that would be accepted from `seat` at `at_ms`, without outcomes."""
    return MOVES[state.phase](state, seat, at_ms)


# --- Who may --------------------------------------------------------------------------------------


def _starter(state: State, seat: int) -> Refusal | None:
    starter = state.options.start_seat
    return None if seat == starter else Refusal("not_your_turn", f"seat {starter} challenges, not {seat}")


def _duelist(state: State, seat: int) -> Refusal | None:
    left, right = state.stations
    if seat in (left.seat, right.seat):
        return None
    return Refusal("not_a_duelist", f"seats {left.seat} and {right.seat} duel, not {seat}")


def _observer(state: State, seat: int) -> Refusal | None:
    left, right = state.stations
    if seat not in (left.seat, right.seat):
        return None
    return Refusal("is_a_duelist", f"seat {seat} duels, only the others may call mate")


def _caller(state: State, seat: int) -> Refusal | None:
    caller = state.caller
    return None if seat == caller else Refusal("not_your_turn", f"seat {caller} decides, not {seat}")


# --- What no value can make good ------------------------------------------------------------------


def _may_roll(state: State, seat: int, at_ms: int) -> Refusal | None:
    mine, _ = mine_and_other(state, seat)
    if False not in mine.kept:
        return Refusal("nothing_to_roll", "all dice are set aside, one must be freed first")
    if not _may_roll_again(state, mine, at_ms):
        interval_ms = state.options.min_roll_interval_ms
        return Refusal("too_soon", f"the last roll was at {mine.rolled_ms} ms, {interval_ms} ms must pass")
    return None


def _may_call(state: State, seat: int, at_ms: int) -> Refusal | None:
    locked_ms = state.locked_ms[seat]
    if locked_ms is None or at_ms >= locked_ms:
        return None
    return Refusal("too_soon", f"after a false call seat {seat} may call again at {locked_ms} ms")


def _may_roll_again(state: State, mine: Station, at_ms: int) -> bool:
    rolled_ms = mine.rolled_ms
    return rolled_ms is None or at_ms - rolled_ms >= state.options.min_roll_interval_ms


# --- The table ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Rule:
    """One action: when, who, what stands in the way, its fields, what it does."""

    phase: str
    who: Callable[[State, int], Refusal | None]
    guard: Callable[[State, int, int], Refusal | None] | None
    form: Form
    effect: Callable[[State, Mapping[str, Any], int, int, Chance | None], Step[State] | Refusal]


_CHECKS: Mapping[str, Check] = {
    "faces": ANYTHING,
    "seat": SEAT,
    "opponent": SEAT,
    "to": SEAT,
    "die": Check(int, range(DICE), "a die from 0 to 5"),
    "platter": Check(int, range(1 << 62), "a place among the visible platters"),
    "side": Check(str, SIDES, "left or right"),
}

actions: Mapping[str, Fields] = {
    "challenge": Fields(("seat", "opponent")),
    "ready": Fields(("seat",)),
    "keep": Fields(("seat", "die")),
    "roll": Fields(("seat",), ("faces",)),
    "bell": Fields(("seat",), ("faces",)),
    "choose": Fields(("seat", "platter")),
    "yuck": Fields(("seat",), ("faces",)),
    "mate": Fields(("seat",)),
    "share": Fields(("seat", "side", "to")),
}

_form = {do: Form(fields, _CHECKS) for do, fields in actions.items()}

RULES: Final = Rules[_Rule](
    {
        "challenge": _Rule("challenge", _starter, None, _form["challenge"], effects.challenge),
        "ready": _Rule("ready", _duelist, None, _form["ready"], effects.ready),
        "keep": _Rule("duel", _duelist, None, _form["keep"], effects.keep),
        "roll": _Rule("duel", _duelist, _may_roll, _form["roll"], effects.roll),
        "bell": _Rule("duel", _duelist, None, _form["bell"], effects.bell),
        "choose": _Rule("choose", _caller, None, _form["choose"], effects.choose),
        "yuck": _Rule("duel", _duelist, _may_call, _form["yuck"], effects.yuck),
        "mate": _Rule("duel", _observer, _may_call, _form["mate"], effects.mate),
        "share": _Rule("share", _caller, None, _form["share"], effects.share),
    }
)


# --- What may be done now -------------------------------------------------------------------------

_ALL_SEATS = tuple(tuple(range(seats)) for seats in range(MOST_SEATS + 1))
_READY, _ROLL, _BELL, _YUCK, _MATE = (
    tuple(Move({"do": do, "seat": seat}) for seat in range(MOST_SEATS))
    for do in ("ready", "roll", "bell", "yuck", "mate")
)

_IN_THE_DUEL = tuple(
    tuple(
        tuple(
            (*effects.KEEP[seat], *(_ROLL[seat],) * rolls, _BELL[seat], *(_YUCK[seat],) * calls)
            for calls in (False, True)
        )
        for rolls in (False, True)
    )
    for seat in range(MOST_SEATS)
)
"""What a duelist may do whose dice all show something, by whether he may roll and call now."""


def _to_challenge(state: State, seat: int, at_ms: int) -> list[JSONObject]:
    if seat != state.options.start_seat:
        return []
    others = [other for other in range(state.seats) if other != seat]
    return [Move({"do": "challenge", "seat": seat, "opponent": other}) for other in others]


def _to_be_ready(state: State, seat: int, at_ms: int) -> list[JSONObject]:
    return [_READY[seat]] if side_of(state, seat) else []


def _in_the_duel(state: State, seat: int, at_ms: int) -> list[JSONObject]:
    left, right = state.stations
    locked_ms = state.locked_ms[seat]
    calls = locked_ms is None or at_ms >= locked_ms
    if seat == left.seat:
        mine = left
    elif seat == right.seat:
        mine = right
    else:
        return [_MATE[seat]] if calls else []
    rolls = False in mine.kept and _may_roll_again(state, mine, at_ms)
    allowed = _IN_THE_DUEL[seat][rolls][calls]
    faces = mine.faces
    if None in faces:
        return [*compress(allowed, (face is not None for face in faces)), *allowed[DICE:]]
    return [*allowed]


def _to_choose(state: State, seat: int, at_ms: int) -> list[JSONObject]:
    if seat != state.caller:
        return []
    places = complete_platters(state, side_of(state, seat) or "left")
    return [Move({"do": "choose", "seat": seat, "platter": place}) for place in places]


def _to_share(state: State, seat: int, at_ms: int) -> list[JSONObject]:
    if seat != state.caller:
        return []
    return [
        Move({"do": "share", "seat": seat, "side": side, "to": to})
        for side in SIDES
        for to in share_candidates(state)
    ]


def _nothing(state: State, seat: int, at_ms: int) -> list[JSONObject]:
    return []


MOVES: Mapping[str, Callable[[State, int, int], list[JSONObject]]] = {
    "challenge": _to_challenge,
    "ready": _to_be_ready,
    "duel": _in_the_duel,
    "choose": _to_choose,
    "share": _to_share,
    "over": _nothing,
}
"""Phase -> the actions that would be accepted from a seat at a time, whole but for outcomes."""
