"""Which tick a stamp in whole milliseconds was, from the milliseconds since power-on alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from galley.ticks import TWO_TICKS_US
from galley_board import ticks, wire
from tests.board.workbench import Bench

DAYS_MS = 86_400_000
PERIOD = wire.TICKS_MS_PERIOD


def stamp_of(tick: int) -> int:
    """`supervisor.ticks_ms()` at a tick since power-on."""
    return (ticks.ORIGIN + tick * 1000 // 1024) % PERIOD


@given(st.integers(0, 400 * DAYS_MS), st.integers(0, 2), st.integers(-2 * DAYS_MS, 2 * DAYS_MS))
def test_the_tick_of_a_stamp_is_found_across_days_and_wraps(now: int, late_ms: int, away: int) -> None:
    told = ticks.place(stamp_of(now), now * 1000 // 1024 + late_ms)
    assert told == now * 1000 // 1024 % 125
    tick = max(0, now + away)
    since_ms = tick * 1000 // 1024 - now * 1000 // 1024
    began_us = 1000 * (tick * 1000 // 1024) + ticks.tick_us(told + since_ms)
    first = -(-(tick * 1000 // 1024) * 1024 // 1000)  # of two ticks with one stamp
    assert began_us == first * 15625 // 16
    assert tick - first == 0 or ticks.tick_us(told + since_ms) < TWO_TICKS_US


def test_a_counter_with_another_origin_is_not_believed() -> None:
    assert ticks.place(5, 1_000_000) == -1


@pytest.mark.parametrize("start_ms", [300.0, 65_535.0, 65_600.0])
def test_a_keypad_s_edge_is_told_with_the_tick_of_its_scan(bench: Bench, start_ms: float) -> None:
    bench.at_ms(start_ms)
    loop = bench.start("left")
    bench.host_sends("h", wire.PROTOCOL, 5)
    bench.turn(loop, 3)
    bench.frames()
    for number in range(40):
        bench.turn(loop, 25)
        bench.now_ns += 310_000
        pressed_ms = bench.now_ns / 1e6
        bench.press(number % 12, down=number < 12 or number % 24 < 12)
        bench.turn(loop, 3)
        edges = [edge for _, edge in bench.frames("K") if edge["key_seq"] == number + 1]
        if not edges:
            continue
        since_ms = (edges[0]["stamp_ms"] - ticks.ORIGIN) % PERIOD
        scanned_ms = since_ms + (edges[0]["us"] - wire.NO_US - 1) / 1000
        two = edges[0]["us"] - wire.NO_US <= TWO_TICKS_US
        assert -0.98 * two - 0.001 <= scanned_ms - pressed_ms <= 0.98
    assert loop.keys.bitmap
