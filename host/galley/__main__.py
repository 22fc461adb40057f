"""`python -m galley` is the command `galley`."""

import signal

signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C while modules are loaded ends it without a traceback

from galley.cli import main  # noqa: E402

main()
