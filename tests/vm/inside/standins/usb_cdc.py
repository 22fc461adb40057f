"""Stand-in for `usb_cdc`: the data port as a pseudo-terminal that `launch` has opened.

As on a board: no data port unless boot.py enabled it; `timeout` and `write_timeout` are None, wait for ever,
until set; while no program has the port open writes still succeed into 320 bytes, the newest win, and the
next program to open it reads them first. How much the host has not read cannot be seen from here, so instead
of going short at 320 bytes every write takes PACKET bytes at most: the firmware must look at what it gets.
"""

import select

from rig import FRESH_US, rig

FIFO_BYTES = 320
IN_BYTES = 256
PACKET = 64


class Serial:
    """One port."""

    def __init__(self) -> None:
        self.timeout = None
        self.write_timeout = None
        self.file = open(rig.pty, "r+b")
        self._poll = select.poll()
        self._poll.register(self.file, select.POLLIN)
        self._stale = b""
        self._in = bytearray(IN_BYTES)
        self._view = memoryview(self._in)
        self._first = 0
        self._end = 0
        self._connected = False
        self._readable = False
        self._looked_us = 0

    def look(self) -> bool:
        """Find out whether a program has the port open, and whether it sent anything."""
        self._looked_us = rig.clock()
        state = 0
        for ready in self._poll.ipoll(0):
            state = ready[1]
        self._connected = not state & select.POLLHUP
        self._readable = self._connected and state & select.POLLIN != 0
        if not self._connected:
            self._first = self._end = 0
        elif self._stale:
            stale, self._stale = self._stale, b""
            self.file.write(stale)
        return self._connected

    def _look_again(self) -> None:
        if rig.clock() - self._looked_us >= FRESH_US:
            self.look()

    @property
    def connected(self) -> bool:
        """Whether a program has the port open, as it was a millisecond ago at most."""
        self._look_again()
        return self._connected

    @property
    def in_waiting(self) -> int:
        """Bytes that can be read now."""
        self._look_again()
        if self._first == self._end and self._readable:
            self._readable = False
            try:
                self._first, self._end = 0, self.file.readinto(self._in) or 0
            except OSError:  # nobody has the port open any more
                self._first = self._end = 0
        return self._end - self._first

    def readinto(self, buf) -> int:
        """Read into `buf` what is there; how many bytes. Only without waiting."""
        if self.timeout != 0:
            raise NotImplementedError("a read that waits would stop the board: set timeout to 0")
        count = min(self.in_waiting, len(buf))
        for at in range(count):
            buf[at] = self._in[self._first + at]
        self._first += count
        return count

    def write(self, buf) -> int:
        """Take what fits; how many bytes were taken. Only without waiting."""
        if self.write_timeout != 0:
            raise NotImplementedError("a write that waits would stop the board: set write_timeout to 0")
        if not self.connected:
            self._stale = (self._stale + bytes(buf))[-FIFO_BYTES:]
            return len(buf)
        try:
            return self.file.write(buf if len(buf) <= PACKET else memoryview(buf)[:PACKET]) or 0
        except OSError:  # it was closed just now
            return 0


console = None
data = None


class Wanted:
    """What boot.py asked for."""

    data = False


def enable(*, console: bool = True, data: bool = False) -> None:
    """Choose the ports; for boot.py. They appear when it is done."""
    Wanted.data = data


def enumerate_ports() -> "Serial | None":
    """What USB does after boot.py: make the data port if it was enabled."""
    global data
    if Wanted.data and data is None:
        data = rig.port = Serial()
    return data
