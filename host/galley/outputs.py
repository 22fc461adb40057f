"""What the host wants one board to show and do: whole states, and the frames that bring it there.

For: the link, which sends the frames, and sends them again. It must not know time, nor whether a board is
there. A deck is asked through `DeckAsked`, so that this need not know the tables' words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from galley_board import wire
from galley_board.link import DEFAULT_BRIGHTNESS

DICE = 8
LAMPS = 11


class Frame(NamedTuple):
    """One frame to be sent: its kind and its fields as in `galley_board.wire`."""

    kind: str
    fields: tuple[int, ...]


class DeckAsked(Protocol):
    """What a deck is asked for: `galley.tables.table.DeckView`."""

    @property
    def eye(self) -> int:
        """Speed in percent, negative the other way round."""

    @property
    def drum(self) -> int | None:
        """The face to be on top; None as it lies."""

    @property
    def drift(self) -> int | None:
        """The steps to be lit; None dark."""

    @property
    def pupil(self) -> int:
        """A lamp code."""

    @property
    def holes(self) -> tuple[int, int, int, int]:
        """Four lamp codes."""


@dataclass(slots=True)
class Outputs:
    """8 die codes, 11 lamp codes, what only a deck has, a budget of lit current, a brightness.

    `budget_ma` is the role's own default, known from the hello on. `deck` are the codes that a deck holds
    beside its lamps, `eye` is the percent at which its eye shall run.
    """

    dice: tuple[int, ...] = (0,) * DICE
    lamps: tuple[int, ...] = (0,) * LAMPS
    deck: tuple[int, ...] = wire.DARK_DECK
    eye: int = 0
    budget_ma: int = 0
    brightness: int = DEFAULT_BRIGHTNESS

    def digest(self) -> int:
        """The digest a board that holds exactly this reports."""
        return wire.digest(self.dice, self.lamps, self.deck, self.budget_ma, self.brightness)

    def ask(self, dice: Sequence[int], lamps: Sequence[int], deck: DeckAsked | None) -> list[Frame]:
        """Want this from now on (`deck` None: as before): the frames of what changed.

        Raises wire.FieldError, and then nothing was changed.
        """
        codes, eye = (self.deck, self.eye) if deck is None else (_codes(deck), deck.eye)
        wanted = Outputs(tuple(dice), tuple(lamps), codes, eye, self.budget_ma, self.brightness)
        held = self.frames("deck")
        changed = [frame for frame in wanted.frames("deck") if frame not in held]
        for kind, fields in changed:
            wire.check(kind, fields, len(fields))
        self.dice, self.lamps, self.deck, self.eye = wanted.dice, wanted.lamps, codes, eye
        return changed

    def frames(self, role: str) -> list[Frame]:
        """All frames that bring a board of this role here."""
        every = [
            Frame("c", (self.budget_ma, self.brightness)),
            Frame("d", self.dice),
            Frame("l", self.lamps),
        ]
        if role == "deck":
            every += [Frame("m", self.deck[:1]), Frame("p", self.deck[1:]), self.eye_frame()]
        return every

    def eye_frame(self) -> Frame:
        """The eye's command, which holds for a while only."""
        return Frame("e", (wire.STILL + self.eye, wire.RUN_MAX_MS))


def _codes(deck: DeckAsked) -> tuple[int, ...]:
    face = wire.NO_FACE if deck.drum is None else deck.drum
    drift = wire.DARK_DRIFT if deck.drift is None else deck.drift
    return (face, deck.pupil, drift, *deck.holes)
