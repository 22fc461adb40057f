"""What the world of the poop deck keeps in mind for a while: what the die has shown, and what fell unsettled.

For: `deck_world`. Somebody may lift a dropping without a word and say its colour later, so the die's colours
of the last HOLD_MS are remembered. What broke a beam may have been the die where nobody but the crew sees it:
for DOUBT_MS they may say so. What fell in a pause counts when the game goes on. It must not know the rules.
Times are house ms.
"""

from __future__ import annotations

from typing import Final

HOLD_MS: Final = 3_000  # a dropping announced without a grab was grabbed so long ago
DOUBT_MS: Final = 8_000
MOST_FALLEN: Final = 100


class Faces:
    """The die's colours of the last HOLD_MS, and the one before."""

    def __init__(self) -> None:
        self._shown: list[tuple[int, str]] = []
        self._recalled = 0  # turns of the die that the game is told once more: they are known

    def turned(self, colour: str, now_ms: int) -> None:
        """The game was told that the die shows this."""
        if self._recalled:
            self._recalled -= 1
        else:
            known = len(self._since(now_ms - HOLD_MS))
            self._shown = [*self._shown[len(self._shown) - known :], (now_ms, colour)]

    def recall(self, now_ms: int) -> list[str]:
        """The colour of HOLD_MS ago and all since, to be told once more; none if there was no other since."""
        shown = self._since(now_ms - HOLD_MS)
        self._recalled = len(shown) if len(shown) > 1 else 0
        return shown[: self._recalled]

    def delay(self, ms: int) -> None:
        """All stood still for `ms`."""
        self._shown = [(at_ms + ms, colour) for at_ms, colour in self._shown]

    def _since(self, from_ms: int) -> list[str]:
        """The colour on top at `from_ms`, if it is known, and those that came after it."""
        started = max((n for n, (at_ms, _) in enumerate(self._shown) if at_ms <= from_ms), default=0)
        return [colour for _, colour in self._shown[started:]]


class Falls:
    """What fell and is not settled. `blind`: only the crew sees whether it was the die."""

    def __init__(self, blind: bool) -> None:
        self._blind = blind
        self._doubted_ms: list[int] = []  # when beams were broken that may have been the die
        self._missed = 0  # what fell while the box was paused

    @property
    def in_doubt(self) -> bool:
        """Whether the crew is asked what fell."""
        return bool(self._doubted_ms)

    @property
    def count(self) -> int:
        """All that is not settled."""
        return self._missed + len(self._doubted_ms)

    def add(self, now_ms: int) -> None:
        """Something went through a hole that the game is not told of now."""
        if self._blind:
            self._doubted_ms.append(now_ms)
        else:
            self._missed += 1

    def take_missed(self) -> int:
        """How many droppings the game is told of now."""
        missed, self._missed = self._missed, 0
        return missed

    def settle(self) -> None:
        """What fell first was a dropping."""
        del self._doubted_ms[:1]

    def forget(self) -> None:
        """Nothing of what is in doubt can have been a dropping."""
        self._doubted_ms.clear()

    def due_ms(self) -> int | None:
        """When the oldest one is in doubt no longer; 0 for what need not wait, None if there is nothing."""
        return 0 if self._missed else min((at_ms + DOUBT_MS for at_ms in self._doubted_ms), default=None)

    def delay(self, ms: int) -> None:
        """All stood still for `ms`."""
        self._doubted_ms = [at_ms + ms for at_ms in self._doubted_ms]

    def start(self, now_ms: int) -> None:
        """Time begins: all of the doubt is still to come."""
        self._doubted_ms = [now_ms] * len(self._doubted_ms)

    def restore(self, count: int) -> None:
        """Be as it was with so many of them, before `start`."""
        for _ in range(min(count, MOST_FALLEN)):
            self.add(0)
