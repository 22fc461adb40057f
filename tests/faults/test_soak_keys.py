"""The soak's book of keys is exact: it finds every edge that is lost or doubled, and no other."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley.link import HostLink
from galley_board.link import RING, BoardLink
from tests.faults.soak_keys import KeyBook
from tests.host.cable import MS, LossyLine


class Watched(LossyLine):
    """A line whose board's frames are read before any fault, and whose hand writes down what it makes."""

    def __init__(self, seed: int = 0, rate: float = 0.0) -> None:
        super().__init__(seed, rate)
        self.book = KeyBook(range(11))

    def spoil(self, data: bytes, to_board: bool) -> bytes:
        if not to_board:
            self.book.hear(data, self.now_ms * MS)
        return super().spoil(data, to_board)

    def move(self, key: int, down: bool, *, felt: bool = True, times: int = 1) -> None:
        self.book.make(key, down, self.now_ms * MS)
        for _ in range(times if felt else 0):
            self.press(key, down)
        self.run(30)

    def reopen(self, session: int) -> None:
        self.host = HostLink(session)
        self.events = self.host.opened(self.now_ms * MS)
        self.book.opened()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.floats(0.0, 0.5), st.integers(1, 3))
def test_nothing_is_missed_on_a_line_that_loses_anything(seed: int, rate: float, openings: int) -> None:
    line = Watched(seed, rate)
    for opening in range(openings):
        line.quiet = False
        line.reopen(1 + opening)
        for stroke in range(12):
            line.move(stroke % 11, True)
            line.move(stroke % 11, False)
        line.quiet = True
        line.run(600)
        assert line.book.wrong() == ""
        assert line.book.session == (4711, 1 + opening)
        assert line.host.counters.edges == line.book.numbered
        assert line.book.given_up == line.host.counters.edges_lost == 0


def test_an_edge_before_the_hello_is_void_and_one_after_it_is_not() -> None:
    line = Watched()
    line.move(3, True, felt=False)
    line.move(3, False, felt=False)
    line.move(4, True, felt=False)  # down when the session begins: its release may come alone
    line.start()
    line.move(4, False)
    assert line.book.wrong() == ""
    line.move(3, True, felt=False)
    assert "1 edges of 5 made were not told" in line.book.wrong()


@pytest.mark.parametrize("times, found", [(0, "not told"), (1, ""), (2, "key 5: v^v made, v^vv told")])
def test_a_press_that_is_lost_or_doubled_is_found(times: int, found: str) -> None:
    line = Watched()
    line.start()
    line.move(5, True)
    line.move(5, False)
    line.move(5, True, times=times)
    assert found in line.book.wrong()
    assert bool(line.book.wrong()) == bool(found)


def test_what_a_full_ring_gives_up_is_known_and_no_more_than_that_may_be_missing() -> None:
    line = Watched()
    line.start()
    line.host_reads = False
    line.port_takes = 0
    for stroke in range(RING // 2 + 3):
        line.move(stroke % 11, True)
        line.move(stroke % 11, False)
    line.host_reads, line.port_takes = True, 320
    line.run(600)
    assert (line.book.given_up, line.host.counters.edges_lost) == (6, 6)
    assert line.host.counters.edges + line.host.counters.edges_lost == line.book.numbered
    assert line.book.wrong() == ""
    line.move(0, True, felt=False)
    assert "7 edges of" in line.book.wrong()


def test_after_a_full_key_queue_edges_may_be_missing_and_none_may_be_new() -> None:
    line = Watched()
    line.start()
    line.move(2, True, felt=False)
    line.move(2, False, felt=False)
    line.board.overflow = 1
    line.run(1100)
    assert line.book.wrong() == ""
    line.press(2, False)
    line.press(2, False)
    line.run(30)
    assert "key 2" in line.book.wrong()


def test_a_new_boot_begins_a_new_page() -> None:
    line = Watched()
    line.start()
    line.move(1, True, felt=False)
    line.board = BoardLink(1, 4712, 83, 0, 0)
    line.book.power_on()
    line.reopen(2)
    line.run(300)
    line.move(1, False, felt=False)  # a key that was down at power-on is stuck
    line.move(1, True)
    assert line.book.session == (4712, 2)
    assert line.book.wrong() == ""
