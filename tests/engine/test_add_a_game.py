"""The README's "Add a game in 6 steps", followed to the letter in a package of its own; and broken ones."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "engine" / "README.md").read_text(encoding="utf-8")
FILES = {
    name: textwrap.dedent(text)
    for name, text in re.findall(
        r"^   `([\w.-]+)`\n   ```\w+\n(.*?)^   ```$", README, re.MULTILINE | re.DOTALL
    )
}


def package(folder: Path, module: str, text: str, entry: str, name: str) -> None:
    """What an installer leaves of a package with one module and one entry point."""
    (folder / f"{module}.py").write_text(text, encoding="utf-8")
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[galley.games]\n{entry}\n")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    places = [str(folder), *(str(ROOT / part) for part in ("host", "engine", "circuitpython/lib"))]
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(places),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
        capture_output=True,
        text=True,
        timeout=120,
    )


CALLS = """
import json, sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from galley.cli import main

said = []
for call in json.loads(sys.argv[1]):
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        try:
            main(call)
        except SystemExit as end:
            said.append([end.code, out.getvalue(), err.getvalue()])
print(json.dumps(said))
"""


class Said(NamedTuple):
    status: int
    out: str
    err: str


def galley(folder: Path, *calls: list[str]) -> list[Said]:
    """What `galley` says to each call in turn, in one process that finds the packages of `folder`."""
    result = run(folder, "-c", CALLS, json.dumps(calls))
    assert result.returncode == 0, result.stderr
    return [Said(*each) for each in json.loads(result.stdout)]


@pytest.fixture(name="high_roll")
def _high_roll(tmp_path: Path) -> Path:
    entry = re.search(r'entry-points\."galley\.games"\]\n(.*)\n', FILES["pyproject.toml"])
    assert entry
    package(tmp_path, "high_roll", FILES["high_roll.py"], entry[1].replace('"', ""), "high-roll")
    for name in ("test_high_roll.py", "high_roll-second-throw.json"):
        (tmp_path / name).write_text(FILES[name], encoding="utf-8")
    return tmp_path


def test_the_readme_has_the_steps_it_counts_and_the_files_they_need() -> None:
    count = int(re.findall(r"## Add a game in (\d) steps", README)[0])
    section = README.split("## Add a game in")[1].split("\n## ")[0]
    assert re.findall(r"^(\d)\. \*\*", section, re.MULTILINE) == [str(step + 1) for step in range(count)]
    assert FILES.keys() == {
        "high_roll.py",
        "pyproject.toml",
        "high_roll-second-throw.json",
        "test_high_roll.py",
    }


def test_the_scenario_of_the_readme_holds(high_roll: Path) -> None:
    false = FILES["high_roll-second-throw.json"].replace("[2, 2]", "[5, 2]")
    (high_roll / "false.json").write_text(false)
    good, bad = galley(high_roll, ["scenario", "high_roll-second-throw.json"], ["scenario", "false.json"])
    assert good.out.startswith("ok high_roll-second-throw.json: a second throw counts")
    assert (good.status, good.err) == (0, "")
    assert bad.status == 1


def test_the_test_of_the_readme_passes_and_can_fail(high_roll: Path) -> None:
    pytest_in = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_high_roll.py")
    result = run(high_roll, *pytest_in)
    assert result.returncode == 0, result.stdout
    assert "2 passed" in result.stdout
    module = (high_roll / "high_roll.py").read_text(encoding="utf-8")
    (high_roll / "high_roll.py").write_text(
        module.replace('return {"turn": state.turn}', 'return {"turn": 1}')
    )
    result = run(high_roll, *pytest_in)
    assert "NotAGame: setup_of does not give the start position" in result.stdout


RECORD = """
from galley_engine.games import load, names
from galley_engine.record import Entry, lines

assert names()[-1] == "high_roll", names()
game = load("high_roll")
start = game.start(2, game.options({"faces": 8}), None)
step = game.apply(start, {"do": "throw", "seat": 0, "face": 8}, 5, None)
print(*lines(game, start, None, [Entry(5, step.action)], step.state.phase), sep="", end="")
"""


def test_the_game_of_the_readme_is_simulated_and_recorded(high_roll: Path) -> None:
    simulate = ["simulate", "high_roll", "--policy", "random", "--games", "50", "--jobs", "2", "--json"]
    result = run(high_roll, "-m", "galley", *simulate)
    assert result.returncode == 0, result.stderr
    figures = json.loads(result.stdout)
    assert (figures["ends"], figures["shortest"], figures["longest"]) == ({"all_thrown": 50}, 4, 4)
    written = run(high_roll, "-c", RECORD)
    assert written.returncode == 0, written.stderr
    (high_roll / "record.jsonl").write_text(written.stdout)
    replayed = run(high_roll, "-m", "galley", "replay", "record.jsonl")
    assert replayed.returncode == 0, replayed.stderr
    assert json.loads(replayed.stdout)["dice"] == [8, 0]


BROKEN = {
    "missing": (
        "import nothing_like_it",
        "missing",
        "cannot be loaded (ModuleNotFoundError: No module named",
    ),
    "dividing": ("1 / 0", "dividing", "cannot be loaded (ZeroDivisionError: division by zero)"),
    "empty": (
        "name = 'empty'",
        "empty:game",
        "cannot be loaded (AttributeError: module 'empty' has no",
    ),
    "half": ("name = 'half'", "half", "is no whole game: it lacks min_seats, max_seats, actions"),
    "other": (FILES["high_roll.py"], "other", 'calls itself "high_roll"'),
}
"""Game -> the module of its package, what its entry point names, and what is said of it."""
ONE_GAME = ["--policy", "random", "--games", "1"]


def test_a_broken_package_is_named_in_one_sentence_and_breaks_nothing_else(tmp_path: Path) -> None:
    for game, (text, entry, _) in BROKEN.items():
        package(tmp_path, game, text, f"{game} = {entry}", f"{game}-package")
    *broken, whole = galley(tmp_path, *(["simulate", game, *ONE_GAME] for game in (*BROKEN, "sushi_duel")))
    for (game, (_, _, words)), said in zip(BROKEN.items(), broken, strict=True):
        assert said.status == 2
        assert said.err.startswith(f'galley: the game "{game}" of {game}-package {words}')
        assert said.err.count("\n") == 1
    assert whole.status == 0, whole.err


def test_a_name_that_is_offered_twice_is_refused_and_ours_cannot_be_taken(tmp_path: Path) -> None:
    package(tmp_path, "one", "", "mine = one", "package-one")
    package(tmp_path, "two", "", "mine = two", "package-two")
    package(tmp_path, "broken", "1 / 0", "sushi_duel = broken", "broken-package")
    twice, ours = galley(tmp_path, *(["simulate", game, *ONE_GAME] for game in ("mine", "sushi_duel")))
    assert twice.status == 2
    assert 'the game "mine" of package-one and package-two is offered more than once' in twice.err
    assert ours.status == 0, ours.err


def test_an_unknown_game_is_refused_with_those_of_other_packages_too(high_roll: Path) -> None:
    result = run(high_roll, "-m", "galley", "simulate", "chess")
    assert result.returncode == 2
    assert "or high_roll" in result.stderr
