"""A hand on the virtual box: no press is shorter than a finger can make it.

For: clicks and taps on a page, whose "down" and "up" may reach the host in one packet. A switch that closes
and opens between two scans of a real board is not seen, nor would a finger manage that: an arcade button
takes tens of milliseconds for its travel. So every change of a key waits until the key's last change is
TRAVEL_MS old. Order is kept. No finger is LATE_MS behind itself: such a press is dropped, and so is its end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

LATE_MS: Final = 500
TRAVEL_MS: Final = 25  # more than the 20 ms for which a board ignores a key after an edge


class Hand:
    """Passes changes of keys on to `press(board, key, down)`, each when the key has had time for it."""

    def __init__(self, press: Callable[[str, int, bool], None]) -> None:
        self._press = press
        self._free_s: dict[tuple[str, int], float] = {}
        self._dropped: set[tuple[str, int]] = set()

    def move(self, board: str, key: int, down: bool) -> None:
        """Press or let go: now, or as soon as the key's travel allows."""
        loop = asyncio.get_running_loop()
        now_s = loop.time()
        at_s = max(now_s, self._free_s.get((board, key), now_s))
        if not down and (board, key) in self._dropped:
            self._dropped.discard((board, key))
            return
        if down and at_s - now_s > LATE_MS / 1000:
            self._dropped.add((board, key))
            return
        self._free_s[board, key] = at_s + TRAVEL_MS / 1000
        if at_s <= now_s:
            self._press(board, key, down)
        else:
            loop.call_at(at_s, self._press, board, key, down)
