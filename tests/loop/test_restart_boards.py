"""A simulated board is restarted over its data port, as `galley firmware flash` does, and shows its drive."""

from __future__ import annotations

import asyncio
from pathlib import Path

from galley.firmware_board import hello_of, restarted
from galley.ports import BoardPort
from galley.sim.boards import SimulatedBoard
from galley.sim.knobs import Knobs
from galley_board import recovery, wire


async def started(board: SimulatedBoard) -> None:
    await board.start()
    assert board.port is not None


def port_of(board: SimulatedBoard) -> BoardPort | None:
    return None if board.port is None else BoardPort(board.port, "simulated", simulated=True)


def test_a_board_restarts_when_the_host_asks_and_says_hello_as_another_boot() -> None:
    async def test() -> None:
        board = SimulatedBoard("left")
        await started(board)
        try:
            port = port_of(board)
            assert port is not None
            before = await hello_of(port)
            after = await restarted(port, wire.RESTART, lambda: port_of(board))
            assert after.boot_id != before.boot_id
            assert after.firmware == before.firmware
            assert board.starts == 2
        finally:
            await board.stop()

    asyncio.run(test())


def test_a_board_in_production_shows_its_drive_for_one_start(tmp_path: Path) -> None:
    async def test() -> None:
        nvm = tmp_path / "nvm"
        board = SimulatedBoard("deck", knobs=Knobs(nvm=str(nvm), settings=("GALLEY_PRODUCTION=1",)))
        await started(board)
        try:
            port = port_of(board)
            assert port is not None
            await restarted(port, wire.OPEN_DRIVE, lambda: port_of(board))
            kept = nvm.read_bytes()
            assert kept[recovery.DRIVE_PLACE] == 0xFF, "boot.py found the mark and took it away"
        finally:
            await board.stop()

    asyncio.run(test())
