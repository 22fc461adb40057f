"""Two boards pressed at the same instant: their stamps agree within what the host says it cannot tell."""

from __future__ import annotations

import time

import pytest

from tests.hil.table import Table

pytestmark = pytest.mark.hil

BELL = 9
PRESS_US = 40_000
ROUNDS = 8
MOST_DOUBT_US = 10_000


async def test_one_instant_on_two_boards_is_one_instant_for_the_host(table: Table) -> None:
    left, right = table.board("left"), table.board("right")
    pins = [left.key_pin(BELL), right.key_pin(BELL)]
    for board in (left, right):
        await board.until(
            lambda board=board: (
                (table.keeper.standing(board.role, time.monotonic_ns()) or {}).get("state")  # type: ignore[misc]
                == "good"
            )
        )
    for _ in range(ROUNDS):
        for board in (left, right):
            board.edges.clear()
        table.rig.pulse(pins, PRESS_US)
        await table.until(lambda: len(left.edges) >= 2 and len(right.edges) >= 2)
        first, second = (table.keeper.timed(board.role, board.edges[0]) for board in (left, right))
        assert not first.provisional
        assert not second.provisional
        gap_ns = abs(first.press.ns - second.press.ns)
        doubt_ns = first.press.uncertainty_ns + second.press.uncertainty_ns
        assert gap_ns <= doubt_ns
        assert doubt_ns <= MOST_DOUBT_US * 1000
