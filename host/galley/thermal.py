"""How warm the host's machine is, where Linux tells.

For: /metrics: a small computer in a closed box under a lamp may be too warm. It only reads.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

ZONES: Final = Path("/sys/class/thermal")
PLAUSIBLE_C: Final = (-50.0, 200.0)


def temperatures(zones: Path = ZONES) -> dict[str, float]:
    """Degrees Celsius by place, as in {"cpu-thermal": 48.3}; empty where nothing is told.

    Of several places with one name, all after the first carry their zone's number.
    """
    found: dict[str, float] = {}
    for zone in sorted(zones.glob("thermal_zone*")):
        try:
            place = (zone / "type").read_text("ascii", "replace").strip()
            degrees = int((zone / "temp").read_text("ascii")) / 1000
        except (OSError, ValueError):  # a sensor that is off says so by an error
            continue
        if PLAUSIBLE_C[0] < degrees < PLAUSIBLE_C[1]:
            found[place if place not in found else f"{place}-{zone.name[12:]}"] = degrees
    return found
