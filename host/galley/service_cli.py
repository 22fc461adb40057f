"""`galley service install|check`: a machine that is a box from the moment it is switched on.

For: whoever sets one up. `install` writes files and says what to run then; it starts nothing. A file that is
there and says something else is kept beside the new one.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import click

from galley.arguments import Number
from galley.service_units import DEFAULT_CAGE, DEFAULT_CHROMIUM, DEFAULT_FOLDER, DEFAULT_USER, GALLEY


@click.group()
def service() -> None:
    """Start the box with the machine: systemd units for host and kiosk, a udev rule."""


@service.command()
@click.option("--user-name", metavar="NAME", default=DEFAULT_USER, show_default=True, help="Who runs it.")
@click.option("--dir", "folder", metavar="DIR", default=DEFAULT_FOLDER, show_default=True, help="Its data.")
@click.option("--port", type=Number(1, 65535), default=8765, show_default=True, help="Where pages are.")
@click.option("--root", metavar="PATH", default="/", show_default=True, help="Write below this folder.")
@click.option("--dry-run", is_flag=True, help="Show the files, write nothing.")
def install(user_name: str, folder: str, port: int, root: str, dry_run: bool) -> None:
    """Write the units, the user, the folder and the udev rule."""
    from galley.service_units import BadInstallation, Installation, beneath, files

    try:
        box = Installation(
            python=sys.executable,
            package=str(Path(__file__).resolve().parent),
            cage=shutil.which("cage") or DEFAULT_CAGE,
            chromium=_chromium(),
            user=user_name,
            folder=folder,
            port=port,
        )
    except BadInstallation as error:
        raise click.UsageError(str(error)) from None
    for path, text in files(box).items():
        place = beneath(Path(root), path)
        if dry_run:
            click.echo(f"# {place}\n{text}")
        else:
            try:
                click.echo(_write(place, text))
            except OSError as error:
                why = (error.strerror or str(error)).lower()
                raise click.ClickException(
                    f"{place} cannot be written ({why}): run it with sudo, or name a folder with --root"
                ) from None
    if not dry_run:
        click.echo("then run:")
        for line in THEN:
            click.echo(f"  {line}")


THEN = (
    "sudo systemd-sysusers && sudo systemd-tmpfiles --create galley.conf",
    "sudo udevadm control --reload && sudo udevadm trigger --subsystem-match=tty",
    "sudo systemctl daemon-reload && sudo systemctl enable --now galley.service",
    "sudo systemctl enable --now galley-kiosk.service    where this machine has the screen",
    f"{GALLEY} service check",
)


@service.command()
@click.option("--root", metavar="PATH", default="/", show_default=True, help="Look below this folder.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for programs.")
def check(root: str, as_json: bool) -> None:
    """Check what `install` wrote, with systemd's own check where it is present."""
    from galley.findings import json_of, status
    from galley.service_check import check as checked

    found = list(checked(Path(root), is_own=Path(root) == Path("/")))
    if as_json:
        click.echo(json_of(found))
    else:
        for finding in found:
            click.echo(finding.line)
    sys.exit(status(found))


def _chromium() -> str:
    named = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    return next((path for path in named if path), DEFAULT_CHROMIUM)


def _write(place: Path, text: str) -> str:
    """Write a file unless it says the same, keep what there was; a line on what was done. Raises OSError."""
    from galley.data_folder import dated

    aside = ""
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_file():
        if place.read_bytes() == text.encode():
            return f"{place} is as it should be"
        kept = dated(place, "before")
        place.rename(kept)
        aside = f", what was there is kept as {kept.name}"
    new = place.with_name(f".{place.name}.new")
    new.write_text(text, "utf-8")
    os.chmod(new, 0o644)
    new.replace(place)
    return f"{place} written{aside}"
