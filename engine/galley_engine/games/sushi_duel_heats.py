"""The sushi duel's dead heats: who goes first when no one can know who was first.

For: one choice among actions whose order race timing leaves open. It must not know times or boards.

RANK is the table of the rules (dead heats bell-bell, roll-yuck, roll-mate, mate-bell, yuck and mate, two
mates): the lower rank goes first. Pairs that the rules leave open follow from it: what a duelist does to
his own dice counts before what ends the duel, and the bell before a call of yuck (doubt favours the one
called out). Among equals the seat decides, counted clockwise, as TIES says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from galley_engine.games.sushi_duel_state import State

OWN_DICE: Final = 0
RANK: Final[Mapping[str, int]] = {"roll": OWN_DICE, "keep": OWN_DICE, "mate": 1, "bell": 2, "yuck": 3}

Place = tuple[int, ...]


def first(state: State, actions: Sequence[Mapping[str, object]]) -> int:
    """The index of the action that goes first. There is one at least, each with the fields `do` and `seat`.

    Actions that are no part of a duel (ready, challenge) count as those to one's own dice.
    """
    return min(range(len(actions)), key=lambda number: (*_place(state, actions[number]), number))


def _place(state: State, action: Mapping[str, object]) -> Place:
    do, seat = action["do"], action["seat"]
    assert isinstance(do, str)
    assert isinstance(seat, int)
    return (RANK.get(do, OWN_DICE), *TIES.get(do, _from_seat_0)(state, seat))


def _from_seat_0(state: State, seat: int) -> Place:
    return (seat,)


def _fewer_platters(state: State, seat: int) -> Place:
    return (state.won[seat], seat)


def _from_the_left_duelist(state: State, seat: int) -> Place:
    left = state.stations[0].seat
    return ((seat - (left or 0)) % state.seats,)


TIES: Final[Mapping[str, Callable[[State, int], Place]]] = {
    "bell": _fewer_platters,
    "mate": _from_the_left_duelist,
}
