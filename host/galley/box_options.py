"""What the players may set on the box itself, by MODE: language, the bots, and a few options of each game.

For: the small choices of an evening. All options of a game's rules can be given on the command line; here
are those that people at the table ask for, each with the few values that a row of keys can offer. It must
not know keys or pages: an option is a key and values, words for them are the catalogues'.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

Value: TypeAlias = str | int
Chosen: TypeAlias = Mapping[tuple[str, str], Value]
"""(game or "" for the house, option) -> the value that was set."""

LANGUAGES: Final = ("en", "fr", "nl", "de")
HOUSE: Final = ""


class BoxOption(NamedTuple):
    """One thing to set: its `values` (at most 8, a key each) and what a value `gives` to `where`."""

    key: str
    values: tuple[Value, ...]
    usual: Value
    where: Literal["house", "rules", "world"]
    gives: Callable[[Value], Mapping[str, object]] = lambda value: {}


def _targets(value: Value) -> Mapping[str, object]:
    return {} if value == "usual" else {"targets": {str(seats): value for seats in range(2, 7)}}


def _tiles(value: Value) -> Mapping[str, object]:
    """Half the tiles of each kind, the same mixture as nearly as it can be."""
    if value == "all":
        return {}
    return {"sushi_tiles": [1, 2, 3, 4, 5, 6], "bone_tiles": [-1, -1, -1, -2, -2, -3]}


def _same(key: str) -> Callable[[Value], Mapping[str, object]]:
    return lambda value: {key: value}


OF_HOUSE: Final = (
    BoxOption("language", LANGUAGES, "en", "house"),
    BoxOption("bot", ("easy", "good", "best"), "good", "house"),
)
OF_GAME: Final[Mapping[str, tuple[BoxOption, ...]]] = {
    "sushi_duel": (
        BoxOption("target", ("usual", 1, 2, 3, 4), "usual", "rules", _targets),
        BoxOption(
            "false_bell", ("reroll_all", "none", "lose_duel"), "reroll_all", "rules", _same("false_bell")
        ),
    ),
    "sushi_bar": (BoxOption("tiles", ("all", "half"), "all", "rules", _tiles),),
    "worm_grill": (BoxOption("snails", (12, 8, 4), 12, "rules", _same("snails")),),
    "poop_deck": (
        BoxOption("railings", (0, 1, 2, 3, 4), 3, "world", _same("railings")),
        BoxOption(
            "match_rule", ("any_during_hold", "at_announce"), "any_during_hold", "rules", _same("match_rule")
        ),
    ),
}


def options_for(game: str) -> tuple[BoxOption, ...]:
    """What can be set while `game` is the one to be played."""
    return OF_HOUSE + OF_GAME.get(game, ())


def place_of(game: str, option: BoxOption) -> tuple[str, str]:
    """Where the value of `option` is kept in `Chosen`."""
    return (HOUSE if option.where == "house" else game, option.key)


def given(game: str, chosen: Chosen, where: Literal["rules", "world"]) -> dict[str, object]:
    """The options of `game` that were set on the box, for its rules or for its world."""
    found: dict[str, object] = {}
    for option in OF_GAME.get(game, ()):
        if option.where == where and (game, option.key) in chosen:
            found.update(option.gives(chosen[game, option.key]))
    return found


def known(place: tuple[str, str], value: object) -> bool:
    """Whether `value` can have been set at `place`."""
    game, key = place
    options = OF_HOUSE if game == HOUSE else OF_GAME.get(game, ())
    return any(option.key == key and value in option.values for option in options)
