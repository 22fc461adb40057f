"""Bad boxes are caught: each rule fails on a box that breaks it, and impossible boxes are refused with the
reason.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from shapely.geometry import box as rectangle

from galley_enclosure import checks_build, checks_hands, checks_sheet
from galley_enclosure.findings import Finding
from galley_enclosure.model import Model, Screw
from galley_enclosure.params import BadInput, CannotBuild, load_preset, parse_preset
from galley_enclosure.printed import Printed
from galley_enclosure.shapes import Frame, block, cyl, panel_prism
from galley_enclosure.sheet import Circle, Label, Rect, with_cutouts

from .conftest import Boxes


def failing(findings: list[Finding]) -> set[str]:
    return {f.rule for f in findings if not f.ok}


def cut(model: Model, panel: str, *cutouts: Circle | Rect, label: Label | None = None) -> Model:
    model.panels[panel] = with_cutouts(model.panels[panel], cutouts, [label] if label else [])
    index = next(i for i, item in enumerate(model.items) if item.ref == panel)
    model.items[index] = replace(model.items[index], prisms=(panel_prism(model.panels[panel]),))
    return model


@pytest.mark.parametrize(
    ("box", "changes", "sentence"),
    [
        (
            "station",
            {"h": 62.0},
            "the bell reaches 60 mm below the top .* need 15 mm more .* so it is 17.0 mm too shallow",
        ),
        (
            "station",
            {"t": 6.0, "buttons": "snap"},
            r"holds in 2 to 4 mm sheet, and 6 mm is 2.0 mm too thick: use screw-in buttons",
        ),
        ("station", {"w": 280.0}, "eight dice and the bell need 296.0 mm, so it is 16.0 mm too small"),
        ("deck", {"h": 70.0}, "the seat keys with their wires over the drawers need"),
        ("deck", {"w": 300.0}, "the arena and the seat keys need 320.0 mm, so it is 20.0 mm too small"),
        ("pi-tray", {"h": 30.0}, "the board with its plugs and air needs"),
    ],
)
def test_an_impossible_box_is_refused_with_the_rule_and_by_how_much(
    boxes: Boxes, box: str, changes: dict[str, float | str], sentence: str
) -> None:
    with pytest.raises(CannotBuild, match=sentence.replace("(", r"\(")):
        boxes.fresh(box, **changes)


@pytest.mark.parametrize("what", ["w", "d", "h"])
@pytest.mark.parametrize("box", ["station", "deck", "pi-tray"])
def test_who_does_what_a_refusal_says_is_not_refused_again(boxes: Boxes, box: str, what: str) -> None:
    t = 2.37
    with pytest.raises(CannotBuild, match=r"make it at least [\d.]+ mm \w+\.$") as refused:
        boxes(box, t=t, **{what: 60.0 if what != "h" else 40.0})
    enough = float(str(refused.value).split("at least ")[1].split()[0])
    assert boxes(box, t=t, **{what: enough}).panels
    with pytest.raises(CannotBuild):
        boxes(box, t=t, **{what: enough - 0.2})


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"t": 12.0}, r"thickness \(--t\) is 12 mm: choose a value from 2 to 8 mm"),
        ({"t": float("nan")}, "thickness"),
        ({"kerf": -0.1}, r"kerf \(--kerf\) is -0.1 mm"),
        ({"buttons": "magnetic"}, "buttons is 'magnetic': choose screw or snap"),
        ({"cells": 4}, "cells is 4"),
    ],
)
def test_wrong_values_are_named_with_the_remedy(changes: dict[str, float | str], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        load_preset("birch4", **changes)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[stock",
        "[stock]\nt = 4.0",
        "[stock]\nt = 'thick'\nsheet = [1, 2]",
        "[stock]\nwood = 1\nsheet = [600, 400]",
    ],
)
def test_a_broken_preset_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(BadInput, match=r"preset 'mine' cannot be read .*birch4\.toml"):
        parse_preset("mine", text)


def test_a_hole_near_another_or_near_the_edge_is_caught(boxes: Boxes) -> None:
    bad = cut(
        boxes.fresh("station"),
        "bottom",
        Circle(150, 60, 5, "a"),
        Circle(158, 60, 5, "b"),
        Circle(7, 100, 3, "c"),
    )
    assert failing(list(checks_sheet.webs(bad))) == {"web between cut-outs", "web to the edge"}


def test_a_sliver_is_caught(boxes: Boxes) -> None:
    bad = cut(boxes.fresh("station"), "bottom", Rect(150, 60, 20, 20, "a"), Rect(171.5, 60, 20, 20, "b"))
    assert "no sliver" in failing(list(checks_sheet.slivers(bad)))


def test_a_cut_out_over_the_edge_is_caught(boxes: Boxes) -> None:
    assert failing(
        list(checks_sheet.outlines(cut(boxes.fresh("station"), "bottom", Circle(0, 50, 9, "a"))))
    ) == {"cut-outs inside"}


def test_a_finger_that_overlaps_its_neighbour_is_caught(boxes: Boxes) -> None:
    bad = boxes.fresh("station")
    front = bad.panels["front"]
    bad.panels["front"] = replace(front, outline=front.outline.buffer(0.3, join_style="mitre"))
    assert failing(list(checks_sheet.joints(bad))) >= {"mating edges do not overlap", "joint gap is the play"}


def test_screw_holes_that_do_not_meet_are_caught(boxes: Boxes) -> None:
    bad = boxes.fresh("station")
    i, s = next((i, s) for i, s in enumerate(bad.screws) if "corner_block_1" in s.passes)
    bad.screws[i] = s._replace(at=(s.at[0] + 0.3, s.at[1], s.at[2]))
    assert failing(list(checks_sheet.coaxial(bad))) == {"screw holes coincide"}


def test_text_across_a_cut_is_caught(boxes: Boxes) -> None:
    bad = cut(boxes.fresh("station"), "top", label=Label(272, 105, "BELL"))
    assert "text clear of cuts" in failing(list(checks_sheet.labels(bad)))


def test_a_part_larger_than_the_sheet_is_caught(boxes: Boxes) -> None:
    bad = boxes.fresh("station", w=360.0)
    bad.stock = replace(bad.stock, sheet_w=300.0, sheet_h=300.0)
    (finding,) = checks_sheet.sheets(bad)
    assert not finding.ok
    assert "use a larger sheet" in finding.text


def test_keys_too_close_are_caught(boxes: Boxes) -> None:
    bad = boxes.fresh("station")
    bad.add_part("EXTRA", "key24_screw", Frame((272.0, 150.0, 90.0)), "top", sheet=4.0)
    assert failing(list(checks_hands.keys(bad))) == {"bezel to bezel", "nut to nut"}


def test_thick_stock_for_snap_in_keys_is_caught(boxes: Boxes) -> None:
    bad = boxes.fresh("station", buttons="snap")
    bad.stock = replace(bad.stock, t=6.0)
    assert failing(list(checks_hands.thickness(bad))) == {"sheet in the part's range"}


def test_a_vent_that_takes_a_finger_is_caught(boxes: Boxes) -> None:
    assert "vent width" in failing(
        list(checks_hands.vents(cut(boxes.fresh("station"), "left", Rect(60, 40, 8, 30, "vent"))))
    )


def test_too_few_vents_are_caught(boxes: Boxes) -> None:
    assert "vent area" in failing(
        list(checks_hands.vents(cut(boxes.fresh("station"), "front", Rect(60, 40, 4, 30, "vent", 2.0))))
    )


def test_a_gap_that_takes_a_finger_is_caught_and_the_angle_matters(boxes: Boxes) -> None:
    bad = boxes.fresh("deck")
    bad.add_print(
        "post",
        Printed("post", "Post", "PLA", (cyl(8.0, 0.0, 20.0),), "#000000"),
        Frame((160.0, 160.0 + 64.0, 110.0)),
        "play",
    )
    findings = list(checks_hands.finger_gaps(bad))
    assert [f.subject for f in findings if not f.ok] == ["eye, post"]
    gaps = checks_hands.turning_gaps(bad, bad.turning[0])["post"]
    assert min(gaps) == pytest.approx(10.0, abs=0.3)
    assert max(gaps) > 13.0


def test_a_die_that_can_jam_is_caught(boxes: Boxes) -> None:
    bad = boxes.fresh("deck")
    bad.facts["die edge"] = 20.0
    assert failing(list(checks_hands.jam(bad))) == {"die cannot jam"}
    bad.facts["arm to wall"] = 7.0
    assert "die cannot jam" not in failing(list(checks_hands.jam(bad)))


def test_a_screw_that_comes_out_of_the_box_is_caught(boxes: Boxes) -> None:
    bad = boxes.fresh("station")
    bad.screws.append(Screw("screw_m3_top", (100.0, 100.0, 90.0), "-z", 95.0, "top"))
    assert failing(list(checks_hands.edges(bad))) == {"screw tip stays inside"}


def test_a_sharp_lid_corner_is_caught(boxes: Boxes) -> None:
    bad = boxes.fresh("station")
    bad.panels["top"] = replace(bad.panels["top"], outline=rectangle(*bad.panels["top"].outline.bounds))
    assert failing(list(checks_hands.edges(bad))) == {"lid corner radius"}


def test_small_parts_without_a_label_are_caught(boxes: Boxes) -> None:
    bad = boxes.fresh("deck")
    bad.panels = {n: replace(p, labels=()) for n, p in bad.panels.items()}
    assert failing(list(checks_hands.small_parts(bad))) == {"small parts are labelled"}


def test_a_part_that_cannot_be_put_in_is_caught(boxes: Boxes) -> None:
    bad = boxes.fresh("station")
    cage = (
        block(0, 0, 30, 30, 0, 3),
        block(0, 0, 30, 30, 17, 20),
        block(-14, 0, 2, 30, 3, 17),
        block(14, 0, 2, 30, 3, 17),
        block(0, 14, 26, 2, 3, 17),
        block(0, -14, 26, 2, 3, 17),
    )
    bad.add_print("cage", Printed("cage", "Cage", "PLA", cage, "#000000"), Frame((150.0, 40.0, 10.0)), "base")
    bad.add_part("trapped", "piezo", Frame((150.0, 40.0, 14.0)), "base")
    (finding,) = [f for f in checks_build.assembly(bad) if not f.ok]
    assert finding.rule == "parts can be put in"
    assert "trapped" in finding.text


def test_a_lid_that_catches_is_caught(boxes: Boxes) -> None:
    bad = boxes.fresh("station")
    bad.add_print(
        "hook",
        Printed("hook", "Hook", "PLA", (block(0, 0, 10, 40, 0, 4),), "#000000"),
        Frame((20.0, 76.0, 84.0)),
        "base",
    )
    bad.add_print(
        "arm",
        Printed("arm", "Arm", "PLA", (block(0, 0, 10, 20, 0, 4),), "#000000"),
        Frame((20.0, 76.0, 70.0)),
        "top",
    )
    assert "lid lifts off" in failing(list(checks_build.assembly(bad)))


def test_a_screw_no_driver_can_reach_is_caught(boxes: Boxes) -> None:
    bad = boxes.fresh("station")
    bad.add_part("lamp", "piezo", Frame((bad.screws[-1].at[0], bad.screws[-1].at[1], 40.0)), "base")
    assert failing(list(checks_build.tools(bad))) == {"driver reaches the screw"}


def test_a_screw_that_runs_into_a_board_or_another_screw_is_caught(boxes: Boxes) -> None:
    bad = boxes.fresh("station")
    i, s = next((i, s) for i, s in enumerate(bad.screws) if s.what == "screw_m2" and s.way == "+z")
    bad.screws[i] = s._replace(length=s.length + 2.0)
    assert [f.text for f in checks_build.shanks(bad) if not f.ok] == [
        "screw_m2: the 5 mm screw at (75, 180, 14) runs into screw_m2: use a shorter screw or move it."
    ]
    bad.screws[i] = s._replace(length=s.length + 30.0, meets=())
    assert failing(list(checks_build.shanks(bad))) == {"screw runs into nothing"}


@pytest.mark.parametrize(
    ("prisms", "rule"),
    [
        ((block(0, 0, 20, 20, 0, 5), block(0, 0, 0.8, 20, 5, 10)), "printed wall"),
        ((block(0, 0, 230, 20, 0, 5),), "fits the bed"),
        ((block(-20, 0, 10, 10, 0, 20), block(20, 0, 10, 10, 0, 20), block(0, 0, 50, 30, 20, 24)), "bridge"),
        ((block(0, 0, 20, 20, 1, 5),), "starts on the bed"),
    ],
)
def test_a_part_that_prints_badly_is_caught(boxes: Boxes, prisms: tuple[object, ...], rule: str) -> None:
    bad = boxes.fresh("station")
    bad.prints = {"bad": Printed("bad", "Bad", "PLA", prisms, "#000000")}  # type: ignore[arg-type]
    assert failing(list(checks_build.prints(bad))) == {rule}


def test_a_mirrored_part_is_refused(boxes: Boxes) -> None:
    with pytest.raises(ValueError, match=r"X: its frame \+x \+y -z mirrors the part"):
        boxes.fresh("station").add_part("X", "piezo", Frame((0, 0, 0), "+x", "+y", "-z"), "base")
