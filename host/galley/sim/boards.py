"""Simulated boards as the host's side sees them: start, press, unplug, plug in again.

For: everything that a hand would do to a board on the table. It must not read the port: the host opens
a simulated board's `port` like any other, and cannot tell the difference.

Each board is a child process (`child.py`). A socket carries pin changes to it and its pixels back; a
pipe is its life line: when this process goes, however it goes, the kernel ends the child. All of it
runs on the event loop, without a thread.

A child that ends by itself was hung, crashed or reset: it is plugged in again after `replug_s` with a
new boot, or soon when the firmware asked for the reset. Keys stay down through all that.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

from galley.sim.knobs import Knobs
from galley_board import pins

REPLUG_S = 3.0
RESET_S = 0.5
START_S = 10.0
REAP_S = 0.01
EXIT_RESET = 75
READ_BYTES = 65536

OnPixels = Callable[[str, bytes], None]
OnConsole = Callable[[str, str], None]
OnChange = Callable[[str], None]


class SimulationError(Exception):
    """A simulated board could not be started; the message says what was seen and what to do."""


class Rigging(Protocol):
    """What a board's pins are joined to: `deck_rig.SimDeck`. Messages as in `standins/rig.py`."""

    def wiring(self) -> list[dict[str, Any]]:
        """What a board that has just been plugged in must be told."""

    def heard(self, event: dict[str, Any]) -> None:
        """What the firmware does with its pins."""

    def unplugged(self) -> None:
        """The board has no power any more."""


def firmware_folder() -> Path:
    """The folder with boot.py, code.py and lib: the checkout's, else the one inside the package."""
    package = Path(__file__).resolve().parents[1]
    places = (package.parents[1] / "circuitpython", package / "circuitpython")
    for place in places:
        if (place / "code.py").is_file():
            return place
    raise SimulationError(
        f"no firmware in {' or '.join(str(place) for place in places)}: run from a checkout, or install anew"
    )


def _dies_with_us(pid: int, life: int) -> None:
    """Have the kernel kill a child, even a stopped one, when the pipe's other end, which is ours, closes.

    The child holds this end open too, and never reads it. Where the signal cannot be chosen (macOS), it
    is SIGIO, which ends a process as well, but not a stopped one.
    """
    fcntl.fcntl(life, fcntl.F_SETOWN, pid)
    if hasattr(fcntl, "F_SETSIG"):
        fcntl.fcntl(life, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(life, fcntl.F_SETFL, fcntl.fcntl(life, fcntl.F_GETFL) | os.O_ASYNC)


def pin_of(role: str, key: int) -> int:
    """The GP number of a role's key. Raises ValueError for a key that the board has not."""
    keys = pins.KEYS[pins.BOARD_OF_ROLE[role]]
    if not 0 <= key < len(keys):
        raise ValueError(f"{role} has no key {key}: use 0 to {len(keys) - 1}")
    return int(keys[key][1].removeprefix("GP"))


class SimulatedBoard:
    """One board on the simulated table. `port` is None until it has started, and while it is unplugged.

    `on_pixels(role, rgb)` gets every frame its firmware wrote, three bytes a pixel; `on_console(role,
    line)` what it printed; `on_change(role)` is called when `port`, `pid` or `exit_status` changed.
    """

    def __init__(
        self,
        role: str,
        on_pixels: OnPixels | None = None,
        on_console: OnConsole | None = None,
        on_change: OnChange | None = None,
        replug_s: float = REPLUG_S,
        knobs: Knobs | None = None,
    ) -> None:
        self.role = role
        self.replug_s = replug_s
        self.knobs = knobs or Knobs()
        self.port: str | None = None
        self.starts = 0
        self.exit_status: int | None = None
        self.rigging: Rigging | None = None
        self._on_pixels = on_pixels
        self._pixels_watched = True
        self._on_console = on_console
        self._on_change = on_change
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._life = -1
        self._in = b""
        self._held: set[int] = set()
        self._settled = asyncio.Event()  # the port is there, or the child ended without one
        self._timer: asyncio.TimerHandle | None = None
        self._dead: list[subprocess.Popen[bytes]] = []
        self._reset_reason = "POWER_ON"

    @property
    def pid(self) -> int | None:
        """The child's process number while it is plugged in."""
        return None if self._process is None else self._process.pid

    @property
    def plugged(self) -> bool:
        """Whether a child runs now."""
        return self._process is not None

    async def start(self) -> None:
        """Plug the board in and wait until its port is there. Raises SimulationError."""
        self.plug()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(START_S):
                while self.plugged and self.port is None and self.exit_status is None:
                    await self._settled.wait()  # a hand that unplugs wakes it too
        if self.port is None and (self.plugged or self.exit_status is not None):
            seen = f"no port within {START_S:.0f} s" if self.exit_status is None else "its process ended"
            self.unplug()
            raise SimulationError(f"simulated board {self.role} did not start: {seen}; start again")

    def plug(self) -> None:
        """Plug the board in; its port comes a moment later. Does nothing when it is plugged in.

        Raises SimulationError.
        """
        if self._process is not None:
            return
        self._cancel_timer()
        self._settled.clear()
        try:
            self._begin()
        except OSError as error:
            raise SimulationError(f"simulated board {self.role} cannot start: {error}") from error
        self._in = b""
        if not self._pixels_watched:
            self.watch_pixels(False)
        self.wire()
        self.starts += 1
        self.exit_status = None
        self._changed()

    def _begin(self) -> None:
        """Make the child, its channel and its life line: all of them, or none and OSError."""
        with contextlib.ExitStack() as on_failure, contextlib.ExitStack() as the_childs:
            here, there = socket.socketpair()
            on_failure.callback(here.close)
            the_childs.callback(there.close)
            life_there, life = os.pipe()
            on_failure.callback(os.close, life)
            the_childs.callback(os.close, life_there)
            here.setblocking(False)
            process = subprocess.Popen(
                self._command(there.fileno()),
                stdin=subprocess.DEVNULL,
                pass_fds=(there.fileno(), life_there),
            )
            on_failure.callback(process.kill)
            _dies_with_us(process.pid, life_there)
            asyncio.get_running_loop().add_reader(here, self._readable)
            on_failure.pop_all()
        self._process, self._channel, self._life = process, here, life

    def replug(self) -> None:
        """Plug the board in, now or as soon as that goes: out of processes or descriptors it may not."""
        try:
            self.plug()
        except SimulationError:
            self._timer = asyncio.get_running_loop().call_later(self.replug_s, self.replug)

    def unplug(self) -> None:
        """Pull the plug: the child is killed, and stays away until `plug`."""
        self._cancel_timer()
        self._reset_reason = "POWER_ON"
        if self._process is not None:
            self._process.kill()
            self._gone()
            self._settled.set()

    async def stop(self) -> None:
        """Unplug, and wait until no process is left."""
        self.unplug()
        while self._dead:
            self._reap()
            if self._dead:
                await asyncio.sleep(REAP_S)

    def press(self, key: int, down: bool, at_ns: int | None = None) -> None:
        """Press or let go a key. It also holds while the board is unplugged or starts.

        `at_ns` is when the hand does it, by this machine's monotonic clock: now unless given. Presses of
        one board must be given in order; some milliseconds ahead is fine, so that gaps can be exact.
        """
        pin = pin_of(self.role, key)
        (self._held.add if down else self._held.discard)(pin)
        at_ns = time.monotonic_ns() if at_ns is None else at_ns
        self.send({"op": "pin", "pin": pin, "value": 0 if down else None, "at_ns": at_ns})

    def bounce(self, key: int, edges: int, every_us: int = 2000, at_ns: int | None = None) -> None:
        """Let a key's contacts bounce: so many edges, the first is a press; an even number ends released."""
        at_ns = time.monotonic_ns() if at_ns is None else at_ns
        for edge in range(edges):
            self.press(key, edge % 2 == 0, at_ns + edge * every_us * 1000)

    def gc_pause(self, ms: float, at_ns: int | None = None) -> None:
        """Make the first collection of garbage from `at_ns` (now) on take `ms`; keys are scanned on."""
        self._befall("gc_pause", at_ns, ms=ms)

    def scan_skip(self, pixels: int, at_ns: int | None = None) -> None:
        """Leave out the scans of the keys from `at_ns` (now) on, for the time that so many pixels take."""
        self._befall("scan_skip", at_ns, pixels=pixels)

    def _befall(self, trouble: str, at_ns: int | None, **how: float) -> None:
        self.send({"op": trouble, "at_ns": time.monotonic_ns() if at_ns is None else at_ns, **how})

    def watch_pixels(self, watched: bool) -> None:
        """Have every frame of pixels told, the present one at once; or none, while nobody looks."""
        self._pixels_watched = watched
        self.send({"op": "watch_pixels", "watched": watched})

    def wire(self) -> None:
        """Join the pins to what is around them, if anything is."""
        if self.rigging is not None:
            for message in self.rigging.wiring():
                self.send(message)

    def send(self, message: dict[str, Any]) -> None:
        """Have something happen at the pins; nothing happens while the board is unplugged."""
        if self._channel is None:
            return
        with contextlib.suppress(OSError):  # a child that hangs or has just died feels nothing
            self._channel.send(json.dumps({"board": self.role, **message}).encode() + b"\n")

    def _command(self, rig: int) -> list[str]:
        options = ["--board", self.role, "--rig", str(rig)]
        options += ["--firmware", str(firmware_folder()), "--set", f"GALLEY_ROLE={self.role}"]
        options += ["--reset-reason", self._reset_reason]
        grounded = set(self._held)
        if self.role == "right":
            grounded.add(int(pins.SIDE_PIN.removeprefix("GP")))
        if self.role == "deck":  # its lid is closed
            grounded.add(int(pins.device_pin(pins.DECK, "GUARD").removeprefix("GP")))
        for pin in sorted(grounded):
            options += ["--ground", str(pin)]
        child = Path(__file__).with_name("child.py")
        return [sys.executable, "-I", "-S", str(child), *options, *self.knobs.arguments(self.starts)]

    # -- what comes back -----------------------------------------------------------------------

    def _readable(self) -> None:
        assert self._channel is not None
        try:
            data = self._channel.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._ended()
            return
        *lines, self._in = (self._in + data).split(b"\n")
        for line in lines:
            self._heard(json.loads(line))

    def _heard(self, event: dict[str, Any]) -> None:
        kind = event["ev"]
        if kind == "pixels" and self._on_pixels is not None:
            self._on_pixels(self.role, bytes.fromhex(event["bytes"]))
        elif kind == "console" and self._on_console is not None:
            self._on_console(self.role, event["text"])
        elif kind == "ready":
            self.port = event["port"]
            self._settled.set()
            self._changed()
        elif self.rigging is not None:
            self.rigging.heard(event)

    def _ended(self) -> None:
        """The child is gone without being asked: see how it ended, and plug it in again later."""
        process = self._gone()
        process.kill()  # does nothing to one that is already ending
        self._see_end(process)

    def _see_end(self, process: subprocess.Popen[bytes]) -> None:
        loop = asyncio.get_running_loop()
        status = process.poll()
        if status is None:
            self._timer = loop.call_later(REAP_S, self._see_end, process)
            return
        self.exit_status = status
        self._settled.set()
        self._changed()
        self._reset_reason = "WATCHDOG" if status == -signal.SIGALRM else "POWER_ON"
        self._timer = loop.call_later(RESET_S if status == EXIT_RESET else self.replug_s, self.replug)

    def _gone(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        assert self._channel is not None
        process, self._process = self._process, None
        asyncio.get_running_loop().remove_reader(self._channel)
        self._channel.close()
        self._channel = None
        os.close(self._life)
        self._life = -1
        self.port = None
        if self.rigging is not None:
            self.rigging.unplugged()
        self._dead.append(process)
        self._reap()
        self._changed()
        return process

    def _reap(self) -> None:
        self._dead = [process for process in self._dead if process.poll() is None]
        if self._dead:
            asyncio.get_running_loop().call_later(REAP_S, self._reap)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _changed(self) -> None:
        if self._on_change is not None:
            self._on_change(self.role)


class SimulatedBox:
    """The simulated boards of one box, by role."""

    def __init__(
        self,
        roles: Iterable[str],
        on_pixels: OnPixels | None = None,
        on_console: OnConsole | None = None,
        on_change: OnChange | None = None,
        replug_s: float = REPLUG_S,
        knobs: Knobs | None = None,
    ) -> None:
        self.boards = {
            role: SimulatedBoard(role, on_pixels, on_console, on_change, replug_s, knobs) for role in roles
        }

    async def start(self) -> None:
        """Start all boards at once. Raises SimulationError, after stopping those that did start."""
        try:
            await asyncio.gather(*(board.start() for board in self.boards.values()))
        except SimulationError:
            await self.stop()
            raise

    def watch_pixels(self, watched: bool) -> None:
        """Have the pixels of all boards told, or none."""
        for board in self.boards.values():
            board.watch_pixels(watched)

    async def stop(self) -> None:
        """Unplug all boards and wait until no process is left."""
        await asyncio.gather(*(board.stop() for board in self.boards.values()))
