"""What a board has in C and a turn calls often, as short as can be: port, scanner, pixels, pins, clock.

For: `measure`, which counts the firmware's steps and not those of the stand-ins; these take the place of some
of them. It must not know what happens to a board. What keeps a board waiting (a chain that is written, the
bus of the reader) is counted as `Clock.waited_us`. The firmware does not collect (see `narrow_vm`): that it
would have is counted.
"""

import sys
from array import array

import micropython

ORIGIN_MS = 0x1FFF0000
PIXEL_US = 30
BUS_BYTE_US = 23
READER_CHIP = 0x44
DECK_PINS = ("EYE_HOME", "GUARD", "IR_STROBE", "HOLE1", "HOLE2", "HOLE3", "HOLE4")


class Gc:
    """`gc` without its work."""

    collections = 0

    def collect(self) -> None:
        """Count it."""
        Gc.collections += 1

    def mem_free(self) -> int:
        """Some."""
        return 100000

    def mem_alloc(self) -> int:
        """All that was ever asked for."""
        return micropython.mem_total()


sys.modules["gc"] = Gc()

import board  # noqa: E402
import busio  # noqa: E402
import digitalio  # noqa: E402
import keypad  # noqa: E402
import os  # noqa: E402
import pwmio  # noqa: E402
import rom  # noqa: E402, F401
import supervisor  # noqa: E402
import time  # noqa: E402
import usb_cdc  # noqa: E402
from rig import rig  # noqa: E402


def noise(count: int) -> bytes:
    """`os.urandom`."""
    return b"\x01" * count


class Clock:
    """Real time as this file moves it, and what a board makes of it."""

    us = 0
    second_ns = 5000000000
    waited_us = 0

    @staticmethod
    def now_us() -> int:
        """Microseconds, a small integer."""
        return Clock.us

    @staticmethod
    def ticks_ms() -> int:
        """`supervisor.ticks_ms`: a small integer."""
        return ORIGIN_MS + Clock.us // 1000

    @staticmethod
    def monotonic_ns() -> int:
        """`time.monotonic_ns`: a large integer, and so an object, on a board too."""
        return Clock.second_ns + Clock.us

    @staticmethod
    def wait(time) -> None:
        """Waiting takes no time here."""


class Port:
    """A data port between arrays: what the host sends is put in, what the board writes is counted."""

    def __init__(self) -> None:
        self.timeout = None
        self.write_timeout = None
        self.connected = True
        self.in_waiting = 0
        self.moved = 0
        self.waiting = b""

    def send(self, data: bytes) -> None:
        """Have these bytes there to be read."""
        self.waiting = data
        self.in_waiting = len(data)

    def readinto(self, buf) -> int:
        """What fits."""
        count = min(self.in_waiting, len(buf))
        buf[:count] = self.waiting[:count]
        if count == self.in_waiting:
            self.in_waiting = 0
        else:
            self.send(self.waiting[count:])
        self.moved += count
        return count

    def write(self, buf) -> int:
        """All of it at once."""
        self.moved += len(buf)
        return len(buf)


class Event:
    """`keypad.Event`."""

    key_number = timestamp = 0
    pressed = False


class Scanner:
    """`keypad.Keys`, and the queue of its events: what a hand did comes when it is asked for."""

    pressed_now = ()

    def __init__(self, pins, *, value_when_pressed, pull, interval) -> None:
        self.events = self
        self.overflowed = False
        self.keys = len(pins)
        self._next = 0

    def get_into(self, event) -> bool:
        """Put the oldest event into `event`."""
        hand = Scanner.pressed_now
        if self._next == len(hand):
            return False
        event.key_number, event.pressed = hand[self._next]
        event.timestamp = Clock.ticks_ms()
        self._next += 1
        return True

    def clear(self) -> None:
        """The queue is empty."""
        self.overflowed = False
        self._next = len(Scanner.pressed_now)

    def reset(self) -> None:
        """No key is down at the start."""

    @staticmethod
    def hand(scanner, edges) -> None:
        """What happens to the keys before the next turn: key, down."""
        Scanner.pressed_now = edges
        scanner._next = 0


class PixelBuf(array):
    """`adafruit_pixelbuf.PixelBuf`, which sets a pixel in C."""

    def __init__(self, size, *, brightness, byteorder, auto_write) -> None:
        super().__init__("L", bytes(4 * size))

    def show(self) -> None:
        """The chain shines."""
        rig.pixel_writes += 1
        Clock.waited_us += PIXEL_US * len(self)


class Pixels:
    """The module `adafruit_pixelbuf`."""

    PixelBuf = PixelBuf


class Pin:
    """`digitalio.DigitalInOut` and `pwmio.PWMOut`, with a pull-up or driven: its level is in a field."""

    of = {}

    def __init__(self, pin, **_) -> None:
        Pin.of[pin.number] = self
        self.value = True
        self.duty_cycle = self.frequency = 0

    def switch_to_input(self, pull) -> None:
        """It reads what is set from outside."""

    def switch_to_output(self, value) -> None:
        """Drive it."""
        self.value = value

    def deinit(self) -> None:
        """Nobody asks."""


class Bus:
    """`busio.I2C` with the colour reader on it."""

    colour = bytearray(8)

    def __init__(self, scl, sda, *, frequency) -> None:
        self._counts = None

    def try_lock(self) -> bool:
        """It is free."""
        return True

    def writeto(self, address, buffer) -> None:
        """Nothing to remember."""

    def writeto_then_readfrom(self, address, out_buffer, in_buffer) -> None:
        """Its counts, or else which chip it is."""
        Clock.waited_us += BUS_BYTE_US * (2 + len(out_buffer) + len(in_buffer))
        if len(in_buffer) == len(Bus.colour):
            in_buffer[:] = Bus.colour
        else:
            in_buffer[0] = READER_CHIP


class Wires:
    """Pins of a deck that something happens at: their numbers by name; none on a station."""

    of = {}

    @staticmethod
    def pin(name: str) -> Pin:
        """What the firmware opened there."""
        return Pin.of[Wires.of[name]]

    @staticmethod
    def settle(time) -> None:
        """What a deck's pins come to by themselves: its lid is closed, its beams shine while they are lit."""
        if Wires.of:
            Wires.pin("GUARD").value = False
            for hole in DECK_PINS[3:]:
                Wires.pin(hole).value = Wires.pin("IR_STROBE").value


def take_the_place(role: str) -> None:
    """From now on a board of this role gets these, and a port of this file."""
    from galley_board import pins

    sys.modules["adafruit_pixelbuf"] = Pixels
    os.urandom = noise
    keypad.Keys = Scanner
    keypad.Event = Event
    supervisor.ticks_ms = Clock.ticks_ms
    time.monotonic_ns = Clock.monotonic_ns
    rig.clock = rig.known_us = Clock.now_us
    rig.pause_us = Clock.wait
    rig.power_on_us = 0
    usb_cdc.data = Port()
    rig.settings["GALLEY_ROLE"] = role
    digitalio.DigitalInOut = pwmio.PWMOut = Pin
    busio.I2C = Bus
    time.sleep = Wires.settle
    if role == "deck":
        for name in DECK_PINS:
            Wires.of[name] = getattr(board, pins.device_pin("deck", name)).number
