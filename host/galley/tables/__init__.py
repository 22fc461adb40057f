"""How each game sits on the box: one module per game, all pure.

`load(name)` gives a game's table. A table turns a state into *jobs* (what each key does now), a box view
(what every die and lamp shows), prompts for the pages, and a bot's or a player's press into an action. It
must not know links, boards' ports, pages or time.
"""

from __future__ import annotations

from types import ModuleType
from typing import cast

from galley.tables.table import Table


def load(game: str) -> Table:
    """The table of `game`. Raises KeyError when the game does not sit on the box yet."""
    from galley.tables import sushi_duel

    tables: dict[str, ModuleType] = {"sushi_duel": sushi_duel}
    return cast(Table, tables[game])
