"""Simulated boards in a process of their own, their rig at a TCP port: what `--hil` meets with real boards.

    python -m tests.hil.sim_table

It prints the options for pytest in one line, and stays until its input ends. Each board's port keeps its name
when the board is started anew, as a USB port does. One program at a time may use the rig.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from galley.sim.boards import SimulatedBoard
from galley_board import pins
from tests.hil.rig import SimRig
from tests.hil.table import REPLUG_S, ROLES

READ_BYTES = 65536


class Server(SimRig):
    """A SimRig that takes its orders from a stream, and tells it everything."""

    def __init__(self) -> None:
        super().__init__(lambda: None)
        self._to: asyncio.StreamWriter | None = None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Obey one program until it goes."""
        self._to = writer
        while line := await reader.readline():
            order = json.loads(line)
            if order["op"] == "hello":
                self._tell({"ev": "rig", "pins": _every_pin(), "pixels": list(ROLES)})
            else:
                self._order(order)
        self._to = None
        writer.close()

    def take(self, event: dict[str, Any]) -> None:
        """Note an event, and pass it on."""
        super().take(event)
        self._tell(event)

    def _tell(self, event: dict[str, Any]) -> None:
        if self._to is not None:
            self._to.write(json.dumps(event).encode() + b"\n")


def _every_pin() -> dict[str, list[int]]:
    found = {}
    for role in ROLES:
        which = pins.BOARD_OF_ROLE[role]
        named = [pin for _, pin in pins.KEYS[which]] + [pin for _, pin in pins.DEVICES[which]]
        found[role] = [int(pin.removeprefix("GP")) for pin in named]
    return found


async def main(folder: Path) -> None:
    """Start, say where, stay; `folder` is for the boards' ports."""
    rig = Server()
    boards: dict[str, SimulatedBoard] = {}

    def moved(role: str) -> None:
        link = folder / role
        link.unlink(missing_ok=True)
        if (path := boards[role].port) is not None:
            link.symlink_to(path)

    for role in ROLES:
        boards[role] = SimulatedBoard(role, rig.show, on_change=moved, replug_s=REPLUG_S)
    for board in boards.values():
        rig.join(board)
    await asyncio.gather(*(board.start() for board in boards.values()))
    server = await asyncio.start_server(rig.serve, "127.0.0.1", 0, limit=READ_BYTES)
    port = server.sockets[0].getsockname()[1]
    places = ",".join(f"{role}={folder / role}" for role in boards)
    print(f"--hil {places} --rig tcp:127.0.0.1:{port}", flush=True)
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin, ended.set)
    await ended.wait()
    server.close()
    await asyncio.gather(*(board.stop() for board in boards.values()))


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        asyncio.run(main(Path(folder)))
