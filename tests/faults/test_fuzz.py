"""Hostile frames at both ends of the data port, hostile messages and requests at the server: nothing escapes.

The long mode (`-m soak`) sends a million frames, and goes at a whole box for a while.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import gc
import json
import logging
import re
import socket
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

import galley
from galley.journal import Journal
from galley.link_events import KeyEdge, LinkState
from galley.tables.table import KEYS_OF
from galley.web.commands import CalibrateCommand, KeyCommand, LiftCommand, PlugCommand
from galley.web.hub import BAD_MESSAGES, Hub
from galley_board import wire
from galley_board.link import BoardLink
from tests.board.workbench import feed
from tests.browser.feed import Feed
from tests.faults.enemy import broken_frames, frames, message, request
from tests.host.cable import MS, FaultyLine
from tests.host.evening_clock import EveningClock
from tests.loop.box_process import BoxProcess, running_box

QUICK_FRAMES = 6_000
LONG_FRAMES = 1_000_000
GROWN_BLOCKS = 2_000
HOST = Path(galley.__file__).parent


# --- The data port ----------------------------------------------------------------------------------


def storm_at_the_host(seed: int, count: int) -> None:
    """Hostile frames at a live link; then the board itself is heard again."""
    random, line = Random(seed), FaultyLine().start()
    begun = 0
    for number, chunk in enumerate(frames(random, wire.FROM_BOARD, count)):
        for event in line.host.receive(chunk, line.now_ms * MS):
            assert not isinstance(event, KeyEdge) or 0 <= event.key < 32
        if number % 16 == 0:
            line.step()
            line.host.show([random.randrange(512)] * 8, [random.randrange(64)] * 11, line.now_ms * MS)
            line.events.clear()
        if number == count // 10:
            gc.collect()
            begun = sys.getallocatedblocks()
    gc.collect()
    assert sys.getallocatedblocks() - begun < GROWN_BLOCKS, "memory stays flat"
    line.host.opened(line.now_ms * MS)
    line.host.state = LinkState.HELLO
    line.host.session = line.host.session % wire.SESSION_MAX + 1
    line.run(1500)
    assert line.state() is LinkState.LIVE
    line.events.clear()
    line.press(9, True)
    line.run(300)
    assert line.edges() == [(9, True)]
    assert list(line.board.dice) == list(line.host.outputs.dice)


def storm_at_the_board(seed: int, count: int) -> None:
    """Hostile frames at a board; what it holds stays within what it can show."""
    random, board = Random(seed), BoardLink(3, 4711, 34, 0, 0)
    hello = wire.encode("h", 0, wire.PROTOCOL, 9)
    feed(board, hello, 0, 0)
    begun = 0
    for number, chunk in enumerate(frames(random, wire.FROM_HOST, count)):
        now_ms = number % wire.TICKS_MS_PERIOD
        feed(board, chunk, now_ms, now_ms * 1000 % wire.TICKS_US_PERIOD)
        board.poll(now_ms, 0)
        board.written(board.out_len // 2, now_ms)
        assert board.out_len <= len(board.out)
        if number == count // 10:
            gc.collect()
            begun = sys.getallocatedblocks()
    gc.collect()
    assert sys.getallocatedblocks() - begun < GROWN_BLOCKS, "memory stays flat"
    assert all(code < 512 for code in board.dice)
    assert all(code < 64 for code in board.lamps)
    assert -100 <= board.eye_speed <= 100
    assert 0 <= board.eye_ms <= wire.RUN_MAX_MS


def test_hostile_frames_never_reach_the_host_s_game() -> None:
    storm_at_the_host(1, QUICK_FRAMES)


def test_hostile_frames_never_take_a_board_out_of_its_bounds() -> None:
    storm_at_the_board(1, QUICK_FRAMES)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_frames_with_a_wrong_checksum_press_no_key(seed: int) -> None:
    line = FaultyLine().start()
    line.events.clear()
    events = line.host.receive(broken_frames(Random(seed), wire.FROM_BOARD, 40), line.now_ms * MS)
    assert not [event for event in events if isinstance(event, KeyEdge)]
    assert line.state() is LinkState.LIVE


@pytest.mark.soak
@pytest.mark.parametrize("part", range(4))
def test_a_million_hostile_frames(part: int, capsys: pytest.CaptureFixture[str]) -> None:
    storm = (storm_at_the_host, storm_at_the_board)[part % 2]
    storm(100 + part, LONG_FRAMES // 4)
    with capsys.disabled():
        print(f"\n{LONG_FRAMES // 4} frames fuzzed ({storm.__name__}, seed {100 + part})")


# --- The hub and the server -------------------------------------------------------------------------


def is_sound(command: object) -> bool:
    """Whether the house may be given a command: every value in its bounds."""
    match command:
        case KeyCommand(board, key, _):
            return board in KEYS_OF and 0 <= key < KEYS_OF[board]
        case PlugCommand(board, _):
            return board in KEYS_OF
        case LiftCommand(dropping):
            return 0 <= dropping < 1000
        case CalibrateCommand(colour):
            return 0 <= colour < 4
    return True


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 2**40), st.sampled_from(["box", "kiosk", "service"]))
def test_no_message_of_an_enemy_gets_past_the_hub(seed: int, kind: str) -> None:
    commands: list[object] = []
    hub = Hub(commands.append)
    page = hub.join(kind)
    random = Random(seed)
    for _ in range(BAD_MESSAGES):
        hub.received(page, message(random))
    assert all(is_sound(command) for command in commands)
    hub.leave(page)
    assert hub.pages == 0


def test_a_pin_that_no_keyboard_has_is_only_wrong() -> None:
    hub = Hub()
    page = hub.join("box", "192.168.1.77")
    assert hub.received(page, json.dumps({"do": "pin", "pin": "\ud800"}))
    assert hub.received(page, json.dumps({"do": "token", "token": "\udfff"}))
    assert not page.trusted


@pytest.fixture(scope="module", name="feed")
def _feed() -> Iterator[Feed]:
    feed = Feed({"meta": {"version": "0.1.0"}, "house": {"phase": "game"}, "boards": []})
    yield feed
    feed.stop()


def raw(port: int, data: bytes) -> bytes:
    """What the server answers to these bytes, as far as it comes soon."""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as sock, contextlib.suppress(OSError):
        sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)
        return sock.recv(4096)
    return b""


def storm_at_the_server(port: int, seed: int, requests: int, messages: int) -> None:
    random = Random(seed)
    for _ in range(requests):
        asked = request(random)
        answer = raw(port, asked)
        found = re.match(rb"HTTP/1\.1 (\d{3})", answer)
        assert not answer or found, answer
        assert found is None or int(found[1]) < 500 or int(found[1]) == 501, (asked, answer)
        assert b"root:" not in answer
    sent = 0
    while sent < messages:
        kind = random.choice(("box", "kiosk", "service"))
        with connect(f"ws://127.0.0.1:{port}/ws?page={kind}", proxy=None) as page:
            with contextlib.suppress(ConnectionClosed):
                for _ in range(BAD_MESSAGES + 1):
                    page.send(message(random))
                    sent += 1
            sent += 1


def is_well(port: int) -> bool:
    """Whether the server still answers as ever."""
    answer = raw(port, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    return answer.startswith(b"HTTP/1.1 200")


def test_no_request_and_no_message_makes_the_server_fail(
    feed: Feed, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        storm_at_the_server(feed.port, 7, 150, 300)
        assert is_well(feed.port)
    assert [record.getMessage() for record in caplog.records] == []
    while not feed.commands.empty():
        assert is_sound(feed.commands.get())


@pytest.mark.soak
def test_a_box_in_play_takes_no_notice_of_enemies(tmp_path: Path) -> None:
    """A whole box: its game goes on step by step, its memory stays flat, its log has no failure."""

    def resident_kb(pid: int) -> int:
        status = Path(f"/proc/{pid}/status").read_text("ascii")
        return int(status.partition("VmRSS:")[2].split()[0])

    async def test() -> None:
        seats = ("--seats", "red,blue,green", "--bots", "red,blue,green")
        house = ("--game", "worm_grill", "--no-howto", "--no-demo", "--seed", "3")
        async with running_box(*seats, house=house, data=tmp_path) as box:
            async with box.page("kiosk") as page:
                await page.until(lambda p: p.state is not None and len(p.live()) == 3)
            # the first one leaves what any storm does: what the allocator keeps for the next
            await asyncio.to_thread(storm_at_the_server, box.port, 1, 1500, 15_000)
            before_kb, step = resident_kb(box.process.pid), await steps(box)
            await asyncio.to_thread(storm_at_the_server, box.port, 2, 1500, 15_000)
            assert resident_kb(box.process.pid) - before_kb < 4_000
            assert await steps(box) > step
        log = (tmp_path / "galley.log").read_text("utf-8")
        assert '"level": "error"' not in log

    async def steps(box: BoxProcess) -> int:
        async with box.page("kiosk") as page:
            return int(page.topics["table"]["step"])

    asyncio.run(test())


# --- Nobody's data ----------------------------------------------------------------------------------

HARMLESS = {
    *("board", "identity", "simulated", "port", "boot_id", "firmware", "state", "note", "fault", "lines"),
    *("game", "step", "steps", "phase", "text", "detail", "worst_ms", "count", "ran_s", "games"),
    "facts",  # of the start: versions and switches, see `operation.ready`
}
"""Facts that a log line may have: boards, games, the machine. None is about a person."""
PERSONAL = re.compile(r"name|mail|phone|address|birth|face|photo|voice|user|player_|person", re.IGNORECASE)


def facts_told() -> Iterator[tuple[str, str]]:
    for path in HOST.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "tell":
                yield from ((path.name, keyword.arg or "facts") for keyword in node.keywords)


def test_a_log_line_holds_nothing_about_a_person() -> None:
    told = list(facts_told())
    assert len(told) > 10
    assert {fact for _, fact in told} <= HARMLESS
    assert not [fact for _, fact in told if PERSONAL.search(fact)]


def test_the_journal_has_no_column_about_a_person(tmp_path: Path) -> None:
    Journal.open(tmp_path / "journal.db").close()
    connection = sqlite3.connect(tmp_path / "journal.db")
    columns: list[str] = []
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        columns += [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    connection.close()
    assert "players" in columns, "their colours and bots, see tests/host/test_journal.py"
    assert not [column for column in columns if PERSONAL.search(column)]


def test_what_the_house_keeps_is_colours_and_choices() -> None:
    evening = EveningClock(seed=1, demo=False)
    evening.seat("red")
    kept: dict[str, Any] = evening.house.saved()
    assert not [key for key in kept if PERSONAL.search(key)]
