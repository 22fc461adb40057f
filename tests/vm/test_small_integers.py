"""Times and counters where small integers have 30 bits and a sign, as on a board.

A larger integer is right there too, but it is an object: it takes memory each time. So every sum that the
firmware makes is looked at (`watched_sums`), and the few that leave the range are named here with the reason.
The second Python's own small integers have 62 bits, so there only the results can be compared.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from galley_board import wire
from galley_board.link import since_ms
from tests.board.workbench import FIRMWARE, LIB
from tests.vm.launch import INSIDE, search_path
from tests.vm.vm_board import needs_vm

LIMIT = 1 << 30
PERIOD = wire.TICKS_MS_PERIOD
HALF = PERIOD // 2
TIMES = [
    *(base + step for base in (HALF, PERIOD - 65_536) for step in (-1, 0, 1)),
    *(0, 1, PERIOD - 1, PERIOD - 2, HALF // 2, HALF + HALF // 2),
]  # fmt: skip

LARGE = {
    "loop.ticks_us": "monotonic_ns is that large itself; asked where bytes came or went, not in every turn",
    "loop.Loop._place": "the same, once a second",
    "ticks.place": "the milliseconds since power-on, after twelve days; once a second",
}
CONSTANTS: dict[str, set[int]] = {}


def test_the_sums_of_the_firmware_stay_small_but_for_those_with_a_reason() -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("watched_sums.py"))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found) <= set(LARGE), found
    assert "loop.ticks_us" in found, "it is looked at"


@pytest.mark.parametrize("path", sorted(LIB.glob("galley_board/*.py")), ids=lambda path: path.stem)
def test_no_constant_is_larger_than_a_small_integer(path: Path) -> None:
    numbers = {
        node.value
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value >= LIMIT
    }
    assert numbers == CONSTANTS.get(path.stem, set())


@pytest.mark.parametrize("then", TIMES)
@pytest.mark.parametrize("ago", [0, 1, 1000, HALF - 1])
def test_time_since_is_right_across_the_wrap(then: int, ago: int) -> None:
    now = (then + ago) % PERIOD
    assert since_ms(now, then) == ago
    assert since_ms(then, now) == -ago


@needs_vm
def test_both_pythons_agree_on_it() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "micropython_unix", str(INSIDE / "arithmetic.py"), *map(str, TIMES)],
        env={**os.environ, "MICROPYPATH": search_path(str(FIRMWARE))},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == [since_ms(now, then) for now in TIMES for then in TIMES]
