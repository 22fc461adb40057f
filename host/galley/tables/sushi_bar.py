"""The sushi bar on the box: dice 1-5 and the keys of one station, that of the seat at play.

After a throw there are up to four *offers*: a tile of either row, and a theft of either kind. MODE goes from
one to the next, BELL takes it. KEEP marks dice, ROLL locks what is marked and throws the rest: that is two
actions of the rules, so the throw after a lock is forced. Whoever may be robbed has his seat key lit; where
any tile of a stack may be stolen, KEEP says which, counted from the top.

While KEEP counts tiles it cannot mark dice, so then there is one more offer, to throw on. What a choice
holds is in `sushi_bar_plan`.

Windows 6-8 show the offer: an arrow or the chopsticks, what it takes, its worth if it can be seen. The other
station shows the best tile of each row that five dice can reach, and its place. A tile that must be taken
comes with the throw and needs no key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from galley.tables import unraced
from galley.tables.sushi_bar_plan import Offer, Plan, choice_of, offers_of, plan_of
from galley.tables.table import (
    BELL,
    BLANK,
    DICE,
    KEEP1,
    MODE,
    ROLL,
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
from galley.tables.turns import ENDED_MS, ROLLING, TUMBLE_MS, UNROLLED, across, calm, near
from galley_board import glyphs
from galley_engine.game import AnyGame, Event, JSONObject
from galley_engine.games import load
from galley_engine.games.sushi_bar_state import (
    CHOPSTICKS,
    FREE,
    KINDS,
    Locked,
    State,
    Tiles,
    is_last_throw,
)
from galley_engine.games.sushi_bar_state import DICE as THROWN

game: Final[AnyGame] = load("sushi_bar")
races: Final = unraced.races
awaited: Final = unraced.awaited
gate_open: Final = unraced.gate_open
first: Final = unraced.first
contested: Final = unraced.contested
bots_need_hand: Final = False

REMEMBERED: Final = 1024
FACES: Final = glyphs.GAME_GLYPHS["sushi_bar"]
ENDINGS: Final = frozenset({"tile_taken", "tile_stolen", "tile_forced"})
"""The events that end a turn."""


def boards(state: State, seats: Sequence[Seat]) -> tuple[str, ...]:
    """The station of the seat at play; the deck too while its keys let a person choose whom to rob."""
    station = near(state.turn)
    if seats[state.turn].bot is None and any(len(offer.victims) > 1 for offer in offers_of(state)):
        return (station, "deck")
    return (station,)


def jobs(state: State, seats: Sequence[Seat], choice: Choice) -> Jobs:
    """What each key of the station at play does now, if a person plays there."""
    seat = state.turn
    if state.phase == "over" or seats[seat].bot:
        return {}
    side = near(seat)
    if state.phase == "throw":
        return {(side, ROLL): Job("throw", {"do": "throw", "seat": seat}, mode=glyphs.PULSE)}
    plan = plan_of(state, choice)
    offer = plan.offer
    found: dict[Key, Job] = {}
    if offer is not None and offer.any:
        found |= _position_jobs(side, state, plan)
    elif not is_last_throw(state):
        found |= _mark_jobs(side, state.locked, plan)
    if plan.marked:
        rest = len(plan.marked) < len(FREE[state.locked])
        locks: JSONObject = {"do": "lock", "seat": seat, "dice": list(plan.marked)}
        found[side, ROLL] = Job("lock_throw" if rest else "lock_all", locks)
    taken = _taken(seat, plan)
    if taken is not None:
        found[side, BELL] = Job("take_tile" if taken["do"] == "take" else "steal", taken)
    if len(plan.offers) > 1:
        option = (plan.option + 1) % len(plan.offers)
        found[side, MODE] = Job("next_offer", choice=choice_of(plan.marked, option))
    if offer is not None and len(offer.victims) > 1:
        for victim in offer.victims:
            mode = glyphs.STEADY if victim == plan.victim else glyphs.PULSE
            chosen = choice_of(plan.marked, plan.option, victim)
            found[seat_key(seats[victim].colour)] = Job("rob", choice=chosen, mode=mode)
    return found


def forced(state: State) -> JSONObject | None:
    """The throw after a lock: ROLL asked for both."""
    if state.phase == "throw" and state.throw:
        return {"do": "throw", "seat": state.turn}
    return None


def prompts(state: State, seats: Sequence[Seat], choice: Choice) -> list[Prompt]:
    """What the seat at play may do, the most likely first."""
    if state.phase == "over":
        return []
    asked = seats[state.turn]
    if asked.bot:
        return [Prompt("bot_thinks", {"by": asked.colour})]
    by = {"by": asked.colour, "side": near(state.turn)}
    if state.phase == "throw":
        return [Prompt("bar_throw", by)]
    return list(_choose_prompts(state, seats, plan_of(state, choice), by))


def view(state: State, jobs: Mapping[Key, Lit], choice: Choice) -> BoxView:
    """The dice at the station at play, the rows at the other, and the lamps of the keys that have jobs."""
    lamps = lamps_of(jobs)
    side = near(state.turn)
    other = across(side)
    rows = _calm(state.rows)
    if state.phase == "over":
        playing = rows
    else:
        plan = plan_of(state, choice)
        shown = _offered(state, plan) if (side, BELL) in jobs else (BLANK,) * (DICE - THROWN)
        playing = (*_dice(state, plan.marked), *shown)
    return {
        side: BoardView(playing, lamps[side]),
        other: BoardView(rows, lamps[other]),
        "deck": BoardView(lamps=lamps["deck"]),
    }


def flourish(before: State, events: Sequence[Event]) -> Flourish | None:
    """Thrown dice tumble; those that brought a tile stay for a moment, in full light if it was wanted."""
    told = {event.kind: event.data for event in events}
    side = near(before.turn)
    faces = list(before.dice)
    thrown: tuple[int, ...] = ()
    if "thrown" in told:
        thrown, showing = FREE[before.locked], told["thrown"]["faces"]
        for die, face in zip(thrown, showing if isinstance(showing, list | tuple) else (), strict=True):
            faces[die] = str(face)
    if ENDINGS & told.keys():
        style = glyphs.PLAIN if "tile_forced" in told else glyphs.GLOW
        codes = {die: glyphs.die_code(FACES[face], style) for die, face in enumerate(faces) if face}
        return Flourish({side: codes}, ENDED_MS)
    return Flourish({side: dict.fromkeys(thrown, ROLLING)}, TUMBLE_MS) if thrown else None


def page(state: State, choice: Choice) -> JSONObject:
    """The offers and which is marked, the dice marked, and whom and what a theft would hit.

    `offers` have `do` and, but for `on`, `kind`; a take has `place` and `tile`, a theft `from` and `any`.
    """
    plan = plan_of(state, choice)
    return {
        "offers": [_offer_json(state, offer) for offer in plan.offers],
        "option": plan.option if plan.offers else None,
        "marked": list(plan.marked),
        "victim": plan.victim,
        "position": plan.position,
    }


def world(state: State, seed: int, hand: Hand | None, settings: Mapping[str, object]) -> None:
    """Nothing happens at the bar that nobody does."""


# -- keys -----------------------------------------------------------------------------------------


def _mark_jobs(side: str, locked: Locked, plan: Plan) -> Iterator[tuple[Key, Job]]:
    for die in FREE[locked]:
        is_marked = die in plan.marked
        marked = tuple(sorted({*plan.marked} ^ {die}))
        yield (
            (side, KEEP1 + die),
            Job(
                "unmark" if is_marked else "mark",
                choice=choice_of(marked, plan.option, plan.victim),
                mode=glyphs.STEADY if is_marked else glyphs.LOW,
            ),
        )


def _position_jobs(side: str, state: State, plan: Plan) -> Iterator[tuple[Key, Job]]:
    """KEEP n is the n-th tile from the top; the last key goes on to those below it."""
    if plan.victim is None or plan.offer is None:
        return
    height = len(state.stacks[plan.victim][KINDS.index(plan.offer.kind)])
    for key in range(min(height, DICE)):
        position = key + 1
        chosen = plan.position == position or (position == DICE and plan.position > DICE)
        if chosen and position == DICE and plan.position < height:
            position = plan.position + 1
        choice = choice_of(plan.marked, plan.option, plan.victim, position)
        yield (side, KEEP1 + key), Job("tile", choice=choice, mode=glyphs.STEADY if chosen else glyphs.LOW)


def _taken(seat: int, plan: Plan) -> JSONObject | None:
    """The action of BELL, None while it has none."""
    offer = plan.offer
    if offer is None or offer.do == "on":
        return None
    if offer.do == "take":
        return {"do": "take", "seat": seat, "kind": offer.kind}
    if plan.victim is None:
        return None
    return {
        "do": "steal",
        "seat": seat,
        "kind": offer.kind,
        "from": plan.victim,
        "position": plan.position,
    }


# -- prompts --------------------------------------------------------------------------------------


def _choose_prompts(
    state: State, seats: Sequence[Seat], plan: Plan, by: Mapping[str, str]
) -> Iterator[Prompt]:
    offer = plan.offer
    locks = not is_last_throw(state)
    marks = locks and (offer is None or not offer.any)
    if offer is None or offer.do == "on":
        yield Prompt("bar_mark_only", by)
    elif offer.do == "take":
        tile = state.rows[KINDS.index(offer.kind)][offer.place]
        yield Prompt("bar_take", {**by, "kind": offer.kind, "tile": tile})
    elif plan.victim is None:
        robbed = [seats[victim].colour for victim in offer.victims]
        yield Prompt("bar_rob", {**by, "kind": offer.kind, "seats": robbed})
    else:
        on = seats[plan.victim].colour
        if offer.any:
            yield Prompt("bar_steal_any", {**by, "kind": offer.kind, "on": on, "position": plan.position})
            yield Prompt("bar_position")
        else:
            yield Prompt("bar_steal", {**by, "kind": offer.kind, "on": on})
    if marks and offer is not None and offer.do != "on":
        yield Prompt("bar_mark")
    if plan.marked:
        rest = len(FREE[state.locked]) - len(plan.marked)
        yield Prompt("bar_lock_throw", {"dice": rest}) if rest else Prompt("bar_lock_all")
    if len(plan.offers) > 1:
        yield Prompt("bar_next")


# -- pages and dice -------------------------------------------------------------------------------


def _offer_json(state: State, offer: Offer) -> JSONObject:
    if offer.do == "take":
        tile = state.rows[KINDS.index(offer.kind)][offer.place]
        return {"do": "take", "kind": offer.kind, "place": offer.place, "tile": tile}
    if offer.do == "steal":
        return {"do": "steal", "kind": offer.kind, "from": list(offer.victims), "any": offer.any}
    return {"do": offer.do}


def _dice(state: State, marked: tuple[int, ...]) -> tuple[int, ...]:
    """The five dice: those locked or marked at full light; dim while the others are about to be thrown."""
    if not state.throw:
        return (UNROLLED,) * THROWN
    free = glyphs.DIM if state.phase == "throw" else glyphs.PLAIN
    return tuple(
        UNROLLED
        if face is None
        else glyphs.die_code(FACES[face], glyphs.KEPT if is_locked or die in marked else free)
        for die, (face, is_locked) in enumerate(zip(state.dice, state.locked, strict=True))
    )


def _offered(state: State, plan: Plan) -> tuple[int, ...]:
    """How, what and what it is worth, in three dice."""
    offer = plan.offer
    if offer is None or offer.do == "on":
        return (BLANK,) * (DICE - THROWN)
    which = KINDS.index(offer.kind)
    tile: int | None = None
    if offer.do == "take":
        how, tile = glyphs.GLYPHS["arrow"], state.rows[which][offer.place]
    else:
        how = FACES[CHOPSTICKS[offer.kind]]
        if plan.victim is not None and plan.position == 1:
            tile = state.stacks[plan.victim][which][-1]
    return (
        glyphs.die_code(how, glyphs.PLAIN),
        glyphs.die_code(FACES[offer.kind], glyphs.PLAIN),
        _worth(tile, glyphs.PLAIN),
    )


@lru_cache(REMEMBERED)
def _calm(rows: Tiles) -> tuple[int, ...]:
    """For each row its kind, its best tile among the first five, and the place of that."""
    return tuple(code for kind, row in zip(KINDS, rows, strict=True) for code in _best(kind, row[:THROWN]))


def _best(kind: str, row: tuple[int, ...]) -> tuple[int, ...]:
    if not row:
        return (BLANK,) * 4
    best = max(row)
    return calm(kind), _worth(best, glyphs.DIM), BLANK, calm(str(row.index(best) + 1))


def _worth(tile: int | None, style: int) -> int:
    """The digit of a tile; blank if it is covered, or has two."""
    if tile is None or abs(tile) > 9:
        return BLANK
    return glyphs.die_code(glyphs.GLYPHS[str(abs(tile))], style)
