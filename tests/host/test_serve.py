"""What the running host asks of its socket, and what it does with presses, bots and commands."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from pathlib import Path

import pytest

from galley import house_settings, serve
from galley.data_folder import Hold
from galley.house import HouseRules
from galley.link_events import KeyEdge
from galley.serve import BEHIND_A_RACE_MS, Host
from galley.starting import CannotStart, Settings, bind
from galley.tables.table import BELL, BOARDS, ROLL, STATIONS, Seat
from galley.timekeeper import PROVISIONAL_NS
from galley.web.commands import LanguageCommand, VolumeCommand
from tests.loop.box_process import free_port


def test_small_messages_to_a_page_are_never_held_back() -> None:
    """With Nagle's algorithm on, every second message of a turn waits 40 ms for an acknowledgement."""

    async def whole() -> int:
        port = free_port()
        accepted: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            accepted.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        server = await asyncio.start_server(serve, sock=bind(port))
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            return await asyncio.wait_for(accepted, 10)
        finally:
            writer.close()
            server.close()

    assert asyncio.run(whole()) == 1


def test_a_bot_does_not_overtake_a_press_that_waits_for_its_race(monkeypatch: pytest.MonkeyPatch) -> None:
    async def whole() -> None:
        host = Host(Settings(port=free_port(), browser=False))
        house, keeper = host._house, host._racing.keeper
        house.boards_live(frozenset(STATIONS), 0)
        house.begin([Seat("red"), Seat("blue", "best")], 0)
        house.press("left", ROLL, 0)
        due_ms = house.due_ms()
        assert due_ms is not None
        assert house.session is not None
        for board in STATIONS:
            keeper.joined(board, 1, time.monotonic_ns())
        keeper.enter("left", KeyEdge(1, 1, BELL, True, 5, 0, time.monotonic_ns()), time.monotonic_ns())
        steps = len(house.session.steps)
        monkeypatch.setattr(serve, "house_ms", lambda: due_ms + BEHIND_A_RACE_MS - 1)
        host._ticked()
        assert len(house.session.steps) == steps, "the right board may still have been first"
        monkeypatch.setattr(serve, "house_ms", lambda: due_ms + BEHIND_A_RACE_MS)
        host._ticked()
        assert len(house.session.steps) > steps, "but nobody waits for ever"

    asyncio.run(whole())


def test_a_press_after_a_reconnect_is_not_taken_for_one_from_before_with_its_number() -> None:
    async def whole() -> None:
        host = Host(Settings(port=free_port(), browser=False))
        house, racing = host._house, host._racing
        house.boards_live(frozenset(STATIONS), 0)
        house.begin([Seat("red"), Seat("blue")], 0)
        for board in STATIONS:
            house.press(board, ROLL, 0)
            racing.joined(board, 1)
        ring_ns = time.monotonic_ns() + 2 * PROVISIONAL_NS
        racing.edge("left", KeyEdge(1, 1, BELL, True, 5, 0, ring_ns))
        assert racing.waits
        racing.left("left")
        racing.joined("left", 2)
        racing.edge("left", KeyEdge(2, 1, BELL, True, 5, 0, ring_ns + 10 * PROVISIONAL_NS))
        assert racing.waits
        assert racing.keeper._edges["left", 1].boot_id == 2

    asyncio.run(whole())


def test_what_a_deck_counts_is_lost_to_the_crew() -> None:
    async def galley() -> list[int]:
        rules = HouseRules(game="poop_deck", howto=False)
        host = Host(Settings(port=free_port(), browser=False, rules=rules))
        host._house.boards_live(frozenset(BOARDS), 0)
        host._house.begin([Seat("red"), Seat("blue")], 0)
        found = []
        for hole in (None, 0, 3):
            if hole is not None:
                host.fell(hole)
            found.append(host._house.topics()["table"]["state"]["galley"])
        return found

    assert asyncio.run(galley()) == [0, 1, 2]


def test_a_host_that_cannot_start_leaves_its_folder_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("galley.lan.addresses", list)
    with pytest.raises(CannotStart, match="no network") as kept:
        Host(Settings(port=free_port(), browser=False, folder=tmp_path, lan=True))
    Hold(tmp_path).release()
    assert kept.value.__traceback__ is not None, "what it had opened may still be referred to"


def test_the_language_that_the_crew_sets_outlives_the_host(tmp_path: Path) -> None:
    async def spoken(commands: tuple[LanguageCommand, ...]) -> str:
        host = Host(Settings(port=free_port(), browser=False, folder=tmp_path))
        for command in commands:
            host._commanded(command)
        host._keeping.close()
        host._settings_file.close()
        return host._house.evening.language

    assert asyncio.run(spoken((LanguageCommand("de", for_good=True), LanguageCommand("fr")))) == "fr"
    assert house_settings.load(tmp_path) == (house_settings.HouseSettings(language="de"), None)
    assert asyncio.run(spoken(())) == "de"


def test_a_disk_that_takes_its_time_with_the_settings_holds_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = threading.Event()
    saved: list[int] = []

    def slow(folder: Path, own: house_settings.HouseSettings) -> None:
        assert answers.wait(10)
        saved.append(own.volume)

    monkeypatch.setattr(house_settings, "save", slow)

    async def whole() -> None:
        host = Host(Settings(port=free_port(), browser=False, folder=tmp_path))
        for volume in range(20):
            host._commanded(VolumeCommand(volume))
        assert saved == []
        answers.set()
        host._settings_file.close()
        host._keeping.close()

    asyncio.run(whole())
    assert saved[-1] == 19
    assert len(saved) <= 2
