"""What the page tests share: a browser, a feed, and pages on which nothing may go wrong unseen."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from galley_board import pins
from tests.browser import chromium
from tests.browser.feed import Feed
from tests.browser.phases import PHASES
from tests.browser.topics import ROLES

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


@pytest.fixture(scope="module")
def feed(kept: Kept) -> Iterator[Feed]:
    """A host that is fed by hand; it shows `attract` when a test begins. It stops before its pages close."""
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
    watch.link_may_fail = True
    feed.stop()
    page.close()
    assert watch.complaints == []


class Kept:
    """The pages that the tests of a module share: loading one takes longer than most tests."""

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self.watch = Watch()
        self.feed: Feed | None = None

    def page(self, browser: Browser, feed: Feed, kind: str) -> Page:
        """The page of `kind` that shows `feed`, in a window of 1280 x 720."""
        if self.feed is not feed:
            self.close()
            self.feed = feed
        if kind not in self.pages:
            self.pages[kind] = _new(browser.new_context(viewport={"width": 1280, "height": 720}), self.watch)
            _go(self.pages[kind], feed, kind)
        return self.pages[kind]

    def tidy(self, feed: Feed) -> None:
        """As at the beginning: attract, dark boards, no finger anywhere, no command left.

        The language goes to and fro: a page that has followed has no news left from the test before.
        """
        for page in self.pages.values():
            page.mouse.up()
            page.evaluate("() => { document.activeElement.blur(); dispatchEvent(new Event('blur')); }")
        for role in ROLES:
            feed.pixels(role, bytes(3 * pins.PIXELS[pins.BOARD_OF_ROLE[role]]))
        for language in ("nl", "en"):
            topics = PHASES["attract"]()
            topics["meta"]["language"] = language
            feed.publish(topics)
            for page in self.pages.values():
                page.locator(f'html[lang="{language}"]').wait_for()
        while not feed.commands.empty():
            feed.command()

    def close(self) -> None:
        """Close all of them."""
        for page in self.pages.values():
            page.context.close()
        self.pages.clear()


@pytest.fixture(scope="module")
def kept() -> Iterator[Kept]:
    """The pages that this module's tests share."""
    kept = Kept()
    yield kept
    kept.close()


def _new(context: BrowserContext, watch: Watch) -> Page:
    page = context.new_page()
    watch.over(page)
    return page


def _go(page: Page, feed: Feed, kind: str) -> None:
    page.goto(feed.url + PATHS[kind])
    page.locator("body[data-n]").wait_for()


class Opener:
    """Opens pages of the feed: `opened("box", width=390, has_touch=True)`. None may complain of anything.

    A page in the usual window is one that the tests share, unless it is to be `fresh`, as it may be closed.
    """

    def __init__(self, browser: Browser, feed: Feed, kept: Kept) -> None:
        self.watch = kept.watch
        self._browser = browser
        self._feed = feed
        self._kept = kept
        self._contexts: list[BrowserContext] = []

    def __call__(
        self, kind: str, width: int = 1280, height: int = 720, *, fresh: bool = False, **options: Any
    ) -> Page:
        """A page that is connected and shows; in a window of its own if anything about it is special."""
        if not (fresh or options) and (width, height) == (1280, 720):
            return self._kept.page(self._browser, self._feed, kind)
        context = self._browser.new_context(viewport={"width": width, "height": height}, **options)
        self._contexts.append(context)
        page = _new(context, self.watch)
        _go(page, self._feed, kind)
        return page

    def close(self) -> None:
        """Close the windows opened for this test; fails if a page complained."""
        for context in self._contexts:
            context.close()
        complaints, self.watch.complaints = self.watch.complaints, []
        self.watch.link_may_fail = False
        assert complaints == []


@pytest.fixture
def opened(browser: Browser, feed: Feed, kept: Kept) -> Iterator[Opener]:
    """Opens pages; checks at the end that none complained."""
    opener = Opener(browser, feed, kept)
    yield opener
    kept.tidy(feed)
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
