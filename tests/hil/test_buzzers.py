"""The buzzers' lines: a tone as long as it was asked for, and silence from then on."""

from __future__ import annotations

import pytest

from galley.buzzers import TONES
from tests.hil.table import ROLES, Table

pytestmark = pytest.mark.hil

LATE_MS = 400


@pytest.mark.parametrize("role", ROLES)
async def test_a_tone_ends_by_itself(table: Table, role: str) -> None:
    board = table.board(role)
    line = board.buzzer_pin()
    table.rig.watch(role, [line[1]])
    table.rig.seen.clear()
    tone = TONES["bell"]
    board.connection.buzz(*tone)
    await table.until(lambda: table.rig.levels.get(line))
    await table.until(lambda: not table.rig.levels.get(line))
    moved = [t_us for t_us, pin, _ in table.rig.seen if pin == line]
    assert tone.ms - 20 <= (max(moved) - min(moved)) / 1000 <= tone.ms + LATE_MS
