"""A Raspberry Pi made to look like a board: CircuitPython's modules put in place, then `code.py` runs.

For: `galley board`. It must not know a rule, a role's parts or a frame: all that is in the firmware.

`os.getenv` answers what settings.toml would on a board (`wiring`), and `microcontroller` gets what Blinka's
lacks: the non-volatile bytes in a file, the reason of this start, a watchdog, and a reset, which starts this
process anew. Outputs are released by the kernel when the process ends, however it ends.
"""

from __future__ import annotations

import gc
import importlib
import os
import runpy
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NoReturn

from galley.pi import storage, supervisor, usb_cdc, watchdog
from galley.pi.wiring import Value
from galley.sim.boards import firmware_folder

OURS: Final[Mapping[str, ModuleType]] = {
    "storage": storage,
    "supervisor": supervisor,
    "usb_cdc": usb_cdc,
    "watchdog": watchdog,
}
FROM_BLINKA: Final = ("board", "digitalio", "busio", "pwmio", "neopixel_write")
NVM_BYTES: Final = 4096
EXTRA: Final = ".venv/bin/pip install -e '.[pi]'"
STARTED_ANEW: Final = "GALLEY_STARTED_ANEW"


class NoMachine(Exception):
    """This machine cannot be a board; the message says why and what to do."""


class Nvm:
    """`microcontroller.nvm`: bytes that outlive this process, in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._bytes = bytearray(b"\xff" * NVM_BYTES)
        with suppress(FileNotFoundError):
            kept = path.read_bytes()[:NVM_BYTES]
            self._bytes[: len(kept)] = kept

    def __len__(self) -> int:
        return NVM_BYTES

    def __getitem__(self, index: Any) -> Any:
        return self._bytes[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._bytes[index] = value
        beside = self._path.with_suffix(".new")
        beside.write_bytes(self._bytes)
        beside.replace(self._path)


class ResetReason:
    """Why the board started."""

    POWER_ON = "POWER_ON"
    SOFTWARE = "SOFTWARE"
    WATCHDOG = "WATCHDOG"


class Processor:
    """`microcontroller.cpu`, as much of it as the firmware asks for."""

    def __init__(self, reason: str) -> None:
        self.reset_reason = reason


def blinka() -> dict[str, ModuleType]:
    """Blinka's modules by name. Raises NoMachine where it is not installed or does not know this machine."""
    os.environ.setdefault("BLINKA_SKIP_DEPENDENCY_CHECK", "1")  # it would offer to install things
    found: dict[str, ModuleType] = {}
    for name in (*FROM_BLINKA, "microcontroller"):
        try:
            found[name] = importlib.import_module(name)
        except ModuleNotFoundError as error:
            raise NoMachine(f"the library {error.name} is missing ({name}): {EXTRA}") from error
        except NotImplementedError as error:
            raise NoMachine(
                f"this machine is none that Blinka knows ({_one_line(error)}): run it on a Raspberry Pi, "
                "or set BLINKA_OS_AGNOSTIC=1 to try it without pins"
            ) from error
        except (RuntimeError, ImportError, OSError) as error:
            raise NoMachine(f"{name}: {_one_line(error)}") from error
    return found


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 200 else f"{text[:197]}..."


def become_a_board(settings: Mapping[str, Value], port: int, nvm: Path) -> usb_cdc.Serial:
    """Put CircuitPython's modules in place; the data port. Raises NoMachine."""
    machine: Any = blinka()["microcontroller"]
    try:
        nvm.parent.mkdir(parents=True, exist_ok=True)
        machine.nvm = Nvm(nvm)
    except OSError as error:
        raise NoMachine(f"{nvm}: {(error.strerror or str(error)).lower()}: name another --data") from error
    reason = ResetReason.SOFTWARE if os.environ.pop(STARTED_ANEW, "") else ResetReason.POWER_ON
    machine.cpu = Processor(reason)
    machine.ResetReason = ResetReason
    machine.watchdog = watchdog.WatchDogTimer()
    machine.reset = start_anew
    sys.modules.update(OURS)
    sys.modules["keypad"] = importlib.import_module("galley.pi.keypad")
    library = str(firmware_folder() / "lib")
    if library not in sys.path:
        sys.path.append(library)  # neopixel.py, where the package is not installed
    environment = os.getenv

    def getenv(key: str, default: Any = None) -> Any:
        return settings[key] if key in settings else environment(key, default)

    setattr(os, "getenv", getenv)  # noqa: B010 - a plain assignment is refused by type checkers
    try:
        return usb_cdc.open_data(port)
    except (OSError, OverflowError) as error:
        raise NoMachine(
            f"port {port} cannot be had ({_one_line(error)}): end what has it, or choose another with --port"
        ) from error


def start_anew() -> NoReturn:
    """`microcontroller.reset`: the same process from its beginning."""
    sys.stdout.flush()
    os.environ[STARTED_ANEW] = "1"
    os.execv(sys.executable, sys.orig_argv)


def run() -> None:
    """Run `code.py`, for ever."""
    gc.freeze()  # collections then look only at what the firmware makes, as on a board
    runpy.run_path(str(firmware_folder() / "code.py"), run_name="__main__")
