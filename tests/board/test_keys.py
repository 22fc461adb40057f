"""Keys: one press and one release for each push, whatever the switch, the queue and the clock do."""

from __future__ import annotations

import pytest

from galley_board import keys, wire
from tests.board.workbench import Bench

Edge = tuple[int, int, int]
PINS = 12


class Hand:
    """Keys over the stand-in scanner; what they told, with stamps as ms since power-on."""

    def __init__(
        self, bench: Bench, start_ms: float = 100, held: tuple[int, ...] = (), turning: bool = True
    ) -> None:
        self.bench = bench
        self.told: list[Edge] = []
        keypad, board = bench.module("keypad"), bench.module("board")
        bench.at_ms(start_ms)
        for key in held:
            bench.press(key)
        found = [getattr(board, f"GP{number}") for number in range(PINS)]
        self.scanner = keypad.Keys(found, value_when_pressed=False, pull=True, interval=0.001)
        self.keys = keys.Keys(self.scanner, keypad.Event(), list(range(PINS)), bench.now_ms)
        if turning:
            self.run_to(start_ms + 20)

    def key_edge(self, key: int, down: int, stamp_ms: int, us: int) -> None:
        assert us == wire.NO_US
        self.told.append((key, down, (stamp_ms - self.bench.rig.ticks_origin) % wire.TICKS_MS_PERIOD))

    def blocked(self, key: int) -> int:
        return int(self.keys._blocked[key])

    def poll(self) -> None:
        self.keys.poll(self.bench.now_ms, self)

    def run_to(self, ms: float) -> None:
        """Turn every millisecond until `ms`."""
        while self.bench.now_ns < ms * 1_000_000:
            self.bench.wait_ms(1)
            self.poll()

    def move(self, key: int, *times_ms: float) -> None:
        """Edges of a key that is up: down, up, down at these times, with turns between."""
        for index, ms in enumerate(times_ms):
            self.run_to(ms - 1)
            self.bench.at_ms(ms)
            self.bench.press(key, index % 2 == 0)

    def close_to(self, expected: list[Edge], late_ms: int = 2) -> bool:
        """Whether these edges were told, each stamped at its scan: late by a scan and a rounding at most."""
        return len(self.told) == len(expected) and all(
            told[:2] == wanted[:2] and 0 <= told[2] + 1 - wanted[2] <= late_ms + 1
            for told, wanted in zip(self.told, expected, strict=True)
        )


def test_a_push_is_one_press_and_one_release_with_the_stamps_of_their_scans(bench: Bench) -> None:
    hand = Hand(bench)
    hand.move(9, 200, 260)
    hand.run_to(400)
    assert hand.close_to([(9, 1, 200), (9, 0, 260)])


def test_a_press_is_told_in_the_turn_after_its_scan(bench: Bench) -> None:
    hand = Hand(bench)
    hand.move(9, 200)
    hand.run_to(202)
    assert hand.close_to([(9, 1, 200)])


def test_a_train_of_nine_edges_is_one_press(bench: Bench) -> None:
    hand = Hand(bench)
    hand.move(9, *(200 + 2 * edge for edge in range(9)))
    hand.run_to(400)
    assert hand.close_to([(9, 1, 200)])
    assert hand.keys.bitmap == 1 << 9


def test_neighbours_of_a_bouncing_key_stay_quiet(bench: Bench) -> None:
    hand = Hand(bench)
    for edge in range(9):
        hand.run_to(200 + 2 * edge)
        bench.press(9, edge % 2 == 0)
        bench.press(3, edge >= 4)
    hand.run_to(400)
    assert sorted({edge[:2] for edge in hand.told}) == [(3, 1), (9, 1)]
    assert len(hand.told) == 2


def test_press_and_release_three_ms_apart_are_one_press_with_both_stamps(bench: Bench) -> None:
    hand = Hand(bench)
    hand.move(8, 200, 203)
    hand.run_to(400)
    assert hand.close_to([(8, 1, 200), (8, 0, 203)])


def test_press_and_release_between_two_turns_keep_both_stamps(bench: Bench) -> None:
    hand = Hand(bench)
    bench.at_ms(200)
    bench.press(8)
    bench.at_ms(203)
    bench.press(8, False)
    hand.run_to(400)
    assert hand.close_to([(8, 1, 200), (8, 0, 203)])


def test_a_release_in_the_hold_off_is_told_when_it_is_over_and_not_before(bench: Bench) -> None:
    hand = Hand(bench)
    hand.move(8, 200, 203)
    hand.run_to(218)
    assert hand.close_to([(8, 1, 200)])
    hand.run_to(223)
    assert hand.close_to([(8, 1, 200), (8, 0, 203)])


def test_a_reader_that_comes_late_decides_the_same(bench: Bench) -> None:
    hand = Hand(bench)
    for ms, down in ((200, True), (204, False), (206, True), (260, False), (262, True), (264, False)):
        bench.at_ms(ms)
        bench.press(9, down)
    bench.at_ms(480)
    hand.poll()
    hand.run_to(600)
    assert hand.close_to([(9, 1, 200), (9, 0, 260)])


def test_two_keys_in_one_scan_have_one_stamp(bench: Bench) -> None:
    hand = Hand(bench)
    bench.at_ms(200.2)
    bench.press(10)
    bench.press(9)
    hand.run_to(300)
    assert [edge[0] for edge in hand.told] == [9, 10]
    assert hand.told[0][2] == hand.told[1][2]


@pytest.mark.parametrize("press_ms", [65533.0, 65535.0, 65536.0, 65540.0])
def test_the_wrap_of_ticks_neither_loses_nor_doubles_an_edge(bench: Bench, press_ms: float) -> None:
    hand = Hand(bench, start_ms=65400)
    hand.move(9, press_ms, press_ms + 3, press_ms + 6, press_ms + 80)
    hand.run_to(press_ms + 300)
    assert hand.close_to([(9, 1, int(press_ms)), (9, 0, int(press_ms) + 80)])


def test_a_key_down_at_boot_is_stuck_and_not_a_press(bench: Bench) -> None:
    hand = Hand(bench, held=(9,))
    hand.run_to(300)
    assert hand.told == []
    assert hand.keys.bitmap == 0
    assert hand.blocked(9) == keys.STUCK
    assert hand.blocked(8) == keys.FREE


def test_a_press_soon_after_boot_is_a_press_though_the_first_turn_was_late(bench: Bench) -> None:
    hand = Hand(bench, start_ms=200, turning=False)
    bench.at_ms(220)
    bench.press(9)
    bench.at_ms(260)
    hand.poll()
    assert hand.close_to([(9, 1, 220)])


def test_a_stuck_key_works_again_once_it_was_let_go(bench: Bench) -> None:
    hand = Hand(bench, held=(9,))
    for ms, down in ((300, False), (303, True), (305, False)):
        hand.run_to(ms)
        bench.press(9, down)
    hand.run_to(500)
    assert hand.told == []
    assert hand.blocked(9) == keys.FREE
    hand.move(9, 600)
    hand.run_to(700)
    assert hand.close_to([(9, 1, 600)])


def seventy_transitions(hand: Hand, start_ms: int) -> None:
    """70 transitions of keys 1 to 3 within 300 ms, unread, then key 0 goes down: the queue holds 64."""
    state = [False] * 4
    for step in range(69):
        hand.bench.at_ms(start_ms + step * 4)
        key = step % 3 + 1
        state[key] = not state[key]
        hand.bench.press(key, state[key])
    hand.bench.at_ms(start_ms + 290)
    hand.bench.press(0)
    hand.bench.at_ms(start_ms + 300)


def test_a_full_queue_is_noticed_and_the_state_repaired(bench: Bench) -> None:
    hand = Hand(bench)
    hand.move(5, 200)
    hand.run_to(300)
    seventy_transitions(hand, 400)
    for _ in range(keys.ALL_EVENTS):
        hand.poll()
    assert hand.keys.overflows == 1
    assert hand.keys.overflowed
    hand.run_to(900)
    # each of keys 1 to 3 flipped 23 times, so all end down; what was told as down agrees, what was
    # not is blocked: when it was pressed is not known
    for key in range(4):
        assert (hand.keys.bitmap >> key & 1) ^ (hand.blocked(key) == keys.LOST)
    assert hand.blocked(0) == keys.LOST
    assert hand.keys.bitmap >> 4 == 1 << 1, "key 5 was down all the time, the others never"
    for key in range(PINS):
        downs = [edge[1] for edge in hand.told if edge[0] == key]
        assert downs == [index % 2 ^ 1 for index in range(len(downs))], "presses and releases alternate"


def test_a_release_lost_in_a_full_queue_is_told_late(bench: Bench) -> None:
    hand = Hand(bench)
    hand.move(5, 200)
    hand.run_to(300)
    seventy_transitions(hand, 400)
    for key in range(6):
        bench.press(key, False)
    bench.at_ms(702)
    hand.poll()
    hand.run_to(900)
    assert hand.keys.bitmap == 0
    assert [edge for edge in hand.told if edge[0] == 5][-1][1] == 0


def test_after_a_full_queue_the_next_push_counts(bench: Bench) -> None:
    hand = Hand(bench)
    seventy_transitions(hand, 400)
    hand.run_to(900)
    bench.press(0, False)
    hand.run_to(1000)
    hand.told.clear()
    hand.move(0, 1100, 1200)
    hand.run_to(1300)
    assert hand.close_to([(0, 1, 1100), (0, 0, 1200)])
    hand.run_to(900 + keys.OVERFLOW_SHOWN_MS)
    assert not hand.keys.overflowed


def chatter(hand: Hand, start_ms: int, events: int) -> None:
    for step in range(events):
        hand.run_to(start_ms + 2 * step)
        hand.bench.press(7, step % 2 == 0)


def test_a_chattering_switch_is_muted_within_a_second(bench: Bench) -> None:
    hand = Hand(bench)
    chatter(hand, 1000, 500)
    assert hand.blocked(7) == keys.CHATTER
    assert hand.keys.bitmap == 0
    assert len(hand.told) <= keys.RATE_TOLD + 2
    assert hand.told[-1][1] == 0, "a muted key looks released"
    hand.move(3, 2100)
    hand.run_to(2150)
    assert hand.told[-1][:2] == (3, 1), "the other keys work"


def test_a_muted_switch_works_again_after_it_was_quiet(bench: Bench) -> None:
    hand = Hand(bench)
    chatter(hand, 1000, 500)
    bench.press(7, False)
    hand.run_to(2000 + keys.QUIET_MS + 100)
    assert hand.blocked(7) == keys.FREE
    hand.told.clear()
    start_ms = 2000 + keys.QUIET_MS + 200
    hand.move(7, start_ms, start_ms + 50)
    hand.run_to(start_ms + 200)
    assert hand.close_to([(7, 1, start_ms), (7, 0, start_ms + 50)])


def test_a_hand_that_hammers_is_not_muted(bench: Bench) -> None:
    hand = Hand(bench)
    for push in range(40):
        hand.run_to(1000 + 80 * push)
        bench.press(8)
        hand.run_to(1040 + 80 * push)
        bench.press(8, False)
    hand.run_to(5000)
    assert [edge[1] for edge in hand.told] == [1, 0] * 40


def test_a_missing_pin_leaves_the_other_keys_their_numbers(bench: Bench) -> None:
    keypad, board = bench.module("keypad"), bench.module("board")
    told: list[int] = []

    class Sink:
        def key_edge(self, key: int, down: int, stamp_ms: int, us: int) -> None:
            told.append(key)

    bench.at_ms(100)
    scanner = keypad.Keys([board.GP8, board.GP10], value_when_pressed=False, interval=0.001)
    some = keys.Keys(scanner, keypad.Event(), [8, 10], bench.now_ms)
    bench.at_ms(200)
    some.poll(bench.now_ms, Sink())
    bench.press(10)
    bench.at_ms(203)
    some.poll(bench.now_ms, Sink())
    assert told == [10]
    assert some.bitmap == 1 << 10
