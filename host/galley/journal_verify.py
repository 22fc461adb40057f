"""Does a journal hold what was played? Every game again, from its record alone, and every seal.

For: `galley journal verify`, and whoever restores a backup. It must not change anything, and nothing that it
finds stops it: a finding is one sentence, and the next game is looked at.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from itertools import pairwise

from galley.journal_reader import latest, numbers, record_lines, seats_and_draws, snapshots
from galley.journal_schema import PER_GAME, Damaged
from galley_engine.game import Step
from galley_engine.record import BadRecord, Record, replay
from galley_engine.stored import NotStored, coder_of

UNREADABLE = (Damaged, BadRecord, sqlite3.Error, ValueError, TypeError, KeyError)


def findings(connection: sqlite3.Connection) -> Iterator[str]:
    """What does not fit, a sentence each; nothing if all does."""
    try:
        for (found,) in connection.execute("PRAGMA integrity_check(20)").fetchall():
            if found != "ok":
                yield f"the file: {' '.join(found.split())}"
        for table in PER_GAME:
            lost = connection.execute(
                f"SELECT DISTINCT game FROM {table} WHERE game NOT IN (SELECT id FROM game)"
            )
            for (number,) in lost.fetchall():
                yield f"game {number}: there are rows in {table}, but no such game"
        trouble = latest(connection).trouble
        if trouble is not None:
            yield f"the box: {trouble}"
        known = numbers(connection)
    except UNREADABLE as error:
        yield f"the file: {error}"
        return
    for number in known:
        try:
            record = replay(line.encode() for line in record_lines(connection, number))
            yield from _beside_the_record(connection, number, record)
        except UNREADABLE as error:
            yield f"game {number}: {error}"


def _beside_the_record(connection: sqlite3.Connection, number: int, record: Record) -> Iterator[str]:
    players, drawn = seats_and_draws(connection, number)
    seats = record.game.full(record.start)["seats"]
    if len(players) != seats:
        yield f"game {number}: it has {len(players)} players on {seats} seats"
    for n, (before, after) in enumerate(pairwise(drawn), start=1):
        if after < before:
            yield f"game {number}: after step {n} fewer numbers are drawn ({after}) than before ({before})"
    yield from _wrong_snapshots(connection, number, record)


def _wrong_snapshots(connection: sqlite3.Connection, number: int, record: Record) -> Iterator[str]:
    state, at = record.start, 0
    for n, text, sealed in snapshots(connection, number):
        if not sealed or n > len(record.entries):
            yield f"game {number}: the snapshot after step {n} does not fit its seal or the steps"
            continue
        for entry in record.entries[at:n]:
            step = record.game.apply(state, entry.action, entry.at_ms, None)
            assert isinstance(step, Step), "the record was played to its end"
            state = step.state
        at = n
        try:
            if coder_of(type(state)).read(json.loads(text)) != state:
                yield f"game {number}: the snapshot after step {n} is not the state the steps lead to"
        except NotStored as error:
            yield f"game {number}: the snapshot after step {n} is no state of this game: {error}"
