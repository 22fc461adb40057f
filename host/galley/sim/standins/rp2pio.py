"""Stand-in for `rp2pio`: one PIO state machine, its program run instruction by instruction on the rig's pins.

No thread runs here. Pin changes carry their time; when the FIFO is looked at, the cycles up to now are worked
out. A pass of the program that changed nothing but a count is taken to go on so until a pin changes, so a
quiet second costs no more than a microsecond. Facts copied on purpose:

* the clock is the chip's over a divider of 1/256 steps, and `frequency` tells what came of it;
* a pin has one owner; a chip has 12 machines (RP2350), 32 words of program each;
* received words wait in a FIFO of eight (no program here sends, so both halves are joined); one that finds
  it full is dropped and sets `rxstall` until `clear_rxfifo`;
* `stop` keeps everything; `restart` starts the program at its first word and keeps x and y.

Of the instructions there are JMP, IN, PUSH, MOV and SET as far as the firmware uses them. Any other is
refused when it is met.
"""

from __future__ import annotations

from array import array
from collections import deque

import microcontroller
from rig import NS_PER_S, Listener, rig

MOST_WORDS = 32
FIFO_WORDS = 8
DIVIDER_STEPS = 256
_WORD = 0xFFFFFFFF
_JMP, _IN, _PUSH, _MOV, _SET = 0, 2, 4, 5, 7
_ALWAYS, _X_COUNTS, _X_IS_NOT_Y = 0, 2, 5
_PINS, _X, _Y, _NULL, _ISR, _OSR = 0, 1, 2, 3, 6, 7
_INVERT = 1


class StateMachine:
    """One state machine that looks at `in_pin_count` pins from `first_in_pin` on."""

    def __init__(
        self,
        program: array[int],
        frequency: int,
        *,
        first_in_pin: microcontroller.Pin,
        in_pin_count: int = 1,
        pull_in_pin_up: int = 0,
        in_shift_right: bool = True,
        wrap_target: int = 0,
        wrap: int = -1,
    ) -> None:
        if not 0 < len(program) <= MOST_WORDS:
            raise ValueError("Program size invalid")
        if rig.free_machines == 0:
            raise RuntimeError("All state machines in use")
        chip_hz = microcontroller.cpu.frequency
        divider = chip_hz * DIVIDER_STEPS // frequency
        self._hz = chip_hz * DIVIDER_STEPS // divider
        self._program = list(program)
        self._count = in_pin_count
        self._right = in_shift_right
        self._wrap_target = wrap_target
        self._wrap = wrap % len(program)
        self._pins = [first_in_pin.number + place for place in range(in_pin_count)]
        taken = sorted(set(self._pins) & rig.owners)
        if taken:
            raise ValueError(f"GP{taken[0]} in use")
        rig.free_machines -= 1
        self._changes: deque[tuple[int, int, int]] = deque()
        self._listeners: list[Listener] = []
        self._levels = 0
        for place, pin in enumerate(self._pins):
            rig.claim(pin)
            listener = self._listener(place)
            self._listeners.append(listener)
            rig.listen(pin, listener)
            self._levels |= rig.level(pin, pull_in_pin_up >> place & 1) << place
        self._fifo: deque[int] = deque(maxlen=FIFO_WORDS)
        self._stalled = False
        self._running = False
        self._registers = {_X: 0, _Y: 0, _NULL: 0, _ISR: 0, _OSR: 0}
        self._pushes = 0
        self.restart()

    def deinit(self) -> None:
        """Stop, and give the pins and the machine back."""
        self._running = False
        rig.free_machines += 1
        for pin, listener in zip(self._pins, self._listeners, strict=True):
            rig.unlisten(pin, listener)
            rig.release(pin)

    @property
    def frequency(self) -> int:
        """The clock it really runs at, in Hz."""
        return self._hz

    @property
    def in_waiting(self) -> int:
        """Words that can be read now."""
        self._run()
        return len(self._fifo)

    @property
    def rxstall(self) -> bool:
        """Whether a word found the FIFO full since the last `clear_rxfifo`."""
        self._run()
        return self._stalled

    def readinto(self, buffer: array[int]) -> None:
        """Read as many words as `buffer` holds. A real one waits for them; here that would be for ever."""
        self._run()
        if len(self._fifo) < len(buffer):
            there = f"{len(self._fifo)} of {len(buffer)}"
            raise RuntimeError(f"{there} words are there: look at in_waiting first")
        for place in range(len(buffer)):
            buffer[place] = self._fifo.popleft()

    def clear_rxfifo(self) -> None:
        """Forget all words."""
        self._run()
        self._fifo.clear()
        self._stalled = False

    def stop(self) -> None:
        """Stop its clock."""
        self._run()
        self._running = False

    def restart(self) -> None:
        """Begin the program anew."""
        if self._running:
            self._run()
        self._registers[_ISR] = self._registers[_OSR] = 0
        self._pc = 0
        self._start_ns = rig.now_ns()
        self._cycle = 0
        self._top: tuple[int, int, int, int, int, int] | None = None
        self._running = True

    # -- time ----------------------------------------------------------------------------------

    def _listener(self, place: int) -> Listener:
        def changed(at_ns: int, level: int) -> None:
            self._changes.append((at_ns, place, level))

        return changed

    def _cycle_at(self, ns: int) -> int:
        """The first cycle that begins at `ns` or later."""
        return -(-(ns - self._start_ns) * self._hz // NS_PER_S)

    def _run(self) -> None:
        """Work out all cycles that are due by now."""
        until = self._cycle_at(rig.known_ns())
        while self._running and self._cycle < until:
            while self._changes and self._cycle_at(self._changes[0][0]) <= self._cycle:
                _, place, level = self._changes.popleft()
                self._levels = self._levels & ~(1 << place) | level << place
            if self._pc == self._wrap_target:
                self._skip(min(until, self._cycle_at(self._changes[0][0])) if self._changes else until)
            if self._cycle < until:
                self._step()

    def _skip(self, end: int) -> None:
        """Let passes go by that would do what the last one did, as long as no pin changes before `end`."""
        registers = self._registers
        x, held = registers[_X], (registers[_Y], registers[_ISR], self._levels, self._pushes)
        before, self._top = self._top, (self._cycle, x, *held)
        if before is None or before[2:] != held:
            return
        cycles, counted = self._cycle - before[0], before[1] - x & _WORD
        passes = (end - self._cycle) // cycles - 1
        if counted:
            passes = min(passes, x // counted - 1)
        if passes > 0:
            self._cycle += passes * cycles
            registers[_X] -= passes * counted
            registers[_OSR] = registers[_OSR] - passes * counted & _WORD
            self._top = (self._cycle, registers[_X], *held)

    # -- instructions --------------------------------------------------------------------------

    def _step(self) -> None:
        word = self._program[self._pc]
        self._cycle += 1 + (word >> 8 & 31)
        self._pc = self._wrap_target if self._pc == self._wrap else self._pc + 1
        kind, which, number = word >> 13, word >> 5 & 7, word & 31
        if kind == _JMP:
            if self._holds(which):
                self._pc = number
        elif kind == _IN:
            self._shift(self._source(which), number or 32)
        elif kind == _PUSH and not word & 0xFF:
            self._push()
        elif kind == _MOV and which in (_X, _Y, _ISR, _OSR) and number >> 3 <= _INVERT:
            value = self._source(number & 7)
            self._registers[which] = ~value & _WORD if number >> 3 == _INVERT else value
        elif kind == _SET and which in (_X, _Y):
            self._registers[which] = number
        else:
            raise NotImplementedError(f"PIO instruction {word:#06x}: this stand-in has no such one yet")

    def _holds(self, condition: int) -> bool:
        registers = self._registers
        if condition == _X_COUNTS:
            x = registers[_X]
            registers[_X] = x - 1 & _WORD
            return x != 0
        if condition == _X_IS_NOT_Y:
            return registers[_X] != registers[_Y]
        if condition == _ALWAYS:
            return True
        raise NotImplementedError(f"PIO jump on condition {condition}: this stand-in has no such one yet")

    def _source(self, which: int) -> int:
        return self._levels if which == _PINS else self._registers[which]

    def _shift(self, value: int, bits: int) -> None:
        value &= (1 << bits) - 1
        isr = self._registers[_ISR]
        shifted = isr >> bits | value << 32 - bits if self._right else isr << bits | value
        self._registers[_ISR] = shifted & _WORD

    def _push(self) -> None:
        self._pushes += 1
        if len(self._fifo) == FIFO_WORDS:
            self._stalled = True
        else:
            self._fifo.append(self._registers[_ISR])
        self._registers[_ISR] = 0
