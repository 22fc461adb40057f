"""`usb_cdc` on a Raspberry Pi: the data port is a TCP socket on this machine, for one program at a time.

The host opens it with `--connect tcp:127.0.0.1:PORT`. It listens on the loopback only: whoever can write to
it can turn the motor. A second program is turned away while the first has it open. Nothing here waits.
"""

from __future__ import annotations

import socket
from typing import Final

LOOPBACK: Final = "127.0.0.1"
READ_BYTES: Final = 4096
MOST_IN: Final = 4096


class Serial:
    """The data port, listening from the start. Raises OSError when the port is taken."""

    def __init__(self, port: int) -> None:
        self.timeout: float | None = 0
        self.write_timeout: float | None = 0
        self._listener = socket.create_server((LOOPBACK, port))
        self._listener.setblocking(False)
        self._peer: socket.socket | None = None
        self._in = bytearray()

    @property
    def port(self) -> int:
        """The number it listens on."""
        return int(self._listener.getsockname()[1])

    @property
    def connected(self) -> bool:
        """Whether a program has the port open."""
        return self._peer is not None

    @property
    def in_waiting(self) -> int:
        """Bytes that can be read now; also where programs come and go."""
        self._accept()
        if self._peer is not None and len(self._in) < MOST_IN:
            try:
                data = self._peer.recv(READ_BYTES)
            except BlockingIOError:
                return len(self._in)
            except OSError:
                data = b""
            if data:
                self._in += data
            else:
                self._gone()
        return len(self._in)

    def readinto(self, buf: bytearray | memoryview) -> int:
        """Read what is there; how many bytes."""
        count = min(self.in_waiting, len(buf))
        buf[:count] = self._in[:count]
        del self._in[:count]
        return count

    def write(self, buf: bytes | bytearray | memoryview) -> int:
        """Take what fits; how many bytes."""
        if self._peer is None:
            return 0
        try:
            return self._peer.send(buf)
        except BlockingIOError:
            return 0
        except OSError:
            self._gone()
            return 0

    def close(self) -> None:
        """Let the port go."""
        self._gone()
        self._listener.close()

    def _accept(self) -> None:
        try:
            peer, _ = self._listener.accept()
        except BlockingIOError:
            return
        if self._peer is not None:
            peer.close()
            return
        peer.setblocking(False)
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._peer = peer

    def _gone(self) -> None:
        if self._peer is not None:
            self._peer.close()
            self._peer = None
        self._in.clear()


console: Serial | None = None
data: Serial | None = None


def open_data(port: int) -> Serial:
    """Make the data port; `code.py` finds it as `usb_cdc.data`. Raises OSError."""
    global data  # noqa: PLW0603 - CircuitPython's modules keep their ports so
    data = Serial(port)
    return data
