"""Faults between real ports: simulated boards, the faulty cable of `galley.sim.fault_line`, a host's box."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import serial
from pytest_mock import MockerFixture

from galley import connection
from galley.box import BEAMS, Box, Watcher
from galley.link_events import KeyEdge
from galley.ports import BoardPort
from galley.sim.boards import SimulatedBoard
from galley.sim.deck_rig import SimDeck
from galley.sim.fault_line import FaultLine, swap
from galley.tables.table import BELL, DARK_BOX, BoardView, BoxView
from galley_engine.dice import Dice

PATIENCE_S = 20.0


class Rigged(Watcher):
    """Boards on faulty cables, and a box that has their ports open."""

    def __init__(self, folder: Path, roles: tuple[str, ...]) -> None:
        self.edges: list[tuple[str, int, bool]] = []
        self._news = asyncio.Event()
        self.box = Box(self)
        self.boards = {
            role: SimulatedBoard(role, on_change=self._board_changed, replug_s=0.05) for role in roles
        }
        self.lines = {role: FaultLine(folder / f"port-{role}") for role in roles}
        self.deck = SimDeck(self.boards["deck"], Dice(3)) if "deck" in roles else None
        self.fallen: list[int] = []
        self.firmware_said: list[str] = []

    def _board_changed(self, role: str) -> None:
        self.lines[role].plug(self.boards[role].port)
        self._news.set()

    def edge(self, board: str, edge: KeyEdge) -> None:
        self.edges.append((board, edge.key, edge.down))
        self._news.set()

    def fell(self, hole: int) -> None:
        self.fallen.append(hole)
        self._news.set()

    def changed(self) -> None:
        self._news.set()

    async def until(self, done: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not done():
                self._news.clear()
                try:
                    await asyncio.wait_for(self._news.wait(), 0.02)
                except TimeoutError:
                    continue

    def open(self) -> None:
        for line in self.lines.values():
            self.box.port_appeared(BoardPort(str(line.path), ""))

    async def live(self) -> None:
        await self.until(lambda: self.box.live() == set(self.boards))

    def entry(self, role: str) -> dict[str, Any]:
        return next(entry for entry in self.box.status() if entry["role"] == role)

    def shows(self, role: str) -> bool:
        """Whether the board's own beat says that it shows what was asked for."""
        entry = self.entry(role)
        return bool(entry["shown"] == entry["asked"])


@asynccontextmanager
async def rigged(folder: Path, *roles: str) -> AsyncIterator[Rigged]:
    rig = Rigged(folder, roles)
    try:
        await asyncio.gather(*(board.start() for board in rig.boards.values()))
        yield rig
    finally:
        rig.box.close()
        for line in rig.lines.values():
            line.close()
        await asyncio.gather(*(board.stop() for board in rig.boards.values()))


def played(folder: Path, roles: str, test: Callable[[Rigged], Coroutine[Any, Any, None]]) -> None:
    async def whole() -> None:
        async with rigged(folder, *roles.split()) as rig:
            await test(rig)

    asyncio.run(whole())


VIEW: BoxView = {**DARK_BOX, "left": BoardView(dice=(9,) * 8), "right": BoardView(dice=(17,) * 8)}


def test_a_board_that_was_unplugged_shows_the_present_when_it_is_back(tmp_path: Path) -> None:
    async def test(rig: Rigged) -> None:
        rig.open()
        await rig.live()
        rig.boards["left"].press(BELL, True)
        await rig.until(lambda: rig.edges)
        rig.lines["left"].unplug(0.2)
        rig.box.show(VIEW)
        await rig.until(lambda: rig.entry("left")["state"] == "lost")
        rig.boards["left"].press(BELL, False)
        await rig.live()
        await rig.until(lambda: rig.shows("left"))
        rig.boards["left"].press(BELL, True)
        await rig.until(lambda: len(rig.edges) >= 2)
        assert rig.edges == [("left", BELL, True), ("left", BELL, True)], "what was pressed meanwhile is void"

    played(tmp_path, "left", test)


def test_roles_follow_the_boards_when_two_swap_their_ports_in_play(tmp_path: Path) -> None:
    async def test(rig: Rigged) -> None:
        rig.open()
        rig.box.show(VIEW)
        await rig.live()
        ports = {role: rig.entry(role)["port"] for role in rig.boards}
        swap(rig.lines["left"], rig.lines["right"])
        await rig.until(lambda: rig.box.live() != set(rig.boards))
        await rig.live()
        assert {role: rig.entry(role)["port"] for role in rig.boards} == {
            "left": ports["right"],
            "right": ports["left"],
        }
        await rig.until(lambda: rig.shows("left") and rig.shows("right"))
        rig.boards["right"].press(BELL, True)
        await rig.until(lambda: rig.edges)
        assert rig.edges == [("right", BELL, True)]

    played(tmp_path, "left right", test)


def test_a_port_that_another_program_holds_is_tried_again_until_it_lets_go(tmp_path: Path) -> None:
    async def test(rig: Rigged) -> None:
        line = rig.lines["left"]
        assert line.second_opener(1.2, b"AT\r")
        began_s = time.monotonic()
        rig.open()
        await rig.until(lambda: any(e["note"] and e["note"]["key"] == "port_busy" for e in rig.box.status()))
        await rig.live()
        assert time.monotonic() - began_s < 1.2 + connection.RETRY_LAST_S
        assert not line.second_opener(1.0), "now it is the other that is refused"
        rig.boards["left"].press(BELL, True)
        await rig.until(lambda: rig.edges)
        assert rig.entry("left")["counters"]["bad_frames"] <= 1, "what the other said is one bad frame"

    played(tmp_path, "left", test)


def test_a_port_that_closes_slowly_is_opened_again_when_it_is_free(tmp_path: Path) -> None:
    async def test(rig: Rigged) -> None:
        rig.open()
        await rig.live()
        line = rig.lines["left"]
        line.slow_close(0.5)
        rig.box.port_vanished(str(line.path))
        await rig.until(lambda: not line.is_open)
        rig.open()
        await rig.live()
        assert line.opens == 2

    played(tmp_path, "left", test)


def test_closing_does_not_wait_for_a_far_end_that_reads_nothing(
    tmp_path: Path, mocker: MockerFixture
) -> None:
    calls: list[str] = []

    def noted(name: str) -> Callable[[serial.Serial], None]:
        real = getattr(serial.Serial, name)

        def call(port: serial.Serial) -> None:
            calls.append(name)
            real(port)

        return call

    for name in ("reset_output_buffer", "close"):
        mocker.patch.object(serial.Serial, name, noted(name))

    async def test(rig: Rigged) -> None:
        rig.open()
        await rig.live()
        calls.clear()
        rig.lines["left"].stall("write", 60)
        rig.box.show(VIEW)
        began_s = time.monotonic()
        rig.box.port_vanished(str(rig.lines["left"].path))
        assert time.monotonic() - began_s < 0.5
        assert calls[:2] == ["reset_output_buffer", "close"], "on USB what waits would hold the close"

    played(tmp_path, "left", test)


@pytest.mark.parametrize("stale", [b"\x00", b"9 04 1 1\n" * 28 + b"xyz", bytes(range(256))])
def test_hello_comes_within_a_second_however_stale_the_first_bytes_are(tmp_path: Path, stale: bytes) -> None:
    async def test(rig: Rigged) -> None:
        rig.lines["left"].stale_prefix(stale)
        began_s = time.monotonic()
        rig.open()
        await rig.live()
        assert time.monotonic() - began_s < 1.0
        assert rig.edges == []

    played(tmp_path, "left", test)


def test_a_port_under_another_name_is_the_same_board(tmp_path: Path) -> None:
    async def test(rig: Rigged) -> None:
        rig.open()
        await rig.live()
        line, before = rig.lines["left"], rig.lines["left"].path
        line.rename(tmp_path / "port-other")
        rig.box.port_vanished(str(before))
        rig.open()
        await rig.live()
        assert rig.entry("left")["port"].endswith("port-other")

    played(tmp_path, "left", test)


def test_a_line_that_stalls_for_a_second_pauses_and_loses_nothing(tmp_path: Path) -> None:
    async def test(rig: Rigged) -> None:
        rig.open()
        await rig.live()
        rig.lines["left"].stall("read", 1.2)
        at_ns = time.monotonic_ns()
        for down, later_ms in ((True, 0), (False, 50)):
            rig.boards["left"].press(BELL, down, at_ns + later_ms * 1_000_000)
        await rig.until(lambda: rig.entry("left")["state"] == "stale")
        await rig.live()
        await rig.until(lambda: len(rig.edges) == 2)
        assert rig.edges == [("left", BELL, True), ("left", BELL, False)]

    played(tmp_path, "left", test)


def test_what_falls_while_the_decks_cable_is_out_is_told_once_when_it_is_back(tmp_path: Path) -> None:
    async def test(rig: Rigged) -> None:
        assert rig.deck is not None
        rig.open()
        await rig.until(lambda: "deck" in rig.entry("deck"))
        rig.deck.break_beam(0)
        await rig.until(lambda: rig.fallen == [0])
        rig.deck.break_beam(2)  # it falls as the cable is pulled
        rig.lines["deck"].unplug(0.5)
        await rig.until(lambda: rig.entry("deck")["state"] == "lost")
        rig.deck.break_beam(3)
        await rig.live()
        await rig.until(lambda: len(rig.fallen) >= 3)
        rig.deck.break_beam(1)
        await rig.until(lambda: len(rig.fallen) >= 4)
        assert (rig.fallen[0], sorted(rig.fallen[1:3]), rig.fallen[3:]) == (0, [2, 3], [1])
        before = rig.entry("deck")["boot_id"]
        rig.boards["deck"].unplug()
        rig.boards["deck"].plug()
        await rig.until(lambda: rig.box.live() and rig.entry("deck")["boot_id"] != before)
        rig.deck.break_beam(0)
        await rig.until(lambda: len(rig.fallen) >= 5)
        assert rig.fallen[4:] == [0], "a board that starts anew counts anew"
        assert not [key for _, key, _ in rig.edges if key in BEAMS], "nothing is told twice"

    played(tmp_path, "deck", test)
