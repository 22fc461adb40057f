"""Screenshots of every phase on every page, to be looked at by a person.

`python -m tests.browser.shots FOLDER [PAGE|all [PHASE,PHASE|all [WIDTHxHEIGHT]]]`
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, ConsoleMessage, sync_playwright

from tests.browser.chromium import launch
from tests.browser.feed import Feed
from tests.browser.phases import PHASES, pictures

PATHS: Final = {"kiosk": "/", "box": "/box", "service": "/service"}


def _said(message: ConsoleMessage) -> None:
    print(message.type, message.text)


def shoot(browser: Browser, url: str, out: Path, width: int, height: int) -> None:
    """Write one screenshot of the page at `url`, once it is connected."""
    page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    page.on("console", _said)
    page.goto(url)
    page.locator("body[data-up=true]").wait_for()
    page.screenshot(path=str(out))
    page.close()


def main(folder: str, pages: str = "all", phases: str = "all", size: str = "1280x720") -> None:
    """Write the screenshots asked for."""
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    width, height = map(int, size.split("x"))
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for phase in PHASES if phases == "all" else phases.split(","):
            topics = PHASES[phase]()
            feed = Feed(topics)
            for board, rgb in pictures(topics).items():
                feed.pixels(board, rgb)
            for name in PATHS if pages == "all" else pages.split(","):
                shoot(browser, feed.url + PATHS[name], out / f"{name}-{phase}.png", width, height)
            feed.stop()
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
