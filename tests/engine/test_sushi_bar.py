"""The sushi bar: every referee case, what may be given as options and setup, what each view shows."""

from pathlib import Path
from typing import Any

import pytest

from galley_engine.dice import Dice
from galley_engine.game import BadOption, BadSetup, Refusal, Step
from galley_engine.games import sushi_bar as bar
from galley_engine.scenario import run_file

SCENARIOS = sorted((Path(__file__).parents[1] / "scenarios").glob("sushi_bar-*.json"))
LETTERS = {"S": "sushi", "B": "bone", "U": "blue", "R": "red"}


def faces(letters: str) -> list[str]:
    return [LETTERS[letter] for letter in letters]


def start(seats: int = 2, setup: dict[str, Any] | None = None, **options: object) -> bar.State:
    return bar.start(seats, bar.options(options), None, setup)


def play(state: bar.State, *actions: dict[str, Any]) -> Step[bar.State]:
    """The step of the last of these actions, all of which are accepted."""
    steps: list[Step[bar.State]] = []
    for action in actions:
        outcome = bar.apply(steps[-1].state if steps else state, action, 0, None)
        assert isinstance(outcome, Step), outcome
        steps.append(outcome)
    return steps[-1]


def throw(letters: str, seat: int = 0) -> dict[str, Any]:
    return {"do": "throw", "seat": seat, "faces": faces(letters)}


def test_there_are_referee_cases_for_the_rulings() -> None:
    assert len(SCENARIOS) >= 40


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_referee_case_holds(path: Path) -> None:
    status, line = run_file(str(path))
    assert status == 0, line


def test_the_tiles_are_those_of_the_rules() -> None:
    options = bar.options({})
    assert (len(options.sushi_tiles), sum(options.sushi_tiles)) == (12, 42)
    assert (len(options.bone_tiles), sum(options.bone_tiles)) == (12, -23)
    assert sorted(bar.DIE) == ["blue", "bone", "bone", "red", "sushi", "sushi"]


def test_the_rows_are_shuffled_by_chance_and_the_same_for_the_same_seed() -> None:
    options = bar.options({})
    one, same, other = (bar.start(2, options, Dice(seed), None) for seed in (1, 1, 2))
    assert one == same
    assert one.rows != other.rows
    assert sorted(one.rows.sushi) == sorted(options.sushi_tiles)
    assert sorted(one.rows.bone) == sorted(options.bone_tiles)


def test_what_a_setup_does_not_name_is_as_at_every_start() -> None:
    state = start(setup={"rows": {"sushi": [6]}, "stacks": [{"bone": [-1]}, {}]})
    assert state.rows == ((6,), bar.options({}).bone_tiles)
    assert state.stacks == (((), (-1,)), ((), ()))
    assert (state.turn, state.phase) == (0, "throw")


@pytest.mark.parametrize(
    "given,key",
    [
        ({"sushi_tiles": 12}, "sushi_tiles"),
        ({"sushi_tiles": [0]}, "sushi_tiles.0"),
        ({"sushi_tiles": [1, 100]}, "sushi_tiles.1"),
        ({"sushi_tiles": [1.0]}, "sushi_tiles.0"),
        ({"sushi_tiles": [1] * 61}, "sushi_tiles"),
        ({"bone_tiles": [1]}, "bone_tiles.0"),
        ({"bone_tiles": ["-1"]}, "bone_tiles.0"),
        ({"bone_tiles": [-100]}, "bone_tiles.0"),
        ({"sushi_tiles": [], "bone_tiles": []}, "sushi_tiles"),
        ({"throws": 0}, "throws"),
        ({"throws": 6}, "throws"),
        ({"throws": True}, "throws"),
        ({"start_seat": 5}, "start_seat"),
        ({"start_seat": None}, "start_seat"),
        ({"dice": 5}, "dice"),
    ],
)
def test_an_unknown_or_impossible_option_is_refused_by_name(given: dict[str, object], key: str) -> None:
    with pytest.raises(BadOption) as error:
        bar.options(given)
    assert error.value.key == key


def test_a_start_seat_that_does_not_play_is_refused_at_the_start() -> None:
    with pytest.raises(BadOption, match="start_seat: is 3, but the seats are 0 to 1"):
        start(2, start_seat=3)
    assert start(4, start_seat=3).turn == 3


@pytest.mark.parametrize(
    "setup,key",
    [
        ({"tiles": []}, "tiles"),
        ({"rows": []}, "rows"),
        ({"rows": {"fish": []}}, "rows.fish"),
        ({"rows": {"sushi": None}}, "rows.sushi"),
        ({"rows": {"sushi": [-1]}}, "rows.sushi.0"),
        ({"rows": {"bone": [-1, 2]}}, "rows.bone.1"),
        ({"stacks": [{}]}, "stacks"),
        ({"stacks": [{}, {}, {}]}, "stacks"),
        ({"stacks": [{}, []]}, "stacks.1"),
        ({"stacks": [{}, {"sushi": [0]}]}, "stacks.1.sushi.0"),
        ({"turn": 2}, "turn"),
        ({"turn": -1}, "turn"),
        ({"turn": None}, "turn"),
    ],
)
def test_an_unknown_or_impossible_part_of_a_setup_is_refused_by_name(setup: Any, key: str) -> None:
    with pytest.raises(BadSetup) as error:
        start(2, setup)
    assert error.value.key == key


@pytest.mark.parametrize("seats", [1, 6, 0, -2, True, 2.0, "2", None])
def test_only_two_to_five_seats_play(seats: Any) -> None:
    with pytest.raises(BadSetup) as error:
        start(seats)
    assert error.value.key == "seats"


def test_the_dealt_layout_starts_an_equal_state() -> None:
    options = bar.options({"start_seat": 2})
    state = bar.start(3, options, Dice(7), {"stacks": [{"sushi": [2]}, {}, {"bone": [-1]}]})
    assert bar.start(3, options, None, bar.setup_of(state)) == state
    assert bar.options(bar.options_of(state)) == options


def test_a_public_view_shows_heights_and_top_tiles_only() -> None:
    state = start(setup={"stacks": [{"sushi": [6, 5, 1], "bone": []}, {"sushi": [3], "bone": [-4, -1]}]})
    shown: list[Any] = [bar.public(state, seat) for seat in (None, 0, 1)]
    assert shown[0] == shown[1] == shown[2]
    assert shown[0]["stacks"] == [
        {"sushi": {"height": 3, "top": 1}, "bone": {"height": 0, "top": None}},
        {"sushi": {"height": 1, "top": 3}, "bone": {"height": 2, "top": -1}},
    ]
    hidden = {key: value for key, value in shown[0].items() if key != "stacks"}
    assert hidden == {key: value for key, value in bar.full(state).items() if key != "stacks"}


def test_views_of_states_that_differ_under_the_tops_are_equal() -> None:
    one, other = (
        start(setup={"stacks": [{"sushi": sushi, "bone": bone}, {}]})
        for sushi, bone in (([6, 5, 1], [-4, -1]), ([2, 3, 1], [-2, -1]))
    )
    assert bar.full(one) != bar.full(other)
    assert bar.public(one) == bar.public(other)


def test_the_forced_tile_comes_as_an_event_of_the_throw() -> None:
    state = start(setup={"rows": {"sushi": [], "bone": [-1, -3]}}, throws=1)
    step = play(state, throw("SSSSU"))
    assert step.action == throw("SSSSU")
    assert [event.kind for event in step.events] == ["thrown", "tile_forced"]
    assert step.events[1].data == {"by": 0, "kind": "bone", "place": 1, "tile": -3}


def test_the_end_tells_each_count_and_the_winners() -> None:
    setup = {"rows": {"sushi": [2], "bone": []}, "stacks": [{"sushi": [1, 5], "bone": [-1]}, {"bone": [-2]}]}
    step = play(start(setup=setup), throw("SUURR"), {"do": "take", "seat": 0, "kind": "sushi"})
    assert [tuple(event) for event in step.events] == [
        ("tile_taken", {"by": 0, "kind": "sushi", "place": 0, "tile": 2}),
        ("stack_counted", {"by": 0, "sushi": [1], "bone": [-1], "given_up": [5, 2], "score": 0}),
        ("stack_counted", {"by": 1, "sushi": [], "bone": [-2], "given_up": [], "score": -2}),
        ("game_ended", {"scores": [0, -2], "winners": [0]}),
    ]
    assert bar.ending(step.state) == "rows_empty"
    assert bar.actors(step.state) == ()
    assert bar.moves(step.state, 0, 0) == []
    assert bar.legal(step.state, 0, 0) == ()


def test_refusals_come_in_the_written_order() -> None:
    state = start(setup={"rows": {"sushi": [1], "bone": [-1]}})
    chosen = play(state, throw("UURRR")).state
    last = play(chosen, {"do": "lock", "seat": 0, "dice": [0, 1, 2, 3]}, throw("S")).state
    for position, action, code in (
        (state, {"do": "fly", "seat": 9}, "unknown_action"),
        (state, {"do": "lock", "seat": 1, "dice": []}, "bad_value"),
        (state, {"do": "lock", "seat": 1, "dice": [0], "x": 1}, "bad_value"),
        (state, {"do": "lock", "seat": 1, "dice": [0]}, "wrong_phase"),
        (chosen, {"do": "lock", "seat": 1, "dice": [0]}, "not_your_turn"),
        (last, {"do": "lock", "seat": 0, "dice": [0, 0]}, "bad_value"),
        (last, {"do": "lock", "seat": 1, "dice": [4]}, "not_your_turn"),
        (last, {"do": "lock", "seat": 0, "dice": [4]}, "not_legal"),
        (chosen, {"do": "throw", "seat": 0, "faces": 7}, "wrong_phase"),
    ):
        outcome = bar.apply(position, action, 0, None)
        assert isinstance(outcome, Refusal)
        assert (action, outcome.code) == (action, code)


def test_moves_are_whole_actions() -> None:
    setup = {"rows": {"sushi": [1, 2], "bone": []}, "stacks": [{}, {"sushi": [5, 2]}]}
    state = play(start(setup=setup), throw("UUUUS")).state
    moves = bar.moves(state, 0, 0)
    assert moves[:3] == [
        {"do": "take", "seat": 0, "kind": "sushi"},
        {"do": "steal", "seat": 0, "kind": "sushi", "from": 1, "position": 1},
        {"do": "steal", "seat": 0, "kind": "sushi", "from": 1, "position": 2},
    ]
    assert len(moves) == 3 + 31
    assert bar.moves(state, 1, 0) == []
    assert bar.legal(state, 0, 0) == ("take", "steal", "lock")
    assert bar.actors(state) == (0,)


def test_a_move_that_is_handed_out_cannot_be_changed() -> None:
    state = play(start(), throw("SBURR")).state
    lock: Any = bar.moves(state, 0, 0)[-1]
    assert lock == {"do": "lock", "seat": 0, "dice": [0, 1, 2, 3, 4]}
    for change in (lock.clear, lock["dice"].clear, lambda: lock["dice"].append(1)):
        with pytest.raises(TypeError, match="shared"):
            change()
    step = play(state, lock)
    assert type(step.action["dice"]) is list
