"""The whole box with its boards on the second Python: real host, real ports, games from start to end.

Most of their time these boxes wait, for motors, bots and boards that start, so all play at once.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from galley.tables.table import BOARDS, ROLL
from tests.loop.box_process import DUEL_ALONE, Page, running_box
from tests.vm.vm_board import HAS_VM

if not HAS_VM:
    pytest.skip("needs micropython", allow_module_level=True)

PROGRAM = (str(Path(__file__).with_name("galley_on_vm.py")),)
POOP_DECK = ("--game", "poop_deck", "--no-howto", "--no-demo")


async def all_live(page: Page) -> None:
    await page.until(lambda p: sorted(p.live()) == sorted(BOARDS), "all boards live")


async def nothing_was_lost(page: Page) -> None:
    """No frame, edge or turn; and every board tells its worst turn, its worst pause and its heap."""
    await page.until(lambda p: all(p.board(role)["counters"]["gc_us"] for role in BOARDS), "the pauses")
    for role in BOARDS:
        board = page.board(role)
        counters = board["counters"]
        assert board["faults"] == [], role
        assert (counters["bad_frames"], counters["lost"], counters["overflow"]) == (0, 0, 0), role
        assert counters["loop_us"] > 0, role
        assert counters["heap"] > 0, role


async def two_people_duel_and_a_pulled_board_goes_on_exactly_from_there() -> None:
    duel = ("--seats", "red,blue", "--seed", "5")
    async with running_box(*duel, program=PROGRAM) as box, box.page() as page:
        await all_live(page)
        for board in ("left", "right"):
            await page.press(board, ROLL)
        await page.until(lambda p: p.state["phase"] == "duel")
        await page.press("left", ROLL)
        await page.until(lambda p: None not in p.state["stations"]["left"]["faces"])
        await page.press("left", 3)
        await page.until(lambda p: p.state["stations"]["left"]["kept"][3])
        state, boot_id = page.state, page.board("left")["boot_id"]
        os.kill(page.board("left")["pid"], signal.SIGKILL)
        await page.until(lambda p: p.house["paused"] and p.board("left")["state"] == "absent")
        await page.until(lambda p: p.house["paused"] is None, "the board is back")
        assert page.board("left")["boot_id"] != boot_id
        assert page.state == state
        await page.press("left", 3)
        await page.until(lambda p: not p.state["stations"]["left"]["kept"][3], "the duel goes on")


async def bots_play_a_whole_duel() -> None:
    seats = ("--seats", "red,blue", "--bots", "red:best,blue:easy", "--bot-speed", "25")
    options = ("--set", 'targets={"2":2}', "--seed", "9")
    async with running_box(*seats, *options, program=PROGRAM, house=DUEL_ALONE) as box, box.page() as page:
        await all_live(page)
        await page.until(lambda p: p.house["phase"] == "result", "the end")
        assert max(page.state["won"]) == page.state["target"] == 2
        await nothing_was_lost(page)


async def people_play_a_whole_poop_deck_and_leave_the_die_alone() -> None:
    seats = ("--seats", "red,blue", "--set", "droppings_per_colour=1", "--seed", "3")
    turned: set[str] = set()

    def passed(page: Page, rounds: int) -> bool:
        deck = page.board("deck").get("deck", {})
        turned.update(word for word in (deck.get("eye"), deck.get("drum")) if word)
        return bool(page.state["phase"] == "over" or page.topics["table"]["deck"]["drift"] >= rounds)

    async with running_box(*seats, program=PROGRAM, house=POOP_DECK) as box, box.page() as page:
        await all_live(page)
        await page.press("deck", 0)
        for rounds in (1, 2, 3, 4):
            await page.until(lambda p, n=rounds: passed(p, n), f"round {rounds}")  # type: ignore[misc]
        assert page.state["phase"] == "over"
        assert page.state["result"] == "lost"
        assert "turning" in turned
        await nothing_was_lost(page)


SCENES: Final[dict[str, Callable[[], Coroutine[None, None, None]]]] = {
    scene.__name__: scene
    for scene in (
        two_people_duel_and_a_pulled_board_goes_on_exactly_from_there,
        bots_play_a_whole_duel,
        people_play_a_whole_poop_deck_and_leave_the_die_alone,
    )
}


@cache
def evening() -> dict[str, BaseException | None]:
    """How each scene ended: None where all was well."""

    async def all_at_once() -> list[BaseException | None]:
        return await asyncio.gather(*(scene() for scene in SCENES.values()), return_exceptions=True)

    return dict(zip(SCENES, asyncio.run(all_at_once()), strict=True))


@pytest.mark.parametrize("scene", SCENES)
def test_on_the_second_python(scene: str) -> None:
    error = evening()[scene]
    if error is not None:
        raise error
