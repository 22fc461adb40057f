"""The odds of the sushi bar: the chance of so many of a kind from any moment of a turn, and how to get it.

For one kind a die is a hit or not, so a moment of a turn is three numbers: hits locked, other dice locked,
and the throws to come. After each throw the best is taken of all ways to lock at least one die; to lock all
is to stop. All in fractions, so exact.

    chance("sushi", Goal(3, exact=True))                                    Fraction(360980, 531441)
    chance("sushi", Goal(3, exact=False), ["sushi", "bone"], throw=2)       with two dice locked, throw 2 next

A player is taken to want the goal and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb
from typing import Final, NamedTuple

from galley_engine.game import JSONObject
from galley_engine.games.sushi_bar_state import DICE, DIE, FACES
from galley_engine.given import Given, listed
from galley_engine.odds import BadQuestion, Field

THROWS: Final = 3
"""The throws of a turn, unless an option of the game says otherwise."""


class Goal(NamedTuple):
    """So many dice of the kind: just so many, or at least."""

    wanted: int
    exact: bool

    def met(self, hits: int) -> bool:
        """Whether so many dice of the kind will do."""
        return hits == self.wanted if self.exact else hits >= self.wanted


class Choice(NamedTuple):
    """Dice to lock after a throw, by their places among those thrown, and the chance then."""

    lock: tuple[int, ...]
    chance: Fraction


def chance(
    kind: str, goal: Goal, locked: Sequence[str] = (), throw: int = 1, throws: int = THROWS
) -> Fraction:
    """The chance to end the turn with the goal, when throw number `throw` comes next.

    `locked` are the faces of the dice that are set aside; with all five nothing is thrown any more.
    """
    hits = sum(face == kind for face in locked)
    return _next_throw(_sides(kind), goal, throws - throw, hits, len(locked) - hits)


def choices(
    kind: str, goal: Goal, locked: Sequence[str], dice: Sequence[str], throw: int, throws: int = THROWS
) -> list[Choice]:
    """What one may lock after throw number `throw` shows `dice`, best first; of equals the fewest dice.

    After the last throw there is nothing to choose. Of dice that show the same face the first are taken.
    """
    if throw >= throws:
        return []
    ways: dict[tuple[str, ...], tuple[int, ...]] = {}
    for size in range(1, len(dice) + 1):
        for some in combinations(range(len(dice)), size):
            ways.setdefault(tuple(sorted(dice[die] for die in some)), some)
    found = [
        Choice(some, chance(kind, goal, [*locked, *faces], throw + 1, throws)) for faces, some in ways.items()
    ]
    return sorted(found, key=lambda choice: -choice.chance)


def _sides(kind: str) -> int:
    """The faces of a die that are hits."""
    return DIE.count(kind)


@cache
def _next_throw(sides: int, goal: Goal, more: int, hits: int, others: int) -> Fraction:
    """The chance with a throw to come and `more` after it, and so many dice locked."""
    free = DICE - hits - others
    if not free:
        return Fraction(goal.met(hits))
    hit = Fraction(sides, len(DIE))
    value = Fraction(0)
    for new in range(free + 1):
        shows = comb(free, new) * hit**new * (1 - hit) ** (free - new)
        value += shows * _best(sides, goal, more, hits, others, new)
    return value


@cache
def _best(sides: int, goal: Goal, more: int, hits: int, others: int, new: int) -> Fraction:
    """The chance after a throw that showed `new` hits, with `more` throws to come."""
    missed = DICE - hits - others - new
    if not more:
        return Fraction(goal.met(hits + new))
    return max(
        _next_throw(sides, goal, more - 1, hits + some, others + rest)
        for some in range(new + 1)
        for rest in range(missed + 1)
        if some + rest
    )


# --- Questions ------------------------------------------------------------------------------------

fields: Mapping[str, Field] = {
    "kind": Field("word", f"what counts: {listed(FACES)}"),
    "exactly": Field("number", "just so many dice of the kind"),
    "at_least": Field("number", "so many dice of the kind, or more"),
    "locked": Field("words", 'the dice locked so far, as in "sushi bone"'),
    "throw": Field("number", "the throw that comes next, or that showed the dice (1, or 2 with dice locked)"),
    "dice": Field("words", "the dice just thrown, of which some are to be locked"),
    "advise": Field("flag", "also say what to do, with the chance after each choice"),
}

_question = Given(BadQuestion, "question")


def ask(given: Mapping[str, object]) -> JSONObject:
    """The chance, and with `advise` the choices with theirs, best first. Raises BadQuestion.

    A choice names dice as the game does: the locked ones come first, then those thrown, in the order given.
    """
    _question.mapping(given, "", fields)
    if "kind" not in given:
        raise BadQuestion("kind", f"is missing: say what counts, {listed(FACES)}")
    kind = _question.word(given["kind"], "kind", FACES)
    goal = _goal(given)
    locked, dice = _faces(given, "locked"), _faces(given, "dice")
    if dice and len(locked) + len(dice) != DICE:
        raise BadQuestion("dice", f"are {len(dice)} with {len(locked)} locked, together there must be {DICE}")
    throw = _throw(given, locked)
    found: list[tuple[JSONObject, Fraction]]
    if dice:
        found = [
            ({"do": "lock", "dice": [len(locked) + die for die in choice.lock]}, choice.chance)
            for choice in choices(kind, goal, locked, dice, throw)
        ]
    elif len(locked) < DICE:
        found = [({"do": "throw"}, chance(kind, goal, locked, throw))]
    else:
        found = []
    settled = Fraction(goal.met((*locked, *dice).count(kind)))
    answer: JSONObject = {"chance": float(found[0][1] if found else settled)}
    if _question.truth(given.get("advise", False), "advise"):
        answer["advise"] = found[0][0] if found else None
        answer["choices"] = [{**action, "value": float(value)} for action, value in found]
    return answer


def _goal(given: Mapping[str, object]) -> Goal:
    named = [key for key in ("exactly", "at_least") if key in given]
    if len(named) != 1:
        raise BadQuestion("exactly", "or at_least must say how many, one of the two")
    return Goal(_question.whole(given[named[0]], named[0], 0, DICE), named[0] == "exactly")


def _throw(given: Mapping[str, object], locked: Sequence[str]) -> int:
    """The number of the throw; each before it has left at least one die locked."""
    throw = _question.whole(given.get("throw", 2 if locked else 1), "throw", 1, THROWS)
    if throw == 1 and locked:
        raise BadQuestion("throw", f"is 1 with {len(locked)} dice locked, but before it none can be")
    if len(locked) < throw - 1:
        raise BadQuestion(
            "throw", f"is {throw} with {len(locked)} dice locked, but each throw before it locks at least one"
        )
    return throw


def _faces(given: Mapping[str, object], key: str) -> tuple[str, ...]:
    faces = _question.sequence(given.get(key, ()), key)
    if len(faces) > DICE:
        raise BadQuestion(key, f"are {len(faces)} dice, but there are only {DICE}")
    return tuple(_question.word(face, f"{key}.{place}", FACES) for place, face in enumerate(faces))
