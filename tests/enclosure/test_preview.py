"""Pictures without a screen."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest

from galley_enclosure import callouts
from galley_enclosure.mesh import prism_triangles
from galley_enclosure.pictures import PICTURES, caption
from galley_enclosure.preview import INK, drawn, png, render, scene, shown
from galley_enclosure.shapes import Prism, block, cyl
from galley_enclosure.sheet import Circle, Rect
from galley_enclosure.strokes import GLYPHS

from .conftest import Boxes


def volume(prism: Prism) -> float:
    """Volume from the triangles' areas seen from above: caps only, so height times the lower cap."""
    tris = prism_triangles(prism)
    flat = [t for t in tris if np.allclose(t[:, prism.axis], prism.lo)]
    return float(sum(np.linalg.norm(np.cross(t[1] - t[0], t[2] - t[0])) / 2 for t in flat)) * (
        prism.hi - prism.lo
    )


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_triangles_cover_the_prism_with_its_holes_on_every_axis(axis: int) -> None:
    flat = block(
        5.0, 5.0, 40.0, 20.0, 2.0, 6.0, cutouts=(Rect(0.0, 5.0, 10.0, 10.0, "a"), Circle(15.0, 5.0, 6.0, "b"))
    )
    prism = Prism(axis, flat.lo, flat.hi, flat.outline, flat.cutouts)
    assert volume(prism) == pytest.approx((800 - 100 - 9 * np.pi) * 4, rel=0.01)
    tris = prism_triangles(prism).reshape(-1, 3)
    assert tris[:, axis].min() == 2.0
    assert tris[:, axis].max() == 6.0


def test_a_nearer_part_hides_a_farther_one() -> None:
    low, high = prism_triangles(block(0, 0, 20, 20, 0, 1)), prism_triangles(block(0, 0, 10, 10, 5, 6))
    image = render([(low, "#0000ff"), (high, "#ff0000")], (0.0, -0.01, 1.0), 100, 100)
    assert image[50, 50, 0] > 200
    assert image[50, 50, 2] == 0
    assert image[15, 50, 2] > 200
    assert tuple(image[1, 1]) == (255, 255, 255)


def test_a_picture_of_the_station_shows_its_bell_and_is_the_same_each_time(boxes: Boxes) -> None:
    model = boxes("station")
    parts = scene(model, lambda item: item.ref in ("KEEP1", "BELL"))
    image = render(parts, width=120, height=90)
    again = render(parts, width=120, height=90)
    assert np.array_equal(image, again)
    red = (image[..., 0] > 120) & (image[..., 1] < 90)
    assert 80 < int(red.sum()) < 4000


def test_exploding_lifts_the_lid_and_parts_the_walls(boxes: Boxes) -> None:
    model = boxes("station")
    here = dict(
        zip(
            [i.ref for i in model.items if i.ref == "top"],
            scene(model, lambda i: i.ref == "top"),
            strict=False,
        )
    )
    there = scene(model, lambda i: i.ref == "top", exploded=True)
    assert there[0][0][:, :, 2].min() - here["top"][0][:, :, 2].min() == pytest.approx(90.0)


def test_png_is_well_formed_with_a_palette() -> None:
    image = np.zeros((4, 6, 3), dtype=np.uint8)
    image[1:3, 2:4] = (200, 40, 40)
    data = png(image)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", data[16:24]) == (6, 4)
    at = data.index(b"IDAT")
    size = struct.unpack(">I", data[at - 4 : at])[0]
    rows = zlib.decompress(data[at + 4 : at + 4 + size])
    assert len(rows) == 4 * 7


def test_more_than_256_colours_are_brought_down_to_the_nearest() -> None:
    ramp = np.indices((64, 64)).transpose(1, 2, 0) * 4
    image = np.concatenate((ramp, ramp[..., :1] * 0 + 90), axis=2).astype(np.uint8)
    data = png(image)
    at = data.index(b"PLTE")
    assert struct.unpack(">I", data[at - 4 : at])[0] <= 3 * 256


def test_every_picture_shows_something(boxes: Boxes) -> None:
    for name in ("station", "deck", "pi-tray"):
        model = boxes(name)
        for p in PICTURES:
            assert any(p.keep(i) for i in model.items), (name, p.name)


def test_a_coupon_is_engraved_on_the_side_that_is_drawn(boxes: Boxes) -> None:
    model = boxes("coupon")
    ink = [tris for tris, colour in scene(model) if colour == INK]
    assert len(ink) == len(model.panels)
    assert all(tris[:, :, 2].min() > model.stock.t for tris in ink)


def test_a_lids_nuts_come_off_downwards_when_their_keys_go_up(boxes: Boxes) -> None:
    model = boxes("station")
    (tris, _), (lid, _) = (
        scene(model, [model.item(ref)].__contains__, exploded=True)[0] for ref in ("BELL", "top")
    )
    heights = tris[:, :, 2]
    assert heights.max() > lid[:, :, 2].max() > lid[:, :, 2].min() > heights.min()
    assert not ((heights > lid[:, :, 2].min()) & (heights < lid[:, :, 2].max())).all(axis=1).any()


def test_every_name_of_a_part_can_be_written(boxes: Boxes) -> None:
    for name in ("station", "deck", "pi-tray"):
        names = {caption(item) for item in boxes(name).items}
        assert set("".join(names)) <= set(GLYPHS)
        assert max(map(len, names)) < 18


def test_every_name_points_at_its_own_part(boxes: Boxes) -> None:
    model = boxes("pi-tray")
    items = [i for i in shown(model, lambda item: item.group == "base") if i.ref not in ("front", "right")]
    names = [caption(item) for item in items]
    image, of = drawn(scene(model, items.__contains__), (0.55, -0.8, 1.0), 300, 200, 40)
    found = callouts.draw(image, of, names)
    assert {c.text for c in found} >= {"PI", "BOTTOM", "LEFT", "BACK", "CORNER BLOCK"}
    assert len({c.text for c in found}) == len(found)
    for c in found:
        assert names[of[int(c.y), int(c.x)]] == c.text


def test_names_stand_apart_and_inside_the_picture() -> None:
    image, of = np.full((200, 400, 3), 255.0), np.full((200, 400), -1)
    for i in range(5):
        of[90 + i * 5 : 95 + i * 5, 60:120] = i
    callouts.draw(image, of, ["A", "BB", "CCC", "D-4", ""])
    rows = np.any(np.all(image[:, :60] < 60, axis=2), axis=1)
    starts = np.flatnonzero(np.diff(rows.astype(int)) == 1)
    assert len(starts) == 4
    assert min(np.diff(starts)) >= callouts.SIZE


def test_a_part_that_begins_beside_another_is_set_off_by_a_line() -> None:
    left, right = (prism_triangles(block(x, 0, 20, 20, 0, 1)) for x in (-10, 10))
    one = render([(np.concatenate((left, right)), "#aaaaaa")], (0.0, -0.01, 1.0), 100, 60)
    two = render([(left, "#aaaaaa"), (right, "#aaaaaa")], (0.0, -0.01, 1.0), 100, 60)
    assert one[30, 48:52].min() > two[30, 48:52].min() + 20


def test_a_cone_is_drawn_narrower_at_its_top() -> None:
    tris = prism_triangles(cyl(20.0, 0.0, 10.0, top_d=10.0)).reshape(-1, 3)
    assert tris[tris[:, 2] == 10.0][:, 0].max() == pytest.approx(5.0)
    assert tris[tris[:, 2] == 0.0][:, 0].max() == pytest.approx(10.0)
