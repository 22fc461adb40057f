"""The pins of one board as objects, opened by the names of `pins`.

For: the one module that imports the hardware modules. It must not decide anything: it opens what is
there, says on the console what is not, and gives a fault for it, so that a board with one wrong pin
still plays with the others.

Hardware and libraries: `keypad`, `digitalio`, `pwmio` of CircuitPython, and `neopixel` in `lib/`.
"""

import board
import digitalio
import keypad
import microcontroller
import pwmio

from galley_board import faults, pins

try:
    from galley_board.hardware_types import Edge, Scanner, Strip
except ImportError:  # a board has no typing module
    pass

SCAN_INTERVAL_S = 0.001  # the default of 0.020 would smear every press by 20 ms
TONE_HZ = 440


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
    """All that `which` (a key of `pins.PARTS`) has; `faults` says what could not be opened."""

    def __init__(self, which: str) -> None:
        self.faults = 0
        self._low = []
        for name, pin in pins.HELD_LOW[which]:
            output = self._pin(pin, name)
            if output is not None:
                low = digitalio.DigitalInOut(output)
                low.switch_to_output(value=False)
                self._low.append(low)
        self.key_numbers: "list[int]" = []
        self.scanner = self._scanner(which)
        self.strip = self._strip(pins.PIXELS[which])
        self.tone = self._tone(pins.BUZZER_PIN[which])
        self._external = self._input(pins.EXTERNAL_POWER_PIN[which], "EXT_PWR")

    def external_power(self) -> bool:
        """Whether the 5 V inlet has power."""
        return self._external is not None and not self._external.value

    def _pin(self, pin: str, name: str) -> "microcontroller.Pin | None":
        if not pin:
            return None
        found: "microcontroller.Pin | None" = getattr(board, pin, None)
        if found is None:
            self.faults |= faults.PIN_MISSING
            print("%s (%s): %s" % (name, pin, faults.explain(faults.PIN_MISSING)))
        return found

    def _input(self, pin: str, name: str) -> "digitalio.DigitalInOut | None":
        found = self._pin(pin, name)
        if found is None:
            return None
        switch = digitalio.DigitalInOut(found)
        switch.switch_to_input(pull=digitalio.Pull.UP)
        return switch

    def _scanner(self, which: str) -> "Scanner":
        found = []
        for number in range(len(pins.KEYS[which])):
            name, pin = pins.KEYS[which][number]
            key_pin = self._pin(pin, name)
            if key_pin is not None:
                found.append(key_pin)
                self.key_numbers.append(number)
        if not found:
            return NoScanner()
        return keypad.Keys(
            found, value_when_pressed=False, pull=True, interval=SCAN_INTERVAL_S, debounce_threshold=1
        )

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
        found = self._pin(pin, "BUZZER")
        if found is None:
            return None
        return pwmio.PWMOut(found, duty_cycle=0, frequency=TONE_HZ, variable_frequency=True)


def level_of(pin: str) -> int:
    """1 or 0 as the pull-up and the wire of `pin` make it, or -1 where the board has no such pin."""
    found = getattr(board, pin, None)
    if found is None:
        return -1
    switch = digitalio.DigitalInOut(found)
    switch.switch_to_input(pull=digitalio.Pull.UP)
    level = 1 if switch.value else 0
    switch.deinit()
    return level
