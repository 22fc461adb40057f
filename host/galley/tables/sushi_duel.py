"""The sushi duel on the box: dice 1-6 and the keys of both stations for the duelists, seat keys for the rest.

Whose dice are where is in the state: the left set lies at the left station. A duelist's KEEP, ROLL, BELL and
YUCK act for the set at that station; an observer calls Mate with the key of his seat. With two players there
is nobody else to challenge, so the challenge needs no key.

In `share` the caller presses ROLL at the station he takes. If several may get the other set he names one by
its seat key; if not, ROLL alone decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from galley.tables.table import (
    BELL,
    BOARDS,
    DICE,
    KEEP1,
    ROLL,
    STATIONS,
    YUCK,
    BoardView,
    BoxView,
    Choice,
    Flourish,
    Hand,
    Job,
    Jobs,
    Key,
    Lit,
    Prompt,
    Seat,
    lamps_of,
    seat_key,
)
from galley_board import glyphs
from galley_engine.game import AnyGame, Event, JSONObject
from galley_engine.games import load, sushi_duel_heats
from galley_engine.games.sushi_duel import shows_yuck
from galley_engine.games.sushi_duel_state import (
    SIDES,
    Face,
    State,
    complete_platters,
    observers,
    ready_seats,
    share_candidates,
    side_of,
)

game: Final[AnyGame] = load("sushi_duel")
races: Final = frozenset({"roll", "bell", "yuck", "mate"})
first: Final = sushi_duel_heats.first
bots_need_hand: Final = False

INGREDIENTS: Final = ("shrimp", "salmon", "octopus", "cucumber", "roe")
UNROLLED: Final = glyphs.die_code(glyphs.GLYPHS["unrolled"], glyphs.DIM)
TUMBLE_MS: Final = 200
REMEMBERED: Final = 1024
WON_MS: Final = 1600


def jobs(state: State, seats: Sequence[Seat], choice: Choice) -> Jobs:
    """What each key does now, for the seats that people hold."""
    return _JOBS[state.phase](state, seats, choice)


def forced(state: State) -> JSONObject | None:
    """The challenge, when there is only one opponent."""
    if state.phase == "challenge" and state.seats == 2:
        challenger = state.options.start_seat
        return {"do": "challenge", "seat": challenger, "opponent": 1 - challenger}
    return None


def boards(state: State, seats: Sequence[Seat]) -> tuple[str, ...]:
    """Both stations; the deck too while a person may choose or call with a key on it."""
    return BOARDS if any(seats[seat].bot is None for seat in _at_the_deck(state)) else STATIONS


def _at_the_deck(state: State) -> tuple[int, ...]:
    """Who has a key on the deck: to choose an opponent, to give away a set, or to call mate."""
    if state.phase == "duel":
        return observers(state)
    chooses = state.phase == "challenge" or (state.phase == "share" and len(share_candidates(state)) > 1)
    return awaited(state) if chooses else ()


def awaited(state: State) -> tuple[int, ...]:
    """Who must choose, or is not ready yet; nobody in a duel, which the other one can end."""
    if state.phase == "duel":
        return ()
    ready = ready_seats(state)
    return tuple(seat for seat in game.actors(state) if seat not in ready)


def gate_open(state: State) -> bool:
    """The duel starts when both are ready; a roll from before that is a false start."""
    return state.phase != "ready"


def contested(before: State, one: JSONObject, other: JSONObject) -> bool:
    """Two bells, a mate that is right and whatever else, a roll or a bell and a Yuck on its dice.

    Of the bells both are true; or one is, and the other one would lose the duel for both.
    """
    by = {str(action["do"]): action for action in (one, other)}
    if by.keys() == {"bell"}:
        true = [bool(complete_platters(before, _side(before, action["seat"]))) for action in (one, other)]
        return all(true) or (any(true) and before.options.false_bell == "lose_duel")
    yucks = [shows_yuck(station) for station in before.stations]
    if "mate" in by:
        return all(yucks)
    if by.keys() not in ({"roll", "yuck"}, {"bell", "yuck"}):
        return False
    called_out = _side(before, by["roll" if "roll" in by else "bell"]["seat"])
    return yucks[SIDES.index(called_out)] and called_out != _side(before, by["yuck"]["seat"])


def view(state: State, jobs: Mapping[Key, Lit], choice: Choice) -> BoxView:
    """Both sets of dice as they lie, kept dice at full light, and the lamps of the keys that have jobs."""
    lamps = lamps_of(jobs)
    own = state.options.ingredients
    left, right = (_dice(own, station.faces, station.kept) for station in state.stations)
    return {
        "left": BoardView(left, lamps["left"]),
        "right": BoardView(right, lamps["right"]),
        "deck": BoardView(lamps=lamps["deck"]),
    }


def page(state: State, choice: Choice) -> JSONObject:
    """Which platters each set completes now, who is ready, and the ingredients in their order."""
    return {
        "ingredients": list(state.options.ingredients),
        "complete": {side: list(complete_platters(state, side)) for side in SIDES},
        "ready": list(ready_seats(state)),
    }


def world(state: State, seed: int, hand: Hand | None, settings: Mapping[str, object]) -> None:
    """Nothing happens at a duel that nobody does."""


def flourish(before: State, events: Sequence[Event]) -> Flourish | None:
    """Rolled dice tumble; the dice that took a platter glow once more where they were."""
    shown: dict[str, dict[int, int]] = {}
    ms = 0
    for event in events:
        if event.kind == "rolled":
            side = _side(before, event.data["by"])
            rolling = glyphs.die_code(glyphs.GLYPHS["unrolled"], glyphs.ROLLING)
            shown.setdefault(side, {}).update(dict.fromkeys(_numbers(event.data["dice"]), rolling))
            ms = max(ms, TUMBLE_MS)
        elif event.kind == "platter_taken":
            side = _side(before, event.data["by"])
            faces = before.stations[SIDES.index(side)].faces
            shown[side] = {
                die: _code(before.options.ingredients, face, glyphs.GLOW)
                for die, face in enumerate(faces)
                if face
            }
            ms = WON_MS
    return Flourish(shown, ms) if ms else None


def prompts(state: State, seats: Sequence[Seat], choice: Choice) -> list[Prompt]:
    """What the players are asked for in this phase."""
    return _PROMPTS[state.phase](state, seats, choice)


# -- keys -----------------------------------------------------------------------------------------


def _no_jobs(state: State, seats: Sequence[Seat], choice: Choice) -> Jobs:
    return {}


def _challenge_jobs(state: State, seats: Sequence[Seat], choice: Choice) -> Jobs:
    challenger = state.options.start_seat
    if seats[challenger].bot:
        return {}
    return {
        seat_key(seat.colour): Job(
            "challenge",
            {"do": "challenge", "seat": challenger, "opponent": number},
            mode=glyphs.PULSE,
        )
        for number, seat in enumerate(seats)
        if number != challenger
    }


def _ready_jobs(state: State, seats: Sequence[Seat], choice: Choice) -> Jobs:
    ready = ready_seats(state)
    return {
        (side, ROLL): Job("ready", {"do": "ready", "seat": seat}, mode=glyphs.PULSE)
        for side, seat in _people(state, seats)
        if seat not in ready
    }


def _duel_jobs(state: State, seats: Sequence[Seat], choice: Choice) -> Jobs:
    found: dict[Key, Job] = {}
    for side, seat in _people(state, seats):
        station = state.stations[SIDES.index(side)]
        found |= _duelist_jobs(side, seat, tuple(face is not None for face in station.faces), station.kept)
    for seat in observers(state):
        if not seats[seat].bot:
            found[seat_key(seats[seat].colour)] = _job("mate", seat)
    return found


# Jobs and dice once made are kept: while they are made anew after a press, a hand waits for its light.


@lru_cache(REMEMBERED)
def _duelist_jobs(side: str, seat: int, rolled: tuple[bool, ...], kept: tuple[bool, ...]) -> Jobs:
    """The jobs of one duelist's keys. The result is shared."""
    found: dict[Key, Job] = {}
    for die in range(len(kept)):
        if rolled[die]:
            keep: JSONObject = {"do": "keep", "seat": seat, "die": die}
            mode = glyphs.STEADY if kept[die] else glyphs.LOW
            found[side, KEEP1 + die] = Job("free" if kept[die] else "keep", keep, mode=mode)
    if not all(kept):
        found[side, ROLL] = _job("roll", seat)
    found[side, BELL] = _job("bell", seat)
    found[side, YUCK] = _job("yuck", seat)
    return found


@lru_cache(REMEMBERED)
def _job(do: str, seat: int) -> Job:
    return Job(do, {"do": do, "seat": seat})


def _choose_jobs(state: State, seats: Sequence[Seat], choice: Choice) -> Jobs:
    caller = state.caller
    if caller is None or seats[caller].bot:
        return {}
    side = _side(state, caller)
    return {
        (side, KEEP1 + place): Job(
            "choose",
            {"do": "choose", "seat": caller, "platter": place},
            mode=glyphs.PULSE,
        )
        for place in complete_platters(state, side)
    }


def _share_jobs(state: State, seats: Sequence[Seat], choice: Choice) -> Jobs:
    caller = state.caller
    if caller is None or seats[caller].bot:
        return {}
    others = share_candidates(state)
    found: dict[Key, Job] = {}
    for side in SIDES:
        alone: JSONObject = {"do": "share", "seat": caller, "side": side, "to": others[0]}
        mode = glyphs.STEADY if choice.get("side") == side else glyphs.PULSE
        found[side, ROLL] = (
            Job("take_set", alone, mode=mode)
            if len(others) == 1
            else Job("take_set", choice={"side": side}, mode=mode)
        )
    if "side" in choice and len(others) > 1:
        for seat in others:
            given: JSONObject = {"do": "share", "seat": caller, "side": choice["side"], "to": seat}
            found[seat_key(seats[seat].colour)] = Job("give_set", given, mode=glyphs.PULSE)
    return found


_JOBS: Final[Mapping[str, Callable[[State, Sequence[Seat], Choice], Jobs]]] = {
    "challenge": _challenge_jobs,
    "ready": _ready_jobs,
    "duel": _duel_jobs,
    "choose": _choose_jobs,
    "share": _share_jobs,
    "over": _no_jobs,
}


# -- prompts --------------------------------------------------------------------------------------


def _challenge_prompts(state: State, seats: Sequence[Seat], choice: Choice) -> list[Prompt]:
    return [_asked("challenge_choose", state.options.start_seat, seats)]


def _ready_prompts(state: State, seats: Sequence[Seat], choice: Choice) -> list[Prompt]:
    ready = ready_seats(state)
    missing = [(side, seat) for side, seat in _people(state, seats) if seat not in ready]
    if len(missing) == len(SIDES):
        return [Prompt("get_ready", {side: seats[seat].colour for side, seat in missing})]
    if not missing:
        return [Prompt("bot_gets_ready", {"by": seats[seat].colour}) for seat in awaited(state)]
    return [Prompt("get_ready_one", {"by": seats[seat].colour, "side": side}) for side, seat in missing]


def _duel_prompts(state: State, seats: Sequence[Seat], choice: Choice) -> list[Prompt]:
    watching = [seats[seat].colour for seat in observers(state) if seats[seat].bot is None]
    stations = [state.stations[SIDES.index(side)] for side, _ in _people(state, seats)]
    if stations:
        rolled = any(face for station in stations for face in station.faces)
        asked = [Prompt("duel_on" if rolled else "duel_roll"), Prompt("duel_yuck")]
    else:
        holders = [seats[station.seat].colour for station in state.stations if station.seat is not None]
        asked = [Prompt("bots_duel", dict(zip(SIDES, holders, strict=True)))]
    return [*asked, *([Prompt("duel_mate", {"seats": watching})] if watching else [])]


def _choose_prompts(state: State, seats: Sequence[Seat], choice: Choice) -> list[Prompt]:
    caller = state.caller
    if caller is None:
        return []
    side = _side(state, caller)
    places = [place + 1 for place in complete_platters(state, side)]
    return [_asked("choose_platter", caller, seats, {"side": side, "places": places})]


def _share_prompts(state: State, seats: Sequence[Seat], choice: Choice) -> list[Prompt]:
    if state.caller is None:
        return []
    if "side" not in choice:
        return [_asked("share_take_set", state.caller, seats)]
    others = [seats[seat].colour for seat in share_candidates(state)]
    return [_asked("share_give_set", state.caller, seats, {"seats": others})]


def _no_prompts(state: State, seats: Sequence[Seat], choice: Choice) -> list[Prompt]:
    return []


_PROMPTS: Final[Mapping[str, Callable[[State, Sequence[Seat], Choice], list[Prompt]]]] = {
    "challenge": _challenge_prompts,
    "ready": _ready_prompts,
    "duel": _duel_prompts,
    "choose": _choose_prompts,
    "share": _share_prompts,
    "over": _no_prompts,
}


def _asked(key: str, seat: int, seats: Sequence[Seat], params: Mapping[str, object] | None = None) -> Prompt:
    """`key` for a person; for a bot, that it thinks."""
    asked = seats[seat]
    if asked.bot:
        return Prompt("bot_thinks", {"by": asked.colour})
    return Prompt(key, {"by": asked.colour, **(params or {})})


# -- dice -----------------------------------------------------------------------------------------


def _code(own: tuple[str, ...], face: str, style: int) -> int:
    """The die code of a face. Ingredients with names of the player's own shine as the usual five."""
    name = INGREDIENTS[own.index(face)] if face in own else face
    return glyphs.die_code(glyphs.GLYPHS[name], style)


@lru_cache(REMEMBERED)
def _dice(own: tuple[str, ...], faces: tuple[Face, ...], kept: tuple[bool, ...]) -> tuple[int, ...]:
    codes = [
        UNROLLED if face is None else _code(own, face, glyphs.KEPT if is_kept else glyphs.PLAIN)
        for face, is_kept in zip(faces, kept, strict=True)
    ]
    return (*codes, *BoardView().dice[len(codes) : DICE])


def _people(state: State, seats: Sequence[Seat]) -> list[tuple[str, int]]:
    """The duelists who are people, as (side, seat)."""
    return [
        (side, station.seat)
        for side, station in zip(SIDES, state.stations, strict=True)
        if station.seat is not None and not seats[station.seat].bot
    ]


def _side(state: State, seat: object) -> str:
    side = side_of(state, seat) if isinstance(seat, int) else None
    if side is None:
        raise ValueError(f"seat {seat} holds no dice in phase {state.phase}")
    return side


def _numbers(values: object) -> list[int]:
    return [value for value in values if isinstance(value, int)] if isinstance(values, list | tuple) else []
