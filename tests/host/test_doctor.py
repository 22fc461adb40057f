"""`galley doctor`: what each check sees, the one remedy it names, and the same as JSON."""

from __future__ import annotations

import asyncio
import errno
import json
import shutil
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pytest_mock import MockerFixture

from galley import cli, doctor_boards, doctor_machine, ports, starting
from galley.box import Box, Watcher
from galley.data_folder import JOURNAL
from galley.doctor import CHECKS, FAIL, NOTE, OK, Finding
from galley.doctor_machine import Patient
from galley.journal import Journal
from galley.ports import BoardPort, BoardWithoutData
from galley.sim.boards import SimulatedBoard, firmware_folder
from galley.starting import galley_at
from galley.web.app import STATIC
from tests.browser.feed import Feed
from tests.loop.box_process import free_port

Check = Callable[[Patient], Iterator[Finding]]


@pytest.fixture
def patient(tmp_path: Path) -> Patient:
    return Patient(free_port(), tmp_path)


def one(check: Any, patient: Patient, **more: Any) -> Finding:
    (finding,) = check(patient, **more)
    assert isinstance(finding, Finding)
    return finding


def test_the_report_is_json_for_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["doctor", "--json", "--port", str(free_port()), "--data", str(tmp_path)])
    told = json.loads(capsys.readouterr().out)
    assert end.value.code == 0, told
    assert all(set(each) == {"check", "ok", "seen", "remedy"} and each["seen"] for each in told)
    checks = {each["check"] for each in told}
    assert checks >= {
        "python", "packages", "pages", "languages", "data", "journal", "disk", "port", "browser", "audio",
        "dialout", "simulation",
    }  # fmt: skip
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


def test_a_failure_is_status_1_in_json_too(
    mocker: MockerFixture, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    mocker.patch(
        "galley.doctor.CHECKS", (CHECKS[0], lambda patient: [Finding(FAIL, "disk", "full", "make room")])
    )
    with pytest.raises(SystemExit) as end:
        cli.main(["doctor", "--json", "--port", str(free_port()), "--data", str(tmp_path)])
    assert end.value.code == 1
    assert json.loads(capsys.readouterr().out)[1] == {
        "check": "disk", "ok": False, "seen": "full", "remedy": "make room",
    }  # fmt: skip


def test_a_finding_is_a_mark_what_was_seen_and_one_remedy() -> None:
    assert Finding(OK, "x", "all there").line == "ok   all there"
    assert Finding(NOTE, "x", "none", "get one").line == "note none: get one"
    assert Finding(FAIL, "x", "none", "get one").line == "FAIL none: get one"


# -- files and disk ---------------------------------------------------------------------------------


def test_the_journals_disk_is_measured(patient: Patient) -> None:
    finding = one(doctor_machine.journal, patient)
    assert finding.mark in (OK, NOTE)
    assert "p99" in finding.seen


def test_a_slow_disk_is_named(patient: Patient, mocker: MockerFixture) -> None:
    mocker.patch.object(doctor_machine, "SLOW_DISK_MS", 0.0)
    finding = one(doctor_machine.journal, patient)
    assert (finding.mark, finding.remedy) == (NOTE, "pages will lag; use a better card or disk")


@pytest.mark.parametrize(
    ("number", "remedy"), [(errno.ENOSPC, "make room"), (errno.EROFS, "make the disk writable")]
)
def test_a_disk_that_takes_nothing_fails(
    patient: Patient, mocker: MockerFixture, number: int, remedy: str
) -> None:
    mocker.patch("os.fsync", side_effect=OSError(number, "no"))
    finding = one(doctor_machine.journal, patient)
    assert (finding.mark, finding.remedy) == (FAIL, remedy)
    assert list(patient.folder.iterdir()) == []


def test_the_data_folder_is_there_or_will_be_or_cannot_be(patient: Patient) -> None:
    assert one(doctor_machine.folder, patient).mark == OK
    new = Patient(1, patient.folder / "a" / "b")
    assert "will be made" in one(doctor_machine.folder, new).seen
    (patient.folder / "a").write_text("")
    assert one(doctor_machine.folder, new).mark == FAIL
    assert not new.folder.exists()


def test_a_folder_by_a_relative_name_is_there_all_the_same(
    patient: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(patient.folder)
    assert "0 files" in one(doctor_machine.folder, Patient(1, Path())).seen


def spoilt(patient: Patient, how: str) -> None:
    path = patient.folder / JOURNAL
    Journal.open(path).close()
    content = bytearray(path.read_bytes())
    match how:
        case "newer":
            content[60:64] = (99).to_bytes(4, "big")
        case "foreign":
            content[:4] = b"oops"
        case "cut":
            del content[9_000:]
        case "broken":
            content[4_096 + 100 :] = bytes(len(content) - 4_196)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("how", "mark", "seen", "remedy"),
    [
        ("whole", OK, "journal: 0 games", ""),
        ("newer", FAIL, "newer Galley", "update Galley"),
        ("foreign", NOTE, "no database at all", "the next start keeps it aside"),
        ("cut", NOTE, "is damaged", "the next start keeps it aside"),
        ("broken", NOTE, "is damaged", "the next start keeps it aside"),
    ],
)
def test_the_journal_that_is_there_can_be_gone_on_with_or_not(
    patient: Patient, how: str, mark: str, seen: str, remedy: str
) -> None:
    assert list(doctor_machine.journal_file(patient)) == [], "the first start makes one"
    spoilt(patient, how)
    before = (patient.folder / JOURNAL).read_bytes()
    finding = one(doctor_machine.journal_file, patient)
    assert finding.mark == mark
    assert seen in finding.seen
    assert finding.remedy.startswith(remedy)
    assert (patient.folder / JOURNAL).read_bytes() == before, "it only looks"


def test_a_journal_that_was_set_aside_is_named(patient: Patient) -> None:
    spoilt(patient, "foreign")
    Journal.open(patient.folder / JOURNAL).close()
    found = list(doctor_machine.journal_file(patient))
    assert [finding.mark for finding in found] == [OK, NOTE]
    assert "was damaged or foreign and is kept aside" in found[1].seen


UNSEEN = PermissionError(errno.EACCES, "Permission denied")


@pytest.mark.parametrize("check", [doctor_machine.folder, doctor_machine.journal_file])
def test_what_may_not_be_seen_is_said(patient: Patient, mocker: MockerFixture, check: Check) -> None:
    mocker.patch("os.access", return_value=False)
    mocker.patch("builtins.open", side_effect=UNSEEN)
    mocker.patch("os.listdir", side_effect=UNSEEN)
    finding = one(check, patient)
    assert finding.mark == FAIL
    assert "give it to" in finding.remedy


def test_little_space_fails(patient: Patient, mocker: MockerFixture) -> None:
    usage = shutil.disk_usage(patient.folder)
    mocker.patch("shutil.disk_usage", return_value=usage._replace(free=3_000_000))
    finding = one(doctor_machine.disk, patient)
    assert (finding.mark, finding.seen) == (FAIL, "only 3 MB are free on this disk")


def test_a_word_that_a_language_lacks_is_named(patient: Patient, tmp_path: Path) -> None:
    shutil.copytree(STATIC / "lang", tmp_path / "lang")
    words = {path: json.loads(path.read_text("utf-8")) for path in (tmp_path / "lang").iterdir()}
    every = set().union(*words.values())
    for path, own in words.items():  # complete, whatever is being translated just now
        path.write_text(json.dumps(dict.fromkeys(every, "word") | own))
    assert one(doctor_machine.languages, patient, static=tmp_path).mark == OK
    dutch = tmp_path / "lang" / "nl.json"
    dutch.write_text(json.dumps(dict.fromkeys(every - {"nav.box"}, "woord")))
    finding = one(doctor_machine.languages, patient, static=tmp_path)
    assert finding.mark == NOTE
    assert finding.seen.startswith("language nl lacks 1 of ")
    assert finding.seen.endswith("nav.box")
    dutch.write_text("{")
    assert FAIL in [each.mark for each in doctor_machine.languages(patient, static=tmp_path)]


def test_a_sound_card_is_named_or_missed(patient: Patient, tmp_path: Path) -> None:
    cards = tmp_path / "cards"
    cards.write_text(" 0 [Headphones     ]: bcm2835 - bcm2835 Headphones\n                      bcm2835\n")
    assert "bcm2835 Headphones" in one(doctor_machine.audio, patient, cards=cards).seen
    cards.write_text("--- no soundcards ---\n")
    assert one(doctor_machine.audio, patient, cards=cards).mark == NOTE


# -- the port ---------------------------------------------------------------------------------------


def test_a_free_port_is_well_and_another_programs_is_not(patient: Patient) -> None:
    assert one(doctor_machine.web_port, patient).mark == OK
    with socket.create_server(("127.0.0.1", patient.port)):
        finding = one(doctor_machine.web_port, patient)
    assert finding.mark == FAIL
    assert finding.seen == f"port {patient.port} cannot be used (address already in use)"
    assert finding.remedy.startswith("stop the program that has it")


def test_a_galley_that_is_well_is_asked_how_it_is() -> None:
    feed = Feed({"boards": [{"role": "left"}]})
    try:
        health = galley_at(feed.port)
        finding = one(doctor_machine.web_port, Patient(feed.port, Path("/"), health))
    finally:
        feed.stop()
    assert finding.mark == OK
    assert finding.seen.startswith(f"Galley 0.1.0 runs at port {feed.port} (process ")
    assert galley_at(feed.port) is None


def test_a_galley_in_trouble_fails() -> None:
    health = {"ok": False, "galley": "0.1.0", "pid": 7, "phase": "game", "journal": "disk_full"}
    finding = one(doctor_machine.web_port, Patient(1, Path("/"), health))
    assert finding.mark == FAIL
    assert "phase game, journal disk_full" in finding.seen


@pytest.mark.parametrize("answer", [None, [], "ok", {"ok": True}])
def test_whoever_else_answers_at_the_port_is_no_galley(
    answer: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(starting, "answer_of", lambda port, path: answer)
    monkeypatch.setattr(ports, "system_ports", lambda: ([], []))
    assert starting.galley_at(1) is None
    drive = tmp_path / "drive"
    drive.mkdir()
    flash = ["firmware", "flash", "--drive", str(drive), "--role", "deck", "--no-restart"]
    for command in (["boards"], [*flash, "--data", str(tmp_path)]):
        with pytest.raises(SystemExit) as end:
            cli.main(command)
        assert end.value.code == 0, command
    assert "no boards" in capsys.readouterr().out


# -- the boards -------------------------------------------------------------------------------------


@contextmanager
def plugged_in(mocker: MockerFixture, *ports: BoardPort, without: tuple[BoardWithoutData, ...] = ()) -> Any:
    mocker.patch.object(doctor_boards, "system_ports", return_value=(list(ports), list(without)))
    yield


async def seen(mocker: MockerFixture, patient: Patient, board: SimulatedBoard) -> list[Finding]:
    """What the doctor sees of a board that runs on a port, as if USB had told of it."""
    await board.start()
    try:
        with plugged_in(mocker, BoardPort(str(board.port), "E66")):
            return await asyncio.to_thread(lambda: list(doctor_boards.boards(patient)))
    finally:
        await board.stop()


@pytest.mark.parametrize(
    ("key", "mark", "remedy"),
    [("board_absent", NOTE, "plug it in"), ("board_gone", FAIL, "plug it in again")],
)
def test_a_board_that_was_there_and_is_gone_is_in_the_way(key: str, mark: str, remedy: str) -> None:
    absent = Box(Watcher()).status()[0]
    (finding,) = doctor_boards._board({**absent, "note": {"key": key, "params": {"board": "left"}}})
    assert finding.mark == mark
    assert finding.remedy.startswith(remedy)


def test_a_board_of_this_firmware_is_well(patient: Patient, mocker: MockerFixture) -> None:
    found = asyncio.run(seen(mocker, patient, SimulatedBoard("left")))
    assert [(finding.check, finding.mark) for finding in found[:2]] == [("board", OK), ("firmware", OK)]
    assert found[0].seen.startswith("board left E66 at ")
    assert "clock known to ±" in found[2].seen
    others = ["note board right was not found: plug it in", "note board deck was not found: plug it in"]
    assert [finding.line for finding in found[3:]] == others


def test_a_board_of_another_firmware_is_named(
    patient: Patient, mocker: MockerFixture, tmp_path: Path
) -> None:
    other = tmp_path / "circuitpython"
    shutil.copytree(firmware_folder(), other)
    with open(other / "lib" / "galley_board" / "wire.py", "a", encoding="utf-8") as file:
        file.write("\n# another\n")
    bundled = doctor_boards.bundled_firmware()
    mocker.patch("galley.sim.boards.firmware_folder", return_value=other)
    (finding,) = [
        each
        for each in asyncio.run(seen(mocker, patient, SimulatedBoard("left")))
        if each.check == "firmware"
    ]
    assert finding.mark == NOTE
    assert finding.seen.endswith(f"this Galley's is {bundled}")
    assert finding.remedy == "run galley firmware flash"


def test_boards_that_cannot_be_used_have_each_a_remedy(patient: Patient, mocker: MockerFixture) -> None:
    missing = BoardPort("/dev/ttyACM97", "E67")
    mocker.patch("os.access", return_value=True)
    with plugged_in(mocker, missing, without=(BoardWithoutData("E68", "/dev/ttyACM98"),)):
        lines = [finding.line for finding in doctor_boards.boards(patient)]
    no_data = "FAIL board E68 at /dev/ttyACM98: no data port: copy boot.py to the board and press RESET"
    assert no_data in lines
    assert "FAIL a board E67 at /dev/ttyACM97: port missing: plug the board in" in lines
    mocker.patch("os.access", return_value=False)
    with plugged_in(mocker, missing):
        (finding,) = doctor_boards.boards(patient)
    assert "permission denied" in finding.seen
    assert "dialout" in finding.remedy


def test_without_boards_it_says_so(patient: Patient, mocker: MockerFixture) -> None:
    with plugged_in(mocker):
        assert one(doctor_boards.boards, patient).mark == NOTE
