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

from galley_board import deck, identity, start, station  # noqa: E402

RESTART_S = 5
LOOPS = (start.unknown, station.loop, station.loop, deck.loop)  # by the role's number

role = identity.role_of(os.getenv("GALLEY_ROLE"))
loop = LOOPS[role](role)
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
