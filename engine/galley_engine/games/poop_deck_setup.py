"""What people may give the poop deck: its options and its start position, with the rules' values as
defaults.

Whatever is unknown or impossible raises BadOption or BadSetup and names the key. A setup is taken as given,
without counting droppings. A part that it does not name is as at every start: all droppings on deck, none
collected, none in the galley, the die not yet seen. With no dropping on deck the game has ended before it
began.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from galley_engine.game import BadOption, BadSetup, Chance
from galley_engine.games.poop_deck_state import COLOURS, Options, State
from galley_engine.given import Given, beginning

MIN_SEATS: Final = 2
MAX_SEATS: Final = 4
MOST_PER_COLOUR = 8
MATCH_RULES = ("any_during_hold", "at_announce")

DEFAULTS: Mapping[str, object] = {
    "droppings_per_colour": 3,
    "match_rule": "any_during_hold",
    "start_seat": 0,
}
SETUP_KEYS = ("deck", "collected", "galley", "die", "turn")

_option = Given(BadOption, "options")
_setup = Given(BadSetup, "setup")


def options(given: Mapping[str, object]) -> Options:
    """The options in force. Raises BadOption."""
    value = {**DEFAULTS, **_option.mapping(given, "", DEFAULTS)}
    return Options(
        droppings_per_colour=_option.whole(
            value["droppings_per_colour"], "droppings_per_colour", 1, MOST_PER_COLOUR
        ),
        match_rule=_option.word(value["match_rule"], "match_rule", MATCH_RULES),
        start_seat=_option.whole(value["start_seat"], "start_seat", 0, MAX_SEATS - 1),
    )


def start(
    seats: int, options: Options, chance: Chance | None, setup: Mapping[str, object] | None = None
) -> State:
    """The start position; the engine draws nothing, for what lies where is the world's.

    Raises BadSetup; raises BadOption if `start_seat` has no seat here.
    """
    given = beginning(setup, SETUP_KEYS, seats, range(MIN_SEATS, MAX_SEATS + 1), options.start_seat)
    die, all_of_them = given.get("die"), options.droppings
    collected = _setup.mapping(given.get("collected", {}), "collected", COLOURS)
    deck = _setup.whole(given.get("deck", all_of_them), "deck", 0, all_of_them)
    return State(
        options=options,
        seats=seats,
        phase="hunt" if deck else "over",
        turn=_setup.whole(given.get("turn", options.start_seat), "turn", 0, seats - 1),
        die=None if die is None else _setup.word(die, "die", COLOURS),
        deck=deck,
        collected=tuple(
            _setup.whole(collected.get(colour, 0), f"collected.{colour}", 0, options.droppings_per_colour)
            for colour in COLOURS
        ),
        galley=_setup.whole(given.get("galley", 0), "galley", 0, all_of_them),
        seen=(),
        die_fell=False,
    )
