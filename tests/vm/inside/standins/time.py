"""A board's `time` as far as the firmware uses it; the VM's own is `utime`.

`monotonic` is left out on purpose: on a board it is a float that loses milliseconds within hours.
"""

from rig import rig

sleep = rig.sleep
monotonic_ns = rig.monotonic_ns
