"""Serial ports: the streams to boards on USB, and to simulated ones, whose ports are ptys.

For: everything that is true of serial ports only: that one program at a time may have one, what can be wrong
with it in words that help, and a loop that cannot watch one. What they promise is `transport`'s. It must not
know frames, boards or games.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import sys
import threading
import time

import serial

from galley.transport import READ_BYTES, DescriptorTransport, PortError, Transport, reason

BAUD = 115200  # never 1200: closing a port at that speed sends the board into its bootloader

try:
    import termios

    # termios.error: a port that goes while it is opened
    OPEN_ERRORS: tuple[type[Exception], ...] = (OSError, ValueError, termios.error)
except ImportError:  # Windows
    OPEN_ERRORS = (OSError, ValueError)


class SerialTransport(DescriptorTransport):
    """A serial port through pyserial, its descriptor watched by the loop."""

    def __init__(self, port: serial.Serial) -> None:
        super().__init__(str(port.port), port.fileno())
        self._port = port

    def _read(self) -> bytes:
        # pyserial's read() asks select() again; the loop has just done that
        return os.read(self._fd, READ_BYTES)

    def _write(self, data: bytes) -> int:
        return os.write(self._fd, data)

    def _release(self) -> None:
        with contextlib.suppress(*OPEN_ERRORS):
            self._port.reset_output_buffer()  # a close waits for what the far end never reads, up to 30 s
        self._port.close()


class ThreadedSerialTransport(Transport):
    """A serial port read by a thread, for platforms whose loop cannot watch one (Windows)."""

    POLL_S = 0.1

    def __init__(self, port: serial.Serial) -> None:
        super().__init__(str(port.port))
        self._port = port
        port.timeout = self.POLL_S
        port.write_timeout = self.POLL_S
        self._thread = threading.Thread(target=self._read_on, name=f"serial {port.port}", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._thread.start()

    def _read_on(self) -> None:
        assert self._loop is not None
        try:
            while not self._closed:
                data = self._port.read(1)
                now_ns = time.monotonic_ns()
                if data:
                    data += self._port.read(self._port.in_waiting)
                    self._loop.call_soon_threadsafe(self._arrived, data, now_ns)
        except (OSError, TypeError) as error:  # pyserial raises TypeError when closed while it reads
            if not self._closed:
                self._loop.call_soon_threadsafe(self._failed, reason(error))
        except RuntimeError:  # the loop was closed first
            return

    def _end(self) -> None:
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._port.cancel_read()
            self._thread.join(timeout=5 * self.POLL_S)
        self._port.close()

    def _try_write(self, data: bytes) -> int:
        try:
            return self._port.write(data) or 0
        except serial.SerialTimeoutException:
            return 0
        except OSError as error:
            if self._loop is not None:
                self._loop.call_soon(self._failed, reason(error))
            return len(data)

    def _watch_writable(self, wanted: bool) -> None:
        if wanted and self._loop is not None:
            self._loop.call_later(self.POLL_S, self._drain)


def open_serial(path: str, *, threaded: bool | None = None) -> Transport:
    """Open a serial port for this process alone and throw away what its buffers still hold.

    `threaded` None picks the thread only where the loop cannot watch a port. Raises PortError.
    """
    try:
        port = serial.Serial(path, BAUD, timeout=0, write_timeout=0, exclusive=_exclusive())
    except OPEN_ERRORS as error:
        raise _open_problem(path, error) from error
    try:
        port.reset_input_buffer()
    except OPEN_ERRORS as error:
        port.close()
        raise _open_problem(path, error) from error
    if threaded is None:
        threaded = sys.platform == "win32"
    return ThreadedSerialTransport(port) if threaded else SerialTransport(port)


def _exclusive() -> bool | None:
    return None if sys.platform == "win32" else True


def _open_problem(path: str, error: BaseException) -> PortError:
    number = getattr(error, "errno", None)
    if number == errno.EBUSY or "exclusively lock" in str(error):
        code, text = "busy", "in use by another program: close it (a second Galley, Thonny, a serial monitor)"
    elif number in (errno.EACCES, errno.EPERM):
        code, text = (
            "denied",
            "permission denied: run sudo usermod -aG dialout $USER, log out and in again",
        )
    elif number == errno.ENOENT:
        code, text = "missing", "no such port: plug the board in, or name another port"
    else:
        code, text = "broken", f"cannot be opened ({reason(error)}): unplug the board, plug it in again"
    return PortError(code, f"{path}: {text}")
