"""The runner of referee cases: its lines, its exit statuses, and every way in which a file can be wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from galley_engine.game import JSON
from galley_engine.scenario import Result, run_file, run_files
from galley_engine.strict_json import BadJSON, read, same

GOOD: dict[str, Any] = {
    "title": "the oldest challenges",
    "game": "sushi_duel",
    "seats": 2,
    "steps": [
        {"do": "challenge", "seat": 0, "opponent": 1},
        {"expect": {"phase": "ready", "stations.left.seat": 0}},
    ],
}


def run(tmp_path: Path, scenario: object, **changes: object) -> Result:
    """The result of running this scenario (an object, or the text of a file) with these keys changed."""
    if isinstance(scenario, dict):
        scenario = json.dumps({**scenario, **changes})
    path = tmp_path / "case.json"
    path.write_bytes(scenario if isinstance(scenario, bytes) else str(scenario).encode())
    result = run_file(str(path))
    assert "\n" not in result.line
    return Result(result.status, result.line.replace(str(path), "FILE"))


def test_a_case_that_holds_is_ok(tmp_path: Path) -> None:
    assert run(tmp_path, GOOD) == (0, "ok FILE: the oldest challenges")


@pytest.mark.parametrize(
    "step,failure",
    [
        ({"expect": {"phase": "duel"}}, 'phase is "challenge", expected "duel"'),
        ({"expect": {"seats": 2, "won": [0, 1]}}, "won is [0, 0], expected [0, 1]"),
        ({"expect": {"won.1": 1}}, "won.1 is 0, expected 1"),
        ({"expect": {"won.0": False}}, "won.0 is 0, expected false"),
        ({"expect": {"won.0": 0.0}}, "won.0 is 0, expected 0.0"),
        ({"expect": {"won": {}}}, "won is [0, 0], expected {}"),
        ({"expect": {"caller": 0}}, "caller is null, expected 0"),
        ({"expect": {"won.2": 0}}, "won.2 is missing, expected 0"),
        ({"expect": {"won.-1": 0}}, "won.-1 is missing, expected 0"),
        ({"expect": {"won.01": 0}}, "won.01 is missing, expected 0"),
        ({"expect": {"won." + "9" * 5000: 0}}, "won." + "9" * 5000 + " is missing, expected 0"),
        ({"expect": {"stations.left.set": 0}}, "stations.left.set is missing, expected 0"),
        ({"expect": {"phase.0": "c"}}, 'phase.0 is missing, expected "c"'),
        (
            {"do": "challenge", "seat": 1, "opponent": 0},
            "challenge was refused with not_your_turn (seat 0 challenges, not 1)",
        ),
        (
            {"do": "challenge", "seat": 1, "opponent": 0, "refused": "bad_value"},
            (
                "challenge was refused with not_your_turn (seat 0 challenges, not 1), "
                "expected the refusal bad_value"
            ),
        ),
        (
            {"do": "challenge", "seat": 0, "opponent": 1, "refused": "bad_value"},
            "challenge was accepted, expected the refusal bad_value",
        ),
    ],
)
def test_the_first_step_that_does_not_hold_is_told(tmp_path: Path, step: object, failure: str) -> None:
    assert run(tmp_path, GOOD, steps=[{"expect": {"seats": 2}}, step, {"expect": {"phase": "never"}}]) == (
        1,
        f"FAIL FILE: the oldest challenges: step 2: {failure}",
    )


def test_a_refused_action_leaves_the_state_and_moves_the_time(tmp_path: Path) -> None:
    roll = {"do": "roll", "seat": 0, "faces": ["shrimp"] * 6}
    steps = [
        {**roll, "at_ms": 700},
        {**roll, "at_ms": 999, "refused": "too_soon"},
        {**roll, "at_ms": 999, "refused": "too_soon"},
        {**roll, "faces": ["roe"] * 6},
        {**roll, "at_ms": 2298, "refused": "too_soon"},
        {"expect": {"stations.left.faces": ["roe"] * 6}},
    ]
    setup = {"phase": "duel", "stations": {"left": {"seat": 0}, "right": {"seat": 1}}}
    assert run(tmp_path, GOOD, steps=steps, setup=setup).line == "ok FILE: the oldest challenges"


@pytest.mark.parametrize(
    "first_ms,then_ms,holds", [(None, 1299, False), (None, 1300, True), (0, 300, True), (0, 299, False)]
)
def test_the_first_action_is_at_1000_ms_unless_it_says_otherwise(
    tmp_path: Path, first_ms: int | None, then_ms: int, holds: bool
) -> None:
    roll = {"do": "roll", "seat": 0, "faces": ["shrimp"] * 6}
    first = roll if first_ms is None else {**roll, "at_ms": first_ms}
    setup = {"phase": "duel", "stations": {"left": {"seat": 0}, "right": {"seat": 1}}}
    result = run(tmp_path, GOOD, steps=[first, {**roll, "at_ms": then_ms}], setup=setup)
    assert (result.status == 0) is holds


@pytest.mark.parametrize(
    "changes,message",
    [
        ({"author": "me"}, "author: is not a key of a scenario, which has title, game, seats,"),
        ({"title": ""}, 'title: is "", it must say in words what holds'),
        ({"title": 7}, "title: is 7"),
        ({"game": "chess"}, 'game: there is no game "chess"; the games are '),
        ({"game": ["sushi_duel"]}, "game: is a list of 1"),
        ({"seats": 1}, "seats: is 1, it must be a whole number from 2 to 6"),
        ({"seats": True}, "seats: is true"),
        ({"seats": 2.0}, "seats: is 2.0"),
        ({"options": []}, "options: is a list of 0, it must be an object"),
        ({"options": {"stars": 1}}, "options.stars: is not known here, only ingredients, star_dice,"),
        ({"options": {"deck": {"combo": -1}}}, "options.deck.combo: is -1, it must be a whole number from 0"),
        ({"options": {"start_seat": 2}}, "options.start_seat: is 2, but the seats are 0 to 1"),
        ({"setup": None}, "setup: is null, it must be an object"),
        (
            {"setup": {"turn": 0}},
            "setup.turn: is not known here, only visible, stock, stations, won and phase",
        ),
        ({"setup": {"won": [0, 6]}}, "setup.won.1: is 6, it must be a whole number from 0 to 5"),
        ({"steps": {}}, "steps: is an object, it must be a list"),
        ({"steps": [[]]}, "step 1: is a list of 0, it must be an object"),
        ({"steps": [{}]}, "step 1: has neither do nor expect"),
        ({"steps": [{"expect": {}, "do": "ready"}]}, "step 1: do: is not a key of a step with expect"),
        ({"steps": [{"expect": {}, "at_ms": 5}]}, "step 1: at_ms: is not a key of a step with expect"),
        ({"steps": [{"expect": ["phase"]}]}, "step 1: expect: is a list of 1"),
        ({"steps": [{"expect": {"fase": "duel"}}]}, "step 1: fase: is no part of the state, which has game,"),
        (
            {"steps": [{"do": "raedy", "seat": 0}]},
            'step 1: do: is "raedy", sushi_duel knows challenge, ready,',
        ),
        ({"steps": [{"do": ["ready"], "seat": 0}]}, "step 1: do: is a list of 1, sushi_duel knows"),
        (
            {"steps": [{"do": "ready", "seat": 0, "die": 0}]},
            "step 1: die: is not a key of the action ready, which has do, at_ms, refused and seat",
        ),
        (
            {"steps": [{"do": "ready", "seat": 0, "die": 0, "refused": "bad_value"}]},
            "step 1: die: is not a key of the action ready",
        ),
        ({"steps": [{"do": "keep", "seat": 0}]}, "step 1: die: is missing, keep needs seat and die"),
        ({"steps": [{"do": "ready"}]}, "step 1: seat: is missing, ready needs seat"),
        (
            {"steps": [{"do": "ready", "seat": 0, "refused": "no"}]},
            'step 1: refused: is "no", it must be game_over,',
        ),
        ({"steps": [{"do": "ready", "seat": 0, "refused": None}]}, "step 1: refused: is null"),
        ({"steps": [{"do": "ready", "seat": 0, "refused": True}]}, "step 1: refused: is true"),
        (
            {"steps": [{"do": "ready", "seat": 0, "at_ms": -1}]},
            "step 1: at_ms: is -1, it must be a whole number from 0",
        ),
        ({"steps": [{"do": "ready", "seat": 0, "at_ms": 1000.0}]}, "step 1: at_ms: is 1000.0"),
        ({"steps": [{"do": "ready", "seat": 0, "at_ms": True}]}, "step 1: at_ms: is true"),
        (
            {"steps": [*GOOD["steps"], {"do": "ready", "seat": 0, "at_ms": 999}]},
            "step 3: at_ms: is 999, it must be a whole number from 1000 on",
        ),
    ],
)
def test_a_file_that_is_no_scenario_is_told_with_step_and_key(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    status, line = run(tmp_path, GOOD, **changes)
    assert status == 2
    assert line.startswith(f"INVALID FILE: {message}")


def test_a_step_to_be_refused_may_lack_fields_and_name_no_action(tmp_path: Path) -> None:
    steps = [
        {"do": "fly", "wings": 2, "refused": "unknown_action"},
        {"do": 3, "refused": "unknown_action"},
        {"do": "challenge", "refused": "bad_value"},
        {"do": "challenge", "seat": 0, "refused": "bad_value"},
    ]
    assert run(tmp_path, GOOD, steps=steps).status == 0


@pytest.mark.parametrize("key", ["title", "game", "seats", "steps"])
def test_a_missing_key_is_named(tmp_path: Path, key: str) -> None:
    scenario = {name: value for name, value in GOOD.items() if name != key}
    assert run(tmp_path, scenario) == (2, f"INVALID FILE: {key}: is missing")


def test_the_whole_form_is_checked_before_the_first_step_is_played(tmp_path: Path) -> None:
    steps = [{"expect": {"phase": "over"}}, {"expekt": {}}]
    assert run(tmp_path, GOOD, steps=steps) == (2, "INVALID FILE: step 2: has neither do nor expect")


@pytest.mark.parametrize(
    "text,message",
    [
        ("", "line 1: is not JSON: expecting value"),
        ('{\n"title": "x",}', "line 2: is not JSON: "),
        ("[]", "scenario: is a list of 0, it must be an object"),
        ("null", "scenario: is null"),
        ('{"title": "a", "title": "b"}', "title: is given twice"),
        ('{"title": "a", "steps": [{"do": "x"}, {"do": "x", "do": "y"}]}', "step 2: do: is given twice"),
        ('{"steps": [{"expect": {"phase": 1, "phase": 1}}]}', "step 1: phase: is given twice"),
        ('{"seats": NaN}', "holds NaN, which is no JSON number"),
        ('{"seats": -Infinity}', "holds -Infinity, which is no JSON number"),
        ('{"seats": ' + "1" * 5000 + "}", "holds a number of too many digits"),
        ("[" * 100_000, "is nested too deeply"),
        ('{"steps": ' * 200 + "1" + "}" * 200, "is nested too deeply"),
        (b'{\n"title": "\xff"}', "line 2: is not UTF-8"),
        (b"\x00\x01", "line 1: is not JSON"),
        (b" " * 5_000_000, "is larger than 4 MB"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_not_json_is_told_in_one_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    status, line = run(tmp_path, text)
    assert status == 2
    assert line.startswith(f"INVALID FILE: {message}")


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    assert run(tmp_path, b"\xef\xbb\xbf" + json.dumps(GOOD).encode()).status == 0


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone.json")
    assert run_file(gone) == (2, f"INVALID {gone}: cannot be read: no such file or directory")
    assert run_file(str(tmp_path)) == (2, f"INVALID {tmp_path}: cannot be read: is a directory")
    assert run_file("a\0b").status == 2


def test_every_line_can_be_printed(tmp_path: Path) -> None:
    text = json.dumps({**GOOD, "title": "one\ntwo \ud800"})
    assert run(tmp_path, text).line == "ok FILE: one\\ntwo \\ud800"
    path = tmp_path / "b\udcff\n.json"
    path.write_text(json.dumps(GOOD))
    assert run_file(str(path)).line.endswith("b\\udcff\\n.json: the oldest challenges")


def test_the_others_still_run_and_the_worst_status_counts(tmp_path: Path) -> None:
    files = {"good": GOOD, "false": {**GOOD, "steps": [{"expect": {"phase": "over"}}]}, "bad": {}}
    for name, scenario in files.items():
        (tmp_path / name).write_text(json.dumps(scenario))
    good, false, bad = (str(tmp_path / name) for name in files)
    lines, status = run_files([bad, false, good])
    assert [line.split()[0] for line in lines] == ["INVALID", "FAIL", "ok"]
    assert status == 2
    assert run_files([false, good])[1] == 1
    assert run_files([good])[1] == 0
    assert run_files([]) == ([], 0)


def test_a_doubled_key_is_found_wherever_it_is() -> None:
    with pytest.raises(BadJSON, match=r"^b: is given twice$") as error:
        read(b'{"a": [0, {"b": 1, "c": 2, "b": 3}]}')
    assert error.value.path == ("a", 1, "b")


@pytest.mark.parametrize(
    "one,other,equal",
    [
        (1, 1, True),
        (1, True, False),
        (0, False, False),
        (1, 1.0, False),
        (None, False, False),
        ("1", 1, False),
        ([1, 2], [1, 2], True),
        ([1, 2], [1], False),
        ([1], [True], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ({"a": 1}, {"a": True}, False),
        ({}, [], False),
    ],
)
def test_documents_are_the_same_to_the_letter(one: JSON, other: JSON, equal: bool) -> None:
    assert same(one, other) is equal
