"""The files of a board: which they are for a role, and how they get onto its drive whole.

For: `galley firmware` and whoever asks whether a board runs what it should. It works on any folder. It must
not know ports or boards that run.

A tree is our files, the pixels' library from the package that is installed (else the copy in the checkout),
a settings.toml for the role, and `lib/versions.json`, which names what it was made of. What was there before
can be kept in another folder. The libraries are written first and `code.py` last, each is brought to the
disk and read back: a cable pulled in between leaves a board that still starts, or says what is missing.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

from galley import __version__
from galley.sim.boards import firmware_folder
from galley_board import identity, wire

ROLES: Final = tuple(role for role in wire.ROLES if role)
PIXELS_PACKAGE: Final = "adafruit-circuitpython-neopixel"
LIBRARY: Final = "lib/galley_board"
SETTINGS: Final = "settings.toml"
VERSIONS: Final = "lib/versions.json"
LAST: Final = ("safemode.py", "boot.py", "code.py")
"""What starts the board is written when all that it needs is there."""


class FirmwareError(Exception):
    """A tree could not be made, written or read back; the message says what and where, and the remedy."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A role's files by path, and `fingerprint`, the 24 bits that a board with them tells in its hello."""

    role: str
    files: Mapping[str, bytes]
    fingerprint: int

    def in_order(self) -> Iterator[tuple[str, bytes]]:
        """The files as they have to be written."""
        last = [name for name in LAST if name in self.files]
        for name in (*sorted(set(self.files) - set(last)), *last):
            yield name, self.files[name]


def tree(role: str, settings: str | None = None) -> Tree:
    """The files for a board of this role. `settings` is a settings.toml to keep, with the role put into it.

    Raises FirmwareError for an unknown role, or where the files are not to be found.
    """
    if role not in ROLES:
        raise FirmwareError(f"there is no role {role!r}: use {', '.join(ROLES)}")
    folder = firmware_folder()
    files = {name: (folder / name).read_bytes() for name in LAST}
    for path in sorted((folder / LIBRARY).glob("*.py")):
        files[f"{LIBRARY}/{path.name}"] = path.read_bytes()
    pixels, version = _pixels(folder)
    files["lib/neopixel.py"] = pixels
    example = (folder / f"{SETTINGS}.example").read_text("utf-8")
    files[SETTINGS] = with_role(example if settings is None else settings, role).encode()
    made_of = {"galley": __version__, PIXELS_PACKAGE: version, "role": role}
    files[VERSIONS] = (json.dumps(made_of, indent=1, sort_keys=True) + "\n").encode()
    return Tree(role, files, identity.fingerprint(str(folder / LIBRARY)))


def _pixels(folder: Path) -> tuple[bytes, str]:
    """neopixel.py of the installed package and its version, else the checkout's copy."""
    try:
        package = metadata.distribution(PIXELS_PACKAGE)
        for file in package.files or ():
            if file.name == "neopixel.py":
                return Path(str(package.locate_file(file))).read_bytes(), package.version
    except (metadata.PackageNotFoundError, OSError):
        pass
    return (folder / "lib" / "neopixel.py").read_bytes(), "as in the checkout"


def with_role(settings: str, role: str) -> str:
    """A settings.toml with this role in it; every other line stays."""
    line = f'GALLEY_ROLE = "{role}"'
    changed, found = re.subn(r"(?m)^\s*GALLEY_ROLE\s*=.*$", line, settings)
    return changed if found else f"{line}\n{settings}"


def differences(folder: Path, wanted: Tree) -> list[str]:
    """What is not on the drive as it should be, a line each; settings.toml only has to name the role."""
    found: list[str] = []
    for name, data in wanted.files.items():
        path = folder / name
        try:
            there = path.read_bytes()
        except OSError:
            found.append(f"{name} is missing")
            continue
        # the rest of the settings is whoever built the board's
        own = with_role(there.decode("utf-8", "replace"), wanted.role).encode() if name == SETTINGS else data
        if there != own:
            found.append(f"{name} is another")
    found += [f"{name} does not belong there" for name in strays(folder, wanted)]
    return found


def strays(folder: Path, wanted: Tree) -> list[str]:
    """Files in our library's folder that the tree has not: a board would run or count them."""
    library = folder / LIBRARY
    if not library.is_dir():
        return []
    names = (f"{LIBRARY}/{path.name}" for path in sorted(library.iterdir()) if path.suffix in (".py", ".mpy"))
    return [name for name in names if name not in wanted.files]


def keep(folder: Path, aside: Path, wanted: Tree) -> Path | None:
    """Copy what the drive has of the tree's files, and what would be deleted, to `aside`; None if nothing."""
    names = [name for name in (*wanted.files, *strays(folder, wanted)) if (folder / name).is_file()]
    if not names:
        return None
    for name in names:
        copy = aside / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / name, copy)
    return aside


def write(folder: Path, wanted: Tree) -> list[str]:
    """Bring the tree onto the drive and read it back; the names that were written, in order.

    Files that are there already are left alone: flash wears. Raises FirmwareError.
    """
    written: list[str] = []
    try:
        for name, data in wanted.in_order():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.is_file() or path.read_bytes() != data:
                _write(path, data)
                written.append(name)
        for name in strays(folder, wanted):
            (folder / name).unlink()
        _flush(folder)
        for name, data in wanted.in_order():
            if hashlib.sha256(_from_disk(folder / name)).digest() != hashlib.sha256(data).digest():
                raise FirmwareError(
                    f"{folder / name} reads back as another: use another cable, then flash again"
                )
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise FirmwareError(f"{error.filename or folder}: {why}: check the drive and flash again") from error
    return written


def _write(path: Path, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _flush(folder: Path) -> None:
    """Linux writes late to USB drives, the folders last of all."""
    for name in (folder, folder / "lib", folder / LIBRARY):
        fd = os.open(name, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
    os.sync()


def _from_disk(path: Path) -> bytes:
    """A file as the drive has it, not as the system remembers it, where that can be had."""
    with open(path, "rb") as file:
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return file.read()
