"""What `galley doctor` looks at on this machine: Python, files, disk, port, browser, sound, permission.

For: `doctor`. Each check is given the `Patient` and yields findings, each with one remedy. It must not open a
board.
"""

from __future__ import annotations

import errno
import grp
import json
import os
import platform
import pwd
import shutil
import sqlite3
import sys
import tempfile
import time
import webbrowser
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from galley.box_options import LANGUAGES
from galley.data_folder import JOURNAL, SIDE_FILES
from galley.findings import FAIL, NOTE, OK, Finding
from galley.journal import CHECKED_WHOLE_BYTES
from galley.journal_reader import numbers
from galley.journal_schema import Damaged, JournalRefused, judged, to_read
from galley.starting import CannotStart, bind, has_screen
from galley.web.app import STATIC, load_site

PACKAGES: Final = ("click", "pyserial", "starlette", "uvicorn", "websockets")
PYTHON: Final = (3, 11)
LITTLE_SPACE_MB: Final = 50
WRITES: Final = 48
WRITE_BYTES: Final = 4096
SLOW_DISK_MS: Final = 200.0
PORT_GROUPS: Final = ("dialout", "uucp")
"""Who may open serial ports: on Debian and its kin, on Arch and its kin."""
CARDS: Final = Path("/proc/asound/cards")


@dataclass(frozen=True, slots=True)
class Patient:
    """What the checks are about: the port of the pages, the data folder, the Galley at that port if any."""

    port: int
    folder: Path
    galley: Mapping[str, Any] | None = None  # what it says of its health


def python_version(patient: Patient) -> Iterator[Finding]:
    """The interpreter and the machine."""
    seen = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    if sys.version_info < PYTHON:
        yield Finding(FAIL, "python", seen, f"install Python {PYTHON[0]}.{PYTHON[1]} or newer")
    else:
        yield Finding(OK, "python", seen)


def packages(patient: Patient) -> Iterator[Finding]:
    """What Galley needs is installed."""
    found, missing = [], []
    for name in PACKAGES:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    if found:
        yield Finding(OK, "packages", f"packages: {', '.join(found)}")
    if missing:
        yield Finding(
            FAIL,
            "packages",
            f"packages missing: {', '.join(missing)}",
            "delete .venv and run python3 host again",
        )


def pages(patient: Patient) -> Iterator[Finding]:
    """The pages' files are all there."""
    try:
        site = load_site("doctor")
    except FileNotFoundError as error:
        seen, _, remedy = str(error).partition(": ")
        yield Finding(FAIL, "pages", seen, remedy)
        return
    size_kb = sum(len(file.body) for file in site.files.values()) / 1000
    yield Finding(OK, "pages", f"pages: {len(site.files)} files, {size_kb:.0f} kB")


def languages(patient: Patient, static: Path = STATIC) -> Iterator[Finding]:
    """Every language has every word."""
    words: dict[str, set[str]] = {}
    for language in LANGUAGES:
        path = static / "lang" / f"{language}.json"
        try:
            words[language] = set(json.loads(path.read_text("utf-8")))
        except (OSError, ValueError):
            yield Finding(FAIL, "languages", f"{path} cannot be read", "install galley again")
    every = set().union(*words.values())
    for language, own in words.items():
        lacking = sorted(every - own)
        if lacking:
            yield Finding(
                NOTE,
                "languages",
                f"language {language} lacks {len(lacking)} of {len(every)} words, as {lacking[0]}",
                "update galley, or translate them in lang",
            )
    if words and all(own == every for own in words.values()):
        yield Finding(OK, "languages", f"languages: {', '.join(words)}, {len(every)} words each")


# --- Disk -----------------------------------------------------------------------------------------


def folder(patient: Patient) -> Iterator[Finding]:
    """The data folder: where it is, and whether it can be written."""
    place = patient.folder.absolute()
    there = _existing(place)
    if not there.is_dir():
        yield Finding(FAIL, "data", f"{there} is no folder", "move it away, or name another with --data")
    elif not os.access(there, os.R_OK | os.W_OK | os.X_OK):
        yield Finding(
            FAIL,
            "data",
            f"{there} cannot be read and written by {_own_name()}",
            "give it to this user, or name another with --data",
        )
    elif there == place:
        kept = sum(path.is_file() for path in place.iterdir())
        yield Finding(OK, "data", f"data folder {place}: {kept} files")
    else:
        yield Finding(OK, "data", f"data folder {place} will be made by the first start")


def journal_file(patient: Patient) -> Iterator[Finding]:
    """The journal that is there can be gone on with, and what was set aside is named."""
    path = patient.folder / JOURNAL
    try:
        games = _games_in(path)
    except FileNotFoundError:
        pass  # the first start makes one
    except JournalRefused as error:
        seen, _, remedy = str(error).partition(": ")
        yield Finding(FAIL, "journal", seen, remedy)
    except Damaged as error:
        yield Finding(NOTE, "journal", str(error), "the next start keeps it aside and begins a new one")
    except (OSError, sqlite3.Error) as error:
        yield Finding(FAIL, "journal", f"{path} cannot be read ({error})", f"give it to {_own_name()}")
    else:
        if os.access(path, os.W_OK):
            yield Finding(OK, "journal", f"journal: {games} games")
        else:
            yield Finding(FAIL, "journal", f"{path} may only be read", f"give it to {_own_name()}")
    for name in _set_aside(patient.folder):
        remedy = f"look at it by galley journal verify --file {patient.folder / name}, then move it away"
        yield Finding(NOTE, "journal", f"{name} was damaged or foreign and is kept aside", remedy)


def _games_in(path: Path) -> int:
    """How many; a file that is not too large is read from end to end. Raises as `to_read`."""
    try:
        with closing(to_read(path)) as connection:
            if path.stat().st_size <= CHECKED_WHOLE_BYTES:
                found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
                if found != "ok":
                    raise Damaged(f"{path} is damaged ({' '.join(found.split())})")
            return len(numbers(connection))
    except sqlite3.Error as error:
        raise judged(error, path) from error


def _set_aside(folder: Path) -> list[str]:
    """The journals there that a start put aside."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [
        name for name in names if name.startswith(f"{JOURNAL}.damaged-") and not name.endswith(SIDE_FILES)
    ]


def journal(patient: Patient) -> Iterator[Finding]:
    """Small writes reach the disk, and how long that takes."""
    try:
        took_ms = sorted(_write_times_ms(_existing(patient.folder)))
    except OSError as error:
        remedy = "make room" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "make the disk writable"
        yield Finding(FAIL, "journal", f"the journal cannot be written ({error.strerror})", remedy)
        return
    p50_ms, p99_ms = took_ms[len(took_ms) // 2], took_ms[int(0.99 * len(took_ms))]
    seen = f"journal: a small write is on the disk in {p50_ms:.1f} ms, p99 {p99_ms:.1f} ms"
    if p99_ms > SLOW_DISK_MS:
        yield Finding(NOTE, "journal", seen, "pages will lag; use a better card or disk")
    else:
        yield Finding(OK, "journal", seen)


def _write_times_ms(place: Path) -> list[float]:
    """How long WRITES small appends took, each with an fsync; the file is gone afterwards."""
    took_ms = []
    with tempfile.NamedTemporaryFile(dir=place, prefix=f"{JOURNAL}.doctor-") as file:
        for _ in range(WRITES):
            began_s = time.perf_counter()
            file.write(os.urandom(WRITE_BYTES))
            file.flush()
            os.fsync(file.fileno())
            took_ms.append((time.perf_counter() - began_s) * 1000)
    return took_ms


def _existing(place: Path) -> Path:
    """The folder itself, or the nearest above it that exists as far as can be seen."""
    return next(
        (each for each in (place.absolute(), *place.absolute().parents) if os.path.exists(each)), place
    )


def disk(patient: Patient) -> Iterator[Finding]:
    """Room on the disk."""
    free_mb = shutil.disk_usage(_existing(patient.folder)).free // 1_000_000
    if free_mb < LITTLE_SPACE_MB:
        yield Finding(FAIL, "disk", f"only {free_mb} MB are free on this disk", "make room")
    else:
        yield Finding(OK, "disk", f"{free_mb} MB are free on this disk")


# --- Port, browser, sound -------------------------------------------------------------------------


def web_port(patient: Patient) -> Iterator[Finding]:
    """The port of the pages is free, or a Galley has it that is well."""
    health = patient.galley
    if health is not None:
        seen = f"Galley {health['galley']} runs at port {patient.port} (process {health.get('pid')}), "
        seen += f"phase {health.get('phase')}, journal {health.get('journal')}"
        if health.get("ok") is True:
            yield Finding(OK, "port", seen)
        else:
            yield Finding(FAIL, "port", seen, "look at the journal line above, and at galley.log")
        return
    try:
        bind(patient.port).close()
    except CannotStart as error:
        seen, _, remedy = str(error).partition(": ")
        yield Finding(FAIL, "port", seen, remedy)
    else:
        yield Finding(OK, "port", f"port {patient.port} is free")


def browser(patient: Patient) -> Iterator[Finding]:
    """Something that can show the pages."""
    if not has_screen():
        yield Finding(
            NOTE, "browser", "no screen in this session", "open the pages from one that has, on this machine"
        )
        return
    try:
        yield Finding(OK, "browser", f"browser: {webbrowser.get().__class__.__name__}")
    except webbrowser.Error:
        yield Finding(NOTE, "browser", "no browser found", "install one, or open the pages by hand")


def audio(patient: Patient, cards: Path = CARDS) -> Iterator[Finding]:
    """A sound card, where the system tells. A page sounds after the first touch, or in kiosk mode at once."""
    if platform.system() != "Linux":
        yield Finding(NOTE, "audio", "sound cannot be looked at here", "touch a page once and listen")
        return
    try:
        named = [line.partition(" - ")[2] for line in cards.read_text("utf-8", "replace").splitlines()]
    except OSError:
        named = []
    found = [name for name in named if name]
    if found:
        yield Finding(OK, "audio", f"sound card: {found[0]} (a page sounds after its first touch)")
    else:
        yield Finding(NOTE, "audio", "no sound card", "all sounds can be seen too; plug one in to hear them")


# --- Permission -----------------------------------------------------------------------------------


def dialout(patient: Patient) -> Iterator[Finding]:
    """Whether this person may open serial ports at all."""
    named = [group for group in grp.getgrall() if group.gr_name in PORT_GROUPS]
    own = {*os.getgroups(), os.getegid()}
    name = _own_name()
    if os.geteuid() == 0:
        yield Finding(OK, "dialout", "root may open every port")
    elif not named:
        yield Finding(OK, "dialout", f"no group {' or '.join(PORT_GROUPS)} guards the ports here")
    elif any(group.gr_gid in own for group in named):
        yield Finding(OK, "dialout", f"{name} may open serial ports (group {named[0].gr_name})")
    elif any(name in group.gr_mem for group in named):
        yield Finding(
            NOTE, "dialout", f"{name} has just come into group {named[0].gr_name}", "log out and in again"
        )
    else:
        yield Finding(
            NOTE,
            "dialout",
            f"{name} is not in group {named[0].gr_name}, so boards may be refused",
            f"run sudo usermod -aG {named[0].gr_name} {name}, log out and in again",
        )


def _own_name() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:  # a user that only has a number, as in a container
        return str(os.geteuid())
