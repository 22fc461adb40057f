"""`galley firmware`: the boards' files onto their drives and whether they are there; `galley boards`: who is.

    galley boards [--json]
    galley firmware flash [--role ROLE] [--drive PATH] [--restart/--no-restart]
    galley firmware verify [--role ROLE] [--drive PATH]
    galley firmware uf2 --role ROLE --runtime FILE --out FILE
    galley firmware wiring [--out DIR]

`--drive` may be any folder, which is how it is tested. While a Galley runs on this machine nothing is
flashed: its game would lose the board.
"""

from __future__ import annotations

import os
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

import click

from galley.data_folder import data_folder
from galley_board import wire

if TYPE_CHECKING:
    from galley.drives import Drive
    from galley.firmware import Tree
    from galley.ports import BoardPort

ROLES: Final = tuple(role for role in wire.ROLES if role)
SETTINGS: Final = "settings.toml"
CHIPS: Final = {"pico": "raspberry_pi_pico", "pico2": "raspberry_pi_pico2"}
WAIT_FOR_DRIVE_S: Final = 30.0
role_option = click.option("--role", type=click.Choice(ROLES), help="Else that of its settings.toml.")
drive_option = click.option(
    "--drive",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The board's drive, if it cannot be found, or any folder.",
)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def boards(as_json: bool) -> None:
    """List the boards: role, identity, firmware, port, how good the link is."""
    import asyncio
    import json

    from galley.doctor_boards import look
    from galley.ports import system_ports
    from galley.starting import DEFAULT_PORT, answer_of, galley_at

    entries = None if galley_at(DEFAULT_PORT) is None else answer_of(DEFAULT_PORT, "api/boards")
    if entries is None:
        entries = asyncio.run(look(system_ports()[0]))
    present = [entry for entry in entries if entry["port"] is not None]
    if as_json:
        click.echo(json.dumps(present, indent=1))
    elif not present:
        click.echo("no boards: plug one in, or look at them with galley doctor")
    for entry in () if as_json else present:
        counters = entry["counters"]
        link = (
            f"{counters['bad_frames']} bad frames, {counters['resends']} resends" if counters else "no link"
        )
        trip = f"{entry['round_trip_us'] / 1000:.1f} ms" if entry["round_trip_us"] else "-"
        kind = "simulated" if entry["simulated"] else entry["identity"] or "-"
        click.echo(
            f"{entry['role']:<8}{entry['state']:<9}{kind:<18} firmware {entry['firmware'] or '-':<8}"
            f"{entry['port']:<16}round trip {trip}, {link}"
        )


@click.group()
def firmware() -> None:
    """Bring the boards' files onto their drives."""


@firmware.command()
@role_option
@drive_option
@click.option("--restart/--no-restart", default=True, help="Restart the board and await its hello.")
@click.option("--data", metavar="DIR", help="Where the files that were there are kept.")
def flash(role: str | None, drive: Path | None, restart: bool, data: str | None) -> None:
    """Write the files of a role onto a board's drive, read them back, and restart the board."""
    from galley.firmware import FirmwareError, keep, write
    from galley.starting import DEFAULT_PORT, galley_at

    running = galley_at(DEFAULT_PORT)
    if running is not None:
        _fail(f"Galley runs here (process {running.get('pid')}) and would lose the board: end it first")
    target = _drive(drive, may_open=restart)
    wanted = _tree(target.path, role)
    try:
        stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
        kept = keep(target.path, data_folder(data) / "firmware" / f"{wanted.role}-{stamp}", wanted)
        written = write(target.path, wanted)
    except FirmwareError as error:
        _fail(str(error))
    except OSError as error:
        _fail(f"{error.filename}: {(error.strerror or str(error)).lower()}: nothing was written")
    click.echo(f"{target.path}: {len(written)} of {len(wanted.files)} files written, all read back")
    if kept is not None:
        click.echo(f"what was there is kept in {kept}")
    if restart:
        _restart(target, wanted)


@firmware.command()
@role_option
@drive_option
def verify(role: str | None, drive: Path | None) -> None:
    """Compare a board's drive with the files of its role; exit status 1 if they differ."""
    from galley.firmware import differences

    target = _drive(drive, may_open=False)
    wanted = _tree(target.path, role)
    found = differences(target.path, wanted)
    for line in found:
        click.echo(line)
    if found:
        _fail(f"{target.path} is not what a {wanted.role} has: galley firmware flash mends it")
    click.echo(
        f"{target.path} has the {wanted.role}'s {len(wanted.files)} files, firmware {wanted.fingerprint:06x}"
    )


@firmware.command()
@click.option("--role", type=click.Choice(ROLES), required=True)
@click.option(
    "--runtime", type=click.Path(exists=True, dir_okay=False), required=True, help="CircuitPython's UF2."
)
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="The file to make."
)
@click.option("--chip", type=click.Choice(sorted(CHIPS)), default="pico2", show_default=True)
def uf2(role: str, runtime: str, out: Path, chip: str) -> None:
    """Make one file of CircuitPython and a role's files, to drag onto a board in its bootloader."""
    import tempfile

    from galley.firmware import tree, write

    try:
        import folder2uf2
    except ImportError:
        _fail("folder2uf2 is not installed: .venv/bin/pip install -e '.[uf2]'")
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), tree(role))
        arguments = ["--board", CHIPS[chip], "--combine", runtime, "-o", str(out), "--no-extra-files", folder]
        try:
            with open(os.devnull, "w", encoding="utf-8") as nowhere:
                stdout, sys.stdout = sys.stdout, nowhere
                try:
                    status = folder2uf2.main(arguments)
                finally:
                    sys.stdout = stdout
        except (SystemExit, ValueError, OSError) as error:
            _fail(f"{runtime} could not be used ({error}): give a UF2 of CircuitPython for the {chip}")
    if status:
        _fail(f"{runtime} could not be used: give a UF2 of CircuitPython for the {chip}")
    click.echo(f"{out}: CircuitPython and the {role}'s files, {out.stat().st_size} bytes")


@firmware.command()
@click.option(
    "--out",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Write pictures into this folder instead.",
)
def wiring(out: Path | None) -> None:
    """Print which pin is joined to what, or draw it, a picture for each role."""
    from galley.wiring import picture, table

    if out is None:
        click.echo(table(), nl=False)
        return
    for role in ROLES:
        path = out / f"wiring-{role}.svg"
        try:
            path.write_text(picture(role), "utf-8")
        except OSError as error:
            _fail(f"{path}: {(error.strerror or str(error)).lower()}: name another folder with --out")
        click.echo(str(path))


def _tree(folder: Path, role: str | None) -> Tree:
    """The tree for a drive: its own settings stay, with the role put into them."""
    from galley.firmware import FirmwareError, tree

    settings = None
    path = folder / SETTINGS
    if path.is_file():
        settings = path.read_text("utf-8", "replace")
    found = re.search(r'(?m)^\s*GALLEY_ROLE\s*=\s*"?(\w+)"?', settings or "")
    wanted = role or (found[1] if found else None)
    if wanted is None:
        raise click.UsageError(f"--role: {folder} does not say which board it is, use {', '.join(ROLES)}")
    try:
        return tree(wanted, settings)
    except FirmwareError as error:
        _fail(str(error))


def _drive(given: Path | None, *, may_open: bool) -> Drive:
    """The drive to use: the one given, the only one that is mounted, or one that a board opens for us."""
    from galley.drives import drive_at, mounted

    if given is not None:
        return drive_at(given)
    found = mounted()
    if not found and may_open:
        found = _opened()
    if not found:
        _fail("no board's drive is mounted: plug a board in, or name its folder with --drive")
    if len(found) > 1:
        paths = ", ".join(str(drive.path) for drive in found)
        _fail(f"there are {len(found)} boards' drives ({paths}): name one with --drive")
    return found[0]


def _opened() -> list[Drive]:
    """A board in production hides its drive: ask the only one there is to show it, once."""
    import asyncio

    from galley.drives import mounted
    from galley.firmware_board import NoAnswer, hello_of
    from galley.ports import system_ports

    ports, _ = system_ports()
    if len(ports) != 1:
        return []
    click.echo(f"asking the board at {ports[0].path} to show its drive")

    async def ask() -> list[Drive]:
        await hello_of(ports[0], then=wire.OPEN_DRIVE)
        try:
            async with asyncio.timeout(WAIT_FOR_DRIVE_S):
                while not (found := mounted()):  # noqa: ASYNC110 - no event tells of a mount
                    await asyncio.sleep(0.5)
                return found
        except TimeoutError:
            return []

    try:
        return asyncio.run(ask())
    except NoAnswer as error:
        _fail(str(error))


def _port_of(drive: Drive) -> BoardPort | None:
    """The data port of the board that the drive belongs to."""
    from galley.ports import system_ports

    ports, _ = system_ports()
    if drive.identity:
        ports = [port for port in ports if port.identity.upper() == drive.identity]
    return ports[0] if len(ports) == 1 else None


def _restart(drive: Drive, wanted: Tree) -> None:
    import asyncio

    from galley.firmware_board import NoAnswer, restarted

    port = _port_of(drive)
    if port is None:
        click.echo("the board's data port was not found: press its RESET")
        return
    try:
        hello = asyncio.run(restarted(port, wire.RESTART, lambda: _port_of(drive)))
    except NoAnswer as error:
        _fail(str(error))
    if hello.firmware != wanted.fingerprint:
        _fail(f"the board runs firmware {hello.firmware:06x}, not {wanted.fingerprint:06x}: press its RESET")
    click.echo(f"the board is back as {hello.role} with firmware {hello.firmware:06x}")


def _fail(sentence: str) -> NoReturn:
    raise click.ClickException(sentence)
