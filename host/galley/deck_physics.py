"""The numbers of the deck's physics: how often the eye turns round, pushes, turns the die, drops it.

For: whoever moves a deck, real or simulated: the running game's world and `sim.deck_model`. They are house
estimates (rules, deck model), all of them options. This module holds and checks them, and draws by them.

The colour die comes in two builds:

    drum     a motorised drum: it turns when the arm passes sector 0, and drifts from the middle to the brink
    loose    a real die on the deck: a push turns it, and it falls like a dropping
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from galley_engine.game import BadOption, Chance
from galley_engine.games.poop_deck_state import COLOURS
from galley_engine.given import Given

BUILDS: Final = ("drum", "loose")
BRINK: Final = 3
"""The last step of the drift: 0 is the middle of the deck."""


class Physics(NamedTuple):
    """The numbers of the model (rules, deck model). Chances are in percent."""

    build: str = "drum"
    railings: int = 3  # how many holes are closed, the first ones
    sectors: int = 16
    rings: int = 3
    holes: tuple[int, ...] = (2, 6, 10, 14)  # their sectors
    faces: tuple[str, ...] = COLOURS * 2  # of the die
    reverse_percent: int = 10  # the arm turns round before a tick
    push_percent: int = 50  # an object is pushed by the arm
    turn_percent: int = 50  # the drum turns at a pass
    out_percent: int = 55  # the drum's die drifts outwards at a pass, else back
    brink_percent: int = 25  # a bump on the brink drops it
    reveal_fallen: bool = False  # whether a fall shows the colour
    aim_ticks: int = 2  # a simulated hand, before the grab
    hold_ticks: int = 2  # and before the announcement
    tick_ms: int = 1000
    eye_percent: int = 5  # of its motor: the eye's slowest pace, at which its arm enters a sector each tick

    @property
    def open_holes(self) -> tuple[int, ...]:
        """The sectors of the holes without a railing."""
        return self.holes[self.railings :]


_PERCENT: Final = range(100)
_given = Given(BadOption, "physics")
_LOWEST: Final[Mapping[str, tuple[int, int]]] = {
    "sectors": (4, 64),
    "rings": (2, 8),
    "aim_ticks": (0, 100),
    "hold_ticks": (0, 100),
    "tick_ms": (1, 60_000),
    "eye_percent": (1, 60),
}


def physics(given: Mapping[str, object]) -> Physics:
    """The model's numbers with those of `given` in their place. Raises BadOption, which names the key."""
    values: dict[str, object] = {**Physics()._asdict(), **_given.mapping(given, "", Physics._fields)}
    _given.word(values["build"], "build", BUILDS)
    _given.truth(values["reveal_fallen"], "reveal_fallen")
    for key, (low, high) in _LOWEST.items():
        _given.whole(values[key], key, low, high)
    if values["aim_ticks"] == values["hold_ticks"] == 0:
        raise BadOption("hold_ticks", "is 0, and so is aim_ticks: nothing would ever move, one must be above")
    for key, value in values.items():
        if key.endswith("_percent"):
            _given.whole(value, key, 0, 100)
    sectors = _given.whole(values["sectors"], "sectors", *_LOWEST["sectors"])
    holes = _given.sequence(values["holes"], "holes")
    values["holes"] = tuple(
        _given.whole(hole, f"holes.{place}", 0, sectors - 1) for place, hole in enumerate(holes)
    )
    faces = _given.sequence(values["faces"], "faces")
    if not faces:
        raise BadOption("faces", "is empty: a die has at least one face")
    values["faces"] = tuple(_given.word(face, f"faces.{place}", COLOURS) for place, face in enumerate(faces))
    _given.whole(values["railings"], "railings", 0, len(holes))
    return Physics(**values)  # type: ignore[arg-type]  # each was checked above


def happens(chance: Chance, percent: int) -> bool:
    """Whether something that happens so often happens now."""
    return chance.die(_PERCENT) < percent
