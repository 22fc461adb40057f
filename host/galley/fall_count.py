"""What fell through a deck's holes, from the counts that it reports: each fall once, whatever was missed.

For: the box. A deck counts from its start on, and each of its reports has the whole count, so one that was
lost is made good by the next, and what fell while its cable was out comes with the first one after. It must
not know links or games.

A board that has started anew counts anew, and of one that was never heard nobody knows what was told before:
the first count of a start tells nothing but where to go on.
"""

from __future__ import annotations

from typing import Final

from galley_board import wire

HOLES: Final = 4
MOST: Final = (1 << wire.FALL_BITS) - 1


class FallCount:
    """The counts that were seen last, of which start of which board."""

    def __init__(self) -> None:
        self._boot_id: int | None = None
        self._counts: tuple[int, ...] = ()

    def fell(self, boot_id: int, falls: int) -> list[int]:
        """The holes, 0-3, that something fell through since this board's last report; one for each fall.

        `falls` as in a deck's report: `wire.FALL_BITS` a hole. More than MOST at once are not told apart.
        """
        counts = tuple(falls >> hole * wire.FALL_BITS & MOST for hole in range(HOLES))
        before = self._counts if boot_id == self._boot_id else counts
        self._boot_id, self._counts = boot_id, counts
        return [
            hole
            for hole, (now, then) in enumerate(zip(counts, before, strict=True))
            for _ in range(now - then & MOST)
        ]
