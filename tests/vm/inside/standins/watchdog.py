"""Stand-in for `watchdog`: a chip that was not fed in time has restarted, here at the next feed."""

from rig import EXIT_RESET, leave, rig

LONGEST_S = 8.388


class WatchDogMode:
    """What happens when time is up; only RESET is needed here."""

    RESET = "RESET"


class WatchDogTimer:
    """The timer. Set `timeout` in seconds, then `mode`, then call `feed` in time."""

    def __init__(self) -> None:
        self._timeout = 0.0
        self._timeout_us = 0
        self._mode = None
        self._fed_us = 0

    @property
    def timeout(self) -> float:
        """Seconds until the board restarts unless it is fed; at most 8.388, as on an RP2040."""
        return self._timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        if not 0 < seconds <= LONGEST_S:
            raise ValueError("timeout must be 0-8.388")
        self._timeout = seconds
        self._timeout_us = int(seconds * 1000000)

    @property
    def mode(self):
        """None while the timer is off."""
        return self._mode

    @mode.setter
    def mode(self, mode) -> None:
        if mode is not None and not self._timeout_us:
            raise ValueError("WatchDogTimer.timeout must be greater than 0")
        self._mode = mode
        self._fed_us = rig.clock()

    def feed(self) -> None:
        """Begin the time anew; ValueError while the timer is off."""
        if self._mode is None:
            raise ValueError("wdt not initialized")
        now_us = rig.clock()
        if now_us - self._fed_us > self._timeout_us:
            leave(EXIT_RESET)
        self._fed_us = now_us
