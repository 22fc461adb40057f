"""The wiring of the boards: as a table, and as a picture, a Pico from above and what each pin is joined to.

For: `galley firmware wiring` and the README of the boards. All it draws comes from `galley_board.pins`; only
where a pin is on the Pico's two rows stands here. It must not know hardware, nor files.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

from galley_board import pins

LEFT_ROW: Final = (
    "GP0", "GP1", "GND", "GP2", "GP3", "GP4", "GP5", "GND", "GP6", "GP7",
    "GP8", "GP9", "GND", "GP10", "GP11", "GP12", "GP13", "GND", "GP14", "GP15",
)  # fmt: skip
RIGHT_ROW: Final = (
    "VBUS", "VSYS", "GND", "3V3_EN", "3V3", "ADC_VREF", "GP28", "GND", "GP27", "GP26",
    "RUN", "GP22", "GND", "GP21", "GP20", "GP19", "GP18", "GND", "GP17", "GP16",
)  # fmt: skip
"""Both from the USB socket down: pins 1 to 20, and 40 to 21."""
SUPPLY: Final = {
    "GND": "ground",
    "VBUS": "5 V of USB, through a diode to jumper JP1",
    "VSYS": "from the 5 V rail, through a diode",
    "3V3": "3.3 V for the sensors",
}
INK: Final = "#1c2430"
FAINT: Final = "#8a94a3"
COLOURS: Final = {
    "key": "#1f6fb2",
    "pixels": "#8a3fb0",
    "motor": "#b3261e",
    "sensor": "#1d7a46",
    "buzzer": "#8a5a00",
    "strap": "#4f5b66",
    "supply": "#1c2430",
}
JOINED_TO: Final = {
    "HOLE1": "receiver of hole 1's beam",
    "HOLE2": "receiver of hole 2's beam",
    "HOLE3": "receiver of hole 3's beam",
    "HOLE4": "receiver of hole 4's beam",
    "EYE_nSLEEP": "nSLEEP of the eye's driver, low at the start",
    "EYE_nFAULT": "nFAULT of the eye's driver",
    "EYE_HOME": "home switch of the eye to GND",
    "DIE_HOME": "home switch of the drum to GND",
    "EYE_IN1": "AIN1 of the eye's driver",
    "EYE_IN2": "AIN2 of the eye's driver",
    "IR_STROBE": "MOSFET of all beams' emitters",
    "GUARD": "lid switch to GND, closed while the lid is",
    "SDA": "SDA of the colour reader",
    "SCL": "SCL of the colour reader",
    "DIE_IN1": "coil 1 of the drum's stepper",
    "DIE_IN2": "coil 2 of the drum's stepper",
    "DIE_IN3": "coil 3 of the drum's stepper",
    "DIE_IN4": "coil 4 of the drum's stepper",
}
"""What each of `pins.DEVICES` is."""
FONT: Final = 'font-family="DejaVu Sans, sans-serif"'
ACCESS: Final = 'role="img" aria-labelledby="title"'
SEEN: Final = "Raspberry Pi Pico 2 or Pico, seen from above, USB socket at the top"
ROLES: Final = ("left", "right", "deck")
WIDTH: Final = 1060
PITCH: Final = 26
TOP: Final = 96
CHIP_WIDTH: Final = 190
LABEL_GAP: Final = 62
FOOT: Final = 62


class Use(NamedTuple):
    """What a pin is for: a kind of `COLOURS`, and words."""

    kind: str
    text: str


def uses(role: str) -> dict[str, Use]:
    """What each pin of this role's board is joined to, by the pin's name."""
    which = pins.BOARD_OF_ROLE[role]
    found = {pin: Use("key", f"{name}: key to GND") for name, pin in pins.KEYS[which]}
    found[pins.PIXEL_PIN] = Use("pixels", f"PIXELS: data of {pins.PIXELS[which]} pixels, shifted to 5 V")
    found[pins.BUZZER_PIN[which]] = Use("buzzer", "BUZZER: piezo to GND, 220 Ω in series")
    for name, pin in pins.DEVICES[which]:
        found[pin] = Use(_kind(name), f"{name}: {JOINED_TO[name]}")
    if which == pins.STATION:
        strap = "open" if role == "left" else "joined to GND"
        found[pins.SIDE_PIN] = Use("strap", f"SIDE: {strap} ({role} station)")
    if pins.EXTERNAL_POWER_PIN[which]:
        found[pins.EXTERNAL_POWER_PIN[which]] = Use("strap", "EXT_PWR: GND while the inlet has power")
    return found


def _kind(name: str) -> str:
    moves = name.startswith(("EYE_IN", "EYE_nSLEEP", "DIE_IN"))
    return "motor" if moves else "sensor"


def picture(role: str) -> str:
    """The wiring of a role as SVG. Raises KeyError for an unknown role."""
    joined = uses(role)
    height = TOP + PITCH * len(LEFT_ROW) + FOOT
    title = f"Wiring of the {role}{' station' if pins.BOARD_OF_ROLE[role] == pins.STATION else ''}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" {FONT} {ACCESS}>',
        f'<title id="title">{escape(title)}</title>',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="24" y="38" font-size="20" font-weight="700" fill="{INK}">{escape(title)}</text>',
        f'<text x="24" y="60" font-size="13" fill="{FAINT}">{SEEN}</text>',
    ]
    lines += _chip(height)
    for row, left in ((LEFT_ROW, True), (RIGHT_ROW, False)):
        for place, pin in enumerate(row):
            lines += _pin(place, pin, joined.get(pin), left)
    lines += _legend({use.kind for use in joined.values()}, height)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _chip(height: int) -> Iterator[str]:
    x, y = (WIDTH - CHIP_WIDTH) // 2, TOP - 14
    yield (
        f'<rect x="{x}" y="{y}" width="{CHIP_WIDTH}" height="{height - y - FOOT + 10}" rx="10" '
        'fill="#eef3ee" stroke="#3f6b4f" stroke-width="2"/>'
    )
    yield (
        f'<rect x="{WIDTH // 2 - 30}" y="{y - 8}" width="60" height="26" rx="3" fill="#c9ced6" '
        f'stroke="{FAINT}"/>'
    )


def _pin(place: int, pin: str, use: Use | None, left: bool) -> Iterator[str]:
    y = TOP + PITCH * place + PITCH // 2
    side = -1 if left else 1
    edge = WIDTH // 2 + side * CHIP_WIDTH // 2
    number = place + 1 if left else 40 - place
    if use is None and pin in SUPPLY:
        use = Use("supply", SUPPLY[pin])
    colour = FAINT if use is None else COLOURS[use.kind]
    anchor, inner = ("end", "start") if left else ("start", "end")
    inside = "#ffffff" if use is None else colour
    yield f'<circle cx="{edge}" cy="{y}" r="6" fill="{inside}" stroke="{colour}"/>'
    yield (
        f'<text x="{edge - side * 14}" y="{y + 4}" font-size="12" text-anchor="{inner}" '
        f'fill="{INK}">{escape(pin)}</text>'
    )
    yield (
        f'<text x="{edge + side * 12}" y="{y + 4}" font-size="10" text-anchor="{anchor}" '
        f'fill="{FAINT}">{number}</text>'
    )
    if use is not None:
        end = edge + side * LABEL_GAP
        yield (
            f'<line x1="{edge + side * 28}" y1="{y}" x2="{end - side * 6}" y2="{y}" stroke="{colour}" '
            'stroke-width="2"/>'
        )
        yield (
            f'<text x="{end}" y="{y + 4}" font-size="12" text-anchor="{anchor}" '
            f'fill="{colour}">{escape(use.text)}</text>'
        )


def _legend(kinds: set[str], height: int) -> Iterator[str]:
    x = 24
    for kind in (kind for kind in COLOURS if kind in kinds):
        yield f'<rect x="{x}" y="{height - 32}" width="14" height="14" rx="3" fill="{COLOURS[kind]}"/>'
        yield f'<text x="{x + 20}" y="{height - 20}" font-size="12" fill="{INK}">{kind}</text>'
        x += 52 + 8 * len(kind)
    yield (
        f'<text x="{WIDTH - 24}" y="{height - 20}" font-size="12" text-anchor="end" '
        f'fill="{FAINT}">white: not joined</text>'
    )


def pi_table() -> str:
    """The deck on a Raspberry Pi's own pins, as a Markdown table for the README."""
    from galley.pi.wiring import DECK

    lines = ["| on the deck | pin of the Pi | on the deck | pin of the Pi |", "|---|---|---|---|"]
    rows = list(DECK.items())
    half = (len(rows) + 1) // 2
    for (name, pin), (other, its) in zip(rows[:half], [*rows[half:], ("", "")], strict=False):
        lines.append(f"| {name} | {pin} | {other} | {its} |")
    return "\n".join(lines) + "\n"


def table() -> str:
    """The wiring of both boards as a Markdown table, for the README."""
    lines = ["| pin | station | deck |", "|---|---|---|"]
    for number in range(29):
        pin = f"GP{number}"
        uses = (_use_of(pins.STATION, pin), _use_of(pins.DECK, pin))
        if any(uses):
            lines.append(f"| {pin} | {uses[0]} | {uses[1]} |")
    return "\n".join(lines) + "\n"


def _use_of(board: str, pin: str) -> str:
    uses = {key_pin: f"key {name} to GND" for name, key_pin in pins.KEYS[board]}
    uses |= {device_pin: f"{name}: {JOINED_TO[name]}" for name, device_pin in pins.DEVICES[board]}
    uses |= {
        pins.PIXEL_PIN: f"data of {pins.PIXELS[board]} pixels",
        pins.BUZZER_PIN[board]: "buzzer",
        pins.EXTERNAL_POWER_PIN[board]: "power at the 5 V inlet: GND = yes",
    }
    if board == pins.STATION:
        uses[pins.SIDE_PIN] = "side strap: open = left, GND = right"
    return uses.get(pin, "")
