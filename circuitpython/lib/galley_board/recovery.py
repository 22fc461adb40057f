"""Coming back from safe mode, a few times; and showing the drive once, when the host asks for it.

For: counting how often `safemode.py` restarted the board, and a mark that `boot.py` finds after a restart. It
must not restart anything itself.

The count is one byte of `microcontroller.nvm`, which starts at 0xff on a new chip; anything above
MOST_RESETS therefore means none yet. A board that has run well for HEALTHY_MS starts over at none.
"""

TYPE_CHECKING = False  # a board has no typing module; type checkers take it for true
if TYPE_CHECKING:
    from galley_board.hardware_types import Memory


PLACE = 0
DRIVE_PLACE = 1
DRIVE_OPEN = 0xA5
MOST_RESETS = 3
HEALTHY_MS = 60000


def may_reset(nvm: "Memory") -> bool:
    """Count one more reset and say True, or False when there were MOST_RESETS already."""
    count = nvm[PLACE]
    if count > MOST_RESETS:
        count = 0
    if count == MOST_RESETS:
        return False
    nvm[PLACE] = count + 1
    return True


def healthy(nvm: "Memory") -> None:
    """Forget the resets; writes only when there is something to forget, because it wears flash."""
    if 0 < nvm[PLACE] <= MOST_RESETS:
        nvm[PLACE] = 0


def open_drive(nvm: "Memory") -> None:
    """Have the next start, and only that, show the console and the USB drive."""
    nvm[DRIVE_PLACE] = DRIVE_OPEN


def drive_is_to_open(nvm: "Memory") -> bool:
    """Whether `open_drive` was called before this start; the mark is gone then."""
    if nvm[DRIVE_PLACE] != DRIVE_OPEN:
        return False
    nvm[DRIVE_PLACE] = 0xFF
    return True
