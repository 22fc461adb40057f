"""What the page tests share: a browser, a feed, and pages on which nothing may go wrong unseen."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser import chromium
from tests.browser.feed import Feed
from tests.browser.phases import PHASES

PATHS = {"kiosk": "/", "box": "/box", "service": "/service"}


HERE = Path(__file__).parent
OPEN = pytest.StashKey[tuple[ExitStack, Browser]]()


@pytest.fixture(scope="module")
def browser(pytestconfig: pytest.Config) -> Browser:
    """The one browser of this folder: starting one costs seconds, and windows have nothing in common."""
    if chromium.PATH is None:
        pytest.skip("needs chromium")
    if OPEN not in pytestconfig.stash:
        stack = ExitStack()
        started = chromium.launch(stack.enter_context(sync_playwright()))
        stack.callback(started.close)
        pytestconfig.stash[OPEN] = stack, started
    return pytestconfig.stash[OPEN][1]


def _close_browser(config: pytest.Config) -> None:
    if OPEN in config.stash:
        config.stash[OPEN][0].close()
        del config.stash[OPEN]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None]:
    """After the last test here: Playwright's own loop must be gone before other tests run theirs."""
    try:
        return (yield)
    finally:
        if nextitem is None or nextitem.path.parent != HERE:
            _close_browser(item.config)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """After a run that was broken off."""
    _close_browser(session.config)


@pytest.fixture
def feed() -> Iterator[Feed]:
    """A host that is fed by hand; it shows the phase `attract` at first."""
    feed = Feed(PHASES["attract"]())
    yield feed
    feed.stop()


class Watch:
    """Collects what a browser complains about: console errors, exceptions, violations of the policy.

    `link_may_fail` is for tests that stop the server: a browser reports every failed connection.
    """

    def __init__(self) -> None:
        self.complaints: list[str] = []
        self.link_may_fail = False

    def over(self, page: Page) -> None:
        """Watch `page` from now on."""
        page.on("pageerror", lambda error: self.complaints.append(f"exception: {error}"))
        page.on("console", lambda message: self._said(message.type, message.text))

    def _said(self, kind: str, text: str) -> None:
        failed_link = self.link_may_fail and ("ERR_CONNECTION" in text or "WebSocket" in text)
        if kind in ("error", "warning") and not failed_link:
            self.complaints.append(f"{kind}: {text}")


@pytest.fixture(scope="module")
def shown(browser: Browser) -> Iterator[tuple[Page, Feed]]:
    """One kiosk that goes through all phases, as a real one does. It may not complain of anything."""
    feed = Feed(PHASES["attract"]())
    watch = Watch()
    page = browser.new_page(reduced_motion="reduce", viewport={"width": 1280, "height": 720})
    watch.over(page)
    page.goto(feed.url)
    page.locator("body[data-n]").wait_for()
    yield page, feed
    page.close()
    feed.stop()
    assert watch.complaints == []


class Opener:
    """Opens pages of the feed: `opened("box", width=390, has_touch=True)`. None may complain of anything."""

    def __init__(self, browser: Browser, feed: Feed) -> None:
        self.watch = Watch()
        self._browser = browser
        self._feed = feed
        self._contexts: list[BrowserContext] = []

    def __call__(self, kind: str, width: int = 1280, height: int = 720, **options: Any) -> Page:
        """A page in a window of its own, connected and showing."""
        context = self._browser.new_context(viewport={"width": width, "height": height}, **options)
        self._contexts.append(context)
        page = context.new_page()
        self.watch.over(page)
        page.goto(self._feed.url + PATHS[kind])
        page.locator("body[data-n]").wait_for()
        return page

    def close(self) -> None:
        """Close all windows; fails if a page complained."""
        for context in self._contexts:
            context.close()
        assert self.watch.complaints == []


@pytest.fixture
def opened(browser: Browser, feed: Feed) -> Iterator[Opener]:
    """Opens pages; checks at the end that none complained."""
    opener = Opener(browser, feed)
    yield opener
    opener.close()


def _is_there(feed: Feed, name: str, value: Any) -> bool:
    there = feed.hub.value(name)
    if name == "meta" and isinstance(there, dict):  # the feed adds the build
        return {**value, "build": there.get("build")} == there
    return bool(there == value)


def show(page: Page, feed: Feed, topics: dict[str, Any]) -> None:
    """Publish `topics` and wait until the page shows them."""
    before = int(page.locator("body").get_attribute("data-n") or 0)
    if all(_is_there(feed, name, value) for name, value in topics.items()):
        return
    feed.publish(topics)
    page.locator(f'body[data-n="{before + 1}"]').wait_for()


def words(page: Page, selector: str) -> str:
    """The text that a person reads in the first match, without what is hidden from screen readers."""
    text: str = page.locator(selector).first.evaluate(
        """node => {
            const copy = node.cloneNode(true);
            copy.querySelectorAll("[aria-hidden=true]").forEach(hidden => hidden.remove());
            return copy.textContent.replace(/\\s+/g, " ").trim();
        }"""
    )
    return text
