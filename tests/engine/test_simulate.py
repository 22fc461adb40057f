"""Simulations: games of bots end, count right, and do not depend on how they are divided."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

import pytest

from galley_engine.bots import POLICIES, AnyMove, UnknownStrength, policy
from galley_engine.dice import Dice
from galley_engine.game import Chance, JSONObject, Step
from galley_engine.games import NAMES, UnknownGame, load
from galley_engine.simulate import (
    BEAT_MS,
    STUCK,
    BadPolicy,
    Plan,
    Tally,
    interval,
    play,
    run,
    wander,
)

DUEL = load("sushi_duel")
SHORT = Plan("sushi_duel", 2, {"targets": {"2": 1}}, ("best", "easy"), 5)


def test_games_divided_among_several_add_up_to_the_same() -> None:
    whole = run(SHORT, range(12))
    parts = Tally()
    for numbers in (range(7, 12), range(7)):
        parts.add(run(SHORT, numbers))
    assert parts == whole
    assert whole.games == 12
    assert sum(whole.wins.values()) == 12
    assert whole.endings == {"target": 12}
    assert whole.shortest is not None
    assert whole.shortest <= whole.actions / 12 <= whole.longest


def test_another_seed_gives_other_games() -> None:
    assert run(SHORT, range(6)) != run(SHORT._replace(seed=6), range(6))


def test_seats_rotate() -> None:
    plan = Plan("sushi_duel", 3, {}, ("best", "easy"), 1)
    assert plan.seated(0) == ("best", "easy", "best")
    assert plan.seated(1) == ("easy", "best", "easy")
    assert plan.seated(2) == plan.seated(0)


def test_a_win_belongs_to_a_policy_or_is_shared() -> None:
    tally = Tally()
    seated = ("best", "easy", "best")
    for winners in ([0], [0, 2], [1], [0, 1], []):
        tally.count(play(DUEL, won(), [], Dice(1), Dice(1)), winners, seated)
    assert (tally.games, tally.shared) == (5, 1)
    assert tally.wins == {"best": 2, "easy": 1}


def won() -> Any:
    """A duel that is over."""
    stations = {"left": {"seat": 0, "faces": ["roe"] * 6}, "right": {"seat": 1}}
    setup = {"phase": "duel", "visible": [{"roe": 6}], "stock": [], "stations": stations, "won": [5, 0]}
    step = DUEL.apply(DUEL.start(2, DUEL.options({}), None, setup), {"do": "bell", "seat": 0}, 0, None)
    assert isinstance(step, Step)
    return step.state


def test_the_bots_take_turns_though_others_sit_between() -> None:
    acted: list[int] = []

    class Watched:
        def __init__(self, strength: str) -> None:
            self._policy = policy("sushi_duel", strength)

        def choose(self, state: Any, seat: int, chance: Chance, sight: object = None) -> JSONObject | None:
            wish = self._policy.choose(state, seat, chance, sight)
            if wish is not None:
                acted.append(seat)
            return wish

    stations = {"left": {"seat": 0}, "right": {"seat": 2}}
    setup = {"phase": "duel", "visible": [{"roe": 6}], "stock": [], "stations": stations}
    start = DUEL.start(5, DUEL.options({"targets": {"5": 1}}), None, setup)
    play(DUEL, start, [Watched("easy")] * 5, Dice(1), Dice(2))
    before_a_mate = list(takewhile(lambda seat: seat in (0, 2), acted))
    assert len(before_a_mate) > 10
    assert before_a_mate == [0, 2] * (len(before_a_mate) // 2) + [0] * (len(before_a_mate) % 2)


def test_a_wish_too_soon_costs_the_beat_and_no_more() -> None:
    plan = SHORT._replace(options={"targets": {"2": 1}, "min_roll_interval_ms": 10 * BEAT_MS})
    assert run(plan, range(3)).endings == {"target": 3}


def test_nobody_wishing_anything_ends_the_game_as_stuck() -> None:
    stations = {"left": {"seat": 0}, "right": {"seat": 1}}
    setup = {"phase": "duel", "visible": [], "stock": [], "stations": stations}
    bots = [policy("sushi_duel", "best")] * 2
    assert play(DUEL, DUEL.start(2, DUEL.options({}), None, setup), bots, Dice(1), Dice(2)).ending == STUCK


class Clumsy:
    """Wants to choose a platter, whatever is going on."""

    def choose(self, state: Any, seat: int, chance: Chance, sight: object = None) -> JSONObject | None:
        return {"do": "choose", "seat": seat, "platter": 0}


def test_a_policy_that_breaks_the_rules_is_named() -> None:
    start = DUEL.start(2, DUEL.options({}), None, None)
    with pytest.raises(BadPolicy, match=r"sushi_duel: .*'choose'.* is refused with wrong_phase"):
        play(DUEL, start, [Clumsy(), Clumsy()], Dice(1), Dice(2))


class Room:
    """A world in which a wish takes a second, and the cat rings the bell when nobody wishes anything."""

    def __init__(self) -> None:
        self.seen: list[int] = []
        self.heard: list[JSONObject | None] = []

    def sight(self, state: Any, seat: int) -> object:
        self.seen.append(seat)
        return "the cat"

    def follow(self, state: Any, wish: JSONObject | None) -> Iterator[tuple[int, JSONObject]]:
        self.heard.append(wish)
        if wish is None:
            yield 0, {"do": "bell", "seat": 0}
            yield 0, {"do": "fly"}
        else:
            yield 1000, {key: value for key, value in wish.items() if key != "hand"}


class Shy:
    """Gets ready with his left hand when he sees the cat, and does nothing more."""

    def choose(self, state: Any, seat: int, chance: Chance, sight: object = None) -> JSONObject | None:
        assert sight == "the cat"
        ready = seat in [station.seat for station in state.stations if station.ready]
        return {"do": "ready", "seat": seat, "hand": "left"} if state.phase == "ready" and not ready else None


def test_a_world_carries_out_wishes_and_makes_events_until_the_game_is_over() -> None:
    stations = {"left": {"seat": 0, "faces": ["roe"] * 6}, "right": {"seat": 1}}
    setup = {"phase": "duel", "visible": [{"roe": 6}], "stock": [{"roe": 6}], "stations": stations}
    start = DUEL.start(2, DUEL.options({"targets": {"2": 2}}), None, setup)
    room = Room()
    with pytest.raises(BadPolicy, match="'fly'"):
        play(DUEL, start, [Shy(), Shy()], Dice(1), Dice(2), room)
    last = DUEL.start(2, DUEL.options({"targets": {"2": 1}}), None, setup)
    played = play(DUEL, last, [Shy(), Shy()], Dice(1), Dice(2), room)
    assert (played.actions, played.ending) == (1, "target")

    class Quiet(Room):
        def follow(self, state: Any, wish: JSONObject | None) -> Iterator[tuple[int, JSONObject]]:
            if wish is None:
                self.heard.append(None)
                yield 0, {"do": "bell", "seat": 0}
            else:
                yield from super().follow(state, wish)

    quiet = Quiet()
    ready = DUEL.start(
        2, DUEL.options({"false_bell": "none"}), None, {"phase": "ready", "stations": stations}
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("galley_engine.simulate.MOST_ACTIONS", 5)
        assert play(DUEL, ready, [Shy(), Shy()], Dice(1), Dice(2), quiet).ending == "too_long"
    assert [wish and wish["hand"] for wish in quiet.heard] == ["left", "left", None, None, None]
    assert quiet.seen[:2] == [0, 1]


@pytest.mark.parametrize("name", NAMES)
def test_random_moves_of_any_game_are_accepted(name: str) -> None:
    game = load(name)
    for seats in range(game.min_seats, game.max_seats + 1):
        dice = Dice(seats)
        start = game.start(seats, game.options({}), dice, None)
        assert wander(game, start, 400, dice) == wander(game, start, 400, _again(game, seats))


def _again(game: Any, seats: int) -> Dice:
    dice = Dice(seats)
    game.start(seats, game.options({}), dice, None)
    return dice


@pytest.mark.parametrize("name", [name for name in NAMES if name in POLICIES and name != "poop_deck"])
def test_bots_of_every_game_play_to_an_end_of_the_game_itself(name: str) -> None:
    game = load(name)
    tally = run(Plan(name, game.min_seats, {}, ("good", "random"), 3), range(4))
    assert tally.games == 4
    assert not {STUCK, "too_long", ""} & tally.endings.keys()


def test_a_game_without_bots_of_its_own_has_one_that_does_anything() -> None:
    bot = AnyMove(DUEL)
    state = DUEL.start(3, DUEL.options({}), Dice(1), None)
    assert bot.choose(state, 1, Dice(1)) is None
    wishes = {str(bot.choose(state, 0, Dice(seed))) for seed in range(20)}
    assert len(wishes) == 2
    with pytest.raises(UnknownGame):
        policy("chess", "random")
    with pytest.raises(UnknownStrength):
        policy("sushi_duel", "wise")


@pytest.mark.parametrize(
    "wins,games,low,high", [(0, 0, 0, 1), (0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1)]
)
def test_the_interval_is_wilsons(wins: int, games: int, low: float, high: float) -> None:
    assert interval(wins, games) == pytest.approx((low, high), abs=1e-4)
