"""Electronics as data: pins, nets, wires, currents and fuses of the station and the deck.

The pin map is checked equal to the firmware's own table by a test; neither imports the other. `nets`
follow from the pins and from the power tree, and the wiring table and diagram follow from the nets. Names
of pins are names of parts in the boxes' layouts, so the table can say where each wire ends. Currents are
milliamperes. Rules kept by `problems`: unique legal pins, one I2C block, no two names on one PWM output,
the buzzer alone on its slice, every switch to ground with a pull-up, one driver a net, every wire and fuse
rated for its current.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Pin(NamedTuple):
    """`way`: in, out, bus or adc. `pull`: up or none. `pwm`: 0 none, -1 variable frequency, else hertz.
    `to`: what it meets.
    """

    gp: int
    name: str
    way: str
    pull: str
    pwm: int
    to: str


class Net(NamedTuple):
    """One electrical connection: who drives it, who listens, worst current, wire and plug."""

    name: str
    driver: str
    loads: tuple[str, ...]
    ma: float
    awg: int
    colour: str
    plug: str


class Load(NamedTuple):
    """A consumer on the 5 V rail. Loads with the same `never_with` group never run together; the largest
    counts.
    """

    name: str
    typical_ma: float
    worst_ma: float
    basis: str
    never_with: str = ""


class Rail(NamedTuple):
    """A way of feeding a board: its fuse and the limit of what feeds it."""

    board: str
    supply: str
    fuse_hold_ma: float
    limit_ma: float
    loads: tuple[Load, ...]


def _switch(gp: int, name: str, to: str) -> Pin:
    return Pin(gp, name, "in", "up", 0, to)


_SHARED = (Pin(20, "SDA", "bus", "up", 0, "STEMMA QT"), Pin(21, "SCL", "bus", "up", 0, "STEMMA QT"))
PINS: dict[str, tuple[Pin, ...]] = {
    "station": (
        *(_switch(n, f"KEEP{n + 1}", f"keep key {n + 1}, 24 mm") for n in range(8)),
        _switch(8, "ROLL", "30 mm button"),
        _switch(9, "BELL", "60 mm dome button"),
        _switch(10, "YUCK", "30 mm button"),
        _switch(11, "MODE", "small button in the back wall"),
        Pin(16, "PIXELS", "out", "none", 0, "74AHCT125, 470 ohm, first strip"),
        _switch(19, "SIDE", "strap: open = left, ground = right"),
        *_SHARED,
        Pin(22, "BUZZER", "out", "none", -1, "piezo through 220 ohm"),
        Pin(26, "V5_SENSE", "adc", "none", 0, "5 V rail through 100 k / 100 k"),
        Pin(27, "AMBIENT", "adc", "none", 0, "phototransistor with 10 k to ground"),
        _switch(28, "EXT_PWR", "2N3904, base by 10 k to the inlet"),
    ),
    "deck": (
        *(
            _switch(n, f"SEAT{n + 1}", f"seat key, {c}")
            for n, c in enumerate(("red", "green", "blue", "yellow", "white", "violet"))
        ),
        *(_switch(6 + n, f"HOLE{n + 1}", "break-beam receiver, open collector") for n in range(4)),
        Pin(10, "EYE_nSLEEP", "out", "none", 0, "DRV8833 nSLEEP, 10 k to ground"),
        _switch(11, "EYE_nFAULT", "DRV8833 nFAULT, open drain"),
        _switch(12, "EYE_HOME", "hall switch, open collector"),
        _switch(13, "DIE_HOME", "hall switch, open collector"),
        Pin(14, "EYE_IN1", "out", "none", 20000, "DRV8833 AIN1"),
        Pin(15, "EYE_IN2", "out", "none", 20000, "DRV8833 AIN2"),
        Pin(16, "PIXELS", "out", "none", 0, "74AHCT125, 470 ohm, first seat lamp"),
        Pin(17, "IR_STROBE", "out", "none", 0, "MOSFET that feeds all emitters"),
        Pin(18, "BUZZER", "out", "none", -1, "piezo through 220 ohm"),
        _switch(19, "GUARD", "lid switch 1, shut by the lid"),
        *_SHARED,
        *(
            Pin(gp, f"DIE_IN{n + 1}", "out", "none", 0, f"ULN2003A in {n + 1}")
            for n, gp in enumerate((22, 26, 27, 28))
        ),
    ),
}

# (what, how many) along each board's one pixel chain, in order.
PIXEL_CHAIN = {
    "station": (
        ("dice 1-4", 36),
        ("dice 5-8", 36),
        ("lamps KEEP1-8", 8),
        ("lamp ROLL", 1),
        ("lamp BELL", 1),
        ("lamp YUCK", 1),
    ),
    "deck": (("seat lamps 1-6", 6), ("pupil ring", 12), ("drift ring", 12), ("holes 1-4", 4)),
}
IDLE_MA, COLOUR_MA = 1.0, 20.0
BUDGET_MA = {"station": 220, "deck": 92}
WEAK_PORT_MA, SUPPLIED_MA = 60, 1300
AMPACITY_MA = {20: 5000, 22: 3000, 24: 1500, 26: 700, 28: 300}
# What else hangs on the two supplies.
FED_BY_5V: dict[str, tuple[str, ...]] = {"station": (), "deck": ("beam emitters 1-4 +", "hall switches +")}
FED_BY_3V3: dict[str, tuple[str, ...]] = {
    "station": ("phototransistor",),
    "deck": ("beam receivers 1-4 +", "colour sensor"),
}
EMITTERS_MA = 80
LEGAL = frozenset((*range(23), 26, 27, 28))


def pixel_count(board: str) -> int:
    """Pixels on a board's chain (dice of 3 x 3)."""
    return sum(n for _, n in PIXEL_CHAIN[board])


def lit_ma(frames: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Lit current of frames of colour bytes, a frame along the last axis: 20 mA a colour at full."""
    return np.asarray(frames.sum(axis=-1), dtype=np.float64) / 255 * COLOUR_MA


def capped(frames: NDArray[np.uint8], budget_ma: float) -> NDArray[np.uint8]:
    """Each frame, dimmed evenly if it would exceed the budget; rounding is always down."""
    share = np.minimum(1.0, budget_ma / np.maximum(lit_ma(frames), 1e-9))
    return (frames * share[..., None]).astype(np.uint8)


def _loads(board: str, lit: float, typical: float) -> tuple[Load, ...]:
    n = pixel_count(board)
    common = (
        Load("Pico 2", 30, 50, "assumed"),
        Load(f"{n} pixels, dark", n * IDLE_MA, n * IDLE_MA, "1 mA each, assumed"),
        Load("pixels, lit", typical, lit, "capped per frame by the firmware"),
        Load("buzzer and level shifter", 3, 6, "assumed"),
    )
    if board == "station":
        return common
    return (
        *common,
        Load("4 beam emitters, strobed 10 %", 8, 8, "20 mA each while on"),
        Load("4 beam receivers", 8, 8, "2 mA each, assumed"),
        Load("colour sensor and its lamp", 20, 20, "assumed"),
        Load("eye motor", 80, 244, "DRV8833 limit 0.2 V / 0.82 ohm", "motion"),
        Load("colour drum, two coils", 200, 200, "50 ohm at 5 V", "motion"),
    )


RAILS: tuple[Rail, ...] = (
    Rail("station", "USB port, JP1 closed", 500, 500, _loads("station", BUDGET_MA["station"], 120)),
    Rail("station", "own 5 V supply, JP1 open", 1500, 3000, _loads("station", SUPPLIED_MA, 500)),
    Rail("station", "weak USB port (60 mA lit)", 500, 500, _loads("station", WEAK_PORT_MA, 60)),
    Rail("deck", "USB port, JP1 closed", 500, 500, _loads("deck", BUDGET_MA["deck"], 60)),
    Rail("deck", "own 5 V supply, JP1 open", 1500, 3000, _loads("deck", BUDGET_MA["deck"], 60)),
)
MOTOR_FUSE_MA = 250
# What a host gives to all its USB ports together.
HOSTS_MA = {
    "Pi 5 with the 27 W supply": 1600,
    "Pi 4": 1200,
    "laptop with three ports": 1500,
    "powered hub, 2 A": 2000,
    "Pi 5 without a 5 A supply": 600,
}


def rail_ma(rail: Rail, worst: bool = True) -> float:
    """Total of a rail; of loads that never run together only the largest counts."""
    total = 0.0
    groups: dict[str, float] = {}
    for load in rail.loads:
        ma = load.worst_ma if worst else load.typical_ma
        if load.never_with:
            groups[load.never_with] = max(groups.get(load.never_with, 0.0), ma)
        else:
            total += ma
    return total + sum(groups.values())


def three_boards_ma() -> float:
    """Worst total of two stations and a deck, all fed from one host's ports."""
    return 2 * rail_ma(RAILS[0]) + rail_ma(RAILS[3])


def nets(board: str) -> tuple[Net, ...]:
    """All connections of a board, from the pins and from the power tree."""
    out: list[Net] = []
    for pin in PINS[board]:
        end = f"PICO GP{pin.gp}"
        plug = "JST-SH 4" if pin.way == "bus" else "crimp 2.54"
        if pin.way == "in":
            out.append(Net(pin.name, pin.to, (end,), 1, 26, "white", plug))
        elif pin.way == "bus":
            out.append(
                Net(
                    pin.name,
                    f"{end} (open drain, pulled up at the sensor)",
                    (pin.to,),
                    3,
                    28,
                    "blue" if pin.name == "SDA" else "yellow",
                    plug,
                )
            )
        elif pin.way == "adc":
            out.append(Net(pin.name, pin.to, (end,), 1, 26, "grey", plug))
        else:
            out.append(
                Net(
                    pin.name,
                    end,
                    (pin.to,),
                    12 if pin.name != "PIXELS" else 8,
                    26,
                    "green" if pin.name == "PIXELS" else "orange",
                    plug,
                )
            )
    worst = max(rail_ma(r) for r in RAILS if r.board == board)
    pixels = max(
        load.worst_ma for r in RAILS if r.board == board for load in r.loads if load.name == "pixels, lit"
    ) + pixel_count(board)
    out += [
        Net("5V_IN", "INLET +", ("SS34 to the inlet fuse",), worst, 22, "red", "screw terminal"),
        Net(
            "5V",
            "inlet fuse",
            ("1000 uF at the first pixel", "pixel chain, both ends", "74AHCT125 supply", *FED_BY_5V[board]),
            pixels + (EMITTERS_MA if board == "deck" else 0),
            22,
            "red",
            "JST-SM 3",
        ),
        Net("VSYS", "SS14 from 5 V", ("PICO VSYS",), 60, 24, "red", "solder"),
        Net("VBUS", "PICO VBUS", ("SS14 and jumper JP1 to the inlet fuse",), 500, 24, "red", "2-pin jumper"),
        Net("3V3", "PICO 3V3", FED_BY_3V3[board], 60, 26, "violet", "crimp 2.54"),
        Net(
            "GND",
            "star ground on the power board",
            ("INLET -", "PICO GND", "pixels", "switch COM daisy-chain"),
            worst,
            22,
            "black",
            "screw terminal",
        ),
    ]
    if board == "deck":
        out += [
            Net(
                "VM",
                "5 V through lid switch 2 and 0.25 A fuse",
                ("DRV8833 VM",),
                244,
                24,
                "red",
                "screw terminal",
            ),
            Net(
                "EYE_OUT1",
                "DRV8833 AOUT1",
                ("eye motor, 100 nF across the brushes",),
                244,
                24,
                "brown",
                "JST-XH 2",
            ),
            Net("EYE_OUT2", "DRV8833 AOUT2", ("eye motor",), 244, 24, "brown", "JST-XH 2"),
            Net("DIE_5V", "5 V rail", ("ULN2003A board +",), 200, 24, "red", "JST-XH 2"),
            Net("EMITTERS", "MOSFET drain", ("beam emitters 1-4 -",), EMITTERS_MA, 26, "brown", "JST-XH 2"),
            *(
                Net(
                    f"DIE_OUT{n}",
                    f"ULN2003A out {n}",
                    (f"28BYJ-48 coil {n}",),
                    100,
                    26,
                    "its own lead",
                    "JST-XH 5",
                )
                for n in range(1, 5)
            ),
        ]
    return tuple(out)


def problems(board: str, pins: Sequence[Pin] | None = None) -> list[str]:
    """Broken rules of a pin map, one sentence each; empty when all hold."""
    pins = PINS[board] if pins is None else pins
    out = [
        f"{board}: GP{gp} is used {n} times: give each name its own pin."
        for gp, n in Counter(p.gp for p in pins).items()
        if n > 1
    ]
    out += [
        f"{board}: {p.name} is on GP{p.gp}, which a Pico does not bring out: use GP0-22 or GP26-28."
        for p in pins
        if p.gp not in LEGAL
    ]
    by_name = {p.name: p for p in pins}
    sda, scl = by_name.get("SDA"), by_name.get("SCL")
    if sda and scl and not (sda.gp % 4 in (0, 2) and scl.gp == sda.gp + 1):
        out.append(
            f"{board}: SDA on GP{sda.gp} and SCL on GP{scl.gp} are not one I2C block: SDA needs an even pin "
            "and SCL the next one."
        )
    slices: dict[int, list[Pin]] = {}
    for p in pins:
        if p.pwm:
            slices.setdefault(p.gp // 2 % 8, []).append(p)
    for number, users in slices.items():
        if len({p.gp % 2 for p in users}) < len(users):
            out.append(
                f"{board}: {' and '.join(p.name for p in users)} share one PWM output of slice {number}: "
                "move one."
            )
        if len({p.pwm for p in users}) > 1 or (len(users) > 1 and any(p.pwm < 0 for p in users)):
            out.append(
                f"{board}: {' and '.join(p.name for p in users)} share PWM slice {number} at different "
                "frequencies: move one."
            )
    out += [
        f"{board}: {p.name} has no pull-up: switches go to ground with the pull-up on (RP2350-E9)."
        for p in pins
        if p.way == "in" and p.pull != "up"
    ]
    out += [
        f"{board}: ADC input {p.name} is on GP{p.gp}: use GP26-28."
        for p in pins
        if p.way == "adc" and p.gp < 26
    ]
    return out


def power_problems() -> list[str]:
    """Rails over their fuse or limit, nets with too thin a wire or not exactly one driver."""
    out = []
    for rail in RAILS:
        total = rail_ma(rail)
        for what, limit in (("fuse", rail.fuse_hold_ma), ("supply", rail.limit_ma)):
            if total > limit:
                out.append(
                    f"{rail.board}, {rail.supply}: {total:.0f} mA is {total - limit:.0f} mA over the "
                    f"{what}'s {limit:.0f} mA: lower the pixel budget."
                )
    for board in PINS:
        all_nets = nets(board)
        out += [
            f"{board}: net {name} is driven {n} times: keep one driver."
            for name, n in Counter(x.name for x in all_nets).items()
            if n > 1
        ]
        out += [
            f"{board}: net {x.name} carries {x.ma:.0f} mA on {x.awg} AWG, rated {AMPACITY_MA[x.awg]} mA: use "
            "a thicker wire."
            for x in all_nets
            if x.ma > AMPACITY_MA[x.awg]
        ]
    return out
