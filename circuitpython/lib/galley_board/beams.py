"""Hole beams: what falls through a hole breaks a beam of infrared light; daylight must not.

For: telling for each hole whether its beam is broken now. It must not know what fell.

Hardware: break-beam pairs (Adafruit 2167 or 2168). One MOSFET feeds all emitters (IR_STROBE), each receiver
pulls its pin (HOLE1-4) to GND unless it sees light; the chip's pull-up does the rest.

The emitters are lit for LIT_MS of every PERIOD_MS, a tenth of the current. Each receiver is read just before,
dark, and at the end, lit. Light only while lit is a whole beam, none at all a broken one. Light while dark is
the sun's or a lamp's: that reading says nothing, and the beam stays what it was. One reading breaks a beam,
WHOLE readings in a row make it whole again.

Each time that a beam breaks is counted, hole by hole, since the start: a host that was not there when
something fell learns of it by the count.

A beam that is broken at the start is *ignored*, and looks whole, until it is whole once. A receiver that sees
nothing but light at the start is taken as not fitted, until its first other reading. Where none is fitted
the emitters stay off.
"""

from galley_board import wire
from galley_board.link import since_ms

TYPE_CHECKING = False  # a board has no typing module; type checkers take it for true
if TYPE_CHECKING:
    from galley_board.hardware_types import Input, Output


HOLES = 4
PERIOD_MS = 20
LIT_MS = 2
WHOLE = 2


class Beams:
    """The beams of four holes; an item of `receivers` is None where there is none.

    `broken` has a bit for each broken beam, `ignored` for each that does not count yet, `fitted` for each
    that was seen to work; `version` grows when `ignored` changes. `falls` are the four counts of broken
    beams, `wire.FALL_BITS` each. Call `look` twice while starting, LIT_MS
    apart, then `poll` every turn.
    """

    def __init__(self, strobe: "Output | None", receivers: "tuple[Input | None, ...]") -> None:
        self.broken = 0
        self.ignored = 0
        self.fitted = 0
        self.falls = 0
        self.version = 0
        self._strobe = strobe
        self._receivers = receivers
        self._lit = False
        self._turned_ms = 0
        self._dark = 0
        self._whole = bytearray(HOLES)

    def look(self, lit: bool) -> None:
        """At the start: light the emitters, or read, put them out and judge."""
        if self._strobe is None:
            return
        if lit:
            self._dark = self._read()
            self._strobe.value = True
            return
        light = self._read()
        self._strobe.value = False
        for hole in range(HOLES):
            bit = 1 << hole
            if self._receivers[hole] is None or self._dark & bit:
                continue
            self.fitted |= bit
            if not light & bit:
                self.ignored |= bit
                self.version += 1

    def poll(self, now_ms: int) -> None:
        """Light, read and put out the emitters when it is time."""
        if not self.fitted or self._strobe is None:
            return
        since = since_ms(now_ms, self._turned_ms)
        if 0 <= since < (LIT_MS if self._lit else PERIOD_MS - LIT_MS):
            return
        self._turned_ms = now_ms
        if not self._lit:
            self._dark = self._read()
            self._lit = True
            self._strobe.value = True
            return
        light = self._read()
        self._lit = False
        self._strobe.value = False
        for hole in range(HOLES):
            if self._receivers[hole] is not None and not self._dark >> hole & 1:
                self._judge(hole, bool(light >> hole & 1))

    def stop(self) -> None:
        """Put the emitters out."""
        if self._lit and self._strobe is not None:
            self._lit = False
            self._strobe.value = False

    def _read(self) -> int:
        """A bit for each receiver that sees light."""
        seen = 0
        for hole in range(HOLES):
            receiver = self._receivers[hole]
            if receiver is not None and receiver.value:
                seen |= 1 << hole
        return seen

    def _judge(self, hole: int, light: bool) -> None:
        bit = 1 << hole
        self.fitted |= bit
        if not light:
            self._whole[hole] = 0
            if not (self.ignored | self.broken) & bit:
                self.broken |= bit
                self._count(hole)
            return
        self._whole[hole] = min(WHOLE, self._whole[hole] + 1)
        if self._whole[hole] == WHOLE:
            self.broken &= ~bit
            if self.ignored & bit:
                self.ignored &= ~bit
                self.version += 1

    def _count(self, hole: int) -> None:
        shift = hole * wire.FALL_BITS
        most = (1 << wire.FALL_BITS) - 1
        count = (self.falls >> shift) + 1 & most
        self.falls = self.falls & ~(most << shift) | count << shift
