"""Who was first: stamped presses in, presses in the order in which they were made out, doubts named.

For: the order of presses of several boards, each with a time and a proved uncertainty. It must not know
clocks, links or rules: times come in, and where the order cannot be known the caller's game decides.

    race = Sequencer()
    race.join("left", now_ns); race.join("right", now_ns)     # the boards whose links are live
    race.press(Press("left", 7, 9, ns, uncertainty_ns, stamp_us, coarse=True))
    race.watermark("left", ns); race.watermark("right", ns)   # all that was pressed until ns is handed in
    while heat := race.heat():                                # nothing earlier can still come
        first = heat[0] if len(heat) == 1 else the game's choice among them
        do(race.take(first))

*Before* is certain or it is not. Of two presses one is before the other when their intervals do not touch
and, if either has a keypad's stamp, at least LIMIT_NS lie between. Two presses of one board share its
clock, so there unlike stamps tell the order and equal ones are a tie; a fine stamp and a keypad's, which is a
scan late or rounded down, must lie MIXED_US apart. All that no other press is before are a *heat*: alone it
is a winner, several are a dead heat. When one was taken the heat is found anew, so a chain of near presses
never lets a late one overtake a press that was certainly before it.

A heat comes out when the watermark of every joined source has passed everything that could still belong to
it. What comes out therefore depends on the presses alone, not on the order or the delay in which they came
in.

    press before the gate opened -> false_start (in doubt: not)      `arm`, `go`
    press until a link went stale -> void                            `void`
    press that its source's watermark had ruled out -> late          a broken promise; never given to the game

These come out of `refused`, once each. A press given again with the same source and number replaces the first
as long as it has not come out: ask the clock again when more is known.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from galley_engine.game import JSONObject

LIMIT_NS: Final = 2_000_000  # keypad stamps: late by up to one scan of 1 ms, in steps of 1 ms, on each board
SCAN_US: Final = 1000
MIXED_US: Final = 1100  # a scan, and what a fine stamp's base may be off
FINE_US: Final = 2
FIRST_NS: Final = -(1 << 63)

FALSE_START: Final = "false_start"
VOID: Final = "void"
LATE: Final = "late"


class Press(NamedTuple):
    """A key went down at `ns` ± `uncertainty_ns` of host time.

    `source` is the board, `number` counts its edges (a press is known by both), `stamp_us` is its own time,
    in which only the order and equality matter. `coarse`: stamped by a keypad scan, in steps of 1 ms.
    """

    source: str
    number: int
    key: int
    ns: int
    uncertainty_ns: int
    stamp_us: int
    coarse: bool = True

    @property
    def early_ns(self) -> int:
        """The earliest time it can have been."""
        return self.ns - self.uncertainty_ns

    @property
    def late_ns(self) -> int:
        """The latest time it can have been."""
        return self.ns + self.uncertainty_ns


class Refused(NamedTuple):
    """A press that the game never sees, and why: `false_start`, `void` or `late`."""

    press: Press
    why: str


class Verdict(NamedTuple):
    """How two presses stand to each other: `over` is the key of the one that came second, or by rule.

    `gap_us` is never negative; ± `uncertainty_us` is proved. `heat`: the order is not known.
    """

    gap_us: int
    uncertainty_us: int
    heat: bool
    over: tuple[str, int]

    def json(self) -> JSONObject:
        """The form for records and pages."""
        return {
            "gap_us": self.gap_us,
            "uncertainty_us": self.uncertainty_us,
            "heat": self.heat,
            "over": list(self.over),
        }


def before(one: Press, other: Press) -> bool:
    """Whether `one` was certainly made before `other`."""
    if one.ns >= other.ns:
        return False
    if one.source == other.source:
        apart_us = other.stamp_us - one.stamp_us
        return apart_us > 0 if one.coarse == other.coarse else apart_us >= MIXED_US
    if one.late_ns >= other.early_ns:
        return False
    return other.ns - one.ns >= LIMIT_NS or not (one.coarse or other.coarse)


def verdict(first: Press, second: Press) -> Verdict:
    """The verdict on two presses of which `first` was taken first.

    Of one board: its own stamps tell the gap.
    """
    if first.source == second.source:
        gap_us = abs(second.stamp_us - first.stamp_us)
        uncertainty_us = (FINE_US, MIXED_US, SCAN_US)[first.coarse + second.coarse]
    else:
        gap_us = round(abs(second.ns - first.ns) / 1000)
        uncertainty_us = -(-(first.uncertainty_ns + second.uncertainty_ns) // 1000)
    return Verdict(gap_us, uncertainty_us, not before(first, second), (second.source, second.key))


class Sequencer:
    """Presses of all boards, put in order. Times are host ns; it remembers only what is pending."""

    def __init__(self) -> None:
        self._marks: dict[str, int] = {}
        self._pending: dict[tuple[str, int], Press] = {}
        self._refused: list[Refused] = []
        self._taken: dict[str, int] = {}
        self._void_until_ns = FIRST_NS
        self._armed_ns: int | None = None
        self._go_ns: int | None = None

    # -- sources --------------------------------------------------------------------------------------

    def join(self, source: str, ns: int) -> None:
        """A source is live: from now on nothing comes out without its watermark, `ns` to begin with.

        A source that has joined keeps its own watermark. Start anew its numbers: they may be those of a new
        boot.
        """
        if source not in self._marks:
            self._marks[source] = ns
            self._taken.pop(source, None)

    def watermark(self, source: str, ns: int) -> None:
        """Every press of `source` that is not handed in yet has its whole interval after `ns`.

        That of a source that has not joined is let pass.
        """
        if source in self._marks:
            self._marks[source] = max(self._marks[source], ns)

    def void(self, source: str, ns: int) -> None:
        """The link of `source` went stale or its board started anew, at `ns`: the race until then is void.

        All that is pending, of every source, is refused, and so is what still comes from before `ns`.
        """
        self._marks.pop(source, None)
        self._void_until_ns = max(ns, self._void_until_ns)
        for press in sorted(self._pending.values(), key=_by_time):
            self._refused.append(Refused(press, VOID))
        self._pending.clear()

    def leave(self, source: str) -> None:
        """A source is away for which nobody need wait: its own pending presses are void, the others' stay."""
        self._marks.pop(source, None)
        for press in [p for p in self.pending() if p.source == source]:
            del self._pending[source, press.number]
            self._refused.append(Refused(press, VOID))

    @property
    def sources(self) -> frozenset[str]:
        """The sources that have joined."""
        return frozenset(self._marks)

    # -- the start ------------------------------------------------------------------------------------

    def arm(self, ns: int) -> None:
        """Presses from `ns` on are false starts until `go`. Arming again changes nothing until `go`."""
        if self._armed_ns is None or self._go_ns is not None:
            self._armed_ns, self._go_ns = ns, None

    def go(self, ns: int) -> None:
        """The gate opens at `ns`, not before now; opening an open gate changes nothing."""
        if self._armed_ns is not None and self._go_ns is None:
            self._go_ns = ns

    # -- presses --------------------------------------------------------------------------------------

    def press(self, press: Press) -> None:
        """Take a press, or more exact times of one that is pending.

        A new one was made after its source's watermark, so an interval that begins before it begins there.
        """
        name = (press.source, press.number)
        if name in self._pending:
            self._pending[name] = press
        elif press.number <= self._taken.get(press.source, -1):
            return  # it has come out
        elif press.source not in self._marks or press.early_ns <= self._void_until_ns:
            self._refuse(press, VOID)
        elif press.late_ns <= self._marks[press.source]:
            self._refuse(press, LATE)
        else:
            self._pending[name] = _after(press, self._marks[press.source])

    def pending(self) -> tuple[Press, ...]:
        """What has not come out yet, in order of time."""
        return tuple(sorted(self._pending.values(), key=_by_time))

    def heat(self) -> tuple[Press, ...]:
        """The presses of which one was first, in order of time; empty while something earlier may still come.

        Two or more are a dead heat, and which goes first is for the rules of the game.
        """
        while self._pending:
            pending = self.pending()
            first = min(pending, key=_reach_ns)
            if any(mark < _reach_ns(first) for mark in self._marks.values()):
                return ()
            heat = tuple(p for p in pending if not any(before(other, p) for other in pending))
            early = [p for p in heat if self._is_false_start(p)]
            if not early:
                return heat
            for press in early:
                self._out(press)
                self._refused.append(Refused(press, FALSE_START))
        return ()

    def take(self, press: Press) -> Press:
        """Let one press of the present `heat` go first. Raises ValueError for any other."""
        if press not in self.heat():
            raise ValueError(f"{press} is not in the heat that is decided now: take one that heat() gives")
        return self._out(press)

    def refused(self) -> list[Refused]:
        """What the game shall not see, since the last time this was asked."""
        refused, self._refused = self._refused, []
        return refused

    def _is_false_start(self, press: Press) -> bool:
        if self._armed_ns is None or press.late_ns < self._armed_ns:
            return False
        return self._go_ns is None or press.late_ns < self._go_ns

    def _out(self, press: Press) -> Press:
        del self._pending[press.source, press.number]
        self._taken[press.source] = max(press.number, self._taken.get(press.source, -1))
        return press

    def _refuse(self, press: Press, why: str) -> None:
        self._taken[press.source] = max(press.number, self._taken.get(press.source, -1))
        self._refused.append(Refused(press, why))


def _by_time(press: Press) -> tuple[int, str, int]:
    return press.ns, press.source, press.number


def _after(press: Press, ns: int) -> Press:
    """The press, known to have been made after `ns`."""
    if press.early_ns > ns:
        return press
    middle_ns = (ns + press.late_ns + 1) // 2
    return press._replace(ns=middle_ns, uncertainty_ns=middle_ns - ns)


def _reach_ns(press: Press) -> int:
    """A press whose whole interval is after this is certainly later."""
    return max(press.late_ns, press.ns + LIMIT_NS)
