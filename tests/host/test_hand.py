"""The hand on the virtual box: quick taps stay presses."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from galley.sim.hand import LATE_MS, TRAVEL_MS, Hand


def moved(*moves: tuple[str, int, bool]) -> list[tuple[tuple[str, int, bool], float]]:
    """The changes that came through, each with its time in ms after the first."""

    async def whole() -> list[tuple[tuple[str, int, bool], float]]:
        loop = asyncio.get_running_loop()
        came: list[tuple[tuple[str, int, bool], float]] = []
        everything = asyncio.Event()

        def press(board: str, key: int, down: bool) -> None:
            came.append(((board, key, down), loop.time() * 1000))
            if len(came) == len(moves):
                everything.set()

        hand = Hand(press)
        for move in moves:
            hand.move(*move)
        await asyncio.wait_for(everything.wait(), 10)
        return [(move, at_ms - came[0][1]) for move, at_ms in came]

    return asyncio.run(whole())


def test_a_tap_that_came_in_one_packet_lasts_as_long_as_a_finger() -> None:
    came = moved(("left", 9, True), ("left", 9, False), ("left", 9, True), ("left", 9, False))
    assert [move[2] for move, _ in came] == [True, False, True, False]
    times = [at_ms for _, at_ms in came]
    assert all(later - earlier >= TRAVEL_MS - 1 for earlier, later in pairwise(times))


def test_other_keys_and_boards_do_not_wait() -> None:
    came = moved(("left", 9, True), ("left", 8, True), ("right", 9, True))
    assert [move for move, _ in came] == [("left", 9, True), ("left", 8, True), ("right", 9, True)]
    assert came[-1][1] < TRAVEL_MS


def test_a_hand_that_is_half_a_second_behind_drops_presses_whole() -> None:
    async def whole() -> list[bool]:
        came: list[bool] = []
        hand = Hand(lambda board, key, down: came.append(down))
        for _ in range(1500):
            hand.move("left", 0, True)
            hand.move("left", 0, False)
        await asyncio.sleep(LATE_MS / 1000 + 10 * TRAVEL_MS / 1000)
        return came

    came = asyncio.run(whole())
    assert len(came) <= LATE_MS / TRAVEL_MS + 3
    assert came == [True, False] * (len(came) // 2)
