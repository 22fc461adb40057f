"""What a page does when the host goes or comes back, perhaps as another build; the crew."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from galley.web.commands import KeyCommand
from tests.browser.conftest import PATHS, Opener, show, words
from tests.browser.feed import Feed
from tests.browser.phases import PHASES
from tests.browser.topics import base, board

KINDS = list(PATHS)


@pytest.fixture
def feed() -> Iterator[Feed]:
    """A host of its own for each test: most of them stop it."""
    feed = Feed(PHASES["attract"]())
    yield feed
    feed.stop()


def mark(page: Page) -> None:
    """Leave something in the page that a reload would wipe out."""
    page.evaluate("window.marked = true")


def marked(page: Page) -> bool:
    return bool(page.evaluate("window.marked === true"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_comes_back_by_itself_and_says_so_meanwhile(opened: Opener, feed: Feed, kind: str) -> None:
    opened.watch.link_may_fail = True
    page = opened(kind, fresh=True)
    mark(page)
    expect(page.locator("#link")).to_be_hidden()
    feed.stop()
    expect(page.locator("#link")).to_have_text("Connecting to the box again …")
    expect(page.locator("#link")).to_be_visible()
    feed.start()
    expect(page.locator("#link")).to_be_hidden()
    show(page, feed, PHASES["paused"]())
    assert "left station" in page.locator("body").inner_text().lower()
    assert marked(page), "it did not need to load itself again"


def test_a_key_held_while_the_link_breaks_is_up_again(opened: Opener, feed: Feed) -> None:
    opened.watch.link_may_fail = True
    page = opened("box", fresh=True)
    roll = page.locator('[data-board="left"][data-key="8"]')
    page.keyboard.down("KeyZ")
    assert feed.command() == KeyCommand("left", 8, True)
    feed.stop()
    expect(roll).to_have_attribute("aria-pressed", "false")
    assert feed.command() == KeyCommand("left", 8, False)
    page.keyboard.up("KeyZ")
    page.keyboard.press("KeyX")
    feed.start()
    expect(page.locator("#link")).to_be_hidden()
    page.keyboard.press("KeyC")
    assert feed.command() == KeyCommand("left", 10, True), "what was pressed without a link never happened"


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_of_another_build_loads_itself_again(opened: Opener, feed: Feed, kind: str) -> None:
    opened.watch.link_may_fail = True
    page = opened(kind, fresh=True)
    first = page.locator("html").get_attribute("data-build")
    mark(page)
    feed.stop()
    feed.start("0.2.0")
    page.locator(f'html[data-build="{feed.site.build}"] body[data-n]').wait_for()
    assert feed.site.build != first
    assert not marked(page)


def test_a_page_never_reloads_twice_for_one_build(opened: Opener, feed: Feed) -> None:
    page = opened("kiosk", fresh=True)
    loads: list[str] = []
    page.on("framenavigated", lambda frame: loads.append(frame.url))
    feed.publish({"meta": {"version": "9", "simulated": True, "language": "en", "build": "nobody has this"}})
    with page.expect_navigation():
        pass
    page.locator("body[data-n]").wait_for()
    show(page, feed, PHASES["join_some"]())
    show(page, feed, PHASES["duel"]())
    assert len(loads) == 1


def test_a_gap_in_the_numbers_is_healed_by_a_snapshot(opened: Opener, feed: Feed) -> None:
    sent: list[str] = []
    other = opened("service", fresh=True).context.new_page()

    def drop_one(socket: Any) -> None:
        server = socket.connect_to_server()

        def from_server(message: str) -> None:
            if json.loads(message).get("n") != 2:
                socket.send(message)

        def from_page(message: str) -> None:
            sent.append(message)
            server.send(message)

        server.on_message(from_server)
        socket.on_message(from_page)

    other.route_web_socket("**/ws?page=kiosk", drop_one)
    other.goto(feed.url)
    other.locator("body[data-n]").wait_for()
    feed.publish({"house": PHASES["join_none"]()["house"]})
    feed.publish({"house": PHASES["join_some"]()["house"]})
    expect(other.locator('.seat-key[data-seat="violet"] .seat-is')).to_have_text("bot, good")
    assert '{"do":"snapshot"}' in sent


def test_the_crew_sees_every_board_and_what_to_do(opened: Opener, feed: Feed) -> None:
    page = opened("service", fresh=True)
    show(page, feed, PHASES["trouble"]())
    cards = page.locator(".card").all()
    states = [(card.get_attribute("data-role"), card.get_attribute("data-state")) for card in cards]
    assert states == [("left", "stale"), ("right", "opening"), ("deck", "absent"), ("unknown", "live")]
    assert words(page, '[data-role="left"] .state') == "does not answer"
    assert words(page, '[data-role="right"] .note') == (
        "What to do The port /dev/ttyACM1 of the right station is in use by another program: "
        "close that program"
    )
    left = words(page, '[data-role="left"]')
    for said in ("e6614c311b7a5c2f", "1a2b3c", "bad frames", "18421", "its role and its side strap disagree"):
        assert said in left
    assert words(page, "#version") == f"Galley 0.1.0, build {feed.site.build}"


@pytest.mark.parametrize("width", [390, 1280])
def test_the_crews_page_fits_any_width(opened: Opener, feed: Feed, width: int) -> None:
    page = opened("service", width, fresh=True)
    show(page, feed, PHASES["trouble"]())
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("path", ["/", "/?wall", "/box", "/service"])
def test_some_boards_that_are_simulated_are_marked_on_every_screen(
    opened: Opener, feed: Feed, path: str
) -> None:
    page = opened("kiosk", fresh=True)
    page.goto(feed.url + path)
    page.locator("body[data-n]").wait_for()
    real = base("attract", simulated=False)
    some = [board("left"), board("right", simulated=False), board("deck", "absent", simulated=False)]
    mark = page.locator("#simulated")
    show(page, feed, real)
    expect(mark).to_be_hidden()
    show(page, feed, {"meta": {**real["meta"], "simulated": True}, "boards": some})
    expect(mark).to_be_visible()
    expect(mark).to_have_text("SIMULATED")
    if path == "/service":
        assert "simulated" in words(page, '[data-role="left"]')
        assert "simulated" not in words(page, '[data-role="right"]')
