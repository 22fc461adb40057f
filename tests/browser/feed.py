"""A host without a game: the real hub, app and server in a thread, fed by hand.

A test publishes topics and pixels from its own thread and reads the commands that pages sent. The server
can be stopped and started again on the same port, with another build if wanted, as an update or a crash
would do.

`python -m tests.browser.feed [PHASE] [PORT]` serves one phase until interrupted, to look at a page by hand.
"""

from __future__ import annotations

import asyncio
import queue
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

from galley.web.access import Access
from galley.web.app import Server, build_app, load_site
from galley.web.commands import Command
from galley.web.hub import Hub

DEADLINE_S = 10.0


class Feed:
    """Serves `topics` at `url` until `stop`. All methods may be called from any thread."""

    def __init__(self, topics: Mapping[str, Any], *, port: int = 0, access: Access | None = None) -> None:
        self.access = access
        self.commands: queue.Queue[Command] = queue.Queue()
        self.port = port
        self._topics = dict(topics)
        self._pixels: dict[str, bytes] = {}
        self.start()

    @property
    def url(self) -> str:
        """Where the pages are, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    def start(self, version: str = "0.1.0") -> None:
        """Serve again after `stop`; another version is another build."""
        self.site = load_site(version)
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(("127.0.0.1", self.port))
        self.port = sock.getsockname()[1]
        running = threading.Event()
        self._ended: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, args=(sock, running), daemon=True)
        self._thread.start()
        assert running.wait(DEADLINE_S), "the feed did not start"

    def _run(self, sock: socket.socket, running: threading.Event) -> None:
        try:
            asyncio.run(self._serve(sock, running))
        except BaseException as error:
            self._ended.set_exception(error)
        else:
            self._ended.set_result(None)

    async def _serve(self, sock: socket.socket, running: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self.hub = Hub(self.commands.put, access=self.access)
        for topic, value in self._topics.items():
            self.hub.publish(topic, self._completed(topic, value))
        for board, rgb in self._pixels.items():
            self.hub.pixels(board, rgb)
        self._server = Server(build_app(self.hub, self.site))
        self._loop.call_soon(running.set)
        await self._server.serve(sock)

    def _completed(self, topic: str, value: Any) -> Any:
        return {"build": self.site.build, **value} if topic == "meta" else value

    def _call(self, function: Callable[[], None]) -> None:
        done = threading.Event()
        failed: list[BaseException] = []

        def run() -> None:
            try:
                function()
            except BaseException as error:
                failed.append(error)
            done.set()

        self._loop.call_soon_threadsafe(run)
        assert done.wait(DEADLINE_S), "the feed does not answer"
        if failed:
            raise failed[0]

    def publish(self, topics: Mapping[str, Any]) -> None:
        """Publish every topic of `topics` in one turn."""
        self._topics.update(topics)

        def publish_all() -> None:
            for topic, value in topics.items():
                self.hub.publish(topic, self._completed(topic, value))

        self._call(publish_all)

    def pixels(self, board: str, rgb: bytes) -> None:
        """Let `board` show `rgb`."""
        self._pixels[board] = rgb
        self._call(lambda: self.hub.pixels(board, rgb))

    def command(self) -> Command:
        """The next command of a page, in order; fails if none comes."""
        return self.commands.get(timeout=DEADLINE_S)

    def pages(self) -> int:
        """How many pages are connected."""
        return self.hub.pages

    def stop(self) -> None:
        """Stop serving; open pages lose their connection. Raises what ended it before."""
        if not self._ended.done():
            self._loop.call_soon_threadsafe(self._server.stop)
        self._ended.result(DEADLINE_S)
        self._thread.join(DEADLINE_S)


def main() -> None:
    """Serve one phase for a person to look at."""
    from tests.browser.phases import PHASES, pictures

    name = sys.argv[1] if len(sys.argv) > 1 else "duel"
    topics = PHASES[name]()
    feed = Feed(topics, port=int(sys.argv[2]) if len(sys.argv) > 2 else 8766)
    for board, rgb in pictures(topics).items():
        feed.pixels(board, rgb)
    print(feed.url)
    threading.Event().wait()


if __name__ == "__main__":
    main()
