"""What a check found: a mark, what was seen, and the one thing to do about it.

For: `galley doctor` and `galley service check`, for a person at a terminal and, as JSON, for programs. It
must not know what is checked.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

OK: Final = "ok"
NOTE: Final = "note"
FAIL: Final = "FAIL"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of a report. `check` is a word for programs; `remedy` is "" where there is nothing to do."""

    mark: str
    check: str
    seen: str
    remedy: str = ""

    @property
    def line(self) -> str:
        """For a person."""
        return f"{self.mark:<5}{self.seen}" + (f": {self.remedy}" if self.remedy else "")


def json_of(findings: Sequence[Finding]) -> str:
    """A list of {check, ok, seen, remedy}: `ok` is false for a FAIL only, `remedy` null where none is."""
    told = [
        {"check": each.check, "ok": each.mark != FAIL, "seen": each.seen, "remedy": each.remedy or None}
        for each in findings
    ]
    return json.dumps(told, ensure_ascii=False, indent=1)


def status(findings: Sequence[Finding]) -> int:
    """The exit status: 1 when anything is in the way, else 0."""
    return int(any(each.mark == FAIL for each in findings))
