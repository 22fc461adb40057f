"""What the actions of the sushi duel do, once it is settled that they may be done.

Each effect takes the state and the action played, whose fields are complete and of the right type, from a
seat that may do this now. It returns the Step, or a Refusal if the position forbids just these values or
the outcomes of the dice are missing or impossible. Who may do what and when is the table in `sushi_duel`.

Every effect names the values it used in the Step's action; faces that were not needed are not among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from galley_engine.game import JSON, Chance, Event, Refusal, Step
from galley_engine.games.sushi_duel_setup import DICE
from galley_engine.games.sushi_duel_state import (
    State,
    Station,
    fits,
    mine_and_other,
    share_candidates,
    shows_yuck,
    unrolled,
)
from galley_engine.given import shown

T = TypeVar("T")


class Played(NamedTuple):
    """An action that may be done: its checked fields, `do` and `seat` among them, its stamp, its chance."""

    values: Mapping[str, Any]
    seat: int
    at_ms: int
    chance: Chance | None


# --- Before the duel ------------------------------------------------------------------------------


def challenge(state: State, played: Played) -> Step[State] | Refusal:
    """The oldest takes the left set, the opponent the right one."""
    seat, opponent = played.seat, played.values["opponent"]
    if opponent == seat:
        return Refusal("bad_value", f"opponent is {opponent}, who cannot duel against himself")
    after = state._replace(phase="ready", stations=(unrolled(seat), unrolled(opponent)))
    return _step(after, played, {"opponent": opponent}, Event("challenged", {"by": seat, "on": opponent}))


def ready(state: State, played: Played) -> Step[State] | Refusal:
    """The duel starts when both are ready; saying it twice changes nothing."""
    mine, other = mine_and_other(state, played.seat)
    if mine.ready:
        return _step(state, played, {})
    got_ready = Event("got_ready", {"by": played.seat})
    if not other.ready:
        return _step(_with_station(state, mine._replace(ready=True)), played, {}, got_ready)
    left, right = (station._replace(ready=False) for station in state.stations)
    started = Event("duel_started", {"left": left.seat, "right": right.seat})
    return _step(state._replace(phase="duel", stations=(left, right)), played, {}, got_ready, started)


# --- The duel -------------------------------------------------------------------------------------


def keep(state: State, played: Played) -> Step[State] | Refusal:
    """A die is set aside, or freed if it was."""
    seat, die = played.seat, played.values["die"]
    mine, _ = mine_and_other(state, seat)
    face = mine.faces[die]
    if face is None:
        return Refusal("not_legal", f"die {die} has not been rolled yet")
    aside = not mine.kept[die]
    after = _with_station(state, mine._replace(kept=_replaced(mine.kept, die, aside)))
    happened = Event("kept" if aside else "freed", {"by": seat, "die": die, "face": face})
    return _step(after, played, {"die": die}, happened)


def roll(state: State, played: Played) -> Step[State] | Refusal:
    """All dice that are not set aside are rolled."""
    mine, _ = mine_and_other(state, played.seat)
    dice = [die for die in range(DICE) if not mine.kept[die]]
    outcome = _outcome(state, dice, played)
    if isinstance(outcome, Refusal):
        return outcome
    faces = list(mine.faces)
    for die, face in zip(dice, outcome, strict=True):
        faces[die] = face
    after = _with_station(state, mine._replace(faces=tuple(faces), rolled_ms=played.at_ms))
    happened = Event("rolled", {"by": played.seat, "dice": dice, "faces": outcome})
    return _step(after, played, {"faces": outcome}, happened)


def bell(state: State, played: Played) -> Step[State] | Refusal:
    """The platter is taken, or must be chosen if several fit; if none fits, `false_bell` applies."""
    seat = played.seat
    mine, _ = mine_and_other(state, seat)
    places = [place for place, platter in enumerate(state.visible) if fits(mine.faces, platter)]
    if len(places) == 1:
        return _take(state, played, places[0], {})
    if places:
        must_choose = Event("must_choose", {"by": seat, "places": places})
        return _step(state._replace(phase="choose", caller=seat), played, {}, must_choose)
    penalty = state.options.false_bell
    false_bell = Event("bell_false", {"by": seat, "penalty": penalty})
    if penalty == "none":
        return _step(state, played, {}, false_bell)
    if penalty == "lose_duel":
        passed, sets_passed = _pass_sets(state)
        return _step(passed, played, {}, false_bell, sets_passed)
    return _forced_roll(state, played, mine, false_bell)


def yuck(state: State, played: Played) -> Step[State] | Refusal:
    """The opponent re-rolls all six if he shows a Yuck; else the call is false."""
    seat = played.seat
    _, other = mine_and_other(state, seat)
    if shows_yuck(other):
        return _forced_roll(state, played, other, Event("yuck_called", {"by": seat, "on": other.seat}))
    lock_ms = state.options.false_call_lock_ms
    missed = Event("yuck_missed", {"by": seat, "on": other.seat, "lock_ms": lock_ms})
    return _step(_locked(state, played), played, {}, missed)


def mate(state: State, played: Played) -> Step[State] | Refusal:
    """If both duelists show a Yuck the duel ends and the caller shares out the sets; else it is false."""
    seat = played.seat
    if all(map(shows_yuck, state.stations)):
        sharing = state._replace(phase="share", caller=seat)
        return _step(sharing, played, {}, Event("mate_called", {"by": seat}))
    missed = Event("mate_missed", {"by": seat, "lock_ms": state.options.false_call_lock_ms})
    return _step(_locked(state, played), played, {}, missed)


# --- After the duel -------------------------------------------------------------------------------


def choose(state: State, played: Played) -> Step[State] | Refusal:
    """The ringer names the platter he takes."""
    place = played.values["platter"]
    if place >= len(state.visible):
        last = len(state.visible) - 1
        return Refusal("bad_value", f"platter is {shown(place)}, but the places are 0 to {last}")
    mine, _ = mine_and_other(state, played.seat)
    if not fits(mine.faces, state.visible[place]):
        return Refusal("not_legal", f"the dice do not complete platter {place}")
    return _take(state, played, place, {"platter": place})


def share(state: State, played: Played) -> Step[State] | Refusal:
    """The caller of a mate takes one set and gives the other to a seat with the fewest platters."""
    seat, side, to = played.seat, played.values["side"], played.values["to"]
    candidates = share_candidates(state)
    if to not in candidates:
        return Refusal("not_legal", f"to is {to}, but the fewest platters have {list(candidates)}")
    after, passed = _new_holders(state, *((seat, to) if side == "left" else (to, seat)))
    shared = Event("sets_shared", {"by": seat, "side": side, "to": to})
    return _step(after, played, {"side": side, "to": to}, shared, passed)


# --- What they have in common ---------------------------------------------------------------------


def _step(state: State, played: Played, used: Mapping[str, JSON], *happened: Event) -> Step[State]:
    return Step(state, {"do": played.values["do"], "seat": played.seat, **used}, happened)


def _replaced(items: tuple[T, ...], place: int, item: T) -> tuple[T, ...]:
    return (*items[:place], item, *items[place + 1 :])


def _with_station(state: State, station: Station) -> State:
    """The state with the set of this holder replaced."""
    left, right = state.stations
    return state._replace(stations=(station, right) if left.seat == station.seat else (left, station))


def _outcome(state: State, dice: Sequence[int], played: Played) -> list[str] | Refusal:
    """What `dice` show after a roll: the faces that the action brings, else thrown by chance."""
    kinds = [state.options.dice[die] for die in dice]
    if "faces" not in played.values:
        if played.chance is None:
            return Refusal("bad_value", f"faces is missing: {len(dice)} dice are rolled")
        return list(map(played.chance.die, kinds))
    faces = played.values["faces"]
    if not isinstance(faces, list | tuple) or len(faces) != len(dice):
        return Refusal("bad_value", f"faces is {shown(faces)}, it must be a list of {len(dice)}")
    for die, face, kind in zip(dice, faces, kinds, strict=True):
        if not isinstance(face, str) or face not in kind:
            return Refusal("bad_value", f"faces: die {die} cannot show {shown(face)}")
    return list(faces)


def _forced_roll(state: State, played: Played, station: Station, because: Event) -> Step[State] | Refusal:
    """All six dice of a station re-rolled, nothing set aside; it does not count as a roll for `rolled_ms`."""
    outcome = _outcome(state, range(DICE), played)
    if isinstance(outcome, Refusal):
        return outcome
    after = _with_station(state, station._replace(faces=tuple(outcome), kept=(False,) * DICE))
    rolled = Event("rolled", {"by": station.seat, "dice": list(range(DICE)), "faces": outcome})
    return _step(after, played, {"faces": outcome}, because, rolled)


def _take(state: State, played: Played, place: int, used: Mapping[str, JSON]) -> Step[State]:
    """The platter at `place` is taken: the game is over, or the next is revealed and the sets pass on."""
    seat = played.seat
    won = state.won[seat] + 1
    before, platter, after = state.visible[:place], state.visible[place], state.visible[place + 1 :]
    taken = Event("platter_taken", {"by": seat, "place": place, "platter": dict(platter), "won": won})
    counted = state._replace(won=_replaced(state.won, seat, won))
    if won == state.target:
        over = counted._replace(phase="over", visible=(*before, *after), caller=None)
        return _step(over, played, used, taken, Event("game_won", {"by": seat, "won": won}))
    new = state.stock[:1]
    revealed = [Event("platter_revealed", {"place": place, "platter": dict(card)}) for card in new]
    passed, sets_passed = _pass_sets(counted._replace(visible=(*before, *new, *after), stock=state.stock[1:]))
    return _step(passed, played, used, taken, *revealed, sets_passed)


def _pass_sets(state: State) -> tuple[State, Event]:
    """Each set goes to its holder's left neighbour."""
    left, right = (station.seat for station in state.stations)
    assert left is not None
    assert right is not None
    return _new_holders(state, (left + 1) % state.seats, (right + 1) % state.seats)


def _new_holders(state: State, left: int, right: int) -> tuple[State, Event]:
    after = state._replace(phase="ready", stations=(unrolled(left), unrolled(right)), caller=None)
    return after, Event("sets_passed", {"left": left, "right": right})


def _locked(state: State, played: Played) -> State:
    """The state after a false call."""
    lock_ms = state.options.false_call_lock_ms
    if not lock_ms:
        return state
    return state._replace(locked_ms=_replaced(state.locked_ms, played.seat, played.at_ms + lock_ms))
