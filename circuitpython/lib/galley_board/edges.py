"""Edges of the race keys to a microsecond: a PIO program that stamps them, one queue for them and the rest.

For: keys whose order decides a game. It must not know what a key does, and opens no pin: `hardware` makes
the state machine, with PROGRAM and SETTINGS, on three neighbouring pins, and the keypad for the other keys.

Hardware: RP2040 or RP2350, one PIO state machine and 14 words of its memory; switches to GND with the
chip's pull-ups. The machine runs at 10 MHz, ten cycles a look, so it sees every pin once a microsecond:

    x counts looks down from 2**32 - 1, y is what the pins were
    each look: pins into isr; if they differ from y: note them, add the low 29 bits of x, push

A word is the three levels (bits 31-29) and the counter. The chip's FIFO holds eight words; what finds it
full is dropped and reported, as a full key queue is, and `reset()` then tells every key that is down anew.

One time base: the counter starts just after a step of `monotonic_ns`, and which step is now is looked at
again right after, so its start is known to half the time between and a step. Both come from one crystal,
and 10 MHz divides every usual clock of the chip exactly, so it stays known. The start is tried until it is
known to EDGE_DOUBT_US; where that never works, the edges are given as a keypad's, to the millisecond. The
counter wraps every 537 s; a word is never that old.

`Scanner` stands in for `keypad.Keys`: `galley_board.keys` debounces all keys alike and takes the first edge
at once. Its events have one thing more, `us`: how many microseconds after `timestamp` (ticks_ms) the edge
was (± EDGE_DOUBT_US), or `wire.NO_US` for a keypad's.
"""

import time
from array import array

from galley_board.ticks import ORIGIN
from galley_board.wire import EDGE_DOUBT_US, NO_US

TYPE_CHECKING = False  # a board has no typing module; type checkers take it for true
if TYPE_CHECKING:
    from galley_board.hardware_types import Edge, Machine
    from galley_board.hardware_types import Scanner as Pads


COUNT = 3
HZ = 10_000_000
CYCLES = 10
WRAP_TARGET = 2
PROGRAM = array(
    "H",
    [
        0xA02B,  # mov x, ~null
        0xE047,  # set y, 7             nothing is pressed
        0xA0C3,  # sample: mov isr, null
        0x4003,  # in pins, 3
        0xA0E1,  # mov osr, x
        0xA026,  # mov x, isr
        0x00A9,  # jmp x!=y changed
        0xA027,  # mov x, osr
        0x020D,  # jmp tick [2]         as long as the way through `changed`
        0xA041,  # changed: mov y, x
        0xA027,  # mov x, osr
        0x403D,  # in x, 29
        0x8000,  # push noblock
        0x0042,  # tick: jmp x-- sample
    ],
)
ALL_UP = (1 << COUNT) - 1
RING = 64
STEP_US = 31  # `monotonic_ns` shows its last step of 30.5 µs
LOOK_US = 2
STARTS = 20
_TICKS_MS_MASK = 0x1FFFFFFF
_COUNTER = 0x1FFFFFFF
_HALF = 0x10000000


def micros() -> int:
    """Microseconds since power-on, never wrapped."""
    return time.monotonic_ns() // 1000


class PioEdges:
    """The edges that one state machine saw, each with the microseconds since power-on.

    `key`, `pressed` and `at_us` are those of the oldest edge while `look()` is True; `fine` says whether
    `at_us` is within EDGE_DOUBT_US of the truth.
    """

    def __init__(self, machine: "Machine") -> None:
        if machine.frequency != HZ:
            raise ValueError("edges: %d Hz cannot be divided to, only %d" % (HZ, machine.frequency))
        self.key = 0
        self.pressed = False
        self.at_us = 0
        self.overflowed = False
        self.fine = False
        self._machine = machine
        self._word = array("I", [0])
        self._ring_us = [0] * RING
        self._ring_edge = bytearray(RING)
        self._first = 0
        self._held = 0
        self._levels = 0
        self._start_us = 0
        self.reset()

    def reset(self) -> None:
        """Begin anew, with all keys taken as released: one that is down gives an edge at once."""
        machine = self._machine
        now_ns = time.monotonic_ns
        for _ in range(STARTS):
            machine.stop()
            machine.clear_rxfifo()
            before_ns = start_ns = now_ns()
            while start_ns == before_ns:
                start_ns = now_ns()
            machine.restart()
            late_us = (now_ns() - start_ns) // 1000 + STEP_US
            self.fine = late_us // 2 + LOOK_US <= EDGE_DOUBT_US
            if self.fine:
                break
        self._start_us = start_ns // 1000 + late_us // 2
        self._levels = ALL_UP
        self._held = 0
        self.overflowed = False

    def clear(self) -> None:
        """Forget all edges, and that any was dropped."""
        self._drain()
        self._held = 0
        self.overflowed = False

    def look(self) -> bool:
        """Take over what the machine saw; True when there is an edge, then told by the attributes."""
        self._drain()
        if not self._held:
            return False
        edge = self._ring_edge[self._first]
        self.key = edge >> 1
        self.pressed = bool(edge & 1)
        self.at_us = self._ring_us[self._first]
        return True

    def drop(self) -> None:
        """The oldest edge was used."""
        self._first = (self._first + 1) % RING
        self._held -= 1

    def _drain(self) -> None:
        machine = self._machine
        while machine.in_waiting:
            machine.readinto(self._word)
            self._take(self._word[0], micros())
        if machine.rxstall:
            self.overflowed = True

    def _take(self, word: int, now_us: int) -> None:
        levels = word >> 29
        since_start_us = _COUNTER - (word & _COUNTER)
        age_us = (now_us - self._start_us - since_start_us) & _COUNTER
        if age_us >= _HALF:  # `monotonic_ns` goes in steps of 30.5 µs and may be behind
            age_us -= _COUNTER + 1
        for key in range(COUNT):
            level = levels >> key & 1
            if level == self._levels >> key & 1:
                continue
            if self._held == RING:
                self.overflowed = True
                return
            slot = (self._first + self._held) % RING
            self._ring_us[slot] = now_us - age_us
            self._ring_edge[slot] = key << 1 | (1 - level)
            self._held += 1
        self._levels = levels


class Event:
    """An edge as `galley_board.keys` takes it; `us` is new, the rest as in `keypad.Event`."""

    def __init__(self) -> None:
        self.key_number = 0
        self.pressed = False
        self.timestamp = 0
        self.us = NO_US


class Scanner:
    """A keypad and a PIO as one: keys 0 to `pads` - 1 are the keypad's, then come the PIO's."""

    def __init__(self, pad: "Pads", pad_event: "Edge", pads: int, fast: PioEdges) -> None:
        self.events = self
        self._pad = pad
        self._pad_event = pad_event
        self._pads = pads
        self._fast = fast
        self._peeked = False

    @property
    def overflowed(self) -> bool:
        """Whether an edge was dropped since the last `clear`."""
        return self._pad.events.overflowed or self._fast.overflowed

    def get_into(self, event: Event) -> bool:
        """Fill `event` with the oldest edge of both; False when there is none."""
        fast = self._fast
        if not self._peeked:
            self._peeked = self._pad.events.get_into(self._pad_event)
        if fast.look():
            stamp_ms = (fast.at_us // 1000 + ORIGIN) & _TICKS_MS_MASK
            behind_ms = (stamp_ms - self._pad_event.timestamp) & _TICKS_MS_MASK
            if not self._peeked or behind_ms >= _HALF:
                event.key_number = self._pads + fast.key
                event.pressed = fast.pressed
                event.timestamp = stamp_ms
                event.us = fast.at_us % 1000 if fast.fine else NO_US
                fast.drop()
                return True
        if not self._peeked:
            return False
        self._peeked = False
        event.key_number = self._pad_event.key_number
        event.pressed = self._pad_event.pressed
        event.timestamp = self._pad_event.timestamp
        event.us = NO_US
        return True

    def clear(self) -> None:
        """Forget all edges, and that any was dropped."""
        self._peeked = False
        self._pad.events.clear()
        self._fast.clear()

    def reset(self) -> None:
        """Take all keys as released: one that is down gives a press."""
        self._pad.reset()
        self._fast.reset()
