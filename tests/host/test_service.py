"""`galley service`: the files it writes, what their check finds, and what the service manager is told."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from galley import cli
from galley.findings import FAIL, NOTE, OK
from galley.notify import Notifier
from galley.service_check import MUST, check, parsed
from galley.service_units import (
    HOST_UNIT,
    KIOSK_UNIT,
    RULES,
    TEMPLATES,
    WATCHDOG_S,
    BadInstallation,
    Installation,
    files,
)

BOX = Installation(python="/opt/galley/bin/python", package="/opt/galley/lib/galley")


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        cli.main(["service", *arguments])
    assert isinstance(end.value.code, int)
    return end.value.code


# -- the files --------------------------------------------------------------------------------------


def test_a_unit_says_who_runs_what_where() -> None:
    unit = parsed(files(BOX)[HOST_UNIT])["Service"]
    assert unit["ExecStart"] == [
        "/opt/galley/bin/python -m galley --no-browser --port 8765 --data /var/lib/galley"
    ]
    assert (unit["Type"], unit["WatchdogSec"]) == (["notify"], [str(WATCHDOG_S)])
    assert (unit["User"], unit["ReadWritePaths"]) == (["galley"], ["/var/lib/galley"])
    assert unit["ProtectHome"] == ["yes"]
    kiosk = parsed(files(BOX)[KIOSK_UNIT])["Service"]["ExecStart"][0].split()
    assert kiosk[:4] == ["/usr/bin/cage", "-d", "--", "/usr/bin/chromium"]
    assert kiosk[-1] == "http://127.0.0.1:8765/"


def test_a_path_with_odd_characters_stays_one_word() -> None:
    odd = Installation(python="/opt/my %h $X/python", package="/opt", folder='/srv/a "b"')
    unit = parsed(files(odd)[HOST_UNIT])["Service"]
    assert unit["ExecStart"][0].startswith('"/opt/my %%h $$X/python" -m galley')
    assert unit["ReadWritePaths"] == [r'"/srv/a \"b\""']


@pytest.mark.parametrize("place", ["python", "package", "folder"])
def test_a_home_is_seen_only_where_something_lives_in_it(place: str) -> None:
    box = replace(BOX, **{place: "/home/anna/galley"})  # type: ignore[arg-type]  # all three are text
    assert parsed(files(box)[HOST_UNIT])["Service"]["ProtectHome"] == ["read-only"]


@pytest.mark.parametrize(
    ("word", "value", "says"),
    [
        ("user", "Anna B", "is no name of a user"),
        ("user", "a\nUser=root", "is no name of a user"),
        ("user", "", "is no name of a user"),
        ("folder", "var/galley", "is no absolute path"),
        ("folder", "/srv/x\nUser=root", "is no absolute path"),
        ("folder", "/srv/../etc", "is no absolute path"),
        ("folder", "/", "is a folder of the system"),
        ("folder", "/etc", "is a folder of the system"),
    ],
)
def test_what_the_files_cannot_hold_is_refused(word: str, value: str, says: str) -> None:
    with pytest.raises(BadInstallation, match=says):
        replace(BOX, **{word: value})  # type: ignore[arg-type]  # both are text


def test_a_wrong_name_is_a_wrong_call(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run("install", "--user-name", "Anna B", "--root", str(tmp_path)) == 2
    assert capsys.readouterr().err == "galley: 'Anna B' is no name of a user: use a to z, 0 to 9, - and _\n"
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_shows_all_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("install", "--dry-run", "--root", str(tmp_path), "--dir", "/srv/galley") == 0
    said = capsys.readouterr().out
    assert all(f"# {tmp_path / path}\n" in said for path in TEMPLATES)
    assert f"ExecStart={sys.executable} -m galley" in said
    assert list(tmp_path.iterdir()) == []


def test_what_install_writes_holds_and_is_written_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("install", "--root", str(tmp_path), "--user-name", "anna", "--dir", "/srv/galley") == 0
    assert capsys.readouterr().out.count(" written\n") == len(TEMPLATES)
    assert run("check", "--root", str(tmp_path)) == 0, capsys.readouterr().out
    assert FAIL not in capsys.readouterr().out
    assert run("install", "--root", str(tmp_path), "--user-name", "anna", "--dir", "/srv/galley") == 0
    assert capsys.readouterr().out.count(" is as it should be\n") == len(TEMPLATES)


def test_a_file_that_somebody_changed_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("install", "--root", str(tmp_path))
    unit = tmp_path / HOST_UNIT
    unit.write_text("# mine\n")
    run("install", "--root", str(tmp_path))
    (kept,) = unit.parent.glob("galley.service.before-*")
    assert kept.read_text() == "# mine\n"
    assert f"kept as {kept.name}" in capsys.readouterr().out
    assert unit.stat().st_mode & 0o777 == 0o644


def test_a_place_that_cannot_be_written_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "etc").write_text("")
    assert run("install", "--root", str(tmp_path)) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "cannot be written (not a directory): run it with sudo, or name a folder with --root" in said


# -- the check --------------------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation below a folder, and a machine without systemd-analyze."""
    monkeypatch.setenv("PATH", str(tmp_path))
    for path, text in files(BOX).items():
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return tmp_path


def marks(root: Path) -> list[str]:
    return [finding.mark for finding in check(root, is_own=False)]


def test_without_systemd_the_own_checks_remain(root: Path) -> None:
    assert marks(root).count(OK) == len(TEMPLATES)
    assert [finding.check for finding in check(root, is_own=False) if finding.mark == NOTE] == ["systemd"] * 2


@pytest.mark.parametrize(("unit", "key"), [(unit, key) for unit, keys in MUST.items() for _, key in keys])
def test_a_line_that_is_missing_or_wrong_is_named(root: Path, unit: str, key: str) -> None:
    text = (root / unit).read_text()
    without = "\n".join(line for line in text.splitlines() if not line.startswith(f"{key}="))
    for worse, seen in (
        (without, f"no {key}="),
        (f"{without}\n[Service]\n[Unit]\n[Install]\n", f"no {key}="),
    ):
        (root / unit).write_text(worse)
        (found,) = [finding for finding in check(root, is_own=False) if finding.mark == FAIL]
        assert found.check == "unit"
        assert seen in found.seen


@pytest.mark.parametrize(
    ("line", "worse"),
    [("Type=notify", "Type=simple"), ("User=galley", "User=root"), ("WatchdogSec=10", "WatchdogSec=0")],
)
def test_a_value_that_is_no_protection_is_named(root: Path, line: str, worse: str) -> None:
    unit = root / HOST_UNIT
    unit.write_text(unit.read_text().replace(line, worse))
    (found,) = [finding for finding in check(root, is_own=False) if finding.mark == FAIL]
    assert worse in found.seen
    assert found.remedy


def test_missing_files_and_an_empty_rule_are_named(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / KIOSK_UNIT).unlink()
    (root / RULES).write_text("")
    assert run("check", "--root", str(root), "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert all(set(each) == {"check", "ok", "seen", "remedy"} for each in told)
    wrong = [each["check"] for each in told if not each["ok"]]
    assert wrong == ["udev"] * 4 + ["files"]


def test_on_the_box_itself_user_programs_and_folder_must_be_there(root: Path) -> None:
    lacking = replace(BOX, user="galley-no-such", cage="/no/cage", chromium="/no/chromium", folder="/no/data")
    shell = "/bin/sh"
    whole = Installation(
        python=shell, package="/opt", cage=shell, chromium=shell, user="nobody", folder=str(root)
    )
    for box, expected in ((lacking, ["user", "program", "data", "user", "program", "program"]), (whole, [])):
        for path, text in files(box).items():
            (root / path).write_text(text)
        found = [finding.check for finding in check(root, is_own=True) if finding.mark == FAIL]
        assert found == expected


@pytest.mark.parametrize("closed", ["home", "home/galley", "home/galley/python", None])
def test_a_program_that_its_user_cannot_reach_is_named(root: Path, closed: str | None) -> None:
    with TemporaryDirectory() as folder:  # that of a test is closed to others itself
        program = Path(folder) / "home" / "galley" / "python"
        program.parent.mkdir(parents=True)
        shutil.copy("/bin/sh", program)
        for place in (Path(folder), *program.parents[:2], program):
            place.chmod(0o755)
        if closed is not None:
            (Path(folder) / closed).chmod(0o700)
        box = Installation(
            python=str(program), package="/opt", cage="/bin/sh", chromium="/bin/sh", user="nobody",
            folder=str(root),
        )  # fmt: skip
        for path, text in files(box).items():
            (root / path).write_text(text)
        found = [finding.seen for finding in check(root, is_own=True) if finding.mark == FAIL]
        seen = f"galley.service: {program} is behind {folder}/{closed}, which nobody may not enter"
        assert found == ([] if closed is None else [seen])


# -- telling the manager ----------------------------------------------------------------------------


@pytest.fixture(params=["file", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[socket.socket, str]]:
    """The manager's end, and what it would put into $NOTIFY_SOCKET."""
    if request.param == "abstract" and sys.platform != "linux":
        pytest.skip("needs Linux")
    name = str(tmp_path / "notify") if request.param == "file" else f"@galley-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
        end.bind(name if request.param == "file" else f"\0{name[1:]}")
        end.settimeout(10)
        yield end, name


def test_the_manager_hears_of_start_life_and_end(manager: tuple[socket.socket, str]) -> None:
    end, name = manager
    notifier = Notifier.from_environment({"NOTIFY_SOCKET": name})
    notifier.ready("plays")
    notifier.alive()
    notifier.stopping()
    heard = [end.recv(1000).decode() for _ in range(3)]
    assert heard == ["READY=1\nSTATUS=plays", "WATCHDOG=1", "STOPPING=1"]
    notifier.close()
    notifier.alive()


def test_signs_of_life_come_as_often_as_they_must(manager: tuple[socket.socket, str]) -> None:
    end, name = manager
    end.setblocking(False)

    async def test() -> None:
        loop = asyncio.get_running_loop()
        notifier = Notifier.from_environment(
            {"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "200000", "WATCHDOG_PID": str(os.getpid())}
        )
        assert notifier.watchdog_s == 0.2
        living = asyncio.create_task(notifier.stay())
        async with asyncio.timeout(10):
            heard = [await loop.sock_recv(end, 100) for _ in range(3)]
        assert heard == [b"WATCHDOG=1"] * 3
        living.cancel()
        notifier.close()

    asyncio.run(test())


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"NOTIFY_SOCKET": ""},
        {"NOTIFY_SOCKET": "vsock:2:1234", "WATCHDOG_USEC": "1000000"},
        {"NOTIFY_SOCKET": "/nowhere/at/all", "WATCHDOG_USEC": "1", "WATCHDOG_PID": "1"},
        {"NOTIFY_SOCKET": "/nowhere/at/all", "WATCHDOG_USEC": "soon"},
        {"NOTIFY_SOCKET": "/nowhere/at/all", "WATCHDOG_USEC": "0"},
    ],
)
def test_where_nobody_asks_or_listens_nothing_happens(environment: dict[str, str]) -> None:
    notifier = Notifier.from_environment(environment)
    asyncio.run(asyncio.wait_for(notifier.stay(), 10))
    notifier.ready("plays")
    notifier.alive()
    notifier.close()


def test_a_manager_that_does_not_read_holds_nobody_up(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
        end.bind(str(tmp_path / "notify"))
        notifier = Notifier(str(tmp_path / "notify"), None)
        for _ in range(10_000):
            notifier.alive()
        notifier.close()
