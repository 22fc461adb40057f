"""The hand on the virtual box: quick taps stay presses."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable
from itertools import pairwise

import pytest

from galley.sim.hand import LATE_MS, TRAVEL_MS, Hand

LEFT_9 = ("left", 9)
Move = tuple[str, int, bool]


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to what is due next, instead of waiting."""

    def __init__(self) -> None:
        self.now_s = 1000.0
        super().__init__(_Jumping(self))

    def time(self) -> float:
        return self.now_s


class _Jumping(selectors.DefaultSelector):
    def __init__(self, loop: JumpingLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self._loop.now_s += timeout or 0
        return super().select(0)


def moved(*moves: Move, late_ms: Callable[[int], float] = lambda number: 0) -> list[tuple[Move, float]]:
    """The changes that came through, each with its time in ms; the n-th keeps the loop for `late_ms(n)`."""
    came: list[tuple[Move, float]] = []

    async def whole() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, JumpingLoop)

        def press(board: str, key: int, down: bool) -> None:
            came.append(((board, key, down), round(1000 * loop.now_s, 3)))
            loop.now_s += late_ms(len(came)) / 1000

        hand = Hand(press)
        for move in moves:
            hand.move(*move)
        await asyncio.sleep(1.5 * LATE_MS / 1000)

    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        runner.run(whole())
    return came


TAPS: list[Move] = [(*LEFT_9, True), (*LEFT_9, False)]


def test_a_tap_that_came_in_one_packet_lasts_as_long_as_a_finger() -> None:
    came = moved(*TAPS, *TAPS)
    assert [move for move, _ in came] == [*TAPS, *TAPS]
    times = [at_ms for _, at_ms in came]
    assert [later - earlier for earlier, later in pairwise(times)] == pytest.approx([TRAVEL_MS] * 3)


def test_a_change_that_came_late_makes_the_next_one_wait() -> None:
    """A board ignores a key for a while after an edge, whatever kept the host busy."""
    came = moved(*TAPS, *TAPS, late_ms=lambda number: 3 * TRAVEL_MS if number == 2 else 0)
    assert [move for move, _ in came] == [*TAPS, *TAPS]
    times = [at_ms for _, at_ms in came]
    assert min(later - earlier for earlier, later in pairwise(times)) >= TRAVEL_MS - 0.01


def test_other_keys_and_boards_do_not_wait() -> None:
    came = moved((*LEFT_9, True), ("left", 8, True), ("right", 9, True))
    assert [move for move, _ in came] == [(*LEFT_9, True), ("left", 8, True), ("right", 9, True)]
    assert len({at_ms for _, at_ms in came}) == 1


def test_a_key_that_has_rested_is_pressed_at_once() -> None:
    async def whole() -> list[bool]:
        came: list[bool] = []
        hand = Hand(lambda board, key, down: came.append(down))
        hand.move(*LEFT_9, True)
        await asyncio.sleep(2 * TRAVEL_MS / 1000)
        hand.move(*LEFT_9, False)
        return came

    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        assert runner.run(whole()) == [True, False]


def test_a_hand_that_is_half_a_second_behind_drops_presses_whole() -> None:
    came = [down for (_, _, down), _ in moved(*TAPS * 1500)]
    assert LATE_MS / TRAVEL_MS - 2 <= len(came) <= LATE_MS / TRAVEL_MS + 3
    assert came == [True, False] * (len(came) // 2)
