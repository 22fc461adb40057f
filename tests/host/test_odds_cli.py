"""`galley odds`: answers as lines or as JSON, and one sentence for every wrong question."""

from __future__ import annotations

import json
from math import isclose

import pytest

from galley import cli


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as end:
        cli.main(["odds", *arguments])
    heard = capsys.readouterr()
    assert (end.value.code, heard.err) == (0, "")
    return heard.out


@pytest.mark.parametrize(
    "arguments,chance",
    [
        (["--at-least", "23"], 0.856018911),
        (["--exactly", "30"], 0.192925840),
        (["--at-least", "23", "--exactly", "30"], 0.192925840),
        (["--at-least", "23", "--aside", "worm worm worm"], 0.976215191),
        (["--aside", "worm, worm,worm", "--left", "5"], 0.976215191),
    ],
)
def test_a_chance_is_one_line_of_json(
    arguments: list[str], chance: float, capsys: pytest.CaptureFixture[str]
) -> None:
    out = said(capsys, "worm_grill", *arguments, "--json")
    assert out.count("\n") == 1
    answer = json.loads(out)
    assert answer.keys() == {"chance"}
    assert isclose(answer["chance"], chance, abs_tol=5e-10)


def test_advice_names_every_choice_with_its_value(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["worm_grill", "--aside", "worm worm 6", "--left", "5", "--advise"]
    answer = json.loads(said(capsys, *asked, "--json"))
    assert answer["advise"] == {"do": "throw"}
    assert [choice["do"] for choice in answer["choices"]] == ["throw", "stop"]
    assert said(capsys, *asked).splitlines() == [
        "chance: 0.851489940",
        "advise: do throw",
        "choices:",
        "  do throw, value 0.851489940",
        "  do stop, value 0.000000000",
    ]


def test_the_throws_to_each_platter_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(said(capsys, "sushi_duel", "--json"))
    assert isclose(answer["platters"][0]["throws"], 11.102379307, abs_tol=5e-10)
    lines = said(capsys, "sushi_duel", "--dice", "star - - roe - -", "--platters", "roe").splitlines()
    assert lines[1].startswith("  platter roe, chance 0.0030")
    assert lines[1].endswith("hold 0 3")


WRONG = [
    ([], "odds: name a game: "),
    (["chess"], 'odds: there are no odds for "chess"; there are odds for '),
    (["worm_grill", "--at-least", "x"], "--at-least: 'x' is not a whole number"),
    (["worm_grill", "--at-least", "1.0"], "--at-least: '1.0' is not a whole number"),
    (["worm_grill", "--at-least", "99"], "--at-least: is 99, it must be a whole number from 1 to 47"),
    (["worm_grill", "--at-leas", "23"], "there is no option --at-leas: did you mean --at-least?"),
    (["worm_grill", "--aside", "worm 5"], "--aside, word 2: is 5, a die shows 1, 2, 3, 4, worm or 6"),
    (["worm_grill", "--left", "9"], "--left: is 9, it must be a whole number from 0 to 8"),
    (["worm_grill", "--left"], "option '--left' requires an argument."),
    (["worm_grill", "23"], "got unexpected extra argument (23)"),
    (["sushi_duel", "--dice", "star"], "--dice: is a list of 1, it must be one of 6"),
    (["sushi_duel", "--platters", "fish"], '--platters, word 1: is "fish", it must be '),
]


@pytest.mark.parametrize("arguments, sentence", WRONG, ids=[" ".join(call) for call, _ in WRONG])
def test_a_wrong_question_is_one_line_and_status_2(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["odds", *arguments])
    heard = capsys.readouterr()
    assert (end.value.code, heard.out) == (2, "")
    assert heard.err.count("\n") == 1
    assert sentence in heard.err


@pytest.mark.parametrize("arguments", [["--help"], ["worm_grill", "--help"], ["sushi_duel", "-h"]])
def test_help_is_status_0(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert "Usage: galley odds" in said(capsys, *arguments)
