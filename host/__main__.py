"""`python3 host ...`: the `galley` command on a machine that has nothing but Python.

`galley.firstrun` is taken from this folder, not from an installation: it makes the installation.
"""

import sys

from galley.firstrun import run

if __name__ == "__main__":
    run("base", "galley", sys.argv[1:])
