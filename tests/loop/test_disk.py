"""A disk that takes nothing: said on every page in every phase, and over by itself when it takes it again.

The box is a real process. A file where the data folder should be is in the way: that holds for root too.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from galley.journal import Journal
from galley.tables.table import ROLL
from tests.loop.box_process import BoxProcess, Page, running_box

WHY = "journal_read_only"


def lit(page: Page) -> bool:
    return set(page.pixels.get("left", "0")) != {"0"}


async def ends(page: Page) -> None:
    await page.until(lambda p: p.topics["meta"]["journal"] is None and p.house["paused"] is None, "over")


def health(box: BoxProcess) -> Any:
    with urlopen(f"{box.url}/healthz") as answer:
        return json.loads(answer.read())


def test_a_disk_that_takes_nothing_holds_the_box_says_why_and_lets_go_by_itself(tmp_path: Path) -> None:
    place = tmp_path / "in the way"
    place.write_text("")

    async def test(box: BoxProcess, page: Page, crew: Page) -> None:
        await page.until(lambda p: len(p.live()) == 3)
        assert crew.topics["meta"]["journal"] == "read_only"
        assert (page.house["phase"], page.house["paused"]["because"]) == ("attract", WHY)
        await page.press("left", ROLL)
        await page.ping(1)
        assert (lit(page), page.house["keys"], page.house["prompts"]) == (False, {}, [])
        told = await asyncio.to_thread(health, box)
        assert (told["ok"], told["phase"]) == (False, "attract")
        place.unlink()
        await ends(page)
        await page.until(lit, "the keys are lit again")
        await page.press("left", ROLL)
        await page.until(lambda p: p.house["phase"] == "choose", "and do what they do")

    asyncio.run(in_a_box(test, place / "data", "--no-demo"))
    journal = Journal.open(place / "data" / "journal.db")
    house = journal.latest().house
    journal.close()
    assert house is not None
    assert house["phase"] == "choose"


def test_where_it_was_allowed_play_goes_on_and_the_pages_say_it_is_not_kept(tmp_path: Path) -> None:
    place = tmp_path / "in the way"
    place.write_text("")

    async def test(box: BoxProcess, page: Page, crew: Page) -> None:
        await page.until(lambda p: len(p.live()) == 3)
        await page.press("left", ROLL)
        await page.until(lambda p: p.house["phase"] == "choose")
        assert (page.house["paused"], page.topics["meta"]["journal"]) == (None, "read_only")

    asyncio.run(in_a_box(test, place / "data", "--no-demo", "--unjournalled"))


async def in_a_box(test: Callable[[BoxProcess, Page, Page], Any], data: Path, *house: str) -> None:
    async with (
        running_box(house=house, data=data, said="cannot be written") as box,
        box.page() as page,
        box.page("service") as crew,
    ):
        await test(box, page, crew)
