"""Runs on every Galley board: asks settings.toml for the role, and plays it.

An error while it plays goes to the console, and the board restarts by itself. An error before that
(a missing file or port) stops it, so that the drive stays open for repair. Ctrl-C on the console
stops it as well and gives the prompt.
"""

import os
import time
import traceback

import microcontroller
import supervisor

supervisor.runtime.autoreload = False

from galley_board import identity, pins, start, wire  # noqa: E402

RESTART_S = 5

role = identity.role_of(os.getenv("GALLEY_ROLE"))
which = pins.BOARD_OF_ROLE[wire.ROLES[role]]
# memory is short: what the other boards are made of stays where it is
if which == pins.STATION:
    from galley_board import station

    loop = station.loop(role)
elif which == pins.DECK:
    from galley_board import deck

    loop = deck.loop(role)
else:
    loop = start.unknown(role)
try:
    start.run(loop)
except KeyboardInterrupt:
    # CircuitPython 8 may refuse another mode, 10 has no `deinit` any more
    stop = getattr(microcontroller.watchdog, "deinit", None)
    if stop is None:
        microcontroller.watchdog.mode = None
    else:
        stop()
    raise
except Exception as error:
    traceback.print_exception(error)
    print("restarting in %d s" % RESTART_S)
    time.sleep(RESTART_S)
    microcontroller.reset()
