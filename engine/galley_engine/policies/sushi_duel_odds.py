"""How many throws a platter of the sushi duel may take: exact odds for the two kinds of platter there are.

A throw re-rolls every die that is not held. Nobody calls Yuck in this reckoning.

*Uniform*: every die either shows the ingredient (or a star) or not, independent of the others. So the
number of throws is the largest of independent geometric variables, and its mean a short sum.

*Combo*: dice get in each other's way, and it matters which die holds an ingredient, because only star dice
can show the star. But one ingredient is as good as another, so what one holds is three counts, a *hold*:
stars, ingredients on star dice, ingredients on yuck dice. The mean from each hold, always choosing the best
next hold among all that the dice offer (dice held before may be freed), solves a small system of equations.
It is solved by repeated substitution (value iteration), starting below the solution, until nothing changes
by more than 1e-9.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import product
from math import inf
from typing import NamedTuple

DICE = 6
FACES = 6
INGREDIENTS = 5
TOLERANCE = 1e-9


class Hold(NamedTuple):
    """What is held for a combo, or could be: counts of dice."""

    stars: int
    on_star_dice: int  # ingredients
    on_yuck_dice: int  # other ingredients


@cache
def slowest_mean(*groups: tuple[int, int]) -> float:
    """Mean throws until every die has fitted once; each group is (dice, faces of six that fit).

    Infinite if a die cannot fit. Terms below TOLERANCE are left out.
    """
    if any(dice and not fitting for dice, fitting in groups):
        return inf
    mean, throws = 0.0, 0
    while True:
        done = 1.0
        for dice, fitting in groups:
            done *= (1 - (1 - fitting / FACES) ** throws) ** dice
        if 1 - done < TOLERANCE:
            return mean
        mean += 1 - done
        throws += 1


def uniform_throws(star_dice: int, yuck_dice: int) -> float:
    """Mean throws to bring so many free dice to one ingredient; a star die has two fitting faces of six."""
    return slowest_mean((star_dice, 2), (yuck_dice, 1))


@cache
def combo_throws(star_dice: int, yuck_dice: int) -> Mapping[Hold, float]:
    """Mean throws to a combo from every hold of a set with so many dice of the two kinds (six in all)."""
    holds = [
        Hold(stars, on_star, on_yuck)
        for stars, on_star, on_yuck in product(
            range(star_dice + 1), range(star_dice + 1), range(yuck_dice + 1)
        )
        if stars + on_star <= star_dice and on_star + on_yuck <= INGREDIENTS
    ]
    throws = {hold: _after_a_throw(hold, star_dice, yuck_dice) for hold in holds if sum(hold) < DICE}
    within = {offer: holds_within(offer, holds) for offers in throws.values() for offer in offers}
    mean = dict.fromkeys(holds, 0.0)
    change = 1.0
    while change > TOLERANCE:
        best = {offer: min(mean[hold] for hold in choices) for offer, choices in within.items()}
        after = {hold: 1 + sum(p * best[offer] for offer, p in throws[hold].items()) for hold in throws}
        change = max(after[hold] - mean[hold] for hold in after)
        mean.update(after)
    return mean


def holds_within(offer: Hold, holds: Iterable[Hold]) -> list[Hold]:
    """The holds that one can choose from dice that show `offer`."""
    return [hold for hold in holds if all(held <= shown for held, shown in zip(hold, offer, strict=True))]


def _after_a_throw(hold: Hold, star_dice: int, yuck_dice: int) -> Mapping[Hold, float]:
    """What all dice together offer after the free ones were thrown, and how likely that is.

    An ingredient that both kinds of dice show counts for the yuck dice: they can do nothing better.
    """
    last = INGREDIENTS  # the sixth face: a star, or a Yuck
    on_star_dice = frozenset(range(hold.on_star_dice))
    on_yuck_dice = frozenset(range(hold.on_star_dice, hold.on_star_dice + hold.on_yuck_dice))
    star_side = Counter(
        (hold.stars + faces.count(last), on_star_dice.union(faces) - {last})
        for faces in product(range(FACES), repeat=star_dice - hold.stars - hold.on_star_dice)
    )
    yuck_side = Counter(
        on_yuck_dice.union(faces) - {last}
        for faces in product(range(FACES), repeat=yuck_dice - hold.on_yuck_dice)
    )
    ways: Counter[Hold] = Counter()
    for (stars, star_shown), star_ways in star_side.items():
        for yuck_shown, yuck_ways in yuck_side.items():
            ways[Hold(stars, len(star_shown - yuck_shown), len(yuck_shown))] += star_ways * yuck_ways
    return {offer: count / ways.total() for offer, count in ways.items()}
