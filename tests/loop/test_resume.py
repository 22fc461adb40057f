"""A box that was killed comes back where it stood: nothing that a page has shown is lost.

The box is a real process on a real disk; it is killed with SIGKILL at any moment, and started again on the
same folder. *Acknowledged* is what a page had shown.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path
from random import Random
from typing import Any

import pytest

from galley.journal import Journal
from galley.tables.table import BELL, KEEP1, ROLL
from galley_engine.record import state_after
from tests.loop.box_process import BoxProcess, Page, running_box

FOUR = ("--seats", "red,green,blue,yellow", "--bots", "red,green,blue,yellow", "--bot-speed", "20")


async def kill(box: BoxProcess) -> None:
    os.kill(box.process.pid, signal.SIGKILL)
    await box.process.wait()


Seen = list[tuple[int, Any]]
"""(step, state) as a page has shown them."""


async def play_on(page: Page, changes: int) -> Seen:
    """Watch until so many steps more were shown; all of them, from the first that is there."""
    seen = [(page.topics["table"]["step"], page.state)]
    while len(seen) <= changes and page.house["phase"] == "game":
        await page.until(lambda p: p.topics["table"]["step"] != seen[-1][0], "the bots play on")
        seen.append((page.topics["table"]["step"], page.state))
    return seen


def check_kept(folder: Path, seen: Seen) -> int:
    """The journal has every step that was shown, with the state that was shown; how many it has in all."""
    journal = Journal.open(folder / "journal.db")
    try:
        kept = journal.latest().game
        assert kept is not None, "the game on the table is there"
        for step, state in seen:
            assert step <= len(kept.steps), "a page has shown what is not on the disk"
            after = kept.game.public(state_after(kept.game, kept.dealt, kept.steps[:step]))
            assert json.loads(json.dumps(after)) == state
        return len(kept.steps)
    finally:
        journal.close()


def kill_and_resume(folder: Path, game: str, kills: int, seed: int) -> None:
    random = Random(seed)

    async def test() -> None:
        house = ("--game", game, "--no-howto", "--no-demo", "--seed", str(seed))
        kept = 0
        for _ in range(kills):
            async with running_box(*FOUR, house=house, data=folder) as box, box.page("kiosk") as page:
                await page.until(lambda p: p.house["phase"] in ("game", "result"), "the game is taken up")
                seen = await play_on(page, random.randrange(1, 12))
                assert seen[0][0] >= kept, "it goes on from where the disk has it"
                await kill(box)
            kept = check_kept(folder, seen)
            if page.house["phase"] == "result":
                return

    asyncio.run(test())


@pytest.mark.parametrize("game", ["sushi_duel", "worm_grill"])
def test_nothing_a_page_has_shown_is_lost_when_the_host_is_killed(tmp_path: Path, game: str) -> None:
    kill_and_resume(tmp_path, game, kills=3, seed=11)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("game", ["sushi_duel", "sushi_bar", "worm_grill", "poop_deck"])
def test_a_hundred_kills(tmp_path: Path, game: str, seed: int) -> None:
    kill_and_resume(tmp_path, game, kills=1, seed=seed)


def test_the_box_comes_back_in_the_phase_it_was_in(tmp_path: Path) -> None:
    async def test() -> None:
        house = ("--no-demo",)
        async with running_box(house=house, data=tmp_path) as box, box.page() as page:
            await page.until(lambda p: len(p.live()) == 3)
            await page.press("left", ROLL)
            await page.until(lambda p: p.house["phase"] == "choose")
            await page.press("left", KEEP1 + 1)
            await page.until(lambda p: p.house["phase"] == "join")
            await page.press("deck", 2)
            await page.press("deck", 4)
            await page.until(lambda p: len(p.house["seats"]) == 2)
            seats = page.house["seats"]
            await kill(box)
        async with running_box(house=house, data=tmp_path) as box, box.page() as page:
            await page.until(lambda p: len(p.live()) == 3)
            assert (page.house["phase"], page.house["game"]) == ("join", "sushi_bar")
            assert page.house["seats"] == seats
            await page.press("left", BELL)
            await page.until(lambda p: p.house["phase"] == "howto")
            await page.press("left", BELL)
            await page.until(lambda p: p.state is not None)
            dealt = page.state
            await page.press("left", ROLL)
            await page.until(lambda p: p.state != dealt, "the dice are thrown")
            state = page.state
            await kill(box)
        async with running_box(house=house, data=tmp_path) as box, box.page() as page:
            assert (page.house["phase"], page.state) == ("game", state)

    asyncio.run(test())
