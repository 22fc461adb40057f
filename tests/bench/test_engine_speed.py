"""Random moves a second on one core: every game of ours, beside OpenSpiel and python-chess if they are here.

One move is: list what is allowed, take one at random, do it. Each round plays the same moves again, the
rounds of all games take turns, and the best round of each counts, in time of this process: so what else the
machine does, and how hot it is, weighs on all alike or not at all.

The strangers have their rules in C++ (OpenSpiel) or in Python (python-chess). They are no dependencies:
without them their line says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib import import_module
from random import Random
from typing import Any

import pytest

from galley_engine.dice import Dice
from galley_engine.games import NAMES, load
from galley_engine.simulate import wander

pytestmark = pytest.mark.bench

ROUNDS = 120
MOVES = 1000
"""In a round."""

LEAST_PER_S = 20_000
"""Far below the aim, for any machine: slower than this, something is broken."""

Round = Callable[[], object]
"""Makes MOVES random moves, every time the same."""


def ours() -> Iterator[tuple[str, Round]]:
    for name in NAMES:
        game = load(name)
        for seats in sorted({game.min_seats, min(4, game.max_seats)}):
            start = game.start(seats, game.options({}), Dice(1), None)
            yield f"{name}, {seats} seats", _wander(game, start)


def _wander(game: Any, start: Any) -> Round:
    return lambda: wander(game, start, MOVES, Dice(2))


def pig() -> Round:
    return _open_spiel("pig")


def liars_dice() -> Round:
    return _open_spiel("liars_dice")


def _open_spiel(name: str) -> Round:
    """A game of OpenSpiel, in which a throw of dice is a move too."""
    game = import_module("pyspiel").load_game(name)

    def play() -> None:
        random, state = Random(1).random, game.new_initial_state()
        for _ in range(MOVES):
            if state.is_terminal():
                state = game.new_initial_state()
            actions = state.legal_actions()
            state.apply_action(actions[int(random() * len(actions))])

    return play


def chess() -> Round:
    new_board: Callable[[], Any] = import_module("chess").Board

    def play() -> None:
        random, board = Random(1).random, new_board()
        for _ in range(MOVES):
            allowed = list(board.legal_moves)
            if not allowed or board.is_insufficient_material():
                board = new_board()
                allowed = list(board.legal_moves)
            board.push(allowed[int(random() * len(allowed))])

    return play


STRANGERS: dict[str, Callable[[], Round]] = {
    "pig (open_spiel)": pig,
    "liars_dice (open_spiel)": liars_dice,
    "python-chess (chess)": chess,
}


def best_of(rounds: dict[str, Round]) -> dict[str, float]:
    """Moves a second of each in its best round."""
    shortest_ns: dict[str, int] = {}
    for _ in range(ROUNDS):
        for name, play in rounds.items():
            began_ns = time.process_time_ns()
            play()
            took_ns = max(1, time.process_time_ns() - began_ns)
            shortest_ns[name] = min(took_ns, shortest_ns.get(name, took_ns))
    return {name: MOVES * 1e9 / ns for name, ns in shortest_ns.items()}


def test_random_moves_a_second_on_one_core(report: Callable[[str], None]) -> None:
    rounds = dict(ours())
    missing: list[str] = []
    for name, make in STRANGERS.items():
        try:
            rounds[name] = make()
        except ImportError:
            missing.append(name)
    for name, speed in best_of(rounds).items():
        report(f"{name:<52} {speed:>11,.0f} random moves/s on one core")
        assert speed > LEAST_PER_S or name in STRANGERS, f"{name}: {speed:.0f} moves/s"
    for name in missing:
        report(f"{name:<52} not installed, so not measured")
