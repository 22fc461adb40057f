"""Names beside a picture, each with a line to its part.

A name points at a pixel that shows its part, so what is hidden gets no name. Names stand in two columns in
the picture's margins, in the order of their parts from top to bottom, so that lines seldom cross. The font is
the one that is engraved (`strokes`). Nothing here knows a box: it gets a picture at twice the size, the
number of the part that each pixel shows, and a name for each number.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from galley_enclosure.sheet import Label
from galley_enclosure.strokes import ADVANCE, strokes

Floats = NDArray[np.float64]
Ints = NDArray[np.int_]
SIZE, PITCH, EDGE = 20.0, 34.0, 12.0
LEAST_PIXELS = 220
INK, LINE = (30.0, 30.0, 30.0), (90.0, 90.0, 90.0)


class Callout(NamedTuple):
    """A name, and the pixel that it points at."""

    text: str
    x: float
    y: float


def draw(picture: Floats, of: Ints, names: list[str]) -> list[Callout]:
    """Write the names into the picture; returns those that found a pixel. A name of many parts points at the
    one that shows most; "" is no name.
    """
    found = _anchors(of, names)
    high, wide = of.shape
    middle = wide / 2
    for left in (True, False):
        column = sorted((c for c in found if (c.x < middle) is left), key=lambda c: c.y)
        for c, y in zip(column, _spread([c.y for c in column], high), strict=True):
            length = ADVANCE * SIZE * len(c.text)
            at = EDGE + length / 2 if left else wide - EDGE - length / 2
            side = EDGE + length + 4 if left else wide - EDGE - length - 4
            _pen(picture, side, y, c.x, c.y, 2, LINE)
            _pen(picture, c.x - 2, c.y, c.x + 2, c.y, 6, LINE)
            for line in strokes(Label(at, -y, c.text, SIZE)):
                for (x0, y0), (x1, y1) in itertools.pairwise(line):
                    _pen(picture, x0, -y0, x1, -y1, 3, INK)
    return found


def _anchors(of: Ints, names: list[str]) -> list[Callout]:
    most: dict[str, tuple[int, int]] = {}
    counts = np.bincount(of[of >= 0], minlength=len(names))
    for number, name in enumerate(names):
        if name and counts[number] >= LEAST_PIXELS and counts[number] > most.get(name, (0, 0))[0]:
            most[name] = (int(counts[number]), number)
    out = []
    for name, (_, number) in most.items():
        ys, xs = np.nonzero(of == number)
        pick = int(np.argmin((xs - xs.mean()) ** 2 + (ys - ys.mean()) ** 2))
        out.append(Callout(name, float(xs[pick]), float(ys[pick])))
    return out


def _spread(wanted: list[float], high: int) -> list[float]:
    """Heights near the wanted ones (ascending), `PITCH` apart and inside the picture."""
    out: list[float] = []
    for y in wanted:
        out.append(max(y, out[-1] + PITCH if out else EDGE + SIZE / 2))
    last = high - EDGE - SIZE / 2
    for i in range(len(out) - 1, -1, -1):
        out[i] = min(out[i], last)
        last = out[i] - PITCH
    return out


def _pen(
    picture: Floats, x0: float, y0: float, x1: float, y1: float, wide: int, colour: tuple[float, ...]
) -> None:
    """A line `wide` pixels thick."""
    steps = np.linspace(0.0, 1.0, int(max(abs(x1 - x0), abs(y1 - y0))) + 2)
    xs, ys = np.rint(x0 + (x1 - x0) * steps).astype(int), np.rint(y0 + (y1 - y0) * steps).astype(int)
    for dy, dx in itertools.product(range(-(wide // 2), wide - wide // 2), repeat=2):
        picture[(ys + dy).clip(0, picture.shape[0] - 1), (xs + dx).clip(0, picture.shape[1] - 1)] = colour
