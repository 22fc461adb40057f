"""Whether the files of `galley service install` are there and hold what they must.

For: `galley service check`, on this machine or on one that is being made below another root. It reads only.

A unit is looked at line by line for what a box relies on (its watchdog, what it may write, what it may
open), and given to `systemd-analyze verify` where that is present. What only the running machine can tell,
as whether the programs and the user exist, is looked at where the root is the machine's own.
"""

from __future__ import annotations

import os
import pwd
import re
import shlex
import shutil
import stat
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from galley.findings import FAIL, NOTE, OK, Finding
from galley.service_units import GALLEY, HOST_UNIT, KIOSK_UNIT, RULES, TEMPLATES, beneath, user_of

Section = Mapping[str, list[str]]
AGAIN: Final = f"run sudo {GALLEY} service install again"
ELSEWHERE: Final = "put galley where everybody may look, as in /opt, or install with --user-name of its owner"
ANALYSE_S: Final = 60.0
NO_PROGRAM: Final = "is not executable"

MUST: Final[Mapping[str, Mapping[tuple[str, str], str]]] = {
    HOST_UNIT: {
        ("Service", "Type"): r"notify",
        ("Service", "WatchdogSec"): r"[1-9]\d*s?",
        ("Service", "Restart"): r"always",
        ("Service", "ExecStart"): r".* -m galley .*--no-browser.*",
        ("Service", "User"): r"(?!root$).+",
        ("Service", "SupplementaryGroups"): r".*\bdialout\b.*",
        ("Service", "NoNewPrivileges"): r"yes|true",
        ("Service", "PrivateTmp"): r"yes|true",
        ("Service", "ProtectSystem"): r"strict",
        ("Service", "ReadWritePaths"): r".*/.*",
        ("Service", "DeviceAllow"): r"char-ttyACM rw",
        ("Install", "WantedBy"): r".+",
    },
    KIOSK_UNIT: {
        ("Service", "ExecStart"): r".*--kiosk .*--autoplay-policy=no-user-gesture-required.*",
        ("Service", "Restart"): r"always",
        ("Service", "User"): r"(?!root$).+",
        ("Unit", "After"): r".*\bgalley\.service\b.*",
        ("Install", "WantedBy"): r".+",
    },
}
"""Unit -> what (section, key) must match; of a key that stands there more than once, one line must."""

MUST_RULES: Final = ('ATTRS{manufacturer}=="Galley"', 'GROUP="dialout"', "ID_MM_DEVICE_IGNORE", "uaccess")


def check(root: Path, *, is_own: bool) -> Iterator[Finding]:
    """All that can be said about the installation below `root`; `is_own`: it is this machine's own."""
    for path in TEMPLATES:
        try:
            text = beneath(root, path).read_text("utf-8")
        except (OSError, ValueError):
            yield Finding(FAIL, "files", f"{beneath(root, path)} is not there or cannot be read", AGAIN)
            continue
        wrong = list(_wrong(path, text))
        yield from wrong
        if not wrong:
            yield Finding(OK, "files", f"{beneath(root, path)} holds what it must")
        if path in MUST:
            if is_own:
                yield from _machine(path, text)
            yield from _verified(beneath(root, path), is_own=is_own)


def _wrong(path: str, text: str) -> Iterator[Finding]:
    """What a file lacks."""
    name = Path(path).name
    if path == RULES:
        for words in MUST_RULES:
            if words not in text:
                yield Finding(FAIL, "udev", f"{name} says nothing of {words}", AGAIN)
    if path not in MUST:
        return
    sections = parsed(text)
    for (section, key), pattern in MUST[path].items():
        values = sections.get(section, {}).get(key, [])
        if not any(re.fullmatch(pattern, value) for value in values):
            seen = f"{key}={values[-1]}" if values else f"no {key}="
            yield Finding(FAIL, "unit", f"{name}: {seen} in [{section}]", AGAIN)


def parsed(text: str) -> Mapping[str, Section]:
    """A unit file: section -> key -> values, with lines that a backslash continues joined.

    Comments and empty lines are left out, as is what stands before the first section.
    """
    sections: dict[str, dict[str, list[str]]] = {}
    section: dict[str, list[str]] = {}
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        if not line.strip() or line[0] in "#;":
            continue
        if line.startswith("[") and line.rstrip().endswith("]"):
            section = sections.setdefault(line.strip()[1:-1], {})
        else:
            key, _, value = line.partition("=")
            section.setdefault(key.strip(), []).append(value.strip())
    return sections


def _machine(path: str, text: str) -> Iterator[Finding]:
    """What a unit names and this machine must have."""
    name, service = Path(path).name, parsed(text).get("Service", {})
    user, entry = user_of(text), None
    try:
        entry = pwd.getpwnam(user)
    except KeyError:
        yield Finding(FAIL, "user", f"{name}: there is no user {user!r}", "run sudo systemd-sysusers")
    for line in service.get("ExecStart", []):
        for program in _programs(line):
            if not os.access(program, os.X_OK):
                yield Finding(FAIL, "program", f"{name}: {program} is not there", f"install it, or {AGAIN}")
            elif entry is not None and (closed := _closed_to(entry, Path(program))) is not None:
                seen = f"{name}: {program} is behind {closed}, which {user} may not enter"
                yield Finding(FAIL, "program", seen, ELSEWHERE)
    for line in service.get("ReadWritePaths", []):
        for folder in shlex.split(line.replace("%%", "%")):
            if not Path(folder).is_dir():
                yield Finding(
                    FAIL, "data", f"{name}: {folder} is not there", "run sudo systemd-tmpfiles --create"
                )


def _closed_to(user: pwd.struct_passwd, program: Path) -> Path | None:
    """What on the way to `program`, itself included, `user` may not pass: most homes are closed to others."""
    groups = os.getgrouplist(user.pw_name, user.pw_gid)
    for place in (*reversed(program.parents), *reversed(program.resolve().parents), program):
        status = place.stat()
        own, ours = status.st_uid == user.pw_uid, status.st_gid in groups
        bit = stat.S_IXUSR if own else stat.S_IXGRP if ours else stat.S_IXOTH
        if user.pw_uid != 0 and not status.st_mode & bit:
            return place
    return None


def _programs(line: str) -> list[str]:
    """The programs of a command: its first word, and after -- what that one starts."""
    words = shlex.split(line.replace("%%", "%").replace("$$", "$"))
    after = words.index("--") + 1 if "--" in words else 0
    return [words[0], *([words[after]] if 0 < after < len(words) else [])] if words else []


def _verified(unit: Path, *, is_own: bool) -> Iterator[Finding]:
    """What systemd itself says of a unit. That a program is not here matters only on the box itself."""
    program = shutil.which("systemd-analyze")
    if program is None:
        yield Finding(NOTE, "systemd", f"{unit.name}: no systemd-analyze here", "check again on the box")
        return
    call = [program, "verify", "--man=no", "--recursive-errors=no", str(unit)]
    try:
        done = subprocess.run(
            call,
            check=False,
            capture_output=True,
            text=True,
            timeout=ANALYSE_S,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        yield Finding(NOTE, "systemd", f"{unit.name}: systemd-analyze failed ({error})", "check again later")
        return
    said = [line for line in done.stderr.splitlines() if unit.name in line]
    for line in said:
        if NO_PROGRAM in line and not is_own:
            seen = f"{unit.name}: {_brief(line, unit)}, on this machine"
            yield Finding(NOTE, "systemd", seen, "install it on the box")
            continue
        yield Finding(FAIL, "systemd", f"{unit.name}: systemd says: {_brief(line, unit)}", AGAIN)
    if not said:
        yield Finding(OK, "systemd", f"{unit.name}: systemd-analyze has nothing against it")


def _brief(line: str, unit: Path) -> str:
    return line.replace(f"{unit}:", "line ").replace(f"{unit.name}: ", "").strip()
