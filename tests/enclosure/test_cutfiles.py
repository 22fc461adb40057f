"""DXF and SVG: what a laser program reads."""

from __future__ import annotations

import math
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from shapely.geometry import Point, Polygon, box

from galley_enclosure.boxes import NAMES
from galley_enclosure.cutfiles import cut_length_mm, draw, panel_files
from galley_enclosure.nest import GAP, MARGIN, nest
from galley_enclosure.sheet import Circle, Label
from galley_enclosure.strokes import GLYPHS, strokes

from .conftest import Boxes

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def top(boxes: Boxes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the station's lid, without their endings."""
    folder, model = tmp_path_factory.mktemp("top"), boxes("station")
    panel_files(model.panels["top"], model.stock, folder)
    return folder / "top"


def test_circles_stay_true_arcs(boxes: Boxes, top: Path) -> None:
    from ezdxf.entities.lwpolyline import LWPolyline
    from ezdxf.filemanagement import readfile

    model = boxes("station")
    drawn = readfile(top.with_suffix(".dxf")).modelspace()
    circles = [p for p in drawn if isinstance(p, LWPolyline) and len(p) == 2]
    want = sorted(c.d - model.stock.kerf for c in model.panels["top"].cutouts if isinstance(c, Circle))
    assert [bulge for c in circles for *_, bulge in c.get_points()] == [1.0] * (2 * len(circles))
    assert sorted(math.dist(a[:2], b[:2]) for a, b in (c.get_points() for c in circles)) == pytest.approx(
        want, abs=1e-3
    )


def test_svg_is_as_large_as_the_part_and_cuts_the_inside_first(boxes: Boxes, top: Path) -> None:
    root = ET.fromstring(top.with_suffix(".svg").read_text(encoding="utf-8"))
    w, h = (float(root.attrib[k].removesuffix("mm")) for k in ("width", "height"))
    kerf = boxes("station").stock.kerf
    assert (w, h) == pytest.approx((320 + kerf, 240 + kerf), abs=1e-3)
    assert root.attrib["viewBox"].split()[2:] == [root.attrib["width"][:-2], root.attrib["height"][:-2]]
    groups = [g.attrib["id"] for g in root.iter(f"{SVG}g") if "id" in g.attrib]
    assert groups == ["ENGRAVE", "CUT_INSIDE", "CUT_OUTSIDE", "NOTES"]
    outside = next(g for g in root.iter(f"{SVG}g") if g.attrib.get("id") == "CUT_OUTSIDE")
    numbers = [float(n) for n in re.findall(r"-?[\d.]+", outside[0].attrib["d"])]
    assert (min(numbers[::2]), max(numbers[::2])) == pytest.approx((0.0, w), abs=2e-3)


@pytest.mark.parametrize("name", ["back", "left", "bottom"])
def test_faces_seen_from_outside_are_mirrored(boxes: Boxes, name: str) -> None:
    panel = boxes("station").panels[name]
    part = draw(panel, 0.0)
    width = panel.outline.bounds[2] - panel.outline.bounds[0]
    circles = sorted(
        (round(width - (c.x - panel.outline.bounds[0]), 3), round(c.y - panel.outline.bounds[1], 3))
        for c in panel.cutouts
        if isinstance(c, Circle)
    )
    assert sorted((round(x, 3), round(y, 3)) for x, y, _ in part.circles) == circles


@pytest.mark.parametrize("name", NAMES)
def test_nested_parts_lie_on_the_sheet_and_apart(boxes: Boxes, name: str) -> None:
    model = boxes(name)
    spots = nest(model.panels, model.stock)
    assert sorted(s.panel for s in spots) == sorted(model.panels)
    placed: dict[int, list[Polygon]] = {}
    for s in spots:
        ring = Polygon(draw(model.panels[s.panel], 0.0, s.x, s.y, s.turned).outside)
        assert box(
            MARGIN - 0.01,
            MARGIN - 0.01,
            model.stock.sheet_w - MARGIN + 0.01,
            model.stock.sheet_h - MARGIN + 0.01,
        ).contains(ring)
        assert all(ring.distance(other) >= GAP - 0.01 for other in placed.setdefault(s.sheet, []))
        placed[s.sheet].append(ring)


def test_cut_length_counts_outlines_and_holes(boxes: Boxes) -> None:
    gauge = {"gauge": boxes("coupon").panels["gauge"]}
    assert cut_length_mm(gauge, 0.0) == pytest.approx(160.0)
    assert 8_000 < cut_length_mm(boxes("station").panels, 0.2) < 12_000


def test_text_is_drawn_as_strokes_inside_its_room() -> None:
    label = Label(50.0, 20.0, "BELL-8", 5.0)
    room = label.polygon().buffer(1e-6)
    lines = strokes(label)
    assert len(lines) > 6
    assert all(room.covers(Point(p)) for line in lines for p in line)
    assert set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.- ") == set(GLYPHS)
