"""The one thread that writes: whatever waits goes to the disk together, and nobody else ever waits for it.

For: a loop that must not stand still for a disk. `put` hands over a write and returns its ticket at once; the
thread takes all that has gathered, does it in one transaction and commits (*group commit*: while one fsync
runs, the next group gathers). `committed` is the highest ticket that is on the disk.

A write that fails is kept and tried again, with all that came after it and in the same order, on a connection
opened anew, until the disk takes it; `state` says meanwhile what is wrong. A disk that neither takes it nor
refuses for SILENT_S is a disk_error too, seen by whoever looks: nobody is called for that. It must not know
what it writes: a write is any callable that is given the connection, and is called again after a failure.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Final, NamedTuple, TypeAlias

from galley.data_folder import told

GROUP: Final = 512
"""Writes in one transaction at most, so that no commit grows without bound."""

RETRY_S: Final = 1.0
SILENT_S: Final = 5.0
TIMES_KEPT: Final = 1_000

Write: TypeAlias = Callable[[sqlite3.Connection], None]
Open: TypeAlias = Callable[[], sqlite3.Connection]
Waiting: TypeAlias = "tuple[int, Write]"


class Health(NamedTuple):
    """How the journal is. `state` is a key: ok, disk_full, read_only, locked, disk_error, damaged or failed.

    `detail` is for logs. Times are those of the latest commits in milliseconds, 0 before the first.
    """

    state: str
    detail: str
    waiting: int  # writes that are not on the disk yet
    dropped: int  # writes that found no room to wait and are lost
    commits: int
    commit_p50_ms: float
    commit_p99_ms: float


class Writer:
    """The thread and what waits for it. `put` and `close` belong to one thread, the loop's."""

    def __init__(
        self, open_: Open, explain: Callable[[Exception], str], on_change: Callable[[], object] | None
    ) -> None:
        """`explain` gives the `state` for an error that `open_` or a write raised.

        `on_change` is called in the writing thread after every commit and every change of `state`.
        """
        self.committed = 0
        self.issued = 0
        self.commits = 0
        self._state = "ok"
        self._detail = ""
        self._asked_s: float | None = None  # since when the disk has been asked, None if it is not now
        self._open = open_
        self._explain = explain
        self._on_change = on_change
        self._queue: SimpleQueue[Waiting | None] = SimpleQueue()
        self._took_ms: deque[float] = deque(maxlen=TIMES_KEPT)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    def put(self, write: Write) -> int:
        """Have `write` done; the ticket by which `committed` counts. Never waits, never fails."""
        self.issued += 1
        self._queue.put((self.issued, write))
        return self.issued

    def in_trouble(self, error: Exception) -> None:
        """The file could not be opened for `error`: say so, and go on trying."""
        self._state, self._detail = self._explain(error), told(error)
        self.put(lambda connection: None)

    @property
    def state(self) -> str:
        """How it goes, as in `Health`."""
        return "disk_error" if self._state == "ok" and self._silent_s() > SILENT_S else self._state

    def _silent_s(self) -> float:
        asked_s = self._asked_s
        return 0.0 if asked_s is None else time.monotonic() - asked_s

    @property
    def waiting(self) -> int:
        """Writes that are not on the disk yet."""
        return self.issued - self.committed

    def health(self, dropped: int = 0) -> Health:
        """How it goes."""
        took_ms = sorted(self._took_ms.copy())
        p50_ms, p99_ms = (took_ms[int(share * len(took_ms))] if took_ms else 0.0 for share in (0.5, 0.99))
        state = self.state
        silent = "" if state == self._state else f"no answer from the disk for {self._silent_s():.0f} s"
        return Health(state, silent or self._detail, self.waiting, dropped, self.commits, p50_ms, p99_ms)

    def close(self) -> int:
        """Write what waits, trying a disk that fails once more, and end the thread; how much is unwritten."""
        self._closing.set()
        self._queue.put(None)
        self._thread.join()
        return self.waiting

    # -- in the thread --------------------------------------------------------------------------------

    def _run(self) -> None:
        connection: sqlite3.Connection | None = None
        group: list[Waiting] = []
        more, tries_left = True, 2  # the tries are those after the end was asked for
        while group or more:
            if not group:
                more = self._gather(group)
                continue
            self._asked_s = time.monotonic()
            try:
                if connection is None:
                    connection = self._open()
                self._write(connection, group)
                group.clear()
            except Exception as error:  # whatever it is, what waits must stay and the thread must live
                if connection is not None:
                    connection.close()
                    connection = None
                self._asked_s = None
                self._failed(error)
                tries_left -= self._closing.wait(RETRY_S)
                if not tries_left:
                    return
        if connection is not None:
            connection.close()

    def _gather(self, group: list[Waiting]) -> bool:
        """Wait for something to write, take all there is; False when the end was asked for."""
        item = self._queue.get()
        while item is not None:
            group.append(item)
            if len(group) == GROUP:
                return True
            try:
                item = self._queue.get_nowait()
            except Empty:
                return True
        return False

    def _write(self, connection: sqlite3.Connection, group: list[Waiting]) -> None:
        connection.execute("BEGIN IMMEDIATE")
        for _, write in group:
            write(connection)
        began_s = time.perf_counter()
        connection.commit()
        self._took_ms.append((time.perf_counter() - began_s) * 1000)
        self.commits += 1
        self.committed = group[-1][0]
        self._asked_s = None
        self._state, self._detail = "ok", ""
        self._tell()

    def _failed(self, error: Exception) -> None:
        state, detail = self._explain(error), told(error)
        if (state, detail) != (self._state, self._detail):
            self._state, self._detail = state, detail
            self._tell()

    def _tell(self) -> None:
        if self._on_change is not None:
            try:
                self._on_change()
            except RuntimeError:  # the loop it wanted to wake has gone
                self._on_change = None
