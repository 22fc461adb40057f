"""The timekeeper: every board's clock, and the order of presses that race.

For: turning what links report (time samples, beats, key edges) into presses with a host time and a proved
uncertainty, and letting those that race out in the order in which they were made. It must not know games,
pages or ports; times come in as host ns.

A press that races waits until every live board has answered a probe that was sent after it, so that nothing
earlier can still come. `probes_due_ns` says when the boards should be asked next for that: a regular probe
may be 123 ms away, and a hand is waiting. A clock that newer answers contradict, or that is not known as
well as it could be, is asked about for HOLD_NS longer before presses are called a dead heat.

A board that lives and yet has not answered for long is waited for no longer than UNANSWERED_NS: a line that
is dead one way must not hold everybody's presses for ever.

Until a board's clock is known, the age that the board gave the edge stands in, with PROVISIONAL_NS of doubt
either way; verdicts on such presses are marked provisional.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from galley.clock import ClockSync, Taken, Unsynchronised
from galley.clock_history import Reading
from galley.link_events import Beat, KeyEdge, TimeSample
from galley.ticks import MS_PERIOD, SCAN_US, US_PERIOD, KeyBase, Widener
from galley_board.wire import NO_US
from galley_engine.race import Press, Refused, Sequencer

NS_PER_MS: Final = 1_000_000
SCAN_NS: Final = 1000 * SCAN_US
MOST_OFF_NS: Final = 3 * SCAN_NS // 2  # of a key's stamp: see `KeyBase.stamped`
HOLD_NS: Final = 200_000_000
MOST_DOUBTS: Final = 12
PROVISIONAL_NS: Final = 10_000_000
PROBE_AGAIN_NS: Final = 3_000_000
UNANSWERED_NS: Final = 500_000_000


@dataclass(slots=True)
class BoardClock:
    """What is known of one board's time since its last start."""

    boot_id: int
    sync: ClockSync = field(default_factory=ClockSync)
    us: Widener = field(default_factory=lambda: Widener(US_PERIOD))
    ms: Widener = field(default_factory=lambda: Widener(MS_PERIOD))
    keys: KeyBase = field(default_factory=KeyBase)
    doubts: int = 0  # samples in a row that left the clock in doubt


@dataclass(frozen=True, slots=True)
class Timed:
    """A press as it came out: when it was made, how sure that is, and whether the board's clock was known."""

    press: Press
    provisional: bool


@dataclass(slots=True)
class Timekeeper:
    """Clocks and races of one box. A board is "left", "right" or "deck"."""

    _clocks: dict[str, BoardClock] = field(default_factory=dict)
    _race: Sequencer = field(default_factory=Sequencer)
    _edges: dict[tuple[str, int], KeyEdge] = field(default_factory=dict)
    _asked_ns: int | None = None
    _heard_ns: int = 0

    # -- what links report --------------------------------------------------------------------------

    def joined(self, board: str, boot_id: int, now_ns: int, lag_us: int = 0) -> None:
        """A board is live; with a new boot_id its clock begins anew. For `lag_us` see `ClockSync`."""
        known = self._clocks.get(board)
        if known is None or known.boot_id != boot_id:
            self._clocks[board] = BoardClock(boot_id, ClockSync(lag_us))
        self._race.join(board, now_ns)

    def left(self, board: str, now_ns: int) -> None:
        """A board went stale or away: all that is still undecided is void."""
        if board in self._race.sources:
            self._race.void(board, now_ns)

    def gone(self, board: str) -> None:
        """A board that the game can do without is away: the others race on, what it had pressed is void."""
        self._race.leave(board)

    def beat(self, board: str, beat: Beat) -> None:
        """Learn how the board's two counters lie to each other."""
        clock = self._clocks.get(board)
        if clock is not None and clock.boot_id == beat.boot_id:
            clock.keys.observe(clock.ms.widen(beat.ticks_ms), clock.us.widen(beat.ticks_us))

    def sample(self, board: str, sample: TimeSample) -> None:
        """Learn the board's time, and that nothing from before the question is still on its way."""
        clock = self._clocks.get(board)
        if clock is None or board not in self._race.sources:
            return
        rx_us, tx_us = clock.us.widen(sample.board_rx_us), clock.us.widen(sample.board_tx_us)
        self._heard_ns = max(self._heard_ns, sample.received_ns)
        taken = clock.sync.observe(sample.sent_ns, rx_us, tx_us, sample.received_ns)
        clock.doubts = clock.doubts + 1 if clock.sync.in_doubt else 0
        if taken is Taken.STARTED_ANEW or clock.doubts == MOST_DOUBTS:
            self._race.void(board, sample.received_ns)
            self._race.join(board, sample.received_ns)
            return
        if not sample.complete:
            return
        doubt_ns = PROVISIONAL_NS
        if clock.keys.known:
            doubt_ns = clock.sync.host_time(tx_us).uncertainty_ns + MOST_OFF_NS + 1000 * clock.keys.doubt_us
        for press in self._race.pending():
            edge = self._edges.get((press.source, press.number))
            if press.source == board and edge is not None:
                better = self.timed(board, edge).press
                self._race.press(better)
                doubt_ns = max(doubt_ns, better.uncertainty_ns)
        # a press that is not here yet was scanned after the board read the probe: it was made at most one
        # scan before that, and its interval reaches from twice its doubt before where it may be put
        self._race.watermark(board, sample.sent_ns - SCAN_NS - 2 * doubt_ns)

    # -- presses ------------------------------------------------------------------------------------

    def timed(self, board: str, edge: KeyEdge) -> Timed:
        """When an edge was made, as well as it is known now."""
        clock = self._clocks.get(board)
        own_ms = edge.stamp_ms if clock is None else clock.ms.widen(edge.stamp_ms)
        coarse = edge.us >= NO_US
        ns, doubt_ns, provisional = edge.received_ns - edge.age_ms * NS_PER_MS, PROVISIONAL_NS, True
        if clock is not None and clock.keys.known:
            with suppress(Unsynchronised):
                at_us, off_us = clock.keys.stamped(own_ms, edge.us)
                when = clock.sync.instant(at_us)
                ns, doubt_ns = when.ns, when.uncertainty_ns + 1000 * off_us
                provisional = not clock.sync.converged
        own_us = 1000 * own_ms + (0 if coarse else edge.us)
        return Timed(Press(board, edge.key_seq, edge.key, ns, doubt_ns, own_us, coarse), provisional)

    def races(self, board: str) -> bool:
        """Whether a press of this board still waits: later ones of the board must wait behind it."""
        return any(press.source == board for press in self._race.pending())

    def enter(self, board: str, edge: KeyEdge, now_ns: int) -> None:
        """A press that races: it comes out of `heat` when its turn has come."""
        self._edges[board, edge.key_seq] = edge
        self._race.press(self.timed(board, edge).press)
        self._asked_ns = None

    def heat(self) -> tuple[Press, ...]:
        """The presses of which one was first; two or more are a dead heat. See `Sequencer.heat`.

        A dead heat is held back while a clock in it is not as well known as it could be: the boards are asked
        every few ms meanwhile, and that may tell the presses apart.
        """
        heat = self._race.heat()
        boards = {press.source for press in heat}
        if len(boards) > 1 and self._heard_ns - heat[0].ns < HOLD_NS and any(map(self.unsure, boards)):
            return ()
        return heat

    def take(self, press: Press) -> Timed:
        """Let one press of the heat go first."""
        edge = self._edges.pop((press.source, press.number), None)
        clock = self._clocks.get(press.source)
        provisional = edge is None or clock is None or not clock.sync.converged
        return Timed(self._race.take(press), provisional)

    def refused(self) -> list[Refused]:
        """Presses that the game never sees, and why."""
        refused = self._race.refused()
        for entry in refused:
            self._edges.pop((entry.press.source, entry.press.number), None)
        return refused

    def start_given(self, awaited_ns: int, now_ns: int) -> None:
        """The start that was awaited since `awaited_ns` is given now: presses from between are void."""
        self._race.arm(awaited_ns)
        self._race.go(now_ns)

    def unsure(self, board: str) -> bool:
        """Whether the board's clock would be known better if the board were asked more often."""
        clock = self._clocks.get(board)
        return clock is not None and not clock.sync.sure

    def probes_due_ns(self, now_ns: int) -> int | None:
        """How long the boards may go unasked while presses wait, in ns; None when none wait."""
        if not self._race.pending():
            return None
        return 0 if self._asked_ns is None else max(0, self._asked_ns + PROBE_AGAIN_NS - now_ns)

    def asked(self, now_ns: int) -> None:
        """All live boards have just been sent a probe."""
        self._asked_ns = now_ns
        for board, clock in self._clocks.items():
            if not clock.sync.fresh(now_ns):
                self._race.watermark(board, now_ns - UNANSWERED_NS)

    # -- for people -----------------------------------------------------------------------------------

    def reading(self, board: str, now_ns: int) -> Reading | None:
        """How the board's clock stands, to be kept for a while; None while it is not known."""
        clock = self._clocks.get(board)
        if clock is None or board not in self._race.sources or not clock.sync.fresh(now_ns):
            return None
        return Reading(clock.boot_id, clock.sync.standing())

    def standing(self, board: str, now_ns: int) -> dict[str, Any] | None:
        """How well the board's time is known, for `/service`; None while nothing is."""
        clock = self._clocks.get(board)
        if clock is None or board not in self._race.sources:
            return None
        try:
            fit = clock.sync.standing()
        except Unsynchronised:
            return {"state": "unsynchronised"}
        state = "good" if fit.converged else "provisional"
        return {
            "state": state if clock.sync.fresh(now_ns) else "unsynchronised",
            "uncertainty_us": fit.uncertainty_ns // 1000,
            "drift_ppm": round(fit.drift_ppm, 1),
            "jumps": fit.jumps,
        }
