"""Every box, in every preset, keeps every rule; and so do other sizes."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from galley_enclosure import checks, checks_sheet, deck, pi_tray, station
from galley_enclosure.boxes import NAMES, build_box
from galley_enclosure.checks_hands import keys, turning_gaps
from galley_enclosure.findings import Finding
from galley_enclosure.fittings import BOARD_HOLES
from galley_enclosure.params import Build, Stock, preset_names
from galley_enclosure.sheet import Circle

from .conftest import Boxes

PRESETS = ["acrylic3", "birch3", "birch4", "mdf6"]


def complaints(found: list[Finding]) -> list[str]:
    return [f.text for f in checks.failures(found)]


def test_these_are_the_presets() -> None:
    assert preset_names() == PRESETS


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("box", NAMES)
def test_every_preset_builds_and_keeps_every_rule(boxes: Boxes, preset: str, box: str) -> None:
    found = checks.flat(boxes(box, preset))
    assert complaints(found) == []
    assert len({f.rule for f in found}) >= (9 if box == "coupon" else 24)


@pytest.mark.parametrize(
    ("name", "t", "build"),
    [("station", 2.7, Build("snap", cells=5)), ("deck", 6.5, Build()), ("pi-tray", 6.5, Build())],
)
def test_the_smallest_box_that_a_refusal_names_keeps_every_rule(name: str, t: float, build: Build) -> None:
    stock = Stock("birch", t, 0.2, 0.05, 20.0, 600.0, 400.0)
    least = {"station": station, "deck": deck, "pi-tray": pi_tray}[name].least_size(stock)
    assert complaints(checks.flat(build_box(name, stock, build, least.w, least.d, least.h))) == []


def test_a_pi_4_fits_the_tray_too(boxes: Boxes) -> None:
    assert complaints(checks.flat(boxes("pi-tray", board="pi4"))) == []


@settings(max_examples=4, deadline=None, derandomize=True, phases=(Phase.explicit, Phase.generate))
@given(
    extra=st.tuples(st.floats(0, 150), st.floats(0, 120), st.floats(0, 80)),
    t=st.floats(2.5, 6.5),
    name=st.sampled_from(["station", "deck"]),
)
def test_any_larger_box_of_any_sheet_keeps_the_rules_of_its_parts(
    extra: tuple[float, float, float], t: float, name: str
) -> None:
    stock = Stock("birch", t, 0.2, 0.05, 20.0, 1200.0, 800.0)
    least = (station if name == "station" else deck).least_size(stock)
    model = build_box(
        name, stock, Build(), *(a + b for a, b in zip((least.w, least.d, least.h), extra, strict=True))
    )
    found = [
        f
        for check in (
            checks_sheet.outlines,
            checks_sheet.webs,
            checks_sheet.joints,
            checks_sheet.fingers,
            checks_sheet.sheets,
            checks_sheet.coaxial,
            checks_sheet.labels,
            keys,
        )
        for f in check(model)
    ]
    assert complaints(found) == []


@pytest.mark.parametrize(
    ("part", "pattern"),
    [("pico2", (47.0, 11.4)), ("pi4", (58.0, 49.0)), ("pi5", (58.0, 49.0)), ("power_board", (64.0, 24.0))],
)
def test_the_floor_is_drilled_to_the_boards_published_pattern(
    boxes: Boxes, part: str, pattern: tuple[float, float]
) -> None:
    box, ref = (
        ("pi-tray", "PI")
        if part.startswith(("pi4", "pi5"))
        else ("station", "PICO" if part == "pico2" else "POWER")
    )
    model = boxes(box, board=part) if box == "pi-tray" else boxes(box)
    holes = [
        c
        for c in model.panels["bottom"].cutouts
        if isinstance(c, Circle) and c.ref.startswith(f"{ref} screw")
    ]
    xs, ys = sorted({round(c.x, 3) for c in holes}), sorted({round(c.y, 3) for c in holes})
    assert len(holes) == len(BOARD_HOLES[part]) == 4
    assert sorted((xs[1] - xs[0], ys[1] - ys[0])) == pytest.approx(sorted(pattern), abs=0.1)


def test_dice_stand_at_the_pitch_of_uncut_strips(boxes: Boxes) -> None:
    top = boxes("station").panels["top"]
    dice = sorted((c.ref, c.x, c.y) for c in top.cutouts if c.ref.startswith("DIE"))
    assert len(dice) == 8
    for row in (dice[:4], dice[4:]):
        assert [b[1] - a[1] for a, b in itertools.pairwise(row)] == pytest.approx([50.0] * 3)
        assert len({round(y, 6) for _, _, y in row}) == 1
    keep = {c.ref: c for c in top.cutouts if c.ref.startswith("KEEP")}
    for ref, x, y in dice:
        key = keep["KEEP" + ref[3:]]
        assert key.x == pytest.approx(x)
        assert 30.0 < y - key.y < 60.0


def test_the_deck_has_its_arena_holes_and_seats_where_the_game_says(boxes: Boxes) -> None:
    model = boxes("deck")
    top = model.panels["top"]
    cx, cy = model.size.w / 2, model.size.d / 2
    holes = [
        c for c in top.cutouts if isinstance(c, Circle) and c.ref in ("HOLE1", "HOLE2", "HOLE3", "HOLE4")
    ]
    angles = sorted(math.degrees(math.atan2(c.y - cy, c.x - cx)) % 360 for c in holes)
    assert angles == pytest.approx([45.0, 135.0, 225.0, 315.0])
    assert all(math.hypot(c.x - cx, c.y - cy) + c.d / 2 < 85.0 for c in holes)
    assert sum(i.what.startswith("key30") for i in model.items) == 6
    counts = model.print_counts()
    assert (counts["railing"], counts["chute"], counts["token"]) == (4, 4, 12)
    assert model.counts()["beam_half"] == 8


def test_the_eye_clears_everything_at_every_angle(boxes: Boxes) -> None:
    model = boxes("deck")
    gaps = turning_gaps(model, model.turning[0])
    assert {len(v) for v in gaps.values()} == {72}
    assert min(gaps["arena_wall"]) >= 1.2 * 16 * math.sqrt(3)
    assert gaps["top"] == pytest.approx([4.0] * 72)
