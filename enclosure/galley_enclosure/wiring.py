"""Wiring table (CSV) and wiring diagram (SVG) of a board, drawn from `electronics`.

The diagram shows the Pico with its pins in their real places, a line in the wire's colour to each thing it
meets, the pixel chain in order below it, and the power tree with its fuses. No line crosses another,
because each thing stands beside its pin.
"""

from __future__ import annotations

import csv
import io
from html import escape

from galley_enclosure.electronics import (
    BUDGET_MA,
    HOSTS_MA,
    MOTOR_FUSE_MA,
    PINS,
    PIXEL_CHAIN,
    RAILS,
    Net,
    Pin,
    nets,
    pixel_count,
    rail_ma,
    three_boards_ma,
)

# Physical pins of a Pico: left side downwards from pin 1, right side downwards from pin 40.
LEFT = (
    "GP0",
    "GP1",
    "GND",
    "GP2",
    "GP3",
    "GP4",
    "GP5",
    "GND",
    "GP6",
    "GP7",
    "GP8",
    "GP9",
    "GND",
    "GP10",
    "GP11",
    "GP12",
    "GP13",
    "GND",
    "GP14",
    "GP15",
)
RIGHT = (
    "VBUS",
    "VSYS",
    "GND",
    "3V3_EN",
    "3V3",
    "ADC_VREF",
    "GP28",
    "AGND",
    "GP27",
    "GP26",
    "RUN",
    "GP22",
    "GND",
    "GP21",
    "GP20",
    "GP19",
    "GP18",
    "GND",
    "GP17",
    "GP16",
)
INK = {
    "white": "#8d8d8d",
    "red": "#cc2222",
    "black": "#111111",
    "green": "#1f8a3b",
    "orange": "#d9761a",
    "blue": "#2257c4",
    "yellow": "#c79a00",
    "grey": "#6a6a6a",
    "violet": "#7a3fb0",
    "brown": "#7b4a21",
}
POWER = {
    "VBUS": "SS14 to jumper JP1 (closed = fed by USB)",
    "VSYS": "SS14 from the 5 V rail",
    "3V3": "sensors",
    "GND": "star ground, switch COM daisy-chain",
}
FONT = "DejaVu Sans, Arial, sans-serif"
ROW, TOP, WIDE = 27, 96, 1180


def wiring_csv(board: str) -> str:
    """One line a net: who drives it, where it goes, worst current, wire, plug."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["net", "from", "to", "worst mA", "AWG", "colour", "plug"])
    for n in nets(board):
        writer.writerow([n.name, n.driver, "; ".join(n.loads), f"{n.ma:.0f}", n.awg, n.colour, n.plug])
    return out.getvalue()


def current_csv() -> str:
    """Current budget: every load of every rail, then totals against fuses, then three boards against
    hosts.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["board", "supply", "load", "typical mA", "worst mA", "limit mA", "basis"])
    for r in RAILS:
        for load in r.loads:
            writer.writerow(
                [
                    r.board,
                    r.supply,
                    load.name,
                    f"{load.typical_ma:.0f}",
                    f"{load.worst_ma:.0f}",
                    "",
                    load.basis,
                ]
            )
        writer.writerow(
            [
                r.board,
                r.supply,
                "total (eye and drum never together)",
                f"{rail_ma(r, False):.0f}",
                f"{rail_ma(r):.0f}",
                f"{min(r.fuse_hold_ma, r.limit_ma):.0f}",
                "fuse hold current and supply",
            ]
        )
    total = three_boards_ma()
    for host, limit in HOSTS_MA.items():
        writer.writerow(
            [
                "two stations and deck",
                host,
                "all three at their worst",
                "",
                f"{total:.0f}",
                f"{limit}",
                "enough"
                if total <= limit
                else f"{total - limit:.0f} mA short: use a powered hub or the 5 V inlets",
            ]
        )
    return out.getvalue()


def _text(
    x: float,
    y: float,
    text: str,
    size: int = 13,
    anchor: str = "start",
    colour: str = "#111111",
    bold: bool = False,
) -> str:
    weight = ' font-weight="bold"' if bold else ""
    look = f'font-size="{size}" text-anchor="{anchor}" fill="{colour}"{weight}'
    return f'<text x="{x:g}" y="{y:g}" {look}>{escape(text)}</text>'


def _box(x: float, y: float, w: float, h: float, fill: str = "#ffffff", line: str = "#333333") -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="3" fill="{fill}" stroke="{line}"/>'


def _line(x0: float, y0: float, x1: float, y1: float, colour: str, width: float = 2.4) -> str:
    return (
        f'<line x1="{x0:g}" y1="{y0:g}" x2="{x1:g}" y2="{y1:g}" stroke="{colour}" stroke-width="{width:g}"/>'
    )


def _side(board: str, names: tuple[str, ...], right: bool) -> list[str]:
    pins: dict[str, Pin] = {f"GP{p.gp}": p for p in PINS[board]}
    by_name: dict[str, Net] = {n.name: n for n in nets(board)}
    out = []
    edge = 690 if right else 490
    seen_ground = False
    for i, pad in enumerate(names):
        y = TOP + 20 + i * ROW
        number = 40 - i if right else i + 1
        pin = pins.get(pad)
        net = by_name.get(pin.name if pin else pad)
        inner, anchor = (edge - 26, "end") if right else (edge + 26, "start")
        used = pin is not None or (net is not None and not (pad == "GND" and seen_ground))
        out.append(
            _box(edge - 20 if right else edge, y - 9, 20, 18, "#e8c53a" if used else "#eeeeee", "#555555")
        )
        out.append(_text(edge + (-10 if right else 10), y + 4, str(number), 10, "middle"))
        out.append(_text(inner, y + 4, pad, 12, anchor, "#ffffff" if used else "#9fc7a8", used))
        if not used or net is None:
            continue
        seen_ground = seen_ground or pad == "GND"
        colour = INK.get(net.colour, "#333333")
        start, end = (edge, edge + 110) if right else (edge, edge - 110)
        out.append(_line(start, y, end, y, colour))
        out.append(_text((start + end) / 2, y - 4, f"{net.colour} {net.awg}", 9, "middle", "#555555"))
        x = end if right else 20
        wide = WIDE - 20 - end if right else end - 20
        out.append(_box(x, y - 11, wide, 22, "#f7f7f2"))
        name = pin.name if pin else pad
        what = pin.to if pin else POWER[pad]
        out.append(_text(x + 8, y + 4, name, 12, "start", "#111111", True))
        out.append(_text(x + 100, y + 4, what, 12))
    return out


def _chain(board: str, y: float) -> list[str]:
    out = [_text(20, y, f"One chain of {pixel_count(board)} pixels on GP16, in this order:", 14, bold=True)]
    steps = [("GP16", ""), ("74AHCT125", "3.3 to 5 V"), ("470 ohm", "")] + [
        (what, f"{n} px") for what, n in PIXEL_CHAIN[board]
    ]
    x, gap = 20.0, 14.0
    wide = (WIDE - 40 - gap * (len(steps) - 1)) / len(steps)
    first = 0
    for i, (what, note) in enumerate(steps):
        out.append(_box(x, y + 14, wide, 44, "#e3f1e6" if i > 2 else "#f7f7f2"))
        out.append(_text(x + wide / 2, y + 33, what, 11, "middle", bold=True))
        places = note
        if i > 2:
            count = PIXEL_CHAIN[board][i - 3][1]
            places = f"{first}" if count == 1 else f"{first} to {first + count - 1}"
            first += count
        out.append(_text(x + wide / 2, y + 49, places, 11, "middle", "#555555"))
        if i:
            out.append(_line(x - gap, y + 36, x, y + 36, INK["green"]))
        x += wide + gap
    return out


def _power(board: str, y: float) -> list[str]:
    usb = next(r for r in RAILS if r.board == board and r.supply.startswith("USB"))
    own = next(r for r in RAILS if r.board == board and r.supply.startswith("own"))
    fuse = f"{own.fuse_hold_ma / 1000:g} A own supply, {usb.fuse_hold_ma / 1000:g} A USB"
    first, second = (
        [
            ("5 V inlet +", "USB-C, 5.1 k on CC"),
            ("SS34", "band to the fuse"),
            ("PTC fuse", fuse),
            ("5 V rail", f"worst {rail_ma(usb):.0f} mA on USB"),
            ("1000 uF", "at the first pixel"),
            ("pixels", f"{BUDGET_MA[board]} mA lit"),
        ],
        [
            ("PICO VBUS", ""),
            ("SS14", "band to JP1"),
            ("JP1", "closed = fed by USB"),
            ("PTC fuse", "the same"),
        ],
    )
    third = [("5 V rail", ""), ("SS14", "band to VSYS"), ("PICO VSYS", "50 mA")]
    fourth = {
        "station": [
            ("5 V inlet +", ""),
            ("10 k", ""),
            ("2N3904, base", "emitter to ground"),
            ("collector", "GP28"),
        ],
        "deck": [
            ("5 V rail", ""),
            ("lid switch 2", "COM, NO"),
            ("PTC", f"{MOTOR_FUSE_MA} mA"),
            ("DRV8833", "VM"),
        ],
    }[board]
    title = "Power board: the inlet or (JP1 closed) USB feeds one 5 V rail; no diode may be bridged."
    return [
        _text(20, y, title, 14, bold=True),
        *_row(first, 20, WIDE - 20, y + 14),
        *_row(second, 20, 660, y + 72),
        *_row(third, 690, WIDE - 20, y + 72),
        *_row(fourth, 20, 660, y + 130),
        *(
            _row([("5 V rail", ""), ("100 k", ""), ("GP26", "100 k to ground")], 690, WIDE - 20, y + 130)
            if board == "station"
            else ()
        ),
    ]


def _row(steps: list[tuple[str, str]], x: float, end: float, y: float) -> list[str]:
    """Boxes one after another with red lines between them."""
    gap, out = 18.0, []
    wide = (end - x - gap * (len(steps) - 1)) / len(steps)
    for i, (what, note) in enumerate(steps):
        out.append(_box(x, y, wide, 44, "#fbe9e7"))
        out.append(_text(x + wide / 2, y + (19 if note else 27), what, 12, "middle", bold=True))
        out.append(_text(x + wide / 2, y + 36, note, 10 if len(note) > 24 else 11, "middle", "#555555"))
        if i:
            out.append(_line(x - gap, y + 22, x, y + 22, INK["red"], 3.2))
        x += wide + gap
    return out


def _cells(board: str, y: float) -> list[str]:
    """Notes that do not fit a pin."""
    lines = [
        "Every switch: one blade to its GPIO, the other to the ground daisy-chain, never to 3.3 V or 5 V."
    ]
    if board == "station":
        lines.append(
            "SIDE: leave open on the left station, bridge to ground on the right one. EXT_PWR is pulled to "
            "ground while the 5 V inlet has power."
        )
    else:
        lines.append(
            "EYE_nSLEEP needs 10 k to ground, so that the motor is dead until the firmware wakes it. "
            "DRV8833: R_sense 0.82 ohm limits the eye to 244 mA."
        )
        lines.append(
            "Two lid switches, both shut by the closed lid (COM and NO): the first takes GP19 to ground, the "
            "second stands in the motor's supply."
        )
    return [_text(20, y + 20 * i, line, 12, "start", "#333333") for i, line in enumerate(lines)]


def wiring_svg(board: str) -> str:
    """The diagram as SVG, 1180 units wide."""
    bottom = TOP + 20 + 20 * ROW
    parts = [
        _text(20, 34, f"Wiring of the {board}", 22, bold=True),
        _text(
            20,
            58,
            "Raspberry Pi Pico 2 seen from above, USB at the top. On each wire: colour and AWG gauge.",
            13,
            colour="#444444",
        ),
        _box(490, TOP - 8, 200, 20 * ROW + 22, "#1f6b3a", "#0e3d20"),
        _box(560, TOP - 22, 60, 24, "#c9c9c9"),
        _text(590, TOP - 6, "USB", 11, "middle"),
        *_side(board, LEFT, False),
        *_side(board, RIGHT, True),
        *_chain(board, bottom + 34),
        *_power(board, bottom + 130),
        *_cells(board, bottom + 338),
    ]
    high = bottom + 338 + 20 * 3
    body = "\n".join(parts)
    head = f'width="{WIDE}" height="{high}" viewBox="0 0 {WIDE} {high}" font-family="{FONT}"'
    paper = f'<rect width="{WIDE}" height="{high}" fill="#ffffff"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {head}>\n<title>Wiring of the {board}</title>\n'
        f"{paper}\n{body}\n</svg>\n"
    )
