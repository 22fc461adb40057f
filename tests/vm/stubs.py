"""`circuitpython-stubs` for one board, in a copy: what it installs is shared by the whole environment.

`copied` does what `circuitpython_setboard` does, but elsewhere, and says what is certain on our two boards.
"""

from __future__ import annotations

import re
import shutil
from importlib.metadata import distribution
from pathlib import Path

BOARDS = ("raspberry_pi_pico", "raspberry_pi_pico2")
TYPING = "circuitpython_typing"
MODULES = (
    "adafruit_pixelbuf", "board", "busio", "digitalio", "keypad", "microcontroller", "neopixel_write", "nvm",
    "pwmio", "rp2pio", "storage", "supervisor", "traceback", "usb_cdc", "watchdog",
)  # fmt: skip


def stub_of(module: str) -> Path:
    """Where the stub of a board's module is installed."""
    return Path(str(distribution("circuitpython-stubs").locate_file(f"{module}-stubs/__init__.pyi")))


def definition_of(board: str) -> Path:
    """Where the pins and the list of modules of a board are."""
    return stub_of("board").parents[1] / "board_definitions" / board / "__init__.pyi"


def text_of(module: str) -> str:
    """A module's stub as it is meant for the Picos.

    Both have non-volatile bytes and a watchdog, as their definitions say, so neither is None there. And
    `print_exception` takes an exception alone, as its own description says.
    """
    text = stub_of(module).read_text(encoding="utf-8")
    if module == "microcontroller":
        text = re.sub(r"^(nvm|watchdog): Optional\[(\w+)\]", r"\1: \2", text, flags=re.MULTILINE)
    if module == "traceback":
        text = text.replace("    value: BaseException,\n", "    value: Optional[BaseException] = None,\n")
    return text


def copied(folder: Path, board: str) -> None:
    """Lay the stubs for `board` into `folder`; again with another board changes only that."""
    for module in MODULES:
        (folder / module).mkdir(exist_ok=True)
        source = definition_of(board).read_text(encoding="utf-8") if module == "board" else text_of(module)
        (folder / module / "__init__.pyi").write_text(source, encoding="utf-8")
    shutil.copytree(stub_of("board").parents[1] / TYPING, folder / TYPING, dirs_exist_ok=True)
