"""Catalogue of bought parts by name, and what follows from a part and a sheet: its nut, its screw.

The rows are in `catalogue`, the meaning of a row in `part`. The catalogue knows no box. Prices change too
fast to be kept.
"""

from __future__ import annotations

from galley_enclosure.catalogue import ROWS
from galley_enclosure.part import SOURCES, Part
from galley_enclosure.shapes import Prism, cyl

__all__ = ["NUTS", "PARTS", "SOURCES", "fitted", "nut_diameter", "screw_length"]

PARTS: dict[str, Part] = {row.name: row for row in ROWS}
# Nut and washer under the panel: (outer diameter incl. washer, height). Snap-in types have none.
NUTS = {
    "key24_screw": ((33.6, 2.0), (30.6, 8.0)),
    "key30_screw": ((35.7, 9.0),),
    "bell60": ((33.0, 8.0),),
    "mode_button": ((16.0, 2.0),),
    "usbc_inlet": ((20.0, 3.0),),
}


def nut_diameter(name: str) -> float:
    """Widest thing under the panel: washer or nut, else the hole itself."""
    return max((d for d, _ in NUTS.get(name, ())), default=PARTS[name].hole_d)


def fitted(name: str, t: float) -> tuple[Prism, ...]:
    """The part's body with its nut and washer drawn below a sheet of thickness `t`."""
    part = PARTS[name]
    rings: list[Prism] = []
    z = -t
    for d, h in NUTS.get(name, ()):
        rings.append(cyl(d, z - h, z, bore=part.hole_d, kind="nut"))
        z -= h
    return part.mock + tuple(rings)


def screw_length(
    sheet: float, bite: float, lengths: tuple[int, ...] = (6, 8, 10, 12, 16, 20, 25, 30, 35, 40)
) -> int:
    """Shortest stocked screw that passes `sheet` mm and still bites `bite` mm."""
    return next(n for n in lengths if n >= sheet + bite)
