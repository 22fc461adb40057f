"""A person at the browser: real host, real boards, clicked by what the box page shows, read on the kiosk.

The test looks at the box as a player does: it reads the dice from the lit pixels of their 3x3 windows, the
platters from the strip above, and clicks keys. It is told nothing that is not on the page.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from galley_board import glyphs, pins
from tests.browser.conftest import Watch, words
from tests.loop.box_process import DUEL_ALONE, free_port

ROOT: Final = Path(__file__).resolve().parents[2]
PATIENCE_S: Final = 60.0
DICE: Final = 6
ROLL, BELL = 8, 9
PATTERNS: Final = {
    pattern: name for name, _, _, pattern in glyphs.TABLE if name in glyphs.GAME_GLYPHS["sushi_duel"]
}


@contextmanager
def playing(
    *arguments: str,
    house: Sequence[str] = DUEL_ALONE,
    data: Path | None = None,
    port: int | None = None,
    kill: bool = False,
) -> Iterator[str]:
    """`galley` as a child process with simulated boards; gives the address of its pages.

    `house` is what it plays and shows, `data` where it keeps things; without one it keeps nothing. In the end
    it is told to end, or with `kill` ended.
    """
    port = port or free_port()
    kept = ("--no-journal",) if data is None else ("--data", str(data))
    command = [sys.executable, "-m", "galley", "--no-browser", "--port", str(port), *house, *kept, *arguments]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if "Ctrl-C ends it." in line:
                break
        yield f"http://127.0.0.1:{port}"
        if kill:
            return
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


class Player:
    """Someone at one station who sees the box page and clicks on it."""

    def __init__(self, box: Page, side: str) -> None:
        self._box = box
        self._side = side

    def press(self, key: int) -> None:
        """Click a key of this station."""
        self._box.locator(f'[data-board="{self._side}"][data-key="{key}"]').click()

    def lit(self) -> list[str]:
        """The lit pattern of each die, rows from the top."""
        read = "nodes => nodes.map(node => [Number(node.dataset.px), node.dataset.rgb !== '000000'])"
        pixels = dict(self._box.locator(f".board-{self._side} [data-px]").evaluate_all(read))
        return [
            " ".join(
                "".join("#" if pixels[pins.die_pixel(die, row, column)] else "." for column in range(3))
                for row in range(3)
            )
            for die in range(DICE)
        ]

    def faces(self) -> list[str]:
        """What the six dice show, once they all lie still and show a symbol."""
        deadline_s = time.monotonic() + PATIENCE_S
        before: list[str] = []
        while time.monotonic() < deadline_s:
            now = self.lit()
            if now == before and all(pattern in PATTERNS for pattern in now):
                return [PATTERNS[pattern] for pattern in now]
            before = now
            self._box.evaluate("() => new Promise(done => setTimeout(done, 60))")
        raise AssertionError(f"the dice do not come to rest: {before}")

    def kept(self) -> list[bool]:
        """Which dice are set aside, by what their keys would do."""
        jobs = self._box.locator(f".board-{self._side} .job").all_text_contents()
        return [job == "free" for job in jobs[:DICE]]

    def keep(self, wanted: list[bool]) -> None:
        """Set aside exactly these dice."""
        for die, (now, then) in enumerate(zip(self.kept(), wanted, strict=True)):
            if now != then:
                self.press(die)
                job = self._box.locator(f".board-{self._side} .job").nth(die)
                expect(job).to_have_text("free" if then else "keep")

    def platters(self) -> list[Counter[str]]:
        """The platters in the strip above the boards."""
        pieces = "trays => trays.map(t => [...t.querySelectorAll('.food')].map(f => f.classList[1].slice(5)))"
        return [Counter(tray) for tray in self._box.locator(".platters .tray").evaluate_all(pieces)]

    def take_a_platter(self) -> Counter[str]:
        """Roll and keep until the dice fit a platter, ring, and say which it was."""
        self.press(ROLL)
        for _ in range(400):
            faces = self.faces()
            useful = {i: fitting(platter, faces) for i, platter in enumerate(self.platters())}
            best = max(useful, key=lambda i: sum(useful[i]))
            if all(useful[best]):
                platter = self.platters()[best]
                self.press(BELL)
                return platter
            self.keep(useful[best])
            rolling = [pattern for pattern, keep in zip(self.lit(), useful[best], strict=True) if not keep]
            self.press(ROLL)
            self.wait_for_the_roll(useful[best], rolling)
        raise AssertionError("four hundred rolls and no platter")

    def wait_for_the_roll(self, kept: list[bool], before: list[str]) -> None:
        """Wait until the free dice no longer lie as before; a roll may also give the same faces again."""
        deadline_s = time.monotonic() + 1.0
        while time.monotonic() < deadline_s:
            if [pattern for pattern, keep in zip(self.lit(), kept, strict=True) if not keep] != before:
                return


def fitting(platter: Counter[str], faces: list[str]) -> list[bool]:
    """Which dice serve this platter; a star stands for any symbol that is still needed."""
    left = Counter(platter)
    serves = [False] * len(faces)
    for die, face in enumerate(faces):
        if left[face]:
            left[face] -= 1
            serves[die] = True
    for die, face in enumerate(faces):
        wanted = next((symbol for symbol, count in left.items() if count and symbol != "star"), None)
        if face == "star" and not serves[die] and wanted is not None:
            left[wanted] -= 1
            serves[die] = True
    return serves


@pytest.fixture
def watch() -> Iterator[Watch]:
    watch = Watch()
    yield watch
    assert watch.complaints == []


def open_both(browser: Browser, watch: Watch, url: str) -> tuple[Page, Page]:
    box = browser.new_page(viewport={"width": 1280, "height": 720})
    kiosk = browser.new_page(viewport={"width": 1280, "height": 720})
    for page, path in ((box, "/box"), (kiosk, "/")):
        watch.over(page)
        page.goto(url + path)
    for board in ("left", "right", "deck"):
        box.locator(f'.board-{board}[data-state="live"]').wait_for(timeout=PATIENCE_S * 1000)
    return box, kiosk


def sit_down(box: Page, *seats: str) -> None:
    for seat in seats:
        box.get_by_role("button", name=re.compile(f"deck, {seat} seat: join")).click()
        expect(box.locator(f'.seat[data-seat="{seat.lower()}"] .seat-job')).to_have_text("leave")


def test_two_people_join_duel_and_one_takes_a_platter(browser: Browser, watch: Watch) -> None:
    with playing("--seed", "11") as url:
        box, kiosk = open_both(browser, watch, url)
        expect(kiosk.get_by_text("Press any glowing key")).to_be_visible()
        sit_down(box, "Red", "Blue")
        assert words(kiosk, '.seat-key[data-seat="blue"] .seat-is') == "is in"
        red, blue = Player(box, "left"), Player(box, "right")
        red.press(BELL)
        expect(box.locator('[data-prompt="get_ready"]')).to_be_visible()
        assert words(box, '[data-prompt="get_ready"]') == "Red (left) and Blue (right): press ROLL when ready"
        red.press(ROLL)
        expect(box.locator('[data-prompt="get_ready_one"]')).to_be_visible()
        blue.press(ROLL)
        expect(box.locator('[data-prompt="duel_roll"], [data-prompt="duel_on"]')).to_be_visible()
        platter = red.take_a_platter()
        taken = kiosk.locator('.score [data-seat="red"][data-won="1"]')
        taken.wait_for(timeout=PATIENCE_S * 1000)
        assert kiosk.locator('.score [data-seat="blue"]').get_attribute("data-won") == "0"
        told = kiosk.locator('[data-news="platter_taken"], [data-news="sets_passed"]')
        assert told.count() >= 1
        expect(box.locator('[data-prompt="get_ready"]')).to_be_visible()
        assert sum(platter.values()) == DICE
        assert words(kiosk, ".side-left .duelist .who") == "Blue", "the sets pass on"
        box.close()
        kiosk.close()


def test_one_person_beats_a_bot_and_plays_again(browser: Browser, watch: Watch) -> None:
    options = ("--seed", "4", "--bot", "random", "--bot-speed", "0.1", "--set", 'targets={"2":1}')
    with playing(*options) as url:
        box, kiosk = open_both(browser, watch, url)
        sit_down(box, "Violet")
        me = Player(box, "left")
        me.press(BELL)
        expect(box.locator('[data-prompt="get_ready_one"], [data-prompt="get_ready"]')).to_be_visible()
        me.press(ROLL)
        begun = box.locator('[data-prompt="duel_roll"], [data-prompt="duel_on"]')
        expect(begun).to_be_visible(timeout=PATIENCE_S * 1000)
        platter = me.take_a_platter()
        kiosk.locator('.winner[data-winner="violet"]').wait_for(timeout=PATIENCE_S * 1000)
        assert words(kiosk, ".winner") == "Violet wins"
        shown = kiosk.locator(".decided .food").evaluate_all("all => all.map(f => f.classList[1].slice(5))")
        assert Counter(shown) == platter
        expect(kiosk.locator('[data-prompt="result_again"]')).to_be_visible()
        me.press(ROLL)
        expect(kiosk.locator(".join")).to_be_visible()
        box.close()
        kiosk.close()
