"""The worm grill's position: its options, its state, the JSON forms, and questions one can ask of a state.

All is plain named tuples: small, hashable, readable when a test shows two of them. Dice are a string of
letters, one for each die (`1 2 3 4 w 6`, where `w` is the worm), because a string counts, finds and drops a
face in one call; only the JSON forms spell out `"worm"`. A place of the grill is the seats of the plates on
it, bottom to top, or SNAIL.

What a turn changes with every throw (phase, dice, aside) is apart from what lasts (Board). What follows from
these is not stored but asked: the dice left to throw, the total, the scores, why the game ended.

The state holds no generator and no clock. The transitions are in `worm_grill` and `worm_grill_effects`, what
people may give in `worm_grill_setup`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from galley_engine.game import JSON, JSONObject

DICE: Final = 8
LETTERS: Final = "1234w6"
WORM: Final = "w"
FACES: Final[tuple[JSON, ...]] = (1, 2, 3, 4, "worm", 6)
FACE_OF: Final[Mapping[str, JSON]] = dict(zip(LETTERS, FACES, strict=True))
LETTER_OF: Final[Mapping[object, str]] = dict(zip(FACES, LETTERS, strict=True))
VALUE_OF: Final[Mapping[str, int]] = dict(zip(LETTERS, (1, 2, 3, 4, 5, 6), strict=True))
"""A worm counts five."""

_value_of = VALUE_OF.__getitem__

FIRST: Final = 23
LAST: Final = 36
PLACES: Final = range(FIRST, LAST + 1)
CLOSED: Final = 2  # so many plates close a place for good

PHASES: Final = ("throw", "keep", "decide", "over")
RESULTS: Final = ("plate", "steal", "stack", "snail", "top_snail", "bad")

Place: TypeAlias = tuple[int, ...]
FREE: Final[Place] = ()
SNAIL: Final[Place] = (-1,)


class Options(NamedTuple):
    """The rules data in force. `worm_grill_setup.options` makes it; the README lists what may be given."""

    place_value: tuple[int, ...]  # worms at the places 23 to 36
    snails: int  # in the supply at the start
    snail_points: int  # what a snail counts in the end
    plates: int  # of each seat
    worm_supply: int  # points of worms in the supply at the start
    no_free_place: str  # end_game or no_effect
    stop_requires_good: bool
    start_seat: int


class Last(NamedTuple):
    """What the last turn did: `place` is None where no place is concerned, `worms` what was paid."""

    seat: int
    total: int
    result: str  # one of RESULTS
    place: int | None
    worms: int


class Board(NamedTuple):
    """What lasts beyond a turn; `worms`, `snails` and `plates` (those off the grill) are per seat."""

    grill: tuple[Place, ...]  # the places 23 to 36
    worm_supply: int
    snail_supply: int
    worms: tuple[int, ...]
    snails: tuple[int, ...]
    plates: tuple[int, ...]
    last: Last | None


class State(NamedTuple):
    """A position. `dice` lie on the table, not yet set aside: none before a turn's first throw."""

    options: Options
    phase: str
    turn: int  # in the phase `over`, who played last
    dice: str
    aside: str
    board: Board

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.board.worms)

    @property
    def left(self) -> int:
        """The dice not set aside yet."""
        return len(self.dice) or DICE

    @property
    def total(self) -> int:
        """What the dice set aside add up to."""
        return total_of(self.aside)


# --- Questions ------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def total_of(aside: str) -> int:
    """What these dice add up to; a worm counts five. Few faces are kept in a turn, so most come again."""
    return sum(map(_value_of, aside))


def why_bad(board: Board, seat: int, total: int, worm: bool) -> str | None:
    """Why a turn of `seat` that ends on this total is a bad throw, as a key; None if it is good.

    `worm` is whether a worm is set aside. A seat without a plate can still take snails, but not a place.
    """
    if not worm:
        return "no_worm"
    if total < FIRST:
        return "too_low"
    if total > LAST:
        return None
    place = board.grill[total - FIRST]
    if len(place) >= CLOSED:
        return "closed"
    return "no_plate" if place != SNAIL and not board.plates[seat] else None


def result_of(board: Board, seat: int, total: int, worm: bool) -> str:
    """What a turn of `seat` that ends on this total does: one of RESULTS."""
    return "bad" if why_bad(board, seat, total, worm) is not None else good_result(board, seat, total)


def good_result(board: Board, seat: int, total: int) -> str:
    """What a turn of `seat` that ends on this total does, if it is no bad throw: one of RESULTS."""
    if total > LAST:
        return "top_snail"
    place = board.grill[total - FIRST]
    if place == SNAIL:
        return "snail"
    if place == FREE:
        return "plate"
    return "stack" if place[0] == seat else "steal"


def highest(grill: Sequence[Place], wanted: Place) -> int | None:
    """The highest place, 23 to 36, where the grill looks like this, or None."""
    try:
        return LAST - grill[::-1].index(wanted)
    except ValueError:
        return None


def may_stop(state: State) -> bool:
    """Whether the seat to act may stop now, in the phase `decide`."""
    if not state.options.stop_requires_good:
        return True
    return why_bad(state.board, state.turn, state.total, WORM in state.aside) is None


def keepable(state: State) -> list[str]:
    """The letters one of which may be set aside now, in the phase `keep`, in the order of LETTERS."""
    dice, aside = state.dice, state.aside
    return [letter for letter in LETTERS if letter in dice and letter not in aside]


def scores(state: State) -> list[int]:
    """The points of each seat now: worms, and the snails at their points."""
    board, points = state.board, state.options.snail_points
    return [worms + points * snails for worms, snails in zip(board.worms, board.snails, strict=True)]


def ending(state: State) -> str | None:
    """Why the game ended: `no_snail` to take, `supply_empty` or `grill_full` for one to lay; None before."""
    last = state.board.last
    if state.phase != "over" or last is None:
        return None
    if last.result == "top_snail":
        return "no_snail"
    return "grill_full" if state.board.snail_supply else "supply_empty"


# --- JSON forms -----------------------------------------------------------------------------------


def full(state: State) -> JSONObject:
    """The whole state as a JSON object."""
    board = state.board
    points = scores(state)
    over = state.phase == "over"
    return {
        "game": "worm_grill",
        "seats": state.seats,
        "phase": state.phase,
        "turn": None if over else state.turn,
        "dice": [FACE_OF[letter] for letter in state.dice],
        "aside": {
            str(FACE_OF[letter]): state.aside.count(letter) for letter in LETTERS if letter in state.aside
        },
        "total": state.total,
        "left": state.left,
        **_board_json(state),
        "last": board.last._asdict() if board.last is not None else None,
        "scores": points,
        "winners": [seat for seat, score in enumerate(points) if score == max(points)] if over else None,
    }


def public(state: State, seat: int | None = None) -> JSONObject:
    """The same for everyone: nothing is hidden in this game."""
    return full(state)


def options_of(state: State) -> JSONObject:
    """All options in force, in the form in which they are given."""
    options = state.options
    given: JSONObject = dict(options._asdict())
    given["place_value"] = {str(place): options.place_value[place - FIRST] for place in PLACES}
    return given


def setup_of(state: State) -> JSONObject:
    """The layout of a start position in the form in which a setup is given."""
    return {**_board_json(state), "turn": state.turn}


def _board_json(state: State) -> JSONObject:
    board = state.board
    values = state.options.place_value
    return {
        "grill": {
            str(place): {
                "plates": [] if lies == SNAIL else list(lies),
                "snail": lies == SNAIL,
                "worms": values[place - FIRST],
            }
            for place, lies in zip(PLACES, board.grill, strict=True)
        },
        "supply": {"worms": board.worm_supply, "snails": board.snail_supply},
        "worms": list(board.worms),
        "snails": list(board.snails),
        "plates": list(board.plates),
    }
