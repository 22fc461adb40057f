"""The worm grill on the box: all eight dice and the keys of one station, that of the seat at play.

The dice set aside lie in the first windows, those thrown after them; KEEP sets aside every die of the face
above it. ROLL throws, BELL stops, YUCK asks for a hint, which is what the good bot would do. The other
station shows the total so far and how the last turn ended.

The pages also get the odds: the chance of a good end, and of each place that would be one, for a player who
goes for just that. `prepare` works out what they are looked up in, once; from then on they take a fraction
of a millisecond. Only when a place has been closed, or a seat has no plate left, another table is needed: it
is filled before the first throw of the turn, while nobody waits for a die.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from galley.tables import unraced
from galley.tables.table import (
    BELL,
    BLANK,
    DICE,
    KEEP1,
    ROLL,
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
)
from galley.tables.turns import ENDED_MS, ROLLING, TUMBLE_MS, UNROLLED, across, calm, near, two_digits
from galley_board import glyphs
from galley_engine.bots import policy
from galley_engine.dice import Dice
from galley_engine.game import AnyGame, Event, JSONObject
from galley_engine.games import load
from galley_engine.games.worm_grill_state import (
    FACE_OF,
    FIRST,
    LETTER_OF,
    LETTERS,
    PLACES,
    WORM,
    Board,
    Last,
    State,
    may_stop,
    result_of,
    total_of,
    why_bad,
)
from galley_engine.odds.worm_grill import Goal, goal, start_tables
from galley_engine.odds.worm_grill_turn import Turn

game: Final[AnyGame] = load("worm_grill")
races: Final = unraced.races
awaited: Final = unraced.awaited
gate_open: Final = unraced.gate_open
first: Final = unraced.first
contested: Final = unraced.contested
bots_need_hand: Final = False

REMEMBERED: Final = 1024
TABLES: Final = 16  # of odds, for grills with closed places
PLACES_OF_ODDS: Final = 4  # decimals
ENDINGS: Final = frozenset(
    {"throw_bad", "plate_placed", "plate_stolen", "plate_stacked", "snail_taken", "game_ended"}
)
"""The events that end a turn."""


def prepare() -> None:
    """Work out the tables of the odds: 0.2 s once, when the first game begins at the latest."""
    start_tables()


def boards(state: State, seats: Sequence[Seat]) -> tuple[str, ...]:
    """The station of the seat at play."""
    return (near(state.turn),)


def jobs(state: State, seats: Sequence[Seat], choice: Choice) -> Jobs:
    """What each key of the station at play does now, if a person plays there."""
    seat = state.turn
    if state.phase == "over" or seats[seat].bot:
        return {}
    stops = state.phase == "decide" and may_stop(state)
    return _jobs(state.phase, seat, state.dice, state.aside, stops, "hint" in choice)


def forced(state: State) -> JSONObject | None:
    """Every throw wants a hand."""
    return None


def prompts(state: State, seats: Sequence[Seat], choice: Choice) -> list[Prompt]:
    """What the seat at play is asked for, and the hint if it asked for one."""
    if state.phase == "over":
        return []
    asked = seats[state.turn]
    if asked.bot:
        return [Prompt("bot_thinks", {"by": asked.colour})]
    by = {"by": asked.colour, "side": near(state.turn)}
    found = _PROMPTS[state.phase](state, by)
    if state.phase == "throw":
        return found
    if "hint" in choice:
        return [*found, _hint_prompt(hint(state))]
    return [*found, Prompt("grill_hint")]


def view(state: State, jobs: Mapping[Key, Lit], choice: Choice) -> BoxView:
    """The dice at the station at play, the table at the other, and the lamps of the keys that have jobs."""
    lamps = lamps_of(jobs)
    side = near(state.turn)
    table = _calm(state.aside, state.board.last)
    playing = table if state.phase == "over" else _dice(state.dice, state.aside, state.phase == "decide")
    other = across(side)
    return {
        side: BoardView(playing, lamps[side]),
        other: BoardView(table, lamps[other]),
        "deck": BoardView(lamps=lamps["deck"]),
    }


def flourish(before: State, events: Sequence[Event]) -> Flourish | None:
    """Thrown dice tumble; those that ended a turn stay for a moment, in full light if it ended well."""
    told = {event.kind: event.data for event in events}
    side = near(before.turn)
    aside, dice = before.aside, before.dice
    if "thrown" in told:
        dice = _letters(told["thrown"]["faces"])
    if "set_aside" in told:
        letter = LETTER_OF[told["set_aside"]["face"]]
        aside, dice = aside + letter * dice.count(letter), dice.replace(letter, "")
    if ENDINGS & told.keys():
        ended = glyphs.DIM if "throw_bad" in told else glyphs.GLOW
        lying = glyphs.PLAIN if "thrown" in told else glyphs.DIM
        codes = [
            *(_code(letter, ended) for letter in _in_order(aside)),
            *(_code(letter, lying) for letter in dice),
        ]
        return Flourish({side: dict(enumerate(codes))}, ENDED_MS)
    if "thrown" in told:
        return Flourish({side: dict.fromkeys(range(len(aside), DICE), ROLLING)}, TUMBLE_MS)
    return None


def page(state: State, choice: Choice) -> JSONObject:
    """The odds, what the total would be good for if the turn ended on it, and the hint if it is asked for.

    `odds` has `good`, the chance of a good end; `throw`, that of throwing on where one may stop instead;
    `keep`, face -> that of keeping it; `places`, place -> the chance to end just there, without those that
    would be a bad throw.
    """
    if state.phase == "over":
        return {"odds": None, "ends": None, "hint": None}
    ends = result_of(state.board, state.turn, state.total, WORM in state.aside)
    odds = _odds(state.phase, state.aside, state.dice, _bad_places(state.board, state.turn))
    return {
        "odds": odds,
        "ends": ends if state.phase == "decide" else None,
        "hint": hint(state) if "hint" in choice and state.phase != "throw" else None,
    }


def world(state: State, seed: int, hand: Hand | None, settings: Mapping[str, object]) -> None:
    """Nothing happens at the grill that nobody does."""


def hint(state: State) -> JSONObject:
    """What the good bot would do here, without the seat."""
    advice = policy(game.name, "good").choose(state, state.turn, Dice(0))
    assert advice is not None  # the seat is at play
    return {key: value for key, value in advice.items() if key != "seat"}


# -- keys -----------------------------------------------------------------------------------------


@lru_cache(REMEMBERED)
def _jobs(phase: str, seat: int, dice: str, aside: str, stops: bool, hinted: bool) -> Jobs:
    """The jobs of the keys of a person's station. The result is shared."""
    side = near(seat)
    if phase == "throw":
        return {(side, ROLL): Job("throw", {"do": "throw", "seat": seat}, mode=glyphs.PULSE)}
    found: dict[Key, Job] = {}
    if phase == "keep":
        for die, letter in enumerate(dice, len(aside)):
            if letter not in aside:
                keep: JSONObject = {"do": "keep", "seat": seat, "face": FACE_OF[letter]}
                found[side, KEEP1 + die] = Job("set_aside", keep)
    else:
        found[side, ROLL] = Job("throw", {"do": "throw", "seat": seat})
        if stops:
            found[side, BELL] = Job("stop", {"do": "stop", "seat": seat})
    if not hinted:
        found[side, YUCK] = Job("hint", choice={"hint": "1"})
    return found


# -- prompts --------------------------------------------------------------------------------------


def _throw_prompts(state: State, by: Mapping[str, str]) -> list[Prompt]:
    return [Prompt("grill_throw", {**by, "dice": DICE})]


def _keep_prompts(state: State, by: Mapping[str, str]) -> list[Prompt]:
    return [Prompt("grill_keep", by)]


def _decide_prompts(state: State, by: Mapping[str, str]) -> list[Prompt]:
    on = {**by, "dice": state.left}
    if not may_stop(state):
        return [Prompt("grill_throw_on", on)]
    bad = why_bad(state.board, state.turn, state.total, WORM in state.aside)
    if bad is None:
        return [Prompt("grill_decide", {**on, "total": state.total})]
    return [Prompt("grill_throw_on", on), Prompt("grill_stop_bad", {"total": state.total})]


_PROMPTS: Final[Mapping[str, Callable[[State, Mapping[str, str]], list[Prompt]]]] = {
    "throw": _throw_prompts,
    "keep": _keep_prompts,
    "decide": _decide_prompts,
}


def _hint_prompt(advice: JSONObject) -> Prompt:
    if advice["do"] == "keep":
        return Prompt("grill_hint_keep", {"face": advice["face"]})
    return Prompt("grill_hint_stop" if advice["do"] == "stop" else "grill_hint_throw")


# -- odds -----------------------------------------------------------------------------------------


@lru_cache(REMEMBERED)
def _odds(phase: str, aside: str, dice: str, bad: tuple[int, ...]) -> JSONObject:
    """The chances in the form of `page`. The result is shared."""
    left = len(dice) or DICE
    turn, ahead = _good_end(bad)
    places = {place: goal(exactly=place) for place in PLACES if place not in bad}
    if phase == "keep":
        keep = turn.keeps(aside, dice, ahead)
        return {
            "good": _rounded(max(keep.values())),
            "throw": None,
            "keep": {str(FACE_OF[letter]): _rounded(chance) for letter, chance in keep.items()},
            "places": {
                str(place): _rounded(max(wanted.turn.keeps(aside, dice, wanted.ahead).values()))
                for place, wanted in places.items()
            },
        }
    return {
        "good": _rounded(turn.value(aside, left, ahead)),
        "throw": _rounded(turn.throw(aside, left, ahead)),
        "keep": {},
        "places": {
            str(place): _rounded(wanted.turn.value(aside, left, wanted.ahead))
            for place, wanted in places.items()
        },
    }


@lru_cache(TABLES)
def _good_end(bad: tuple[int, ...]) -> Goal:
    """The turn that is worth 1 on every total from 23 on but the `bad` ones."""
    if not bad:
        return goal(FIRST)
    return Goal(Turn([*[0.0] * FIRST, *(float(place not in bad) for place in PLACES), 1.0]), 0)


@lru_cache(REMEMBERED)
def _bad_places(board: Board, seat: int) -> tuple[int, ...]:
    """The places that would be a bad throw for this seat, even with a worm."""
    return tuple(place for place in PLACES if why_bad(board, seat, place, True) is not None)


def _rounded(chance: float) -> float:
    return round(chance, PLACES_OF_ODDS)


# -- dice -----------------------------------------------------------------------------------------


def _code(letter: str, style: int) -> int:
    return glyphs.die_code(glyphs.GLYPHS[str(FACE_OF[letter])], style)


def _in_order(aside: str) -> list[str]:
    """Dice set aside as they lie, on the box and on the pages: by face, whenever they were set aside."""
    return sorted(aside, key=LETTERS.index)


def _letters(faces: object) -> str:
    return "".join(LETTER_OF[face] for face in faces) if isinstance(faces, list | tuple) else ""


@lru_cache(REMEMBERED)
def _dice(dice: str, aside: str, spent: bool) -> tuple[int, ...]:
    """Dice set aside at full light, then those thrown, dim where none may be kept."""
    if not dice:
        return (UNROLLED,) * DICE
    return (
        *(_code(letter, glyphs.KEPT) for letter in _in_order(aside)),
        *(_code(letter, glyphs.DIM if spent or letter in aside else glyphs.PLAIN) for letter in dice),
    )


@lru_cache(REMEMBERED)
def _calm(aside: str, last: Last | None) -> tuple[int, ...]:
    """Above the total set aside and whether a worm is in it; below how the last turn ended."""
    above = (*two_digits(total_of(aside)), BLANK, calm("worm") if WORM in aside else BLANK)
    if not aside:
        above = (BLANK,) * 4
    if last is None:
        return (*above, *(BLANK,) * 4)
    mark = calm("cross" if last.result == "bad" else "tick")
    return (*above, mark, *two_digits(last.total), BLANK)
