"""Parts that are soldered to a deck's pins: beams, a stepper motor, a colour reader's light.

The messages are those of `host/galley/sim/standins/parts.py`.
"""

HALF_STEPS = (0b0001, 0b0011, 0b0010, 0b0110, 0b0100, 0b1100, 0b1000, 0b1001)


def beam(rig, message: dict) -> None:
    """Join a receiver to its pin: low unless it sees its emitter's light, or any other."""
    pin, strobe = message["pin"], message["strobe"]
    broken, ambient = message["broken"], message["ambient"]

    def see(emitting: int) -> None:
        rig.drives[pin] = 1 if ambient or (emitting and not broken) else 0

    rig.wire(strobe, "beam %d" % pin, see)
    see(rig.outputs.get(strobe, 0))


class Stepper:
    """A motor that follows its four coils, and a switch that is closed for a while from home on."""

    def __init__(self, rig, message: dict) -> None:
        self._rig = rig
        self._coils = message["pins"]
        self._home = message["home"]
        self._width = message["width"]
        self._turn, self._part = message["turn"]
        self._at = message["half_steps"]
        for pin in self._coils:
            rig.wire(pin, "stepper", self._follow)
        self._switch()

    def _switch(self) -> None:
        closed = self._at * self._part % self._turn < self._width * self._part
        level = 0 if closed else None
        if self._rig.drives.get(self._home) != level:
            self._rig.set_pin(self._home, level)

    def _follow(self, value: int) -> None:
        pattern = 0
        for n in range(4):
            if self._rig.outputs.get(self._coils[n]):
                pattern |= 1 << n
        self._rig.alert()
        if pattern in HALF_STEPS:
            self._at += (HALF_STEPS.index(pattern) - self._at + 4) % 8 - 4
            self._switch()
        elif not pattern:
            self._rig.send("stepper", {"half_steps": self._at})


def colour(rig, message: dict) -> None:
    """Lay something into the reader's well, or take the reader away."""
    rig.colour = message["light"]


PARTS = {"beam": beam, "stepper": Stepper, "colour": colour}
