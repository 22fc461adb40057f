"""The deck: six seat keys with their lamps, the pupil's ring of light, a buzzer.

For: what only the deck has. It must not know a rule.

Hardware: see the deck's column of the wiring table (`pins`). The eye's motor driver is held asleep
(EYE_nSLEEP low) before anything else is opened, so nothing on the deck moves.
"""

from galley_board import start

try:
    from galley_board.loop import Loop
except ImportError:  # only named in an annotation
    pass


def loop(role: int) -> "Loop":
    """The deck's loop."""
    return start.assemble(role, 0)
