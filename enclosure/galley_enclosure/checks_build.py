"""Checks of printing and putting together: walls, bed, overhangs, an order of assembly, room for the
screwdriver.

Assembly is tried backwards: the lid goes up in one piece with all that hangs on it, then from each group
parts are pulled out along one of six directions, if need be after a short step aside, until none is left;
what cannot leave is named. Nuts come off first and glued panels stay. Shadows along the direction of
travel decide, so a part under an overhang counts as blocked.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from shapely import maximum_inscribed_circle
from shapely.geometry import Point, Polygon
from shapely.geometry.base import BaseGeometry

from galley_enclosure.findings import Finding, at_least, at_most, holds
from galley_enclosure.model import Item, Model
from galley_enclosure.printed import (
    DICE_IN_ROW,
    DIE_PITCH,
    GRID_EARS,
    WALL,
    Printed,
    grid_outline,
    light_grid,
)
from galley_enclosure.shapes import UNIT, Frame, Prism, boxes_touch, cyl

Floats = NDArray[np.float64]
Ints = NDArray[np.int_]
WALL_SLACK = 0.01
BRIDGE = 12.5
# Shadows that share less than this only touch (mm2).
TOUCH_AREA = 0.05
SIDE_STEPS = (5.0, 10.0, 20.0, 40.0)
# An ordinary driver; M2 screws beside a Pico's headers need a precision driver.
SHANK_D = {"screw_m2": 1.9, "screw_m25": 2.4, "screw_m3_top": 2.9, "screw_m3_floor": 2.9}
DRIVER_D, DRIVER_M2_D, DRIVER_REACH = 8.0, 3.5, 60.0


@lru_cache(maxsize=256)
def thin_area(part: Printed) -> float:
    """Largest area (mm2) in one layer of `part` that is thinner than the least wall."""
    worst = 0.0
    for _, _, shape in part.slices():
        lost = shape.difference(
            shape.buffer(-(WALL - WALL_SLACK) / 2).buffer((WALL - WALL_SLACK) / 2 + 0.01, quad_segs=16)
        )
        worst = max(worst, *(g.area for g in getattr(lost, "geoms", [lost])), 0.0)
    return worst


@lru_cache(maxsize=256)
def overhang(part: Printed) -> float:
    """Widest span (mm) printed over air: steps up to 45 degrees do not count."""
    slices = part.slices()
    worst = 0.0
    for (lo, hi, below), (_, high, above) in itertools.pairwise(slices):
        hang = above.difference(below.buffer(min(1.0, max(hi - lo, high - hi)) + 0.05))
        for g in getattr(hang, "geoms", [hang]):
            if not g.is_empty:
                worst = max(worst, 2 * _inner_radius(g))
    return worst


def _inner_radius(shape: BaseGeometry) -> float:
    """Radius of the largest circle inside an area; a line or a point has none."""
    if not isinstance(shape, Polygon):
        return 0.0
    return float(maximum_inscribed_circle(shape, tolerance=0.05).length)


def prints(model: Model) -> Iterator[Finding]:
    """Walls at least 1.2 mm, on the bed, no bridge wider than 12.5 mm, nothing starting in the air."""
    bed = (model.build.bed_w, model.build.bed_h)
    for part in model.prints.values():
        yield at_most(
            "printed wall",
            part.name,
            thin_area(part),
            0.6,
            f"the area thinner than {WALL:g} mm",
            "thicken it",
            "mm2",
        )
        x, y, _ = part.bounds()
        fits = min(x, y) <= min(bed) and max(x, y) <= max(bed)
        yield holds(
            "fits the bed",
            part.name,
            fits,
            f"{bed[0]:g} x {bed[1]:g}",
            f"{x:.0f} x {y:.0f} mm",
            "use a larger printer",
        )
        yield at_most(
            "bridge", part.name, overhang(part), BRIDGE, "the widest span over air", "print it another way up"
        )
        yield at_most(
            "starts on the bed",
            part.name,
            min(p.lo for p in part.prisms),
            0.0,
            "the lowest layer",
            "move it down",
        )


def _bounds(prisms: list[Prism]) -> tuple[Floats, Floats]:
    """Lowest and highest corners, each of shape (n, 3)."""
    both = np.array([p.bounds for p in prisms]).reshape(-1, 2, 3)
    return both[:, 0], both[:, 1]


def _ahead(mover: Prism, low: Floats, high: Floats, way: str, reach: float) -> Ints:
    """Which boxes the mover's box meets on `reach` mm along `way`."""
    axis, sign = UNIT[way]
    lowest, highest = np.array(mover.bounds)
    (lowest if sign < 0 else highest)[axis] += sign * reach
    near = (low < highest - 1e-6) & (high > lowest + 1e-6)
    return np.flatnonzero(near[:, 0] & near[:, 1] & near[:, 2])


class _Group:
    """Parts that come off one after another, and what still stands in the way of each.

    What leaves never comes back, so of everything that could block a way each thing is looked at once: the
    first that does blocks it until it has left itself, and only then is the next one sought.
    """

    def __init__(self, items: list[Item]) -> None:
        self.items = items
        self.left = set(range(len(items)))
        solid = [(k, p) for k, item in enumerate(items) for p in item.prisms if p.kind != "room"]
        self.owner = np.array([k for k, _ in solid], dtype=int)
        self.prisms = [p for _, p in solid]
        self.low, self.high = _bounds(self.prisms)
        self.ways: dict[tuple[int, str, float, str], tuple[Iterator[int], int | None]] = {}

    def free(self, k: int, way: str, reach: float = math.inf, after: str = "") -> bool:
        """Whether part `k` can go `reach` mm along `way`; with `after`, whether it has that way out then."""
        key = (k, way, reach, after)
        blockers, held_by = self.ways.get(key) or (self._blockers(*key), -1)
        while held_by is not None and held_by not in self.left:
            held_by = next(blockers, None)
        self.ways[key] = blockers, held_by
        return held_by is None

    def way_out(self, k: int) -> bool:
        """One straight pull, or a short one to the side and then straight."""
        if any(self.free(k, way) for way in UNIT):
            return True
        for way, (axis, _) in UNIT.items():
            for reach in SIDE_STEPS:
                if not self.free(k, way, reach):
                    break
                if any(self.free(k, way, reach, after) for after in UNIT if UNIT[after][0] != axis):
                    return True
        return False

    def _blockers(self, k: int, way: str, reach: float, after: str) -> Iterator[int]:
        """Numbers of the parts that block it, one after another."""
        movers = [p for p in self.items[k].prisms if p.kind == "solid"]
        if after:
            axis, sign = UNIT[way]
            shift = [0.0, 0.0, 0.0]
            shift[axis] = sign * reach
            movers = [Frame((shift[0], shift[1], shift[2])).place(p) for p in movers]
            way, reach = after, math.inf
        axis, _ = UNIT[way]
        for mover in movers:
            for i in _ahead(mover, self.low, self.high, way, reach):
                owner = int(self.owner[i])
                if owner != k and owner in self.left and mover.covers(self.prisms[i], axis, TOUCH_AREA):
                    yield owner


def stuck(items: list[Item]) -> list[str]:
    """Names of parts that cannot be taken out of a group in any order; panels count as obstacles that
    stay.
    """
    group = _Group(items)
    loose = [k for k, item in enumerate(items) if item.kind != "panel"]
    moved = True
    while moved:
        moved = False
        for k in loose:
            if k in group.left and group.way_out(k):
                group.left.remove(k)
                moved = True
    return [items[k].ref for k in loose if k in group.left]


def assembly(model: Model) -> Iterator[Finding]:
    """The lid comes off, and every part has a straight way out of its group in some order."""
    if "top" not in model.panels:
        return
    groups = {g: [i for i in model.items if i.group == g] for g in ("base", "top", "play")}
    lifted = groups["top"] + groups["play"]
    below = [p for o in groups["base"] for p in o.prisms if p.kind != "room"]
    low, high = _bounds(below)
    held = [
        a.ref
        for a in lifted
        for p in a.prisms
        if p.kind != "room"
        for i in _ahead(p, low, high, "+z", math.inf)
        if p.covers(below[i], 2, TOUCH_AREA)
    ]
    yield holds(
        "lid lifts off",
        "top",
        not held,
        "free",
        "free" if not held else f"caught by {held[0]}",
        "move that part",
    )
    # Strip plates are screwed, not glued: they come off like parts.
    loose = [
        Item(i.ref, "part", i.what, i.group, i.prisms, i.colour) if i.ref.startswith("plate_") else i
        for i in lifted
    ]
    for name, items in (("top", loose), ("base", groups["base"])):
        names = stuck(items)
        yield holds(
            "parts can be put in",
            name,
            not names,
            "free",
            "every part has a way in" if not names else f"{', '.join(names)} cannot be put in",
            "move it or split the part that covers it",
        )


def tools(model: Model) -> Iterator[Finding]:
    """A screwdriver of 8 mm (3.5 mm for M2) reaches each screw from its head's side, with the lid off for
    screws inside.
    """
    for s in model.screws:
        axis, sign = UNIT[s.way]
        # The driver stands on the head and points away from the screw's way.
        base = s.at[axis] - sign * 4.0
        lo, hi = sorted((base, base - sign * DRIVER_REACH))
        a, b = (s.at[i] for i in (0, 1, 2) if i != axis)
        tool = Prism(axis, lo, hi, cyl(DRIVER_M2_D if s.what == "screw_m2" else DRIVER_D, 0, 1, a, b).outline)
        others = [i for i in model.items if i.group == s.group and i.ref not in (*s.passes, *s.before)]
        hit = [
            i.ref
            for i in others
            for p in i.prisms
            if p.kind != "room" and boxes_touch(tool.bounds, p.bounds) and tool.covers(p, axis, TOUCH_AREA)
        ]
        yield holds(
            "driver reaches the screw",
            s.what,
            not hit,
            "free",
            f"({s.at[0]:.0f}, {s.at[1]:.0f}, {s.at[2]:.0f}) "
            + ("is free" if not hit else f"is covered by {hit[0]}"),
            "move the screw",
        )


def shanks(model: Model) -> Iterator[Finding]:
    """No screw runs into a part it does not hold, and no two screws meet inside a standoff."""
    bodies = []
    for s in model.screws:
        axis, sign = UNIT[s.way]
        lo, hi = sorted((s.at[axis], s.at[axis] + sign * s.length))
        a, b = (s.at[i] for i in (0, 1, 2) if i != axis)
        bodies.append(Prism(axis, lo, hi, cyl(SHANK_D[s.what], 0, 1, a, b).outline))
    for i, (s, body) in enumerate(zip(model.screws, bodies, strict=True)):
        near = [o for o in model.items if o.ref not in (*s.passes, *s.meets)]
        hit = [
            o.ref
            for o in near
            for p in o.prisms
            if p.kind == "solid"
            and boxes_touch(body.bounds, p.bounds)
            and body.covers(p, body.axis, TOUCH_AREA)
        ]
        hit += [
            o.what
            for o, other in zip(model.screws[:i], bodies, strict=False)
            if boxes_touch(body.bounds, other.bounds)
        ]
        spot = f"the {s.length:g} mm screw at ({s.at[0]:.0f}, {s.at[1]:.0f}, {s.at[2]:.0f})"
        what = spot + (" holds only what it should" if not hit else f" runs into {hit[0]}")
        yield holds(
            "screw runs into nothing", s.what, not hit, "free", what, "use a shorter screw or move it"
        )


def grid_area(cells: int) -> tuple[float, float]:
    """Plan area of a printed light grid, measured and by formula (outline less wells less screw holes)."""
    measured = light_grid(cells).slices()[0][2].area
    well = DIE_PITCH / cells - WALL
    hole = Point(0, 0).buffer(1.6, quad_segs=32).area
    return measured, grid_outline().area - DICE_IN_ROW * cells * cells * well * well - len(GRID_EARS) * hole


def minutes(part: Printed) -> int:
    """Rough printing time: 6 mm3 a second of what is drawn at 60 % fill, and two minutes to start."""
    return math.ceil(part.volume_mm3() * 0.6 / 6.0 / 60.0) + 2


def grams(part: Printed) -> float:
    """Rough weight: 60 % of the drawn volume at 1.24 g/cm3."""
    return part.volume_mm3() * 0.6 * 1.24e-3


def wires(model: Model) -> Iterator[Finding]:
    """Deck and station: the wire room of every switch is at least 10 mm deep."""
    for item in model.items:
        room = [p.hi - p.lo for p in item.prisms if p.kind == "room"]
        if room and item.what.startswith(("key", "bell")):
            yield at_least(
                "room for wires", item.ref, max(room), 10.0, "the room under the switch", "raise the box"
            )


CHECKS = (prints, assembly, tools, shanks, wires)
