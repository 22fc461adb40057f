"""The simulated deck as a world for bots: what a seat sees of it, and what comes of what the seat wishes.

For: whole games of the poop deck without a box. It joins the game, which knows counts and events, to the
`deck_model`, which knows where things lie. A wish to grab becomes a turn: the hand aims, grabs, holds and
announces what it finds, and meanwhile the eye goes round. It implements `galley_engine.simulate.World`.

    world = DeckWorld(state, Dice(7))
    world.sight(state, 0)                       a Sight: cells, numbers, what was lifted so far
    world.follow(state, {"do": "grab", "seat": 0, "dropping": 3})     (ms, action) after (ms, action)

The world does not decide what a find is worth: it lets the engine apply each action, and looks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from galley.deck_physics import Physics
from galley.sim.deck_model import ArmAt, Deck, DieFell, DieShows, DroppingFell, Happening
from galley_engine.game import BadSetup, Chance, JSONObject, Step
from galley_engine.games import poop_deck
from galley_engine.games.poop_deck import COLOURS, State
from galley_engine.policies.poop_deck import Lift, Sight

DEFAULT: Final = Physics()


class DeckWorld:
    """A deck for the droppings that `start` has on deck; it changes with each wish it follows."""

    def __init__(self, start: State, chance: Chance, physics: Physics = DEFAULT) -> None:
        """Raises BadSetup if the start has more droppings on deck than can be left of all colours."""
        left = [
            colour
            for colour, collected in zip(COLOURS, start.collected, strict=True)
            for _ in range(start.options.droppings_per_colour - collected)
        ]
        if start.deck > len(left):
            raise BadSetup("deck", f"is {start.deck}, but only {len(left)} droppings are not collected")
        self._physics = physics
        self._chance = chance
        self.deck = Deck(physics, chance, chance.shuffle(left)[: start.deck], start.die)
        self._lifts: tuple[Lift, ...] = ()

    def sight(self, state: State, seat: int) -> Sight:
        """What any seat sees of the deck; all see the same."""
        physics, deck = self._physics, self.deck
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

    def follow(self, state: State, wish: JSONObject | None) -> Iterator[tuple[int, JSONObject]]:
        """What comes of a wish: ms since the one before, and an action or event for the engine.

        Nobody's wish (None) is a wait of one tick.
        """
        if state.die is None:
            yield 0, {"do": "die_shows", "colour": self.deck.face}
            return
        match None if wish is None else wish["do"]:
            case "grab":
                assert wish is not None
                yield from self._turn(state, wish)
            case "name_last":
                assert wish is not None
                yield 0, {**wish, "truth": self.deck.colour_under_last()}
            case "push_die":
                assert wish is not None
                self.deck.push_die()
                yield 0, wish
            case _:
                happened = list(self._tick())
                yield from happened or [
                    (self._physics.tick_ms, {"do": "die_shows", "colour": self.deck.face})
                ]

    def _turn(self, state: State, wish: JSONObject) -> Iterator[tuple[int, JSONObject]]:
        """Aim, grab, hold, announce; it ends early when the dropping falls before the grab."""
        seat, deck = wish["seat"], self.deck
        asked = wish.get("dropping")
        dropping = asked if isinstance(asked, int) else self._chance.die(tuple(deck.droppings))
        waited_ms = 0
        for _ in range(self._physics.aim_ticks):
            waited_ms += self._physics.tick_ms
            for action in self._events():
                state = _after(state, action)
                yield waited_ms, action
                waited_ms = 0
            if dropping not in deck.droppings:
                return
        grab: JSONObject = {"do": "grab", "seat": seat}
        state = _after(state, grab)
        colour = deck.lift(dropping)
        yield waited_ms, grab
        waited_ms = 0
        for _ in range(self._physics.hold_ticks):
            waited_ms += self._physics.tick_ms
            for action in self._events():
                state = _after(state, action)
                yield waited_ms, action
                waited_ms = 0
        announced: JSONObject = {"do": "announce", "seat": seat, "colour": colour}
        collected = sum(_after(state, announced).collected) > sum(state.collected)
        self._lifts = (*self._lifts, Lift(dropping, colour, collected))
        if not collected:
            deck.put_back(dropping)
        yield waited_ms, announced

    def _tick(self) -> Iterator[tuple[int, JSONObject]]:
        """One tick of waiting: its time comes with its first event."""
        waited_ms = self._physics.tick_ms
        for action in self._events():
            yield waited_ms, action
            waited_ms = 0

    def _events(self) -> Iterator[JSONObject]:
        """What the next tick does, as events of the game."""
        for happening in self.deck.tick():
            event = as_event(happening)
            if event is not None:
                yield event


def as_event(happening: Happening) -> JSONObject | None:
    """A happening of the deck as an event of the game; None if the game has no word for it."""
    match happening:
        case DieShows(colour):
            return {"do": "die_shows", "colour": colour}
        case DroppingFell():
            return {"do": "dropping_fell"}
        case DieFell():
            return {"do": "die_fell"}
        case ArmAt():
            return None


def _after(state: State, action: JSONObject) -> State:
    """The state after an action that the game accepts, or as it was after the end."""
    outcome = poop_deck.apply(state, action, 0, None)
    return outcome.state if isinstance(outcome, Step) else state
