"""What fell through the deck's holes: each fall once, whatever became of the reports and of the cable."""

from __future__ import annotations

from binascii import crc32
from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st

from galley.fall_count import HOLES, MOST, FallCount
from galley.link import HostLink
from galley.link_events import DeckReport, LinkState
from galley_board import wire
from tests.host.cable import MS
from tests.host.test_deck_link import deck_line

FALLS = st.lists(st.tuples(st.integers(0, HOLES - 1), st.booleans()), max_size=60)


def packed(counts: list[int]) -> int:
    return sum((counts[hole] & MOST) << hole * wire.FALL_BITS for hole in range(HOLES))


@given(FALLS, st.lists(st.integers(0, 1000), min_size=HOLES, max_size=HOLES))
def test_each_fall_is_told_once_though_reports_are_lost(
    falls: list[tuple[int, bool]], before: list[int]
) -> None:
    found, counts, told = FallCount(), list(before), []
    assert found.fell(7, packed(counts)) == [], "what it counted before it was heard is nobody's"
    for hole, arrives in falls:
        counts[hole] += 1
        if arrives:
            told += found.fell(7, packed(counts)) + found.fell(7, packed(counts))
    told += found.fell(7, packed(counts))
    assert sorted(told) == sorted(hole for hole, _ in falls)


def test_a_board_that_starts_anew_counts_anew() -> None:
    found = FallCount()
    found.fell(7, packed([5, 0, 0, 0]))
    assert found.fell(8, packed([1, 0, 0, 0])) == []
    assert found.fell(8, packed([1, 2, 0, 0])) == [1, 1]
    assert found.fell(7, packed([9, 0, 0, 0])) == []


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.floats(0.05, 0.6), FALLS)
def test_each_fall_is_told_once_over_a_line_that_loses_frames_and_is_opened_again(
    seed: int, rate: float, falls: list[tuple[int, bool]]
) -> None:
    line, found, told, sessions = deck_line(seed), FallCount(), [], count(2)
    line.rate = rate
    counts = [0] * HOLES
    assert line.host.deck is not None
    line.quiet = False
    for hole, opens in falls:
        counts[hole] += 1
        line.board.report[7] = packed(counts)
        if opens:
            line.host = HostLink(next(sessions))
            line.events += line.host.opened(line.now_ms * MS)
        line.run(line.random.randrange(1, 60))
    line.quiet = True
    line.run(3500)
    assert line.state() is LinkState.LIVE
    for event in line.events:
        if isinstance(event, DeckReport):
            assert event.falls is not None
            told += found.fell(4711, event.falls)
    assert sorted(told) == sorted(hole for hole, _ in falls)


def test_the_report_of_an_older_board_is_taken_and_has_no_count() -> None:
    line = deck_line()
    body = b"D 5 17 9 1 3 2 3 11"
    before = line.host.counters.bad_frames
    events = line.host.receive(b"%s %08x\n" % (body, crc32(body)), line.now_ms * MS)
    assert events == [DeckReport(17, 9, 1, 3, 2, 3, 11, None)]
    assert line.host.counters.bad_frames == before
    body = b"K 6 1 9 1 5 1000 0"  # no other kind may lack a field
    assert line.host.receive(b"%s %08x\n" % (body, crc32(body)), line.now_ms * MS) == []
    assert line.host.counters.bad_frames == before + 1
