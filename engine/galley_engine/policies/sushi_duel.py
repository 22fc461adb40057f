"""How the bots play the sushi duel.

A duelist makes a *plan* for each visible platter, the dice to hold and the throws it may still take, and
follows the one with the fewest: rings when a platter is complete, sets aside and frees dice until just
those of the plan are held, rolls. Strengths differ in how they plan, in how often they call what they see,
and in how often they act on a whim; that is the table HABITS.

Between two rolls a plan depends only on the faces shown, so a bot comes to its roll after six keeps at
most. Whims are the exception, and chance ends them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from galley_engine.game import Chance, JSONObject
from galley_engine.games import sushi_duel as duel
from galley_engine.games.sushi_duel import STAR, YUCK, Platter, State, Station
from galley_engine.policies.sushi_duel_odds import (
    DICE,
    Hold,
    combo_throws,
    holds_within,
    slowest_mean,
    uniform_throws,
)


class Plan(NamedTuple):
    """For one platter: the mean throws it may take (or what ranks platters too), and the dice to hold."""

    throws: float
    held: frozenset[int]


Planner = Callable[[int, Platter, Station], Plan]
"""Makes the plan for a platter; the int is the number of star dice, which are the first dice of a station."""


class Habits(NamedTuple):
    """What makes a strength; the last two in percent."""

    planner: Planner
    calls: int  # how often he calls a Yuck or a mate that he could call
    whims: int  # how often a duelist does any allowed thing instead


class DuelPolicy:
    """A player of the sushi duel with given habits."""

    def __init__(self, habits: Habits) -> None:
        self.habits = habits

    def choose(self, state: State, seat: int, chance: Chance) -> JSONObject | None:
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
    if duel.shows_yuck(other) and _happens(habits.calls, chance):
        return {"do": "yuck", "seat": seat}
    if _happens(habits.whims, chance):
        return chance.die(duel.moves(state, seat, _AT_LAST_MS))
    return _follow_plan(habits.planner, state, seat, mine)


def _follow_plan(planner: Planner, state: State, seat: int, mine: Station) -> JSONObject | None:
    star_dice = state.options.star_dice
    plans = [planner(star_dice, platter, mine) for platter in state.visible]
    if not plans:
        return None
    held = min(plans, key=lambda plan: plan.throws).held
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
    if _is_uniform(platter):
        held = _fitting(star_dice, platter, mine)
        free = [die < star_dice for die in range(DICE) if die not in held]
        return Plan(uniform_throws(free.count(True), free.count(False)), held)
    if _is_combo(platter):
        return _combo_plan(star_dice, mine)
    return independent_odds(star_dice, platter, mine)


def _combo_plan(star_dice: int, mine: Station) -> Plan:
    stars = [die for die in range(DICE) if mine.faces[die] == STAR]
    on_yuck = _one_of_each(mine, range(star_dice, DICE), set())
    on_star = _one_of_each(mine, range(star_dice), {mine.faces[die] for die in on_yuck})
    throws = combo_throws(star_dice, DICE - star_dice)
    offer = Hold(len(stars), len(on_star), len(on_yuck))
    hold = min(holds_within(offer, throws), key=throws.__getitem__)
    held = stars[: hold.stars] + on_star[: hold.on_star_dice] + on_yuck[: hold.on_yuck_dice]
    return Plan(throws[hold], frozenset(held))


def _one_of_each(mine: Station, among: Iterable[int], taken: set[str | None]) -> list[int]:
    """The first die of those `among` for each ingredient that is not `taken`."""
    first: dict[str | None, int] = {}
    for die in among:
        if mine.faces[die] not in (None, STAR, YUCK, *taken):
            first.setdefault(mine.faces[die], die)
    return list(first.values())


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
    "best": Habits(exact_odds, calls=100, whims=0),
}

POLICIES: Mapping[str, DuelPolicy] = {strength: DuelPolicy(habits) for strength, habits in HABITS.items()}
