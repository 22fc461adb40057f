"""Where a box keeps what must outlast it, and that only one box at a time writes there.

For: whoever reads or writes the journal, settings or calibration. It knows the names of files, not what is in
them.

The folder is the one given (`--data DIR`), else $GALLEY_DATA, else `galley` in $XDG_DATA_HOME, else
~/.local/share/galley. A box that runs holds a lock in it, which ends with its process however that ends.
"""

from __future__ import annotations

import fcntl
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Self

JOURNAL: Final = "journal.db"
LOCK: Final = "lock"
SIDE_FILES: Final = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a database, and belongs to it."""


def data_folder(given: str | None = None) -> Path:
    """The folder, whether it exists or not; `given` is what the command line says."""
    named = given or os.environ.get("GALLEY_DATA")
    if named:
        return Path(named)
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "galley"


class FolderInUse(Exception):
    """Another process writes to this folder; the message names it and the remedy."""


class Hold:
    """The lock of a folder, held until `release` or the end of this process."""

    def __init__(self, folder: Path) -> None:
        """Take it. Raises FolderInUse, or OSError if nothing can be written there."""
        self._fd = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            who = os.pread(self._fd, 20, 0).decode("ascii", "replace").strip() or "unknown"
            self.release()
            raise FolderInUse(
                f"{folder} is used by a Galley that runs (process {who}): "
                "end it first, or name another folder with --data"
            ) from None
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Let others have it; may be called twice."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.release()


def told(error: Exception) -> str:
    """What is wrong with a file, as the end of a sentence that names it or not: `/x: permission denied`."""
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    return f"{where}{error.strerror[0].lower()}{error.strerror[1:]}"


def dated(path: Path, word: str) -> Path:
    """A name beside `path` that is free: `journal.db.damaged-20260131-120000`, in UTC."""
    stem = f"{path.name}.{word}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    free, number = path.with_name(stem), 1
    while os.path.lexists(free):
        number += 1
        free = path.with_name(f"{stem}-{number}")
    return free


def set_aside(path: Path, word: str) -> Path:
    """Rename a database, with what SQLite keeps beside it, out of the way. Raises OSError."""
    aside = dated(path, word)
    path.rename(aside)
    for suffix in SIDE_FILES:
        beside = path.with_name(path.name + suffix)
        if beside.exists():
            beside.rename(aside.with_name(aside.name + suffix))
    return aside


def flushed(folder: Path) -> None:
    """Bring the names in a folder to the disk, so that a rename outlasts a power cut. Raises OSError."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
