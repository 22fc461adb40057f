"""`keypad` on a Raspberry Pi: a thread that looks at the keys' pins each millisecond and stamps what changed.

Blinka's own has events without a stamp. Linux does not promise a millisecond: what a late look finds is
stamped SPAN_MS after the look before it, so that the edge is as near to its stamp as a stamp is taken to be
(`galley.ticks`). A look that is later still, so that this cannot be kept, is counted by `late`.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import digitalio

from galley.pi.supervisor import PERIOD, ticks_ms

SPAN_MS: Final = 2  # a stamp may be this much after the edge, or before it
MOST_EVENTS: Final = 64
PRIORITY: Final = 50


class Event:
    """One key's change: which, down or up, and when it was seen."""

    def __init__(self, key_number: int = 0, pressed: bool = True, timestamp: int = 0) -> None:
        self.key_number = key_number
        self.pressed = pressed
        self.timestamp = timestamp

    @property
    def released(self) -> bool:
        """Whether the key went up."""
        return not self.pressed


class EventQueue:
    """What was seen and not yet read; a full one drops the new event and says so."""

    def __init__(self, most: int) -> None:
        self.overflowed = False
        self._events: deque[Event] = deque()
        self._most = most

    def put(self, event: Event) -> None:
        """Add an event, or drop it when the queue is full."""
        if len(self._events) >= self._most:
            self.overflowed = True
        else:
            self._events.append(event)

    def get_into(self, event: Event) -> bool:
        """Put the oldest event into `event`; False when there is none."""
        if not self._events:
            return False
        oldest = self._events.popleft()
        event.key_number, event.pressed, event.timestamp = oldest.key_number, oldest.pressed, oldest.timestamp
        return True

    def clear(self) -> None:
        """Forget all events, and that any was dropped."""
        self._events.clear()
        self.overflowed = False


class Keys:
    """Keys that each have a pin of their own. Only what the firmware asks for: switches to GND."""

    def __init__(
        self,
        pins: Sequence[Any],
        *,
        value_when_pressed: bool,
        pull: bool = True,
        interval: float = 0.001,
        max_events: int = MOST_EVENTS,
        debounce_threshold: int = 1,
    ) -> None:
        if value_when_pressed or not pull or debounce_threshold != 1:
            raise ValueError("keys are switches to GND with pull-ups here, and their first edge counts")
        self.events = EventQueue(max_events)
        self.late = 0
        self._switches = [digitalio.DigitalInOut(pin) for pin in pins]
        for switch in self._switches:
            switch.switch_to_input(pull=digitalio.Pull.UP)
        self._interval_s = interval
        self._down = [False] * len(pins)
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._looked_ms = ticks_ms()
        self.look(first=True)
        self._thread = threading.Thread(target=self._run, name="keys", daemon=True)
        self._thread.start()

    @property
    def key_count(self) -> int:
        """The number of keys."""
        return len(self._switches)

    def reset(self) -> None:
        """Take all keys as released: one that is down gives a press at the next look."""
        with self._lock:
            self._down = [False] * len(self._switches)

    def deinit(self) -> None:
        """Stop looking and give the pins back."""
        self._ended.set()
        self._thread.join()
        for switch in self._switches:
            switch.deinit()

    def look(self, first: bool = False) -> None:
        """Look at every key once."""
        with self._lock:
            down = [not switch.value for switch in self._switches]
            now_ms = ticks_ms()
            gap_ms = (now_ms - self._looked_ms) % PERIOD
            stamp_ms = now_ms if gap_ms <= SPAN_MS else (self._looked_ms + SPAN_MS) % PERIOD
            self._looked_ms = now_ms
            for key, (was, is_down) in enumerate(zip(self._down, down, strict=True)):
                if was != is_down and not first:
                    self.late += gap_ms > 2 * SPAN_MS
                    self.events.put(Event(key, is_down, stamp_ms))
            self._down = down

    def _run(self) -> None:
        with suppress(OSError, AttributeError):  # not root, or not Linux: then as good as it goes
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
        due_s = time.monotonic()
        while not self._ended.is_set():
            self.look()
            due_s = max(due_s + self._interval_s, time.monotonic())
            time.sleep(max(0.0, due_s - time.monotonic()))
