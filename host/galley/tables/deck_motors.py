"""What the deck's two motors are told: how fast the eye goes and which way, which face the drum has on top.

For: the world of the poop deck. The eye changes its pace calmly and turns round as often as the model says;
each time it passes its home it bumps the die, which may turn to another face and drifts a step towards a hole
or back. It must not know droppings, seats or rules. Times are house ms and come in from outside.
"""

from __future__ import annotations

from typing import Final

from galley.deck_physics import BRINK, Physics, happens
from galley_engine.game import Chance

PACES: Final = (100, 120, 140, 160)
"""Paces of the eye, in percent of its slowest one."""

CHANGES_PERCENT: Final = 25
"""How often another pace comes with a sector."""

FACE_MS: Final = 1_020
"""The drum's way from one face to the next: 509.5 half-steps of 2 ms."""

SETTLE_MS: Final = 600
"""Before and after: the eye comes to rest first, and the drum stands a moment in the end."""

REPORT_MS: Final = 1_500
"""A deck that lives tells how its drum stands more often than this."""

PASS_GAP_MS: Final = 400
"""An eye that trembles at its home sensor passes it once."""


class Eye:
    """The pace of the eye: `percent` of its motor, negative the other way round."""

    def __init__(self, physics: Physics, chance: Chance) -> None:
        self._physics = physics
        self._chance = chance
        self.percent = self._pace() * chance.die((1, -1))

    @property
    def sector_ms(self) -> int:
        """How long the arm takes through a sector at this pace."""
        return max(1, self._physics.tick_ms * self._physics.eye_percent // abs(self.percent))

    def beat(self) -> None:
        """It enters a sector: turn round, or change the pace, or neither."""
        heading = 1 if self.percent > 0 else -1
        if happens(self._chance, self._physics.reverse_percent):
            self.percent = -self.percent
        elif happens(self._chance, CHANGES_PERCENT):
            self.percent = heading * self._pace()

    def _pace(self) -> int:
        return max(1, self._physics.eye_percent * self._chance.die(PACES) // 100)


class Drum:
    """The colour die as a drum: `face` is the place of the one it shows or turns to, `drift` 0 to BRINK.

    `turning_ms` is when it will be there, None while it stands.
    """

    def __init__(self, physics: Physics, chance: Chance) -> None:
        self._physics = physics
        self._chance = chance
        self._passed_ms: int | None = None
        self.face = chance.die(range(len(physics.faces)))
        self.drift = 0
        self.turning_ms: int | None = None

    @property
    def colour(self) -> str:
        """The colour of `face`."""
        return self._physics.faces[self.face]

    @property
    def in_danger(self) -> bool:
        """Whether the box offers to push the die."""
        return self.drift >= BRINK - 1

    def turns(self, now_ms: int) -> bool:
        """Whether it is still on its way at `now_ms`."""
        return self.turning_ms is not None and now_ms < self.turning_ms

    def show(self, now_ms: int) -> None:
        """Turn to `face` from wherever it stands: it may be half a turn away."""
        self.turning_ms = now_ms + len(self._physics.faces) // 2 * FACE_MS + SETTLE_MS

    def bump(self, now_ms: int) -> bool:
        """The eye passes: the drum may turn, and drifts. True if the die falls from the brink."""
        if self._passed_ms is not None and now_ms - self._passed_ms < PASS_GAP_MS:
            return False
        self._passed_ms = now_ms
        physics, chance = self._physics, self._chance
        if happens(chance, physics.turn_percent):
            faces = len(physics.faces)
            before, self.face = self.face, chance.die(range(faces))
            way = (self.face - before) % faces
            if way:
                self.turning_ms = now_ms + min(way, faces - way) * FACE_MS + SETTLE_MS
        if self.drift == BRINK and happens(chance, physics.brink_percent):
            return True
        step = 1 if happens(chance, physics.out_percent) else -1
        self.drift = min(BRINK, max(0, self.drift + step))
        return False

    def push(self) -> None:
        """A hand pushes the die to the middle, its face as it was."""
        self.drift = 0

    def reported(self, face: int | None, moving: bool, now_ms: int) -> None:
        """The deck tells which face its drum has on top, None for not known, and whether it is on its way."""
        if face == self.face and not moving:
            if self.turning_ms is not None:
                self.turning_ms = min(self.turning_ms, now_ms)
        elif moving and self.turning_ms is not None:
            self.turning_ms = max(self.turning_ms, now_ms + REPORT_MS)  # wait for it to say that it is there

    def arrived(self, now_ms: int) -> bool:
        """Whether it has come to `face` since it was last asked."""
        if self.turning_ms is None or now_ms < self.turning_ms:
            return False
        self.turning_ms = None
        return True

    def delay(self, ms: int) -> None:
        """All stood still for `ms`."""
        if self.turning_ms is not None:
            self.turning_ms += ms
