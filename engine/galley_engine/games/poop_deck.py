"""The poop deck (Eye Eye Captain, Helmut Punke), team game: a crew gathers droppings before the eye sweeps
them into the galley.

This module is the game: `apply` and the table of its actions, RULES. Its position and the questions one can
ask of it are in `poop_deck_state`, what people may give in `poop_deck_setup`.

Two kinds of things are applied: what a seat does, and what the world does, which is an event without a
seat (EVENTS). The engine draws nothing by itself. The colour under a dropping comes with `announce` and
`name_last`, from the crew that looks at it.

An action is checked in this order, and the first thing wrong is the refusal:

    1. game_over         the phase is `over`, whatever the action is
    2. unknown_action    no object, or `do` is not a key of RULES
    3. bad_value         a field missing, unknown, of the wrong type or out of its range
    4. wrong_phase       the row's phases
    5. not_your_turn     the tongs are somebody else's; the die may be pushed by anyone
    6. not_legal         the effect: what this position forbids
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from galley_engine.actions import SEAT, Check, Form, Move, Rules
from galley_engine.game import Chance, Event, Fields, JSONObject, Refusal, Step
from galley_engine.games.poop_deck_setup import MAX_SEATS, MIN_SEATS, options, start
from galley_engine.games.poop_deck_state import (
    COLOURS,
    PHASES,
    Options,
    State,
    ending,
    full,
    is_left,
    is_won,
    matches,
    may_be_gone,
    may_fall,
    options_of,
    public,
    setup_of,
)

__all__ = [
    "BECAUSE",
    "COLOURS",
    "EVENTS",
    "PHASES",
    "RULES",
    "Options",
    "State",
    "actions",
    "actors",
    "apply",
    "ending",
    "events",
    "full",
    "happenings",
    "is_left",
    "is_won",
    "legal",
    "matches",
    "max_seats",
    "may_be_gone",
    "may_fall",
    "min_seats",
    "moves",
    "name",
    "options",
    "options_of",
    "public",
    "setup_of",
    "start",
]

name: Final = "poop_deck"
min_seats: Final = MIN_SEATS
max_seats: Final = MAX_SEATS

EVENTS: Final = ("die_shows", "dropping_fell", "die_fell")
"""What the world does: steps without a seat."""

BECAUSE: Final = ("hole", "edge", "gone")
"""Why the die may be pushed: it may fall, lies at the edge or stuck, or no dropping has its colour."""

events: Mapping[str, tuple[str, ...]] = {
    "die_turned": ("colour",),
    "dropping_lifted": ("by",),
    "dropping_collected": ("by", "colour"),
    "dropping_put_back": ("by", "colour"),
    "last_named": ("by", "colour", "truth"),  # the guess and what it was
    "dropping_lost": ("galley",),  # the droppings in the galley now
    "die_pushed": ("by", "because"),
    "die_lost": (),
    "crew_won": ("collected", "galley"),
    "crew_lost": ("collected", "galley"),
}


def apply(state: State, action: Any, at_ms: int, chance: Chance | None) -> Step[State] | Refusal:
    """The step that `action` makes at `at_ms`, or why it is refused; see the order above. Never raises.

    `chance` is not used: in this game all chance is the world's.
    """
    phase = state.phase
    if phase == "over":
        return Refusal("game_over", "the game has ended")
    rule = RULES.of(action, state.seats, at_ms)
    if isinstance(rule, Refusal):
        return rule
    if phase not in rule.phases:
        return Refusal("wrong_phase", f"the phase is {phase}, this belongs to {rule.phases[0]}")
    if rule.tongs and action["seat"] != state.turn:
        return Refusal("not_your_turn", f"seat {action['seat']} lacks the tongs, seat {state.turn} has them")
    return rule.effect(state, action)


def actors(state: State) -> tuple[int, ...]:
    """All seats: one has the tongs, and any may push the die; nobody when the game is over."""
    return _NOBODY if state.phase == "over" else _ALL[state.seats]


def legal(state: State, seat: int, at_ms: int) -> tuple[str, ...]:
    """The kinds of action of which at least one would be accepted from `seat`, at any time."""
    return tuple(dict.fromkeys(str(move["do"]) for move in moves(state, seat, at_ms)))


def moves(state: State, seat: int, at_ms: int) -> list[JSONObject]:
    """Every action that would be accepted from `seat`, at any time; what the world may do is `happenings`."""
    if state.phase == "over" or not 0 <= seat < state.seats:
        return []
    found: list[JSONObject] = []
    if seat == state.turn:
        if state.phase == "hold":
            found += [_ANNOUNCE[seat][colour] for colour in COLOURS if is_left(state, colour)]
        else:
            found.append(_GRAB[seat])
            if state.deck == 1:
                found += [
                    move for truth in COLOURS if is_left(state, truth) for move in _NAME_LAST[seat][truth]
                ]
    found += _PUSH[seat] if may_be_gone(state) else _PUSH[seat][:2]
    return found


def happenings(state: State) -> list[JSONObject]:
    """Every event of the world that would be accepted now."""
    if state.phase == "over":
        return []
    found: list[JSONObject] = [*_DIE_SHOWS, _DIE_FELL]
    if may_fall(state):
        found.append(_DROPPING_FELL)
    return found


# --- Actions made once ----------------------------------------------------------------------------

_SEATS = range(MAX_SEATS)
_NOBODY: tuple[int, ...] = ()
_ALL = tuple(tuple(range(seats)) for seats in range(MAX_SEATS + 1))
_GRAB = tuple(Move({"do": "grab", "seat": seat}) for seat in _SEATS)
_ANNOUNCE = tuple(
    {colour: Move({"do": "announce", "seat": seat, "colour": colour}) for colour in COLOURS}
    for seat in _SEATS
)
_NAME_LAST = tuple(
    {
        truth: tuple(
            Move({"do": "name_last", "seat": seat, "colour": colour, "truth": truth}) for colour in COLOURS
        )
        for truth in COLOURS
    }
    for seat in _SEATS
)
_PUSH = tuple(
    tuple(Move({"do": "push_die", "seat": seat, "because": because}) for because in BECAUSE)
    for seat in _SEATS
)
_DIE_SHOWS = tuple(Move({"do": "die_shows", "colour": colour}) for colour in COLOURS)
_DROPPING_FELL = Move({"do": "dropping_fell"})
_DIE_FELL = Move({"do": "die_fell"})


# --- What a seat does -----------------------------------------------------------------------------


def _grab(state: State, action: Mapping[str, Any]) -> Step[State] | Refusal:
    """A dropping is lifted; the die's colour counts from now on."""
    options, seats, _, turn, die, deck, collected, galley, _, _ = state
    seen = () if die is None else (die,)
    after = State(options, seats, "hold", turn, die, deck, collected, galley, seen, False)
    return Step(after, {"do": "grab", "seat": turn}, (Event("dropping_lifted", {"by": turn}),))


def _announce(state: State, action: Mapping[str, Any]) -> Step[State] | Refusal:
    """The colour underneath: the dropping is collected if the die has shown it, else put back."""
    colour, seat = action["colour"], state.turn
    refusal = _all_collected(state, "colour", colour)
    if refusal is not None:
        return refusal
    done: JSONObject = {"do": "announce", "seat": seat, "colour": colour}
    if matches(state, colour):
        after, more = _tongs_pass(state, state.deck - 1, _one_more(state.collected, colour), state.galley)
        return Step(after, done, (Event("dropping_collected", {"by": seat, "colour": colour}), *more))
    after, _ = _tongs_pass(state, state.deck, state.collected, state.galley)
    return Step(after, done, (Event("dropping_put_back", {"by": seat, "colour": colour}),))


def _name_last(state: State, action: Mapping[str, Any]) -> Step[State] | Refusal:
    """The colour of the only one left is guessed: right, and it is collected; wrong, and it is lost."""
    colour, truth, seat = action["colour"], action["truth"], state.turn
    if state.deck != 1:
        return Refusal("not_legal", f"deck is {state.deck}, only the last dropping can be named: grab one")
    refusal = _all_collected(state, "truth", truth)
    if refusal is not None:
        return refusal
    named = Event("last_named", {"by": seat, "colour": colour, "truth": truth})
    done: JSONObject = {"do": "name_last", "seat": seat, "colour": colour, "truth": truth}
    if colour == truth:
        happened = Event("dropping_collected", {"by": seat, "colour": truth})
        after, more = _tongs_pass(state, 0, _one_more(state.collected, truth), state.galley)
    else:
        happened = Event("dropping_lost", {"galley": state.galley + 1})
        after, more = _tongs_pass(state, 0, state.collected, state.galley + 1)
    return Step(after, done, (named, happened, *more))


def _push_die(state: State, action: Mapping[str, Any]) -> Step[State] | Refusal:
    """The die is moved to the middle. The state is as it was: where the die lies, only the world knows."""
    seat, because = action["seat"], action["because"]
    if because == "gone" and not may_be_gone(state):
        why = "the die has shown nothing" if state.die is None else f"not all of {state.die} are collected"
        return Refusal("not_legal", f"because is gone, but nothing has fallen and {why}: say hole or edge")
    done: JSONObject = {"do": "push_die", "seat": seat, "because": because}
    return Step(state, done, (Event("die_pushed", {"by": seat, "because": because}),))


# --- What the world does --------------------------------------------------------------------------


def _die_shows(state: State, action: Mapping[str, Any]) -> Step[State] | Refusal:
    """The die's top colour; during a hold it counts as seen."""
    colour = action["colour"]
    options, seats, phase, turn, _, deck, collected, galley, seen, _ = state
    if phase == "hold" and colour not in seen:
        seen = (*seen, colour)
    after = State(options, seats, phase, turn, colour, deck, collected, galley, seen, False)
    return Step(after, {"do": "die_shows", "colour": colour}, (Event("die_turned", {"colour": colour}),))


def _dropping_fell(state: State, action: Mapping[str, Any]) -> Step[State] | Refusal:
    """A dropping on deck is lost; which colour it had stays hidden."""
    if not may_fall(state):
        return Refusal("not_legal", "the only dropping left is held: it is to be announced")
    options, seats, phase, turn, die, deck, collected, galley, seen, _ = state
    deck, galley = deck - 1, galley + 1
    lost = Event("dropping_lost", {"galley": galley})
    if deck:
        after = State(options, seats, phase, turn, die, deck, collected, galley, seen, False)
        return Step(after, {"do": "dropping_fell"}, (lost,))
    after, counted = _over(state, collected, galley, False)
    return Step(after, {"do": "dropping_fell"}, (lost, counted))


def _die_fell(state: State, action: Mapping[str, Any]) -> Step[State] | Refusal:
    """The crew loses at once."""
    after, lost = _over(state, state.collected, state.galley, True)
    return Step(after, {"do": "die_fell"}, (Event("die_lost", {}), lost))


# --- What they have in common ---------------------------------------------------------------------


def _all_collected(state: State, field: str, colour: str) -> Refusal | None:
    """The refusal of a colour that can be under no dropping, for the crew has all of it."""
    if is_left(state, colour):
        return None
    return Refusal("not_legal", f"{field} is {colour}, of which all are collected: name one that is left")


def _one_more(collected: tuple[int, ...], colour: str) -> tuple[int, ...]:
    place = COLOURS.index(colour)
    return (*collected[:place], collected[place] + 1, *collected[place + 1 :])


def _tongs_pass(
    state: State, deck: int, collected: tuple[int, ...], galley: int
) -> tuple[State, tuple[Event, ...]]:
    """The left neighbour's turn; with no dropping left on deck the count instead."""
    if not deck:
        over, counted = _over(state, collected, galley, False)
        return over, (counted,)
    options, seats, _, turn, die, _, _, _, _, _ = state
    return State(options, seats, "hunt", (turn + 1) % seats, die, deck, collected, galley, (), False), ()


def _over(state: State, collected: tuple[int, ...], galley: int, die_fell: bool) -> tuple[State, Event]:
    """The end; a die that fell leaves the droppings on deck where they are."""
    options, seats, _, turn, die, deck, _, _, _, _ = state
    after = State(options, seats, "over", turn, die, deck if die_fell else 0, collected, galley, (), die_fell)
    kind = "crew_won" if is_won(after) else "crew_lost"
    return after, Event(kind, {"collected": sum(collected), "galley": galley})


# --- The table ------------------------------------------------------------------------------------


Effect: TypeAlias = Callable[[State, Mapping[str, Any]], Step[State] | Refusal]


@dataclass(frozen=True, slots=True)
class _Rule:
    """One action or event: its phases, whether it takes the tongs, its fields, what it does."""

    phases: tuple[str, ...]
    tongs: bool
    form: Form
    fields: Fields
    effect: Effect


_COLOUR = Check(str, COLOURS, "red, green, blue or yellow")
_CHECKS: Mapping[str, Check] = {
    "seat": SEAT,
    "colour": _COLOUR,
    "truth": _COLOUR,
    "because": Check(str, BECAUSE, "hole, edge or gone"),
}
_ANY_PHASE = ("hunt", "hold")


def _rule(phases: tuple[str, ...], tongs: bool, fields: tuple[str, ...], effect: Effect) -> _Rule:
    return _Rule(phases, tongs, Form(Fields(fields), _CHECKS), Fields(fields), effect)


RULES: Final = Rules[_Rule](
    {
        "grab": _rule(("hunt",), True, ("seat",), _grab),
        "announce": _rule(("hold",), True, ("seat", "colour"), _announce),
        "name_last": _rule(("hunt",), True, ("seat", "colour", "truth"), _name_last),
        "push_die": _rule(_ANY_PHASE, False, ("seat", "because"), _push_die),
        "die_shows": _rule(_ANY_PHASE, False, ("colour",), _die_shows),
        "dropping_fell": _rule(_ANY_PHASE, False, (), _dropping_fell),
        "die_fell": _rule(_ANY_PHASE, False, (), _die_fell),
    }
)

actions: Mapping[str, Fields] = {do: rule.fields for do, rule in RULES.items()}
