"""The command line: exit status 0, 1 or 2, and one sentence for everything that is wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from fcntl import F_SETPIPE_SZ, fcntl
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from galley import cli
from galley.doctor import CHECKS, FAIL, Finding, examine
from tests.loop.box_process import free_port

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = ROOT / "tests" / "scenarios"


WRONG = [
    (["--sims", "left"], "there is no option --sims: did you mean --sim?"),
    (["--nothing-like-it"], "there is no option --nothing-like-it: galley --help lists them"),
    (["play"], "there is no command 'play': use backup, "),
    (["--sim", "up"], "--sim: there is no board 'up': use left, right, deck"),
    (["--sim", ""], "--sim: there is no board '': use left, right, deck"),
    (["--port", "0"], "--port: '0' is not a whole number from 1 to 65535"),
    (["--port", "http"], "--port: 'http' is not a whole number from 1 to 65535"),
    (["--seats", "red"], "--seats red: a game takes two to six, name another seat"),
    (
        ["--game", "sushi_bar", "--seats", "red,green,blue,yellow,white,violet"],
        "--seats red,green,blue,yellow,white,violet: sushi_bar takes 2 to 5 seats, not 6: name as many",
    ),
    (["--game", "poop_deck", "--seats", "red,green,blue,yellow,white"], "takes 2 to 4 seats, not 5"),
    (["--seats", "red,red"], "--seats: the seat 'red' stands there twice: name it once"),
    (["--seats", "red,pink"], "there is no seat 'pink': use red, green, blue, yellow, white, violet"),
    (
        ["--seats", "red,blue", "--bots", "green"],
        "--bots green: that seat does not play, name it in --seats too",
    ),
    (["--bots", "red"], "--bots red: that seat does not play, name it in --seats too"),
    (
        ["--seats", "red,blue", "--bots", "red:hard"],
        "'red:hard': after the colon use random, easy, good, best",
    ),
    (["--seats", "red,blue", "--bots", "red:"], "'red:': after the colon use random, easy, good, best"),
    (["--sim", "left:"], "--sim: there is no board 'left:': use left, right, deck"),
    (["--seats", "red:best,blue"], "there is no seat 'red:best': use red, green, blue"),
    (["--set", "false_bell"], "--set false_bell: write NAME=VALUE, as in false_bell=none"),
    (["--set", "a=1", "--set", "a=2"], "--set a: it stands there twice, name it once"),
    (["--set", "fals_bell=none"], "--set fals_bell: is not known here, only"),
    (["--set", "false_bell=loud"], '--set false_bell: is "loud", it must be reroll_all, none or lose_duel'),
    (["--bot-speed", "fast"], "--bot-speed: 'fast' is not a number from 0.1 to 50"),
    (["--bot-speed", "nan"], "--bot-speed: 'nan' is not a number from 0.1 to 50"),
    (["--bot", "wise"], "--bot: 'wise' is not one of 'random', 'easy', 'good', 'best'."),
    (["--seed", "-1"], "--seed: '-1' is not a whole number from 0 to 4294967295"),
    (["--port", "9000", "doctor"], "--port belongs to playing, not to doctor"),
    (["scenario"], "missing argument 'FILE...'."),
    (["--data", __file__], f"--data {__file__}: that is a file, name a folder"),
    (["restore", "None.zip"], "restore None.zip: there is no such file, name a backup"),
]


@pytest.mark.parametrize("arguments, sentence", WRONG, ids=[" ".join(call) for call, _ in WRONG])
def test_a_wrong_call_is_one_line_and_status_2(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(arguments)
    said = capsys.readouterr()
    assert end.value.code == 2
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith("galley: ")
    assert sentence in said.err


@pytest.mark.parametrize(
    "command",
    [["restore"], ["replay"], ["journal", "list", "--file"], ["race-test", "--replay"]],
    ids=" ".join,
)
def test_a_file_s_name_is_said_as_it_was_given(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GALLEY_DATA", str(tmp_path / "data"))
    Path("Letter.TXT").write_text("none of ours" * 50, "utf-8")
    with pytest.raises(SystemExit) as end:
        cli.main([*command, "Letter.TXT"])
    err = capsys.readouterr().err
    assert end.value.code in (1, 2)
    assert err.startswith("galley: ")
    assert err.count("\n") == 1
    assert "Letter.TXT" in err


COMMANDS = [*cli.ELSEWHERE, "doctor", "scenario"]


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], *([name, "-h"] for name in COMMANDS)])
def test_help_is_status_0(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(arguments)
    assert end.value.code == 0
    assert capsys.readouterr().out


def test_a_command_starts_with_nothing_it_does_not_use() -> None:
    called = (
        "import sys; from galley.cli import galley as group; "
        "group.main(['simulate', '--help'], standalone_mode=False); print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", called], capture_output=True, text=True, check=True)
    modules = set(loaded.stdout.split())
    assert {"galley.cli", "galley.simulate_cli"} <= modules
    others = {f"galley.{name}" for name in cli.ELSEWHERE.values()} - {"galley.simulate_cli"}
    assert not modules & {*others, "asyncio", "multiprocessing", "serial", "sqlite3", "starlette"}


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "galley", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_scenarios_that_hold_fail_or_are_no_scenarios_give_0_1_and_2(tmp_path: Path) -> None:
    good = SCENARIOS / "sushi_duel-mate.json"
    false = tmp_path / "false.json"
    text = good.read_text(encoding="utf-8").replace('"phase": "share"', '"phase": "duel"')
    false.write_text(text)
    bad = tmp_path / "bad.json"
    bad.write_text('{"title": "x", "game": "sushi_duel", "seats": 2, "stepps": []}')

    holds = run("scenario", str(good))
    assert (holds.returncode, holds.stderr) == (0, "")
    assert holds.stdout.startswith(f"ok {good}: ")

    fails = run("scenario", str(good), str(false))
    assert fails.returncode == 1
    assert fails.stdout.splitlines()[1].startswith(f"FAIL {false}: ")
    assert fails.stdout.splitlines()[1].endswith('phase is "share", expected "duel"')

    invalid = run("scenario", str(bad), str(false), str(good))
    assert invalid.returncode == 2
    assert [line.split()[0] for line in invalid.stdout.splitlines()] == ["INVALID", "FAIL", "ok"]
    assert "stepps" in invalid.stdout
    assert "Traceback" not in invalid.stdout + invalid.stderr


def test_the_doctor_finds_this_machine_well() -> None:
    lines: list[str] = []
    assert examine(lines.append, port=free_port()) == 0, lines
    assert lines[-1] == "all well"
    assert any("a simulated station said hello" in line for line in lines)


def test_the_doctor_names_what_is_in_the_way(mocker: MockerFixture) -> None:
    mocker.patch(
        "galley.doctor.CHECKS", (*CHECKS[:1], lambda patient: [Finding(FAIL, "disk", "no disk", "make room")])
    )
    lines: list[str] = []
    assert examine(lines.append) == 1
    assert lines[1:] == ["FAIL no disk: make room", "something is in the way: see FAIL above"]


def test_a_reader_that_leaves_early_gets_no_traceback() -> None:
    files = [str(path) for path in sorted(SCENARIOS.glob("*.json"))] * 4
    with subprocess.Popen(
        [sys.executable, "-m", "galley", "scenario", *files],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        fcntl(process.stdout, F_SETPIPE_SZ, 4096)  # so that not all of it finds room
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(60) == 1, "not all was written"
