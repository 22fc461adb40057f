"""How late the host's own event loop is: a timer that is due every PERIOD_S, and by how much it comes late.

For: noticing whatever holds up the loop, because a hand waits for its light meanwhile. It must not know what
the loop does.

A lag is what a timer came late by, so something that holds the loop for 150 ms shows as 125 to 150 ms. A
lag over WARN_S is told at once, then at most every QUIET_S: a machine that is too slow shall not fill the
log too.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

PERIOD_S: Final = 0.025
WARN_S: Final = 0.1
QUIET_S: Final = 10.0
WINDOW_S: Final = 60.0
SLICE_S: Final = 5.0


class LoopLag:
    """`most_s` is the worst since the start, `lags` how many were over WARN_S."""

    def __init__(self, on_lag: Callable[[float, int], object]) -> None:
        """`on_lag(worst_s, count)` is told of the lags since it was told last."""
        self.most_s = 0.0
        self.lags = 0
        self._on_lag = on_lag
        self._slices: deque[tuple[float, float]] = deque()  # begin, worst: the window in pieces
        self._untold = 0
        self._untold_s = 0.0
        self._told_s: float | None = None

    async def watch(self) -> None:
        """Look for as long as the loop runs."""
        loop = asyncio.get_running_loop()
        while True:
            due_s = loop.time() + PERIOD_S
            await asyncio.sleep(PERIOD_S)
            now_s = loop.time()
            self.take(max(0.0, now_s - due_s), now_s)

    def take(self, lag_s: float, now_s: float) -> None:
        """A timer came late by so much at `now_s`, a time that never goes back."""
        self.most_s = max(self.most_s, lag_s)
        if not self._slices or now_s - self._slices[-1][0] >= SLICE_S:
            self._slices.append((now_s, lag_s))
        else:
            begin_s, worst_s = self._slices[-1]
            self._slices[-1] = (begin_s, max(worst_s, lag_s))
        self._forget(now_s)
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
