"""A board that comes and goes all day, on real ports: nothing of it stays in the host when it has gone."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import time
import tty
from pathlib import Path

import pytest

from galley.box import Box, Watcher
from galley.house import House
from galley.link_events import Beat, DeckReport, KeyEdge, TimeSample
from galley.ports import BoardPort
from galley.racing import Racing
from galley.tables.table import ROLL
from galley_board import wire
from galley_board.link import BoardLink
from tests.board.workbench import feed

PATIENCE_S = 20.0
WARM = 60


class PluggedBoard:
    """A board's own end of the link behind a port that is there as long as it is plugged in."""

    def __init__(self, role: str, boot_id: int) -> None:
        self.link = BoardLink(wire.ROLES.index(role), boot_id, 83, 0, 1)
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self.path = os.ttyname(self._slave)
        asyncio.get_running_loop().add_reader(self._master, self._read)

    def press(self, key: int) -> None:
        for down in (1, 0):
            self.link.key_edge(key, down, self._now()[0], wire.NO_US)
        self._say()

    def pull(self) -> None:
        asyncio.get_running_loop().remove_reader(self._master)
        os.close(self._master)
        os.close(self._slave)

    def _now(self) -> tuple[int, int]:
        now_us = time.monotonic_ns() // 1000
        return now_us // 1000 % wire.TICKS_MS_PERIOD, now_us % wire.TICKS_US_PERIOD

    def _read(self) -> None:
        feed(self.link, os.read(self._master, 4096), *self._now())
        self._say()

    def _say(self) -> None:
        now_ms, now_us = self._now()
        for _ in range(4):
            self.link.poll(now_ms, now_us)
        if self.link.out_len:
            self.link.written(os.write(self._master, self.link.out[: self.link.out_len]), now_ms)


class Host(Watcher):
    """Box, house and race as the host joins them."""

    def __init__(self) -> None:
        self.edges = 0
        self.house = House()
        self.box = Box(self)
        self._racing = Racing(self.house, self.box, lambda: self.box.show(self.house.view()))
        self._news = asyncio.Event()

    def edge(self, board: str, edge: KeyEdge) -> None:
        self.edges += 1
        self._racing.edge(board, edge)
        self._news.set()

    def timing(self, board: str, event: Beat | TimeSample) -> None:
        self._racing.timing(board, event)

    def reported(self, report: DeckReport) -> None:
        pass

    def joined(self, board: str, boot_id: int) -> None:
        self._racing.joined(board, boot_id)

    def left(self, board: str) -> None:
        self._racing.left(board)

    def changed(self) -> None:
        self.house.boards_live(self.box.live(), time.monotonic_ns() // 1_000_000)
        self._news.set()

    async def lives(self, roles: frozenset[str]) -> None:
        while self.box.live() != roles:
            self._news.clear()
            await self._news.wait()

    async def plug_and_pull(self, boot_id: int) -> None:
        board = PluggedBoard("left", boot_id)
        self.box.port_appeared(BoardPort(board.path, "E6614"))
        await self.lives(frozenset({"left"}))
        board.press(ROLL)
        while self.edges < 2 * boot_id:
            self._news.clear()
            await self._news.wait()
        board.pull()
        await self.lives(frozenset())
        self.box.port_vanished(board.path)


def alive() -> tuple[int, int]:
    """Descriptors and blocks of memory."""
    gc.collect()
    return len(list(Path("/proc/self/fd").iterdir())), sys.getallocatedblocks()


@pytest.mark.parametrize("times", [240, pytest.param(10_000, marks=pytest.mark.soak)])
def test_boards_that_come_and_go_leave_neither_memory_nor_descriptors(times: int) -> None:
    if not Path("/proc/self/fd").exists():
        pytest.skip("needs Linux, which tells how many descriptors a process has")

    async def whole() -> None:
        host = Host()
        for boot_id in range(1, WARM + 1):
            await asyncio.wait_for(host.plug_and_pull(boot_id), PATIENCE_S)
        before = alive()
        for boot_id in range(WARM + 1, WARM + times + 1):
            await asyncio.wait_for(host.plug_and_pull(boot_id), PATIENCE_S)
        descriptors, blocks = alive()
        assert descriptors <= before[0]  # fewer, when what an earlier test left was collected meanwhile
        assert blocks - before[1] < times, "less than an object for each time"
        host.box.close()

    asyncio.run(whole())
