"""The boards under test on one table: a host's link to each, and the rig that touches their pins.

For: `tests/hil`, on real boards and on simulated ones alike. Waiting is on what boards and rig tell, with a
time-out; a board that was reset is found again at whatever port it has then.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress

import pytest

from galley.connection import Connection, sessions
from galley.link import HostLink
from galley.link_events import Beat, Hello, KeyEdge, LinkEvent, LinkState, StateChanged, TimeSample
from galley.ports import BoardPort, system_ports
from galley.sim.boards import SimulatedBoard
from galley.sim.knobs import Knobs
from galley.tables.table import BoardView
from galley.timekeeper import Timekeeper
from galley_board import pins, wire
from galley_board.link import since_ms
from tests.board.playground import Host
from tests.hil.rig import Pin, Rig, SimRig, rig_at
from tests.hil.trace import Trace

PATIENCE_S = 15.0
LOOK_AGAIN_S = 0.2
REPLUG_S = 0.1
WRAP_S = 120.0  # ticks_ms of a board that was just started wraps after 65.5 s
ROLES = ("left", "right", "deck")


class BadPlaces(Exception):
    """`--hil` cannot be understood; the message says why."""


def places_of(text: str) -> dict[str, str]:
    """The port of each role in `left=PORT,deck=PORT`. Raises BadPlaces."""
    found: dict[str, str] = {}
    for part in text.split(","):
        role, _, port = part.partition("=")
        if role not in ROLES or not port:
            raise BadPlaces(f"--hil {part}: write left=PORT,right=PORT,deck=PORT, or sim")
        if role in found:
            raise BadPlaces(f"--hil {part}: {role} has {found[role]} already")
        found[role] = port
    return found


class Tapped(Connection):
    """A connection whose bytes are also kept in a trace."""

    trace: Trace | None = None
    role = ""

    def _received(self, data: bytes, now_ns: int) -> None:
        if self.trace is not None:
            self.trace.read(self.role, data, now_ns)
        super()._received(data, now_ns)

    def _new_link(self) -> HostLink:
        link = super()._new_link()
        if self.trace is not None:
            self.trace.opened(self.role, link.session, time.monotonic_ns())
        return link


class Board:
    """One board under test. `edges` are those since the test began; `place` is what `--hil` says of it."""

    def __init__(self, table: Table, role: str, place: str) -> None:
        self.role = role
        self.which = pins.BOARD_OF_ROLE[role]
        self.edges: list[KeyEdge] = []
        self.hellos: list[Hello] = []
        self.beats: list[Beat] = []
        self._table = table
        self._place = place
        self._connection: Tapped | None = None

    @property
    def connection(self) -> Connection:
        """The host's link to it."""
        assert self._connection is not None
        return self._connection

    @property
    def live(self) -> bool:
        """Whether it answers."""
        return self._connection is not None and self._connection.state is LinkState.LIVE

    @property
    def held(self) -> int:
        """The bitmap of the keys that are down; sensors are left out."""
        return self.connection.link.held & ((1 << len(pins.KEYS[self.which])) - 1)

    def path(self) -> str | None:
        """Where its port is now."""
        if self._table.simulated:
            return self._table.simulated[self.role].port
        for port in system_ports()[0]:
            if self._place.upper() == port.identity.upper():
                return port.path
        return self._place

    async def reach(self) -> None:
        """Wait until it answers, wherever its port is."""
        async with asyncio.timeout(PATIENCE_S + 10):
            while not self.live:
                path = self.path()
                if path is not None and (self._connection is None or self._connection.port.path != path):
                    self._connect(path)
                with suppress(TimeoutError):
                    await self._table.until(lambda: self.live, LOOK_AGAIN_S)

    def disconnect(self) -> None:
        """Let its port go."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connect(self, path: str) -> None:
        self.disconnect()
        Tapped.trace, Tapped.role = self._table.trace, self.role  # its first link is made with it
        self._connection = Tapped(BoardPort(path, ""), self._table.numbers, self._event)
        self._connection.trace, self._connection.role = self._table.trace, self.role
        self._connection.open()

    def _event(self, connection: Connection, event: LinkEvent) -> None:
        self._table.heard(self, event)

    async def until(self, condition: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
        """Wait for something to become so."""
        await self._table.until(condition, patience_s)

    # -- its keys and pins ------------------------------------------------------------------------------

    def key_pin(self, key: int) -> Pin:
        """The pin of a key; skips the test when the rig is not joined to it."""
        name, pin = pins.KEYS[self.which][key]
        return self._joined(name, pin)

    def buzzer_pin(self) -> Pin:
        """The pin of its buzzer; skips the test when the rig is not joined to it."""
        return self._joined("BUZZER", pins.BUZZER_PIN[self.which])

    def device_pin(self, name: str) -> Pin:
        """The pin of one of `pins.DEVICES`; skips the test when the rig is not joined to it."""
        return self._joined(name, pins.device_pin(self.which, name))

    def _joined(self, name: str, pin: str) -> Pin:
        number = int(pin.removeprefix("GP"))
        if not self._table.rig.can(self.role, number):
            pytest.skip(f"needs a rig that is joined to {name} of the {self.role} board")
        return self.role, number

    def told(self) -> list[tuple[int, bool]]:
        """Its edges: key, down."""
        return [(edge.key, edge.down) for edge in self.edges]

    def show(self, view: BoardView) -> None:
        """Have it show this."""
        self.connection.show(*view)


class Table:
    """All boards under test. Its coroutines and callbacks run on one loop."""

    def __init__(self, places: dict[str, str] | None, trace: Trace | None) -> None:
        """`places` are the boards' ports by role; None: simulate all three."""
        self.trace = trace
        self._simulate = places is None
        self.numbers: Iterator[int] = sessions()
        self.keeper = Timekeeper()
        self.simulated: dict[str, SimulatedBoard] = {}
        named = dict.fromkeys(ROLES, "") if places is None else places
        self.boards = {role: Board(self, role, place) for role, place in named.items()}
        self._rig: Rig | None = None
        self._news = asyncio.Event()

    @property
    def rig(self) -> Rig:
        """What presses keys; skips the test when there is none."""
        if self._rig is None:
            pytest.skip("needs a rig: name its port with --rig")
        return self._rig

    def board(self, role: str) -> Board:
        """A board; skips the test when it was not named."""
        if role not in self.boards:
            pytest.skip(f"needs a {role} board: name its port with --hil {role}=PORT")
        return self.boards[role]

    async def open(self, rig_path: str | None) -> None:
        """Start or find everything."""
        if self._simulate:
            self._rig = rig = SimRig(self.tell)
            for role in self.boards:
                self.simulated[role] = board = SimulatedBoard(
                    role, rig.show, on_change=lambda _: self.tell(), replug_s=REPLUG_S
                )
                rig.join(board)
            await asyncio.gather(*(board.start() for board in self.simulated.values()))
        elif rig_path is not None:
            self._rig = await rig_at(rig_path, self.tell)
        await self.fresh()

    async def fresh(self) -> None:
        """All boards live, no key down, nothing shown, nothing noted: how each test begins."""
        for board in self.boards.values():
            await board.reach()
            board.show(BoardView())
            await self.until(lambda: not any(board.held for board in self.boards.values() if board.live))
            board.edges.clear()
        if self._rig is not None:
            self._rig.seen.clear()

    async def close(self) -> None:
        """Let everything go."""
        for board in self.boards.values():
            board.disconnect()
        if self._rig is not None:
            self._rig.close()
        await asyncio.gather(*(board.stop() for board in self.simulated.values()))

    def tell(self) -> None:
        """Something happened: let whoever waits look again."""
        self._news.set()

    async def until(self, condition: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
        """Wait for something to become so; every event of a board or the rig may make it so."""
        async with asyncio.timeout(patience_s):
            while not condition():
                self._news.clear()
                await self._news.wait()

    def heard(self, board: Board, event: LinkEvent) -> None:
        """Something came from a board."""
        now_ns = time.monotonic_ns()
        if isinstance(event, KeyEdge):
            board.edges.append(event)
            if self.trace is not None:
                self.trace.key(board.role, event, now_ns)
        elif isinstance(event, Hello):
            board.hellos.append(event)
        elif isinstance(event, Beat):
            board.beats.append(event)
            self.keeper.beat(board.role, event)
        elif isinstance(event, TimeSample):
            self.keeper.sample(board.role, event)
        elif isinstance(event, StateChanged) and event.state is LinkState.LIVE:
            hello = board.connection.link.hello
            assert hello is not None
            self.keeper.joined(board.role, hello.boot_id, now_ns, hello.clock_lag_us)
        self.tell()

    @asynccontextmanager
    async def raw(self, role: str) -> AsyncIterator[Host]:
        """The port of a board for oneself, frame by frame; the usual link comes back afterwards."""
        board = self.board(role)
        path = board.path()
        assert path is not None
        board.disconnect()
        host = Host(path)
        try:
            await host.greet()
            yield host
        finally:
            host.close()
            await board.reach()

    @asynccontextmanager
    async def near_the_wrap(self, role: str, before_ms: int) -> AsyncIterator[Board]:
        """A board whose ticks wrap soon: simulated with such ticks, or restarted 65.5 s ago."""
        board = self.board(role)
        if self.simulated:
            simulated = self.simulated[role]
            simulated.unplug()
            simulated.knobs = Knobs(ticks_origin=(1 << 29) - before_ms)
            await simulated.start()
        else:
            board.connection.restart(wire.RESTART)
            await board.until(lambda: not board.live)
        board.disconnect()
        await board.reach()
        board.beats.clear()
        await board.until(lambda: board.beats and since_ms(0, board.beats[-1].ticks_ms) <= before_ms, WRAP_S)
        try:
            yield board
        finally:
            if self.simulated:
                self.simulated[role].unplug()
                self.simulated[role].knobs = Knobs()
                await self.simulated[role].start()
                board.disconnect()
                await board.reach()
