"""The running host: boards, house, pages and clock joined in one asyncio loop.

For: `galley` without a subcommand. This is the thin shell round the pure parts: it moves presses from the box
into the house, the house's view to the boards, its topics to the pages, and lets time pass.

Order matters for the hand that waits for its light: a press is answered to the boards within the same turn of
the loop, and what the pages are told is worked out in the next.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import platform
import signal
import socket
import sys
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Final

import click

from galley import __version__
from galley.box import NS_PER_MS, Box, Watcher, house_ms
from galley.house import House, HouseRules
from galley.link import Beat, KeyEdge, TimeSample
from galley.ports import BoardPort, system_ports
from galley.sim.boards import SimulatedBox, SimulationError
from galley.sim.hand import Hand
from galley.tables.table import BOARDS, Seat
from galley.timekeeper import Timekeeper
from galley.web.app import Server, build_app, load_site
from galley.web.hub import Command, Hub, KeyCommand
from galley_engine.race import LATE

ADDRESS: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8765
SCAN_EVERY_S: Final = 1.0
STATUS_EVERY_S: Final = 1.0


def has_screen() -> bool:
    """Whether a browser window could appear for whoever started this process."""
    if platform.system() == "Linux":
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True


class CannotStart(Exception):
    """The box cannot start here and now; the message says what is in the way and the remedy."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to run. `sim` None simulates all boards when none is found; `seats` start a game at once."""

    port: int = DEFAULT_PORT
    sim: tuple[str, ...] | None = None
    connect: tuple[str, ...] = ()
    browser: bool = True
    rules: HouseRules = field(default_factory=HouseRules)
    seats: tuple[Seat, ...] = ()


def bind(port: int) -> socket.socket:
    """A listening socket on this machine only. Raises CannotStart with the reason and the remedy."""
    # with TCP named, asyncio switches Nagle's algorithm off, which would hold messages for 40 ms
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((ADDRESS, port))
        sock.listen(128)
    except OSError as error:
        sock.close()
        raise CannotStart(_busy_port(port, error)) from error
    return sock


def _busy_port(port: int, error: OSError) -> str:
    url = f"http://{ADDRESS}:{port}/"
    try:
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(f"{url}healthz", timeout=1.0) as answer:
            health = json.loads(answer.read(1000))
        return (
            f"Galley {health['galley']} runs here already (process {health['pid']}): "
            f"open {url} or start with another --port"
        )
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        why = (error.strerror or str(error)).lower()
        return (
            f"port {port} cannot be used ({why}): stop the program that has it or start with another --port"
        )


class Host(Watcher):
    """Everything that runs, made from settings; `run` serves until `stop`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._house = House(settings.rules)
        self._box = Box(self)
        self._keeper = Timekeeper()
        self._closed_ns: int | None = None
        self._asking: asyncio.TimerHandle | None = None
        self._hub = Hub(self._commanded)
        self._site = load_site(__version__)
        self._server = Server(build_app(self._hub, self._site))
        self._sim: SimulatedBox | None = None
        self._hand = Hand(self._press_simulated)
        self._simulated_ports: dict[str, str] = {}
        self._failure: CannotStart | None = None
        self._scans = False
        self._tick: asyncio.TimerHandle | None = None
        self._tell_due = False
        self._status_due = False

    async def run(self, sock: socket.socket) -> None:
        """Serve pages on `sock` and play until `stop` or a signal to end."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.stop)
        serving = asyncio.create_task(self._server.serve(sock))
        background: list[asyncio.Task[None]] = []
        try:
            self._find_boards()
            self._tell()
            self._report()
            background = [
                asyncio.create_task(work())
                for work in (self._simulate, self._scan_on, self._status_on, self._open_browser)
            ]
            for task in background:
                task.add_done_callback(self._background_ended)
            if self._settings.seats:
                self._house.begin(self._settings.seats, house_ms())
                self._moved()
            gc.freeze()  # what the start made stays: the collector need not look at it with a hand waiting
            await serving
        finally:
            for task in background:
                task.cancel()
            await asyncio.gather(*background, return_exceptions=True)
            self._box.close()
            if self._sim is not None:
                await self._sim.stop()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)
        if self._failure is not None:
            raise self._failure

    def stop(self) -> None:
        """End `run`, from a signal or from a test."""
        self._server.stop()

    def _background_ended(self, task: asyncio.Task[None]) -> None:
        """A part that failed ends the box with a sentence: half a box would only puzzle people."""
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._failure = (
                error
                if isinstance(error, CannotStart)
                else CannotStart(
                    f"a part of the box failed ({type(error).__name__}: {error}): start it again"
                )
            )
            self.stop()

    # -- boards ---------------------------------------------------------------------------------------

    def _find_boards(self) -> None:
        for path in self._settings.connect:
            self._box.port_appeared(BoardPort(path, path))
        roles = self._settings.sim
        if roles is None:
            self._scan()
            found = bool(self._box.ports())
            roles = () if found else BOARDS
            self._scans = found
        else:
            self._scans = set(roles) != set(BOARDS)
        if roles:
            self._sim = SimulatedBox(roles, self._hub.pixels, on_change=self._simulated_changed)

    def _simulated_changed(self, role: str) -> None:
        """A simulated board was plugged in or is gone: its port comes and goes as a real one would."""
        assert self._sim is not None
        board = self._sim.boards[role]
        before = self._simulated_ports.pop(role, None)
        if before is not None and before != board.port:
            self._box.port_vanished(before)
        if board.port is not None:
            self._simulated_ports[role] = board.port
            port = BoardPort(board.port, "simulated", simulated=True, pid=board.pid, role=role)
            self._box.port_appeared(port)

    def _scan(self) -> None:
        found, without = system_ports()
        now = {port.path for port in found}
        for port in found:
            self._box.port_appeared(port)
        kept = {*now, *self._settings.connect, *self._simulated_ports.values()}
        for path in self._box.ports() - kept:
            self._box.port_vanished(path)
        self._box.boards_without_data(tuple(without))

    def _press_simulated(self, role: str, key: int, down: bool) -> None:
        if self._sim is not None:
            self._sim.boards[role].press(key, down)

    async def _simulate(self) -> None:
        if self._sim is not None:
            try:
                await self._sim.start()
            except SimulationError as error:
                raise CannotStart(str(error)) from error

    async def _scan_on(self) -> None:
        while self._scans:
            await asyncio.sleep(SCAN_EVERY_S)
            self._scan()

    async def _status_on(self) -> None:
        while True:
            await asyncio.sleep(STATUS_EVERY_S)
            self._tell_boards()

    def joined(self, board: str, boot_id: int) -> None:
        self._keeper.joined(board, boot_id, time.monotonic_ns())

    def left(self, board: str) -> None:
        if board in self._house.needed:
            self._keeper.left(board, time.monotonic_ns())
        else:
            self._keeper.gone(board)
            self._decide()

    def changed(self) -> None:
        self._house.boards_live(self._box.live(), house_ms())
        self._moved()
        if not self._status_due:
            self._status_due = True
            asyncio.get_running_loop().call_soon(self._tell_boards)

    # -- presses, time, views -------------------------------------------------------------------------

    def edge(self, board: str, edge: KeyEdge) -> None:
        if not edge.down:
            return
        if self._house.races(board, edge.key) or self._keeper.races(board):
            self._keeper.enter(board, edge, edge.received_ns)
            self._decide()
        else:
            self._house.press(board, edge.key, edge.received_ns // NS_PER_MS - edge.age_ms)
            self._moved()

    def timing(self, board: str, event: Beat | TimeSample) -> None:
        if isinstance(event, Beat):
            self._keeper.beat(board, event)
        else:
            self._keeper.sample(board, event)
            self._decide()

    def _decide(self) -> None:
        """Let every press out whose turn has come; ask the boards again while some wait."""
        moved = False
        while heat := self._keeper.heat():
            places = [(press.source, press.key) for press in heat]
            timed = self._keeper.take(heat[self._house.settle(places)])
            press = timed.press
            self._house.press(press.source, press.key, press.ns // NS_PER_MS, timed)
            moved = True
        for refused in self._keeper.refused():
            if refused.why == LATE:  # a bounce's second edge: it raced nobody, and still counts
                self._house.press(refused.press.source, refused.press.key, refused.press.ns // NS_PER_MS)
                moved = True
        if moved:
            self._moved()
        due_ns = self._keeper.probes_due_ns(time.monotonic_ns())
        if due_ns is not None and self._asking is None:
            self._asking = asyncio.get_running_loop().call_later(due_ns / 1e9, self._ask)

    def _ask(self) -> None:
        self._asking = None
        self._box.probe_all()
        self._keeper.asked(time.monotonic_ns())
        self._decide()

    def _ticked(self) -> None:
        self._tick = None
        self._house.tick(house_ms())
        self._moved()

    def _moved(self) -> None:
        """The house may have changed: show it on the boards now; pages and clock follow at the next turn."""
        self._box.show(self._house.view())
        if self._house.gate_open != (self._closed_ns is None):
            now_ns = time.monotonic_ns()
            if self._closed_ns is not None:
                self._keeper.start_given(self._closed_ns, now_ns)
            self._closed_ns = now_ns if self._closed_ns is None else None
        if not self._tell_due:
            self._tell_due = True
            asyncio.get_running_loop().call_soon(self._follow)

    def _follow(self) -> None:
        self._tell_due = False
        self._tell()
        if self._tick is not None:
            self._tick.cancel()
            self._tick = None
        due_ms = self._house.due_ms()
        if due_ms is not None:
            wait_s = max(0.0, due_ms / 1000 - time.monotonic())
            self._tick = asyncio.get_running_loop().call_later(wait_s, self._ticked)

    # -- pages ----------------------------------------------------------------------------------------

    def _tell(self) -> None:
        self._hub.publish(
            "meta",
            {
                "version": __version__,
                "build": self._site.build,
                "simulated": self._sim is not None,
                "language": "en",
            },
        )
        for topic, value in self._house.topics().items():
            self._hub.publish(topic, value)

    def _tell_boards(self) -> None:
        self._status_due = False
        now_ns = time.monotonic_ns()
        boards = self._box.status()
        for board in boards:
            board["clock"] = self._keeper.standing(board["role"], now_ns)
        self._hub.publish("boards", boards)

    def _commanded(self, command: Command) -> None:
        board = self._sim.boards.get(command.board) if self._sim is not None else None
        if isinstance(command, KeyCommand):
            if board is not None:
                self._hand.move(command.board, command.key, command.down)
            elif command.down:
                self._house.press(command.board, command.key, house_ms())
                self._moved()
        elif board is not None:
            (board.plug if command.plugged else board.unplug)()

    # -- the person who started it ----------------------------------------------------------------------

    def _url(self, path: str = "/") -> str:
        return f"http://{ADDRESS}:{self._settings.port}{path}"

    def _report(self) -> None:
        boards = "simulated boards" if self._sim is not None else "the boards that are plugged in"
        click.echo(f"Galley {__version__} plays on {boards}.", err=True)
        click.echo(f"  the table  {self._url()}\n  the box    {self._url('/box')}", err=True)
        click.echo(f"  the crew   {self._url('/service')}\nCtrl-C ends it.", err=True)

    async def _open_browser(self) -> None:
        if not (self._settings.browser and has_screen()):
            return
        page = self._url("/box" if self._sim is not None else "/")
        with contextlib.suppress(OSError):
            opener = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "webbrowser",
                page,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
            )
            await opener.wait()


def serve(settings: Settings) -> None:
    """Run the box until it is told to end. Raises CannotStart, and BadOption for options of the game."""
    host = Host(settings)
    sock = bind(settings.port)
    try:
        asyncio.run(host.run(sock))
    finally:
        sock.close()


def seats_of(colours: Sequence[str], bots: Sequence[str], strength: str) -> tuple[Seat, ...]:
    """Seats by colour, those of `bots` (colour, or colour:strength) played by bots."""
    strengths = {}
    for bot in bots:
        colour, _, own = bot.partition(":")
        strengths[colour] = own or strength
    return tuple(Seat(colour, strengths.get(colour)) for colour in colours)
