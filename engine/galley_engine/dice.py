"""The one source of chance: a seeded generator that throws dice and shuffles.

Both are built on `random.Random.random()` alone, because that is the one sequence Python promises to keep
for a seed; `choice` and `shuffle` may change between versions, and a seed in a record should stay worth
something.

A KeptDice also counts the numbers it has drawn, so that the same chance can go on from any of them: that is
what lets a step be undone without giving anyone another throw.

No game holds a Dice. It is passed to `start` and `apply`, and what it gave is written into the accepted
action.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Chance from `seed`, a whole number; two Dice of one seed give the same outcomes in the same order."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._random = Random(seed).random

    def die(self, faces: Sequence[T]) -> T:
        """One of `faces`, each as likely (to within 2**-53). `faces` has at least one element."""
        random = self._random
        return faces[int(random() * len(faces))]

    def throw(self, kinds: Sequence[Sequence[T]]) -> list[T]:
        """One outcome for each of `kinds`, in order: what `die` would give for each, one after the other."""
        random = self._random
        return [faces[int(random() * len(faces))] for faces in kinds]

    def shuffle(self, items: Sequence[T]) -> tuple[T, ...]:
        """All of `items` in random order (Fisher and Yates)."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = int(self._random() * (last + 1))
            order[last], order[other] = order[other], order[last]
        return tuple(order)


class KeptDice(Dice):
    """Dice that know how many numbers they have drawn (`drawn`) and can start after so many."""

    def __init__(self, seed: int, drawn: int = 0) -> None:
        super().__init__(seed)
        self.drawn = drawn
        self._next = self._random
        self._random = self._counted
        for _ in range(drawn):
            self._next()

    def _counted(self) -> float:
        self.drawn += 1
        return self._next()
