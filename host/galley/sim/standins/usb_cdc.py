"""Stand-in for `usb_cdc`: the data port as a pseudo-terminal.

Facts copied on purpose:

* there is no data port unless boot.py enabled it;
* `timeout` and `write_timeout` are None (wait for ever) until set;
* while a program has the port open but does not read, 320 bytes are taken, then fewer or none;
* while no program has it open, writes still succeed into the same 320 bytes, the newest win, and the
  next program to open the port reads them first, perhaps from the middle of a frame.
"""

from __future__ import annotations

import fcntl
import os
import select
import struct
import termios
import tty

from rig import FRESH_NS, real_ns, real_sleep, rig

FIFO_BYTES = 320
IN_BYTES = 256
STEP_S = 0.001
NS_PER_S = 1_000_000_000


class Serial:
    """One port. `path` is what the host opens."""

    def __init__(self) -> None:
        self.timeout: float | None = None
        self.write_timeout: float | None = None
        master, slave = os.openpty()
        tty.setraw(slave)
        self.path = os.ttyname(slave)
        os.close(slave)  # after one close the master can tell that nobody has the port open
        os.set_blocking(master, False)
        self._fd = master
        self._state = select.poll()
        self._state.register(master, 0)
        self._stale = bytearray()
        self._in = bytearray()
        self._connected = False
        self._looked_ns = 0
        self._read_ns = 0
        self.ready = False  # bytes were seen at the port since it was last read

    def fileno(self) -> int:
        """The descriptor to wait on while connected."""
        return self._fd

    def look(self) -> bool:
        """Find out whether a program has the port open."""
        self._looked_ns = real_ns()
        hung_up = any(event & select.POLLHUP for _, event in self._state.poll(0))
        if hung_up:
            self._in.clear()
        elif self._stale:
            self._push(bytes(self._stale))
            self._stale.clear()
        self._connected = not hung_up
        return self._connected

    @property
    def held(self) -> bool:
        """Whether bytes that the firmware has not read are here, where no descriptor tells of them."""
        return bool(self._in)

    @property
    def connected(self) -> bool:
        """Whether a program has the port open, as it was a millisecond ago at most."""
        return self._connected if real_ns() - self._looked_ns < FRESH_NS else self.look()

    @property
    def in_waiting(self) -> int:
        """Bytes that can be read now."""
        if len(self._in) < IN_BYTES and (self.ready or real_ns() - self._read_ns > FRESH_NS):
            self.ready = False
            self._read_ns = real_ns()
            try:
                self._in += os.read(self._fd, IN_BYTES - len(self._in))
                self.ready = len(self._in) == IN_BYTES
            except OSError:  # nothing there, or nobody has the port open
                pass
        return len(self._in)

    @property
    def out_waiting(self) -> int:
        """Bytes that the host has not read yet."""
        return self._unread() if self.connected else len(self._stale)

    def readinto(self, buf: bytearray | memoryview) -> int:
        """Read into `buf` what is there, waiting up to `timeout` for it to fill; how many bytes."""
        got = 0
        end_ns = self._end(self.timeout)
        while True:
            if self.in_waiting:
                count = min(len(self._in), len(buf) - got)
                buf[got : got + count] = self._in[:count]
                del self._in[:count]
                got += count
                rig.heard()
            if got == len(buf) or not self._wait(end_ns):
                return got

    def read(self, size: int = 1) -> bytes:
        """Read up to `size` bytes, waiting as `readinto` does."""
        buf = bytearray(size)
        return bytes(buf[: self.readinto(buf)])

    def write(self, buf: bytes | bytearray | memoryview) -> int:
        """Take what fits, waiting up to `write_timeout` for room; how many bytes were taken."""
        data = bytes(buf)
        if not self.connected:
            self._stale += data
            del self._stale[:-FIFO_BYTES]
            return len(data)
        taken = 0
        end_ns = self._end(self.write_timeout)
        while True:
            room = FIFO_BYTES - self._unread()
            if room > 0:
                taken += self._push(data[taken : taken + room])
            if taken == len(data) or not self._wait(end_ns):
                if taken < len(data):
                    rig.alert()
                return taken

    def reset_input_buffer(self) -> None:
        """Drop what came and was not read."""
        while self.in_waiting:
            self._in.clear()

    def _push(self, data: bytes) -> int:
        try:
            return os.write(self._fd, data)
        except OSError:
            return 0

    def _unread(self) -> int:
        """What waits at the host's end; looked up there, because the master does not say."""
        try:
            slave = os.open(self.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        except OSError:
            return 0
        try:
            answer: bytes = fcntl.ioctl(slave, termios.FIONREAD, b"\0\0\0\0")
            return int(struct.unpack("i", answer)[0])
        finally:
            os.close(slave)

    @staticmethod
    def _end(timeout: float | None) -> int | None:
        return None if timeout is None else real_ns() + int(timeout * NS_PER_S)

    @staticmethod
    def _wait(end_ns: int | None) -> bool:
        if end_ns is not None and real_ns() >= end_ns:
            return False
        rig.service()
        real_sleep(STEP_S)
        return True


console: Serial | None = None
data: Serial | None = None


class Wanted:
    """What boot.py asked for."""

    data = False


def enable(*, console: bool = True, data: bool = False) -> None:
    """Choose the ports; for boot.py. They appear when it is done."""
    Wanted.data = data


def disable() -> None:
    """No ports at all; for boot.py."""
    enable(console=False, data=False)


def enumerate_ports() -> Serial | None:
    """What USB does after boot.py: make the data port if it was enabled."""
    if Wanted.data and data is None:
        globals()["data"] = rig.port = Serial()
    return data
