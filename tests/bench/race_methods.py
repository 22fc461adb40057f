"""Ways to tell the host time of a board's stamp, for the benchmark of race timing: three usual ones and ours.

Each method takes the exchanges of one board as they come and tells (ns, uncertainty_ns or None) for a press.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol

from galley.clock import ClockSync


class Method(Protocol):
    """One board's clock by some method; board times are widened µs."""

    name: str

    def observe(self, sent_ns: int, rx_us: int, tx_us: int, received_ns: int) -> object:
        """Take one exchange."""

    def tell(self, press_us: int, arrived_ns: int) -> tuple[int, int | None]:
        """When a press was whose frame came at `arrived_ns`."""


class Arrival:
    """No clock: a press was when its frame came."""

    name = "arrival order"

    def observe(self, sent_ns: int, rx_us: int, tx_us: int, received_ns: int) -> None:
        """Nothing is learnt."""

    def tell(self, press_us: int, arrived_ns: int) -> tuple[int, int | None]:
        return arrived_ns, None


class LowestRoundTrip:
    """The offset of the exchange with the shortest round trip of the last 2 s, half of it each way.

    As liblsl's time_receiver, which sends 8 probes every 2 s and takes the best.
    """

    name = "lowest round trip"

    def __init__(self) -> None:
        self._recent: deque[tuple[int, int]] = deque(maxlen=16)

    def observe(self, sent_ns: int, rx_us: int, tx_us: int, received_ns: int) -> None:
        round_trip_ns = received_ns - sent_ns - 1000 * (tx_us - rx_us)
        self._recent.append((round_trip_ns, (sent_ns + received_ns - 1000 * (rx_us + tx_us)) // 2))

    def tell(self, press_us: int, arrived_ns: int) -> tuple[int, int | None]:
        return 1000 * press_us + min(self._recent)[1], None


class Regression:
    """A line through (received by the board, sent) that forgets in 30 s, plus half the shortest round trip.

    As Klipper's clocksync, which regresses on the time of sending.
    """

    name = "regression"
    decay = 1 / (30 * 8)

    def __init__(self) -> None:
        self._origin: tuple[int, int] | None = None
        self._mean_x = self._mean_y = self._var = self._cov = 0.0
        self._weight = 0.0
        self._half_ns = float("inf")

    def observe(self, sent_ns: int, rx_us: int, tx_us: int, received_ns: int) -> None:
        if self._origin is None:
            self._origin = rx_us, sent_ns
        x, y = rx_us - self._origin[0], sent_ns - self._origin[1] - 1000 * (rx_us - self._origin[0])
        self._half_ns = min(self._half_ns, (received_ns - sent_ns - 1000 * (tx_us - rx_us)) / 2)
        self._weight = self._weight * (1 - self.decay) + 1
        gain = 1 / self._weight
        dx, dy = x - self._mean_x, y - self._mean_y
        self._mean_x += gain * dx
        self._mean_y += gain * dy
        self._var = (1 - gain) * (self._var + gain * dx * dx)
        self._cov = (1 - gain) * (self._cov + gain * dx * dy)

    def tell(self, press_us: int, arrived_ns: int) -> tuple[int, int | None]:
        assert self._origin is not None
        x = press_us - self._origin[0]
        slope = self._cov / self._var if self._var else 0.0
        off_ns = self._mean_y + slope * (x - self._mean_x) + self._half_ns
        return self._origin[1] + 1000 * x + round(off_ns), None


class Ours:
    """`galley.clock`: all lines between the bounds of all exchanges."""

    name = "ours"

    def __init__(self) -> None:
        self._clock = ClockSync()

    def observe(self, sent_ns: int, rx_us: int, tx_us: int, received_ns: int) -> None:
        self._clock.observe(sent_ns, rx_us, tx_us, received_ns)

    def tell(self, press_us: int, arrived_ns: int) -> tuple[int, int | None]:
        return self._clock.host_time(press_us)


METHODS: tuple[type[Method], ...] = (Arrival, LowestRoundTrip, Regression, Ours)
