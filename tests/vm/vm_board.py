"""A simulated board on the second Python, for tests: started, pressed and pulled like any other.

`VmBoard` is a `SimulatedBoard` in all but its command, so whatever holds simulated boards can hold these.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from galley.sim import boards
from tests.board.playground import Watched

HERE = Path(__file__).resolve().parent
HAS_VM = importlib.util.find_spec("micropython_unix") is not None
needs_vm = pytest.mark.skipif(not HAS_VM, reason="needs micropython")


def on_the_vm(command: list[str]) -> list[str]:
    """The command of a simulated board, for the second Python instead."""
    options = command[command.index("--board") :]
    return [sys.executable, "-I", str(HERE / "launch.py"), *options]


class VmBoard(boards.SimulatedBoard):
    """One board on the second Python."""

    def _command(self, rig: int) -> list[str]:
        return on_the_vm(super()._command(rig))


class WatchedVmBoard(Watched):
    """One whose pixels, console and comings and goings can be awaited."""

    def _command(self, rig: int) -> list[str]:
        return on_the_vm(super()._command(rig))


def all_on_the_vm() -> None:
    """From now on every simulated board of this process is on the second Python."""
    replaced: Any = boards
    replaced.SimulatedBoard = VmBoard
