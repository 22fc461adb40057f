"""The simulated ship's deck: an arm that sweeps round, droppings that it pushes, a die that it turns.

For: everything that needs a deck and has none: simulated boards, bots, tests. It is physics, not rules: it
knows no seat, no turn and no end. The numbers are house estimates, all of them in `Physics`.

The deck is polar: sectors round the eye's shaft, rings from the shaft (0) to the railing. A hole is the outer
cell of its sector, a railing closes it. One object per cell. Time goes in ticks; in each the arm enters one
sector and pushes what lies there, from outside in. The colour die comes in two builds:

    drum     a motorised drum: it turns when the arm passes sector 0, and drifts from the middle to the brink
    loose    a real die on the deck: a push turns it, and it falls like a dropping

Droppings have opaque numbers, the same for the whole game, as an onlooker's eye can follow them. What colour
is under one, only `lift` tells. All chance comes from the generator given; the same one, the same deck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from galley.deck_physics import BRINK, Physics, happens
from galley_engine.game import BadSetup, Chance, JSONObject
from galley_engine.games.poop_deck_state import COLOURS

DIE: Final = -1
"""The loose die among the droppings of the deck."""


class Cell(NamedTuple):
    """A place on deck: sector 0 to 15 round the shaft, ring 0 at the shaft to 2 at the railing."""

    sector: int
    ring: int


class DieShows(NamedTuple):
    """The die's top colour has changed."""

    colour: str


class DroppingFell(NamedTuple):
    """A dropping went through the hole at `cell`; `colour` is None unless falls are revealed."""

    dropping: int
    cell: Cell
    colour: str | None


class DieFell(NamedTuple):
    """The die went through a hole."""


class ArmAt(NamedTuple):
    """The arm has entered a sector; `heading` is 1 or -1."""

    sector: int
    heading: int


Happening: TypeAlias = DieShows | DroppingFell | DieFell | ArmAt


class Deck:
    """A deck with its droppings, arm and die. It changes with each `tick`, and with what hands do.

    Once the die has fallen, no tick changes anything any more.
    """

    def __init__(
        self,
        physics: Physics,
        chance: Chance,
        colours: Sequence[str],
        face: str | None = None,
        places: Mapping[int, Cell] | None = None,
    ) -> None:
        """Droppings of these `colours` are spread over all rings but the outer one, and over that one too if
        there is no room else; numbers tell nothing.

        `face` is the die's colour (None: any face). `places` says where things lie (DIE is the loose die),
        and then dropping number i has `colours[i]`. Raises BadSetup if there is no room for them.
        """
        self.physics = physics
        self.arm = 0
        self.heading = 1
        self.drift = 0
        self.die_has_fallen = False
        self._chance = chance
        self._outer = physics.rings - 1
        self._what: dict[Cell, int] = {}
        self._holes = frozenset(Cell(sector, self._outer) for sector in physics.open_holes)
        things = [*range(len(colours)), *([DIE] if physics.build == "loose" else [])]
        if places is None:
            room = self._free(range(self._outer))
            if len(things) > len(room):
                room = self._free(range(physics.rings))
            if len(things) > len(room):
                raise BadSetup("deck", f"has {len(things)} things for {len(room)} cells: give it more rings")
            places = dict(zip(things, chance.shuffle(room), strict=False))
            colours = chance.shuffle(colours)
        self._colours = tuple(colours)
        self._where = dict(places)
        self._what = {cell: thing for thing, cell in places.items()}
        self.face = chance.die(physics.faces) if face is None else face

    # What can be seen

    @property
    def droppings(self) -> Mapping[int, Cell]:
        """The droppings on deck by number, and where they lie."""
        return {thing: cell for thing, cell in sorted(self._where.items()) if thing != DIE}

    @property
    def die_cell(self) -> Cell | None:
        """Where a loose die lies; None for a drum, and once it has fallen."""
        return self._where.get(DIE)

    @property
    def die_in_danger(self) -> bool:
        """Whether the box offers to push the die: drift 2 or 3, or a loose die at the railing."""
        cell = self.die_cell
        return self.drift >= BRINK - 1 if cell is None else cell.ring == self._outer

    # What outlives the host

    def saved(self) -> JSONObject:
        """The droppings' colours, number, sector and ring of each thing on deck, and the die's colour."""
        return {
            "colours": list(self._colours),
            "lying": [[thing, *cell] for thing, cell in sorted(self._where.items())],
            "face": self.face,
        }

    @classmethod
    def taken_up(cls, physics: Physics, chance: Chance, saved: Mapping[str, Any]) -> Deck:
        """The deck that `saved` tells of. Raises LookupError, TypeError, ValueError if there can be none."""
        colours = [COLOURS[COLOURS.index(colour)] for colour in saved["colours"]]
        things = range(DIE if physics.build == "loose" else 0, len(colours))
        places = {thing: Cell(sector, ring) for thing, sector, ring in saved["lying"]}
        room = {Cell(sector, ring) for sector in range(physics.sectors) for ring in range(physics.rings)}
        fits = room.issuperset(places.values()) and set(things).issuperset(places)
        if not fits or len(set(places.values())) < len(saved["lying"]):
            raise BadSetup("lying", "has a thing that is none, or where none can lie")
        return cls(physics, chance, colours, COLOURS[COLOURS.index(saved["face"])], places)

    # What hands do

    def lift(self, dropping: int) -> str:
        """Take a dropping off the deck, and look at its colour. Raises KeyError if it is not there."""
        del self._what[self._where.pop(dropping)]
        return self._colours[dropping]

    def put_back(self, dropping: int) -> Cell:
        """Put a dropping back: on any free cell round the shaft."""
        return self._put(dropping)

    def push_die(self) -> None:
        """Push the die to the middle, its face as it was."""
        self.drift = 0
        if DIE in self._where:
            del self._what[self._where.pop(DIE)]
            self._put(DIE)

    def colour_under_last(self) -> str:
        """The colour under the only dropping on deck. Raises ValueError if there is not just one."""
        (dropping,) = self.droppings
        return self._colours[dropping]

    def _free(self, rings: range) -> list[Cell]:
        """The cells of these rings where something can lie and nothing does."""
        cells = (Cell(sector, ring) for ring in rings for sector in range(self.physics.sectors))
        return [cell for cell in cells if cell not in self._what and cell not in self._holes]

    def _put(self, thing: int) -> Cell:
        for ring in range(self.physics.rings):
            free = self._free(range(ring, ring + 1))
            if free:
                cell = self._chance.die(free)
                self._where[thing], self._what[cell] = cell, thing
                return cell
        raise AssertionError("there is a cell for everything that was spread")

    # What the eye does

    def tick(self) -> list[Happening]:
        """The arm enters the next sector: what happens there, in order, the arm's own place first."""
        if self.die_has_fallen:
            return []
        if self._happens(self.physics.reverse_percent):
            self.heading = -self.heading
        self.arm = (self.arm + self.heading) % self.physics.sectors
        happened: list[Happening] = [ArmAt(self.arm, self.heading)]
        # Outermost first: who has moved out is not in the way of who comes after.
        lying = [self._what.get(Cell(self.arm, ring)) for ring in reversed(range(self._outer))]
        for thing in lying:
            if thing is not None and self._happens(self.physics.push_percent):
                self._push(thing, happened)
        if self.arm == 0 and self.physics.build == "drum":
            self._pass_the_drum(happened)
        return happened

    def _push(self, thing: int, happened: list[Happening]) -> None:
        """One ring outwards; what lies there goes first. Else one sector along with the arm, if free."""
        here = self._where[thing]
        if thing == DIE:
            self._turn(happened)
        if here in self._holes:
            self._fall(thing, here, happened)
            return
        further = Cell(here.sector, here.ring + 1)
        if here.ring < self._outer:
            other = self._what.get(further)
            if other is not None:
                self._push(other, happened)
            if further not in self._what:
                self._move(thing, further, happened)
                return
        beside = Cell((here.sector + self.heading) % self.physics.sectors, here.ring)
        if beside not in self._what:
            self._move(thing, beside, happened)

    def _move(self, thing: int, cell: Cell, happened: list[Happening]) -> None:
        if cell in self._holes:
            self._fall(thing, cell, happened)
            return
        del self._what[self._where[thing]]
        self._where[thing], self._what[cell] = cell, thing

    def _fall(self, thing: int, hole: Cell, happened: list[Happening]) -> None:
        del self._what[self._where.pop(thing)]
        if thing == DIE:
            self.die_has_fallen = True
            happened.append(DieFell())
        else:
            colour = self._colours[thing] if self.physics.reveal_fallen else None
            happened.append(DroppingFell(thing, hole, colour))

    def _pass_the_drum(self, happened: list[Happening]) -> None:
        """The eye bumps the drum: it may turn, and drifts a step; on the brink the bump may drop it."""
        if self._happens(self.physics.turn_percent):
            self._turn(happened)
        if self.drift == BRINK and self._happens(self.physics.brink_percent):
            self.die_has_fallen = True
            happened.append(DieFell())
        elif self._happens(self.physics.out_percent):
            self.drift = min(self.drift + 1, BRINK)
        else:
            self.drift = max(self.drift - 1, 0)

    def _turn(self, happened: list[Happening]) -> None:
        face = self._chance.die(self.physics.faces)
        if face != self.face:
            self.face = face
            happened.append(DieShows(face))

    def _happens(self, percent: int) -> bool:
        return happens(self._chance, percent)
