"""Below the pins of a board on the second Python: its clock, its pins' levels, the channel to the test.

For: the one place that these stand-ins share. It must not know the firmware. The messages are those of
`host/galley/sim/standins/rig.py`, so whoever holds the other end cannot tell the two Pythons apart.

Written in the language of a board, and so that what the firmware calls in every turn allocates nothing: then
what the heap loses in a turn is the firmware's. `launch` gives the channel and the pseudo-terminal as open
descriptors that never block. Times in `_us` are microseconds since power-on unless named real.
"""

import json
import select
import sys
from binascii import hexlify

import utime

TICKS_PER_S = 1024
SUBTICKS_PER_S = 32768
US_PER_S = 1000000
NS_PER_S = 1000000000
TICKS_MS_PERIOD = 1 << 29
TICKS_MS_ORIGIN = TICKS_MS_PERIOD - 65536
FRESH_US = 1000
IDLE_MS = 20  # nothing that a person would notice is due sooner
ALERT_MS = 2  # for ALERT_US after anything happened
ALERT_US = 100000
SHORT_SLEEP_S = 0.002
EXIT_UNPLUGGED = 0
EXIT_RESET = 75


def leave(status: int) -> None:
    """End the process: the rig is gone, or the chip restarts."""
    sys.exit(status)


class Rig:
    """One board's surroundings."""

    def __init__(self) -> None:
        self.board = ""
        self.firmware = ""
        self.clock = utime.ticks_us  # real time; `measure` puts one in its place that it moves by hand
        self.pause_us = utime.sleep_us
        self.power_on_us = utime.ticks_us()
        self.ticks_origin = TICKS_MS_ORIGIN
        self.settings: "dict[str, str | int]" = {}
        self.drives: "dict[int, int]" = {}
        self.owners: "set[int]" = set()
        self.outputs: "dict[int, int]" = {}
        self.watched: "set[int]" = set()
        self.wires: "dict[int, list]" = {}  # output pin -> [[name, function(value)], ...]
        self.listeners: "dict[int, list]" = {}  # input pin -> [function(at_us, level), ...]
        self.colour: "list[int] | None" = None
        self.pixels = b""
        self.pixel_writes = 0
        self.pixels_watched = True
        self.reset_reason = "POWER_ON"
        self.safe_mode_reason = "NONE"
        self.nvm_path = ""
        self.pty = -1
        self.path = ""
        self.port = None
        self._channel = None
        self._waits = select.poll()
        self._waits_for_port = False
        self._buffer = bytearray(4096)
        self._view = memoryview(self._buffer)
        self._line = b""
        self._out = b""
        self._served_us = 0
        self._alert_until_us = 0

    # -- time

    def now_us(self) -> int:
        """Since power-on."""
        return self.clock() - self.power_on_us

    def ticks_ms_at(self, tick: int) -> int:
        """`supervisor.ticks_ms()` at a tick of 1/1024 s."""
        return (self.ticks_origin + tick * 1000 // TICKS_PER_S) % TICKS_MS_PERIOD

    def ticks_ms(self) -> int:
        """`supervisor.ticks_ms()` now."""
        return self.ticks_ms_at(self.now_us() * TICKS_PER_S // US_PER_S)

    def monotonic_ns(self) -> int:
        """`time.monotonic_ns()`, in steps of 30.5 µs."""
        return self.now_us() * SUBTICKS_PER_S // US_PER_S * NS_PER_S // SUBTICKS_PER_S

    # -- pins

    def claim(self, pin: int) -> None:
        """Take a pin; ValueError when something else has it."""
        if pin in self.owners:
            raise ValueError("GP%d in use" % pin)
        self.owners.add(pin)

    def release(self, pin: int) -> None:
        """Give a pin back; what hangs on it is off."""
        self.owners.discard(pin)
        if pin in self.outputs:
            self.output(pin, 0)
            del self.outputs[pin]

    def power_off_pins(self) -> None:
        """Give all pins back, as happens between boot.py and code.py."""
        for pin in list(self.owners):
            self.release(pin)
        self.listeners.clear()

    def level(self, pin: int, pull: int) -> int:
        """0 or 1: what drives the pin from outside, else its pull."""
        return self.drives.get(pin, pull)

    def set_pin(self, pin: int, value: "int | None", real_us: "int | None" = None) -> None:
        """Drive a pin from outside (0, 1) or let it go (None), now or at a real time that has passed."""
        if value is None:
            self.drives.pop(pin, None)
        else:
            self.drives[pin] = value
        self.alert()
        at_us = (self.clock() if real_us is None else real_us) - self.power_on_us
        for listener in self.listeners.get(pin, ()):
            listener(at_us, value)

    def output(self, pin: int, value: int) -> None:
        """The firmware drives a pin."""
        if self._put(pin, value):
            for wire in self.wires.get(pin, ()):
                wire[1](value)
            if pin in self.watched:
                self.send("pin", {"pin": pin, "value": value, "t_us": self.clock()})

    def pwm(self, pin: int, duty: int) -> None:
        """The firmware gives a pin this duty cycle."""
        if self._put(pin, duty) and pin in self.watched:
            self.send("pwm", {"pin": pin, "duty": duty, "t_us": self.clock()})

    def _put(self, pin: int, value: int) -> bool:
        if self.outputs.get(pin) == value:
            return False
        self.outputs[pin] = value
        return True

    def wire(self, pin: int, name: str, function) -> None:
        """Have `function(value)` called for an output, in place of the wire of the same name."""
        wires = [wire for wire in self.wires.get(pin, ()) if wire[0] != name]
        wires.append([name, function])
        self.wires[pin] = wires

    def show(self, green_red_blue: bytearray) -> None:
        """The chain now shines like this; the rig's order is red, green, blue."""
        self.pixel_writes += 1
        if self._channel is None:
            return
        rgb = bytearray(green_red_blue)
        for at in range(0, len(rgb), 3):
            rgb[at], rgb[at + 1] = rgb[at + 1], rgb[at]
        self.pixels = rgb
        if self.pixels_watched:
            self._tell_pixels()

    def watch_pixels(self, watched: bool) -> None:
        """Tell every frame from now on, and the present one at once; or none, as nobody looks."""
        self.pixels_watched = watched
        if watched and self.pixels:
            self._tell_pixels()

    def _tell_pixels(self) -> None:
        self.send("pixels", {"bytes": hexlify(self.pixels).decode()})

    # -- the channel

    def connect(self, descriptor: int) -> None:
        """Use this open socket as the channel; the process ends when its other end closes."""
        self._channel = open(descriptor, "r+b")
        self._waits.register(self._channel, select.POLLIN)

    def send(self, event: str, fields: dict) -> None:
        """Send one event."""
        if self._channel is None:
            return
        fields["ev"] = event
        fields["board"] = self.board
        self._out += json.dumps(fields).encode() + b"\n"
        self._flush()

    def _flush(self) -> None:
        while self._out:
            sent = self._channel.write(self._out)
            if sent is None:  # full: later
                return
            self._out = self._out[sent:]

    def alert(self) -> None:
        """Turn as often as a board does for a while."""
        self._alert_until_us = self.clock() + ALERT_US

    def known_us(self) -> int:
        """The time up to which every pin change is known here."""
        if self._channel is None:
            return self.now_us()
        if self.clock() - self._served_us > FRESH_US:
            self.service()
        return self._served_us - self.power_on_us

    def service(self) -> None:
        """Take all messages that have come; never waits."""
        if self._channel is None:
            return
        self._served_us = self.clock()
        if self._out:
            self._flush()
        while True:
            count = self._channel.readinto(self._buffer)
            if count is None:
                return
            if not count:
                leave(EXIT_UNPLUGGED)
            lines = (self._line + bytes(self._view[:count])).split(b"\n")
            self._line = lines.pop()
            for line in lines:
                self._obey(json.loads(line))

    def _obey(self, message: dict) -> None:
        op = message["op"]
        if op == "pin":
            at_ns = message.get("at_ns")
            self.set_pin(message["pin"], message["value"], None if at_ns is None else at_ns // 1000)
        elif op == "watch_pixels":
            self.watch_pixels(message["watched"])
        elif op == "watch":
            self.watched.update(message["pins"])
        else:
            import parts

            parts.PARTS[op](self, message)
            self.alert()

    def idle(self) -> None:
        """Wait for a message, for bytes at the port, or a short time: stands for a millisecond's sleep."""
        port = self.port
        if port is not None:
            connected = port.look()
            if connected != self._waits_for_port:
                if connected:
                    self._waits.register(port.file, select.POLLIN)
                else:
                    self._waits.unregister(port.file)
                self._waits_for_port = connected
        for ready in self._waits.ipoll(ALERT_MS if self.clock() < self._alert_until_us else IDLE_MS):
            if ready[0] is self._channel:
                self.service()
            else:
                self.alert()

    def sleep(self, seconds: float) -> None:
        """`time.sleep`: the idle wait for a short one, else real time with the channel served."""
        if seconds <= SHORT_SLEEP_S:
            self.idle()
            return
        end_us = self.clock() + int(seconds * US_PER_S)
        while self.clock() < end_us:
            self.service()
            self.pause_us(1000)


rig = Rig()
