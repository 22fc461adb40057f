"""`galley journal list|export|verify|prune`: what was played on this box.

For: whoever looks after a box, or after a question of the rules. Reading works while the box runs, and on a
file that was set aside (`--file`); pruning needs the box to be at rest.
"""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from galley.arguments import Number
from galley.data_folder import JOURNAL, FolderInUse, Hold, data_folder, told

DAY_S = 24 * 3600


@click.group(invoke_without_command=True)
@click.pass_context
def journal(ctx: click.Context) -> None:
    """Look at the games that were played on this box."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError(f"journal: say what to do: {', '.join(sorted(journal.commands))}")


def _where(command: click.decorators.FC) -> click.decorators.FC:
    folder = click.option("--data", metavar="DIR", help="The box's data folder.")
    file = click.option("--file", metavar="FILE", help="Another journal, as one that was set aside.")
    return folder(file(command))


@journal.command("list")
@_where
def list_(data: str | None, file: str | None) -> None:
    """List the games: number, begin (UTC), game, steps, how it ended, seats."""
    from galley.journal_reader import games

    with _opened(_path(data, file)) as connection:
        for game in games(connection):
            click.echo(game.line)


@journal.command()
@click.argument("number", type=Number(1, 2**53), required=False, metavar="[NUMBER]")
@_where
def export(number: int | None, data: str | None, file: str | None) -> None:
    """Print the record of a game, the last one if no number is given, as `galley replay` reads it."""
    from galley.journal_reader import numbers, record_lines

    path = _path(data, file)
    with _opened(path) as connection:
        known = numbers(connection)
        if number is None and not known:
            raise click.ClickException(f"{path} holds no game yet: play one")
        wanted = known[-1] if number is None else number
        if wanted not in known:
            raise click.UsageError(f"there is no game {wanted} in {path}: galley journal list shows them")
        sys.stdout.flush()
        for line in record_lines(connection, wanted):
            sys.stdout.buffer.write(line.encode())


@journal.command()
@_where
def verify(data: str | None, file: str | None) -> None:
    """Play every game again and name whatever does not fit."""
    from galley.journal_reader import numbers
    from galley.journal_verify import findings

    path = _path(data, file)
    with _opened(path) as connection:
        wrong = 0
        for finding in findings(connection):
            click.echo(f"FAIL {finding}")
            wrong += 1
        if not wrong:
            click.echo(f"ok   {path}: {len(numbers(connection))} games, every step fits")
    sys.exit(1 if wrong else 0)


@journal.command()
@click.option("--keep", type=Number(0, 2**53), metavar="N", help="Keep the newest N games.")
@click.option("--older-than", type=Number(0, 36500), metavar="DAYS", help="Delete games older than that.")
@click.option("--data", metavar="DIR", help="The box's data folder.")
def prune(keep: int | None, older_than: int | None, data: str | None) -> None:
    """Delete old games; with both options, those that neither would keep. The game on the table stays."""
    if keep is None and older_than is None:
        raise click.UsageError("name what may go: --keep N, --older-than DAYS, or both")
    path = _path(data, None)
    from galley.journal_prune import prune as pruned
    from galley.journal_schema import Damaged, JournalRefused, looked_at

    before_s = None if older_than is None else int(time.time()) - older_than * DAY_S
    try:
        looked_at(path)
        with Hold(path.parent):
            gone = pruned(path, keep=keep, before_s=before_s)
    except FileNotFoundError:
        raise click.ClickException(_nothing(path)) from None
    except (FolderInUse, JournalRefused, Damaged) as error:
        raise click.ClickException(f"nothing was deleted: {error}") from None
    except (OSError, sqlite3.Error) as error:
        raise click.ClickException(f"nothing was deleted: {told(error)}") from None
    click.echo(f"{gone} games deleted")


def _path(data: str | None, file: str | None) -> Path:
    if data is not None and file is not None:
        raise click.UsageError(f"--file {file}: name a folder with --data or a file, not both")
    if file is None:
        return data_folder(data) / JOURNAL
    if not Path(file).exists():
        raise click.UsageError(f"--file {file}: there is no such file, name a journal")
    return Path(file)


def _nothing(path: Path) -> str:
    return f"there is no journal at {path}: play a game first, or name the folder with --data"


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """The journal to read. Fails with one sentence."""
    from galley.journal_schema import Damaged, JournalRefused, to_read

    connection = None
    try:
        connection = to_read(path)
        yield connection
    except (Damaged, JournalRefused) as error:
        raise click.ClickException(str(error)) from None
    except FileNotFoundError:
        raise click.ClickException(_nothing(path)) from None
    except (OSError, sqlite3.Error) as error:
        if isinstance(error, OSError) and error.filename is None:
            raise  # of the output, which is not ours to explain
        why = told(error).removeprefix(f"{path}: ")
        raise click.ClickException(f"{path} cannot be read: {why}") from None
    finally:
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()
