"""A cable with faults between a simulated board and a host: a pty in the middle, on the event loop.

For: everything that happens to a real USB cable and its port: pulled, renamed, swapped, stalled, spoilt,
opened by somebody else. Host and board each see a real port and cannot tell. What happens to bytes on the way
is `fault_stream`; when it happens is the caller's business (`fault_plan`).

    board --its pty-- FaultLine --own pty, known by a symlink-- host

`path` is the symlink: it stands for the name that a board's port has in the system, so it goes when the line
is unplugged, and comes back to another pty. The board sees its port open only while the host has this one
open.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import math
import os
import select
import termios
import time
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Final

from galley.sim.fault_stream import FaultStream

LOOK_S: Final = 0.01
READ_BYTES: Final = 4096
MOST_WAITING: Final = 512
"""Bytes that the line holds; a board that sends more waits, as one on a bus that is not asked."""
FULL_S: Final = 0.002


class FaultLine:
    """One line. `listen(data)` is shown every byte that leaves the board, before any fault."""

    def __init__(self, path: Path, listen: Callable[[bytes], None] | None = None) -> None:
        self.path = path
        self.to_host = FaultStream()
        self.to_board = FaultStream()
        self.opens = 0
        self._listen = listen
        self._board_path: str | None = None
        self._board = -1
        self._master = -1
        self._slave_path = ""
        self._pulled = False
        self._open = False
        self._held = False
        self._prefix = b""
        self._close_s = 0.0
        self._hangs_up = select.poll()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._others: set[int] = set()

    # -- both ends --------------------------------------------------------------------------------------

    def plug(self, board_path: str | None) -> None:
        """The board's port is at this path now; None: the board has none, so the host has none either."""
        if board_path == self._board_path:
            return
        self._board_path = board_path
        self._disappear()
        if board_path is not None and not self._pulled:
            self._appear()

    def close(self) -> None:
        """Take the line away."""
        self._board_path = None
        self._disappear()
        for timer in self._timers.values():
            timer.cancel()
        for other in list(self._others):
            self._leave(other)

    @property
    def is_open(self) -> bool:
        """Whether a host has the port open."""
        return self._open

    # -- knobs ------------------------------------------------------------------------------------------

    def stream(self, way: str) -> FaultStream:
        """One direction: to_host or to_board."""
        return {"to_host": self.to_host, "to_board": self.to_board}[way]

    def stall(self, way: str, s: float) -> None:
        """`read`: what the board says waits for so long; `write`: what the host says does."""
        {"read": self.to_host, "write": self.to_board}[way].stall(s, _now_ms())
        self._deliver()

    def calm(self) -> None:
        """End what lasts, both ways."""
        for stream in (self.to_host, self.to_board):
            stream.calm(_now_ms())
        self._deliver()

    def inject(self, way: str, data: bytes) -> None:
        """Let bytes come that nobody has sent."""
        self.stream(way).inject(data)
        self._deliver()

    def stale_prefix(self, data: bytes) -> None:
        """The next host that opens the port finds these bytes first."""
        self._prefix = data

    def unplug(self, s: float) -> None:
        """Pull the cable for so long; the host's port goes, and comes back as another pty."""
        self._pulled = True
        self._disappear()
        self._later("replug", s, self._replug)

    def rename(self, path: Path) -> None:
        """The port is called otherwise from now on: it goes, and is there under the other name at once."""
        self._disappear()
        self.path = path
        if self._board_path is not None and not self._pulled:
            self._appear()

    def slow_close(self, s: float) -> None:
        """From the host's next close on, the port stays in use for so long."""
        self._close_s = s

    def second_opener(self, s: float, says: bytes = b"AT\r") -> bool:
        """Another program opens the port for so long and says something; False when the port is refused."""
        try:
            other = os.open(self._slave_path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        except OSError:
            return False
        try:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(other)
            return False
        self._others.add(other)
        if says:
            os.write(other, says)
        asyncio.get_running_loop().call_later(s, self._leave, other)
        return True

    # -- inside -----------------------------------------------------------------------------------------

    def _replug(self) -> None:
        self._pulled = False
        if self._board_path is not None:
            self._appear()

    def _appear(self) -> None:
        master, slave = os.openpty()
        tty.setraw(slave)
        self._slave_path = os.ttyname(slave)
        os.close(slave)  # after one close the master can tell that nobody has the port open
        os.set_blocking(master, False)
        self._master = master
        self._hangs_up = select.poll()
        self._hangs_up.register(master, 0)
        self.path.unlink(missing_ok=True)
        self.path.symlink_to(self._slave_path)
        self._look()

    def _disappear(self) -> None:
        self._let_board_go()
        if self._master >= 0:
            self.path.unlink(missing_ok=True)
            self._stop("look")
            asyncio.get_running_loop().remove_reader(self._master)
            os.close(self._master)
            self._master = -1
        self._open = False

    def _look(self) -> None:
        """Has a host opened or closed the port? The master tells only when asked."""
        hung_up = any(event & select.POLLHUP for _, event in self._hangs_up.poll(0))
        if hung_up == self._open and not self._others:
            self._open = not hung_up
            if self._open:
                self._opened()
            else:
                self._closed()
        if self._master >= 0:
            self._later("look", LOOK_S, self._look)

    def _opened(self) -> None:
        self.opens += 1
        self.to_host.clear()
        self.to_board.clear()
        if self._prefix:
            self.to_host.inject(self._prefix)
            self._prefix = b""
        asyncio.get_running_loop().add_reader(self._master, self._from_host)
        assert self._board_path is not None
        try:
            self._board = os.open(self._board_path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        except OSError:  # the board has just gone: whoever knows will say so
            return
        with contextlib.suppress(termios.error):
            tty.setraw(self._board)
        asyncio.get_running_loop().add_reader(self._board, self._from_board)
        self._deliver()

    def _closed(self) -> None:
        asyncio.get_running_loop().remove_reader(self._master)
        self._let_board_go()
        if self._close_s:
            self.second_opener(self._close_s, b"")
            self._close_s = 0.0

    def _let_board_go(self) -> None:
        self._held = False
        self._stop("deliver")
        if self._board >= 0:
            asyncio.get_running_loop().remove_reader(self._board)
            os.close(self._board)
            self._board = -1

    def _from_host(self) -> None:
        try:
            data = os.read(self._master, READ_BYTES)
        except OSError as error:
            if error.errno == errno.EIO:  # closed; `_look` sees it
                asyncio.get_running_loop().remove_reader(self._master)
            return
        self.to_board.feed(data)
        self._deliver()

    def _from_board(self) -> None:
        try:
            data = os.read(self._board, READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:  # the board is gone: its cable hangs loose until it is plugged in again
            self._board_path = None
            self._disappear()
            return
        if self._listen is not None:
            self._listen(data)
        self.to_host.feed(data)
        if self.to_host.waiting >= MOST_WAITING:
            asyncio.get_running_loop().remove_reader(self._board)
            self._held = True
        self._deliver()

    def _deliver(self) -> None:
        """Pass on what is due on both ways; come back when more is."""
        now_ms = _now_ms()
        due_ms = math.inf
        for stream, descriptor in ((self.to_host, self._master), (self.to_board, self._board)):
            if descriptor < 0 or not self._open:
                continue
            full = False
            while not full and (data := stream.take(now_ms)):
                taken = _write(descriptor, data)
                full = taken < len(data)
                stream.give_back(data[taken:])
            due_ms = min(due_ms, now_ms + 1000 * FULL_S if full else stream.due_ms(now_ms))
        if self._held and self._board >= 0 and self.to_host.waiting < MOST_WAITING:
            self._held = False
            asyncio.get_running_loop().add_reader(self._board, self._from_board)
        if due_ms < math.inf:
            self._later("deliver", max(0.0005, (due_ms - now_ms) / 1000), self._deliver)

    def _leave(self, other: int) -> None:
        if other in self._others:
            self._others.discard(other)
            os.close(other)

    def _later(self, name: str, s: float, call: Callable[[], None]) -> None:
        self._stop(name)
        self._timers[name] = asyncio.get_running_loop().call_later(s, call)

    def _stop(self, name: str) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()


def swap(one: FaultLine, other: FaultLine) -> None:
    """Plug two boards in again, each where the other was."""
    ours, theirs = one.path, other.path
    one._disappear()
    other._disappear()
    one.rename(theirs)
    other.rename(ours)


def _now_ms() -> float:
    return time.monotonic_ns() / 1e6


def _write(descriptor: int, data: bytes) -> int:
    """As much as the far end takes now."""
    try:
        return os.write(descriptor, data)
    except BlockingIOError:
        return 0
    except OSError:  # nobody is there any more
        return len(data)
