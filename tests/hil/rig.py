"""The rig's end at the tests: drive a pin, pulse several at once, see pins and pixels.

Three backends behind one class: a line of JSON each way over a serial port or TCP (`circuitpython/rig.py` has
the protocol), and the pins of simulated boards in this process. What a backend cannot do it says beforehand
(`can`, `sees_pixels`), so that a test skips with the name of what is missing.
"""

from __future__ import annotations

import asyncio
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from galley.connection import open_transport
from galley.sim.boards import SimulatedBoard
from galley.transport import Transport

Pin = tuple[str, int]
HELLO_S = 5.0
NS_PER_US = 1000
LINE_NS = 1_300_000  # between two changes of a pin, as if each order came over a serial line
AHEAD_NS = 10_000_000  # a simulated board that is late to hear of a press still has it at its own time


class Rig(ABC):
    """What presses keys and reads pins. `on_event` is called after each event from it."""

    def __init__(self, on_event: Callable[[], None]) -> None:
        self.levels: dict[Pin, int] = {}
        self.seen: list[tuple[int, Pin, int]] = []
        self.pixels: dict[str, bytes] = {}
        self.troubles: list[str] = []
        self._on_event = on_event

    def pin(self, board: str, pin: int, value: int | None) -> None:
        """Drive a pin of a board; None lets go."""
        self._order({"op": "pin", "board": board, "pin": pin, "value": value})

    def pulse(self, pins: Sequence[Pin], us: int) -> None:
        """Join these pins to GND at the same instant, for `us`."""
        self._order({"op": "pulse", "pins": [list(pin) for pin in pins], "us": us})

    def watch(self, board: str, pins: Iterable[int]) -> None:
        """Tell from now on what the board does with these pins: `levels`, and `seen` with every change."""
        self._order({"op": "watch", "board": board, "pins": list(pins)})

    @abstractmethod
    def can(self, board: str, pin: int) -> bool:
        """Whether that pin is joined to the rig."""

    @abstractmethod
    def sees_pixels(self, board: str) -> bool:
        """Whether the rig reads the data line of that board's pixels."""

    @abstractmethod
    def close(self) -> None:
        """Let everything go."""

    @abstractmethod
    def _order(self, order: dict[str, Any]) -> None:
        """Have this done."""

    def take(self, event: dict[str, Any]) -> None:
        """Note an event of the rig."""
        kind = event["ev"]
        if kind == "pin":
            pin = event["board"], event["pin"]
            self.levels[pin] = event["value"]
            self.seen.append((event["t_us"], pin, event["value"]))
        elif kind == "pixels":
            self.pixels[event["board"]] = bytes.fromhex(event["bytes"])
        elif kind == "error":
            self.troubles.append(event["text"])
        self._on_event()


class LineRig(Rig):
    """A rig at the other end of a stream."""

    def __init__(self, transport: Transport, on_event: Callable[[], None]) -> None:
        super().__init__(on_event)
        self._transport = transport
        self._in = b""
        self._joined: set[Pin] = set()
        self._watches_pixels: set[str] = set()
        self._known = asyncio.Event()
        transport.start(self._received, self._lost)

    async def greet(self) -> LineRig:
        """Ask what it is joined to. Raises TimeoutError when there is no rig."""
        self._order({"op": "hello"})
        async with asyncio.timeout(HELLO_S):
            await self._known.wait()
        return self

    def can(self, board: str, pin: int) -> bool:
        return (board, pin) in self._joined

    def sees_pixels(self, board: str) -> bool:
        return board in self._watches_pixels

    def close(self) -> None:
        self._transport.close()

    def _order(self, order: dict[str, Any]) -> None:
        self._transport.write(json.dumps(order).encode() + b"\n")

    def _received(self, data: bytes, now_ns: int) -> None:
        *lines, self._in = (self._in + data).split(b"\n")
        for line in lines:
            if not line.startswith(b"{"):  # what was left in the cable from before
                continue
            event = json.loads(line)
            if event["ev"] == "rig":
                self._joined = {(board, pin) for board, found in event["pins"].items() for pin in found}
                self._watches_pixels = set(event["pixels"])
                self._known.set()
            else:
                self.take(event)

    def _lost(self, why: str) -> None:
        self.take({"ev": "error", "text": f"the rig is gone: {why}"})


async def rig_at(path: str, on_event: Callable[[], None]) -> LineRig:
    """The rig at a serial port or tcp:HOST:PORT. Raises PortError or TimeoutError."""
    return await LineRig(await open_transport(path), on_event).greet()


class SimRig(Rig):
    """The pins of simulated boards, from the inside."""

    def __init__(self, on_event: Callable[[], None]) -> None:
        super().__init__(on_event)
        self._boards: dict[str, SimulatedBoard] = {}
        self._driven: dict[Pin, int] = {}
        self._changed_ns: dict[Pin, int] = {}
        self._watched: dict[str, set[int]] = {}

    def join(self, board: SimulatedBoard) -> None:
        """Put a board's pins on the rig; before it is plugged in."""
        self._boards[board.role] = board
        self._watched[board.role] = set()
        board.rigging = Wires(self, board.role)

    def show(self, board: str, rgb: bytes) -> None:
        """A frame of pixels was written."""
        self.take({"ev": "pixels", "board": board, "bytes": rgb.hex()})

    def can(self, board: str, pin: int) -> bool:
        return board in self._boards

    def sees_pixels(self, board: str) -> bool:
        return board in self._boards

    def close(self) -> None:
        self._boards.clear()

    def wiring(self, board: str) -> list[dict[str, Any]]:
        """What a board that is plugged in finds at its pins."""
        driven = [{"op": "pin", "pin": p, "value": v} for (b, p), v in self._driven.items() if b == board]
        return [{"op": "watch", "pins": sorted(self._watched[board])}, *driven]

    def heard(self, board: str, event: dict[str, Any]) -> None:
        """The firmware drives a pin; a duty counts as 1, as a spare Pico sees it."""
        if event["ev"] not in ("pin", "pwm"):
            return
        value = int(bool(event["value"] if event["ev"] == "pin" else event["duty"]))
        if self.levels.get((board, event["pin"]), 0) != value:
            self.take({**event, "ev": "pin", "value": value})

    def _order(self, order: dict[str, Any]) -> None:
        at_ns = time.monotonic_ns() + AHEAD_NS
        if order["op"] == "pin":
            pin = order["board"], order["pin"]
            at_ns = max(at_ns, self._changed_ns.get(pin, 0) + LINE_NS)
            self._changed_ns[pin] = at_ns
            self._drive(pin, order["value"], at_ns)
        elif order["op"] == "pulse":
            pins = [(board, pin) for board, pin in order["pins"]]
            for pin in pins:
                self._drive(pin, 0, at_ns)
            let_go = asyncio.get_running_loop().call_later
            let_go(order["us"] / 1e6, self._let_go, pins, at_ns + order["us"] * NS_PER_US)
        else:
            self._watched[order["board"]].update(order["pins"])
            self._boards[order["board"]].send({"op": "watch", "pins": order["pins"]})

    def _let_go(self, pins: list[Pin], at_ns: int) -> None:
        for pin in pins:
            self._drive(pin, None, at_ns)

    def _drive(self, pin: Pin, value: int | None, at_ns: int) -> None:
        if value is None:
            self._driven.pop(pin, None)
        else:
            self._driven[pin] = value
        board = self._boards.get(pin[0])
        if board is not None:
            board.send({"op": "pin", "pin": pin[1], "value": value, "at_ns": at_ns})


class Wires:
    """One board's wires on a SimRig: `galley.sim.boards.Rigging`."""

    def __init__(self, rig: SimRig, board: str) -> None:
        self._rig = rig
        self._board = board

    def wiring(self) -> list[dict[str, Any]]:
        """What a board that has just been plugged in must be told."""
        return self._rig.wiring(self._board)

    def heard(self, event: dict[str, Any]) -> None:
        """What the firmware does with its pins."""
        self._rig.heard(self._board, event)

    def unplugged(self) -> None:
        """The board has no power any more: its outputs are low."""
        for pin in [pin for pin, level in self._rig.levels.items() if level and pin[0] == self._board]:
            t_us = time.monotonic_ns() // NS_PER_US
            self._rig.take({"ev": "pin", "board": pin[0], "pin": pin[1], "value": 0, "t_us": t_us})
