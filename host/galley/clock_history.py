"""What every board's clock did in the last ten minutes, for the crew's page to draw.

For: a number a second per board, kept in bounded memory, told in pieces that change seldom or are small. It
must not know links, pages or clocks: it is given what `galley.clock` says of itself.

Seconds are counted from the first one on. Every BLOCK_S seconds a block is full: the full ones are told as
`older`, which changes twice a minute, and the one that grows as `newest`, which changes every second. Both
have the form

    {"first": number of its first second, "boards": {"left": [point, ...], ...}}

where a point is [offset_us, round_trip_us, drift_ppm, uncertainty_us], or null for a second in which nothing
was known. The offset is less what it was when the board was first seen since its last start, so that it
starts at zero and shows how the two clocks part.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from galley.clock import Standing

BLOCK_S: Final = 30
BLOCKS: Final = 20

Point: TypeAlias = list[float] | None
Block: TypeAlias = dict[str, list[Point]]


class Reading(NamedTuple):
    """How one board's clock stands now, and which start of the board that is about."""

    boot_id: int
    standing: Standing


class ClockHistory:
    """The boards in `boards`, for BLOCKS full blocks and the one that grows."""

    def __init__(self, boards: Sequence[str]) -> None:
        self._boards = tuple(boards)
        self._full: deque[Block] = deque(maxlen=BLOCKS)
        self._growing = self._empty()
        self._first_s = 0
        self._starts: dict[str, tuple[int, int]] = {}

    def _empty(self) -> Block:
        return {board: [] for board in self._boards}

    def take(self, readings: Mapping[str, Reading | None]) -> bool:
        """One second has gone by; a board that is not named is not known. True when `older` is new."""
        full = len(next(iter(self._growing.values()))) == BLOCK_S
        if full:
            self._first_s += BLOCK_S
            self._full.append(self._growing)
            self._growing = self._empty()
        for board, points in self._growing.items():
            reading = readings.get(board)
            points.append(None if reading is None else self._point(board, reading))
        return full

    def _point(self, board: str, reading: Reading) -> Point:
        standing = reading.standing
        boot_id, start_ns = self._starts.get(board, (None, 0))
        if boot_id != reading.boot_id:
            start_ns = standing.offset_ns
            self._starts[board] = reading.boot_id, start_ns
        return [
            (standing.offset_ns - start_ns) // 1000,
            standing.round_trip_ns // 1000,
            round(standing.drift_ppm, 2),
            standing.uncertainty_ns // 1000,
        ]

    def older(self) -> dict[str, Any]:
        """The full blocks, as one."""
        boards = {board: [point for block in self._full for point in block[board]] for board in self._boards}
        return {"first": self._first_s - BLOCK_S * len(self._full), "boards": boards}

    def newest(self) -> dict[str, Any]:
        """The block that grows."""
        return {
            "first": self._first_s,
            "boards": {board: list(points) for board, points in self._growing.items()},
        }
