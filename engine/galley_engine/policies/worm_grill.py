"""How the bots play the worm grill.

`random` does anything allowed. `easy` sets aside the face that adds the most and stops at the first total
that is good for something. The others value the turn exactly (`odds.worm_grill_turn`): they say what each
total would be worth more than a bad throw, the *payoffs*, and do what has the highest value under these.

    good    counts the points that it gains itself in this turn
    best    counts what the turn does to its standing among all: `standing`

Payoffs depend on the board only, so they are the same from a turn's first throw to its last; the turns of the
last few boards are remembered. Valuing a face that one may keep is most of the work. So the most promising is
valued first, and none that could not beat the best so far whatever happened (`_ceiling`).

A standing is the chance to win, estimated. It starts from the margin: the own points less those of the best
other. Of that it takes off what the next player can be expected to do with the board: take from us or others,
stack, take snails, fill places. A margin is worth the more the fewer free places and snails are left, because
a full grill or an empty supply ends the game at the next bad throw; and if the turn itself ends the game, the
margin is all. So a bad throw can be the best end of a turn for who leads, and the worst for who does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from math import erf, sqrt
from typing import Final

from galley_engine.game import Chance, JSONObject
from galley_engine.games import worm_grill as grill
from galley_engine.games.worm_grill import (
    CLOSED,
    FIRST,
    FREE,
    LAST,
    PLACES,
    SNAIL,
    WORM,
    Board,
    Options,
    State,
    landed,
    why_bad,
)
from galley_engine.odds import worm_grill as odds
from galley_engine.odds.worm_grill_turn import Turn

Decide = Callable[[State, Chance], JSONObject]
Payoffs = Callable[[Options, Board, int], tuple[float, ...]]
"""What each total from 0 to 37 (which stands for all above 36) is worth to a seat more than a bad throw."""

TOTALS: Final = range(FIRST, LAST + 2)

ROUNDING: Final = 1e-9
"""Far more than what sums of a few hundred floats may be off."""

AIMED: Final = 0.3
"""Who aims at all places hits each in so much of the turns in which he would hit it with no other aim.

The chances of just one place add up to 3.0; a turn for any place at all succeeds in 0.86 of all cases.
"""

LUCK_AT_THE_END: Final = 3.0
LUCK_ON_THE_WAY: Final = 1.5
"""By so many points margins still change, as standard deviation: at the end, and for the root of what is
left.

First guesses, not tuned.
"""


class GrillPolicy:
    """A player of the worm grill who decides in a given way."""

    def __init__(self, decide: Decide) -> None:
        self._decide = decide

    def choose(self, state: State, seat: int, chance: Chance, sight: object = None) -> JSONObject | None:
        """The action that `seat` would do now, without outcomes, or None."""
        if state.phase == "over" or seat != state.turn:
            return None
        if state.phase == "throw":
            return {"do": "throw", "seat": seat}
        return self._decide(state, chance)


# --- Without odds ---------------------------------------------------------------------------------


def anything(state: State, chance: Chance) -> JSONObject:
    """Any allowed action, each as likely."""
    return chance.die(grill.moves(state, state.turn, 0))


def at_first_sight(state: State, chance: Chance) -> JSONObject:
    """The face that adds the most is set aside; a total that is good for something is taken at once."""
    seat, dice = state.turn, state.dice
    if state.phase == "keep":
        letter = max(grill.keepable(state), key=lambda face: grill.total_of(face * dice.count(face)))
        return {"do": "keep", "seat": seat, "face": grill.FACE_OF[letter]}
    good = why_bad(state.board, seat, state.total, WORM in state.aside) is None
    return {"do": "stop" if good else "throw", "seat": seat}


# --- With odds ------------------------------------------------------------------------------------


def by(payoffs: Payoffs) -> Decide:
    """Decides for the highest value of the turn under `payoffs`."""

    @lru_cache(maxsize=8)
    def turn_of(options: Options, board: Board, seat: int) -> Turn:
        return Turn(payoffs(options, board, seat))

    def decide(state: State, chance: Chance) -> JSONObject:
        seat = state.turn
        turn = turn_of(state.options, state.board, seat)
        if state.phase == "keep":
            return {"do": "keep", "seat": seat, "face": grill.FACE_OF[_best_keep(turn, state)]}
        stops = turn.stop(state.aside) >= turn.throw(state.aside, state.left) and grill.may_stop(state)
        return {"do": "stop" if stops else "throw", "seat": seat}

    return decide


def _best_keep(turn: Turn, state: State) -> str:
    """The letter with the highest value, the first of equals."""
    aside, dice = state.aside, state.dice
    letters = grill.keepable(state)
    if len(letters) == 1:
        return letters[0]
    after = {
        letter: (aside + letter * dice.count(letter), len(dice.replace(letter, ""))) for letter in letters
    }
    ceilings = {letter: _ceiling(turn, *after[letter]) for letter in letters}
    values: dict[str, float] = {}
    for letter in sorted(letters, key=ceilings.__getitem__, reverse=True):
        if not values or ceilings[letter] > max(values.values()) - ROUNDING:
            values[letter] = turn.value(*after[letter])
    return max((letter for letter in letters if letter in values), key=values.__getitem__)


def _ceiling(turn: Turn, aside: str, left: int) -> float:
    """No less than the value of the turn: as if one could play for each higher payoff by itself."""
    return sum([more * odds.chance(total, aside=aside, left=left) for total, more in turn.rises], 0.0)


def own_points(options: Options, board: Board, seat: int) -> tuple[float, ...]:
    """The points gained in this turn, nothing else."""
    gains = [0.0] * FIRST
    for total in TOTALS:
        after, _ = landed(options, board, seat, total, why_bad(board, seat, total, True))
        gains.append(float(_points(options, after or board, seat) - _points(options, board, seat)))
    return tuple(gains)


def standing(options: Options, board: Board, seat: int) -> tuple[float, ...]:
    """The chance to win, estimated, after each total, less that after a bad throw."""
    bad, _ = landed(options, board, seat, 0, "too_low")
    base = _chance_to_win(options, board, bad, seat)
    gains = [0.0] * FIRST
    for total in TOTALS:
        after, _ = landed(options, board, seat, total, why_bad(board, seat, total, True))
        gains.append(_chance_to_win(options, board, after, seat) - base)
    return tuple(gains)


def _chance_to_win(options: Options, before: Board, after: Board | None, seat: int) -> float:
    """Estimated for the board after a turn of `seat`; with None the game is over on the board before it."""
    board = after or before
    points = [_points(options, board, other) for other in range(len(board.worms))]
    margin = points.pop(seat) - max(points)
    if after is None:
        return (margin > 0) + (margin == 0) / 2
    way = min(board.grill.count(FREE), 2 * board.snail_supply)  # half of the places get plates
    luck = LUCK_AT_THE_END + LUCK_ON_THE_WAY * sqrt(way)
    return (1 + erf((margin - _next_gain(options, board, seat)) / luck / sqrt(2))) / 2


def _next_gain(options: Options, board: Board, seat: int) -> float:
    """By how much the player after `seat` may be expected to move the margin of `seat` down."""
    gain = 0.0
    for worms, lies, hit in zip(options.place_value, board.grill, _hits(), strict=True):
        if lies == SNAIL:
            gain += hit * options.snail_points
        elif lies == (seat,):
            gain += hit * worms * 2  # a theft: he gains what we lose
        elif len(lies) < CLOSED:
            gain += hit * worms
    return gain


@cache
def _hits() -> tuple[float, ...]:
    """How often a turn ends on each place."""
    _, exactly = odds.start_tables()
    return tuple(AIMED * exactly[place] for place in PLACES)


def _points(options: Options, board: Board, seat: int) -> int:
    return board.worms[seat] + options.snail_points * board.snails[seat]


POLICIES: Mapping[str, GrillPolicy] = {
    "random": GrillPolicy(anything),
    "easy": GrillPolicy(at_first_sight),
    "good": GrillPolicy(by(own_points)),
    "best": GrillPolicy(by(standing)),
}
