"""A hand on the virtual box: no press is shorter than a finger can make it.

For: clicks and taps on a page, whose "down" and "up" may reach the host in one packet. A switch that closes
and opens between two scans of a real board is not seen, nor would a finger manage that: an arcade button
takes tens of milliseconds for its travel. So every change of a key waits until the key's last change is
TRAVEL_MS old, also when the event loop was late with that one. Order is kept. No finger is LATE_MS behind
itself: such a press is dropped, and so is its end.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

LATE_MS: Final = 500
TRAVEL_MS: Final = 25  # more than the 20 ms for which a board ignores a key after an edge


class Hand:
    """Passes changes of keys on to `press(board, key, down)`, each when the key has had time for it."""

    def __init__(self, press: Callable[[str, int, bool], None]) -> None:
        self._press = press
        self._waiting: dict[tuple[str, int], deque[bool]] = {}  # of the keys that are on their way
        self._dropped: set[tuple[str, int]] = set()

    def move(self, board: str, key: int, down: bool) -> None:
        """Press or let go: now, or as soon as the key's travel allows."""
        waiting = self._waiting.get((board, key))
        if not down and (board, key) in self._dropped:
            self._dropped.discard((board, key))
        elif waiting is None:
            self._waiting[board, key] = deque()
            self._make(board, key, down)
        elif down and len(waiting) * TRAVEL_MS >= LATE_MS:
            self._dropped.add((board, key))
        else:
            waiting.append(down)

    def _make(self, board: str, key: int, down: bool) -> None:
        self._press(board, key, down)
        asyncio.get_running_loop().call_later(TRAVEL_MS / 1000, self._arrived, board, key)

    def _arrived(self, board: str, key: int) -> None:
        if waiting := self._waiting[board, key]:
            self._make(board, key, waiting.popleft())
        else:
            del self._waiting[board, key]
