"""What every game must hold to, as one check: call `check_game(game)` in the test of a game of your own.

It plays random games of every number of seats and looks at each position: the protocol of
`galley_engine.game` is there, states can be hashed and shown, every move is accepted and its record plays
again to an equal state, what is no action is refused, and nothing changes a state. It knows no rules: those
are for scenarios and for tests of the game.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from galley_engine.dice import Dice
from galley_engine.game import REFUSALS, AnyGame, BadOption, JSONObject, Refusal
from galley_engine.games import OFFERS
from galley_engine.record import STEP_KEYS, Entry, lines, replay_of

COMMON = ("game", "seats", "phase", "turn", "scores", "winners")
"""What every state shows."""

STEP_MS = 400

NO_ACTIONS: tuple[Any, ...] = (
    None,
    [],
    "throw",
    7,
    {},
    {"do": None},
    {"do": []},
    {"do": "no such thing"},
    {1: 2},
)


class NotAGame(AssertionError):
    """The game breaks a rule that all games keep; the message says which, and where."""


def check_game(game: AnyGame, games: int = 3, moves: int = 300) -> None:
    """Play `games` random games of at most so many moves for each number of seats. Raises NotAGame."""
    for offer in OFFERS:
        _hold(hasattr(game, offer), f"it has no {offer}")
    _hold(2 <= game.min_seats <= game.max_seats <= 6, "it is for 2 to 6 seats, or some of these numbers")
    for do, (required, optional) in game.actions.items():
        taken = {*required, *optional} & {*STEP_KEYS, "do", "refused", "expect"}
        _hold(not taken, f"the action {do} has a field {taken}, which records and scenarios need")
    _check_options(game)
    for seats in range(game.min_seats, game.max_seats + 1):
        for seed in range(games):
            _check_one(game, seats, seed, moves)


def _check_options(game: AnyGame) -> None:
    try:
        game.options({"no_such_option": 1})
    except BadOption:
        return
    raise NotAGame("an unknown option is not refused with BadOption")


def _check_one(game: AnyGame, seats: int, seed: int, moves: int) -> None:
    dice = Dice(seed)
    options = game.options({})
    start = game.start(seats, options, dice)
    _hold(
        game.options(_through_json(game.options_of(start))) == options, "options_of does not give the options"
    )
    again = game.start(seats, options, None, _through_json(game.setup_of(start)))
    _hold(again == start and hash(again) == hash(start), "setup_of does not give the start position")
    state, entries = start, []
    for number in range(moves):
        at_ms = STEP_MS * number
        where = f"{seats} seats, seed {seed}, after {number} steps"
        _check_state(game, state, seats, where)
        allowed = list(_allowed(game, state, seats, at_ms, where))
        if state.phase == "over":
            break
        if not allowed:
            continue
        step = game.apply(state, dice.die(allowed), at_ms, dice)
        assert not isinstance(step, Refusal)
        for kind, data in step.events:
            known = kind in game.events and set(data) == set(game.events[kind])
            _hold(known, f"{where}: the event {kind} is not in its table")
        entries.append(Entry(at_ms, step.action))
        state = step.state
    written = [line.encode() for line in lines(game, start, seed, entries, state.phase)]
    _hold(replay_of(game, written).state == state, f"{seats} seats, seed {seed}: the record ends otherwise")


def _check_state(game: AnyGame, state: Any, seats: int, where: str) -> None:
    shown = game.full(state)
    _hold(_through_json(shown) == shown, f"{where}: the state is not plain JSON")
    _hold(all(key in shown for key in COMMON), f"{where}: the state shows {list(shown)}, it needs {COMMON}")
    _hold((shown["game"], shown["seats"]) == (game.name, seats), f"{where}: the state names another game")
    _hold((shown["winners"] is None) == (state.phase != "over"), f"{where}: winners are for the end")
    _hold((game.ending(state) is None) == (state.phase != "over"), f"{where}: an ending is for the end")
    for seat in (None, *range(seats)):
        _hold(game.public(state, seat).keys() == shown.keys(), f"{where}: seat {seat} sees other keys")
    for action in NO_ACTIONS:
        outcome = game.apply(state, action, 0, None)
        wanted = "game_over" if state.phase == "over" else "unknown_action"
        _hold(isinstance(outcome, Refusal) and outcome.code == wanted, f"{where}: {action!r} is not {wanted}")
    _hold(game.full(state) == shown, f"{where}: a refused action changes the state")


def _allowed(game: AnyGame, state: Any, seats: int, at_ms: int, where: str) -> Iterator[JSONObject]:
    """All moves of all seats, each tried."""
    actors = game.actors(state)
    _hold(
        bool(actors) == (state.phase != "over"), f"{where}: the phase is {state.phase}, but {actors} may act"
    )
    before = game.full(state)
    for seat in range(seats):
        moves = game.moves(state, seat, at_ms)
        _hold(seat in actors or not moves, f"{where}: seat {seat} has moves and is no actor")
        kinds = list(dict.fromkeys(move["do"] for move in moves))
        _hold(list(game.legal(state, seat, at_ms)) == kinds, f"{where}: legal is not the kinds of moves")
        for move in moves:
            outcome = game.apply(state, move, at_ms, Dice(at_ms))
            if isinstance(outcome, Refusal):
                _hold(outcome.code in REFUSALS, f"{where}: the refusal {outcome.code} is not in the table")
                raise NotAGame(f"{where}: {move} is a move, but refused: {outcome.message}")
            repeated = game.apply(state, _through_json(outcome.action), at_ms, None)
            _hold(repeated == outcome, f"{where}: {outcome.action} does not do the same again without chance")
            yield move
    _hold(game.full(state) == before, f"{where}: an action changes the state it is applied to")


def _through_json(document: Any) -> Any:
    return json.loads(json.dumps(document))


def _hold(truth: bool, sentence: str) -> None:
    if not truth:
        raise NotAGame(sentence)
