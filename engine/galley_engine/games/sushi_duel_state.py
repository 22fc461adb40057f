"""The sushi duel's position: its options, its state, the JSON forms, and questions one can ask of a state.

All is plain named tuples: small, hashable, readable when a test shows two of them. A symbol is its name;
`None` stands for a die that has not been rolled. A platter is its symbols with their counts in the order of
the ingredients, star last. A side is "left" or "right"; inside a state the left station comes first.

The state holds no generator and no clock. Its times (`rolled_ms`, `locked_ms`) are stamps of accepted
actions. The transitions are in `sushi_duel`, what people may give in `sushi_duel_setup`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from galley_engine.game import JSONObject

STAR = "star"
YUCK = "yuck"
SIDES = ("left", "right")
PHASES = ("challenge", "ready", "duel", "choose", "share", "over")

Face: TypeAlias = str | None
Platter: TypeAlias = tuple[tuple[str, int], ...]


class Options(NamedTuple):
    """The rules data in force. `sushi_duel_setup.options` makes it; the README lists what may be given."""

    ingredients: tuple[str, ...]
    dice: tuple[tuple[str, ...], ...]  # the faces of dice 0-5: the star dice, then the yuck dice
    uniform: int  # platters of six times one ingredient, for each ingredient
    combo: int  # platters of one each and a star
    visible: int  # platters face up
    targets: tuple[int, ...]  # platters that win, for 2, 3, 4, 5 and 6 seats
    false_bell: str  # reroll_all, none or lose_duel
    false_call_lock_ms: int
    min_roll_interval_ms: int
    start_seat: int  # the oldest, who challenges

    @property
    def star_dice(self) -> int:
        """How many of the dice, the first ones, are star dice."""
        return sum(STAR in die for die in self.dice)


class Station(NamedTuple):
    """One set of six dice and who holds it (nobody yet in the phase `challenge`)."""

    seat: int | None
    faces: tuple[Face, ...]
    kept: tuple[bool, ...]
    ready: bool = False
    rolled_ms: int | None = None  # the holder's last roll in this duel; a forced re-roll is none


class State(NamedTuple):
    """A position. `stock` lists the face-down platters in drawing order; `won` counts platters per seat."""

    options: Options
    phase: str
    visible: tuple[Platter, ...]
    stock: tuple[Platter, ...]
    stations: tuple[Station, Station]
    won: tuple[int, ...]
    caller: int | None  # who must decide, in `choose` and `share`
    locked_ms: tuple[int | None, ...]  # per seat, the time from which it may call again after a false call

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.won)

    @property
    def target(self) -> int:
        """The platters that win the game."""
        return self.options.targets[len(self.won) - 2]


def unrolled(seat: int | None) -> Station:
    """A set as it lies before a duel: nothing shown, nothing set aside."""
    return Station(seat, (None,) * 6, (False,) * 6)


# --- Questions ------------------------------------------------------------------------------------


def fits(faces: Sequence[Face], platter: Platter) -> bool:
    """Whether dice that show `faces` complete `platter`.

    What the ingredients shown leave open, stars must fill, and a star slot takes nothing else. For platters
    of six symbols this is the same as "every die fits"; it holds for smaller platters too (rules, duel, 3).
    """
    stars_left = faces.count(STAR)
    for symbol, need in platter:
        missing = need if symbol == STAR else need - faces.count(symbol)
        if missing > stars_left:
            return False
        if missing > 0:
            stars_left -= missing
    return True


def complete_platters(state: State, side: str) -> tuple[int, ...]:
    """The places in `visible` that the dice of `side` complete now, lowest first; none outside a duel."""
    if state.phase not in ("duel", "choose"):
        return ()
    faces = state.stations[SIDES.index(side)].faces
    return tuple(place for place, platter in enumerate(state.visible) if fits(faces, platter))


def side_of(state: State, seat: int) -> str | None:
    """The side at which `seat` holds a set, or None."""
    left, right = state.stations
    return "left" if left.seat == seat else "right" if right.seat == seat else None


def own(state: State, seat: int) -> Station:
    """The station of a duelist."""
    left, right = state.stations
    return left if left.seat == seat else right


def mine_and_other(state: State, seat: int) -> tuple[Station, Station]:
    """The station of a duelist and the one of his opponent."""
    left, right = state.stations
    return (left, right) if left.seat == seat else (right, left)


def shows_yuck(station: Station) -> bool:
    """Whether at least one die of the set shows a Yuck."""
    return YUCK in station.faces


def observers(state: State) -> tuple[int, ...]:
    """The seats that do not duel, in order; all of them before the first challenge."""
    left, right = state.stations
    return tuple(seat for seat in range(state.seats) if seat not in (left.seat, right.seat))


def ready_seats(state: State) -> tuple[int, ...]:
    """The duelists who have said that they are ready, left before right; only in the phase `ready`."""
    return tuple(s.seat for s in state.stations if s.ready and s.seat is not None)


def share_candidates(state: State) -> tuple[int, ...]:
    """The seats one of which gets the other set: the fewest platters among all but the caller."""
    others = [seat for seat in range(state.seats) if seat != state.caller]
    fewest = min(state.won[seat] for seat in others)
    return tuple(seat for seat in others if state.won[seat] == fewest) if state.phase == "share" else ()


# --- JSON forms -----------------------------------------------------------------------------------


def full(state: State) -> JSONObject:
    """The whole state as a JSON object."""
    return {
        "game": "sushi_duel",
        "seats": state.seats,
        "phase": state.phase,
        "turn": None,
        "visible": [dict(platter) for platter in state.visible],
        "stock": len(state.stock),
        "stations": dict(zip(SIDES, map(_station_json, state.stations), strict=True)),
        "won": list(state.won),
        "target": state.target,
        "caller": state.caller,
        "scores": list(state.won),
        "winners": [state.won.index(state.target)] if state.phase == "over" else None,
    }


def public(state: State, seat: int | None = None) -> JSONObject:
    """The same for everyone: only the stock lies hidden, and `full` gives no more than its size."""
    return full(state)


def options_of(state: State) -> JSONObject:
    """All options in force, in the form in which they are given."""
    options = state.options
    return {
        "ingredients": list(options.ingredients),
        "star_dice": options.star_dice,
        "yuck_dice": len(options.dice) - options.star_dice,
        "deck": {"uniform": options.uniform, "combo": options.combo},
        "visible": options.visible,
        "targets": {str(seats): target for seats, target in enumerate(options.targets, start=2)},
        "false_bell": options.false_bell,
        "false_call_lock_ms": options.false_call_lock_ms,
        "min_roll_interval_ms": options.min_roll_interval_ms,
        "start_seat": options.start_seat,
    }


def setup_of(state: State) -> JSONObject:
    """The layout of a start position, stock included, in the form in which a setup is given."""
    layout: JSONObject = {
        "phase": state.phase,
        "visible": [dict(platter) for platter in state.visible],
        "stock": [dict(platter) for platter in state.stock],
        "won": list(state.won),
    }
    if state.phase != "challenge":
        layout["stations"] = dict(zip(SIDES, map(_station_json, state.stations), strict=True))
    return layout


def _station_json(station: Station) -> JSONObject:
    return {"seat": station.seat, "faces": list(station.faces), "kept": list(station.kept)}
