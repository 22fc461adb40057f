"""The timekeeper over two boards whose clocks differ, with presses that arrive in any order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley.clock import FRESH_NS
from galley.link_events import Beat, KeyEdge, TimeSample
from galley.ticks import MS_PERIOD, TICKS_MS_ORIGIN, US_PERIOD
from galley.timekeeper import (
    HOLD_NS,
    MOST_DOUBTS,
    NS_PER_MS,
    PROBE_AGAIN_NS,
    PROVISIONAL_NS,
    UNANSWERED_NS,
    Timekeeper,
)

START_NS = 5_000_000_000


@dataclass
class FakeBoard:
    """A board whose clock is `offset_us` off the host's and gains `ppm`; its stamps wrap as real ones do."""

    name: str
    offset_us: int
    ppm: int = 0
    boot_id: int = 1
    seq: int = 0
    edges: list[KeyEdge] = field(default_factory=list)

    def us(self, host_ns: int) -> int:
        since_us = host_ns // 1000
        return since_us + since_us * self.ppm // 1_000_000 + self.offset_us

    def sample(self, sent_ns: int, travel_ns: int = 200_000, complete: bool = True) -> TimeSample:
        rx_us = self.us(sent_ns + travel_ns)
        return TimeSample(
            sent_ns, rx_us % US_PERIOD, (rx_us + 20) % US_PERIOD, sent_ns + 2 * travel_ns + 30_000, complete
        )

    def beat(self, host_ns: int) -> Beat:
        us = self.us(host_ns)
        return Beat(self.boot_id, (us // 1000 + TICKS_MS_ORIGIN) % MS_PERIOD, us % US_PERIOD)

    def edge(self, pressed_ns: int, key: int = 9, late_ns: int = 1_500_000) -> KeyEdge:
        self.seq += 1
        stamp_ms = self.us(pressed_ns) // 1000 + 1 + TICKS_MS_ORIGIN  # at the scan after the press
        return KeyEdge(
            self.boot_id,
            self.seq,
            key,
            True,
            stamp_ms % MS_PERIOD,
            late_ns // NS_PER_MS,
            pressed_ns + late_ns,
        )

    def fine_edge(self, pressed_ns: int, key: int = 9, late_ns: int = 1_500_000) -> KeyEdge:
        """As a PIO stamps it: to a microsecond, on a base that is known to 33."""
        us = self.us(pressed_ns)
        edge = self.edge(pressed_ns, key, late_ns)
        return replace(edge, stamp_ms=(us // 1000 + TICKS_MS_ORIGIN) % MS_PERIOD, us=us % 1000)


def settled(*boards: FakeBoard) -> Timekeeper:
    """A timekeeper that has compared these boards' clocks for two seconds."""
    keeper = Timekeeper()
    for board in boards:
        keeper.joined(board.name, board.boot_id, START_NS)
    for step in range(20):
        now_ns = START_NS + step * 100_000_000
        for board in boards:
            keeper.beat(board.name, board.beat(now_ns))
            keeper.sample(board.name, board.sample(now_ns))
    return keeper


def boards() -> tuple[FakeBoard, FakeBoard]:
    return FakeBoard("left", 123_456_789, 40), FakeBoard("right", -987_654, -60)


LATER_NS = START_NS + 2_500_000_000


def answer(keeper: Timekeeper, *boards: FakeBoard, at_ns: int) -> None:
    for board in boards:
        keeper.sample(board.name, board.sample(at_ns))


@settings(max_examples=60, deadline=None)
@given(st.integers(4_500_000, 60_000_000), st.booleans(), st.integers(0, 30_000_000))
def test_the_earlier_press_comes_out_first_whichever_arrives_first(
    gap_ns: int, swap: bool, delay_ns: int
) -> None:
    left, right = boards()
    keeper = settled(left, right)
    first = right.edge(LATER_NS, late_ns=1_500_000 + delay_ns)
    second = left.edge(LATER_NS + gap_ns)
    arrivals = [("right", first), ("left", second)]
    for board, edge in reversed(arrivals) if swap else arrivals:
        keeper.enter(board, edge, edge.received_ns)
    assert keeper.heat() == (), "an earlier press may still be on its way"
    answer(keeper, left, right, at_ns=LATER_NS + gap_ns + delay_ns + 20_000_000)
    order = []
    while heat := keeper.heat():
        assert len(heat) == 1
        taken = keeper.take(heat[0])
        assert not taken.provisional
        order.append(taken.press)
    assert [press.source for press in order] == ["right", "left"]
    error_ns = (order[1].ns - order[0].ns) - gap_ns
    assert abs(error_ns) <= order[0].uncertainty_ns + order[1].uncertainty_ns
    assert order[0].uncertainty_ns < 2_500_000


@settings(max_examples=200, deadline=None)
@given(st.integers(-1_000_000, 6_000_000), st.integers(50_000, 3_000_000), st.integers(0, 40_000_000))
def test_a_press_made_just_before_a_probe_is_never_too_late(
    before_ns: int, travel_ns: int, late_ns: int
) -> None:
    left, right = boards()
    keeper = settled(left, right)
    probe_ns = LATER_NS
    # scanned after the board has read the probe, so the answer does not count it
    read_ns = probe_ns + travel_ns
    pressed_ns = max(probe_ns - before_ns, read_ns - 1_000_000)
    keeper.sample("left", left.sample(probe_ns, travel_ns))
    edge = left.edge(pressed_ns, late_ns=2 * travel_ns + late_ns)
    keeper.enter("left", edge, edge.received_ns)
    assert keeper.refused() == []
    answer(keeper, left, right, at_ns=edge.received_ns + 40_000_000)
    assert [press.number for press in keeper.heat()] == [1]


def test_presses_nearer_than_the_stamps_can_tell_are_a_dead_heat() -> None:
    left, right = boards()
    keeper = settled(left, right)
    for board, at_ns in ((left, LATER_NS), (right, LATER_NS + 700_000)):
        keeper.enter(board.name, board.edge(at_ns), at_ns)
    answer(keeper, left, right, at_ns=LATER_NS + 20_000_000)
    assert {press.source for press in keeper.heat()} == {"left", "right"}


@settings(max_examples=60, deadline=None)
@given(st.integers(800_000, 4_000_000), st.booleans())
def test_fine_edges_need_no_more_between_them_than_the_clocks_are_unsure(gap_ns: int, swap: bool) -> None:
    left, right = boards()
    keeper = settled(left, right)
    one, other = (right, left) if swap else (left, right)
    for board, at_ns in ((other, LATER_NS + gap_ns), (one, LATER_NS)):
        keeper.enter(board.name, board.fine_edge(at_ns), at_ns)
    answer(keeper, left, right, at_ns=LATER_NS + 20_000_000)
    (first,) = keeper.heat()
    assert (first.source, first.coarse) == (one.name, False)
    assert abs(first.ns - LATER_NS) <= first.uncertainty_ns <= 400_000


def test_a_fine_edge_and_one_of_a_keypad_less_than_a_scan_apart_are_a_dead_heat() -> None:
    left, right = boards()
    keeper = settled(left, right)
    for board, edge in ((left, left.fine_edge(LATER_NS)), (right, right.edge(LATER_NS + 900_000))):
        keeper.enter(board.name, edge, edge.received_ns)
    answer(keeper, left, right, at_ns=LATER_NS + 20_000_000)
    assert len(keeper.heat()) == 2


def spoiled(board: FakeBoard, at_ns: int, by_us: int) -> TimeSample:
    """An answer whose stamps are absurd."""
    sample = board.sample(at_ns)
    rx_us, tx_us = sample.board_rx_us + by_us, sample.board_tx_us + by_us
    return replace(sample, board_rx_us=rx_us % US_PERIOD, board_tx_us=tx_us % US_PERIOD)


def test_an_absurd_answer_while_two_presses_wait_holds_the_verdict_until_the_next_one() -> None:
    left, right = boards()
    keeper = settled(left, right)
    for board, at_ns in ((left, LATER_NS), (right, LATER_NS + 6_000_000)):
        keeper.enter(board.name, board.edge(at_ns), at_ns)
    keeper.sample("left", spoiled(left, LATER_NS + 20_000_000, 70_000))
    answer(keeper, right, at_ns=LATER_NS + 20_000_000)
    assert keeper.unsure("left")
    assert keeper.heat() == ()
    answer(keeper, left, at_ns=LATER_NS + 24_000_000)
    assert [press.source for press in keeper.heat()] == ["left"]


def test_a_dead_heat_is_held_while_a_clock_could_be_known_better_and_not_for_ever() -> None:
    left, right = boards()
    keeper = Timekeeper()
    for board in (left, right):
        keeper.joined(board.name, board.boot_id, START_NS)
        for step in range(20):
            keeper.beat(board.name, board.beat(START_NS + step * 100_000_000))
            keeper.sample(board.name, board.sample(START_NS + step * 100_000_000, travel_ns=600_000))
        keeper.enter(board.name, board.edge(LATER_NS), LATER_NS)
    for board in (left, right):
        keeper.sample(board.name, board.sample(LATER_NS + 20_000_000, travel_ns=600_000))
    assert keeper.heat() == ()
    keeper.sample("left", left.sample(LATER_NS + HOLD_NS, travel_ns=600_000))
    assert len(keeper.heat()) == 2


def test_a_board_whose_answers_never_agree_voids_the_race_instead_of_holding_it() -> None:
    left, right = boards()
    keeper = settled(left, right)
    edge = left.edge(LATER_NS)
    keeper.enter("left", edge, edge.received_ns)
    for number in range(MOST_DOUBTS):
        assert keeper.refused() == []
        keeper.sample("left", spoiled(left, LATER_NS + 3_000_000 * number, 50_000 * (1 + number * number)))
    assert [refused.why for refused in keeper.refused()] == ["void"]


def test_nothing_comes_out_before_every_board_has_answered() -> None:
    left, right = boards()
    keeper = settled(left, right)
    edge = left.edge(LATER_NS)
    keeper.enter("left", edge, edge.received_ns)
    answer(keeper, left, at_ns=LATER_NS + 20_000_000)
    assert keeper.heat() == ()
    keeper.sample("right", right.sample(LATER_NS + 20_000_000, complete=False))
    assert keeper.heat() == (), "an edge of the right board is still missing"
    answer(keeper, right, at_ns=LATER_NS + 23_000_000)
    assert len(keeper.heat()) == 1


def test_boards_are_asked_at_once_and_then_every_few_milliseconds_while_a_press_waits() -> None:
    left, right = boards()
    keeper = settled(left, right)
    assert keeper.probes_due_ns(LATER_NS) is None
    edge = left.edge(LATER_NS)
    keeper.enter("left", edge, edge.received_ns)
    assert keeper.probes_due_ns(edge.received_ns) == 0
    keeper.asked(edge.received_ns)
    assert keeper.probes_due_ns(edge.received_ns + 1_000_000) == PROBE_AGAIN_NS - 1_000_000
    answer(keeper, left, right, at_ns=LATER_NS + 20_000_000)
    keeper.take(keeper.heat()[0])
    assert keeper.probes_due_ns(LATER_NS) is None


def test_a_board_that_goes_stale_voids_the_race_and_one_that_starts_anew_is_compared_anew() -> None:
    left, right = boards()
    keeper = settled(left, right)
    edge = left.edge(LATER_NS)
    keeper.enter("left", edge, edge.received_ns)
    keeper.left("right", LATER_NS + 800_000_000)
    assert keeper.heat() == ()
    assert [refused.why for refused in keeper.refused()] == ["void"]
    assert keeper.standing("right", LATER_NS) is None
    keeper.joined("right", 2, LATER_NS + 900_000_000)
    standing = keeper.standing("right", LATER_NS + 900_000_000)
    assert standing == {"state": "unsynchronised"}


def test_without_answers_the_age_of_the_edge_stands_in_and_is_called_provisional() -> None:
    left, right = boards()
    keeper = Timekeeper()
    for board in (left, right):
        keeper.joined(board.name, 1, START_NS)
    timed = keeper.timed("left", left.edge(LATER_NS, late_ns=7_000_000))
    assert timed.provisional
    assert timed.press.uncertainty_ns == PROVISIONAL_NS
    assert abs(timed.press.ns - LATER_NS) <= PROVISIONAL_NS


@pytest.mark.parametrize("answered", [False, True])
def test_a_board_that_answers_no_more_holds_nobodys_presses_for_ever(answered: bool) -> None:
    left, deck = boards()
    keeper = settled(left, deck) if answered else settled(left)
    if not answered:
        keeper.joined(deck.name, 1, START_NS)
    edge = left.edge(LATER_NS)
    keeper.enter("left", edge, edge.received_ns)
    now_ns = LATER_NS
    while not keeper.heat():
        now_ns += PROBE_AGAIN_NS
        assert now_ns < LATER_NS + FRESH_NS + 2 * UNANSWERED_NS
        keeper.beat(deck.name, deck.beat(now_ns))
        keeper.sample("left", left.sample(now_ns))
        keeper.asked(now_ns)
    assert [press.number for press in keeper.heat()] == [edge.key_seq]
    assert now_ns > LATER_NS + UNANSWERED_NS, "one that may still come is waited for"


@pytest.mark.parametrize("slept_s", [1, 20, 50, 3_600, 200_000])
def test_a_machine_that_slept_while_its_boards_went_on_soon_knows_their_clocks_again(slept_s: int) -> None:
    """The host's clock stands still in a suspended laptop; for it both boards' clocks jump as it wakes."""
    left, right = boards()
    keeper = settled(left, right)
    for board in (left, right):
        board.offset_us += slept_s * 1_000_000
    at_once = left.edge(LATER_NS)  # before anything else is heard of either board
    keeper.enter("left", at_once, at_once.received_ns)
    gone, now_ns = 0, LATER_NS
    for step in range(20):
        now_ns = LATER_NS + 5_000_000 + step * 100_000_000
        if step % 2:
            for board in (left, right):
                keeper.beat(board.name, board.beat(now_ns))
        answer(keeper, left, right, at_ns=now_ns)
        while heat := keeper.heat():
            keeper.take(heat[0])
            gone += 1
        gone += len(keeper.refused())
    assert gone == 1, "a press from then comes out or is void, and holds nobody up"
    race_ns = now_ns + 50_000_000
    for board, press_ns in ((left, race_ns + 8_000_000), (right, race_ns)):
        edge = board.edge(press_ns)
        keeper.enter(board.name, edge, edge.received_ns)
    answer(keeper, left, right, at_ns=race_ns + 40_000_000)
    order = []
    while heat := keeper.heat():
        assert len(heat) == 1
        order.append(keeper.take(heat[0]))
    assert [(timed.press.source, timed.provisional) for timed in order] == [("right", False), ("left", False)]
    assert abs(order[0].press.ns - race_ns) <= order[0].press.uncertainty_ns


def test_a_roll_from_before_the_start_is_a_false_start() -> None:
    left, right = boards()
    keeper = settled(left, right)
    keeper.start_given(LATER_NS - 1_000_000_000, LATER_NS + 50_000_000)
    for at_ns in (LATER_NS, LATER_NS + 100_000_000):
        edge = left.edge(at_ns)
        keeper.enter("left", edge, edge.received_ns)
    answer(keeper, left, right, at_ns=LATER_NS + 200_000_000)
    assert [press.number for press in keeper.heat()] == [2]
    assert [refused.why for refused in keeper.refused()] == ["false_start"]


def test_the_standing_of_a_clock_is_told_and_goes_stale() -> None:
    left, right = boards()
    keeper = settled(left, right)
    now_ns = START_NS + 2_000_000_000
    standing = keeper.standing("left", now_ns)
    assert standing is not None
    assert standing["state"] == "good"
    assert standing["uncertainty_us"] < 1000
    late = keeper.standing("left", now_ns + 4_000_000_000)
    assert late is not None
    assert late["state"] == "unsynchronised"
