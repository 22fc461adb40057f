"""Everything a box must not lose, in one file, and back from it.

For: `galley backup` and `galley restore`. It knows which files of the data folder last, not what is in them;
only the journal is opened, to copy it whole while a box writes to it.

A backup is a zip: the files, then `manifest.json` with the form, Galley's version and for each file its
length and sha256. It is read as if a stranger had made it: names are plain, lengths are those of the
manifest, and nothing is put in place before all of it has been read and compared. What was in the folder
before is moved aside, never overwritten.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import sqlite3
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from hashlib import file_digest, sha256
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final

from galley.data_folder import JOURNAL, LOCK, SIDE_FILES, Hold, dated, flushed
from galley.journal_schema import Damaged, JournalRefused, to_read
from galley_engine import VERSION

FORM: Final = 1
MANIFEST: Final = "manifest.json"
LONGEST_MANIFEST: Final = 1_000_000
COPIED_AT_ONCE: Final = 1 << 20
UNPACKED: Final = ".restoring-"

NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}(/[A-Za-z0-9_][A-Za-z0-9_.-]{0,99})?")
PASSING: Final = re.compile(
    rf"{LOCK}|.*\.(new|log|tmp)|.*\.(damaged|restored)-.*|.*\.log\..*|"
    rf"{re.escape(JOURNAL)}({'|'.join(SIDE_FILES)})"
)
"""Files that are not the box's memory."""


class BadBackup(Exception):
    """The file is no whole backup that can be read here; the message is one sentence with the remedy."""


# --- Making one -----------------------------------------------------------------------------------


def back_up(folder: Path, to: Path) -> list[str]:
    """Write a backup of `folder` to a new file; the names of what is in it, which may be nothing.

    Raises FileExistsError, OSError, sqlite3.Error, Damaged or JournalRefused; then there is no file.
    """
    with tempfile.TemporaryDirectory(prefix="galley-backup-") as scratch:
        paths = dict(_lasting(folder))
        if JOURNAL in paths:
            paths[JOURNAL] = _copied_journal(paths[JOURNAL], Path(scratch) / JOURNAL)
        _write(to, paths)
    return sorted(paths)


def _lasting(folder: Path) -> Iterator[tuple[str, Path]]:
    """The files that a backup holds, by their names in it. Raises OSError for what cannot be listed."""
    found = sorted(folder.iterdir())
    inner = [sorted(path.iterdir()) for path in found if path.is_dir() and _lasts(path.name)]
    for path in (*found, *chain.from_iterable(inner)):
        name = path.relative_to(folder).as_posix()
        if not _lasts(name):
            continue
        if path.is_symlink():  # to follow it may lead anywhere, to leave it out would lose it
            raise OSError(errno.ELOOP, "it is a link: put what it leads to in its place", str(path))
        if path.is_file():
            yield name, path


def _lasts(name: str) -> bool:
    """Whether it is part of the box's memory."""
    return bool(NAME.fullmatch(name)) and not any(PASSING.fullmatch(part) for part in name.split("/"))


def _copied_journal(path: Path, copy: Path) -> Path:
    """A journal as it is at one moment, without side files."""
    source = to_read(path)
    try:
        target = sqlite3.connect(copy)
        try:
            source.backup(target)
            target.execute("PRAGMA journal_mode=DELETE")
        finally:
            target.close()
    finally:
        source.close()
    return copy


def _write(to: Path, paths: dict[str, Path]) -> None:
    try:
        to.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        raise FileExistsError(f"{to} exists already: name a new file, nothing is overwritten") from None
    try:
        with open(to, "wb") as opened:
            _pack(opened, paths)
            opened.flush()
            os.fsync(opened.fileno())
    except BaseException:
        to.unlink()
        raise


def _pack(opened: BinaryIO, paths: dict[str, Path]) -> None:
    files = {}
    with zipfile.ZipFile(opened, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, source in sorted(paths.items()):
            digest, length = sha256(), 0
            with open(source, "rb") as given, archive.open(name, "w", force_zip64=True) as taken:
                while block := given.read(COPIED_AT_ONCE):
                    digest.update(block)
                    length += len(block)
                    taken.write(block)
            files[name] = {"bytes": length, "sha256": digest.hexdigest()}
        archive.writestr(MANIFEST, json.dumps({"backup": FORM, "galley": VERSION, "files": files}, indent=1))


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


# --- Restoring one --------------------------------------------------------------------------------


def restore(file: Path, folder: Path) -> Path | None:
    """Put a backup in the place of what is in `folder`; where that is now, None if there was nothing.

    Raises BadBackup, FolderInUse if a box runs, or OSError; then the folder is as it was.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with Hold(folder):
        for path in folder.glob(f"{UNPACKED}*"):  # left by a restore that was killed
            shutil.rmtree(path, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=UNPACKED, dir=folder) as scratch:
            fresh = Path(scratch)
            names = _unpacked(file, fresh)
            _look_at_journal(file, fresh)
            return _exchanged(folder, fresh, names)


def _unpacked(file: Path, fresh: Path) -> list[str]:
    """Read and compare everything; the names."""
    try:
        with zipfile.ZipFile(file) as archive:
            manifest = _manifest(file, archive)
            listed = set(archive.namelist()) - {MANIFEST}
            if listed != manifest.keys() or len(archive.namelist()) != len(listed) + 1:
                raise BadBackup(f"{file} does not hold the files its manifest names: use an unchanged copy")
            for name, (length, digest) in manifest.items():
                _unpack(file, archive, name, length, fresh / name)
                with open(fresh / name, "rb") as opened:
                    if file_digest(opened, "sha256").hexdigest() != digest:
                        raise BadBackup(f"{file}: {name} is not what was backed up: use an unchanged copy")
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError, zlib.error) as error:
        raise BadBackup(f"{file} is damaged or no backup ({error}): use an unchanged copy") from None
    except OSError as error:
        if error.filename is None:  # of the reader of zips, not of the disk
            raise BadBackup(f"{file} is damaged or no backup ({error}): use an unchanged copy") from None
        raise
    return sorted(manifest)


def _manifest(file: Path, archive: zipfile.ZipFile) -> dict[str, tuple[int, str]]:
    """Of each file its length and sha256."""
    wrong = BadBackup(f"{file} has no manifest of a backup: it was not made by galley backup")
    if MANIFEST not in archive.namelist() or archive.getinfo(MANIFEST).file_size > LONGEST_MANIFEST:
        raise wrong
    with archive.open(MANIFEST) as opened:
        manifest = json.loads(opened.read(LONGEST_MANIFEST))
    if not isinstance(manifest, dict) or not isinstance(manifest.get("backup"), int):
        raise wrong
    if manifest["backup"] > FORM:
        raise BadBackup(f"{file} was made by a newer Galley ({manifest.get('galley')}): update this one")
    files = manifest.get("files")
    if not isinstance(files, dict):
        raise wrong
    known = {}
    for name, entry in files.items():
        length, digest = (
            (entry.get(key) for key in ("bytes", "sha256")) if isinstance(entry, dict) else (0, 0)
        )
        if type(length) is not int or not isinstance(digest, str):
            raise wrong
        if not _lasts(name):
            raise BadBackup(f"{file} holds {name!r}, which no backup does: use an unchanged copy")
        known[name] = (length, digest)
    return known


def _unpack(file: Path, archive: zipfile.ZipFile, name: str, length: int, to: Path) -> None:
    to.parent.mkdir(mode=0o700, exist_ok=True)
    left = length
    with archive.open(name) as given, open(to, "wb", opener=_private) as taken:
        while block := given.read(min(COPIED_AT_ONCE, left + 1)):
            left -= len(block)
            if left < 0:
                break
            taken.write(block)
        taken.flush()
        os.fsync(taken.fileno())
    if left:
        raise BadBackup(f"{file}: {name} is not as long as its manifest says: use an unchanged copy")


def _look_at_journal(file: Path, fresh: Path) -> None:
    path = fresh / JOURNAL
    if not path.exists():
        return
    try:
        connection = to_read(path)
        try:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        finally:
            connection.close()
    except (Damaged, JournalRefused, sqlite3.Error) as error:
        raise BadBackup(
            f"{file} cannot be restored: {str(error).replace(str(path), 'its journal')}"
        ) from None
    if found != "ok":
        raise BadBackup(f"{file} cannot be restored: its journal is damaged")


def _exchanged(folder: Path, fresh: Path, names: list[str]) -> Path | None:
    """Move what is in the folder aside, then the new files in; if that fails, everything back."""
    old = [path for path in sorted(folder.iterdir()) if path != fresh and not _stays(path.name)]
    aside = dated(folder / "before", "restored")
    moves = [(path, aside / path.name) for path in old]
    moves += [(fresh / top, folder / top) for top in sorted({name.partition("/")[0] for name in names})]
    if old:
        aside.mkdir(mode=0o700)
    moved: list[tuple[Path, Path]] = []
    try:
        for source, target in moves:
            source.rename(target)
            moved.append((source, target))
    except OSError:
        for source, target in reversed(moved):
            target.rename(source)
        raise
    flushed(folder)
    return aside if old else None


def _stays(name: str) -> bool:
    return name == LOCK or ".restored-" in name or ".damaged-" in name
