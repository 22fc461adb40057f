"""How the bots play the sushi duel.

A duelist makes a *plan* for each visible platter, the dice to hold and the throws it may still take, and
follows the one with the fewest: rings when a platter is complete, sets aside and frees dice until just
those of the plan are held, rolls. Strengths differ in how they plan, in how often they call what they see,
and in how often they act on a whim; that is the table HABITS.

Between two rolls a plan depends only on the faces shown, so a bot comes to its roll after six keeps at
most. Whims are the exception, and chance ends them.

The best reckons in actions, not in throws alone, because each takes its time: dice to set aside and to free
count too, and a call is only worth it when it throws the opponent back by more than it costs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from galley_engine.game import Chance, JSONObject
from galley_engine.games import sushi_duel as duel
from galley_engine.games.sushi_duel import STAR, Platter, State, Station
from galley_engine.odds.sushi_duel import COMBO, DICE, platter_odds, slowest_mean


class Plan(NamedTuple):
    """For one platter: the mean throws it may take (or what ranks platters too), and the dice to hold."""

    throws: float
    held: frozenset[int]


Planner = Callable[[int, Platter, Station], Plan]
"""Makes the plan for a platter; the int is the number of star dice, which are the first dice of a station."""


class Habits(NamedTuple):
    """What makes a strength."""

    planner: Planner
    calls: int  # how often he calls a Yuck or a mate that he could call, in percent
    whims: int  # how often a duelist does any allowed thing instead, in percent
    reckons: bool = False  # whether he counts actions, and weighs what a call is worth


class DuelPolicy:
    """A player of the sushi duel with given habits."""

    def __init__(self, habits: Habits) -> None:
        self.habits = habits

    def choose(self, state: State, seat: int, chance: Chance, sight: object = None) -> JSONObject | None:
        """The action that `seat` would do now, without outcomes, or None."""
        decide = _DECISIONS.get(state.phase)
        return decide(self.habits, state, seat, chance) if decide is not None else None


# --- What there is to decide ----------------------------------------------------------------------


def _any_move(habits: Habits, state: State, seat: int, chance: Chance) -> JSONObject | None:
    """To challenge, to be ready, to choose, to share: one way is as good as another."""
    if seat in duel.ready_seats(state):
        return None
    moves = duel.moves(state, seat, _AT_LAST_MS)
    return chance.die(moves) if moves else None


def _in_the_duel(habits: Habits, state: State, seat: int, chance: Chance) -> JSONObject | None:
    side = duel.side_of(state, seat)
    if side is None:
        both = all(map(duel.shows_yuck, state.stations))
        return {"do": "mate", "seat": seat} if both and _happens(habits.calls, chance) else None
    if duel.complete_platters(state, side):
        return {"do": "bell", "seat": seat}
    mine, other = duel.mine_and_other(state, seat)
    if duel.shows_yuck(other) and _happens(habits.calls, chance) and _worth_a_call(habits, state, other):
        return {"do": "yuck", "seat": seat}
    if _happens(habits.whims, chance):
        return chance.die(duel.moves(state, seat, _AT_LAST_MS))
    return _follow_plan(habits, state, seat, mine)


def _worth_a_call(habits: Habits, state: State, other: Station) -> bool:
    """Whether a call throws the opponent back far enough; who does not reckon always thinks so."""
    if not habits.reckons or not state.visible:
        return True
    star_dice = state.options.star_dice
    now = min(actions_left(habits.planner(star_dice, platter, other), other) for platter in state.visible)
    return _actions_from_scratch(habits.planner, star_dice, state.visible) - now > WORTH_A_CALL


def _follow_plan(habits: Habits, state: State, seat: int, mine: Station) -> JSONObject | None:
    plans = [habits.planner(state.options.star_dice, platter, mine) for platter in state.visible]
    if not plans:
        return None
    held = min(plans, key=lambda plan: actions_left(plan, mine) if habits.reckons else plan.throws).held
    for die in range(DICE):
        if mine.kept[die] != (die in held):
            return {"do": "keep", "seat": seat, "die": die}
    return {"do": "roll", "seat": seat}


def _happens(percent: int, chance: Chance) -> bool:
    return chance.die(range(100)) < percent


_AT_LAST_MS = 1 << 62  # policies know no time: late enough for every wait to be over

_DECISIONS: Mapping[str, Callable[[Habits, State, int, Chance], JSONObject | None]] = {
    "challenge": _any_move,
    "ready": _any_move,
    "duel": _in_the_duel,
    "choose": _any_move,
    "share": _any_move,
}

# --- Plans ----------------------------------------------------------------------------------------

KEEPS_TO_COME = 0.5
"""Keeps for each die still missing: half of them come with the last throw, after which one rings."""

WORTH_A_CALL = 3
"""Actions by which a call must throw back. It costs one; 2 to 4 were tried over 600 games, 3 won most."""


def actions_left(plan: Plan, station: Station) -> float:
    """The mean actions to the end of a plan, about: throws, dice to set aside or free now, keeps to come."""
    turned = sum(kept != (die in plan.held) for die, kept in enumerate(station.kept))
    return plan.throws + turned + KEEPS_TO_COME * (DICE - len(plan.held))


@lru_cache(maxsize=256)
def _actions_from_scratch(planner: Planner, star_dice: int, visible: tuple[Platter, ...]) -> float:
    unrolled = Station(None, (None,) * DICE, (False,) * DICE)
    return min(actions_left(planner(star_dice, platter, unrolled), unrolled) for platter in visible)


def fewest_missing(star_dice: int, platter: Platter, mine: Station) -> Plan:
    """Hold all that fits; the platter that lacks the fewest symbols is the nearest."""
    held = _fitting(star_dice, platter, mine)
    return Plan(_size(platter) - len(held), held)


def independent_odds(star_dice: int, platter: Platter, mine: Station) -> Plan:
    """Hold all that fits; throws as if the dice still needed fitted independently of each other.

    Exact for a uniform platter. Too hopeful for a combo, where two dice may show the same ingredient.
    """
    held = _fitting(star_dice, platter, mine)
    shown = [mine.faces[die] for die in held]
    wanted = sum(symbol != STAR and shown.count(symbol) < need for symbol, need in platter)
    chances = sorted((wanted + (die < star_dice) for die in range(DICE) if die not in held), reverse=True)
    needed = chances[: _size(platter) - len(held)]
    return Plan(slowest_mean(*((needed.count(fitting), fitting) for fitting in sorted(set(needed)))), held)


def exact_odds(star_dice: int, platter: Platter, mine: Station) -> Plan:
    """The true mean throws, and the best dice to hold; for a platter that is neither kind, as above."""
    if _is_uniform(platter) or _is_combo(platter):
        kind = COMBO if _is_combo(platter) else platter[0][0]
        odds = platter_odds(kind, mine.faces, star_dice)
        return Plan(odds.throws, odds.held)
    return independent_odds(star_dice, platter, mine)


def _fitting(star_dice: int, platter: Platter, mine: Station) -> frozenset[int]:
    """Dice that can be held together: stars, then what fits on yuck dice, then on star dice.

    Of the star dice enough stay free for the platter's own stars, or it could never be completed.
    """
    need = dict(platter)
    size = _size(platter)
    held = [die for die in range(star_dice) if mine.faces[die] == STAR][:size]
    spare_star_dice = star_dice - max(need.pop(STAR, 0), len(held))
    for die in reversed(range(DICE)):
        face = mine.faces[die]
        if face is None or not need.get(face) or len(held) == size:
            continue
        if die < star_dice:
            if not spare_star_dice:
                continue
            spare_star_dice -= 1
        need[face] -= 1
        held.append(die)
    return frozenset(held)


def _size(platter: Platter) -> int:
    return sum(need for _, need in platter)


def _is_uniform(platter: Platter) -> bool:
    return len(platter) == 1 and platter[0][0] != STAR and platter[0][1] == DICE


def _is_combo(platter: Platter) -> bool:
    return len(platter) == DICE and all(need == 1 for _, need in platter)


# --- The strengths --------------------------------------------------------------------------------

HABITS: Mapping[str, Habits] = {
    "random": Habits(fewest_missing, calls=25, whims=50),
    "easy": Habits(fewest_missing, calls=25, whims=0),
    "good": Habits(independent_odds, calls=75, whims=0),
    "best": Habits(exact_odds, calls=100, whims=0, reckons=True),
}

POLICIES: Mapping[str, DuelPolicy] = {strength: DuelPolicy(habits) for strength, habits in HABITS.items()}
