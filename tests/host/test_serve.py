"""What the running host asks of its socket, and what it does with presses, bots and commands."""

from __future__ import annotations

import asyncio
import socket
import time
from pathlib import Path

import pytest

from galley import house_settings, serve
from galley.link_events import KeyEdge
from galley.serve import BEHIND_A_RACE_MS, Host
from galley.starting import Settings, bind
from galley.tables.table import BELL, ROLL, STATIONS, Seat
from galley.web.commands import LanguageCommand
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


def test_the_language_that_the_crew_sets_outlives_the_host(tmp_path: Path) -> None:
    async def spoken(commands: tuple[LanguageCommand, ...]) -> str:
        host = Host(Settings(port=free_port(), browser=False, folder=tmp_path))
        for command in commands:
            host._commanded(command)
        host._keeping.close()
        return host._house.evening.language

    assert asyncio.run(spoken((LanguageCommand("de", for_good=True), LanguageCommand("fr")))) == "fr"
    assert house_settings.load(tmp_path) == (house_settings.HouseSettings(language="de"), None)
    assert asyncio.run(spoken(())) == "de"
