"""What all games have in common: the registry, the source of chance, and an engine that stays pure."""

import ast
import doctest
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import galley_engine
from galley_engine.dice import Dice
from galley_engine.game import REFUSALS, BadOption, Refusal, Step
from galley_engine.games import NAMES, UnknownGame, load
from galley_engine.given import shown

PACKAGE = Path(galley_engine.__file__).parent
README = Path(__file__).parents[2] / "engine" / "README.md"
IMPURE = {"time", "datetime", "os", "socket", "threading", "asyncio", "logging", "secrets", "uuid", "sqlite3"}


@pytest.mark.parametrize("name", NAMES)
def test_a_game_is_found_by_its_name_and_speaks_the_protocol(name: str) -> None:
    game = load(name)
    assert game.name == name
    assert 2 <= game.min_seats <= game.max_seats <= 6
    for seats in range(game.min_seats, game.max_seats + 1):
        options = game.options({})
        state = game.start(seats, options, Dice(1), None)
        assert hash(state) == hash(game.start(seats, options, None, game.setup_of(state)))
        assert game.options(game.options_of(state)) == options
        shown = game.full(state)
        assert {"game", "seats", "phase", "turn", "scores", "winners"} <= shown.keys()
        assert (shown["game"], shown["seats"]) == (name, seats)
        assert game.public(state, None).keys() == shown.keys()
        moves = [move for seat in range(seats) for move in game.moves(state, seat, 0)]
        assert moves
        for move in moves:
            fields = game.actions[str(move["do"])]
            assert {"do", *fields.required} <= move.keys() <= {"do", *fields.required, *fields.optional}
            assert isinstance(game.apply(state, move, 0, Dice(1)), Step)


@pytest.mark.parametrize("name", NAMES)
def test_who_may_act_is_known_until_the_game_is_over_and_then_why_it_ended(name: str) -> None:
    game, dice = load(name), Dice(11)
    for seats in range(game.min_seats, game.max_seats + 1):
        state = game.start(seats, game.options({}), dice, None)
        for number in range(3000):
            actors = game.actors(state)
            assert list(actors) == sorted(set(actors) & set(range(seats)))
            if state.phase == "over":
                break
            assert game.ending(state) is None
            by_seat = [game.moves(state, seat, 400 * number) for seat in range(seats)]
            assert {seat for seat, moves in enumerate(by_seat) if moves} <= set(actors)
            for seat, moves in enumerate(by_seat):
                assert game.legal(state, seat, 400 * number) == tuple(
                    dict.fromkeys(move["do"] for move in moves)
                )
            allowed = [move for moves in by_seat for move in moves]
            if allowed:
                step = game.apply(state, dice.die(allowed), 400 * number, dice)
                assert isinstance(step, Step)
                state = step.state
        assert (state.phase == "over") == (game.actors(state) == ()) == (game.ending(state) is not None)


@pytest.mark.parametrize("name", NAMES)
def test_a_move_that_was_handed_out_cannot_be_changed_by_whoever_got_it(name: str) -> None:
    game = load(name)
    state = game.start(game.max_seats, game.options({}), None, None)
    for seat in game.actors(state):
        moves = game.moves(state, seat, 0)
        for move in moves:
            with pytest.raises(TypeError, match="a move is shared"):
                move["seat"] = 5
        first = list(moves)
        moves.clear()
        assert game.moves(state, seat, 0) == first


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("action", [None, [], "roll", 7, {}, {"do": None}, {"do": []}, {"do": "fly"}, {1: 2}])
def test_what_is_no_action_is_refused_as_unknown(name: str, action: Any) -> None:
    game = load(name)
    outcome = game.apply(game.start(game.min_seats, game.options({}), None), action, 0, None)
    assert isinstance(outcome, Refusal)
    assert outcome.code == "unknown_action"
    assert outcome.code in REFUSALS


@pytest.mark.parametrize("name", NAMES)
def test_unknown_options_are_refused(name: str) -> None:
    with pytest.raises(BadOption, match=r"^no_such_option: is not known here"):
        load(name).options({"no_such_option": 1})


def test_an_unknown_game_is_refused_with_the_names_of_those_there_are() -> None:
    with pytest.raises(UnknownGame, match=r'no game "chess"; the games are .*sushi_duel'):
        load("chess")


def test_dice_of_one_seed_agree_and_all_faces_come_up() -> None:
    one, other = Dice(42), Dice(42)
    thrown = [one.die("abcdef") for _ in range(6000)]
    assert thrown == [other.die("abcdef") for _ in range(6000)]
    assert all(850 < count < 1150 for count in Counter(thrown).values())
    assert len(set(thrown)) == 6


def test_the_outcomes_of_a_seed_never_change() -> None:
    dice = Dice(2026)
    assert "".join(dice.die("abcdef") for _ in range(12)) == "addfabddedee"
    assert dice.shuffle("abcdef") == tuple("fdbace")


@given(st.integers(0, 2**64), st.lists(st.integers(), max_size=20))
def test_a_shuffle_keeps_every_item(seed: int, items: list[int]) -> None:
    shuffled = Dice(seed).shuffle(items)
    assert sorted(shuffled) == sorted(items)


def test_every_order_of_a_shuffle_is_as_likely() -> None:
    dice = Dice(1)
    orders = Counter(dice.shuffle("abc") for _ in range(6000))
    assert len(orders) == 6
    assert all(850 < count < 1150 for count in orders.values())


@pytest.mark.parametrize(
    "value,words",
    [
        (None, "null"),
        (True, "true"),
        (7, "7"),
        (10**400, "a huge number"),
        (1.5, "1.5"),
        ("roe", '"roe"'),
        ("x" * 100, '"' + "x" * 37 + '..."'),
        ([1, 2], "a list of 2"),
        ({"a": 1}, "an object"),
        ({1, 2}, "a set"),
    ],
)
def test_any_value_is_shown_in_a_few_words(value: object, words: str) -> None:
    assert shown(value) == words


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_the_engine_needs_only_the_standard_library_and_nothing_that_knows_the_world(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    tops = {name.split(".")[0] for name in imported}
    assert tops <= {*sys.stdlib_module_names, "galley_engine"}
    assert not tops & IMPURE
    assert "random" not in tops or path.name == "dice.py"


def test_the_example_of_the_readme_runs() -> None:
    outcome = doctest.testfile(str(README), module_relative=False)
    assert outcome.attempted > 5
    assert outcome.failed == 0
