"""A game while boards go, hosts stand still and answers are lost: it waits, and goes on from where it was."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from galley.house import ALL_KEYS
from galley.link_events import KeyEdge, LinkState, TimeSample
from galley.sim.fault_stream import FaultStream
from galley.tables import GAMES
from galley.tables.table import BOARDS, ROLL, Seat
from galley.timekeeper import Timekeeper
from galley_board import wire
from tests.host.cable import MS, FaultyLine
from tests.host.evening_clock import ALL, EveningClock


def in_play(game: str, seed: int) -> EveningClock:
    """A game of two people, some moves in."""
    evening = EveningClock(seed=seed, game=game, howto=False, demo=False)
    evening.house.begin([Seat("red"), Seat("blue")], evening.now_ms)
    evening.random_keys(Random(seed), lambda: evening.steps() >= 6 or evening.house.phase != "game")
    assert evening.house.phase == "game"
    return evening


@pytest.mark.parametrize("gone_ms", [200, 2_000, 30_000])
@pytest.mark.parametrize("game", GAMES)
def test_a_game_waits_for_its_board_and_goes_on_from_its_state(game: str, gone_ms: int) -> None:
    evening = in_play(game, 3)
    house = evening.house
    (role, *_) = [board for board in BOARDS if board in house.needed]
    words = evening.words().get(role, {})
    house.boards_live(ALL - {role}, evening.now_ms)
    assert evening.topic("house")["paused"] == {"because": "boards_missing", "boards": [role]}
    before, steps, session = evening.topic("table")["state"], evening.steps(), house.session
    for key in words:
        evening.press(role, int(key))
    pressed_ms = evening.now_ms
    evening.wait(gone_ms)
    house.boards_live(ALL, evening.now_ms)
    assert evening.topic("house")["paused"] is None
    for key in words:  # an edge from before it went that comes only now
        house.press(role, int(key), pressed_ms)
        house.release(role, int(key), pressed_ms)
    assert evening.topic("table")["state"] == before
    assert house.session is session, "a game never starts again by itself"
    evening.random_keys(Random(1), lambda: evening.steps() > steps or house.phase != "game")


@pytest.mark.parametrize("order", [("left", "deck", "right"), ("deck", "right", "left")])
def test_a_board_after_the_other_may_go_and_come(order: tuple[str, ...]) -> None:
    evening = in_play("worm_grill", 5)
    before, session = evening.topic("table")["state"], evening.house.session
    live = set(ALL)
    for role in order:
        live.discard(role)
        evening.house.boards_live(frozenset(live), evening.now_ms)
        evening.wait(700)
    for role in reversed(order):
        assert evening.house.phase == "game"
        live.add(role)
        evening.house.boards_live(frozenset(live), evening.now_ms)
        evening.wait(700)
    assert evening.topic("house")["paused"] is None
    assert evening.house.session is session
    assert evening.topic("table")["state"] == before


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("game", GAMES)
def test_all_keys_down_for_a_minute_end_no_game(game: str, seed: int) -> None:
    """Children lie on the box: each key counts once, MODE pauses, and ROLL lets the game go on."""
    evening = in_play(game, seed)
    house, keys = evening.house, sorted(ALL_KEYS)
    session = house.session
    Random(seed).shuffle(keys)
    for board, key in keys:
        evening.now_ms += 3
        house.press(board, key, evening.now_ms)
    evening.wait(60_000)
    paused = evening.topic("house")["paused"]
    assert (paused["because"], paused["muted"]) == ("operator", False)
    before = evening.topic("table")["state"]
    for board, key in keys:
        house.release(board, key, evening.now_ms)
    evening.wait(1_000)
    assert evening.topic("table")["state"] == before
    evening.press("left", ROLL)
    assert evening.topic("house")["paused"] is None
    assert house.session is session
    steps = evening.steps()
    evening.random_keys(Random(seed), lambda: evening.steps() > steps or house.phase != "game")


@pytest.mark.parametrize("stall_ms", [20, 100, 500])
def test_a_host_that_stands_still_loses_no_key_and_no_board(stall_ms: int) -> None:
    line = FaultyLine().start()
    line.run(300)
    line.events.clear()
    sent: list[tuple[int, bool]] = []
    for turn in range(8):
        line.host_runs = line.host_reads = False
        for _ in range(4):
            sent.append((len(sent) % 12, True))
            line.press(*sent[-1])
            line.run(stall_ms // 4)
        line.host_runs = line.host_reads = True
        line.run(100 + turn)
    line.run(300)
    assert line.edges() == sent
    assert LinkState.LOST not in line.states()


def test_two_presses_in_one_read_come_out_in_their_order() -> None:
    line = FaultyLine().start()
    line.run(300)
    line.events.clear()
    line.to_host.stall(0.03, line.now_ms)  # one frame is 30 ms late, so both are in one read
    stamps = []
    for key in (9, 8):
        stamps.append(line.ticks_ms())
        line.press(key, True)
        line.run(4)
    line.run(60)
    edges = [event for event in line.events if isinstance(event, KeyEdge)]
    assert len({edge.received_ns for edge in edges}) == 1
    assert [(edge.key, edge.stamp_ms) for edge in edges] == list(zip((9, 8), stamps, strict=True))


class WithoutAnswers(FaultStream):
    """Loses the answers to time probes, and nothing else."""

    def feed(self, data: bytes) -> None:
        frames = data.splitlines(keepends=True)
        super().feed(b"".join(frame for frame in frames if not frame.startswith(b"T ")))


def heard(line: FaultyLine) -> Iterator[TimeSample]:
    yield from (event for event in line.events if isinstance(event, TimeSample))


def test_without_answers_a_board_is_unsynchronised_and_age_stamps_are_used() -> None:
    line = FaultyLine()
    line.to_host = WithoutAnswers()
    line.start()
    keeper = Timekeeper()
    keeper.joined("left", 4711, 0)
    line.run(3000)
    line.press(9, True)
    line.run(20)
    assert list(heard(line)) == []
    assert line.state() is LinkState.LIVE
    assert keeper.standing("left", line.now_ms * MS) == {"state": "unsynchronised"}
    (edge,) = [event for event in line.events if isinstance(event, KeyEdge)]
    timed = keeper.timed("left", edge)
    assert timed.provisional
    assert abs(timed.press.ns - (line.now_ms - 20) * MS) <= timed.press.uncertainty_ns


def test_ticks_near_their_wrap_keep_presses_in_order() -> None:
    line = FaultyLine().start()
    line.run(65_300)  # the line's board was started 65.5 s before its wrap
    line.events.clear()
    for number in range(40):
        line.press(number % 12, number % 24 < 12)
        line.run(10)
    line.run(200)
    edges = [event for event in line.events if isinstance(event, KeyEdge)]
    assert len(edges) == 40
    since = [(edge.stamp_ms - edges[0].stamp_ms) % wire.TICKS_MS_PERIOD for edge in edges]
    assert since == sorted(since)
    assert edges[0].stamp_ms > edges[-1].stamp_ms
