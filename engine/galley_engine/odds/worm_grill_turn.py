"""A turn at the worm grill, valued exactly: dynamic programming over all that counts in it.

What counts is a *point* of the turn: which faces are used up, the total of the dice set aside, and how many
dice are left; one number packs them (`_point`). What the turn is worth when it ends is given by payoffs,
one for each total, counted from a bad throw as zero; without a worm aside every end is a bad throw.

    value(point) = the better of stopping there and throwing
    throw(point) = sum over the outcomes of a throw: chance x the best value among the faces one may keep

An outcome is told by how many dice show each unused face; dice with used faces need no telling apart, so
eight dice have at most 1287 outcomes. What an outcome offers does not depend on the payoffs, so it is
worked out once for a number of unused faces and dice (`_Shape`). Points are valued when they are first
looked up, most never are.

If there are many outcomes, the best of each is found for all at once: what a point offers is ranked, and the
ranks lie side by side, a byte each, in one large whole number (`_larger`). That is three times as quick as a
maximum for each. Sums of so few floats keep the error far below 1e-12.

The module knows no grill, no plates and no opponents: whoever asks makes payoffs of those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import accumulate, pairwise
from math import factorial, prod
from operator import itemgetter, mul
from typing import Final, NamedTuple, Protocol

from galley_engine.games.worm_grill_state import DICE, LETTERS, VALUE_OF, WORM, total_of

HIGHEST: Final = 47
"""The highest total of eight dice with a worm among them: seven sixes and the worm."""

_SIXES: Final = DICE * max(VALUE_OF.values())
FEW: Final = 40
"""Up to so many outcomes it is quicker to look at each by itself."""

_BIT: Final = {letter: 1 << face for face, letter in enumerate(LETTERS)}
_VALUES: Final = tuple(VALUE_OF.values())


class Turn:
    """A turn that is worth `payoffs[total]` more than a bad throw when it ends on a total with a worm.

    Dice are letters, as the game's states have them. `ahead` is counted as if it were set aside already: a
    turn from 0 for 23 is worth the same as one from 24 for 47, so one Turn serves all goals. All values are
    counted from a bad throw.
    """

    def __init__(self, payoffs: Sequence[float]) -> None:
        """`payoffs` are numbers of any sign for totals from 0 on; totals beyond them pay as the last."""
        best = [*accumulate(payoffs, max, initial=0.0)]
        self.rises = tuple(
            (total, more - less) for total, (less, more) in enumerate(pairwise(best)) if more > less
        )
        """The totals that pay more than any below and than a bad throw, each with how much more."""
        beyond = HIGHEST + _SIXES + 1 - len(payoffs)
        self._values = _Values((*payoffs, *[payoffs[-1]] * beyond))

    def stop(self, aside: str, ahead: int = 0) -> float:
        """The value of ending the turn with these dice aside."""
        return self._values.payoffs[ahead + total_of(aside)] if WORM in aside else 0.0

    def throw(self, aside: str, left: int, ahead: int = 0) -> float:
        """The value of throwing the dice left; with none, or no face left to keep, of the end of the turn."""
        point = _at(aside, left, ahead)
        return self._values.thrown(point) if _plan(point & ~_TOTAL).shape else self.stop(aside, ahead)

    def value(self, aside: str, left: int, ahead: int = 0) -> float:
        """The value of stopping or throwing, whichever is better; before the first throw one must throw."""
        return self._values[_at(aside, left, ahead)] if aside else self.throw(aside, left, ahead)

    def keeps(self, aside: str, dice: str, ahead: int = 0) -> dict[str, float]:
        """The value of setting aside each face that one may, after a throw that shows `dice`."""
        values = {}
        for letter in LETTERS:
            count = dice.count(letter)
            if count and letter not in aside:
                values[letter] = self._values[_at(aside + letter * count, len(dice) - count, ahead)]
        return values


# --- Points ---------------------------------------------------------------------------------------


def _point(used: int, total: int, left: int) -> int:
    """A point as one number: a bit for each face used, in the order of LETTERS; the total; the dice left."""
    return (used << 11) | (total << 4) | left


_TOTAL: Final = _point(0, 127, 0)
"""The bits of a point that hold the total."""


def _at(aside: str, left: int, ahead: int) -> int:
    return _point(sum([_BIT[letter] for letter in set(aside)]), ahead + total_of(aside), left)


class _Plan(NamedTuple):
    """What points have in common that differ in their totals only."""

    most: int  # what can be added to the total
    worm: bool
    shape: _Shape | None  # None: the turn ends here
    keeps: tuple[int, ...]  # what each keep adds to the point: for each face, for each number of dice
    last: tuple[int, ...]  # with one die left: what it adds to the total, for each face that pays


@cache
def _plan(point_of_no_total: int) -> _Plan:
    used, left = point_of_no_total >> 11, point_of_no_total & 15
    unused = [face for face in range(len(LETTERS)) if not used >> face & 1]
    keeps = tuple(
        _point(1 << face, count * _VALUES[face], 0) - count for face in unused for count in range(1, left + 1)
    )
    most = left * max((_VALUES[face] for face in unused), default=0)
    worm = bool(used & _BIT[WORM])
    last = [_VALUES[face] for face in unused if worm or 1 << face == _BIT[WORM]] if left == 1 else ()
    return _Plan(most, worm, _shape(len(unused), left) if keeps else None, keeps, tuple(last))


class _Values(dict[int, float]):
    """The value of each point under `payoffs`, worked out when it is first looked up."""

    def __init__(self, payoffs: tuple[float, ...]) -> None:
        super().__init__()
        self.payoffs = payoffs
        self._thrown: dict[int, float] = {}
        self._lowest = next((total for total, payoff in enumerate(payoffs) if payoff), len(payoffs))
        # Of each total and all above it, or of a bad throw.
        self._best_from = tuple(accumulate(reversed(payoffs), max, initial=0.0))[::-1]

    def __missing__(self, point: int) -> float:
        total = (point & _TOTAL) >> 4
        most, worm, shape, keeps, last = _plan(point & ~_TOTAL)
        payoffs = self.payoffs
        stopped = payoffs[total] if worm else 0.0
        if shape is None or stopped >= self._best_from[total + 1] * shape.hope:
            value = stopped  # a throw cannot be better: what it leads to at best, if it offers anything
        elif total + most < self._lowest:
            value = 0.0  # whatever is done
        elif last:
            value = max(stopped, sum([payoffs[total + face] for face in last]) / len(LETTERS))
        else:
            value = max(stopped, shape.expected([self[point + keep] for keep in keeps]))
        self[point] = value
        return value

    def thrown(self, point: int) -> float:
        """The value of throwing at a point where something is left to throw and to keep."""
        value = self._thrown.get(point)
        if value is None:
            plan = _plan(point & ~_TOTAL)
            assert plan.shape is not None
            value = self._thrown[point] = plan.shape.expected([self[point + keep] for keep in plan.keeps])
        return value


# --- Outcomes -------------------------------------------------------------------------------------


class _Shape(Protocol):
    """The outcomes of a throw for a number of unused faces and dice.

    A point's offers are the values after each keep, in the order of its plan: for each face what it is
    worth on one die, on two, and so on.
    """

    @property
    def hope(self) -> float:
        """The chance of any offer at all."""

    def expected(self, offers: Sequence[float]) -> float:
        """The mean of the best offer, nothing counting as zero."""


class _OneDie(NamedTuple):
    """Each face once, so there is no choice."""

    hope: float

    def expected(self, offers: Sequence[float]) -> float:
        return sum(offers) / len(LETTERS)


class _Few(NamedTuple):
    """So few outcomes that they are looked through one by one."""

    hope: float
    chances: tuple[float, ...]  # of each outcome with an offer
    offered: tuple[Callable[[Sequence[float]], tuple[float, ...]], ...]  # picks what each offers

    def expected(self, offers: Sequence[float]) -> float:
        return sum(map(mul, self.chances, map(max, [offered(offers) for offered in self.offered])), 0.0)


class _Many(NamedTuple):
    """Outcomes in columns; an offer's place in them is counted from 1, with 0 for nothing."""

    hope: float
    chances: tuple[float, ...]  # of each outcome
    places: tuple[bytes, ...]  # for each face: the place of what it offers, a byte for each outcome
    high: int  # the high bit of each byte, for `_larger`

    def expected(self, offers: Sequence[float]) -> float:
        ascending = sorted(range(len(offers)), key=offers.__getitem__)
        rank_of_place = bytearray(256)
        for rank, offer in enumerate(ascending, 1):
            rank_of_place[offer + 1] = rank
        best = 0
        for column in self.places:
            best = _larger(best, int.from_bytes(column.translate(rank_of_place), "big"), self.high)
        of_rank = [0.0, *[offers[offer] for offer in ascending]]
        ranks = best.to_bytes(len(self.chances), "big")
        return sum(map(mul, self.chances, map(of_rank.__getitem__, ranks)), 0.0)


def _larger(one: int, other: int, high: int) -> int:
    """Byte by byte the larger of two rows of numbers below 128; `high` has the high bit of each byte set."""
    at_least = ((one | high) - other) & high  # the high bit stays where `one` is at least `other`
    keep = at_least - (at_least >> 7)
    return other ^ ((one ^ other) & keep)


@cache
def _shape(unused: int, dice: int) -> _Shape:
    used = len(LETTERS) - unused
    hope = 1 - (used / len(LETTERS)) ** dice
    if dice == 1:
        return _OneDie(hope)
    outcomes = [counts for counts in _counts(unused, dice) if used or sum(counts) == dice]
    chances = tuple(_chance(counts, dice, used) for counts in outcomes)
    places = [
        [face * dice + count if count else 0 for face, count in enumerate(counts)] for counts in outcomes
    ]
    if len(outcomes) > FEW:
        high = int.from_bytes(b"\x80" * len(outcomes), "big")
        return _Many(hope, chances, tuple(map(bytes, zip(*places, strict=True))), high)
    offering = [(chance, shown) for chance, shown in zip(chances, places, strict=True) if any(shown)]
    return _Few(
        hope,
        tuple(chance for chance, _ in offering),
        tuple(_picking([place - 1 for place in shown if place]) for _, shown in offering),
    )


def _picking(places: Sequence[int]) -> Callable[[Sequence[float]], tuple[float, ...]]:
    """Picks these places as a tuple; a single one twice, for itemgetter would give it bare."""
    return itemgetter(*places) if len(places) > 1 else itemgetter(*places, *places)


def _chance(counts: Sequence[int], dice: int, used: int) -> float:
    """How likely just these numbers of dice show the unused faces, and the rest any of the used ones."""
    rest = dice - sum(counts)
    ways = factorial(dice) // prod(map(factorial, (*counts, rest))) * used**rest
    return float(ways / len(LETTERS) ** dice)


def _counts(faces: int, dice: int) -> Iterator[tuple[int, ...]]:
    """All ways in which at most so many dice show these faces."""
    if not faces:
        yield ()
        return
    for count in range(dice + 1):
        for others in _counts(faces - 1, dice - count):
            yield (count, *others)
