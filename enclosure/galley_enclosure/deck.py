"""The deck: a round arena with the turning eye in its middle, four holes with railings, the colour drum, the
reader well.

The arena's radius follows from the die: a 16 mm cube must pass between an arm's tip and the wall without
jamming. Holes lie inside the wall on the diagonals (sectors 2, 6, 10 and 14 of 16), each over a chute with
a break beam; what falls lands in one of two drawers that are pulled out left and right. Six seat keys
stand on the rim, the drum's window with its drift ring at the back, the reader well at the front. The
eye's motor hangs under the deck; the pupil ring shines through the eye from below, so that no wire turns.
"""

from __future__ import annotations

import math

from shapely.geometry import box as rectangle

from galley_enclosure import fittings, printed, printed_deck
from galley_enclosure.fittings import Cuts
from galley_enclosure.model import COLOURS, Model, Screw, Turning
from galley_enclosure.params import Build, Size, Stock, refuse_below
from galley_enclosure.parts import PARTS, screw_length
from galley_enclosure.shapes import Frame
from galley_enclosure.sheet import Label, Panel, box_panels, merged
from galley_enclosure.station import refuse_thickness

HOLE_D, HOLE_R = 38.0, 65.0
DIE_EDGE = 16.0
DRUM_Y, DRUM_WINDOW = 123.0, 18.0
WELL_Y, WELL_D = -128.0, 24.5
SEATS = ("RED", "GREEN", "BLUE", "YELLOW", "WHITE", "VIOLET")
LEAST_W = 320.0
DRAWER_REACH = 24.0
HOLE_SPAN = 128.0
RUNNER = 4.0
CHEEK_W = 50.0
# Quarter turns of a part that hangs under the deck, for the holes at 45, 135, 225 and 315 degrees.
HANGING = (("+y", "+x"), ("-x", "+y"), ("-y", "-x"), ("+x", "-y"))


def drawer_height(stock: Stock) -> float:
    """Low as the parts allow, but high enough for three fingers of twice the sheet."""
    return max(32.0, 8 * stock.t)


def least_size(stock: Stock) -> Size:
    """The smallest deck: the rim must hold the seat keys, and a chute, its token and a drawer stand under
    each other.
    """
    below_key = PARTS["key30_screw"].depth + PARTS["key30_screw"].wire_room
    # The drum's ring holder hangs between the middle and the back wall.
    deep = 2 * (DRUM_Y + printed_deck.HOLDER_D / 2 + stock.t + 1.0)
    return Size(LEAST_W, max(LEAST_W, deep), drawer_floor(stock) + drawer_height(stock) + 1.0 + below_key)


def drawer_floor(stock: Stock) -> float:
    """Underside of a drawer: on runners of whole sheets, so that the wall keeps a sill of 4 mm under its
    opening.
    """
    return stock.t * (1 + math.ceil(RUNNER / stock.t - 1e-9)) + 0.3


def deck(size: Size, stock: Stock, build: Build) -> Model:
    """Build the deck. Raises `CannotBuild` with the broken rule and by how much."""
    least = least_size(stock)
    for what, have, need, why in (
        ("wide", size.w, least.w, "the arena and the seat keys"),
        ("deep", size.d, least.d, "the arena, the drum and the reader"),
        ("high", size.h, least.h, "the seat keys with their wires over the drawers"),
    ):
        refuse_below("deck", what, have, need, f"{why} need {need:.1f} mm")
    for name in (f"key30_{build.buttons}", "usbc_inlet"):
        refuse_thickness("deck", name, stock)
    t = stock.t
    model, cuts = Model("deck", stock, build, size), Cuts()
    for panel in box_panels((size.w, size.d, size.h), stock, frozenset({"top"}), fittings.LID_R).values():
        model.add_panel(panel, "top" if panel.name == "top" else "base")
    fittings.lid_screws(model, cuts)
    cx, cy = size.w / 2, size.d / 2
    _arena(model, cuts, cx, cy)
    _eye(model, cuts, cx, cy)
    for k in range(4):
        _hole(model, cuts, k, cx, cy)
    _drum(model, cuts, cx, cy + DRUM_Y)
    _reader(model, cuts, cx, cy + WELL_Y)
    _guard(model, cx)
    _seats(model, cuts, cx, cy)
    _drawers(model, cuts, cy)
    _tokens(model, cx, cy)
    fittings.usb_entry(model, cuts, cx - 45.0)
    fittings.board(model, cuts, "PICO", "pico2", t + printed.BLOCK + 29.0, size.d - t - 62.0, ("-x", "-y"))
    fittings.board(model, cuts, "POWER", "power_board", cx - 90.0, t + 30.0)
    fittings.board(model, cuts, "EYE_DRIVER", "drv8833", cx + 40.0, t + 30.0)
    fittings.board(model, cuts, "DIE_DRIVER", "uln2003", cx + 100.0, t + 30.0)
    fittings.inlet(model, cuts, cx + 60.0, t + 22.0)
    fittings.sound(model, cuts, cx - 12.0, t + 40.0)
    fittings.vents(model, cuts, ("front", "back"), 6, t + 45.0)
    # In a low box just above the vents.
    cuts.labels["front"].append(Label(cx, max(size.h - 24.0, t + 65.5), "AGE 6 UP - SMALL PARTS"))
    fittings.feet(model)
    model.add_loose("pixel", 6 + 4)
    return fittings.finish(model, cuts)


def _seats(model: Model, cuts: Cuts, cx: float, cy: float) -> None:
    """Two keys in front, two behind, one at each side; the seat's colour is engraved beside its key."""
    dx, dy = model.size.w / 2 - 32.0, model.size.d / 2 - 32.0
    spots = ((-85.0, -dy), (85.0, -dy), (dx, 0.0), (85.0, dy), (-85.0, dy), (-dx, 0.0))
    for seat, (x, y) in zip(SEATS, spots, strict=True):
        fittings.key(
            model,
            cuts,
            f"SEAT{SEATS.index(seat) + 1}",
            f"key30_{model.build.buttons}",
            cx + x,
            cy + y,
            COLOURS[seat.lower()],
        )
        up = 24.0 if y < 0 or y == 0 else -24.0
        cuts.labels["top"].append(Label(cx + x, cy + y + up, seat, 5.0))


def _arena(model: Model, cuts: Cuts, cx: float, cy: float) -> None:
    t, h = model.stock.t, model.size.h
    model.add_print("arena_wall", printed_deck.arena_wall(), Frame((cx, cy, h)), "play")
    length = screw_length(t, 4.5)
    for i, (bx, by) in enumerate(printed_deck.arena_bosses()):
        x, y = cx + bx, cy + by
        cuts.circle("top", x, y, 3.2, f"arena screw {i + 1}")
        model.screws.append(
            Screw("screw_m3_floor", (x, y, h - t), "+z", length, "top", ("top", "arena_wall"))
        )
        model.add_loose("insert_m3")


def _eye(model: Model, cuts: Cuts, cx: float, cy: float) -> None:
    """Ring holder, motor clamp, motor, hub and eye on one axis, and the clearances of the turning parts."""
    t, h = model.stock.t, model.size.h
    under = h - t
    cuts.circle("top", cx, cy, 12.0, "eye hub")
    _ring(model, cuts, "PUPIL", cx, cy)
    plate = under - printed_deck.HOLDER_H - printed_deck.CLAMP_H
    face = plate + printed_deck.CLAMP_FACE
    model.add_print("motor_clamp", printed_deck.motor_clamp(), Frame((cx, cy, plate), "+y", "-x"), "top")
    model.add_part("EYE_MOTOR", "n20", Frame((cx, cy, face), "+y", "-x"), "top")
    hub_z = under - printed_deck.HUB_DROP - printed_deck.HUB_COLLAR
    model.add_print("eye_hub", printed_deck.eye_hub(t), Frame((cx, cy, hub_z)), "top")
    model.add_part(
        "EYE_HOME", "hall", Frame((cx + 9.5, cy, under - printed_deck.HOLDER_H), "+x", "-y", "-z"), "top"
    )
    eye_z = h + printed_deck.EYE_GAP
    model.add_print("eye", printed_deck.eye(), Frame((cx, cy, eye_z)), "play")
    model.add_print("eye_bumper_1", printed_deck.eye_bumper(), Frame((cx + 42.0, cy, eye_z)), "play")
    model.add_print(
        "eye_bumper_2", printed_deck.eye_bumper(), Frame((cx - 42.0, cy, eye_z), "-x", "-y"), "play"
    )
    model.facts["shaft in hub"] = face + 9.0 - hub_z
    model.facts["arm to wall"] = printed_deck.ARENA_R - printed_deck.EYE_R
    model.facts["die edge"] = DIE_EDGE
    model.facts["token diameter"] = printed_deck.TOKEN_D
    model.turning.append(Turning("eye", ("eye", "eye_bumper_1", "eye_bumper_2"), cx, cy))


def _ring(model: Model, cuts: Cuts, ref: str, x: float, y: float) -> None:
    """A ring of twelve pixels under the deck with a light hole over each."""
    t, h = model.stock.t, model.size.h
    for i in range(12):
        a = math.radians(i * 30.0)
        cuts.circle("top", x + 14.75 * math.cos(a), y + 14.75 * math.sin(a), 3.0, f"{ref} light {i + 1}")
    low = h - t - printed_deck.HOLDER_H
    eye = ref == "PUPIL"
    holder = printed_deck.ring_holder(12.0, "eye") if eye else printed_deck.ring_holder(22.0, "drum")
    model.add_print(
        f"holder_{ref}", holder, Frame((x, y, low), "+y", "-x") if eye else Frame((x, y, low)), "top"
    )
    model.add_part(f"{ref}_RING", "ring12", Frame((x, y, low + 3.0)), "top")
    length = screw_length(t + printed_deck.HOLDER_H, 6.0 if eye else 2.4)
    passes = ("top", f"holder_{ref}") + (("motor_clamp",) if eye else ())
    for i, d in enumerate((-printed_deck.HOLDER_SCREW, printed_deck.HOLDER_SCREW)):
        sx, sy = (x, y + d) if eye else (x + d, y)
        cuts.circle("top", sx, sy, 3.2, f"{ref} screw {i + 1}")
        model.screws.append(fittings.screw_top(model, sx, sy, length, passes))
        model.add_loose("insert_m3" if eye else "nut_m3")


def _hole(model: Model, cuts: Cuts, k: int, cx: float, cy: float) -> None:
    """One hole: cut-out, chute with its beam, three screws, and the railing that closes it (three of four
    by default).
    """
    t, h = model.stock.t, model.size.h
    a = math.radians(45.0 + 90.0 * k)
    x, y = cx + HOLE_R * math.cos(a), cy + HOLE_R * math.sin(a)
    cuts.circle("top", x, y, HOLE_D, f"HOLE{k + 1}")
    frame = Frame((x, y, h - t), *HANGING[k], "-z")
    model.add_print(f"chute_{k + 1}", printed_deck.chute(45.0), frame, "top")
    length = screw_length(t + 3.0, 2.4)
    for i in range(3):
        b = math.radians(45.0 + 120.0 * i)
        sx, sy, _ = frame.point(
            (printed_deck.CHUTE_SCREW * math.cos(b), printed_deck.CHUTE_SCREW * math.sin(b), 0.0)
        )
        cuts.circle("top", sx, sy, 3.2, f"chute {k + 1} screw {i + 1}")
        model.screws.append(fittings.screw_top(model, sx, sy, length, ("top", f"chute_{k + 1}")))
        model.add_loose("nut_m3")
    for side, name in ((1, "emitter"), (-1, "receiver")):
        spot = frame.point((side * printed_deck.CHUTE_PAD, 0.0, 13.0))
        away = frame.x if side > 0 else ("-" if frame.x[0] == "+" else "+") + frame.x[1]
        level = "+z"
        flat = _third(away, level)
        model.add_part(f"HOLE{k + 1}_{name}", "beam_half", Frame(spot, flat, level, away), "top")
    plug = printed_deck.railing(HOLE_D, t)
    if k < 3:
        model.add_print(f"railing_{k + 1}", plug, Frame((x, y, h - t)), "play")
    else:
        # One hole is open in the first game; its railing waits in a drawer.
        model.add_print(
            f"railing_{k + 1}", plug, Frame((cx + 100.0, cy, drawer_floor(model.stock) + t)), "base"
        )


def _third(z: str, y: str) -> str:
    """The x axis that makes a right-handed frame with the given y and z."""
    for sign in "+-":
        name = sign + next(a for a in "xyz" if a not in (z[1], y[1]))
        if Frame((0, 0, 0), name, y, z).right_handed():
            return name
    raise AssertionError("one of two signs is right-handed")


def _drum(model: Model, cuts: Cuts, x: float, y: float) -> None:
    """Window with the drift ring, and the drum on its motor between the floor and the ring."""
    t, h = model.stock.t, model.size.h
    cuts.circle("top", x, y, DRUM_WINDOW, "die window")
    _ring(model, cuts, "DRIFT", x, y)
    model.add_part("PANE_DIE", "pane", Frame((x, y, h - t)), "top")
    radius = printed_deck.DRUM_SIDE / (2 * math.sin(math.pi / printed_deck.DRUM_FACES))
    axis_z = h - t - printed_deck.HOLDER_H - 2.0 - radius
    half = printed_deck.DRUM_L / 2
    model.add_print("drum", printed_deck.drum(), Frame((x + half, y, axis_z), "+z", "+y", "-x"), "base")
    model.add_print(
        "drum_hub",
        printed_deck.drum_hub(t),
        Frame((x + half - 5.0, y, axis_z), _third("+x", "+y"), "+y", "+x"),
        "base",
    )
    cheek_x = x + half + printed_deck.DRUM_GAP
    height, tab = axis_z + 20.0 - t, 14.0
    outline = merged(
        [
            rectangle(0, 0, CHEEK_W, height),
            rectangle(3.0, -t, 3.0 + tab, 0),
            rectangle(CHEEK_W - 3.0 - tab, -t, CHEEK_W - 3.0, 0),
        ]
    )
    model.add_panel(
        Panel("drum_cheek", outline, (), t, (cheek_x, y - CHEEK_W / 2, t), 1, 2, 0), "base", "#c8a06a"
    )
    play = model.stock.play
    for v in (3.0 + tab / 2, CHEEK_W - 3.0 - tab / 2):
        cuts.rect(
            "bottom", cheek_x + t / 2, y - CHEEK_W / 2 + v, t + 2 * play, tab + 2 * play, "drum cheek", 0.0
        )
    # The motor's shaft sits 8 mm above its middle.
    cuts.circle("drum_cheek", CHEEK_W / 2, axis_z - t, 14.0, "drum hub")
    model.add_part(
        "DIE_MOTOR", "stepper", Frame((cheek_x + t, y, axis_z - 8.0), _third("-x", "+z"), "+z", "-x"), "base"
    )
    for side in (-1, 1):
        cuts.circle("drum_cheek", CHEEK_W / 2 + side * 17.5, axis_z - t - 8.0, 4.2, "stepper screw")
        model.screws.append(
            Screw(
                "screw_m3_floor",
                (cheek_x, y + side * 17.5, axis_z - 8.0),
                "+x",
                screw_length(t + 1.0, 2.4),
                "base",
                ("drum_cheek",),
                before=("drum", "drum_hub"),
                meets=("DIE_MOTOR",),
            )
        )
        model.add_loose("nut_m3")
    model.add_part("DIE_HOME", "hall", Frame((cheek_x, y, axis_z + 15.0), "+z", "+y", "-x"), "base")


def _reader(model: Model, cuts: Cuts, x: float, y: float) -> None:
    t, h = model.stock.t, model.size.h
    cuts.circle("top", x, y, WELL_D, "reader well")
    model.add_print("reader_well", printed_deck.reader_well(), Frame((x, y, h - t), "+x", "-y", "-z"), "top")
    model.add_part("PANE_READER", "pane", Frame((x, y, h - t - 1.0)), "top")
    model.add_part("READER", "tcs34725", Frame((x, y, h - t - 14.0)), "top")
    for i, dx in enumerate((-printed_deck.WELL_SCREW, printed_deck.WELL_SCREW)):
        cuts.circle("top", x + dx, y, 3.2, f"well screw {i + 1}")
        model.screws.append(
            fittings.screw_top(model, x + dx, y, screw_length(t + 3.0, 2.4), ("top", "reader_well"))
        )
        model.add_loose("nut_m3")
    cuts.labels["top"].append(Label(x, y + 20.0, "LOOK", 5.0))


def _guard(model: Model, cx: float) -> None:
    """Two lid switches back to back at the back wall, whose levers the lid presses: one tells the firmware,
    the other feeds the eye's motor.
    """
    t, size = model.stock.t, model.size
    x, z = cx + 120.0, size.h - t - 1.0
    model.add_print(
        "guard_bracket", printed_deck.guard_bracket(), Frame((x, size.d - t - 4.5, z - 12.0)), "base"
    )
    for i, ref in enumerate(("GUARD", "GUARD_MOTOR")):
        model.add_part(ref, "guard_switch", Frame((x, size.d - t - 9.0 - 3.2 - 6.4 * i, z)), "base")


def _drawers(model: Model, cuts: Cuts, cy: float) -> None:
    """Two open drawers on runners under the holes, pulled out through the side walls."""
    t, size = model.stock.t, model.size
    high, low = drawer_height(model.stock), drawer_floor(model.stock)
    wide, length = HOLE_SPAN + 2 * t, size.w / 2 - DRAWER_REACH
    for side in ("left", "right"):
        x0 = 0.0 if side == "left" else size.w / 2 + DRAWER_REACH
        panels = box_panels(
            (length, wide, high + t),
            model.stock,
            frozenset({"top"}),
            prefix=f"drawer_{side}_",
            at=(x0, cy - wide / 2, low),
            skip=frozenset({"top"}),
        )
        for panel in panels.values():
            model.add_panel(panel, "base", "#e2c08f")
        cuts.rect(f"drawer_{side}_{side}", wide / 2, high - 12.0, 24.0, 14.0, "finger hole", 6.9)
        cuts.rect(side, cy, low - 0.3 + (high + 1.3) / 2, wide + 2.0, high + 1.3, "drawer", 0.0)
        run_x = t + 20.0 if side == "left" else size.w / 2 + DRAWER_REACH + 8.0
        for i, y in enumerate((cy - wide / 2 + 15.0, cy + wide / 2 - 15.0)):
            for layer in range(math.ceil(RUNNER / t - 1e-9)):
                model.add_panel(
                    Panel(
                        f"runner_{side}_{i + 1}{'ab'[layer]}",
                        rectangle(0, 0, 90.0, 12.0),
                        (),
                        t,
                        (run_x, y - 6.0, t * (1 + layer)),
                        0,
                        1,
                        2,
                    ),
                    "base",
                    "#c8a06a",
                )


def _tokens(model: Model, cx: float, cy: float) -> None:
    """Twelve droppings where a game might begin, clear of the holes."""
    n = 0
    for quarter in range(4):
        for da in (-20.0, 0.0, 20.0):
            a = math.radians(quarter * 90.0 + da)
            n += 1
            model.add_print(
                f"token_{n}",
                printed_deck.token(),
                Frame(
                    (cx + 72.0 * math.cos(a), cy + 72.0 * math.sin(a), model.size.h + printed_deck.TOKEN_H),
                    "+x",
                    "-y",
                    "-z",
                ),
                "play",
            )
