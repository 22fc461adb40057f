"""Printed parts, each a stack of prisms in the position in which it is printed (bed at z = 0, no supports).

Only vertical walls, steps and cones are used, so the checks can read wall thickness, bridges and overhangs
from the layers (`checks_print`). The numbers that must match a cut part (screw positions, hole sizes) are
constants here and read by the box builders. Lengths in mm.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache

from shapely.geometry import Point, Polygon
from shapely.geometry import box as rectangle
from shapely.geometry.base import BaseGeometry
from shapely.ops import unary_union

from galley_enclosure.shapes import Prism, block
from galley_enclosure.sheet import Circle, Cutout, Rect, merged

WALL = 1.2
DIE_PITCH = 50.0
DICE_IN_ROW = 4
GRID_RIM = 3.0
GRID_DEPTH = 12.0
DIFFUSER = 2.0
GRID_EARS = tuple((sx * 50.0, sy * 33.5) for sx in (-1, 1) for sy in (-1, 1))
EAR = 5.8
GRID_W, GRID_H = DICE_IN_ROW * DIE_PITCH + 2 * GRID_RIM, DIE_PITCH + 2 * GRID_RIM
BLOCK, BLOCK_H = 14.0, 18.0
CABLE_Z = 10.0


@dataclass(frozen=True, slots=True)
class Printed:
    """`prisms` in print position; `bridge` is the widest roof it prints over air, as designed."""

    name: str
    title: str
    material: str
    prisms: tuple[Prism, ...]
    colour: str
    note: str = ""

    def volume_mm3(self) -> float:
        """Sum over thin slices of the union, so overlapping prisms count once."""
        total = 0.0
        for lo, hi, shape in self.slices():
            total += shape.area * (hi - lo)
        return total

    def slices(self) -> tuple[tuple[float, float, BaseGeometry], ...]:
        """(from, to, union of everything that fills it) between all heights where something starts or
        ends.
        """
        return _slices(self.prisms)

    def bounds(self) -> tuple[float, float, float]:
        """Size in x, y and z."""
        lows, highs = zip(*(p.bounds for p in self.prisms), strict=True)
        x, y, z = (max(h[i] for h in highs) - min(w[i] for w in lows) for i in (0, 1, 2))
        return (x, y, z)


@lru_cache(maxsize=256)
def _slices(prisms: tuple[Prism, ...]) -> tuple[tuple[float, float, BaseGeometry], ...]:
    edges = sorted({round(e, 6) for p in prisms for e in _levels(p)})
    out = []
    for lo, hi in itertools.pairwise(edges):
        shapes = [_slice(p, (lo + hi) / 2) for p in prisms if p.lo <= lo + 1e-6 and p.hi >= hi - 1e-6]
        if shapes:
            out.append((lo, hi, unary_union(shapes)))
    return tuple(out)


def _levels(prism: Prism) -> list[float]:
    """Heights at which a prism's layer changes: its ends, and every millimetre of a taper."""
    if prism.top_d is None:
        return [prism.lo, prism.hi]
    steps = max(1, math.ceil(prism.hi - prism.lo - 1e-9))
    return [prism.lo + (prism.hi - prism.lo) * i / steps for i in range(steps + 1)]


def _slice(prism: Prism, z: float) -> BaseGeometry:
    """The layer of a prism at height z, with a taper taken at that height."""
    if prism.top_d is None or not isinstance(prism.outline, Circle):
        return prism.footprint
    share = (z - prism.lo) / (prism.hi - prism.lo)
    d = prism.outline.d + share * (prism.top_d - prism.outline.d)
    shape = Point(prism.outline.x, prism.outline.y).buffer(d / 2, quad_segs=32)
    return shape.difference(unary_union([c.polygon() for c in prism.cutouts])) if prism.cutouts else shape


def plate(shape: Polygon, lo: float, hi: float, cutouts: tuple[Cutout, ...] = ()) -> Prism:
    """A layer of any outline between two heights."""
    return Prism(2, lo, hi, shape, cutouts)


def grid_outline() -> Polygon:
    """Plan of a light grid with its four screw ears; the strip plate is cut to the same outline."""
    ears = [
        rectangle(x - EAR, min(0.0, y + math.copysign(EAR, y)), x + EAR, max(0.0, y + math.copysign(EAR, y)))
        for x, y in GRID_EARS
    ]
    return merged([rectangle(-GRID_W / 2, -GRID_H / 2, GRID_W / 2, GRID_H / 2), *ears])


def light_grid(cells: int) -> Printed:
    """Walls between the pixels of four dice: 4 x `cells` by `cells` wells, and a pocket for the diffuser
    on top.
    """
    pitch = DIE_PITCH / cells
    well = pitch - WALL
    ears = tuple(Circle(x, y, 3.2, "grid screw") for x, y in GRID_EARS)
    wells = tuple(
        Rect(
            (i + 0.5) * pitch - DICE_IN_ROW * DIE_PITCH / 2,
            (j + 0.5) * pitch - DIE_PITCH / 2,
            well,
            well,
            "well",
        )
        for i in range(DICE_IN_ROW * cells)
        for j in range(cells)
    )
    pocket = (Rect(0, 0, GRID_W - 2.6, GRID_H - 2.6, "diffuser"),)
    return Printed(
        f"light_grid_{cells}x{cells}",
        f"Light grid, four dice of {cells} x {cells} pixels",
        "PLA white",
        (
            plate(grid_outline(), 0.0, GRID_DEPTH, ears + wells),
            plate(grid_outline(), GRID_DEPTH, GRID_DEPTH + DIFFUSER, ears + pocket),
        ),
        "#f2f2f2",
        "white, no infill needed; pocket up",
    )


def corner_block() -> Printed:
    """Glued into a corner; takes the lid's screw in a heat-set insert."""
    hole = (Circle(0, 0, 4.0, "insert"),)
    return Printed(
        "corner_block",
        "Corner block for a lid screw",
        "PLA",
        (
            block(0, 0, BLOCK, BLOCK, 0.0, BLOCK_H - 9.0),
            block(0, 0, BLOCK, BLOCK, BLOCK_H - 9.0, BLOCK_H, cutouts=hole),
        ),
        "#3d6fb6",
        "insert on top",
    )


def usb_clamp() -> tuple[Printed, Printed]:
    """Base and cap of the cable clamp: a saddle 0.5 mm smaller than a 4 mm cable, two M3 through the
    floor.
    """
    holes = (Circle(0, -10.0, 3.2, "clamp"), Circle(0, 10.0, 3.2, "clamp"))

    def half(web: float) -> tuple[Prism, ...]:
        jaws = tuple(
            block(0, s * 8.375, 14.0, 13.25, web, web + 1.75, cutouts=(Circle(0, s * 10.0, 3.2, "clamp"),))
            for s in (-1, 1)
        )
        return (block(0, 0, 14.0, 30.0, 0.0, web, cutouts=holes), *jaws)

    base, cap = half(CABLE_Z - 1.75), half(3.0)
    return (
        Printed("clamp_base", "Cable clamp, base", "PLA", base, "#3d6fb6"),
        Printed("clamp_cap", "Cable clamp, cap", "PLA", cap, "#3d6fb6", "groove up"),
    )
