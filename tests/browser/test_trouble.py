"""What is wrong with the box is said on the pages, with what to do, before a game as well as in one."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener, show
from tests.browser.feed import Feed
from tests.browser.phases import PHASES
from tests.browser.topics import board

ABSENT = {"key": "board_absent", "params": {"board": "deck"}}
GONE = {"key": "board_gone", "params": {"board": "deck"}}
BANNER = "#link"


def topics(phase: str, note: object = None, **meta: Any) -> dict[str, Any]:
    found: dict[str, Any] = PHASES[phase]()
    deck = board("deck", "live" if note is None else "absent", note=note)
    found["meta"] = {**found["meta"], **meta}
    found["boards"] = [deck if each["role"] == "deck" else each for each in found["boards"]]
    return found


@pytest.mark.parametrize("kind", ["kiosk", "box", "service"])
def test_a_disk_that_keeps_nothing_is_said_on_every_page(opened: Opener, feed: Feed, kind: str) -> None:
    page = opened(kind)
    for trouble, said in (("disk_full", "make room"), ("damaged", "start the box again")):
        show(page, feed, topics("join_some", journal=trouble))
        expect(page.locator(BANNER)).to_be_visible()
        expect(page.locator(BANNER)).to_contain_text(said)
    show(page, feed, topics("join_some"))
    expect(page.locator(BANNER)).to_be_hidden()


@pytest.mark.parametrize("phase", ["attract", "join_some"])
def test_a_board_that_is_away_is_said_before_a_game_too(opened: Opener, feed: Feed, phase: str) -> None:
    page = opened("kiosk")
    show(page, feed, topics(phase, GONE))
    expect(page.locator(BANNER)).to_have_text("The deck is gone: plug it in again, or check its power supply")
    show(page, feed, topics(phase, ABSENT, simulated=True))
    expect(page.locator(BANNER)).to_be_hidden()
    show(page, feed, topics(phase, ABSENT, simulated=False))
    expect(page.locator(BANNER)).to_have_text("The deck was not found: plug it in")
    show(page, feed, topics(phase))
    expect(page.locator(BANNER)).to_be_hidden()
