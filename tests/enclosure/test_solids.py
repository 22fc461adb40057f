"""Exact solids: volumes, collisions, outer size; and STEP, STL, 3MF and GLB read back."""

from __future__ import annotations

import locale
import re
from dataclasses import replace
from pathlib import Path

import pytest

from galley_enclosure.model import Model
from galley_enclosure.parts import PARTS
from galley_enclosure.shapes import Frame

from .conftest import Boxes

pytestmark = pytest.mark.cad


@pytest.mark.parametrize(
    ("box", "preset"),
    [
        ("station", "birch4"),
        ("station", "mdf6"),
        ("deck", "birch4"),
        ("deck", "mdf6"),
        ("pi-tray", "acrylic3"),
        ("coupon", "birch4"),
    ],
)
def test_nothing_collides_and_every_panel_is_its_area_times_its_thickness(
    boxes: Boxes, box: str, preset: str
) -> None:
    from galley_enclosure.checks_solid import solid

    found = solid(boxes(box, preset))
    assert [f.text for f in found if not f.ok] == []
    assert len(found) >= (5 if box == "coupon" else 18)


def test_a_collision_is_caught_and_named(boxes: Boxes) -> None:
    from galley_enclosure.checks_solid import collisions

    bad = boxes.fresh("station")
    bad.items = [i for i in bad.items if i.ref in ("top", "KEEP1", "KEEP2")]
    bad.add_part("EXTRA", "key24_screw", Frame((key1(bad)[0] + 20.0, key1(bad)[1], 90.0)), "top", sheet=4.0)
    named = {f.subject for f in collisions(bad) if not f.ok}
    assert named == {"top, EXTRA", "KEEP1, EXTRA", "KEEP2, EXTRA"}


def test_a_box_too_shallow_for_the_bells_wires_collides(boxes: Boxes) -> None:
    from galley_enclosure.checks_solid import clash

    model = boxes.fresh("station", h=79.0)
    bell, floor = model.item("BELL"), model.item("bottom")
    assert clash(bell, floor) == 0.0
    lower = replace(bell, prisms=tuple(Frame((0.0, 0.0, -1.0)).place(p) for p in bell.prisms))
    assert clash(lower, floor) > 100.0


def key1(model: Model) -> tuple[float, float]:
    return next((c.x, c.y) for c in model.panels["top"].cutouts if c.ref == "KEEP1")


def test_wire_room_under_every_switch_is_part_of_the_mock() -> None:
    for name in ("key24_screw", "key24_snap", "key30_screw", "key30_snap", "bell60", "mode_button"):
        room = [p for p in PARTS[name].mock if p.kind == "room"]
        assert room, name
        assert 10.0 <= room[0].hi - room[0].lo <= 15.0


def test_step_reads_back_with_the_same_volumes_and_labels(boxes: Boxes, tmp_path: Path) -> None:
    import build123d as bd

    from galley_enclosure.solids import assembly
    from galley_enclosure.stepfiles import STAMP, step

    model = boxes("pi-tray")
    whole = assembly(model.items, "whole")
    step(whole, tmp_path / "a.step")
    back = bd.import_step(str(tmp_path / "a.step"))
    want = sorted(s.volume for s in whole.solids())
    assert sorted(s.volume for s in back.solids()) == pytest.approx(want, rel=1e-6)
    text = (tmp_path / "a.step").read_text(encoding="utf-8")
    named = set(re.findall(r"PRODUCT\('([^']*)'", text))
    assert {i.ref for i in model.items} <= named
    assert STAMP.strftime("%Y-%m-%d") in text


def test_printed_parts_are_watertight_and_hold_their_volume(boxes: Boxes, tmp_path: Path) -> None:
    import trimesh

    from galley_enclosure.solids import printed_shape
    from galley_enclosure.stepfiles import stl, threemf

    for box in ("station", "deck"):
        model = boxes(box)
        shapes = {name: printed_shape(part) for name, part in model.prints.items()}
        for path in stl(shapes, tmp_path / box):
            mesh = trimesh.load_mesh(path)
            exact = shapes[path.stem]
            assert exact.is_valid
            assert len(exact.solids()) == 1, path.stem
            assert mesh.is_watertight, path.stem
            assert mesh.volume == pytest.approx(exact.volume, rel=2e-3), path.stem
            assert model.prints[path.stem].volume_mm3() == pytest.approx(exact.volume, rel=1e-2), path.stem
        before = locale.setlocale(locale.LC_ALL)
        threemf(shapes, tmp_path / f"{box}.3mf")
        assert locale.setlocale(locale.LC_ALL) == before
        scene = trimesh.load_scene(tmp_path / f"{box}.3mf")
        assert len(scene.geometry) == len(model.prints)
        assert all(g.is_watertight for g in scene.geometry.values())


def test_glb_holds_every_item(boxes: Boxes, tmp_path: Path) -> None:
    from galley_enclosure.solids import assembly
    from galley_enclosure.stepfiles import glb

    model = boxes("pi-tray")
    glb(assembly(model.items, "whole"), tmp_path / "a.glb")
    data = (tmp_path / "a.glb").read_bytes()
    assert data[:4] == b"glTF"
    assert int.from_bytes(data[8:12], "little") == len(data)
    for item in model.items:
        assert f'"{item.ref}"'.encode() in data
