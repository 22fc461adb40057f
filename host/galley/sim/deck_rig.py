"""The simulated deck below the pins: an arm that follows its motor, droppings, beams, a die, a hand.

For: playing the poop deck without a deck. The firmware of a simulated board drives its pins; here is what a
real deck would do then: the arm turns, passes its home switch, pushes droppings, and what falls breaks the
beam of its hole. It must not know a rule, a seat or the host's view: the eye's speed comes from its pins.

Where things lie is `deck_model`, how the arm moves `deck_arm`. The drum is turned by the firmware's stepper,
which the child follows by itself (`standins/parts.py`), for half-steps are faster than messages; so are the
strobed beams. Droppings are lifted, kept and dropped by a simulated hand (`tables.table.Hand`).

    deck = SimDeck(box.boards["deck"], Dice(7))
    deck.deal(["red", "red", "blue"], Physics(railings=3))
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from galley.deck_physics import Physics
from galley.sim.boards import SimulatedBoard
from galley.sim.deck_arm import Arm
from galley.sim.deck_model import Deck, DieFell, DroppingFell
from galley_board import drum, eye, pins
from galley_engine.game import Chance, JSONObject
from galley_engine.policies.poop_deck import Lift, Sight

FULL_DEG_S: Final = float(eye.FULL_DEG_S)
FULL_DUTY: Final = 65535
HOME_WIDTH_HALF_STEPS: Final = 60  # for how long the drum's switch is closed
BREAK_S: Final = 0.15  # for how long something that falls is in a beam
LIGHT: Final = {
    None: (220, 75, 75, 70),
    "red": (520, 330, 100, 90),
    "green": (480, 110, 260, 110),
    "blue": (460, 80, 130, 250),
    "yellow": (900, 430, 370, 100),
}
"""What a TCS34725 counts over a well: clear, red, green, blue; None is the empty one."""


def gp(name: str) -> int:
    """The GP number of a deck's pin, by its name in `pins.DEVICES`."""
    return int(pins.device_pin(pins.DECK, name).removeprefix("GP"))


HOLES: Final = tuple(gp(f"HOLE{hole}") for hole in (1, 2, 3, 4))
COILS: Final = tuple(gp(f"DIE_IN{coil}") for coil in (1, 2, 3, 4))


class SimDeck:
    """A deck under one simulated board; a `tables.table.Hand` over it.

    `on_change` is called when something moved or fell. `reader` says whether there is a colour reader; what
    is held is laid into its well by `lay_in_well`. Make it before the board is plugged in, or while it is: a
    board that is started anew is wired anew. Call it on the loop that runs the board.
    """

    def __init__(
        self,
        board: SimulatedBoard,
        chance: Chance,
        reader: bool = False,
        on_change: Callable[[], None] | None = None,
    ) -> None:
        self.guard_open = False
        self.in_well: str | None = None
        self.half_steps = 0
        self._board = board
        self._chance = chance
        self._reader = reader
        self._on_change = on_change
        # the die's turning and drifting are the host's, and which way the arm goes the motor's
        self._physics = Physics(reverse_percent=0, turn_percent=0, out_percent=0)
        self._deck = Deck(self._physics, chance, ())
        self._arm = Arm(self._physics.sectors)
        self._held: tuple[int, str] | None = None
        self._lifts: tuple[Lift, ...] = ()
        self._outputs: dict[int, int] = {}
        self._broken: dict[int, asyncio.TimerHandle] = {}
        self._moved_s = 0.0
        self._timer: asyncio.TimerHandle | None = None
        board.rigging = self
        if board.plugged:
            board.wire()

    # -- the board's side of the pins -------------------------------------------------------------------

    def wiring(self) -> list[dict[str, Any]]:
        """What the pins of a board that has just been plugged in are joined to."""
        watched = [gp(name) for name in ("EYE_nSLEEP", "EYE_IN1", "EYE_IN2")]
        return [
            {"op": "watch", "pins": watched},
            *(self._beam(hole) for hole in range(len(HOLES))),
            self._pin("EYE_HOME", self._arm.at_home),
            self._pin("GUARD", not self.guard_open),
            {
                "op": "stepper",
                "pins": list(COILS),
                "home": gp("DIE_HOME"),
                "half_steps": self.half_steps,
                "turn": [drum.TURN, drum.HALF_STEP],
                "width": HOME_WIDTH_HALF_STEPS,
            },
            {"op": "colour", "light": list(LIGHT[self.in_well]) if self._reader else None},
        ]

    def heard(self, event: dict[str, Any]) -> None:
        """The firmware drives a pin, or its stepper stands."""
        match event["ev"]:
            case "pin":
                self._driven(event["pin"], event["value"], event["t_us"])
            case "pwm":
                self._driven(event["pin"], event["duty"], event["t_us"])
            case "stepper":
                self.half_steps = event["half_steps"]
                self._changed()

    def unplugged(self) -> None:
        """The board is without power: nothing is driven."""
        self._move(time.monotonic())
        self._outputs.clear()
        self._drive()

    def open_guard(self, is_open: bool) -> None:
        """Open or close the lid; open, it cuts the motor's supply too."""
        self._move(time.monotonic())
        self.guard_open = is_open
        self._send(self._pin("GUARD", not is_open))
        self._drive()

    def break_beam(self, hole: int) -> None:
        """Have something pass the beam of a hole, 0 to 3: what falls, or a finger."""
        if hole in self._broken:
            self._broken[hole].cancel()
        self._broken[hole] = asyncio.get_running_loop().call_later(BREAK_S, self._mend, hole)
        self._send(self._beam(hole))

    def turn_drum(self, half_steps: int) -> None:
        """Turn the drum by hand to so many half-steps past home, as no firmware can know."""
        self.half_steps = half_steps
        self._send(next(wire for wire in self.wiring() if wire["op"] == "stepper"))

    # -- the hand (tables.table.Hand) -------------------------------------------------------------------

    def deal(self, colours: Sequence[str], physics: Physics) -> None:
        """Spread these droppings anew, and a loose die if it is that build, on a deck with such railings."""
        self._physics = self._physics._replace(
            build=physics.build, railings=physics.railings, push_percent=physics.push_percent
        )
        self._deck = Deck(self._physics, self._chance, colours)
        self._deck.arm = self._arm.sector
        self._held = None
        self._lifts = ()
        self.lay_in_well(False)
        self._changed()

    def lift(self, dropping: int | None) -> str | None:
        """Lift a dropping, None: the one the arm points at. Its colour, None when there is none."""
        if self._held is not None:
            return None
        lying = self._deck.droppings
        if dropping is None:
            pointed = (n for n, cell in lying.items() if cell.sector == self._arm.sector)
            dropping = next(pointed, None)
        if dropping is None or dropping not in lying:
            return None
        self._held = dropping, self._deck.lift(dropping)
        self._changed()
        return self._held[1]

    def put_back(self) -> None:
        """Put what is held back on deck."""
        if self._held is not None:
            self._deck.put_back(self._held[0])
            self._let_go(collected=False)

    def keep(self) -> None:
        """Lay what is held on the crew's pile."""
        if self._held is not None:
            self._let_go(collected=True)

    def drop(self) -> None:
        """Throw what is held, or the last one on deck, into the galley."""
        if self._held is None and len(self._deck.droppings) == 1:
            self.lift(next(iter(self._deck.droppings)))
        if self._held is not None:
            self._let_go(collected=False)

    def held(self) -> str | None:
        """The colour under what is held."""
        return None if self._held is None else self._held[1]

    def last(self) -> str | None:
        """The colour under the only dropping on deck, None while there is not just one."""
        return self._deck.colour_under_last() if len(self._deck.droppings) == 1 else None

    def die(self) -> str | None:
        """The colour on top of a loose die; None where there is none, or none any more."""
        return None if self._deck.die_cell is None else self._deck.face

    def push_die(self) -> None:
        """Push a loose die to the middle."""
        self._deck.push_die()
        self._changed()

    def lay_in_well(self, lay: bool) -> None:
        """Lay what is held into the reader's well, or take it out again."""
        self.show_in_well(self.held() if lay else None)

    def show_in_well(self, colour: str | None) -> None:
        """Have something of this colour in the reader's well; None empties it."""
        self.in_well = colour
        if self._reader:
            self._send({"op": "colour", "light": list(LIGHT[colour])})

    def sight(self) -> Sight:
        """All that an onlooker sees."""
        deck, physics = self._deck, self._physics
        return Sight(
            droppings=deck.droppings,
            lifts=self._lifts,
            sectors=physics.sectors,
            rings=physics.rings,
            open_holes=physics.open_holes,
            arm=self._arm.sector,
            heading=self._arm.heading,
            die_in_danger=deck.die_in_danger,
            die_cell=deck.die_cell,
        )

    def page(self) -> JSONObject:
        """Where everything lies, for the pages."""
        self._move(time.monotonic())
        physics, lying = self._physics, self._deck.droppings
        held: JSONObject | None = (
            None if self._held is None else {"n": self._held[0], "colour": self._held[1]}
        )
        return {
            "arm_deg": round(self._arm.deg % 360, 1),
            "droppings": [{"n": n, "sector": cell.sector, "ring": cell.ring} for n, cell in lying.items()],
            "held": held,
            "die": self.face,
            "die_at": None if self._deck.die_cell is None else self._deck.die_cell._asdict(),
            "railings": physics.railings,
            "holes": list(physics.holes),
            "sectors": physics.sectors,
            "rings": physics.rings,
        }

    def saved(self) -> JSONObject:
        """Where everything lies, with the colours underneath; for nobody's eyes."""
        return {
            **self._deck.saved(),
            "held": None if self._held is None else list(self._held),
            "lifts": [list(lift) for lift in self._lifts],
            "arm": self._arm.sector,
            "half_steps": self.half_steps,
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Lay everything as `saved` says; nothing changes if it cannot have lain so."""
        try:
            deck = Deck.taken_up(self._physics, self._chance, saved)
            held = None if saved["held"] is None else (int(saved["held"][0]), str(saved["held"][1]))
            lifts = tuple(Lift(*lift) for lift in saved["lifts"])
            arm, half_steps = int(saved["arm"]), int(saved["half_steps"])
        except (LookupError, TypeError, ValueError):
            return
        self._deck, self._held, self._lifts = deck, held, lifts
        self._arm.deg = arm * 360 / self._physics.sectors
        self._deck.arm = self._arm.sector
        self._send(self._pin("EYE_HOME", self._arm.at_home))
        self.turn_drum(half_steps)
        self._drive()
        self._changed()

    @property
    def face(self) -> str:
        """The colour of the die: of a loose one as it lies, of the drum as it stands."""
        if self._physics.build == "loose":
            return self._deck.face
        return self._physics.faces[drum.nearest_face(self.half_steps * drum.HALF_STEP)]

    # -- inside -----------------------------------------------------------------------------------------

    def _let_go(self, collected: bool) -> None:
        assert self._held is not None
        self._lifts = (*self._lifts, Lift(*self._held, collected))
        self._held = None
        self.lay_in_well(False)
        self._changed()

    def _driven(self, pin: int, value: int, t_us: int) -> None:
        self._move(t_us / 1e6)
        self._outputs[pin] = value
        self._drive()

    def _drive(self) -> None:
        """Give the arm the speed that the pins ask for."""
        on = self._outputs.get
        duty = on(gp("EYE_IN1"), 0) - on(gp("EYE_IN2"), 0)
        if self.guard_open or not on(gp("EYE_nSLEEP"), 0):
            duty = 0
        level = max(0.0, (abs(duty) - eye.LEAST_DUTY) / (FULL_DUTY - eye.LEAST_DUTY))
        self._arm.speed_deg_s = math.copysign(FULL_DEG_S * level, duty)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        wait_s = self._arm.wait_s()
        if wait_s is not None:
            self._timer = asyncio.get_running_loop().call_later(wait_s, self._due)

    def _due(self) -> None:
        self._move(time.monotonic())
        self._drive()

    def _move(self, now_s: float) -> None:
        """Let the arm be where it is at `now_s`, mark by mark."""
        left_s, self._moved_s = now_s - self._moved_s, max(now_s, self._moved_s)
        moved = False
        while left_s > 0 and (wait_s := self._arm.wait_s()) is not None:
            home, sector = self._arm.at_home, self._arm.sector
            passed = self._arm.turn(left_s)
            left_s -= wait_s
            if not passed:
                break
            moved = True
            if self._arm.at_home != home:
                self._send(self._pin("EYE_HOME", not home))
            if self._arm.sector != sector:
                self._enter_sector(sector)
        if moved:
            self._changed()

    def _enter_sector(self, before: int) -> None:
        self._deck.arm, self._deck.heading = before, self._arm.heading
        for happening in self._deck.tick():
            if isinstance(happening, DroppingFell):
                self.break_beam(self._physics.holes.index(happening.cell.sector))
            elif isinstance(happening, DieFell):
                self.break_beam(self._physics.holes.index(self._nearest_hole()))

    def _nearest_hole(self) -> int:
        """Where a loose die fell: the model names no cell."""
        count, here = self._physics.sectors, self._arm.sector
        return min(
            self._physics.open_holes, key=lambda hole: min((hole - here) % count, (here - hole) % count)
        )

    def _mend(self, hole: int) -> None:
        del self._broken[hole]
        self._send(self._beam(hole))

    def _beam(self, hole: int) -> dict[str, Any]:
        broken = hole in self._broken
        return {
            "op": "beam",
            "pin": HOLES[hole],
            "strobe": gp("IR_STROBE"),
            "broken": broken,
            "ambient": False,
        }

    def _pin(self, name: str, closed: bool) -> dict[str, Any]:
        return {"op": "pin", "pin": gp(name), "value": 0 if closed else None}

    def _send(self, message: dict[str, Any]) -> None:
        self._board.send(message)

    def _changed(self) -> None:
        if self._on_change is not None:
            self._on_change()
