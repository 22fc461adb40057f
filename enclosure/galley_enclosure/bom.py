"""Bill of materials, print list and cut list, counted from the models.

Nothing is listed by hand that a model knows: buttons, boards, screws and printed parts are counted where
they sit. What no layout can know (wire, glue, a supply) is in `LOOSE`, each with its reason. Two stations,
one deck and one Pi tray make a set.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
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
        "Resistors 470 ohm, 220 ohm, 2 x 100 k, 2 x 10 k; NPN transistor 2N3904",
        {"station": 1},
        "pixels, piezo, V5_SENSE, AMBIENT, EXT_PWR; on the power board",
    ),
    (
        "Resistors 470 ohm, 220 ohm, 10 k; capacitor 100 nF",
        {"deck": 1},
        "pixels, piezo, nSLEEP; the capacitor across the eye's motor",
    ),
    (
        "Capacitors 1000 uF 10 V and 100 nF; Schottky diodes 2 x SS14, 1 x SS34; 74AHCT125",
        {"station": 1, "deck": 1},
        "on the power board",
    ),
    ("Jumper: 2-pin header and cap", {"station": 2, "deck": 1}, "JP1; SIDE on a station"),
    ("PTC fuse 0.5 A (USB fed) or 1.5 A (own supply)", {"station": 1, "deck": 1}, "on the power board"),
    ("PTC fuse 0.25 A", {"deck": 1}, "in the motor's supply"),
    ("Logic-level MOSFET", {"deck": 1}, "feeds the beam emitters"),
    (
        "Crimp housings 1 x 20, 2.54 mm, with crimps",
        {"station": 2, "deck": 2},
        "plug onto the Pico's headers",
    ),
    ("Screw M1.6 countersunk, 4 mm long", {"deck": 2}, "the eye's gearbox in its clamp"),
    ("Screw M2 pan, 20 mm long", {"deck": 2}, "both lid switches on their bracket"),
    (
        "Stickers: three round 15 mm of red, green, blue and yellow; eight of 19 x 19 mm",
        {"deck": 1},
        "droppings; faces of the drum, two of each colour",
    ),
    ("Supply of the Pi (27 W for a Pi 5), SD card, display", {"pi-tray": 1}, "the host"),
    ("JST-SM 3 pairs with leads", {"station": 2, "deck": 2}, "5 V, data and ground, both ends of the chain"),
    ("Blade sockets 2.8 mm, pairs", {"station": 8, "deck": 0}, "24 mm buttons"),
    ("Blade sockets 4.8 mm, pairs", {"station": 3, "deck": 6}, "30 and 60 mm buttons"),
    ("JST-XH housings with crimps, pairs", {"station": 6, "deck": 12}, "so that the lid unplugs"),
    (
        "Wire 22, 24, 26 AWG, heat-shrink, ties",
        {"station": 1, "deck": 1},
        "cut each wire to its place and 100 mm more, so that the lid opens",
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
    weights: dict[str, dict[str, float]] = {}
    for name, m in models.items():
        for what, n in m.print_counts().items():
            per_box = weights.setdefault(m.prints[what].material, dict.fromkeys(models, 0.0))
            per_box[name] += grams(m.prints[what]) * n
    for material, exact in sorted(weights.items()):
        per = {name: math.ceil(g) for name, g in exact.items()}
        source = "60 % of the drawn volume"
        out.append(Row(f"Filament {material}, grams", per, _total(per), source, "no", ""))
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


def print_list(models: dict[str, Model]) -> list[tuple[str, str, str, str, int, int, int, str]]:
    """(box, file, part, material, count, grams each, minutes each, note) of every printed part."""
    return [
        (
            name,
            f"{p}.stl",
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
    writer.writerow(
        ["box", "file", "part", "material", "count", "grams each", "minutes each (estimate)", "note"]
    )
    writer.writerows(print_list(models))
    return out.getvalue()


def screw_list(models: dict[str, Model]) -> list[tuple[str, str, int, str]]:
    """(box, screw, count, what it holds) of every screw that a layout knows."""
    held: Counter[tuple[str, str, float, str]] = Counter()
    for name, m in models.items():
        for s in m.screws:
            items = (m.item(ref) for ref in (*s.passes, *s.meets))
            item = next(i for i in items if i.kind != "panel")
            title = m.prints[item.what].title if item.kind == "print" else PARTS[item.what].title
            held[name, s.what, s.length, title.split(",")[0].split(":")[0]] += 1
    return [
        (name, f"{PARTS[what].title.split(',')[0].removeprefix('Screw ')} x {length:g}", n, title)
        for (name, what, length, title), n in held.items()
    ]


def screw_table(models: dict[str, Model]) -> str:
    """The screws as a Markdown table, as it stands in the build guide."""
    lines = ["| box | screw | count | holds |", "|---|---|---|---|"]
    lines += [f"| {box} | {screw} | {n} | {title} |" for box, screw, n, title in screw_list(models)]
    return "\n".join(lines)


def hours(models: dict[str, Model]) -> float:
    """Printing time of a set, by the estimates."""
    return sum(SET[box] * n * each for box, *_, n, _, each, _ in print_list(models)) / 60


def to_measure() -> list[tuple[str, str]]:
    """Bought parts whose size nobody has checked on the real thing: (title, note)."""
    return [(p.title, p.note) for p in PARTS.values() if not p.measured]


def print_table(models: dict[str, Model]) -> str:
    """The print list as a Markdown table, as it stands in the build guide."""
    lines = [
        "| box | file | part | material | count | minutes each | note |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {box} | `{file}` | {part} | {material} | {n} | {each} | {note} |"
        for box, file, part, material, n, _, each, note in print_list(models)
    ]
    return "\n".join(lines)


def measure_table() -> str:
    """What to measure before cutting, as a Markdown table, as it stands in the build guide."""
    lines = ["| part | size in the catalogue, to be checked |", "|---|---|"]
    lines += [f"| {title} | {note} |" for title, note in to_measure()]
    return "\n".join(lines)
