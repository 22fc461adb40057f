"""What the firmware costs on the second Python: its imports, the heap it starts and plays in, every turn.

This VM has words of 64 bits, a board of 32. FACTOR was measured once, with MicroPython's build for
WebAssembly, which has words of 32 bits: of the same files (without docstrings, which it keeps and a board
does not) it kept 0.677 of the bytes that this VM keeps. Pointers, small objects and blocks of the heap are
half as large there; bytecode and names are not.

What cannot be seen here: an integer beyond 30 bits is an object on a board and takes memory, and is none
here. `test_small_integers` looks for those.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache

import pytest

from tests.board.workbench import FIRMWARE
from tests.vm.launch import BOARD_HEAP, FACTOR, INSIDE, search_path
from tests.vm.vm_board import HAS_VM

if not HAS_VM:
    pytest.skip("needs micropython", allow_module_level=True)

BUDGET = 90_000
TURNS = 3000
HEAP = 384 * 1024
ROM = 56 * 1024  # what lies on this heap and is in a board's ROM: the stand-ins
TURNS_A_S = 1000
FRAME_BYTES = 400  # that one frame may cost here: a view of the buffer, a slice, a sum

HAPPENINGS = [
    ("left", "live"),
    ("left", "probes"),
    ("left", "edges"),
    ("left", "faces"),
    ("left", "silent"),
    ("right", "live"),
    ("deck", "live"),
    ("deck", "eye"),
]


@cache
def measured(*arguments: str, heap: int = HEAP) -> dict[str, int]:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "micropython_unix",
            "-X",
            f"heapsize={heap}",
            str(INSIDE / "measure.py"),
            *arguments,
        ],
        env={**os.environ, "MICROPYPATH": search_path(str(FIRMWARE))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and done.stdout.endswith("}\n"), done.stdout + done.stderr
    found: dict[str, int] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_the_whole_firmware_imports_in_90_kb_of_a_board_s_heap() -> None:
    kept = measured("imports")["imports"]
    print(f"imports keep {kept} bytes here, about {kept * FACTOR:.0f} on a board")
    assert kept * FACTOR < BUDGET


def test_it_compiles_in_what_is_free_on_a_board() -> None:
    found = measured("imports", heap=int(BOARD_HEAP / FACTOR) + ROM)
    assert found["rom"] <= ROM


@pytest.mark.parametrize("role, happening", HAPPENINGS)
def test_a_quiet_turn_allocates_nothing(role: str, happening: str) -> None:
    for _ in range(3):  # an edge that comes in the middle of a quiet turn makes one that is not
        found = measured(role, happening, str(TURNS))
        assert found["faults"] == 0
        assert found["quiet"] > TURNS * 0.9
        if not found["quiet_bytes"]:
            break
    assert (found["quiet_bytes"], found["worst_quiet"]) == (0, 0)


@pytest.mark.parametrize("role, happening", HAPPENINGS)
def test_what_is_sent_and_heard_costs_little(role: str, happening: str) -> None:
    found = measured(role, happening, str(TURNS))
    a_second = found["busy_bytes"] * TURNS_A_S // TURNS
    print(f"{role} {happening}: {a_second} bytes a second, {found['worst_busy']} in the worst turn")
    assert found["busy"] > 0
    assert found["busy_bytes"] <= found["busy"] * FRAME_BYTES
    # what a second leaves to be collected is far less than what is free
    assert a_second < BOARD_HEAP // 8


def test_collections_come_once_a_second() -> None:
    assert measured("left", "live", str(TURNS))["collections"] in (TURNS // TURNS_A_S, TURNS // TURNS_A_S - 1)
