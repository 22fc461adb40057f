"""What the actions of the sushi bar do, once it is settled that they may be done.

Each effect takes the state, the action, whose fields are complete and of the right type, and the seat, whose
turn it is. It returns the Step, or a Refusal if the position forbids just these values or the outcomes of the
dice are missing or impossible. Who may do what and when is the table in `sushi_bar`.

A turn ends when a tile comes to the seat, and in no other way; so does the game. The forced tile is no action
of its own: it comes with the throw, or with the lock, that left nothing to choose.

Bots and odds play many games, so named tuples are made with `made` where it counts; the fields stand in the
order of their classes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from operator import itemgetter
from typing import Any, Final

from galley_engine.game import Chance, Event, JSONObject, Refusal, Step
from galley_engine.games.sushi_bar_state import (
    ALL_LOCKED,
    DICE,
    DIE,
    FACES,
    FREE,
    KINDS,
    NO_DICE,
    NONE_LOCKED,
    Dice,
    Locked,
    State,
    Tiles,
    count,
    forced_tile,
    has_option,
    scores,
    steals_any,
    takes,
    victims,
    winners,
)
from galley_engine.given import listed, shown

made = tuple.__new__
"""`made(State, (...))` is `State(...)` with all its fields, in half the time."""

OUTCOMES: Final = tuple(tuple(product(DIE, repeat=dice)) for dice in range(DICE + 1))
"""All that so many dice can show, each as likely."""

LYING: Final[Mapping[Locked, Callable[[Dice], Dice]]] = {
    locked: itemgetter(*(DICE + free.index(die) if die in free else die for die in range(DICE)))
    for locked, free in FREE.items()
}
"""The five dice after a throw, from the five before it and what the free ones show; by what is locked."""


def throw(
    state: State, action: Mapping[str, Any], seat: int, at_ms: int, chance: Chance | None
) -> Step[State] | Refusal:
    """All dice that are not locked are thrown; after the last throw perhaps the forced tile.

    A throw of one die is the last one: there is no other to lock it for.
    """
    options, _, turn, thrown, before, locked, rows, stacks = state
    free = FREE[locked]
    shows: Dice
    if "faces" in action:
        given = _given_faces(action["faces"], len(free))
        if isinstance(given, Refusal):
            return given
        shows = given
    elif chance is None:
        return Refusal("bad_value", f"faces is missing: {len(free)} dice are thrown")
    else:
        shows = chance.die(OUTCOMES[len(free)])
    faces = list(shows)
    dice = LYING[locked](before + shows)
    thrown += 1
    after = made(State, (options, "choose", turn, thrown, dice, locked, rows, stacks))
    happened = made(Event, ("thrown", {"by": seat, "throw": thrown, "dice": free, "faces": faces}))
    done: JSONObject = {"do": "throw", "seat": seat, "faces": faces}
    if (thrown < options.throws and len(free) > 1) or has_option(after):
        return made(Step, (after, done, (happened,)))
    forced, more = _forced(after, seat)
    return Step(forced, done, (happened, *more))


def lock(
    state: State, action: Mapping[str, Any], seat: int, at_ms: int, chance: Chance | None
) -> Step[State] | Refusal:
    """Dice just thrown are set aside for the turn. With all five aside the turn has its result."""
    dice = action["dice"]
    options, _, turn, thrown, shows, before, rows, stacks = state
    lying = list(before)
    for die in dice:
        if before[die]:
            return Refusal("not_legal", f"dice: die {die} was locked before, only others can be")
        lying[die] = True
    locked = tuple(lying)
    done: JSONObject = {"do": "lock", "seat": seat, "dice": list(dice)}
    happened = made(Event, ("locked", {"by": seat, "dice": done["dice"]}))
    if locked != ALL_LOCKED:
        after = made(State, (options, "throw", turn, thrown, shows, locked, rows, stacks))
        return made(Step, (after, done, (happened,)))
    after = State(options, "choose", turn, thrown, shows, locked, rows, stacks)
    if has_option(after):
        return Step(after, done, (happened,))
    forced, more = _forced(after, seat)
    return Step(forced, done, (happened, *more))


def take(
    state: State, action: Mapping[str, Any], seat: int, at_ms: int, chance: Chance | None
) -> Step[State] | Refusal:
    """The n-th tile of a row, for n dice that show its kind."""
    kind = action["kind"]
    place = state.dice.count(kind) - 1
    if not takes(state, kind):
        left = len(state.rows[KINDS.index(kind)])
        return Refusal("not_legal", f"kind is {kind}: {place + 1} dice show it, and its row has {left} tiles")
    after, taken, more = _from_row(state, seat, kind, place, "tile_taken")
    return made(Step, (after, {"do": "take", "seat": seat, "kind": kind}, (taken, *more)))


def steal(
    state: State, action: Mapping[str, Any], seat: int, at_ms: int, chance: Chance | None
) -> Step[State] | Refusal:
    """A tile from another seat's stack: its top one, or any with four or five chopsticks."""
    kind, victim, position = action["kind"], action["from"], action["position"]
    seats = victims(state, kind)
    if victim not in seats:
        whose = f"only from {listed(map(str, seats))}" if seats else "from nobody"
        return Refusal("not_legal", f"from is {victim}, {kind} can be stolen {whose} now")
    if position > 1 and not steals_any(state, kind):
        return Refusal(
            "not_legal", f"position is {shown(position)}, three chopsticks reach the top tile only"
        )
    which = KINDS.index(kind)
    stack = state.stacks[victim][which]
    if position > len(stack):
        return Refusal("bad_value", f"position is {shown(position)}, the stack has {len(stack)} tiles")
    place = len(stack) - position
    stacks = list(state.stacks)
    stacks[victim] = _with(stacks[victim], which, stack[:place] + stack[place + 1 :])
    stacks[seat] = _with(stacks[seat], which, (*stacks[seat][which], stack[place]))
    done: JSONObject = {"do": "steal", "seat": seat, "kind": kind, "from": victim, "position": position}
    stolen = Event(
        "tile_stolen", {"by": seat, "on": victim, "kind": kind, "position": position, "tile": stack[place]}
    )
    after, _ = _next_turn(state, state.rows, tuple(stacks))
    return Step(after, done, (stolen,))


def no_dice(action: Mapping[str, Any]) -> Refusal | None:
    """Why `dice` are no dice to lock, in any position; None if they are some."""
    dice = action.get("dice")
    if not isinstance(dice, (list, tuple)) or not 1 <= len(dice) <= DICE:
        return Refusal("bad_value", f"dice is {shown(dice)}, it must be a list of 1 to {DICE} dice")
    for die in dice:
        if type(die) is not int or not 0 <= die < DICE:
            return Refusal("bad_value", f"dice: {shown(die)} is no die from 0 to {DICE - 1}")
        if dice.count(die) > 1:
            return Refusal("bad_value", f"dice: die {die} is named twice")
    return None


# --- What they have in common ---------------------------------------------------------------------


def _from_row(
    state: State, seat: int, kind: str, place: int, event: str
) -> tuple[State, Event, tuple[Event, ...]]:
    """A tile of a row goes on top of the seat's stack: the state, the event for it, and what follows."""
    which = KINDS.index(kind)
    rows, stacks = state.rows, list(state.stacks)
    row, mine = rows[which], stacks[seat]
    tile = row[place]
    stacks[seat] = _with(mine, which, (*mine[which], tile))
    after, more = _next_turn(state, _with(rows, which, row[:place] + row[place + 1 :]), tuple(stacks))
    return after, made(Event, (event, {"by": seat, "kind": kind, "place": place, "tile": tile})), more


def _forced(state: State, seat: int) -> tuple[State, tuple[Event, ...]]:
    after, taken, more = _from_row(state, seat, *forced_tile(state.rows), "tile_forced")
    return after, (taken, *more)


def _next_turn(state: State, rows: Tiles, stacks: tuple[Tiles, ...]) -> tuple[State, tuple[Event, ...]]:
    """The left neighbour's turn, or the end and its count when both rows are empty."""
    options, seat = state.options, state.turn
    if rows.sushi or rows.bone:
        following = (seat + 1) % len(stacks)
        return made(State, (options, "throw", following, 0, NO_DICE, NONE_LOCKED, rows, stacks)), ()
    over = State(options, "over", seat, 0, NO_DICE, NONE_LOCKED, rows, stacks)
    counted = [
        Event(
            "stack_counted",
            {
                "by": owner,
                "sushi": list(result.sushi),
                "bone": list(result.bone),
                "given_up": list(result.given_up),
                "score": result.score,
            },
        )
        for owner, result in enumerate(map(count, stacks))
    ]
    ended = Event("game_ended", {"scores": list(scores(over)), "winners": list(winners(over))})
    return over, (*counted, ended)


def _with(tiles: Tiles, which: int, changed: tuple[int, ...]) -> Tiles:
    sushi, bone = tiles
    return made(Tiles, (sushi, changed) if which else (changed, bone))


def _given_faces(faces: object, free: int) -> tuple[str, ...] | Refusal:
    """What the dice thrown show, as the action brings it."""
    if not isinstance(faces, list | tuple) or len(faces) != free:
        return Refusal("bad_value", f"faces is {shown(faces)}, it must be a list of {free}")
    for face in faces:
        if not isinstance(face, str) or face not in FACES:
            return Refusal("bad_value", f"faces: a die shows {listed(FACES)}, not {shown(face)}")
    return tuple(faces)
