"""A whole box as a child process, and a page's end of its channel: what tests of the running host share.

The box is started as a person would start it, on a free port, with simulated boards that run the real
firmware. Everything is waited for by events of the channel, never by time.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from websockets.asyncio.client import ClientConnection, connect

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 30.0


def free_port() -> int:
    """A TCP port of this machine that nobody has now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


class Page:
    """A page's channel: keeps the topics and the pixels up to date; `until` waits for them."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.number = 0
        self.topics: dict[str, Any] = {}
        self.pixels: dict[str, str] = {}
        self.messages = 0

    async def tell(self, **message: Any) -> None:
        """Send a command as the page's script would."""
        await self._socket.send(json.dumps(message))

    async def press(self, board: str, key: int) -> None:
        """Press a key and let it go."""
        await self.tell(do="key", board=board, key=key, down=True)
        await self.tell(do="key", board=board, key=key, down=False)

    async def ping(self, number: int) -> None:
        """Go to the host and back."""
        await self.tell(do="ping", id=number)
        async with asyncio.timeout(PATIENCE_S):
            while await self.step() != {"t": "pong", "id": number}:
                pass

    async def step(self) -> dict[str, Any]:
        """Take in the next message."""
        message: dict[str, Any] = json.loads(await self._socket.recv())
        self.messages += 1
        if message["t"] == "px":
            self.pixels[message["board"]] = message["rgb"]
        elif message["t"] in ("snapshot", "diff"):
            assert message["t"] == "snapshot" or message["n"] == self.number + 1, "differences are numbered"
            self.number = message["n"]
            self.pixels |= message["topics"].pop("pixels", {})
            self.topics |= message["topics"]
        return message

    async def until(self, done: Callable[[Self], Any], what: str = "") -> Any:
        """Take in messages until `done(page)` is true, and return what it said."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not (said := done(self)):
                    await self.step()
                return said
        except TimeoutError:
            raise AssertionError(
                f"not within {PATIENCE_S} s: {what or 'what was waited for'}: {self}"
            ) from None

    def __str__(self) -> str:
        return json.dumps({name: self.topics.get(name) for name in ("house", "table", "news")})[:3000]

    @property
    def house(self) -> Any:
        """The topic `house`."""
        return self.topics["house"]

    @property
    def state(self) -> Any:
        """The game's public state, None outside a game."""
        table = self.topics.get("table")
        return None if table is None else table["state"]

    def board(self, role: str) -> Any:
        """One entry of the topic `boards`."""
        return next(
            (board for board in self.topics.get("boards", ()) if board["role"] == role), {"state": None}
        )

    def live(self) -> list[str]:
        """The roles that are live."""
        return [board["role"] for board in self.topics.get("boards", ()) if board["state"] == "live"]


class BoxProcess:
    """`python -m galley ...` as a child process."""

    def __init__(self, process: asyncio.subprocess.Process, port: int) -> None:
        self.process = process
        self.port = port
        self.url = f"http://127.0.0.1:{port}"

    @asynccontextmanager
    async def page(self, kind: str = "box") -> AsyncIterator[Page]:
        """Open a page's channel; it has its snapshot when it is handed over."""
        async with connect(f"ws://127.0.0.1:{self.port}/ws?page={kind}", proxy=None) as socket:
            page = Page(socket)
            await page.step()
            yield page


DUEL_ALONE = ("--game", "sushi_duel", "--no-howto", "--no-demo")
"""The shortest way from attract into a duel."""


@asynccontextmanager
async def running_box(
    *arguments: str,
    stop: int = signal.SIGINT,
    house: Sequence[str] = DUEL_ALONE,
    data: str | Path | None = None,
    program: Sequence[str] = ("-m", "galley"),
    said: str = "",
) -> AsyncIterator[BoxProcess]:
    """Start a box, hand it over once it serves, end it by `stop` and check that it ends well.

    `house` is what it plays and shows, `data` where it keeps things; without one it forgets them at the end.
    `program` is what Python runs as `galley`. `said` must be among what it says when it starts.
    """
    port = free_port()
    with TemporaryDirectory() if data is None else nullcontext(str(data)) as folder:
        started = _started(port, *house, *arguments, program=program, folder=folder, stop=stop, must_say=said)
        async with started as box:
            yield box


@asynccontextmanager
async def _started(
    port: int, *arguments: str, program: Sequence[str], folder: str, stop: int, must_say: str
) -> AsyncIterator[BoxProcess]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *program,
        "--no-browser",
        "--port",
        str(port),
        *arguments,
        cwd=ROOT,
        env={
            **{
                name: value
                for name, value in os.environ.items()
                if name not in ("DISPLAY", "WAYLAND_DISPLAY")
            },
            "GALLEY_DATA": folder,
        },
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    try:
        said = ""
        async with asyncio.timeout(PATIENCE_S):
            while "Ctrl-C ends it." not in said:
                line = (await process.stderr.readline()).decode()
                assert line, f"the box ended at once: {said}"
                said += line
        assert re.search(rf"http://127\.0\.0\.1:{port}/box", said)
        assert must_say in said
        yield BoxProcess(process, port)
        with suppress(TimeoutError):  # a test may have killed it
            await asyncio.wait_for(process.wait(), 0.01)
        if process.returncode is not None:
            return
        process.send_signal(stop)
        async with asyncio.timeout(PATIENCE_S):
            rest = (await process.stderr.read()).decode()
            status = await process.wait()
        assert (status, rest) == (0, ""), "a box that is asked to end says nothing and reports no failure"
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()  # not wait(): a full pipe would hold it for ever
