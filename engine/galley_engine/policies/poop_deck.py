"""How the bots play the poop deck: which dropping to lift, when to push the die, when to name the last one.

A bot sees the deck, not only the counts: its `sight` is a Sight, made by whoever has the deck, where things
lie and what was lifted so far, for all at the table have seen that. Droppings have opaque numbers. A policy
keeps nothing: what it remembers is how much of that history it uses, and that is what makes a strength. It is
a pure function of (state, sight), and of chance for its whims.

Its wishes are the game's actions with what only the world needs:

    {"do": "grab", "seat": 0, "dropping": 7}        the world lets the hand aim, grabs, holds, announces
    {"do": "name_last", "seat": 0, "colour": "red"}     the world adds the truth
    {"do": "push_die", "seat": 0, "because": "hole"}

In `hold` there is nothing to wish, the colour underneath is what it is. Without a sight (a game with no deck
to look at) a bot grabs and leaves the choice to the hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

from galley_engine.game import Chance, JSONObject
from galley_engine.games.poop_deck import COLOURS, State, may_be_gone

EVERYTHING: Final = 1 << 30


class Lift(NamedTuple):
    """A dropping that was lifted, the colour announced, and whether it was collected."""

    dropping: int
    colour: str
    collected: bool


class Sight(NamedTuple):
    """What all at the table see of the deck. A cell is (sector, ring), ring 0 at the shaft."""

    droppings: Mapping[int, tuple[int, int]]  # number -> cell, of those on deck
    lifts: tuple[Lift, ...]  # all so far, oldest first
    sectors: int
    rings: int
    open_holes: tuple[int, ...]  # their sectors; a hole is the outer cell
    arm: int  # its sector
    heading: int  # 1 or -1
    die_in_danger: bool  # whether the box offers to push it
    die_cell: tuple[int, int] | None  # where a loose die lies; None for a drum


Aim: TypeAlias = "Callable[[State, Sight, Mapping[int, str], Chance], int]"
"""Which dropping to lift, from the colours remembered: number -> colour, of those on deck."""


class Habits(NamedTuple):
    """What makes a strength; `guards` in percent.

    A claim is a push of a loose die before it is at the railing, because its colour may be gone: something
    has fallen, and nobody knows what.
    """

    aim: Aim
    remembers: int  # how many of the last lifts
    guards: int  # how often the die is pushed when it is in danger
    claims: bool  # whether the die is pushed as soon as it may be
    names: bool  # whether the last one is named when its colour is known


class CrewPolicy:
    """A member of the crew with given habits."""

    def __init__(self, habits: Habits) -> None:
        self.habits = habits

    def choose(self, state: State, seat: int, chance: Chance, sight: object = None) -> JSONObject | None:
        """The wish of the seat that has the tongs, or None. `sight` is a Sight, or None without a deck."""
        if state.phase != "hunt" or seat != state.turn:
            return None
        if not isinstance(sight, Sight):
            return {"do": "grab", "seat": seat}
        habits = self.habits
        if sight.die_in_danger and chance.die(_PERCENT) < habits.guards:
            return {"do": "push_die", "seat": seat, "because": "hole"}
        if habits.claims and sight.die_cell is not None and sight.die_cell[1] > 0 and may_be_gone(state):
            return {"do": "push_die", "seat": seat, "because": "gone"}
        known = remembered(sight, habits.remembers)
        if habits.names and state.deck == 1:
            colour = _last_colour(state, sight, known)
            if colour is not None:
                return {"do": "name_last", "seat": seat, "colour": colour}
        return {"do": "grab", "seat": seat, "dropping": habits.aim(state, sight, known, chance)}


_PERCENT: Final = range(100)


# --- What one knows -------------------------------------------------------------------------------


def remembered(sight: Sight, last: int) -> dict[int, str]:
    """The colours of droppings on deck, from the `last` lifts."""
    lifts = sight.lifts[-last:] if last else ()
    return {lift.dropping: lift.colour for lift in lifts if lift.dropping in sight.droppings}


def colours_left(state: State, sight: Sight, known: Mapping[int, str]) -> Counter[str]:
    """How many droppings of each colour are among those nobody has looked under, on deck or fallen.

    `known` are the colours remembered. Of a fallen dropping that had been lifted before, the colour is known.
    """
    left = Counter(dict(zip(COLOURS, state.collected, strict=True)))
    fallen = {
        lift.dropping: lift.colour
        for lift in sight.lifts
        if not lift.collected and lift.dropping not in sight.droppings
    }
    taken = Counter(known.values()) + Counter(fallen.values())
    each = state.options.droppings_per_colour
    return Counter({colour: max(0, each - left[colour] - taken[colour]) for colour in COLOURS})


def _last_colour(state: State, sight: Sight, known: Mapping[int, str]) -> str | None:
    """The colour of the last dropping, if it is sure."""
    (dropping,) = sight.droppings
    if dropping in known:
        return known[dropping]
    possible = [colour for colour, count in colours_left(state, sight, known).items() if count]
    return possible[0] if len(possible) == 1 else None


def showing(state: State, sight: Sight) -> dict[str, float]:
    """For each colour about how likely the die is to show it during the next hold.

    A drum may turn when the arm passes sector 0, so it depends on when that will be: during the aim (the
    first two ticks), during the hold (the next two), or not in this turn. The arm is taken to keep its
    heading. A loose die may be pushed at any time, with no great chance.
    """
    now = {colour: float(colour == state.die) for colour in COLOURS}
    ticks = (-sight.arm * sight.heading) % sight.sectors or sight.sectors
    if sight.die_cell is not None or ticks > AIM + HOLD:
        return now
    fresh = TURNS / len(COLOURS)
    if ticks <= AIM:
        return {colour: (1 - TURNS) * chance + fresh for colour, chance in now.items()}
    if state.options.match_rule == "at_announce":
        return {colour: (1 - TURNS) * chance + fresh for colour, chance in now.items()}
    return {colour: chance + (1 - chance) * fresh for colour, chance in now.items()}


AIM: Final = 2
HOLD: Final = 2
TURNS: Final = 0.5
"""What a bot takes the ticks of a hand and the chance of a turn of the drum to be (rules, deck model)."""


def danger(sight: Sight, cell: tuple[int, int]) -> float:
    """About how likely a dropping there falls before the crew comes to it: 0 to 1, for comparison.

    A dropping falls from the hole's own sector, or is carried along the railing into it.
    """
    sector, ring = cell
    nearest = min(
        (
            min((hole - sector) * sight.heading % sight.sectors, 4 + (sector - hole) % sight.sectors)
            for hole in sight.open_holes
        ),
        default=sight.sectors,
    )
    if nearest == 0:
        return (0.5, 0.9)[ring >= sight.rings - 2]
    return max(0.0, 0.3 - 0.05 * nearest) * (ring + 1) / sight.rings


# --- Which dropping -------------------------------------------------------------------------------


def any_dropping(state: State, sight: Sight, known: Mapping[int, str], chance: Chance) -> int:
    """Any of them."""
    return chance.die(tuple(sight.droppings))


def a_match(state: State, sight: Sight, known: Mapping[int, str], chance: Chance) -> int:
    """One remembered in the die's colour, else one not remembered, else any."""
    matching = [dropping for dropping, colour in known.items() if colour == state.die]
    strange = [dropping for dropping in sight.droppings if dropping not in known]
    return chance.die(matching or strange or tuple(sight.droppings))


def the_likeliest(state: State, sight: Sight, known: Mapping[int, str], chance: Chance) -> int:
    """The likeliest to be collected; a look at a strange one and a rescue from a hole count a little."""
    shows = showing(state, sight)
    left = colours_left(state, sight, known)
    hidden = sum(left.values())
    strange = sum(shows[colour] * count for colour, count in left.items()) / hidden if hidden else 0.0

    def worth(dropping: int) -> float:
        match = shows[known[dropping]] if dropping in known else strange
        rescue = danger(sight, sight.droppings[dropping])
        return match + RESCUE * rescue + (0.0 if dropping in known else LOOK)

    best = max(map(worth, sight.droppings))
    return chance.die([dropping for dropping in sight.droppings if worth(dropping) > best - 1e-9])


RESCUE: Final = 0.3
LOOK: Final = 0.1
"""Worth of a saved dropping and of a new colour learnt, in droppings collected; tried out on the model."""


# --- The strengths --------------------------------------------------------------------------------

HABITS: Mapping[str, Habits] = {
    "random": Habits(any_dropping, remembers=0, guards=5, claims=False, names=False),
    "easy": Habits(a_match, remembers=1, guards=10, claims=False, names=False),
    "good": Habits(a_match, remembers=6, guards=60, claims=False, names=True),
    "best": Habits(the_likeliest, remembers=EVERYTHING, guards=100, claims=True, names=True),
}

POLICIES: Mapping[str, CrewPolicy] = {strength: CrewPolicy(habits) for strength, habits in HABITS.items()}
