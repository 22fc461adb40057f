"""Exact solids: volumes, collisions, outer size."""

from __future__ import annotations

from dataclasses import replace

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
