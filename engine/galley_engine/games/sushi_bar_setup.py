"""What people may give the sushi bar: its options and its start position, with the rules' values as
defaults.

The values of the tiles are those of published implementations, no rule text has them: data, that the options
replace. Whatever is unknown or impossible raises BadOption or BadSetup and names the key.

A setup is taken as given, without counting tiles. A part that it does not name is as at every start: a row
with all tiles of its kind, empty stacks. If both rows are empty the game has ended before it began.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from galley_engine.game import BadOption, BadSetup, Chance
from galley_engine.games.sushi_bar_state import (
    DICE,
    KINDS,
    NO_DICE,
    NO_TILES,
    NONE_LOCKED,
    Options,
    State,
    Tiles,
)
from galley_engine.given import Given, beginning

MIN_SEATS: Final = 2
MAX_SEATS: Final = 5
MOST_TILES = 60
VALUES: Final[Mapping[str, tuple[int, int]]] = {"sushi": (1, 99), "bone": (-99, -1)}
"""The lowest and the highest value of a tile of each kind."""

DEFAULTS: Mapping[str, object] = {
    "sushi_tiles": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6],
    "bone_tiles": [-1, -1, -1, -1, -1, -2, -2, -2, -2, -3, -3, -4],
    "throws": 3,
    "start_seat": 0,
}
SETUP_KEYS = ("rows", "stacks", "turn")

_option = Given(BadOption, "options")
_setup = Given(BadSetup, "setup")


def options(given: Mapping[str, object]) -> Options:
    """The options in force. Raises BadOption."""
    value = {**DEFAULTS, **_option.mapping(given, "", DEFAULTS)}
    sushi, bone = (_tiles(_option, value[f"{kind}_tiles"], f"{kind}_tiles", kind) for kind in KINDS)
    if not sushi and not bone:
        raise BadOption("sushi_tiles", "is empty and so is bone_tiles: give at least one tile")
    return Options(
        sushi_tiles=sushi,
        bone_tiles=bone,
        # Each throw but the first follows a lock, so a throw beyond the fifth would have no dice.
        throws=_option.whole(value["throws"], "throws", 1, DICE),
        start_seat=_option.whole(value["start_seat"], "start_seat", 0, MAX_SEATS - 1),
    )


def start(
    seats: int, options: Options, chance: Chance | None, setup: Mapping[str, object] | None = None
) -> State:
    """The start position: each row shuffled (by `chance`), nobody has a tile, the start seat throws.

    Raises BadSetup; raises BadOption if `start_seat` has no seat here.
    """
    given = beginning(setup, SETUP_KEYS, seats, range(MIN_SEATS, MAX_SEATS + 1), options.start_seat)
    rows = _rows(given.get("rows", {}), options, chance)
    return State(
        options=options,
        phase="throw" if rows.sushi or rows.bone else "over",
        turn=_setup.whole(given.get("turn", options.start_seat), "turn", 0, seats - 1),
        throw=0,
        dice=NO_DICE,
        locked=NONE_LOCKED,
        rows=rows,
        stacks=_stacks(given["stacks"], seats) if "stacks" in given else (NO_TILES,) * seats,
    )


def _rows(value: object, options: Options, chance: Chance | None) -> Tiles:
    given = _setup.mapping(value, "rows", KINDS)
    rows = []
    for kind, tiles in zip(KINDS, (options.sushi_tiles, options.bone_tiles), strict=True):
        if kind in given:
            rows.append(_tiles(_setup, given[kind], f"rows.{kind}", kind))
        else:
            rows.append(chance.shuffle(tiles) if chance is not None else tiles)
    return Tiles(*rows)


def _stacks(value: object, seats: int) -> tuple[Tiles, ...]:
    stacks = []
    for seat, one in enumerate(_setup.sequence(value, "stacks", seats)):
        key = f"stacks.{seat}"
        given = _setup.mapping(one, key, KINDS)
        stacks.append(Tiles(*(_tiles(_setup, given.get(kind, ()), f"{key}.{kind}", kind) for kind in KINDS)))
    return tuple(stacks)


def _tiles(check: Given, value: object, key: str, kind: str) -> tuple[int, ...]:
    """Values of tiles of one kind, as given under `key`."""
    values = check.sequence(value, key)
    if len(values) > MOST_TILES:
        raise check.error(key, f"is a list of {len(values)}, at most {MOST_TILES} tiles have a place")
    return tuple(check.whole(tile, f"{key}.{place}", *VALUES[kind]) for place, tile in enumerate(values))
