"""`python3 tests ...`: the whole test suite on a machine that has nothing but Python.

The arguments go to pytest, which runs in the project's folder wherever this was called from. Without
arguments it runs everything but what is marked `bench`, `hil` or `soak`; `-m bench` runs the measurements.
"""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

if __name__ == "__main__":
    sys.path[0] = os.path.join(ROOT, "host")
    from galley.firstrun import run

    os.chdir(ROOT)
    run("test", "pytest", sys.argv[1:])
