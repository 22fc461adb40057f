"""The deck: six seat keys with their lamps, the eye, the colour die, the holes, the reader, a buzzer.

For: what only the deck has, opened and put together. It must not know a rule.

Hardware: see the deck's column of the wiring table (`pins`). The eye's motor driver is held asleep before
anything else is opened. Each part may be missing: the deck plays on without it, and its capabilities say so.
GALLEY_DIE = "loose" in settings.toml says that the die is a real one, so there is no drum.
"""

import os

import microcontroller

from galley_board import deck_codes, faults, pins, start
from galley_board.beams import HOLES, Beams
from galley_board.drum import Drum
from galley_board.eye import Eye
from galley_board.machinery import Machinery
from galley_board.reader import Reader

TYPE_CHECKING = False  # a board has no typing module; type checkers take it for true
if TYPE_CHECKING:
    from galley_board.hardware import Hardware
    from galley_board.hardware_types import Output
    from galley_board.loop import Loop


COILS = 4
EYE_HZ = 20000  # above what a person hears


def loop(role: int) -> "Loop":
    """The deck's loop."""
    return start.assemble(role, 0, machinery)


def machinery(hardware: "Hardware") -> Machinery:
    """All that moves and sees, at rest."""
    eye = Eye(
        hardware.pwm("EYE_IN1", EYE_HZ),
        hardware.pwm("EYE_IN2", EYE_HZ),
        hardware.output("EYE_nSLEEP"),
        hardware.input("EYE_nFAULT"),
        hardware.input("EYE_HOME"),
        hardware.input("GUARD"),
    )
    build = os.getenv("GALLEY_DIE") or pins.DIE_BUILDS[0]
    if build not in pins.DIE_BUILDS:
        hardware.fault(
            faults.SETTING_UNKNOWN, "GALLEY_DIE = %r, not %s" % (build, " or ".join(pins.DIE_BUILDS))
        )
    coils: "tuple[Output, ...] | None" = None
    absent = deck_codes.DRUM_LOOSE
    home = None
    if build != "loose":
        absent = deck_codes.DRUM_MISSING
        found = [hardware.output("DIE_IN%d" % (n + 1)) for n in range(COILS)]
        whole = [coil for coil in found if coil is not None]
        if len(whole) == COILS:
            coils = tuple(whole)
            home = hardware.input("DIE_HOME")
    drum = Drum(coils, home, absent)
    receivers = tuple([hardware.input("HOLE%d" % (n + 1)) for n in range(HOLES)])
    beams = Beams(hardware.output("IR_STROBE"), receivers)
    beams.look(True)
    start.settle()
    beams.look(False)
    return Machinery(eye, drum, beams, Reader(hardware.bus(), microcontroller.nvm))
