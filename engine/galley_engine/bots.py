"""Players who are not there: for each game a policy in four strengths.

A policy is a pure function of what its seat sees: the action that it would do now, or None when it has
nothing to do (not its turn, or it waits for the others). It knows no time: pace, reaction and the wait
after `too_soon` are the host's, which asks again after each step. The chance it is given serves its whims,
never a die of the game.

    random   does anything that is allowed, with just enough sense that games end
    easy     keeps what fits best now, and often overlooks what the opponent shows
    good     weighs the platters by the throws they may take
    best     knows the odds and overlooks nothing

The policies of a game are in `policies/`, POLICIES is the table of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from galley_engine.game import Chance, JSONObject
from galley_engine.games import UnknownGame
from galley_engine.given import listed, shown

S_contra = TypeVar("S_contra", contravariant=True)

STRENGTHS = ("random", "easy", "good", "best")


class UnknownStrength(LookupError):
    """There is no such strength; the message names those that exist."""


class Policy(Protocol[S_contra]):
    """A player of one game in one strength."""

    def choose(self, state: S_contra, seat: int, chance: Chance) -> JSONObject | None:
        """The action, without outcomes, that `seat` would do now, or None."""


def _sushi_duel(strength: str) -> Policy[Any]:
    from galley_engine.policies import sushi_duel

    return sushi_duel.POLICIES[strength]


POLICIES: Mapping[str, Callable[[str], Policy[Any]]] = {
    "sushi_duel": _sushi_duel,
}


def policy(game: str, strength: str) -> Policy[Any]:
    """The policy for a game by name, in one of STRENGTHS. Raises UnknownGame or UnknownStrength."""
    if game not in POLICIES:
        raise UnknownGame(f"there is no bot for {shown(game)}; there are bots for {listed(POLICIES, 'and')}")
    if strength not in STRENGTHS:
        raise UnknownStrength(
            f"there is no strength {shown(strength)}; the strengths are {listed(STRENGTHS, 'and')}"
        )
    return POLICIES[game](strength)
