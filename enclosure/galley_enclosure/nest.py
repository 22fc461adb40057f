"""Nesting: put the cut parts on sheets of the given size.

Rectangles round the parts, largest first, each into the free rectangle that leaves the least waste, turned
by a quarter if that fits better; the free space is split along the longer remainder. No better than a
careful hand, but the same every time. `gap` keeps two cuts apart; `margin` keeps them off the sheet's
edge.
"""

from __future__ import annotations

from typing import NamedTuple

from galley_enclosure.params import CannotBuild, Stock
from galley_enclosure.sheet import Panel

GAP, MARGIN = 3.0, 5.0


class Spot(NamedTuple):
    """Where a part lies: sheet number from 0, lower left corner, and whether it is turned by a quarter."""

    panel: str
    sheet: int
    x: float
    y: float
    turned: bool


class _Free(NamedTuple):
    sheet: int
    x: float
    y: float
    w: float
    h: float


def nest(panels: dict[str, Panel], stock: Stock) -> list[Spot]:
    """Spots for all panels. Raises `CannotBuild` for a part larger than the sheet."""
    room = (stock.sheet_w - 2 * MARGIN, stock.sheet_h - 2 * MARGIN)
    sizes = {
        name: (b[2] - b[0], b[3] - b[1]) for name, b in ((n, p.outline.bounds) for n, p in panels.items())
    }
    for name, (w, h) in sizes.items():
        if not (w <= room[0] and h <= room[1]) and not (h <= room[0] and w <= room[1]):
            raise CannotBuild(
                f"{name}: the part is {w:.0f} x {h:.0f} mm and the sheet {stock.sheet_w:g} x "
                f"{stock.sheet_h:g} mm "
                f"with {MARGIN:g} mm margins: use a larger sheet (--sheet) or a smaller box."
            )
    free: list[_Free] = []
    spots: list[Spot] = []
    sheets = 0
    for name in sorted(sizes, key=lambda n: (-max(sizes[n]), -min(sizes[n]), n)):
        w, h = sizes[name]
        best = _best(free, w, h)
        if best is None:
            free.append(_Free(sheets, MARGIN, MARGIN, *room))
            sheets += 1
            best = _best(free, w, h)
        assert best is not None
        place, turned = best
        pw, ph = (h, w) if turned else (w, h)
        free.remove(place)
        spots.append(Spot(name, place.sheet, place.x, place.y, turned))
        free += _split(place, pw + GAP, ph + GAP)
    return spots


def _best(free: list[_Free], w: float, h: float) -> tuple[_Free, bool] | None:
    fits = [
        (min(f.w - pw, f.h - ph), max(f.w - pw, f.h - ph), f.sheet, f.x, f.y, turned, f)
        for f in free
        for turned, (pw, ph) in ((False, (w, h)), (True, (h, w)))
        if pw <= f.w + 1e-9 and ph <= f.h + 1e-9
    ]
    if not fits:
        return None
    pick = min(fits, key=lambda c: (c[2], c[0], c[1], c[3], c[4], c[5]))
    return pick[6], pick[5]


def _split(f: _Free, w: float, h: float) -> list[_Free]:
    right, above = f.w - w, f.h - h
    if right > above:
        pieces = (_Free(f.sheet, f.x + w, f.y, right, f.h), _Free(f.sheet, f.x, f.y + h, w, above))
    else:
        pieces = (_Free(f.sheet, f.x + w, f.y, right, h), _Free(f.sheet, f.x, f.y + h, f.w, above))
    return [p for p in pieces if p.w > 1.0 and p.h > 1.0]


def sheet_count(spots: list[Spot]) -> int:
    """How many sheets the spots use."""
    return 1 + max((s.sheet for s in spots), default=-1)
