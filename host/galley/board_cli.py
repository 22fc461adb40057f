"""`galley board`: this Raspberry Pi's own pins as the deck, linked to a Galley on the same machine.

    galley board --role deck
    galley --connect tcp:127.0.0.1:8770

Only the deck: a station's presses race, and Linux does not promise the millisecond that a race needs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, TextIO

import click

from galley.arguments import Number
from galley.data_folder import data_folder

PORT: Final = 8770
ROLES: Final = ("deck",)


@click.command()
@click.option("--role", type=click.Choice(ROLES), required=True, help="Which board this is.")
@click.option("--port", type=Number(1, 65535), default=PORT, show_default=True, help="For the host.")
@click.option(
    "--settings",
    type=click.File("r", encoding="utf-8"),
    metavar="FILE",
    help="A settings.toml: other pins, or none for what is not there.",
)
@click.option("--data", metavar="DIR", help="Where the board's memory is kept.")
def board(role: str, port: int, settings: TextIO | None, data: str | None) -> None:
    """Be a board on this Raspberry Pi's own pins."""
    from galley.pi import machine, wiring

    text = "" if settings is None else settings.read()
    try:
        known = wiring.settings(role, text, "" if settings is None else settings.name)
        machine.become_a_board(known, port, Path(data_folder(data)) / f"{role}.nvm")
    except wiring.BadSettings as error:
        raise click.UsageError(str(error)) from error
    except machine.NoMachine as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"the {role} listens: galley --connect tcp:127.0.0.1:{port}")
    machine.run()
