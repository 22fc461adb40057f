"""How late the host's own event loop is, told by the loop itself: it has no timer and wakes nobody.

For: noticing whatever holds up the loop, because a hand waits for its light meanwhile. It must not know what
the loop does.

    lag = LoopLag(on_lag)
    with asyncio.Runner(loop_factory=lag.loop) as runner: ...

The loop waits in its selector and works between two waits. A lag is the time from when it was to wake until
it waits again: whatever came meanwhile waited for so long. A lag over WARN_S is told at once, then at most
every QUIET_S: a machine that is too slow shall not fill the log too.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from collections import deque
from collections.abc import Callable
from typing import Final

WARN_S: Final = 0.1
QUIET_S: Final = 10.0
WINDOW_S: Final = 60.0
SLICE_S: Final = 5.0


class LoopLag:
    """`most_s` is the worst since `begin`, `lags` how many were over WARN_S."""

    def __init__(self, on_lag: Callable[[float, int], object]) -> None:
        """`on_lag(worst_s, count)` is told of the lags since it was told last."""
        self.most_s = 0.0
        self.lags = 0
        self._on_lag = on_lag
        self._begun_s: float | None = None
        self._slices: deque[tuple[float, float]] = deque()  # begin, worst: the window in pieces
        self._untold = 0
        self._untold_s = 0.0
        self._told_s: float | None = None

    def loop(self) -> asyncio.AbstractEventLoop:
        """A new event loop that tells its lags here."""
        return asyncio.SelectorEventLoop(_Timed(self._turned))

    def begin(self) -> None:
        """Lags count from now on: nobody waits while the host starts."""
        self._begun_s = time.monotonic()

    def _turned(self, lag_s: float, now_s: float) -> None:
        if self._begun_s is not None:
            self.take(min(lag_s, now_s - self._begun_s), now_s)

    def take(self, lag_s: float, now_s: float) -> None:
        """The loop was late by so much at `now_s`, a time that never goes back."""
        self.most_s = max(self.most_s, lag_s)
        if not self._slices or now_s - self._slices[-1][0] >= SLICE_S:
            self._slices.append((now_s, lag_s))
            self._forget(now_s)
        elif lag_s > self._slices[-1][1]:
            self._slices[-1] = (self._slices[-1][0], lag_s)
        if lag_s > WARN_S:
            self.lags += 1
            self._untold += 1
            self._untold_s = max(self._untold_s, lag_s)
        if self._untold and (self._told_s is None or now_s - self._told_s >= QUIET_S):
            self._on_lag(self._untold_s, self._untold)
            self._told_s, self._untold, self._untold_s = now_s, 0, 0.0

    def worst_s(self, now_s: float) -> float:
        """The worst of the last WINDOW_S, to within SLICE_S."""
        self._forget(now_s)
        return max((worst_s for _, worst_s in self._slices), default=0.0)

    def _forget(self, now_s: float) -> None:
        while self._slices and now_s - self._slices[0][0] > WINDOW_S:
            self._slices.popleft()


class _Timed(selectors.DefaultSelector):
    """The system's selector; `turned(lag_s, now_s)` is called before each wait."""

    def __init__(self, turned: Callable[[float, float], None]) -> None:
        super().__init__()
        self._turned = turned
        self._due_s = time.monotonic()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait as any selector."""
        began_s = time.monotonic()
        self._turned(began_s - self._due_s, began_s)
        ready = super().select(timeout)
        woke_s = time.monotonic()
        self._due_s = woke_s if timeout is None else min(woke_s, began_s + timeout)
        return ready
