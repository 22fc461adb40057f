"""Stand-in for `watchdog`: in RESET mode the rig's alarm goes off when it is not fed in time.

In a child process the alarm is the kernel's and ends the process without asking the interpreter, so a
firmware that hangs in a loop dies as on a board; the parent sees how, and plugs the board in again.
"""

from __future__ import annotations

from rig import NS_PER_S, real_ns, rig

LONGEST_S = 8.388
FEED_STEP_NS = NS_PER_S // 10  # a system call for every turn would be the dearest part of it


class WatchDogMode:
    """What happens when time is up; only RESET is needed here."""

    RESET = "RESET"


class WatchDogTimer:
    """The timer. Set `timeout` in seconds, then `mode`, then call `feed` in time."""

    def __init__(self) -> None:
        self._timeout = 0.0
        self._mode: str | None = None
        self._fed_ns = 0

    @property
    def timeout(self) -> float:
        """Seconds until the board restarts unless it is fed; at most 8.388, as on an RP2040."""
        return self._timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        if not 0 < seconds <= LONGEST_S:
            raise ValueError(f"timeout must be 0-{LONGEST_S}")
        self._timeout = seconds

    @property
    def mode(self) -> str | None:
        """None while the timer is off."""
        return self._mode

    @mode.setter
    def mode(self, mode: str | None) -> None:
        self._mode = mode
        self._fed_ns = 0
        if mode == WatchDogMode.RESET:
            self.feed()
        else:
            rig.alarm(0)

    def feed(self) -> None:
        """Begin the time anew; ValueError while the timer is off."""
        if self._mode is None:
            raise ValueError("wdt not initialized")
        now_ns = real_ns()
        if now_ns - self._fed_ns >= FEED_STEP_NS:
            self._fed_ns = now_ns
            rig.alarm(self._timeout)
