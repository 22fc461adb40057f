"""Triangles of prisms, for previews and for the GLB of a page, without a CAD kernel.

Caps are triangulated with shapely's constrained Delaunay triangulation; sides are quads along every ring.
Round outlines become polygons, so these meshes are for looking at; exact solids come from `solids`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import Point, Polygon
from shapely.geometry.polygon import orient
from shapely.ops import unary_union

from galley_enclosure.shapes import Prism
from galley_enclosure.sheet import Circle, Panel
from galley_enclosure.strokes import strokes

Triangles = NDArray[np.float64]  # shape (n, 3, 3): triangle, corner, x y z


def _segments(d: float) -> int:
    """Corners per quarter turn that look round at this diameter."""
    return 3 if d < 6.0 else 6 if d < 20.0 else 10 if d < 80.0 else 18


@lru_cache(maxsize=2048)
def prism_triangles(prism: Prism) -> Triangles:
    """Triangles of one prism, corners in any order; not to be changed, because they are kept."""
    holes = [
        _low(c.polygon())
        if not isinstance(c, Circle)
        else Point(c.x, c.y).buffer(c.d / 2, quad_segs=_segments(c.d))
        for c in prism.cutouts
    ]
    ends: list[Polygon]
    if isinstance(prism.outline, Circle):
        tops = (prism.outline.d, prism.outline.d if prism.top_d is None else prism.top_d)
        ends = [
            Point(prism.outline.x, prism.outline.y).buffer(max(d, 0.01) / 2, quad_segs=_segments(tops[0]))
            for d in tops
        ]
    else:
        ends = [_low(prism.outline)] * 2
    cut = unary_union(holes) if holes else None
    out: list[list[tuple[float, float, float]]] = []
    for shape, z in zip(ends, (prism.lo, prism.hi), strict=True):
        flat = shape.difference(cut) if cut is not None else shape
        for piece in getattr(flat, "geoms", [flat]):
            caps = shapely.constrained_delaunay_triangles(piece).geoms
            out += [[(px, py, z) for px, py in list(tri.exterior.coords)[:3]] for tri in caps]
    low, high = (list(orient(e).exterior.coords) for e in ends)
    _sides(out, low, high, prism.lo, prism.hi)
    inner = ends[0].difference(cut) if cut is not None else ends[0]
    for piece in getattr(inner, "geoms", [inner]):
        for ring in piece.interiors:
            pts = list(ring.coords)
            _sides(out, pts, pts, prism.lo, prism.hi)
        if cut is not None and len(getattr(inner, "geoms", [inner])) > 1:
            pts = list(piece.exterior.coords)
            _sides(out, pts, pts, prism.lo, prism.hi)
    tris = np.asarray(out, dtype=np.float64)
    order = {2: (0, 1, 2), 1: (0, 2, 1), 0: (2, 0, 1)}[prism.axis]
    return tris[:, :, order]


def _low(polygon: Polygon) -> Polygon:
    low = polygon.simplify(0.02)
    return low if isinstance(low, Polygon) else polygon


def _sides(
    out: list[list[tuple[float, float, float]]],
    low: Iterable[tuple[float, ...]],
    high: Iterable[tuple[float, ...]],
    z0: float,
    z1: float,
) -> None:
    a, b = list(low), list(high)
    for i in range(len(a) - 1):
        p, q, r, s = (
            (a[i][0], a[i][1], z0),
            (a[i + 1][0], a[i + 1][1], z0),
            (b[i + 1][0], b[i + 1][1], z1),
            (b[i][0], b[i][1], z1),
        )
        out.append([p, q, r])
        out.append([p, r, s])


def label_triangles(panel: Panel, outer_far: bool, width: float = 0.7) -> Triangles:
    """Engraved text of a panel as thin dark quads just outside its outer face."""
    out: list[list[tuple[float, float, float]]] = []
    depth = panel.t + 0.1 if outer_far else -0.1
    for label in panel.labels:
        for line in strokes(label):
            for (ax, ay), (bx, by) in itertools.pairwise(line):
                long = max(1e-9, ((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5)
                nx, ny = -(by - ay) / long * width / 2, (bx - ax) / long * width / 2
                p, q, r, s = (
                    panel.point(u, v, depth)
                    for u, v in (
                        (ax + nx, ay + ny),
                        (bx + nx, by + ny),
                        (bx - nx, by - ny),
                        (ax - nx, ay - ny),
                    )
                )
                out += [[p, q, r], [p, r, s]]
    return np.asarray(out, dtype=np.float64).reshape(-1, 3, 3)
