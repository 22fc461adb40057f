"""Ten minutes of clocks in bounded memory: what the crew's page is told."""

from __future__ import annotations

import json

from galley.clock import Standing
from galley.clock_history import BLOCK_S, BLOCKS, ClockHistory, Reading

TEN_MINUTES_S = 600


def reading(offset_us: int, boot_id: int = 1, drift_ppm: float = -20.123456) -> Reading:
    return Reading(boot_id, Standing(1000 * offset_us, 140_400, drift_ppm, 1.5, 412_000, 31, 500, 0, 0, True))


def test_a_second_is_told_as_whole_microseconds_with_the_offset_from_its_start() -> None:
    history = ClockHistory(("left", "right"))
    for second in range(3):
        history.take({"left": reading(5_000_000 - 20 * second), "right": None})
    assert history.newest() == {
        "first": 0,
        "boards": {
            "left": [[0, 412, -20.12, 140], [-20, 412, -20.12, 140], [-40, 412, -20.12, 140]],
            "right": [None, None, None],
        },
    }
    assert history.older() == {"first": 0, "boards": {"left": [], "right": []}}


def test_a_board_that_restarts_begins_at_zero_again_and_a_jump_of_its_clock_stays_to_be_seen() -> None:
    history = ClockHistory(("left",))
    told = [reading(700), reading(90_700), None, reading(12, boot_id=2), reading(13, boot_id=2)]
    for one in told:
        history.take({"left": one})
    points = history.newest()["boards"]["left"]
    assert [None if point is None else point[0] for point in points] == [0, 90_000, None, 0, 1]


def test_the_newest_block_is_small_and_the_older_ones_change_only_when_it_is_full() -> None:
    history = ClockHistory(("left", "right", "deck"))
    changes, before = 0, history.older()
    for second in range(4 * BLOCK_S):
        told = history.take(dict.fromkeys(("left", "right", "deck"), reading(-12_345_678 + second)))
        assert told == (history.older() != before)
        changes += told
        before = history.older()
        assert len(json.dumps(history.newest())) < 4000
    assert changes == 3


def test_ten_minutes_are_kept_and_no_more_and_every_second_has_its_number() -> None:
    history = ClockHistory(("left",))
    seconds = 3 * BLOCKS * BLOCK_S + 7
    for second in range(seconds):
        history.take({"left": reading(second)})
    older, newest = history.older(), history.newest()
    points = older["boards"]["left"] + newest["boards"]["left"]
    assert TEN_MINUTES_S <= len(points) <= TEN_MINUTES_S + BLOCK_S
    assert older["first"] + len(older["boards"]["left"]) == newest["first"]
    assert [point[0] for point in points] == list(range(older["first"], seconds))
