"""Screenshots of every phase on every page, to be looked at by a person, and those of the README.

`python -m tests.browser.shots` writes the README's pictures into host/pictures;
`python -m tests.browser.shots FOLDER [PAGE|all [PHASE,PHASE|all [WIDTHxHEIGHT [LANGUAGE]]]]` writes any.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from playwright.sync_api import ConsoleMessage, sync_playwright

from tests.browser.chromium import launch
from tests.browser.feed import Feed
from tests.browser.phases import PHASES, pictures

PATHS: Final = {"kiosk": "/", "wall": "/?wall", "box": "/box", "service": "/service"}
PICTURES: Final = Path(__file__).resolve().parents[2] / "host" / "pictures"
CHOSEN: Final = (
    ("kiosk", "choose"),
    ("kiosk", "duel"),
    ("kiosk", "bar_choose"),
    ("kiosk", "grill_keep"),
    ("kiosk", "deck_hunt"),
    ("box", "duel"),
)
"""What the README shows: (page, phase)."""


def _said(message: ConsoleMessage) -> None:
    print(message.type, message.text)


def shoot(
    out: Path, wanted: Sequence[tuple[str, str]], width: int = 1280, height: int = 720, language: str = "en"
) -> None:
    """Write `out`/PAGE-PHASE.png for each (page, phase)."""
    out.mkdir(parents=True, exist_ok=True)
    feed = Feed(PHASES["attract"]())
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for kind in dict.fromkeys(page for page, _ in wanted):
            page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
            page.on("console", _said)
            page.goto(feed.url + PATHS[kind])
            for _, name in (pair for pair in wanted if pair[0] == kind):
                topics = PHASES[name]()
                topics["meta"]["language"] = language
                topics["meta"]["shot"] = f"{kind} {name}"
                before = page.locator("body").get_attribute("data-n") or "0"
                for board, rgb in pictures(topics).items():
                    feed.pixels(board, rgb)
                feed.publish(topics)
                page.locator(f'html[lang="{language}"] body[data-n]:not([data-n="{before}"])').wait_for()
                page.evaluate("document.querySelector('#caption')?.setAttribute('hidden', '')")
                page.screenshot(path=str(out / f"{kind}-{name}.png"))
            page.close()
        browser.close()
    feed.stop()


def main(
    folder: str = "", pages: str = "all", phases: str = "all", size: str = "1280x720", language: str = "en"
) -> None:
    """Write the screenshots asked for."""
    if not folder:
        shoot(PICTURES, CHOSEN)
        return
    kinds = list(PATHS) if pages == "all" else pages.split(",")
    names = list(PHASES) if phases == "all" else phases.split(",")
    width, height = map(int, size.split("x"))
    shoot(Path(folder), [(kind, name) for kind in kinds for name in names], width, height, language)


if __name__ == "__main__":
    main(*sys.argv[1:])
