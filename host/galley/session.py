"""One game being played: the state, its chance, its own clock, and every step that was accepted.

For: turning actions at house time into steps of the pure engine. It must not know keys, boards or pages.

The game's clock starts at 0 with the game and stands still while the box is paused, so that a pulled cable
never makes a roll "too soon" or a lock run out. Stamps never go back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from galley_engine.dice import Dice
from galley_engine.game import AnyGame, JSONObject, Refusal, Step


@dataclass(slots=True)
class Session:
    """A running game. `steps` holds (at_ms, accepted action with its outcomes), enough to play it again."""

    game: AnyGame
    chance: Dice
    state: Any
    started_ms: int
    steps: list[tuple[int, JSONObject]] = field(default_factory=list)
    _paused_ms: int | None = None
    _lost_ms: int = 0
    _last_ms: int = 0

    @classmethod
    def start(
        cls, game: AnyGame, seats: int, options: Mapping[str, object], seed: int, now_ms: int
    ) -> Session:
        """Deal a new game. Raises BadOption."""
        chance = Dice(seed)
        return cls(game, chance, game.start(seats, game.options(options), chance), now_ms)

    def at_ms(self, now_ms: int) -> int:
        """The game's own time at house time `now_ms`; never less than that of the last step."""
        until_ms = now_ms if self._paused_ms is None else min(now_ms, self._paused_ms)
        return max(self._last_ms, until_ms - self.started_ms - self._lost_ms)

    def pause(self, now_ms: int) -> None:
        """Stop the game's clock; may be called again while it is stopped."""
        if self._paused_ms is None:
            self._paused_ms = now_ms

    def resume(self, now_ms: int) -> None:
        """Let the game's clock go on from where it stopped."""
        if self._paused_ms is not None:
            self._lost_ms += now_ms - self._paused_ms
            self._paused_ms = None

    @property
    def paused(self) -> bool:
        """True while the clock stands still; no action is accepted then."""
        return self._paused_ms is not None

    def do(self, action: JSONObject, now_ms: int) -> Step[Any] | Refusal:
        """Apply `action` at house time `now_ms`; the step is kept when it was accepted."""
        if self.paused:
            return Refusal("wrong_phase", "the game is paused")
        at_ms = self.at_ms(now_ms)
        answer: Step[Any] | Refusal = self.game.apply(self.state, action, at_ms, self.chance)
        if isinstance(answer, Step):
            self.state = answer.state
            self._last_ms = at_ms
            self.steps.append((at_ms, answer.action))
        return answer
