"""Stand-in for `neopixel_write`: gives the bytes to the rig and takes the time that a chain takes.

Like the RP2 port it waits until about 2 ms after the last write began to be latched, then for 30 µs a
pixel. The rig gets red, green, blue for each pixel in chain order, whatever the chain's own order is.
"""

from __future__ import annotations

from digitalio import DigitalInOut, Direction
from rig import NS_PER_S, rig

GAP_NS = 2_000_000
PIXEL_NS = 30_000
CHANNELS = 3


class Chain:
    """When the chain can be written again, in real time."""

    free_ns = 0


def neopixel_write(digitalinout: DigitalInOut, buf: bytearray | bytes) -> None:
    """Write a chain of green, red, blue bytes."""
    if digitalinout.direction != Direction.OUTPUT:
        raise ValueError("the data pin must be an output")
    wait_ns = max(0, Chain.free_ns - rig.clock()) + len(buf) // CHANNELS * PIXEL_NS
    rig.pause(wait_ns / NS_PER_S)
    rgb = bytearray(buf)
    rgb[0::CHANNELS], rgb[1::CHANNELS] = buf[1::CHANNELS], buf[0::CHANNELS]
    rig.show(bytes(rgb))
    Chain.free_ns = rig.clock() + GAP_NS
