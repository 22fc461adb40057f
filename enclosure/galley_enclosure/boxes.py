"""The boxes by name: one place that turns a name, a size and a stock into a model."""

from __future__ import annotations

from galley_enclosure.coupon import coupon
from galley_enclosure.deck import deck
from galley_enclosure.model import Model
from galley_enclosure.params import SIZES, BadInput, Build, Size, Stock
from galley_enclosure.pi_tray import pi_tray
from galley_enclosure.station import station

NAMES = ("station", "deck", "pi-tray", "coupon")


def build_box(
    name: str,
    stock: Stock,
    build: Build,
    w: float | None = None,
    d: float | None = None,
    h: float | None = None,
    board: str = "pi5",
) -> Model:
    """Build the named box; sizes left out are the usual ones of `SIZES`.

    Raises `BadInput` for a name or size that makes no sense and `CannotBuild` for a box that breaks a
    rule.
    """
    if name == "coupon":
        given = [
            flag for flag, value in (("--width", w), ("--depth", d), ("--height", h)) if value is not None
        ]
        if given:
            raise BadInput(f"coupon takes no {given[0]}: its size is fixed; leave the option out.")
        return coupon(stock, build)
    if name not in SIZES:
        raise BadInput(f"box {name!r} is not known: choose one of {', '.join(NAMES)}.")
    usual = SIZES[name]
    size = Size(usual.w if w is None else w, usual.d if d is None else d, usual.h if h is None else h)
    if name == "pi-tray":
        return pi_tray(size, stock, build, board)
    return {"station": station, "deck": deck}[name](size, stock, build)
