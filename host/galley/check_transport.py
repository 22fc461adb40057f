"""One conformance suite that every transport must pass.

For: knowing that whatever lies above may treat a serial port, a TCP socket and a pair in memory alike.
Whoever writes a new transport calls `await check_transport(make)`; it raises AssertionError with a
sentence that names the promise that was broken. It must not know which kind it tests.

`make` is called afresh for each check and returns the transport, not yet started, and its `FarEnd`:
what a board at the other end of the cable would do.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Protocol

from galley.transport import BACKLOG, Transport

PATIENCE_S = 10.0


class FarEnd(Protocol):
    """The other end of the stream under test."""

    async def send(self, data: bytes) -> None:
        """Put all of `data` on its way to the transport."""

    async def receive(self, count: int) -> bytes:
        """Exactly `count` bytes that the transport wrote."""

    async def close(self) -> None:
        """Go away, as a board does when its cable is pulled."""


Make = Callable[[], Awaitable[tuple[Transport, FarEnd]]]


class Listener:
    """Collects what a transport delivers."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.stamps_ns: list[int] = []
        self.lost: list[str] = []
        self._news = asyncio.Event()

    def received(self, data: bytes, now_ns: int) -> None:
        """For `Transport.start`."""
        self.data += data
        self.stamps_ns.append(now_ns)
        self._news.set()

    def was_lost(self, why: str) -> None:
        """For `Transport.start`."""
        self.lost.append(why)
        self._news.set()

    async def until(self, done: Callable[[], bool], promise: str) -> None:
        """Wait until `done()`; fail with `promise` when it takes longer than PATIENCE_S."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not done():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"{promise}; got {len(self.data)} bytes, lost={self.lost}") from None


async def check_transport(make: Make) -> None:
    """Run every check. Raises AssertionError naming the first promise that does not hold."""
    for check in CHECKS:
        await check(make)


async def bytes_arrive_whole_and_in_order(make: Make) -> None:
    """Any byte value, in both directions, nothing added, lost or changed."""
    transport, far = await make()
    heard = Listener()
    transport.start(heard.received, heard.was_lost)
    everything = bytes(range(256)) * 4
    await far.send(everything)
    await heard.until(lambda: len(heard.data) >= len(everything), "bytes from the far end must arrive")
    assert bytes(heard.data) == everything, "bytes from the far end must arrive unchanged and in order"
    assert transport.write(everything), "a write within the backlog must be taken"
    assert await far.receive(len(everything)) == everything, "bytes written must arrive unchanged"
    transport.close()
    await far.close()


async def written_before_start_arrives(make: Make) -> None:
    """A frame may be written before delivery begins."""
    transport, far = await make()
    assert transport.write(b"early\n"), "a write before start() must be taken"
    heard = Listener()
    transport.start(heard.received, heard.was_lost)
    assert await far.receive(6) == b"early\n", "what was written before start() must arrive"
    transport.close()
    await far.close()


async def stamps_are_monotonic_host_time(make: Make) -> None:
    """Each chunk carries the host's monotonic time, not in the future and never going back."""
    transport, far = await make()
    heard = Listener()
    transport.start(heard.received, heard.was_lost)
    before_ns = time.monotonic_ns()
    for i in range(5):
        await far.send(b"x")
        await heard.until(lambda n=i: len(heard.data) > n, "each byte must arrive")  # type: ignore[misc]
    after_ns = time.monotonic_ns()
    assert heard.stamps_ns == sorted(heard.stamps_ns), "stamps must not go back"
    assert before_ns <= heard.stamps_ns[0] <= heard.stamps_ns[-1] <= after_ns, "stamps must be host time"
    transport.close()
    await far.close()


async def a_full_far_end_is_refused_whole(make: Make) -> None:
    """A far end that does not read never blocks the caller, and no write is taken in part."""
    transport, far = await make()
    heard = Listener()
    transport.start(heard.received, heard.was_lost)
    frame = b"d 0 1 2 3 4 5 6 7 8 01234567\n"
    taken = 0
    for _ in range(1_000_000):
        if not transport.write(frame):
            break
        taken += 1
    else:
        raise AssertionError("writes to a far end that does not read must be refused in the end")
    assert taken * len(frame) >= BACKLOG - len(frame), "at least the backlog must be taken before a refusal"
    arrived = await far.receive(taken * len(frame))
    assert arrived == frame * taken, "what was taken must arrive, each frame whole"
    assert transport.write(frame), "writing must go on once the far end has read"
    assert await far.receive(len(frame)) == frame, "the stream must go on after a refusal"
    transport.close()
    await far.close()


async def the_far_end_leaving_is_told_once(make: Make) -> None:
    """`lost` comes exactly once, with a reason; the transport is closed then and takes nothing more."""
    transport, far = await make()
    heard = Listener()
    transport.start(heard.received, heard.was_lost)
    await far.close()
    await heard.until(lambda: bool(heard.lost), "a far end that left must be told")
    assert transport.closed, "a lost transport must be closed"
    assert not transport.write(b"anyone?\n"), "a lost transport must take nothing"
    transport.close()
    await asyncio.sleep(0)
    assert len(heard.lost) == 1, "lost must come once"
    assert heard.lost[0], "lost must name a reason"


async def close_is_silent_and_may_be_repeated(make: Make) -> None:
    """After `close` no callback comes, whatever the far end still sends."""
    transport, far = await make()
    heard = Listener()
    transport.start(heard.received, heard.was_lost)
    await far.send(b"1")
    await heard.until(lambda: bool(heard.data), "bytes must arrive before the close")
    transport.close()
    transport.close()
    assert transport.closed, "close() must close"
    assert not transport.write(b"x"), "a closed transport must take nothing"
    await far.close()
    await asyncio.sleep(0)
    assert bytes(heard.data) == b"1", "no bytes may come after close()"
    assert not heard.lost, "lost must not come after close()"


async def a_write_to_a_far_end_that_left_does_not_raise(make: Make) -> None:
    """A frame on its way when the cable is pulled ends in `lost`, not in an exception."""
    transport, far = await make()
    heard = Listener()
    transport.start(heard.received, heard.was_lost)
    await far.close()
    for _ in range(3):
        transport.write(b"late\n")
    await heard.until(lambda: bool(heard.lost), "a write into a pulled cable must end in lost")
    assert len(heard.lost) == 1, "lost must come once"


CHECKS = (
    bytes_arrive_whole_and_in_order,
    written_before_start_arrives,
    stamps_are_monotonic_host_time,
    a_full_far_end_is_refused_whole,
    the_far_end_leaving_is_told_once,
    close_is_silent_and_may_be_repeated,
    a_write_to_a_far_end_that_left_does_not_raise,
)
