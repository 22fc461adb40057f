"""The games by name.

`load(name)` imports a game when it is first asked for, so that a command that plays one game does not pay
for all. LOADERS is the table; a new game is one function and one line in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from galley_engine.game import AnyGame
from galley_engine.given import listed, shown


class UnknownGame(LookupError):
    """There is no game of that name; the message names those that exist."""


def _sushi_duel() -> AnyGame:
    import galley_engine.games.sushi_duel as game

    return game


LOADERS: Mapping[str, Callable[[], AnyGame]] = {
    "sushi_duel": _sushi_duel,
}

NAMES: tuple[str, ...] = tuple(LOADERS)


def load(name: str) -> AnyGame:
    """The game called `name`. Raises UnknownGame."""
    loader = LOADERS.get(name)
    if loader is None:
        raise UnknownGame(f"there is no game {shown(name)}; the games are {listed(NAMES)}")
    return loader()
