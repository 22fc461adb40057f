"""The PIO program for the race keys, run cycle by cycle in an emulator, and what becomes of its words."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from galley_board import edges, ticks
from galley_board.edges import (
    COUNT,
    CYCLES,
    HZ,
    PROGRAM,
    STARTS,
    WRAP_TARGET,
    Event,
    PioEdges,
    Scanner,
)
from galley_board.keys import Keys
from galley_board.wire import EDGE_DOUBT_US, NO_US

adafruit_pioasm = pytest.importorskip("adafruit_pioasm", reason="needs adafruit-circuitpython-pioasm")
pioemu = pytest.importorskip("pioemu", reason="needs rp2040-pio-emulator")

NS_PER_CYCLE = 10**9 // HZ
NS_PER_US = 1000
SOURCE = """
.program edges
    mov x, ~null
    set y, 7
.wrap_target
sample:
    mov isr, null
    in pins, 3
    mov osr, x
    mov x, isr
    jmp x!=y changed
    mov x, osr
    jmp tick [2]
changed:
    mov y, x
    mov x, osr
    in x, 29
    push noblock
tick:
    jmp x-- sample
.wrap
"""
RELEASED = (1 << COUNT) - 1

Levels = Callable[[int], int]


def emulated(levels: Levels, start: Any = None) -> Iterator[tuple[Any, Any]]:
    """The program's states, two by two; `levels` gives the three pins at a cycle."""

    def source(cycle: int) -> int:
        return levels(cycle)

    source.__annotations__ = {"cycle": int}  # the emulator looks at it, and wants no string
    steps: Iterator[tuple[Any, Any]] = pioemu.emulate(
        list(PROGRAM),
        stop_when=lambda opcode, state: False,
        initial_state=start,
        input_source=source,
        shift_isr_right=False,
        wrap_target=WRAP_TARGET,
        wrap_top=len(PROGRAM) - 1,
    )
    return steps


class Pio:
    """A state machine of the chip as `rp2pio` offers it, with a FIFO of eight and the emulator inside."""

    def __init__(self, clock: Clock, levels_at_ns: Levels) -> None:
        self.frequency = HZ
        self.rxstall = False
        self._clock = clock
        self._levels = levels_at_ns
        self._fifo: deque[int] = deque()
        self._steps: Iterator[tuple[Any, Any]] | None = None
        self._started_ns = self._cycle = 0

    @property
    def in_waiting(self) -> int:
        self._run()
        return len(self._fifo)

    def readinto(self, buf: array[int]) -> None:
        for place in range(len(buf)):
            buf[place] = self._fifo.popleft()

    def clear_rxfifo(self) -> None:
        self._run()
        self._fifo.clear()
        self.rxstall = False

    def stop(self) -> None:
        self._run()
        self._steps = None

    def restart(self) -> None:
        self._started_ns = started_ns = self._clock.now_ns
        self._cycle = 0

        def levels(cycle: int) -> int:
            return self._levels(started_ns + cycle * NS_PER_CYCLE)

        self._steps = emulated(levels)

    def _run(self) -> None:
        until = (self._clock.now_ns - self._started_ns) // NS_PER_CYCLE
        while self._steps is not None and self._cycle < until:
            _, state = next(self._steps)
            self._cycle = state.clock
            while state.receive_fifo:
                word = state.receive_fifo.popleft()
                if len(self._fifo) < 8:
                    self._fifo.append(word)
                else:
                    self.rxstall = True


class Clock:
    """A board's clock: steps of 30.5 µs, and every look at it takes a microsecond."""

    def __init__(self, now_ns: int = 5_000_000_000) -> None:
        self.now_ns = now_ns

    def monotonic_ns(self) -> int:
        self.now_ns += NS_PER_US
        return self.now_ns * 32768 // 10**9 * 10**9 // 32768


class Pins:
    """Three switches; `moves` are (ns, key, down)."""

    def __init__(self, moves: list[tuple[int, int, bool]]) -> None:
        self._moves = sorted(moves)
        self._next = 0
        self._levels = RELEASED

    def __call__(self, at_ns: int) -> int:
        while self._next < len(self._moves) and self._moves[self._next][0] <= at_ns:
            _, key, down = self._moves[self._next]
            self._levels = self._levels & ~(1 << key) if down else self._levels | 1 << key
            self._next += 1
        return self._levels


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(edges, "time", SimpleNamespace(monotonic_ns=clock.monotonic_ns))
    return clock


def seen(fast: PioEdges) -> list[tuple[int, bool, int]]:
    found = []
    while fast.look():
        found.append((fast.key, fast.pressed, fast.at_us))
        fast.drop()
    return found


def test_the_words_are_the_program() -> None:
    program = adafruit_pioasm.Program(SOURCE)
    assert list(PROGRAM) == list(program.assembled)
    assert program.pio_kwargs["wrap_target"] == WRAP_TARGET
    assert program.pio_kwargs["wrap"] == len(PROGRAM) - 1


def test_a_look_takes_ten_cycles_whether_or_not_anything_changed() -> None:
    random = Random(1)
    levels = [random.choice((RELEASED, 3, 5, 6)) for _ in range(3000)]

    def changing(cycle: int) -> int:
        return levels[cycle // 7]

    looks = []
    for before, _ in emulated(changing):
        if before.clock > 12_000:
            break
        if before.program_counter == WRAP_TARGET:
            looks.append(before.clock)
    assert len(looks) > 1000
    assert {later - earlier for earlier, later in pairwise(looks)} == {CYCLES}


def test_the_counter_goes_on_across_its_wrap() -> None:
    start = pioemu.State(program_counter=WRAP_TARGET, x_register=3, y_register=RELEASED)

    def pressed_now_and_then(cycle: int) -> int:
        return RELEASED if cycle // 25 % 2 else 3

    words = []
    for _, state in emulated(pressed_now_and_then, start):
        while state.receive_fifo:
            words.append(state.receive_fifo.popleft() & 0x1FFFFFFF)
        if state.clock > 300:
            break
    ages = [(words[0] - word) % (1 << 29) for word in words]
    assert words[0] == 3
    assert max(words) > 0x1FFFFFF0
    assert all(0 < later - earlier <= 3 for earlier, later in pairwise(ages))


def test_every_edge_is_stamped_to_two_microseconds(clock: Clock) -> None:
    random = Random(2)
    start_ns = clock.now_ns + 200_000
    moves, down = [], [False] * COUNT
    for number in range(60):
        key = random.randrange(COUNT)
        down[key] = not down[key]
        moves.append((start_ns + number * 40_000 + random.randrange(30_000), key, down[key]))
    fast = PioEdges(Pio(clock, Pins(moves)))
    found = []
    for move_ns, _, _ in moves:
        clock.now_ns = max(clock.now_ns, move_ns + 3000)
        found += seen(fast)
    assert [(key, pressed) for key, pressed, _ in found] == [(key, pressed) for _, key, pressed in moves]
    late_us = [at_us - move_ns / 1000 for (_, _, at_us), (move_ns, _, _) in zip(found, moves, strict=True)]
    assert max(late_us) - min(late_us) <= 2.0
    assert fast.fine
    assert all(abs(late) <= EDGE_DOUBT_US for late in late_us)
    assert not fast.overflowed


def test_two_keys_in_one_look_have_one_stamp(clock: Clock) -> None:
    at_ns = clock.now_ns + 300_000
    fast = PioEdges(Pio(clock, Pins([(at_ns, 2, True), (at_ns, 0, True)])))
    clock.now_ns = at_ns + 10_000
    first, second = seen(fast)
    assert (first[0], second[0]) == (0, 2)
    assert first[2] == second[2]


def test_a_key_that_is_down_at_the_start_is_told_at_once_and_so_after_a_reset(clock: Clock) -> None:
    fast = PioEdges(Pio(clock, Pins([(0, 1, True)])))
    clock.now_ns += 20_000
    assert [(key, pressed) for key, pressed, _ in seen(fast)] == [(1, True)]
    fast.reset()
    clock.now_ns += 20_000
    assert [(key, pressed) for key, pressed, _ in seen(fast)] == [(1, True)]


def test_a_full_fifo_is_told_and_a_reset_mends_it(clock: Clock) -> None:
    start_ns = clock.now_ns + 200_000
    moves = [(start_ns + number * 10_000, 0, number % 2 == 0) for number in range(13)]
    fast = PioEdges(Pio(clock, Pins(moves)))
    clock.now_ns = start_ns + 500_000
    assert len(seen(fast)) == 8
    assert fast.overflowed
    fast.reset()
    clock.now_ns += 20_000
    assert [(key, pressed) for key, pressed, _ in seen(fast)] == [(0, True)]


def test_a_machine_that_cannot_run_at_10_mhz_is_refused(clock: Clock) -> None:
    machine = Pio(clock, Pins([]))
    machine.frequency = 9_999_412
    with pytest.raises(ValueError, match="9999412"):
        PioEdges(machine)


class SlowStart(Pio):
    """A machine whose start takes so long that nobody can say when it was, but for the last `good` times."""

    good = 0
    starts = 0

    def restart(self) -> None:
        self.starts += 1
        super().restart()
        if self.starts <= STARTS - self.good:
            self._clock.now_ns += 70_000


@pytest.mark.parametrize("good", [0, 1, 3])
def test_a_start_that_is_not_known_well_is_tried_again_and_then_the_stamps_are_a_keypad_s(
    clock: Clock, good: int
) -> None:
    at_ns = clock.now_ns + 2_000_000
    machine = SlowStart(clock, Pins([(at_ns, 1, True)]))
    machine.good = good
    fast = PioEdges(machine)
    assert machine.starts == min(STARTS, STARTS - good + 1)
    scanner, event = Scanner(Pad([]), Event(), 9, fast), Event()
    clock.now_ns = at_ns + 10_000
    assert scanner.get_into(event)
    assert (event.us == NO_US) == (not good)
    assert event.timestamp == ticks_ms(at_ns)


class Words:
    """A machine that gives words made by hand."""

    frequency = HZ
    rxstall = False

    def __init__(self) -> None:
        self.words: list[int] = []

    @property
    def in_waiting(self) -> int:
        return len(self.words)

    def readinto(self, buf: array[int]) -> None:
        buf[0] = self.words.pop(0)

    def clear_rxfifo(self) -> None:
        self.words.clear()

    def stop(self) -> None:
        """Nothing runs here."""

    def restart(self) -> None:
        """Nothing runs here."""


def word(fast: PioEdges, at_us: int, levels: int) -> int:
    """The word of a look at `at_us` that found these levels."""
    return levels << 29 | (0x1FFFFFFF - (at_us - fast._start_us)) & 0x1FFFFFFF


@pytest.mark.parametrize("after_s", [3, 536, 537, 5000, 10**6])
@pytest.mark.parametrize("age_us", [0, 900, 2_000_000])
def test_a_stamp_is_right_however_often_the_counter_wrapped(clock: Clock, after_s: int, age_us: int) -> None:
    machine = Words()
    fast = PioEdges(machine)
    start_us = edges.micros() // 1000 * 1000
    clock.now_ns += after_s * 10**9
    edge_us = edges.micros() - age_us
    machine.words.append(word(fast, edge_us, RELEASED & ~1))
    ((key, pressed, at_us),) = seen(fast)
    assert (key, pressed) == (0, True)
    assert at_us == edge_us
    assert at_us > start_us


class Pad:
    """A keypad with events made by hand: (key, pressed, ticks_ms)."""

    def __init__(self, events: list[tuple[int, bool, int]]) -> None:
        self.events = self
        self.overflowed = False
        self.resets = 0
        self._events = events

    def get_into(self, event: Event) -> bool:
        if not self._events:
            return False
        event.key_number, event.pressed, event.timestamp = self._events.pop(0)
        return True

    def clear(self) -> None:
        self._events.clear()

    def reset(self) -> None:
        self.resets += 1


def ticks_ms(ns: int) -> int:
    return (ns // 1_000_000 + ticks.ORIGIN) % (1 << 29)


def test_edges_of_both_come_out_in_the_order_of_their_stamps(clock: Clock) -> None:
    start_ns = clock.now_ns
    moves = [(start_ns + 400_000, 0, True), (start_ns + 2_600_000, 0, False)]
    pad = Pad([(4, True, ticks_ms(start_ns + 1_500_000)), (5, True, ticks_ms(start_ns + 3_100_000))])
    scanner = Scanner(pad, Event(), 9, PioEdges(Pio(clock, Pins(moves))))
    clock.now_ns = start_ns + 3_200_000
    event, found = Event(), []
    while scanner.get_into(event):
        found.append((event.key_number, event.pressed, event.timestamp, event.us))
    assert [key for key, _, _, _ in found] == [9, 4, 9, 5]
    assert [us == NO_US for _, _, _, us in found] == [False, True, False, True]
    for (_, _, stamp_ms, us), (move_ns, _, _) in zip((found[0], found[2]), moves, strict=True):
        assert stamp_ms == ticks_ms(move_ns)
        assert abs(us - move_ns // 1000 % 1000) <= 40


def test_a_bounce_train_of_nine_edges_is_one_press_of_one_key(clock: Clock) -> None:
    machine = Words()
    fast = PioEdges(machine)
    scanner = Scanner(Pad([]), Event(), 9, fast)
    told: list[tuple[int, int, int, int]] = []
    sink = SimpleNamespace(key_edge=lambda *edge: told.append(edge))
    keys = Keys(scanner, Event(), list(range(9 + COUNT)), ticks_ms(clock.now_ns))
    start_us = clock.now_ns // 1000 + 6500
    bounces = [
        (start_us + number * 700, RELEASED & ~2 if number % 2 == 0 else RELEASED) for number in range(9)
    ]
    for _ in range(40):
        clock.now_ns += 1_000_000
        while bounces and bounces[0][0] * 1000 <= clock.now_ns:
            machine.words.append(word(fast, *bounces.pop(0)))
        keys.poll(ticks_ms(clock.now_ns), sink)
    assert told == [(10, 1, ticks_ms(start_us * 1000), start_us % 1000)]
    assert keys.bitmap == 1 << 10


def test_a_reset_of_the_scanner_resets_both(clock: Clock) -> None:
    pad = Pad([(0, True, 5)])
    scanner = Scanner(pad, Event(), 9, PioEdges(Pio(clock, Pins([(0, 1, True)]))))
    scanner.clear()
    scanner.reset()
    clock.now_ns += 20_000
    event = Event()
    assert scanner.get_into(event)
    assert (event.key_number, event.pressed) == (10, True)
    assert pad.resets == 1
    assert not scanner.overflowed
