"""Cut files: DXF and SVG, one per part and one per nested sheet.

Paths hold the kerf: outlines grow and cut-outs shrink by half of it. Layers are `ENGRAVE`, `CUT_INSIDE`,
`CUT_OUTSIDE` in that order (a part must not drop before its holes are cut) and `NOTES`, which is for
people and is not cut. Every cut is one closed polyline in millimetres; circles are two bulged vertices, so
they stay true arcs. Parts are drawn as seen from outside the box. DXF files hold identifiers that change
from run to run: compare their geometry, not their bytes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from shapely import affinity
from shapely.geometry import Polygon

from galley_enclosure.nest import Spot
from galley_enclosure.params import Stock
from galley_enclosure.sheet import Circle, Panel, inside_cut, outside_path
from galley_enclosure.strokes import strokes

if TYPE_CHECKING:
    from ezdxf.document import Drawing
    from ezdxf.graphicsfactory import CreatorInterface

Point = tuple[float, float]
LAYERS = {"ENGRAVE": 7, "CUT_INSIDE": 5, "CUT_OUTSIDE": 1, "NOTES": 8}
NOTE_H = 3.0
COLOURS = {"ENGRAVE": "#000000", "CUT_INSIDE": "#0000ff", "CUT_OUTSIDE": "#ff0000"}


@dataclass(slots=True)
class Drawn:
    """A part on the sheet: closed rings, circles (x, y, d), engraved lines; all in mm with the sheet's
    corner at 0.
    """

    name: str
    outside: list[Point]
    rings: list[list[Point]] = field(default_factory=list)
    circles: list[tuple[float, float, float]] = field(default_factory=list)
    lines: list[list[Point]] = field(default_factory=list)
    note: Point = (0.0, 0.0)

    def note_turn(self) -> float:
        """Degrees by which the part's name is turned: it stands on end in a part too narrow for it."""
        wide, high = (max(p[i] for p in self.outside) - min(p[i] for p in self.outside) for i in (0, 1))
        return 90.0 if wide < min(high, NOTE_H * len(self.name)) else 0.0


def draw(panel: Panel, kerf: float, x: float = 0.0, y: float = 0.0, turned: bool = False) -> Drawn:
    """Lay a part down with its lower left corner (of the cut path) at (x, y)."""
    matrix = [-1.0 if panel.mirrored else 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    if turned:
        matrix = [0.0, -1.0, matrix[0], 0.0, 0.0, 0.0]
    path = outside_path(panel, kerf)
    low = affinity.affine_transform(path, matrix).bounds
    matrix[4], matrix[5] = x - low[0], y - low[1]

    def spot(p: Point) -> Point:
        return (
            round(matrix[0] * p[0] + matrix[1] * p[1] + matrix[4], 4),
            round(matrix[2] * p[0] + matrix[3] * p[1] + matrix[5], 4),
        )

    out = Drawn(panel.name, _ring(path, spot))
    for cutout in panel.cutouts:
        cut = inside_cut(cutout, kerf)
        if isinstance(cut, Circle):
            out.circles.append((*spot((cut.x, cut.y)), round(cut.d, 4)))
        else:
            out.rings.append(_ring(cut.polygon(), spot))
    out.lines = [[spot(p) for p in line] for label in panel.labels for line in strokes(label)]
    out.note = spot(_quiet_place(panel))
    return out


def _ring(polygon: Polygon, spot: Callable[[Point], Point]) -> list[Point]:
    return [spot((px, py)) for px, py in list(polygon.exterior.coords)[:-1]]


@lru_cache(maxsize=512)
def _quiet_place(panel: Panel) -> Point:
    place = panel.material_polygon().buffer(-4.0).representative_point()
    if place.is_empty:
        place = panel.outline.representative_point()
    return (place.x, place.y)


def _save_dxf(parts: list[Drawn], path: Path) -> None:
    """Write a DXF document in mm."""
    space = _document().modelspace()
    space.delete_all_entities()
    fill(space, parts)
    _document().saveas(path)


@lru_cache(maxsize=1)
def _document() -> Drawing:
    """The one document that every drawing is written from: making it takes longer than filling it."""
    # Only DXF needs ezdxf, which takes longer to load than a check to run.
    from ezdxf import units
    from ezdxf.filemanagement import new

    doc = new("R2010", units=units.MM)
    for layer, colour in LAYERS.items():
        doc.layers.add(layer, color=colour)
    return doc


def fill(space: CreatorInterface, parts: list[Drawn]) -> None:
    """Draw the parts into a space, of a DXF document or of none."""
    from ezdxf.enums import TextEntityAlignment

    for part in parts:
        for line in part.lines:
            for a, b in itertools.pairwise(line):
                space.add_line(a, b, dxfattribs={"layer": "ENGRAVE"})
        for ring in part.rings:
            space.add_lwpolyline(ring, close=True, dxfattribs={"layer": "CUT_INSIDE"})
        for x, y, d in part.circles:
            space.add_lwpolyline(
                [(x - d / 2, y, 1.0), (x + d / 2, y, 1.0)],
                format="xyb",
                close=True,
                dxfattribs={"layer": "CUT_INSIDE"},
            )
        space.add_lwpolyline(part.outside, close=True, dxfattribs={"layer": "CUT_OUTSIDE"})
        note = space.add_text(
            part.name, height=NOTE_H, rotation=part.note_turn(), dxfattribs={"layer": "NOTES"}
        )
        note.set_placement(part.note, align=TextEntityAlignment.MIDDLE_CENTER)


def svg(parts: list[Drawn], w: float, h: float, title: str) -> str:
    """An SVG of w x h mm; y grows upwards in the parts and is turned here."""

    def path(points: list[Point], closed: bool) -> str:
        return "M" + "L".join(f"{_n(px)} {_n(h - py)}" for px, py in points) + ("Z" if closed else "")

    groups: dict[str, list[str]] = {layer: [] for layer in COLOURS}
    notes = []
    for part in parts:
        groups["ENGRAVE"] += [f'<path d="{path(line, False)}"/>' for line in part.lines]
        groups["CUT_INSIDE"] += [f'<path d="{path(ring, True)}"/>' for ring in part.rings]
        groups["CUT_INSIDE"] += [
            f'<circle cx="{_n(x)}" cy="{_n(h - y)}" r="{_n(d / 2)}"/>' for x, y, d in part.circles
        ]
        groups["CUT_OUTSIDE"].append(f'<path d="{path(part.outside, True)}"/>')
        x, y, turn = _n(part.note[0]), _n(h - part.note[1]), part.note_turn()
        turned = f' transform="rotate({_n(-turn)} {x} {y})"' if turn else ""
        notes.append(f'<text x="{x}" y="{y}"{turned}>{part.name}</text>')
    body = "\n".join(
        f'<g id="{layer}" stroke="{COLOURS[layer]}">\n' + "\n".join(lines) + "\n</g>"
        for layer, lines in groups.items()
    )
    size = f'width="{_n(w)}mm" height="{_n(h)}mm" viewBox="0 0 {_n(w)} {_n(h)}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n'
        f"<title>{title}</title>\n"
        f'<g fill="none" stroke-width="0.3" stroke-linejoin="round">\n{body}\n</g>\n'
        f'<g id="NOTES" font-family="sans-serif" font-size="3.2" text-anchor="middle" fill="#888888">\n'
        + "\n".join(notes)
        + "\n</g>\n</svg>\n"
    )


def _n(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".") or "0"


def panel_files(panel: Panel, stock: Stock, folder: Path) -> None:
    """Write NAME.svg and NAME.dxf of one part into `folder`."""
    part = draw(panel, stock.kerf)
    w, h = (max(p[i] for p in part.outside) for i in (0, 1))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{panel.name}.svg").write_text(svg([part], w, h, panel.name), encoding="utf-8")
    _save_dxf([part], folder / f"{panel.name}.dxf")


def sheet_parts(panels: dict[str, Panel], spots: list[Spot], sheet: int, kerf: float) -> list[Drawn]:
    """The parts of one nested sheet."""
    return [draw(panels[s.panel], kerf, s.x, s.y, s.turned) for s in spots if s.sheet == sheet]


def sheet_files(panels: dict[str, Panel], spots: list[Spot], stock: Stock, folder: Path, title: str) -> int:
    """Write sheet-1.svg, sheet-1.dxf and so on; returns how many sheets."""
    folder.mkdir(parents=True, exist_ok=True)
    count = 1 + max(s.sheet for s in spots)
    for n in range(count):
        parts = sheet_parts(panels, spots, n, stock.kerf)
        (folder / f"sheet-{n + 1}.svg").write_text(
            svg(parts, stock.sheet_w, stock.sheet_h, f"{title}, sheet {n + 1} of {count}, {stock.t:g} mm"),
            encoding="utf-8",
        )
        _save_dxf(parts, folder / f"sheet-{n + 1}.dxf")
    return count


def cut_length_mm(panels: dict[str, Panel], kerf: float) -> float:
    """Total length of all cut paths."""
    return sum(
        outside_path(p, kerf).length + sum(inside_cut(c, kerf).polygon().length for c in p.cutouts)
        for p in panels.values()
    )
