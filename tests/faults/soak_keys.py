"""What became of every edge of a board's keys: made by the hand, told by the board, taken by the host.

The hand says what it makes, and each frame that leaves the board is read before any fault of its cable. So it
is known exactly which edges may be missing, and all others must be there, once and in their order:

* what was made before the board took the host's hello, which empties its ring (of a stroke that began before
  it the release may be told alone, or not at all: a key that is down at power-on is stuck);
* what the board itself says that it gave up: `first` of its key frames, when 32 waited for the host;
* anything after a full key queue, which the board counts in its stats;
* what the hand told the simulation too late for the time at which it should have been.

What is made on a board that has no power is not felt, and never comes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from galley_board import wire

NS_PER_S: Final = 1_000_000_000
HELLO_LATE_NS: Final = NS_PER_S
"""A board's hello is read here so long after the board began its session, at most."""


class Made(NamedTuple):
    """An edge that the hand made. `began_ns` is when its stroke began, `sure` whether the pin felt it."""

    key: int
    down: bool
    at_ns: int
    began_ns: int
    sure: bool


class KeyBook:
    """The edges of one board since its power-on. `keys` are those that only the hand moves."""

    def __init__(self, keys: Iterable[int]) -> None:
        self._keys = frozenset(keys)
        self._began_ns: dict[int, int] = {}
        self.power_on()

    def power_on(self) -> None:
        """The board starts or has gone: nothing of before comes any more."""
        self.session: tuple[int, int] | None = None
        self.overflows = 0
        self._decoder = wire.Decoder(wire.FROM_BOARD)
        self._made: list[Made] = []
        self._told: dict[int, tuple[int, bool]] = {}
        self._hello_ns = 0
        self._counted = (0, 0, 0)

    def opened(self) -> None:
        """The port was opened: the next byte is a frame's first."""
        self._decoder = wire.Decoder(wire.FROM_BOARD)

    def make(self, key: int, down: bool, at_ns: int, *, felt: bool = True, sure: bool = True) -> None:
        """The hand moves a key; a board without power does not feel it."""
        if down:
            self._began_ns[key] = at_ns
        if felt:
            self._made.append(Made(key, down, at_ns, self._began_ns.get(key, at_ns), sure))

    def hear(self, data: bytes, now_ns: int) -> int | None:
        """Bytes leave the board; the digest of what it shows when a beat is among them."""
        shown, at = None, 0
        while at < len(data):
            at = self._decoder.take(data, at, len(data))
            kind, fields = self._decoder.kind, self._decoder.fields
            if kind == "H" and self.session != (fields[2], fields[3]):
                self.session = (fields[2], fields[3])
                self._hello_ns = now_ns
                self._made = [edge for edge in self._made if edge.at_ns > now_ns - HELLO_LATE_NS]
                self._told = {}
                self._counted = (0, 0, self.overflows)
            elif kind == "K":
                self._told[fields[0]] = (fields[1], bool(fields[2]))
            elif kind == "S":
                self.overflows = fields[0]
            elif kind == "B":
                shown = fields[4]
        return shown

    @property
    def numbered(self) -> int:
        """How many edges the board has numbered in this session, as far as it has told."""
        return max(self._told, default=0)

    @property
    def given_up(self) -> int:
        """How many of them it never told: it has given them up, or has yet to."""
        return self.numbered - len(self._told)

    def news(self) -> tuple[int, ...]:
        """Edges numbered, edges given up and full queues since the last time this was asked."""
        before, self._counted = self._counted, (self.numbered, self.given_up, self.overflows)
        return tuple(now - then for now, then in zip(self._counted, before, strict=True))

    def wrong(self) -> str:
        """What the board told wrongly of what the hand made; nothing when it was right."""
        missing = 0
        for key in sorted(self._keys):
            made = [edge for edge in self._made if edge.key == key]
            told = [down for _, (number, down) in sorted(self._told.items()) if number == key]
            lost = self._lost(made, told)
            if lost == math.inf:
                return f"key {key}: {_signs(edge.down for edge in made)} made, {_signs(told)} told"
            missing += int(lost)
        if missing > self.given_up and not self.overflows:
            return f"{missing} edges of {len(self._made)} made were not told, {self.given_up} given up"
        return ""

    def _lost(self, made: Sequence[Made], told: Sequence[bool]) -> float:
        """How few edges of a key are lost that may not be; infinite if others were told."""
        costs: dict[int, float] = {0: 0}  # edges told so far -> edges lost at least
        for edge in made:
            after: dict[int, float] = {}
            for done, lost in costs.items():
                if done < len(told) and told[done] == edge.down:
                    after[done + 1] = min(lost, after.get(done + 1, math.inf))
                free = not edge.sure or (done == 0 and edge.began_ns <= self._hello_ns)
                after[done] = min(lost + (not free), after.get(done, math.inf))
            costs = after
        return costs.get(len(told), math.inf)


def _signs(downs: Iterable[bool]) -> str:
    return "".join("v" if down else "^" for down in downs) or "nothing"
