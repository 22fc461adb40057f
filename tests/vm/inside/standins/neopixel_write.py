"""Stand-in for `neopixel_write`: gives the bytes to the rig and takes the time that a chain takes.

Like the RP2 port it waits until about 2 ms after the last write, then for 30 µs a pixel.
"""

from digitalio import Direction
from rig import rig

GAP_US = 2000
PIXEL_US = 30


class Chain:
    """When the chain can be written again, in real time."""

    free_us = 0


def neopixel_write(digitalinout, buf) -> None:
    """Write a chain of green, red, blue bytes."""
    if digitalinout.direction != Direction.OUTPUT:
        raise ValueError("the data pin must be an output")
    rig.pause_us(max(0, Chain.free_us - rig.clock()) + len(buf) // 3 * PIXEL_US)
    rig.show(buf)
    Chain.free_us = rig.clock() + GAP_US
