"""Flat parts: finger joints, cut-outs, kerf.

A box has six faces. Each edge between two faces is divided into an odd number of cells; even cells belong to
the face of lower rank (bottom and top first, then front and back, then left and right), so two faces never
claim the same cell. `play` takes a little off each finger flank for the glue; `kerf` is what the laser burns
away and is added only when a cut path is asked for. The two are never mixed: nominal outlines hold play, cut
paths hold kerf as well.

A lid face only lies on its neighbours, without fingers, so that it can be unscrewed. Nothing here knows a
game, a part or a CAD kernel. Coordinates are those of the face: u and v are the two world axes it spans,
in the order x, y, z.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import shapely
from shapely.geometry import LineString, Point, Polygon
from shapely.geometry import box as rectangle
from shapely.geometry.base import BaseGeometry
from shapely.geometry.polygon import orient
from shapely.ops import unary_union

from galley_enclosure.params import CannotBuild, Stock

Vec = tuple[float, float, float]


class Face(NamedTuple):
    """`axis` is the world axis the face is square to (0 x, 1 y, 2 z); `side` 0 lies at the origin, 1 at
    the far end.
    """

    axis: int
    side: int


FACES = {
    "bottom": Face(2, 0),
    "top": Face(2, 1),
    "front": Face(1, 0),
    "back": Face(1, 1),
    "left": Face(0, 0),
    "right": Face(0, 1),
}
RANK = {2: 0, 1: 1, 0: 2}
# Faces whose u axis runs to the viewer's left when looked at from outside; their cut files are mirrored.
MIRRORED = frozenset({"back", "left", "bottom"})


@dataclass(frozen=True, slots=True)
class Circle:
    """A round hole; `ref` says what it is for."""

    x: float
    y: float
    d: float
    ref: str

    def polygon(self) -> Polygon:
        """The hole as a polygon of 128 corners."""
        return _polygon(self)

    def core(self) -> tuple[Point | LineString | Polygon, float]:
        """The hole exactly, as all that lies within a distance of a point."""
        return Point(self.x, self.y), self.d / 2


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangular hole about its centre, with corner radius `r`."""

    x: float
    y: float
    w: float
    h: float
    ref: str
    r: float = 0.0

    def polygon(self) -> Polygon:
        """The hole as a polygon, its corners rounded in steps of 5 degrees."""
        return _polygon(self)

    def core(self) -> tuple[Point | LineString | Polygon, float]:
        """The hole exactly, as all that lies within a distance of a rectangle or, for a slot, of a line."""
        dx, dy = self.w / 2 - self.r, self.h / 2 - self.r
        if min(dx, dy) < 1e-9:
            return LineString([(self.x - dx, self.y - dy), (self.x + dx, self.y + dy)]), self.r
        return rectangle(self.x - dx, self.y - dy, self.x + dx, self.y + dy), self.r


Cutout = Circle | Rect


@lru_cache(maxsize=8192)
def _polygon(cut: Circle | Rect) -> Polygon:
    core, r = cut.core()
    if isinstance(core, Polygon) and not r:
        return core
    return core.buffer(r, quad_segs=32 if isinstance(cut, Circle) else 16)


@dataclass(frozen=True, slots=True)
class Label:
    """Engraved text, centred on (x, y), `size` the height of a capital."""

    x: float
    y: float
    text: str
    size: float = 4.0

    def polygon(self) -> Polygon:
        """The room the text takes, from the widest letters of a plain font."""
        w = 0.75 * self.size * len(self.text)
        return rectangle(self.x - w / 2, self.y - self.size / 2, self.x + w / 2, self.y + self.size / 2)


@dataclass(frozen=True, slots=True)
class Panel:
    """One cut part: nominal outline, cut-outs, labels, and where it stands in the box.

    A point (u, v) of the outline lies at `origin` + u along world axis `u` + v along world axis `v`; the
    sheet fills `t` along axis `n` from there. `mirrored` says that (u, v) is seen from the inside, so cut
    files flip it.
    """

    name: str
    outline: Polygon
    cutouts: tuple[Cutout, ...]
    t: float
    origin: Vec
    u: int
    v: int
    n: int
    labels: tuple[Label, ...] = ()
    mirrored: bool = False
    material: str = "sheet"

    def material_polygon(self) -> BaseGeometry:
        """The outline less its cut-outs."""
        return (
            self.outline.difference(unary_union([c.polygon() for c in self.cutouts]))
            if self.cutouts
            else self.outline
        )

    def point(self, u: float, v: float, depth: float = 0.0) -> Vec:
        """World coordinates of a point of the face, `depth` along its normal axis."""
        out = list(self.origin)
        out[self.u] += u
        out[self.v] += v
        out[self.n] += depth
        return (out[0], out[1], out[2])


def merged(shapes: Iterable[BaseGeometry]) -> Polygon:
    """The union of shapes that touch; raises `ValueError` when it falls into pieces."""
    out = unary_union(list(shapes))
    if not isinstance(out, Polygon):
        raise ValueError(f"the shapes do not touch each other ({out.geom_type}): draw them overlapping.")
    return out


def finger_count(length: float, stock: Stock, edge: str) -> int:
    """Odd number of fingers, at least three, nearest to the pitch, none narrower than twice the thickness.

    `length` is the edge between the corners. Raises `CannotBuild` when three such fingers do not fit.
    """
    most = math.floor(length / (2 * stock.t) + 1e-9)
    if most < 3:
        raise CannotBuild(
            f"{edge}: {length:.1f} mm between the corners is {6 * stock.t - length:.1f} mm too short for "
            "three "
            f"fingers of twice the {stock.t:g} mm stock; make that edge at least {8 * stock.t:g} mm long."
        )
    n = max(3, round(length / stock.pitch))
    n = n if n % 2 else n + 1
    while n > most:
        n -= 2
    return n


def cells(length: float, stock: Stock, edge: str = "edge") -> list[tuple[float, float, int]]:
    """Divide an edge of outer `length` into (from, to, owner): owner 0 is the face of lower rank."""
    inner = length - 2 * stock.t
    n = finger_count(inner, stock, edge)
    w = inner / n
    return [(stock.t + i * w, stock.t + (i + 1) * w, i % 2) for i in range(n)]


def _fingers(face: Face, other: Face, length: float, stock: Stock, edge: str) -> list[tuple[float, float]]:
    low = RANK[face.axis] < RANK[other.axis]
    corner = RANK[face.axis] == 0
    out = []
    for a, b, owner in cells(length, stock, edge):
        if (owner == 0) is not low:
            continue
        first, last = abs(a - stock.t) < 1e-9, abs(b - (length - stock.t)) < 1e-9
        out.append(
            (0.0 if corner and first else a + stock.play, length if corner and last else b - stock.play)
        )
    return out


def box_panels(
    dim: Vec,
    stock: Stock,
    lid: frozenset[str] = frozenset(),
    corner_r: float = 0.0,
    prefix: str = "",
    at: Vec = (0.0, 0.0, 0.0),
    skip: frozenset[str] = frozenset(),
) -> dict[str, Panel]:
    """The six faces of a box of outer size `dim`; faces in `lid` lie on the others and get round corners
    `corner_r`.

    `skip` leaves faces out (an open tray is a box whose lid is left out; its walls are then t lower than
    `dim`).
    """
    out: dict[str, Panel] = {}
    t = stock.t
    for name, face in FACES.items():
        if name in skip:
            continue
        u, v = (a for a in (0, 1, 2) if a != face.axis)
        size = (dim[u], dim[v])
        # Rectangles as (low u, low v, high u, high v).
        pieces = [(t, t, size[0] - t, size[1] - t)]
        for along, across, horizontal in ((u, v, True), (v, u, False)):
            for end in (0, 1):
                neighbour = next(n for n, f in FACES.items() if f == (across, end))
                reach = dim[across]
                lo, hi = (0.0, t) if end == 0 else (reach - t, reach)
                if name in lid:
                    runs = [(0.0, dim[along])]
                elif neighbour in lid:
                    runs = []
                else:
                    runs = _fingers(face, FACES[neighbour], dim[along], stock, f"{prefix}{name}/{neighbour}")
                pieces += [(a, lo, b, hi) if horizontal else (lo, a, hi, b) for a, b in runs]
        low_u, low_v, high_u, high_v = zip(*pieces, strict=True)
        outline = shapely.union_all(shapely.box(low_u, low_v, high_u, high_v))
        if name in lid and corner_r:
            outline = outline.buffer(-corner_r, join_style="mitre").buffer(corner_r, quad_segs=16)
        if not isinstance(outline, Polygon):
            raise CannotBuild(
                f"{prefix}{name}: the outline falls into pieces at {t:g} mm stock; use a larger box."
            )
        origin = list(at)
        origin[face.axis] += face.side * (dim[face.axis] - t)
        out[prefix + name] = Panel(
            prefix + name,
            orient(outline),
            (),
            t,
            (origin[0], origin[1], origin[2]),
            u,
            v,
            face.axis,
            mirrored=name in MIRRORED,
        )
    return out


def with_cutouts(panel: Panel, cutouts: Iterable[Cutout], labels: Iterable[Label] = ()) -> Panel:
    """The panel with more holes and labels."""
    return replace(panel, cutouts=panel.cutouts + tuple(cutouts), labels=panel.labels + tuple(labels))


@lru_cache(maxsize=512)
def outside_path(panel: Panel, kerf: float) -> Polygon:
    """The laser's path round the part: half a kerf outside the nominal outline."""
    return orient(panel.outline.buffer(kerf / 2, join_style="mitre", mitre_limit=10.0))


def inside_cut(cutout: Cutout, kerf: float) -> Cutout:
    """The cut-out as the laser must draw it: half a kerf inside the nominal hole."""
    if isinstance(cutout, Circle):
        return replace(cutout, d=cutout.d - kerf)
    return replace(cutout, w=cutout.w - kerf, h=cutout.h - kerf, r=max(0.0, cutout.r - kerf / 2))
