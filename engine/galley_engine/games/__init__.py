"""The games by name.

`load(name)` imports a game when it is first asked for, so that a command that plays one game does not pay
for all. LOADERS is the table; a new game is one function and one line in it.

Other packages may bring games of their own: an entry point of the group ENTRY_POINTS, whose name is the
game's and which leads to its module. They are looked for when a name is asked for that is not in the table,
and imported when that game is. A package that is broken breaks its own game and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from galley_engine.game import AnyGame
from galley_engine.given import listed, one_line, shown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "galley.games"
"""The group of entry points in which packages offer games."""

OFFERS = (
    *("name", "min_seats", "max_seats", "actions", "events", "options", "start", "apply", "full", "public"),
    *("options_of", "setup_of", "actors", "ending", "legal", "moves"),
)
"""What every game has, by name (`galley_engine.game.Game`)."""


class UnknownGame(LookupError):
    """There is no game of that name; the message names those that exist."""


class BrokenGame(UnknownGame):
    """A package offers a game that cannot be used; the message names the package and what is wrong."""


def _sushi_duel() -> AnyGame:
    import galley_engine.games.sushi_duel as game

    return game


def _sushi_bar() -> AnyGame:
    import galley_engine.games.sushi_bar as game

    return game


def _poop_deck() -> AnyGame:
    import galley_engine.games.poop_deck as game

    return game


def _worm_grill() -> AnyGame:
    import galley_engine.games.worm_grill as game

    return game


LOADERS: Mapping[str, Callable[[], AnyGame]] = {
    "sushi_duel": _sushi_duel,
    "sushi_bar": _sushi_bar,
    "worm_grill": _worm_grill,
    "poop_deck": _poop_deck,
}

NAMES: tuple[str, ...] = tuple(LOADERS)
"""The games that come with Galley."""


def names() -> tuple[str, ...]:
    """All games there are: Galley's own, then those of other packages in the order of their names."""
    return (*NAMES, *sorted(_offered().keys() - set(NAMES)))


def load(name: str) -> AnyGame:
    """The game called `name`. Raises UnknownGame, or BrokenGame if a package offers it and fails to."""
    loader = LOADERS.get(name)
    if loader is not None:
        return loader()
    offered = _offered()
    if name not in offered:
        raise UnknownGame(f"there is no game {shown(name)}; the games are {listed(names())}")
    return _loaded(name, offered[name])


def _offered() -> Mapping[str, list[EntryPoint]]:
    """The entry points of other packages by the name of their game."""
    from importlib.metadata import entry_points

    offered: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=ENTRY_POINTS):
        offered.setdefault(entry.name, []).append(entry)
    return offered


def _loaded(name: str, entries: list[EntryPoint]) -> AnyGame:
    packages = sorted(entry.dist.name if entry.dist else "an unknown package" for entry in entries)
    whose = f"the game {shown(name)} of {listed(packages, 'and')}"
    if len(entries) > 1:
        raise BrokenGame(f"{whose} is offered more than once: remove one of the packages")
    try:
        game: Any = entries[0].load()
    except Exception as error:  # a stranger's module may do anything
        reason = f"{type(error).__name__}: {error}"
        raise BrokenGame(
            one_line(f"{whose} cannot be loaded ({reason}): mend the package or remove it")
        ) from None
    missing = [offer for offer in OFFERS if not hasattr(game, offer)]
    if missing:
        raise BrokenGame(f"{whose} is no whole game: it lacks {listed(missing, 'and')}")
    if game.name != name:
        raise BrokenGame(f"{whose} calls itself {shown(game.name)}: its entry point must have the same name")
    return game  # type: ignore[no-any-return]
