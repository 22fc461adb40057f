"""The turn that every board makes, about a thousand times a second.

For: carrying bytes, edges, codes and time between the port, the keys, the works, the link and the pixels. It
must not know a role or a pin: `station` and `deck` hand it what it needs.

A turn does one thing that takes long: it obeys one frame of the host, or reads a few key events, and says
what is due; or it works at the pixels. Frames and keys take turns, and so do both with the pixels. Beside
that each turn lets the works move and look, sounds, and feeds the watchdog; then the board sleeps a
millisecond, unless something is unfinished. The port's time-outs are 0, and a write that takes too little is
taken up later. The steady turn allocates nothing; garbage is collected at quiet moments, and how long that
took is reported.

When the host has been silent for DARK_MS the outputs go dark, the buzzer and the motors stop, and one dim
pixel pulses slowly: white while it waits for the host, orange when a person must mend something first.
"""

import gc
import time

import supervisor

from galley_board import faults, pixels, ticks
from galley_board.keys import CHATTER, STUCK
from galley_board.link import since_ms

TYPE_CHECKING = False  # a board has no typing module; type checkers take it for true
if TYPE_CHECKING:
    from galley_board.buzzer import Buzzer
    from galley_board.hardware_types import Port, Powered, Watchdog, Works
    from galley_board.keys import Keys
    from galley_board.link import BoardLink


READ_BYTES = 64
DARK_MS = 2000
POLL_MS = 4  # the link has nothing due more often, but what happened is always sent at once
QUIET_MS = 1000
OVERDUE_MS = 3000
ROLE_FAULTS = faults.ROLE_UNKNOWN | faults.ROLE_STRAP
WIRING_FAULTS = faults.PIN_MISSING | faults.PIXELS_MISSING
_US_MASK = 0x3FFFFFF


def ticks_us() -> int:
    """Microseconds modulo 2**26, on the same base as `supervisor.ticks_ms()`."""
    return (time.monotonic_ns() // 1000) & _US_MASK


class Loop:
    """One board at work; `start.assemble` puts it together.

    `board_faults` are those found while it started. `most_ma` are the ceilings of the lit current
    without and with power at the 5 V inlet.
    """

    def __init__(
        self,
        port: "Port",
        link: "BoardLink",
        keys: "Keys",
        renderer: "pixels.Renderer",
        buzzer: "Buzzer",
        watchdog: "Watchdog",
        hardware: "Powered",
        board_faults: int,
        most_ma: "tuple[int, int]",
        works: "Works",
    ) -> None:
        now_ms = supervisor.ticks_ms()
        self.link = link
        self.keys = keys
        self.renderer = renderer
        self._port = port
        self._buzzer = buzzer
        self._watchdog = watchdog
        self._hardware = hardware
        self._board_faults = board_faults
        self._most_ma = most_ma
        self._works = works
        self._read = bytearray(READ_BYTES)
        self._at = 0  # what was read is obeyed up to here
        self._end = 0
        self._read_us = 0
        self._start_us = 0
        self._out = memoryview(link.out)
        self._buzzed = link.buzz_version
        self._keys_version = -1
        self._works_version = -1
        self._polled_ms = now_ms
        self._keys_first = False
        self._told = False  # there is an edge to say, or more than a turn can
        self._light_next = False  # the last turn heard or said something, so this one is for the pixels
        self._collected_ms = now_ms
        self._refused = bool(board_faults & ROLE_FAULTS)
        self._silent_sign = pixels.SIGN_FAULT if board_faults & WIRING_FAULTS else pixels.SIGN_WAITING
        self._report_keys()
        self._place()

    @property
    def unfinished(self) -> bool:
        """Whether the next turn goes on with what this one left."""
        if self._told or self._at < self._end or self.renderer.drawing:
            return True
        return self._light_next and self.renderer.waits(self.link.outputs_version)

    def turn(self) -> None:
        """A bit of everything, and nothing that waits."""
        now_ms = supervisor.ticks_ms()
        link = self.link
        lights = self._light_next and self.renderer.waits(link.outputs_version)
        self._light_next = False
        beats = not lights and link.beats(now_ms)
        start_us = -1
        if not (lights or beats) and self._listen(now_ms):
            self._told = True
            start_us = self._start_us
        silent = link.host_silent_ms(now_ms) >= DARK_MS
        leave = not (self._refused or silent)
        if self._works.poll(now_ms, link, leave):
            self._told = True
        if self.keys.version != self._keys_version or self._works.version != self._works_version:
            self._report_keys()
        link.bitmap = self.keys.bitmap | self._works.bitmap
        busy = self._told or beats
        if not lights and (busy or link.asked or not 0 <= since_ms(now_ms, self._polled_ms) < POLL_MS):
            self._polled_ms = now_ms
            self._told = False
            self._light_next = busy
            if not self._port.connected:
                # nobody reads: what is written now would be the stale bytes of the next open
                link.written(link.out_len, now_ms)
            elif link.due(now_ms):
                now_us = ticks_us()
                if start_us < 0:
                    start_us = now_us
                self._light_next = True
                self._send(now_ms, now_us)
                self._told = link.unsaid
        if self._show(now_ms, silent):
            busy = True
        self._watchdog.feed()
        if start_us >= 0:
            link.loop_us = max(link.loop_us, (ticks_us() - start_us) & _US_MASK)
        else:
            took_ms = since_ms(supervisor.ticks_ms(), now_ms)  # to the millisecond, without allocating
            link.loop_us = max(link.loop_us, took_ms * 1000 if took_ms > 1 else 0)
        self._collect(now_ms, busy)

    def _listen(self, now_ms: int) -> bool:
        """Obey a frame or read keys, in turns; whether there was any."""
        keys_first = self._keys_first
        self._keys_first = False
        self._start_us = -1
        if keys_first and (self._read_keys(now_ms) or self.link.asked):
            return True  # more probes would put off the answer to those that wait
        if self._take_bytes(now_ms):
            self._keys_first = True
            return True
        return not keys_first and self._read_keys(now_ms)

    def _read_keys(self, now_ms: int) -> bool:
        told = self.keys.poll(now_ms, self.link)
        self.link.complete = not self.keys.more
        return told

    def _take_bytes(self, now_ms: int) -> bool:
        """Obey the next frame of those that were read, or else that can be read."""
        if self._at == self._end and not self._port.in_waiting:
            return False
        self._start_us = ticks_us()
        self.link.complete = False
        if self._at == self._end:
            self._read_us = self._start_us
            self._at = 0
            self._end = self._port.readinto(self._read) or 0
        self._at = self.link.take(self._read, self._at, self._end, now_ms, self._read_us)
        return True

    def _send(self, now_ms: int, now_us: int) -> None:
        link = self.link
        link.poll(now_ms, now_us)
        if link.out_len:
            link.written(self._port.write(self._out[: link.out_len]) or 0, now_ms)

    def _show(self, now_ms: int, silent: bool) -> bool:
        link = self.link
        sign = 0
        if self._refused:
            sign = pixels.SIGN_FAULT
        elif silent:
            sign = self._silent_sign
        if sign:
            self._buzzer.stop()
            self._buzzed = link.buzz_version
        elif link.buzz_version != self._buzzed:
            self._buzzed = link.buzz_version
            self._buzzer.start(link.buzz_hz, link.buzz_ms, now_ms)
        self._buzzer.poll(now_ms)
        if self._light_next:
            return False
        return self.renderer.draw(
            link.dice,
            link.lamps,
            link.deck,
            link.outputs_version,
            link.budget_ma,
            link.brightness,
            sign,
            now_ms,
        )

    def _report_keys(self) -> None:
        """Bring the keys' troubles into the faults."""
        found = self._board_faults | self._works.faults
        self._keys_version = self.keys.version
        self._works_version = self._works.version
        if self._works.fault_key >= 0:
            found = faults.with_key(found, self._works.fault_key)
        if self.keys.overflowed:
            found |= faults.KEY_OVERFLOW
        self.link.overflow = self.keys.overflows
        number = self.keys.first_blocked(CHATTER)
        if number >= 0:
            found = faults.with_key(found | faults.KEY_MUTED, number)
        number = self.keys.first_blocked(STUCK)
        if number >= 0:
            found = faults.with_key(found | faults.KEY_STUCK, number)
        self.link.faults = found

    def _place(self) -> None:
        """Keep the keys told where ticks_ms stands, so that their stamps are told with their ticks."""
        ticks_ms = supervisor.ticks_ms()
        self.keys.placed(ticks_ms, ticks.place(ticks_ms, time.monotonic_ns() // 1_000_000))

    def _collect(self, now_ms: int, busy: bool) -> None:
        since = since_ms(now_ms, self._collected_ms)
        if 0 <= since < QUIET_MS or (busy and 0 <= since < OVERDUE_MS):
            return
        self._collected_ms = now_ms
        self._place()
        start_us = ticks_us()
        gc.collect()
        self.link.gc_us = max(self.link.gc_us, (ticks_us() - start_us) & _US_MASK)
        free = getattr(gc, "mem_free", None)  # CPython's gc has none
        self.link.heap = free() if free is not None else 0
        self.renderer.most_ma = self._most_ma[1 if self._hardware.external_power() else 0]
