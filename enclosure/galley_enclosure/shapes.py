"""Solids as data: prisms along a world axis, and frames that put them into a box.

Everything in a box is a set of prisms: a panel, a button's body and nut, a layer of a printed part. A prism
has an axis (0 x, 1 y, 2 z), the interval it fills along it, an outline across it and round or rectangular
cut-outs. That is enough for collision, exit-path, finger and tool checks without a CAD kernel, and `solids`
turns the same prisms into exact solids. A round outline may taper (`top_d`), which makes cones and, in steps,
domes.

A `Frame` only turns by quarter turns; anything at another angle is drawn at that angle in its own outline.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import Polygon
from shapely.geometry import box as rectangle
from shapely.geometry.base import BaseGeometry
from shapely.ops import unary_union

from galley_enclosure.sheet import Circle, Cutout, Panel, Rect, Vec

Floats = NDArray[np.float64]
# The two world axes across each axis, in ascending order.
ACROSS = {0: (1, 2), 1: (0, 2), 2: (0, 1)}
# solid: the thing itself. nut: comes off before the part is pulled out. room: air for wires and plugs.
Kind = Literal["solid", "nut", "room"]


@dataclass(frozen=True)
class Prism:
    """Fills `lo`..`hi` along `axis`; outline and cut-outs are in the two other axes in ascending order."""

    axis: int
    lo: float
    hi: float
    outline: Polygon | Circle
    cutouts: tuple[Cutout, ...] = ()
    top_d: float | None = None
    kind: Kind = "solid"
    # Of a placed prism: where it comes from, and what turned its outline.
    local: tuple[Prism, Callable[[Floats], Floats]] | None = field(
        init=False, default=None, compare=False, repr=False
    )

    @cached_property
    def footprint(self) -> BaseGeometry:
        """Outline less cut-outs; a taper counts with its larger end. Prepared: it is compared with many
        others. A part that stands in many places is cut out once.
        """
        if self.local is not None:
            prism, turn = self.local
            out = shapely.transform(prism.footprint, turn)
            shapely.prepare(out)
            return out
        if isinstance(self.outline, Circle):
            full = replace(self.outline, d=self._widest(self.outline)).polygon()
        else:
            full = self.outline
        out = full.difference(unary_union([c.polygon() for c in self.cutouts])) if self.cutouts else full
        shapely.prepare(out)
        return out

    def _widest(self, body: Circle) -> float:
        return max(body.d, self.top_d or 0.0)

    @cached_property
    def bounds(self) -> tuple[Vec, Vec]:
        """Lowest and highest corner in world coordinates."""
        if isinstance(self.outline, Circle):
            x, y, r = self.outline.x, self.outline.y, self._widest(self.outline) / 2
            a0, b0, a1, b1 = x - r, y - r, x + r, y + r
        else:
            a0, b0, a1, b1 = self.outline.bounds
        across = ACROSS[self.axis]
        lo, hi = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
        lo[self.axis], hi[self.axis] = self.lo, self.hi
        lo[across[0]], hi[across[0]] = a0, a1
        lo[across[1]], hi[across[1]] = b0, b1
        return (lo[0], lo[1], lo[2]), (hi[0], hi[1], hi[2])

    def shadow(self, axis: int) -> BaseGeometry:
        """What the prism covers when looked at along `axis` (its bounding rectangle when that is not its
        own axis).
        """
        if axis == self.axis:
            return self.footprint
        lo, hi = self.bounds
        a, b = ACROSS[axis]
        return rectangle(lo[a], lo[b], hi[a], hi[b])

    def covers(self, other: Prism, axis: int, least: float) -> bool:
        """Whether the shadows of two prisms along `axis` share more than `least` mm2.

        Cheap answers first: two rectangles need no geometry, a prepared outline soon says that the other lies
        beside it or wholly inside it, and of a large panel only the surroundings of the other count.
        """
        if self.axis != axis != other.axis:
            a, b = ACROSS[axis]
            (alo, ahi), (blo, bhi) = self.bounds, other.bounds
            wide, high = (min(ahi[i], bhi[i]) - max(alo[i], blo[i]) for i in (a, b))
            return wide > 0.0 and high > 0.0 and wide * high > least
        big, small = self.shadow(axis), other.shadow(axis)
        if shapely.get_num_coordinates(big) < shapely.get_num_coordinates(small):
            big, small = small, big
        if not big.intersects(small):
            return False
        if big.contains(small):
            return bool(small.area > least)
        x0, y0, x1, y1 = small.bounds
        near = shapely.clip_by_rect(big, x0 - 1.0, y0 - 1.0, x1 + 1.0, y1 + 1.0)
        return bool((near if near.is_valid else big).intersection(small).area > least)


def cyl(
    d: float,
    lo: float,
    hi: float,
    x: float = 0.0,
    y: float = 0.0,
    *,
    bore: float = 0.0,
    top_d: float | None = None,
    kind: Kind = "solid",
) -> Prism:
    """Upright cylinder, tube (`bore`) or cone (`top_d`) in local coordinates."""
    holes = (Circle(x, y, bore, "bore"),) if bore else ()
    return Prism(2, lo, hi, Circle(x, y, d, "body"), holes, top_d, kind)


def block(
    x: float,
    y: float,
    w: float,
    d: float,
    lo: float,
    hi: float,
    *,
    kind: Kind = "solid",
    cutouts: tuple[Cutout, ...] = (),
) -> Prism:
    """Upright block centred on (x, y) in local coordinates."""
    return Prism(2, lo, hi, rectangle(x - w / 2, y - d / 2, x + w / 2, y + d / 2), cutouts, kind=kind)


def across(axis: int, lo: float, hi: float, a: float, b: float, d: float, *, kind: Kind = "solid") -> Prism:
    """Lying cylinder in local coordinates, its centre line at (a, b) of the two other axes."""
    return Prism(axis, lo, hi, Circle(a, b, d, "body"), kind=kind)


UNIT: dict[str, tuple[int, int]] = {
    "+x": (0, 1),
    "-x": (0, -1),
    "+y": (1, 1),
    "-y": (1, -1),
    "+z": (2, 1),
    "-z": (2, -1),
}


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a local coordinate system sits: its origin, and the signed world axes its x, y and z point
    along.
    """

    origin: Vec = (0.0, 0.0, 0.0)
    x: str = "+x"
    y: str = "+y"
    z: str = "+z"

    def __post_init__(self) -> None:
        if sorted(UNIT[a][0] for a in (self.x, self.y, self.z)) != [0, 1, 2]:
            raise ValueError(
                f"frame axes {self.x} {self.y} {self.z} are not square to each other: name three axes."
            )

    def _axes(self) -> tuple[tuple[int, int], ...]:
        return (UNIT[self.x], UNIT[self.y], UNIT[self.z])

    def right_handed(self) -> bool:
        """Whether the frame turns a part without mirroring it."""
        axes = [a for a, _ in self._axes()]
        swaps = sum(axes[i] > axes[j] for i in range(3) for j in range(i + 1, 3))
        signs = sum(s < 0 for _, s in self._axes())
        return (swaps + signs) % 2 == 0

    def point(self, local: Vec) -> Vec:
        """World coordinates of a local point."""
        out = list(self.origin)
        for value, (axis, sign) in zip(local, self._axes(), strict=True):
            out[axis] += sign * value
        return (out[0], out[1], out[2])

    def place(self, prism: Prism) -> Prism:
        """The prism in world coordinates."""
        axes = self._axes()
        axis, sign = axes[prism.axis]
        ends = sorted(self.origin[axis] + sign * end for end in (prism.lo, prism.hi))
        i, j = (k for k in (0, 1, 2) if k != prism.axis)
        (wi, si), (wj, sj) = axes[i], axes[j]
        swap = wi > wj
        oi, oj = self.origin[wi], self.origin[wj]

        order, signs, offset = ((1, 0), (sj, si), (oj, oi)) if swap else ((0, 1), (si, sj), (oi, oj))

        def turn(points: Floats) -> Floats:
            turned: Floats = points[:, order] * signs + offset
            return turned

        def spot(a: float, b: float) -> tuple[float, float]:
            p, q = oi + si * a, oj + sj * b
            return (q, p) if swap else (p, q)

        def cut(c: Cutout) -> Cutout:
            x, y = spot(c.x, c.y)
            if isinstance(c, Rect) and swap:
                return replace(c, x=x, y=y, w=c.h, h=c.w)
            return replace(c, x=x, y=y)

        outline: Polygon | Circle
        ends_d = prism.top_d
        if isinstance(prism.outline, Circle):
            x, y = spot(prism.outline.x, prism.outline.y)
            outline = replace(prism.outline, x=x, y=y)
            if prism.top_d is not None and sign < 0:
                outline, ends_d = replace(outline, d=prism.top_d), prism.outline.d
        else:
            outline = shapely.transform(prism.outline, turn)
        cutouts = tuple(cut(c) for c in prism.cutouts)
        out = Prism(axis, ends[0], ends[1], outline, cutouts, ends_d, prism.kind)
        object.__setattr__(out, "local", (prism, turn))
        return out


def panel_prism(panel: Panel) -> Prism:
    """The panel as a prism in world coordinates."""
    start = panel.origin[panel.n]
    local = Prism(2, 0.0, panel.t, panel.outline, panel.cutouts)
    names = ("+x", "+y", "+z")
    origin = list(panel.origin)
    origin[panel.n] = start
    return Frame((origin[0], origin[1], origin[2]), names[panel.u], names[panel.v], names[panel.n]).place(
        local
    )


def settled(prisms: tuple[Prism, ...]) -> tuple[tuple[Prism, ...], Vec]:
    """The prisms moved until their lowest corner is the origin, to a millionth of a micrometre; and that
    corner.
    """
    x, y, z = (min(p.bounds[0][i] for p in prisms) for i in (0, 1, 2))
    home = Frame((-x, -y, -z))
    return tuple(_rounded(home.place(p)) for p in prisms), (x, y, z)


def _rounded(p: Prism) -> Prism:
    outline = p.outline
    if isinstance(outline, Circle):
        outline = replace(outline, x=round(outline.x, 9), y=round(outline.y, 9))
    else:
        outline = shapely.transform(outline, lambda xy: xy.round(9))
    cutouts = tuple(replace(c, x=round(c.x, 9), y=round(c.y, 9)) for c in p.cutouts)
    return replace(p, lo=round(p.lo, 9), hi=round(p.hi, 9), outline=outline, cutouts=cutouts)


def boxes_touch(a: tuple[Vec, Vec], b: tuple[Vec, Vec]) -> bool:
    """Whether two bounding boxes overlap by more than nothing."""
    (alo, ahi), (blo, bhi) = a, b
    slack = -1e-9
    return (
        alo[0] < bhi[0] + slack
        and blo[0] < ahi[0] + slack
        and alo[1] < bhi[1] + slack
        and blo[1] < ahi[1] + slack
        and alo[2] < bhi[2] + slack
        and blo[2] < ahi[2] + slack
    )
