"""One game being played: the state, its chance, its own clock, and every step that was accepted.

For: turning actions at house time into steps of the pure engine, taking them back, and giving the record of
them all. It must not know keys, boards or pages.

The game's clock starts at 0 with the game and stands still while the box is paused, so that a pulled cable
never makes a roll "too soon" or a lock run out. Stamps never go back, not even when a step is undone.

Undoing a step plays those before it again from the recorded outcomes, from the last state that was kept on:
every KEPT_EVERY-th is. The chance is kept: what had been drawn for the undone step will be drawn again, in
the same order. So nobody gets another throw by undoing a bad one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from galley_engine.dice import KeptDice
from galley_engine.game import AnyGame, JSONObject, Refusal, Step
from galley_engine.record import Entry, Verdict, lines, state_after

KEPT_EVERY: Final = 256


class Change(NamedTuple):
    """What a journal has to write down: step `n` was taken, or taken back, or its verdict came later."""

    what: Literal["step", "undo", "verdict"]
    n: int


@dataclass(slots=True)
class Session:
    """A running game. `steps` holds (at_ms, accepted action with its outcomes), enough to play it again.

    `dealt` is the state at the start; `verdicts` has the verdict of a step, by its number from 1, if a race
    was decided. `changes` holds what happened since somebody last took it out.
    """

    game: AnyGame
    chance: KeptDice
    dealt: Any
    state: Any
    started_ms: int
    steps: list[tuple[int, JSONObject]] = field(default_factory=list)
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    _drawn: list[int] = field(default_factory=list)  # before each step, the numbers drawn by the chance
    _kept: list[tuple[int, Any]] = field(default_factory=list)  # a number of steps, and the state after them
    _paused_ms: int | None = None
    _lost_ms: int = 0
    _last_ms: int = 0

    @classmethod
    def start(
        cls, game: AnyGame, seats: int, options: Mapping[str, object], seed: int, now_ms: int
    ) -> Session:
        """Deal a new game. Raises BadOption."""
        chance = KeptDice(seed)
        dealt = game.start(seats, game.options(options), chance)
        return cls(game, chance, dealt, dealt, now_ms)

    @classmethod
    def restore(
        cls,
        game: AnyGame,
        seed: int,
        *,
        dealt: Any,
        state: Any,
        steps: Sequence[tuple[int, JSONObject]],
        drawn: Sequence[int],
        kept: tuple[int, Any],
        verdicts: Mapping[int, Verdict],
        last_ms: int,
        now_ms: int,
    ) -> Session:
        """A game as it stood in `state` after `steps`; its clock goes on from `last_ms` at `now_ms`.

        `drawn` has the numbers the chance had drawn: after dealing, then after each step. `kept` is a number
        of steps and the state after them, to take back the later ones from.
        """
        restored = cls(game, KeptDice(seed, drawn[-1]), dealt, state, now_ms - last_ms)
        restored.steps = list(steps)
        restored.verdicts = dict(verdicts)
        restored._drawn = list(drawn[:-1])
        restored._kept = [kept]
        restored._last_ms = last_ms
        return restored

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
        drawn = self.chance.drawn
        answer: Step[Any] | Refusal = self.game.apply(self.state, action, at_ms, self.chance)
        if isinstance(answer, Step):
            self.state = answer.state
            self._last_ms = at_ms
            self.steps.append((at_ms, answer.action))
            self._drawn.append(drawn)
            if len(self.steps) % KEPT_EVERY == 0:
                self._kept.append((len(self.steps), self.state))
            self.changes.append(Change("step", len(self.steps)))
        return answer

    def judge(self, n: int, verdict: Verdict) -> None:
        """The verdict on step `n` is known now; if that was taken back meanwhile it belongs to nothing."""
        if 0 < n <= len(self.steps):
            self.verdicts[n] = verdict
            self.changes.append(Change("verdict", n))

    def undo(self) -> bool:
        """Take the last step back; False if there is none. The game's clock goes on, paused or not."""
        if not self.steps:
            return False
        self.changes.append(Change("undo", len(self.steps)))
        self.verdicts.pop(len(self.steps), None)
        self.steps.pop()
        self.chance = KeptDice(self.chance.seed, self._drawn.pop())
        while self._kept and self._kept[-1][0] > len(self.steps):
            self._kept.pop()
        n, state = self._kept[-1] if self._kept else (0, self.dealt)
        self.state = state_after(self.game, state, self.steps[n:])
        return True

    def drawn_after(self, n: int) -> int:
        """The numbers the chance had drawn after step `n`; 0 asks for those of the deal."""
        return self._drawn[n] if n < len(self._drawn) else self.chance.drawn

    def record(self) -> str:
        """The record of the game so far, finished or not, in the form of `galley_engine.record`."""
        entries = (
            Entry(at_ms, action, self.verdicts.get(n))
            for n, (at_ms, action) in enumerate(self.steps, start=1)
        )
        return "".join(lines(self.game, self.dealt, self.chance.seed, entries, self.state.phase))
