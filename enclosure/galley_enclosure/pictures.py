"""The pictures of the build guide: each box closed, exploded, opened, its lid from below, and turned round.

One table says which picture shows what from where; `preview` draws them. Pictures are small (flat colours,
one palette), so they can be committed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from galley_enclosure.model import Item, Model
from galley_enclosure.preview import VIEW, Vec3, png, render, save, scene

STEPS = 8


class Picture(NamedTuple):
    """One picture: file stem, which items, exploded or not, from where."""

    name: str
    keep: Callable[[Item], bool]
    exploded: bool
    eye: Vec3


def _outside(item: Item) -> bool:
    return (
        item.group != "base"
        or item.kind == "panel"
        or item.what in ("foot", "usbc_inlet", "mode_button", "usb_cable")
    )


PICTURES = (
    Picture("closed", _outside, False, VIEW),
    Picture("exploded", lambda item: True, True, VIEW),
    Picture(
        "open",
        lambda item: item.group == "base" and item.ref not in ("front", "right"),
        False,
        (0.55, -0.8, 1.0),
    ),
    Picture("lid-below", lambda item: item.group == "top", False, (-0.5, -0.8, -0.9)),
    Picture("behind", _outside, False, (0.5, 1.0, 0.7)),
)


def draw(model: Model, folder: Path, names: tuple[str, ...] | None = None) -> list[Path]:
    """Write the pictures of one box as NAME.png; a coupon has only the first."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = ("closed",) if model.name == "coupon" else names
    out = []
    for picture in PICTURES:
        if wanted is not None and picture.name not in wanted:
            continue
        path = folder / f"{picture.name}.png"
        save(scene(model, picture.keep, picture.exploded), path, picture.eye)
        out.append(path)
    return out


def turntable(model: Model, path: Path, width: int = 360, height: int = 260) -> None:
    """Eight views round the box in one picture, four in a row."""
    parts = scene(model, _outside)
    views = []
    for i in range(STEPS):
        a = math.radians(-120.0 + 360.0 * i / STEPS)
        views.append(render(parts, (math.cos(a), math.sin(a), 0.65), width, height))
    rows = [np.concatenate(views[i : i + 4], axis=1) for i in range(0, STEPS, 4)]
    path.write_bytes(png(np.concatenate(rows, axis=0)))
