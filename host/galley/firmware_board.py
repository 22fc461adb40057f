"""A board that runs, as `galley firmware` needs it: restart it over its data port, await its hello.

For: after new files are on the drive. Nothing on the console port is used: where a box is in production there
is none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from galley.connection import Connection, sessions
from galley.link_events import Hello, LinkEvent, LinkState, StateChanged
from galley.ports import BoardPort

HELLO_S: Final = 8.0
RESTART_S: Final = 20.0
LOOK_AGAIN_S: Final = 0.2
LEAVE_S: Final = 0.2  # for bytes to leave before the port is closed


class NoAnswer(Exception):
    """A board did not say hello in time; the message says which and the remedy."""


async def hello_of(port: BoardPort, *, then: int | None = None, within_s: float = HELLO_S) -> Hello:
    """What the board at `port` says of itself; `then` is a service that it is asked for. Raises NoAnswer."""
    loop = asyncio.get_running_loop()
    said: asyncio.Future[Hello] = loop.create_future()
    live: asyncio.Future[None] = loop.create_future()

    def heard(_: Connection, event: LinkEvent) -> None:
        if isinstance(event, Hello) and not said.done():
            said.set_result(event)
        elif isinstance(event, StateChanged) and event.state is LinkState.LIVE and not live.done():
            live.set_result(None)

    connection = Connection(port, sessions(), heard)
    connection.open()
    try:
        async with asyncio.timeout(within_s):
            hello = await said
            if then is not None:
                await live
                connection.restart(then)
                await asyncio.sleep(LEAVE_S)
    except TimeoutError:
        raise NoAnswer(f"the board at {port.path} does not answer: press its RESET") from None
    finally:
        connection.close()
    return hello


async def restarted(
    port: BoardPort, service: int, find: Callable[[], BoardPort | None], within_s: float = RESTART_S
) -> Hello:
    """Restart a board and await its new hello; `find` tells at which port it is then. Raises NoAnswer."""
    before = await hello_of(port, then=service)
    with suppress(TimeoutError):
        async with asyncio.timeout(within_s):
            while True:
                now = find()
                if now is not None:
                    with suppress(NoAnswer):
                        hello = await hello_of(now, within_s=2.0)
                        if hello.boot_id != before.boot_id:
                            return hello
                await asyncio.sleep(LOOK_AGAIN_S)
    raise NoAnswer(f"the board did not come back within {within_s:.0f} s: unplug it and plug it in again")
