"""The odds of the worm grill: the chance of a total from any moment of a turn, and what to do for it.

A chance is the value of a turn (see `worm_grill_turn`) that pays one for the totals wanted and nothing
else, for a player who plays for just that. What counts is only how far the total is from the goal, so two
Turns hold all goals there are, and what one question worked out serves the next.

    chance(at_least=23)                     0.856...   from the start of a turn
    chance(exactly=30)                      0.192...
    chance(at_least=23, aside="www")        0.976...   with three worms set aside
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from galley_engine.game import JSONObject
from galley_engine.games.worm_grill_state import DICE, FACE_OF, FACES, FIRST, LETTER_OF, LETTERS, PLACES
from galley_engine.given import Given, listed, shown
from galley_engine.odds import BadQuestion, Field
from galley_engine.odds.worm_grill_turn import HIGHEST, Turn

AT_LEAST: Final = Turn([0.0] * HIGHEST + [1.0])
EXACTLY: Final = Turn([0.0] * HIGHEST + [1.0, 0.0])
NEVER: Final = Turn([0.0])


class Goal(NamedTuple):
    """A turn for a goal: `ahead` is what to count as set aside already, so that the goal is HIGHEST."""

    turn: Turn
    ahead: int


class Choice(NamedTuple):
    """Something to do, as the game has it but without the seat, and its value."""

    action: JSONObject
    value: float


def goal(at_least: int = FIRST, exactly: int | None = None) -> Goal:
    """The turn that is worth 1 with a total of at least so much, and exactly so much if that is given.

    Totals are from 1 to HIGHEST.
    """
    if exactly is None:
        return Goal(AT_LEAST, HIGHEST - at_least)
    return Goal(EXACTLY if exactly >= at_least else NEVER, HIGHEST - exactly)


def chance(
    at_least: int = FIRST, exactly: int | None = None, aside: str = "", left: int | None = None
) -> float:
    """The chance to end the turn on such a total with a worm.

    From the dice `aside`, as letters, with `left` dice to throw (None: all the others).
    """
    turn, ahead = goal(at_least, exactly)
    return turn.value(aside, DICE - len(aside) if left is None else left, ahead)


def start_tables() -> tuple[dict[int, float], dict[int, float]]:
    """From the start of a turn: the chances of at least each place of the grill, and of exactly each."""
    return {place: chance(place) for place in PLACES}, {place: chance(exactly=place) for place in PLACES}


def choices(goal: Goal, aside: str, dice: str, left: int) -> list[Choice]:
    """What one may do, best first; of equals stop before throw, and faces in their order.

    After a throw that shows `dice` it is the faces to keep, else to stop or to throw the dice `left`.
    """
    turn, ahead = goal
    if dice:
        keeps = turn.keeps(aside, dice, ahead)
        found = [Choice({"do": "keep", "face": FACE_OF[letter]}, value) for letter, value in keeps.items()]
    else:
        found = [Choice({"do": "stop"}, turn.stop(aside, ahead))] if aside or not left else []
        if left and len(set(aside)) < len(LETTERS):
            found.append(Choice({"do": "throw"}, turn.throw(aside, left, ahead)))
    return sorted(found, key=lambda choice: -choice.value)


# --- Questions ------------------------------------------------------------------------------------

fields: Mapping[str, Field] = {
    "at_least": Field("number", f"a total of at least so much, with a worm ({FIRST} if nothing is said)"),
    "exactly": Field("number", "just this total, with a worm"),
    "aside": Field("words", 'the dice set aside, as in "worm worm 6"'),
    "left": Field("number", "the dice left to throw (all the others if nothing is said)"),
    "dice": Field("words", "the dice just thrown, of which one face is to be kept"),
    "advise": Field("flag", "also say what to do, with the value of each choice"),
}

_question = Given(BadQuestion, "question")


def ask(given: Mapping[str, object]) -> JSONObject:
    """The chance, and with `advise` the choices with theirs, best first. Raises BadQuestion."""
    _question.mapping(given, "", fields)
    at_least = _question.whole(given.get("at_least", FIRST), "at_least", 1, HIGHEST)
    exactly = _question.whole(given["exactly"], "exactly", 1, HIGHEST) if "exactly" in given else None
    aside, dice = _dice(given.get("aside", []), "aside"), _dice(given.get("dice", []), "dice")
    if len(aside) + len(dice) > DICE:
        raise BadQuestion("dice", f"are {len(dice)} with {len(aside)} aside, but there are only {DICE}")
    normal = len(dice) or DICE - len(aside)
    left = _question.whole(given.get("left", normal), "left", 0, DICE - len(aside))
    if dice and left != len(dice):
        raise BadQuestion("left", f"is {left}, but {len(dice)} dice were thrown")
    found = choices(goal(at_least, exactly), aside, dice, left)
    answer: JSONObject = {"chance": found[0].value if found else 0.0}
    if _question.truth(given.get("advise", False), "advise"):
        answer["advise"] = found[0].action if found else None
        answer["choices"] = [{**choice.action, "value": choice.value} for choice in found]
    return answer


def _dice(value: object, key: str) -> str:
    """The letters of a list of faces."""
    letters = []
    for place, face in enumerate(_question.sequence(value, key)):
        if type(face) not in (int, str) or face not in LETTER_OF:
            raise BadQuestion(f"{key}.{place}", f"is {shown(face)}, a die shows {listed(map(str, FACES))}")
        letters.append(LETTER_OF[face])
    if len(letters) > DICE:
        raise BadQuestion(key, f"are {len(letters)} dice, but there are only {DICE}")
    return "".join(letters)
