"""What whoever started the box is told, and the page that is opened for her.

For: the terminal of a start, in English like every command, and the browser of a machine with a screen. It
must not know the house, nor anything that happens later.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Sequence

import click

from galley import __version__, lan
from galley.starting import ADDRESS, Settings, has_screen


def greet(settings: Settings, simulated: bool, lan_url: str | None, pin: str, remarks: Sequence[str]) -> None:
    """Say what runs, where its pages are and what the start had to say; `lan_url` is for other machines."""
    for remark in remarks:
        click.echo(f"galley: {remark}", err=True)
    boards = "simulated boards" if simulated else "the boards that are plugged in"
    click.echo(f"Galley {__version__} plays on {boards}.", err=True)
    click.echo(f"  the table  {_url(settings)}\n  the box    {_url(settings, '/box')}", err=True)
    click.echo(f"  the crew   {_url(settings, '/service')}", err=True)
    if lan_url is not None:
        click.echo(f"  others     {lan_url}\n{lan.qr_terminal(lan_url)}", err=True)
        _tell_pin(settings, pin)
    click.echo("Ctrl-C ends it.", err=True)


def _tell_pin(settings: Settings, pin: str) -> None:
    """The PIN only where a person reads it, never into a log."""
    if sys.stderr.isatty():
        click.echo(f"  PIN        {pin}", err=True)
    elif settings.pin is None:
        click.echo("  PIN        not shown, as this is no terminal: start with --pin-file FILE", err=True)


async def open_browser(settings: Settings, simulated: bool) -> None:
    """Open the virtual box where boards are simulated, else the table, if that is wanted and can be seen."""
    if not (settings.browser and has_screen()):
        return
    with contextlib.suppress(OSError):
        opener = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "webbrowser",
            _url(settings, "/box" if simulated else "/"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        await opener.wait()


def _url(settings: Settings, path: str = "/") -> str:
    return f"http://{ADDRESS}:{settings.port}{path}"
