"""The machine's own Chromium, without anything that would reach for the network."""

from __future__ import annotations

import shutil
from typing import Final

from playwright.sync_api import Browser, Playwright

PATH: Final = shutil.which("chromium") or shutil.which("chromium-browser")
"""Where it is, or None: tests then skip with the reason "needs chromium"."""

ARGUMENTS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--autoplay-policy=no-user-gesture-required",  # as for the kiosk: sounds need no touch
    "--mute-audio",
]


def launch(playwright: Playwright) -> Browser:
    """Start it, headless."""
    return playwright.chromium.launch(executable_path=PATH, args=ARGUMENTS)
