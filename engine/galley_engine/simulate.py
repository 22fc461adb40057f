"""Games of bots, many of them, and what became of them.

Game `number` of a simulation has its own chance, which depends on the simulation's seed and that number
alone. So any part of the games may be played anywhere, in any order: the tallies add up to the same. Seats
rotate: in the next game every policy sits one seat further on.

In a game the bots take turns. Of the seats that may act, the next one round the table that wishes something
does it, one action each BEAT_MS. A seat that wished too soon has lost its beat.

Some games have a *world* beside the seats, physics that make events of their own and that carry out what a
seat wishes. It says what a seat sees of it (`sight`) and turns a wish into what comes of it (`follow`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, NamedTuple, Protocol, TypeVar

from galley_engine.bots import Policy, policy
from galley_engine.dice import Dice
from galley_engine.game import AnyGame, Chance, JSONObject, Refusal
from galley_engine.games import load

S_contra = TypeVar("S_contra", contravariant=True)

BEAT_MS = 400
"""Between two actions of bots; more than the duel's roll interval."""

MOST_ACTIONS = 100_000
"""A game that takes more is given up as `too_long`."""

TOO_LONG, STUCK = "too_long", "stuck"
"""Endings beside those of the games: given up, or nobody wishes to do anything."""


class BadPolicy(RuntimeError):
    """A policy or a world did what the game refuses; the message says which and what."""


class World(Protocol[S_contra]):
    """Physics beside the seats, for one game; it may keep a state of its own."""

    def sight(self, state: S_contra, seat: int) -> object:
        """What `seat` sees of the world beyond the state."""

    def follow(self, state: S_contra, wish: JSONObject | None) -> Iterator[tuple[int, JSONObject]]:
        """What comes of a wish (None: nobody has one): time since the one before in ms, and an action.

        At least one, in order; each is applied before the next is asked for, none after the game is over.
        A wish may have fields that only the world knows.
        """


MakeWorld = Callable[[Any, Chance], World[Any]]
"""A world for a start position, with its own chance."""


class Played(NamedTuple):
    """A game that was played: its last state, its accepted actions, why it ended."""

    state: Any
    actions: int
    ending: str


def play(
    game: AnyGame,
    start: Any,
    policies: Sequence[Policy[Any]],
    chance: Chance,
    whims: Chance,
    world: World[Any] | None = None,
) -> Played:
    """One game from `start`; `policies` by seat, `whims` is their chance. Raises BadPolicy."""
    state, actions, at_ms, last = start, 0, 0, -1
    while state.phase != "over":
        if actions >= MOST_ACTIONS:
            return Played(state, actions, TOO_LONG)
        seat, wish = _wish(game, state, policies, whims, world, last)
        if world is None and wish is None:
            return Played(state, actions, STUCK)
        last = last if seat is None else seat
        for after_ms, action in _beat(wish) if world is None else world.follow(state, wish):
            at_ms += after_ms
            outcome = game.apply(state, action, at_ms, chance)
            if isinstance(outcome, Refusal):
                if outcome.code != "too_soon":
                    raise BadPolicy(
                        f"{game.name}: {action} is refused with {outcome.code}: {outcome.message}"
                    )
                continue
            state = outcome.state
            actions += 1
            if state.phase == "over":
                break
    return Played(state, actions, game.ending(state) or "")


def _beat(wish: JSONObject | None) -> Iterable[tuple[int, JSONObject]]:
    return () if wish is None else ((BEAT_MS, wish),)


def _wish(
    game: AnyGame,
    state: Any,
    policies: Sequence[Policy[Any]],
    whims: Chance,
    world: World[Any] | None,
    last: int,
) -> tuple[int | None, JSONObject | None]:
    """The next seat round the table after `last` that wishes something, and what."""
    actors = game.actors(state)
    for seat in (*(seat for seat in actors if seat > last), *(seat for seat in actors if seat <= last)):
        sight = None if world is None else world.sight(state, seat)
        wish = policies[seat].choose(state, seat, whims, sight)
        if wish is not None:
            return seat, wish
    return None, None


def wander(game: AnyGame, start: Any, moves: int, chance: Chance) -> Any:
    """The state after so many random moves: of any seat that may act any move; a game that ends starts anew.

    Moves are BEAT_MS apart. What leaves no choice takes no chance. This is what the benchmark measures.
    """
    actors, moves_of, apply, die = game.actors, game.moves, game.apply, chance.die
    state = start
    for at_ms in range(BEAT_MS, (moves + 1) * BEAT_MS, BEAT_MS):
        seats = actors(state)
        seat = seats[0] if len(seats) == 1 else die(seats)
        allowed = moves_of(state, seat, at_ms)
        if not allowed:
            continue
        move = allowed[0] if len(allowed) == 1 else die(allowed)
        outcome = apply(state, move, at_ms, chance)
        if isinstance(outcome, Refusal):
            raise BadPolicy(f"{game.name}: a move is refused with {outcome.code}: {outcome.message}")
        state = outcome.state
        if state.phase == "over":
            state = start
    return state


# --- Many games -----------------------------------------------------------------------------------


class Plan(NamedTuple):
    """A simulation: the game, its seats and options, the strengths that play, and the seed of it all.

    It can be sent to another process.
    """

    game: str
    seats: int
    options: Mapping[str, object]
    strengths: tuple[str, ...]
    seed: int

    def seated(self, number: int) -> tuple[str, ...]:
        """The strength at each seat in game `number`."""
        return tuple(self.strengths[(seat + number) % len(self.strengths)] for seat in range(self.seats))


@dataclass(slots=True)
class Tally:
    """What became of some games. Whole numbers only, so that tallies add up in any order."""

    games: int = 0
    actions: int = 0
    shortest: int | None = None
    longest: int = 0
    wins: Counter[str] = field(default_factory=Counter)  # strength -> games that only its seats won
    shared: int = 0  # games won by seats of several strengths
    endings: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        """Take in the games of another."""
        self.games += other.games
        self.actions += other.actions
        known = [length for length in (self.shortest, other.shortest) if length is not None]
        self.shortest = min(known, default=None)
        self.longest = max(self.longest, other.longest)
        self.wins += other.wins
        self.shared += other.shared
        self.endings += other.endings

    def count(self, played: Played, winners: Sequence[int], seated: Sequence[str]) -> None:
        """Take in one game."""
        winning = {seated[seat] for seat in winners}
        self.add(
            Tally(
                games=1,
                actions=played.actions,
                shortest=played.actions,
                longest=played.actions,
                wins=Counter(winning if len(winning) == 1 else ()),
                shared=int(len(winning) > 1),
                endings=Counter([played.ending]),
            )
        )


def run(plan: Plan, numbers: Iterable[int], make_world: MakeWorld | None = None) -> Tally:
    """Play the games of these numbers. Raises BadInput, UnknownGame, UnknownStrength or BadPolicy."""
    game = load(plan.game)
    options = game.options(plan.options)
    policies = {strength: policy(game.name, strength) for strength in plan.strengths}
    tally = Tally()
    for number in numbers:
        chance, whims, physics = (Dice(_seed(plan.seed, number, use)) for use in range(3))
        start = game.start(plan.seats, options, chance, None)
        seated = plan.seated(number)
        world = None if make_world is None else make_world(start, physics)
        played = play(game, start, [policies[strength] for strength in seated], chance, whims, world)
        winners = game.full(played.state)["winners"]
        tally.count(played, winners if isinstance(winners, list | tuple) else (), seated)
    return tally


def _seed(seed: int, number: int, use: int) -> int:
    """A seed of its own for each game and each use of chance in it: they share no digit."""
    return seed << 66 | number << 2 | use


def interval(wins: int, games: int) -> tuple[float, float]:
    """Where the chance to win lies, with 95 % confidence, after so many wins (Wilson's score interval)."""
    if not games:
        return 0.0, 1.0
    z = 1.959964
    share = wins / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    spread = z / (1 + z * z / games) * sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    return max(0.0, middle - spread), min(1.0, middle + spread)
