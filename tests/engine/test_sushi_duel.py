"""The sushi duel: every referee case, the examples of the rules, what may be given as options and setup."""

from pathlib import Path
from typing import Any

import pytest

from galley_engine.dice import Dice
from galley_engine.game import BadOption, BadSetup, Refusal, Step
from galley_engine.games import sushi_duel as duel
from galley_engine.scenario import run_file

SCENARIOS = sorted((Path(__file__).parents[1] / "scenarios").glob("sushi_duel-*.json"))

SHRIMP = (("shrimp", 6),)
COMBO = tuple((symbol, 1) for symbol in ("shrimp", "salmon", "octopus", "cucumber", "roe", "star"))
LETTERS = {
    "A": "shrimp",
    "B": "salmon",
    "C": "octopus",
    "D": "cucumber",
    "E": "roe",
    "*": "star",
    "Y": "yuck",
    "-": None,
}


def faces(letters: str) -> tuple[str | None, ...]:
    """Six faces as the rules write them: star dice, then yuck dice."""
    return tuple(LETTERS[letter] for letter in letters.replace(" ", ""))


def start(seats: int = 3, setup: dict[str, Any] | None = None, **options: object) -> duel.State:
    return duel.start(seats, duel.options(options), None, setup)


def in_duel(left: str, right: str, seats: int = 3, **options: object) -> duel.State:
    stations = {"left": {"seat": 0, "faces": faces(left)}, "right": {"seat": 1, "faces": faces(right)}}
    setup = {"phase": "duel", "visible": [dict(SHRIMP), dict(COMBO)], "stock": [], "stations": stations}
    return start(seats, setup, **options)


def play(state: duel.State, *actions: dict[str, Any], at_ms: int = 1000) -> Step[duel.State]:
    """The step of the last of these actions, all of which are accepted, 1000 ms apart."""
    steps: list[Step[duel.State]] = []
    for number, action in enumerate(actions):
        outcome = duel.apply(steps[-1].state if steps else state, action, at_ms + 1000 * number, None)
        assert isinstance(outcome, Step), outcome
        steps.append(outcome)
    return steps[-1]


def kinds(step: Step[duel.State]) -> list[str]:
    return [event.kind for event in step.events]


def test_there_are_referee_cases_for_the_rulings() -> None:
    assert len(SCENARIOS) >= 60


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_referee_case_holds(path: Path) -> None:
    result = run_file(str(path))
    assert result.status == 0, result.line


@pytest.mark.parametrize(
    "shown,platter,complete",
    [
        ("A*A AAA", SHRIMP, True),
        ("A** AAB", SHRIMP, False),
        ("AB* CDE", COMBO, True),
        ("A** CDE", COMBO, True),
        ("AA* CDE", COMBO, False),
        ("ABC DEE", COMBO, False),
        ("*** AAA", SHRIMP, True),
        ("*** ABC", COMBO, True),
        ("*** AAB", COMBO, False),
        ("AAA AAY", SHRIMP, False),
        ("AAA AA-", SHRIMP, False),
        ("--- ---", SHRIMP, False),
        ("A*- -BY", (("shrimp", 1), ("star", 1)), True),
        ("AA- -BY", (("shrimp", 1), ("star", 1)), False),
        ("**- -BY", (("shrimp", 1), ("star", 1)), True),
        ("A** BBY", (("shrimp", 3),), True),
    ],
)
def test_dice_complete_a_platter_just_if_they_cover_it(
    shown: str, platter: duel.Platter, complete: bool
) -> None:
    assert duel.fits(faces(shown), platter) is complete


def test_the_deck_has_three_of_each_uniform_platter_and_four_combos() -> None:
    state = start()
    platters = [*state.visible, *state.stock]
    assert len(platters) == 19
    assert platters.count(COMBO) == 4
    assert all(
        platters.count(((symbol, 6),)) == 3 for symbol in ("shrimp", "salmon", "octopus", "cucumber", "roe")
    )


def test_the_start_is_shuffled_by_chance_and_the_same_for_the_same_seed() -> None:
    options = duel.options({})
    one, again, other = (duel.start(3, options, Dice(seed), None) for seed in (1, 1, 2))
    assert one == again
    assert one != other
    assert sorted([*one.visible, *one.stock]) == sorted([*other.visible, *other.stock])


def test_what_a_setup_leaves_open_comes_from_the_rest_of_the_deck() -> None:
    state = start(setup={"visible": [dict(COMBO), dict(COMBO)]})
    assert len(state.stock) == 17
    assert state.stock.count(COMBO) == 2
    state = start(setup={"stock": [dict(SHRIMP)] * 3})
    assert len(state.visible) == 3
    assert SHRIMP not in state.visible


def test_the_key_order_of_a_platter_makes_no_difference() -> None:
    turned = dict(reversed(COMBO))
    assert start(setup={"visible": [turned], "stock": []}) == start(
        setup={"visible": [dict(COMBO)], "stock": []}
    )


@pytest.mark.parametrize(
    "given,key",
    [
        ({"stars": 3}, "stars"),
        ({"deck": {"uniforms": 3}}, "deck.uniforms"),
        ({"deck": 19}, "deck"),
        ({"deck": {"uniform": 0, "combo": 0}}, "deck"),
        ({"deck": {"combo": True}}, "deck.combo"),
        ({"deck": {"combo": 10**30}}, "deck.combo"),
        ({"visible": 0}, "visible"),
        ({"visible": 9}, "visible"),
        ({"visible": 2.0}, "visible"),
        ({"visible": 4, "deck": {"uniform": 0, "combo": 3}}, "visible"),
        ({"targets": {"7": 4}}, "targets.7"),
        ({"targets": {"2": 0}}, "targets.2"),
        ({"targets": [6, 5, 5, 4, 4]}, "targets"),
        ({"star_dice": 4}, "star_dice"),
        ({"star_dice": -1, "yuck_dice": 7}, "star_dice"),
        ({"star_dice": 0, "yuck_dice": 6}, "star_dice"),
        ({"ingredients": ["a", "b", "c", "d"]}, "ingredients"),
        ({"ingredients": "abcde"}, "ingredients"),
        ({"ingredients": ["a", "b", "c", "d", "d"]}, "ingredients.4"),
        ({"ingredients": ["a", "b", "c", "d", "yuck"]}, "ingredients.4"),
        ({"ingredients": ["a.b", "b", "c", "d", "e"]}, "ingredients.0"),
        ({"ingredients": ["", "b", "c", "d", "e"]}, "ingredients.0"),
        ({"ingredients": [[], "b", "c", "d", "e"]}, "ingredients.0"),
        ({"false_bell": "shout"}, "false_bell"),
        ({"false_bell": ["none"]}, "false_bell"),
        ({"false_call_lock_ms": -1}, "false_call_lock_ms"),
        ({"min_roll_interval_ms": 0.3}, "min_roll_interval_ms"),
        ({"min_roll_interval_ms": None}, "min_roll_interval_ms"),
        ({"start_seat": 6}, "start_seat"),
        ({"start_seat": False}, "start_seat"),
    ],
)
def test_an_unknown_or_impossible_option_is_refused_by_name(given: dict[str, object], key: str) -> None:
    with pytest.raises(BadOption) as error:
        duel.options(given)
    assert error.value.key == key
    assert str(error.value).startswith(f"{key}: ")


def test_options_that_are_impossible_for_these_seats_are_refused_at_the_start() -> None:
    with pytest.raises(BadOption, match=r"^start_seat: is 3, but the seats are 0 to 2$"):
        start(3, start_seat=3)
    with pytest.raises(BadOption, match=r"^deck: has 12 platters, but 3 seats playing for 5 may need 13"):
        start(3, deck={"uniform": 2, "combo": 2})
    assert start(3, setup={"visible": [], "stock": []}, deck={"uniform": 2, "combo": 2}).stock == ()


def test_the_options_in_force_are_given_back_in_the_form_they_are_taken() -> None:
    state = start(3, None, false_bell="none", deck={"combo": 5}, star_dice=4, yuck_dice=2, targets={"3": 2})
    assert duel.options(duel.options_of(state)) == state.options
    assert duel.options_of(state)["deck"] == {"uniform": 3, "combo": 5}


TWO_STATIONS = {"left": {"seat": 0}, "right": {"seat": 1}}


@pytest.mark.parametrize(
    "setup,key",
    [
        ([], "setup"),
        ({"turn": 1}, "turn"),
        ({"visible": {"shrimp": 6}}, "visible"),
        ({"visible": [{"prawn": 6}]}, "visible.0.prawn"),
        ({"visible": [{"yuck": 6}]}, "visible.0.yuck"),
        ({"visible": [{"shrimp": True}]}, "visible.0.shrimp"),
        ({"visible": [{"shrimp": 7}]}, "visible.0.shrimp"),
        ({"visible": [{"shrimp": 4, "roe": 3}]}, "visible.0"),
        ({"visible": [{}]}, "visible.0"),
        ({"stock": 16}, "stock"),
        ({"stock": [None]}, "stock.0"),
        ({"won": [0, 0]}, "won"),
        ({"won": [0, 0, 5]}, "won.2"),
        ({"won": [0, -1, 0]}, "won.1"),
        ({"phase": "share"}, "phase"),
        ({"phase": ["duel"]}, "phase"),
        ({"phase": "duel"}, "stations"),
        ({"phase": "ready"}, "stations"),
        ({"stations": TWO_STATIONS}, "stations"),
        ({"phase": "duel", "stations": {"left": {"seat": 0}}}, "stations.right"),
        ({"phase": "duel", "stations": {**TWO_STATIONS, "middle": {}}}, "stations.middle"),
        ({"phase": "duel", "stations": {**TWO_STATIONS, "right": {}}}, "stations.right.seat"),
        ({"phase": "duel", "stations": {**TWO_STATIONS, "right": {"seat": 3}}}, "stations.right.seat"),
        ({"phase": "duel", "stations": {**TWO_STATIONS, "right": {"seat": 0}}}, "stations.right.seat"),
        (
            {"phase": "duel", "stations": {**TWO_STATIONS, "right": {"seat": 1, "dice": 6}}},
            "stations.right.dice",
        ),
        (
            {"phase": "duel", "stations": {**TWO_STATIONS, "left": {"seat": 0, "faces": faces("YAAAAA")}}},
            "stations.left.faces.0",
        ),
        (
            {"phase": "duel", "stations": {**TWO_STATIONS, "left": {"seat": 0, "faces": [0] * 6}}},
            "stations.left.faces.0",
        ),
        (
            {"phase": "duel", "stations": {**TWO_STATIONS, "left": {"seat": 0, "faces": []}}},
            "stations.left.faces",
        ),
        (
            {"phase": "duel", "stations": {**TWO_STATIONS, "left": {"seat": 0, "kept": [1] * 6}}},
            "stations.left.kept.0",
        ),
        (
            {"phase": "duel", "stations": {**TWO_STATIONS, "left": {"seat": 0, "kept": [True] * 6}}},
            "stations.left.kept.0",
        ),
    ],
)
def test_an_unknown_or_impossible_part_of_a_setup_is_refused_by_name(setup: Any, key: str) -> None:
    with pytest.raises(BadSetup) as error:
        start(3, setup)
    assert error.value.key == key


@pytest.mark.parametrize("seats", [1, 7, True, "3", 3.0, None])
def test_only_two_to_six_seats_play(seats: Any) -> None:
    with pytest.raises(BadSetup) as error:
        start(seats)
    assert error.value.key == "seats"


def test_the_dealt_layout_starts_an_equal_state() -> None:
    options = duel.options({})
    dealt = duel.start(4, options, Dice(7), None)
    assert duel.start(4, options, None, duel.setup_of(dealt)) == dealt
    given = in_duel("A*A AAB", "CC- -CY")
    assert duel.start(3, given.options, None, duel.setup_of(given)) == given


def test_refusals_come_in_the_written_order() -> None:
    over = play(in_duel("AAA AAA", "------", targets={"3": 1}), {"do": "bell", "seat": 0}).state
    rolled = play(in_duel("AAA AAB", "------"), {"do": "roll", "seat": 0, "faces": faces("AAAAAC")}).state
    cases = [
        (over, {"do": "fly", "seat": 9}, "game_over"),
        (over, None, "game_over"),
        (rolled, {"do": "fly", "seat": 9}, "unknown_action"),
        (rolled, {"do": "choose", "seat": 9, "platter": 0}, "bad_value"),
        (rolled, {"do": "choose", "seat": 2, "platter": 0}, "wrong_phase"),
        (rolled, {"do": "roll", "seat": 2, "faces": []}, "not_a_duelist"),
        (rolled, {"do": "roll", "seat": 0, "faces": []}, "too_soon"),
        (rolled, {"do": "roll", "seat": 1, "faces": []}, "bad_value"),
        (start(), {"do": "challenge", "seat": 1, "opponent": 1}, "not_your_turn"),
        (start(), {"do": "challenge", "seat": 0, "opponent": 0}, "bad_value"),
    ]
    for state, action, code in cases:
        outcome = duel.apply(state, action, 1100, None)
        assert isinstance(outcome, Refusal), action
        assert outcome.code == code, action


def test_nothing_to_roll_comes_before_too_soon() -> None:
    state = play(in_duel("AAA AAB", "------"), {"do": "roll", "seat": 0, "faces": faces("AAAAAC")}).state
    keeps = [{"do": "keep", "seat": 0, "die": die} for die in range(6)]
    state = play(state, *keeps, at_ms=-4001).state
    outcome = duel.apply(state, {"do": "roll", "seat": 0}, 1001, None)
    assert isinstance(outcome, Refusal)
    assert outcome.code == "nothing_to_roll"


def test_only_outcomes_that_were_used_are_recorded() -> None:
    state = in_duel("AAA AAA", "AAA AAB")
    unused = {"faces": list(faces("BBBBBB"))}
    assert play(state, {"do": "yuck", "seat": 0, **unused}).action == {"do": "yuck", "seat": 0}
    assert play(state, {"do": "bell", "seat": 0, **unused}).action == {"do": "bell", "seat": 0}
    false_bell = {"do": "bell", "seat": 1, **unused}
    assert play(state, false_bell).action == false_bell


def test_events_tell_what_happened_in_order() -> None:
    step = play(start(), {"do": "challenge", "seat": 0, "opponent": 2})
    assert step.events == (("challenged", {"by": 0, "on": 2}),)
    step = play(step.state, {"do": "ready", "seat": 0}, {"do": "ready", "seat": 2})
    assert step.events == (("got_ready", {"by": 2}), ("duel_started", {"left": 0, "right": 2}))
    assert kinds(play(step.state, {"do": "roll", "seat": 0, "faces": faces("ABCDEY")})) == ["rolled"]

    state = in_duel("AAA AAA", "AAB AAY")
    assert kinds(play(state, {"do": "keep", "seat": 0, "die": 1})) == ["kept"]
    assert kinds(play(state, *[{"do": "keep", "seat": 0, "die": 1}] * 2)) == ["freed"]
    yuck = play(state, {"do": "yuck", "seat": 0, "faces": faces("AAAAAY")})
    assert yuck.events[0] == ("yuck_called", {"by": 0, "on": 1})
    assert yuck.events[1].data["by"] == 1
    assert play(state, {"do": "yuck", "seat": 1}).events == (
        ("yuck_missed", {"by": 1, "on": 0, "lock_ms": 0}),
    )
    assert kinds(play(state, {"do": "mate", "seat": 2})) == ["mate_missed"]
    assert kinds(play(state, {"do": "bell", "seat": 1, "faces": faces("AAAAAY")})) == ["bell_false", "rolled"]
    bell = play(state, {"do": "bell", "seat": 0})
    assert bell.events == (
        ("platter_taken", {"by": 0, "place": 0, "platter": {"shrimp": 6}, "won": 1}),
        ("sets_passed", {"left": 1, "right": 2}),
    )
    last = play(in_duel("AAA AAA", "------", targets={"3": 1}), {"do": "bell", "seat": 0})
    assert kinds(last) == ["platter_taken", "game_won"]

    mate = play(in_duel("AAA AAY", "BBB BBY"), {"do": "mate", "seat": 2})
    assert kinds(mate) == ["mate_called"]
    share = play(mate.state, {"do": "share", "seat": 2, "side": "right", "to": 1})
    assert share.events == (
        ("sets_shared", {"by": 2, "side": "right", "to": 1}),
        ("sets_passed", {"left": 1, "right": 2}),
    )


def test_to_be_ready_twice_is_once() -> None:
    once = play(start(), {"do": "challenge", "seat": 0, "opponent": 2}, {"do": "ready", "seat": 0})
    twice = play(once.state, {"do": "ready", "seat": 0})
    assert twice.state == once.state
    assert twice.events == ()


def test_questions_of_a_state() -> None:
    state = in_duel("A** AAA", "BBY ABC".replace("Y", "C"), seats=4)
    assert duel.complete_platters(state, "left") == (0,)
    assert duel.complete_platters(state, "right") == ()
    assert duel.observers(state) == (2, 3)
    assert (duel.side_of(state, 1), duel.side_of(state, 2)) == ("right", None)
    assert duel.share_candidates(state) == ()
    assert duel.observers(start(4)) == (0, 1, 2, 3)
    ready = play(start(), {"do": "challenge", "seat": 0, "opponent": 1}, {"do": "ready", "seat": 1}).state
    assert duel.ready_seats(ready) == (1,)
    sharing = play(in_duel("AAA AAY", "BBB BBY", seats=4), {"do": "mate", "seat": 3}).state
    assert duel.share_candidates(sharing) == (0, 1, 2)


def test_legal_names_the_kinds_that_would_be_accepted() -> None:
    assert duel.legal(start(), 0, 0) == ("challenge",)
    assert duel.legal(start(), 1, 0) == ()
    state = in_duel("------", "AAA AAB", false_call_lock_ms=1000)
    assert duel.legal(state, 0, 1000) == ("roll", "bell", "yuck")
    assert duel.legal(state, 1, 1000) == ("keep", "roll", "bell", "yuck")
    assert duel.legal(state, 2, 1000) == duel.legal(state, 2, -1000) == ("mate",)
    state = play(state, {"do": "roll", "seat": 1, "faces": faces("AAAAAB")}, {"do": "mate", "seat": 2}).state
    assert duel.legal(state, 1, 1299) == ("keep", "bell", "yuck")
    assert duel.legal(state, 1, 1300) == ("keep", "roll", "bell", "yuck")
    assert duel.legal(state, 2, 2999) == ()
    assert duel.legal(state, 2, 3000) == ("mate",)


def test_moves_are_whole_actions() -> None:
    assert duel.moves(start(), 0, 0) == [
        {"do": "challenge", "seat": 0, "opponent": other} for other in (1, 2)
    ]
    mate = play(in_duel("AAA AAY", "BBB BBY"), {"do": "mate", "seat": 2}).state
    assert len(duel.moves(mate, 2, 0)) == 4
    choosing = in_duel("*** AAA", "------")._replace(visible=(SHRIMP, COMBO, SHRIMP))
    choosing = play(choosing, {"do": "bell", "seat": 0}).state
    assert duel.moves(choosing, 0, 0) == [{"do": "choose", "seat": 0, "platter": place} for place in (0, 2)]
