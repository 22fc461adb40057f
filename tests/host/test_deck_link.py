"""What only a deck has, over the link: motions that are asked for again and again, and its reports."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley.link import HostLink
from galley.link_events import DeckReport, LinkState
from galley.tables.table import DARK, DeckView
from galley_board import deck_codes, wire
from galley_board.link import BoardLink
from tests.host.cable import MS, LossyLine

RED = 4
RUNNING = DeckView(eye=60, drum=3, drift=2, pupil=RED, holes=(RED, DARK, DARK, RED))


def deck_line(seed: int = 0, rate: float = 0.0) -> LossyLine:
    line = LossyLine(seed, rate)
    line.board = BoardLink(3, 4711, 34, 6, 0xABCDEF)
    line.start()
    return line


def show(line: LossyLine, deck: DeckView) -> None:
    line.host.show([0] * 8, [0] * 11, line.now_ms * MS, deck)


def frames(data: bytes, kind: str) -> list[list[int]]:
    """The fields of the host's frames of one kind."""
    decoder, found, at = wire.Decoder(wire.FROM_HOST), [], 0
    while at < len(data):
        at = decoder.take(data, at, len(data))
        if decoder.kind == kind:
            found.append(list(decoder.fields[: decoder.count]))
    return found


def test_a_view_of_the_deck_arrives_whole() -> None:
    line = deck_line()
    show(line, RUNNING)
    line.run(3)
    assert list(line.board.deck) == [3, RED, 2, RED, 0, 0, RED]
    assert (line.board.eye_speed, line.board.eye_ms, line.board.go_deg) == (60, wire.RUN_MAX_MS, -1)


def test_only_what_changed_is_sent() -> None:
    line = deck_line()
    show(line, RUNNING)
    line.host.take_outgoing()
    show(line, RUNNING._replace(drum=4))
    sent = line.host.take_outgoing()
    assert frames(sent, "m") == [[4]]
    assert not frames(sent, "p") + frames(sent, "e") + frames(sent, "l")
    show(line, RUNNING._replace(drum=4))
    assert line.host.take_outgoing() == b""


@pytest.mark.parametrize(("eye", "speed"), [(100, 100), (-100, -100), (-1, -1), (0, 0)])
def test_a_speed_goes_both_ways_round(eye: int, speed: int) -> None:
    line = deck_line()
    show(line, DeckView(eye=50))
    show(line, DeckView(eye=eye))
    line.run(3)
    assert line.board.eye_speed == speed


@pytest.mark.parametrize(
    "deck",
    [
        DeckView(eye=101),
        DeckView(eye=-101),
        DeckView(drum=10),
        DeckView(drum=-1),
        DeckView(drift=10),
        DeckView(pupil=64),
        DeckView(holes=(0, 0, 0, -1)),
    ],
)
def test_a_view_that_no_deck_can_show_is_refused_and_changes_nothing(deck: DeckView) -> None:
    host = HostLink(1)
    with pytest.raises(wire.FieldError):
        host.show([1] * 8, [0] * 11, 0, deck)
    assert host.outputs == HostLink(1).outputs


def test_a_running_eye_is_asked_for_once_a_second_and_a_still_one_is_not() -> None:
    line = deck_line()
    show(line, DeckView(eye=30))
    line.run(10)
    before = line.board.eye_version
    line.run(3000)
    assert line.board.eye_version == before + 3
    show(line, DeckView())
    line.run(10)
    before = line.board.eye_version
    line.run(3000)
    assert line.board.eye_version == before


def test_a_stop_that_was_lost_is_said_again() -> None:
    line = deck_line()
    show(line, DeckView(eye=30))
    line.run(10)
    line.board.report[2] = deck_codes.EYE_TURNING
    show(line, DeckView())
    line.host.take_outgoing()  # lost on the way
    line.run(1500)
    assert line.board.eye_speed == 0
    line.board.report[2] = deck_codes.EYE_STILL
    line.run(10)
    before = line.board.eye_version
    line.run(2000)
    assert line.board.eye_version == before


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.floats(0.05, 0.6))
def test_the_deck_holds_the_last_view_soon_after_the_line_is_quiet(seed: int, rate: float) -> None:
    line = deck_line(seed, rate)
    line.quiet = False
    for step in range(8):
        show(line, DeckView(eye=step, drum=step, drift=step % 4, pupil=step, holes=(step,) * 4))
        line.run(line.random.randrange(1, 60))
    line.quiet = True
    line.run(1300)
    assert list(line.board.deck) == [7, 7, 3, 7, 7, 7, 7]
    assert line.board.eye_speed == 7


def test_a_deck_that_was_reset_is_told_everything_again() -> None:
    line = deck_line()
    show(line, RUNNING)
    line.run(5)
    line.board = BoardLink(3, 4712, 34, 6, 0xABCDEF)
    line.run(2500)
    assert line.state() is LinkState.LIVE
    assert list(line.board.deck) == [3, RED, 2, RED, 0, 0, RED]
    assert line.board.eye_speed == 60


def test_what_the_deck_reports_comes_at_once_when_it_changes_and_every_second() -> None:
    line = deck_line()
    line.run(500)
    line.events.clear()
    line.board.report[5] = 3
    line.run(6)
    (report,) = [event for event in line.events if isinstance(event, DeckReport)]
    assert report.reader == 3
    assert line.host.deck == report
    line.run(2010)
    assert sum(isinstance(event, DeckReport) for event in line.events) == 3


def test_an_angle_that_changes_all_the_time_is_told_four_times_a_second() -> None:
    line = deck_line()
    line.events.clear()
    for deg in range(2000):
        line.board.report[0] = deg % 360
        line.run(1)
    assert 7 <= sum(isinstance(event, DeckReport) for event in line.events) <= 9


def test_a_switch_that_chatters_does_not_fill_the_line() -> None:
    line = deck_line()
    line.run(100)
    line.events.clear()
    for ms in range(1000):
        line.board.report[6] = ms % 2
        line.run(1)
    assert 20 <= sum(isinstance(event, DeckReport) for event in line.events) <= 50


def test_a_station_reports_no_deck_and_is_told_of_none() -> None:
    line = LossyLine(0, 0.0)
    line.events += line.host.opened(0)
    sent = b""

    def overheard(data: bytes, to_board: bool) -> bytes:
        nonlocal sent
        sent += data if to_board else b""
        return data

    line.spoil = overheard  # type: ignore[method-assign]
    line.run(1500)
    assert line.state() is LinkState.LIVE
    assert not any(isinstance(event, DeckReport) for event in line.events)
    assert not any(frames(sent, kind) for kind in "egmpw")
    assert line.host.counters.views_resent == 0


def test_a_go_and_a_lesson_are_sent_once_and_only_to_a_live_deck() -> None:
    host = HostLink(1)
    host.go(90, 2000)
    host.learn(1)
    assert host.take_outgoing() == b""
    line = deck_line()
    line.host.go(90, 2000)
    line.host.learn(deck_codes.WELL.index("empty"))
    line.run(3)
    assert (line.board.go_deg, line.board.eye_ms) == (90, 2000)
    assert line.board.well_colour == 5
    versions = line.board.eye_version, line.board.well_version
    line.run(2500)
    assert (line.board.eye_version, line.board.well_version) == versions
