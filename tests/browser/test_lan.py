"""A page on another machine: it watches, asks for the PIN, and plays once that is right.

The box really listens on the network; the browser comes by this machine's own address there, which is not a
loopback one.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from galley.lan import addresses
from tests.browser.conftest import Watch
from tests.loop.box_process import ROOT, free_port

PIN = "271828"


@pytest.fixture
def afar(tmp_path: Path) -> Iterator[str]:
    """The address of a box that serves the network."""
    own = addresses()
    if not own:
        pytest.skip("needs a network")
    (tmp_path / "pin").write_text(PIN + "\n")
    port = free_port()
    options = (
        "--port",
        str(port),
        "--lan",
        "--pin-file",
        str(tmp_path / "pin"),
        "--data",
        str(tmp_path),
        "--no-demo",
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "galley", "--no-browser", *options],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    said = ""
    try:
        for line in process.stderr:
            said += line
            if "Ctrl-C ends it." in line:
                break
        assert f"http://{own[0]}:{port}/" in said
        assert "█" in said, "the address as a picture"
        yield f"http://{own[0]}:{port}/"
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        said += process.stderr.read()
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
    assert PIN not in said, "what is no terminal may be a log"


def type_pin(page: Page, pin: str) -> None:
    for digit in pin:
        page.get_by_role("button", name=digit, exact=True).click()
    page.get_by_role("button", name="done").click()


def test_a_page_from_afar_watches_and_plays_with_the_pin(browser: Browser, afar: str) -> None:
    watch = Watch()
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    watch.over(page)
    page.goto(afar)
    wakes = page.locator('.keybar [data-board="deck"]').first
    pin = page.get_by_role("button", name="PIN")
    pin.wait_for()
    expect(page.locator(".keybar, .tool-pause").filter(visible=True)).to_have_count(0)
    page.keyboard.press("Digit1")
    expect(page.locator('body[data-phase="attract"]')).to_be_visible()
    pin.click()
    type_pin(page, "111111")
    expect(page.get_by_text("That is not the PIN.")).to_be_visible()
    type_pin(page, PIN)
    expect(page.locator(".pin")).to_have_count(0)
    expect(wakes).to_be_visible()
    page.reload()
    wakes.wait_for()
    expect(page.locator(".pin")).to_have_count(0)
    wakes.click()
    expect(page.locator('body[data-phase="choose"]')).to_be_visible()
    page.goto(re.sub("/$", "/service", afar))
    expect(page.locator(".qr")).to_be_visible()
    page.close()
    assert watch.complaints == []
