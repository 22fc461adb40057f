"""What the actions of the worm grill do, once it is settled that they may be done.

Each effect takes the state, the action (complete, its values in range), the seat whose turn it is, the stamp
and the chance. It returns the Step, or a Refusal if the position forbids just these values or the outcomes of
the dice are missing or impossible. Who may do what and when is the table in `worm_grill`.

However a turn ends (stop, no dice, no faces, only used faces), `landed` looks up what it does by its result
in the table LANDINGS: each takes the board and gives the board after it, with `last` filled in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, Final, TypeAlias

from galley_engine.actions import MOST_SEATS, Data, Move
from galley_engine.game import JSON, Chance, Event, JSONObject, Refusal, Step
from galley_engine.games.worm_grill_state import (
    DICE,
    FACE_OF,
    FIRST,
    FREE,
    LETTER_OF,
    LETTERS,
    PLACES,
    SNAIL,
    WORM,
    Board,
    Last,
    Options,
    Place,
    State,
    ending,
    good_result,
    highest,
    total_of,
    why_bad,
)
from galley_engine.given import shown

made = tuple.__new__
"""Makes a named tuple in half the time that its class takes; used where every action passes."""

HALF: Final = 4
OUTCOMES: Final[tuple[tuple[tuple[str, tuple[JSON, ...]], ...], ...]] = tuple(
    tuple(
        ("".join(letters), tuple(FACE_OF[letter] for letter in letters))
        for letters in product(LETTERS, repeat=dice)
    )
    for dice in range(HALF + 1)
)
"""All that so many dice can show, each as likely: their letters, and their faces in JSON."""

WAYS: Final = tuple(range(len(LETTERS) ** dice) for dice in range(DICE + 1))
"""The numbers of all that so many dice can show; of more than HALF dice it says what both parts show."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A face that a seat keeps: its letter, the action, and what happens, by how many dice show the face."""

    letter: str
    move: Move
    happened: tuple[tuple[Event, ...], ...]


KEPT: Final[tuple[Mapping[JSON, Kept], ...]] = tuple(
    {
        face: Kept(
            letter,
            Move(do="keep", seat=seat, face=face),
            tuple((Event("set_aside", Data(by=seat, face=face, dice=dice)),) for dice in range(DICE + 1)),
        )
        for letter, face in FACE_OF.items()
    }
    for seat in range(MOST_SEATS)
)
"""By seat and face."""

STOP: Final = tuple(Move(do="stop", seat=seat) for seat in range(MOST_SEATS))
"""The action that stops, of each seat."""

SNAIL_PLACED: Final = {place: (Event("snail_placed", Data(place=place)),) for place in PLACES}
"""What happens after a bad throw."""

Landing: TypeAlias = "tuple[Board | None, tuple[Event, ...]]"
"""The board after a turn, or None if the turn ended the game without changing it, and what happened."""


def throw(
    state: State, action: Mapping[str, Any], seat: int, at_ms: int, chance: Chance | None
) -> Step[State] | Refusal:
    """The dice left are thrown; if they show only faces used before, it is a bad throw at once."""
    options, _, _, dice, aside, board = state
    left = len(dice) or DICE
    if "faces" in action:
        faces = action["faces"]
        thrown = _given(faces, left)
        if isinstance(thrown, Refusal):
            return thrown
        faces = list(faces)
    elif chance is None:
        return Refusal("bad_value", f"faces is missing: {left} dice are thrown")
    elif left <= HALF:
        thrown, shows = chance.die(OUTCOMES[left])
        faces = list(shows)
    else:
        rest, half = divmod(chance.die(WAYS[left]), len(OUTCOMES[HALF]))
        thrown, shows = OUTCOMES[HALF][half]
        more, shows_more = OUTCOMES[left - HALF][rest]
        thrown += more
        faces = [*shows, *shows_more]
    accepted: JSONObject = {"do": "throw", "seat": seat, "faces": faces}
    happened = made(Event, ("thrown", {"by": seat, "faces": faces}))
    if thrown.strip(aside):
        after = made(State, (options, "keep", seat, thrown, aside, board))
        return made(Step, (after, accepted, (happened,)))
    return _end_turn(state, total_of(aside), seat, accepted, (happened,), "only_used_faces")


def keep(
    state: State, action: Mapping[str, Any], seat: int, at_ms: int, chance: Chance | None
) -> Step[State] | Refusal:
    """All dice that show the face are set aside; without dice or faces left the turn ends."""
    options, _, _, dice, aside, board = state
    face = action["face"]
    kept = KEPT[seat][face]
    letter = kept.letter
    rest = dice.replace(letter, "")
    count = len(dice) - len(rest)
    if not count:
        return Refusal("not_legal", f"no die shows {shown(face)}")
    if letter in aside:
        return Refusal("not_legal", f"{shown(face)} was set aside before in this turn")
    aside += letter * count
    happened = kept.happened[count]
    if rest and (len(aside) < len(LETTERS) or len(set(aside)) < len(LETTERS)):
        after = made(State, (options, "decide", seat, rest, aside, board))
        return made(Step, (after, kept.move, happened))
    total = total_of(aside)
    return _end_turn(state, total, seat, kept.move, happened, why_bad(board, seat, total, WORM in aside))


def stop(
    state: State, action: Mapping[str, Any], seat: int, at_ms: int, chance: Chance | None
) -> Step[State] | Refusal:
    """The turn ends as the player wishes; on a bad throw only while `stop_requires_good` is off."""
    options, _, _, _, aside, board = state
    total = total_of(aside)
    why = why_bad(board, seat, total, WORM in aside)
    if why is not None and options.stop_requires_good:
        return Refusal("not_legal", f"it would be a bad throw ({why}): throw on")
    return _end_turn(state, total, seat, STOP[seat], (), why)


def _given(faces: object, dice: int) -> str | Refusal:
    """The letters of the faces that the action brings for so many dice."""
    if not isinstance(faces, list | tuple) or len(faces) != dice:
        return Refusal("bad_value", f"faces is {shown(faces)}, it must be a list of {dice}")
    for face in faces:
        if not is_face(face):
            return Refusal("bad_value", f"faces: no die can show {shown(face)}")
    return "".join([LETTER_OF[face] for face in faces])


_TYPES: Final = (int, str)


def is_face(value: object) -> bool:
    """Whether a die can show this: exactly 1, 2, 3, 4, 6 or "worm"."""
    return type(value) in _TYPES and value in LETTER_OF


# --- The end of a turn ----------------------------------------------------------------------------


def landed(options: Options, board: Board, seat: int, total: int, why: str | None) -> Landing:
    """What comes of a turn that ends on this total with a worm, or as a bad throw for the reason `why`."""
    if why is not None:
        return _bad(options, board, seat, total)
    return LANDINGS[good_result(board, seat, total)](options, board, seat, total)


def _end_turn(
    state: State, total: int, seat: int, accepted: JSONObject, first: tuple[Event, ...], why: str | None
) -> Step[State]:
    """The turn is evaluated, as a bad throw if there is a reason `why`; the left neighbour is next."""
    options, _, _, _, _, board = state
    if why is None:
        after, happened = LANDINGS[good_result(board, seat, total)](options, board, seat, total)
    else:
        after, happened = _bad(options, board, seat, total)
        first = (*first, _throw_bad(seat, total, why))
    if after is not None:
        following = seat + 1 if seat + 1 < len(board.worms) else 0
        state = made(State, (options, "throw", following, "", "", after))
        return made(Step, (state, accepted, first + happened))
    last = Last(seat, total, "top_snail" if why is None else "bad", None, 0)
    over = State(options, "over", seat, "", "", board._replace(last=last))
    return Step(over, accepted, (*first, *happened, Event("game_ended", {"why": ending(over)})))


@cache
def _throw_bad(seat: int, total: int, why: str) -> Event:
    return Event("throw_bad", Data(by=seat, total=total, why=why))


def _bad(options: Options, board: Board, seat: int, total: int) -> Landing:
    """A snail goes on the highest free place. Without a snail, or by the option without a place, all ends."""
    grill, worm_supply, snail_supply, worms, snails, plates, _ = board
    if not snail_supply:
        return None, ()
    place = highest(grill, FREE)
    last = made(Last, (seat, total, "bad", place, 0))
    if place is None:
        return (board._replace(last=last) if options.no_free_place == "no_effect" else None), ()
    laid = _laid(grill, place, SNAIL)
    after = made(Board, (laid, worm_supply, snail_supply - 1, worms, snails, plates, last))
    return after, SNAIL_PLACED[place]


def _plate(options: Options, board: Board, seat: int, total: int) -> Landing:
    """A plate on a free place, or a second one on one's own; the supply pays what it can."""
    grill, worm_supply, snail_supply, worms, snails, plates, _ = board
    below = grill[total - FIRST]
    paid = min(options.place_value[total - FIRST], worm_supply)
    laid = _laid(grill, total, (*below, seat))
    worms, plates = _added(worms, seat, paid), _added(plates, seat, -1)
    last = made(Last, (seat, total, "stack" if below else "plate", total, paid))
    after = made(Board, (laid, worm_supply - paid, snail_supply, worms, snails, plates, last))
    kind = "plate_stacked" if below else "plate_placed"
    return after, (made(Event, (kind, {"by": seat, "place": total, "worms": paid})),)


def _steal(options: Options, board: Board, seat: int, total: int) -> Landing:
    """The other's plate goes back to him, and he pays what he can."""
    grill, worm_supply, snail_supply, worms, snails, plates, _ = board
    (other,) = grill[total - FIRST]
    paid = min(options.place_value[total - FIRST], worms[other])
    laid = _laid(grill, total, (seat,))
    worms = _added(_added(worms, seat, paid), other, -paid)
    plates = _added(_added(plates, seat, -1), other, 1)
    last = made(Last, (seat, total, "steal", total, paid))
    after = made(Board, (laid, worm_supply, snail_supply, worms, snails, plates, last))
    return after, (made(Event, ("plate_stolen", {"by": seat, "on": other, "place": total, "worms": paid})),)


def _snail(options: Options, board: Board, seat: int, total: int) -> Landing:
    """The snail at the place is taken, and the place is free again."""
    grill, worm_supply, snail_supply, worms, snails, plates, _ = board
    laid, snails = _laid(grill, total, FREE), _added(snails, seat, 1)
    last = made(Last, (seat, total, "snail", total, 0))
    after = made(Board, (laid, worm_supply, snail_supply, worms, snails, plates, last))
    return after, (made(Event, ("snail_taken", {"by": seat, "place": total})),)


def _top_snail(options: Options, board: Board, seat: int, total: int) -> Landing:
    """Above the grill: a snail from the supply, else the highest on the grill, else the game is over."""
    place = None if board.snail_supply else highest(board.grill, SNAIL)
    if place is None and not board.snail_supply:
        return None, ()
    after = board._replace(
        grill=board.grill if place is None else _laid(board.grill, place, FREE),
        snail_supply=board.snail_supply - (place is None),
        snails=_added(board.snails, seat, 1),
        last=Last(seat, total, "top_snail", place, 0),
    )
    return after, (Event("snail_taken", {"by": seat, "place": place}),)


LANDINGS: Final[Mapping[str, Callable[[Options, Board, int, int], Landing]]] = {
    "plate": _plate,
    "stack": _plate,
    "steal": _steal,
    "snail": _snail,
    "top_snail": _top_snail,
}
"""What a good throw does, by its result."""


def _laid(grill: tuple[Place, ...], place: int, lies: Place) -> tuple[Place, ...]:
    changed = list(grill)
    changed[place - FIRST] = lies
    return tuple(changed)


def _added(counts: tuple[int, ...], seat: int, number: int) -> tuple[int, ...]:
    changed = list(counts)
    changed[seat] += number
    return tuple(changed)
