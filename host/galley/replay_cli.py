"""`galley replay FILE`: a recorded game again, from the record alone.

For: the final state as one JSON line, the same bytes on every machine. The record is read and played by
`galley_engine.record`; this opens the file and gives it the lines, none longer than a record may have.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import BinaryIO

import click

from galley.arguments import Number


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--to", type=Number(0, 2**53), metavar="N", help="The state after step N, not the last.")
def replay(file: str, to: int | None) -> None:
    """Play a record again and print the state it ends in."""
    from galley_engine.record import BadRecord, canonical, state_after
    from galley_engine.record import replay as replayed

    try:
        with open(file, "rb") as opened:
            record = replayed(_lines(opened))
    except (OSError, ValueError) as error:
        if isinstance(error, BadRecord):
            raise click.UsageError(f"replay {file}: {error}") from None
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise click.UsageError(f"replay {file}: cannot be read: {reason[0].lower()}{reason[1:]}") from None
    state = record.state
    if to is not None:
        if to > len(record.entries):
            raise click.UsageError(f"--to {to}: the record has {len(record.entries)} steps")
        steps = ((entry.at_ms, entry.action) for entry in record.entries[:to])
        state = state_after(record.game, record.start, steps)
    sys.stdout.flush()
    sys.stdout.buffer.write(canonical(record.game.full(state)).encode())


def _lines(opened: BinaryIO) -> Iterator[bytes]:
    """The lines of a file; of one that is too long, just enough to see that."""
    from galley_engine.record import LONGEST_LINE

    while line := opened.readline(LONGEST_LINE + 1):
        yield line
