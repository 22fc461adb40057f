"""A station: eight keep keys, ROLL, BELL, YUCK and MODE, eight LED dice, eleven lamps, a buzzer.

For: what only a station has, the strap that says on which side it stands. It must not know a rule.

Hardware: see the station's column of the wiring table (`pins`). The strap on GP19 is open on the
left station and joined to GND on the right one, so that two boards which were mixed up are noticed.
"""

from galley_board import faults, hardware, identity, pins, start

TYPE_CHECKING = False  # a board has no typing module; type checkers take it for true
if TYPE_CHECKING:
    from galley_board.loop import Loop


def loop(role: int) -> "Loop":
    """The station's loop; a role that the strap denies is reported, not changed."""
    fault = identity.role_fault(role, hardware.level_of("SIDE", pins.SIDE_PIN))
    if fault:
        print(faults.explain(fault))
    return start.assemble(role, fault)
