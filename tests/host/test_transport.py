"""Every transport passes the one conformance suite, over real ptys, real sockets and in memory."""

from __future__ import annotations

import asyncio
import os
import socket
import tty
from collections.abc import Callable, Coroutine

import pytest

from galley import transport
from galley.check_transport import CHECKS, FarEnd, Make
from galley.serial_port import open_serial
from galley.transport import MemoryTransport, PortError, Transport


class SocketFarEnd:
    """A connected socket, or any descriptor pair, as the board's end."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self._sock = sock

    async def send(self, data: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(self._sock, data)

    async def receive(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            data += await asyncio.get_running_loop().sock_recv(self._sock, count - len(data))
        return data

    async def close(self) -> None:
        self._sock.close()


class PtyFarEnd:
    """The master side of a pty: what a board's USB port is to the host's serial port."""

    def __init__(self, fd: int) -> None:
        os.set_blocking(fd, False)
        self._fd = fd

    async def _ready(self, watch: Callable[..., None], stop: Callable[[int], bool]) -> None:
        ready = asyncio.get_running_loop().create_future()
        watch(self._fd, lambda: None if ready.done() else ready.set_result(None))
        try:
            await ready
        finally:
            stop(self._fd)

    async def send(self, data: bytes) -> None:
        loop = asyncio.get_running_loop()
        while data:
            await self._ready(loop.add_writer, loop.remove_writer)
            data = data[os.write(self._fd, data) :]

    async def receive(self, count: int) -> bytes:
        loop = asyncio.get_running_loop()
        data = b""
        while len(data) < count:
            await self._ready(loop.add_reader, loop.remove_reader)
            data += os.read(self._fd, count - len(data))
        return data

    async def close(self) -> None:
        os.close(self._fd)


class MemoryFarEnd:
    """The other half of a memory pair, driven by hand."""

    def __init__(self, end: MemoryTransport) -> None:
        self._end = end
        self._data = bytearray()
        self._news = asyncio.Event()
        self._reading = False

    def _received(self, data: bytes, now_ns: int) -> None:
        self._data += data
        self._news.set()

    async def send(self, data: bytes) -> None:
        assert self._end.write(data)

    async def receive(self, count: int) -> bytes:
        if not self._reading:
            self._reading = True
            self._end.start(self._received, lambda why: None)
        while len(self._data) < count:
            self._news.clear()
            await self._news.wait()
        data = bytes(self._data[:count])
        del self._data[:count]
        return data

    async def close(self) -> None:
        self._end.close()


async def make_memory() -> tuple[Transport, FarEnd]:
    near, far = transport.memory_pair()
    return near, MemoryFarEnd(far)


async def make_tcp() -> tuple[Transport, FarEnd]:
    loop = asyncio.get_running_loop()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        opening = asyncio.create_task(transport.open_tcp("127.0.0.1", server.getsockname()[1]))
        accepted, _ = await loop.sock_accept(server)
        return await opening, SocketFarEnd(accepted)


def open_pty() -> tuple[int, str]:
    master, slave = os.openpty()
    tty.setraw(slave)
    path = os.ttyname(slave)
    os.close(slave)
    return master, path


async def make_serial() -> tuple[Transport, FarEnd]:
    master, path = open_pty()
    return open_serial(path, threaded=False), PtyFarEnd(master)


async def make_threaded_serial() -> tuple[Transport, FarEnd]:
    master, path = open_pty()
    return open_serial(path, threaded=True), PtyFarEnd(master)


MAKERS: dict[str, Make] = {
    "memory": make_memory,
    "tcp": make_tcp,
    "serial": make_serial,
    "serial-threaded": make_threaded_serial,
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
def test_transport_conforms(make: Make, check: Callable[[Make], Coroutine[None, None, None]]) -> None:
    asyncio.run(asyncio.wait_for(check(make), 30))


def problem(path: str) -> str:
    with pytest.raises(PortError) as caught:
        open_serial(path)
    return str(caught.value)


def test_a_port_that_another_program_holds_is_refused_with_the_remedy() -> None:
    master, path = open_pty()
    first = open_serial(path)
    try:
        assert problem(path) == (
            f"{path}: in use by another program: close it (a second Galley, Thonny, a serial monitor)"
        )
        assert first.write(b"still here\n")
        assert os.read(master, 100) == b"still here\n"
    finally:
        first.close()
        os.close(master)


def test_a_port_that_is_not_there_is_refused_with_the_remedy(tmp_path: os.PathLike[str]) -> None:
    path = os.fspath(tmp_path) + "/ttyACM7"
    assert problem(path) == f"{path}: no such port: plug the board in, or name another port"


def test_a_file_that_is_no_port_is_refused(tmp_path: os.PathLike[str]) -> None:
    path = os.fspath(tmp_path) + "/notes.txt"
    with open(path, "w") as file:
        file.write("hello")
    assert problem(path).startswith(f"{path}: cannot be opened (")


def test_tcp_to_a_closed_port_is_refused_with_the_remedy() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(PortError, match=f"tcp:127.0.0.1:{port}: .*check the address and that the far end"):
        asyncio.run(transport.open_tcp("127.0.0.1", port))
