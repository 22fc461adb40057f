"""The tone for what happened, and when the boards sound it."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from galley.buzzers import SOUND_OF, TONES, Buzzers
from galley.serve import Host
from galley.starting import Settings
from galley.tables.table import BELL, ROLL, STATIONS, Seat
from galley.web.commands import QuietCommand, VolumeCommand
from galley.web.hub import Hub
from galley_board import buzzer
from galley_engine.game import JSONObject
from tests.loop.box_process import free_port

LOUDSPEAKER = Path(__file__).resolve().parents[2] / "host/galley/web/static/loudspeaker.js"


def entry(n: int, key: str) -> JSONObject:
    return {"n": n, "key": key, "params": {}}


def test_a_tone_is_due_once_for_what_is_new_and_the_most_telling_is_heard() -> None:
    buzzers = Buzzers()
    assert buzzers.due([entry(7, "mate_called")]) is None, "that was there before"
    assert buzzers.due([entry(7, "mate_called")]) is None
    news = [entry(8, "bell_false"), entry(9, "yuck_called"), entry(10, "thrown")]
    assert buzzers.due(news) == TONES["yuck"]
    assert buzzers.due(news) is None
    assert buzzers.due([*news, entry(11, "thrown")]) is None, "a roll has no tone"
    assert buzzers.due([]) is None, "another game begins"
    assert buzzers.due([entry(12, "game_won")]) == TONES["win"]


def test_a_box_that_has_no_news_yet_sounds_its_first() -> None:
    buzzers = Buzzers()
    assert buzzers.due([]) is None
    assert buzzers.due([entry(1, "duel_started")]) == TONES["bell"]


def test_boards_and_pages_sound_the_same_of_the_same_news() -> None:
    table = LOUDSPEAKER.read_text(encoding="utf-8").partition("SOUND_OF = {")[2].partition("};")[0]
    pages = dict(re.findall(r'(\w+): "(\w+)"', table))
    assert {key: sound for key, sound in pages.items() if sound in TONES} == SOUND_OF


@pytest.mark.parametrize("sound", TONES)
def test_a_buzzer_can_sound_it(sound: str) -> None:
    hz, ms = TONES[sound]
    assert buzzer.LOWEST_HZ <= hz <= buzzer.HIGHEST_HZ
    assert 0 < ms <= buzzer.LONGEST_MS


def quiet_now(host: Host) -> None:
    now = time.localtime()
    minute = now.tm_hour * 60 + now.tm_min
    host._commanded(QuietCommand((minute - 60) % 1440, (minute + 60) % 1440))


@pytest.mark.parametrize(
    ("but", "tones"),
    [
        (lambda host: None, [TONES["bell"], TONES["wrong"]]),
        (lambda host: host._house.evening.mute(), []),
        (lambda host: host._commanded(VolumeCommand(0)), []),
        (quiet_now, []),
    ],
    ids=["nothing", "muted", "volume-0", "quiet-hours"],
)
def test_the_boards_sound_for_players_where_nothing_else_may(
    but: Callable[[Host], None], tones: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sounded(monkeypatch, but) == tones


def test_the_boards_are_silent_while_a_page_is_the_loudspeaker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hub, "speaker", 1)
    assert sounded(monkeypatch) == []


def sounded(
    monkeypatch: pytest.MonkeyPatch, but: Callable[[Host], None] = lambda host: None
) -> list[tuple[int, int]]:
    """The tones of a duel that starts and is rung too early."""
    heard: list[tuple[int, int]] = []

    async def whole() -> None:
        host = Host(Settings(port=free_port(), browser=False))
        monkeypatch.setattr(host._box, "buzz", lambda *tone: heard.append(tone))
        host._moved()
        host._house.boards_live(frozenset(STATIONS), 0)
        host._house.begin([Seat("red"), Seat("blue")], 0)
        but(host)
        for board, key in (("left", ROLL), ("right", ROLL), ("left", BELL)):
            host._house.press(board, key, 1_000)
            host._moved()

    asyncio.run(whole())
    return heard
