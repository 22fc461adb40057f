"""Who can use the pages: axe finds nothing in any phase; every colour has a letter and a shape."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import axe_playwright_python  # type: ignore[import-untyped]
import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import PATHS, Watch, show
from tests.browser.feed import Feed
from tests.browser.phases import CREWS, PHASES, pictures

AXE: Final = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
LOOK = """() => {
    window.looking = axe.run({exclude: [[".px"], [".art"]]}, {resultTypes: ["violations"], preload: false});
}"""
FIND = """async () => {
    const {violations} = await window.looking;
    return violations.map(({id, nodes}) => [id, nodes.length, nodes[0].html.slice(0, 160)]);
}"""


@pytest.fixture(scope="module")
def pages(browser: Browser) -> Iterator[tuple[dict[str, Page], Feed]]:
    """One page of each kind, with axe in it, going through all phases."""
    feed = Feed(PHASES["attract"]())
    watch = Watch()
    found: dict[str, Page] = {}
    for kind, path in PATHS.items():
        context = browser.new_context(
            viewport={"width": 1280, "height": 720}, reduced_motion="reduce", bypass_csp=True
        )
        page = context.new_page()
        watch.over(page)
        page.goto(feed.url + path)
        page.locator("body[data-n]").wait_for()
        page.evaluate(AXE)
        found[kind] = page
    yield found, feed
    watch.link_may_fail = True
    feed.stop()
    for page in found.values():
        page.context.close()
    assert watch.complaints == []


@pytest.mark.parametrize("phase", list(PHASES))
def test_the_pages_exclude_nobody(pages: tuple[dict[str, Page], Feed], phase: str) -> None:
    by_kind, feed = pages
    topics = PHASES[phase]()
    for board, rgb in pictures(topics).items():
        feed.pixels(board, rgb)
    feed.publish(topics)
    looked_at = {kind: page for kind, page in by_kind.items() if kind != "service" or phase in CREWS}
    for page in looked_at.values():  # all at once: each has a process of its own
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))")
        page.evaluate(LOOK)
    for kind, page in looked_at.items():
        found: list[Any] = page.evaluate(FIND)
        assert found == [], (kind, phase)


def test_the_choice_of_a_language_excludes_nobody(pages: tuple[dict[str, Page], Feed]) -> None:
    by_kind, feed = pages
    kiosk = by_kind["kiosk"]
    show(kiosk, feed, PHASES["join_one"]())
    kiosk.locator(".tool-language").click()
    kiosk.evaluate(LOOK)
    assert kiosk.evaluate(FIND) == []
    kiosk.keyboard.press("Escape")


def test_every_colour_has_a_letter_and_a_shape(pages: tuple[dict[str, Page], Feed]) -> None:
    by_kind, feed = pages
    kiosk = by_kind["kiosk"]
    for phase in ("join_some", "duel_six", "result_six", "demo", "grill_result_five"):
        show(kiosk, feed, PHASES[phase]())
        coloured = kiosk.locator("[class*='who-']").evaluate_all(
            """nodes => nodes.map(node => {
                const badge = node.matches(".badge") ? node : node.querySelector(".badge");
                const shape = badge?.querySelector("use")?.getAttribute("href") ?? "";
                return [badge?.querySelector("b")?.textContent ?? "", shape];
            })"""
        )
        assert coloured, phase
        assert all(letter and shape.startswith("#shape-") for letter, shape in coloured), phase
    letters = {letter for letter, _ in coloured}
    assert letters <= set("RGBYWV")
