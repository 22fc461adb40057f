"""The pins of one board as objects, opened by the names of `pins`.

For: the one module that imports the hardware modules, and `edges` only where it is asked for. It must not
decide anything: it opens what is there, says on the console what is not, and gives a fault for it, so that a
board with one wrong pin still plays with the others.

Hardware and libraries: `keypad`, `digitalio`, `pwmio` of CircuitPython, and `neopixel` in `lib/`.
"""

import os
import sys

import board
import busio
import digitalio
import keypad
import microcontroller
import pwmio

from galley_board import faults, pins

TYPE_CHECKING = False  # a board has no typing module; type checkers take it for true
if TYPE_CHECKING:
    from galley_board import edges
    from galley_board.hardware_types import Edge, Scanner, Strip


SCAN_INTERVAL_S = 0.001  # the default of 0.020 would smear every press by 20 ms
MOST_SCAN_S = 0.002  # the host takes a keypad's stamp to be no later than this
TONE_HZ = 440
I2C_HZ = 400000
# Before, `monotonic_ns` of an RP2040 or RP2350 lags by up to 0.45 ms in each second
# (adafruit/circuitpython#10315).
EVEN_CLOCK_VERSION = 10


class NoStrip:
    """Stands in where pixels cannot be opened, so that the rest of the board works."""

    def __setitem__(self, index: int, value: int) -> None:
        pass

    def show(self) -> None:
        """Nothing to show it on."""


class NoScanner:
    """Stands in for a keypad where no key pin exists."""

    def __init__(self) -> None:
        self.events = self
        self.overflowed = False

    def get_into(self, event: "Edge") -> bool:
        """There is never an event."""
        return False

    def clear(self) -> None:
        """There is nothing to clear."""

    def reset(self) -> None:
        """There is nothing to reset."""


class Hardware:
    """All that `which` (a key of `pins.PIXELS`) has; `faults` says what could not be opened.

    With `fine` the race keys are stamped to a microsecond, where the chip can; `caps` says so then.
    `event` is what `scanner` fills.
    """

    def __init__(self, which: str, fine: bool) -> None:
        self.faults = 0
        self.caps = pins.CAPS_OF_BOARD[which] | clock_caps()
        self._which = which
        self._used: "list[tuple[microcontroller.Pin, str]]" = []
        self._outputs: "dict[str, digitalio.DigitalInOut]" = {}
        for name in pins.FIRST_LOW[which]:
            self.output(name)
        self.key_numbers: "list[int]" = []
        self.event: "Edge" = keypad.Event()
        self.scanner = self._scanner(which, self._edges(which) if fine else None)
        self.strip = self._strip(pins.PIXELS[which])
        self.tone = self._tone(pins.BUZZER_PIN[which])
        self._external = self._input(pins.EXTERNAL_POWER_PIN[which], "EXT_PWR")

    def external_power(self) -> bool:
        """Whether the 5 V inlet has power."""
        return self._external is not None and not self._external.value

    # -- by the names of `pins.DEVICES` -----------------------------------------------------------

    def output(self, name: str) -> "digitalio.DigitalInOut | None":
        """An output, low when it is first asked for, or None where there is no such pin."""
        if name not in self._outputs:
            found = self._pin(pins.device_pin(self._which, name), name)
            if found is None:
                return None
            self._outputs[name] = digitalio.DigitalInOut(found)
            self._outputs[name].switch_to_output(value=False)
        return self._outputs[name]

    def input(self, name: str) -> "digitalio.DigitalInOut | None":
        """An input that is high unless something pulls it to GND, or None where there is no such pin."""
        return self._input(pins.device_pin(self._which, name), name)

    def pwm(self, name: str, hz: int) -> "pwmio.PWMOut | None":
        """An output for a motor, at 0, or None where there is no such pin."""
        return self._wave(pins.device_pin(self._which, name), name, hz, False)

    def bus(self) -> "busio.I2C | None":
        """The I2C bus, taken for good, or None where nothing is on it."""
        scl = self._pin(pins.device_pin(self._which, "SCL"), "SCL")
        sda = self._pin(pins.device_pin(self._which, "SDA"), "SDA")
        if scl is None or sda is None:
            return None
        try:
            bus = busio.I2C(scl, sda, frequency=I2C_HZ)
        except (RuntimeError, ValueError):  # no pull-ups: no device; or pins that are no bus
            return None
        return bus if bus.try_lock() else None

    def fault(self, bit: int, what: str) -> None:
        """Report a fault, on the console with what was seen."""
        self.faults |= bit
        print("%s: %s" % (what, faults.explain(bit)))

    def _pin(self, pin: str, name: str) -> "microcontroller.Pin | None":
        pin = pins.chosen(name, pin, os.getenv)
        if not pin:
            return None
        found: "microcontroller.Pin | None" = getattr(board, pin, None)
        if found is None:
            self.fault(faults.PIN_MISSING, "%s (%s)" % (name, pin))
            return None
        for used, by in self._used:
            if used is found and by != name:
                self.fault(faults.PIN_TWICE, "%s and %s (%s)" % (by, name, pin))
                return None
        self._used.append((found, name))
        return found

    def _input(self, pin: str, name: str) -> "digitalio.DigitalInOut | None":
        found = self._pin(pin, name)
        if found is None:
            return None
        switch = digitalio.DigitalInOut(found)
        switch.switch_to_input(pull=digitalio.Pull.UP)
        return switch

    def _scanner(self, which: str, fast: "edges.PioEdges | None") -> "Scanner":
        fine = pins.EDGE_KEYS[which] if fast is not None else ()
        found = []
        for number in range(len(pins.KEYS[which])):
            if number in fine:
                continue
            name, pin = pins.KEYS[which][number]
            key_pin = self._pin(pin, name)
            if key_pin is not None:
                found.append(key_pin)
                self.key_numbers.append(number)
        scanner: "Scanner" = NoScanner()
        if found:
            if SCAN_INTERVAL_S > MOST_SCAN_S:
                raise ValueError("keys scanned every %g s, at most %g s" % (SCAN_INTERVAL_S, MOST_SCAN_S))
            # without debouncing, which `keys` does: CircuitPython 8 has none, later ones only where asked
            scanner = keypad.Keys(found, value_when_pressed=False, pull=True, interval=SCAN_INTERVAL_S)
        if fast is None:
            return scanner
        from galley_board import edges

        self.key_numbers += fine
        scanner = edges.Scanner(scanner, self.event, len(found), fast)
        self.event = edges.Event()
        return scanner

    def _edges(self, which: str) -> "edges.PioEdges | None":
        """The PIO that stamps the race keys; None where there is none, and then the keypad has them."""
        if not pins.EDGE_KEYS[which]:
            return None
        pin = pins.KEYS[which][pins.EDGE_KEYS[which][0]][1]
        machine = None
        try:
            import rp2pio

            from galley_board import edges

            for number in pins.EDGE_KEYS[which]:
                name, usual = pins.KEYS[which][number]
                if pins.chosen(name, usual, os.getenv) != usual:
                    raise ValueError("%s is on another pin" % name)
            if clock_caps():
                raise ValueError("CircuitPython %d or later is needed" % EVEN_CLOCK_VERSION)
            machine = rp2pio.StateMachine(
                edges.PROGRAM,
                edges.HZ,
                first_in_pin=getattr(board, pin),
                in_pin_count=edges.COUNT,
                pull_in_pin_up=edges.ALL_UP,
                in_shift_right=False,
                wrap_target=edges.WRAP_TARGET,
            )
            fast = edges.PioEdges(machine)
            self.caps |= pins.CAPS["edges"]
            return fast
        except ImportError:
            why = "no rp2pio on this chip"
        except (AttributeError, RuntimeError, ValueError) as error:
            why = str(error)
            if machine is not None:
                machine.deinit()
        self.faults |= faults.EDGES_MISSING
        print("%s (%s)" % (faults.explain(faults.EDGES_MISSING), why))
        return None

    def _strip(self, count: int) -> "Strip":
        pin = self._pin(pins.PIXEL_PIN, "PIXELS")
        try:
            import neopixel

            if pin is not None:
                return neopixel.NeoPixel(pin, count, brightness=1.0, auto_write=False)
        except ImportError:
            pass
        self.faults |= faults.PIXELS_MISSING
        print(faults.explain(faults.PIXELS_MISSING))
        return NoStrip()

    def _tone(self, pin: str) -> "pwmio.PWMOut | None":
        return self._wave(pin, "BUZZER", TONE_HZ, True)

    def _wave(self, pin: str, name: str, hz: int, variable: bool) -> "pwmio.PWMOut | None":
        found = self._pin(pin, name)
        if found is None:
            return None
        try:
            return pwmio.PWMOut(found, duty_cycle=0, frequency=hz, variable_frequency=variable)
        except ValueError:  # another output has the pin's timer, or it has none
            self.fault(faults.PIN_TWICE, "%s: no PWM of %d Hz of its own" % (name, hz))
            return None


def level_of(name: str, pin: str) -> int:
    """1 or 0 as the pull-up and the wire of a pin make it, or -1 where the board has no such pin."""
    found = getattr(board, pins.chosen(name, pin, os.getenv), None)
    if found is None:
        return -1
    switch = digitalio.DigitalInOut(found)
    switch.switch_to_input(pull=digitalio.Pull.UP)
    level = 1 if switch.value else 0
    switch.deinit()
    return level


def clock_caps() -> int:
    """What the clock of this CircuitPython lacks, as a bit of `pins.CAPS`; 0 when it is even."""
    python = sys.implementation
    lags = python.name == "circuitpython" and python.version[0] < EVEN_CLOCK_VERSION
    return pins.CAPS["clock_lags"] if lags else 0
