"""The sushi bar on the box: every move by keys, what dice and pages show, whole games by random keys."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from galley.tables import sushi_bar as table
from galley.tables.sushi_bar import game
from galley.tables.sushi_bar_plan import plan_of
from galley.tables.table import BELL, KEEP1, MODE, ROLL, STATIONS, YUCK, Job, Key, Seat, seat_key
from galley.tables.turns import ROLLING
from galley.web.app import STATIC
from galley_board import glyphs
from galley_engine.dice import Dice
from galley_engine.game import Refusal
from galley_engine.games.sushi_bar_state import FREE, State

SEATS = tuple(map(Seat, ("red", "green", "blue", "yellow", "white")))
NAMES = {number: name for name, number in glyphs.GLYPHS.items()}
ROWS = {"sushi": [3, 1, 6, 2], "bone": [-2, -1]}
CAPS = {"ROLL": {ROLL}, "BELL": {BELL}, "YUCK": {YUCK}, "MODE": {MODE}, "KEEP": set(range(KEEP1, KEEP1 + 8))}


def start(seats: int = 2, **setup: Any) -> State:
    state: State = game.start(seats, game.options({}), None, {"rows": ROWS, **setup})
    return state


def after(state: State, *actions: dict[str, Any]) -> State:
    for action in actions:
        step = game.apply(state, {"seat": state.turn, **action}, 0, None)
        assert not isinstance(step, Refusal), step
        state = step.state
    return state


def thrown(faces: str, seats: int = 2, **setup: Any) -> State:
    return after(start(seats, **setup), {"do": "throw", "faces": faces.split()})


def jobs(state: State, choice: Mapping[str, str] | None = None) -> dict[Key, Job]:
    return dict(table.jobs(state, SEATS[: state.seats], choice or {}))


def words(state: State, choice: Mapping[str, str] | None = None) -> dict[Key, str]:
    return {key: job.word for key, job in jobs(state, choice).items()}


def prompts(state: State, choice: Mapping[str, str] | None = None) -> list[str]:
    return [prompt.key for prompt in table.prompts(state, SEATS[: state.seats], choice or {})]


def pressed(state: State, *keys: Key) -> dict[str, str]:
    """The choice after these keys, none of which acts."""
    choice: dict[str, str] = {}
    for key in keys:
        job = jobs(state, choice)[key]
        assert job.choice is not None
        choice = dict(job.choice)
    return choice


def faces(codes: tuple[int, ...]) -> list[tuple[str, str]]:
    return [(NAMES[code // 8], glyphs.STYLES[code % 8]) for code in codes]


def test_each_row_of_the_key_table_holds() -> None:
    assert words(start()) == {("left", ROLL): "throw"}
    state = thrown("sushi sushi sushi bone red")
    marks = {("left", KEEP1 + die): "mark" for die in range(5)}
    assert words(state) == {**marks, ("left", BELL): "take_tile", ("left", MODE): "next_offer"}
    choice = pressed(state, ("left", 0), ("left", 3))
    assert choice == {"marked": "0 3"}
    held = jobs(state, choice)
    assert held["left", ROLL].action == {"do": "lock", "seat": 0, "dice": [0, 3]}
    assert {held["left", die].word for die in (0, 3)} == {"unmark"}
    assert pressed(state, ("left", 0), ("left", 0)) == {}
    assert held["left", BELL].action == {"do": "take", "seat": 0, "kind": "sushi"}
    other = pressed(state, ("left", 0), ("left", MODE))
    assert jobs(state, other)["left", BELL].action == {"do": "take", "seat": 0, "kind": "bone"}
    assert jobs(state, other)["left", ROLL].action is not None, "what was marked stays marked"
    assert pressed(state, ("left", MODE), ("left", MODE)) == {}


def test_the_throw_after_a_lock_needs_no_key() -> None:
    state = after(thrown("sushi sushi sushi bone red"), {"do": "lock", "dice": [0, 1]})
    assert table.forced(state) == {"do": "throw", "seat": 0}
    assert table.forced(start()) is None
    assert table.forced(thrown("sushi sushi sushi bone red")) is None
    assert words(state) == {("left", ROLL): "throw"}


def test_locked_dice_cannot_be_marked_and_nothing_can_after_the_last_throw() -> None:
    state = thrown("sushi sushi sushi bone red")
    again = after(state, {"do": "lock", "dice": [0, 1]}, {"do": "throw", "faces": ["bone", "red", "blue"]})
    assert {key for (_, key), word in words(again).items() if word == "mark"} == {2, 3, 4}
    assert jobs(again, {"marked": "0 2"})["left", ROLL].action == {"do": "lock", "seat": 0, "dice": [2]}
    last = after(again, {"do": "lock", "dice": [2]}, {"do": "throw", "faces": ["red", "blue"]})
    assert words(last) == {("left", BELL): "take_tile", ("left", MODE): "next_offer"}
    assert prompts(last) == ["bar_take", "bar_next"]


def test_the_top_tile_of_an_only_victim_is_taken_by_bell() -> None:
    stacks = [{}, {"sushi": [5, 2]}]
    state = thrown("blue blue blue red red", stacks=stacks)
    assert jobs(state)["left", BELL].action == {
        "do": "steal",
        "seat": 0,
        "kind": "sushi",
        "from": 1,
        "position": 1,
    }
    assert ("left", MODE) not in words(state), "KEEP marks dice, there is nothing to go on to"
    assert {word for (_, key), word in words(state).items() if key < 5} == {"mark"}


def test_a_victim_is_chosen_by_his_seat_key() -> None:
    stacks = [{}, {"sushi": [5]}, {"sushi": [2]}, {}]
    state = thrown("blue blue blue red red", seats=4, stacks=stacks)
    assert table.boards(state, SEATS) == ("left", "deck")
    assert table.boards(state, (Seat("red", "good"), *SEATS[1:])) == ("left",), "a bot needs no key"
    assert ("left", BELL) not in words(state)
    assert {key for key, word in words(state).items() if word == "rob"} == {
        seat_key("green"),
        seat_key("blue"),
    }
    assert prompts(state) == ["bar_rob", "bar_mark"]
    robbed = pressed(state, seat_key("blue"))
    assert jobs(state, robbed)["left", BELL].action == {
        "do": "steal",
        "seat": 0,
        "kind": "sushi",
        "from": 2,
        "position": 1,
    }
    assert prompts(state, robbed) == ["bar_steal", "bar_mark"]
    again = pressed(state, seat_key("blue"), seat_key("green"))
    assert table.page(state, again)["victim"] == 1


def test_keep_counts_tiles_where_any_may_be_stolen() -> None:
    stacks = [{}, {"sushi": [5, 2, 4]}]
    state = thrown("blue blue blue blue sushi", stacks=stacks)
    assert words(state, {"option": "1"}) == {
        ("left", 0): "tile",
        ("left", 1): "tile",
        ("left", 2): "tile",
        ("left", BELL): "steal",
        ("left", MODE): "next_offer",
    }
    second = pressed(state, ("left", MODE), ("left", 1))
    action = jobs(state, second)["left", BELL].action
    assert action == {"do": "steal", "seat": 0, "kind": "sushi", "from": 1, "position": 2}
    throwing_on = pressed(state, ("left", MODE), ("left", MODE))
    assert ("left", BELL) not in words(state, throwing_on)
    assert words(state, throwing_on)["left", 0] == "mark"
    assert prompts(state, throwing_on) == ["bar_mark_only", "bar_next"]


def test_the_last_keep_goes_below_the_eighth_tile() -> None:
    state = thrown("blue blue blue blue blue", stacks=[{}, {"sushi": [1] * 10}])
    positions, choice = [], dict[str, str]()
    for _ in range(4):
        choice = dict(jobs(state, choice)["left", KEEP1 + 7].choice or {})
        positions.append(table.page(state, choice)["position"])
    assert positions == [8, 9, 10, 8]


def test_dice_show_what_lies_locked_and_marked_and_what_bell_would_take() -> None:
    state = after(
        thrown("sushi sushi sushi bone red"),
        {"do": "lock", "dice": [0]},
        {"do": "throw", "faces": ["sushi", "bone", "blue", "red"]},
    )
    view = table.view(state, jobs(state, {"marked": "2"}), {"marked": "2"})
    assert faces(view["left"].dice) == [
        ("sushi", "kept"),
        ("sushi", "plain"),
        ("bone", "kept"),
        ("chopsticks_blue", "plain"),
        ("chopsticks_red", "plain"),
        ("arrow", "plain"),
        ("sushi", "plain"),
        ("1", "plain"),
    ]
    assert [name for name, _ in faces(view["right"].dice)] == [
        "sushi", "6", "blank", "3", "bone", "1", "blank", "2",
    ]  # fmt: skip
    bot = table.view(state, {}, {})
    assert {name for name, _ in faces(bot["left"].dice)[5:]} == {"blank"}
    assert {name for name, _ in faces(table.view(start(), {}, {})["left"].dice)[:5]} == {"unrolled"}
    covered = thrown("blue blue blue blue sushi", stacks=[{}, {"sushi": [5, 2]}])
    for position, worth in (("1", "2"), ("2", "blank")):
        choice = {"option": "1", "position": position}
        shown = faces(table.view(covered, jobs(covered, choice), choice)["left"].dice)[5:]
        assert [name for name, _ in shown] == ["chopsticks_blue", "sushi", worth], "covered tiles are secret"


def test_thrown_dice_tumble_and_those_that_brought_a_tile_stay_to_be_seen() -> None:
    state = after(thrown("sushi sushi sushi bone red"), {"do": "lock", "dice": [0, 1]})
    step = game.apply(state, {"do": "throw", "seat": 0, "faces": ["bone", "red", "blue"]}, 0, None)
    assert not isinstance(step, Refusal)
    tumbles = table.flourish(state, step.events)
    assert tumbles is not None
    assert tumbles.dice == {"left": dict.fromkeys((2, 3, 4), ROLLING)}
    taken = game.apply(step.state, {"do": "take", "seat": 0, "kind": "sushi"}, 0, None)
    assert not isinstance(taken, Refusal)
    glows = table.flourish(step.state, taken.events)
    assert glows is not None
    assert glows.ms > tumbles.ms
    assert faces(tuple(glows.dice["left"].values()))[:2] == [("sushi", "glow")] * 2
    sticks = thrown("red red blue blue sushi", rows={"sushi": [], "bone": [-1, -3]})
    locked = after(sticks, {"do": "lock", "dice": [0, 1, 2, 3]})
    forced = game.apply(locked, {"do": "throw", "seat": 0, "faces": ["blue"]}, 0, None)
    assert not isinstance(forced, Refusal)
    stays = table.flourish(locked, forced.events)
    assert stays is not None
    assert faces(tuple(stays.dice["left"].values()))[4] == ("chopsticks_blue", "plain")
    assert table.flourish(state, []) is None


def test_the_page_knows_the_offers_but_no_covered_tile() -> None:
    state = thrown("blue blue blue blue sushi", stacks=[{}, {"sushi": [5, 2]}])
    page = table.page(state, {"option": "1", "position": "2"})
    assert page == {
        "offers": [
            {"do": "take", "kind": "sushi", "place": 0, "tile": 3},
            {"do": "steal", "kind": "sushi", "from": [1], "any": True},
            {"do": "on"},
        ],
        "option": 1,
        "marked": [],
        "victim": 1,
        "position": 2,
    }


def test_nobody_acts_for_a_bot_and_only_the_station_at_play_is_needed() -> None:
    state = start(turn=1)
    bots = (Seat("red"), Seat("blue", "good"))
    assert table.jobs(state, bots, {}) == {}
    assert [prompt.key for prompt in table.prompts(state, bots, {})] == ["bot_thinks"]
    assert table.boards(state, bots) == ("right",)


@pytest.mark.parametrize(
    "choice", [{"option": "9", "marked": "7 x 4", "position": "99", "victim": "0"}, {"option": "-1"}]
)
def test_a_choice_that_does_not_fit_counts_as_none(choice: dict[str, str]) -> None:
    state = after(thrown("sushi sushi sushi bone red"), {"do": "lock", "dice": [4]})
    assert table.page(state, choice)["marked"] == []
    plan = plan_of(thrown("sushi sushi sushi bone red"), choice)
    assert (plan.option, plan.victim, plan.position) == (0, None, 1)


# -- every move, and whole games -------------------------------------------------------------------


def reachable(state: State) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """All actions that keys lead to from here, and all choices on the way."""
    choices: list[dict[str, str]] = [{}]
    actions: list[dict[str, Any]] = []
    for choice in choices:
        for job in jobs(state, choice).values():
            assert (job.action is None) != (job.choice is None)
            if job.choice is not None and dict(job.choice) not in choices:
                choices.append(dict(job.choice))
            if job.action is not None and job.action not in actions:
                actions.append(job.action)
    return actions, choices


def plain(action: Mapping[str, object]) -> str:
    """An action as text, for comparing."""
    return json.dumps(action, sort_keys=True)


def random_position(random: Random) -> State:
    seats = random.randint(2, 5)
    heights = random.choice((1, 3, 10))
    stacks = [
        {
            "sushi": [random.randint(1, 6) for _ in range(random.randint(0, heights))],
            "bone": [-random.randint(1, 4) for _ in range(random.randint(0, heights))],
        }
        for _ in range(seats)
    ]
    rows = {"sushi": [random.randint(1, 6) for _ in range(random.randint(0, 6))], "bone": [-1, -2, -4]}
    state = start(seats, rows=rows, stacks=stacks, turn=random.randrange(seats))
    sticks = random.choice((["blue"], ["red"], ["sushi", "bone", "blue", "red"]))
    throws = random.randint(1, 3)
    for _ in range(throws):
        free = FREE[state.locked]
        shown = [random.choice([*sticks, random.choice(("sushi", "blue", "red"))]) for _ in free]
        step = game.apply(state, {"do": "throw", "seat": state.turn, "faces": shown}, 0, None)
        assert not isinstance(step, Refusal)
        if step.state.phase != "choose":
            return state
        state = step.state
        free = FREE[state.locked]
        if throws == state.throw or len(free) == 1 or state.throw == 3:
            break
        state = after(state, {"do": "lock", "dice": [free[0]]})
    return state


@pytest.mark.parametrize("seed", range(30))
def test_keys_lead_to_every_move_and_to_nothing_else(seed: int) -> None:
    random = Random(seed)
    state = random_position(random)
    actions, choices = reachable(state)
    assert sorted(map(plain, actions)) == sorted(map(plain, game.moves(state, state.turn, 0)))
    words_of: dict[str, Any] = json.loads((STATIC / "lang" / "en.json").read_text(encoding="utf-8"))
    for choice in random.sample(choices, min(12, len(choices))):
        found = jobs(state, choice)
        view = table.view(state, found, choice)
        lit = {(board, key) for board in view for key, code in enumerate(view[board].lamps) if code}
        assert lit == {place for place in found if place[1] != MODE}
        lit_keys = {key for board, key in found if board in STATIONS}
        for prompt in table.prompts(state, SEATS[: state.seats], choice):
            entry = words_of[f"prompt.{prompt.key}"]
            for template in (entry,) if isinstance(entry, str) else entry.values():
                for cap in re.findall(r"\[(\w+)", template):
                    assert CAPS[cap] & lit_keys, (prompt, cap, sorted(lit_keys))


@pytest.mark.parametrize("seed", range(6))
def test_random_keys_never_fail_and_games_end(seed: int) -> None:
    random, dice = Random(seed), Dice(seed)
    seats = random.randint(2, 5)
    state: State = game.start(seats, game.options({}), dice)
    choice: dict[str, str] = {}
    for _ in range(20_000):
        if state.phase == "over":
            break
        job = random.choice(list(table.jobs(state, SEATS[:seats], choice).values()))
        if job.choice is not None:
            choice = dict(job.choice)
            table.page(state, choice)
            continue
        before, step = state, game.apply(state, job.action, 0, dice)
        assert not isinstance(step, Refusal)
        table.flourish(before, step.events)
        state, choice = step.state, {}
    assert state.phase == "over"
    assert table.jobs(state, SEATS[:seats], {}) == {}
    assert table.prompts(state, SEATS[:seats], {}) == []
    assert table.page(state, {})["option"] is None
    assert table.forced(state) is None
    table.view(state, {}, {})
