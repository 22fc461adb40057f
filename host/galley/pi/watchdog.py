"""`watchdog` on a Raspberry Pi: the kernel's alarm ends a process that does not feed it in time.

The alarm's signal is not handled, so it ends the process without asking the interpreter; whoever started it
(systemd) starts it anew, and the outputs go low with it because the kernel releases their lines.
"""

from __future__ import annotations

import signal
import time
from typing import Final

FEED_STEP_S: Final = 0.1  # a system call in every turn would be the dearest part of it


class WatchDogMode:
    """What happens when time is up."""

    RESET = "RESET"


class WatchDogTimer:
    """The timer. Set `timeout` in seconds, then `mode`, then call `feed` in time."""

    def __init__(self) -> None:
        self.timeout = 0.0
        self._mode: str | None = None
        self._fed_s = 0.0

    @property
    def mode(self) -> str | None:
        """None while the timer is off."""
        return self._mode

    @mode.setter
    def mode(self, mode: str | None) -> None:
        self._mode = mode
        self._fed_s = 0.0
        if mode is None:
            signal.setitimer(signal.ITIMER_REAL, 0)
        else:
            self.feed()

    def feed(self) -> None:
        """Begin the time anew; ValueError while the timer is off."""
        if self._mode is None:
            raise ValueError("wdt not initialized")
        now_s = time.monotonic()
        if now_s - self._fed_s >= FEED_STEP_S:
            self._fed_s = now_s
            signal.setitimer(signal.ITIMER_REAL, self.timeout)

    def deinit(self) -> None:
        """Turn the timer off."""
        self.mode = None
