"""Where in a millisecond the tick of a key's stamp began.

For: a keypad's stamp is `supervisor.ticks_ms()`, made of ticks of 1/1024 s and rounded down to whole
milliseconds, so the scan was up to two milliseconds after it. Which tick it was follows from the milliseconds
since power-on, as 125 of them are 128 ticks; three of these begin in a millisecond that has had one. It must
not know keys or links.

`supervisor.ticks_ms` is ORIGIN plus the milliseconds since power-on, modulo 2**29.
"""

from galley_board import wire

ORIGIN = 0x1FFF0000
ROUND_MS = 125
ROUND_TICKS = 128
LATE_MS = 3  # both are read one after the other
_MASK = wire.TICKS_MS_PERIOD - 1


def place(ticks_ms: int, power_on_ms: int) -> int:
    """How many ms into a round of 125 `ticks_ms` is, or -1 where it is not counted as above.

    `power_on_ms` are the milliseconds since power-on, read right after it and never wrapped.
    """
    late_ms = (power_on_ms + ORIGIN - ticks_ms) & _MASK
    return (power_on_ms - late_ms) % ROUND_MS if late_ms <= LATE_MS else -1


def tick_us(place_ms: int) -> int:
    """The microseconds from a millisecond to the first tick that begins in it, of any in the round."""
    tick = (place_ms % ROUND_MS * ROUND_TICKS + ROUND_MS - 1) // ROUND_MS
    return tick * 15625 // 16 - 1000 * (place_ms % ROUND_MS)
