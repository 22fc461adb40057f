"""Old games out of the journal, and their room back to the disk.

For: `galley journal prune`. Whoever calls it holds the folder, so that no box writes meanwhile.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

from galley.journal_schema import PER_GAME, ready


def prune(path: Path, *, keep: int | None = None, before_s: int | None = None) -> int:
    """Delete games that are not among the newest `keep` and began before `before_s`; how many went.

    A bound that is None keeps nothing. The game on the table always stays. Raises what `ready` raises.
    """
    connection = ready(path)
    try:
        connection.execute("BEGIN IMMEDIATE")
        old = (
            "SELECT id FROM game WHERE began_s < ?"
            " AND id NOT IN (SELECT id FROM game ORDER BY id DESC LIMIT ?)"
            " AND id NOT IN (SELECT game FROM house WHERE game IS NOT NULL)"
        )
        bounds = (2**62 if before_s is None else before_s, keep or 0)
        gone = [number for (number,) in connection.execute(old, bounds)]
        for number in gone:
            for table in PER_GAME:
                connection.execute(f"DELETE FROM {table} WHERE game = ?", (number,))
            connection.execute("DELETE FROM game WHERE id = ?", (number,))
        connection.commit()
        if gone:
            with suppress(sqlite3.OperationalError):  # on a full disk the room stays, for games to come
                connection.execute("VACUUM")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return len(gone)
    finally:
        connection.close()
