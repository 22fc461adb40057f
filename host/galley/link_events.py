"""What a link to a board tells: how it stands, keys that moved, time, and how a deck's parts are.

For: the link, which gives these, and all above it, which need not know frames. Times in `_ns` are of the
host's monotonic clock; a board's own are in its ticks.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from galley_board import deck_codes, pins, wire


class LinkState(StrEnum):
    """Where a link stands; the words are the ones pages and reports use."""

    ABSENT = "absent"
    OPENING = "opening"
    HELLO = "hello"
    LIVE = "live"
    STALE = "stale"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Hello:
    """A board introduced itself. `role` is a word of `wire.ROLES` or "", `faults` a bit mask."""

    role: str
    boot_id: int
    pixels: int
    caps: int
    firmware: int
    faults: int

    @property
    def clock_lag_us(self) -> int:
        """By how much the clock of the board's CircuitPython may be behind an even one."""
        return pins.CLOCK_LAG_US if self.caps & pins.CAPS["clock_lags"] else 0


@dataclass(frozen=True, slots=True)
class KeyEdge:
    """A key went down or up. `stamp_ms` is the board's own ticks, `age_ms` its age when it was sent.

    `us` are the microseconds after `stamp_ms`, or `wire.NO_US` when a keypad's scan stamped it.
    """

    boot_id: int
    key_seq: int
    key: int
    down: bool
    stamp_ms: int
    age_ms: int
    received_ns: int
    us: int = wire.NO_US


@dataclass(frozen=True, slots=True)
class EdgesLost:
    """The board's ring had to give up `count` edges before the host could take them."""

    count: int


@dataclass(frozen=True, slots=True)
class HeldMended:
    """The beat's bitmap showed that an edge went missing: `held` is now the truth. Not a press."""

    held: int


@dataclass(frozen=True, slots=True)
class TimeSample:
    """One four-stamp exchange: host ns, board µs modulo 2**26, board µs modulo 2**26, host ns.

    `complete`: every edge that the board scanned before it read the probe has been delivered.
    """

    sent_ns: int
    board_rx_us: int
    board_tx_us: int
    received_ns: int
    complete: bool


@dataclass(frozen=True, slots=True)
class Beat:
    """The board read its two clocks together: ms modulo 2**29 and µs modulo 2**26."""

    boot_id: int
    ticks_ms: int
    ticks_us: int


@dataclass(frozen=True, slots=True)
class StateChanged:
    """The link is now in `state`."""

    state: LinkState


@dataclass(frozen=True, slots=True)
class DeckReport:
    """How the deck stands. Angles are degrees from home; `doubt_deg` is how far off the eye's can be.

    `eye`, `drum`, `reader` are places in `deck_codes.EYE`, `.DRUM`, `.READER`; `face` is 8 while it is not
    known; `flags` are bits of `deck_codes`; `falls` are the counts of what fell through the holes, as
    `fall_count` reads them (None: an older board, which tells of falls by edges only).
    """

    eye_deg: int
    doubt_deg: int
    eye: int
    face: int
    drum: int
    reader: int
    flags: int
    falls: int | None = None

    @property
    def taught(self) -> list[str]:
        """What the reader has been shown so far, in words of `deck_codes.WELL`."""
        places = range(1, deck_codes.WELL_EMPTY + 1)
        return [deck_codes.WELL[at] for at in places if self.flags >> deck_codes.TAUGHT_SHIFT + at - 1 & 1]

    @property
    def ignored_beams(self) -> list[int]:
        """The holes, 1-4, whose beams do not count until they are free once."""
        return [hole for hole in range(1, 5) if self.flags >> deck_codes.IGNORED_SHIFT + hole - 1 & 1]


LinkEvent = Hello | KeyEdge | EdgesLost | HeldMended | Beat | TimeSample | StateChanged | DeckReport
