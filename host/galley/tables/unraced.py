"""What a table says of races where there are none: most games do not ask who was first.

For: the tables of games without races, which take these as their own. It must not know any game.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from galley_engine.game import JSONObject

races: Final[frozenset[str]] = frozenset()


def gate_open(state: Any) -> bool:
    """There is no start signal."""
    return True


def first(state: Any, actions: Sequence[JSONObject]) -> int:
    """Nothing races."""
    return 0


def contested(before: Any, one: JSONObject, other: JSONObject) -> bool:
    """Nothing races."""
    return False
