"""Faults of the board itself: the knobs of a simulated board as a process, and the firmware on the bench."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise

import pytest

from galley.sim.knobs import Knobs
from galley.ticks import SCAN_US
from galley_board import wire
from tests.board.playground import Watched, played, plugged, talking
from tests.board.workbench import Bench, bench

NS_PER_MS = 1_000_000
AHEAD_NS = 30 * NS_PER_MS
BELL = 9


def test_a_pause_of_220_ms_loses_no_key_and_no_stamp_and_is_reported() -> None:
    async def test() -> None:
        async with plugged("left") as board, talking(board) as host:
            board.gc_pause(220)
            await board.until(lambda: board.paused)
            first_ns = time.monotonic_ns()
            for number in range(6):
                board.press(number, True, first_ns + (40 + 20 * number) * NS_PER_MS)
            stamps = []
            for number in range(6):
                edge = await host.next("K", lambda fields, n=number: fields["key"] == n)  # type: ignore[misc]
                stamps.append(edge["stamp_ms"])
            gaps = [(b - a) % wire.TICKS_MS_PERIOD for a, b in pairwise(stamps)]
            assert all(abs(gap - 20) <= 2 for gap in gaps), gaps
            await host.next("S", lambda fields: fields["gc_us"] >= 200_000)

    played(test)


def test_a_bounce_of_nine_edges_is_one_press_of_one_key() -> None:
    async def test() -> None:
        async with plugged("left") as board, talking(board) as host:
            board.bounce(BELL, 9, at_ns=time.monotonic_ns() + AHEAD_NS)
            first = await host.next("K")
            assert (first["key"], first["down"]) == (BELL, 1)
            beat = await host.next("B", lambda fields: fields["bitmap"] == 1 << BELL)
            assert beat["bitmap"] == 1 << BELL
            assert not [
                frame for frame in host.heard if frame[0] == "K" and frame[1]["key_seq"] > first["key_seq"]
            ]

    played(test)


def test_scans_that_do_not_happen_delay_a_press_and_lose_none() -> None:
    async def test() -> None:
        async with plugged("left") as board, talking(board) as host:
            late = []
            for pixels in (0, 33, 83):
                at_ns = time.monotonic_ns() + AHEAD_NS
                board.scan_skip(pixels, at_ns)
                board.press(BELL, True, at_ns)
                down = await host.next("K", lambda fields: fields["down"] == 1)
                board.press(BELL, False)
                await host.next("K", lambda fields: fields["down"] == 0)
                late.append(down)
            assert [edge["key"] for edge in late] == [BELL] * 3
            ages = [edge["age_ms"] for edge in late]
            assert ages[0] <= 20

    played(test)


def test_a_queue_of_a_few_events_overflows_and_says_so() -> None:
    async def test() -> None:
        async with plugged("left", knobs=Knobs(queue_len=12)) as board, talking(board) as host:
            board.gc_pause(220)
            await board.until(lambda: board.paused)
            at_ns = time.monotonic_ns() + AHEAD_NS
            for step in range(24):
                board.press(step % 12, step < 12, at_ns + 3 * step * NS_PER_MS)
            stats = await host.next("S", lambda fields: fields["overflow"] >= 1)
            assert stats["overflow"] == 1
            assert board.paused == [220]

    played(test)


def test_a_board_that_starts_again_has_the_next_boot_id() -> None:
    async def test() -> None:
        async with plugged("left", knobs=Knobs(boot_id=500)) as board:
            async with talking(board) as host:
                beat = await host.next("B")
                assert beat["boot_id"] == 500
            board.unplug()
            await board.start()
            async with talking(board) as host:
                beat = await host.next("B")
                assert beat["boot_id"] == 501

    played(test)


def test_a_scan_interval_that_would_smear_races_is_refused() -> None:
    with bench() as table:
        hardware = table.module("galley_board.hardware")
        assert hardware.SCAN_INTERVAL_S * 1e6 <= SCAN_US + 25
        hardware.SCAN_INTERVAL_S = 0.020
        with pytest.raises(ValueError, match=r"scanned every 0\.02 s, at most 0\.002 s"):
            table.start("left")


def test_a_keypad_left_at_20_ms_stamps_two_presses_5_ms_apart_alike() -> None:
    """Why it is refused: the stamps could name a winner that was none."""

    async def test() -> None:
        async with plugged("left", knobs=Knobs(scan_ms=20)) as board, talking(board) as host:
            same = 0
            for _ in range(6):
                at_ns = time.monotonic_ns() + AHEAD_NS
                for key, later_ms in ((0, 0), (1, 5)):
                    board.press(key, True, at_ns + later_ms * NS_PER_MS)
                stamps = [(await host.next("K", lambda f: f["down"] == 1))["stamp_ms"] for _ in range(2)]
                same += stamps[0] == stamps[1]
                for key in (0, 1):
                    board.press(key, False)
                    await host.next("K", lambda f: f["down"] == 0)
            assert same, "three of four pairs, as the scan happens to fall"

    played(test)


@pytest.mark.parametrize("pause_ms", [5, 40, 220])
def test_a_collection_stops_neither_the_scans_nor_the_stamps(pause_ms: int) -> None:
    with bench() as table:
        loop = table.start("left")
        greet(table, loop)

        def collect() -> None:
            for ms in range(pause_ms):
                table.wait_ms(1)
                if ms == pause_ms // 2:
                    table.press(9)

        loop_module = table.module("galley_board.loop")
        table.turn(loop, 900)
        table.frames()
        loop_module.gc.collect = collect
        before_ms = table.now_ms
        table.turn(loop, 1500)
        loop_module.gc.collect = lambda: None
        table.turn(loop, 1200)
        frames = table.frames()
        (press,) = [fields for kind, fields in frames if kind == "K" and fields["key_seq"] == 1][:1]
        stalls = [fields["gc_us"] for kind, fields in frames if kind == "S"]
        assert max(stalls) >= 1000 * (pause_ms - 1), "the heartbeat's companion shows it"
        assert 0 < (press["stamp_ms"] - before_ms) % wire.TICKS_MS_PERIOD < 1500
        assert press["age_ms"] <= pause_ms + 70


def greet(table: Bench, loop: object) -> None:
    table.host_sends("h", wire.PROTOCOL, 7)
    table.turn(loop, 20)


def test_held_at_boot_is_shown_as_stuck_and_its_release_is_no_press() -> None:
    async def test() -> None:
        board = Watched("left")
        board.press(BELL, True)
        try:
            await board.start()
            async with talking(board) as host:
                beat = await host.next("B")
                assert beat["faults"] & 16
                assert beat["bitmap"] == 0
                board.press(BELL, False)
                await host.next("B", lambda fields: not fields["faults"] & 16)
                assert not [frame for frame in host.heard if frame[0] == "K"]
        finally:
            await board.stop()

    asyncio.run(test())


@pytest.mark.parametrize("pixels", [1, 12, 33])
def test_writing_pixels_delays_a_stamp_by_2_ms_at_most(pixels: int) -> None:
    """Each takes 30 µs in which no scan happens; the scan after them sees the press and stamps it."""
    with bench() as table:
        pin = table.module("board").GP9
        keys = table.module("keypad").Keys([pin], value_when_pressed=False, interval=0.001)
        late_ms = []
        for number in range(40):
            table.wait_ms(40 + number / 7)
            began_ns = table.rig.now_ns()
            table.rig.skips.append((began_ns, began_ns + pixels * 30_000))
            table.press(9)
            pressed_ms = table.rig.ticks_origin + began_ns / NS_PER_MS
            table.wait_ms(30)
            late_ms.append(keys.events.get().timestamp - pressed_ms)
            table.press(9, False)
            table.wait_ms(30)
            keys.events.clear()
        assert min(late_ms) > -1, "a stamp shows the last whole millisecond"
        assert max(late_ms) <= 2
