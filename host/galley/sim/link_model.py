"""A model of the link between host and board, for its timing alone: seeded traces of exchanges and presses.

For: measuring and testing clocks and verdicts on links that are quiet, busy or broken, a minute in a moment.
It must not know the clock that is judged; all it gives are the stamps both sides would have, and the truth.

An exchange, in the order in which it happens (times in seconds of true host time):

    sent      the host stamps and writes; while the host stands still nothing is sent
    out       `wire_ms` and an exponential wait for the bus and the drivers
    rx        the board reads in its next turn, up to `loop_ms` later; garbage collection is waited for
    tx        the answer is stamped after `work_ms`
    back      `wire_ms`, the next USB frame where the host asks once a frame, an exponential wait
    received  the host reads; if it stands still, when it goes on

Where the numbers come from:
* USB at full speed has frames of 1 ms; bulk data goes in the room that is left (USB 2.0 specification, 5.8
  and 5.11.3). Many host controllers ask an endpoint many times in a frame, some (UHCI) once: `frame_ms` 1.
* Board turns of 0.5 to 10 ms, collections of 5, 40 and 220 ms, host stalls of 20, 100 and 500 ms, 5 % of the
  time: the faults that builders of such boxes report. The firmware's own turn sleeps 1 ms.
* Crystals of RP2040 boards are within ±30 ppm. A ceramic resonator is good to ±0.5 %, a trimmed one to some
  100 ppm, so 500 ppm stands for the worst board that is let play. Warming up moves a crystal by a few ppm
  over minutes; here a sine of ±3 ppm.
* Stamps: 1 µs; 30.5 µs, the step of `time.monotonic_ns` in CircuitPython (it counts 32768 Hz); 1 ms,
  that of `supervisor.ticks_ms`. All are rounded down, as a counter shows its last full step.
* A keypad scans every 1/1024 s and stamps the scan in ticks_ms.

Faults, far more often than a box sees them: a jump of the board's clock every 2 minutes (a restart that
nobody noticed), 1 % of samples with absurd stamps, and the wrap of `ticks_us` (stamps are given wrapped).
Probes: a burst of 8, 20 ms apart, then about 8 a second, at a period that is no multiple of 1 ms, so that it
meets stamps and frames of 1 ms in all phases.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Final, NamedTuple

NS: Final = 1_000_000_000
US_PERIOD: Final = 1 << 26
BURST: Final = 8
BURST_EVERY_S: Final = 0.020
PROBE_EVERY_S: Final = 0.123618
SCAN_S: Final = 1 / 1024
MONOTONIC_STEP_US: Final = 1e6 / 32768


@dataclass(frozen=True, slots=True)
class Kind:
    """What one board and its link are like. `skew_ppm` is how fast its clock gains; waits are means."""

    skew_ppm: float = 20.0
    wander_ppm: float = 0.0
    wander_period_s: float = 300.0
    wire_ms: float = 0.08
    wait_ms: float = 0.06
    frame_ms: float = 0.0
    loop_ms: float = 1.0
    work_ms: float = 0.05
    step_us: float = MONOTONIC_STEP_US
    pauses_ms: tuple[float, ...] = ()
    pause_every_s: float = 2.0
    stalls_ms: tuple[float, ...] = ()
    stall_share: float = 0.05
    outliers: float = 0.0
    jump_every_s: float = 0.0
    origin_us: int = 0


class Sample(NamedTuple):
    """One exchange as both sides stamped it; board times wrapped at 2**26 µs."""

    sent_ns: int
    rx_us: int
    tx_us: int
    received_ns: int


class Stamped(NamedTuple):
    """A press at true host time `at_ns`, stamped to 1 µs and by a keypad to 1 ms (both wrapped, in µs)."""

    at_ns: int
    edge_us: int
    keypad_us: int
    received_ns: int


QUIET: Final = Kind()
BUSY: Final = Kind(wait_ms=0.5, frame_ms=1.0, loop_ms=2.0, pauses_ms=(5.0,), stalls_ms=(2.0, 5.0))
KINDS: Final[dict[str, tuple[Kind, Kind]]] = {
    "quiet": (QUIET, replace(QUIET, skew_ppm=-25.0)),
    "busy": (BUSY, replace(BUSY, skew_ppm=-25.0)),
    "500 ppm": (replace(QUIET, skew_ppm=495.0), replace(QUIET, skew_ppm=-480.0)),
    "wander": (replace(QUIET, wander_ppm=3.0), replace(QUIET, wander_ppm=-3.0, wander_period_s=140.0)),
    "loops": (replace(QUIET, loop_ms=0.5), replace(QUIET, loop_ms=10.0)),
    "pauses": (replace(QUIET, pauses_ms=(5.0, 40.0, 220.0)), replace(BUSY, pauses_ms=(40.0,))),
    "stalls": (replace(QUIET, stalls_ms=(20.0, 100.0, 500.0)), replace(BUSY, stalls_ms=(20.0, 100.0, 500.0))),
    "1 ms stamps": (replace(QUIET, step_us=1000.0), replace(QUIET, step_us=1000.0, skew_ppm=-25.0)),
    "reset": (replace(QUIET, jump_every_s=120.0), QUIET),
    "outliers": (replace(QUIET, outliers=0.01), replace(QUIET, outliers=0.01)),
    "tick wrap": (replace(QUIET, origin_us=US_PERIOD - 20_000_000), replace(QUIET, origin_us=5_000_000)),
    "all at once": (
        replace(
            BUSY, skew_ppm=495.0, step_us=1000.0, wander_ppm=3.0, outliers=0.01, pauses_ms=(5.0, 40.0, 220.0)
        ),
        replace(BUSY, skew_ppm=-480.0, loop_ms=10.0, stalls_ms=(20.0, 100.0, 500.0), jump_every_s=120.0),
    ),
}
COARSE_KINDS: Final = frozenset({"1 ms stamps", "all at once"})


class Stops:
    """Stretches of true time in which something stands still."""

    def __init__(self, random: Random, lengths_ms: tuple[float, ...], every_s: float, until_s: float) -> None:
        self._starts: list[float] = []
        self._ends: list[float] = []
        at = random.expovariate(1 / every_s) if lengths_ms else until_s
        while at < until_s:
            end = at + random.choice(lengths_ms) / 1000
            self._starts.append(at)
            self._ends.append(end)
            at = end + random.expovariate(1 / every_s)

    def after(self, at: float) -> float:
        """`at`, or when the stop that holds then ends."""
        i = bisect_right(self._starts, at) - 1
        return max(at, self._ends[i]) if i >= 0 else at


class BoardClock:
    """A board's clock in true time: skew, wander and jumps."""

    def __init__(self, random: Random, kind: Kind, until_s: float) -> None:
        self._kind = kind
        self._phase = random.uniform(0, math.tau)
        self._jump_times: list[float] = []
        self._jumps_us: list[float] = [0.0]
        at = random.uniform(0.5, 1.5) * kind.jump_every_s if kind.jump_every_s else until_s
        while at < until_s:
            self._jump_times.append(at)
            self._jumps_us.append(self._jumps_us[-1] + random.choice((-1, 1)) * random.uniform(1e4, 3e6))
            at += random.uniform(0.5, 1.5) * kind.jump_every_s

    def us(self, at: float) -> float:
        """Board time in µs at true time `at`."""
        kind = self._kind
        turn = math.tau / kind.wander_period_s
        swing = kind.wander_ppm / turn * (math.cos(self._phase) - math.cos(turn * at + self._phase))
        jumped = self._jumps_us[bisect_right(self._jump_times, at)]
        return kind.origin_us + at * 1e6 + at * kind.skew_ppm + swing + jumped

    def stamp(self, at: float, step_us: float) -> int:
        """The wrapped stamp of a counter with this step."""
        return int(self.us(at) // step_us * step_us) % US_PERIOD


class LinkModel:
    """One board's link for `seconds` of true time from `start_s` on; the same seed gives the same trace."""

    def __init__(self, kind: Kind, seed: int | str, seconds: float, host_seed: int | str = 0) -> None:
        self.kind = kind
        self.seconds = seconds
        self._random = random = Random(f"{seed}")
        until = seconds + 2
        # one host stands still for all its boards at the same time
        stalls = kind.stalls_ms
        every_s = sum(stalls) / len(stalls) / 1000 / kind.stall_share if stalls else 1.0
        self._stalls = Stops(Random(f"host {host_seed}"), stalls, every_s, until)
        self._pauses = Stops(random, kind.pauses_ms, kind.pause_every_s, until)
        self.clock = BoardClock(random, kind, until)
        self._frame_phase = random.random()

    def exchange(self, at: float) -> Sample:
        """A probe that the host wants to send at true time `at`."""
        kind, random = self.kind, self._random
        sent = self._stalls.after(at)
        rx = self._turn(sent + self._transit())
        tx = rx + kind.work_ms / 1000 * random.uniform(0.5, 2.0)
        received = self._heard(tx)
        sample = Sample(
            round(sent * NS),
            self.clock.stamp(rx, kind.step_us),
            self.clock.stamp(tx, kind.step_us),
            round(received * NS),
        )
        if random.random() < kind.outliers:
            off_us = random.choice((-1, 1)) * round(10 ** random.uniform(3.5, 6.5))
            rx_us, tx_us = (sample.rx_us + off_us) % US_PERIOD, (sample.tx_us + off_us) % US_PERIOD
            sample = sample._replace(rx_us=rx_us, tx_us=tx_us)
        return sample

    def press(self, at: float) -> Stamped:
        """A key that goes down at true time `at`."""
        board_us = self.clock.us(at)
        scan_us = math.ceil(board_us / (SCAN_S * 1e6)) * SCAN_S * 1e6
        return Stamped(
            round(at * NS),
            int(board_us) % US_PERIOD,
            int(scan_us // 1000 * 1000) % US_PERIOD,
            round(self._heard(self._turn(at + (scan_us - board_us) / 1e6)) * NS),
        )

    def probes(self) -> Iterator[Sample]:
        """All exchanges of the trace: a burst, then at an odd period; each sent after the last came back."""
        at = 0.0
        for number in range(1 << 30):
            if at >= self.seconds:
                return
            sample = self.exchange(at)
            yield sample
            every = BURST_EVERY_S if number < BURST - 1 else PROBE_EVERY_S
            at = max(at + every, sample.received_ns / NS)

    def _transit(self) -> float:
        return (self.kind.wire_ms + self._random.expovariate(1 / self.kind.wait_ms)) / 1000

    def _turn(self, at: float) -> float:
        return self._pauses.after(at + self._random.uniform(0, self.kind.loop_ms) / 1000)

    def _heard(self, tx: float) -> float:
        at = tx + self.kind.wire_ms / 1000
        if self.kind.frame_ms:
            frame = self.kind.frame_ms / 1000
            at = (math.ceil(at / frame - self._frame_phase) + self._frame_phase) * frame
        return self._stalls.after(at + self._random.expovariate(1 / self.kind.wait_ms) / 1000)
