"""What people may give the sushi duel: its options and its start position, with the rules' values as
defaults.

Numbers that no rule text gives (how many platters of each kind, the roll interval) are house defaults and
stand here as data. Whatever is unknown or impossible raises BadOption or BadSetup and names the key.

A setup is taken as given, without counting platters against the deck; but a die cannot show a face that it
has not, and nobody starts with the game won. What a setup leaves open is dealt from the rest of the deck.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from galley_engine.game import BadOption, BadSetup, Chance
from galley_engine.games.sushi_duel_state import (
    SIDES,
    STAR,
    YUCK,
    Face,
    Options,
    Platter,
    State,
    Station,
    unrolled,
)
from galley_engine.given import Given, beginning, listed, shown

MIN_SEATS: Final = 2
MAX_SEATS: Final = 6
DICE = 6
FALSE_BELL = ("reroll_all", "none", "lose_duel")
MOST_VISIBLE = 8  # one KEEP key each, to choose by
LONGEST_MS = 60_000

DEFAULTS: Mapping[str, object] = {
    "ingredients": ["shrimp", "salmon", "octopus", "cucumber", "roe"],
    "star_dice": 3,
    "yuck_dice": 3,
    "deck": {"uniform": 3, "combo": 4},
    "visible": 3,
    "targets": {"2": 6, "3": 5, "4": 5, "5": 4, "6": 4},
    "false_bell": "reroll_all",
    "false_call_lock_ms": 0,
    "min_roll_interval_ms": 300,
    "start_seat": 0,
}
SETUP_KEYS = ("visible", "stock", "stations", "won", "phase")
SETUP_PHASES = ("challenge", "ready", "duel")

_option = Given(BadOption, "options")
_setup = Given(BadSetup, "setup")


# --- Options --------------------------------------------------------------------------------------


def options(given: Mapping[str, object]) -> Options:
    """The options in force. Of `deck` and `targets` a part may be given. Raises BadOption."""
    value = {**DEFAULTS, **_option.mapping(given, "", DEFAULTS)}
    for key in ("deck", "targets"):
        default = DEFAULTS[key]
        assert isinstance(default, Mapping)
        value[key] = {**default, **_option.mapping(value[key], key, default)}
    ingredients = _ingredients(value["ingredients"])
    uniform, combo = _deck(value["deck"])
    platters = uniform * len(ingredients) + combo
    visible = _option.whole(value["visible"], "visible", 1, MOST_VISIBLE)
    if visible > platters:
        raise BadOption("visible", f"is {visible}, but the deck has only {platters} platters")
    return Options(
        ingredients=ingredients,
        dice=_dice(ingredients, value["star_dice"], value["yuck_dice"], combo),
        uniform=uniform,
        combo=combo,
        visible=visible,
        targets=_targets(value["targets"]),
        false_bell=_option.word(value["false_bell"], "false_bell", FALSE_BELL),
        false_call_lock_ms=_option.whole(value["false_call_lock_ms"], "false_call_lock_ms", 0, LONGEST_MS),
        min_roll_interval_ms=_option.whole(
            value["min_roll_interval_ms"], "min_roll_interval_ms", 0, LONGEST_MS
        ),
        start_seat=_option.whole(value["start_seat"], "start_seat", 0, MAX_SEATS - 1),
    )


def _ingredients(value: object) -> tuple[str, ...]:
    names: list[str] = []
    for place, name in enumerate(_option.sequence(value, "ingredients", 5)):
        key = f"ingredients.{place}"
        if not isinstance(name, str) or not 1 <= len(name) <= 32 or not name.isprintable() or "." in name:
            raise BadOption(key, f"is {shown(name)}, it must be 1 to 32 characters without a full stop")
        if name in (STAR, YUCK, *names):
            raise BadOption(key, f"is {shown(name)}, which is taken: give each symbol a name of its own")
        names.append(name)
    return tuple(names)


def _dice(
    ingredients: tuple[str, ...], star: object, yuck: object, combo: int
) -> tuple[tuple[str, ...], ...]:
    star_dice = _option.whole(star, "star_dice", 0, DICE)
    yuck_dice = _option.whole(yuck, "yuck_dice", 0, DICE)
    if star_dice + yuck_dice != DICE:
        raise BadOption("star_dice", f"is {star_dice} with yuck_dice {yuck_dice}; they must add up to {DICE}")
    if combo and not star_dice:
        raise BadOption("star_dice", "is 0, but a combo platter needs a star: set deck.combo to 0 too")
    return ((*ingredients, STAR),) * star_dice + ((*ingredients, YUCK),) * yuck_dice


def _deck(value: object) -> tuple[int, int]:
    assert isinstance(value, Mapping)
    uniform = _option.whole(value["uniform"], "deck.uniform", 0, 20)
    combo = _option.whole(value["combo"], "deck.combo", 0, 100)
    if not uniform and not combo:
        raise BadOption("deck", "has no platter: give uniform or combo at least 1")
    return uniform, combo


def _targets(value: object) -> tuple[int, ...]:
    assert isinstance(value, Mapping)
    return tuple(
        _option.whole(value[str(seats)], f"targets.{seats}", 1, 100)
        for seats in range(MIN_SEATS, MAX_SEATS + 1)
    )


# --- The start position ---------------------------------------------------------------------------


def start(
    seats: int, options: Options, chance: Chance | None, setup: Mapping[str, object] | None = None
) -> State:
    """The start position: the platters shuffled (by `chance`), the first face up, nobody challenged.

    Raises BadSetup; raises BadOption if `start_seat` has no seat here, or if the deck could run out before
    anyone reaches the target (unless the setup lays out all platters itself).
    """
    given = beginning(setup, SETUP_KEYS, seats, range(MIN_SEATS, MAX_SEATS + 1), options.start_seat)
    target = options.targets[seats - 2]
    phase = _setup.word(given.get("phase", "challenge"), "phase", SETUP_PHASES)
    visible, stock = _layout(given, seats, options, target, chance)
    return State(
        options=options,
        phase=phase,
        visible=visible,
        stock=stock,
        stations=_stations(given, phase, seats, options),
        won=_won(given.get("won", [0] * seats), seats, target),
        caller=None,
        locked_ms=(None,) * seats,
    )


def deck(options: Options) -> tuple[Platter, ...]:
    """All platters: the uniform ones in the order of the ingredients, then the combos."""
    uniform = [((symbol, DICE),) for symbol in options.ingredients for _ in range(options.uniform)]
    combo = tuple((symbol, 1) for symbol in (*options.ingredients, STAR))
    return (*uniform, *[combo] * options.combo)


def _layout(
    given: Mapping[str, object], seats: int, options: Options, target: int, chance: Chance | None
) -> tuple[tuple[Platter, ...], tuple[Platter, ...]]:
    """The platters face up and the stock: as given, the rest dealt from what is left of the deck."""
    named = {
        key: tuple(
            _platter(platter, f"{key}.{place}", options)
            for place, platter in enumerate(_setup.sequence(given[key], key))
        )
        for key in ("visible", "stock")
        if key in given
    }
    if len(named) == 2:
        return named["visible"], named["stock"]
    cards = deck(options)
    needed = seats * (target - 1) + 1
    if len(cards) < needed:
        raise BadOption(
            "deck",
            f"has {len(cards)} platters, but {seats} seats playing for {target} may need {needed}: "
            "add platters or lower the target",
        )
    rest = list(cards)
    for platter in (*named.get("visible", ()), *named.get("stock", ())):
        if platter in rest:
            rest.remove(platter)
    dealt = chance.shuffle(rest) if chance is not None else tuple(rest)
    if "visible" in named:
        return named["visible"], dealt
    if "stock" in named:
        return dealt[: options.visible], named["stock"]
    return dealt[: options.visible], dealt[options.visible :]


def _platter(value: object, key: str, options: Options) -> Platter:
    symbols = (*options.ingredients, STAR)
    given = _setup.mapping(value, key, symbols)
    counts = {
        symbol: _setup.whole(given[symbol], f"{key}.{symbol}", 1, DICE)
        for symbol in symbols
        if symbol in given
    }
    if not 1 <= sum(counts.values()) <= DICE:
        raise BadSetup(key, f"has {sum(counts.values())} symbols, a platter must have 1 to {DICE}")
    return tuple(counts.items())


def _won(value: object, seats: int, target: int) -> tuple[int, ...]:
    counts = _setup.sequence(value, "won", seats)
    return tuple(_setup.whole(count, f"won.{seat}", 0, target - 1) for seat, count in enumerate(counts))


def _stations(
    given: Mapping[str, object], phase: str, seats: int, options: Options
) -> tuple[Station, Station]:
    if phase == "challenge":
        if "stations" in given:
            raise BadSetup(
                "stations", "needs the phase ready or duel: before the challenge nobody holds a set"
            )
        return unrolled(None), unrolled(None)
    if "stations" not in given:
        raise BadSetup("stations", f"is missing: the phase {phase} needs to know who holds the sets")
    stations = _setup.mapping(given["stations"], "stations", SIDES)
    for side in SIDES:
        if side not in stations:
            raise BadSetup(f"stations.{side}", "is missing: both sets need a holder")
    left, right = (_station(stations[side], f"stations.{side}", seats, options) for side in SIDES)
    if left.seat == right.seat:
        raise BadSetup("stations.right.seat", f"is {right.seat}, who holds the left set already")
    return left, right


def _station(value: object, key: str, seats: int, options: Options) -> Station:
    given = _setup.mapping(value, key, ("seat", "faces", "kept"))
    if "seat" not in given:
        raise BadSetup(f"{key}.seat", "is missing: the set needs a holder")
    faces = tuple(
        _face(face, f"{key}.faces.{die}", options.dice[die])
        for die, face in enumerate(_setup.sequence(given.get("faces", [None] * DICE), f"{key}.faces", DICE))
    )
    kept = tuple(
        _setup.truth(truth, f"{key}.kept.{die}")
        for die, truth in enumerate(_setup.sequence(given.get("kept", [False] * DICE), f"{key}.kept", DICE))
    )
    for die in range(DICE):
        if kept[die] and faces[die] is None:
            raise BadSetup(f"{key}.kept.{die}", "is true, but a die that shows nothing cannot be set aside")
    return Station(_setup.whole(given["seat"], f"{key}.seat", 0, seats - 1), faces, kept)


def _face(value: object, key: str, die: tuple[str, ...]) -> Face:
    if value is None:
        return None
    if not isinstance(value, str) or value not in die:
        raise BadSetup(key, f"is {shown(value)}, this die shows {listed(die)}, or null while unrolled")
    return value
