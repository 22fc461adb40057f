"""Printed parts of the deck: eye, arena, chutes, drum, reader well, droppings.

In print position like all of `printed`. What must match a cut part (screw positions, bores) is a constant
here and read by `deck`. Everything prints without supports: the eye narrows inside by 45 degrees, the
chute's window is a short bridge.
"""

from __future__ import annotations

import math

from shapely import affinity
from shapely.geometry import Point, Polygon
from shapely.geometry import box as rectangle

from galley_enclosure.printed import Printed, plate
from galley_enclosure.shapes import Prism, block, cyl
from galley_enclosure.sheet import Circle, Rect, merged

HOLDER_D, HOLDER_H, HOLDER_SCREW = 60.0, 6.2, 25.0
ARENA_R, ARENA_WALL, ARENA_H, ARENA_BOSS = 85.0, 3.0, 16.0, 91.5
CHUTE_BORE, CHUTE_FLANGE, CHUTE_H, CHUTE_SCREW, CHUTE_PAD = 34.0, 60.0, 30.0, 26.0, 21.0
CLAMP_FACE, CLAMP_H, GEARBOX_SCREW = 20.0, 38.8, 4.5
HUB_TOP, HUB_FLANGE, HUB_STEM, HUB_COLLAR, HUB_DROP = 12.0, 26.0, 9.0, 11.0, 10.0
EYE_D, EYE_R, EYE_H, EYE_GAP = 56.0, 50.0, 36.0, 4.0
DRUM_SIDE, DRUM_L, DRUM_FACES, DRUM_GAP = 20.0, 20.0, 8, 3.0
TOKEN_D, TOKEN_H = 22.0, 9.0
WELL_SCREW = 19.5


def ring_holder(bore_d: float, use: str) -> Printed:
    """Holds a NeoPixel ring 12 against the deck from below; two M3 at +-25; `bore_d` lets the hub or the
    view through.
    """
    holes = tuple(Circle(x, 0.0, 3.2, "holder") for x in (-HOLDER_SCREW, HOLDER_SCREW))
    disc, slot = Circle(0, 0, HOLDER_D, "disc"), Rect(0.0, 22.0, 6.0, 44.0, "wires")
    return Printed(
        f"ring_holder_{use}",
        f"Ring holder, {use}",
        "PLA black",
        (
            Prism(2, 0.0, 3.0, disc, (Circle(0, 0, bore_d, "bore"), *holes)),
            Prism(2, 3.0, HOLDER_H, disc, (Circle(0, 0, 37.4, "pocket"), slot, *holes)),
        ),
        "#2b2b2b",
        "pocket up",
    )


def motor_clamp() -> Printed:
    """Bar that holds the eye's gearmotor upright, with two columns up to the ring holder; printed motor
    pocket down.
    """
    pocket, shaft = (Rect(0, 0, 12.3, 10.3, "motor"),), Circle(0, 0, 4.4, "shaft")
    # The gearbox has two threads M1.6 beside its shaft; the heads are sunk, because the hub turns over them.
    screws = tuple(Circle(x, 0.0, 1.8, "gearbox screw") for x in (-GEARBOX_SCREW, GEARBOX_SCREW))
    heads = (Rect(0.0, 0.0, 2 * GEARBOX_SCREW + 4.0, 5.0, "heads", 2.5),)
    columns = tuple(
        cyl(10.0, CLAMP_FACE + 3.0, CLAMP_H, x, 0.0, bore=4.0) for x in (-HOLDER_SCREW, HOLDER_SCREW)
    )
    return Printed(
        "motor_clamp",
        "Motor clamp of the eye",
        "PETG",
        (
            block(0, 0, 62.0, 17.0, 0.0, CLAMP_FACE, cutouts=pocket),
            block(0, 0, 62.0, 17.0, CLAMP_FACE, CLAMP_FACE + 1.5, cutouts=(shaft, *screws)),
            block(0, 0, 62.0, 17.0, CLAMP_FACE + 1.5, CLAMP_FACE + 3.0, cutouts=heads),
            *columns,
        ),
        "#3d6fb6",
        "inserts in the columns; two M1.6 x 4 hold the gearbox",
    )


def eye_hub(t: float) -> Printed:
    """From the motor's shaft through the deck into the eye; its collar carries the home magnet. `t` is the
    deck's sheet.
    """
    magnet = (Circle(9.5, 0.0, 4.2, "magnet"),)
    return Printed(
        "eye_hub",
        "Hub of the eye",
        "PETG",
        (
            cyl(HUB_STEM, 0.0, 8.5, bore=3.1, top_d=HUB_FLANGE),
            Prism(2, 8.5, HUB_COLLAR, Circle(0, 0, HUB_FLANGE, "collar"), magnet),
            cyl(HUB_STEM, HUB_COLLAR, HUB_COLLAR + HUB_DROP + t + EYE_GAP + HUB_TOP),
        ),
        "#d07a1f",
        "brim; file a flat for the D shaft; magnet glued in and covered with a drop of epoxy",
    )


def eye() -> Printed:
    """Hollow translucent dome with two arms; inside it narrows by 45 degrees so that it prints without
    supports.
    """
    outer = [cyl(EYE_D, 0.0, 14.0, bore=50.0)]
    z = 14.0
    while z < 32.0:
        outer.append(cyl(_dome(z), z, z + 1.0, bore=50.0 - 2.0 * (z - 14.0), top_d=_dome(z + 1.0)))
        z += 1.0
    outer.append(cyl(_dome(z), z, EYE_H, top_d=_dome(EYE_H)))
    hub = (cyl(14.0, 0.0, HUB_TOP, bore=HUB_STEM + 0.2), cyl(14.0, HUB_TOP, 33.0))
    spokes = tuple(
        plate(rectangle(min(x0, x1), -1.5, max(x0, x1), 1.5), 0.0, 14.0)
        for x0, x1 in ((6.0, 26.0), (-6.0, -26.0))
    )
    arms = tuple(
        plate(rectangle(min(x0, x1), -6.0, max(x0, x1), 6.0), 0.0, 14.0)
        for x0, x1 in ((26.0, 42.0), (-26.0, -42.0))
    )
    return Printed(
        "eye",
        "Eye",
        "PLA translucent",
        (*outer, *hub, *spokes, *arms),
        "#f4f4f4",
        "three walls, no infill: the pupil ring shines through",
    )


def _dome(z: float) -> float:
    return EYE_D * math.sqrt(max(0.0, 1 - ((z - 14.0) / 27.0) ** 2))


def eye_bumper() -> Printed:
    """Soft tip of an arm, from radius 42 to 50, glued on."""
    tip = merged(
        [
            rectangle(0.0, -8.0, 1.0, 8.0),
            rectangle(1.0, -8.0, 4.0, 8.0).union(
                affinity.scale(
                    Point(2.0, 0).buffer(8.0, quad_segs=32), 0.75, 1.0, origin=(2.0, 0)
                ).intersection(rectangle(2.0, -8.0, 8.0, 8.0))
            ),
        ]
    )
    return Printed("eye_bumper", "Bumper of the eye", "TPU 85A", (plate(tip, 0.0, 14.0),), "#e06666")


def arena_bosses() -> list[tuple[float, float]]:
    """Middles of the four bosses: off the axes, where the rings' holders are, and off the diagonals, where
    the holes are.
    """
    ways = [math.radians(15.0 + 90.0 * k) for k in range(4)]
    return [(ARENA_BOSS * math.cos(a), ARENA_BOSS * math.sin(a)) for a in ways]


def arena_wall() -> Printed:
    """Ring round the arena with four outside bosses that take screws from below."""
    ring = Prism(
        2,
        0.0,
        ARENA_H,
        Circle(0, 0, 2 * (ARENA_R + ARENA_WALL), "ring"),
        (Circle(0, 0, 2 * ARENA_R, "bore"),),
    )
    bosses = tuple(cyl(10.0, 0.0, 8.0, x, y, bore=4.0) for x, y in arena_bosses())
    return Printed("arena_wall", "Wall of the arena", "PLA", (ring, *bosses), "#7a4a21", "inserts from below")


def chute(angle: float) -> Printed:
    """Tube under a hole with pads for the two halves of a break beam; `angle` (degrees) points away from
    the eye.
    """
    ways = [math.radians(angle + k * 120.0) for k in range(3)]
    holes = tuple(
        Circle(CHUTE_SCREW * math.cos(a), CHUTE_SCREW * math.sin(a), 3.2, "chute screw") for a in ways
    )
    bore = Circle(0, 0, CHUTE_BORE, "bore")
    body = merged(
        [
            Point(0, 0).buffer(CHUTE_BORE / 2 + 1.6, quad_segs=32),
            rectangle(-CHUTE_PAD, -11.0, CHUTE_PAD, 11.0),
        ]
    )
    window = (bore, Rect(0, 0, 60.0, 6.0, "beam"))
    return Printed(
        "chute",
        "Chute under a hole",
        "PLA white",
        (
            Prism(2, 0.0, 3.0, Circle(0, 0, CHUTE_FLANGE, "flange"), (bore, *holes)),
            plate(body, 3.0, 10.0, (bore,)),
            plate(body, 10.0, 16.0, window),
            plate(body, 16.0, CHUTE_H, (bore,)),
        ),
        "#e4e4e0",
        "flange on the bed; white, so that the hole's pixel, glued to its side, shines through",
    )


def railing(hole_d: float, t: float) -> Printed:
    """Plug that closes a hole flush with the deck, so that nothing narrows the arena; pushed out again
    from the tray.
    """
    disc = Circle(0, 0, hole_d - 0.6, "plug")
    grooves = tuple(
        Prism(2, t - 0.6, t, Circle(0, 0, d, "rib"), (Circle(0, 0, d - 3.0, "groove"),))
        for d in (hole_d - 0.6, hole_d - 10.0, hole_d - 19.0)
    )
    return Printed(
        "railing",
        "Railing that closes a hole",
        "PLA",
        (Prism(2, 0.0, t - 0.6, disc), *grooves),
        "#7a4a21",
        "ribs up; it rests on the chute's edge",
    )


def octagon(side: float) -> Polygon:
    """Regular octagon with a flat on top, centred."""
    r = side / (2 * math.sin(math.pi / DRUM_FACES))
    return Polygon(
        [
            (r * math.cos(a), r * math.sin(a))
            for a in (math.pi / DRUM_FACES + k * 2 * math.pi / DRUM_FACES for k in range(DRUM_FACES))
        ]
    )


def drum() -> Printed:
    """Colour drum with eight faces, two of each colour; printed with its closed end on the bed."""
    outer = octagon(DRUM_SIDE)
    rim = Polygon(outer.exterior, [octagon(DRUM_SIDE - 1.5).exterior])
    return Printed(
        "drum",
        "Colour drum",
        "PLA white",
        (
            plate(outer, 0.0, 3.0, (Circle(0, 0, 12.2, "hub"), Circle(15.0, 0.0, 4.2, "magnet"))),
            plate(rim, 3.0, DRUM_L),
        ),
        "#ffffff",
        "faces in order: red, green, blue, yellow, red, green, blue, yellow, each with its letter and shape",
    )


def drum_hub(t: float) -> Printed:
    """Sleeve from the stepper's shaft through a cheek of sheet `t` into the drum; glued in."""
    return Printed(
        "drum_hub",
        "Hub of the colour drum",
        "PETG",
        (cyl(18.0, 0.0, 2.0, bore=5.1), cyl(12.0, 2.0, 2.0 + 3.0 + DRUM_GAP + t - 2.5, bore=5.1)),
        "#d07a1f",
        "file two flats for the shaft",
    )


def reader_well() -> Printed:
    """Well under the deck with a ledge for a clear disc and the colour sensor 8 mm below it; narrows by 45
    degrees.
    """
    holes = tuple(Circle(x, 0.0, 3.2, "well") for x in (-WELL_SCREW, WELL_SCREW))
    flange = (
        Prism(2, 0.0, 2.0, Circle(0, 0, 48.0, "flange"), (Circle(0, 0, 24.0, "bore"), *holes)),
        Prism(2, 2.0, 3.0, Circle(0, 0, 48.0, "flange"), (Circle(0, 0, 22.0, "bore"), *holes)),
    )
    steps = tuple(cyl(28.5, 3.0 + k, 4.0 + k, bore=20.0 - 2.0 * k) for k in range(3))
    return Printed(
        "reader_well",
        "Reader well",
        "PLA black",
        (*flange, *steps, cyl(28.5, 6.0, 14.0, bore=16.0)),
        "#2b2b2b",
        "black; flange on the bed",
    )


def guard_bracket() -> Printed:
    """Block glued to the wall under the lid; the lid switches are screwed to its face."""
    return Printed(
        "guard_bracket",
        "Bracket of the lid switches",
        "PLA",
        (block(0, 0, 24.0, 9.0, 0.0, 12.0),),
        "#3d6fb6",
        "drill 1.8 mm for the switches' screws with a switch as a template",
    )


def token() -> Printed:
    """Dropping: its recess takes a colour sticker, printed upwards and played downwards."""
    return Printed(
        "token",
        "Dropping with a recess for its colour",
        "PLA white",
        (cyl(TOKEN_D, 0.0, TOKEN_H - 0.6), cyl(TOKEN_D, TOKEN_H - 0.6, TOKEN_H, bore=16.0)),
        "#fafafa",
        "three stickers 15 mm of each colour: red, green, blue, yellow",
    )
