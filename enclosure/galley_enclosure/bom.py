"""Bill of materials, print list and cut list, counted from the models.

Nothing is listed by hand that a model knows: buttons, boards, screws and printed parts are counted where
they sit. What no layout can know (wire, glue, a supply) is in `LOOSE`, each with its reason. Two stations,
one deck and one Pi tray make a set.
"""

from __future__ import annotations

import csv
import io
import math
from typing import NamedTuple

from galley_enclosure.checks_build import grams, minutes
from galley_enclosure.cutfiles import cut_length_mm
from galley_enclosure.model import Model
from galley_enclosure.nest import nest, sheet_count
from galley_enclosure.parts import PARTS, SOURCES

SET = {"station": 2, "deck": 1, "pi-tray": 1}


class Row(NamedTuple):
    """One line: what, how many in each box and in a set, where the size comes from, and whether it was
    measured by hand.
    """

    item: str
    per_box: dict[str, int]
    total: int
    source: str
    measured: str
    note: str


# (what, {box: count}, note). The reason a layout cannot count it is the note.
LOOSE: tuple[tuple[str, dict[str, int], str], ...] = (
    ("Raspberry Pi Pico 2, spare", {"deck": 1}, "one for the whole set"),
    (
        "5 V / 3 A supply, USB-C",
        {"deck": 1},
        "one for the deck; one more for each station that is not fed by USB",
    ),
    ("Powered USB hub, 2 A", {"pi-tray": 1}, "unless the host gives 1.2 A to its ports"),
    (
        "Resistors 470 ohm, 220 ohm, 2 x 100 k, 10 k; capacitor 1000 uF 10 V; 2 x SS14; 74AHCT125",
        {"station": 1, "deck": 1},
        "on the power board",
    ),
    ("PTC fuse 0.5 A (USB fed) or 1.5 A (own supply)", {"station": 1, "deck": 1}, "on the power board"),
    ("PTC fuse 0.25 A", {"deck": 1}, "in the motor's supply"),
    ("Logic-level MOSFET", {"deck": 1}, "feeds the beam emitters"),
    (
        "Crimp housings 1 x 20, 2.54 mm, with crimps",
        {"station": 2, "deck": 2},
        "plug onto the Pico's headers",
    ),
    ("Blade sockets 2.8 mm, pairs", {"station": 8, "deck": 0}, "24 mm buttons"),
    ("Blade sockets 4.8 mm, pairs", {"station": 3, "deck": 6}, "30 and 60 mm buttons"),
    ("JST-XH housings with crimps, pairs", {"station": 6, "deck": 12}, "so that the lid unplugs"),
    (
        "Wire 22, 24, 26 AWG, heat-shrink, ties",
        {"station": 1, "deck": 1},
        "a set; lengths by the wiring table",
    ),
    ("Wood glue or acrylic cement, epoxy", {"station": 1, "deck": 1, "pi-tray": 1}, "a little"),
)


def rows(models: dict[str, Model]) -> list[Row]:
    """Lines of the bill for the given boxes (by name), bought parts first, then loose ones, sheets and
    filament.
    """
    counts = {name: m.counts() for name, m in models.items()}
    out = []
    for what in sorted({w for c in counts.values() for w in c}, key=_order):
        part = PARTS[what.split(" x ")[0]]
        per = {name: c.get(what, 0) for name, c in counts.items()}
        size = f", {what.split(' x ')[1]} mm long" if " x " in what else ""
        title = part.title.split(",")[0] + size if size else part.title
        out.append(
            Row(title, per, _total(per), SOURCES[part.source], "yes" if part.measured else "no", part.note)
        )
    for what, given, note in LOOSE:
        per = {name: given.get(name, 0) for name in models}
        if any(per.values()):
            out.append(Row(what, per, _total(per), "own list", "yes", note))
    for name, m in models.items():
        per = {n: (sheet_count(nest(m.panels, m.stock)) if n == name else 0) for n in models}
        out.append(
            Row(
                f"{m.stock.material} {m.stock.t:g} mm, {m.stock.sheet_w:g} x {m.stock.sheet_h:g}, for the "
                f"{name}",
                per,
                _total(per),
                "nesting",
                "no",
                f"{len(m.panels)} parts, {cut_length_mm(m.panels, m.stock.kerf) / 1000:.1f} m of cut",
            )
        )
    weight = {
        name: math.ceil(sum(grams(m.prints[p]) * n for p, n in m.print_counts().items()))
        for name, m in models.items()
    }
    out.append(
        Row(
            "Filament, grams",
            weight,
            _total(weight),
            "60 % of the drawn volume",
            "no",
            "PLA, PETG, a little TPU",
        )
    )
    return out


def _order(what: str) -> tuple[int, str]:
    names = list(PARTS)
    return (names.index(what.split(" x ", maxsplit=1)[0]), what)


def _total(per: dict[str, int]) -> int:
    return sum(n * SET.get(name, 1) for name, n in per.items())


def bom_csv(models: dict[str, Model]) -> str:
    """The bill as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ["item", *models, "set (2 stations, deck, Pi tray)", "source of the size", "measured", "note"]
    )
    for r in rows(models):
        writer.writerow([r.item, *(r.per_box[n] for n in models), r.total, r.source, r.measured, r.note])
    return out.getvalue()


def print_list(models: dict[str, Model]) -> list[tuple[str, str, str, int, int, int, str]]:
    """(box, part, material, count, grams each, minutes each, note) of every printed part."""
    return [
        (
            name,
            m.prints[p].title,
            m.prints[p].material,
            n,
            math.ceil(grams(m.prints[p])),
            minutes(m.prints[p]),
            m.prints[p].note,
        )
        for name, m in models.items()
        for p, n in sorted(m.print_counts().items())
    ]


def print_csv(models: dict[str, Model]) -> str:
    """The print list as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["box", "part", "material", "count", "grams each", "minutes each (estimate)", "note"])
    writer.writerows(print_list(models))
    return out.getvalue()


def to_measure() -> list[tuple[str, str]]:
    """Bought parts whose size nobody has checked on the real thing: (title, note)."""
    return [(p.title, p.note) for p in PARTS.values() if not p.measured]


def print_table(models: dict[str, Model]) -> str:
    """The print list as a Markdown table, as it stands in the build guide."""
    lines = ["| box | part | material | count | minutes each | note |", "|---|---|---|---|---|---|"]
    lines += [f"| {b} | {p} | {m} | {n} | {t} | {note} |" for b, p, m, n, _, t, note in print_list(models)]
    return "\n".join(lines)


def measure_table() -> str:
    """What to measure before cutting, as a Markdown table, as it stands in the build guide."""
    lines = ["| part | size in the catalogue, to be checked |", "|---|---|"]
    lines += [f"| {title} | {note} |" for title, note in to_measure()]
    return "\n".join(lines)
