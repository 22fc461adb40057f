"""The poop deck: every referee case, what may be given as options and setup, and all orders of things."""

from pathlib import Path
from typing import Any

import pytest

from galley_engine.game import BadOption, BadSetup, Refusal, Step
from galley_engine.games import poop_deck as deck
from galley_engine.scenario import run_file

SCENARIOS = sorted((Path(__file__).parents[1] / "scenarios").glob("poop_deck-*.json"))


def start(seats: int = 2, setup: dict[str, Any] | None = None, **options: object) -> deck.State:
    return deck.start(seats, deck.options(options), None, setup)


def play(state: deck.State, *actions: dict[str, Any]) -> Step[deck.State]:
    """The step of the last of these actions, all of which are accepted."""
    steps: list[Step[deck.State]] = []
    for action in actions:
        outcome = deck.apply(steps[-1].state if steps else state, action, 0, None)
        assert isinstance(outcome, Step), outcome
        steps.append(outcome)
    return steps[-1]


def test_there_are_referee_cases_for_the_rulings() -> None:
    assert len(SCENARIOS) >= 30


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_referee_case_holds(path: Path) -> None:
    status, line = run_file(str(path))
    assert status == 0, line


@pytest.mark.parametrize(
    "given,key",
    [
        ({"droppings_per_colour": 0}, "droppings_per_colour"),
        ({"droppings_per_colour": 9}, "droppings_per_colour"),
        ({"droppings_per_colour": 3.0}, "droppings_per_colour"),
        ({"match_rule": "always"}, "match_rule"),
        ({"match_rule": None}, "match_rule"),
        ({"start_seat": 4}, "start_seat"),
        ({"start_seat": "0"}, "start_seat"),
        ({"railings": 3}, "railings"),
    ],
)
def test_an_unknown_or_impossible_option_is_refused_by_name(given: dict[str, object], key: str) -> None:
    with pytest.raises(BadOption) as error:
        deck.options(given)
    assert error.value.key == key


def test_a_start_seat_that_does_not_play_is_refused_at_the_start() -> None:
    with pytest.raises(BadOption, match="start_seat: is 3, but the seats are 0 to 1"):
        start(2, start_seat=3)


@pytest.mark.parametrize(
    "setup,key",
    [
        ({"droppings": 12}, "droppings"),
        ({"deck": 13}, "deck"),
        ({"deck": -1}, "deck"),
        ({"deck": True}, "deck"),
        ({"collected": [0, 0, 0, 0]}, "collected"),
        ({"collected": {"pink": 0}}, "collected.pink"),
        ({"collected": {"red": 4}}, "collected.red"),
        ({"galley": 13}, "galley"),
        ({"die": "white"}, "die"),
        ({"die": 1}, "die"),
        ({"turn": 2}, "turn"),
    ],
)
def test_an_unknown_or_impossible_part_of_a_setup_is_refused_by_name(setup: Any, key: str) -> None:
    with pytest.raises(BadSetup) as error:
        start(2, setup)
    assert error.value.key == key


@pytest.mark.parametrize("seats", [1, 5, 0, True, 2.0, None])
def test_only_two_to_four_seats_play(seats: Any) -> None:
    with pytest.raises(BadSetup) as error:
        start(seats)
    assert error.value.key == "seats"


def test_the_layout_starts_an_equal_state() -> None:
    state = start(3, {"deck": 5, "collected": {"red": 2}, "galley": 3, "die": "blue", "turn": 2})
    assert deck.start(3, deck.options({}), None, deck.setup_of(state)) == state
    options = deck.options({"match_rule": "at_announce", "droppings_per_colour": 2})
    assert deck.options(deck.options_of(deck.start(2, options, None))) == options


def test_all_see_the_same() -> None:
    state = play(start(setup={"die": "red"}), {"do": "grab", "seat": 0}).state
    assert all(deck.public(state, seat) == deck.full(state) for seat in (None, 0, 1))


def test_events_tell_what_happened_in_order() -> None:
    setup = {"deck": 1, "collected": {"red": 2, "blue": 3}, "galley": 6, "die": "red"}
    step = play(start(setup=setup), {"do": "name_last", "seat": 0, "colour": "red", "truth": "red"})
    assert [tuple(event) for event in step.events] == [
        ("last_named", {"by": 0, "colour": "red", "truth": "red"}),
        ("dropping_collected", {"by": 0, "colour": "red"}),
        ("crew_won", {"collected": 6, "galley": 6}),
    ]
    lost = play(start(setup=setup), {"do": "dropping_fell"})
    assert [tuple(event) for event in lost.events] == [
        ("dropping_lost", {"galley": 7}),
        ("crew_lost", {"collected": 5, "galley": 7}),
    ]
    fallen = play(start(setup=setup), {"do": "die_fell"})
    assert [event.kind for event in fallen.events] == ["die_lost", "crew_lost"]
    assert (deck.ending(lost.state), deck.ending(fallen.state)) == ("counted", "die_fell")
    assert deck.ending(start()) is None


def test_refusals_come_in_the_written_order() -> None:
    state = start(setup={"die": "red"})
    for action, code in (
        ({"do": "fly", "seat": 9}, "unknown_action"),
        ({"do": "announce", "seat": 1, "colour": "pink"}, "bad_value"),
        ({"do": "announce", "seat": 1, "colour": "red"}, "wrong_phase"),
        ({"do": "name_last", "seat": 1, "colour": "red", "truth": "red"}, "not_your_turn"),
        ({"do": "name_last", "seat": 0, "colour": "red", "truth": "red"}, "not_legal"),
        ({"do": "dropping_fell", "seat": 0}, "bad_value"),
        ({"do": "die_shows", "colour": "red", "seat": 0}, "bad_value"),
    ):
        outcome = deck.apply(state, action, 0, None)
        assert isinstance(outcome, Refusal)
        assert (action, outcome.code) == (action, code)


def test_moves_and_happenings() -> None:
    state = start(setup={"die": "red"})
    assert deck.moves(state, 0, 0) == [
        {"do": "grab", "seat": 0},
        {"do": "push_die", "seat": 0, "because": "hole"},
        {"do": "push_die", "seat": 0, "because": "edge"},
    ]
    assert deck.legal(state, 1, 0) == ("push_die",)
    assert deck.actors(state) == (0, 1)
    assert len(deck.happenings(state)) == 6
    over = play(state, {"do": "die_fell"}).state
    assert deck.moves(over, 0, 0) == []
    assert deck.happenings(over) == []
    assert deck.actors(over) == ()
    held = play(start(setup={"deck": 1}), {"do": "grab", "seat": 0}).state
    assert {"do": "dropping_fell"} not in deck.happenings(held)
