"""Bill of materials, print list, wiring table and diagram."""

from __future__ import annotations

import csv
import io
import re
from xml.etree import ElementTree as ET

import pytest

from galley_enclosure import bom, wiring
from galley_enclosure.electronics import PINS, nets, pixel_count
from galley_enclosure.model import Model
from galley_enclosure.parts import PARTS, SOURCES

from .conftest import Boxes


@pytest.fixture(scope="module")
def made(boxes: Boxes) -> dict[str, Model]:
    return {n: boxes(n) for n in ("station", "deck", "pi-tray")}


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_every_line_of_the_bill_counts_what_sits_in_the_boxes(made: dict[str, Model]) -> None:
    rows = bom.rows(made)
    for name, model in made.items():
        for what, count in model.counts().items():
            title = PARTS[what.split(" x ")[0]].title
            start = title.split(",")[0] + f", {what.split(' x ')[1]} mm long" if " x " in what else title
            assert [r.per_box[name] for r in rows if r.item == start] == [count], what
    listed = {r.item for r in rows if r.source not in ("own list", "nesting", "60 % of the drawn volume")}
    assert len(listed) == len({w for m in made.values() for w in m.counts()})


def test_the_bill_agrees_with_the_pin_map(made: dict[str, Model]) -> None:
    station, deck = made["station"].counts(), made["deck"].counts()
    names = {b: [p.name for p in PINS[b]] for b in PINS}
    assert station["key24_screw"] == sum(n.startswith("KEEP") for n in names["station"]) == 8
    assert station["key30_screw"] + station["bell60"] == sum(
        n in ("ROLL", "YUCK", "BELL") for n in names["station"]
    )
    assert deck["key30_screw"] == sum(n.startswith("SEAT") for n in names["deck"]) == 6
    assert deck["beam_half"] == 2 * sum(n.startswith("HOLE") for n in names["deck"])
    assert deck["hall"] == sum(n.endswith("_HOME") for n in names["deck"])
    assert station["strip12"] * 12 + station["pixel"] == pixel_count("station")
    assert deck["ring12"] * 12 + deck["pixel"] == pixel_count("deck")


def test_a_pin_that_is_a_button_has_its_part_in_the_box(made: dict[str, Model]) -> None:
    for board in PINS:
        refs = {i.ref for i in made[board].items}
        for p in PINS[board]:
            if p.name.startswith(
                (
                    "KEEP",
                    "SEAT",
                    "ROLL",
                    "BELL",
                    "YUCK",
                    "MODE",
                    "EYE_HOME",
                    "DIE_HOME",
                    "GUARD",
                    "AMBIENT",
                    "BUZZER",
                )
            ):
                assert p.name in refs


@pytest.mark.parametrize("board", list(PINS))
def test_the_bill_has_every_component_that_the_wiring_names(made: dict[str, Model], board: str) -> None:
    component = re.compile(r"\b(?:SS\d+|2N\d+|74[A-Z]\w+|DRV\d+|ULN\w+|MOSFET|STEMMA|\d+ (?:k|ohm|uF|nF))\b")
    named = set(component.findall(wiring.wiring_csv(board) + wiring.wiring_svg(board)))
    assert len(named) > 6
    bill = " ".join(f"{r.item} {r.note}" for r in bom.rows(made) if r.per_box[board])
    optional = {"STEMMA"} if board == "station" else set()
    assert {n for n in named if n not in bill} <= optional


def test_each_contact_of_the_lid_is_a_switch_of_its_own(made: dict[str, Model]) -> None:
    contacts = re.findall(r"lid switch (\d)", wiring.wiring_csv("deck"))
    assert sorted(contacts) == ["1", "2"]
    assert made["deck"].counts()["guard_switch"] == 2


def test_the_inlet_is_behind_a_diode_so_that_usb_does_not_look_like_a_supply() -> None:
    for board in PINS:
        (inlet,) = (n for n in nets(board) if n.name == "5V_IN")
        assert inlet.loads == ("SS34 to the inlet fuse",)


def test_a_set_is_two_stations_a_deck_and_a_tray(made: dict[str, Model]) -> None:
    for r in bom.rows(made):
        assert r.total == 2 * r.per_box["station"] + r.per_box["deck"] + r.per_box["pi-tray"]


def test_every_part_names_a_source_and_says_whether_it_was_measured(made: dict[str, Model]) -> None:
    assert all(p.source in SOURCES for p in PARTS.values())
    rows = table(bom.bom_csv(made))
    assert {r["measured"] for r in rows} == {"yes", "no"}
    assert all(r["source of the size"] for r in rows)
    assert {"Dome button 60 mm (bell), lamp replaced by one pixel"} <= {
        title for title, _ in bom.to_measure()
    }


def test_the_print_list_has_every_printed_part_with_a_time_and_a_weight(made: dict[str, Model]) -> None:
    rows = table(bom.print_csv(made))
    assert len(rows) == sum(len(m.prints) for m in made.values())
    for r in rows:
        assert 0 < int(r["minutes each (estimate)"]) < 600
        assert 0 < int(r["grams each"]) < 200
    assert {r["count"] for r in rows if r["part"].startswith("Dropping")} == {"12"}


@pytest.mark.parametrize("board", list(PINS))
def test_the_wiring_table_has_every_net(board: str) -> None:
    rows = table(wiring.wiring_csv(board))
    assert [r["net"] for r in rows] == [n.name for n in nets(board)]
    assert all(int(r["AWG"]) in (20, 22, 24, 26, 28) for r in rows)


@pytest.mark.parametrize("board", list(PINS))
def test_the_diagram_shows_every_pin_beside_its_pad_and_no_text_leaves_its_box(board: str) -> None:
    root = ET.fromstring(wiring.wiring_svg(board))
    svg = "{http://www.w3.org/2000/svg}"
    texts = {t.text: t for t in reversed(list(root.iter(f"{svg}text")))}
    for p in PINS[board]:
        label, pad = texts[p.name], texts[f"GP{p.gp}"]
        assert label.attrib["y"] == pad.attrib["y"]
        x = float(texts[p.to].attrib["x"])
        assert x + 6.6 * len(p.to) <= (380 if x < 490 else 1160), p.to
    assert sum(t.text == "PIXELS" for t in root.iter(f"{svg}text")) == 1


def test_the_current_table_totals_its_loads() -> None:
    rows = table(wiring.current_csv())
    totals = [r for r in rows if r["load"].startswith("total")]
    assert len(totals) == 5
    assert all(float(r["worst mA"]) <= float(r["limit mA"]) for r in totals)
