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

Checks 4 to 6 do not look at the values, so `legal` asks exactly them. The order of presses and dead heats
are settled before: whoever calls `apply` passes one action at a time, with its stamp.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from galley_engine.game import JSON, Chance, Fields, JSONObject, Refusal, Step
from galley_engine.games import sushi_duel_effects as effects
from galley_engine.games.sushi_duel_effects import Played
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
from galley_engine.given import shown

__all__ = [
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
    "apply",
    "complete_platters",
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


def apply(state: State, action: object, at_ms: int, chance: Chance | None) -> Step[State] | Refusal:
    """The step that `action` makes at `at_ms`, or why it is refused; see the order above. Never raises."""
    if state.phase == "over":
        return Refusal("game_over", "the game has ended")
    do = action.get("do") if isinstance(action, Mapping) else None
    rule = RULES.get(do) if isinstance(do, str) else None
    if rule is None or not isinstance(action, Mapping):
        return Refusal("unknown_action", f"there is no action {shown(do)}")
    refusal = _malformed(state, rule, action, at_ms)
    if refusal is not None:
        return refusal
    played = Played(action, action["seat"], at_ms, chance)
    return rule.refuses(state, played.seat, at_ms) or rule.effect(state, played)


def legal(state: State, seat: int, at_ms: int) -> tuple[str, ...]:
    """The kinds of action of which at least one would be accepted from `seat` at `at_ms`."""
    here = [(do, rule) for do, rule in RULES.items() if rule.phase == state.phase]
    return tuple(do for do, rule in here if rule.refuses(state, seat, at_ms) is None)


def moves(state: State, seat: int, at_ms: int) -> list[JSONObject]:
    """Every action that would be accepted from `seat` at `at_ms`, without outcomes."""
    return [
        {"do": do, "seat": seat, **values}
        for do in legal(state, seat, at_ms)
        for values in RULES[do].choices(state, seat)
    ]


# --- Who may --------------------------------------------------------------------------------------


def _starter(state: State, seat: int) -> Refusal | None:
    starter = state.options.start_seat
    return None if seat == starter else Refusal("not_your_turn", f"seat {starter} challenges")


def _duelist(state: State, seat: int) -> Refusal | None:
    left, right = state.stations
    if seat in (left.seat, right.seat):
        return None
    return Refusal("not_a_duelist", f"seats {left.seat} and {right.seat} duel")


def _observer(state: State, seat: int) -> Refusal | None:
    left, right = state.stations
    if seat not in (left.seat, right.seat):
        return None
    return Refusal("is_a_duelist", f"seat {seat} duels, only the others may call mate")


def _caller(state: State, seat: int) -> Refusal | None:
    return None if seat == state.caller else Refusal("not_your_turn", f"seat {state.caller} decides")


# --- What no value can make good ------------------------------------------------------------------


def _always(state: State, seat: int, at_ms: int) -> Refusal | None:
    return None


def _has_rolled(state: State, seat: int, at_ms: int) -> Refusal | None:
    mine, _ = mine_and_other(state, seat)
    return None if any(mine.faces) else Refusal("not_legal", "no die has been rolled yet")


def _may_roll(state: State, seat: int, at_ms: int) -> Refusal | None:
    mine, _ = mine_and_other(state, seat)
    if all(mine.kept):
        return Refusal("nothing_to_roll", "all dice are set aside")
    interval_ms = state.options.min_roll_interval_ms
    if mine.rolled_ms is not None and at_ms - mine.rolled_ms < interval_ms:
        return Refusal("too_soon", f"the last roll was at {mine.rolled_ms} ms, {interval_ms} ms must pass")
    return None


def _may_call(state: State, seat: int, at_ms: int) -> Refusal | None:
    locked_ms = state.locked_ms[seat]
    if locked_ms is None or at_ms >= locked_ms:
        return None
    return Refusal("too_soon", f"after a false call seat {seat} may call again at {locked_ms} ms")


# --- What may be chosen ---------------------------------------------------------------------------


def _no_choice(state: State, seat: int) -> Sequence[JSONObject]:
    return ({},)


def _opponents(state: State, seat: int) -> Sequence[JSONObject]:
    return [{"opponent": other} for other in range(state.seats) if other != seat]


def _rolled_dice(state: State, seat: int) -> Sequence[JSONObject]:
    mine, _ = mine_and_other(state, seat)
    return [{"die": die} for die in range(DICE) if mine.faces[die] is not None]


def _fitting(state: State, seat: int) -> Sequence[JSONObject]:
    return [{"platter": place} for place in complete_platters(state, side_of(state, seat) or "left")]


def _shares(state: State, seat: int) -> Sequence[JSONObject]:
    return [{"side": side, "to": to} for side in SIDES for to in share_candidates(state)]


# --- The table ------------------------------------------------------------------------------------


class _Rule(NamedTuple):
    """One action: when, who, what stands in the way, its fields, what it does, what may be chosen."""

    phase: str
    who: Callable[[State, int], Refusal | None]
    guard: Callable[[State, int, int], Refusal | None]
    fields: Fields
    effect: Callable[[State, Played], Step[State] | Refusal]
    choices: Callable[[State, int], Sequence[Mapping[str, JSON]]]

    def refuses(self, state: State, seat: int, at_ms: int) -> Refusal | None:
        """Why no action of this kind can come from `seat` at `at_ms`, or None."""
        if state.phase != self.phase:
            return Refusal("wrong_phase", f"the phase is {state.phase}, this belongs to {self.phase}")
        return self.who(state, seat) or self.guard(state, seat, at_ms)


_PLAIN = Fields(("seat",))
_ROLLS = Fields(("seat",), ("faces",))

RULES: Mapping[str, _Rule] = {
    "challenge": _Rule(
        "challenge", _starter, _always, Fields(("seat", "opponent")), effects.challenge, _opponents
    ),
    "ready": _Rule("ready", _duelist, _always, _PLAIN, effects.ready, _no_choice),
    "keep": _Rule("duel", _duelist, _has_rolled, Fields(("seat", "die")), effects.keep, _rolled_dice),
    "roll": _Rule("duel", _duelist, _may_roll, _ROLLS, effects.roll, _no_choice),
    "bell": _Rule("duel", _duelist, _always, _ROLLS, effects.bell, _no_choice),
    "choose": _Rule("choose", _caller, _always, Fields(("seat", "platter")), effects.choose, _fitting),
    "yuck": _Rule("duel", _duelist, _may_call, _ROLLS, effects.yuck, _no_choice),
    "mate": _Rule("duel", _observer, _may_call, _PLAIN, effects.mate, _no_choice),
    "share": _Rule("share", _caller, _always, Fields(("seat", "side", "to")), effects.share, _shares),
}

actions: Mapping[str, Fields] = {do: rule.fields for do, rule in RULES.items()}


def _is_seat(state: State, value: object) -> bool:
    return type(value) is int and 0 <= value < len(state.won)


_RANGES: Mapping[str, tuple[Callable[[State, object], bool], str]] = {
    "do": (lambda state, value: True, ""),
    "faces": (lambda state, value: True, ""),  # looked at only when dice are rolled
    "seat": (_is_seat, "a seat of this game"),
    "opponent": (_is_seat, "a seat of this game"),
    "to": (_is_seat, "a seat of this game"),
    "die": (lambda state, value: type(value) is int and 0 <= value < DICE, "a die from 0 to 5"),
    "platter": (lambda state, value: type(value) is int and value >= 0, "a place among the visible platters"),
    "side": (lambda state, value: isinstance(value, str) and value in SIDES, "left or right"),
}


def _malformed(state: State, rule: _Rule, action: Mapping[str, object], at_ms: int) -> Refusal | None:
    """Why the action's fields are not those of its row or out of their fixed range, or None."""
    required, optional = rule.fields
    for key in required:
        if key not in action:
            return Refusal("bad_value", f"{key} is missing")
    for key, value in action.items():
        if key != "do" and key not in required and key not in optional:
            return Refusal("bad_value", f"the field {shown(key)} is not known here")
        in_range, wanted = _RANGES[key]
        if not in_range(state, value):
            return Refusal("bad_value", f"{key} is {shown(value)}, it must be {wanted}")
    if type(at_ms) is not int:
        return Refusal("bad_value", f"at_ms is {shown(at_ms)}, it must be a whole number of milliseconds")
    return None
