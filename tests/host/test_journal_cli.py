"""`galley journal`, `backup` and `restore`: what was played comes out as a record, and back in as it was."""

from __future__ import annotations

import builtins
import errno
import json
import os
import shutil
import sqlite3
import time
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pytest_mock import MockerFixture

from galley import cli
from galley.backup import MANIFEST
from galley.data_folder import JOURNAL, Hold
from galley.journal import Journal
from galley.journal_schema import seal
from galley_engine.record import Verdict
from tests.host.journal_kit import PLAYERS, played, written


@pytest.fixture(scope="module", name="template")
def _template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A box's folder: a finished game, one that was left, one on the table, settings and calibration."""
    data = tmp_path_factory.mktemp("template") / "data"
    for name, steps in (("sushi_bar", 10_000), ("worm_grill", 12), ("sushi_duel", 300)):
        session = played(name, steps)
        session.judge(3, Verdict(7300, 2500, False, 0))
        written(data / JOURNAL, session, {"phase": "game"})
    (data / "settings.json").write_text('{"language":"fr"}')
    (data / "calibration").mkdir()
    (data / "calibration" / "left.json").write_text("{}")
    (data / "galley.log").write_text("a line")
    return data


@pytest.fixture(name="data")
def _data(template: Path, tmp_path: Path) -> Path:
    """A copy of it for one test."""
    return Path(shutil.copytree(template, tmp_path / "data"))


@pytest.fixture(name="call")
def _call(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Exit status, output and errors of a call in this process."""

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            cli.main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        assert isinstance(end.value.code, int)
        assert "Traceback" not in said.err
        return end.value.code, said.out, said.err

    return call


Call = Callable[..., tuple[int, str, str]]


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "lock"
    }


# --- Looking --------------------------------------------------------------------------------------


def test_the_list_has_a_line_for_each_game(data: Path, call: Call) -> None:
    status, out, _ = call("journal", "list", "--data", data)
    assert status == 0
    rows = [line.split() for line in out.splitlines()]
    assert [(row[0], row[3], row[5]) for row in rows] == [
        ("1", "sushi_bar", "over"),
        ("2", "worm_grill", "left"),
        ("3", "sushi_duel", "open"),
    ]
    assert rows[1][4:] == ["12", "left", "red", "blue:good"]


def test_what_is_exported_is_the_record_and_replays(data: Path, call: Call, tmp_path: Path) -> None:
    for number, (name, steps) in enumerate(
        (("sushi_bar", 10_000), ("worm_grill", 12), ("sushi_duel", 300)), 1
    ):
        session = played(name, steps)
        session.judge(3, Verdict(7300, 2500, False, 0))
        status, out, _ = call("journal", "export", str(number), "--data", data)
        assert (status, out) == (0, session.record())
        record = tmp_path / f"{number}.jsonl"
        record.write_text(out, encoding="utf-8", newline="")
        status, out, _ = call("replay", record)
        assert (status, json.loads(out)["game"]) == (0, name)
        assert json.loads(out) == json.loads(json.dumps(session.game.full(session.state)))
    assert call("journal", "export", "--data", data)[1] == session.record()  # the last one, if none is named


def test_looking_works_while_a_box_runs_and_changes_nothing(data: Path, call: Call) -> None:
    journal = Journal.open(data / JOURNAL)
    before = files(data)
    for arguments in (["list"], ["export"], ["verify"]):
        assert call("journal", *arguments, "--data", data)[0] == 0
    assert {name: body for name, body in files(data).items() if not name.endswith(("-shm", "-wal"))} == {
        name: body for name, body in before.items() if not name.endswith(("-shm", "-wal"))
    }
    status, _, err = call("journal", "prune", "--keep", "1", "--data", data)
    assert status == 1
    assert "end it first" in err
    journal.close()


HARM = {
    "a step that was changed": (
        "UPDATE step SET action = replace(action, 'seat', 'sea') WHERE game = 2 AND n = 4",
        "game 2: step 4 of game 2 is missing or does not fit its seal",
    ),
    "a step that is missing": ("DELETE FROM step WHERE game = 1 AND n = 9", "game 1: step 9"),
    "a verdict": ("UPDATE verdict SET gap_us = 1 WHERE game = 1", "game 1: the verdict of step 3"),
    "a header": ("UPDATE game SET players = '[]' WHERE id = 2", "game 2: the header"),
    "a snapshot": ("UPDATE snapshot SET state = '[]'", "game 3: the snapshot after step"),
    "an end": ("UPDATE game SET ended = 'left' WHERE id = 1", "game 1: line"),
    "rows of no game": ("UPDATE verdict SET game = 9 WHERE game = 1", "game 9: there are rows in verdict"),
    "the house": ("UPDATE house SET state = '{}'", "the file: the state of the house"),
}


@pytest.mark.parametrize("what", HARM)
def test_verify_names_what_does_not_fit(data: Path, call: Call, what: str) -> None:
    assert call("journal", "verify", "--data", data) == (
        0,
        f"ok   {data / JOURNAL}: 3 games, every step fits\n",
        "",
    )
    sql, said = HARM[what]
    with sqlite3.connect(data / JOURNAL) as connection:
        assert connection.execute(sql).rowcount > 0
    connection.close()
    status, out, _ = call("journal", "verify", "--data", data)
    assert status == 1
    assert f"FAIL {said}" in out
    assert left(data, call) == ["1", "2", "3"]


def test_verify_reads_a_file_that_was_set_aside(data: Path, call: Call) -> None:
    path, random = data / JOURNAL, Random(3)
    content = bytearray(path.read_bytes())
    for _ in range(40):
        content[random.randrange(4096, len(content))] ^= 0xFF
    path.write_bytes(content)
    journal = Journal.open(path)
    journal.close()
    assert journal.aside is not None
    status, out, err = call("journal", "verify", "--file", journal.aside.path)
    assert status == 1
    assert "FAIL " in out or "galley: " in err
    assert call("journal", "list", "--data", data) == (0, "", "")


@pytest.mark.parametrize("command", ["list", "export", "verify"])
def test_a_journal_that_is_not_there_or_is_none(tmp_path: Path, call: Call, command: str) -> None:
    status, _, err = call("journal", command, "--data", tmp_path)
    assert status == 1
    assert err.startswith(f"galley: there is no journal at {tmp_path / JOURNAL}: play a game first")
    (tmp_path / JOURNAL).write_text("a letter" * 100)
    status, _, err = call("journal", command, "--data", tmp_path)
    assert (status, err) == (1, f"galley: {tmp_path / JOURNAL} is no database at all\n")
    assert files(tmp_path) == {JOURNAL: b"a letter" * 100}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "journal: say what to do: export, list, prune, verify"),
        (["show"], "there is no command 'show' of journal: use export, list, prune, verify"),
        (["export", "7"], "there is no game 7 in"),
        (["export", "x"], "number: 'x' is not a whole number"),
        (["prune"], "name what may go: --keep N"),
        (["prune", "--keep", "-1"], "--keep: '-1' is not a whole number"),
        (["list", "--file", "x", "--data", "y"], "--file x: name a folder with --data or a file, not both"),
        (["list", "--file", "None.db"], "--file None.db: there is no such file, name a journal"),
    ],
)
def test_a_wrong_call_is_one_sentence(
    data: Path, call: Call, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.setenv("GALLEY_DATA", str(data))
    status, _, err = call("journal", *arguments)
    assert status == 2
    assert err.startswith("galley: ")
    assert said in err
    assert err.count("\n") == 1


# --- Pruning --------------------------------------------------------------------------------------


def left(data: Path, call: Call) -> list[str]:
    return [line.split()[0] for line in call("journal", "list", "--data", data)[1].splitlines()]


def test_on_a_full_disk_games_go_although_their_room_cannot_be_given_back(
    data: Path, call: Call, mocker: MockerFixture
) -> None:
    """VACUUM writes a second copy, for which a full disk has no room."""

    class Full(sqlite3.Connection):
        def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
            if sql == "VACUUM":
                raise sqlite3.OperationalError("database or disk is full")
            return super().execute(sql, *parameters)

    full = sqlite3.connect(data / JOURNAL, isolation_level=None, factory=Full)
    mocker.patch("galley.journal_prune.ready", return_value=full)
    assert call("journal", "prune", "--keep", "0", "--data", data) == (0, "2 games deleted\n", "")
    assert left(data, call) == ["3"]


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        (["--keep", "2"], ["2", "3"]),
        (["--keep", "0"], ["3"]),  # the game on the table stays
        (["--older-than", "10"], ["3"]),
        (["--older-than", "30"], ["2", "3"]),
        (["--keep", "2", "--older-than", "10"], ["2", "3"]),
        (["--keep", "9"], ["1", "2", "3"]),
    ],
)
def test_pruning_deletes_what_neither_bound_keeps(
    data: Path, call: Call, arguments: list[str], kept: list[str]
) -> None:
    day_s, now_s = 24 * 3600, int(time.time())
    with sqlite3.connect(data / JOURNAL) as connection:
        for number, days in ((1, 40), (2, 20)):
            columns = connection.execute(
                "UPDATE game SET began_s = ? WHERE id = ? RETURNING id, began_s, header, players, drawn",
                (now_s - days * day_s, number),
            ).fetchone()
            connection.execute("UPDATE game SET seal = ? WHERE id = ?", (seal(*columns), number))
    connection.close()
    size = (data / JOURNAL).stat().st_size
    status, out, _ = call("journal", "prune", *arguments, "--data", data)
    assert (status, out) == (0, f"{3 - len(kept)} games deleted\n")
    assert left(data, call) == kept
    assert ((data / JOURNAL).stat().st_size < size) == (len(kept) < 3)
    with sqlite3.connect(data / JOURNAL) as connection:
        games = {str(game) for (game,) in connection.execute("SELECT DISTINCT game FROM step")}
    connection.close()
    assert games == set(kept)
    journal = Journal.open(data / JOURNAL)
    assert journal.latest().game is not None
    assert journal.begin(played(steps=0), PLAYERS) == 4
    journal.close()


# --- Backup ---------------------------------------------------------------------------------------


@pytest.fixture(name="zip_")
def _zip(data: Path, tmp_path: Path, call: Call) -> Path:
    path = tmp_path / "box.zip"
    status, out, _ = call("backup", path, "--data", data)
    assert (status, out) == (0, f"{path} holds calibration/left.json, {JOURNAL}, settings.json\n")
    return path


def test_a_backup_comes_back_as_it_was(data: Path, zip_: Path, call: Call, tmp_path: Path) -> None:
    records = [call("journal", "export", str(n), "--data", data)[1] for n in (1, 2, 3)]
    other = tmp_path / "other" / "box"
    assert call("restore", zip_, "--data", other) == (0, f"{other} is as in {zip_}\n", "")
    assert [call("journal", "export", str(n), "--data", other)[1] for n in (1, 2, 3)] == records
    assert set(files(other)) == {JOURNAL, "settings.json", "calibration/left.json"}
    assert (other / "settings.json").read_text() == '{"language":"fr"}'
    journal = Journal.open(other / JOURNAL)
    game = journal.latest().game
    journal.close()
    assert game is not None
    assert (zip_.stat().st_mode & 0o077, (other / JOURNAL).stat().st_mode & 0o077) == (0, 0)


def test_what_was_there_before_is_kept_aside(data: Path, zip_: Path, call: Call) -> None:
    call("journal", "prune", "--keep", "1", "--data", data)
    (data / "settings.json").write_text("new")
    before = files(data)
    status, out, _ = call("restore", zip_, "--data", data)
    assert status == 0
    aside = next(data.glob("before.restored-*"))
    assert f"what was there before is in {aside}\n" in out
    assert files(aside) == before
    assert left(data, call) == ["1", "2", "3"]
    status, out, _ = call("backup", zip_.with_name("again.zip"), "--data", data)
    assert "restored" not in out


def test_a_backup_of_a_running_box_has_what_is_committed(data: Path, tmp_path: Path, call: Call) -> None:
    journal = Journal.open(data / JOURNAL)
    session = played("worm_grill", 9)
    number = journal.begin(session, PLAYERS)
    journal.follow(number, session)
    journal.close()
    journal = Journal.open(data / JOURNAL)
    path = tmp_path / "running.zip"
    assert call("backup", path, "--data", data)[0] == 0
    status, _, err = call("restore", path, "--data", data)
    assert (status, "end it first" in err) == (1, True)
    journal.close()
    assert call("restore", path, "--data", data)[0] == 0
    assert call("journal", "export", "--data", data)[1] == session.record()


def test_nothing_is_overwritten_by_a_backup(data: Path, zip_: Path, call: Call) -> None:
    before = zip_.read_bytes()
    status, _, err = call("backup", zip_, "--data", data)
    assert (status, err) == (2, f"galley: {zip_} exists already: name a new file, nothing is overwritten\n")
    assert zip_.read_bytes() == before
    status, _, err = call("backup", zip_.parent / "no" / "where.zip", "--data", data)
    assert status == 1
    assert err.startswith("galley: no backup was made: ")


def refused(call: Call, file: Path, data: Path) -> str:
    """What restoring this file says, having changed nothing."""
    before = files(data)
    status, _, err = call("restore", file, "--data", data)
    assert status == 2
    assert files(data) == before
    with Hold(data):
        pass
    return err


def test_a_damaged_backup_changes_nothing(data: Path, zip_: Path, call: Call) -> None:
    content, random = zip_.read_bytes(), Random(5)
    for length in (0, 1, 100, len(content) // 2, len(content) - 1):
        zip_.write_bytes(content[:length])
        assert "use an unchanged copy" in refused(call, zip_, data)
    for _ in range(25):
        flipped = bytearray(content)
        start = random.randrange(len(content) - 8)
        flipped[start : start + 8] = random.randbytes(8)
        zip_.write_bytes(flipped)
        before = files(data)
        status, _, err = call("restore", zip_, "--data", data)
        if status == 0:  # in bytes that say nothing, as a time: then all is as it was backed up
            aside = next(data.glob("before.restored-*"))
            assert {n: b for n, b in files(data).items() if "restored" not in n}.keys() <= before.keys()
            for path in sorted(aside.iterdir()):
                if path.name == "galley.log":
                    path.rename(data / path.name)
            assert left(data, call) == ["1", "2", "3"]
        else:
            assert (status, files(data)) == (2, before), err


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../evil", "which no backup does"),
        ("/etc/evil", "which no backup does"),
        ("lock", "which no backup does"),
    ],
)
def test_a_strangers_backup_cannot_reach_out_of_the_folder(
    data: Path, tmp_path: Path, call: Call, name: str, said: str
) -> None:
    path = tmp_path / "evil.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, "x")
        archive.writestr(
            MANIFEST,
            json.dumps({"backup": 1, "galley": "0", "files": {name: {"bytes": 1, "sha256": "0" * 64}}}),
        )
    assert said in refused(call, path, data)


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ("[]", "has no manifest of a backup"),
        ('{"backup":"1"}', "has no manifest of a backup"),
        ('{"backup":1,"files":[]}', "has no manifest of a backup"),
        ('{"backup":1,"files":{"a":{}}}', "has no manifest of a backup"),
        ('{"backup":1,"files":{}}', "does not hold the files its manifest names"),
        ('{"backup":1,"files":{"a":{"bytes":1,"sha256":""},"b":{"bytes":1,"sha256":""}}}', "does not hold"),
        ('{"backup":1,"files":{"a":{"bytes":10,"sha256":""}}}', "a is not as long as its manifest says"),
        ('{"backup":1,"files":{"a":{"bytes":2,"sha256":""}}}', "a is not as long as its manifest says"),
        ('{"backup":1,"files":{"a":{"bytes":3,"sha256":""}}}', "a is not what was backed up"),
        ('{"backup":2,"galley":"9.0","files":{}}', "made by a newer Galley (9.0): update this one"),
        ("{", "is damaged or no backup"),
        ("[" * 100_000, "is damaged or no backup"),
    ],
)
def test_a_manifest_is_not_believed(data: Path, tmp_path: Path, call: Call, manifest: str, said: str) -> None:
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", "abc")
        archive.writestr(MANIFEST, manifest)
    assert said in refused(call, path, data)


def test_a_backup_with_a_newer_or_damaged_journal_is_refused(data: Path, tmp_path: Path, call: Call) -> None:
    other = tmp_path / JOURNAL
    written(other, played(steps=5))
    with sqlite3.connect(other) as connection:
        connection.execute("PRAGMA user_version=9")
    connection.close()
    newer = other.read_bytes()
    for number, (content, said) in enumerate(
        ((newer, "its journal was made by a newer Galley"), (b"x" * 500, "its journal is no database"))
    ):
        path = tmp_path / f"{number}.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(JOURNAL, content)
            entry = {"bytes": len(content), "sha256": sha256(content).hexdigest()}
            archive.writestr(MANIFEST, json.dumps({"backup": 1, "files": {JOURNAL: entry}}))
        assert said in refused(call, path, data)


def test_a_folder_that_is_not_there_has_nothing_to_back_up(tmp_path: Path, call: Call) -> None:
    status, _, err = call("backup", tmp_path / "x.zip", "--data", tmp_path / "none")
    assert (status, err.startswith(f"galley: there is nothing at {tmp_path / 'none'}")) == (1, True)


def denied(call: Callable[..., Any], folder: Path) -> Callable[..., Any]:
    """`call`, which root can do everywhere, as it is for others: not below `folder`."""

    def refuses(path: Any, *arguments: Any, **more: Any) -> Any:
        if isinstance(path, str | Path) and Path(path).is_relative_to(folder):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return call(path, *arguments, **more)

    return refuses


@pytest.mark.parametrize(
    "command",
    [("journal", "list"), ("journal", "verify"), ("journal", "export"), ("journal", "prune", "--keep", "1"),
     ("backup", "x.zip"), ("restore", "b.zip")],
    ids=" ".join,
)  # fmt: skip
def test_a_folder_of_somebody_else_is_one_sentence(
    data: Path, tmp_path: Path, call: Call, mocker: MockerFixture, command: tuple[str, ...]
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    assert call("backup", mine / "b.zip", "--data", data)[0] == 0
    words = [mine / word if word.endswith(".zip") else word for word in command]
    before = files(data)
    for module, name in ((os, "open"), (os, "mkdir"), (os, "listdir"), (os, "stat"), (builtins, "open")):
        mocker.patch.object(module, name, denied(getattr(module, name), data))
    status, _, err = call(*words, "--data", data)
    mocker.stopall()
    assert status == 1
    assert err.startswith("galley: ")
    assert "permission denied" in err
    assert err.count("\n") == 1
    assert (files(data), (mine / "x.zip").exists()) == (before, False)


def test_a_link_is_neither_followed_nor_left_out_of_a_backup(data: Path, tmp_path: Path, call: Call) -> None:
    other = tmp_path / "elsewhere.db"
    (data / JOURNAL).rename(other)
    (data / JOURNAL).symlink_to(other)
    status, _, err = call("backup", tmp_path / "x.zip", "--data", data)
    assert (status, (tmp_path / "x.zip").exists()) == (1, False)
    assert f"{data / JOURNAL}: it is a link: put what it leads to in its place" in err
