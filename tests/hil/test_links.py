"""What a link must live through: a reset, the wrap of the ticks, a flood, a host that does not read."""

from __future__ import annotations

from itertools import pairwise

import pytest

from galley.tables.table import BoardView
from galley_board import wire
from tests.hil.light import lamp, shows
from tests.hil.table import ROLES, Table

pytestmark = pytest.mark.hil

PRESS_US = 40_000
FLOOD = 160
JUNK = b"\xff\x00K 1 2 3\nnothing of this is a frame\n" * 4
BEFORE_WRAP_MS = 1500


@pytest.mark.parametrize("role", ROLES)
async def test_a_reset_board_comes_back_as_another_start_and_shows_what_it_should(
    table: Table, role: str
) -> None:
    board = table.board(role)
    view = BoardView(lamps=(lamp("green"), *[0] * 10))
    await shows(table, board, view)
    before = board.connection.link.hello
    board.hellos.clear()
    board.connection.restart(wire.RESTART)
    await board.until(lambda: not board.live or board.hellos)
    await board.reach()
    after = board.connection.link.hello
    assert before is not None
    assert after is not None
    assert after.boot_id != before.boot_id
    await shows(table, board, view)


@pytest.mark.parametrize("role", ["left", "deck"])
async def test_keys_are_told_right_across_the_wrap_of_the_ticks(table: Table, role: str) -> None:
    pin = table.board(role).key_pin(2)
    async with table.near_the_wrap(role, BEFORE_WRAP_MS) as board:
        board.edges.clear()
        presses = 0
        while not board.edges or board.edges[-1].stamp_ms > 1 << 28 or presses < 4:
            presses += 1
            table.rig.pulse([pin], PRESS_US)
            await board.until(lambda: len(board.edges) >= 2 * presses)  # noqa: B023 - it waits here
            board.beats.clear()
            await board.until(lambda: board.beats)
    stamps = [edge.stamp_ms for edge in board.edges]
    steps = [(b - a) % wire.TICKS_MS_PERIOD for a, b in pairwise(stamps)]
    assert board.told() == [(2, True), (2, False)] * presses
    assert stamps[0] > stamps[-1], "the ticks wrapped"
    assert all(step < 2000 for step in steps), steps


@pytest.mark.parametrize("role", ROLES)
async def test_a_flooded_link_still_tells_a_key(table: Table, role: str) -> None:
    pin = table.board(role).key_pin(1)
    async with table.raw(role) as host:
        for number in range(FLOOD):
            host.port.write(JUNK[: 1 + number % len(JUNK)])
            host.send("t", number)
            if number % 8 == 7:  # after the end of a line the board is with us again
                host.port.write(b"\n")
                host.send("t", FLOOD + number)
                await host.next("T", lambda fields, number=number: fields["id"] == FLOOD + number)  # type: ignore[misc]
        table.rig.pulse([pin], PRESS_US)
        edge = await host.next("K")
        assert (edge["key"], edge["down"]) == (1, 1)


async def test_a_host_that_does_not_read_misses_no_key(table: Table) -> None:
    pin = table.board("left").key_pin(3)
    async with table.raw("left") as host:
        hello = await host.greet(91)
        host.ignore()
        table.rig.pulse([pin], PRESS_US)
        await table.until(lambda: host.port.in_waiting > 300)
        host.listen()
        first = await host.next("K")
        assert (first["key"], first["down"], first["first"]) == (3, 1, first["key_seq"])
        host.send("a", hello["boot_id"], first["key_seq"])
        second = await host.next("K", lambda fields: fields["key_seq"] == first["key_seq"] + 1)
        assert (second["key"], second["down"]) == (3, 0)
