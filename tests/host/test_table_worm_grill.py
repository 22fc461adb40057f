"""The worm grill on the box: every move by a key, what dice and pages show, whole games by random keys."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from galley.tables import worm_grill as table
from galley.tables.table import BELL, KEEP1, ROLL, STATIONS, YUCK, Key, Seat
from galley.tables.turns import near
from galley.tables.worm_grill import game, hint
from galley_board import glyphs
from galley_engine.bots import policy
from galley_engine.dice import Dice
from galley_engine.game import Refusal
from galley_engine.games.worm_grill_state import FACE_OF, LETTER_OF, PLACES, State, keepable, why_bad
from galley_engine.odds import worm_grill as odds

SEATS = tuple(map(Seat, ("red", "green", "blue", "yellow", "white")))
NAMES = {number: name for name, number in glyphs.GLYPHS.items()}


def start(seats: int = 2, options: dict[str, Any] | None = None, **setup: Any) -> State:
    state: State = game.start(seats, game.options(options or {}), None, setup)
    return state


def after(state: State, *actions: dict[str, Any], dice: Dice | None = None) -> State:
    for action in actions:
        step = game.apply(state, {"seat": state.turn, **action}, 0, dice)
        assert not isinstance(step, Refusal), step
        state = step.state
    return state


def throw(faces: str) -> dict[str, Any]:
    return {"do": "throw", "faces": [FACE_OF[letter] for letter in faces]}


def keep(letter: str) -> dict[str, Any]:
    return {"do": "keep", "face": FACE_OF[letter]}


def words(state: State, choice: dict[str, str] | None = None) -> dict[Key, str]:
    return {key: job.word for key, job in table.jobs(state, SEATS, choice or {}).items()}


def prompts(state: State, choice: dict[str, str] | None = None) -> list[str]:
    return [prompt.key for prompt in table.prompts(state, SEATS, choice or {})]


def faces(codes: tuple[int, ...]) -> list[tuple[str, str]]:
    return [(NAMES[code // 8], glyphs.STYLES[code % 8]) for code in codes]


def test_each_row_of_the_key_table_holds() -> None:
    state = start()
    assert words(state) == {("left", ROLL): "throw"}
    thrown = after(state, throw("1223ww66"))
    keeps = {("left", KEEP1 + die): "set_aside" for die in range(8)}
    assert words(thrown) == {**keeps, ("left", YUCK): "hint"}
    kept = after(thrown, keep("w"))
    assert words(kept) == {("left", ROLL): "throw", ("left", BELL): "stop", ("left", YUCK): "hint"}
    again = after(kept, throw("w12w34"))
    assert words(again) == {
        **{("left", KEEP1 + die): "set_aside" for die in (3, 4, 6, 7)},
        ("left", YUCK): "hint",
    }, "dice set aside come first, and no second worm may be kept"
    assert words(after(start(turn=1), throw("12341234"), keep("4")))["right", ROLL] == "throw"


def test_a_key_keeps_the_face_that_its_window_shows() -> None:
    state = after(start(), throw("1223ww66"), keep("w"), throw("w12w34"))
    shown = faces(table.view(state, {}, {})["left"].dice)
    assert shown == [
        ("worm", "kept"),
        ("worm", "kept"),
        ("worm", "dim"),
        ("1", "plain"),
        ("2", "plain"),
        ("worm", "dim"),
        ("3", "plain"),
        ("4", "plain"),
    ]
    for (board, key), job in table.jobs(state, SEATS, {}).items():
        if key < 8:
            assert job.action is not None
            assert shown[key][0] == str(job.action["face"])
            assert board == "left"


def test_the_other_station_shows_the_total_and_how_the_last_turn_ended() -> None:
    state = after(start(), throw("wwww6616"), keep("w"), throw("6661"), keep("6"))
    right = faces(table.view(state, {}, {})["right"].dice)
    assert [name for name, _ in right[:4]] == ["3", "8", "blank", "worm"]
    assert {style for name, style in right if name != "blank"} == {"dim"}
    assert {name for name, _ in right[4:]} == {"blank"}, "there was no turn before"
    ended = after(start(), throw("wwww1234"), keep("w"), throw("1344"), keep("1"), throw("344"), keep("4"))
    assert ended.phase == "decide"
    bad = after(ended, {"do": "throw", "faces": ["worm"]})
    assert [name for name, _ in faces(table.view(bad, {}, {})["left"].dice)] == [
        *("blank",) * 4,
        "cross",
        "2",
        "9",
        "blank",
    ]
    good = after(ended, {"do": "stop"})
    assert faces(table.view(good, {}, {})["left"].dice)[4:7] == [("tick", "dim"), ("2", "dim"), ("9", "dim")]
    assert {name for name, _ in faces(table.view(good, {}, {})["right"].dice)} == {"unrolled"}


def test_thrown_dice_tumble_and_what_ended_a_turn_stays_to_be_seen() -> None:
    def flourish(state: State, action: dict[str, Any]) -> Any:
        step = game.apply(state, {"seat": state.turn, **action}, 0, None)
        assert not isinstance(step, Refusal)
        return table.flourish(state, step.events)

    state = after(start(), throw("wwww1234"), keep("w"))
    tumbles = flourish(state, throw("1344"))
    assert set(tumbles.dice) == {"left"}
    assert {die: code % 8 for die, code in tumbles.dice["left"].items()} == dict.fromkeys(range(4, 8), 2)
    bad = flourish(state, throw("wwww"))
    assert faces(tuple(bad.dice["left"].values())) == [("worm", "dim")] * 4 + [("worm", "plain")] * 4
    assert bad.ms > tumbles.ms
    kept = after(state, throw("1344"), keep("4"))
    assert flourish(state, throw("1344")) is not None
    good = flourish(kept, {"do": "stop"})
    assert faces(tuple(good.dice["left"].values()))[:6] == [("4", "glow")] * 2 + [("worm", "glow")] * 4
    all_aside = after(state, throw("4444"))
    last = flourish(all_aside, keep("4"))
    assert [name for name, _ in faces(tuple(last.dice["left"].values()))] == ["4"] * 4 + ["worm"] * 4
    assert table.flourish(state, []) is None


def test_odds_are_those_of_the_odds_module() -> None:
    table.prepare()
    thrown = after(start(), throw("1223ww66"))
    shown: Any = table.page(thrown, {})["odds"]
    best = {choice.action["face"]: choice.value for choice in odds.choices(odds.goal(23), "", "1223ww66", 8)}
    assert shown["keep"] == {str(face): pytest.approx(value, abs=1e-4) for face, value in best.items()}
    assert shown["good"] == pytest.approx(max(best.values()), abs=1e-4)
    for place in PLACES:
        exactly = odds.choices(odds.goal(exactly=place), "", "1223ww66", 8)[0].value
        assert shown["places"][str(place)] == pytest.approx(exactly, abs=1e-4)
    kept = after(thrown, keep("w"))
    shown = table.page(kept, {})["odds"]
    assert shown["throw"] == pytest.approx(odds.chance(23, aside="ww", left=6), abs=1e-4)
    assert shown["places"]["25"] == pytest.approx(odds.chance(exactly=25, aside="ww", left=6), abs=1e-4)
    assert table.page(kept, {})["ends"] == "bad"


def test_odds_leave_out_what_would_be_a_bad_throw() -> None:
    closed = {str(place): {"plates": [1, 1]} for place in PLACES if place != 30}
    state = after(start(grill=closed), throw("wwww1234"), keep("w"))
    shown: Any = table.page(state, {})["odds"]
    assert list(shown["places"]) == ["30"]
    assert odds.chance(exactly=30, aside="wwww", left=4) < shown["good"]
    assert shown["good"] < odds.chance(30, aside="wwww", left=4), "31 to 36 are closed, above 36 is not"
    no_plate = after(start(plates=[0, 3], grill={"28": {"snail": True}}), throw("wwww1234"), keep("w"))
    places: Any = table.page(no_plate, {})["odds"]
    assert list(places["places"]) == ["28"]


def test_what_is_certain_is_shown_as_certain() -> None:
    state = after(start(), throw("wwww6661"), keep("w"), throw("6661"), keep("6"))
    page: Any = table.page(state, {})
    assert page["odds"]["good"] == 1
    assert page["ends"] == "top_snail"


def test_a_hint_is_what_the_good_bot_would_do_and_comes_on_demand() -> None:
    state = after(start(), throw("1223ww66"))
    assert table.page(state, {})["hint"] is None
    (asked,) = (job for job in table.jobs(state, SEATS, {}).values() if job.word == "hint")
    assert asked.choice is not None
    choice = dict(asked.choice)
    assert table.page(state, choice)["hint"] == hint(state)
    assert ("left", YUCK) not in words(state, choice), "it was given"
    advice = policy("worm_grill", "good").choose(state, 0, Dice(1))
    assert advice == {"seat": 0, **hint(state)}
    assert prompts(state) == ["grill_keep", "grill_hint"]
    assert prompts(state, choice) == ["grill_keep", "grill_hint_keep"]
    kept = after(state, keep("w"))
    assert prompts(kept, choice) == ["grill_throw_on", "grill_stop_bad", "grill_hint_throw"]
    best = after(start(), throw("wwwwww66"), keep("w"), throw("66"), keep("6"))
    assert best.phase == "throw", "no dice left: the turn has ended"
    stops = after(start(), throw("wwww6661"), keep("w"), throw("6661"), keep("6"))
    assert prompts(stops, choice) == ["grill_decide", "grill_hint_stop"]


def test_stopping_is_not_offered_where_it_is_forbidden() -> None:
    state = after(start(options={"stop_requires_good": True}), throw("12341234"), keep("4"))
    assert ("left", BELL) not in words(state)
    assert prompts(state) == ["grill_throw_on", "grill_hint"]


def test_nobody_acts_for_a_bot_and_only_the_station_at_play_is_needed() -> None:
    state = start(turn=1)
    bots = (Seat("red"), Seat("blue", "good"))
    assert table.jobs(state, bots, {}) == {}
    assert [prompt.key for prompt in table.prompts(state, bots, {})] == ["bot_thinks"]
    assert table.boards(state, bots) == ("right",)


@pytest.mark.parametrize("seed", range(12))
def test_every_move_has_its_key_until_the_game_ends(seed: int) -> None:
    random, dice = Random(seed), Dice(seed)
    seats = random.randint(2, 5)
    options = {"stop_requires_good": seed % 3 == 0, "snails": 3}
    state = start(seats, options)
    for _ in range(3000):
        if state.phase == "over":
            break
        choice = random.choice(({}, {"hint": "1"}, {"hint": ""}, {"marked": "x"}))
        jobs = table.jobs(state, SEATS[:seats], choice)
        reached = [job.action for job in jobs.values() if job.action is not None]
        moves = game.moves(state, state.turn, 0)
        assert all(action in moves for action in reached)
        assert all(dict(move) in reached for move in moves)
        view = table.view(state, jobs, choice)
        for side in STATIONS:
            lit = {(side, key) for key, code in enumerate(view[side].lamps) if code}
            assert lit == {place for place in jobs if place[0] == side}
        if state.phase == "keep":
            lying = [name for name, _ in faces(view[near(state.turn)].dice)]
            assert lying == [
                str(FACE_OF[letter]) for letter in [*sorted(state.aside, key="1234w6".index), *state.dice]
            ]
        page: Any = table.page(state, choice)
        useful = {place for place in PLACES if why_bad(state.board, state.turn, place, True) is None}
        assert {int(place) for place in page["odds"]["places"]} == useful
        assert set(page["odds"]["keep"]) == {
            str(FACE_OF[letter]) for letter in (keepable(state) if state.phase == "keep" else ())
        }
        assert all(0 <= chance <= 1 for chance in page["odds"]["places"].values())
        before, step = state, game.apply(state, random.choice(reached), 0, dice)
        assert not isinstance(step, Refusal)
        state = step.state
        table.flourish(before, step.events)
    assert state.phase == "over"
    assert table.jobs(state, SEATS[:seats], {}) == {}
    assert table.prompts(state, SEATS[:seats], {}) == []
    assert table.page(state, {})["odds"] is None
    table.view(state, {}, {})


def test_letters_of_the_engine_have_glyphs() -> None:
    assert {str(face) for face in LETTER_OF} <= set(glyphs.GAME_GLYPHS["worm_grill"])
