"""Exact checks with the CAD kernel: volume, validity, collisions, outer size.

Pairs are filtered by bounding box and by what they cover; what remains is intersected exactly. Wire rooms
count as solid against everything but other rooms. Takes seconds, so `check` runs it only with `--solid` and
the tests mark it `cad`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import Any

import shapely

from galley_enclosure.findings import Finding, at_most, holds
from galley_enclosure.model import Item, Model
from galley_enclosure.shapes import Prism, boxes_touch, panel_prism
from galley_enclosure.sheet import Circle, Panel
from galley_enclosure.solids import prism_solid

CLASH_MM3 = 1e-3
# More than a circle of 128 corners differs from a true one, up to the arena's.
CORNERS = 0.05


@lru_cache(maxsize=4096)
def _solid(prism: Prism) -> Any:
    return prism_solid(prism)


def exact_area(panel: Panel) -> float:
    """Area of a panel with true circles and rounded corners."""
    area = panel.outline.area
    for c in panel.cutouts:
        area -= math.pi * c.d**2 / 4 if isinstance(c, Circle) else c.w * c.h - (4 - math.pi) * c.r**2
    return float(area)


def volumes(model: Model) -> Iterator[Finding]:
    """Each panel's solid is valid and holds its area times the thickness."""
    for p in model.panels.values():
        solid = _solid(panel_prism(p))
        want = exact_area(p) * p.t
        yield holds("solid is valid", p.name, bool(solid.is_valid), "valid", "a valid solid", "report this")
        yield at_most(
            "volume is area x t",
            p.name,
            abs(solid.volume / want - 1),
            1e-9,
            "the relative difference",
            "report this",
            "",
        )


def _near(p: Prism, q: Prism) -> bool:
    """Whether two prisms might meet: their boxes do, and looked at along the axis of either its outline and
    what the other covers, drawn with corners instead of arcs, come within `CORNERS`.
    """
    return boxes_touch(p.bounds, q.bounds) and all(
        shapely.dwithin(p.shadow(axis), q.shadow(axis), CORNERS) for axis in {p.axis, q.axis}
    )


def clash(a: Item, b: Item) -> float:
    """Shared volume (mm3) of two items."""
    total = 0.0
    for p in a.prisms:
        for q in b.prisms:
            if (p.kind == "room" and q.kind == "room") or not _near(p, q):
                continue
            shared = _solid(p).intersect(_solid(q))
            if shared is not None:
                total += sum(s.volume for s in (shared if isinstance(shared, list) else [shared]))
    return total


def collisions(model: Model) -> Iterator[Finding]:
    """No two things share space: panels, parts, nuts, printed parts and wire rooms."""
    for a, b in combinations(model.items, 2):
        shared = clash(a, b)
        if shared > CLASH_MM3:
            yield at_most(
                "no collision",
                f"{a.ref}, {b.ref}",
                shared,
                CLASH_MM3,
                "the shared volume",
                "move one of them",
                "mm3",
            )
    yield Finding(
        "no collision",
        model.name,
        True,
        0.0,
        f"<= {CLASH_MM3:g} mm3",
        f"{model.name}: {len(model.items)} things compared pair by pair.",
    )


def outer_size(model: Model) -> Iterator[Finding]:
    """The six faces together are exactly as large as asked."""
    if "top" not in model.panels:
        return
    boxes = [
        _solid(panel_prism(model.panels[n])).bounding_box()
        for n in ("bottom", "top", "front", "back", "left", "right")
    ]
    for axis, want in (("X", model.size.w), ("Y", model.size.d), ("Z", model.size.h)):
        low, high = min(getattr(b.min, axis) for b in boxes), max(getattr(b.max, axis) for b in boxes)
        yield at_most(
            "outer size",
            model.name,
            abs(high - low - want),
            1e-5,
            f"the error along {axis.lower()}",
            "report this",
        )


def solid(model: Model) -> list[Finding]:
    """All exact checks."""
    return [f for check in (volumes, collisions, outer_size) for f in check(model)]
