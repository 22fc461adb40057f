"""The boards' files against what CircuitPython says of its modules, its names and types, on both Picos."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.board.workbench import FIRMWARE, LIB, ROOT
from tests.vm.stubs import BOARDS, MODULES, TYPING, copied, definition_of

FILES = (*sorted(FIRMWARE.glob("*.py")), LIB / "galley_board")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the stubs and what mypy remembers lie; the second board needs only what differs."""
    return tmp_path_factory.mktemp("stubs")


@pytest.mark.parametrize("board", BOARDS)
def test_the_firmware_keeps_to_the_types_of_the_board(board: str, folder: Path) -> None:
    copied(folder, board)
    found = mypy(folder, *FILES)
    assert found == ""


@pytest.mark.parametrize("board", BOARDS)
def test_the_board_has_what_is_said_of_it(board: str) -> None:
    text = definition_of(board).read_text(encoding="utf-8")
    assert "NVM size: 4096" in text
    (listed,) = (line for line in text.splitlines() if "Included modules" in line)
    modules = {name.strip() for name in listed.partition(":")[2].split(",")}
    assert set(MODULES) <= modules


def test_a_file_that_breaks_them_is_found(folder: Path, tmp_path: Path) -> None:
    copied(folder, BOARDS[0])
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "import board\nimport keypad\nimport microcontroller\n\n"
        "keys = keypad.Keys([board.GP99], interval=1)\nmicrocontroller.watchdog.deinit()\n",
        encoding="utf-8",
    )
    found = mypy(folder, wrong)
    assert 'no attribute "GP99"' in found
    assert 'Missing named argument "value_when_pressed"' in found
    assert 'no attribute "deinit"' in found


def mypy(folder: Path, *files: Path) -> str:
    """What mypy says, with the stubs in place of the stand-ins; "" when it is content."""
    config = folder / "mypy.ini"
    ours = f"[mypy]\nstrict = True\nexplicit_package_bases = True\nmypy_path = {folder}:{LIB}\n"
    theirs = "".join(f"[mypy-{name}.*]\nignore_errors = True\n" for name in (*MODULES, TYPING, "neopixel"))
    config.write_text(ours + theirs + "[mypy-mipicsi]\nignore_missing_imports = True\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", str(folder / "cache"),
         "--config-file", str(config), *map(str, files)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    return done.stdout + done.stderr
