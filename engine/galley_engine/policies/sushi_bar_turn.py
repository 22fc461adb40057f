"""A turn of the sushi bar as numbers: the best dice to lock, whatever the tiles are worth.

What the dice show is four counts, of sushi, bone, blue and red, for it does not matter which die shows what.
A turn is worth what its result is worth. Given the worth of each result, the value of locking some dice and
throwing the rest is the mean over all outcomes of the best that can be done with each: exact, by going
backwards from the last throw. To stop is always possible, by taking something or by locking all.

    turn = Turn(throws=3, worth=...)
    turn.locked(2, (3, 0, 0, 0))      the value of three sushi locked with two throws to come
    turn.choose(1, locked, thrown)    the best to do after a throw, with one throw to come

The ways from each set of locked dice are the same in every game; they are laid out once, when first needed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from math import factorial, prod
from typing import NamedTuple, TypeAlias

from galley_engine.games.sushi_bar_state import DICE, DIE, FACES

Counts: TypeAlias = tuple[int, int, int, int]
"""How many dice show each of FACES."""

_SIDES = tuple(DIE.count(face) for face in FACES)


class _Way(NamedTuple):
    """One outcome of throwing the dice that are not locked."""

    chance: float
    result: Counts  # of all five dice
    next: tuple[Counts, ...]  # what may then be locked, with at least one die left to throw


class Choice(NamedTuple):
    """What to do after a throw: the dice to lock, or to stop; and its value."""

    lock: Counts | None  # of the dice just thrown; None to stop
    value: float


class Turn:
    """The values of a turn; `worth` is the worth of each result, the forced tile included."""

    def __init__(self, throws: int, worth: Callable[[Counts], float]) -> None:
        self._worth = {counts: worth(counts) for counts in _of_size(DICE)}
        self._locked: list[dict[Counts, float]] = [{}]
        for _ in range(throws - 1):
            self._locked.append(self._one_throw_more(self._locked[-1]))

    def locked(self, throws_left: int, locked: Counts) -> float:
        """The value of throwing all but the dice locked, one to four, with so many throws to come."""
        return self._locked[throws_left][locked]

    def choose(self, throws_left: int, locked: Counts, thrown: Counts) -> Choice:
        """The best to do after a throw; of equals to stop, then to lock the fewest dice."""
        values = self._locked[throws_left]
        goes_on = [Choice(some, values[_plus(locked, some)]) for some in _parts(thrown)] if values else []
        return max(
            [Choice(None, self._worth[_plus(locked, thrown)]), *goes_on], key=lambda choice: choice.value
        )

    def _one_throw_more(self, after: dict[Counts, float]) -> dict[Counts, float]:
        """The values of dice locked, with one throw more than in `after`."""
        values: dict[Counts, float] = {}
        for locked, ways in _ways().items():
            value = 0.0
            for chance, result, following in ways:
                best = self._worth[result]
                if after and following:
                    best = max([best, *[after[counts] for counts in following]])
                value += chance * best
            values[locked] = value
        return values


def _plus(some: Counts, others: Counts) -> Counts:
    return some[0] + others[0], some[1] + others[1], some[2] + others[2], some[3] + others[3]


@cache
def _of_size(dice: int) -> tuple[Counts, ...]:
    """All that so many dice can show."""
    ranges = [range(dice + 1)] * len(FACES)
    return tuple((a, b, c, d) for a, b, c, d in product(*ranges) if a + b + c + d == dice)


@cache
def _parts(counts: Counts) -> tuple[Counts, ...]:
    """Some of these dice but not all, in every way, the fewest first."""
    one, two, three, four = (range(count + 1) for count in counts)
    return tuple(sorted(((a, b, c, d) for a, b, c, d in product(one, two, three, four)), key=sum)[1:-1])


@cache
def _ways() -> dict[Counts, tuple[_Way, ...]]:
    """For all dice that may be locked, one to four, the outcomes of throwing the others."""
    return {
        locked: tuple(
            _Way(
                _chance(thrown),
                _plus(locked, thrown),
                tuple(_plus(locked, some) for some in _parts(thrown)),
            )
            for thrown in _of_size(DICE - dice)
        )
        for dice in range(1, DICE)
        for locked in _of_size(dice)
    }


def _chance(counts: Counts) -> float:
    """The chance that dice thrown show just this."""
    dice = sum(counts)
    orders = factorial(dice) // prod(map(factorial, counts))
    return orders * prod((sides / len(DIE)) ** count for sides, count in zip(_SIDES, counts, strict=True))
