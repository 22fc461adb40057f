"""The committed files of birch4 are what the code makes today: geometry for DXF, text for the rest."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from shapely.geometry import Polygon

from galley_enclosure import bom, wiring
from galley_enclosure.boxes import NAMES
from galley_enclosure.cutfiles import Drawn, cut_length_mm, draw, fill, sheet_parts, svg
from galley_enclosure.electronics import PINS, RAILS, rail_ma, three_boards_ma
from galley_enclosure.nest import nest, sheet_count
from galley_enclosure.pictures import PICTURES
from galley_enclosure.sheet import outside_path

from .conftest import Boxes

EXPORTS = Path(__file__).parents[2] / "enclosure" / "exports" / "birch4"
GUIDE = EXPORTS.parents[1] / "README.md"
REFRESH = "run: galley-enclosure build all --no-solids --out enclosure/exports/birch4"


@pytest.fixture(scope="module")
def guide() -> str:
    return GUIDE.read_text(encoding="utf-8")


class Shape(NamedTuple):
    """What a drawing shows once: layer, ends of a stroke or first corner, number of corners, area."""

    layer: str
    at: tuple[float, ...]
    corners: int
    area: float


def ring(layer: str, points: list[tuple[float, float]]) -> Shape:
    area = round(Polygon(points).area, 2) if len(points) > 2 else 0.0
    return Shape(layer, tuple(round(float(v), 3) for v in points[0]), len(points), area)


def stroke(layer: str, *ends: float) -> Shape:
    return Shape(layer, tuple(round(float(v), 3) for v in ends), 2, 0.0)


def planned(parts: list[Drawn]) -> Counter[Shape]:
    """Of what is drawn today."""
    shapes = [ring("CUT_OUTSIDE", part.outside) for part in parts]
    for part in parts:
        shapes += [ring("CUT_INSIDE", points) for points in part.rings]
        shapes += [ring("CUT_INSIDE", [(x - d / 2, y), (x + d / 2, y)]) for x, y, d in part.circles]
        shapes += [stroke("ENGRAVE", *a, *b) for line in part.lines for a, b in itertools.pairwise(line)]
    return Counter(shapes)


def drawn(space: Iterable[Any]) -> Counter[Shape]:
    """Of a space of ezdxf."""
    shapes = []
    for e in space:
        if e.dxftype() == "LWPOLYLINE":
            assert e.closed
            shapes.append(ring(e.dxf.layer, list(e.get_points("xy"))))
        elif e.dxftype() == "LINE":
            shapes.append(stroke(e.dxf.layer, *e.dxf.start.vec2, *e.dxf.end.vec2))
        else:
            assert (e.dxftype(), e.dxf.layer) == ("TEXT", "NOTES")
    return Counter(shapes)


def plain(path: Path) -> Counter[Shape]:
    """Of a file, read as what a DXF is: pairs of lines, a code and a value; 0 begins an entity."""
    lines = path.read_text(encoding="utf-8").split("\n")
    pairs = list(zip((code.strip() for code in lines[::2]), lines[1::2], strict=False))
    start = pairs.index(("2", "ENTITIES"))
    shapes, kind, tags = [], "", list[tuple[str, str]]()
    for pair in pairs[start + 1 : pairs.index(("0", "ENDSEC"), start) + 1]:
        if pair[0] != "0":
            tags.append(pair)
            continue
        layer, *xs = [value for code, value in tags if code in ("8", "10", "11")] or [""]
        ys = [float(value) for code, value in tags if code in ("20", "21")]
        points = list(zip(map(float, xs), ys, strict=True))
        if kind == "LWPOLYLINE":
            assert ("70", "1") in ((code, value.strip()) for code, value in tags), "not closed"
            shapes.append(ring(layer, points))
        elif kind == "LINE":
            shapes.append(stroke(layer, *points[0], *points[1]))
        kind, tags = pair[1], []
    return Counter(shapes)


@lru_cache(maxsize=16)
def sheet(name: str, n: int) -> Any:
    """A committed sheet, which a maker cuts, opened whole."""
    from ezdxf.filemanagement import readfile

    return readfile(EXPORTS / name / "sheets" / f"sheet-{n + 1}.dxf")


@pytest.mark.parametrize(("name", "sheets"), [("station", 2), ("deck", 3), ("pi-tray", 1), ("coupon", 1)])
def test_birch4_needs_so_many_sheets_of_closed_polylines_in_millimetres_on_three_layers(
    boxes: Boxes, name: str, sheets: int
) -> None:
    from ezdxf import units

    model = boxes(name)
    spots = nest(model.panels, model.stock)
    assert sheet_count(spots) == sheets
    for n in range(sheets):
        doc = sheet(name, n)
        assert not doc.audit().has_errors
        assert doc.units == units.MM
        shapes = drawn(doc.modelspace())
        assert {s.layer for s in shapes} <= {"CUT_OUTSIDE", "CUT_INSIDE", "ENGRAVE"}
        panels = [model.panels[s.panel] for s in spots if s.sheet == n]
        assert sum(shapes[s] for s in shapes if s.layer == "CUT_INSIDE") == sum(
            len(p.cutouts) for p in panels
        )
        areas = sorted(s.area for s in shapes.elements() if s.layer == "CUT_OUTSIDE")
        assert areas == pytest.approx(
            sorted(outside_path(p, model.stock.kerf).area for p in panels), rel=1e-5
        )


@pytest.mark.parametrize("name", NAMES)
def test_cut_files_are_up_to_date(boxes: Boxes, name: str) -> None:
    from ezdxf.layouts.base import VirtualLayout

    model = boxes(name)
    stock, spots = model.stock, nest(model.panels, model.stock)
    want: dict[str, tuple[list[Drawn], float, float, str]] = {}
    for panel in model.panels.values():
        part = draw(panel, stock.kerf)
        w, h = (max(p[i] for p in part.outside) for i in (0, 1))
        want[f"panels/{panel.name}"] = ([part], w, h, panel.name)
        assert plain(EXPORTS / name / f"panels/{panel.name}.dxf") == planned([part]), REFRESH
    count = sheet_count(spots)
    for n in range(count):
        title = f"{name}, sheet {n + 1} of {count}, {stock.t:g} mm"
        parts = sheet_parts(model.panels, spots, n, stock.kerf)
        want[f"sheets/sheet-{n + 1}"] = (parts, stock.sheet_w, stock.sheet_h, title)
        today = VirtualLayout()  # type: ignore[no-untyped-call]
        fill(today, parts)
        assert drawn(sheet(name, n).modelspace()) == drawn(today) == planned(parts), REFRESH
    kept = {
        f"{p.parent.name}/{p.name}"
        for kind in ("panels", "sheets")
        for p in (EXPORTS / name / kind).iterdir()
    }
    assert kept == {f"{stem}{end}" for stem in want for end in (".svg", ".dxf")}, REFRESH
    for stem, (parts, w, h, title) in want.items():
        text = (EXPORTS / name / f"{stem}.svg").read_text(encoding="utf-8")
        assert text == svg(parts, w, h, title), REFRESH


def test_lists_and_wiring_are_up_to_date(boxes: Boxes) -> None:
    models = {n: boxes(n) for n in NAMES if n != "coupon"}
    want = {
        "bom.csv": bom.bom_csv(models),
        "prints.csv": bom.print_csv(models),
        "currents.csv": wiring.current_csv(),
    }
    for board in PINS:
        want |= {
            f"wiring-{board}.csv": wiring.wiring_csv(board),
            f"wiring-{board}.svg": wiring.wiring_svg(board),
        }
    for name, text in want.items():
        assert (EXPORTS / name).read_text(encoding="utf-8") == text, f"{name}: {REFRESH}"


def test_every_picture_is_there_and_all_are_small() -> None:
    for name in NAMES:
        have = {p.stem for p in (EXPORTS / name / "pictures").glob("*.png")}
        assert have == ({"closed"} if name == "coupon" else {p.name for p in PICTURES} | {"round"})
    total = sum(p.stat().st_size for p in EXPORTS.rglob("*") if p.is_file())
    assert total < 4_000_000


def test_the_build_guide_shows_files_that_exist(guide: str) -> None:
    links = [part.split(")")[0] for part in guide.split("](")[1:]]
    local = [link for link in links if not link.startswith(("http", "#"))]
    assert len(local) > 20
    for link in local:
        assert (GUIDE.parent / link).exists(), link


def test_the_build_guide_has_the_print_list_the_screws_and_what_to_measure(boxes: Boxes, guide: str) -> None:
    models = {n: boxes(n) for n in NAMES if n != "coupon"}
    assert bom.print_table(models) in guide
    assert bom.measure_table() in guide
    assert bom.screw_table(models) in guide
    assert f"about {round(bom.hours(models))} hours for a whole set" in guide.replace("\n", " ")


def test_the_build_guide_quotes_the_currents_and_sheets_the_code_computes(boxes: Boxes, guide: str) -> None:
    for sentence in (
        f"{rail_ma(RAILS[0]):.0f} mA for a station",
        f"{rail_ma(RAILS[3]):.0f} mA for the deck",
        f"{three_boards_ma():,.0f} mA for all three",
    ):
        assert sentence in guide, sentence
    for name in ("station", "deck", "pi-tray"):
        model = boxes(name)
        count = sheet_count(nest(model.panels, model.stock))
        metres = cut_length_mm(model.panels, model.stock.kerf) / 1000
        row = f"| {name} | {len(model.panels)} | {count} | {metres:.1f} m |"
        assert row in guide, row
