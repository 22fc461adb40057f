"""The poop deck on the box: the six seat keys of the deck, its lights, and a table for onlookers.

Red, green, blue and yellow name a colour: of the dropping that is held, of one that was just lifted without
a word, or of the last one as a guess. White is the grab, violet pushes the die. They act for the seat that
has the tongs, whoever presses them; the die may be pushed by anyone, so violet acts for the first person
when a bot has the tongs. The stations' dice show the piles: colours above, how many below.

What is not in the game's state (drift, open holes, a guess) comes as facts of `deck_world`. A real loose die
is set by the crew with KEEP1-4 of either station; with YUCK or BELL it says whether what broke a beam was the
die, and on a deck without beams what fell at all. For this table `jobs` may hold actions that only the world
understands: `guess`, and an announcement without a grab.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from galley.deck_physics import physics
from galley.tables import unraced
from galley.tables.deck_world import DeckWorld
from galley.tables.table import (
    BELL,
    DARK,
    KEEP1,
    STATIONS,
    YUCK,
    BoardView,
    BoxView,
    Choice,
    DeckView,
    Flourish,
    Hand,
    Job,
    Jobs,
    Key,
    Lit,
    Prompt,
    Seat,
    lamps_of,
    seat_key,
)
from galley_board import glyphs
from galley_engine.game import AnyGame, Event, JSONObject
from galley_engine.games import load
from galley_engine.games.poop_deck_state import COLOURS, State, is_left, matches, may_be_gone, may_fall

game: Final[AnyGame] = load("poop_deck")
races: Final = unraced.races
awaited: Final = unraced.awaited
gate_open: Final = unraced.gate_open
first: Final = unraced.first
contested: Final = unraced.contested
bots_need_hand: Final = True  # they lift no real droppings

GRAB: Final = seat_key("white")
PUSH: Final = seat_key("violet")
HOLE: Final = glyphs.lamp_code(glyphs.COLOURS["orange"][0], glyphs.LOW)
HOLES: Final = 4
GLOW_MS: Final = 1_200
NINE: Final = 9  # the highest digit a die can show


# -- what does not depend on anything ------------------------------------------------------------------


def forced(state: State) -> None:
    """Nothing happens without a key but what the world does."""


def boards(state: State, seats: Sequence[Seat]) -> tuple[str, ...]:
    """The deck."""
    return ("deck",)


def world(state: State, seed: int, hand: Hand | None, settings: Mapping[str, object]) -> DeckWorld:
    """The eye, the die and the hand. `settings` as in `deck_physics.physics`. Raises BadOption."""
    return DeckWorld(state, seed, hand, physics(settings))


def page(state: State, choice: Choice) -> JSONObject:
    """Which colours may still be under a dropping, and which the held one may have to be kept.

    The deck itself is the world's to draw.
    """
    held = state.phase == "hold"
    return {
        "left": [colour for colour in COLOURS if is_left(state, colour)],
        "counts": [colour for colour in COLOURS if held and matches(state, colour)],
    }


# -- keys ------------------------------------------------------------------------------------------------


def jobs(state: State, seats: Sequence[Seat], choice: Choice) -> Jobs:
    """What each key does now, while a person plays."""
    if state.phase == "over" or all(seat.bot for seat in seats):
        return {}
    found: dict[Key, Job] = {}
    if not seats[state.turn].bot:
        found |= _TONGS[_moment(state, choice)](state, choice)
    reason = _reason(state, choice)
    if reason is not None:
        mode = glyphs.PULSE if "danger" in choice else glyphs.STEADY
        push: JSONObject = {"do": "push_die", "seat": _pusher(state, seats), "because": reason}
        found[PUSH] = Job("push_die", push, mode=mode)
    return found | _crew_jobs(state, choice)


def _crew_sees_the_die(choice: Choice) -> bool:
    """Whether the crew has to say what the die does: it is a real one that nothing else sees."""
    return choice.get("build") == "loose" and "hand" not in choice


def _moment(state: State, choice: Choice) -> str:
    """Where in the turn it is: a key of _TONGS and _PROMPTS."""
    if state.phase == "hold":
        return "shown" if "held" in choice else "held"
    if state.deck != 1:
        return "lift" if "hand" in choice else "grab"
    return "guessed" if "guess" in choice else "last"


def _grab(state: State, choice: Choice) -> dict[Key, Job]:
    return {GRAB: Job("grab", {"do": "grab", "seat": state.turn}, mode=glyphs.PULSE)}


def _grab_or_say(state: State, choice: Choice) -> dict[Key, Job]:
    """With real droppings one may also look at once and say what it is."""
    return {**_grab(state, choice), **_announce(state, choice)}


def _announce(state: State, choice: Choice) -> dict[Key, Job]:
    return {
        seat_key(colour): Job("announce", {"do": "announce", "seat": state.turn, "colour": colour})
        for colour in _colours_left(state)
    }


def _announce_held(state: State, choice: Choice) -> dict[Key, Job]:
    """A simulated hand has looked underneath: there is one colour to say. It pulses once the die agrees."""
    colour = choice["held"]
    said: JSONObject = {"do": "announce", "seat": state.turn, "colour": colour}
    mode = glyphs.PULSE if matches(state, colour) else glyphs.STEADY
    return {seat_key(colour): Job("announce", said, mode=mode)}


def _guess(state: State, choice: Choice) -> dict[Key, Job]:
    guesses = {
        seat_key(colour): Job("guess", {"do": "guess", "seat": state.turn, "colour": colour})
        for colour in _colours_left(state)
    }
    return {**_grab(state, choice), **guesses}


def _truth(state: State, choice: Choice) -> dict[Key, Job]:
    named: JSONObject = {"do": "name_last", "seat": state.turn, "colour": choice["guess"]}
    found = {
        seat_key(colour): Job("truth", {**named, "truth": colour}, mode=glyphs.PULSE)
        for colour in _colours_left(state)
    }
    found[GRAB] = Job("guess_again", {"do": "guess", "seat": state.turn, "colour": None}, mode=glyphs.LOW)
    return found


_TONGS: Final[Mapping[str, Callable[[State, Choice], dict[Key, Job]]]] = {
    "grab": _grab_or_say,
    "lift": _grab,
    "held": _announce,
    "shown": _announce_held,
    "last": _guess,
    "guessed": _truth,
}
"""The moment of the turn -> what the keys do for whoever has the tongs."""


def _crew_jobs(state: State, choice: Choice) -> dict[Key, Job]:
    """What only the crew sees: what a real die shows, and what fell where no beam tells it."""
    jobs: dict[int, Job] = {}
    mode = glyphs.PULSE if "doubt" in choice else glyphs.LOW
    unseen = "doubt" in choice or "unwatched" in choice
    if _crew_sees_the_die(choice):
        for place, colour in enumerate(COLOURS):
            if colour != state.die:
                shows: JSONObject = {"do": "die_shows", "colour": colour}
                jobs[KEEP1 + place] = Job("die_shows", shows, mode=glyphs.LOW)
        if unseen:
            jobs[YUCK] = Job("die_fell", {"do": "die_fell"}, mode=mode)
    if unseen and may_fall(state):
        jobs[BELL] = Job("dropping_fell", {"do": "dropping_fell"}, mode=mode)
    return {(side, key): job for side in STATIONS for key, job in jobs.items()}


def _colours_left(state: State) -> Iterator[str]:
    return (colour for colour in COLOURS if is_left(state, colour))


def _reason(state: State, choice: Choice) -> str | None:
    """Why the die may be pushed now; a drum that stands in the middle is there already."""
    if "danger" in choice:
        return "hole"
    if _crew_sees_the_die(choice):
        return "gone" if may_be_gone(state) else "edge"  # only the crew sees where it lies
    moved = choice.get("drift", "0") != "0" or choice.get("build") == "loose"
    return "gone" if moved and may_be_gone(state) else None


def _pusher(state: State, seats: Sequence[Seat]) -> int:
    people = [number for number, seat in enumerate(seats) if not seat.bot]
    return state.turn if state.turn in people else people[0]


# -- prompts ---------------------------------------------------------------------------------------------


def prompts(state: State, seats: Sequence[Seat], choice: Choice) -> list[Prompt]:
    """What is most urgent, then what whoever has the tongs may do, then the rest."""
    if state.phase == "over":
        return []
    found = [prompt for fact, prompt in _urgent(state).items() if fact in choice]
    asked = seats[state.turn]
    if asked.bot:
        found.append(
            Prompt("bot_looks_underneath" if state.phase == "hold" else "bot_aims", {"by": asked.colour})
        )
    else:
        found += _PROMPTS[_moment(state, choice)](state, asked.colour, choice)
    if _reason(state, choice) in ("gone", "edge"):
        found.append(Prompt("push_gone", {"seat": "violet"}))
    return found + _ask_the_crew(state, choice)


def _urgent(state: State) -> dict[str, Prompt]:
    """Fact of the world -> what is asked while it holds, the most urgent first."""
    return {
        "guard": Prompt("close_guard"),
        "doubt": Prompt("what_fell" if may_fall(state) else "did_die_fall"),
        "danger": Prompt("push_now", {"seat": "violet"}),
        "reader": Prompt("reader_unsure"),
    }


def _ask_the_crew(state: State, choice: Choice) -> list[Prompt]:
    found = [Prompt("set_die")] if _crew_sees_the_die(choice) else []
    if "unwatched" in choice and "doubt" not in choice:
        found += [Prompt("say_fallen")] if may_fall(state) else []
        found += [Prompt("say_die_fell")] if _crew_sees_the_die(choice) else []
    return found


def _ask_grab(state: State, by: str, choice: Choice) -> list[Prompt]:
    return [Prompt("grab_real", {"by": by, "seat": "white"}), Prompt("say_at_once")]


def _ask_lift(state: State, by: str, choice: Choice) -> list[Prompt]:
    return [Prompt("grab_simulated", {"by": by, "seat": "white"}), Prompt("lift_any")]


def _ask_colour(state: State, by: str, choice: Choice) -> list[Prompt]:
    return [Prompt("say_colour", {"by": by}), _must_show(state)]


def _ask_shown(state: State, by: str, choice: Choice) -> list[Prompt]:
    """Said at once it is kept or put back, so whoever has not read the rules is told which it will be."""
    held = {"dye": choice["held"]}
    if matches(state, choice["held"]):
        return [Prompt("say_held", {"by": by, **held})]
    return [Prompt("wait_held", {"by": by, **held}), Prompt("put_back", held)]


def _ask_last(state: State, by: str, choice: Choice) -> list[Prompt]:
    return [Prompt("guess_last", {"by": by}), Prompt("or_grab_last", {"seat": "white"})]


def _ask_truth(state: State, by: str, choice: Choice) -> list[Prompt]:
    guess = choice["guess"]
    return [Prompt("say_truth", {"by": by, "dye": guess}), Prompt("guess_again", {"seat": "white"})]


def _must_show(state: State) -> Prompt:
    return Prompt("must_show", {"rule": state.options.match_rule})


_PROMPTS: Final[Mapping[str, Callable[[State, str, Choice], list[Prompt]]]] = {
    "grab": _ask_grab,
    "lift": _ask_lift,
    "held": _ask_colour,
    "shown": _ask_shown,
    "last": _ask_last,
    "guessed": _ask_truth,
}


# -- lights ------------------------------------------------------------------------------------------------


def view(state: State, jobs: Mapping[Key, Lit], choice: Choice) -> BoxView:
    """The die's colour round the pupil, drift and holes, the eye's pace; the piles on both stations."""
    lamps = lamps_of(jobs)
    dice = _piles(state)
    return {
        **{side: BoardView(dice, lamps[side]) for side in STATIONS},
        "deck": BoardView(lamps=lamps["deck"], deck=_deck(state, choice)),
    }


def _deck(state: State, choice: Choice) -> DeckView:
    over = state.phase == "over"
    pupil = DARK if state.die is None else glyphs.lamp_code(glyphs.COLOURS[state.die][0], glyphs.STEADY)
    marks = choice.get("open", "").ljust(HOLES, "0")
    holes = [HOLE if mark == "1" and not over else DARK for mark in marks[:HOLES]]
    return DeckView(
        eye=0 if over else int(choice.get("eye", "0")),
        drum=int(choice["drum"]) if "drum" in choice else None,
        drift=int(choice["drift"]) if "drift" in choice and not over else None,
        pupil=pupil,
        holes=(holes[0], holes[1], holes[2], holes[3]),
    )


def _piles(state: State) -> tuple[int, ...]:
    """Dice 1-4: the colours, the die's at full light. Dice 5-8: how many of each are collected."""
    colours = [
        glyphs.die_code(glyphs.GLYPHS[colour], glyphs.KEPT if colour == state.die else glyphs.DIM)
        for colour in COLOURS
    ]
    numbers = [
        glyphs.die_code(glyphs.GLYPHS[str(min(count, NINE))], glyphs.PLAIN) for count in state.collected
    ]
    return (*colours, *numbers)


def flourish(before: State, events: Sequence[Event]) -> Flourish | None:
    """A pile that has grown glows."""
    for event in events:
        if event.kind == "dropping_collected":
            place = COLOURS.index(str(event.data["colour"]))
            glow = {place: glyphs.die_code(glyphs.GLYPHS[COLOURS[place]], glyphs.GLOW)}
            return Flourish(dict.fromkeys(STATIONS, glow), GLOW_MS)
    return None
