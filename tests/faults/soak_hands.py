"""The hands of the soak: they press whatever has a job, race for the bell, and fish on a deck that they see.

A hand knows what a page shows and what lies on its own table, never more. `act` is one thing that it does; it
never waits long, for the host may be gone or a cable out meanwhile, and looks anew then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from random import Random
from typing import Any, Final

from galley.deck_physics import Physics
from galley.tables.table import ROLL, STATIONS, seat_key
from galley_engine.games.poop_deck_state import COLOURS
from tests.faults.soak_rig import Rig, Watch
from tests.loop.box_process import Page

GAPS_MS: Final = (0.2, 1.0, 3.0, 6.0, 12.0, 30.0)
STRAY: Final = 0.1  # how often a key is pressed that need not have a job
FIDDLY: Final = frozenset({"mark", "unmark", "next_offer", "tile", "rob", "hint"})
"""What leads nowhere by itself: with these alone no game would end."""
ONWARD: Final = ("again", "start", "join", "wake")
CLUMSY: Final = 0.05
HOLES: Final = 4
TAKEN_S: Final = 0.6  # by then a press has come to the page, or is lost with its cable
COUNTED_S: Final = 3.0


class Hands:
    """Somebody who presses keys that have jobs, and now and then one that has none."""

    def __init__(self, rig: Rig, random: Random) -> None:
        self.rig = rig
        self.random = random

    async def act(self, watch: Watch) -> None:
        """Press one key."""
        jobs = watch.jobs
        wanted = [job for job in jobs if job[2] not in FIDDLY]
        if wanted and self.random.random() < 0.6:
            jobs = wanted
        role, key = self.random.choice(jobs)[:2] if jobs else ("left", 0)
        if not jobs or self.random.random() < STRAY:
            role, key = self.random.choice(STATIONS), self.random.randrange(8)
        await self.rig.press(role, key, self.random.randrange(25, 60))

    async def begin(self, watch: Watch) -> None:
        """No game is on: press what leads to the next one."""
        jobs = {word: (role, key) for role, key, word in watch.jobs}
        onward = next((jobs[word] for word in ONWARD if word in jobs), None)
        if onward is None:
            await asyncio.sleep(0.02)
        else:
            await self.rig.press(*onward, 40)
            await watch.until(lambda page: watch.playing, 0.2)


def duel_keys(state: Mapping[str, Any], side: str) -> list[int]:
    """What a player of the duel presses at a side to complete a platter; nothing when it is complete."""
    dice = state["stations"][side]
    if dice["faces"][0] is None:
        return [ROLL]
    each = [[face in platter or face == "star" for face in dice["faces"]] for platter in state["visible"]]
    fits = max(each, key=sum)  # of platters of six times one ingredient the nearest
    wrong = [die for die, (fit, kept) in enumerate(zip(fits, dice["kept"], strict=True)) if fit != kept]
    return wrong or ([] if all(fits) else [ROLL])


class Duelists(Hands):
    """Two who play towards a platter each; when both have one, both ring, and it is known who was first."""

    async def act(self, watch: Watch) -> None:
        """Some keys at each side, or the race."""
        if sum(word == "bell" for _, _, word in watch.jobs) < len(STATIONS):
            await super().act(watch)
            return
        keys = {side: duel_keys(watch.page.state, side) for side in STATIONS}
        if any(keys.values()):
            await asyncio.gather(*(self.rig.press_all(side, own) for side, own in keys.items()))
            await asyncio.sleep(0.1)
        else:
            await self.race(watch)

    async def race(self, watch: Watch) -> None:
        """Two bells a known time apart: whoever is named was the first, and by so much as is said."""
        before = {news["n"] for news in watch.page.topics["news"]}

        def told() -> list[dict[str, Any]]:
            return [
                n["params"] for n in watch.page.topics["news"] if n["key"] == "first" and n["n"] not in before
            ]

        stations = watch.page.state["stations"]
        seats = [seat["colour"] for seat in watch.page.house["seats"]]
        first, second = self.random.choice((("left", "right"), ("right", "left")))
        gap_ms = self.random.choice(GAPS_MS)
        in_time = await self.rig.race(first, second, gap_ms)
        await watch.until(lambda page: told(), 1.5)
        counts = self.rig.tally.races
        if not in_time:  # this machine was busy: nobody knows how far apart they were
            counts["told too late"] += 1
            return
        if not told():  # a cable failed meanwhile, and the race is void
            counts["void"] += 1
            return
        verdict = told()[-1]
        said_ms, doubt_ms = float(verdict["gap"]), float(verdict["doubt"])
        if verdict["race"] == "provisional":
            counts["provisional"] += 1
            return
        assert abs(said_ms - gap_ms) <= doubt_ms + 0.1, f"{gap_ms} ms apart, but {verdict} was said"
        if verdict["race"] == "heat":
            counts["dead heat"] += 1
            return
        winner = seats[stations[first]["seat"]]
        assert verdict["by"] == winner, f"{first} was {gap_ms} ms before {second}, but {verdict} was said"
        counts["won"] += 1


class Crew(Hands):
    """Two who fish droppings off the deck: they see where all lie, and a colour when they have lifted it."""

    def __init__(self, rig: Rig, random: Random, per_colour: int, physics: Physics) -> None:
        super().__init__(rig, random)
        self._per_colour = per_colour
        self._physics = physics
        self.dealt = False

    async def begin(self, watch: Watch) -> None:
        """They are spread anew for the next game."""
        self.dealt = False
        await super().begin(watch)

    @property
    def lying(self) -> int:
        """The droppings that have not fallen and are not collected."""
        deck = self.rig.deck
        return len(deck.sight().droppings) + (deck.held() is not None)

    def lost(self, watch: Watch) -> int:
        """How many more the game counts than there are; a fall on its way is among them."""
        return int(watch.page.state["deck"]) - self.lying

    async def act(self, watch: Watch) -> None:
        """Deal, push the die, or go on with the turn."""
        deck = self.rig.deck
        if not self.dealt:
            deck.deal([colour for colour in COLOURS for _ in range(self._per_colour)], self._physics)
            self.dealt = True
        if watch.table["deck"]["danger"]:
            await self.rig.press(*seat_key("violet"), 40)
        if self.lying:
            await self.turn(watch)
        else:  # the game counts some that are gone: when all is quiet, that is made good
            await asyncio.sleep(0.05)

    async def turn(self, watch: Watch) -> None:
        """Lift one, say so, and say its colour; then keep it or lay it back, as the game says."""
        deck, state = self.rig.deck, watch.page.state
        if deck.held() is None:
            seen = deck.sight()
            known = {lift.dropping: lift.colour for lift in seen.lifts}
            wanted = [n for n in seen.droppings if known.get(n, state["die"]) == state["die"]]
            if not wanted and state["phase"] == "hunt" and state["deck"] > 1:
                await self.wait_for_the_die()
                return
            deck.lift(self.random.choice(wanted or list(seen.droppings)))
        colour = deck.held()
        assert colour is not None
        if state["phase"] == "hunt" and state["deck"] == 1:  # the last one is named, before the truth is told
            await self.rig.press(*seat_key(colour), 40)
            await asyncio.sleep(0.05)
            if not watch.playing:
                deck.keep()
            return
        if state["phase"] == "hunt":
            await self.rig.press(*seat_key("white"), 40)
            await watch.until(lambda page: page.state is None or page.state["phase"] != "hunt", TAKEN_S)
            return
        await self.rig.press(*seat_key(colour), 40)
        await watch.until(lambda page: page.state is None or page.state["phase"] != "hold", TAKEN_S)
        after = watch.page.state
        if after is None or after["phase"] == "hold":
            return
        if after["collected"][colour] > state["collected"][colour]:
            deck.keep()
        else:
            deck.put_back()

    async def wait_for_the_die(self) -> None:
        """Till it shows another colour; a clumsy hand knocks one overboard now and then, far from the arm."""
        await asyncio.sleep(0.05)
        deck = self.rig.deck
        seen = deck.sight()
        if len(seen.droppings) > 1 and self.random.random() < CLUMSY:
            deck.lift(self.random.choice(list(seen.droppings)))
            deck.drop()
            deck.break_beam((seen.arm * HOLES // seen.sectors + HOLES // 2) % HOLES)
            await asyncio.sleep(0.4)  # two through one beam at once would be one

    async def make_good(self, watch: Watch) -> bool:
        """A finger through a beam for each fall that was lost with its cable; whether all were counted."""
        while watch.playing and self.lost(watch) > 0:
            before = watch.page.state["deck"]
            self.rig.tally.falls_unseen += 1
            self.rig.deck.break_beam(0)
            if not await watch.until(partial(counted, watch, before), COUNTED_S):
                return watch.gone.is_set()
        return True


def counted(watch: Watch, before: int, page: Page) -> bool:
    """Whether fewer are on deck than `before`, or the game is over."""
    return not watch.playing or page.state["deck"] < before
