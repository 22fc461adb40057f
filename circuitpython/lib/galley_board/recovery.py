"""Coming back from safe mode, a few times.

For: counting how often `safemode.py` restarted the board. It must not restart anything itself.

The count is one byte of `microcontroller.nvm`, which starts at 0xff on a new chip; anything above
MOST_RESETS therefore means none yet. A board that has run well for HEALTHY_MS starts over at none.
"""

try:
    from galley_board.hardware_types import Memory
except ImportError:  # a board has no typing module
    pass

PLACE = 0
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
