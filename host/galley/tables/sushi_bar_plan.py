"""What a player at the sushi bar has in mind: the offers of the dice, and what a choice makes of them.

A choice holds `marked` ("0 2", dice from 0), `option` (the offer, from 0), `victim` (a seat) and `position`
(in his stack, from 1 for the top). What does not fit the position of the game counts as not given, so a
choice from before can do no harm. It must not know keys or lights: those are `sushi_bar`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from galley.tables.table import Choice
from galley_engine.games.sushi_bar_state import (
    FREE,
    KINDS,
    State,
    is_last_throw,
    steals_any,
    takes,
    victims,
)


class Offer(NamedTuple):
    """One thing to do with the dice as they lie: take, steal, or throw on."""

    do: str  # take, steal or on
    kind: str = ""
    place: int = 0  # of a tile in its row, from 0
    victims: tuple[int, ...] = ()
    any: bool = False  # whether any tile of a stack may be stolen


class Plan(NamedTuple):
    """What the player has in mind, as far as the position allows it."""

    offers: tuple[Offer, ...]
    option: int  # the offer that BELL takes
    marked: tuple[int, ...]  # dice to lock
    victim: int | None
    position: int  # in the victim's stack, 1 for the top

    @property
    def offer(self) -> Offer | None:
        """The offer that BELL takes; None if there is none."""
        return self.offers[self.option] if self.offers else None


def plan_of(state: State, choice: Choice) -> Plan:
    """What the choice means here."""
    offers = offers_of(state)
    option = _number(choice, "option", range(len(offers))) or 0
    free = () if state.phase != "choose" or is_last_throw(state) else FREE[state.locked]
    named = choice.get("marked", "").split()
    marked = tuple(die for die in free if str(die) in named)
    victim, position = None, 1
    if offers and offers[option].do == "steal":
        offer = offers[option]
        alone = offer.victims[0] if len(offer.victims) == 1 else None
        victim = _number(choice, "victim", offer.victims)
        victim = alone if victim is None else victim
        if offer.any and victim is not None:
            height = len(state.stacks[victim][KINDS.index(offer.kind)])
            position = _number(choice, "position", range(1, height + 1)) or 1
    return Plan(offers, option, marked, victim, position)


def offers_of(state: State) -> tuple[Offer, ...]:
    """What the dice offer: tiles of the rows first, then thefts, then to throw on where KEEP has two uses."""
    if state.phase != "choose":
        return ()
    found = [Offer("take", kind, state.dice.count(kind) - 1) for kind in KINDS if takes(state, kind)]
    for kind in KINDS:
        robbed = victims(state, kind)
        if robbed:
            found.append(Offer("steal", kind, victims=robbed, any=steals_any(state, kind)))
    if any(offer.any for offer in found) and not is_last_throw(state):
        found.append(Offer("on"))
    return tuple(found)


def choice_of(marked: tuple[int, ...], option: int, victim: int | None = None, position: int = 1) -> Choice:
    """A whole choice; what is as it would be without it is left out."""
    given = {
        "marked": " ".join(map(str, marked)),
        "option": str(option) if option else "",
        "victim": "" if victim is None else str(victim),
        "position": str(position) if position > 1 else "",
    }
    return {key: value for key, value in given.items() if value}


def _number(choice: Choice, key: str, allowed: Sequence[int]) -> int | None:
    """A number of the choice, None if it is not among those allowed."""
    given = choice.get(key, "")
    return next((number for number in allowed if str(number) == given), None)
