"""Both ends of the link over a line that may lose, cut, spoil or hold anything back."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from galley.link import FIRST_PROBES, PROBE_EVERY_NS, REST_EVERY_NS, UNSURE_EVERY_NS, HostLink
from galley.link_events import EdgesLost, HeldMended, Hello, KeyEdge, LinkState, StateChanged, TimeSample
from galley.tables.table import DeckView
from galley_board import wire
from galley_board.link import RING, BoardLink
from tests.board.workbench import feed
from tests.host.cable import MS, Line, LossyLine


def test_a_board_is_live_within_a_few_turns_and_introduces_itself() -> None:
    line = Line().start()
    assert line.states() == [LinkState.HELLO, LinkState.LIVE]
    assert next(e for e in line.events if isinstance(e, Hello)) == Hello("left", 4711, 83, 0, 0xABCDEF, 0)


def test_an_edge_arrives_in_the_next_turn_with_the_boards_stamp_and_age() -> None:
    line = Line().start()
    stamp = line.ticks_ms()
    line.press(9, True)
    line.run(2)
    edge = next(e for e in line.events if isinstance(e, KeyEdge))
    assert (edge.key, edge.down, edge.stamp_ms, edge.age_ms, edge.key_seq) == (9, True, stamp, 1, 1)
    assert edge.us == wire.NO_US


def test_an_edge_s_microseconds_arrive_and_are_the_same_when_it_is_sent_again() -> None:
    line = LossyLine(1, 1.0).start()
    line.press(9, True, 0)
    line.press(8, True, 999)
    line.quiet = False
    line.run(3)
    line.quiet = True
    line.run(200)
    found = [e for e in line.events if isinstance(e, KeyEdge)]
    assert [(e.key, e.us) for e in found] == [(9, 0), (8, 999)]
    assert line.board.resends >= 1


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.floats(0.05, 0.6), st.integers(1, 64))
def test_every_edge_arrives_once_and_in_order_on_any_line(seed: int, rate: float, chunk: int) -> None:
    line = LossyLine(seed, rate)
    line.chunk = chunk
    line.start()
    line.quiet = False
    sent: list[tuple[int, bool]] = []
    for i in range(24):
        sent.append((i % 12, i % 24 < 12))
        line.press(*sent[-1])
        line.run(line.random.randrange(1, 40))
    line.quiet = True
    line.run(700)
    assert line.edges() == sent
    assert not any(isinstance(e, EdgesLost) for e in line.events)
    assert line.host.held == line.board.bitmap


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.floats(0.05, 0.6), st.integers(1, 3))
def test_every_edge_from_the_hello_on_arrives_once_however_the_line_begins(
    seed: int, rate: float, openings: int
) -> None:
    """Keys move while the port is opened again and again, and the line loses anything from its first byte."""
    line = LossyLine(seed, rate)
    line.quiet = False
    made: list[tuple[int, bool]] = []
    session = 0
    for opening in range(openings):
        line.host = HostLink(1 + opening)
        line.events = line.host.opened(line.now_ms * MS)
        for turn in range(1000):
            line.quiet = turn > 250
            line.run(1)
            if line.board.session != session:
                session, made = line.board.session, []
            if not line.quiet and len(made) < RING and line.random.random() < 0.1:
                made.append((line.random.randrange(12), line.random.random() < 0.5))
                line.press(*made[-1])
        assert line.state() is LinkState.LIVE
        assert line.edges() == made


def test_the_first_edge_of_a_session_is_missed_by_nobody_when_its_frame_is_lost() -> None:
    """Answers to time probes come meanwhile and number the next edge: this one is not an old one for that."""
    line = Line()
    line.spoil = lambda data, to_board: data if to_board else data.replace(b"K ", b"? ")  # type: ignore[method-assign]
    line.events += line.host.opened(0)
    while not line.board.session:
        line.step()
    line.press(9, True)  # before the first question, which the host asks when it has the hello
    line.run(300)
    samples = [e for e in line.events if isinstance(e, TimeSample)]
    assert (line.edges(), any(e.complete for e in samples), len(samples) > 8) == ([], False, True)
    del line.spoil
    line.run(200)
    assert line.edges() == [(9, True)]


def test_edges_that_the_ring_gave_up_before_the_host_had_any_are_counted() -> None:
    line = Line().start()
    line.spoil = lambda data, to_board: data if to_board else data.replace(b"K ", b"? ")  # type: ignore[method-assign]
    for i in range(RING + 7):
        line.press(i % 12, i % 2 == 0)
        line.run(10)
    del line.spoil
    line.run(400)
    assert sum(e.count for e in line.events if isinstance(e, EdgesLost)) == line.host.counters.edges_lost == 7
    assert len(line.edges()) == RING
    assert line.board.lost == 7


def test_a_host_with_the_session_number_of_the_one_before_gets_none_of_its_edges() -> None:
    line = Line().start()
    line.spoil = lambda data, to_board: b"" if to_board else data  # type: ignore[method-assign]
    line.press(9, True)  # taken, but the acknowledgement is lost with the host
    line.run(100)
    assert line.edges() == [(9, True)]
    del line.spoil
    line.host = HostLink(1)
    line.press(9, False)
    line.events = line.host.opened(line.now_ms * MS)
    line.run(300)
    assert line.state() is LinkState.LIVE
    assert line.edges() == []
    line.press(8, True)
    line.run(5)
    assert line.edges() == [(8, True)]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.floats(0.05, 0.6))
def test_the_board_shows_the_last_view_soon_after_the_line_is_quiet(seed: int, rate: float) -> None:
    line = LossyLine(seed, rate).start()
    line.quiet = False
    for i in range(12):
        line.host.show([i] * 8, [i] * 11, line.now_ms * MS)
        line.run(line.random.randrange(1, 60))
    line.quiet = True
    line.run(1000)
    assert list(line.board.dice) == [11] * 8
    assert list(line.board.lamps) == [11] * 11


def test_two_acknowledgements_lost_running_repeat_the_edge_but_deliver_it_once() -> None:
    line = LossyLine(0, 0.0).start()
    line.spoil = lambda data, to_board: b"" if to_board else data  # type: ignore[method-assign]
    line.press(3, True)
    line.run(100)
    del line.spoil
    line.run(200)
    assert line.edges() == [(3, True)]
    assert line.host.counters.repeats == 2
    resent = line.board.resends
    line.run(500)
    assert line.board.resends == resent, "an acknowledged edge must not be sent again"


def test_edges_of_before_this_host_are_void() -> None:
    line = Line()
    line.press(9, True)
    line.press(9, False)
    line.start()
    line.run(300)
    assert line.edges() == []
    line.press(8, True)
    line.run(5)
    assert line.edges() == [(8, True)]


def test_what_an_earlier_session_left_in_the_cable_is_ignored() -> None:
    earlier = Line().start()
    earlier.press(9, True)
    earlier.board.poll(earlier.ticks_ms(), 0)
    stale = b"8 04 1 1\n" + bytes(earlier.board.out[: earlier.board.out_len])
    hello_of_then = wire.encode("H", 5, 1, 1, 4711, 1, 83, 0, 0, 0)
    line = Line(host=HostLink(2))
    line.events += line.host.opened(0)
    line.events += line.host.receive(stale + hello_of_then + stale, 0)
    assert line.state() is LinkState.HELLO
    line.run(20)
    assert line.state() is LinkState.LIVE
    assert line.edges() == []


def test_a_silent_board_is_stale_after_750_ms_lost_after_3_s() -> None:
    line = Line().start()
    line.host_reads = False
    line.run(700)
    assert line.state() is LinkState.LIVE
    line.run(60)
    assert line.state() is LinkState.STALE
    line.run(2250)
    assert line.state() is LinkState.LOST


def test_a_stall_shorter_than_3_s_loses_no_edge_and_keeps_the_stamps() -> None:
    line = Line().start()
    line.host_reads = False
    stamps = []
    for i in range(10):
        stamps.append(line.ticks_ms())
        line.press(i, True)
        line.run(120)
    line.host_reads = True
    line.run(400)
    got = [e for e in line.events if isinstance(e, KeyEdge)]
    assert [(e.key, e.stamp_ms) for e in got] == list(enumerate(stamps))
    assert line.states()[-2:] == [LinkState.STALE, LinkState.LIVE]


def test_a_host_that_reads_nothing_for_a_minute_gets_the_last_32_edges_and_the_count_of_the_lost() -> None:
    line = Line().start()
    line.host_reads = line.host_runs = False
    for i in range(60):
        line.press(i % 12, i % 2 == 0)
        line.run(1000)
    line.host_reads = line.host_runs = True
    line.run(400)
    pressed = [(i % 12, i % 2 == 0) for i in range(60)]
    lost = sum(e.count for e in line.events if isinstance(e, EdgesLost))
    in_the_cable = 60 - RING - lost
    assert line.edges() == pressed[:in_the_cable] + pressed[-RING:]
    assert in_the_cable <= 320 // 30, "only what the port's 320 bytes hold can be older than the ring"
    assert line.board.lost >= lost > 0


def test_a_reset_behind_an_open_port_starts_a_new_session_and_sends_the_view_again() -> None:
    line = Line().start()
    line.host.show(range(8), range(11), line.now_ms * MS)
    line.run(5)
    line.board = BoardLink(1, 4712, 83, 0, 0xABCDEF)
    line.run(2500)
    assert [e.boot_id for e in line.events if isinstance(e, Hello)] == [4711, 4712]
    assert line.state() is LinkState.LIVE
    assert list(line.board.dice) == list(range(8))
    assert list(line.board.lamps) == list(range(11))


def test_a_hello_of_a_board_that_was_reset_meanwhile_is_no_hello_of_the_board_that_was_there() -> None:
    """A cable that outlives the board may give it the host's hello late: it is answered, and by another."""
    line = Line().start()
    line.board = BoardLink(1, 4712, 83, 0, 0xABCDEF)
    late = wire.encode("h", 0, wire.PROTOCOL, line.host.session)
    feed(line.board, late, line.ticks_ms(), 0)
    line.run(500)
    assert line.states() == [LinkState.HELLO, LinkState.LIVE, LinkState.HELLO, LinkState.LIVE]
    assert [e.boot_id for e in line.events if isinstance(e, Hello)] == [4711, 4712]


def test_a_lost_release_is_mended_by_the_beat_and_is_no_edge() -> None:
    line = Line().start()
    line.press(2, True)
    line.run(5)
    line.board.bitmap = 0  # the queue overflowed: the release was never seen
    line.run(800)
    assert line.edges() == [(2, True)]
    assert [e.held for e in line.events if isinstance(e, HeldMended)] == [0]
    assert line.host.held == 0


def test_the_board_is_asked_for_its_time_eight_times_soon_after_the_hello() -> None:
    line = Line().start()
    line.run(200)
    assert sum(isinstance(e, TimeSample) for e in line.events) >= 8


def test_a_clock_is_learned_well_before_the_board_is_left_at_rest() -> None:
    line = Line().start()
    line.host.probe_every(REST_EVERY_NS, line.now_ms * MS)
    line.run(5000)
    assert sum(isinstance(e, TimeSample) for e in line.events) >= FIRST_PROBES


def test_time_probes_are_answered_about_eight_times_a_second() -> None:
    line = Line().start()
    line.run(500)
    line.events.clear()
    line.run(1000)
    samples = [e for e in line.events if isinstance(e, TimeSample)]
    assert 7 <= len(samples) <= 10
    assert all(0 <= s.received_ns - s.sent_ns <= 2 * MS for s in samples)
    assert all(s.board_rx_us <= s.board_tx_us for s in samples)


class PatientLine(Line):
    """A host that polls only when it said it must, as the running one."""

    polls = 0
    _due_ms = 0.0

    def step(self) -> None:
        self.host_runs = self.now_ms + 1 >= self._due_ms
        self.polls += self.host_runs
        super().step()
        self._due_ms = self.now_ms + self.host.due_ns(self.now_ms * MS) / MS


@pytest.mark.parametrize("every_ns", [REST_EVERY_NS, PROBE_EVERY_NS, UNSURE_EVERY_NS])
def test_a_host_wakes_no_more_often_than_it_asks_and_knows_a_silent_board_in_time(every_ns: int) -> None:
    line = PatientLine().start()
    line.host.probe_every(every_ns, line.now_ms * MS)
    line.run(5000)
    line.events.clear()
    line.polls = 0
    line.run(10_000)
    samples = sum(isinstance(e, TimeSample) for e in line.events)
    assert line.polls == pytest.approx(10_000 * MS / every_ns, rel=0.1)
    assert samples == pytest.approx(line.polls, abs=1)
    line.host_reads = False
    line.run(1000)
    assert line.states()[-1] is LinkState.STALE
    line.run(2050)
    assert line.states()[-1] is LinkState.LOST


@pytest.mark.parametrize("every_ns", [REST_EVERY_NS, PROBE_EVERY_NS])
def test_a_machine_that_stood_still_blames_no_board(every_ns: int) -> None:
    """Host and board wake together, and the board's first frame takes a while."""
    line = PatientLine().start()
    line.host.probe_every(every_ns, line.now_ms * MS)
    for stood_ms in range(300, 3000, 77):
        line.run(1000 + stood_ms)
        line.now_ms += stood_ms
        line.host_reads = False
        line.run(100)
        line.host_reads = True
    line.run(100)
    assert line.states() == [LinkState.HELLO, LinkState.LIVE]


def test_an_eye_that_turns_is_asked_for_in_time_while_the_board_is_at_rest() -> None:
    line = PatientLine(board=BoardLink(3, 4711, 34, 0, 0)).start()
    line.host.probe_every(REST_EVERY_NS, line.now_ms * MS)
    line.host.show([0] * 8, [0] * 11, line.now_ms * MS, DeckView(eye=40))
    line.run(1)
    version = line.board.eye_version
    line.run(5010)
    assert line.board.eye_version == version + 5


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.floats(0.0, 0.5))
@example(1100, 0.25)  # the ring runs over
def test_an_answer_that_is_complete_comes_after_every_edge_from_before_the_question(
    seed: int, rate: float
) -> None:
    line = LossyLine(seed, rate).start()
    line.quiet = False
    pressed: list[int] = []  # the ms at which edge n + 1 was made
    for _ in range(400):
        if line.random.random() < 0.1:
            line.press(line.random.randrange(12), True)
            pressed.append(line.now_ms)
        line.run(1)
    delivered = 0  # or known to be lost
    for event in line.events:
        delivered += isinstance(event, KeyEdge)
        delivered += event.count if isinstance(event, EdgesLost) else 0
        if isinstance(event, TimeSample) and event.complete:
            before = sum(ms * MS < event.sent_ns for ms in pressed)
            assert delivered >= before


def test_a_board_across_the_wrap_of_its_ticks_keeps_beating_and_ageing() -> None:
    line = Line().start()
    line.run(65_400)
    for i in range(20):
        line.press(i % 12, i < 12)
        line.run(10)
    assert len(line.edges()) == 20
    ages = [e.age_ms for e in line.events if isinstance(e, KeyEdge)]
    assert max(ages) <= 2
    stamps = [e.stamp_ms for e in line.events if isinstance(e, KeyEdge)]
    assert stamps[0] > stamps[-1], "the presses must lie on both sides of the wrap"
    line.run(2000)
    assert line.states() == [LinkState.HELLO, LinkState.LIVE]


def test_the_board_says_nothing_before_a_hello_and_grows_nothing_while_nobody_reads() -> None:
    board = BoardLink(3, 1, 34, 0, 0)
    board.poll(0, 0)
    assert board.out_len == 0
    hello = wire.encode("h", 0, wire.PROTOCOL, 9)
    feed(board, hello, 0, 0)
    for now_ms in range(1, 60_000):
        board.poll(now_ms, 0)
        assert board.out_len <= len(board.out)


def test_an_answer_is_not_stale_because_the_board_slept_before_the_question() -> None:
    board = BoardLink(1, 4711, 83, 0, 0)
    board.poll(0, 0)
    hello = wire.encode("h", 0, wire.PROTOCOL, 9)
    feed(board, hello, 5000, 0)
    board.poll(5001, 0)
    assert bytes(board.out).startswith(b"H 0 ")


def test_a_frame_the_port_took_half_of_is_finished_before_fresh_ones() -> None:
    line = Line().start()
    line.press(1, True)
    ticks = line.ticks_ms()
    line.board.poll(ticks, 0)
    begun = bytes(line.board.out[: line.board.out_len])
    line.board.written(10, ticks)
    for _ in range(500):
        ticks = (ticks + 1) % wire.TICKS_MS_PERIOD
        line.board.poll(ticks, 0)
    assert bytes(line.board.out[: len(begun) - 10]) == begun[10:]
    arrived = begun[:10] + bytes(line.board.out[: line.board.out_len])
    line.events += line.host.receive(arrived, line.now_ms * MS)
    assert line.edges() == [(1, True)]
    assert line.host.counters.bad_frames == 0


def test_a_missing_hello_is_asked_for_again_and_given_up_after_3_s() -> None:
    host = HostLink(1)
    host.opened(0)
    hellos = 0
    for now_ms in range(0, 2990, 10):
        host.poll(now_ms * MS)
        hellos += host.take_outgoing().count(b"h ")
    assert 14 <= hellos <= 16
    assert host.poll(3000 * MS) == [StateChanged(LinkState.LOST)]


@pytest.mark.parametrize("dice", [[0] * 7, [512] * 8, [-1] * 8])
def test_a_view_that_no_board_can_show_is_refused(dice: list[int]) -> None:
    with pytest.raises(wire.FieldError):
        HostLink(1).show(dice, [0] * 11, 0)


@given(st.lists(st.binary(max_size=80), max_size=20))
def test_any_bytes_from_a_board_never_raise_and_never_press_a_key(chunks: list[bytes]) -> None:
    line = Line().start()
    before = len(line.events)
    for chunk in chunks:
        line.events += line.host.receive(chunk, line.now_ms * MS)
    assert not [e for e in line.events[before:] if isinstance(e, KeyEdge)]


@given(st.lists(st.binary(max_size=80), max_size=20))
def test_any_bytes_from_the_host_never_raise_and_change_no_output(chunks: list[bytes]) -> None:
    board = BoardLink(1, 4711, 83, 0, 0)
    for chunk in chunks:
        feed(board, chunk, 0, 0)
        board.poll(0, 0)
    assert board.outputs_version == 0
    assert board.out_len == 0
