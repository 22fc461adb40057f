"""What a table says of a game in turns: nobody asks who was first, and all wait for one seat.

For: the tables of games without races, which take these as their own. It must not know any game.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from galley_engine.game import JSONObject

races: Final[frozenset[str]] = frozenset()


def awaited(state: Any) -> tuple[int, ...]:
    """The seat whose turn it is."""
    return (state.turn,)


def gate_open(state: Any) -> bool:
    """There is no start signal."""
    return True


def first(state: Any, actions: Sequence[JSONObject]) -> int:
    """Nothing races."""
    return 0


def contested(before: Any, one: JSONObject, other: JSONObject) -> bool:
    """Nothing races."""
    return False
