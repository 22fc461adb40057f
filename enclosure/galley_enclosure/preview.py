"""Shaded pictures of a box without a screen, OpenGL or a CAD kernel: a z-buffer in numpy and a PNG writer.

Orthographic: the camera looks from `eye` towards the middle. Triangles are filled in batches: row by row the
pixels between a triangle's edges, each with a barycentric test; colour is the part's colour times (0.45 +
0.55 of how squarely it meets the light); pixels where depth bends sharply or another part begins are
darkened, which draws the edges. Everything is drawn at twice the size and averaged down. The same input
gives the same bytes.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from galley_enclosure.mesh import Triangles, label_triangles, prism_triangles
from galley_enclosure.model import Item, Model

Vec3 = tuple[float, float, float]
Image = NDArray[np.uint8]
Floats = NDArray[np.float64]
Ints = NDArray[np.int_]
VIEW: Vec3 = (-0.55, -1.0, 0.9)
BACKGROUND = (255, 255, 255)
EDGE_MM = 1.2
# A batch of triangles covers windows of about so many pixels: enough to be quick, few enough for memory.
BATCH_PIXELS = 1_000_000
INK = "#3a2a18"
# How far a group moves in an exploded view, and how far single kinds of part move within it.
EXPLODE = {"base": 0.0, "top": 90.0, "play": 150.0}


class Corners(NamedTuple):
    """Triangles on the screen: x, y in pixels and z in mm towards the viewer, each of shape (n, 3); twice the
    signed area of each.
    """

    x: Floats
    y: Floats
    z: Floats
    area: Floats

    def take(self, which: Ints) -> Corners:
        """Some of them."""
        return Corners(*(field[which] for field in self))


def scene(
    model: Model, keep: Callable[[Item], bool] = lambda item: True, exploded: bool = False
) -> list[tuple[Triangles, str]]:
    """(triangles, colour) of every shown item, and in `INK` after it what is engraved on it."""
    out = []
    for item in shown(model, keep):
        shift = np.asarray(_shift(model, item) if exploded else (0.0, 0.0, 0.0))
        solids = [
            prism_triangles(p) + (_nut_shift(item, shift) if exploded and p.kind == "nut" else shift)
            for p in item.prisms
            if p.kind != "room"
        ]
        out.append((np.concatenate(solids), item.colour))
        panel = model.panels.get(item.ref)
        if panel is not None and panel.labels:
            # On the side from which it is not mirrored.
            out.append((label_triangles(panel, (panel.n != 1) is not panel.mirrored) + shift, INK))
    return out


def shown(model: Model, keep: Callable[[Item], bool]) -> list[Item]:
    """The kept items that have a body."""
    return [i for i in model.items if keep(i) and any(p.kind != "room" for p in i.prisms)]


def _nut_shift(item: Item, shift: Floats) -> Floats:
    """A lid's nuts come off downwards, when their parts go up."""
    return np.asarray((0.0, 0.0, EXPLODE["top"] - 34.0)) if item.group == "top" else shift


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
    return shrunk(drawn(parts, eye, width, height)[0])


def drawn(
    parts: Iterable[tuple[Triangles, str]], eye: Vec3, width: int, height: int, margin: int = 0
) -> tuple[Floats, Ints]:
    """The picture at twice the size, `margin` pixels free left and right; and for each pixel the number of
    its part from 0, or -1. What is engraved belongs to the part before it.
    """
    parts = list(parts)
    forward = np.asarray(eye) / np.linalg.norm(eye)
    side = np.cross((0.0, 0.0, 1.0), forward)
    side = side / np.linalg.norm(side) if np.linalg.norm(side) > 1e-6 else np.asarray((1.0, 0.0, 0.0))
    up = np.cross(forward, side)
    frame = np.stack((side, up, forward))
    light = np.asarray((-0.4, -0.6, 1.0))
    light /= np.linalg.norm(light)
    w, h = 2 * width, 2 * height
    tris = np.concatenate([t for t, _ in parts])
    counts = [len(t) for t, _ in parts]
    base = np.repeat([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for _, c in parts], counts, 0)
    part = np.repeat(np.cumsum([c != INK for _, c in parts]) - 1, counts)
    view = tris @ frame.T
    points = view.reshape(-1, 3)
    low, high = points.min(axis=0), points.max(axis=0)
    scale = 0.94 * min((w - 4 * margin) / (high[0] - low[0]), h / (high[1] - low[1]))
    middle = (low + high) / 2
    normal = np.cross(tris[:, 1] - tris[:, 0], tris[:, 2] - tris[:, 0])
    length = np.linalg.norm(normal, axis=1)
    normal /= np.maximum(length, 1e-9)[:, None]
    # Corners come in any order: turn every normal towards the viewer.
    facing = normal @ forward
    shade = 0.45 + 0.55 * np.clip((normal * np.sign(facing)[:, None]) @ light, 0.0, 1.0)
    xs = (view[:, :, 0] - middle[0]) * scale + w / 2
    ys = h / 2 - (view[:, :, 1] - middle[1]) * scale
    area = (xs[:, 1] - xs[:, 0]) * (ys[:, 2] - ys[:, 0]) - (xs[:, 2] - xs[:, 0]) * (ys[:, 1] - ys[:, 0])
    seen = (length > 1e-9) & (np.abs(facing) > 1e-6) & (np.abs(area) >= 1e-9)
    corners = Corners(xs[seen], ys[seen], view[seen, :, 2], area[seen])
    depth = np.full((h, w), -np.inf)
    colour = np.empty((h, w, 4))
    colour[:] = *BACKGROUND, -1
    _fill(depth, colour, corners, np.column_stack((base * shade[:, None], part))[seen])
    of = colour[:, :, 3].astype(int)
    _edges(depth, of, colour)
    return colour[:, :, :3], of


def shrunk(colour: Floats) -> Image:
    """A picture at twice the size, averaged down."""
    small = (colour[::2, ::2] + colour[::2, 1::2] + colour[1::2, ::2] + colour[1::2, 1::2]) / 4
    out: Image = np.clip(np.rint(small), 0, 255).astype(np.uint8)
    return out


def _fill(depth: Floats, colour: Floats, tri: Corners, rgb: Floats) -> None:
    """Draw triangles in order; on equal depth the first stays."""
    h, w = depth.shape
    top = np.clip(np.floor(tri.y.min(axis=1)), 0, h).astype(int)
    rows = np.clip(np.ceil(tri.y.max(axis=1)) + 1, 0, h).astype(int) - top
    # Cut the list where the windows of the triangles so far would fill another batch.
    wide = np.ceil(tri.x.max(axis=1)) - np.floor(tri.x.min(axis=1)) + 1
    batch = (np.cumsum(wide * rows) // BATCH_PIXELS).astype(int)
    for part in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(batch)) + 1):
        _fill_batch(
            depth.reshape(-1), colour.reshape(-1, 4), w, tri.take(part), top[part], rows[part], rgb[part]
        )


def _fill_batch(
    depth: Floats, colour: Floats, w: int, tri: Corners, top: Ints, rows: Ints, rgb: Floats
) -> None:
    # One entry a row of a triangle: the pixels between its edges, one too many at each end.
    of, y = _ranges(top, rows)
    x0, x1, x2 = (c[of] for c in tri.x.T)
    y0, y1, y2 = (c[of] for c in tri.y.T)
    area, py = tri.area[of], y + 0.5
    left, right = np.minimum(np.minimum(x0, x1), x2), np.maximum(np.maximum(x0, x1), x2)
    for slope, here in (
        ((y2 - y0) / area, -(x2 - x0) * (py - y0) / area),
        (-(y1 - y0) / area, (x1 - x0) * (py - y0) / area),
        ((y1 - y2) / area, 1.0 + ((x2 - x0) - (x1 - x0)) * (py - y0) / area),
    ):
        with np.errstate(divide="ignore", invalid="ignore"):
            end = x0 - here / slope
        left = np.where(slope > 1e-12, np.maximum(left, end), left)
        right = np.where(slope < -1e-12, np.minimum(right, end), right)
    first = np.clip(np.floor(left) - 1, 0, w - 1).astype(int)
    count = np.clip(np.ceil(right) + 2, 0, w).astype(int) - first
    row, x = _ranges(first, np.maximum(count, 0))
    # One entry a pixel: is its middle inside, and how deep is it there.
    of, y, px, py = of[row], y[row], x + 0.5, py[row]
    dx, dy = px - x0[row], py - y0[row]
    area = area[row]
    b1 = (dx * (y2 - y0)[row] - (x2 - x0)[row] * dy) / area
    b2 = ((x1 - x0)[row] * dy - dx * (y1 - y0)[row]) / area
    inside = np.flatnonzero((b1 >= -1e-9) & (b2 >= -1e-9) & (b1 + b2 <= 1 + 1e-9))
    of, b1, b2, pixel = of[inside], b1[inside], b2[inside], (y * w + x)[inside]
    z0, z1, z2 = (c[of] for c in tri.z.T)
    z = z0 + b1 * (z1 - z0) + b2 * (z2 - z0)
    before = depth[pixel]
    np.maximum.at(depth, pixel, z)
    won = np.flatnonzero((z > before) & (z == depth[pixel]))[::-1]
    colour[pixel[won]] = rgb[of[won]]


def _ranges(first: Ints, count: Ints) -> tuple[Ints, Ints]:
    """For every range of whole numbers, one after the other: which range, and the number."""
    which = np.repeat(np.arange(len(count)), count)
    start = np.cumsum(count) - count
    return which, np.arange(len(which)) - start[which] + first[which]


def _edges(depth: Floats, of: Ints, colour: Floats) -> None:
    """Darken the pixels where depth bends or the next is of another part; the outermost are background."""
    flat = np.where(np.isfinite(depth), depth, -1e4)
    twice = 2 * flat[1:-1, 1:-1]
    bends = np.abs(flat[:-2, 1:-1] + flat[2:, 1:-1] - twice) > EDGE_MM
    bends |= np.abs(flat[1:-1, :-2] + flat[1:-1, 2:] - twice) > EDGE_MM
    here = of[1:-1, 1:-1]
    bends |= (here != of[2:, 1:-1]) | (here != of[1:-1, 2:])
    colour[1:-1, 1:-1, :3][bends & (here >= 0)] *= 0.45


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
