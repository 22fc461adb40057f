"""The odds of the sushi duel: how many throws a platter may take, for the two kinds of platter there are.

A throw re-rolls every die that is not held. Nobody calls Yuck in this reckoning.

*Uniform*: every die either shows the ingredient (or a star) or not, independent of the others. So the
number of throws is the largest of independent geometric variables, and its mean a short sum.

*Combo*: dice get in each other's way, and it matters which die holds an ingredient, because only star dice
can show the star. But one ingredient is as good as another, so what one holds is three counts, a *hold*:
stars, ingredients on star dice, ingredients on yuck dice. The mean from each hold, always choosing the best
next hold among all that the dice offer (dice held before may be freed), solves a small system of equations.
It is solved by repeated substitution (value iteration), starting below the solution, until nothing changes
by more than 1e-14.

    platter_odds("shrimp", faces, star_dice=3)     the dice to hold, the chance of the next throw, mean throws
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import product
from math import comb, inf
from typing import Final, NamedTuple

from galley_engine.game import JSONObject
from galley_engine.games.sushi_duel_setup import options as options_in_force
from galley_engine.games.sushi_duel_state import STAR, YUCK
from galley_engine.given import Given, listed, shown
from galley_engine.odds import BadQuestion, Field

DICE = 6
FACES = 6
INGREDIENTS = 5
TOLERANCE = 1e-14
COMBO: Final = "combo"
UNROLLED: Final = "-"


class Hold(NamedTuple):
    """What is held for a combo, or could be: counts of dice."""

    stars: int
    on_star_dice: int  # ingredients
    on_yuck_dice: int  # other ingredients


class PlatterOdds(NamedTuple):
    """The way to a platter: dice to hold, the chance that the next throw completes it, mean throws."""

    held: frozenset[int]
    chance: float
    throws: float


def platter_odds(platter: str, faces: Sequence[str | None], star_dice: int) -> PlatterOdds:
    """For a platter of six times one ingredient, or for COMBO, from six dice, of which the first are star
    dice.

    The hold is the one of the fewest throws.
    """
    return combo_odds(faces, star_dice) if platter == COMBO else uniform_odds(platter, faces, star_dice)


# --- Uniform platters -----------------------------------------------------------------------------


def uniform_odds(ingredient: str, faces: Sequence[str | None], star_dice: int) -> PlatterOdds:
    """All dice that show the ingredient or a star are held."""
    held = frozenset(die for die in range(DICE) if faces[die] in (ingredient, STAR))
    on_star_dice = star_dice - sum(die < star_dice for die in held)
    on_yuck_dice = DICE - star_dice - sum(die >= star_dice for die in held)
    chance = (2 / FACES) ** on_star_dice * (1 / FACES) ** on_yuck_dice
    return PlatterOdds(held, chance, uniform_throws(on_star_dice, on_yuck_dice))


def uniform_throws(star_dice: int, yuck_dice: int) -> float:
    """Mean throws to bring so many free dice to one ingredient; a star die has two fitting faces of six."""
    return slowest_mean((star_dice, 2), (yuck_dice, 1))


@cache
def slowest_mean(*groups: tuple[int, int]) -> float:
    """Mean throws until every die has fitted once; each group is (dice, faces of six that fit).

    Infinite if a die cannot fit. By inclusion and exclusion: of all sets of dice, the mean until one fits.
    """
    if any(dice and not fitting for dice, fitting in groups):
        return inf
    mean = 0.0
    for counts in product(*(range(dice + 1) for dice, _ in groups)):
        none_fits, sets = 1.0, 1
        for count, (dice, fitting) in zip(counts, groups, strict=True):
            none_fits *= (1 - fitting / FACES) ** count
            sets *= comb(dice, count)
        if any(counts):
            mean += (sets if sum(counts) % 2 else -sets) / (1 - none_fits)
    return mean


# --- Combos ---------------------------------------------------------------------------------------


def combo_odds(faces: Sequence[str | None], star_dice: int) -> PlatterOdds:
    """The best hold that the dice offer; of two dice with the same ingredient rather the yuck die."""
    stars = [die for die in range(DICE) if faces[die] == STAR]
    on_yuck = _one_of_each(faces, range(star_dice, DICE), set())
    on_star = _one_of_each(faces, range(star_dice), {faces[die] for die in on_yuck})
    throws = combo_throws(star_dice, DICE - star_dice)
    offer = Hold(len(stars), len(on_star), len(on_yuck))
    hold = min(holds_within(offer, throws), key=throws.__getitem__)
    held = stars[: hold.stars] + on_star[: hold.on_star_dice] + on_yuck[: hold.on_yuck_dice]
    return PlatterOdds(frozenset(held), combo_chance(hold, star_dice, DICE - star_dice), throws[hold])


def _one_of_each(faces: Sequence[str | None], among: Iterable[int], taken: set[str | None]) -> list[int]:
    """The first die of those `among` for each ingredient that is not `taken`."""
    first: dict[str | None, int] = {}
    for die in among:
        if faces[die] not in (None, STAR, YUCK, *taken):
            first.setdefault(faces[die], die)
    return list(first.values())


def combo_chance(hold: Hold, star_dice: int, yuck_dice: int) -> float:
    """The chance that the next throw from a hold completes the combo; 1 if it is complete."""
    if sum(hold) == DICE:
        return 1.0
    after = offers(star_dice, yuck_dice)[hold]
    return sum(chance for offer, chance in after.items() if sum(offer) == DICE)


@cache
def combo_throws(star_dice: int, yuck_dice: int) -> Mapping[Hold, float]:
    """Mean throws to a combo from every hold of a set with so many dice of the two kinds (six in all)."""
    throws = offers(star_dice, yuck_dice)
    holds = _holds(star_dice, yuck_dice)
    within = {offer: holds_within(offer, holds) for after in throws.values() for offer in after}
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


def _holds(star_dice: int, yuck_dice: int) -> list[Hold]:
    """All there are."""
    counts = product(range(star_dice + 1), range(star_dice + 1), range(yuck_dice + 1))
    return [
        Hold(stars, on_star, on_yuck)
        for stars, on_star, on_yuck in counts
        if stars + on_star <= star_dice and on_star + on_yuck <= INGREDIENTS
    ]


@cache
def offers(star_dice: int, yuck_dice: int) -> Mapping[Hold, Mapping[Hold, float]]:
    """For each hold that is not complete, what all dice offer after a throw, and how likely that is."""
    holds = _holds(star_dice, yuck_dice)
    return {hold: _after_a_throw(hold, star_dice, yuck_dice) for hold in holds if sum(hold) < DICE}


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


# --- Questions ------------------------------------------------------------------------------------

_NORMAL = options_in_force({})
PLATTERS: Final = (*_NORMAL.ingredients, COMBO)

fields: Mapping[str, Field] = {
    "dice": Field("words", 'what the six dice show, star dice first; "-" is unrolled, as all are if unsaid'),
    "platters": Field("words", f"the visible platters: {listed(PLATTERS)} (all kinds, if unsaid)"),
}

_question = Given(BadQuestion, "question")


def ask(given: Mapping[str, object]) -> JSONObject:
    """For each platter the chance of the next throw, the mean throws and the dice to hold for them.

    Raises BadQuestion.
    """
    _question.mapping(given, "", fields)
    shows = _question.sequence(given.get("dice", [UNROLLED] * DICE), "dice", DICE)
    faces = [_face(face, die) for die, face in enumerate(shows)]
    platters = [
        _question.word(platter, f"platters.{place}", PLATTERS)
        for place, platter in enumerate(_question.sequence(given.get("platters", PLATTERS), "platters"))
    ]
    found = {platter: platter_odds(platter, faces, _NORMAL.star_dice) for platter in platters}
    return {
        "platters": [
            {
                "platter": platter,
                "chance": found[platter].chance,
                "throws": found[platter].throws,
                "hold": sorted(found[platter].held),
            }
            for platter in platters
        ]
    }


def _face(value: object, die: int) -> str | None:
    faces = _NORMAL.dice[die]
    if value is None or value == UNROLLED:
        return None
    if not isinstance(value, str) or value not in faces:
        raise BadQuestion(f"dice.{die}", f"is {shown(value)}, this die shows {listed(faces)}, or {UNROLLED}")
    return value
