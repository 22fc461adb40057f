"""What the service manager is told: the host is ready, it is alive, it ends (the protocol of sd_notify(3)).

For: a unit of Type=notify with WatchdogSec. It must not know what the host does.

Messages are single datagrams to the socket that $NOTIFY_SOCKET names; a name that begins with @ is one of
Linux's abstract ones. Where nobody asked to be told, nothing is sent. Telling never waits and never fails: a
manager that does not listen must not stop a game.

`stay` sends the sign of life from the event loop itself, twice in each time that $WATCHDOG_USEC allows: a
loop that is stuck is missed and the host started again.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, Self

SIGNS_PER_TIME: Final = 2
LEAST_S: Final = 0.05


class Notifier:
    """Tells one manager. It wants a sign of life within every `watchdog_s`, or none if that is None."""

    def __init__(self, address: str | None, watchdog_s: float | None) -> None:
        self.watchdog_s = watchdog_s
        self._address = "" if address is None else address
        self._socket: socket.socket | None = None
        if self._address.startswith(("/", "@")):
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
            self._socket.setblocking(False)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """As the manager asked this process, and not its parent, to tell."""
        usec = environment.get("WATCHDOG_USEC", "")
        ours = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        wanted = ours and usec.isdecimal() and int(usec) > 0
        return cls(environment.get("NOTIFY_SOCKET"), int(usec) / 1e6 if wanted else None)

    def ready(self, status: str) -> None:
        """The host serves; `status` is for `systemctl status`."""
        self._send(f"READY=1\nSTATUS={status}")

    def stopping(self) -> None:
        """The host ends on purpose."""
        self._send("STOPPING=1")

    def alive(self) -> None:
        """A sign of life."""
        self._send("WATCHDOG=1")

    async def stay(self) -> None:
        """Give signs of life for as long as the loop runs; returns at once if nobody wants them."""
        while self.watchdog_s is not None and self._socket is not None:
            self.alive()
            await asyncio.sleep(max(LEAST_S, self.watchdog_s / SIGNS_PER_TIME))

    def close(self) -> None:
        """Let the socket go."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _send(self, message: str) -> None:
        if self._socket is not None:
            name = f"\0{self._address[1:]}" if self._address.startswith("@") else self._address
            with suppress(OSError):
                self._socket.sendto(message.encode(), name)
