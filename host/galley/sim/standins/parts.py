"""Parts that are soldered to the pins of a simulated deck: beams, a stepper motor, a colour reader's light.

For: what a deck's electronics do by themselves, faster than a message comes and goes. It must not know what
the firmware makes of it. A message names the part once; the same one again changes it:

    {"op":"beam","pin":6,"strobe":17,"broken":false,"ambient":false}
        a receiver that holds its pin low unless it sees light: of the emitter that `strobe` feeds, or ambient
    {"op":"stepper","pins":[22,26,27,28],"home":13,"half_steps":0,"turn":[1650688,405],"width":24}
        a motor at so many half-steps past home; its switch is closed for `width` half-steps from there on.
        `{"ev":"stepper","half_steps":n}` tells where it stands when its coils go off
    {"op":"colour","light":[400,150,130,120]}
        what the reader sees, clear, red, green, blue; null: there is no reader
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rig import Rig

# coils on at each of the eight half-steps, bit n for coil n
HALF_STEPS = (0b0001, 0b0011, 0b0010, 0b0110, 0b0100, 0b1100, 0b1000, 0b1001)


def beam(rig: Rig, message: dict[str, Any]) -> None:
    """Join a receiver to its pin."""
    pin, strobe = message["pin"], message["strobe"]
    broken, ambient = message["broken"], message["ambient"]

    def see(emitting: int) -> None:
        rig.drives[pin] = 1 if ambient or (emitting and not broken) else 0

    see.__name__ = f"beam {pin}"
    _replace(rig, strobe, see)
    see(rig.outputs.get(strobe, 0))


def stepper(rig: Rig, message: dict[str, Any]) -> None:
    """Join a motor to its four pins, and its switch to another."""
    coils, home, width = message["pins"], message["home"], message["width"]
    turn, part = message["turn"]
    at = message["half_steps"]

    def switch() -> None:
        level = 0 if at * part % turn < width * part else None
        if rig.drives.get(home) != level:
            rig.set_pin(home, level)

    def follow(_: int) -> None:
        nonlocal at
        pattern = sum(1 << n for n, pin in enumerate(coils) if rig.outputs.get(pin))
        rig.hurry()
        if pattern in HALF_STEPS:
            at += (HALF_STEPS.index(pattern) - at + 4) % 8 - 4
            switch()
        elif not pattern:
            rig.send("stepper", f'"half_steps":{at}')

    follow.__name__ = "stepper"
    for pin in coils:
        _replace(rig, pin, follow)
    switch()


def colour(rig: Rig, message: dict[str, Any]) -> None:
    """Lay something into the reader's well, or take the reader away."""
    light = message["light"]
    rig.colour = None if light is None else tuple(light)


PARTS: dict[str, Callable[[Rig, dict[str, Any]], None]] = {"beam": beam, "stepper": stepper, "colour": colour}


def solder(rig: Rig, message: dict[str, Any]) -> None:
    """Add or change the part that a message names; other messages are nobody's."""
    part = PARTS.get(message.get("op", ""))
    if part is not None:
        part(rig, message)


def _replace(rig: Rig, pin: int, wire: Callable[[int], None]) -> None:
    """Join a wire to a pin in place of the one of the same name."""
    wires = [other for other in rig.wires.get(pin, []) if getattr(other, "__name__", "") != wire.__name__]
    rig.wires[pin] = [*wires, wire]
