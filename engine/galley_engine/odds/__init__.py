"""The odds of the games, exactly: a module for each game, as Python and as questions in JSON.

Each module has functions of its own for Python, and two names for the command `galley odds GAME` and whoever
else asks in JSON:

    fields       what a question may have, in the order of the help: name -> Field
    ask(given)   the answer to a question; raises BadQuestion, which names the key, and nothing else

Answers hold floats that are exact to 1e-12. `chance` is a probability; advice is a list `choices`, best
first, each an action as the game has it (without its seat) with its `value`, and `advise`, the first of
them.

`load(name)` imports a game's odds when they are first asked for, as `galley_engine.games` does with the
games.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from galley_engine.game import BadInput, JSONObject
from galley_engine.games import UnknownGame
from galley_engine.given import listed, shown

KINDS = ("number", "words", "word", "flag")


class BadQuestion(BadInput):
    """A question has a field that is unknown or impossible; `key` names it."""


class Field(NamedTuple):
    """A field of a question: a whole number, a list of words and numbers, a word, or true and false."""

    kind: str  # one of KINDS
    help: str  # one line


class Odds(Protocol):
    """What the odds of a game offer to those who ask in JSON."""

    @property
    def fields(self) -> Mapping[str, Field]:
        """What a question may have, in order."""

    def ask(self, given: Mapping[str, object]) -> JSONObject:
        """The answer to a question. Raises BadQuestion."""


def _worm_grill() -> Odds:
    import galley_engine.odds.worm_grill as odds

    return odds


def _sushi_duel() -> Odds:
    import galley_engine.odds.sushi_duel as odds

    return odds


def _sushi_bar() -> Odds:
    import galley_engine.odds.sushi_bar as odds

    return odds


LOADERS: Mapping[str, Callable[[], Odds]] = {
    "sushi_duel": _sushi_duel,
    "sushi_bar": _sushi_bar,
    "worm_grill": _worm_grill,
}

NAMES: tuple[str, ...] = tuple(LOADERS)


def load(name: str) -> Odds:
    """The odds of the game called `name`. Raises UnknownGame."""
    loader = LOADERS.get(name)
    if loader is None:
        raise UnknownGame(f"there are no odds for {shown(name)}; there are odds for {listed(NAMES, 'and')}")
    return loader()
