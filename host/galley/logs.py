"""What happened on the box, in `galley.log`: one JSON object to a line, the oldest thrown away.

For: whoever looks into a box that misbehaved. It must not know what is told; `chronicle` says what happens.

    {"at": "2026-01-31T12:00:00.123Z", "level": "warning", "event": "loop_lag", "worst_ms": 134, "count": 1}

Our own records carry an `event` and facts. Those of libraries carry `logger` and `text`, with the traceback
if there is one; they go to standard error as well. Nothing about people is written: of all text the path of a
home folder becomes ~ (it may be somebody's name), and network addresses are struck out, with the names of
machines where a port is at one.

What strangers send makes libraries speak. They may say LIBRARY_LINES at once and one more each
LIBRARY_EVERY_S: nobody can wash the log away.

The event loop only puts a line into a queue; a thread brings it to the disk. A disk that takes nothing costs
lines, never time: what finds no room is dropped, counted, and the count told once there is room again.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from logging.handlers import QueueHandler, RotatingFileHandler
from pathlib import Path
from queue import Full, Queue
from threading import Thread
from typing import Any, Final

FILE: Final = "galley.log"
FILES: Final = 5
FILE_BYTES: Final = 1_000_000
WAITING: Final = 4_096
END_S: Final = 2.0
"""What a disk that does not answer may cost at the end."""
MOST_CHARACTERS: Final = 4_000
LEVELS: Final = ("debug", "info", "warning", "error")
LIBRARY_LINES: Final = 20
LIBRARY_EVERY_S: Final = 60.0

GALLEY: Final = "galley"
_ADDRESS: Final = re.compile(
    r"\b\d{1,3}(?:\.\d{1,3}){3}\b|(?:[0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4}|(?<=\btcp:)[^\s:]+"
)
_HOME: Final = r"/(?:home|Users)/[^/\s'\"]+"


def tell(level: int, event: str, **facts: object) -> None:
    """Log that `event` happened. `facts` are JSON values and hold nothing about people."""
    logging.getLogger(GALLEY).log(level, event, extra={"facts": facts})


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def __init__(self, home: str | None = None) -> None:
        super().__init__()
        own = str(Path.home()) if home is None else home
        self._home = re.compile(f"{re.escape(own)}|{_HOME}" if len(own) > 1 else _HOME)

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, object] = {
            "at": f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z",
            "level": record.levelname.lower(),
        }
        if record.name == GALLEY:
            line |= {"event": record.getMessage(), **self._cleaned(getattr(record, "facts", {}))}
        else:
            line |= {"logger": record.name, "text": self._cleaned(self._text(record))}
        return json.dumps(line, ensure_ascii=False, default=str)

    def _text(self, record: logging.LogRecord) -> str:
        said = record.getMessage()
        return said if not record.exc_info else f"{said}\n{self.formatException(record.exc_info)}"

    def _cleaned(self, value: Any) -> Any:
        """The same without homes and addresses, no text longer than MOST_CHARACTERS: the end tells more."""
        if isinstance(value, str):
            said = _ADDRESS.sub("(address)", self._home.sub("~", value))
            return said if len(said) <= MOST_CHARACTERS else f"…{said[-MOST_CHARACTERS:]}"
        if isinstance(value, dict):
            return {key: self._cleaned(each) for key, each in value.items()}
        return [self._cleaned(each) for each in value] if isinstance(value, list | tuple) else value


class _File(RotatingFileHandler):
    """The file. What it cannot write is lost: there is no better place to say so."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802, the library's name
        """Go on; the file is opened anew for the next line."""
        if self.stream is not None:
            stream, self.stream = self.stream, None  # as `close` leaves it
            try:
                stream.close()
            except OSError:
                return  # what waited in it is lost too


class _Queue(QueueHandler):
    """The way into the queue, which never waits. `lost` counts what found no room since that was told."""

    lost = 0

    def enqueue(self, record: logging.LogRecord) -> None:
        """Hand the finished line to the thread."""
        super().enqueue(record)
        if self.lost:
            lost, self.lost = self.lost, 0
            tell(logging.WARNING, "log_lost", lines=lost)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802, the library's name
        self.lost += 1


class _Wanted(logging.Filter):
    """Of libraries only trouble: what they tell to debug them holds whole messages of pages, a PIN too.

    And not too much of it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._room = float(LIBRARY_LINES)
        self._heard_s = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether it is written."""
        if record.name == GALLEY or record.levelno < logging.WARNING:
            return record.name == GALLEY
        waited_s = max(0.0, record.created - self._heard_s)
        self._heard_s = record.created
        self._room = min(float(LIBRARY_LINES), self._room + waited_s / LIBRARY_EVERY_S)
        if self._room < 1:
            return False
        self._room -= 1
        return True


@contextmanager
def kept(folder: Path | None, level: str = "info", file_bytes: int = FILE_BYTES) -> Iterator[None]:
    """Keep the log in `folder` meanwhile; None keeps none. Own records from `level` (a word of LEVELS) on."""
    if folder is None:
        yield
        return
    file = _File(
        folder / FILE,
        maxBytes=file_bytes,
        backupCount=FILES - 1,
        encoding="utf-8",
        delay=True,
        errors="backslashreplace",
    )
    waiting: Queue[Any] = Queue(WAITING)
    door = _Queue(waiting)
    door.addFilter(_Wanted())
    door.setFormatter(JsonLines())  # the line is made here, so the thread has only to write it
    thread = Thread(target=_bring, args=(waiting, file), name="log", daemon=True)
    own, root = logging.getLogger(GALLEY), logging.getLogger()
    before = own.level, own.propagate, logging.lastResort
    own.setLevel(level.upper())
    own.propagate = False
    own.addHandler(door)
    root.addHandler(door)
    if logging.lastResort is not None:
        root.addHandler(logging.lastResort)
    thread.start()
    try:
        yield
    finally:
        own.removeHandler(door)
        root.removeHandler(door)
        if before[2] is not None:
            root.removeHandler(before[2])
        own.setLevel(before[0])
        own.propagate = before[1]
        with suppress(Full):
            waiting.put(None, timeout=END_S)
        thread.join(END_S)
        door.close()


def _bring(waiting: Queue[Any], file: _File) -> None:
    """Write lines as they come, until None comes."""
    while (record := waiting.get()) is not None:
        file.handle(record)
    file.close()
