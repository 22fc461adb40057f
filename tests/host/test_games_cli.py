"""`galley replay` and `galley simulate`: what they print, which depends on nothing but what is given."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from galley import cli
from galley.session import Session
from galley_engine.bots import policy
from galley_engine.dice import Dice
from galley_engine.games import load
from galley_engine.record import canonical
from galley_engine.simulate import interval

ROOT = Path(__file__).resolve().parents[2]
DUEL = load("sushi_duel")


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "galley", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        timeout=120,
    )


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit status, output and errors of a call in this process."""
    with pytest.raises(SystemExit) as end:
        cli.main(list(arguments))
    said = capsys.readouterr()
    assert isinstance(end.value.code, int)
    return end.value.code, said.out, said.err


def game(actions: int = 5000) -> Session:
    """A game of three bots who play so many actions at most, with names beyond ASCII."""
    names = ["crevette", "saumon", "poulpe", "concombre", "œufs"]
    played = Session.start(DUEL, 3, {"targets": {"3": 1}, "ingredients": names}, 3, 0)
    bot, whims = policy("sushi_duel", "best"), Dice(3)
    for number in range(actions):
        action = bot.choose(played.state, number % 3, whims)
        if action is not None:
            played.do(action, 400 * number)
    return played


@pytest.fixture(name="record")
def _record(tmp_path: Path) -> Path:
    path = tmp_path / "Game 1.jsonl"
    path.write_text(game().record(), encoding="utf-8", newline="")
    return path


def test_a_replay_prints_the_final_state_the_same_bytes_everywhere(record: Path) -> None:
    printed = {
        run("replay", str(record), PYTHONHASHSEED=seed, LC_ALL=language).stdout
        for seed, language in (("0", "POSIX"), ("1", "C.UTF-8"))
    }
    assert printed == {canonical(DUEL.full(game().state)).encode()}


def test_a_replay_stops_after_any_step(record: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["replay", str(record), "--to", "2"])
    assert end.value.code == 0
    state = json.loads(capsysbinary.readouterr().out)
    assert state["phase"] == "ready"
    with pytest.raises(SystemExit) as end:
        cli.main(["replay", str(record), "--to", "99999"])
    assert end.value.code == 2
    assert b"--to 99999: the record has " in capsysbinary.readouterr().err


def test_a_changed_record_is_one_sentence_with_the_line_and_status_2(
    record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = record.read_bytes().splitlines(keepends=True)
    record.write_bytes(b"".join([*lines[:5], *lines[6:]]))
    status, out, err = call(capsys, "replay", str(record))
    assert (status, out) == (2, "")
    assert err == (f"galley: replay {record}: line 6: n is 6, expected 5: lines were cut out or moved\n")


@pytest.mark.parametrize(
    "what, words",
    [
        (None, "cannot be read: no such file or directory"),
        ("folder", "cannot be read: is a directory"),
        (b"", "line 1: there is no header: the file is empty"),
        (b"\xff\xfe{}\n", "line 1: is not UTF-8"),
        (b'{"title":"no record"}\n', "line 1: record is null, it must be 1"),
        (b"0" * 3_000_000, "line 1: is longer than 1_000_000 bytes"),
    ],
)
def test_what_is_no_record_is_one_sentence_and_status_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], what: bytes | str | None, words: str
) -> None:
    path = tmp_path / "thing"
    if isinstance(what, bytes):
        path.write_bytes(what)
    elif what is not None:
        path.mkdir()
    status, out, err = call(capsys, "replay", str(path))
    assert (status, out) == (2, "")
    assert err.startswith(f"galley: replay {path}: {words}")
    assert err.count("\n") == 1


def test_a_file_without_an_end_is_refused_at_its_first_line(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = call(capsys, "replay", "/dev/zero")
    assert status == 2
    assert "line 1: is longer than" in err


# --- simulate -------------------------------------------------------------------------------------


TIMES = ("jobs", "seconds", "games_per_s", "moves_per_s")
SMALL = ("sushi_duel", "--policy", "best,easy", "--seed", "5", "--set", 'targets={"2":1,"3":1}', "--json")


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    status, out, err = call(capsys, "simulate", *arguments)
    assert (status, err) == (0, "")
    answer: dict[str, Any] = json.loads(out)
    return answer


def found_by_jobs(*arguments: str) -> dict[str, Any]:
    """The same of a process with processes of its own."""
    result = run("simulate", *arguments)
    assert (result.returncode, result.stderr) == (0, b"")
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def without_times(figures: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in figures.items() if key not in TIMES}


def test_the_same_seed_gives_the_same_figures_whatever_the_jobs(capsys: pytest.CaptureFixture[str]) -> None:
    alone = found(capsys, *SMALL, "--games", "30", "--jobs", "1")
    shared = found_by_jobs(*SMALL, "--games", "30", "--jobs", "2")
    assert without_times(alone) == without_times(shared)
    assert (alone["jobs"], shared["jobs"]) == (1, 2)
    other = found(capsys, "sushi_duel", "--policy", "best,easy", "--seed", "6", *SMALL[5:], "--games", "30")
    assert without_times(other)["moves"] != alone["moves"]


def test_a_game_with_a_world_is_played_with_its_physics_whatever_the_jobs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    deck = ("poop_deck", "--policy", "easy", "--games", "12", "--json")
    alone, shared = found(capsys, *deck), found_by_jobs(*deck, "--jobs", "2")
    assert without_times(alone) == without_times(shared)
    fallen = found(capsys, *deck, "--world", "railings=0", "--world", "brink_percent=100")
    assert without_times(fallen) != without_times(alone)
    assert set(found(capsys, *deck, "--world", "brink_percent=0")["ends"]) == {"counted"}


def test_the_figures_add_up(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(capsys, "simulate", *SMALL, "--games", "25", "--seats", "3")
    figures = json.loads(out)
    assert (status, err) == (0, "")
    assert (figures["game"], figures["games"], figures["seats"]) == ("sushi_duel", 25, 3)
    assert sum(figures["wins"].values()) + figures["shared_wins"] == 25
    assert figures["ends"] == {"target": 25}
    assert figures["shortest"] <= figures["mean_length"] <= figures["longest"]
    assert figures["mean_length"] * 25 == pytest.approx(figures["moves"])
    for strength, won in figures["wins"].items():
        low, high = figures["win_share_95"][strength]
        assert low < won / 25 < high
        assert [low, high] == [round(bound, 6) for bound in interval(won, 25)]
    assert all(figures[key] > 0 for key in TIMES)


def test_without_json_it_says_the_same_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "simulate", *SMALL[:-1], "--games", "20")
    assert status == 0
    assert out.startswith("20 games of sushi_duel, 2 seats, seed 5\n  best    won ")
    assert "ends: target 20" in out
    assert "games/s" in out


def test_the_bar_is_for_terminals_and_never_in_the_output() -> None:
    master, slave = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "galley", "simulate", *SMALL, "--games", "8"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=slave,
    ) as process:
        os.close(slave)
        shown = b""
        while True:
            try:
                part = os.read(master, 4096)
            except OSError:  # the other end was closed
                break
            if not part:
                break
            shown += part
        out, _ = process.communicate(timeout=60)
    os.close(master)
    assert process.returncode == 0
    assert b"sushi_duel" in shown
    assert b"100%" in shown
    assert json.loads(out)["games"] == 8


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["chess"], 'there is no game "chess"; the games are sushi_duel'),
        (["sushi_duel", "--policy", "wise"], '--policy wise: there is no strength "wise"'),
        (["sushi_duel", "--seats", "1"], "--seats 1: sushi_duel is played by 2 to 6"),
        (
            ["sushi_duel", "--policy", "best,easy,good", "--seats", "2"],
            "3 policies need as many seats, not 2",
        ),
        (["sushi_duel", "--games", "0"], "--games: '0' is not a whole number from 1 to 1000000000"),
        (["sushi_duel", "--jobs", "none"], "--jobs: 'none' is not a whole number from 1 to 256"),
        (["sushi_duel", "--set", "visible=9"], "--set visible: is 9, it must be a whole number from 1 to 8"),
        (["sushi_duel", "--set", "start_seat=4"], "--set start_seat: is 4, but the seats are 0 to 1"),
        (["sushi_duel", "--world", "railings=2"], "--world railings=2: sushi_duel has no physics"),
        (["poop_deck", "--world", "railings=9"], "--world railings: is 9, it must be a whole number"),
        (["poop_deck", "--world", "railings"], "--world railings: write NAME=VALUE"),
        (
            ["poop_deck", "--set", "droppings_per_colour=8", "--world", "rings=2"],
            "--world deck: has 32 things for 31 cells",
        ),
        ([], "missing argument 'GAME'."),
    ],
)
def test_a_wrong_call_is_one_sentence_and_status_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    status, out, err = call(capsys, "simulate", *arguments)
    assert (status, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
