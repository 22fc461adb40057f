"""A page on another machine: it watches, asks for the PIN, and plays once that is right.

The box that serves the network is a real process; nothing but this machine's loopback is ever asked. That a
page comes from afar is told to the hub, which sees only an address.
"""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from galley.lan import addresses
from galley.web.access import Access
from galley.web.commands import KeyCommand
from tests.browser.conftest import Watch, show
from tests.browser.feed import Feed
from tests.browser.layout import faults
from tests.browser.phases import PHASES
from tests.loop.box_process import ROOT, free_port

PIN = "271828"


class Afar(Access):
    """Takes every page for one on another machine."""

    def is_here(self, address: str | None) -> bool:
        return False


@pytest.fixture
def feed() -> Iterator[Feed]:
    feed = Feed(PHASES["duel"](), access=Afar(PIN))
    yield feed
    feed.stop()


def type_pin(page: Page, pin: str) -> None:
    for digit in pin:
        page.get_by_role("button", name=digit, exact=True).click()
    page.get_by_role("button", name="done").click()


def test_a_page_from_afar_watches_and_plays_with_the_pin(browser: Browser, feed: Feed) -> None:
    watch = Watch()
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    watch.over(page)
    page.goto(feed.url)
    page.get_by_role("button", name="PIN").wait_for()
    expect(page.locator("body.watching")).to_be_visible()
    expect(page.locator(".prompt").first.locator(".cap")).to_have_text(["ROLL", "KEEP", "BELL"])
    expect(page.locator(".press")).to_have_count(0)
    show(page, feed, PHASES["choose"]())
    said = page.locator(".prompt").evaluate_all("all => all.map(node => node.dataset.prompt)")
    assert said == [f"choose_{word}" for word in ("next", "take", "direct", "options", "back")]
    page.keyboard.press("z")
    page.get_by_role("button", name="PIN").click()
    assert faults(page) == []
    type_pin(page, "111111")
    expect(page.get_by_text("That is not the PIN.")).to_be_visible()
    assert feed.commands.empty(), "it only watches"
    type_pin(page, PIN)
    expect(page.locator(".pin")).to_have_count(0)
    page.reload()
    expect(page.locator("body[data-n]")).to_be_visible()
    expect(page.locator(".pin")).to_have_count(0)
    expect(page.locator(".press")).to_have_count(4)
    page.keyboard.press("z")
    assert feed.command() == KeyCommand("left", 8, True)
    assert feed.command() == KeyCommand("left", 8, False)
    page.close()
    assert watch.complaints == []


def test_a_box_for_the_network_says_where_it_is_and_keeps_its_pin_out_of_what_may_be_a_log(
    tmp_path: Path,
) -> None:
    own = addresses()
    if not own:
        pytest.skip("needs a network")
    (tmp_path / "pin").write_text(PIN + "\n")
    port = free_port()
    options = ("--port", str(port), "--lan", "--pin-file", str(tmp_path / "pin"), "--data", str(tmp_path))
    process = subprocess.Popen(
        [sys.executable, "-m", "galley", "--no-browser", "--sim", "left", *options],
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
        assert re.search("[█▀▄]{20}", said), "the address as a picture"
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(f"http://127.0.0.1:{port}/healthz", timeout=10) as answer:
            assert json.loads(answer.read())["ok"] is True
        with socket.create_connection(("127.0.0.1", port), timeout=10) as stranger:
            stranger.sendall(b"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
            assert b"403" in stranger.recv(100).split(b"\r\n")[0]
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        said += process.stderr.read()
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
    logs = "".join(path.read_text("utf-8") for path in tmp_path.glob("galley.log*"))
    assert logs
    assert PIN not in said + logs
