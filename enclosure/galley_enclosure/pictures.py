"""The pictures of the build guide: each box closed, exploded, opened, its lid from below, and turned round.

One table says which picture shows what from where, another what its parts are called in it; `preview` draws
them and `callouts` writes the names. Pictures are small (flat colours, one palette): they can be committed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from galley_enclosure import callouts
from galley_enclosure.model import Item, Model
from galley_enclosure.preview import VIEW, Vec3, drawn, png, render, scene, shown, shrunk

STEPS = 8
WIDTH, HEIGHT, MARGIN = 900, 640, 130


class Picture(NamedTuple):
    """One picture: file stem, which items, exploded or not, from where, with names or without."""

    name: str
    keep: Callable[[Item], bool]
    exploded: bool
    eye: Vec3
    named: bool = True


# Names of parts whose own name in the layout or the catalogue would not do.
NAMES = {
    "PICO": "PICO 2",
    "POWER": "POWER BOARD",
    "BUZZER": "PIEZO",
    "INLET": "5 V INLET",
    "DIE_MOTOR": "STEPPER",
    "DIE_DRIVER": "DRUM DRIVER",
    "GUARD": "LID SWITCHES",
    "GUARD_MOTOR": "LID SWITCHES",
    "clamp_base": "CABLE CLAMP",
    "clamp_cap": "CABLE CLAMP",
    "token": "DROPPING",
    "strip12": "LED STRIP",
    "tcs34725": "COLOUR SENSOR",
    "guard_bracket": "BRACKET",
    "pane": "CLEAR DISC",
    "beam_half": "BREAK BEAM",
}


def caption(item: Item) -> str:
    """What a part is called in a picture: a wall, a key and a hole by its own name, others by their kind."""
    if item.ref.startswith("chute_"):
        return f"HOLE{item.ref[-1]} CHUTE"
    if item.what.startswith(("diffuser", "foot", "standoff")):
        return item.what.split("_")[0].upper()
    kind = item.what.rstrip("0123456789x_") if item.kind == "print" else item.ref
    for start in ("drawer", "runner", "plate", "display_cheek"):
        if item.kind == "panel" and item.ref.startswith(start):
            kind = start if start != "plate" else "strip plate"
    return NAMES.get(item.ref) or NAMES.get(item.what) or kind.replace("_", " ").upper()


def _outside(item: Item) -> bool:
    return (
        item.group != "base"
        or item.kind == "panel"
        or item.what in ("foot", "usbc_inlet", "mode_button", "usb_cable")
    )


PICTURES = (
    Picture("closed", _outside, False, VIEW, False),
    Picture("exploded", lambda item: True, True, VIEW),
    Picture(
        "open",
        lambda item: item.group == "base" and item.ref not in ("front", "right"),
        False,
        (0.55, -0.8, 1.0),
    ),
    Picture("lid-below", lambda item: item.group == "top", False, (-0.5, -0.8, -0.9)),
    Picture("behind", _outside, False, (0.5, 1.0, 0.7), False),
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
        margin = MARGIN if picture.named else 0
        parts = scene(model, picture.keep, picture.exploded)
        image, of = drawn(parts, picture.eye, WIDTH + 2 * margin, HEIGHT, margin)
        if picture.named:
            items = shown(model, picture.keep)
            # From above a key's name is engraved beside it.
            engraved = [picture.exploded and item.what.startswith(("key", "bell")) for item in items]
            said = ["" if skip else caption(item) for skip, item in zip(engraved, items, strict=True)]
            callouts.draw(image, of, said)
        path.write_bytes(png(shrunk(image)))
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
