"""The poop deck's position: its options, its state, the JSON forms, and questions one can ask of a state.

The engine knows counts, colours and events. Where a dropping lies, what is under it, how near a hole the die
is: that is the world's, and the crew tells of it. So nothing here is hidden: a public view is the full one.

All is plain named tuples: small, hashable, readable when a test shows two of them. `collected` has a number
for each of COLOURS, in their order. The transitions are in `poop_deck`, what people may give in
`poop_deck_setup`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from galley_engine.game import JSONObject

COLOURS: Final = ("red", "green", "blue", "yellow")
PHASES: Final = ("hunt", "hold", "over")


class Options(NamedTuple):
    """The rules data in force. `poop_deck_setup.options` makes it; the README lists what may be given."""

    droppings_per_colour: int
    match_rule: str  # any_during_hold or at_announce
    start_seat: int

    @property
    def droppings(self) -> int:
        """All droppings of the game."""
        return self.droppings_per_colour * len(COLOURS)


class State(NamedTuple):
    """A position. In the phase `hold` the seat `turn` has a dropping, which `deck` still counts."""

    options: Options
    seats: int
    phase: str
    turn: int  # who has the tongs; when it is over, who had them last
    die: str | None  # the colour on top, None before the first event
    deck: int
    collected: tuple[int, ...]
    galley: int
    seen: tuple[str, ...]  # colours on top since the grab, in the order first seen; () outside a hold
    die_fell: bool


# --- Questions ------------------------------------------------------------------------------------


def is_left(state: State, colour: str) -> bool:
    """Whether a dropping of that colour may still lie on deck, as far as the crew's own pile tells."""
    return state.collected[COLOURS.index(colour)] < state.options.droppings_per_colour


def matches(state: State, colour: str) -> bool:
    """Whether a dropping of that colour, announced now, is collected."""
    if state.options.match_rule == "any_during_hold":
        return colour in state.seen
    return colour == state.die


def may_be_gone(state: State) -> bool:
    """Whether the die's colour can be under no dropping any more, for all the crew knows.

    Once something has fallen nobody can say what: the crew may claim it (rules, options).
    """
    return state.galley > 0 or (state.die is not None and not is_left(state, state.die))


def may_fall(state: State) -> bool:
    """Whether a dropping lies on deck that is not in somebody's hand."""
    return state.deck > (state.phase == "hold")


def ending(state: State) -> str | None:
    """Why the game ended: `counted` when no dropping was left on deck, or `die_fell`; None before."""
    if state.phase != "over":
        return None
    return "die_fell" if state.die_fell else "counted"


def is_won(state: State) -> bool:
    """Whether the crew has won, once the game is over: at least as many collected as in the galley."""
    return not state.die_fell and sum(state.collected) >= state.galley


# --- JSON forms -----------------------------------------------------------------------------------


def full(state: State) -> JSONObject:
    """The whole state as a JSON object."""
    over, won = state.phase == "over", is_won(state)
    winners = list(range(state.seats)) if won else []
    return {
        "game": "poop_deck",
        "seats": state.seats,
        "phase": state.phase,
        "turn": None if over else state.turn,
        "die": state.die,
        "deck": state.deck,
        "collected": dict(zip(COLOURS, state.collected, strict=True)),
        "galley": state.galley,
        "holding": state.turn if state.phase == "hold" else None,
        "seen": list(state.seen),
        "result": ("won" if won else "lost") if over else None,
        "why": ending(state),
        "scores": None,
        "winners": winners if over else None,
    }


def public(state: State, seat: int | None = None) -> JSONObject:
    """The same for everyone: what nobody may know, colours under droppings, the state does not hold."""
    return full(state)


def options_of(state: State) -> JSONObject:
    """All options in force, in the form in which they are given."""
    return dict(state.options._asdict())


def setup_of(state: State) -> JSONObject:
    """The layout of a start position, in the form in which a setup is given."""
    return {
        "deck": state.deck,
        "collected": dict(zip(COLOURS, state.collected, strict=True)),
        "galley": state.galley,
        "die": state.die,
        "turn": state.turn,
    }
