"""How the bots play the sushi bar.

A turn brings one tile. What each possible tile is worth to the seat is the position's matter (a Worth), how
to come by the best one is the dice's (`sushi_bar_turn`). Strengths differ in what they think a position is
worth, and in whether they know the odds; that is the table POLICIES.

Points now are a poor measure: a sushi counts nothing until a bone is beside it, and then all at once. So
sushi above the height of the bones count in part, as *hopes*. For `best` what the others hope counts
against the seat, and it knows where the game ends. Every tile once lay open, so the covered ones are no
secret to who remembers; the state has them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from galley_engine.game import Chance, JSONObject
from galley_engine.games import sushi_bar as bar
from galley_engine.games.sushi_bar import DICE, FACES, FREE, KINDS, State, Tiles
from galley_engine.policies.sushi_bar_turn import Counts, Turn

Worth: TypeAlias = Callable[[Tiles, tuple[Tiles, ...], int], float]
"""What a position is worth to a seat that has just got a tile: from the rows, the stacks, and the seat."""


class BarPolicy:
    """A player of the sushi bar who decides in a given way."""

    def __init__(self, decide: Callable[[State, int, Chance], JSONObject]) -> None:
        self._decide = decide

    def choose(self, state: State, seat: int, chance: Chance, sight: object = None) -> JSONObject | None:
        """The action that `seat` would do now, without outcomes, or None."""
        if state.phase == "over" or seat != state.turn:
            return None
        if state.phase == "throw":
            return {"do": "throw", "seat": seat}
        return self._decide(state, seat, chance)


# --- Without odds ---------------------------------------------------------------------------------


def any_move(state: State, seat: int, chance: Chance) -> JSONObject:
    """Anything that is allowed."""
    return chance.die(bar.moves(state, seat, 0))


def first_gain(state: State, seat: int, chance: Chance) -> JSONObject:
    """The first tile that brings points at once; else throw on, and keep what most dice show."""
    offers = _offers(state.rows, state.stacks, seat, own_hopes)
    best = _best_offer(state, seat, offers)
    if bar.is_last_throw(state):
        assert best is not None
        return best.action
    if best is not None and best.worth > own_hopes(state.rows, state.stacks, seat):
        return best.action
    free = FREE[state.locked]
    face = max(FACES, key=state.dice.count)
    kept = [die for die in free if state.dice[die] == face]
    return {"do": "lock", "seat": seat, "dice": kept or [free[0]]}


# --- With odds ------------------------------------------------------------------------------------


class Offer(NamedTuple):
    """A tile that a result of the dice brings, and what the position is worth then."""

    action: JSONObject
    worth: float


class Offers(NamedTuple):
    """All that a turn can bring, for each kind (in the order of KINDS)."""

    take: tuple[tuple[Offer, ...], ...]  # by the number of dice, from 1
    top: tuple[Offer | None, ...]  # the best top tile to steal, None if nobody has one
    any: tuple[Offer | None, ...]  # the best tile to steal
    forced: float


def _offers(rows: Tiles, stacks: tuple[Tiles, ...], seat: int, worth: Worth) -> Offers:
    """What each result of the seat's turn would be worth."""
    takes, tops, anys = [], [], []
    for which, kind in enumerate(KINDS):
        takes.append(
            tuple(
                Offer(
                    {"do": "take", "seat": seat, "kind": kind},
                    worth(*_taken(rows, stacks, seat, which, place), seat),
                )
                for place in range(min(DICE, len(rows[which])))
            )
        )
        steals = [
            Offer(
                {"do": "steal", "seat": seat, "kind": kind, "from": victim, "position": position},
                worth(rows, _stolen(stacks, seat, which, victim, position), seat),
            )
            for victim in range(len(stacks))
            if victim != seat
            for position in range(1, len(stacks[victim][which]) + 1)
        ]
        reachable = [steal for steal in steals if steal.action["position"] == 1]
        tops.append(max(reachable, key=_worth, default=None))
        anys.append(max(steals, key=_worth, default=None))
    kind, place = bar.forced_tile(rows)
    forced = worth(*_taken(rows, stacks, seat, KINDS.index(kind), place), seat)
    return Offers(tuple(takes), tuple(tops), tuple(anys), forced)


def _worth(offer: Offer) -> float:
    return offer.worth


def _best_of(offers: Offers, counts: Counts) -> Offer | None:
    """The best tile for dice that show these counts of FACES, None if there is none."""
    best = None
    for which in range(len(KINDS)):
        shown, sticks = counts[which], counts[which + len(KINDS)]
        takes = offers.take[which]
        found = [takes[shown - 1]] if 0 < shown <= len(takes) else []
        steal = offers.any[which] if sticks > 3 else offers.top[which] if sticks == 3 else None
        if steal is not None:
            found.append(steal)
        for offer in found:
            if best is None or offer.worth > best.worth:
                best = offer
    return best


def _best_offer(state: State, seat: int, offers: Offers) -> Offer | None:
    one, two, three, four = (state.dice.count(face) for face in FACES)
    return _best_of(offers, (one, two, three, four))


class _Plan(NamedTuple):
    offers: Offers
    turn: Turn


def planner(worth: Worth) -> Callable[[State, int, Chance], JSONObject]:
    """Decides by the exact odds of the turn for what tiles are worth to the seat."""

    @lru_cache(maxsize=64)
    def plan(throws: int, rows: Tiles, stacks: tuple[Tiles, ...], seat: int) -> _Plan:
        offers = _offers(rows, stacks, seat, worth)

        def result(counts: Counts) -> float:
            best = _best_of(offers, counts)
            return offers.forced if best is None else best.worth

        return _Plan(offers, Turn(throws, result))

    def decide(state: State, seat: int, chance: Chance) -> JSONObject:
        offers, turn = plan(state.options.throws, state.rows, state.stacks, seat)
        left = 0 if bar.is_last_throw(state) else state.options.throws - state.throw
        free = FREE[state.locked]
        thrown = _counts(state, free)
        locked = _counts(state, tuple(die for die in range(DICE) if die not in free))
        choice = turn.choose(left, locked, thrown)
        best = _best_offer(state, seat, offers)
        if choice.lock is None and best is not None:
            return best.action
        return {"do": "lock", "seat": seat, "dice": _dice(state, free, choice.lock or thrown)}

    return decide


def _counts(state: State, dice: tuple[int, ...]) -> Counts:
    shown = [state.dice[die] for die in dice]
    one, two, three, four = (shown.count(face) for face in FACES)
    return one, two, three, four


def _dice(state: State, free: tuple[int, ...], wanted: Counts) -> list[int]:
    """The dice to lock, the first that show what is wanted."""
    found: list[int] = []
    for face, count in zip(FACES, wanted, strict=True):
        found += [die for die in free if state.dice[die] == face][:count]
    return sorted(found)


def _taken(
    rows: Tiles, stacks: tuple[Tiles, ...], seat: int, which: int, place: int
) -> tuple[Tiles, tuple[Tiles, ...]]:
    """Rows and stacks after the seat took a tile of a row."""
    row = rows[which]
    return (
        _with(rows, which, row[:place] + row[place + 1 :]),
        _given(stacks, seat, which, (*stacks[seat][which], row[place])),
    )


def _stolen(
    stacks: tuple[Tiles, ...], seat: int, which: int, victim: int, position: int
) -> tuple[Tiles, ...]:
    """Stacks after the seat stole a tile, `position` from the top."""
    stack = stacks[victim][which]
    place = len(stack) - position
    robbed = _given(stacks, victim, which, stack[:place] + stack[place + 1 :])
    return _given(robbed, seat, which, (*stacks[seat][which], stack[place]))


def _with(tiles: Tiles, which: int, changed: tuple[int, ...]) -> Tiles:
    return Tiles(tiles.sushi, changed) if which else Tiles(changed, tiles.bone)


def _given(stacks: tuple[Tiles, ...], seat: int, which: int, changed: tuple[int, ...]) -> tuple[Tiles, ...]:
    return (*stacks[:seat], _with(stacks[seat], which, changed), *stacks[seat + 1 :])


# --- What a position is worth ---------------------------------------------------------------------


def own_hopes(rows: Tiles, stacks: tuple[Tiles, ...], seat: int) -> float:
    """The seat's points now and half of the sushi that wait for bones; nothing about the others."""
    counted = bar.count(stacks[seat])
    return counted.score + sum(counted.given_up) / 2


def expected_lead(rows: Tiles, stacks: tuple[Tiles, ...], seat: int) -> float:
    """What the seat may hope for, less what the others may: half the best of them, half their mean."""
    tiles = len(rows.sushi) + len(rows.bone)
    hopes = [_hope(stack, tiles) for stack in stacks]
    mine = hopes.pop(seat)
    return mine - (max(hopes) + sum(hopes) / len(hopes)) / 2


def _hope(stack: Tiles, tiles: int) -> float:
    """What a seat may expect of its stacks at the end, with so many tiles in the rows."""
    counted = bar.count(stack)
    if not tiles:
        return counted.score
    return counted.score + WAITING * sum(counted.given_up)


WAITING: Final = 0.7
"""What a sushi that waits for a bone counts before the end; the best tried in games against `good`."""


# --- The strengths --------------------------------------------------------------------------------

POLICIES: Mapping[str, BarPolicy] = {
    "random": BarPolicy(any_move),
    "easy": BarPolicy(first_gain),
    "good": BarPolicy(planner(own_hopes)),
    "best": BarPolicy(planner(expected_lead)),
}
