"""The bots: they play by the rules, games of bots end, and the stronger win more often."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley_engine.bots import STRENGTHS, UnknownStrength, policy
from galley_engine.dice import Dice
from galley_engine.game import Refusal
from galley_engine.games import UnknownGame
from galley_engine.games import sushi_duel as duel

FAR_MORE_ACTIONS_THAN_A_GAME_TAKES = 60_000


def play(strengths: tuple[str, ...], seed: int, **options: object) -> duel.State:
    """The end of a game of bots who act one after the other, 400 ms apart; a refusal costs the turn."""
    seats = len(strengths)
    bots = [policy("sushi_duel", strength) for strength in strengths]
    dice, whims = Dice(seed), Dice(seed + 1)
    state = duel.start(seats, duel.options(options), dice, None)
    for number in range(FAR_MORE_ACTIONS_THAN_A_GAME_TAKES):
        seat = number % seats
        action = bots[seat].choose(state, seat, whims)
        if action is not None:
            outcome = duel.apply(state, action, 400 * number, dice)
            if isinstance(outcome, Refusal):
                assert outcome.code == "too_soon", outcome
                continue
            state = outcome.state
        if state.phase == "over":
            return state
    raise AssertionError(f"still playing: {state}")


@settings(deadline=None, max_examples=20)
@given(
    st.lists(st.sampled_from(STRENGTHS), min_size=2, max_size=6).map(tuple),
    st.integers(0, 2**32),
    st.sampled_from(
        [
            {},
            {"false_bell": "lose_duel"},
            {"false_bell": "none", "false_call_lock_ms": 5000},
            {"min_roll_interval_ms": 5000},
            {"star_dice": 1, "yuck_dice": 5},
            {"star_dice": 6, "yuck_dice": 0, "visible": 8, "start_seat": 1},
            {"deck": {"uniform": 0, "combo": 19}, "targets": {"2": 3}},
        ]
    ),
)
def test_games_of_bots_always_end(strengths: tuple[str, ...], seed: int, options: dict[str, object]) -> None:
    state = play(strengths, seed, **options)
    assert max(state.won) == state.target


@pytest.mark.parametrize(
    "better,worse,games,least", [("best", "easy", 60, 0.55), ("easy", "random", 30, 0.9)]
)
def test_the_stronger_bot_wins_more_games(better: str, worse: str, games: int, least: float) -> None:
    wins = 0
    for seed in range(games):
        place = seed % 2
        strengths = (better, worse) if place == 0 else (worse, better)
        wins += duel.full(play(strengths, seed))["winners"] == [place]
    print(f"{better} wins {wins} of {games} games against {worse}")
    assert wins / games > least


def test_a_bot_only_acts_when_it_has_something_to_do() -> None:
    state = duel.start(3, duel.options({}), Dice(1), None)
    bot = policy("sushi_duel", "good")
    assert bot.choose(state, 1, Dice(1)) is None
    challenge = bot.choose(state, 0, Dice(1))
    state = duel.apply(state, {"do": "challenge", "seat": 0, "opponent": 2}, 0, None).state  # type: ignore[union-attr]
    assert challenge is not None
    assert challenge["do"] == "challenge"
    assert bot.choose(state, 1, Dice(1)) is None
    assert bot.choose(state, 2, Dice(1)) == {"do": "ready", "seat": 2}
    state = duel.apply(state, {"do": "ready", "seat": 2}, 0, None).state  # type: ignore[union-attr]
    assert bot.choose(state, 2, Dice(1)) is None


def in_duel(left: list[str | None], right: list[str | None], visible: list[dict[str, int]]) -> duel.State:
    stations = {"left": {"seat": 0, "faces": left}, "right": {"seat": 1, "faces": right}}
    setup = {"phase": "duel", "visible": visible, "stock": [], "stations": stations}
    return duel.start(3, duel.options({}), None, setup)


NOTHING: list[str | None] = [None] * 6
COMBO = {"shrimp": 1, "salmon": 1, "octopus": 1, "cucumber": 1, "roe": 1, "star": 1}


@pytest.mark.parametrize("strength", STRENGTHS)
def test_a_complete_platter_is_rung_at_once(strength: str) -> None:
    state = in_duel(["shrimp"] * 6, [*["shrimp"] * 5, "yuck"], [{"shrimp": 6}])
    assert policy("sushi_duel", strength).choose(state, 0, Dice(1)) == {"do": "bell", "seat": 0}


def test_the_best_never_overlooks_a_yuck_that_matters_and_the_easy_one_often() -> None:
    both = in_duel([*["shrimp"] * 5, "yuck"], [*["shrimp"] * 5, "yuck"], [{"shrimp": 6}])
    aside = [station._replace(kept=(*[True] * 5, False)) for station in both.stations]
    both = both._replace(stations=(aside[0], aside[1]))
    chance = Dice(3)
    calls = {
        strength: sum(
            (policy("sushi_duel", strength).choose(both, seat, chance) or {}).get("do") == do
            for seat, do in ((0, "yuck"), (2, "mate"))
            for _ in range(100)
        )
        for strength in ("easy", "good", "best")
    }
    assert calls["best"] == 200
    assert 20 < calls["easy"] < 80 < calls["good"] < 190


def test_the_best_does_not_call_when_there_is_nothing_to_throw_back() -> None:
    state = in_duel(NOTHING, ["shrimp", "salmon", "roe", "octopus", "octopus", "yuck"], [{"cucumber": 6}])
    assert policy("sushi_duel", "best").choose(state, 0, Dice(1)) == {"do": "roll", "seat": 0}


def held(strength: str, shown: list[str | None], visible: list[dict[str, int]]) -> set[int]:
    """The dice that the bot sets aside before it rolls."""
    state = in_duel(shown, NOTHING, visible)
    for _ in range(7):
        action = policy("sushi_duel", strength).choose(state, 0, Dice(1))
        assert action is not None
        if action["do"] == "roll":
            break
        state = duel.apply(state, action, 0, None).state  # type: ignore[union-attr]
    return {die for die, kept in enumerate(state.stations[0].kept) if kept}


@pytest.mark.parametrize("strength", ["easy", "good", "best"])
def test_what_fits_is_set_aside(strength: str) -> None:
    assert held(strength, ["shrimp", "star", "roe", "shrimp", "yuck", "roe"], [{"shrimp": 6}]) == {0, 1, 3}


@pytest.mark.parametrize("strength", ["easy", "good"])
def test_a_star_die_stays_free_for_the_star_of_a_combo(strength: str) -> None:
    shown: list[str | None] = ["shrimp", "salmon", "octopus", "cucumber", "roe", "yuck"]
    assert held(strength, shown, [COMBO]) == {3, 4, 1, 2}


def test_the_best_holds_no_ingredient_on_a_star_die_while_the_star_is_missing() -> None:
    shown: list[str | None] = ["shrimp", "salmon", "octopus", "cucumber", "roe", "yuck"]
    assert held("best", shown, [COMBO]) == {3, 4}


def test_the_best_knows_that_a_combo_takes_fewer_throws() -> None:
    shown: list[str | None] = ["star", "shrimp", "shrimp", "salmon", "octopus", "yuck"]
    assert held("best", shown, [{"shrimp": 6}, COMBO]) >= {0, 3, 4}


@pytest.mark.parametrize("strength", STRENGTHS)
def test_a_platter_of_a_kind_of_its_own_is_played_too(strength: str) -> None:
    state = in_duel(NOTHING, NOTHING, [{"shrimp": 2, "star": 1}])
    bot, dice = policy("sushi_duel", strength), Dice(2)
    for number in range(2000):
        action = bot.choose(state, 0, dice)
        assert action is not None
        outcome = duel.apply(state, action, 1000 * number, dice)
        assert not isinstance(outcome, Refusal)
        state = outcome.state
        if state.won[0]:
            return
    raise AssertionError("never completed")


def test_without_a_platter_a_duelist_has_nothing_to_do() -> None:
    state = in_duel(NOTHING, NOTHING, [])
    assert policy("sushi_duel", "best").choose(state, 0, Dice(1)) is None


def test_an_unknown_game_or_strength_is_refused_by_name() -> None:
    with pytest.raises(UnknownGame, match='no game "chess"; the games are sushi_duel'):
        policy("chess", "best")
    with pytest.raises(UnknownStrength, match='"brilliant"; the strengths are random, easy, good and best'):
        policy("sushi_duel", "brilliant")
