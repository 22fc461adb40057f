"""What the firmware's arithmetic of times gives on the second Python. MicroPython only; prints one JSON list.

Arguments: times in ms. Prints `since_ms` of every two of them.
"""

import json
import sys

sys.path[:] = [path for path in sys.path if path.endswith("standins") or path.endswith("lib")]

from galley_board.link import since_ms

times = [int(text) for text in sys.argv[1:]]
print(json.dumps([since_ms(now, then) for now in times for then in times]))
