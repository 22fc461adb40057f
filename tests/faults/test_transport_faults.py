"""Faults of the transport on both ends of the link, in simulated time: late, spoilt, twice or never."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley.link_events import EdgesLost, Hello, LinkState, StateChanged
from galley.sim.fault_plan import NOISE, noise
from galley.sim.fault_stream import FaultStream
from galley_board import wire
from galley_board.link import BoardLink
from tests.board.workbench import feed
from tests.host.cable import FaultyLine

A_FRAME = 60


def started() -> FaultyLine:
    line = FaultyLine().start()
    line.run(300)
    line.events.clear()
    return line


@pytest.mark.parametrize("how", ["flip", "drop", "double"])
@pytest.mark.parametrize("way", ["to_host", "to_board"])
def test_a_spoilt_byte_costs_one_frame_wherever_it_is(way: str, how: str) -> None:
    """Every position of a frame in turn, on one line that is never opened anew."""
    line = started()
    stream = line.to_host if way == "to_host" else line.to_board
    sent = []
    for pos in range(A_FRAME):
        before = line.host.counters.bad_frames + line.host.counters.board_bad_frames
        stream.corrupt(pos, how)
        key = pos % 12
        for down in (True, False):
            line.press(key, down)
            line.host.show([pos + down] * 8, [0] * 11, line.now_ms * 1_000_000)
            sent.append((key, down))
            line.run(100)
        line.run(50 if way == "to_host" else 900)  # what the board counted it tells each second
        after = line.host.counters.bad_frames + line.host.counters.board_bad_frames
        # two frames melt into one where the newline between them was spoilt; one newline more harms nobody
        assert (how != "double") <= after - before <= 2, (
            f"byte {pos}: the counter rises, and no more than one frame is hurt"
        )
    assert line.edges() == sent
    assert not [event for event in line.events if isinstance(event, StateChanged | EdgesLost)]
    assert list(line.board.dice) == [A_FRAME - 1] * 8


@pytest.mark.parametrize("times", [1, 2])
def test_frames_lost_from_the_board_come_again_with_their_first_stamp(times: int) -> None:
    line = started()
    line.press(9, True)
    stamp = line.ticks_ms()
    line.to_host.drop_frame(1)
    for _ in range(times - 1):
        line.run(59)
        line.to_host.drop_frame(1)
    line.run(400)
    (edge,) = [event for event in line.events if type(event).__name__ == "KeyEdge"]
    assert (edge.key, edge.stamp_ms) == (9, stamp)  # type: ignore[union-attr]
    assert line.board.resends >= 1


@pytest.mark.parametrize("times", [1, 2])
def test_a_view_lost_on_its_way_is_sent_again(times: int) -> None:
    line = started()
    for _ in range(times):
        line.to_board.drop_frame(1)
        line.host.show([7] * 8, [3] * 11, line.now_ms * 1_000_000)
        line.run(2)
    line.run(900)
    assert list(line.board.dice) == [7] * 8
    assert list(line.board.lamps) == [3] * 11


@settings(max_examples=40, deadline=None)
@given(st.binary(min_size=1, max_size=256), st.booleans())
def test_stale_bytes_before_the_hello_are_ignored(stale: bytes, of_a_frame: bool) -> None:
    line = FaultyLine()
    earlier = wire.encode("K", 3, 1, 9, 1, 77, 0, 0, 1)
    line.to_host.inject(stale + earlier[5:] if of_a_frame else stale)
    line.events += line.host.opened(0)
    line.run(1000)
    assert line.state() is LinkState.LIVE
    assert line.edges() == []


@pytest.mark.parametrize("word, key", list(product(NOISE, (0, 9))))
def test_console_noise_in_the_stream_loses_no_key(word: str, key: int) -> None:
    line = started()
    line.press(key, True)
    line.to_host.inject(noise(word))
    line.run(1)
    line.to_host.inject(noise(word) + b"\n")
    line.run(400)
    assert line.edges() == [(key, True)]
    assert line.state() is LinkState.LIVE
    assert line.host.counters.bad_frames >= 1


@pytest.mark.parametrize("piece", [1, 2, 7])
def test_pieces_of_a_few_bytes_are_whole_frames_in_the_end(piece: int) -> None:
    line = started()
    line.to_host.short_write(piece)
    line.press(9, True)
    line.press(9, False)
    line.run(600)
    assert line.edges() == [(9, True), (9, False)]
    assert line.host.counters.bad_frames == 0


@pytest.mark.parametrize("quantum_ms", [1, 2, 8])
def test_a_bus_that_is_asked_in_turns_only_delays(quantum_ms: int) -> None:
    line = started()
    line.to_host.frame_quantum(quantum_ms)
    line.to_board.frame_quantum(quantum_ms)
    for key in range(12):
        line.press(key, True)
        line.run(25)
    line.run(100)
    assert line.edges() == [(key, True) for key in range(12)]


def test_a_bus_gives_what_waits_at_its_next_turn_however_late_it_is_asked() -> None:
    stream = FaultStream()
    stream.frame_quantum(8)
    stream.feed(b"x\n")
    assert (stream.take(3.3), stream.due_ms(3.3), stream.take(7.9)) == (b"", 8, b"")
    assert stream.take(8.4) == b"x\n"
    stream.stall(0.02, 9.0)
    stream.feed(b"y\n")
    assert (stream.due_ms(9.5), stream.take(29.1), stream.take(32.5)) == (32, b"", b"y\n")


def test_a_line_that_holds_everything_for_5_s_is_lost_by_the_heartbeat() -> None:
    line = started()
    line.to_host.stall(5.0, line.now_ms)
    line.run(600)  # the last frame came up to 124 ms before
    assert line.state() is LinkState.LIVE
    line.run(200)
    assert line.state() is LinkState.STALE
    line.run(2250)
    assert line.state() is LinkState.LOST


def test_a_board_that_resets_at_each_opening_goes_on_as_a_new_one() -> None:
    line = FaultyLine()
    boots = []
    for opening in range(3):
        line.board = BoardLink(1, 100 + opening, 83, 0, 0)  # what it held, its ring and its numbers are gone
        line.host = type(line.host)(1 + opening)
        line.events += line.host.opened(line.now_ms * 1_000_000)
        line.run(300)
        line.press(opening, True)
        line.run(100)
    boots = [event.boot_id for event in line.events if isinstance(event, Hello)]
    assert boots == [100, 101, 102]
    assert line.edges() == [(0, True), (1, True), (2, True)]


def test_a_probing_program_gets_no_answer_and_changes_nothing() -> None:
    """`AT` and a return, as modem managers say: the board answers nothing and shows what it did."""
    board = BoardLink(1, 4711, 83, 0, 0)
    for at_ms in range(0, 10_000, 100):
        for said in (b"AT\r", b"ATE1 E0\r\n", b"\x7e\x00\x78\xf0\x7e"):
            feed(board, said, at_ms, 0)
            board.poll(at_ms, 0)
    assert (board.out_len, board.outputs_version) == (0, 0)


def test_the_same_faults_strike_the_same_way_twice() -> None:
    def run() -> tuple[list[tuple[int, bool]], dict[str, int]]:
        line = started()
        for number in range(12):
            line.to_host.corrupt(17 * number % 200, ("flip", "drop", "double")[number % 3])
            line.to_host.drop_frame(number % 2)
            line.press(number, True)
            line.run(40)
        line.run(600)
        return line.edges(), dict(line.to_host.count)

    assert run() == run()


def test_a_fault_that_a_stream_has_not_is_refused() -> None:
    with pytest.raises(ValueError, match="flip, drop or double"):
        FaultStream().corrupt(3, "burn")
