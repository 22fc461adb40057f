"""The sushi duel on the box: the rows of the key table, what the dice show, who is asked for what."""

from __future__ import annotations

import json
from typing import Any

import pytest

from galley.house import House, HouseRules
from galley.tables import load, sushi_duel
from galley.tables.table import BELL, BOARDS, KEEP1, MODE, ROLL, STATIONS, YUCK, Key, Seat, seat_key
from galley.web.app import STATIC
from galley_board import glyphs
from galley_engine.game import Event, JSONObject, Step
from galley_engine.games.sushi_duel_state import State

SHRIMP, SALMON = {"shrimp": 6}, {"salmon": 6}
COMBO = {"shrimp": 1, "salmon": 1, "octopus": 1, "cucumber": 1, "roe": 1, "star": 1}
MIXED = ["shrimp", "star", "salmon", "shrimp", "yuck", "shrimp"]
STARS = ["star", "star", "star", "shrimp", "shrimp", "shrimp"]
FREE = [False] * 6

RED, BLUE, GREEN = Seat("red"), Seat("blue"), Seat("green")


def state(seats: int, **setup: Any) -> State:
    game = sushi_duel.game
    layout = {"visible": [SHRIMP, SALMON, COMBO], "stock": [SHRIMP, SALMON], **setup}
    started: State = game.start(seats, game.options({}), None, layout)
    return started


def stations(left: list[Any], right: list[Any], kept: list[bool] | None = None) -> dict[str, Any]:
    return {
        "left": {"seat": 0, "faces": left, "kept": kept or FREE},
        "right": {"seat": 1, "faces": right, "kept": FREE},
    }


def after(position: State, **action: Any) -> State:
    step = sushi_duel.game.apply(position, action, 0, None)
    assert isinstance(step, Step)
    assert isinstance(step.state, State)
    return step.state


def words(position: State, *seats: Seat, **choice: str) -> dict[Key, str]:
    return {key: job.word for key, job in sushi_duel.jobs(position, seats, choice).items()}


def prompts(position: State, *seats: Seat, **choice: str) -> list[tuple[str, dict[str, Any]]]:
    return [(prompt.key, dict(prompt.params)) for prompt in sushi_duel.prompts(position, seats, choice)]


def test_challenge_belongs_to_the_keys_of_the_possible_opponents() -> None:
    position = state(3)
    assert words(position, RED, BLUE, GREEN) == {
        seat_key("blue"): "challenge",
        seat_key("green"): "challenge",
    }
    assert prompts(position, RED, BLUE, GREEN) == [("challenge_choose", {"by": "red"})]
    assert words(position, Seat("red", "easy"), BLUE, GREEN) == {}
    assert prompts(position, Seat("red", "easy"), BLUE, GREEN) == [("bot_thinks", {"by": "red"})]


def test_ready_is_roll_at_ones_own_station_until_it_was_said() -> None:
    position = state(2, phase="ready", stations=stations([None] * 6, [None] * 6))
    assert words(position, RED, BLUE) == {("left", ROLL): "ready", ("right", ROLL): "ready"}
    assert prompts(position, RED, BLUE) == [("get_ready", {"left": "red", "right": "blue"})]
    said = after(position, do="ready", seat=0)
    assert words(said, RED, BLUE) == {("right", ROLL): "ready"}
    assert prompts(said, RED, BLUE) == [("get_ready_one", {"by": "blue", "side": "right"})]


def test_in_the_duel_each_row_of_the_key_table_holds() -> None:
    kept = [True, *FREE[1:]]
    position = state(3, phase="duel", stations=stations(MIXED, [None] * 6, kept))
    assert words(position, RED, BLUE, GREEN) == {
        ("left", KEEP1): "free",
        **{("left", KEEP1 + die): "keep" for die in range(1, 6)},
        ("left", ROLL): "roll",
        ("left", BELL): "bell",
        ("left", YUCK): "yuck",
        ("right", ROLL): "roll",
        ("right", BELL): "bell",
        ("right", YUCK): "yuck",
        seat_key("green"): "mate",
    }
    assert (("left", MODE)) not in words(position, RED, BLUE, GREEN)


def test_the_deck_is_needed_wherever_a_person_has_a_key_on_it() -> None:
    robot = Seat("green", "good")
    duel = state(3, phase="duel", stations=stations(MIXED, MIXED))
    for position in (state(3), duel, shared([1, 1, 0])):
        assert sushi_duel.boards(position, (RED, BLUE, GREEN)) == BOARDS
    for position in (duel, shared([1, 1, 0])):
        assert sushi_duel.boards(position, (RED, BLUE, robot)) == STATIONS
    assert sushi_duel.boards(state(3), (Seat("red", "good"), BLUE, GREEN)) == STATIONS
    for position in (state(2, phase="duel", stations=stations(MIXED, MIXED)), shared([2, 1, 0])):
        assert sushi_duel.boards(position, (RED, BLUE, GREEN)) == STATIONS


def test_observers_are_told_of_their_key_and_nobody_waits_for_them() -> None:
    position = state(3, phase="duel", stations=stations(MIXED, MIXED))
    assert prompts(position, RED, BLUE, GREEN)[2:] == [("duel_mate", {"seats": ["green"]})]
    assert prompts(position, RED, BLUE, Seat("green", "good")) == [("duel_on", {}), ("duel_yuck", {})]
    robots = (Seat("red", "good"), Seat("blue", "best"))
    assert prompts(position, *robots, GREEN) == [
        ("bots_duel", {"left": "red", "right": "blue"}),
        ("duel_mate", {"seats": ["green"]}),
    ]
    begun = state(2, phase="duel", stations=stations([None] * 6, MIXED))
    assert prompts(begun, RED, BLUE)[0] == ("duel_on", {})
    assert prompts(begun, RED, Seat("blue", "good"))[0] == ("duel_roll", {}), "red has nothing to keep yet"
    assert sushi_duel.awaited(position) == ()


def test_all_wait_for_whoever_is_not_ready_or_must_choose() -> None:
    position = state(3, phase="ready", stations=stations([None] * 6, [None] * 6))
    said = after(position, do="ready", seat=0)
    waits = [sushi_duel.awaited(at) for at in (state(3), position, said, shared([1, 1, 0]))]
    assert waits == [(0,), (0, 1), (1,), (2,)]
    assert prompts(said, RED, Seat("blue", "good"), GREEN) == [("bot_gets_ready", {"by": "blue"})]


CALM = ["shrimp"] * 5 + ["salmon"]
RACES = [
    (MIXED, MIXED, ("mate", 2), ("mate", 3), True),
    (MIXED, MIXED, ("mate", 2), ("bell", 0), True),
    (MIXED, MIXED, ("yuck", 0), ("mate", 2), True),
    (MIXED, MIXED, ("roll", 1), ("mate", 3), True),
    (MIXED, CALM, ("roll", 0), ("mate", 2), False),
    (MIXED, CALM, ("mate", 2), ("mate", 3), False),
    (MIXED, CALM, ("roll", 0), ("yuck", 1), True),
    (CALM, MIXED, ("roll", 0), ("yuck", 1), False),
    (STARS, STARS, ("bell", 0), ("bell", 1), True),
    (STARS, CALM, ("bell", 0), ("bell", 1), False),
    (STARS, CALM, ("bell", 0), ("roll", 1), False),
    (MIXED, MIXED, ("yuck", 0), ("yuck", 1), False),
    (MIXED, CALM, ("bell", 0), ("yuck", 1), True),
    (CALM, MIXED, ("bell", 0), ("yuck", 1), False),
]


@pytest.mark.parametrize("left,right,one,other,matters", RACES)
def test_a_race_is_told_where_it_matters_who_was_first(
    left: list[Any], right: list[Any], one: tuple[str, int], other: tuple[str, int], matters: bool
) -> None:
    position = state(4, phase="duel", stations=stations(left, right))
    first: JSONObject = {"do": one[0], "seat": one[1]}
    second: JSONObject = {"do": other[0], "seat": other[1]}
    for pair in ((first, second), (second, first)):
        assert sushi_duel.contested(position, *pair) is matters
    words = json.loads((STATIC / "lang/en.json").read_text("utf-8"))["news.first"]
    if matters:
        assert {f"{one[0]}_{other[0]}", f"{other[0]}_{one[0]}"} <= words.keys()


def test_a_false_bell_that_loses_the_duel_contests_a_true_one() -> None:
    game = sushi_duel.game
    bells: list[JSONObject] = [{"do": "bell", "seat": seat} for seat in (0, 1)]
    for left, right, matters in ((STARS, CALM, True), (STARS, STARS, True), (CALM, CALM, False)):
        layout = {"visible": [SHRIMP], "phase": "duel", "stations": stations(left, right)}
        position = game.start(2, game.options({"false_bell": "lose_duel"}), None, layout)
        assert sushi_duel.contested(position, *bells) is matters


def test_no_key_acts_for_a_bot() -> None:
    position = state(3, phase="duel", stations=stations(MIXED, MIXED))
    assert words(position, Seat("red", "best"), Seat("blue", "best"), Seat("green", "best")) == {}


def test_roll_is_dark_when_every_die_is_kept() -> None:
    position = state(2, phase="duel", stations=stations(STARS, MIXED, [True] * 6))
    assert ("left", ROLL) not in words(position, RED, BLUE)
    assert ("right", ROLL) in words(position, RED, BLUE)


def test_several_complete_platters_are_chosen_with_keep_at_the_ringers_station() -> None:
    position = state(2, visible=[SHRIMP, SHRIMP, SALMON], phase="duel", stations=stations(STARS, MIXED))
    rung = after(position, do="bell", seat=0)
    assert rung.phase == "choose"
    assert words(rung, RED, BLUE) == {("left", 0): "choose", ("left", 1): "choose"}
    assert prompts(rung, RED, BLUE) == [("choose_platter", {"by": "red", "side": "left", "places": [1, 2]})]


def shared(won: list[int]) -> State:
    yucks = ["shrimp", "shrimp", "shrimp", "yuck", "shrimp", "shrimp"]
    position = state(len(won), won=won, phase="duel", stations=stations(yucks, yucks))
    called = after(position, do="mate", seat=2)
    assert called.phase == "share"
    return called


def test_share_needs_one_key_when_only_one_seat_may_get_the_other_set() -> None:
    position = shared([2, 1, 0])
    jobs = sushi_duel.jobs(position, (RED, BLUE, GREEN), {})
    assert {key: job.action for key, job in jobs.items()} == {
        ("left", ROLL): {"do": "share", "seat": 2, "side": "left", "to": 1},
        ("right", ROLL): {"do": "share", "seat": 2, "side": "right", "to": 1},
    }
    assert prompts(position, RED, BLUE, GREEN) == [("share_take_set", {"by": "green"})]


def test_share_needs_a_seat_key_too_when_several_may() -> None:
    position = shared([1, 1, 0])
    first = sushi_duel.jobs(position, (RED, BLUE, GREEN), {})
    assert {key: job.choice for key, job in first.items()} == {
        ("left", ROLL): {"side": "left"},
        ("right", ROLL): {"side": "right"},
    }
    second = sushi_duel.jobs(position, (RED, BLUE, GREEN), {"side": "right"})
    assert second[seat_key("red")].action == {"do": "share", "seat": 2, "side": "right", "to": 0}
    assert second[seat_key("blue")].action == {"do": "share", "seat": 2, "side": "right", "to": 1}
    assert second["left", ROLL].choice == {"side": "left"}, "the caller may think again"
    assert prompts(position, RED, BLUE, GREEN, side="right") == [
        ("share_give_set", {"by": "green", "seats": ["red", "blue"]})
    ]


def test_dice_show_their_faces_and_kept_ones_at_full_light() -> None:
    kept = [True, False, True, False, False, False]
    position = state(2, phase="duel", stations=stations(MIXED, [None] * 6, kept))
    view = sushi_duel.view(position, {}, {})
    names = {number: name for name, number in glyphs.GLYPHS.items()}
    left = [(names[code // 8], glyphs.STYLES[code % 8]) for code in view["left"].dice]
    assert left == [
        ("shrimp", "kept"),
        ("star", "plain"),
        ("salmon", "kept"),
        ("shrimp", "plain"),
        ("yuck", "plain"),
        ("shrimp", "plain"),
        ("blank", "plain"),
        ("blank", "plain"),
    ]
    assert {names[code // 8] for code in view["right"].dice[:6]} == {"unrolled"}
    assert {names[code // 8] for code in view["deck"].dice} == {"blank"}


def test_lamps_are_lit_in_the_colour_of_their_key_where_a_key_does_something() -> None:
    position = state(3, phase="duel", stations=stations(MIXED, [None] * 6, [True, *FREE[1:]]))
    jobs = sushi_duel.jobs(position, (RED, Seat("blue", "good"), GREEN), {})
    view = sushi_duel.view(position, jobs, {})
    white, green = glyphs.COLOURS["white"][0], glyphs.COLOURS["green"][0]
    assert view["left"].lamps[0] == glyphs.lamp_code(white, glyphs.STEADY)
    assert view["left"].lamps[1] == glyphs.lamp_code(white, glyphs.LOW)
    assert view["left"].lamps[6:8] == (0, 0)
    assert view["left"].lamps[ROLL] == glyphs.lamp_code(green, glyphs.STEADY)
    assert view["right"].lamps == (0,) * 11
    assert view["deck"].lamps[:6] == (0, glyphs.lamp_code(green, glyphs.STEADY), 0, 0, 0, 0)


def test_names_of_ones_own_for_ingredients_shine_as_the_usual_five() -> None:
    own = ["ebi", "sake", "tako", "kappa", "ikura"]
    house = House(HouseRules(options={"ingredients": own}, seed=4))
    house.boards_live(frozenset({"left", "right", "deck"}), 0)
    house.begin([RED, BLUE], 0)
    for board in ("left", "right", "left"):
        house.press(board, ROLL, 1000)
    house.tick(5000)
    table: Any = house.topics()["table"]
    faces = table["state"]["stations"]["left"]["faces"]
    assert set(faces) <= {*own, "star", "yuck"}
    usual = dict(zip(own, sushi_duel.INGREDIENTS, strict=True))
    shown = [code // 8 for code in house.view()["left"].dice[:6]]
    assert shown == [glyphs.GLYPHS[usual.get(face, face)] for face in faces]


def test_rolled_dice_tumble_and_the_dice_that_won_glow_where_they_were() -> None:
    position = state(2, phase="duel", stations=stations(STARS, MIXED))
    rolled = sushi_duel.flourish(
        position, [Event("rolled", {"by": 1, "dice": (0, 3), "faces": ("star", "yuck")})]
    )
    assert rolled is not None
    assert {(board, tuple(dice)) for board, dice in rolled.dice.items()} == {("right", (0, 3))}
    assert {code % 8 for code in rolled.dice["right"].values()} == {glyphs.ROLLING}
    taken = sushi_duel.flourish(
        position, [Event("platter_taken", {"by": 0, "place": 0, "platter": {}, "won": 1})]
    )
    assert taken is not None
    assert taken.ms > rolled.ms
    assert taken.dice["left"][0] == glyphs.die_code(glyphs.GLYPHS["star"], glyphs.GLOW)
    assert sushi_duel.flourish(position, [Event("kept", {"by": 0, "die": 1, "face": "star"})]) is None


def test_a_game_that_does_not_sit_on_the_box_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        load("chess")
