"""A hand over the simulated deck, and a clock that moves both: what the box does, without boards.

Not tests themselves: the tests of the poop deck's table and world play on it. The eye enters a sector each
tick; what comes of it reaches the game as the sensors of the deck board do, as edges of its keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from galley.deck_physics import Physics
from galley.play import Play
from galley.session import Session
from galley.sim.deck_model import ArmAt, Deck, DieFell, DroppingFell
from galley.tables import load
from galley.tables.table import Seat
from galley_engine.dice import Dice
from galley_engine.game import Event, JSONObject
from galley_engine.policies.poop_deck import Lift, Sight

HOME = 16
TICK_MS = 1000


class DeckHand:
    """`tables.table.Hand` over a `Deck` whose die is somebody else's."""

    def __init__(self, seed: int = 1, **numbers: Any) -> None:
        self._chance = Dice(seed)
        self._numbers = {"reverse_percent": 0, "turn_percent": 0, "out_percent": 0, **numbers}
        self._held: tuple[int, str] | None = None
        self._lifts: tuple[Lift, ...] = ()
        self.dealt = 0
        self.deck: Deck

    def deal(self, colours: Sequence[str], physics: Physics) -> None:
        """Spread these droppings anew."""
        self.deck = Deck(physics._replace(**self._numbers), self._chance, colours)
        self._held, self._lifts = None, ()
        self.dealt += 1

    def lift(self, dropping: int | None) -> str | None:
        """Lift one, None: any."""
        lying = self.deck.droppings
        number = next(iter(lying), None) if dropping is None else dropping
        if number not in lying or number is None:
            return None
        self._held = (number, self.deck.lift(number))
        return self._held[1]

    def put_back(self) -> None:
        """Put it back."""
        self.deck.put_back(self._let_go(False))

    def keep(self) -> None:
        """Keep it."""
        self._let_go(True)

    def drop(self) -> None:
        """Throw away what is held, or the last one."""
        if self._held is None:
            self.lift(None)
        self._let_go(False)

    def _let_go(self, collected: bool) -> int:
        assert self._held is not None, "nothing is held"
        (number, colour), self._held = self._held, None
        self._lifts = (*self._lifts, Lift(number, colour, collected))
        return number

    def held(self) -> str | None:
        """The colour of what is held."""
        return None if self._held is None else self._held[1]

    def last(self) -> str | None:
        """The colour under the only one."""
        return self.deck.colour_under_last() if len(self.deck.droppings) == 1 else None

    def die(self) -> str | None:
        """What a loose die shows."""
        return None if self.deck.die_cell is None else self.deck.face

    def push_die(self) -> None:
        """Push a loose die."""
        self.deck.push_die()

    def sight(self) -> Sight:
        """What an onlooker sees."""
        deck, physics = self.deck, self.deck.physics
        return Sight(
            droppings=deck.droppings,
            lifts=self._lifts,
            sectors=physics.sectors,
            rings=physics.rings,
            open_holes=physics.open_holes,
            arm=deck.arm,
            heading=deck.heading,
            die_in_danger=deck.die_in_danger,
            die_cell=deck.die_cell,
        )

    def page(self) -> JSONObject:
        """Where everything lies."""
        held: JSONObject | None = (
            None if self._held is None else {"n": self._held[0], "colour": self._held[1]}
        )
        lying = [
            {"n": n, "sector": cell.sector, "ring": cell.ring} for n, cell in self.deck.droppings.items()
        ]
        return {"arm_deg": self.deck.arm * 22.5, "droppings": lying, "held": held}

    def swept(self, eye: int) -> Iterator[int]:
        """Let the arm enter a sector, the way that the eye turns; the sensors that something passes."""
        self.deck.heading = 1 if eye > 0 else -1
        for happening in self.deck.tick():
            if isinstance(happening, ArmAt) and happening.sector == 0:
                yield HOME
            elif isinstance(happening, DroppingFell):
                yield 6 + self.deck.physics.holes.index(happening.cell.sector)
            elif isinstance(happening, DieFell):
                yield 6

    def saved(self) -> JSONObject:
        """Where everything lies, as the simulated deck keeps it."""
        return {**self.deck.saved(), "held": self._held, "lifts": self._lifts, "arm": self.deck.arm}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Lay everything so."""
        self.deck = Deck.taken_up(self.deck.physics, self._chance, saved)
        self.deck.arm = saved["arm"]
        self._held = None if saved["held"] is None else (saved["held"][0], saved["held"][1])
        self._lifts = tuple(Lift(*lift) for lift in saved["lifts"])


class Ship:
    """A running game with its deck; `hand=None` is a real deck, which nothing moves but `edge`."""

    def __init__(
        self,
        seats: Sequence[Seat],
        hand: DeckHand | None,
        seed: int = 1,
        *,
        speed: float = 1.0,
        **settings: Any,
    ) -> None:
        self.hand = hand
        self.now_ms = 1000
        self.news: list[Event] = []
        table = load("poop_deck")
        session = Session.start(table.game, len(seats), {}, seed, self.now_ms)
        self.play = Play.begin(
            table, seats, session, self.now_ms, self.news.extend, hand=hand, settings=settings, speed=speed
        )
        self._next_tick_ms = self.now_ms + TICK_MS

    @property
    def state(self) -> Any:
        """The game's state."""
        return self.play.session.state

    @property
    def facts(self) -> Any:
        """What the table is told of the world."""
        return self.play.choice

    @property
    def deck(self) -> Any:
        """What pages see of the deck."""
        return self.play.topic()["deck"]

    def press(self, key: int, board: str = "deck") -> bool:
        """A person presses a key; whether it did something."""
        return self.play.press((board, key), self.now_ms)

    def edge(self, key: int, down: bool = True) -> None:
        """A sensor of the deck."""
        self.play.edge(("deck", key), down, self.now_ms)

    def run(self, ms: int) -> None:
        """Let time pass, to the millisecond at which something is due."""
        end_ms = self.now_ms + ms
        while self.now_ms < end_ms and not self.play.over:
            due_ms = self.play.due_ms()
            self.now_ms = min(
                end_ms, self._next_tick_ms, end_ms if due_ms is None else max(due_ms, self.now_ms + 1)
            )
            if self.now_ms >= self._next_tick_ms:
                self._next_tick_ms += TICK_MS
                self._sweep()
            if not self.play.over:
                self.play.tick(self.now_ms)

    def _sweep(self) -> None:
        if self.hand is None or self.facts["eye"] == "0":
            return
        for sensor in self.hand.swept(int(self.facts["eye"])):
            self.edge(sensor)
            self.edge(sensor, False)
