"""Checks of flat parts: outlines, webs, slivers, kerf, joints, fingers, nesting, coaxial holes, labels.

Pure geometry with shapely; thresholds are the constants at the top. Each check yields `Finding`s and knows
only a `Model`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import shapely
from shapely.geometry import Polygon
from shapely.ops import unary_union

from galley_enclosure.findings import Finding, at_least, at_most, holds
from galley_enclosure.model import Item, Model, Screw
from galley_enclosure.nest import nest, sheet_count
from galley_enclosure.params import CannotBuild
from galley_enclosure.shapes import UNIT
from galley_enclosure.sheet import FACES, RANK, Circle, Panel, inside_cut, outside_path

WEB = 4.0
NEAR = 12.0
LABEL_GAP = 3.0
SLIVER_R, SLIVER_AREA, HAIR = 1.5, 2.0, 0.01
COAXIAL = 0.1


def outlines(model: Model) -> Iterator[Finding]:
    """Every outline is one valid ring without holes of its own, and every cut-out lies inside it."""
    for p in model.panels.values():
        good = p.outline.is_valid and not p.outline.interiors and p.outline.exterior.is_simple
        yield holds(
            "outline is one ring",
            p.name,
            good,
            "one ring",
            "one valid ring" if good else "the outline crosses itself",
            "use a larger box",
        )
        for c in p.cutouts:
            yield holds(
                "cut-outs inside",
                p.name,
                p.outline.contains(c.polygon()),
                "inside",
                f"{c.ref} inside the outline",
                "move the part or enlarge the box",
            )


def webs(model: Model) -> Iterator[Finding]:
    """At least 4 mm of material between any two cut-outs and from each cut-out to the outline."""
    for p in model.panels.values():
        placed = [(c.ref, *c.core()) for c in p.cutouts]
        rooms = [_grown(core.bounds, r) for _, core, r in placed]
        for (i, (ra, a, r)), (j, (rb, b, s)) in combinations(enumerate(placed), 2):
            if _near(rooms[i], rooms[j], NEAR):
                yield at_least(
                    "web between cut-outs",
                    p.name,
                    max(0.0, a.distance(b) - r - s),
                    WEB,
                    f"the web between {ra} and {rb}",
                    "move them apart",
                )
        for ref, core, r in placed:
            yield at_least(
                "web to the edge",
                p.name,
                max(0.0, p.outline.exterior.distance(core) - r),
                WEB,
                f"the web from {ref} to the edge",
                "move it inwards or enlarge the box",
            )


def _grown(room: tuple[float, float, float, float], r: float) -> tuple[float, float, float, float]:
    return room[0] - r, room[1] - r, room[2] + r, room[3] + r


def _near(a: tuple[float, float, float, float], b: tuple[float, float, float, float], gap: float) -> bool:
    return a[0] < b[2] + gap and b[0] < a[2] + gap and a[1] < b[3] + gap and b[1] < a[3] + gap


def slivers(model: Model) -> Iterator[Finding]:
    """Opening with a 1.5 mm disc loses less than 2 mm2 in any one place: nothing breaks off.

    Cut-outs are convex, so one that stands further than the disc is wide from all others and from the edge
    leaves no sliver: only those that stand closer are looked at. The opened shape is taken a hair larger.
    Where it lay on the outline to the last bit, the difference would be slow and joined corners by films of
    no width.
    """
    for p in model.panels.values():
        full = p.outline.difference(unary_union(_crowded(p))).simplify(0.01)
        lost = full.difference(full.buffer(-SLIVER_R, quad_segs=4).buffer(SLIVER_R + HAIR, quad_segs=4))
        pieces = getattr(lost, "geoms", [lost])
        worst = max((g.area for g in pieces), default=0.0)
        yield at_most(
            "no sliver", p.name, worst, SLIVER_AREA, "the largest sliver", "move the nearest cut-out", "mm2"
        )


def _crowded(panel: Panel) -> list[Polygon]:
    """Cut-outs that a disc of the sliver check does not pass on every side."""
    holes = [c.polygon() for c in panel.cutouts]
    if not holes:
        return []
    reach = 2 * (SLIVER_R + HAIR)
    a, b = shapely.STRtree(holes).query(holes, predicate="dwithin", distance=reach)
    near = set(a[a != b]) | set(np.flatnonzero(shapely.dwithin(holes, panel.outline.exterior, reach)))
    return [holes[i] for i in sorted(near)]


def kerf(model: Model) -> Iterator[Finding]:
    """Shrinking the cut path by half a kerf gives the nominal outline; hole plus kerf is nominal."""
    k = model.stock.kerf
    for p in model.panels.values():
        back = outside_path(p, k).buffer(-k / 2, join_style="mitre", mitre_limit=10.0)
        off = back.symmetric_difference(p.outline).area
        yield at_most(
            "kerf gives the nominal part",
            p.name,
            off,
            1e-6 * max(1.0, p.outline.length),
            "the area off",
            "report this",
            "mm2",
        )
        for c in p.cutouts:
            if isinstance(c, Circle):
                cut = inside_cut(c, k)
                assert isinstance(cut, Circle)
                yield at_most(
                    "hole + kerf is nominal",
                    p.name,
                    abs(cut.d + k - c.d),
                    1e-9,
                    f"{c.ref} off",
                    "report this",
                )


def edge_runs(panel: Panel, axis: int, plane: float) -> list[tuple[float, float]]:
    """Where a panel fills the strip `plane`..`plane`+t beside an edge, as intervals along world axis
    `axis`.
    """
    across = panel.v if panel.u == axis else panel.u
    lo = plane - panel.origin[across]
    x0, y0, x1, y1 = panel.outline.bounds
    mid = lo + panel.t / 2
    thin = (
        (x0 - 1, mid - 1e-3, x1 + 1, mid + 1e-3)
        if panel.u == axis
        else (mid - 1e-3, y0 - 1, mid + 1e-3, y1 + 1)
    )
    cut = shapely.clip_by_rect(panel.outline, *thin)
    runs = []
    for g in getattr(cut, "geoms", [cut]):
        if g.is_empty:
            continue
        b = g.bounds
        low, high = (b[0], b[2]) if panel.u == axis else (b[1], b[3])
        runs.append((low + panel.origin[axis], high + panel.origin[axis]))
    return sorted(runs)


def joints(model: Model) -> Iterator[Finding]:
    """Mating edges never overlap, and the total gap along the joint is the play at every flank and nothing
    else.
    """
    for prefix in sorted({n[: n.rfind("bottom")] for n in model.panels if n.endswith("bottom")}):
        faces = {n: model.panels[prefix + n] for n in FACES if prefix + n in model.panels}
        for (na, a), (nb, b) in combinations(faces.items(), 2):
            if "top" in (na, nb) or FACES[na].axis == FACES[nb].axis:
                continue
            axis = next(i for i in (0, 1, 2) if i not in (a.n, b.n))
            ra, rb = edge_runs(a, axis, b.origin[b.n]), edge_runs(b, axis, a.origin[a.n])
            overlap = sum(max(0.0, min(x[1], y[1]) - max(x[0], y[0])) for x in ra for y in rb)
            count = len(ra) + len(rb)
            if RANK[a.n] == 0 or RANK[b.n] == 0:
                # The outer fingers of the bottom run into its corners: no flank, no play there.
                low, high, want = min(ra + rb)[0], max(ra + rb)[1], 2 * (count - 1) * model.stock.play
            else:
                floor = faces["bottom"]
                low, high = floor.origin[2] + floor.t, a.origin[2] + a.outline.bounds[3]
                want = 2 * count * model.stock.play
            gap = high - low - sum(y - x for x, y in (*ra, *rb)) + overlap
            name = f"{prefix}{na}/{nb}"
            yield at_most(
                "mating edges do not overlap",
                name,
                overlap * model.stock.t,
                1e-6,
                "the overlap",
                "report this",
                "mm2",
            )
            yield at_most(
                "joint gap is the play",
                name,
                abs(gap - want),
                1e-6,
                f"the gap ({gap:.3f} for {want:.3f} mm) off",
                "report this",
            )


def fingers(model: Model) -> Iterator[Finding]:
    """Odd number of cells, at least three, each finger at least twice the thickness wide."""
    t, play = model.stock.t, model.stock.play
    for prefix in sorted({n[: n.rfind("bottom")] for n in model.panels if n.endswith("bottom")}):
        faces = {n: model.panels[prefix + n] for n in FACES if prefix + n in model.panels}
        for (na, a), (nb, b) in combinations(faces.items(), 2):
            if FACES[na].axis == FACES[nb].axis or "top" in (na, nb):
                continue
            axis = next(i for i in (0, 1, 2) if i not in (a.n, b.n))
            ra, rb = edge_runs(a, axis, b.origin[b.n]), edge_runs(b, axis, a.origin[a.n])
            name = f"{prefix}{na}/{nb}"
            count = len(ra) + len(rb)
            yield holds(
                "odd number of fingers",
                name,
                count % 2 == 1 and count >= 3,
                "odd, >= 3",
                f"{count} fingers",
                "report this",
            )
            narrow = min(y - x for x, y in (*ra, *rb)) + 2 * play
            yield at_least(
                "finger width",
                name,
                narrow,
                2 * t,
                "the narrowest finger with its play",
                "use a larger pitch or box",
            )


def sheets(model: Model) -> Iterator[Finding]:
    """Every part fits the sheet."""
    try:
        count = sheet_count(nest(model.panels, model.stock))
    except CannotBuild as err:
        yield Finding("fits the sheet", model.name, False, 0.0, "fits", str(err))
        return
    yield Finding(
        "fits the sheet",
        model.name,
        True,
        count,
        "fits",
        f"{model.name}: {len(model.panels)} parts on {count} sheets of {model.stock.sheet_w:g} x "
        f"{model.stock.sheet_h:g} mm.",
    )


def _holes_along(item: Item, axis: int) -> list[Circle]:
    return [c for p in item.prisms if p.axis == axis for c in p.cutouts if isinstance(c, Circle)]


def coaxial(model: Model) -> Iterator[Finding]:
    """A screw's holes in all parts it passes lie on its axis."""
    for s in model.screws:
        axis = UNIT[s.way][0]
        a, b = (s.at[i] for i in (0, 1, 2) if i != axis)
        for ref in s.passes:
            off = min(
                (((c.x - a) ** 2 + (c.y - b) ** 2) ** 0.5 for c in _holes_along(model.item(ref), axis)),
                default=99.0,
            )
            yield at_most(
                "screw holes coincide",
                ref,
                off,
                COAXIAL,
                f"the nearest hole's distance from {_spot(s)}",
                "report this",
            )


def _spot(s: Screw) -> str:
    return f"the {s.what} at ({s.at[0]:.1f}, {s.at[1]:.1f}, {s.at[2]:.1f})"


def labels(model: Model) -> Iterator[Finding]:
    """Text lies inside its panel, 3 mm from every cut and from other text."""
    for p in model.panels.values():
        for i, label in enumerate(p.labels):
            room = label.polygon()
            yield holds(
                "text inside the panel",
                p.name,
                p.outline.contains(room),
                "inside",
                f"label {label.text} inside",
                "move it",
            )
            gaps = [room.distance(core) - r for core, r in (c.core() for c in p.cutouts)]
            gaps += [room.distance(other.polygon()) for other in p.labels[:i]]
            gap = max(0.0, min([*gaps, _edge(p.outline, room)]))
            yield at_least(
                "text clear of cuts", p.name, gap, LABEL_GAP, f"the gap round {label.text}", "move the text"
            )


def _edge(outline: Polygon, room: Polygon) -> float:
    return float(outline.exterior.distance(room))


CHECKS = (outlines, webs, slivers, kerf, joints, fingers, sheets, coaxial, labels)
