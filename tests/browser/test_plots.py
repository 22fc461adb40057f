"""The crew's page draws what the boards' clocks did in the last ten minutes."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

from galley.clock import Standing
from galley.clock_history import ClockHistory, Reading
from tests.browser.conftest import Opener, show, words
from tests.browser.feed import Feed
from tests.browser.phases import PHASES

BOARDS = ("left", "right", "deck")
QUANTITIES = ["offset", "round_trip", "drift", "uncertainty"]
NS_PER_MS = 1_000_000


def reading(second: int, ppm: float) -> Reading:
    round_trip_ns = round((0.9 + 0.4 * math.sin(second / 7)) * NS_PER_MS)
    uncertainty_ns = round((0.2 + 0.5 * math.exp(-second / 40)) * NS_PER_MS)
    offset_ns = 10**12 - round(1000 * ppm * second)
    return Reading(1, Standing(offset_ns, uncertainty_ns, ppm, 0.5, round_trip_ns, 31, 99, 0, 0, True))


def clocks(seconds: int) -> dict[str, Any]:
    """The topics after so many seconds; the right board was away for a minute, the deck always."""
    history = ClockHistory(BOARDS)
    for second in range(seconds):
        away = 120 <= second < 180
        history.take(
            {"left": reading(second, -21.4), "right": None if away else reading(second, 33.0), "deck": None}
        )
    return {"clocks": history.older(), "clocks_now": history.newest()}


def numbers(labels: list[str]) -> list[float]:
    return [float(label.replace(",", "")) for label in labels if re.fullmatch(r"-?[\d.,]+", label)]


def test_each_known_clock_has_four_charts_with_units_and_axes(opened: Opener, feed: Feed) -> None:
    page = opened("service")
    show(page, feed, PHASES["duel"]() | clocks(400))
    assert [card.get_attribute("data-clock") for card in page.locator("[data-clock]").all()] == [
        "left",
        "right",
    ]
    for board in ("left", "right"):
        plots = page.locator(f'[data-clock="{board}"] .plot')
        assert [plot.get_attribute("data-plot") for plot in plots.all()] == QUANTITIES
        for plot in plots.all():
            ticks = numbers(plot.locator("svg text").all_text_contents())
            assert 2 <= len(ticks) <= 6
            assert ticks == sorted(ticks)
            assert len(set(ticks)) == len(ticks)
            assert re.search(r"-?[\d.,]+ (ms|ppm)$", str(plot.locator("svg").get_attribute("aria-label")))
    assert "21.40 ppm" in words(page, '[data-clock="left"] [data-plot="drift"]')
    assert "now" in words(page, '[data-clock="left"] [data-plot="offset"]')


def test_a_line_stops_where_the_board_was_away_and_every_second_is_on_it(opened: Opener, feed: Feed) -> None:
    page = opened("service")
    show(page, feed, PHASES["duel"]() | clocks(400))
    lines = {
        board: page.locator(f'[data-clock="{board}"] [data-plot="offset"] path').get_attribute("d") or ""
        for board in ("left", "right")
    }
    assert (lines["left"].count("M"), lines["left"].count("L")) == (1, 399)
    assert (lines["right"].count("M"), lines["right"].count("L")) == (2, 338)


def test_ten_minutes_are_shown_and_a_second_later_one_more(opened: Opener, feed: Feed) -> None:
    page = opened("service")
    show(page, feed, PHASES["duel"]() | clocks(900))
    path = page.locator('[data-clock="left"] [data-plot="round_trip"] path')
    before = path.get_attribute("d") or ""
    assert before.count("L") == 599
    feed.publish({"clocks_now": clocks(901)["clocks_now"]})
    page.wait_for_function(
        "before => document.querySelector('[data-clock=left] [data-plot=round_trip] path')"
        ".getAttribute('d') !== before",
        arg=before,
    )


@pytest.mark.parametrize("width", [390, 1280])
def test_the_charts_fit_and_can_be_read_by_all(opened: Opener, feed: Feed, width: int) -> None:
    page = opened("service", width)
    show(page, feed, PHASES["duel"]() | clocks(1))
    show(page, feed, PHASES["duel"]() | clocks(650))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
