"""Exact solids of panels, parts and printed parts, with build123d (extra `cad`).

The only modules that load the CAD kernel are this one, `checks_solid` and `stepfiles`. The kernel is held
in `bd` as an untyped module, so the rest of the package stays strictly typed. Circles and rounded
rectangles become true arcs; polygons keep their corners. Throw-away compounds are made from lists, never
with `children=`, because that would take the parts away from the assembly they belong to. What stands in
many places is made once, at the origin, and copied: a copy has a label and a colour of its own.
"""

from __future__ import annotations

import copy
import importlib
from collections.abc import Callable
from functools import lru_cache
from itertools import combinations
from typing import Any

from shapely.geometry import Polygon

from galley_enclosure.model import Item
from galley_enclosure.printed import Printed
from galley_enclosure.shapes import Prism, settled
from galley_enclosure.sheet import Circle, Cutout, Rect

NEEDED = "the solid model needs build123d: .venv/bin/pip install -e '.[cad]'"


@lru_cache(maxsize=1)
def kernel() -> Any:
    """The CAD kernel; raises `ImportError` with the remedy when it is missing."""
    try:
        return importlib.import_module("build123d")
    except ImportError as err:
        raise ImportError(NEEDED) from err


def _spot(axis: int, a: float, b: float, z: float) -> tuple[float, float, float]:
    return ((z, a, b), (a, z, b), (a, b, z))[axis]


def _plane(axis: int, a: float, b: float, z: float) -> Any:
    normal = [0.0, 0.0, 0.0]
    normal[axis] = 1.0
    return kernel().Plane(origin=_spot(axis, a, b, z), z_dir=tuple(normal))


def _ring(axis: int, points: list[tuple[float, float]], z: float) -> Any:
    return kernel().Wire.make_polygon([_spot(axis, a, b, z) for a, b in points], close=True)


def _wire(axis: int, shape: Polygon | Cutout, z: float) -> Any:
    """Closed wire of an outline or a cut-out in the plane at `z` along `axis`."""
    bd = kernel()
    if isinstance(shape, Circle):
        return bd.Wire.make_circle(shape.d / 2, _plane(axis, shape.x, shape.y, z))
    if isinstance(shape, Polygon):
        return _ring(axis, [(p[0], p[1]) for p in shape.exterior.coords[:-1]], z)
    w, h, r = shape.w / 2, shape.h / 2, shape.r
    if r <= 0:
        return _ring(
            axis,
            [
                (shape.x - w, shape.y - h),
                (shape.x + w, shape.y - h),
                (shape.x + w, shape.y + h),
                (shape.x - w, shape.y + h),
            ],
            z,
        )
    return _rounded(axis, shape, z)


def _rounded(axis: int, shape: Rect, z: float) -> Any:
    """Rounded rectangle or slot with true arcs."""
    bd = kernel()
    w, h, r = shape.w / 2, shape.h / 2, shape.r
    k = r * (1 - 0.5**0.5)
    corners = (
        ((w - r, -h), (w - k, -h + k), (w, -h + r)),
        ((w, h - r), (w - k, h - k), (w - r, h)),
        ((-w + r, h), (-w + k, h - k), (-w, h - r)),
        ((-w, -h + r), (-w + k, -h + k), (-w + r, -h)),
    )
    edges = []
    for i, (start, middle, end) in enumerate(corners):
        before = corners[i - 1][2]
        if abs(before[0] - start[0]) + abs(before[1] - start[1]) > 1e-9:
            edges.append(
                bd.Edge.make_line(*(_spot(axis, shape.x + p[0], shape.y + p[1], z) for p in (before, start)))
            )
        edges.append(
            bd.Edge.make_three_point_arc(
                *(_spot(axis, shape.x + p[0], shape.y + p[1], z) for p in (start, middle, end))
            )
        )
    return bd.Wire(edges)


def _copied(make: Callable[[tuple[Prism, ...]], Any], prisms: tuple[Prism, ...]) -> Any:
    """What `make` makes of these prisms, made once for all that differ only in their place."""
    low, corner = settled(prisms)
    return copy.deepcopy(make(low)).move(kernel().Location(corner))


def prism_solid(prism: Prism) -> Any:
    """One prism as a solid."""
    return _copied(_solid, (prism,))


@lru_cache(maxsize=4096)
def _solid(only: tuple[Prism]) -> Any:
    bd = kernel()
    (prism,) = only
    high = prism.hi - prism.lo
    way = [0.0, 0.0, 0.0]
    way[prism.axis] = high
    if prism.top_d is not None and isinstance(prism.outline, Circle):
        solid = bd.Solid.make_cone(
            prism.outline.d / 2,
            prism.top_d / 2,
            high,
            _plane(prism.axis, prism.outline.x, prism.outline.y, prism.lo),
        )
        return _cut(solid, prism, way, list(prism.cutouts))
    outline = prism.outline if isinstance(prism.outline, Polygon) else prism.outline.polygon()
    inner = [c for c in prism.cutouts if outline.contains(c.polygon())]
    crossing = [c for c in prism.cutouts if c not in inner]
    for a, b in combinations(inner, 2):
        if a.polygon().intersects(b.polygon()):
            crossing += [c for c in inner if c not in crossing]
            inner = []
            break
    if any(c.polygon().intersects(d.polygon()) for c in crossing for d in inner):
        crossing, inner = crossing + inner, []
    wires = [_wire(prism.axis, c, prism.lo) for c in inner]
    if isinstance(prism.outline, Polygon):
        wires += [
            _ring(prism.axis, [(p[0], p[1]) for p in hole.coords[:-1]], prism.lo)
            for hole in prism.outline.interiors
        ]
    face = bd.Face(_wire(prism.axis, prism.outline, prism.lo), wires)
    return _cut(bd.Solid.extrude(face, bd.Vector(*way)), prism, way, crossing)


def _cut(solid: Any, prism: Prism, way: list[float], cutouts: list[Cutout]) -> Any:
    bd = kernel()
    for c in cutouts:
        tool = bd.Solid.extrude(bd.Face(_wire(prism.axis, c, prism.lo)), bd.Vector(*way))
        solid = solid.cut(tool)
    return solid


def fused(prisms: tuple[Prism, ...], label: str) -> Any:
    """All solid prisms as one shape with a label (STEP turns dots into underscores, so none are used)."""
    out = _copied(_fused, tuple(p for p in prisms if p.kind != "room"))
    out.label = label
    return out


@lru_cache(maxsize=1024)
def _fused(prisms: tuple[Prism, ...]) -> Any:
    parts = [prism_solid(p) for p in prisms]
    shape = parts[0] if len(parts) == 1 else parts[0].fuse(*parts[1:])
    solids = shape.solids()
    return solids[0] if len(solids) == 1 else kernel().Compound(solids)


def item_shape(item: Item) -> Any:
    """An item of a box as one shape in world coordinates."""
    shape = fused(item.prisms, item.ref)
    shape.color = kernel().Color(item.colour)
    return shape


def printed_shape(part: Printed) -> Any:
    """A printed part in print position."""
    return fused(part.prisms, part.name)


def assembly(items: list[Item], label: str) -> Any:
    """One compound of all items with their labels kept."""
    return kernel().Compound(label=label, children=[item_shape(i) for i in items])
