"""A finished box as one list: what is cut, what is bought, what is printed, and where each thing sits.

The same model feeds the cut files, the solids, the checks, the bill of materials and the pictures, so that
they cannot disagree. Builders (`station`, `deck`, `pi_tray`, `coupon`) make it; nothing here chooses a size.

Groups say what comes off together: `base` is the glued box and what is fixed to it, `top` the lid with its
parts, `play` what lies or turns on the lid.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from galley_enclosure.params import Build, Size, Stock
from galley_enclosure.parts import PARTS, fitted
from galley_enclosure.printed import Printed
from galley_enclosure.shapes import Frame, Prism, panel_prism
from galley_enclosure.sheet import Panel

Group = Literal["base", "top", "play"]
WOOD = "#d9b27c"
COLOURS = {
    "red": "#d23b3b",
    "green": "#3aa655",
    "blue": "#3b6fd2",
    "yellow": "#e8c53a",
    "white": "#f4f4f4",
    "violet": "#8a4fc8",
}


@dataclass(frozen=True, slots=True)
class Item:
    """One thing in the box. `kind` panel, part or print; `what` its row in the catalogue."""

    ref: str
    kind: Literal["panel", "part", "print"]
    what: str
    group: Group
    prisms: tuple[Prism, ...]
    colour: str


class Screw(NamedTuple):
    """A screw: head at `at`, tip `length` along `way` (a signed axis). `passes` names the holes it must
    share.

    `meets` names bought parts it goes into whose holes are not drawn (boards, standoffs, a motor's ear);
    `before` names parts that go in after the screw is tight, so they do not hide it from the driver.
    """

    what: str
    at: tuple[float, float, float]
    way: str
    length: float
    group: Group
    passes: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    meets: tuple[str, ...] = ()


class Turning(NamedTuple):
    """Things that turn together about an upright axis at (x, y)."""

    name: str
    refs: tuple[str, ...]
    x: float
    y: float


@dataclass(slots=True)
class Model:
    """A box. Lists only grow while a builder runs; everybody else reads."""

    name: str
    stock: Stock
    build: Build
    size: Size
    panels: dict[str, Panel] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)
    prints: dict[str, Printed] = field(default_factory=dict)
    screws: list[Screw] = field(default_factory=list)
    turning: list[Turning] = field(default_factory=list)
    loose: dict[str, int] = field(default_factory=dict)
    facts: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add_panel(self, panel: Panel, group: Group = "base", colour: str = WOOD) -> None:
        self.panels[panel.name] = panel
        self.items.append(Item(panel.name, "panel", panel.name, group, (panel_prism(panel),), colour))

    def add_part(
        self, ref: str, what: str, frame: Frame, group: Group, sheet: float = 0.0, colour: str = ""
    ) -> None:
        """Place a bought part; `sheet` is the thickness it is clamped to, which draws its nut."""
        _not_mirrored(ref, frame)
        prisms = fitted(what, sheet) if sheet else PARTS[what].mock
        self.items.append(
            Item(
                ref, "part", what, group, tuple(frame.place(p) for p in prisms), colour or PARTS[what].colour
            )
        )

    def add_print(self, ref: str, part: Printed, frame: Frame, group: Group) -> None:
        """Place a printed part."""
        _not_mirrored(ref, frame)
        self.prints[part.name] = part
        self.items.append(
            Item(ref, "print", part.name, group, tuple(frame.place(p) for p in part.prisms), part.colour)
        )

    def add_loose(self, what: str, count: int = 1) -> None:
        """Count something that has no place of its own (nuts, inserts, a supply)."""
        self.loose[what] = self.loose.get(what, 0) + count

    def item(self, ref: str) -> Item:
        return next(i for i in self.items if i.ref == ref)

    def counts(self) -> dict[str, int]:
        """How many of each bought part: those placed, the screws, and the loose ones."""
        out: dict[str, int] = {}
        for item in self.items:
            if item.kind == "part":
                out[item.what] = out.get(item.what, 0) + 1
        for screw in self.screws:
            name = f"{screw.what} x {screw.length:g}"
            out[name] = out.get(name, 0) + 1
        for what, count in self.loose.items():
            out[what] = out.get(what, 0) + count
        return out

    def print_counts(self) -> dict[str, int]:
        out: dict[str, int] = {}
        for item in self.items:
            if item.kind == "print":
                out[item.what] = out.get(item.what, 0) + 1
        return out


def _not_mirrored(ref: str, frame: Frame) -> None:
    if not frame.right_handed():
        raise ValueError(
            f"{ref}: its frame {frame.x} {frame.y} {frame.z} mirrors the part: turn one more axis round."
        )
