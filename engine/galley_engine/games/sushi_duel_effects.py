"""What the actions of the sushi duel do, once it is settled that they may be done.

Each effect takes the state, the action played, whose fields are complete and of the right type, from a seat
that may do this now, its time stamp and the chance. It returns the Step, or a Refusal if the position
forbids just these values or the outcomes of the dice are missing or impossible. Who may do what and when is
the table in `sushi_duel`.

Every effect names the values it used in the Step's action; faces that were not needed are not among them.

Keeping and rolling are most of what happens, and bots and odds play many games. So named tuples are made with
`made` there, which takes half the time of calling them; the fields stand in the order of their classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import compress, product
from typing import Any, TypeVar

from galley_engine.actions import MOST_SEATS, Data, Move
from galley_engine.game import Chance, Event, JSONObject, Refusal, Step
from galley_engine.games.sushi_duel_setup import DICE
from galley_engine.games.sushi_duel_state import (
    State,
    Station,
    complete_platters,
    fits,
    mine_and_other,
    own,
    share_candidates,
    shows_yuck,
    side_of,
    unrolled,
)
from galley_engine.given import listed, shown

T = TypeVar("T")

made = tuple.__new__
"""`made(State, (...))` is `State(...)` with all its fields, in half the time."""


def _replaced(items: tuple[T, ...], place: int, item: T) -> tuple[T, ...]:
    changed = list(items)
    changed[place] = item
    return tuple(changed)


ALL_DICE = tuple(range(DICE))
NONE_KEPT = (False,) * DICE
FREE: Mapping[tuple[bool, ...], tuple[int, ...]] = {
    tuple(not free for free in frees): tuple(compress(ALL_DICE, frees))
    for frees in product((False, True), repeat=DICE)
}
"""What is set aside -> the dice that are not."""

TURNED: Mapping[tuple[bool, ...], tuple[tuple[bool, ...], ...]] = {
    kept: tuple(_replaced(kept, die, not kept[die]) for die in ALL_DICE) for kept in FREE
}
"""What is set aside -> the same after keeping or freeing each of the dice."""

KEEP: tuple[tuple[Move, ...], ...] = tuple(
    tuple(Move(do="keep", seat=seat, die=die) for die in ALL_DICE) for seat in range(MOST_SEATS)
)
"""The actions that keep or free a die, of each seat."""


# --- Before the duel ------------------------------------------------------------------------------


def challenge(
    state: State, action: Mapping[str, Any], seat: int, at_ms: int, chance: Chance | None
) -> Step[State] | Refusal:
    """The oldest takes the left set, the opponent the right one."""
    opponent = action["opponent"]
    if opponent == seat:
        return Refusal("bad_value", f"opponent is {opponent}, who cannot duel against himself")
    return Step(
        state._replace(phase="ready", stations=(unrolled(seat), unrolled(opponent))),
        {"do": "challenge", "seat": seat, "opponent": opponent},
        (Event("challenged", {"by": seat, "on": opponent}),),
    )


def ready(
    state: State, action: Mapping[str, Any], seat: int, at_ms: int, chance: Chance | None
) -> Step[State]:
    """The duel starts when both are ready; saying it twice changes nothing."""
    mine, other = mine_and_other(state, seat)
    accepted: JSONObject = {"do": "ready", "seat": seat}
    if mine.ready:
        return Step(state, accepted, ())
    got_ready = Event("got_ready", {"by": seat})
    if not other.ready:
        return Step(_with_station(state, mine, mine._replace(ready=True)), accepted, (got_ready,))
    left, right = (station._replace(ready=False) for station in state.stations)
    started = Event("duel_started", {"left": left.seat, "right": right.seat})
    return Step(state._replace(phase="duel", stations=(left, right)), accepted, (got_ready, started))


# --- The duel -------------------------------------------------------------------------------------


def keep(
    state: State, action: Mapping[str, Any], seat: int, at_ms: int, chance: Chance | None
) -> Step[State] | Refusal:
    """A die is set aside, or freed if it was."""
    die = action["die"]
    mine = own(state, seat)
    _, faces, kept, is_ready, rolled_ms = mine
    face = faces[die]
    if face is None:
        return Refusal("not_legal", f"die is {die}, which shows nothing before a roll")
    happened = _turned("freed" if kept[die] else "kept", seat, die, face)
    after = made(Station, (seat, faces, TURNED[kept][die], is_ready, rolled_ms))
    return made(Step, (_with_station(state, mine, after), KEEP[seat][die], happened))


@lru_cache(maxsize=1024)  # more than there are with the usual ingredients
def _turned(kind: str, seat: int, die: int, face: str) -> tuple[Event]:
    return (Event(kind, Data(by=seat, die=die, face=face)),)


def roll(
    state: State, action: Mapping[str, Any], seat: int, at_ms: int, chance: Chance | None
) -> Step[State] | Refusal:
    """All dice that are not set aside are rolled."""
    mine = own(state, seat)
    _, faces, kept, is_ready, _ = mine
    dice = FREE[kept]
    outcome = _outcome(state, dice, action, chance)
    if isinstance(outcome, Refusal):
        return outcome
    shows = list(faces)
    for die, face in zip(dice, outcome, strict=True):
        shows[die] = face
    after = made(Station, (seat, tuple(shows), kept, is_ready, at_ms))
    happened = made(Event, ("rolled", {"by": seat, "dice": dice, "faces": outcome}))
    return made(
        Step, (_with_station(state, mine, after), {"do": "roll", "seat": seat, "faces": outcome}, (happened,))
    )


def bell(
    state: State, action: Mapping[str, Any], seat: int, at_ms: int, chance: Chance | None
) -> Step[State] | Refusal:
    """The platter is taken, or must be chosen if several fit; if none fits, `false_bell` applies."""
    mine = own(state, seat)
    faces = mine.faces
    places = [place for place, platter in enumerate(state.visible) if fits(faces, platter)]
    accepted: JSONObject = {"do": "bell", "seat": seat}
    if len(places) == 1:
        return _take(state, accepted, seat, places[0])
    if places:
        must_choose = Event("must_choose", {"by": seat, "places": places})
        return Step(state._replace(phase="choose", caller=seat), accepted, (must_choose,))
    penalty = state.options.false_bell
    false_bell = Event("bell_false", {"by": seat, "penalty": penalty})
    if penalty == "none":
        return Step(state, accepted, (false_bell,))
    if penalty == "lose_duel":
        passed, sets_passed = _pass_sets(state)
        return Step(passed, accepted, (false_bell, sets_passed))
    return _forced_roll(state, action, seat, chance, mine, false_bell)


def yuck(
    state: State, action: Mapping[str, Any], seat: int, at_ms: int, chance: Chance | None
) -> Step[State] | Refusal:
    """The opponent re-rolls all six if he shows a Yuck; else the call is false."""
    _, other = mine_and_other(state, seat)
    if shows_yuck(other):
        called = Event("yuck_called", {"by": seat, "on": other.seat})
        return _forced_roll(state, action, seat, chance, other, called)
    lock_ms = state.options.false_call_lock_ms
    missed = Event("yuck_missed", {"by": seat, "on": other.seat, "lock_ms": lock_ms})
    return Step(_with_lock(state, seat, at_ms, lock_ms), {"do": "yuck", "seat": seat}, (missed,))


def mate(
    state: State, action: Mapping[str, Any], seat: int, at_ms: int, chance: Chance | None
) -> Step[State]:
    """If both duelists show a Yuck the duel ends and the caller shares out the sets; else it is false."""
    accepted: JSONObject = {"do": "mate", "seat": seat}
    if all(map(shows_yuck, state.stations)):
        sharing = state._replace(phase="share", caller=seat)
        return Step(sharing, accepted, (Event("mate_called", {"by": seat}),))
    lock_ms = state.options.false_call_lock_ms
    missed = Event("mate_missed", {"by": seat, "lock_ms": lock_ms})
    return Step(_with_lock(state, seat, at_ms, lock_ms), accepted, (missed,))


# --- After the duel -------------------------------------------------------------------------------


def choose(
    state: State, action: Mapping[str, Any], seat: int, at_ms: int, chance: Chance | None
) -> Step[State] | Refusal:
    """The ringer names the platter he takes."""
    place = action["platter"]
    if place >= len(state.visible):
        last = len(state.visible) - 1
        return Refusal("bad_value", f"platter is {shown(place)}, but the places are 0 to {last}")
    mine = own(state, seat)
    if not fits(mine.faces, state.visible[place]):
        fitting = listed(map(str, complete_platters(state, side_of(state, seat) or "left")))
        return Refusal("not_legal", f"platter is {place}, but the dice complete only {fitting}")
    return _take(state, {"do": "choose", "seat": seat, "platter": place}, seat, place)


def share(
    state: State, action: Mapping[str, Any], seat: int, at_ms: int, chance: Chance | None
) -> Step[State] | Refusal:
    """The caller of a mate takes one set and gives the other to a seat with the fewest platters."""
    side, to = action["side"], action["to"]
    candidates = share_candidates(state)
    if to not in candidates:
        return Refusal("not_legal", f"to is {to}, but the fewest platters has {listed(map(str, candidates))}")
    after, passed = _new_holders(state, *((seat, to) if side == "left" else (to, seat)))
    shared = Event("sets_shared", {"by": seat, "side": side, "to": to})
    return Step(after, {"do": "share", "seat": seat, "side": side, "to": to}, (shared, passed))


# --- What they have in common ---------------------------------------------------------------------


def _with_station(state: State, before: Station, after: Station) -> State:
    """The state with one of its stations replaced."""
    options, phase, visible, stock, (left, right), won, caller, locked_ms = state
    stations = (after, right) if left is before else (left, after)
    return made(State, (options, phase, visible, stock, stations, won, caller, locked_ms))


def _outcome(
    state: State, dice: Sequence[int], action: Mapping[str, Any], chance: Chance | None
) -> list[str] | Refusal:
    """What `dice` show after a roll: the faces that the action brings, else thrown by chance."""
    of_die = state.options.dice
    kinds = of_die if dice is ALL_DICE else [of_die[die] for die in dice]
    if "faces" not in action:
        if chance is None:
            return Refusal("bad_value", f"faces is missing: {len(dice)} dice are rolled")
        return chance.throw(kinds)
    faces = action["faces"]
    if not isinstance(faces, list | tuple) or len(faces) != len(dice):
        return Refusal("bad_value", f"faces is {shown(faces)}, it must be a list of {len(dice)}")
    for die, face, kind in zip(dice, faces, kinds, strict=True):
        if not isinstance(face, str) or face not in kind:
            return Refusal("bad_value", f"faces: die {die} cannot show {shown(face)}")
    return list(faces)


def _forced_roll(
    state: State,
    action: Mapping[str, Any],
    seat: int,
    chance: Chance | None,
    station: Station,
    because: Event,
) -> Step[State] | Refusal:
    """All six dice of a station re-rolled, nothing set aside; it does not count as a roll for `rolled_ms`."""
    outcome = _outcome(state, ALL_DICE, action, chance)
    if isinstance(outcome, Refusal):
        return outcome
    holder, _, _, is_ready, rolled_ms = station
    after = made(Station, (holder, tuple(outcome), NONE_KEPT, is_ready, rolled_ms))
    rolled = made(Event, ("rolled", {"by": holder, "dice": ALL_DICE, "faces": outcome}))
    accepted: JSONObject = {"do": action["do"], "seat": seat, "faces": outcome}
    return made(Step, (_with_station(state, station, after), accepted, (because, rolled)))


def _take(state: State, accepted: JSONObject, seat: int, place: int) -> Step[State]:
    """The platter at `place` is taken: the game is over, or the next is revealed and the sets pass on."""
    won = state.won[seat] + 1
    before, platter, after = state.visible[:place], state.visible[place], state.visible[place + 1 :]
    taken = Event("platter_taken", {"by": seat, "place": place, "platter": dict(platter), "won": won})
    counted = state._replace(won=_replaced(state.won, seat, won))
    if won == state.target:
        over = counted._replace(phase="over", visible=(*before, *after), caller=None)
        return Step(over, accepted, (taken, Event("game_won", {"by": seat, "won": won})))
    new = state.stock[:1]
    revealed = [Event("platter_revealed", {"place": place, "platter": dict(card)}) for card in new]
    passed, sets_passed = _pass_sets(counted._replace(visible=(*before, *new, *after), stock=state.stock[1:]))
    return Step(passed, accepted, (taken, *revealed, sets_passed))


def _pass_sets(state: State) -> tuple[State, Event]:
    """Each set goes to its holder's left neighbour."""
    left, right = (station.seat for station in state.stations)
    assert left is not None
    assert right is not None
    return _new_holders(state, (left + 1) % state.seats, (right + 1) % state.seats)


def _new_holders(state: State, left: int, right: int) -> tuple[State, Event]:
    after = state._replace(phase="ready", stations=(unrolled(left), unrolled(right)), caller=None)
    return after, Event("sets_passed", {"left": left, "right": right})


def _with_lock(state: State, seat: int, at_ms: int, lock_ms: int) -> State:
    """The state after a false call."""
    if not lock_ms:
        return state
    return state._replace(locked_ms=_replaced(state.locked_ms, seat, at_ms + lock_ms))
