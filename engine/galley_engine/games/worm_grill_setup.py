"""What people may give the worm grill: its options and its start position, with the rules' values as
defaults.

What no source gives (the worms at each place, what happens without a free place) are house defaults and stand
here as data. Whatever is unknown or impossible raises BadOption or BadSetup and names the key.

A setup is taken as given, without counting worms, snails and plates against the supply; but no place holds a
snail and plates, or more than two plates, or the plates of two seats.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from galley_engine.game import BadOption, BadSetup, Chance
from galley_engine.games.worm_grill_state import (
    CLOSED,
    FIRST,
    FREE,
    PLACES,
    SNAIL,
    Board,
    Options,
    Place,
    State,
)
from galley_engine.given import Given, beginning

MIN_SEATS: Final = 2
MAX_SEATS: Final = 5
NO_FREE_PLACE = ("end_game", "no_effect")
MOST = 1000  # worms, points or snails anyone would count
MOST_PLATES = CLOSED * len(PLACES)  # more find no room on the grill

DEFAULTS: Mapping[str, object] = {
    "place_value": {str(place): 1 + (place - 21) // 4 for place in PLACES},  # 23-24: 1, then four places each
    "snails": 12,
    "snail_points": 3,
    "plates": 10,
    "worm_supply": 50,
    "no_free_place": "end_game",
    "stop_requires_good": False,
    "start_seat": 0,
}
SETUP_KEYS = ("grill", "supply", "worms", "snails", "plates", "turn")

_option = Given(BadOption, "options")
_setup = Given(BadSetup, "setup")


def options(given: Mapping[str, object]) -> Options:
    """The options in force. Of `place_value` a part may be given. Raises BadOption."""
    value = {**DEFAULTS, **_option.mapping(given, "", DEFAULTS)}
    default = DEFAULTS["place_value"]
    assert isinstance(default, Mapping)
    worms = {**default, **_option.mapping(value["place_value"], "place_value", default)}
    return Options(
        place_value=tuple(_option.whole(worms[str(p)], f"place_value.{p}", 0, MOST) for p in PLACES),
        snails=_option.whole(value["snails"], "snails", 0, MOST),
        snail_points=_option.whole(value["snail_points"], "snail_points", 0, MOST),
        plates=_option.whole(value["plates"], "plates", 1, MOST_PLATES),
        worm_supply=_option.whole(value["worm_supply"], "worm_supply", 0, MOST),
        no_free_place=_option.word(value["no_free_place"], "no_free_place", NO_FREE_PLACE),
        stop_requires_good=_option.truth(value["stop_requires_good"], "stop_requires_good"),
        start_seat=_option.whole(value["start_seat"], "start_seat", 0, MAX_SEATS - 1),
    )


def start(
    seats: int, options: Options, chance: Chance | None, setup: Mapping[str, object] | None = None
) -> State:
    """The start position: an empty grill, everybody's plates in hand. Nothing in it is left to chance.

    Raises BadSetup; raises BadOption if `start_seat` has no seat here.
    """
    given = beginning(setup, SETUP_KEYS, seats, range(MIN_SEATS, MAX_SEATS + 1), options.start_seat)
    normal = {"worms": options.worm_supply, "snails": options.snails}
    supply = {**normal, **_setup.mapping(given.get("supply", {}), "supply", normal)}
    board = Board(
        grill=_grill(given.get("grill", {}), seats, options),
        worm_supply=_setup.whole(supply["worms"], "supply.worms", 0, MOST),
        snail_supply=_setup.whole(supply["snails"], "supply.snails", 0, MOST),
        worms=_per_seat(given, "worms", seats, 0, MOST),
        snails=_per_seat(given, "snails", seats, 0, MOST),
        plates=_per_seat(given, "plates", seats, options.plates, MOST_PLATES),
        last=None,
    )
    turn = _setup.whole(given.get("turn", options.start_seat), "turn", 0, seats - 1)
    return State(options, "throw", turn, "", "", board)


def _per_seat(given: Mapping[str, object], key: str, seats: int, normal: int, most: int) -> tuple[int, ...]:
    counts = _setup.sequence(given.get(key, [normal] * seats), key, seats)
    return tuple(_setup.whole(count, f"{key}.{seat}", 0, most) for seat, count in enumerate(counts))


def _grill(value: object, seats: int, options: Options) -> tuple[Place, ...]:
    grill = [FREE] * len(PLACES)
    for place, lies in _setup.mapping(value, "grill", [str(place) for place in PLACES]).items():
        at = int(place) - FIRST
        grill[at] = _place(lies, f"grill.{place}", seats, options.place_value[at])
    return tuple(grill)


def _place(value: object, key: str, seats: int, worms: int) -> Place:
    given = _setup.mapping(value, key, ("plates", "snail", "worms"))
    plates = tuple(
        _setup.whole(seat, f"{key}.plates.{height}", 0, seats - 1)
        for height, seat in enumerate(_setup.sequence(given.get("plates", []), f"{key}.plates"))
    )
    if len(plates) > CLOSED:
        raise BadSetup(f"{key}.plates", f"has {len(plates)} plates, {CLOSED} close the place")
    if len(set(plates)) > 1:
        raise BadSetup(f"{key}.plates", "has plates of two seats, both must be of one")
    if given.get("worms", worms) != worms or isinstance(given.get("worms"), bool | float):
        raise BadSetup(f"{key}.worms", f"differs from {worms}: set it with the option place_value")
    if not _setup.truth(given.get("snail", False), f"{key}.snail"):
        return plates or FREE
    if plates:
        raise BadSetup(f"{key}.snail", "is true, but a snail lies only where no plate is")
    return SNAIL
