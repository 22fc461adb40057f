"""From a finger on the page to the pixel painted on it: host, firmware and back, in a real browser."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from playwright.async_api import Page as BrowserPage
from playwright.async_api import async_playwright

from galley.tables.table import BOARDS, ROLL
from tests.bench.figures import line
from tests.bench.pty_board import PtyBoard
from tests.bench.test_latency import raw_echo
from tests.browser.chromium import ARGUMENTS, PATH
from tests.loop.box_process import Page, running_box

pytestmark = pytest.mark.bench

PRESSES = 200

KEEPS = ("KeyQ", "KeyW", "KeyE", "KeyR", "KeyA", "KeyS")

# Waits for the next key to go down; `window.painted` is the ms from then until the frame was painted in
# which the lamp of that die had changed. A frame is painted after its animation callbacks, so the time is
# taken in the task that follows them.
WATCH = """
(die) => {
  const lamp = document.querySelector(`.board-left [data-px="${72 + die}"]`);
  window.painted = new Promise((done, fail) => addEventListener("keydown", () => {
    const began = performance.now();
    const timer = setTimeout(() => fail(new Error("no pixel changed in 5 s")), 5000);
    const watch = new MutationObserver(() => {
      watch.disconnect();
      clearTimeout(timer);
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => done(performance.now() - began);
        channel.port2.postMessage(0);
      });
    });
    watch.observe(lamp, { attributes: true, attributeFilter: ["data-rgb"] });
  }, { once: true, capture: true }));
}
"""


async def painted() -> list[float]:
    times: list[float] = []
    options = ("--seats", "red,blue", "--seed", "5")
    async with running_box(*options) as box, async_playwright() as playwright:
        async with box.page() as page:
            await start_duel(page)
        browser = await playwright.chromium.launch(executable_path=PATH, args=ARGUMENTS)
        shown: BrowserPage = await browser.new_page(viewport={"width": 1280, "height": 720})
        await shown.goto(f"{box.url}/box")
        await shown.locator(
            '.board-left[data-state="live"] [data-board="left"][data-key="5"].works'
        ).wait_for()
        for number in range(PRESSES):
            await shown.evaluate(WATCH, number % 6)
            await shown.keyboard.down(KEEPS[number % 6])
            times.append(await shown.evaluate("() => window.painted"))
            await shown.keyboard.up(KEEPS[number % 6])
            await shown.wait_for_timeout(60)
        await browser.close()
    return times


async def start_duel(page: Page) -> None:
    await page.until(lambda p: sorted(p.live()) == sorted(BOARDS))
    for board in ("left", "right"):
        await page.press(board, ROLL)
    await page.until(lambda p: p.state["phase"] == "duel")
    await page.press("left", ROLL)
    await page.until(lambda p: None not in p.state["stations"]["left"]["faces"])


@pytest.mark.skipif(PATH is None, reason="needs chromium")
def test_from_the_finger_to_the_painted_pixel(report: Callable[[str], None]) -> None:
    board = PtyBoard()
    report(line("raw pyserial echo over a pty, just before", raw_echo(board)))
    board.close()
    times = asyncio.run(painted())
    report(line("finger to painted pixel on the page", times, "  (budget p95 80 ms)"))
    assert len(times) == PRESSES
