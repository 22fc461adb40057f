"""The coupon: cut this first, from the sheet you will use.

A comb of slots from 0.2 mm narrower to 0.2 mm wider than the sheet tells the play, six holes tell the fit
of the buttons, and a square of exactly 40 mm tells the kerf: measure it with callipers, kerf = 40 + kerf
given - what you measure. Put the results into a preset or on the command line (`--t`, `--kerf`, `--play`).
"""

from __future__ import annotations

from shapely.geometry import box as rectangle

from galley_enclosure.model import Model
from galley_enclosure.params import Build, Size, Stock
from galley_enclosure.sheet import Circle, Label, Panel, Rect

STEPS = tuple(round(-0.20 + 0.05 * i, 2) for i in range(9))
HOLES = (23.9, 24.3, 24.7, 29.9, 30.3, 30.7)
SLOT, PITCH = 18.0, 20.0
WIDTH, DEPTH = 212.0, 92.0
GAUGE = 40.0


def coupon(stock: Stock, build: Build) -> Model:
    """The test piece and its gauge for this stock; its size does not change with the box."""
    t = stock.t
    slots = tuple(
        Rect(16.0 + i * PITCH + PITCH / 2, 16.0, t + step, SLOT, f"slot {t + step:.2f}")
        for i, step in enumerate(STEPS)
    )
    marks = tuple(
        Label(16.0 + i * PITCH + PITCH / 2, 34.0, f"{t + step:.2f}", 3.0) for i, step in enumerate(STEPS)
    )
    holes, names = [], []
    x = 6.0
    for d in HOLES:
        x += d / 2
        holes.append(Circle(x, 62.0, d, f"hole {d}"))
        names.append(Label(x, 84.0, f"{d}", 3.0))
        x += d / 2 + 7.0
    outline = rectangle(0, 0, WIDTH, DEPTH)
    model = Model("coupon", stock, build, Size(WIDTH, DEPTH, 20.0))
    model.add_panel(Panel("coupon", outline, (*slots, *holes), t, (0, 0, 0), 0, 1, 2, (*marks, *names)))
    gauge = Panel(
        "gauge",
        rectangle(0, 0, GAUGE, GAUGE),
        (),
        t,
        (WIDTH + 10.0, 0, 0),
        0,
        1,
        2,
        (Label(20.0, 24.0, "40.00", 4.0), Label(20.0, 14.0, f"t {t:g}", 4.0)),
    )
    model.add_panel(gauge)
    return model
