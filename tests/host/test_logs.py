"""The log: lines of JSON, rotated, with nothing about people, and never in the way."""

from __future__ import annotations

import json
import logging
import threading
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from websockets.sync.client import connect

from galley import logs
from galley.box import Box, Watcher
from galley.chronicle import Chronicle
from galley.journal_writer import Health
from galley.session import Session
from galley.tables import load
from tests.browser.feed import Feed


def lines(folder: Path) -> list[dict[str, Any]]:
    """All that is in the log and its older files, oldest first."""
    files = sorted(folder.glob(f"{logs.FILE}*"), reverse=True)
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


def written_by(folder: Path, tell: Any, level: str = "debug", **more: Any) -> list[dict[str, Any]]:
    with logs.kept(folder, level, **more):
        tell()
    return lines(folder)


def test_a_record_is_one_line_of_json_with_its_facts(tmp_path: Path) -> None:
    (line,) = written_by(tmp_path, lambda: logs.tell(logging.WARNING, "loop_lag", worst_ms=134, odd="a\nb"))
    assert line.pop("at").endswith("Z")
    assert line == {"level": "warning", "event": "loop_lag", "worst_ms": 134, "odd": "a\nb"}


def test_only_what_was_asked_for_is_told(tmp_path: Path) -> None:
    def tell() -> None:
        for level in (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR):
            logs.tell(level, logging.getLevelName(level))

    assert [line["event"] for line in written_by(tmp_path, tell, "warning")] == ["WARNING", "ERROR"]


def test_the_oldest_is_thrown_away(tmp_path: Path) -> None:
    def tell() -> None:
        for number in range(1000):
            logs.tell(logging.INFO, "step", number=number)

    kept = written_by(tmp_path, tell, file_bytes=4_000)
    numbers = [line["number"] for line in kept]
    assert numbers == list(range(numbers[0], 1000))
    assert numbers[0] > 0
    files = list(tmp_path.iterdir())
    assert len(files) == logs.FILES
    assert all(file.stat().st_size <= 4_000 for file in files)


def test_a_librarys_error_is_kept_with_its_traceback_and_without_addresses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def tell() -> None:
        try:
            raise ValueError("peer 192.168.7.23 and fe80::1:2%eth0")
        except ValueError:
            logging.getLogger("asyncio").exception("from %s", ("10.1.2.3", 4711))

    (line,) = written_by(tmp_path, tell)
    assert line["logger"] == "asyncio"
    assert "ValueError: peer (address)" in line["text"]
    assert not any(part in line["text"] for part in ("192.168", "10.1.2.3", "fe80"))
    assert "ValueError" in capsys.readouterr().err, "whoever started the box sees it as well"


def test_the_home_folder_is_not_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/anna")
    facts = {"text": "/home/anna/x", "lines": ["at /home/anna/y"]}
    (line,) = written_by(tmp_path, lambda: logs.tell(logging.INFO, "remark", **facts))
    assert (line["text"], line["lines"]) == ("~/x", ["at ~/y"])


def test_whoever_runs_it_no_persons_folder_and_no_machine_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/var/lib/galley")

    def tell() -> None:
        lines = ['File "/home/anna/x.py", line 3, in f', "12:30"]
        facts = {"port": "tcp:annas-laptop.local:5000", "lines": lines}
        logs.tell(logging.INFO, "port_missing", why="tcp:192.168.1.20:5000 at /Users/anna/y", **facts)

    (line,) = written_by(tmp_path, tell)
    assert line["port"] == "tcp:(address):5000"
    assert line["why"] == "tcp:(address):5000 at ~/y"
    assert line["lines"] == ['File "~/x.py", line 3, in f', "12:30"]
    assert line["at"].startswith("2")


def test_a_text_that_is_no_unicode_is_written_all_the_same(tmp_path: Path) -> None:
    (line,) = written_by(tmp_path, lambda: logs.tell(logging.INFO, "remark", text="caf\udce9"))
    assert line["text"] == "caf\udce9"


def test_libraries_cannot_wash_the_log_away(tmp_path: Path) -> None:
    def tell() -> None:
        for _ in range(10 * logs.LIBRARY_LINES):
            logging.getLogger("uvicorn.error").error("Invalid UTF-8 sequence received from client.")
        logs.tell(logging.INFO, "ours")

    told = written_by(tmp_path, tell)
    assert len(told) == logs.LIBRARY_LINES + 1
    assert told[-1]["event"] == "ours"
    wanted = logs._Wanted()
    record = logging.makeLogRecord({"name": "asyncio", "levelno": logging.ERROR, "created": 1000.0})
    assert sum(wanted.filter(record) for _ in range(100)) == logs.LIBRARY_LINES
    record.created += 3 * logs.LIBRARY_EVERY_S
    assert sum(wanted.filter(record) for _ in range(100)) == 3, "it has room again, little by little"
    record.created -= 3600.0
    assert not wanted.filter(record), "a clock that is set back gives none"


def test_a_folder_that_takes_nothing_costs_lines_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = tmp_path / "a file"
    nowhere.write_text("")
    with logs.kept(nowhere):
        logs.tell(logging.INFO, "lost")
    assert capsys.readouterr().err == ""
    with logs.kept(None):
        logs.tell(logging.WARNING, "nowhere")
    assert nowhere.read_text() == ""


def test_lines_that_find_no_room_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held, waits, room = threading.Event(), threading.Event(), threading.Event()
    write, written = logs._File.emit, []

    def slow(self: Any, record: logging.LogRecord) -> None:
        waits.set()
        held.wait(10)
        write(self, record)
        written.append(record)
        if len(written) == 9:
            room.set()

    monkeypatch.setattr(logs, "WAITING", 8)
    monkeypatch.setattr(logs._File, "emit", slow)
    with logs.kept(tmp_path):
        logs.tell(logging.INFO, "first")
        assert waits.wait(10)
        for number in range(20):
            logs.tell(logging.INFO, "more", number=number)
        held.set()
        assert room.wait(10)
        logs.tell(logging.INFO, "last")
    found = lines(tmp_path)
    assert [line["number"] for line in found if line["event"] == "more"] == list(range(8))
    assert [line["lines"] for line in found if line["event"] == "log_lost"] == [12]


# -- what is told -----------------------------------------------------------------------------------


def entry(**more: Any) -> dict[str, Any]:
    return {**Box(Watcher()).status()[0], **more}


def test_boards_come_and_go_with_identity_faults_and_notes(tmp_path: Path) -> None:
    here = entry(state="live", identity="E66", boot_id=7, firmware="00beef", port="/dev/ttyACM1")
    twice = {
        "key": "board_twice",
        "params": {"board": "left", "port": "/dev/ttyACM3", "other": "/dev/ttyACM1"},
    }

    def tell() -> None:
        chronicle = Chronicle()
        chronicle.boards([entry()])
        chronicle.boards([here])
        chronicle.boards([here, entry(role="unknown", note=twice)])
        chronicle.boards([here, entry(role="unknown", note=twice)])
        chronicle.boards([{**here, "faults": ["pin_twice"]}])
        chronicle.boards([{**here, "boot_id": 8}])
        chronicle.boards([entry(note={"key": "board_gone", "params": {"board": "left"}})])
        chronicle.boards([here])
        chronicle.stopping(1.0)
        chronicle.boards([entry(note={"key": "board_gone", "params": {"board": "left"}})])

    told = written_by(tmp_path, tell)
    assert [line["event"] for line in told] == [
        "board_joined", "board_twice", "board_fault", "board_joined", "board_fault_over", "board_left",
        "board_joined", "stopping",
    ]  # fmt: skip
    assert (told[0]["identity"], told[0]["firmware"], told[0]["boot_id"]) == ("E66", "00beef", 7)
    assert (told[1]["port"], told[2]["fault"], told[5]["note"]) == (
        "/dev/ttyACM3",
        "pin_twice",
        "board_gone",
    )


def test_a_boards_traceback_is_one_record_and_other_lines_none(tmp_path: Path) -> None:
    printed = [
        "hello", "Traceback (most recent call last):", '  File "code.py", line 3, in <module>', "    turn()",
        "RuntimeError: stuck", "bye",
    ]  # fmt: skip

    def tell() -> None:
        chronicle = Chronicle()
        for line in printed:
            chronicle.console("deck", line)

    (line,) = written_by(tmp_path, tell)
    assert (line["event"], line["board"], line["lines"]) == ("board_traceback", "deck", printed[1:5])


def duel() -> Session:
    return Session.start(load("sushi_duel").game, 2, {}, 1, 0)


def test_games_are_told_and_counted(tmp_path: Path) -> None:
    chronicle = Chronicle()
    first, second = duel(), duel()

    def tell() -> None:
        chronicle.taken_up(None)
        chronicle.house("game", first)
        chronicle.house("game", first)
        chronicle.house("attract", None)
        chronicle.house("game", second)
        over = second.state
        second.state = type("Over", (), {"phase": "over"})()
        chronicle.house("result", second)
        second.state = over
        chronicle.house("game", second)
        second.state = type("Over", (), {"phase": "over"})()
        chronicle.house("result", second)
        chronicle.house("attract", None)

    told = [line["event"] for line in written_by(tmp_path, tell, "info")]
    assert told == ["game_begun", "game_left", "game_begun", "game_over", "game_goes_on", "game_over"]
    assert (chronicle.begun["sushi_duel"], chronicle.over["sushi_duel"], chronicle.left["sushi_duel"]) == (
        2,
        1,
        1,
    )


def test_a_game_that_is_taken_up_did_not_begin(tmp_path: Path) -> None:
    chronicle = Chronicle()
    game = duel()

    def tell() -> None:
        chronicle.taken_up(game)
        chronicle.house("game", game)

    (line,) = written_by(tmp_path, tell, "info")
    assert (line["event"], line["game"], chronicle.begun.total()) == ("game_resumed", "sushi_duel", 0)


def test_trouble_of_the_journal_is_told_once_and_its_end(tmp_path: Path) -> None:
    trouble = Health("disk_full", "OperationalError: disk is full", 1, 0, 0, 0, 0)

    def tell() -> None:
        chronicle = Chronicle()
        for state, detail in (("ok", ""), (trouble.state, trouble.detail), (trouble.state, ""), ("ok", "")):
            chronicle.journal(state, detail)

    told = written_by(tmp_path, tell)
    assert [(line["event"], line["level"]) for line in told] == [
        ("journal_trouble", "error"), ("journal_well", "info"),
    ]  # fmt: skip


def test_a_pin_is_in_no_log_however_it_was_sent(tmp_path: Path) -> None:
    pin = "493817"
    with logs.kept(tmp_path, "debug"):
        logs.tell(logging.INFO, "begun")
        logging.getLogger().setLevel(logging.DEBUG)
        logging.getLogger("uvicorn.error").setLevel(logging.DEBUG)
        try:
            feed = Feed({"meta": {"version": "0.1.0"}})
            feed.hub.access.pin = pin
            with connect(f"ws://127.0.0.1:{feed.port}/ws?page=kiosk", proxy=None) as socket:
                for typed in ("000000", pin):
                    socket.send(json.dumps({"do": "pin", "pin": typed}))
                answers: list[Any] = []
                while len(answers) < 1 or not answers[-1]["ok"]:
                    message = json.loads(socket.recv(10))
                    answers += [message] if message["t"] == "pin" else []
            with urlopen(f"{feed.url}/?pin={pin}") as answer:
                assert answer.status == 200
            feed.stop()
        finally:
            logging.getLogger().setLevel(logging.WARNING)
            logging.getLogger("uvicorn.error").setLevel(logging.NOTSET)
    everything = "".join(file.read_text("utf-8") for file in tmp_path.iterdir())
    assert "begun" in everything
    assert pin not in everything
    assert answers[-1]["token"] not in everything
    assert "127.0.0.1" not in everything
