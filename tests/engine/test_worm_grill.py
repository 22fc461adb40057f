"""The worm grill: every referee case, the data of the rules, what may be given as options and setup."""

from pathlib import Path
from typing import Any

import pytest

from galley_engine.dice import Dice
from galley_engine.game import BadOption, BadSetup, Refusal, Step
from galley_engine.games import worm_grill as grill
from galley_engine.scenario import run_file

SCENARIOS = sorted((Path(__file__).parents[1] / "scenarios").glob("worm_grill-*.json"))

FULL = {str(place): {"plates": [1]} for place in grill.PLACES}


def start(seats: int = 3, setup: dict[str, Any] | None = None, **options: object) -> grill.State:
    return grill.start(seats, grill.options(options), None, setup)


def faces(letters: str) -> list[Any]:
    return [grill.FACE_OF[letter] for letter in letters]


def throw(seat: int, letters: str) -> dict[str, Any]:
    return {"do": "throw", "seat": seat, "faces": faces(letters)}


def keep(seat: int, letter: str) -> dict[str, Any]:
    return {"do": "keep", "seat": seat, "face": grill.FACE_OF[letter]}


def stop(seat: int) -> dict[str, Any]:
    return {"do": "stop", "seat": seat}


def play(state: grill.State, *actions: dict[str, Any]) -> Step[grill.State]:
    """The step of the last of these actions, all of which are accepted."""
    steps: list[Step[grill.State]] = []
    for action in actions:
        outcome = grill.apply(steps[-1].state if steps else state, action, 1000, None)
        assert isinstance(outcome, Step), outcome
        steps.append(outcome)
    return steps[-1]


def ended(state: grill.State, seat: int, aside: str) -> Step[grill.State]:
    """The step with which the seat stops on just these dice, with one more on the table."""
    return play(state._replace(phase="decide", turn=seat, dice="1", aside=aside), stop(seat))


def test_there_are_referee_cases_for_the_rulings() -> None:
    assert len(SCENARIOS) >= 35


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_referee_case_holds(path: Path) -> None:
    result = run_file(str(path))
    assert result.status == 0, result.line


def test_the_places_have_the_values_of_the_classic_tiles() -> None:
    options = grill.options({})
    assert options.place_value == (1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4)
    assert sum(options.place_value) * 2 > options.worm_supply == 50


def test_a_game_starts_with_an_empty_grill_and_ten_plates_each() -> None:
    shown = grill.full(start(5))
    assert shown["grill"]["26"] == {"plates": [], "snail": False, "worms": 2}  # type: ignore[index,call-overload]
    assert list(shown["grill"]) == [str(place) for place in range(23, 37)]  # type: ignore[arg-type]
    assert shown["supply"] == {"worms": 50, "snails": 12}
    assert (shown["worms"], shown["snails"], shown["plates"]) == ([0] * 5, [0] * 5, [10] * 5)
    assert (shown["phase"], shown["turn"], shown["left"], shown["total"]) == ("throw", 0, 8, 0)
    assert (shown["dice"], shown["aside"], shown["last"], shown["winners"]) == ([], {}, None, None)


@pytest.mark.parametrize(
    "aside,total", [("", 0), ("w", 5), ("www64", 25), ("66666666", 48), ("6666666w", 47), ("w6664423", 36)]
)
def test_a_worm_counts_five(aside: str, total: int) -> None:
    assert grill.total_of(aside) == total


@pytest.mark.parametrize(
    "aside,result,place,worms",
    [
        ("www64", "steal", 25, 2),
        ("ww664", "plate", 26, 2),
        ("ww6641", "stack", 27, 2),
        ("ww6642", "bad", 35, 0),  # closed
        ("w6666", "snail", 29, 0),
        ("w66666", "plate", 35, 4),
        ("w666666", "top_snail", None, 0),
        ("6666", "bad", 35, 0),
        ("666666", "bad", 35, 0),  # 36, but no worm
        ("w666", "plate", 23, 1),
        ("w664", "bad", 35, 0),  # 21
    ],
)
def test_a_turn_does_what_its_total_finds_on_the_grill(
    aside: str, result: str, place: int | None, worms: int
) -> None:
    setup = {
        "grill": {
            "25": {"plates": [1]},
            "27": {"plates": [0]},
            "28": {"plates": [1, 1]},
            "29": {"snail": True},
            "36": {"snail": True},
        },
        "worms": [2, 6],
    }
    step = ended(start(2, setup), 0, aside)
    assert step.state.board.last == (0, grill.total_of(aside), result, place, worms)
    assert step.state.turn == 1


@pytest.mark.parametrize(
    "given,key",
    [
        ({"worms": 50}, "worms"),
        ({"place_value": {"22": 1}}, "place_value.22"),
        ({"place_value": {"37": 1}}, "place_value.37"),
        ({"place_value": {"23": -1}}, "place_value.23"),
        ({"place_value": {"36": True}}, "place_value.36"),
        ({"place_value": [1] * 14}, "place_value"),
        ({"snails": -1}, "snails"),
        ({"snails": 1001}, "snails"),
        ({"snails": None}, "snails"),
        ({"snail_points": 2.5}, "snail_points"),
        ({"plates": 0}, "plates"),
        ({"plates": 29}, "plates"),
        ({"plates": True}, "plates"),
        ({"worm_supply": 10**30}, "worm_supply"),
        ({"no_free_place": "end"}, "no_free_place"),
        ({"no_free_place": True}, "no_free_place"),
        ({"stop_requires_good": 1}, "stop_requires_good"),
        ({"start_seat": 5}, "start_seat"),
        ({"start_seat": "0"}, "start_seat"),
    ],
)
def test_an_unknown_or_impossible_option_is_refused_by_name(given: dict[str, object], key: str) -> None:
    with pytest.raises(BadOption) as error:
        grill.options(given)
    assert error.value.key == key
    assert str(error.value).startswith(f"{key}: ")


def test_a_start_seat_that_does_not_play_is_refused() -> None:
    with pytest.raises(BadOption, match=r"^start_seat: is 2, but the seats are 0 to 1$"):
        start(2, start_seat=2)
    assert start(3, start_seat=2).turn == 2


@pytest.mark.parametrize(
    "setup,key",
    [
        ([], "setup"),
        ({"phase": "throw"}, "phase"),
        ({"grill": {"22": {}}}, "grill.22"),
        ({"grill": {"23": []}}, "grill.23"),
        ({"grill": {"23": {"plate": [0]}}}, "grill.23.plate"),
        ({"grill": {"23": {"plates": 0}}}, "grill.23.plates"),
        ({"grill": {"23": {"plates": [3]}}}, "grill.23.plates.0"),
        ({"grill": {"23": {"plates": [True]}}}, "grill.23.plates.0"),
        ({"grill": {"23": {"plates": [0, 1]}}}, "grill.23.plates"),
        ({"grill": {"23": {"plates": [0, 0, 0]}}}, "grill.23.plates"),
        ({"grill": {"23": {"snail": 1}}}, "grill.23.snail"),
        ({"grill": {"23": {"plates": [0], "snail": True}}}, "grill.23.snail"),
        ({"grill": {"23": {"worms": 2}}}, "grill.23.worms"),
        ({"grill": {"23": {"worms": True}}}, "grill.23.worms"),
        ({"supply": 50}, "supply"),
        ({"supply": {"plates": 1}}, "supply.plates"),
        ({"supply": {"worms": -1}}, "supply.worms"),
        ({"supply": {"snails": 1.0}}, "supply.snails"),
        ({"worms": [0, 0]}, "worms"),
        ({"worms": [0, 0, -1]}, "worms.2"),
        ({"snails": [0, None, 0]}, "snails.1"),
        ({"plates": [29, 0, 0]}, "plates.0"),
        ({"turn": 3}, "turn"),
        ({"turn": None}, "turn"),
    ],
)
def test_an_unknown_or_impossible_part_of_a_setup_is_refused_by_name(setup: Any, key: str) -> None:
    with pytest.raises(BadSetup) as error:
        start(3, setup)
    assert error.value.key == key


@pytest.mark.parametrize("seats", [1, 6, True, "3", 3.0, None])
def test_only_two_to_five_seats_play(seats: Any) -> None:
    with pytest.raises(BadSetup) as error:
        start(seats)
    assert error.value.key == "seats"


def test_options_and_layout_are_given_back_in_the_form_they_are_taken() -> None:
    setup = {"grill": {"25": {"plates": [1, 1]}, "36": {"snail": True}}, "supply": {"snails": 3}, "turn": 2}
    state = start(3, setup, place_value={"30": 9}, no_free_place="no_effect", snails=4, plates=2)
    assert grill.options(grill.options_of(state)) == state.options
    assert grill.start(3, state.options, None, grill.setup_of(state)) == state
    assert grill.start(3, state.options, Dice(1), grill.setup_of(state)) == state


def test_refusals_come_in_the_written_order() -> None:
    over = ended(start(2, {"supply": {"snails": 0}}), 0, "w").state
    thrown = play(start(2), throw(0, "11223344")).state
    cases: list[tuple[grill.State, Any, str]] = [
        (over, {"do": "fly", "seat": 9}, "game_over"),
        (over, None, "game_over"),
        (thrown, {"do": "fly", "seat": 9}, "unknown_action"),
        (thrown, {"do": "stop", "seat": 9}, "bad_value"),
        (thrown, {"do": "keep", "seat": 0, "face": 5}, "bad_value"),
        (thrown, {"do": "stop", "seat": 1}, "wrong_phase"),
        (thrown, {"do": "throw", "seat": 0, "faces": []}, "wrong_phase"),
        (thrown, {"do": "keep", "seat": 1, "face": 6}, "not_your_turn"),
        (thrown, {"do": "keep", "seat": 0, "face": 6}, "not_legal"),
        (start(2), {"do": "throw", "seat": 1, "faces": []}, "not_your_turn"),
        (start(2), {"do": "throw", "seat": 0, "faces": []}, "bad_value"),
    ]
    for state, action, code in cases:
        outcome = grill.apply(state, action, 1000, None)
        assert isinstance(outcome, Refusal), action
        assert outcome.code == code, action


def test_dice_without_chance_need_their_faces() -> None:
    outcome = grill.apply(start(), {"do": "throw", "seat": 0}, 0, None)
    assert outcome == Refusal("bad_value", "faces is missing: 8 dice are thrown")
    step = grill.apply(start(), {"do": "throw", "seat": 0}, 0, Dice(1))
    assert isinstance(step, Step)
    assert play(start(), step.action) == step


def test_events_tell_what_happened_in_order() -> None:
    setup = {"grill": {"25": {"plates": [1]}, "27": {"plates": [0]}, "29": {"snail": True}}, "worms": [2, 2]}
    state = start(2, setup)
    step = play(state, throw(0, "wwww6123"))
    assert step.events == (("thrown", {"by": 0, "faces": faces("wwww6123")}),)
    step = play(step.state, keep(0, "w"))
    assert step.events == (("set_aside", {"by": 0, "face": "worm", "dice": 4}),)
    happened = {
        "www64": ("plate_stolen", {"by": 0, "on": 1, "place": 25, "worms": 2}),
        "ww664": ("plate_placed", {"by": 0, "place": 26, "worms": 2}),
        "ww6641": ("plate_stacked", {"by": 0, "place": 27, "worms": 2}),
        "w6666": ("snail_taken", {"by": 0, "place": 29}),
        "w666666": ("snail_taken", {"by": 0, "place": None}),
    }
    for aside, event in happened.items():
        assert ended(state, 0, aside).events == (event,)
    assert ended(state, 0, "w").events == (
        ("throw_bad", {"by": 0, "total": 5, "why": "too_low"}),
        ("snail_placed", {"place": 36}),
    )


@pytest.mark.parametrize(
    "aside,why", [("6666", "no_worm"), ("w", "too_low"), ("ww6642", "closed"), ("www64", "no_plate")]
)
def test_a_bad_throw_has_a_reason(aside: str, why: str) -> None:
    state = start(2, {"grill": {"28": {"plates": [1, 1]}}, "plates": [0, 8]})
    assert ended(state, 0, aside).events[0].data["why"] == why
    only_used = play(state._replace(phase="decide", dice="16", aside="6ww"), throw(0, "6w"))
    assert only_used.events[1].data["why"] == "only_used_faces"


@pytest.mark.parametrize(
    "setup,aside,why",
    [
        ({"supply": {"snails": 0}}, "w", "supply_empty"),
        ({"supply": {"snails": 0}, "grill": FULL}, "w", "supply_empty"),
        ({"grill": FULL}, "w", "grill_full"),
        ({"supply": {"snails": 0}}, "w666666", "no_snail"),
    ],
)
def test_a_game_ends_for_a_reason(setup: dict[str, Any], aside: str, why: str) -> None:
    state = start(2, setup)
    assert grill.ending(state) is None
    step = ended(state, 0, aside)
    assert (step.state.phase, grill.ending(step.state)) == ("over", why)
    assert step.events[-1] == ("game_ended", {"why": why})
    assert step.state.board._replace(last=None) == state.board
    assert grill.actors(step.state) == ()
    assert grill.legal(step.state, 0, 0) == ()
    assert grill.full(step.state)["winners"] == [0, 1]


def test_without_a_free_place_but_with_an_empty_supply_the_game_ends_in_any_case() -> None:
    state = start(2, {"supply": {"snails": 0}, "grill": FULL}, no_free_place="no_effect")
    assert ended(state, 0, "w").state.phase == "over"


def test_legal_and_moves_are_what_the_seat_to_act_may_do() -> None:
    state = start(2)
    assert (grill.actors(state), grill.legal(state, 0, 0), grill.legal(state, 1, 0)) == ((0,), ("throw",), ())
    state = play(state, throw(0, "w6w12211")).state
    assert grill.moves(state, 0, 0) == [keep(0, letter) for letter in "12w6"]
    assert grill.moves(state, 1, 0) == []
    state = play(state, keep(0, "w")).state
    assert grill.legal(state, 0, 0) == ("throw", "stop")
    picky = start(2, stop_requires_good=True)
    picky = play(picky, throw(0, "w6w12211"), keep(0, "w")).state
    assert grill.legal(picky, 0, 0) == ("throw",)


def test_a_move_that_was_handed_out_cannot_be_changed() -> None:
    move = grill.moves(start(2), 0, 0)[0]
    with pytest.raises(TypeError):
        move["seat"] = 1
    assert grill.moves(start(2), 0, 0) == [{"do": "throw", "seat": 0}]


def test_a_missing_face_is_missed_though_another_field_stands_in_its_place() -> None:
    state = play(start(2), throw(0, "w6w12211")).state
    outcome = grill.apply(state, {"do": "keep", "seat": 0, "fase": 6}, 0, None)
    assert outcome == Refusal("bad_value", "face is missing")
