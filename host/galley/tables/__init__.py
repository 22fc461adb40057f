"""How each game sits on the box: one module per game, all pure.

`load(name)` gives a game's table. A table turns a state into *jobs* (what each key does now), a box view
(what every die and lamp shows), prompts for the pages, and a bot's or a player's press into an action. It
must not know links, boards' ports, pages or time.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from types import ModuleType
from typing import Final, cast

from galley.tables.table import Table

GAMES: Final = ("sushi_duel", "sushi_bar", "worm_grill", "poop_deck")
"""The games as they stand on the box: KEEP1 to KEEP4 when one is chosen."""


@cache
def load(game: str) -> Table:
    """The table of `game`. Raises KeyError when the game does not sit on the box yet."""
    from galley.tables import poop_deck, sushi_bar, sushi_duel, worm_grill

    tables: dict[str, ModuleType] = {
        "sushi_duel": sushi_duel,
        "sushi_bar": sushi_bar,
        "worm_grill": worm_grill,
        "poop_deck": poop_deck,
    }
    return cast(Table, tables[game])


def prepare(games: Iterable[str]) -> None:
    """Work out now what these games would look up while a hand waits: 0.2 s at most."""
    for game in games:
        work = getattr(load(game), "prepare", None)
        if work is not None:
            work()
