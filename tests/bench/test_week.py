"""What a week of evenings leaves in memory: the house, its journal and a page, on a clock that jumps.

A day is GAMES_A_DAY games of bots, all four in turn, with a minute of demonstration before each; there is a
hand for the poop deck, and an eye that goes round. At night the clock jumps. What is loaded once is there
before the start is measured; every midnight is. What grows then are tables of odds, remembered for the
next throw like it and each up to its limit.
"""

from __future__ import annotations

import gc
import resource
import sys
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from statistics import linear_regression
from typing import NamedTuple, Self

import pytest

from galley.data_folder import JOURNAL
from galley.journal import Journal
from galley.keeping import Keeping
from galley.tables import GAMES
from galley.tables.table import BELL, Seat
from galley.web.hub import Hub
from tests.host.deck_hand import TICK_MS, DeckHand
from tests.host.evening_clock import EveningClock

pytestmark = pytest.mark.bench

Report = Callable[[str], None]

DAYS = 7
GAMES_A_DAY = 8
DEMO_MS = 60_000
DAY_MS = 86_400_000
HOUR_MS = 3_600_000
GROWN_MB_A_WEEK = 8.0
GROWN_SHARE_A_WEEK = 0.1
WARM = 8
BOTS = (Seat("red", "good"), Seat("blue", "good"))


class Week:
    """Evening after evening: a demonstration for a while, then a game of bots to its end, then nobody."""

    def __init__(self, path: Path) -> None:
        self.clock = EveningClock(seed=1, howto=False)
        self.hand = DeckHand()
        self.clock.house.give_hand(self.hand)
        self.journal = Journal.open(path)
        self.keeping = Keeping(self.clock.house, self.journal)
        self.hub = Hub()
        self.hub.join("kiosk")
        self.games = 0
        self.steps = 0
        self._sweep_ms = 0

    def told(self) -> None:
        """As the host does after each change."""
        for topic, value in (self.keeping.follow() or self.keeping.due() or {}).items():
            self.hub.publish(topic, value)

    def until(self, end_ms: int, phase: str) -> None:
        clock, house = self.clock, self.clock.house
        while clock.now_ms < end_ms and house.phase == phase:
            due_ms = house.due_ms()
            next_ms = end_ms if due_ms is None else max(clock.now_ms, min(due_ms, end_ms))
            eye = house.view()["deck"].deck.eye
            if eye and self._sweep_ms <= next_ms:
                next_ms = max(clock.now_ms, self._sweep_ms)
                self._sweep_ms = next_ms + TICK_MS
                for sensor in self.hand.swept(eye):
                    house.press("deck", sensor, next_ms)
                    house.release("deck", sensor, next_ms)
            clock.now_ms = next_ms
            house.tick(clock.now_ms)
            self.told()

    def evening(self, game: str) -> None:
        clock, house = self.clock, self.clock.house
        self.until(clock.now_ms + DEMO_MS, "attract")
        house.evening.game = game
        house.begin(BOTS, clock.now_ms)
        self.until(clock.now_ms + HOUR_MS, "game")
        assert house.phase == "result", f"{game} is not over within an hour"
        self.games += 1
        self.steps += clock.steps()
        clock.press("left", BELL, 5_000)
        while house.phase != "attract":
            self.until(clock.now_ms + HOUR_MS, house.phase)

    def day(self, evenings: int, games: cycle[str]) -> None:
        midnight_ms = self.clock.now_ms + DAY_MS
        for _ in range(evenings):
            self.evening(next(games))
        self.clock.now_ms = max(self.clock.now_ms, midnight_ms)


class Held(NamedTuple):
    """What is alive at midnight: the process's memory in MB, and Python's blocks of it."""

    mb: float
    blocks: float

    @classmethod
    def now(cls) -> Self:
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
        return cls(pages * resource.getpagesize() / 1e6, sys.getallocatedblocks())


def test_memory_after_a_week_of_play(tmp_path: Path, report: Report) -> None:
    if not Path("/proc/self/statm").exists():
        pytest.skip("needs Linux, which tells how much memory a process has")
    week, games = Week(tmp_path / JOURNAL), cycle(GAMES)
    week.day(WARM, games)
    warm, nights = week.games, [Held.now()]
    for _ in range(DAYS):
        week.day(GAMES_A_DAY, games)
        nights.append(Held.now())
    week.journal.close()
    slope_mb, slope_blocks = (
        linear_regression(range(len(nights)), column).slope for column in zip(*nights, strict=True)
    )
    report(
        f"memory over {DAYS} days of play: {nights[0].mb:.1f} MB before and {nights[-1].mb:.1f} MB after, "
        f"{1000 * slope_mb:+.0f} kB and {slope_blocks:+.0f} of {nights[0].blocks:.0f} blocks a day "
        f"({week.games - warm} games, {week.steps} steps)"
    )
    assert slope_mb * DAYS < GROWN_MB_A_WEEK
    assert slope_blocks * DAYS < GROWN_SHARE_A_WEEK * nights[0].blocks
