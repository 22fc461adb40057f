"""A left station played by the benchmark itself at the master end of a pty, with the firmware's own link.

It answers the host like a board while it idles, so that what is measured is the host and nothing else.
"""

from __future__ import annotations

import os
import select
import time
import tty

from galley_board import wire
from galley_board.link import BoardLink
from tests.board.workbench import feed

READ_BYTES = 4096


class PtyBoard:
    """One left station. All calls block; `path` is what the host opens."""

    def __init__(self) -> None:
        self.master, slave = os.openpty()
        tty.setraw(slave)
        self.path = os.ttyname(slave)
        os.close(slave)
        os.set_blocking(self.master, False)
        self.link = BoardLink(1, 1 + os.getpid() % wire.BOOT_ID_MAX, 83, 7, 0)

    def close(self) -> None:
        os.close(self.master)

    def until_opened(self, patience_s: float = 10.0) -> None:
        """Wait for a program that opens the port and says something; what it said is dropped."""
        end_s = time.monotonic() + patience_s
        while time.monotonic() < end_s:
            try:
                if os.read(self.master, READ_BYTES):
                    return
            except OSError:  # nothing yet, or nobody
                select.select([], [], [], 0.01)
        raise AssertionError(f"nobody opened {self.path} within {patience_s} s")

    def idle(self, seconds: float) -> None:
        """Be a quiet board for a while."""
        end_s = time.monotonic() + seconds
        while (left_s := end_s - time.monotonic()) > 0:
            self._turn(min(left_s, 0.01))

    def until_outputs_change(self, patience_s: float = 10.0) -> int:
        """Serve until a frame changes the outputs; its arrival in ns of the monotonic clock."""
        version = self.link.outputs_version
        end_s = time.monotonic() + patience_s
        while time.monotonic() < end_s:
            arrived_ns = self._turn(0.01)
            if self.link.outputs_version != version:
                return arrived_ns
        raise AssertionError(f"no output frame within {patience_s} s")

    def press(self, key: int) -> int:
        """Send the frames of a press; the time just before they went, in ns."""
        self.link.key_edge(key, 1, self._ticks_ms(), wire.NO_US)
        return self._write()

    def release(self, key: int) -> None:
        self.link.key_edge(key, 0, self._ticks_ms(), wire.NO_US)
        self._write()

    def _ticks_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000 % wire.TICKS_MS_PERIOD

    def _write(self) -> int:
        self.link.poll(self._ticks_ms(), time.monotonic_ns() // 1000 % wire.TICKS_US_PERIOD)
        data = bytes(self.link.out[: self.link.out_len])
        before_ns = time.monotonic_ns()
        if data:
            self.link.written(os.write(self.master, data), self._ticks_ms())
        return before_ns

    def _turn(self, wait_s: float) -> int:
        select.select([self.master], [], [], wait_s)
        arrived_ns = time.monotonic_ns()
        try:
            data = os.read(self.master, READ_BYTES)
        except (BlockingIOError, OSError):  # nothing there, or nobody has the port open
            data = b""
        if data:
            feed(self.link, data, self._ticks_ms(), arrived_ns // 1000 % wire.TICKS_US_PERIOD)
        self._write()
        return arrived_ns
