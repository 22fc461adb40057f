"""Each board says who it is, that nothing is wrong with it, and that it runs the files of this checkout."""

from __future__ import annotations

from itertools import pairwise

import pytest

from galley.sim.boards import firmware_folder
from galley_board import faults, identity, pins
from tests.hil.table import ROLES, Table

pytestmark = pytest.mark.hil


@pytest.mark.parametrize("role", ROLES)
def test_a_board_is_the_one_that_was_named(table: Table, role: str) -> None:
    board = table.board(role)
    hello = board.connection.link.hello
    assert hello is not None
    assert hello.role == role
    assert hello.pixels == pins.PIXELS[board.which]
    assert hello.caps & pins.CAPS_OF_BOARD[board.which] == pins.CAPS_OF_BOARD[board.which]
    assert faults.names(hello.faults) == [], "its console says more"


@pytest.mark.parametrize("role", ROLES)
def test_a_board_runs_the_firmware_of_this_checkout(table: Table, role: str) -> None:
    hello = table.board(role).connection.link.hello
    assert hello is not None
    ours = identity.fingerprint(str(firmware_folder() / "lib" / "galley_board"))
    assert f"{hello.firmware:06x}" == f"{ours:06x}", f"galley firmware flash --role {role} brings it there"


@pytest.mark.parametrize("role", ROLES)
async def test_a_board_s_heart_beats_and_its_time_goes_on(table: Table, role: str) -> None:
    board = table.board(role)
    board.beats.clear()
    await board.until(lambda: len(board.beats) >= 3)
    steps = [(b.ticks_ms - a.ticks_ms) % (1 << 29) for a, b in pairwise(board.beats)]
    assert all(200 <= step <= 600 for step in steps), steps
