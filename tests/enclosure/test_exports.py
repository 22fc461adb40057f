"""The committed files of birch4 are what the code makes today: geometry for DXF, text for the rest."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from ezdxf import units
from ezdxf.addons.iterdxf import single_pass_modelspace
from ezdxf.entities.dxfentity import DXFEntity
from ezdxf.entities.line import Line
from ezdxf.entities.lwpolyline import LWPolyline
from ezdxf.filemanagement import readfile
from ezdxf.layouts.base import VirtualLayout
from shapely.geometry import Polygon

from galley_enclosure import bom, wiring
from galley_enclosure.boxes import NAMES
from galley_enclosure.cutfiles import Drawn, cut_length_mm, draw, fill, sheet_parts, svg
from galley_enclosure.electronics import PINS, RAILS, rail_ma, three_boards_ma
from galley_enclosure.nest import nest, sheet_count
from galley_enclosure.pictures import PICTURES

from .conftest import Boxes

EXPORTS = Path(__file__).parents[2] / "enclosure" / "exports" / "birch4"
GUIDE = EXPORTS.parents[1] / "README.md"
REFRESH = "run: galley-enclosure build all --no-solids --out enclosure/exports/birch4"


@pytest.fixture(scope="module")
def guide() -> str:
    return GUIDE.read_text(encoding="utf-8")


def entities(path: Path) -> list[DXFEntity]:
    """What a committed drawing shows. Sheets, which a maker cuts, are opened whole, parts read through."""
    if path.parent.name == "sheets":
        doc = readfile(path)
        assert doc.units == units.MM
        return list(doc.modelspace())
    with path.open("rb") as stream:
        return list(single_pass_modelspace(stream))


def shapes(drawn: Iterable[DXFEntity]) -> list[tuple[str, float, float, float, float]]:
    """Layer, area and start of every closed line of a drawing; layer and ends of every stroke."""
    out = []
    for e in drawn:
        if isinstance(e, LWPolyline):
            points = [tuple(p) for p in e.get_points("xyb")]
            area = Polygon([p[:2] for p in points]).area if len(points) > 2 else 0.0
            out.append(
                (
                    e.dxf.layer,
                    round(area, 2),
                    round(points[0][0], 3),
                    round(points[0][1], 3),
                    float(len(points)),
                )
            )
        elif isinstance(e, Line):
            out.append(
                (e.dxf.layer, 0.0, round(e.dxf.start.x, 3), round(e.dxf.start.y, 3), round(e.dxf.end.x, 3))
            )
    return sorted(out)


@pytest.mark.parametrize("name", NAMES)
def test_cut_files_are_up_to_date(boxes: Boxes, name: str) -> None:
    model = boxes(name)
    stock, spots = model.stock, nest(model.panels, model.stock)
    want: dict[str, tuple[list[Drawn], float, float, str]] = {}
    for panel in model.panels.values():
        part = draw(panel, stock.kerf)
        w, h = (max(p[i] for p in part.outside) for i in (0, 1))
        want[f"panels/{panel.name}"] = ([part], w, h, panel.name)
    count = sheet_count(spots)
    for n in range(count):
        title = f"{name}, sheet {n + 1} of {count}, {stock.t:g} mm"
        parts = sheet_parts(model.panels, spots, n, stock.kerf)
        want[f"sheets/sheet-{n + 1}"] = (parts, stock.sheet_w, stock.sheet_h, title)
    kept = {
        f"{p.parent.name}/{p.name}"
        for kind in ("panels", "sheets")
        for p in (EXPORTS / name / kind).iterdir()
    }
    assert kept == {f"{stem}{end}" for stem in want for end in (".svg", ".dxf")}, REFRESH
    for stem, (parts, w, h, title) in want.items():
        assert (EXPORTS / name / f"{stem}.svg").read_text(encoding="utf-8") == svg(parts, w, h, title), (
            REFRESH
        )
        today = VirtualLayout()  # type: ignore[no-untyped-call]
        fill(today, parts)
        assert shapes(entities(EXPORTS / name / f"{stem}.dxf")) == shapes(today), REFRESH


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


def test_the_build_guide_has_the_print_list_and_what_to_measure(boxes: Boxes, guide: str) -> None:
    models = {n: boxes(n) for n in NAMES if n != "coupon"}
    assert bom.print_table(models) in guide
    assert bom.measure_table() in guide


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
