"""How long the house waits for people, and what it does when nobody presses a key.

For: a box that looks after itself. Where nobody has pressed a key for a while it asks, counts down, and goes
back to attract. Who does not press a key on her turn for a minute, while others wait, is replaced by a bot
until she comes back. In attract it plays by itself, game after game. It must not know which key does what,
nor boards.

While it `stands` - a board is away, the disk takes nothing - people could do nothing, so none are asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from galley.evening import Evening
from galley.phases import PHASES

ASKING_MS: Final = 20_000
OPERATOR_IDLE_MS: Final = 300_000
AWAITED_MS: Final = 60_000
SPOKEN_MS: Final = 120_000
"""How long a language holds that was chosen in attract, when nothing else is done."""
DEMO_AFTER_MS: Final = 1_500
DEMO_RESULT_MS: Final = 10_000


@dataclass(slots=True)
class Patience:
    """Waits by the time of its evening: call `tick` at `due_ms`, both with whether the box stands."""

    evening: Evening
    _asking_since_ms: int | None = None
    _spoken_ms: int = 0  # when somebody chose a language last
    _awaited: tuple[int, ...] = ()  # the seats that others wait for
    _awaited_since_ms: int = 0  # and since when none of their keys was touched

    @property
    def asks(self) -> bool:
        """Whether it asks if anybody is there."""
        return self._asking_since_ms is not None

    # -- people -----------------------------------------------------------------------------------------

    def is_there(self) -> bool:
        """A hand of somebody. True if it answers the question whether anybody is there."""
        self.evening.touched_ms = self.evening.now_ms
        asked, self._asking_since_ms = self.asks, None
        return asked

    def touched(self) -> None:
        """It was on the keys of a seat that others may wait for."""
        self._awaited_since_ms = self.evening.now_ms

    def spoken(self) -> None:
        """Somebody chose a language."""
        self._spoken_ms = self.evening.now_ms

    def see_awaited(self) -> None:
        """Look who is awaited now, after whatever happened."""
        play = self.evening.play
        awaited: tuple[int, ...] = ()
        if play is not None and self.evening.phase == "game" and not play.paused:
            others = sum(seat.bot is None for seat in play.seats) > len(play.awaited)
            awaited = play.awaited if others and self.evening.bots_can_play else ()
        if awaited != self._awaited:
            self._awaited, self._awaited_since_ms = awaited, self.evening.now_ms

    # -- time -------------------------------------------------------------------------------------------

    def tick(self, stands: bool) -> None:
        """Do what is due."""
        awaited_ms = self._awaited_ms()
        if awaited_ms is not None and self.evening.now_ms >= awaited_ms:
            for seat in self._awaited:
                self.evening.replace_seat(seat)
        self._demonstrate()
        self._ask(stands)

    def due_ms(self, stands: bool) -> int | None:
        """The house time at which `tick` must come, None if nothing is waited for."""
        evening = self.evening
        times = [self._awaited_ms()]
        if self._asking_since_ms is not None:
            times.append(self._asking_since_ms + ASKING_MS)
        elif (idle_ms := self._idle_ms(stands)) is not None:
            times.append(evening.touched_ms + idle_ms)
        if (demo_ms := self._demo_ms()) is not None:
            times.append(max(demo_ms, evening.now_ms + 1))
        if evening.phase == "attract" and evening.chosen:
            times.append(self._spoken_ms + SPOKEN_MS)
        return min((at for at in times if at is not None), default=None)

    def _demonstrate(self) -> None:
        evening = self.evening
        if evening.phase == "attract" and evening.chosen and evening.now_ms >= self._spoken_ms + SPOKEN_MS:
            evening.chosen.clear()  # who only chose a language has gone
        demo_ms = self._demo_ms()
        if demo_ms is not None and evening.now_ms >= demo_ms:
            evening.begin_demo()
            evening.touched_ms = evening.now_ms

    def _demo_ms(self) -> int | None:
        """When the next demonstration begins, None while none is to."""
        evening = self.evening
        if evening.phase != "attract" or not evening.rules.demo:
            return None
        if evening.play is None:
            return evening.touched_ms + DEMO_AFTER_MS
        return evening.ended_ms + DEMO_RESULT_MS if evening.play.over else None

    def _awaited_ms(self) -> int | None:
        return self._awaited_since_ms + AWAITED_MS if self._awaited else None

    def _ask(self, stands: bool) -> None:
        """Two stages: ask whether anybody is there, then go."""
        evening = self.evening
        if self._asking_since_ms is not None:
            if evening.now_ms - self._asking_since_ms >= ASKING_MS:
                self._attract()
            return
        idle_ms = self._idle_ms(stands)
        if idle_ms is not None and evening.now_ms - evening.touched_ms >= idle_ms:
            self._asking_since_ms = evening.now_ms

    def _attract(self) -> None:
        self._asking_since_ms = None
        self.evening.attract()
        self.evening.touched_ms = self.evening.now_ms

    def _idle_ms(self, stands: bool) -> int | None:
        """For how long nobody may press a key before the box asks."""
        evening = self.evening
        if evening.operator:
            return OPERATOR_IDLE_MS
        if stands or (evening.phase == "game" and not evening.people()):
            return None
        return PHASES[evening.phase].idle_ms
