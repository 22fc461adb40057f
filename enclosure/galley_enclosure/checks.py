"""All checks of a box, in one call.

`flat` needs no CAD kernel. The exact solid checks (volumes, collisions, outer size) are in `checks_solid`
and are added by the command `check --solid` and by the tests marked `cad`.
"""

from __future__ import annotations

from galley_enclosure import checks_build, checks_hands, checks_sheet
from galley_enclosure.findings import Finding
from galley_enclosure.model import Model


def flat(model: Model) -> list[Finding]:
    """Every check that needs only outlines and prisms."""
    return [
        f
        for check in (*checks_sheet.CHECKS, *checks_hands.CHECKS, *checks_build.CHECKS)
        for f in check(model)
    ]


def failures(findings: list[Finding]) -> list[Finding]:
    """Those that do not hold."""
    return [f for f in findings if not f.ok]
