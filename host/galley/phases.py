"""What each key does round a game, and what the pages ask for: one row of `PHASES` per phase.

For: attract, choose, options, join, howto, result, and the operator's pause. As in the tables, one mapping
lights the lamps, labels the keys on the pages and answers a press. It must not know time, boards or games.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from galley.evening import HOWTO_PICTURES, Evening
from galley.tables.table import (
    BELL,
    DICE,
    KEEP1,
    KEYS_OF,
    MODE,
    ROLL,
    SEAT_COLOURS,
    STATIONS,
    YUCK,
    Key,
    Prompt,
    seat_key,
)
from galley_board import glyphs

ALL_KEYS: Final[tuple[Key, ...]] = tuple(
    (board, key) for board, keys in KEYS_OF.items() for key in range(keys)
)
KEEP8: Final = KEEP1 + DICE - 1

MINUTE_MS: Final = 60_000


@dataclass(frozen=True, slots=True)
class HouseJob:
    """What a key does outside a game: a word for the catalogue, and the deed."""

    word: str
    deed: Callable[[], None]
    mode: int = glyphs.STEADY


HouseJobs = Mapping[Key, HouseJob]


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase round the game. `idle_ms` is how long nobody may press a key before the box asks."""

    jobs: Callable[[Evening], HouseJobs]
    prompts: Callable[[Evening], list[Prompt]]
    idle_ms: int | None


def _on_stations(jobs: Mapping[int, HouseJob]) -> dict[Key, HouseJob]:
    return {(side, key): job for side in STATIONS for key, job in jobs.items()}


# -- attract ----------------------------------------------------------------------------------------


def _attract_jobs(evening: Evening) -> HouseJobs:
    jobs = {key: HouseJob("wake", evening.wake, glyphs.PULSE) for key in ALL_KEYS}
    for colour in SEAT_COLOURS:
        jobs[seat_key(colour)] = HouseJob("join", partial(evening.wake, colour), glyphs.PULSE)
    return jobs


def _attract_prompts(evening: Evening) -> list[Prompt]:
    return [Prompt("attract_press_any")]


# -- choose and options -----------------------------------------------------------------------------


def _choose_jobs(evening: Evening) -> HouseJobs:
    jobs = {
        KEEP1 + n: HouseJob(
            "this_game", partial(evening.take, game), glyphs.PULSE if game == evening.game else glyphs.LOW
        )
        for n, game in enumerate(evening.games)
    }
    jobs[ROLL] = HouseJob("next", evening.next_game)
    jobs[BELL] = HouseJob("take", partial(evening.take, evening.game), glyphs.PULSE)
    jobs[YUCK] = HouseJob("back", evening.attract)
    jobs[MODE] = HouseJob("options", evening.set_up)
    return _on_stations(jobs)


def _choose_prompts(evening: Evening) -> list[Prompt]:
    return [
        Prompt("choose_next"),
        Prompt("choose_take"),
        Prompt("choose_direct"),
        Prompt("choose_options"),
        Prompt("choose_back"),
    ]


def _options_jobs(evening: Evening) -> HouseJobs:
    option = evening.options[evening.option]
    now = evening.value_of(option)
    jobs = {
        KEEP1 + n: HouseJob(
            "value", partial(evening.set_option, value), glyphs.STEADY if value == now else glyphs.LOW
        )
        for n, value in enumerate(option.values)
    }
    jobs[ROLL] = HouseJob("next", evening.next_option)
    jobs[BELL] = HouseJob("done", evening.choose if len(evening.games) > 1 else evening.join, glyphs.PULSE)
    jobs[YUCK] = HouseJob("back", evening.choose if len(evening.games) > 1 else evening.join)
    return _on_stations(jobs)


def _options_prompts(evening: Evening) -> list[Prompt]:
    return [Prompt("options_value"), Prompt("options_next"), Prompt("options_done")]


# -- join and howto ---------------------------------------------------------------------------------


def _join_jobs(evening: Evening) -> HouseJobs:
    taken = {seat.colour: seat for seat in evening.seats}
    full = len(evening.seats) >= evening.table.game.max_seats
    jobs: dict[Key, HouseJob] = {}
    for colour in SEAT_COLOURS:
        seat = taken.get(colour)
        if seat is None and full:
            continue
        word = "leave" if seat is not None and seat.bot is None else "join"
        mode = glyphs.PULSE if seat is None else glyphs.LOW if seat.bot else glyphs.STEADY
        jobs[seat_key(colour)] = HouseJob(word, partial(evening.sit, colour), mode)
    around = {YUCK: HouseJob("back", evening.attract if len(evening.games) == 1 else evening.choose)}
    if evening.may_start:
        around[BELL] = HouseJob("start", evening.ready, glyphs.PULSE)
    if evening.may_add_bot:
        around[MODE] = HouseJob("add_bot", evening.add_bot)
    return {**jobs, **_on_stations(around)}


def _join_prompts(evening: Evening) -> list[Prompt]:
    enough = len(evening.seats) >= evening.table.game.min_seats
    start = [Prompt("join_start" if enough else "join_need_one_more")] if evening.may_start else []
    if not evening.rules_fit:
        start = [Prompt("join_other_number")]
    more = [Prompt("join_add_bot")] if evening.may_add_bot else []
    return [Prompt("join_press_seat"), *start, *more, Prompt("join_back")]


def _howto_jobs(evening: Evening) -> HouseJobs:
    last = evening.howto + 1 == HOWTO_PICTURES
    return _on_stations(
        {
            ROLL: HouseJob("start" if last else "next_picture", evening.next_picture, glyphs.PULSE),
            BELL: HouseJob("start", evening.start, glyphs.PULSE),
            YUCK: HouseJob("back", evening.join),
        }
    )


def _howto_prompts(evening: Evening) -> list[Prompt]:
    last = evening.howto + 1 == HOWTO_PICTURES
    return [*([] if last else [Prompt("howto_next")]), Prompt("howto_start"), Prompt("howto_back")]


# -- result -----------------------------------------------------------------------------------------


def _result_jobs(evening: Evening) -> HouseJobs:
    again, other = (
        HouseJob("again", evening.join, glyphs.PULSE),
        HouseJob("other_game", evening.choose, glyphs.PULSE),
    )
    if len(evening.games) == 1:
        return dict.fromkeys(ALL_KEYS, again)
    return {**dict.fromkeys(ALL_KEYS, other), **dict.fromkeys(((side, BELL) for side in STATIONS), again)}


def _result_prompts(evening: Evening) -> list[Prompt]:
    if len(evening.games) == 1:
        return [Prompt("result_again")]
    return [Prompt("result_again_bell"), Prompt("result_other")]


# -- the operator's pause, and a game that is nobody's ----------------------------------------------------


def operator_jobs(evening: Evening, resume: Callable[[], None]) -> HouseJobs:
    """MODE was held: what the person on duty may do. `resume` lets the game go on."""
    jobs = {
        ROLL: HouseJob("resume", resume, glyphs.PULSE),
        KEEP8: HouseJob("unmute" if evening.muted else "mute", evening.mute, glyphs.LOW),
        YUCK: HouseJob("end_game", evening.end),
    }
    play = evening.play
    if play is not None and play.can_undo:
        jobs[KEEP1] = HouseJob("undo", evening.undo, glyphs.LOW)
    found = _on_stations(jobs)
    if play is not None:
        for number, seat in enumerate(play.seats):
            if seat.bot is None and not evening.bots_can_play:
                continue
            word = "take_over" if seat.bot is None else "come_back"
            found[seat_key(seat.colour)] = HouseJob(word, partial(evening.replace_seat, number), glyphs.LOW)
    return found


def operator_prompts(evening: Evening) -> list[Prompt]:
    """What the person on duty is told."""
    play = evening.play
    undo = [Prompt("operator_undo")] if play is not None and play.can_undo else []
    bots = play is not None and any(seat.bot for seat in play.seats)
    replace = [Prompt("operator_replace")] if bots or evening.bots_can_play else []
    return [
        Prompt("operator_resume"),
        *undo,
        Prompt("operator_unmute" if evening.muted else "operator_mute"),
        *replace,
        Prompt("operator_end"),
    ]


def nobodys_jobs(evening: Evening) -> HouseJobs:
    """A game of bots alone: whoever comes may end it."""
    return {key: HouseJob("go_on", evening.choose) for key in ALL_KEYS}


def nobodys_prompts() -> list[Prompt]:
    """What whoever comes is told."""
    return [Prompt("result_other")]


def return_jobs(evening: Evening) -> HouseJobs:
    """A person whose seat a bot has taken over comes back with her seat's key."""
    play = evening.play
    if play is None:
        return {}
    return {
        seat_key(seat.colour): HouseJob("come_back", partial(evening.replace_seat, number), glyphs.LOW)
        for number, seat in enumerate(play.seats)
        if seat.bot is not None and number in evening.left
    }


def return_prompts(evening: Evening) -> list[Prompt]:
    """Who may come back now; a key that the game itself uses is the game's until it does no more."""
    play = evening.play
    taken = {} if play is None else play.jobs()
    seats = [SEAT_COLOURS[key] for board, key in return_jobs(evening) if (board, key) not in taken]
    return [Prompt("come_back", {"seats": seats})] if seats else []


PHASES: Final[Mapping[str, Phase]] = {
    "attract": Phase(_attract_jobs, _attract_prompts, None),
    "choose": Phase(_choose_jobs, _choose_prompts, MINUTE_MS),
    "options": Phase(_options_jobs, _options_prompts, MINUTE_MS),
    "join": Phase(_join_jobs, _join_prompts, 2 * MINUTE_MS),
    "howto": Phase(_howto_jobs, _howto_prompts, 2 * MINUTE_MS),
    "game": Phase(lambda evening: {}, lambda evening: [], 5 * MINUTE_MS),
    "result": Phase(_result_jobs, _result_prompts, 90_000),
}
