"""What every box has: lid screws in corner blocks, boards on standoffs, a clamped USB cable, a 5 V inlet,
vents, feet.

Each function adds to a `Model` and to a `Cuts` (cut-outs and labels by panel), so one call keeps the hole,
the part, the screw and the printed holder together. A builder calls `finish` at the end, which cuts the
holes.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from galley_enclosure import printed
from galley_enclosure.model import Group, Model, Screw
from galley_enclosure.parts import PARTS, screw_length
from galley_enclosure.shapes import Frame, panel_prism
from galley_enclosure.sheet import Circle, Cutout, Label, Rect, with_cutouts

# (hole, screw) pairs of a board, in the board's own coordinates, and what it stands on.
BOARD_HOLES: dict[str, tuple[tuple[float, float], ...]] = {
    "pico2": tuple((sx * 23.5, sy * 5.7) for sx in (-1, 1) for sy in (-1, 1)),
    "power_board": tuple((sx * 32.0, sy * 12.0) for sx in (-1, 1) for sy in (-1, 1)),
    "drv8833": ((-10.15, 0.0), (10.15, 0.0)),
    "uln2003": tuple((sx * 14.75, sy * 13.25) for sx in (-1, 1) for sy in (-1, 1)),
    "pi4": tuple((x - 42.5, y - 28.0) for x in (3.5, 61.5) for y in (3.5, 52.5)),
    "pi5": tuple((x - 42.5, y - 28.0) for x in (3.5, 61.5) for y in (3.5, 52.5)),
}
BOARD_SCREW = {
    "pico2": "m2",
    "power_board": "m3",
    "drv8833": "m2",
    "uln2003": "m25",
    "pi4": "m25",
    "pi5": "m25",
}
FLOOR_SCREW = {"m2": "screw_m2", "m25": "screw_m25", "m3": "screw_m3_floor"}
STANDOFF, BOARD_T = 8.0, 1.6
# Short enough that it never meets the screw that comes up through the floor into the same standoff.
BOARD_SCREW_L = 5.0
FOOT_INSET = 26.0
LID_R = 4.0


@dataclass(slots=True)
class Cuts:
    """Cut-outs and labels gathered per panel."""

    holes: dict[str, list[Cutout]] = field(default_factory=lambda: defaultdict(list))
    labels: dict[str, list[Label]] = field(default_factory=lambda: defaultdict(list))

    def circle(self, panel: str, x: float, y: float, d: float, ref: str) -> None:
        self.holes[panel].append(Circle(x, y, d, ref))

    def rect(self, panel: str, x: float, y: float, w: float, h: float, ref: str, r: float = 1.5) -> None:
        self.holes[panel].append(Rect(x, y, w, h, ref, r))


def finish(model: Model, cuts: Cuts) -> Model:
    """Cut everything gathered into the panels already in the model."""
    for name in (*cuts.holes, *(n for n in cuts.labels if n not in cuts.holes)):
        panel = with_cutouts(model.panels[name], cuts.holes.get(name, ()), cuts.labels.get(name, ()))
        model.panels[name] = panel
        index = next(i for i, item in enumerate(model.items) if item.ref == name)
        old = model.items[index]
        model.items[index] = type(old)(
            old.ref, old.kind, old.what, old.group, (panel_prism(panel),), old.colour
        )
    return model


def lid_screws(model: Model, cuts: Cuts) -> None:
    """Four corner blocks under the lid with a countersunk M3 each; the block's place follows the sheet."""
    t, size = model.stock.t, model.size
    inset = t + printed.BLOCK / 2
    length = screw_length(t, 5.0)
    for i, (x, y) in enumerate((x, y) for x in (inset, size.w - inset) for y in (inset, size.d - inset)):
        ref = f"corner_block_{i + 1}"
        model.add_print(ref, printed.corner_block(), Frame((x, y, size.h - t - printed.BLOCK_H)), "base")
        cuts.circle("top", x, y, PARTS["screw_m3_top"].hole_d, f"lid screw {i + 1}")
        model.screws.append(screw_top(model, x, y, length, ("top", ref)))
        model.add_loose("insert_m3")


def screw_top(model: Model, x: float, y: float, length: float, passes: tuple[str, ...]) -> Screw:
    """A countersunk screw with its head flush in the lid."""
    return Screw("screw_m3_top", (x, y, model.size.h), "-z", length, "top", passes)


def board(
    model: Model,
    cuts: Cuts,
    ref: str,
    what: str,
    x: float,
    y: float,
    turn: tuple[str, str] = ("+x", "+y"),
    group: Group = "base",
) -> Frame:
    """A circuit board on 8 mm standoffs on the floor; its holes are drilled in the floor from the same
    list.
    """
    t = model.stock.t
    frame = Frame((x, y, t), turn[0], turn[1], "+z")
    model.add_part(ref, what, frame, group)
    kind = BOARD_SCREW[what]
    screw = FLOOR_SCREW[kind]
    for i, (hx, hy) in enumerate(BOARD_HOLES[what]):
        px, py, _ = frame.point((hx, hy, 0.0))
        cuts.circle("bottom", px, py, PARTS[screw].hole_d, f"{ref} screw {i + 1}")
        model.add_part(f"{ref}_standoff_{i + 1}", f"standoff_{kind}", Frame((px, py, t)), group)
        stand = f"{ref}_standoff_{i + 1}"
        length = screw_length(t, 2.5)
        model.screws.append(Screw(screw, (px, py, 0.0), "+z", length, group, ("bottom",), meets=(stand,)))
        head = (px, py, t + STANDOFF + BOARD_T)
        model.screws.append(Screw(screw, head, "-z", BOARD_SCREW_L, group, meets=(ref, stand)))
    return frame


def usb_entry(model: Model, cuts: Cuts, x: float) -> float:
    """USB cable through the back wall into a clamp on the floor; returns the y of the clamp's inner end."""
    t, size = model.stock.t, model.size
    z, y = t + printed.CABLE_Z, size.d - t - 12.0
    base, cap = printed.usb_clamp()
    cuts.rect("back", x, z, 14.0, 9.0, "usb", 2.0)
    model.add_part("USB_CABLE", "usb_cable", Frame((x, size.d + 20.0, z), "+y", "-x", "+z"), "base")
    model.add_print("clamp_base", base, Frame((x, y, t), "+y", "-x", "+z"), "base")
    model.add_print("clamp_cap", cap, Frame((x, y, z + 4.75), "+y", "+x", "-z"), "base")
    for i, dx in enumerate((-10.0, 10.0)):
        cuts.circle("bottom", x + dx, y, 3.2, f"clamp screw {i + 1}")
        length = screw_length(t + printed.CABLE_Z + 4.75, 2.4)
        model.screws.append(
            Screw(
                "screw_m3_floor",
                (x + dx, y, 0.0),
                "+z",
                length,
                "base",
                ("bottom", "clamp_base", "clamp_cap"),
            )
        )
        model.add_loose("nut_m3")
    return y - 7.0


def inlet(model: Model, cuts: Cuts, x: float, z: float) -> None:
    """5 V inlet in the back wall."""
    wall(model, cuts, "INLET", "usbc_inlet", x, z)


def wall(model: Model, cuts: Cuts, ref: str, what: str, x: float, z: float) -> None:
    """A round part in the back wall, pushed in from outside."""
    size, t = model.size, model.stock.t
    cuts.circle("back", x, z, PARTS[what].hole_d, ref)
    model.add_part(ref, what, Frame((x, size.d, z), "-x", "+z", "+y"), "base", sheet=t)


def key(model: Model, cuts: Cuts, ref: str, what: str, x: float, y: float, colour: str = "") -> None:
    """A round part in the lid, dropped in from above."""
    cuts.circle("top", x, y, PARTS[what].hole_d, ref)
    model.add_part(ref, what, Frame((x, y, model.size.h)), "top", sheet=model.stock.t, colour=colour)


def vents(
    model: Model, cuts: Cuts, walls: tuple[str, ...], count: int, z: float, height: float = 30.0
) -> None:
    """Upright slots 4 mm wide, too narrow for a child's finger, in the middle of the named walls."""
    for name in walls:
        middle = (model.size.d if name in ("left", "right") else model.size.w) / 2
        for i in range(count):
            cuts.rect(name, middle + (i - (count - 1) / 2) * 12.0, z, 4.0, height, "vent", 2.0)


def sound(model: Model, cuts: Cuts, x: float, y: float) -> None:
    """Piezo on the floor over a rosette of small holes."""
    t = model.stock.t
    for dx, dy in ((0.0, 0.0), (8.0, 0.0), (-8.0, 0.0), (4.0, 7.0), (-4.0, 7.0), (4.0, -7.0), (-4.0, -7.0)):
        cuts.circle("bottom", x + dx, y + dy, 3.0, "sound")
    model.add_part("BUZZER", "piezo", Frame((x, y, t)), "base")


def feet(model: Model) -> None:
    """Four rubber feet under the corners."""
    size = model.size
    for i, (x, y) in enumerate(
        (x, y) for x in (FOOT_INSET, size.w - FOOT_INSET) for y in (FOOT_INSET, size.d - FOOT_INSET)
    ):
        model.add_part(f"foot_{i + 1}", "foot", Frame((x, y, 0.0)), "base")
