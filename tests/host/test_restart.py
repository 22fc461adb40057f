"""Whenever the host ends, the box comes back as it stood: read again from its journal, all lights and pages.

What is shown for a moment only is left out: dice that tumble or glow, and what the box does anew by itself: a
bot reaches for something again, and the die's drum turns to its face until the deck has told of it.
"""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from random import Random
from typing import Any

import pytest

from galley import tables
from galley.data_folder import JOURNAL
from galley.house import RESULT_HOLD_MS
from galley.journal import Journal
from galley.journal_reader import games, latest
from galley.journal_schema import connected, to_read
from galley.keeping import Keeping
from galley.phases import KEEP8
from galley.tables import GAMES
from galley.tables.table import KEEP1, ROLL, DeckStand
from tests.host.deck_hand import DeckHand
from tests.host.evening_clock import ALL, EveningClock, box, joined, with_deck
from tests.host.journal_kit import Watch

WALK = 60
ANEW = ("turning", "aim")
"""What a deck's page has of itself that begins anew."""


def quick(path: Path) -> sqlite3.Connection:
    """A disk that is never waited for."""
    connection = connected(path)
    connection.execute("PRAGMA synchronous=OFF")
    return connection


class Kept:
    """An evening that is written down."""

    def __init__(self, evening: EveningClock, folder: Path) -> None:
        self.evening = evening
        self._path = folder / JOURNAL
        self._woken = Watch()
        self._journal = Journal.open(self._path, connect=quick, on_change=self._woken)
        self._keeping = Keeping(evening.house, self._journal)

    def come_back(self) -> EveningClock:
        """The same box, if its host ended now and were started again."""
        told = self._keeping.follow()
        if told is None:
            self._woken.until(lambda: self._keeping.due() is not None)
        connection = to_read(self._path)
        found = latest(connection)
        connection.close()
        again = box(howto=False, demo=False)
        again.now_ms = self.evening.now_ms
        again.house.give_hand(DeckHand())
        session = None if found.game is None else found.game.session(again.now_ms)
        again.house.restore(found.house, session, again.now_ms)
        again.house.boards_live(ALL, again.now_ms)
        return again

    def close(self) -> None:
        """End the journal."""
        self._keeping.close()


def shown(evening: EveningClock) -> Any:
    """All that boards and pages show, as a page reads it."""
    topics: Any = json.loads(json.dumps(evening.house.topics()))
    for name in ANEW:
        ((topics["table"] or {}).get("deck") or {}).pop(name, None)
    return {**topics, **evening.house.view()}


def check_same(kept: Kept) -> None:
    again = kept.come_back()
    if again.house.phase == "result":
        for evening in (kept.evening, again):
            evening.wait(RESULT_HOLD_MS)
    before, after = shown(kept.evening), shown(again)
    for what in before:
        assert after[what] == before[what], what


@pytest.mark.parametrize("game", GAMES)
def test_the_box_comes_back_as_it_stood(game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in GAMES:
        monkeypatch.setattr(tables.load(name), "flourish", lambda before, events: None)
    random, phases = Random(GAMES.index(game)), set()
    evening = with_deck(game, ("red", "blue", "white"), bot="easy", bot_speed=20)
    kept = Kept(evening, tmp_path)
    for _ in range(WALK):
        words = evening.words()
        places = [(board, int(key)) for board in sorted(words) for key in sorted(words[board])]
        evening.press(*random.choice([*places, ("right", ROLL)]), 400)
        if evening.house.phase == "game" and random.random() < 0.1:
            evening.hold_mode()
            evening.press(*random.choice([("left", KEEP1), ("deck", 0), ("left", ROLL), ("left", KEEP8)]))
        evening.wait(random.choice((1, 350, 2_000)))
        phases.add(evening.house.phase)
        check_same(kept)
        if evening.topic("house")["paused"] is not None:
            evening.press("left", ROLL)
    kept.close()
    assert "game" in phases


def test_the_operators_menu_is_still_open(tmp_path: Path) -> None:
    evening = joined("worm_grill")
    evening.hold_mode()
    kept = Kept(evening, tmp_path)
    again = kept.come_back()
    kept.close()
    assert again.topic("house")["paused"] == evening.topic("house")["paused"]
    again.press("left", ROLL)
    assert again.topic("house")["paused"] is None


def test_a_drum_that_stands_is_seen_to_stand_in_the_operators_menu_too(tmp_path: Path) -> None:
    evening = with_deck("poop_deck", ("red", "blue"))
    evening.wait(10_000)
    evening.hold_mode()
    kept = Kept(evening, tmp_path)
    again = kept.come_back()
    kept.close()
    view = again.house.view()["deck"].deck
    again.wait(1_000)
    again.house.reported(DeckStand(view.drum, moving=False, guard_open=False, unsure=False), again.now_ms)
    assert again.topic("house")["paused"]["because"] == "operator"
    assert again.topic("table")["deck"]["turning"] is False


def test_the_last_step_of_a_game_that_is_ended_in_the_same_turn_is_kept(tmp_path: Path) -> None:
    evening = joined("worm_grill")
    kept = Kept(evening, tmp_path)
    kept.come_back()
    evening.press("left", ROLL)
    steps = evening.steps()
    evening.house.evening.end()
    kept.close()
    connection = to_read(tmp_path / JOURNAL)
    assert [(game.steps, game.ended) for game in games(connection)] == [(steps, "left")]
    connection.close()
