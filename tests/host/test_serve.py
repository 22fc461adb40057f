"""What the running host asks of its socket."""

from __future__ import annotations

import asyncio
import socket

from galley.starting import bind
from tests.loop.box_process import free_port


def test_small_messages_to_a_page_are_never_held_back() -> None:
    """With Nagle's algorithm on, every second message of a turn waits 40 ms for an acknowledgement."""

    async def whole() -> int:
        port = free_port()
        accepted: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            accepted.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        server = await asyncio.start_server(serve, sock=bind(port))
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            return await asyncio.wait_for(accepted, 10)
        finally:
            writer.close()
            server.close()

    assert asyncio.run(whole()) == 1
