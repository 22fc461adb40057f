"""The Pi tray: a closed box for a Raspberry Pi 4 or 5 with a shelf for a display on its lid.

Openings follow one table of connectors (`PORTS`), in the board's own coordinates, so a new board is a new
row. Cool air comes in through the floor under the board and leaves through the lid above it. Two cheeks
plug into the lid and hold a display or tablet of up to 12 mm at 15 degrees.
"""

from __future__ import annotations

import math

from shapely.geometry import Polygon

from galley_enclosure import fittings
from galley_enclosure.fittings import Cuts
from galley_enclosure.model import Model
from galley_enclosure.params import BOARDS, BadInput, Build, Size, Stock, refuse_below
from galley_enclosure.sheet import Panel, box_panels

# Edge of the board: connector, wall, middle along the edge from the corner, width, lowest and highest edge
# above the board.
PORTS: dict[str, tuple[tuple[str, str, float, float, float, float], ...]] = {
    "pi4": (
        ("power and hdmi", "front", 25.4, 40.4, -2.0, 6.0),
        ("audio", "front", 54.0, 8.6, -2.0, 8.0),
        ("usb and ethernet", "right", 27.4, 57.0, -1.0, 17.5),
    ),
    "pi5": (
        ("power and hdmi", "front", 25.2, 40.4, -2.0, 6.0),
        ("usb and ethernet", "right", 28.6, 57.0, -1.0, 17.5),
    ),
}
BOARD_W, BOARD_D, STANDOFF, BOARD_T = 85.0, 56.0, 8.0, 1.4
HEAT_SINK, OVER_SINK = 10.0, 10.0
FRONT_GAP, RIGHT_GAP = 6.0, 5.0
LEAN = 15.0
SHELF_SLOT = 13.0
# The display's cheeks, from front to back, and behind them; the outlet's end behind the board's middle.
SHELF_D, BEHIND_SHELF, OUTLET_BACK = 46.0, 5.0, 9.5
VENT_H, VENT_UP, WEB = 34.0, 2.0, 4.0


def least_size(stock: Stock) -> Size:
    """Board, its corner blocks, the air over the heat sink, the display behind its outlet; vents with a web
    above them, and three fingers of twice the sheet in the upright edges.
    """
    h = max(
        2 * stock.t + STANDOFF + BOARD_T + HEAT_SINK + OVER_SINK,
        2 * stock.t + STANDOFF + BOARD_T + 17.5 + 4.0,
        VENT_H + 2 * (stock.t + VENT_UP + WEB),
        9 * stock.t,
    )
    d = 2 * stock.t + FRONT_GAP + BOARD_D / 2 + OUTLET_BACK + WEB + stock.play + SHELF_D - 4.0 + BEHIND_SHELF
    return Size(BOARD_W + RIGHT_GAP + 2 * stock.t + 24.0, d, h)


def pi_tray(size: Size, stock: Stock, build: Build, board: str = "pi5") -> Model:
    """Build the tray. Raises `BadInput` for an unknown board and `CannotBuild` when the box is too small."""
    if board not in BOARDS:
        raise BadInput(f"board is {board!r}: choose one of {', '.join(BOARDS)}.")
    least = least_size(stock)
    for what, have, need in (("wide", size.w, least.w), ("deep", size.d, least.d), ("high", size.h, least.h)):
        refuse_below("pi-tray", what, have, need, f"the board with its plugs and air needs {need:.1f} mm")
    t = stock.t
    model, cuts = Model("pi-tray", stock, build, size), Cuts()
    for panel in box_panels((size.w, size.d, size.h), stock, frozenset({"top"}), fittings.LID_R).values():
        model.add_panel(panel, "top" if panel.name == "top" else "base")
    fittings.lid_screws(model, cuts)
    x0, y0 = size.w - t - RIGHT_GAP - BOARD_W, t + FRONT_GAP
    middle = (x0 + BOARD_W / 2, y0 + BOARD_D / 2)
    fittings.board(model, cuts, "PI", board, *middle)
    level = t + STANDOFF + BOARD_T
    for name, edge, along, wide, low, high in PORTS[board]:
        u = x0 + along if edge == "front" else y0 + along
        cuts.rect(edge, u, level + (low + high) / 2, wide, high - low, name, 1.0)
    for i in range(6):
        for face, ref in (("bottom", "intake"), ("top", "outlet")):
            x = middle[0] - 6.0 + (i - 2.5) * 9.0
            cuts.rect(face, x, middle[1] + OUTLET_BACK - 14.0, 4.0, 28.0, ref, 2.0)
    fittings.vents(model, cuts, ("left", "back"), 5, size.h / 2 + VENT_UP, VENT_H)
    _display(model, cuts)
    fittings.feet(model)
    return fittings.finish(model, cuts)


def _display(model: Model, cuts: Cuts) -> None:
    """Two cheeks behind the board's air outlet, each with two tabs in the lid and a leaning slot for the
    display.
    """
    t, size = model.stock.t, model.size
    run, rise = SHELF_D, 34.0
    lean = math.tan(math.radians(LEAN))
    tabs = ((4.0, 14.0), (32.0, 42.0))
    points: list[tuple[float, float]] = [(0.0, 0.0)]
    for a, b in tabs:
        points += [(a, 0.0), (a, -t), (b, -t), (b, 0.0)]
    points += [
        (run, 0.0),
        (run, rise),
        (12.0 + SHELF_SLOT + lean * 26.0, rise),
        (12.0 + SHELF_SLOT, 8.0),
        (12.0, 8.0),
        (12.0 + lean * 10.0, 18.0),
        (0.0, 18.0),
    ]
    # The display faces away from the board's plugs.
    points = [(run - y, z) for y, z in points]
    y0 = size.d - t - BEHIND_SHELF - run
    for i, x in enumerate((30.0, size.w - 30.0 - t)):
        name = f"display_cheek_{i + 1}"
        model.add_panel(Panel(name, Polygon(points), (), t, (x, y0, size.h), 1, 2, 0), "play", "#c8a06a")
        for a, b in tabs:
            play = 2 * model.stock.play
            cuts.rect("top", x + t / 2, y0 + run - (a + b) / 2, t + play, b - a + play, name, 0.0)
