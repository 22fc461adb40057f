"""Every page in every phase: nothing overflows or overlaps, and a finger finds every key.

There is one walk through the phases for each window. English is measured in the fonts of the style sheets,
all languages in wide ones: what has room there has room in narrower ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import pytest
from playwright.sync_api import Browser, Page

from galley.box_options import LANGUAGES
from tests.browser.conftest import Watch, show
from tests.browser.feed import Feed
from tests.browser.layout import SIZES, faults, faults_in, in_wide_fonts
from tests.browser.phases import CREWS, PHASES
from tests.browser.topics import COLOURS
from tests.browser.turn_phases import busiest

Shown = tuple[Page, Feed]

BIG: Final = (
    "attract", "demo", "choose", "options", "join_some", "howto", "duel_six", "choose_platter", "paused_all",
    "operator", "asking", "result_six", "bar_rob", "bar_tile", "bar_result_five", "grill_keep",
    "grill_decide", "grill_result_five", "deck_hunt", "deck_hold", "deck_danger", "deck_won",
)  # fmt: skip
"""The fullest. All is in parts of the window: what fits at one size fits at others, but for rounding."""

FEW: Final = ("attract", "options", "duel_six", "bar_rob", "grill_decide", "deck_danger")
ALL: Final = tuple(PHASES)
BEFORE: Final = "no_disk"  # no walk begins with it


class Walk(NamedTuple):
    """A page in a window, and what it is to show there: in its `own` fonts and in `wide` ones."""

    path: str
    size: tuple[int, int]
    own: Sequence[str]
    wide: Sequence[str] = ()
    phone: bool = False


WALKS: Final = {
    "kiosk": Walk("/", SIZES[0], ALL, ALL),
    "kiosk-1080": Walk("/", SIZES[1], FEW),
    "kiosk-2160": Walk("/", SIZES[2], BIG),
    "kiosk-upright": Walk("/", (1080, 1920), BIG, FEW),
    "wall": Walk("/?wall", SIZES[0], ALL),
    "box": Walk("/box", SIZES[0], ALL, BIG),
    "box-1080": Walk("/box", SIZES[1], FEW),
    "box-2160": Walk("/box", SIZES[2], BIG),
    "box-upright": Walk("/box", (390, 844), ALL, BIG, phone=True),
    "box-on-its-side": Walk("/box", (844, 390), BIG, FEW, phone=True),
    "box-tablet": Walk("/box", (768, 1024), FEW, phone=True),
    "service": Walk("/service", SIZES[0], CREWS, CREWS),
    "service-1080": Walk("/service", SIZES[1], CREWS),
    "service-2160": Walk("/service", SIZES[2], CREWS),
}


@pytest.mark.parametrize("name", list(WALKS))
def test_everything_has_room_and_every_target_is_big_enough(browser: Browser, feed: Feed, name: str) -> None:
    path, (width, height), own, wide, phone = WALKS[name]
    watch = Watch()
    page = browser.new_page(
        viewport={"width": width, "height": height}, reduced_motion="reduce", has_touch=phone, is_mobile=phone
    )
    watch.over(page)
    feed.publish(PHASES[BEFORE]())
    page.goto(feed.url + path)
    page.locator("body[data-n]").wait_for()
    wrong: dict[str, list[str]] = {}

    def look(phase: str, language: str, fonts: str) -> None:
        found = faults_in(page, feed, PHASES[phase](), language, scrolls=phone or path == "/service")
        if found:
            wrong[f"{phase}, {language}, {fonts} fonts"] = found

    for phase in own:
        look(phase, "en", "own")
    in_wide_fonts(page)
    for language in LANGUAGES:
        for phase in wide:
            look(phase, language, "wide")
    page.close()
    assert watch.complaints == []
    assert not wrong, "\n".join(f"{where}: {what}" for where, found in wrong.items() for what in found)


def test_the_choice_of_a_language_has_room(browser: Browser, feed: Feed) -> None:
    page = browser.new_page(viewport={"width": SIZES[0][0], "height": SIZES[0][1]}, reduced_motion="reduce")
    page.goto(feed.url)
    page.locator(".tool-language").click()
    assert faults(page) == []
    page.close()


@pytest.mark.parametrize(
    ("game", "count"),
    [*(("sushi_bar", count) for count in range(2, 6)), ("worm_grill", 2), ("worm_grill", 5)],
)
def test_the_busiest_moment_of_a_game_has_room(shown: Shown, game: str, count: int) -> None:
    page, feed = shown
    topics = busiest(game, COLOURS[:count])
    show(page, feed, topics)
    keys = [key for keys in topics["table"]["keys"].values() for key in keys]
    assert page.locator(".scene [data-key], .keybar [data-key]").count() == len(keys)
    assert faults(page) == []
