"""Races played through the box's own timekeeper over the link model: when each verdict came, and what it was.

The host asks as the real one does: regularly, more often while a clock is unsure, and every few ms while a
press waits. Answers and key frames come when the model says; an answer counts as complete only when no press
is still on its way, which is a little later than the real thing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from random import Random
from typing import NamedTuple, TypeAlias

from galley.link import BURST_EVERY_NS, BURST_PROBES, PROBE_EVERY_NS, UNSURE_EVERY_NS
from galley.link_events import Beat, KeyEdge, TimeSample
from galley.sim.link_model import KINDS, NS, LinkModel
from galley.ticks import MS_PERIOD, TICKS_MS_ORIGIN, US_PERIOD
from galley.timekeeper import Timekeeper
from galley_board.wire import EDGE_DOUBT_US, NO_US

MS = 1_000_000
BOARDS = ("left", "right")
BELL = 9
BEAT_EVERY_NS = 250 * MS
WARM_S = 10.0
PAUSE_S = 0.1
NEVER_NS = 1 << 62
TICK_US = 1e6 / 1024
SPARE_US = 2  # a stamp is rounded to whole µs; the rest of its doubt is the base's

Event: TypeAlias = TimeSample | KeyEdge | Beat


class Result(NamedTuple):
    """One race: `right`, `wrong`, `heat` or `void`, and how long after the first press that was known."""

    verdict: str
    waited_ms: float


@dataclass
class Side:
    """One board: its link, what is on its way, and when it is asked next."""

    source: str
    model: LinkModel
    base_off_us: int
    phase: float
    probes: int = 0
    due_ns: int = 0
    seq: int = 0
    coming_ns: int = NEVER_NS  # when the press was made that is still on its way

    def sample(self, at_ns: int) -> TimeSample:
        """A probe sent now; `complete` is told when the answer is taken."""
        self.probes += 1
        one = self.model.exchange(at_ns / NS)
        return TimeSample(one.sent_ns, one.rx_us, one.tx_us, one.received_ns, True)

    def beat(self, at_ns: int) -> Beat:
        """Both clocks, read together."""
        us = int(self.model.clock.us(at_ns / NS))
        return Beat(1, (us // 1000 + TICKS_MS_ORIGIN) % MS_PERIOD, us % US_PERIOD)

    def edge(self, at_ns: int, fine: bool) -> KeyEdge:
        """A press at this time, as a keypad or as a PIO stamps it."""
        self.seq += 1
        press = self.model.press(at_ns / NS)
        board_us = self.model.clock.us(at_ns / NS)
        if fine:
            stamp_us = int(board_us) + self.base_off_us
            us = stamp_us % 1000
        else:  # the scans have a phase of their own in the ticks
            scan = math.ceil(board_us / TICK_US - self.phase) + self.phase
            tick_us = math.floor(scan) * TICK_US
            stamp_us = int(tick_us)
            us = NO_US + 1 + stamp_us % 1000
        stamp_ms = (stamp_us // 1000 + TICKS_MS_ORIGIN) % MS_PERIOD
        age_ms = max(0, (press.received_ns - at_ns) // MS)
        return KeyEdge(1, self.seq, BELL, True, stamp_ms, age_ms, press.received_ns, us)


@dataclass
class Race:
    """The race that is on: who presses first, when, and what has come of it so far."""

    first: str
    at_ns: int
    verdict: str = ""
    waited_ms: float = 0.0
    out: int = 0

    def look(self, keeper: Timekeeper, now_ns: int) -> bool:
        """Take what the timekeeper lets out; True when both presses are out."""
        while heat := keeper.heat():
            if not self.verdict:
                alone = "right" if heat[0].source == self.first else "wrong"
                self.verdict = alone if len(heat) == 1 else "heat"
                self.waited_ms = (now_ns - self.at_ns) / MS
            keeper.take(heat[0])
            self.out += 1
        refused = keeper.refused()
        if refused and not self.verdict:
            self.verdict, self.waited_ms = "void", (now_ns - self.at_ns) / MS
        self.out += len(refused)
        return self.out == len(BOARDS)


class Play:
    """Two boards of a kind of link and the host that asks them, for `seconds`."""

    def __init__(self, name: str, seconds: float, seed: int) -> None:
        self.random = Random(f"races {name} {seed}")
        off_us = EDGE_DOUBT_US - SPARE_US
        self.sides = [
            Side(
                board,
                LinkModel(kind, f"{name} {board} {seed}", seconds, f"{name} {seed}"),
                self.random.randint(-off_us, off_us),
                self.random.random(),
            )
            for board, kind in zip(BOARDS, KINDS[name], strict=True)
        ]
        self.keeper = Timekeeper()
        self.again_ns = NEVER_NS
        self._events: list[tuple[int, int, Side, Event]] = []
        self._count = 0
        for side in self.sides:
            self.keeper.joined(side.source, 1, 0)
            for beat_ns in range(0, int(seconds * NS), BEAT_EVERY_NS):
                self.put(beat_ns, side, side.beat(beat_ns))

    def put(self, at_ns: int, side: Side, event: Event) -> None:
        """Something that the host hears of at this time."""
        self._count += 1
        heappush(self._events, (at_ns, self._count, side, event))

    def step(self, until_ns: int) -> int:
        """The next thing that happens to the host, and when; `until_ns` when that comes first."""
        due = min(self.sides, key=lambda side: side.due_ns)
        now_ns = min(self._events[0][0], due.due_ns, self.again_ns, until_ns)
        if now_ns == until_ns:
            return now_ns
        if now_ns == self.again_ns:
            for side in self.sides:
                self._ask(side, now_ns)
            self.keeper.asked(now_ns)
        elif now_ns == due.due_ns:
            self._ask(due, now_ns)
        else:
            _, _, side, event = heappop(self._events)
            self._hear(side, event, now_ns)
        return now_ns

    def waits(self, now_ns: int) -> None:
        """See when the boards are to be asked again because a press waits."""
        wait_ns = self.keeper.probes_due_ns(now_ns)
        self.again_ns = NEVER_NS if wait_ns is None else now_ns + wait_ns

    def _ask(self, side: Side, now_ns: int) -> None:
        sample = side.sample(now_ns)
        self.put(sample.received_ns, side, sample)
        every_ns = UNSURE_EVERY_NS if self.keeper.unsure(side.source) else PROBE_EVERY_NS
        side.due_ns = now_ns + (BURST_EVERY_NS if side.probes < BURST_PROBES else every_ns)

    def _hear(self, side: Side, event: Event, now_ns: int) -> None:
        if isinstance(event, Beat):
            self.keeper.beat(side.source, event)
        elif isinstance(event, KeyEdge):
            side.coming_ns = NEVER_NS
            self.keeper.enter(side.source, event, now_ns)
        else:
            self.keeper.sample(side.source, replace(event, complete=side.coming_ns > event.received_ns))


def played(
    name: str, seconds: float, every_s: float, gaps_ms: Sequence[float], fine: bool, seed: int
) -> dict[float, list[Result]]:
    """Races of two bells on a kind of link, one in `every_s`, with these gaps in turn; results by gap."""
    play = Play(name, seconds, seed)
    found: dict[float, list[Result]] = {gap: [] for gap in gaps_ms}
    next_s, race, gap_ms = WARM_S, None, 0.0
    while next_s < seconds - 2 or race is not None:
        now_ns = play.step(round(next_s * NS) if race is None else NEVER_NS)
        if race is None and now_ns == round(next_s * NS):
            first, second = play.random.sample(play.sides, 2)
            gap_ms = gaps_ms[sum(map(len, found.values())) % len(gaps_ms)]
            race = Race(first.source, now_ns)
            for side, at_ns in ((first, now_ns), (second, now_ns + round(gap_ms * MS))):
                edge = side.edge(at_ns, fine)
                side.coming_ns = at_ns
                play.put(edge.received_ns, side, edge)
            next_s += every_s * play.random.uniform(0.8, 1.2)
        elif race is not None and race.look(play.keeper, now_ns):
            found[gap_ms].append(Result(race.verdict, race.waited_ms))
            race = None
            next_s = max(next_s, now_ns / NS + PAUSE_S)
        play.waits(now_ns)
    return found
