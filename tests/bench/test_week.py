"""What a week of evenings leaves in memory: the house, its journal and a page, on a clock that jumps.

A day is GAMES_A_DAY games with a demonstration before each; at night the clock jumps. As many of the seven
days are played as fit in PLAY_S, and the line says how many that were. What is loaded once, and tables that
are worked out once, are there before the start is measured.
"""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest

from galley.data_folder import JOURNAL
from galley.journal import Journal
from galley.keeping import Keeping
from galley.tables import GAMES
from galley.tables.table import BELL, Seat
from galley.web.hub import Hub
from tests.host.evening_clock import EveningClock

pytestmark = pytest.mark.bench

Report = Callable[[str], None]

PLAY_S = 280.0
DAYS = 7
GAMES_A_DAY = 6
DEMO_MS = 60_000
DAY_MS = 86_400_000
HOUR_MS = 3_600_000
GROWN_MB_A_WEEK = 2.0
WARM = 9
BOTS = (Seat("red", "good"), Seat("blue", "good"))


class Week:
    """Evening after evening: a demonstration for a while, then a game of bots to its end, then nobody."""

    def __init__(self, path: Path) -> None:
        self.clock = EveningClock(seed=1, howto=False)
        self.journal = Journal.open(path)
        self.keeping = Keeping(self.clock.house, self.journal)
        self.hub = Hub()
        self.hub.join("kiosk")
        self.games = 0
        self.steps = 0

    def told(self) -> None:
        """As the host does after each change."""
        for topic, value in (self.keeping.follow() or self.keeping.due() or {}).items():
            self.hub.publish(topic, value)

    def until(self, end_ms: int, phase: str) -> None:
        house = self.clock.house
        while self.clock.now_ms < end_ms and house.phase == phase:
            due_ms = house.due_ms()
            self.clock.now_ms = end_ms if due_ms is None else max(self.clock.now_ms, min(due_ms, end_ms))
            house.tick(self.clock.now_ms)
            self.told()

    def evening(self, game: str) -> None:
        clock, house = self.clock, self.clock.house
        self.until(clock.now_ms + DEMO_MS, "attract")
        house.evening.game = game
        house.begin(BOTS, clock.now_ms)
        self.until(clock.now_ms + HOUR_MS, "game")
        self.games += 1
        self.steps += clock.steps()
        clock.press("left", BELL, 5_000)
        while house.phase != "attract":
            self.until(clock.now_ms + HOUR_MS, house.phase)


def test_memory_after_a_week_of_play(tmp_path: Path, report: Report) -> None:
    week, games = Week(tmp_path / JOURNAL), cycle(game for game in GAMES if game != "poop_deck")
    tracemalloc.start()
    for _ in range(WARM):
        week.evening(next(games))
    gc.collect()
    begun = tracemalloc.get_traced_memory()[0]
    end_s, days, played = time.monotonic() + PLAY_S, 0, week.games
    while days < DAYS and time.monotonic() < end_s:
        midnight_ms = week.clock.now_ms + DAY_MS
        for _ in range(GAMES_A_DAY):
            week.evening(next(games))
        week.clock.now_ms = max(week.clock.now_ms, midnight_ms)
        days += 1
    gc.collect()
    grown, most = (size - begun for size in tracemalloc.get_traced_memory())
    tracemalloc.stop()
    week.journal.close()
    report(
        f"memory after {days} of {DAYS} days of play: {grown / 1e6:+.2f} MB against the start, "
        f"at most {most / 1e6:+.2f} MB ({week.games - played} games, {week.steps} steps)"
    )
    assert grown / 1e6 * DAYS / days < GROWN_MB_A_WEEK
