"""STEP, STL, 3MF and GLB, with build123d (extra `cad`).

STEP and GLB hold the assembled box, part by part with labels; STL and 3MF hold the printed parts in print
position. STEP files carry a fixed time stamp; 3MF files hold new identifiers each time. Solids are made
once and written to both kinds of file, because making them is the slow part.
"""

from __future__ import annotations

import locale
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from galley_enclosure.model import Model
from galley_enclosure.solids import assembly, kernel, printed_shape

STAMP = datetime(2000, 1, 1, tzinfo=UTC)
# Of a printed part's mesh, the same for STL and 3MF: what is meshed for one serves the other.
MESH_MM, MESH_RADIANS = 0.01, 0.1


def write(model: Model, folder: Path) -> None:
    """Write BOX.step, BOX.glb and, where the box has printed parts, prints/NAME.stl and prints/all.3mf."""
    whole = assembly(model.items, model.name.replace("-", "_"))
    step(whole, folder / f"{model.name}.step")
    glb(whole, folder / f"{model.name}.glb")
    if model.prints:
        shapes = {name: printed_shape(part) for name, part in model.prints.items()}
        stl(shapes, folder / "prints")
        threemf(shapes, folder / "prints" / "all.3mf")


def step(whole: Any, path: Path) -> None:
    """The assembled box, exact."""
    kernel().export_step(whole, str(path), timestamp=STAMP)


def glb(whole: Any, path: Path) -> None:
    """The assembled box for a web page."""
    kernel().export_gltf(whole, str(path), binary=True, linear_deflection=0.2, angular_deflection=0.4)


def stl(shapes: dict[str, Any], folder: Path) -> list[Path]:
    """One STL for each kind of printed part, by name."""
    folder.mkdir(parents=True, exist_ok=True)
    out = []
    for name in sorted(shapes):
        path = folder / f"{name}.stl"
        kernel().export_stl(shapes[name], str(path), tolerance=MESH_MM, angular_tolerance=MESH_RADIANS)
        out.append(path)
    return out


def threemf(shapes: dict[str, Any], path: Path) -> None:
    """All printed parts in one file, side by side."""
    bd = kernel()
    mesher = bd.Mesher()
    x = 0.0
    for name in sorted(shapes):
        box = shapes[name].bounding_box()
        moved = shapes[name].moved(bd.Location((x - box.min.X, -box.min.Y, 0.0)))
        x += box.size.X + 5.0
        mesher.add_shape(moved, linear_deflection=MESH_MM, angular_deflection=MESH_RADIANS, part_number=name)
    before = locale.setlocale(locale.LC_ALL)
    try:
        mesher.write(str(path))
    finally:
        locale.setlocale(locale.LC_ALL, before)  # lib3mf leaves the whole process in the C locale
