"""The journal's file: what is in it, whose it is, how old versions become new, and what its errors mean.

For: opening one. It must not know games or threads.

A journal is an SQLite database with our application id; its schema's version is SQLite's `user_version`.
UPGRADES holds one script for each version: a new file runs them all, an old one those it lacks, each in a
transaction of its own. A new file is made under another name and then renamed, so whatever lies under the
journal's name was once whole.

Every row has a seal, a crc32 over its columns: SQLite finds a broken tree, but not a flipped byte in a text.
The journal holds colours and steps, and never who somebody is.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias
from zlib import crc32

from galley.data_folder import SIDE_FILES, FolderInUse, dated, flushed

APPLICATION_ID: Final = 0x47616C79  # "Galy"
MAGIC: Final = b"SQLite format 3\0"
HEADER_BYTES: Final = 100

UPGRADES: Final = (
    """
    CREATE TABLE house (             -- one row: the state outside games; the last one wins
        id INTEGER PRIMARY KEY CHECK (id = 1),
        state TEXT NOT NULL,         -- a JSON object
        game INTEGER,                -- the game on the table, NULL without one
        seal INTEGER NOT NULL
    );
    CREATE TABLE game (
        id INTEGER PRIMARY KEY,
        began_s INTEGER NOT NULL,    -- seconds since 1970, to be displayed and to be pruned by
        header TEXT NOT NULL,        -- the first line of its record
        players TEXT NOT NULL,       -- JSON: for each seat, its colour and the strength of its bot
        drawn INTEGER NOT NULL,      -- numbers the chance had drawn when it was dealt
        ended TEXT CHECK (ended IN ('over', 'left', 'cut')),
        seal INTEGER NOT NULL        -- of all but `ended`
    );
    CREATE TABLE step (
        game INTEGER NOT NULL,
        n INTEGER NOT NULL,          -- from 1, without gaps
        at_ms INTEGER NOT NULL,
        drawn INTEGER NOT NULL,      -- numbers the chance had drawn after it
        action TEXT NOT NULL,        -- JSON, with all outcomes
        seal INTEGER NOT NULL,
        PRIMARY KEY (game, n)
    ) WITHOUT ROWID;
    CREATE TABLE undone (            -- a step that was taken back
        id INTEGER PRIMARY KEY,
        game INTEGER NOT NULL,
        n INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,      -- stamps never go back, so the game goes on from here
        action TEXT NOT NULL
    );
    CREATE INDEX undone_game ON undone (game);
    CREATE TABLE verdict (
        game INTEGER NOT NULL,
        n INTEGER NOT NULL,          -- the step that decided a race
        gap_us INTEGER NOT NULL,
        uncertainty_us INTEGER NOT NULL,
        heat INTEGER NOT NULL,
        over INTEGER NOT NULL,
        seal INTEGER NOT NULL,
        PRIMARY KEY (game, n)
    ) WITHOUT ROWID;
    """,
    """
    CREATE TABLE snapshot (          -- the state after step n, so that a long game need not be played again
        game INTEGER NOT NULL,
        n INTEGER NOT NULL,
        version TEXT NOT NULL,       -- of the Galley that made it: only that one trusts it
        state TEXT NOT NULL,         -- as galley_engine.stored writes it
        seal INTEGER NOT NULL,
        PRIMARY KEY (game, n)
    ) WITHOUT ROWID;
    """,
)
VERSION: Final = len(UPGRADES)

PER_GAME: Final = ("step", "undone", "verdict", "snapshot")
"""The tables with rows that belong to a game."""

Connect: TypeAlias = Callable[[Path], sqlite3.Connection]


class JournalRefused(Exception):
    """This journal cannot be used by this Galley; the message is one sentence with the remedy."""


class Damaged(Exception):
    """The file is not what was once written, or never was a journal; `word` is damaged or foreign."""

    def __init__(self, message: str, word: str = "damaged") -> None:
        super().__init__(message)
        self.word = word


def seal(*columns: object) -> int:
    """The seal of a row with these columns, in their order."""
    return crc32("\n".join(map(str, columns)).encode())


def step_seal(game: int, n: int, at_ms: int, drawn: int, action: str) -> int:
    """The seal of a step: the same, in a third of the time, because there may be 100,000 of them."""
    return crc32(f"{game}\n{n}\n{at_ms}\n{drawn}\n{action}".encode())


# --- What an error of SQLite means ----------------------------------------------------------------

TROUBLES: Final = {
    sqlite3.SQLITE_FULL: "disk_full",
    sqlite3.SQLITE_READONLY: "read_only",
    sqlite3.SQLITE_CANTOPEN: "read_only",
    sqlite3.SQLITE_PERM: "read_only",
    sqlite3.SQLITE_AUTH: "read_only",
    sqlite3.SQLITE_BUSY: "locked",
    sqlite3.SQLITE_LOCKED: "locked",
    sqlite3.SQLITE_IOERR: "disk_error",
    sqlite3.SQLITE_NOMEM: "disk_error",
}
"""Errors that say nothing against the file: it may be written again when the cause is gone."""

TORN: Final = (sqlite3.SQLITE_IOERR_SHORT_READ,)
FULL: Final = (errno.ENOSPC, errno.EDQUOT)
LEAST_ROOM_BYTES: Final = 1_000_000


def trouble_of(error: Exception, path: Path) -> str | None:
    """What keeps the journal at `path` from being written, as a key; None if the file itself is at fault."""
    if isinstance(error, sqlite3.Error):
        code: int | None = getattr(error, "sqlite_errorcode", None)
        trouble = None if code is None or code in TORN else TROUBLES.get(code & 0xFF)
        return "disk_full" if trouble == "disk_error" and not _has_room(path.parent) else trouble
    if isinstance(error, OSError):
        return "disk_full" if error.errno in FULL else "read_only"
    return "locked" if isinstance(error, FolderInUse) else None


def state_of(error: Exception, path: Path) -> str:
    """What is wrong, as a key: one of TROUBLES, `damaged` for the file itself, or `failed` for all else."""
    damaged = isinstance(error, Damaged | JournalRefused | sqlite3.DatabaseError)
    return trouble_of(error, path) or ("damaged" if damaged else "failed")


def _has_room(folder: Path) -> bool:
    """Whether SQLite, which says "error" for some of the ways in which a disk can be full, may mean that."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return True
    return disk.f_bavail * disk.f_frsize >= LEAST_ROOM_BYTES


# --- Opening --------------------------------------------------------------------------------------


def connected(path: Path) -> sqlite3.Connection:
    """A connection that writes in such a way that what it commits outlasts a power cut."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=2.0)
    durable(connection)
    return connection


def durable(connection: sqlite3.Connection) -> None:
    """Set up a connection for writing; shared with those who inject faults."""
    for pragma in ("synchronous=FULL", "trusted_schema=OFF", "cell_size_check=ON"):
        connection.execute(f"PRAGMA {pragma}")


def looked_at(path: Path) -> None:
    """Look at the first bytes of a file without opening it as a database.

    Raises Damaged for what is no journal, JournalRefused for one of a newer version, OSError.
    """
    with open(path, "rb") as opened:
        header = opened.read(HEADER_BYTES)
    if len(header) < HEADER_BYTES or not any(header):
        raise Damaged(f"{path} has no header: it was cut or wiped")
    if not header.startswith(MAGIC):
        raise Damaged(f"{path} is no database at all", "foreign")
    if int.from_bytes(header[68:72]) != APPLICATION_ID:
        raise Damaged(f"{path} is another program's database", "foreign")
    _not_newer(path, int.from_bytes(header[60:64]))


def _not_newer(path: Path, version: int) -> None:
    if version > VERSION:
        raise JournalRefused(
            f"{path} was made by a newer Galley (journal version {version}, this one knows {VERSION}): "
            "update Galley, or name another folder with --data"
        )


def ready(path: Path, connect: Connect = connected) -> sqlite3.Connection:
    """A journal to write to: a new one is made, an old one brought up to date.

    Raises Damaged, JournalRefused, OSError, or sqlite3.Error with one of TROUBLES.
    """
    if not path.exists():
        _make(path, connect)
    looked_at(path)
    connection = None
    try:
        connection = connect(path)
        _upgrade(connection, path)
    except BaseException as error:
        if connection is not None:
            connection.close()
        if isinstance(error, sqlite3.Error):
            raise judged(error, path) from error
        raise
    return connection


def judged(error: sqlite3.Error, path: Path) -> sqlite3.Error | Damaged:
    """The error itself if it is one of TROUBLES, else that the file is damaged.

    A file that SQLite calls read-only although it may be written has a flipped byte in its header.
    """
    trouble = trouble_of(error, path)
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    if trouble is None or (trouble == "read_only" and writable):
        return Damaged(f"{path} is damaged ({error})")
    return error


def _make(path: Path, connect: Connect) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".new")
    for suffix in ("", *SIDE_FILES):
        unfinished.with_name(unfinished.name + suffix).unlink(missing_ok=True)
    connection = connect(unfinished)
    try:
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        _upgrade(connection, unfinished)
        connection.execute("PRAGMA journal_mode=WAL")
    finally:
        connection.close()
    for suffix in SIDE_FILES:  # left by a journal that is gone: SQLite would take it for part of this one
        stray = path.with_name(path.name + suffix)
        if stray.exists():
            stray.rename(dated(stray, "damaged"))
    unfinished.rename(path)
    flushed(path.parent)


def version_of(connection: sqlite3.Connection) -> int:
    """The version of its schema."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def _upgrade(connection: sqlite3.Connection, path: Path) -> None:
    version = version_of(connection)
    _not_newer(path, version)
    for number in range(version, VERSION):
        connection.executescript(
            f"BEGIN IMMEDIATE; {UPGRADES[number]} PRAGMA user_version={number + 1}; COMMIT;"
        )


def to_read(path: Path) -> sqlite3.Connection:
    """A journal to read, also while a box writes to it and where nothing may be written.

    One of an older version is brought up to date in memory. Raises Damaged, JournalRefused, OSError or
    sqlite3.Error.
    """
    looked_at(path)
    connection = _opened_to_read(path)
    try:
        version = version_of(connection)
        _not_newer(path, version)
        if version < VERSION:
            copy = sqlite3.connect(":memory:", isolation_level=None)
            connection.backup(copy)
            connection.close()
            connection = copy
            _upgrade(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _opened_to_read(path: Path) -> sqlite3.Connection:
    uri = path.absolute().as_uri()
    connection = sqlite3.connect(f"{uri}?mode=ro", uri=True, isolation_level=None)
    try:
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        wal = path.with_name(path.name + "-wal")
        if trouble_of(error, path) != "read_only" or (wal.exists() and wal.stat().st_size):
            raise
        # SQLite wants to write beside a database in WAL mode even to read it; nobody else is there to mind
        connection = sqlite3.connect(f"{uri}?immutable=1", uri=True, isolation_level=None)
    return connection
