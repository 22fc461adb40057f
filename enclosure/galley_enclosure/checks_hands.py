"""Checks for hands and children: spacing of keys, sheet in each part's range, vents, moving parts, edges,
small parts.

Sources: clearances of moving parts after ASTM F963 4.18.1 (a gap that takes a 5 mm rod must take a 13 mm
rod); the small parts cylinder of 16 CFR 1501 (31.7 mm wide). A hobby build is no certified toy; these are
rules of thumb with numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import shapely
from shapely import affinity
from shapely.geometry import Point
from shapely.geometry.base import BaseGeometry
from shapely.ops import unary_union

from galley_enclosure.findings import Finding, at_least, at_most, holds
from galley_enclosure.model import Model, Turning
from galley_enclosure.parts import PARTS, nut_diameter
from galley_enclosure.shapes import UNIT, Prism
from galley_enclosure.sheet import Circle, Rect

BEZEL_GAP, NUT_GAP = 12.0, 4.0
FINGER_SHUT, FINGER_FREE = 5.0, 13.0
VENT_SHORT, VENT_AREA = 5.0, 600.0
CORNER_R = 3.0
JAM_FREE, JAM_SHUT = 1.2, 0.4
SMALL_PARTS_D = 31.7
ANGLE_STEP = 5
NEAR = 40.0
LOOSE = frozenset({"token", "eye_hub"})


def keys(model: Model) -> Iterator[Finding]:
    """Bezels at least 12 mm apart, nuts 4 mm."""
    placed = [
        (i.ref, i.what, i.prisms[0].outline)
        for i in model.items
        if i.kind == "part" and i.group == "top" and PARTS[i.what].bezel_d
    ]
    spots = [(ref, what, o.x, o.y) for ref, what, o in placed if isinstance(o, Circle)]
    for (ra, wa, ax, ay), (rb, wb, bx, by) in combinations(spots, 2):
        apart = math.hypot(ax - bx, ay - by)
        if apart > 150.0:
            continue
        yield at_least(
            "bezel to bezel",
            f"{ra}, {rb}",
            apart - (PARTS[wa].bezel_d + PARTS[wb].bezel_d) / 2,
            BEZEL_GAP,
            "the gap between bezels",
            "move the keys apart",
        )
        yield at_least(
            "nut to nut",
            f"{ra}, {rb}",
            apart - (nut_diameter(wa) + nut_diameter(wb)) / 2,
            NUT_GAP,
            "the gap between nuts",
            "move the keys apart",
        )


def thickness(model: Model) -> Iterator[Finding]:
    """The sheet is within each clamped part's range."""
    t = model.stock.t
    for what in sorted({i.what for i in model.items if i.kind == "part" and PARTS[i.what].hole_d}):
        low, high = PARTS[what].panel
        yield holds(
            "sheet in the part's range",
            what,
            low <= t <= high,
            f"{low:g}..{high:g} mm",
            f"{t:g} mm sheet, range {low:g} to {high:g} mm"
            + ("" if low <= t <= high else f", {max(low - t, t - high):.1f} mm off"),
            "choose another part or sheet",
        )


def vents(model: Model) -> Iterator[Finding]:
    """Slots too narrow for a finger, and enough of them on each wall that has any."""
    for p in model.panels.values():
        slots = [c for c in p.cutouts if isinstance(c, Rect) and c.ref in ("vent", "intake", "outlet")]
        if not slots:
            continue
        yield at_most(
            "vent width",
            p.name,
            max(min(c.w, c.h) for c in slots),
            VENT_SHORT - 0.01,
            "the widest slot",
            "narrow it",
        )
        yield at_least(
            "vent area",
            p.name,
            sum(c.polygon().area for c in slots),
            VENT_AREA,
            "the open area",
            "add a slot",
            "mm2",
        )


def turning_gaps(model: Model, what: Turning) -> dict[str, list[float]]:
    """Clearance (mm) of a turning group to each fixed thing it could nip a finger against, every 5 degrees.

    The group counts as one prism as wide as its widest part; fixed are the lid and all that stands up from
    it, but not what lies loose on it or stays more than `NEAR` away.
    """
    moving = [p for i in model.items if i.ref in what.refs for p in i.prisms]
    low, high = min(p.lo for p in moving), max(p.hi for p in moving)
    shape = unary_union([p.footprint for p in moving]).simplify(0.01)
    turned = [affinity.rotate(shape, angle, origin=(what.x, what.y)) for angle in range(0, 360, ANGLE_STEP)]
    reach = Point(what.x, what.y).buffer(Point(what.x, what.y).hausdorff_distance(shape) + NEAR)
    out: dict[str, list[float]] = {}
    for item in model.items:
        stands = item.ref == "top" or max(p.bounds[1][2] for p in item.prisms) > model.size.h + 0.01
        if item.ref in what.refs or item.what in LOOSE or not stands or item.group == "base":
            continue
        solids = [p for p in item.prisms if p.kind == "solid" and p.axis == 2]
        levels: dict[float, list[BaseGeometry]] = {}
        for p in solids:
            if not _shaft(p, what):
                levels.setdefault(max(0.0, low - p.hi, p.lo - high), []).append(p.footprint)
        shadow = [(_whole(level), dz) for dz, level in levels.items()]
        if any(s.intersects(reach) for s, _ in shadow):
            out[item.ref] = [min(math.hypot(_apart(s, t), dz) for s, dz in shadow) for t in turned]
    return out


def _whole(level: list[BaseGeometry]) -> BaseGeometry:
    if len(level) == 1:
        return level[0]
    out = unary_union(level)
    shapely.prepare(out)
    return out


def _apart(fixed: BaseGeometry, moving: BaseGeometry) -> float:
    """Distance; a prepared outline says sooner than its distance does that there is none."""
    return 0.0 if fixed.intersects(moving) else float(fixed.distance(moving))


def _shaft(p: Prism, what: Turning) -> bool:
    """Whether a prism is round about the turning axis and so turns with the group."""
    o = p.outline
    return (
        isinstance(o, Circle)
        and not p.cutouts
        and math.hypot(o.x - what.x, o.y - what.y) < 1e-6
        and o.d < 30.0
    )


def finger_gaps(model: Model) -> Iterator[Finding]:
    """Every clearance between a moving and a fixed part is under 5 mm or at least 13 mm, at every angle."""
    for group in model.turning:
        for fixed, gaps in turning_gaps(model, group).items():
            bad = [mm for mm in gaps if FINGER_SHUT <= mm < FINGER_FREE]
            yield Finding(
                "finger rule",
                f"{group.name}, {fixed}",
                not bad,
                min(gaps),
                "< 5 or >= 13 mm",
                f"{group.name} to {fixed}: {min(gaps):.1f} to {max(gaps):.1f} mm over {len(gaps)} angles"
                + (
                    "."
                    if not bad
                    else f", and {bad[0]:.1f} mm takes a finger but not a hand, "
                    f"{FINGER_FREE - bad[0]:.1f} mm too little: make it under 5 or at least 13 mm."
                ),
            )


def jam(model: Model) -> Iterator[Finding]:
    """The die and the droppings cannot wedge between an arm and the wall."""
    if "arm to wall" not in model.facts:
        return
    gap, edge = model.facts["arm to wall"], model.facts["die edge"]
    diagonal = edge * math.sqrt(3)
    free, shut = JAM_FREE * diagonal, JAM_SHUT * edge
    ok = gap >= free or gap <= shut
    yield Finding(
        "die cannot jam",
        "eye",
        ok,
        gap,
        f">= {free:.1f} or <= {shut:.1f} mm",
        f"eye: arm to wall is {gap:g} mm and a {edge:g} mm die needs {free:.1f} mm"
        + ("." if ok else f", {free - gap:.1f} mm more: use a smaller die or shorter arms."),
    )
    token = model.facts["token diameter"]
    yield at_least(
        "dropping cannot jam",
        "eye",
        gap,
        token + 2.0,
        f"arm to wall for a {token:g} mm dropping",
        "use smaller droppings",
    )
    yield at_least(
        "motor shaft in its hub",
        "eye",
        model.facts["shaft in hub"],
        5.0,
        "the shaft's length in the hub",
        "raise the motor",
    )


def edges(model: Model) -> Iterator[Finding]:
    """Lid corners are rounded, and no screw tip comes out of the box."""
    top = model.panels.get("top")
    if top is None:
        return
    x0, y0, x1, y1 = top.outline.bounds
    cut = min(top.outline.distance(Point(x, y)) for x in (x0, x1) for y in (y0, y1))
    yield at_least(
        "lid corner radius",
        "top",
        cut / (math.sqrt(2) - 1),
        CORNER_R - 0.02,
        "the corner radius",
        "round the lid more",
    )
    size = (model.size.w, model.size.d, model.size.h)
    play_top = max(
        (p.bounds[1][2] for i in model.items if i.group == "play" for p in i.prisms), default=size[2]
    )
    for s in model.screws:
        axis, sign = UNIT[s.way]
        tip = s.at[axis] + sign * s.length
        roof = play_top if axis == 2 and sign > 0 and s.group == "top" else size[axis]
        yield at_least(
            "screw tip stays inside",
            s.what,
            min(tip, roof - tip),
            0.0,
            f"the tip's depth at ({s.at[0]:.0f}, {s.at[1]:.0f})",
            "use a shorter screw",
        )


def small_parts(model: Model) -> Iterator[Finding]:
    """Loose pieces that fit the small-parts cylinder need an age label engraved on the box."""
    token = model.facts.get("token diameter")
    if token is None:
        return
    text = " ".join(label.text for p in model.panels.values() for label in p.labels)
    yield holds(
        "small parts are labelled",
        model.name,
        token > SMALL_PARTS_D or "AGE" in text,
        "label",
        f"droppings of {token:g} mm with an age label",
        "engrave an age label",
    )


CHECKS = (keys, thickness, vents, finger_gaps, jam, edges, small_parts)
