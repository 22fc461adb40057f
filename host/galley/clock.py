"""The time of a board in the time of the host, with an uncertainty that is proved.

For: what a key stamp of a board means on the host's clock, and how far that can be off. It must not know
links, keys or games, reads no clock and does no I/O: samples in, answers out.

    clock = ClockSync()
    clock.observe(sent_ns, board_rx_us, board_tx_us, received_ns)     # each four-stamp exchange
    when = clock.host_time(press_us)                                  # when.ns ± when.uncertainty_ns

Each exchange is two hard bounds on the line that the board's clock follows (`lines`); the lines that
satisfy all of the last 40 to 60 s bound a stamp's host time from both sides. Nothing is averaged: a slow
answer says little but nothing wrong, so stalls and pauses of either side do no harm.

A sample that no line explains is set aside. Until the next good one, answers are stretched to hold both
what the lines say and what that sample says. AGREEING samples set aside in a row that agree among
themselves mean that the board's clock jumped: the lines start anew, and for DOUBT_NS more answers also hold
what the old lines say, if by these the stamp is from before the jump and no older than DOUBT_NS. So a jump
or an absurd sample widens a verdict and never turns it round.
"""

from __future__ import annotations

from enum import StrEnum
from itertools import pairwise
from math import ceil, floor
from typing import Final, NamedTuple

from galley.lines import ANY_RATE, RATE_LIMIT, STAMP_US, Exchange, Lines
from galley.ticks import COARSEST_US, Granule

CONVERGED_SAMPLES: Final = 8
CONVERGED_NS: Final = 1_000_000
SURE_NS: Final = 250_000
AGREEING: Final = 3
MOST_DOUBTED: Final = 3
DOUBT_NS: Final = 1_000_000_000
SAME_CRYSTAL: Final = 0.02  # ns per µs: 20 ppm, more than a crystal changes over a restart
FRESH_NS: Final = 3_000_000_000


class HostTime(NamedTuple):
    """A host time and how far it can be off either way, both in ns."""

    ns: int
    uncertainty_ns: int


class Standing(NamedTuple):
    """How the fit stands at its newest sample, for people to look at.

    `offset_ns` is host time less board time, `drift_ppm` how fast the board's clock gains on the host's.
    """

    offset_ns: int
    uncertainty_ns: int
    drift_ppm: float
    drift_uncertainty_ppm: float
    round_trip_ns: int
    granule_us: int
    samples: int
    set_aside: int
    jumps: int
    converged: bool


class Doubted(NamedTuple):
    """Lines that held until a jump, seen by `jumped_ns`; answers allow for them until `until_ns`."""

    lines: Lines
    jumped_ns: int
    until_ns: int


class Taken(StrEnum):
    """What became of a sample."""

    KEPT = "kept"
    SET_ASIDE = "set_aside"
    STARTED_ANEW = "started_anew"


class Unsynchronised(LookupError):
    """There is no exchange yet, so nothing is known of the board's clock."""


class ClockSync:
    """One board's clock. Start a new one, or `reset`, for each boot_id."""

    __slots__ = (
        "_doubted",
        "_granule",
        "_lag_us",
        "_lines",
        "_newest",
        "_samples",
        "_standing",
        "_suspects",
        "jumps",
        "set_aside",
    )

    def __init__(self, lag_us: int = 0) -> None:
        """`lag_us`: by how much the board's clock may be behind an even one, now more, now less."""
        self._lag_us = lag_us
        self.set_aside = 0
        self.jumps = 0
        self._lines: Lines | None = None
        self._granule = Granule()
        self._newest: Exchange | None = None
        self._standing: Standing | None = None  # worked out once for each sample
        self._samples = 0
        self._suspects: list[Exchange] = []
        self._doubted: list[Doubted] = []

    def reset(self) -> None:
        """Forget everything: another board, or the same one after a restart."""
        self.__init__(self._lag_us)  # type: ignore[misc]  # the class is never derived from

    # -- samples in -----------------------------------------------------------------------------------

    def observe(self, sent_ns: int, board_rx_us: int, board_tx_us: int, received_ns: int) -> Taken:
        """Take one exchange: host ns, board µs (widened), board µs (widened), host ns. Never raises."""
        sample = Exchange(sent_ns, board_rx_us, board_tx_us, received_ns)
        self._standing = None
        if self._absurd(sample):
            self.set_aside += 1
            return Taken.SET_ASIDE
        if self._lines is None:
            return self._start(sample)
        newest = self._newest
        ordered = newest is None or board_rx_us >= newest.tx_us
        if self._lines.miss_ns(sample):
            return self._suspect(sample)
        self._suspects.clear()
        if self._doubted:
            self._doubted = [doubted for doubted in self._doubted if doubted.until_ns > received_ns]
        if not ordered:
            return Taken.KEPT  # it came late and says nothing against the rest
        return Taken.KEPT if self._keep(self._lines, sample) else self._anew([sample])

    def _absurd(self, sample: Exchange) -> bool:
        """No clock at all can have given these four."""
        there_us = sample.tx_us - sample.rx_us
        round_trip_ns = sample.received_ns - sample.sent_ns
        granule_us = self._room_us + STAMP_US
        return (
            there_us < 0 or (there_us - granule_us) * (1000 - RATE_LIMIT) > round_trip_ns or round_trip_ns < 0
        )

    @property
    def _room_us(self) -> int:
        """How much later than its stamp a moment can have been."""
        return self._granule.us + self._lag_us

    def _start(self, sample: Exchange, limits: tuple[float, float] = ANY_RATE) -> Taken:
        self._granule.take(sample.rx_us)
        self._granule.take(sample.tx_us)
        self._lines = Lines(sample, self._room_us, limits)
        self._newest = sample
        self._samples = 1
        return Taken.KEPT

    def _keep(self, lines: Lines, sample: Exchange) -> bool:
        self._granule.take(sample.rx_us)
        self._granule.take(sample.tx_us)
        lines.set_granule(self._room_us)
        self._newest = sample
        self._samples += 1
        return lines.add(sample)

    def _suspect(self, sample: Exchange) -> Taken:
        self.set_aside += 1
        suspects = self._suspects
        suspects.append(sample)
        if len(suspects) > AGREEING:
            del suspects[0]
        if len(suspects) == AGREEING and self._agree(suspects):
            return self._anew(suspects)
        return Taken.SET_ASIDE

    def _agree(self, samples: list[Exchange]) -> bool:
        lines = Lines(samples[0], COARSEST_US + self._lag_us)
        for before, sample in pairwise(samples):
            if sample.rx_us < before.tx_us or lines.miss_ns(sample) or not lines.add(sample):
                return False
        return True

    def _anew(self, samples: list[Exchange]) -> Taken:
        """The clock jumped: only `samples` hold from now on, and the old lines are kept as a doubt."""
        assert self._lines is not None
        assert self._newest is not None
        until_ns, rates = samples[-1].received_ns + DOUBT_NS, self._lines.rates(self._newest.tx_us)
        doubted = Doubted(self._lines, samples[0].received_ns, until_ns)
        self._doubted = [*self._doubted[1 - MOST_DOUBTED :], doubted]
        self.jumps += 1
        if rates is None:
            self._start(samples[0])
        else:  # the same crystal: its rate is known
            least, most = rates[0] - SAME_CRYSTAL, rates[1] + SAME_CRYSTAL
            self._start(samples[0], (max(-RATE_LIMIT, least), min(RATE_LIMIT, most)))
        for sample in samples[1:]:
            self._keep(self._lines, sample)
        self._suspects = []
        return Taken.STARTED_ANEW

    # -- answers out ----------------------------------------------------------------------------------

    @property
    def converged(self) -> bool:
        """Whether stamps of now are known to ±1 ms, from 8 samples or more and with nothing in doubt."""
        if self._newest is None or self._samples < CONVERGED_SAMPLES or self._suspects or self._doubted:
            return False
        return self._instant(self._newest.tx_us, 0).uncertainty_ns <= CONVERGED_NS

    @property
    def in_doubt(self) -> bool:
        """Whether the newest samples contradict the others: the next good one tells which are right."""
        return bool(self._suspects)

    @property
    def sure(self) -> bool:
        """Whether more samples would tell little more: nothing is in doubt, stamps of now are ±0.25 ms."""
        if self._newest is None or self._suspects or self._doubted:
            return False
        return self._instant(self._newest.tx_us, 0).uncertainty_ns <= SURE_NS + 500 * self._lag_us

    def fresh(self, now_ns: int) -> bool:
        """Whether a sample came within the last 3 s; if not, say "unsynchronised"."""
        return self._newest is not None and now_ns - self._newest.received_ns < FRESH_NS

    def host_time(self, board_us: int) -> HostTime:
        """When the event was that the board stamped `board_us` (widened µs), by the host's clock.

        A stamp that the clock of the exchanges can have given shows its last full step, so that step is
        allowed for; any other is taken as exact to 1 µs: add the granule of coarser ones. Ask as late as
        the verdict can wait: what came after the press bounds it from the other side. Raises
        Unsynchronised.
        """
        step_us = self._granule.us if self._granule.holds(board_us) else 0
        return self._instant(board_us, step_us)

    def instant(self, board_us: int) -> HostTime:
        """When the board's clock came to `board_us`: as `host_time`, but of no stamp that hides a step."""
        return self._instant(board_us, 0)

    def _instant(self, board_us: int, step_us: int) -> HostTime:
        """When the board's clock was between `board_us` and `step_us` later, could it not lag."""
        step_us += self._lag_us
        if self._lines is None:
            raise Unsynchronised("no exchange with the board yet: wait for the first answer to a probe")
        low, high = self._span(self._lines, board_us)
        ns = (low + high + 1000 * step_us) // 2
        for doubted in self._doubted:
            old = self._span(doubted.lines, board_us)
            if old[0] <= doubted.jumped_ns and old[1] >= doubted.until_ns - 2 * DOUBT_NS:
                low, high = _stretch((low, high), old)
        for suspect in self._suspects:
            low, high = _stretch((low, high), _span_of_one(suspect, board_us, self._room_us))
        return HostTime(ns, max(ns - low, high + 1000 * step_us - ns) + 1000 * STAMP_US)

    def standing(self) -> Standing:
        """How the fit stands. Raises Unsynchronised."""
        if self._standing is None:
            self._standing = self._found_standing()
        return self._standing

    def _found_standing(self) -> Standing:
        newest, lines = self._newest, self._lines
        if newest is None or lines is None:
            raise Unsynchronised("no exchange with the board yet: wait for the first answer to a probe")
        now = self._instant(newest.tx_us, 0)
        rates = lines.rates(newest.tx_us) or (-RATE_LIMIT, RATE_LIMIT)
        return Standing(
            offset_ns=now.ns - 1000 * newest.tx_us,
            uncertainty_ns=now.uncertainty_ns,
            drift_ppm=-500 * (rates[0] + rates[1]),
            drift_uncertainty_ppm=500 * (rates[1] - rates[0]),
            round_trip_ns=newest.received_ns - newest.sent_ns,
            granule_us=self._granule.us,
            samples=self._samples,
            set_aside=self.set_aside,
            jumps=self.jumps,
            converged=self.converged,
        )

    def _span(self, lines: Lines, board_us: int) -> tuple[int, int]:
        span = lines.span(board_us)
        if span is None:
            # cannot be: `observe` starts anew before; if it is, the last sample alone holds
            assert self._newest is not None
            return _span_of_one(self._newest, board_us, self._room_us)
        nominal_ns = lines.nominal_ns(board_us)
        return nominal_ns + floor(span[0]), nominal_ns + ceil(span[1])


def _span_of_one(sample: Exchange, board_us: int, granule_us: int) -> tuple[int, int]:
    """Between which host times `board_us` was, if `sample` is right."""
    since_us = board_us - sample.rx_us - granule_us
    until_us = board_us - sample.tx_us + STAMP_US
    low = sample.sent_ns + 1000 * since_us - abs(since_us) * RATE_LIMIT
    high = sample.received_ns + 1000 * until_us + abs(until_us) * RATE_LIMIT
    return floor(low), ceil(high)


def _stretch(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return min(one[0], other[0]), max(one[1], other[1])
