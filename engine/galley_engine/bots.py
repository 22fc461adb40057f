"""Players who are not there: for each game a policy in four strengths.

A policy is a pure function of what its seat sees: the action that it would do now, or None when it has
nothing to do (not its turn, or it waits for the others). It knows no time: pace, reaction and the wait
after `too_soon` are the host's, which asks again after each step. The chance it is given serves its whims,
never a die of the game.

    random   does anything that is allowed, with just enough sense that games end
    easy     takes what lies nearest, and overlooks much
    good     weighs what may come
    best     knows the odds, minds the others, and overlooks nothing

The policies of a game are in `policies/`, POLICIES is the table of them. A game that another package brings
may have a function `policy(strength)` of its own; without one there is AnyMove, which is `random`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from galley_engine.game import AnyGame, Chance, JSONObject
from galley_engine.games import load
from galley_engine.given import listed, shown

S_contra = TypeVar("S_contra", contravariant=True)

STRENGTHS = ("random", "easy", "good", "best")


class UnknownStrength(LookupError):
    """There is no such strength; the message names those that exist."""


class Policy(Protocol[S_contra]):
    """A player of one game in one strength."""

    def choose(self, state: S_contra, seat: int, chance: Chance, sight: object = None) -> JSONObject | None:
        """The action, without outcomes, that `seat` would do now, or None.

        `sight` is what the seat sees of the world beyond the state, in games that have a world.
        """


def _sushi_duel(strength: str) -> Policy[Any]:
    from galley_engine.policies import sushi_duel

    return sushi_duel.POLICIES[strength]


def _sushi_bar(strength: str) -> Policy[Any]:
    from galley_engine.policies import sushi_bar

    return sushi_bar.POLICIES[strength]


def _worm_grill(strength: str) -> Policy[Any]:
    from galley_engine.policies import worm_grill

    return worm_grill.POLICIES[strength]


def _poop_deck(strength: str) -> Policy[Any]:
    from galley_engine.policies import poop_deck

    return poop_deck.POLICIES[strength]


POLICIES: Mapping[str, Callable[[str], Policy[Any]]] = {
    "sushi_duel": _sushi_duel,
    "sushi_bar": _sushi_bar,
    "worm_grill": _worm_grill,
    "poop_deck": _poop_deck,
}


class AnyMove:
    """Does any move that its game allows, each as likely."""

    def __init__(self, game: AnyGame) -> None:
        self._game = game

    def choose(self, state: Any, seat: int, chance: Chance, sight: object = None) -> JSONObject | None:
        """Any move, or None if there is none even when all waits are over."""
        moves = self._game.moves(state, seat, AT_LAST_MS)
        return chance.die(moves) if moves else None


AT_LAST_MS = 1 << 62
"""Policies know no time: late enough for every wait to be over."""


def policy(game: str, strength: str) -> Policy[Any]:
    """The policy for a game by name, in one of STRENGTHS. Raises UnknownGame or UnknownStrength."""
    if strength not in STRENGTHS:
        raise UnknownStrength(
            f"there is no strength {shown(strength)}; the strengths are {listed(STRENGTHS, 'and')}"
        )
    if game in POLICIES:
        return POLICIES[game](strength)
    loaded = load(game)
    own: Callable[[str], Policy[Any]] | None = getattr(loaded, "policy", None)
    if own is not None:
        return own(strength)
    if strength != "random":
        raise UnknownStrength(f"{game} has no bot of strength {shown(strength)}, only random")
    return AnyMove(loaded)
