"""The README's "Add a game in 6 steps", followed to the letter in a package of its own; and broken ones."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

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
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )


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
    result = run(high_roll, "-m", "galley", "scenario", "high_roll-second-throw.json")
    assert result.stdout.startswith("ok high_roll-second-throw.json: a second throw counts")
    assert (result.returncode, result.stderr) == (0, "")
    false = FILES["high_roll-second-throw.json"].replace("[2, 2]", "[5, 2]")
    (high_roll / "false.json").write_text(false)
    assert run(high_roll, "-m", "galley", "scenario", "false.json").returncode == 1


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


def test_the_game_of_the_readme_is_simulated_and_recorded(high_roll: Path) -> None:
    result = run(
        high_roll,
        "-m",
        "galley",
        "simulate",
        "high_roll",
        "--policy",
        "random",
        "--games",
        "50",
        "--jobs",
        "2",
        "--json",
    )
    assert result.returncode == 0, result.stderr
    figures = json.loads(result.stdout)
    assert (figures["ends"], figures["shortest"], figures["longest"]) == ({"all_thrown": 50}, 4, 4)
    program = (
        "from galley_engine.games import load, names\n"
        "from galley_engine.record import Entry, lines\n"
        "assert names()[-1] == 'high_roll', names()\n"
        "game = load('high_roll')\n"
        "start = game.start(2, game.options({'faces': 8}), None)\n"
        "step = game.apply(start, {'do': 'throw', 'seat': 0, 'face': 8}, 5, None)\n"
        "print(*lines(game, start, None, [Entry(5, step.action)], step.state.phase), sep='', end='')\n"
    )
    written = run(high_roll, "-c", program)
    assert written.returncode == 0, written.stderr
    (high_roll / "record.jsonl").write_text(written.stdout)
    replayed = run(high_roll, "-m", "galley", "replay", "record.jsonl")
    assert replayed.returncode == 0, replayed.stderr
    assert json.loads(replayed.stdout)["dice"] == [8, 0]


BROKEN = [
    (
        "import nothing_like_it",
        "mine = broken",
        "mine",
        "cannot be loaded (ModuleNotFoundError: No module named",
    ),
    ("1 / 0", "mine = broken", "mine", "cannot be loaded (ZeroDivisionError: division by zero)"),
    (
        "name = 'mine'",
        "mine = broken:game",
        "mine",
        "cannot be loaded (AttributeError: module 'broken' has no",
    ),
    ("name = 'mine'", "mine = broken", "mine", "is no whole game: it lacks min_seats, max_seats, actions"),
    (FILES["high_roll.py"], "mine = broken", "mine", 'calls itself "high_roll"'),
]


@pytest.mark.parametrize("text, entry, name, words", BROKEN, ids=[words for *_, words in BROKEN])
def test_a_broken_package_is_named_in_one_sentence_and_breaks_nothing_else(
    tmp_path: Path, text: str, entry: str, name: str, words: str
) -> None:
    package(tmp_path, "broken", text, entry, "broken-package")
    result = run(tmp_path, "-m", "galley", "simulate", name, "--policy", "random", "--games", "1")
    assert result.returncode == 2
    assert result.stderr.startswith(f'galley: the game "{name}" of broken-package {words}')
    assert result.stderr.count("\n") == 1
    other = run(tmp_path, "-m", "galley", "simulate", "sushi_duel", "--games", "1")
    assert other.returncode == 0, other.stderr


def test_a_game_that_two_packages_offer_is_refused(tmp_path: Path) -> None:
    package(tmp_path, "one", "", "mine = one", "package-one")
    package(tmp_path, "two", "", "mine = two", "package-two")
    result = run(tmp_path, "-m", "galley", "simulate", "mine", "--policy", "random")
    assert result.returncode == 2
    assert 'the game "mine" of package-one and package-two is offered more than once' in result.stderr


def test_a_package_cannot_put_itself_in_the_place_of_our_games(tmp_path: Path) -> None:
    package(tmp_path, "broken", "1 / 0", "sushi_duel = broken", "broken-package")
    result = run(tmp_path, "-m", "galley", "simulate", "sushi_duel", "--games", "1")
    assert result.returncode == 0, result.stderr


def test_an_unknown_game_is_refused_with_those_of_other_packages_too(high_roll: Path) -> None:
    result = run(high_roll, "-m", "galley", "simulate", "chess")
    assert result.returncode == 2
    assert "or high_roll" in result.stderr
