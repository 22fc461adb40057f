"""Which boards there are to talk to: those on USB, those named on the command line, and simulated ones.

For: bringing ports to the box and taking them away again, whatever kind they are. It must not know the house
or the pages.

Simulated boards stand in only where they were asked for, or where no board at all is plugged in. The deck
among them lies on simulated pins, with a hand that lifts what lies on it (`sim.deck_rig`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from random import SystemRandom
from typing import Final

from galley.box import Box
from galley.ports import BoardPort, BoardWithoutData, is_in_safe_mode, system_ports
from galley.sim.boards import OnConsole, OnPixels, SimulatedBoard, SimulatedBox, SimulationError
from galley.sim.deck_rig import SimDeck
from galley.sim.hand import Hand
from galley.starting import CannotStart, Settings
from galley.tables.table import BOARDS
from galley_engine.dice import Dice

SCAN_EVERY_S: Final = 1.0


class Plugging:
    """The ports of one running box. `deck` is the simulated deck, if there is one."""

    def __init__(
        self,
        settings: Settings,
        box: Box,
        on_pixels: OnPixels,
        on_deck: Callable[[], None],
        on_console: OnConsole,
    ) -> None:
        self.simulated: SimulatedBox | None = None
        self.deck: SimDeck | None = None
        self._settings = settings
        self._box = box
        self._on_pixels = on_pixels
        self._on_deck = on_deck
        self._on_console = on_console
        self._hand = Hand(self._press)
        self._ports: dict[str, str] = {}
        self._scans = False
        self._safe: dict[str, bool] = {}  # console -> whether its board stopped in safe mode
        self._looking: set[asyncio.Task[None]] = set()

    def find(self) -> None:
        """Look once, and decide what is simulated."""
        for path in self._settings.connect:
            self._box.port_appeared(BoardPort(path, path))
        roles = self._settings.sim
        if roles is None:
            self._scan()
            self._scans = bool(self._box.ports())
            roles = () if self._scans else BOARDS
        else:
            self._scans = set(roles) != set(BOARDS)
        if roles:
            self.simulated = SimulatedBox(
                roles, self._on_pixels, self._on_console, self._changed, knobs=self._settings.knobs
            )
            self.simulated.watch_pixels(False)
        if "deck" in roles and self.simulated is not None:
            seed = self._settings.rules.seed
            chance = Dice(SystemRandom().getrandbits(32) if seed is None else seed)
            self.deck = SimDeck(self.simulated.boards["deck"], chance, on_change=self._on_deck)

    def board(self, role: str) -> SimulatedBoard | None:
        """The simulated board of this role."""
        return None if self.simulated is None else self.simulated.boards.get(role)

    def key(self, role: str, key: int, down: bool) -> bool:
        """A finger on a key of a simulated board, held as long as a finger holds; False if it is not one."""
        if self.board(role) is None:
            return False
        self._hand.move(role, key, down)
        return True

    def watch_pixels(self, watched: bool) -> None:
        """Somebody looks at the pixels of simulated boards, or nobody does."""
        if self.simulated is not None:
            self.simulated.watch_pixels(watched)

    async def simulate(self) -> None:
        """Start the simulated boards. Raises CannotStart."""
        if self.simulated is not None:
            try:
                await self.simulated.start()
            except SimulationError as error:
                raise CannotStart(str(error)) from error

    async def scan_on(self) -> None:
        """Look for boards that come and go, for as long as the box runs."""
        while self._scans:
            await asyncio.sleep(SCAN_EVERY_S)
            self._scan()

    async def stop(self) -> None:
        """Pull all simulated boards."""
        if self.simulated is not None:
            await self.simulated.stop()

    def _press(self, role: str, key: int, down: bool) -> None:
        board = self.board(role)
        if board is not None:
            board.press(key, down)

    def _changed(self, role: str) -> None:
        """A simulated board was plugged in or is gone: its port comes and goes as a real one would."""
        board = self.board(role)
        before = self._ports.pop(role, None)
        if board is None:
            return
        if before is not None and before != board.port:
            self._box.port_vanished(before)
        if board.port is not None:
            self._ports[role] = board.port
            port = BoardPort(board.port, "simulated", simulated=True, pid=board.pid, role=role)
            self._box.port_appeared(port)

    def _scan(self) -> None:
        found, without = system_ports()
        now = {port.path for port in found}
        for port in found:
            self._box.port_appeared(port)
        kept = {*now, *self._settings.connect, *self._ports.values()}
        for path in self._box.ports() - kept:
            self._box.port_vanished(path)
        self._box.boards_without_data(tuple(self._looked_at(board) for board in without))
        self._safe = {
            console: safe for console, safe in self._safe.items() if console in {b.place for b in without}
        }
        for board in without:
            if board.why == "no_data_port" and board.place not in self._safe:
                self._safe[board.place] = False
                task = asyncio.get_running_loop().create_task(self._look_at(board.place))
                self._looking.add(task)
                task.add_done_callback(self._looking.discard)

    async def _look_at(self, console: str) -> None:
        """Hear, once for each time it appears, whether a board without a data port is in safe mode."""
        self._safe[console] = await asyncio.to_thread(is_in_safe_mode, console)

    def _looked_at(self, board: BoardWithoutData) -> BoardWithoutData:
        return replace(board, why="safe_mode") if self._safe.get(board.place) else board
