"""Bots at a human pace: a policy of the engine says what, this says when.

For: opponents that look, decide and press like a person, with reaction times that suit their strength. It
must not know any game's rules: an action's name is all it looks at.

Whenever the position changes each bot looks again. If it now wants something of another kind it starts to
reach for that, and gets there after a reaction time drawn from `REACTION_MS`; if it still wants the same
kind it goes on with the movement it began. When it gets there it looks once more and acts on what it sees
then, so that it never rings for dice that were just rolled away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from galley.tables.table import Seat
from galley_engine.bots import Policy, policy
from galley_engine.dice import Dice
from galley_engine.game import JSONObject

REACTION_MS: Final[Mapping[str, tuple[int, int]]] = {
    "challenge": (900, 1700),
    "ready": (700, 1500),
    "keep": (230, 420),
    "roll": (380, 680),
    "bell": (420, 800),
    "yuck": (600, 1200),
    "mate": (700, 1300),
    "choose": (900, 1600),
    "share": (1000, 1800),
}
"""Action -> the quickest and the slowest reaction of a good player, drawn evenly."""

ANY_REACTION_MS: Final = (700, 1400)

SLOWNESS: Final[Mapping[str, float]] = {"random": 1.3, "easy": 1.6, "good": 1.0, "best": 0.75}


@dataclass(slots=True)
class _Reach:
    """A bot's hand on its way: what kind of action, and when it gets there."""

    do: str
    at_ms: int


@dataclass(slots=True)
class Bots:
    """The bots of one game. `speed` above 1 makes all of them quicker (demonstrations, tests)."""

    game: str
    seats: Sequence[Seat]
    seed: int
    speed: float = 1.0
    _policies: dict[int, Policy[Any]] = field(init=False)
    _reaching: dict[int, _Reach] = field(default_factory=dict)
    _chance: Dice = field(init=False)
    _random: Random = field(init=False)

    def __post_init__(self) -> None:
        self._policies = {
            number: policy(self.game, seat.bot) for number, seat in enumerate(self.seats) if seat.bot
        }
        self._chance = Dice(self.seed)
        self._random = Random(self.seed)

    def look(self, state: Any, now_ms: int, sight: object = None) -> None:
        """The position may have changed: let every bot reach for what it wants now.

        `sight` is what the bots see beyond the state, for a game that has a world.
        """
        for seat, mind in self._policies.items():
            wanted = mind.choose(state, seat, self._chance, sight)
            if wanted is None:
                self._reaching.pop(seat, None)
                continue
            do = str(wanted["do"])
            under_way = self._reaching.get(seat)
            if under_way is None or under_way.do != do:
                self._reaching[seat] = _Reach(do, now_ms + self._reaction_ms(seat, do))

    def act(self, state: Any, now_ms: int, sight: object = None) -> JSONObject | None:
        """The action of a bot whose hand has arrived, or None; call `look` after applying it."""
        for seat, reach in sorted(self._reaching.items(), key=lambda item: item[1].at_ms):
            if reach.at_ms > now_ms:
                return None
            del self._reaching[seat]
            wanted = self._policies[seat].choose(state, seat, self._chance, sight)
            if wanted is not None:
                return wanted
        return None

    def due_ms(self) -> int | None:
        """The house time at which the next hand arrives."""
        return min((reach.at_ms for reach in self._reaching.values()), default=None)

    def delay(self, ms: int) -> None:
        """The box was paused for `ms`: no hand moved meanwhile."""
        for reach in self._reaching.values():
            reach.at_ms += ms

    def _reaction_ms(self, seat: int, do: str) -> int:
        quickest, slowest = REACTION_MS.get(do, ANY_REACTION_MS)
        drawn = self._random.uniform(quickest, slowest)
        return max(1, round(drawn * SLOWNESS[self.seats[seat].bot or "good"] / self.speed))
