"""`supervisor` on a Raspberry Pi: milliseconds of the kernel's monotonic clock, in CircuitPython's shape.

`ticks_ms` wraps at 2**29. On a board it and `time.monotonic_ns` lie to each other in a way that lets a key's
stamp be told to the tick of its scan; here they are set OFFSET_MS apart from that, so that nobody takes them
for a board's and a stamp counts as no more than a millisecond of its own.
"""

from __future__ import annotations

import time
from typing import Final

PERIOD: Final = 1 << 29
OFFSET_MS: Final = 30_000


class Runtime:
    """State of the running system; nothing is reloaded here."""

    usb_connected = True
    autoreload = False


class StatusBar:
    """The title that CircuitPython writes to terminals; there is none."""

    console = False


def ticks_ms() -> int:
    """Milliseconds that wrap at 2**29."""
    return (time.monotonic_ns() // 1_000_000 - OFFSET_MS) % PERIOD


runtime = Runtime()
status_bar = StatusBar()
