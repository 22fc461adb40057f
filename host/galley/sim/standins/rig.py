"""Below the pins of a simulated board: its clock, the levels on its pins, and the channel to the rig.

For: the one place that the stand-in modules share. It must not know the firmware. Nothing here runs
by itself: pin changes carry their own time, and whoever reads a pin or a key queue asks what had
happened up to then, so a firmware that was busy or stopped sees what a real board would have seen.

The channel is a socket of JSON lines (`{"op":"pin",...}` in, `{"ev":...}` out). A pin message may
carry `at_ns`, the sender's CLOCK_MONOTONIC time, which then is when the pin changed. What the firmware
does with an output is told for the pins that `{"op":"watch","pins":[...]}` names: `{"ev":"pin",...,"value"}`
and `{"ev":"pwm",...,"duty"}`, each with `t_us` of that clock. `{"op":"watch_pixels","watched":false}` spares
the frames of pixels while nobody looks. Any other `op` is a part that is soldered to the pins (`parts`).

Facts copied from CircuitPython: all time comes from one counter of 1/32768 s; `ticks_ms` is made of
1/1024 s ticks and starts 65.536 s below its wrap at 2**29; a pin has one owner.
"""

from __future__ import annotations

import os
import select
import socket
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

real_ns = time.monotonic_ns
real_sleep = time.sleep

NS_PER_S = 1_000_000_000
NS_PER_MS = 1_000_000
TICKS_PER_S = 1024
SUBTICKS_PER_S = 32768
TICKS_MS_PERIOD = 1 << 29
TICKS_MS_ORIGIN = TICKS_MS_PERIOD - 65536
MOST_PENDING = 1 << 18
IDLE_MS = 40  # nothing that a person would notice is due sooner
ALERT_MS = 8  # for ALERT_NS after a pin changed or the port was full: hold-offs end, resends are due
ALERT_NS = 100_000_000
HURRY_MS = 2  # for HURRY_NS after bytes came just after a frame of pixels: the next frame waits its turn
HURRY_NS = 8_000_000
MACHINES = 12  # PIO state machines of an RP2350
FRESH_NS = 1_000_000
TICK_NS = NS_PER_S // TICKS_PER_S + 1
MOST_DUES = 256
SHORT_SLEEP_S = 0.002
EXIT_UNPLUGGED = 0
EXIT_RESET = 75  # the parent starts such a child anew at once, as a board that restarts enumerates again

Listener = Callable[[int, int], None]
Wire = Callable[[int], None]


class Port(Protocol):
    """What `idle` needs of the data port."""

    ready: bool

    @property
    def held(self) -> bool:
        """Whether bytes are there of which no descriptor tells."""

    def fileno(self) -> int:
        """The descriptor to wait on while a program has the port open."""

    def look(self) -> bool:
        """Find out whether a program has the port open."""


class Rig:
    """One simulated board's surroundings. Times in `_ns` are ns since its power-on unless named real."""

    def __init__(self, clock: Callable[[], int] = real_ns) -> None:
        self.board = ""
        self.clock = clock
        self.pause: Callable[[float], None] = real_sleep
        self.power_on_ns = clock()
        self.skew_ppm = 0
        self.ticks_origin = TICKS_MS_ORIGIN
        self.loop_ms = 0.0
        self.scan_ms = 0  # between two scans of the keypad, whatever the firmware asks for; 0: as it asks
        self.queue_len = 0  # events that the keypad holds; 0: as many as the firmware asks for
        self.pauses: list[tuple[int, float]] = []  # (real ns, ms) of collections that will take so long
        self.skips: list[tuple[int, int]] = []  # from and to, in ns since power-on: no scan between
        self.drives: dict[int, int] = {}
        self.owners: set[int] = set()
        self.outputs: dict[int, int] = {}
        self.watched: set[int] = set()
        self.wires: dict[int, list[Wire]] = {}
        self.colour: tuple[int, int, int, int] | None = None  # clear, red, green, blue at the reader, if any
        self.free_machines = MACHINES
        self.pixels = b""
        self.pixel_writes = 0
        self.pixels_watched = True
        self.drive_hidden = False
        self.identification: tuple[str | None, str | None] = (None, None)
        self.reset_reason = "POWER_ON"
        self.safe_mode_reason = "NONE"
        self.nvm_path = ""
        self.on_reset: Callable[[], None] = lambda: os._exit(EXIT_RESET)
        self.alarm: Callable[[float], object] = lambda seconds: None  # in so many seconds; 0 is never
        self.port: Port | None = None
        self._listeners: dict[int, list[Listener]] = {}
        self._channel: socket.socket | None = None
        self._in = b""
        self._out = bytearray()
        self._waits = select.poll()
        self._watched = -1
        self._served_ns = 0
        self._dues: deque[int] = deque(maxlen=MOST_DUES)
        self._alert_until_ns = 0
        self._heard_ns = 0
        self._shown_ns = 0

    # -- time ----------------------------------------------------------------------------------

    def now_ns(self) -> int:
        """Nanoseconds since power-on by this board's own crystal."""
        return self.board_ns(self.clock())

    def board_ns(self, real: int) -> int:
        """This board's time at a real (host monotonic) time."""
        since = real - self.power_on_ns
        return since + since * self.skew_ppm // 1_000_000

    def now_tick(self) -> int:
        """The number of the last 1/1024 s tick."""
        return self.now_ns() * TICKS_PER_S // NS_PER_S

    def ticks_ms_at(self, tick: int) -> int:
        """`supervisor.ticks_ms()` as it reads at a tick."""
        return (self.ticks_origin + tick * 1000 // TICKS_PER_S) % TICKS_MS_PERIOD

    def ticks_ms(self) -> int:
        """`supervisor.ticks_ms()` now."""
        return self.ticks_ms_at(self.now_tick())

    def monotonic_ns(self) -> int:
        """`time.monotonic_ns()` as a board gives it: in steps of 30.5 µs."""
        return self.now_ns() * SUBTICKS_PER_S // NS_PER_S * NS_PER_S // SUBTICKS_PER_S

    # -- pins ----------------------------------------------------------------------------------

    def claim(self, pin: int) -> None:
        """Take a pin; ValueError when something else has it."""
        if pin in self.owners:
            raise ValueError(f"GP{pin} in use")
        self.owners.add(pin)

    def release(self, pin: int) -> None:
        """Give a pin back."""
        self.owners.discard(pin)
        self._let_go(pin)

    def alert(self) -> None:
        """Turn more often for a while."""
        self._alert_until_ns = real_ns() + ALERT_NS

    def show(self, rgb: bytes) -> None:
        """The chain now shines like this: red, green, blue for each pixel."""
        self.pixels = rgb
        self.pixel_writes += 1
        self._shown_ns = real_ns()
        if self.pixels_watched:
            self._tell_pixels()

    def watch_pixels(self, watched: bool) -> None:
        """Tell every frame from now on, and the present one at once; or none, as nobody looks."""
        self.pixels_watched = watched
        if watched and self.pixels:
            self._tell_pixels()

    def _tell_pixels(self) -> None:
        self.send("pixels", f'"bytes":"{self.pixels.hex()}"')

    def level(self, pin: int, pull: int = 1) -> int:
        """0 or 1: what drives the pin from outside, else its pull."""
        return self.drives.get(pin, pull)

    def set_pin(self, pin: int, value: int | None, real_at_ns: int | None = None) -> None:
        """Drive a pin from outside (0, 1) or let it go (None), now or at a real time that has passed."""
        if value is None:
            self.drives.pop(pin, None)
        else:
            self.drives[pin] = value
        real = self.clock() if real_at_ns is None else real_at_ns
        at_ns = self.board_ns(real)
        self._dues.append(real + TICK_NS)
        self.alert()
        for listener in self._listeners.get(pin, ()):
            listener(at_ns, self.level(pin))

    def output(self, pin: int, value: int) -> None:
        """The firmware drives a pin."""
        if self.outputs.get(pin) == value:
            return
        self.outputs[pin] = value
        for wire in self.wires.get(pin, ()):
            wire(value)
        if pin in self.watched:
            self.alert()
            self.send("pin", f'"pin":{pin},"value":{value},"t_us":{real_ns() // 1000}')

    def _let_go(self, pin: int) -> None:
        """An output is one no more: what hangs on it is off."""
        if pin in self.outputs:
            self.output(pin, 0)
            del self.outputs[pin]

    def pwm(self, pin: int, duty: int) -> None:
        """The firmware gives a pin this duty cycle."""
        if self.outputs.get(pin) == duty:
            return
        self.outputs[pin] = duty
        if pin in self.watched:
            self.alert()
            self.send("pwm", f'"pin":{pin},"duty":{duty},"t_us":{real_ns() // 1000}')

    def heard(self) -> None:
        """Bytes were read at the port, which may be without an idle wait before."""
        self._heard_ns = real_ns()

    def hurry(self) -> None:
        """Turn as often as a board does for a moment: something moves."""
        self._heard_ns = self._shown_ns = real_ns()

    def listen(self, pin: int, listener: Listener) -> None:
        """Call `listener(at_ns, level)` at each change of a pin."""
        self._listeners.setdefault(pin, []).append(listener)

    def unlisten(self, pin: int, listener: Listener) -> None:
        """Stop calling `listener` for a pin."""
        self._listeners[pin].remove(listener)

    def power_off_pins(self) -> None:
        """Give all pins back, as happens between two runs of code.py."""
        self.owners.clear()
        for pin in list(self.outputs):
            self._let_go(pin)
        self.free_machines = MACHINES
        self._listeners.clear()

    # -- the channel ---------------------------------------------------------------------------

    def connect(self, channel: socket.socket) -> None:
        """Use this socket as the channel; the process ends when its other end closes."""
        channel.setblocking(False)
        self._channel = channel
        self._waits.register(channel, select.POLLIN)

    def send(self, event: str, fields: str) -> None:
        """Send one event; `fields` is the rest of its JSON object. Dropped when nobody reads for long."""
        if self._channel is None or len(self._out) > MOST_PENDING:
            return
        self._out += f'{{"ev":"{event}","board":"{self.board}",{fields}}}\n'.encode()
        self._flush()

    def _flush(self) -> None:
        assert self._channel is not None
        while self._out:
            try:
                sent = self._channel.send(self._out)
            except BlockingIOError:
                return
            except OSError:
                os._exit(EXIT_UNPLUGGED)
            del self._out[:sent]

    def known_ns(self) -> int:
        """The board time up to which every pin change is known here; takes messages when that is long ago.

        Only `service` can know: a scan of a time whose messages still wait would take a press and its release
        for one change, and neither would be seen.
        """
        if self._channel is None:
            return self.now_ns()
        if real_ns() - self._served_ns > FRESH_NS:
            self.service()
        return self.board_ns(self._served_ns)

    def service(self) -> None:
        """Take all messages that have come; never waits."""
        if self._channel is None:
            return
        self._served_ns = real_ns()
        if self._out:
            self._flush()
        while True:
            try:
                data = self._channel.recv(4096)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                os._exit(EXIT_UNPLUGGED)
            *lines, self._in = (self._in + data).split(b"\n")
            for line in lines:
                self._obey(line)

    def _obey(self, line: bytes) -> None:
        from json import loads

        try:
            message = loads(line)
        except ValueError:  # a line cut off while this board was stopped
            return
        if message.get("op") == "pin":
            self.set_pin(message["pin"], message["value"], message.get("at_ns"))
        elif message.get("op") == "watch":
            self.watched.update(message["pins"])
        elif message.get("op") == "watch_pixels":
            self.watch_pixels(message["watched"])
        elif message.get("op") in ("gc_pause", "scan_skip"):
            from troubles import befall

            befall(self, message)
        else:
            from parts import solder

            solder(self, message)
            self.alert()

    def idle(self) -> None:
        """Wait for a message, bytes at the port, or a short time: what stands for a millisecond's sleep.

        A firmware that has nothing to do then costs next to nothing, and input wakes it at once.
        """
        port = self.port
        if port is not None:
            wanted = port.fileno() if port.look() else -1
            if wanted != self._watched:
                if self._watched >= 0:
                    self._waits.unregister(self._watched)
                if wanted >= 0:
                    self._waits.register(wanted, select.POLLIN)
                self._watched = wanted
        now_ns = real_ns()
        wait_ms = ALERT_MS if now_ns < self._alert_until_ns else IDLE_MS
        if now_ns - self._heard_ns < HURRY_NS and now_ns - self._shown_ns < HURRY_NS:
            wait_ms = HURRY_MS
        if port is not None and port.held:
            wait_ms = 1  # as long as a board sleeps
        if self._dues:  # a pin changes, or did: be there right after the scan that sees it
            left_ms = -(-(self._dues[0] - now_ns) // NS_PER_MS)
            if left_ms <= 0:
                self._dues.popleft()
            wait_ms = max(0, min(wait_ms, left_ms))
        for descriptor, _ in self._waits.poll(wait_ms):
            if descriptor == self._watched and port is not None:
                port.ready = True
            else:
                self.service()
        if self._out:
            self.service()
        if self.loop_ms:
            real_sleep(self.loop_ms / 1000)

    def sleep(self, seconds: float) -> None:
        """`time.sleep` of a board: the idle wait for a short one, else real time with the channel served."""
        if seconds <= SHORT_SLEEP_S:
            self.idle()
            return
        end = real_ns() + int(seconds * NS_PER_S)
        while (left := end - real_ns()) > 0:
            self.service()
            real_sleep(min(left / NS_PER_S, 0.02))


rig = Rig()
