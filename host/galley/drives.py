"""The USB drives of boards: where they are mounted, and which board each belongs to.

For: `galley firmware`. It reads the system's list of mounts and the file that CircuitPython leaves on its
drive; it must not write.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

LABEL: Final = "CIRCUITPY"
TOLD: Final = "boot_out.txt"
MOUNTS: Final = Path("/proc/self/mounts")


class Drive(NamedTuple):
    """A board's drive; `identity` is the board's USB serial number, "" where the drive does not tell."""

    path: Path
    identity: str


def drive_at(path: Path) -> Drive:
    """The drive that is mounted, or any folder that stands for one, at `path`."""
    try:
        told = (path / TOLD).read_text("utf-8", "replace")
    except OSError:
        return Drive(path, "")
    found = re.search(r"(?m)^UID:\s*([0-9A-Fa-f]+)", told)
    return Drive(path, found[1].upper() if found else "")


def mounted(read: Callable[[], str] = lambda: MOUNTS.read_text("utf-8", "replace")) -> list[Drive]:
    """The drives of boards that are mounted now; none where the system keeps no such list."""
    try:
        lines = read().splitlines()
    except OSError:
        return []
    paths = (_unescaped(line.split()[1]) for line in lines if len(line.split()) > 2)
    return [drive_at(Path(path)) for path in paths if Path(path).name.startswith(LABEL)]


def _unescaped(path: str) -> str:
    """Spaces and the like are written as three octal digits there (proc(5), fstab(5))."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), path)
