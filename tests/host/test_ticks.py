"""Ticks: wraps undone, steps found, key stamps brought onto the base of the exchanges."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from galley.ticks import (
    COARSEST_US,
    MS_PERIOD,
    TICKS_MS_ORIGIN,
    US_PERIOD,
    Granule,
    KeyBase,
    Widener,
)
from galley_board.wire import EDGE_DOUBT_US, NO_US


@pytest.mark.parametrize("period", [US_PERIOD, MS_PERIOD])
def test_ticks_go_on_across_the_wrap(period: int) -> None:
    widener = Widener(period)
    found = [widener.widen((period - 3000 + step * 1000) % period) for step in range(10)]
    assert found == [period - 3000 + step * 1000 for step in range(10)]


def test_the_wrap_65_s_after_power_on_is_crossed_like_any_other() -> None:
    widener = Widener(MS_PERIOD)
    origin = MS_PERIOD - 65_536
    stamps = [(origin + ms) % MS_PERIOD for ms in range(0, 200_000, 123)]
    wide = [widener.widen(stamp) for stamp in stamps]
    assert stamps[-1] < stamps[0]
    assert {later - earlier for earlier, later in pairwise(wide)} == {123}


@given(st.integers(0, US_PERIOD - 1), st.lists(st.integers(-(10**7), 3 * 10**7), max_size=50))
def test_older_stamps_between_newer_ones_keep_their_place(start: int, steps: list[int]) -> None:
    widener = Widener(US_PERIOD)
    first = widener.widen(start)
    newest = true = 0
    for step in steps:
        true = max(newest + step, newest - US_PERIOD // 4)
        newest = max(newest, true)
        assert widener.widen((start + true) % US_PERIOD) - first == true


@pytest.mark.parametrize(
    ("step_us", "granule_us"),
    [
        (1.0, 1),
        (2.0, 2),
        (10.0, 10),
        (1e6 / 32768, 31),
        (1e6 / 1024, 977),
        (125.0, 125),
        (1000.0, 1000),
        (10_000.0, 1000),  # none is coarser than ticks_ms
    ],
)
@pytest.mark.parametrize("origin", [0, 123_457, -98_765_432_101])
def test_the_step_is_found_from_the_stamps(step_us: float, granule_us: int, origin: int) -> None:
    random = Random(f"{step_us} {origin}")
    granule = Granule()
    for _ in range(3000):
        granule.take(origin + int(random.uniform(0, 6e7) // step_us * step_us))
    assert granule.us == granule_us


def test_a_granule_is_never_finer_than_the_clock_while_it_is_learnt() -> None:
    for seed in range(200):
        random = Random(seed)
        step_us = random.choice((1, 3, 16, 40, 500, 1000))
        granule = Granule()
        for _ in range(30):
            granule.take(int(random.uniform(0, 1e7) // step_us * step_us))
            assert granule.us >= step_us


@pytest.mark.parametrize("step_us", [1e6 / 32768, 100, 1000])
def test_a_stamp_of_the_clock_is_told_from_one_between_its_steps(step_us: float) -> None:
    random = Random(4)
    granule = Granule()
    stamps = [int(random.uniform(0, 1e8) // step_us * step_us) for _ in range(300)]
    for stamp_us in stamps:
        granule.take(stamp_us)
    assert all(granule.holds(stamp_us) for stamp_us in stamps)
    assert not any(granule.holds(stamp_us + int(step_us) // 2) for stamp_us in stamps)


def test_with_stamps_of_a_microsecond_there_is_nothing_between() -> None:
    random = Random(5)
    granule = Granule()
    assert not granule.holds(5)
    for _ in range(40):
        granule.take(random.randrange(10**7))
    assert granule.us == 1
    assert not granule.holds(5)


def test_stray_stamps_do_not_make_the_step_finer() -> None:
    random = Random(1)
    granule = Granule()
    for number in range(400):
        stray = number % 9 in (0, 1)
        granule.take(1000 * random.randrange(10**6) + (random.randrange(1000) if stray else 0))
    assert granule.us == COARSEST_US


def test_a_clock_that_jumped_keeps_its_step() -> None:
    random = Random(2)
    granule = Granule()
    for number in range(200):
        granule.take(1000 * (random.randrange(100) + 100 * number) + (333 if number > 100 else 0))
    assert granule.us == 1000


@pytest.mark.parametrize("periods", [0, 3, -7])
def test_key_stamps_come_exactly_onto_the_base_of_the_exchanges(periods: int) -> None:
    random = Random(3)
    base = KeyBase()
    assert not base.known
    offset_us = periods * US_PERIOD - 1000 * TICKS_MS_ORIGIN
    for _ in range(3):
        at_us = random.randrange(10**9)
        base.observe((at_us - offset_us) // 1000, at_us + random.randrange(5000))
        assert base.us(5_000_000) == 5_000_000_000 + offset_us
        assert base.doubt_us == 0


def test_a_board_that_counts_otherwise_is_brought_onto_it_within_the_doubt() -> None:
    random = Random(3)
    base = KeyBase()
    offset_us = 123_456_789
    for _ in range(40):
        at_us = random.randrange(10**9)
        base.observe((at_us - offset_us) // 1000, at_us + random.randrange(50))
        assert 0 <= base.us(5_000_000) - (5_000_000_000 + offset_us) <= base.doubt_us + 50
    assert base.us(5_000_000) - (5_000_000_000 + offset_us) < 400


@pytest.mark.parametrize("ticks_of_board", [TICKS_MS_ORIGIN, 7])
@pytest.mark.parametrize("tick", range(0, 128, 3))
@pytest.mark.parametrize("phase", [0.0, 0.4, 0.99])
def test_a_keypad_s_press_is_within_what_its_stamp_says(ticks_of_board: int, tick: int, phase: float) -> None:
    """The scan is anywhere in its tick, the press up to a scan before it."""
    base, tick_us = KeyBase(), 1e6 / 1024
    since_ms = tick * 1000 // 1024
    base.observe(ticks_of_board + since_ms, since_ms * 1000 + 700)
    first = -(-since_ms * 1024 // 1000)
    us = NO_US + 1 + int(first * tick_us) - 1000 * since_ms
    for told in (us, NO_US):
        at_us, off_us = base.stamped(ticks_of_board + since_ms, told)
        for before in (0.0, 0.5, 1.0):
            pressed_us = (tick + phase - before) * tick_us
            assert abs(pressed_us - at_us) <= off_us
        assert off_us <= 2500


def test_a_fine_edge_is_where_it_says() -> None:
    base = KeyBase()
    base.observe(TICKS_MS_ORIGIN + 10, 10_400)
    assert base.stamped(TICKS_MS_ORIGIN + 12, 345) == (12_345, EDGE_DOUBT_US)
