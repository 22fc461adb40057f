"""What the actions of the worm grill do, once it is settled that they may be done.

Each effect takes the state, the action (complete, its values in range), the seat whose turn it is, the stamp
and the chance. It returns the Step, or a Refusal if the position forbids just these values or the outcomes of
the dice are missing or impossible. Who may do what and when is the table in `worm_grill`.

However a turn ends (stop, no dice, no faces, only used faces), `landed` looks up what it does by its result
in the table LANDINGS: each takes the board and gives the board after it, with `last` filled in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from galley_engine.game import Chance, Event, JSONObject, Refusal, Step
from galley_engine.games.worm_grill_state import (
    DICE,
    FACE_OF,
    FIRST,
    FREE,
    LETTER_OF,
    LETTERS,
    SNAIL,
    WORM,
    Board,
    Last,
    Options,
    Place,
    State,
    ending,
    highest,
    result_of,
    total_of,
    why_bad,
)
from galley_engine.given import shown

made = tuple.__new__
"""Makes a named tuple in half the time that its class takes; used where every action passes."""

_face = FACE_OF.__getitem__

KINDS: Final = tuple((LETTERS,) * dice for dice in range(DICE + 1))
"""What so many dice can show."""

Landing: TypeAlias = "tuple[Board | None, tuple[Event, ...]]"
"""The board after a turn, or None if the turn ended the game without changing it, and what happened."""


def throw(
    state: State, action: Mapping[str, Any], seat: int, at_ms: int, chance: Chance | None
) -> Step[State] | Refusal:
    """The dice left are thrown; if they show only faces used before, it is a bad throw at once."""
    options, _, _, dice, aside, board = state
    if "faces" in action:
        thrown = _given(action["faces"], len(dice) or DICE)
        if isinstance(thrown, Refusal):
            return thrown
    elif chance is None:
        return Refusal("bad_value", f"faces is missing: {len(dice) or DICE} dice are thrown")
    else:
        thrown = "".join(chance.throw(KINDS[len(dice) or DICE]))
    faces = list(map(_face, thrown))
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
    letter = LETTER_OF[face]
    if letter not in dice:
        return Refusal("not_legal", f"no die shows {shown(face)}")
    if letter in aside:
        return Refusal("not_legal", f"{shown(face)} was set aside before in this turn")
    count = dice.count(letter)
    rest = dice.replace(letter, "")
    aside += letter * count
    accepted: JSONObject = {"do": "keep", "seat": seat, "face": face}
    happened = made(Event, ("set_aside", {"by": seat, "face": face, "dice": count}))
    if rest and (len(aside) < len(LETTERS) or len(set(aside)) < len(LETTERS)):
        after = made(State, (options, "decide", seat, rest, aside, board))
        return made(Step, (after, accepted, (happened,)))
    total = total_of(aside)
    return _end_turn(state, total, seat, accepted, (happened,), why_bad(board, seat, total, WORM in aside))


def stop(
    state: State, action: Mapping[str, Any], seat: int, at_ms: int, chance: Chance | None
) -> Step[State] | Refusal:
    """The turn ends as the player wishes; on a bad throw only while `stop_requires_good` is off."""
    aside = state.aside
    total = total_of(aside)
    why = why_bad(state.board, seat, total, WORM in aside)
    if why is not None and state.options.stop_requires_good:
        return Refusal("not_legal", f"it would be a bad throw ({why}): throw on")
    return _end_turn(state, total, seat, {"do": "stop", "seat": seat}, (), why)


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
    return LANDINGS[result_of(board, seat, total, True)](options, board, seat, total)


def _end_turn(
    state: State, total: int, seat: int, accepted: JSONObject, first: tuple[Event, ...], why: str | None
) -> Step[State]:
    """The turn is evaluated, as a bad throw if there is a reason `why`; the left neighbour is next."""
    options, _, _, _, _, board = state
    after, happened = landed(options, board, seat, total, why)
    if why is not None:
        first = (*first, made(Event, ("throw_bad", {"by": seat, "total": total, "why": why})))
    if after is not None:
        following = seat + 1 if seat + 1 < len(board.worms) else 0
        state = made(State, (options, "throw", following, "", "", after))
        return made(Step, (state, accepted, first + happened))
    last = Last(seat, total, "top_snail" if why is None else "bad", None, 0)
    over = State(options, "over", seat, "", "", board._replace(last=last))
    return Step(over, accepted, (*first, *happened, Event("game_ended", {"why": ending(over)})))


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
    return after, (made(Event, ("snail_placed", {"place": place})),)


def _plate(options: Options, board: Board, seat: int, total: int) -> Landing:
    """A plate on a free place, or a second one on one's own; the supply pays what it can."""
    below = board.grill[total - FIRST]
    worms = min(options.place_value[total - FIRST], board.worm_supply)
    kind = "plate_stacked" if below else "plate_placed"
    after = Board(
        _laid(board.grill, total, (*below, seat)),
        board.worm_supply - worms,
        board.snail_supply,
        _added(board.worms, seat, worms),
        board.snails,
        _added(board.plates, seat, -1),
        Last(seat, total, "stack" if below else "plate", total, worms),
    )
    return after, (Event(kind, {"by": seat, "place": total, "worms": worms}),)


def _steal(options: Options, board: Board, seat: int, total: int) -> Landing:
    """The other's plate goes back to him, and he pays what he can."""
    (other,) = board.grill[total - FIRST]
    worms = min(options.place_value[total - FIRST], board.worms[other])
    after = Board(
        _laid(board.grill, total, (seat,)),
        board.worm_supply,
        board.snail_supply,
        _added(_added(board.worms, seat, worms), other, -worms),
        board.snails,
        _added(_added(board.plates, seat, -1), other, 1),
        Last(seat, total, "steal", total, worms),
    )
    return after, (Event("plate_stolen", {"by": seat, "on": other, "place": total, "worms": worms}),)


def _snail(options: Options, board: Board, seat: int, total: int) -> Landing:
    """The snail at the place is taken, and the place is free again."""
    after = board._replace(
        grill=_laid(board.grill, total, FREE),
        snails=_added(board.snails, seat, 1),
        last=Last(seat, total, "snail", total, 0),
    )
    return after, (Event("snail_taken", {"by": seat, "place": total}),)


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
    at = place - FIRST
    return (*grill[:at], lies, *grill[at + 1 :])


def _added(counts: tuple[int, ...], seat: int, number: int) -> tuple[int, ...]:
    return (*counts[:seat], counts[seat] + number, *counts[seat + 1 :])
