"""Each game from its first key to its result, by pressing lit keys on the box page, as anybody might.

The duel is not among them: chance alone never fills a platter. `test_whole_game` plays it, by the lit pixels.

The host, its journal and the three simulated boards are real processes; the dice are forced by a seed, so the
same clicks give the same game. What the pages show at the end is compared with what the journal's record says
when the engine plays it again.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from galley.tables import GAMES
from galley_engine.games import load
from galley_engine.record import replay
from tests.browser.conftest import Watch, words
from tests.browser.test_whole_game import PATIENCE_S, ROOT, open_both, playing
from tests.loop.box_process import free_port

PLAY: Final = """async ([seed, most]) => {
    const { KEYBOARD } = await import("/static/fingers.js");
    const codes = new Map(Object.entries(KEYBOARD).map(([code, place]) => [place.join(" "), code]));
    let state = seed;
    const random = (below) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor(state / 2 ** 32 * below);
    };
    const over = () => document.querySelector('[data-prompt^="result_"]') !== null;
    const news = (before, ms) => new Promise((done) => {
        const began = performance.now();
        const look = () => document.body.dataset.n !== before || performance.now() - began > ms
            ? done() : setTimeout(look, 2);
        look();
    });
    const pressed = new Map();
    for (let n = 0; n < most; n += 1) {
        if (over()) return n;
        const before = document.body.dataset.n;
        const lit = [...document.querySelectorAll("[data-board][data-key].works")]
            .map(({ dataset }) => `${dataset.board} ${dataset.key}`)
            .filter((place) => !place.endsWith(" 11"))
            .filter((place) => performance.now() - (pressed.get(place) ?? -250) >= 250);
        if (lit.length > 0) {
            const place = lit[random(lit.length)];
            const code = codes.get(place);
            pressed.set(place, performance.now());
            for (const type of ["keydown", "keyup"]) dispatchEvent(new KeyboardEvent(type, { code }));
        }
        await news(before, 400);
    }
    return -1;
}"""
"""Press lit keys at random until the result is shown, each at most four times a second: a board takes what is
quicker for a switch that chatters, and mutes it. MODE is left alone."""

SHORT: Final = {
    "sushi_bar": ("--set", "sushi_tiles=[1,2,3,4]", "--set", "bone_tiles=[-1,-2,-3]"),
    "worm_grill": ("--set", "snails=2"),
    "poop_deck": (
        *("--set", "droppings_per_colour=1"),
        *("--world", "eye_percent=60", "--world", "turn_percent=100"),
    ),
}
"""Options that make a game end soon, so that the test does."""


@pytest.fixture
def watch() -> Iterator[Watch]:
    watch = Watch()
    yield watch
    assert watch.complaints == []


class Fingers:
    """Somebody who clicks keys that are lit on the box page, and waits until that has done something."""

    def __init__(self, box: Page, seed: int) -> None:
        self._box = box
        self._seed = seed

    def click(self, board: str, key: int) -> None:
        """Press a key and wait until the page has heard of something new."""
        before = self._box.locator("body").get_attribute("data-n")
        self._box.locator(f'[data-board="{board}"][data-key="{key}"]').click()
        self.wait_for_news(before)

    def wait_for_news(self, before: str | None) -> None:
        """Until the page has been told something after message `before`, or for a moment."""
        heard = f"() => document.body.dataset.n !== {json.dumps(before)}"
        self._box.evaluate(f"""() => new Promise(done => {{
            const began = performance.now();
            const look = () => ({heard})() || performance.now() - began > 400 ? done() : setTimeout(look, 5);
            look();
        }})""")

    def play(self, clicks: int = 5_000) -> None:
        """Press lit keys at random until the game is over."""
        pressed = self._box.evaluate(PLAY, [self._seed, clicks])
        assert pressed >= 0, f"no end after {clicks} presses"


def kept_record(data: Path) -> str:
    """The record of the last game in the journal, by the command that exports it."""
    listed = subprocess.run(
        [sys.executable, "-m", "galley", "journal", "list", "--data", str(data)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    number = listed.stdout.splitlines()[-1].split()[0]
    exported = subprocess.run(
        [sys.executable, "-m", "galley", "journal", "export", number, "--data", str(data)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return exported.stdout


def sit_at(fingers: Fingers, box: Page, kiosk: Page, game: str) -> None:
    """From attract to the first move of `game`, on the keys alone."""
    expect(kiosk.get_by_text("Press any glowing key")).to_be_visible()
    fingers.click("left", 8)
    expect(box.locator('[data-prompt="choose_take"]')).to_be_visible()
    fingers.click("right", GAMES.index(game))
    expect(box.locator('[data-prompt="join_press_seat"]')).to_be_visible()
    fingers.click("deck", 0)
    fingers.click("deck", 4)
    fingers.click("left", 9)
    for _ in range(3):
        expect(box.locator('[data-prompt="howto_start"]')).to_be_visible()
        fingers.click("left", 8)
    expect(kiosk.locator('body[data-phase="game"]')).to_be_visible()


@pytest.mark.parametrize("game", SHORT)
def test_a_game_is_played_to_its_end_by_clicking_what_is_lit(
    browser: Browser, watch: Watch, tmp_path: Path, game: str
) -> None:
    with playing("--seed", "3", "--game", game, *SHORT[game], house=("--no-demo",), data=tmp_path) as url:
        box, kiosk = open_both(browser, watch, url)
        fingers = Fingers(box, seed=5)
        fingers.click("left", 8)
        fingers.click("deck", 0)
        fingers.click("deck", 4)
        fingers.click("left", 9)
        fingers.click("left", 9)
        expect(kiosk.locator('body[data-phase="game"]')).to_be_visible()
        fingers.play()
        expect(kiosk.locator('body[data-phase="result"]')).to_be_visible()
        record = kept_record(tmp_path)
        state: Any = load(game).full(replay(record.encode().splitlines(keepends=True)).state)
        assert state["phase"] == "over"
        winners = [("red", "white")[seat] for seat in state["winners"]]
        shown = kiosk.locator("[data-winner]").get_attribute("data-winner")
        assert (shown or "").split() == winners
        box.close()
        kiosk.close()


def test_the_way_from_attract_to_a_game_and_another_language_on_the_way(
    browser: Browser, watch: Watch
) -> None:
    with playing("--seed", "3", house=()) as url:
        box, kiosk = open_both(browser, watch, url)
        fingers = Fingers(box, seed=1)
        sit_at(fingers, box, kiosk, "worm_grill")
        english = words(kiosk, ".prompt")
        step = kiosk.locator("body").get_attribute("data-n")
        kiosk.get_by_role("button", name="English").click()
        kiosk.get_by_role("button", name="Deutsch").click()
        expect(kiosk.locator('html[lang="de"]')).to_be_visible()
        expect(box.locator('html[lang="de"]')).to_be_visible()
        german = words(kiosk, ".prompt")
        assert german != english
        assert kiosk.locator("body").get_attribute("data-n") != step
        expect(kiosk.locator('body[data-phase="game"]')).to_be_visible()
        box.close()
        kiosk.close()


def test_the_box_plays_by_itself_for_two_minutes_of_its_bots_time(browser: Browser, watch: Watch) -> None:
    """Bots at forty times their pace, for four seconds: pages keep up, and nothing is said on the console."""
    with playing("--seed", "2", "--bot-speed", "40", house=()) as url:
        box, kiosk = open_both(browser, watch, url)
        expect(kiosk.get_by_text("Press any glowing key")).to_be_visible()
        heard = """() => new Promise((done) => {
            const began = performance.now(), first = Number(document.body.dataset.n);
            const told = () => Number(document.body.dataset.n) - first;
            const look = () => performance.now() - began > 4000 ? done(told()) : setTimeout(look, 50);
            look();
        })"""
        assert kiosk.evaluate(heard) > 20, "the page is told of what the bots do"
        expect(kiosk.locator('body[data-phase="attract"]')).to_be_visible()
        Fingers(box, seed=1).click("left", 8)
        expect(kiosk.locator('body[data-phase="choose"]')).to_be_visible()
        box.close()
        kiosk.close()


def test_pages_come_back_by_themselves_when_the_host_was_killed_in_mid_game(
    browser: Browser, tmp_path: Path
) -> None:
    port = free_port()
    house = ("--game", "sushi_bar", "--no-howto", "--no-demo", "--seed", "4", "--seats", "red,blue")
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    with playing(house=house, data=tmp_path, port=port, kill=True) as url:
        page.goto(url + "/box")
        for board in ("left", "right", "deck"):
            page.locator(f'.board-{board}[data-state="live"]').wait_for(timeout=PATIENCE_S * 1000)
        fingers = Fingers(page, seed=2)
        fingers.click("left", 8)
        expect(page.locator('[data-board="left"][data-key="0"].works')).to_be_visible()
        before = page.locator("#prompts").inner_text()
    expect(page.locator("#link")).to_be_visible()
    with playing(house=house, data=tmp_path, port=port) as url:
        expect(page.locator("#link")).to_be_hidden(timeout=PATIENCE_S * 1000)
        page.locator('.board-left[data-state="live"]').wait_for(timeout=PATIENCE_S * 1000)
        expect(page.locator('[data-board="left"][data-key="0"].works')).to_be_visible()
        assert page.locator("#prompts").inner_text() == before
        page.close()
