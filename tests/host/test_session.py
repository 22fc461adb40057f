"""A running game: its record replays to what was seen, and undoing gives nobody another throw."""

from __future__ import annotations

from typing import Any

import pytest

import galley.session
from galley.session import KEPT_EVERY, Session
from galley_engine.bots import policy
from galley_engine.dice import Dice
from galley_engine.game import JSONObject, Refusal, Step
from galley_engine.games import load
from galley_engine.record import Verdict, canonical, replay, state_after

DUEL = load("sushi_duel")


def session(seats: int = 2, seed: int = 7, **options: object) -> Session:
    return Session.start(DUEL, seats, options, seed, 1000)


def bots_game(seats: int, seed: int, most: int = 5000) -> Session:
    """A game that bots play to its end, or for so many actions."""
    game = session(seats, seed, targets={str(seats): 2})
    bot, whims = policy("sushi_duel", "good"), Dice(seed)
    for number in range(most):
        if game.state.phase == "over":
            break
        action = bot.choose(game.state, number % seats, whims)
        if action is not None:
            game.do(action, 1000 + 400 * number)
    return game


def in_a_duel() -> Session:
    game = session()
    ready: list[JSONObject] = [
        {"do": "challenge", "seat": 0, "opponent": 1},
        {"do": "ready", "seat": 0},
        {"do": "ready", "seat": 1},
    ]
    for action in ready:
        assert isinstance(game.do(action, 1000), Step)
    return game


def roll(game: Session, now_ms: int, seat: int = 0) -> Any:
    step = game.do({"do": "roll", "seat": seat}, now_ms)
    assert isinstance(step, Step)
    return step.action["faces"]


@pytest.mark.parametrize("seats", [2, 4])
def test_the_record_of_a_bots_game_replays_to_the_same_bytes(seats: int) -> None:
    game = bots_game(seats, seed=11)
    assert game.state.phase == "over"
    record = game.record()
    again = replay(line.encode() for line in record.splitlines(keepends=True))
    assert again.state == game.state
    assert canonical(DUEL.full(again.state)) == canonical(DUEL.full(game.state))
    assert (again.seed, len(again.entries)) == (11, len(game.steps))
    assert record.endswith('{"end":"over"}\n')


def test_a_game_can_be_recorded_at_any_moment() -> None:
    for most in (0, 1, 17):
        game = bots_game(3, seed=2, most=most)
        again = replay(line.encode() for line in game.record().splitlines(keepends=True))
        assert again.state == game.state
        assert game.record().endswith(f'{{"open":{len(game.steps)}}}\n')


def test_a_verdict_goes_into_the_record_and_out_again_with_its_step() -> None:
    game = in_a_duel()
    roll(game, 2000)
    verdict = Verdict(1500, 300, False, 1)
    assert isinstance(game.do({"do": "bell", "seat": 0}, 2500), Step)
    game.judge(len(game.steps), verdict)
    entries = replay(line.encode() for line in game.record().splitlines(keepends=True)).entries
    assert [entry.verdict for entry in entries] == [None, None, None, None, verdict]
    game.undo()
    assert isinstance(game.do({"do": "keep", "seat": 0, "die": 0}, 2500), Step)
    assert "verdict" not in game.record()


def restored(game: Session, states: list[Any], kept: int) -> Session:
    """As a journal gives it back that has the state after `kept` steps."""
    return Session.restore(
        DUEL,
        game.chance.seed,
        dealt=game.dealt,
        state=game.state,
        steps=game.steps,
        drawn=[game.drawn_after(n) for n in range(len(game.steps) + 1)],
        kept=(kept, states[kept]),
        verdicts=game.verdicts,
        last_ms=game.at_ms(0),
        now_ms=0,
    )


@pytest.mark.parametrize("kept", [None, 0, 8, 13])
def test_undoing_takes_back_one_step_after_the_other(
    kept: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(galley.session, "KEPT_EVERY", 8)
    game = bots_game(3, seed=5, most=60)
    states = [game.dealt]
    for at_ms, action in game.steps:
        step = DUEL.apply(states[-1], action, at_ms, None)
        assert not isinstance(step, Refusal)
        states.append(step.state)
    if kept is not None:
        game = restored(game, states, kept)
        assert game.state == states[-1]
    for state in reversed(states[:-1]):
        assert game.undo()
        assert game.state == state
    assert not game.undo()
    assert game.state == game.dealt


def test_undoing_is_no_slower_in_a_long_game(monkeypatch: pytest.MonkeyPatch) -> None:
    game = in_a_duel()
    roll(game, 2000)
    for _ in range(3 * KEPT_EVERY):
        assert isinstance(game.do({"do": "keep", "seat": 0, "die": 0}, 2000), Step)
    played: list[int] = []

    def counted(rules: Any, start: Any, steps: Any) -> Any:
        played.append(len(steps))
        return state_after(rules, start, steps)

    monkeypatch.setattr(galley.session, "state_after", counted)
    while game.undo():
        pass
    assert len(played) > 3 * KEPT_EVERY
    assert max(played) < KEPT_EVERY


def test_a_throw_that_was_undone_comes_again_the_same() -> None:
    game = in_a_duel()
    first = roll(game, 2000)
    bad = roll(game, 2400)
    assert bad != first
    game.undo()
    assert roll(game, 3000) == bad


def test_what_is_done_between_does_not_change_the_throws_to_come() -> None:
    game, straight = in_a_duel(), in_a_duel()
    expected = [roll(straight, now_ms) for now_ms in (2000, 2400, 2800)]
    assert roll(game, 2000) == expected[0]
    roll(game, 2400)
    game.undo()
    for _ in range(2):  # set aside and freed again
        assert isinstance(game.do({"do": "keep", "seat": 0, "die": 3}, 2500), Step)
    assert [roll(game, now_ms) for now_ms in (2900, 3300)] == expected[1:]


def test_undoing_does_not_turn_the_clock_back() -> None:
    game = in_a_duel()
    roll(game, 5000)
    game.undo()
    game.pause(5000)
    assert game.at_ms(9000) == 4000
    game.resume(9000)
    roll(game, 9000)
    assert [at_ms for at_ms, _ in game.steps] == [0, 0, 0, 4000]


def test_a_finished_game_can_be_taken_up_again() -> None:
    game = bots_game(2, seed=11)
    over, last = game.state, game.steps[-1][1]
    game.undo()
    assert game.state.phase != "over"
    assert f'{{"open":{len(game.steps)}}}' in game.record()
    assert isinstance(game.do(last, 10**7), Step)
    assert game.state == over
