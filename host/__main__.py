"""`python3 host ...`: the `galley` command on a machine that has nothing but Python.

`galley.firstrun` is taken from this folder, not from an installation: it makes the installation.
"""

import signal
import sys

signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C while modules are loaded ends it without a traceback

from galley.firstrun import run  # noqa: E402

if __name__ == "__main__":
    run("base", "galley", sys.argv[1:])
