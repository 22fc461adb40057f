"""Printed parts: sizes, the light grid's formula, and that they fit what they hold."""

from __future__ import annotations

import itertools
import math

import pytest
from shapely.geometry import Point

from galley_enclosure import printed, printed_deck
from galley_enclosure.checks_build import grams, grid_area, minutes, overhang, thin_area
from galley_enclosure.parts import PARTS
from galley_enclosure.shapes import Frame, block, cyl


@pytest.mark.parametrize("cells", [3, 5])
def test_the_light_grid_has_one_well_for_each_pixel(cells: int) -> None:
    grid = printed.light_grid(cells)
    measured, formula = grid_area(cells)
    assert measured == pytest.approx(formula, rel=1e-9)
    wells = [c for c in grid.prisms[0].cutouts if c.ref == "well"]
    assert len(wells) == 4 * cells * cells
    xs = sorted({round(c.x, 4) for c in wells})
    assert xs[1] - xs[0] == pytest.approx(50.0 / cells, abs=1e-3)


def test_the_drum_has_eight_faces_of_one_width() -> None:
    points = list(printed_deck.octagon(20.0).exterior.coords)
    assert [math.dist(a, b) for a, b in itertools.pairwise(points)] == pytest.approx([20.0] * 8)


def test_a_tube_and_a_cone_have_their_volumes() -> None:
    tube = printed.Printed("tube", "Tube", "PLA", (cyl(20.0, 0.0, 10.0, bore=10.0),), "#000000")
    cone = printed.Printed("cone", "Cone", "PLA", (cyl(20.0, 0.0, 10.0, top_d=10.0),), "#000000")
    assert tube.volume_mm3() == pytest.approx(math.pi * (100 - 25) * 10, rel=1e-3)
    assert cone.volume_mm3() == pytest.approx(math.pi * 10 / 3 * (100 + 50 + 25), rel=5e-3)


def test_overlapping_prisms_count_once() -> None:
    part = printed.Printed(
        "two", "Two", "PLA", (block(0, 0, 10, 10, 0, 10), block(0, 0, 10, 10, 5, 15)), "#000000"
    )
    assert part.volume_mm3() == pytest.approx(1500.0)
    assert part.bounds() == (10.0, 10.0, 15.0)


def test_steps_of_45_degrees_are_no_overhang_and_a_shelf_is() -> None:
    steps = tuple(cyl(20.0 + 2 * k, k, k + 1.0) for k in range(6))
    assert overhang(printed.Printed("steps", "Steps", "PLA", steps, "#000000")) == pytest.approx(
        0.0, abs=0.05
    )
    shelf = (block(0, 0, 10, 10, 0, 10), block(15, 0, 40, 10, 10, 12))
    assert overhang(printed.Printed("shelf", "Shelf", "PLA", shelf, "#000000")) > 9.0


def test_a_wall_of_a_millimetre_is_thin_and_one_of_a_nozzle_more_is_not() -> None:
    assert thin_area(printed.Printed("a", "A", "PLA", (block(0, 0, 1.0, 30, 0, 5),), "#000000")) > 20
    assert thin_area(printed.Printed("b", "B", "PLA", (block(0, 0, 1.3, 30, 0, 5),), "#000000")) < 0.6


def test_holders_take_the_parts_they_are_for() -> None:
    ring = next(c for c in printed_deck.ring_holder(12.0, "eye").prisms[1].cutouts if c.ref == "pocket")
    assert 0.3 <= ring.d - 36.83 <= 1.0  # type: ignore[union-attr]
    assert printed_deck.HUB_STEM + 1.0 < 12.0
    assert printed_deck.CHUTE_BORE > printed_deck.TOKEN_D + 4.0
    assert 16.0 * math.sqrt(3) < printed_deck.CHUTE_BORE
    assert PARTS["diffuser"].mock[0].bounds[1][0] * 2 < printed.GRID_W - 2.6


def test_there_is_material_round_the_gearboxs_two_screws() -> None:
    clamp = printed_deck.motor_clamp()
    face = next(shape for lo, _, shape in clamp.slices() if lo == printed_deck.CLAMP_FACE)
    for x in (-4.5, 4.5):
        assert face.covers(Point(x, 0).buffer(1.9).difference(Point(x, 0).buffer(1.0)))
        assert not face.intersects(Point(x, 0).buffer(0.8))


def test_time_and_weight_grow_with_the_part() -> None:
    small, large = printed.corner_block(), printed.light_grid(3)
    assert 0 < minutes(small) < minutes(large) < 240
    assert grams(large) == pytest.approx(large.volume_mm3() * 0.6 * 1.24e-3)


def test_a_frame_turns_without_mirroring_and_back() -> None:
    frame = Frame((10.0, 20.0, 30.0), "+y", "-x", "+z")
    assert frame.right_handed()
    assert not Frame((0, 0, 0), "+y", "+x", "+z").right_handed()
    assert frame.point((1.0, 2.0, 3.0)) == (8.0, 21.0, 33.0)
    placed = frame.place(block(0, 0, 4.0, 2.0, 0.0, 5.0))
    assert placed.bounds == ((9.0, 18.0, 30.0), (11.0, 22.0, 35.0))


def test_a_frame_of_two_equal_axes_is_refused() -> None:
    with pytest.raises(ValueError, match="not square"):
        Frame((0, 0, 0), "+x", "-x", "+z")
