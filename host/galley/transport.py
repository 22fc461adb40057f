"""Byte streams to a board: one interface, with serial ports (`serial_port`), TCP and memory behind it.

For: getting bytes to and from the far end without ever blocking the event loop. It must not know
frames, boards or games.

How to choose: `serial_port.open_serial` for a board on USB (and for a simulated one, whose port is a pty),
`open_tcp` for a board or rig on another machine, `memory_pair` for tests of what lies above.
Every one of them passes `galley.check_transport.check_transport`, so that what lies above need not
care which it has:

* `start(received, lost)` begins delivery on the running loop. `received(data, now_ns)` gets each
  chunk with the host's monotonic time taken as soon as the loop saw it. `lost(why)` comes once, when
  the far end is gone or the port fails, and is the last call; after `close()` neither comes again.
* `write(data)` takes all bytes at once or, when the far end reads too slowly and BACKLOG bytes wait,
  none of them and returns False: frames are whole states, the next one makes up for it.
* `close()` may be called at any time, any number of times.
"""

from __future__ import annotations

import asyncio
import socket
import time
from abc import ABC, abstractmethod
from collections.abc import Callable

BACKLOG = 4096
READ_BYTES = 4096
LOST_PEER = "the far end closed"

Received = Callable[[bytes, int], None]
Lost = Callable[[str], None]


class PortError(Exception):
    """A port could not be opened; the message names the port, what was seen and the remedy.

    `code` is a word for the pages' catalogue: busy, denied, missing, silent or broken.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Transport(ABC):
    """One open byte stream. See the module's header for what every kind promises."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._received: Received | None = None
        self._lost: Lost | None = None
        self._backlog = bytearray()
        self._closed = False

    def start(self, received: Received, lost: Lost) -> None:
        """Begin delivery on the running loop; call it once."""
        self._received, self._lost = received, lost
        if not self._closed:
            self._begin(asyncio.get_running_loop())

    def write(self, data: bytes) -> bool:
        """Send `data` now or as soon as the far end takes it; False when it was refused whole."""
        if self._closed or len(self._backlog) + len(data) > BACKLOG:
            return False
        if self._backlog:
            self._backlog += data
            return True
        taken = self._try_write(data)
        if taken < len(data) and not self._closed:
            self._backlog += data[taken:]
            self._watch_writable(True)
        return not self._closed

    def close(self) -> None:
        """Give the port back. No callback comes afterwards."""
        if not self._closed:
            self._closed = True
            self._received = self._lost = None
            self._backlog.clear()
            self._end()

    @property
    def closed(self) -> bool:
        """True after `close()` and after `lost`."""
        return self._closed

    def _arrived(self, data: bytes, now_ns: int) -> None:
        if self._received is not None and data:
            self._received(data, now_ns)

    def _failed(self, why: str) -> None:
        lost = self._lost
        self.close()
        if lost is not None:
            lost(why)

    def _drain(self) -> None:
        if self._backlog and not self._closed:
            taken = self._try_write(bytes(self._backlog))
            del self._backlog[:taken]
        if not self._backlog and not self._closed:
            self._watch_writable(False)

    @abstractmethod
    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start watching for bytes."""

    @abstractmethod
    def _end(self) -> None:
        """Stop watching and release what is held; called once."""

    @abstractmethod
    def _try_write(self, data: bytes) -> int:
        """Hand over what goes now without waiting, and say how many bytes that was."""

    @abstractmethod
    def _watch_writable(self, wanted: bool) -> None:
        """Call `_drain` when the far end takes bytes again, or stop doing so."""


class DescriptorTransport(Transport):
    """A stream with a file descriptor that the event loop watches."""

    def __init__(self, name: str, fd: int) -> None:
        super().__init__(name)
        self._fd = fd
        self._loop: asyncio.AbstractEventLoop | None = None

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        loop.add_reader(self._fd, self._readable)
        if self._backlog:
            loop.add_writer(self._fd, self._drain)

    def _end(self) -> None:
        if self._loop is not None:
            self._loop.remove_reader(self._fd)
            self._loop.remove_writer(self._fd)
        self._release()

    def _readable(self) -> None:
        now_ns = time.monotonic_ns()
        try:
            data = self._read()
        except BlockingIOError:
            return
        except OSError as error:
            self._failed(reason(error))
            return
        if data:
            self._arrived(data, now_ns)
        else:
            self._failed(LOST_PEER)

    def _try_write(self, data: bytes) -> int:
        try:
            return self._write(data)
        except BlockingIOError:
            return 0
        except OSError as error:
            if self._loop is None:
                self._failed(reason(error))
            else:  # not from inside the caller's own write: it may be in the middle of something
                self._loop.call_soon(self._failed, reason(error))
            return len(data)

    def _watch_writable(self, wanted: bool) -> None:
        if self._loop is not None:
            if wanted:
                self._loop.add_writer(self._fd, self._drain)
            else:
                self._loop.remove_writer(self._fd)

    @abstractmethod
    def _read(self) -> bytes:
        """What is there now; b"" at the end of the stream. Raises OSError."""

    @abstractmethod
    def _write(self, data: bytes) -> int:
        """Write without waiting. Raises OSError."""

    @abstractmethod
    def _release(self) -> None:
        """Close the descriptor."""


class TcpTransport(DescriptorTransport):
    """A connected TCP (or any stream) socket."""

    def __init__(self, name: str, sock: socket.socket) -> None:
        sock.setblocking(False)
        super().__init__(name, sock.fileno())
        self._sock = sock

    def _read(self) -> bytes:
        return self._sock.recv(READ_BYTES)

    def _write(self, data: bytes) -> int:
        return self._sock.send(data)

    def _release(self) -> None:
        self._sock.close()


class MemoryTransport(Transport):
    """One end of a pair inside this process. The other end takes BACKLOG bytes unread."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.other: MemoryTransport | None = None
        self._inbox = bytearray()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._scheduled = False

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._schedule()

    def _schedule(self) -> None:
        if self._loop is not None and not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._deliver)

    def _deliver(self) -> None:
        self._scheduled = False
        if self._closed:
            return
        data = bytes(self._inbox)
        self._inbox.clear()
        self._arrived(data, time.monotonic_ns())
        if self.other is not None and not self.other.closed:
            self.other._drain()
        elif not self._closed:
            self._failed(LOST_PEER)

    def _end(self) -> None:
        if self.other is not None:
            self.other._schedule()

    def _try_write(self, data: bytes) -> int:
        other = self.other
        if other is None or other.closed:
            self._schedule()
            return len(data)
        taken = max(0, min(len(data), BACKLOG - len(other._inbox)))
        other._inbox += data[:taken]
        other._schedule()
        return taken

    def _watch_writable(self, wanted: bool) -> None:
        """The other end drains this one each time it has read."""


def memory_pair() -> tuple[MemoryTransport, MemoryTransport]:
    """Two joined ends; what one writes the other receives at a later turn of the loop."""
    near, far = MemoryTransport("memory:near"), MemoryTransport("memory:far")
    near.other, far.other = far, near
    return near, far


async def open_tcp(host: str, port: int, *, timeout_s: float = 3.0) -> Transport:
    """Connect to `host`:`port`. Raises PortError."""
    loop = asyncio.get_running_loop()
    name = f"tcp:{host}:{port}"
    try:
        async with asyncio.timeout(timeout_s):
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            family, kind, proto, _, address = found[0]
            sock = socket.socket(family, kind, proto)
            try:
                sock.setblocking(False)
                await loop.sock_connect(sock, address)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except BaseException:
                sock.close()
                raise
    except TimeoutError as error:
        raise PortError(
            "silent",
            f"{name}: no answer within {timeout_s:g} s: check the address and that the far end is on",
        ) from error
    except (OSError, OverflowError, UnicodeError) as error:  # the latter: no name can look like that
        raise PortError(
            "missing", f"{name}: {reason(error)}: check the address and that the far end listens"
        ) from error
    return TcpTransport(name, sock)


def reason(error: BaseException) -> str:
    """What the system says of a failure, to go into a sentence."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    return str(error) or type(error).__name__
