"""Shaded pictures of a box without a screen, OpenGL or a CAD kernel: a z-buffer in numpy and a PNG writer.

Orthographic: the camera looks from `eye` towards the middle. Triangles are filled one by one in their own
pixel window with a barycentric test; colour is the part's colour times (0.45 + 0.55 of how squarely it
meets the light); pixels where depth bends sharply are darkened, which draws the edges. Everything is drawn
at twice the size and averaged down. The same input gives the same bytes.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from galley_enclosure.mesh import Triangles, label_triangles, prism_triangles
from galley_enclosure.model import Item, Model

Vec3 = tuple[float, float, float]
Image = NDArray[np.uint8]
VIEW: Vec3 = (-0.55, -1.0, 0.9)
BACKGROUND = (255, 255, 255)
EDGE_MM = 1.2
INK = "#3a2a18"
# How far a group moves in an exploded view, and how far single kinds of part move within it.
EXPLODE = {"base": 0.0, "top": 90.0, "play": 150.0}


def scene(
    model: Model, keep: Callable[[Item], bool] = lambda item: True, exploded: bool = False
) -> list[tuple[Triangles, str]]:
    """(triangles, colour) of every kept item."""
    out = []
    for item in model.items:
        if not keep(item):
            continue
        solids = [prism_triangles(p) for p in item.prisms if p.kind != "room"]
        if not solids:
            continue
        shift = np.asarray(_shift(model, item) if exploded else (0.0, 0.0, 0.0))
        out.append((np.concatenate(solids) + shift, item.colour))
        panel = model.panels.get(item.ref)
        if panel is not None and panel.labels:
            middle = (model.size.w, model.size.d, model.size.h)[panel.n] / 2
            out.append((label_triangles(panel, panel.origin[panel.n] > middle) + shift, INK))
    return out


def _shift(model: Model, item: Item) -> Vec3:
    """Exploded place: groups rise, walls move outwards, what hangs under the lid drops a little, screws
    heads stay.
    """
    z = EXPLODE[item.group]
    x = y = 0.0
    if item.kind == "panel" and item.ref in ("left", "right", "front", "back"):
        far = 45.0
        x = {"left": -far, "right": far}.get(item.ref, 0.0)
        y = {"front": -far, "back": far}.get(item.ref, 0.0)
    elif item.ref.startswith("drawer_left"):
        x = -120.0
    elif item.ref.startswith("drawer_right"):
        x = 120.0
    elif item.group == "top" and item.ref != "top":
        under = max(p.bounds[1][2] for p in item.prisms) <= model.size.h - model.stock.t + 0.01
        z += -28.0 if under else 34.0
        if item.ref.startswith(("plate_", "EYE_MOTOR", "motor_clamp")):
            z -= 26.0
        elif item.ref.startswith("STRIP"):
            z -= 14.0
    return (x, y, z)


def render(
    parts: Iterable[tuple[Triangles, str]], eye: Vec3 = VIEW, width: int = 900, height: int = 640
) -> Image:
    """An RGB picture of shape (height, width, 3)."""
    parts = list(parts)
    forward = np.asarray(eye) / np.linalg.norm(eye)
    side = np.cross((0.0, 0.0, 1.0), forward)
    side = side / np.linalg.norm(side) if np.linalg.norm(side) > 1e-6 else np.asarray((1.0, 0.0, 0.0))
    up = np.cross(forward, side)
    frame = np.stack((side, up, forward))
    light = np.asarray((-0.4, -0.6, 1.0))
    light /= np.linalg.norm(light)
    w, h = 2 * width, 2 * height
    views = [tris @ frame.T for tris, _ in parts]
    points = np.concatenate([v.reshape(-1, 3) for v in views])
    low, high = points.min(axis=0), points.max(axis=0)
    scale = 0.94 * min(w / (high[0] - low[0]), h / (high[1] - low[1]))
    middle = (low + high) / 2
    depth = np.full((h, w), -np.inf)
    colour = np.empty((h, w, 3))
    colour[:] = BACKGROUND
    for (tris, name), view in zip(parts, views, strict=True):
        base = np.asarray([int(name[i : i + 2], 16) for i in (1, 3, 5)], dtype=float)
        normal = np.cross(tris[:, 1] - tris[:, 0], tris[:, 2] - tris[:, 0])
        length = np.linalg.norm(normal, axis=1)
        good = length > 1e-9
        normal[good] /= length[good, None]
        # Corners come in any order: turn every normal towards the viewer.
        facing = normal @ forward
        shade = 0.45 + 0.55 * np.clip((normal * np.sign(facing)[:, None]) @ light, 0.0, 1.0)
        xs = (view[:, :, 0] - middle[0]) * scale + w / 2
        ys = h / 2 - (view[:, :, 1] - middle[1]) * scale
        for k in np.flatnonzero(good & (np.abs(facing) > 1e-6)):
            _fill(depth, colour, xs[k], ys[k], view[k, :, 2], base * shade[k])
    _edges(depth, colour)
    small = colour.reshape(height, 2, width, 2, 3).mean(axis=(1, 3))
    out: Image = np.clip(np.rint(small), 0, 255).astype(np.uint8)
    return out


def _fill(
    depth: NDArray[np.float64],
    colour: NDArray[np.float64],
    xs: NDArray[np.float64],
    ys: NDArray[np.float64],
    zs: NDArray[np.float64],
    rgb: NDArray[np.float64],
) -> None:
    h, w = depth.shape
    x0, x1 = max(0, int(np.floor(xs.min()))), min(w - 1, int(np.ceil(xs.max())))
    y0, y1 = max(0, int(np.floor(ys.min()))), min(h - 1, int(np.ceil(ys.max())))
    if x0 > x1 or y0 > y1:
        return
    area = (xs[1] - xs[0]) * (ys[2] - ys[0]) - (xs[2] - xs[0]) * (ys[1] - ys[0])
    if abs(area) < 1e-9:
        return
    px = np.arange(x0, x1 + 1) + 0.5
    py = (np.arange(y0, y1 + 1) + 0.5)[:, None]
    b1 = ((px - xs[0]) * (ys[2] - ys[0]) - (xs[2] - xs[0]) * (py - ys[0])) / area
    b2 = ((xs[1] - xs[0]) * (py - ys[0]) - (px - xs[0]) * (ys[1] - ys[0])) / area
    inside = (b1 >= -1e-9) & (b2 >= -1e-9) & (b1 + b2 <= 1 + 1e-9)
    if not inside.any():
        return
    z = zs[0] + b1 * (zs[1] - zs[0]) + b2 * (zs[2] - zs[0])
    window = depth[y0 : y1 + 1, x0 : x1 + 1]
    nearer = inside & (z > window)
    window[nearer] = z[nearer]
    colour[y0 : y1 + 1, x0 : x1 + 1][nearer] = rgb


def _edges(depth: NDArray[np.float64], colour: NDArray[np.float64]) -> None:
    flat = np.where(np.isfinite(depth), depth, -1e4)
    bend = np.zeros_like(flat)
    for axis in (0, 1):
        before, after = np.roll(flat, 1, axis), np.roll(flat, -1, axis)
        bend = np.maximum(bend, np.abs(before + after - 2 * flat))
    colour[(bend > EDGE_MM) & np.isfinite(depth)] *= 0.45


def png(image: Image) -> bytes:
    """Encode with a palette of at most 256 colours: pictures of flat-shaded parts have few."""
    grid = (image.astype(np.int32) + 4) // 8 * 8
    packed = np.minimum(grid, 255) @ np.asarray((65536, 256, 1))
    values, counts = np.unique(packed, return_counts=True)
    keep = np.sort(values[np.argsort(-counts, kind="stable")[:256]])
    rgb = np.stack((keep >> 16, keep >> 8 & 255, keep & 255), axis=1)
    index = np.searchsorted(keep, packed).clip(0, len(keep) - 1)
    stray = keep[index] != packed
    if stray.any():
        lost, where = np.unique(packed[stray], return_inverse=True)
        split = np.stack((lost >> 16, lost >> 8 & 255, lost & 255), axis=1)
        nearest = ((split[:, None, :] - rgb[None]) ** 2).sum(axis=2).argmin(axis=1)
        index[stray] = nearest[where]
    h, w = index.shape
    rows = b"".join(b"\0" + row.tobytes() for row in index.astype(np.uint8))
    out = b"\x89PNG\r\n\x1a\n"
    for kind, data in (
        (b"IHDR", struct.pack(">IIBBBBB", w, h, 8, 3, 0, 0, 0)),
        (b"PLTE", rgb.astype(np.uint8).tobytes()),
        (b"IDAT", zlib.compress(rows, 9)),
        (b"IEND", b""),
    ):
        out += struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return out


def save(
    parts: Iterable[tuple[Triangles, str]], path: Path, eye: Vec3 = VIEW, width: int = 900, height: int = 640
) -> None:
    """Render and write a PNG."""
    path.write_bytes(png(render(parts, eye, width, height)))
