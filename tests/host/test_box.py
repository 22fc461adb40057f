"""The box: roles follow boards, not ports; keys and views pass; every absence has a word.

The boards here are the firmware's own end of the link behind real TCP sockets.
"""

from __future__ import annotations

import asyncio
import time
from array import array
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from galley.box import NS_PER_MS, Box, Watcher, house_ms
from galley.link_events import Beat, KeyEdge, TimeSample
from galley.ports import BoardPort, BoardWithoutData
from galley.tables.table import DARK_BOX, BoardView, DeckView
from galley_board import pins, wire
from galley_board.link import BoardLink
from tests.board.workbench import feed

PATIENCE_S = 15


class Board:
    """A board that listens on a TCP port of this machine. `hang` makes it deaf and mute."""

    def __init__(self, role: str, boot_id: int = 1, caps: int = 7) -> None:
        self.link = BoardLink(wire.ROLES.index(role) if role else 0, boot_id, 83, caps, 0x123456)
        self.hang = False
        self._server: asyncio.Server | None = None
        self._writers: list[asyncio.StreamWriter] = []

    async def start(self, port: int = 0) -> str:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        return f"tcp:127.0.0.1:{self.port}"

    @property
    def port(self) -> int:
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._writers:
            writer.close()
        await asyncio.sleep(0)

    def _times(self) -> tuple[int, int]:
        now_us = time.monotonic_ns() // 1000
        return now_us // 1000 % wire.TICKS_MS_PERIOD, now_us % wire.TICKS_US_PERIOD

    def press(self, key: int, down: bool = True) -> None:
        self.link.key_edge(key, down, self._times()[0], wire.NO_US)
        self.link.bitmap = 1 << key if down else 0
        for writer in self._writers:
            self._send(writer)

    def _send(self, writer: asyncio.StreamWriter) -> None:
        self.link.poll(*self._times())
        if not writer.is_closing() and not self.hang:
            writer.write(bytes(self.link.out[: self.link.out_len]))
            self.link.written(self.link.out_len, self._times()[0])

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        while data := await reader.read(1000):
            if not self.hang:
                feed(self.link, data, *self._times())
                self._send(writer)
        self._writers.remove(writer)
        writer.close()


class Watched(Watcher):
    """A box with a list of what it reported."""

    def __init__(self) -> None:
        self.presses: list[tuple[str, int, int]] = []
        self.came_and_went: list[tuple[str, int | None]] = []
        self.learned: set[tuple[str, type]] = set()
        self.mended: list[tuple[str, int]] = []
        self.fallen: list[int] = []
        self._news = asyncio.Event()
        self.box = Box(self)

    def edge(self, board: str, edge: KeyEdge) -> None:
        if edge.down:
            self.presses.append((board, edge.key, edge.received_ns // NS_PER_MS - edge.age_ms))
            self._news.set()

    def held(self, board: str, keys: int) -> None:
        self.mended.append((board, keys))
        self._news.set()

    def timing(self, board: str, event: Beat | TimeSample) -> None:
        self.learned.add((board, type(event)))
        self._news.set()

    def fell(self, hole: int) -> None:
        self.fallen.append(hole)
        self._news.set()

    def joined(self, board: str, boot_id: int) -> None:
        self.came_and_went.append((board, boot_id))

    def left(self, board: str) -> None:
        self.came_and_went.append((board, None))

    def changed(self) -> None:
        self._news.set()

    async def until(self, done: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not done():
                self._news.clear()
                try:
                    await asyncio.wait_for(self._news.wait(), 0.05)
                except TimeoutError:
                    continue

    def entry(self, role: str) -> dict[str, Any]:
        return next(entry for entry in self.box.status() if entry["role"] == role)


def run(test: Callable[[Watched], Awaitable[None]]) -> None:
    async def whole() -> None:
        watched = Watched()
        try:
            await test(watched)
        finally:
            watched.box.close()
            await asyncio.sleep(0)

    asyncio.run(whole())


def test_a_board_is_known_by_its_hello_and_its_presses_carry_their_time() -> None:
    async def test(watched: Watched) -> None:
        board = Board("right")
        watched.box.port_appeared(BoardPort(await board.start(), "e661"))
        await watched.until(lambda: watched.box.live() == {"right"})
        before_ms = house_ms()
        board.press(9)
        board.press(9, False)
        await watched.until(lambda: bool(watched.presses))
        (role, key, pressed_ms), *more = watched.presses
        assert (role, key, more) == ("right", 9, [])
        assert before_ms - 5 <= pressed_ms <= house_ms()
        entry = watched.entry("right")
        assert (entry["state"], entry["firmware"], entry["identity"]) == ("live", "123456", "e661")
        await board.stop()

    run(test)


def test_a_board_that_comes_and_goes_is_told_and_so_is_its_time() -> None:
    async def test(watched: Watched) -> None:
        board = Board("right", boot_id=77)
        watched.box.port_appeared(BoardPort(await board.start(), ""))
        await watched.until(lambda: watched.learned == {("right", Beat), ("right", TimeSample)})
        assert watched.came_and_went[-1] == ("right", 77)
        await board.stop()
        await watched.until(lambda: watched.came_and_went[-1] == ("right", None))

    run(test)


def test_a_view_goes_to_the_board_now_and_again_when_it_comes_back() -> None:
    async def test(watched: Watched) -> None:
        board = Board("left")
        path = await board.start()
        watched.box.show({**DARK_BOX, "left": BoardView(dice=(9,) * 8)})
        watched.box.port_appeared(BoardPort(path, ""))
        await watched.until(lambda: list(board.link.dice) == [9] * 8)
        watched.box.show({**DARK_BOX, "left": BoardView(dice=(17,) * 8)})
        await watched.until(lambda: list(board.link.dice) == [17] * 8)
        port = board.port
        await board.stop()
        await watched.until(lambda: watched.entry("left")["state"] == "lost")
        watched.box.show({**DARK_BOX, "left": BoardView(dice=(25,) * 8, lamps=(3,) * 11)})
        back = Board("left", boot_id=2)
        await back.start(port)
        await watched.until(lambda: list(back.link.lamps) == [3] * 11)
        assert list(back.link.dice) == [25] * 8
        await back.stop()

    run(test)


def test_boards_that_have_a_buzzer_are_sounded() -> None:
    async def test(watched: Watched) -> None:
        boards = [Board("left"), Board("right", caps=3), Board("deck")]
        for board in boards:
            watched.box.port_appeared(BoardPort(await board.start(), ""))
        await watched.until(lambda: len(watched.box.live()) == len(boards))
        watched.box.buzz(1568, 450)
        watched.box.show(dict.fromkeys(DARK_BOX, BoardView(dice=(9,) * 8)))
        await watched.until(lambda: all(list(board.link.dice) == [9] * 8 for board in boards))
        assert [board.link.buzz_hz for board in boards] == [1568, 0, 1568]
        assert [board.link.buzz_ms for board in boards] == [450, 0, 450]
        for board in boards:
            await board.stop()

    run(test)


def test_a_deck_is_shown_what_only_it_has_and_its_report_is_told_in_words() -> None:
    async def test(watched: Watched) -> None:
        board = Board("deck")
        assert "deck" not in watched.entry("deck")
        watched.box.show({**DARK_BOX, "deck": BoardView(deck=DeckView(eye=-40, drum=5, drift=1))})
        watched.box.port_appeared(BoardPort(await board.start(), ""))
        await watched.until(lambda: list(board.link.deck[:3]) == [5, 0, 1] and board.link.eye_speed == -40)
        board.link.report[:] = array("l", (17, 9, 1, 8, 2, 3, 0b1011, 0))
        watched.box.turn_eye_to(90, 2000)
        watched.box.teach_reader("blue")
        await watched.until(lambda: watched.entry("deck").get("deck", {}).get("eye") == "turning")
        assert watched.entry("deck")["deck"] == {
            "eye_deg": 17, "doubt_deg": 9, "eye": "turning", "face": None, "drum": "homing", "reader": "blue",
            "guard_open": True, "slipped": False, "taught": ["red", "blue"], "ignored_beams": [],
        }  # fmt: skip
        assert (board.link.go_deg, board.link.well_colour) == (90, 3)
        assert watched.entry("deck")["caps"] == ["dice", "lamps", "buzzer"]
        await board.stop()

    run(test)


@pytest.mark.parametrize("counts", [True, False])
def test_what_fell_is_told_once_by_the_count_of_a_deck_that_counts_else_by_its_edges(counts: bool) -> None:
    async def test(watched: Watched) -> None:
        board = Board("deck", caps=pins.CAPS["falls"] if counts else 0)
        port = BoardPort(await board.start(), "")
        watched.box.port_appeared(port)
        await watched.until(lambda: "deck" in watched.entry("deck"))
        board.link.report[7] = 1
        board.press(6)
        await watched.until(lambda: bool(watched.fallen or watched.presses))
        watched.box.port_vanished(port.path)
        board.link.report[7] = 2 | 1 << 3 * wire.FALL_BITS
        board.press(6, False)
        watched.box.port_appeared(port)
        await watched.until(lambda: watched.box.live() == {"deck"})
        board.press(5)
        await watched.until(lambda: ("deck", 5) in {press[:2] for press in watched.presses})
        assert watched.fallen == ([0, 0, 3] if counts else [])
        assert [key for _, key, _ in watched.presses] == ([5] if counts else [6, 5])
        await board.stop()

    run(test)


def test_a_silent_board_is_lost_with_a_note_and_live_again_when_it_wakes() -> None:
    async def test(watched: Watched) -> None:
        board = Board("deck")
        watched.box.port_appeared(BoardPort(await board.start(), ""))
        await watched.until(lambda: watched.box.live() == {"deck"})
        board.hang = True
        await watched.until(lambda: watched.entry("deck")["state"] == "stale")
        assert watched.entry("deck")["note"] == {"key": "board_silent", "params": {"board": "deck"}}
        await watched.until(lambda: watched.entry("deck")["state"] == "lost")
        board.hang = False
        await watched.until(lambda: watched.box.live() == {"deck"})
        assert watched.entry("deck")["note"] is None
        await board.stop()

    run(test)


def test_the_role_follows_the_board_when_two_swap_their_ports() -> None:
    async def test(watched: Watched) -> None:
        left, right = Board("left"), Board("right")
        paths = [await left.start(), await right.start()]
        for path in paths:
            watched.box.port_appeared(BoardPort(path, ""))
        await watched.until(lambda: watched.box.live() == {"left", "right"})
        assert [watched.entry("left")["port"], watched.entry("right")["port"]] == paths
        ports = (left.port, right.port)
        await left.stop()
        await right.stop()
        left, right = Board("left", 3), Board("right", 4)
        await right.start(ports[0])
        await left.start(ports[1])
        await watched.until(
            lambda: watched.box.live() == {"left", "right"} and watched.entry("left")["port"] == paths[1]
        )
        assert watched.entry("right")["port"] == paths[0]
        right.press(8)
        await watched.until(lambda: bool(watched.presses))
        assert watched.presses[0][:2] == ("right", 8)
        await left.stop()
        await right.stop()

    run(test)


def test_a_second_board_of_a_role_is_refused_and_both_ports_are_named() -> None:
    async def test(watched: Watched) -> None:
        first, second = Board("left", 1), Board("left", 2)
        watched.box.port_appeared(BoardPort(await first.start(), ""))
        await watched.until(lambda: watched.box.live() == {"left"})
        watched.box.port_appeared(BoardPort(await second.start(), ""))
        await watched.until(lambda: len(watched.box.status()) == 4)
        note = watched.box.status()[3]["note"]
        assert note["key"] == "board_twice"
        assert note["params"]["port"].endswith(str(second.port))
        assert note["params"]["other"].endswith(str(first.port))
        second.press(9)
        first.press(8)
        await watched.until(lambda: bool(watched.presses))
        assert [press[:2] for press in watched.presses] == [("left", 8)]
        await first.stop()
        await second.stop()

    run(test)


def test_a_spare_board_takes_over_when_the_first_is_pulled() -> None:
    async def test(watched: Watched) -> None:
        first, spare = Board("left", 1), Board("left", 2)
        path = await first.start()
        watched.box.port_appeared(BoardPort(path, ""))
        await watched.until(lambda: watched.box.live() == {"left"})
        watched.box.port_appeared(BoardPort(await spare.start(), ""))
        await watched.until(lambda: len(watched.box.status()) == 4)
        await first.stop()
        watched.box.port_vanished(path)
        await watched.until(lambda: watched.box.live() == {"left"})
        assert watched.came_and_went[-1] == ("left", 2)
        assert len(watched.box.status()) == 3
        spare.press(9)
        await watched.until(lambda: bool(watched.presses))
        await spare.stop()

    run(test)


def test_a_board_whose_role_was_taken_while_it_was_silent_is_told_as_the_second_one() -> None:
    async def test(watched: Watched) -> None:
        first, spare = Board("left", 1), Board("left", 2)
        watched.box.port_appeared(BoardPort(await first.start(), ""))
        await watched.until(lambda: watched.box.live() == {"left"})
        watched.box.port_appeared(BoardPort(await spare.start(), ""))
        await watched.until(lambda: len(watched.box.status()) == 4)
        first.hang = True
        await watched.until(lambda: watched.came_and_went[-1] == ("left", 2))
        first.hang = False
        await watched.until(lambda: len(watched.box.status()) == 4)
        note = watched.box.status()[3]["note"]
        assert (note["key"], note["params"]["port"]) == ("board_twice", f"tcp:127.0.0.1:{first.port}")
        assert watched.entry("left")["boot_id"] == 2
        await first.stop()
        await spare.stop()

    run(test)


def test_a_release_that_went_missing_is_told_from_the_beat() -> None:
    async def test(watched: Watched) -> None:
        board = Board("left")
        watched.box.port_appeared(BoardPort(await board.start(), ""))
        await watched.until(lambda: watched.box.live() == {"left"})
        board.press(11)
        board.link.bitmap = 0
        await watched.until(lambda: bool(watched.mended))
        assert watched.mended == [("left", 0)]
        assert [press[:2] for press in watched.presses] == [("left", 11)]
        await board.stop()

    run(test)


def test_a_port_that_was_named_and_cannot_be_opened_is_told() -> None:
    async def test(watched: Watched) -> None:
        watched.box.port_appeared(BoardPort("/dev/no-such-port", ""))
        await watched.until(lambda: len(watched.box.status()) == 4)
        assert watched.box.status()[3]["note"] == {
            "key": "port_missing",
            "params": {"board": "unknown", "port": "/dev/no-such-port"},
        }

    run(test)


def test_a_board_without_a_role_waits_with_a_note() -> None:
    async def test(watched: Watched) -> None:
        board = Board("")
        watched.box.port_appeared(BoardPort(await board.start(), ""))
        await watched.until(lambda: len(watched.box.status()) == 4)
        assert watched.box.status()[3]["note"]["key"] == "board_role_unknown"
        assert watched.box.live() == frozenset()
        await board.stop()

    run(test)


def test_absent_vanished_and_dataless_boards_each_have_their_note() -> None:
    async def test(watched: Watched) -> None:
        assert watched.entry("left")["note"] == {"key": "board_absent", "params": {"board": "left"}}
        board = Board("left")
        path = await board.start()
        watched.box.port_appeared(BoardPort(path, ""))
        await watched.until(lambda: watched.box.live() == {"left"})
        watched.box.port_vanished(path)
        assert watched.entry("left")["note"] == {"key": "board_gone", "params": {"board": "left"}}
        watched.box.boards_without_data((BoardWithoutData("e661", "/dev/ttyACM4"),))
        assert watched.box.status()[3]["note"] == {
            "key": "board_no_data_port",
            "params": {"port": "/dev/ttyACM4"},
        }
        await board.stop()

    run(test)


@pytest.mark.parametrize(
    "path, key",
    [
        ("tcp:a..b:1", "port_missing"),
        ("tcp:127.0.0.1:99999", "port_missing"),
        ("tcp:127.0.0.1:" + "1" * 5000, "port_missing"),
        ("/dev/no-such-port", "port_missing"),
        ("tcp:127.0.0.1", "port_missing"),
        ("tcp:127.0.0.1:1", "port_missing"),
    ],
)
def test_a_port_that_cannot_be_opened_says_so(path: str, key: str) -> None:
    async def test(watched: Watched) -> None:
        watched.box.port_appeared(BoardPort(path, "", role="left"))
        await watched.until(lambda: (watched.entry("left")["note"] or {}).get("key") == key)
        assert watched.entry("left")["note"]["params"] == {"board": "left", "port": path}

    run(test)
