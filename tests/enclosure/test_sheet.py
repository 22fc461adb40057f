"""Finger joints, kerf and play, for any box."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley_enclosure.checks_sheet import edge_runs
from galley_enclosure.params import CannotBuild, Stock
from galley_enclosure.sheet import (
    FACES,
    Circle,
    Panel,
    Rect,
    box_panels,
    cells,
    finger_count,
    inside_cut,
    outside_path,
)


def stock(t: float = 4.0, play: float = 0.05, pitch: float = 20.0, kerf: float = 0.2) -> Stock:
    return Stock("birch", t, kerf, play, pitch, 600.0, 400.0)


sizes = st.tuples(st.floats(65, 500), st.floats(65, 400), st.floats(65, 200))


@settings(max_examples=12, deadline=None)
@given(dim=sizes, t=st.floats(2.0, 8.0), play=st.floats(0.0, 0.2), pitch=st.floats(10.0, 40.0))
def test_any_box_has_six_valid_faces_that_meet_without_overlap(
    dim: tuple[float, float, float], t: float, play: float, pitch: float
) -> None:
    s = stock(t, play, pitch)
    panels = box_panels(dim, s)
    assert set(panels) == set(FACES)
    for name, p in panels.items():
        assert p.outline.is_valid
        assert not p.outline.interiors
        w, h = dim[p.u], dim[p.v]
        slack = 2 * play if name in ("left", "right", "front", "back") else 1e-6
        x0, y0, x1, y1 = p.outline.bounds
        assert (x1 - x0) == pytest.approx(w, abs=slack + 1e-6)
        assert (y1 - y0) == pytest.approx(h, abs=slack + 1e-6)
    for (na, a), (nb, b) in combinations(panels.items(), 2):
        if FACES[na].axis == FACES[nb].axis:
            continue
        axis = ({0, 1, 2} - {a.n, b.n}).pop()
        ra, rb = edge_runs(a, axis, b.origin[b.n]), edge_runs(b, axis, a.origin[a.n])
        shared = sum(max(0.0, min(x[1], y[1]) - max(x[0], y[0])) for x in ra for y in rb)
        assert shared == pytest.approx(0.0, abs=1e-7), (na, nb)


@pytest.mark.parametrize("play", [0.0, 0.05, 0.1])
def test_the_gap_of_a_joint_is_the_play_at_each_flank_and_nothing_else(play: float) -> None:
    dim, s = (320.0, 220.0, 90.0), stock(play=play)
    panels = box_panels(dim, s)
    n = finger_count(90.0 - 8.0, s, "edge")
    front, left = panels["front"], panels["left"]
    runs = edge_runs(front, 2, left.origin[0]) + edge_runs(left, 2, front.origin[1])
    filled = sum(b - a for a, b in runs)
    assert len(runs) == n
    assert (90.0 - 8.0) - filled == pytest.approx(2 * n * play, abs=1e-9)


def test_fingers_are_odd_in_number_and_never_narrower_than_twice_the_sheet() -> None:
    for t in (2.0, 3.0, 4.0, 6.0, 8.0):
        for length in range(int(6 * t) + 1, 500, 7):
            n = finger_count(float(length), stock(t), "edge")
            assert n % 2 == 1
            assert n >= 3
            assert length / n >= 2 * t - 1e-9


def test_an_edge_too_short_for_three_fingers_is_refused_with_the_length_it_needs() -> None:
    with pytest.raises(
        CannotBuild,
        match=r"drawer: 20\.0 mm between the corners is 16\.0 mm too short .* at least 48 mm long",
    ):
        finger_count(20.0, stock(6.0), "drawer")


def test_cells_cover_the_edge_between_the_corners() -> None:
    parts = cells(200.0, stock())
    assert parts[0][0] == 4.0
    assert parts[-1][1] == pytest.approx(196.0)
    assert all(a[1] == pytest.approx(b[0]) for a, b in pairwise(parts))
    assert [owner for *_, owner in parts[:3]] == [0, 1, 0]


def test_a_lid_lies_on_its_neighbours_without_fingers_and_its_walls_end_below_it() -> None:
    panels = box_panels((200.0, 150.0, 80.0), stock(), frozenset({"top"}), corner_r=4.0)
    assert panels["top"].outline.bounds == pytest.approx((0.0, 0.0, 200.0, 150.0))
    assert panels["top"].outline.area == pytest.approx(200 * 150 - (4 - math.pi) * 16, rel=1e-4)
    assert panels["front"].outline.bounds[3] == pytest.approx(76.0)


@pytest.mark.parametrize("kerf", [0.0, 0.1, 0.25, 0.5])
def test_the_cut_path_loses_its_kerf_and_leaves_the_nominal_part(kerf: float) -> None:
    for p in box_panels((320.0, 240.0, 90.0), stock(kerf=kerf)).values():
        back = outside_path(p, kerf).buffer(-kerf / 2, join_style="mitre", mitre_limit=10.0)
        assert back.symmetric_difference(p.outline).area < 1e-6
        assert outside_path(p, kerf).area >= p.outline.area


def test_holes_shrink_by_the_kerf() -> None:
    hole = inside_cut(Circle(0, 0, 24.3, "key"), 0.2)
    slot = inside_cut(Rect(0, 0, 30.0, 4.0, "vent", 2.0), 0.2)
    assert isinstance(hole, Circle)
    assert hole.d == pytest.approx(24.1)
    assert isinstance(slot, Rect)
    assert (slot.w, slot.h, slot.r) == pytest.approx((29.8, 3.8, 1.9))


def test_a_slot_has_round_ends_and_the_area_of_one() -> None:
    assert Rect(0, 0, 4.0, 30.0, "vent", 2.0).polygon().area == pytest.approx(26 * 4 + math.pi * 4, rel=2e-3)


def test_a_point_of_a_face_lies_where_the_face_stands() -> None:
    right: Panel = box_panels((100.0, 80.0, 60.0), stock())["right"]
    assert right.point(10.0, 20.0, 4.0) == (100.0, 10.0, 20.0)
