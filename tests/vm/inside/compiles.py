"""Imports the modules it is given and says how much they keep. For the wide VM, whose heap is as small as a
board's.

Collects every 16 KB: a first collection with the heap full, in the middle of a compilation, takes what lies
about for used, and whether one falls there depends on the length of a path.
"""

import sys

sys.path[:] = [path for path in sys.path if path.endswith("standins") or path.endswith("lib")]

import gc  # noqa: E402

import json  # noqa: E402
import rom  # noqa: E402

gc.threshold(16 * 1024)
gc.collect()
before = gc.mem_alloc()
for name in sys.argv[1:]:
    __import__(name)
gc.collect()
print(json.dumps({"kept": gc.mem_alloc() - before, "rom": rom.USED}))
