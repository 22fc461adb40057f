"""`galley backup FILE` and `galley restore FILE`: settings, calibration and journal in one file.

For: moving a box to another machine, or back to where it was. A backup may be made while the box runs.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import click

from galley.data_folder import FolderInUse, data_folder, told


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--data", metavar="DIR", help="The box's data folder.")
def backup(file: str, data: str | None) -> None:
    """Write settings, calibration and journal to a new file."""
    from galley.backup import back_up
    from galley.journal_schema import Damaged, JournalRefused

    folder = data_folder(data)
    try:
        if not folder.is_dir():
            raise click.ClickException(
                f"there is nothing at {folder}: play a game first, or name the folder with --data"
            )
        names = back_up(folder, Path(file))
    except FileExistsError as error:
        raise click.UsageError(str(error)) from None
    except (OSError, sqlite3.Error, Damaged, JournalRefused) as error:
        raise click.ClickException(f"no backup was made: {told(error)}") from None
    click.echo(f"{file} holds {', '.join(names) or 'nothing, as the folder does'}")


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--data", metavar="DIR", help="The box's data folder.")
def restore(file: str, data: str | None) -> None:
    """Put a backup in the place of the box's data, which is kept aside."""
    from galley.backup import BadBackup
    from galley.backup import restore as restored

    folder = data_folder(data)
    if not Path(file).exists():
        raise click.UsageError(f"restore {file}: there is no such file, name a backup")
    try:
        aside = restored(Path(file), folder)
    except BadBackup as error:
        raise click.UsageError(str(error)) from None
    except (OSError, FolderInUse) as error:
        raise click.ClickException(f"nothing was restored: {told(error)}") from None
    click.echo(f"{folder} is as in {file}")
    if aside is not None:
        click.echo(f"what was there before is in {aside}")
