"""What the journal writes, row by row: each function is one write, given the connection last.

For: the writing thread. It must not know threads, tickets or files. Every write may be done again, with those
that came after it and in the same order, after a commit that failed or only seemed to: nothing is then there
twice, and the rows are as they would be after the first time.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from typing import Any

from galley.journal_schema import seal, step_seal
from galley_engine import VERSION
from galley_engine.record import Verdict, canonical
from galley_engine.stored import NotStored, coder_of


def begin(
    number: int, began_s: int, header: str, players: str, drawn: int, connection: sqlite3.Connection
) -> None:
    """A game is on the table."""
    _put_on_table(connection, number)
    connection.execute(
        "INSERT OR IGNORE INTO game (id, began_s, header, players, drawn, seal) VALUES (?, ?, ?, ?, ?, ?)",
        (number, began_s, header, players, drawn, seal(number, began_s, header, players, drawn)),
    )


def append(
    number: int,
    n: int,
    at_ms: int,
    drawn: int,
    action: str,
    over: bool,
    state: Any,
    connection: sqlite3.Connection,
) -> None:
    """A step, whether it ended the game, and the state after it if a snapshot is due."""
    connection.execute(
        "INSERT OR IGNORE INTO step (game, n, at_ms, drawn, action, seal) VALUES (?, ?, ?, ?, ?, ?)",
        (number, n, at_ms, drawn, action, step_seal(number, n, at_ms, drawn, action)),
    )
    if over:
        end(number, "over", connection)
    if state is not None:
        with suppress(NotStored):  # a stranger's state: that game is played again instead
            text = canonical(coder_of(type(state)).write(state))
            connection.execute(
                "INSERT OR REPLACE INTO snapshot (game, n, version, state, seal) VALUES (?, ?, ?, ?, ?)",
                (number, n, VERSION, text, seal(number, n, VERSION, text)),
            )


def undo(number: int, n: int, connection: sqlite3.Connection) -> None:
    """The last step is taken back, and a game that was over goes on."""
    connection.execute(
        "INSERT INTO undone (game, n, at_ms, action)"
        " SELECT game, n, at_ms, action FROM step WHERE game = ? AND n = ?",
        (number, n),
    )
    for table in ("step", "verdict", "snapshot"):
        connection.execute(f"DELETE FROM {table} WHERE game = ? AND n >= ?", (number, n))
    end(number, None, connection)


def verdict(number: int, n: int, verdict: Verdict, connection: sqlite3.Connection) -> None:
    """The verdict on a step."""
    columns = (number, n, verdict.gap_us, verdict.uncertainty_us, int(verdict.heat), verdict.over)
    connection.execute(
        "INSERT OR REPLACE INTO verdict (game, n, gap_us, uncertainty_us, heat, over, seal)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (*columns, seal(*columns)),
    )


def end(number: int, how: str | None, connection: sqlite3.Connection) -> None:
    """How a game ended; None if it goes on."""
    connection.execute("UPDATE game SET ended = ? WHERE id = ?", (how, number))


def leave(number: int, connection: sqlite3.Connection) -> None:
    """A game leaves the table, over or not."""
    connection.execute("UPDATE game SET ended = 'left' WHERE id = ? AND ended IS NULL", (number,))
    if _house_row(connection)[1] == number:
        _put_on_table(connection, None)


def _put_on_table(connection: sqlite3.Connection, number: int | None) -> None:
    """No game that stood there before can go on."""
    state, before = _house_row(connection)
    if before is not None and before != number:
        connection.execute("UPDATE game SET ended = 'left' WHERE id = ? AND ended IS NULL", (before,))
    _write_house(connection, state, number)


def house(state: str, connection: sqlite3.Connection) -> None:
    """The state of the house, as JSON."""
    _write_house(connection, state, _house_row(connection)[1])


def _house_row(connection: sqlite3.Connection) -> tuple[str, int | None]:
    row: tuple[str, int | None] | None = connection.execute("SELECT state, game FROM house").fetchone()
    return row or ("{}", None)


def _write_house(connection: sqlite3.Connection, state: str, number: int | None) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO house (id, state, game, seal) VALUES (1, ?, ?, ?)",
        (state, number, seal(state, number)),
    )
