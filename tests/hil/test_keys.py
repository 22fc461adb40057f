"""Every key under its own number, none beside it, one press for each push however the contacts bounce."""

from __future__ import annotations

import pytest

from galley_board import pins
from tests.hil.table import ROLES, Table

pytestmark = pytest.mark.hil

PRESS_US = 40_000
PRESS_OFF_MS = 15
BUSY_MS = 2_000  # for which a simulated board may not come to run on a busy machine
BOUNCES = 3


@pytest.mark.parametrize("role", ROLES)
async def test_every_key_is_told_once_down_and_once_up(table: Table, role: str) -> None:
    board = table.board(role)
    for key in range(len(pins.KEYS[board.which])):
        board.edges.clear()
        table.rig.pulse([board.key_pin(key)], PRESS_US)
        await board.until(lambda: len(board.edges) >= 2)
        assert board.told() == [(key, True), (key, False)]
        down, up = board.edges
        held_ms = (up.stamp_ms - down.stamp_ms) % (1 << 29)
        late_ms = BUSY_MS if table.simulated else PRESS_OFF_MS
        assert -PRESS_OFF_MS <= held_ms - PRESS_US // 1000 <= late_ms


@pytest.mark.parametrize("role", ROLES)
async def test_many_keys_at_once_leave_no_ghost(table: Table, role: str) -> None:
    board = table.board(role)
    count = len(pins.KEYS[board.which])
    for left_out in range(0, count, 5):
        board.edges.clear()
        pressed = [key for key in range(count) if key != left_out]
        table.rig.pulse([board.key_pin(key) for key in pressed], PRESS_US)
        await board.until(lambda pressed=pressed: len(board.edges) >= 2 * len(pressed))  # type: ignore[misc]
        assert sorted(board.told()) == sorted((key, down) for key in pressed for down in (True, False))


@pytest.mark.parametrize("role", ROLES)
async def test_a_bouncing_contact_is_one_press(table: Table, role: str) -> None:
    board = table.board(role)
    pin = board.key_pin(0)
    for _ in range(3):
        for level in (*(0, None) * BOUNCES, 0):
            table.rig.pin(*pin, level)
        await board.until(lambda: board.held == 1)
        assert [down for _, down in board.told()] == [True]
        table.rig.pin(*pin, None)
        await board.until(lambda: board.held == 0)
        assert [down for _, down in board.told()] == [True, False]
        board.edges.clear()
