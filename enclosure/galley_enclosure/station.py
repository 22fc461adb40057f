"""The station: eight LED dice in two rows of four, a keep key in front of each, ROLL, BELL and YUCK beside
them.

From the player away: four keep keys, four dice, four keep keys, four dice; the three big buttons stand in
a column on the right. The distances follow from the parts: a key's washer must clear the light grid of its
die (`KEY_TO_DIE`), so a box may grow freely but has a least width, depth and height, which `checks` and
`least_size` name. Boards lie on the floor under the dice with the USB cable through the back wall. Pixels
are strips that run across four dice, so nothing is cut between dice.
"""

from __future__ import annotations

from galley_enclosure import fittings, printed
from galley_enclosure.fittings import Cuts
from galley_enclosure.model import COLOURS, Model
from galley_enclosure.params import Build, CannotBuild, Size, Stock, refuse_below
from galley_enclosure.parts import PARTS, screw_length
from galley_enclosure.shapes import Frame
from galley_enclosure.sheet import Label, Panel, box_panels

WINDOW = 44.0
WASHER = 33.6
KEY_TO_DIE = printed.GRID_H / 2 + WASHER / 2 + 1.2
ROW_PITCH = 2 * KEY_TO_DIE
EAR_REACH = 33.5 + printed.EAR
SPAN_Y = WASHER / 2 + 3 * KEY_TO_DIE + EAR_REACH
BELL_D = 60.0
STRIP_H = 1.9


def least_size(stock: Stock) -> Size:
    """The smallest station that the parts allow with this sheet."""
    bell = PARTS["bell60"]
    # 6 mm, so that the back grid stays clear of the corner blocks.
    return Size(
        printed.GRID_W + BELL_D + 3 * 10.0, SPAN_Y + 2 * stock.t + 6.0, bell.depth + bell.wire_room + stock.t
    )


def station(size: Size, stock: Stock, build: Build) -> Model:
    """Build the station. Raises `CannotBuild` with the broken rule and by how much."""
    _refuse(size, stock, build)
    t = stock.t
    model, cuts = Model("station", stock, build, size), Cuts()
    for panel in box_panels((size.w, size.d, size.h), stock, frozenset({"top"}), fittings.LID_R).values():
        model.add_panel(panel, "top" if panel.name == "top" else "base")
    fittings.lid_screws(model, cuts)

    side = (size.w - printed.GRID_W - BELL_D) / 3
    dice_x, column_x = side + printed.GRID_W / 2, size.w - side - BELL_D / 2
    first_y = t + 0.4 * (size.d - 2 * t - SPAN_Y) + WASHER / 2
    rows = (first_y + KEY_TO_DIE, first_y + 3 * KEY_TO_DIE)
    for row, y in enumerate(reversed(rows)):  # dice 1-4 at the back, as one reads
        _dice_row(model, cuts, row, dice_x, y)
    small = f"key24_{build.buttons}"
    for n in range(8):
        x = dice_x + (n % 4 - 1.5) * printed.DIE_PITCH
        y = rows[1 - n // 4] - KEY_TO_DIE
        fittings.key(model, cuts, f"KEEP{n + 1}", small, x, y)
        cuts.labels["top"].append(Label(x - 19.5, y, str(n + 1), 5.0))
    big = f"key30_{build.buttons}"
    bell_y = (first_y + rows[1]) / 2
    for ref, what, y, colour, label in (
        ("ROLL", big, first_y, COLOURS["green"], (-28.5, 0.0)),
        ("BELL", "bell60", bell_y, "", (0.0, -36.5)),
        ("YUCK", big, rows[1], COLOURS["violet"], (-28.5, 0.0)),
    ):
        fittings.key(model, cuts, ref, what, column_x, y, colour)
        cuts.labels["top"].append(Label(column_x + label[0], y + label[1], ref, 6.0))
    model.add_loose("pixel", 8 + 3)
    fittings.key(model, cuts, "AMBIENT", "phototransistor", dice_x + printed.GRID_W / 2 + side / 2, rows[0])

    inner = fittings.usb_entry(model, cuts, dice_x - 40.0)
    fittings.board(model, cuts, "PICO", "pico2", dice_x - 40.0, inner - 60.5, ("-y", "+x"))
    fittings.board(model, cuts, "POWER", "power_board", dice_x + 50.0, size.d - t - 62.0)
    wall_z = max(t + 20.0, size.h / 2)
    fittings.wall(model, cuts, "MODE", "mode_button", dice_x + 20.0, wall_z)
    fittings.inlet(model, cuts, dice_x + 70.0, wall_z)
    fittings.sound(model, cuts, dice_x - 60.0, first_y + 20.0)
    fittings.vents(model, cuts, ("left", "right"), 6, size.h / 2 - 4.0)
    fittings.feet(model)
    model.notes.append(
        "SIDE: bridge the two pins of jumper SIDE on the power board of the right station only."
    )
    return fittings.finish(model, cuts)


def _refuse(size: Size, stock: Stock, build: Build) -> None:
    """Refuse an impossible station in one sentence."""
    least = least_size(stock)
    bell = PARTS["bell60"]
    wires = (
        f"the bell reaches {bell.depth:g} mm below the top and its wires need {bell.wire_room:g} mm more "
        f"above the {stock.t:g} mm floor"
    )
    refuse_below("station", "high", size.h, least.h, wires, "shallow")
    for what, have, need in (("wide", size.w, least.w), ("deep", size.d, least.d)):
        refuse_below("station", what, have, need, f"eight dice and the bell need {need:.1f} mm")
    for name in (f"key24_{build.buttons}", f"key30_{build.buttons}", "bell60", "mode_button", "usbc_inlet"):
        refuse_thickness("station", name, stock)


def refuse_thickness(box: str, name: str, stock: Stock) -> None:
    """Refuse a button that cannot hold in this sheet."""
    low, high = PARTS[name].panel
    if low <= stock.t <= high:
        return
    off = stock.t - high if stock.t > high else low - stock.t
    remedy = (
        "use screw-in buttons (--buttons screw)"
        if name.endswith("_snap")
        else f"choose a sheet of {low:g} to {high:g} mm"
    )
    raise CannotBuild(
        f"{box}: {PARTS[name].title.split(',')[0].lower()} ({name}) holds in {low:g} to {high:g} mm sheet, "
        "and "
        f"{stock.t:g} mm is {off:.1f} mm too {'thick' if stock.t > high else 'thin'}: {remedy}."
    )


def _dice_row(model: Model, cuts: Cuts, row: int, x: float, y: float) -> None:
    """Four windows, a light grid under them with its diffuser, the strips, and the plate that presses them
    up.
    """
    t, top = model.stock.t, model.size.h - model.stock.t
    name = ("back", "front")[row]
    n = model.build.cells
    for d in range(printed.DICE_IN_ROW):
        cuts.rect("top", x + (d - 1.5) * printed.DIE_PITCH, y, WINDOW, WINDOW, f"DIE{row * 4 + d + 1}", 3.0)
    depth = printed.GRID_DEPTH + printed.DIFFUSER
    model.add_print(f"grid_{name}", printed.light_grid(n), Frame((x, y, top - depth)), "top")
    model.add_part(f"diffuser_{name}", "diffuser", Frame((x, y, top - printed.DIFFUSER)), "top")
    pitch = printed.DIE_PITCH / n
    for r in range(n):
        strip_y = y + ((n - 1) / 2 - r) * pitch
        model.add_part(f"STRIP_{name}_{r}", "strip12", Frame((x, strip_y, top - depth - STRIP_H)), "top")
    holes = tuple((ex, ey) for ex, ey in printed.GRID_EARS)
    plate = Panel(f"plate_{name}", printed.grid_outline(), (), t, (x, y, top - depth - STRIP_H - t), 0, 1, 2)
    model.add_panel(plate, "top", "#c8a06a")
    for i, (ex, ey) in enumerate(holes):
        cuts.circle("top", x + ex, y + ey, 3.2, f"grid screw {row * 4 + i + 1}")
        cuts.circle(plate.name, ex, ey, 3.2, "grid screw")
        length = screw_length(t + depth + STRIP_H + t, 2.4)
        model.screws.append(
            fittings.screw_top(model, x + ex, y + ey, length, ("top", f"grid_{name}", plate.name))
        )
        model.add_loose("nut_m3")
