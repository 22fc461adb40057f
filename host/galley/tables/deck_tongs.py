"""The tongs of a simulated hand: what bots and people let it do on a deck that nobody can touch.

For: the world of the poop deck, where there is a `Hand`; all droppings that are lifted, kept, put back and
thrown away by the rules go through here. A bot's grab begins with aiming; what is held is announced after a
while, by a bot at the pace of the model, else after PATIENCE_MS, so that no game waits for somebody who has
left. It must not know the eye or the die. Times are house ms.

Counts and deck may differ for a moment, while a fall is on its way through the wire, or for good, when a step
was taken back or a board was away: then the deck is dealt anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from galley.deck_physics import Physics
from galley.tables.table import Hand
from galley_engine.game import Chance, JSONObject
from galley_engine.games.poop_deck_state import COLOURS, State, is_left
from galley_engine.policies.poop_deck import Sight

PATIENCE_MS: Final = 20_000
UNEVEN_MS: Final = 3_000


class Tongs:
    """One hand for the whole table. `held` is the colour under what it holds."""

    def __init__(self, state: State, chance: Chance, hand: Hand, physics: Physics) -> None:
        self._physics = physics
        self._chance = chance
        self._hand = hand
        self._bots: set[int] = set()
        self._aim: tuple[int, int | None, int] | None = None  # seat, dropping, when the hand is there
        self._held_ms: int | None = None
        self._uneven_ms: int | None = None
        self._deal(state)

    @property
    def held(self) -> str | None:
        """The colour under what is held, if anything is."""
        return self._hand.held()

    @property
    def last(self) -> str | None:
        """The colour under the only dropping on deck, while there is just one."""
        return self._hand.last()

    @property
    def aim(self) -> int | None:
        """The dropping that a bot reaches for."""
        return None if self._aim is None else self._aim[1]

    @property
    def die_in_danger(self) -> bool:
        """Whether a loose die lies at the railing."""
        seen = self._hand.sight()
        return isinstance(seen, Sight) and seen.die_in_danger

    @property
    def die(self) -> str | None:
        """The colour on top of a loose die; None once it has fallen."""
        return self._hand.die()

    def push_die(self) -> None:
        """Push a loose die to the middle."""
        self._hand.push_die()

    def lying(self) -> JSONObject:
        """Where everything lies, for the pages."""
        return self._hand.page()

    def sight(self, state: State) -> Sight | None:
        """The deck as a bot sees it; None while it differs from what the game counts."""
        seen = self._hand.sight()
        if not isinstance(seen, Sight) or (state.phase == "hunt" and len(seen.droppings) != state.deck):
            return None
        return seen

    # -- what is wanted -------------------------------------------------------------------------------

    def person(self, seat: int) -> None:
        """A person has this seat."""
        self._bots.discard(seat)

    def bot(self, seat: int) -> None:
        """A bot has this seat."""
        self._bots.add(seat)

    def reach(self, state: State, seat: int, dropping: int | None, now_ms: int) -> None:
        """Begin to aim at `dropping`, None: whatever the arm points at then."""
        if self._aim is None and state.phase == "hunt":
            self._aim = (seat, dropping, now_ms + self._physics.aim_ticks * self._physics.tick_ms)

    def lift(self, state: State, dropping: int | None) -> bool:
        """Lift it now; whether something is held."""
        if state.phase != "hunt":
            return False
        asked = self.pointed() if dropping is None else dropping
        return self.held is not None or self._hand.lift(asked) is not None

    def pointed(self) -> int | None:
        """The dropping that the arm points at, or the next one that it will come to."""
        seen = self._hand.sight()
        if not isinstance(seen, Sight) or not seen.droppings:
            return None

        def way(dropping: int) -> tuple[int, int]:
            sector, ring = seen.droppings[dropping]
            return (sector - seen.arm) * seen.heading % seen.sectors, -ring

        return min(seen.droppings, key=way)

    # -- time -----------------------------------------------------------------------------------------

    def tick(self, state: State, now_ms: int) -> JSONObject | None:
        """The grab of a hand that has aimed, the announcement of one that has held long enough."""
        self._even_out(state, now_ms)
        if state.phase == "hold":
            if self._held_ms is None:
                self._held_ms = now_ms
            if now_ms < self._held_ms + self._patience_ms(state):
                return None
            self._held_ms = now_ms  # should the game refuse it, there is another try
            return {"do": "announce", "seat": state.turn, "colour": self._colour_to_say(state)}
        if self._aim is None or now_ms < self._aim[2]:
            return None
        (seat, dropping, _), self._aim = self._aim, None
        if seat != state.turn or not self.lift(state, dropping):
            return None
        return {"do": "grab", "seat": seat}

    def delay(self, ms: int) -> None:
        """All stood still for `ms`."""
        if self._aim is not None:
            self._aim = (*self._aim[:2], self._aim[2] + ms)
        if self._held_ms is not None:
            self._held_ms += ms
        self._uneven_ms = None

    def _patience_ms(self, state: State) -> int:
        physics = self._physics
        return physics.hold_ticks * physics.tick_ms if state.turn in self._bots else PATIENCE_MS

    def _colour_to_say(self, state: State) -> str:
        """What is held; after a step was taken back nothing may be, then any colour that is left."""
        left = [colour for colour in COLOURS if is_left(state, colour)]
        held = self.held
        return held if held in left else self._chance.die(left or COLOURS)

    def _even_out(self, state: State, now_ms: int) -> None:
        seen = self._hand.sight()
        if not isinstance(seen, Sight) or len(seen.droppings) + (self.held is not None) == state.deck:
            self._uneven_ms = None
        elif self._uneven_ms is None:
            self._uneven_ms = now_ms
        elif now_ms - self._uneven_ms >= UNEVEN_MS:
            self._uneven_ms = None
            self._deal(state)

    def saved(self) -> JSONObject:
        """What must outlive the host: where everything lies."""
        return self._hand.saved()

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Lay everything where it lay."""
        self._hand.restore(saved)

    # -- what the rules made of it ----------------------------------------------------------------------

    def lifted(self, now_ms: int) -> None:
        """A turn's dropping is in the hand from now on."""
        self._held_ms, self._aim = now_ms, None

    def lay_down(self, collected: bool) -> None:
        """On the crew's pile, or back on deck."""
        self._held_ms = None
        if self.held is None and collected and self.last is not None:
            self._hand.lift(self.pointed())  # it is the last one, named before anybody lifted it
        if self.held is not None and collected:
            self._hand.keep()
        elif self.held is not None:
            self._hand.put_back()

    def throw_away(self) -> None:
        """The last one was named wrong."""
        self._hand.drop()

    def undone(self, state: State) -> None:
        """A step was taken back: nothing is held in a hunt, and something in a hold."""
        self._aim = self._held_ms = None
        if state.phase == "hunt" and self.held is not None:
            self._hand.put_back()
        elif state.phase == "hold" and self.held is None:
            self._take_in_hand(state)

    def _deal(self, state: State) -> None:
        """Spread as many droppings as the game has on deck, of colours that are not collected."""
        left = [
            colour
            for colour, collected in zip(COLOURS, state.collected, strict=True)
            for _ in range(state.options.droppings_per_colour - collected)
        ]
        self._hand.deal(self._chance.shuffle(left)[: state.deck], self._physics)
        if state.phase == "hold":
            self._hand.lift(self.pointed())

    def _take_in_hand(self, state: State) -> None:
        """Somebody holds a dropping by the rules: let the hand have one, of a deck dealt anew if it must."""
        seen = self._hand.sight()
        if isinstance(seen, Sight) and len(seen.droppings) == state.deck:
            self._hand.lift(self.pointed())
        else:
            self._deal(state)
