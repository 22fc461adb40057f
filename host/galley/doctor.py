"""`galley doctor`: looks at this machine and the boards, and says in plain sentences what to do.

For: the person whose box does not do what it should. `CHECKS` is the table of what is looked at; each check
gives findings. `examine` prints them and gives the exit status: 1 when anything is in the way of playing,
else 0. Nothing is changed: what is written to measure the disk is removed again, and boards are asked only.

Where a Galley runs at the port, it is asked instead of the boards, which it holds.

The last check is the real thing: a simulated station is started, opened like any port, and must say hello.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from galley import doctor_boards, doctor_machine
from galley.data_folder import data_folder
from galley.doctor_machine import Patient
from galley.findings import FAIL, NOTE, OK, Finding, json_of, status
from galley.starting import DEFAULT_PORT, galley_at

__all__ = ["CHECKS", "FAIL", "NOTE", "OK", "Finding", "examine"]

Check = Callable[[Patient], Iterable[Finding]]

CHECKS: Final[tuple[Check, ...]] = (
    doctor_machine.python_version,
    doctor_machine.packages,
    doctor_machine.pages,
    doctor_machine.languages,
    doctor_machine.folder,
    doctor_machine.journal_file,
    doctor_machine.journal,
    doctor_machine.disk,
    doctor_machine.web_port,
    doctor_machine.browser,
    doctor_machine.audio,
    doctor_machine.dialout,
    doctor_boards.boards,
    doctor_boards.simulated_station,
)


def examine(
    say: Callable[[str], object],
    *,
    as_json: bool = False,
    port: int = DEFAULT_PORT,
    folder: Path | None = None,
) -> int:
    """Run all checks, `say` what they found, return the exit status. `folder` None is the usual one."""
    patient = Patient(port, folder or data_folder(), galley_at(port))
    found: list[Finding] = []
    for check in CHECKS:
        for finding in check(patient):
            found.append(finding)
            if not as_json:
                say(finding.line)
    if as_json:
        say(json_of(found))
    else:
        say("all well" if not status(found) else "something is in the way: see FAIL above")
    return status(found)
