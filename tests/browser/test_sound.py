"""Sounds: each can be heard, the right one for each news, on the elected page only, with a caption."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from galley.web.app import STATIC
from galley.web.commands import SpeakerCommand
from galley_engine.games import load
from tests.browser.conftest import Opener, show
from tests.browser.feed import Feed
from tests.browser.phases import PHASES
from tests.browser.topics import GAMES, Topics, news

SOUNDS: Final = ("bell", "roll", "yuck", "mate", "win", "wrong", "tick")

RENDER = """async name => {
    const {play, SOUNDS} = await import("/static/sounds.js");
    const context = new OfflineAudioContext(1, 44100 * 3, 44100);
    const lasts_ms = play(context, context.destination, name);
    const samples = (await context.startRendering()).getChannelData(0);
    let peak = 0, last = 0, power = 0;
    samples.forEach((sample, i) => {
        peak = Math.max(peak, Math.abs(sample));
        power += sample * sample;
        if (Math.abs(sample) > 0.003) last = i;
    });
    return {peak, lasts_ms, last_ms: last / 44.1, power: power / 44100, names: Object.keys(SOUNDS)};
}"""

COUNT_STARTS = """() => {
    window.started = 0;
    const start = AudioScheduledSourceNode.prototype.start;
    AudioScheduledSourceNode.prototype.start = function (...args) {
        window.started += 1;
        return start.apply(this, args);
    };
}"""


def test_there_are_seven_sounds(shown: tuple[Page, Feed]) -> None:
    page, _ = shown
    names = page.evaluate("async () => Object.keys((await import('/static/sounds.js')).SOUNDS)")
    assert sorted(names) == sorted(SOUNDS)


@pytest.mark.parametrize("name", SOUNDS)
def test_a_sound_is_heard_ends_and_does_not_clip(shown: tuple[Page, Feed], name: str) -> None:
    page, _ = shown
    heard: dict[str, Any] = page.evaluate(RENDER, name)
    assert 0.05 < heard["peak"] <= 1.0
    assert heard["power"] > 1e-5
    assert heard["last_ms"] <= heard["lasts_ms"] + 30


def test_every_news_with_a_sound_is_an_event_of_a_game() -> None:
    source = (STATIC / "loudspeaker.js").read_text(encoding="utf-8")
    table = source[source.index("SOUND_OF = {") : source.index("};")]
    pairs = dict(re.findall(r'(\w+): "(\w+)"', table))
    events = {event for game in GAMES for event in load(str(game["game"])).events}
    assert set(pairs) <= events
    assert set(pairs.values()) == set(SOUNDS)


CASES: Final = [
    ("platter_taken", "bell"),
    ("yuck_called", "yuck"),
    ("mate_called", "mate"),
    ("bell_false", "wrong"),
    ("game_won", "win"),
    ("thrown", "roll"),
    ("set_aside", "tick"),
]


def told(key: str, n: int) -> list[Topics]:
    """One piece of news, with whatever parameters any of them may need."""
    params = {
        "by": "red",
        "on": "blue",
        "platter": {"roe": 6},
        "penalty": "none",
        "won": 2,
        "dice": 2,
        "face": "1",
    }
    return [{**entry, "n": n} for entry in news((key, params))]


@pytest.mark.parametrize(("key", "sound"), CASES)
def test_news_have_their_sound_written_on_the_screen(shown: tuple[Page, Feed], key: str, sound: str) -> None:
    page, feed = shown
    show(page, feed, PHASES["duel_start"]() | {"news": told("got_ready", 500)})
    number = 501 + CASES.index((key, sound))
    show(page, feed, {"news": told(key, number)})
    caption = page.locator("#caption")
    expect(caption).to_be_visible()
    expect(caption).to_have_attribute("data-sound", sound)
    assert caption.inner_text().startswith("♪ ")


def test_dice_of_a_duel_are_heard_though_they_are_no_news(shown: tuple[Page, Feed]) -> None:
    page, feed = shown
    topics = PHASES["duel"]()
    show(page, feed, topics)
    page.evaluate("document.querySelector('#caption').hidden = true")
    rolled = PHASES["duel"]()
    rolled["table"]["state"]["stations"]["left"]["faces"][4] = "roe"
    show(page, feed, rolled)
    expect(page.locator("#caption")).to_have_attribute("data-sound", "roll")


@pytest.fixture
def feed() -> Iterator[Feed]:
    """A host of its own for each test: its commands are counted."""
    feed = Feed(PHASES["attract"]())
    yield feed
    feed.stop()


def asked(feed: Feed) -> SpeakerCommand:
    """The next command, which is about the loudspeaker."""
    command = feed.command()
    assert isinstance(command, SpeakerCommand)
    return command


def elected(topics: Topics, page: int | None, **more: Any) -> Topics:
    """`topics` with this page as the loudspeaker."""
    return {**topics, "meta": {**topics["meta"], "speaker": page, **more}}


def started(page: Page) -> int:
    """How many voices the page has started."""
    count: int = page.evaluate("window.started")
    return count


def test_only_the_elected_page_sounds_and_only_when_it_may(browser: Browser, feed: Feed) -> None:
    page = browser.new_page()
    page.goto(feed.url)
    page.locator("body[data-n]").wait_for()
    page.evaluate(COUNT_STARTS)
    topics = PHASES["duel"]()
    show(page, feed, topics)
    button = page.locator(".tool-sound")
    expect(button).to_have_attribute("aria-pressed", "false")
    show(page, feed, {"news": told("platter_taken", 90)})
    assert started(page) == 0, "nobody elected it"
    button.click()
    mine = asked(feed).page
    assert mine is not None
    show(page, feed, elected(topics, mine, volume=50))
    expect(button).to_have_attribute("aria-pressed", "true")
    show(page, feed, {"news": told("platter_taken", 91)})
    once = started(page)
    assert once > 0
    for n, silent in enumerate(
        (
            elected(topics, mine, quiet=True),
            elected(topics, mine, volume=0),
            elected(topics, mine + 1),
            elected(topics, mine) | {"house": {**topics["house"], "muted": True}},
        )
    ):
        show(page, feed, silent | {"news": told("platter_taken", 91)})
        show(page, feed, {"news": told("platter_taken", 92 + n)})
        assert started(page) == once, "quiet hours, no volume, another page, muted"
    show(page, feed, elected(topics, mine))
    button.click()
    assert asked(feed).page is None
    page.close()


def test_a_kiosk_that_was_the_loudspeaker_asks_again_by_itself(browser: Browser, feed: Feed) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(feed.url)
    page.locator("body[data-n]").wait_for()
    page.locator(".tool-sound").click()
    asked(feed)
    page.reload()
    assert asked(feed).page is None, "the old page has gone"
    assert asked(feed).page is not None, "the new one asks without a touch"
    context.close()


def test_a_wall_never_asks(browser: Browser, feed: Feed) -> None:
    page = browser.new_page()
    page.goto(feed.url + "/?wall")
    page.locator("body[data-n]").wait_for()
    expect(page.locator(".tool-sound")).to_have_count(0)
    page.close()
    assert feed.commands.empty()


def test_the_crew_sets_volume_and_quiet_hours(opened: Opener, feed: Feed) -> None:
    page = opened("service", fresh=True)
    page.locator("#volume").fill("35")
    assert str(feed.command()) == "VolumeCommand(to=35)"
    page.locator('[data-quiet="0"]').fill("21:30")
    assert str(feed.command()) == "QuietCommand(begin=1290, end=480)"
    page.locator(".choice", has_text="Français").click()
    assert str(feed.command()) == "LanguageCommand(to='fr', for_good=True)"
