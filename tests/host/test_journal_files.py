"""The journal's file, whatever happened to it: damaged, foreign, old, newer, full, read-only, in use.

Nothing that lay in its place is ever overwritten, and no end of it is a traceback.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from galley import journal_writer
from galley.data_folder import JOURNAL, FolderInUse, Hold, data_folder
from galley.journal import Journal
from galley.journal_reader import Latest
from galley.journal_schema import APPLICATION_ID, UPGRADES, VERSION, JournalRefused, seal, to_read
from galley_engine.record import canonical, header_of
from tests.host.journal_kit import PLAYERS, Disk, Watch, played, written

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89" + bytes(200)
PAGE = 4096


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Path:
    return tmp_path / JOURNAL


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_writer, "RETRY_S", 0.02)


@pytest.fixture(scope="module", name="whole")
def _whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, str]:
    """A journal's bytes, and the record of the game that is on the table in it."""
    path = tmp_path_factory.mktemp("whole") / JOURNAL
    session = played("sushi_duel", 40)
    written(path, session, {"phase": "game"})
    return path.read_bytes(), session.record()


def opened_on(path: Path, content: bytes, record: str) -> Journal:
    """Open a journal on these bytes: it goes on with the whole game, or the bytes are aside, unchanged."""
    for file in path.parent.iterdir():
        file.unlink()
    path.write_bytes(content)
    journal = Journal.open(path)
    latest = journal.latest()
    if journal.aside is None:
        assert latest.house == {"phase": "game"}
        assert latest.game is not None
        assert latest.game.session(0).record() == record
    else:
        assert latest == Latest(None)
        assert journal.aside.path.read_bytes() == content
        assert journal.aside.path.name.startswith(f"{JOURNAL}.damaged-")
        assert str(path) in journal.aside.sentence
        ticket = journal.house({"phase": "join"})
        journal.close()
        assert journal.acknowledges(ticket)
    journal.close()
    return journal


def asides(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{JOURNAL}.damaged-*"))


# --- Damaged and foreign --------------------------------------------------------------------------


def test_flipped_bytes_are_noticed_or_do_no_harm(path: Path, whole: tuple[bytes, str]) -> None:
    content, record = whole
    random = Random(1)
    places = [*range(0, 100, 7), 18, 19, *(random.randrange(len(content)) for _ in range(24))]
    noticed, newer = 0, list[bool]()
    for place in places:
        flipped = bytearray(content)
        flipped[place] ^= 1 << random.randrange(8)
        try:
            noticed += opened_on(path, bytes(flipped), record).aside is not None
        except JournalRefused:  # a flip in the version looks like a newer one, and nothing is touched
            newer.append(path.read_bytes() == bytes(flipped))
    assert all(newer)
    assert 10 < noticed < len(places)


def test_a_file_that_was_cut_at_any_page_is_set_aside(path: Path, whole: tuple[bytes, str]) -> None:
    content, record = whole
    for length in [*range(0, len(content), PAGE), 50, PAGE // 2]:
        journal = opened_on(path, content[:length], record)
        assert journal.aside is not None, length
        assert journal.aside.word == "damaged"
    opened_on(path, content[:-1], record)


@pytest.mark.parametrize("content", [b"", bytes(3 * PAGE), bytes(40)])
def test_an_empty_file_is_set_aside(path: Path, content: bytes) -> None:
    assert opened_on(path, content, "").aside is not None


@pytest.mark.parametrize("content", [PNG, b"settings = 1\n" * 40])
def test_what_is_no_database_is_called_foreign(path: Path, content: bytes) -> None:
    aside = opened_on(path, content, "").aside
    assert aside is not None
    assert aside.word == "foreign"


def test_another_programs_database_is_set_aside_with_all_that_is_in_it(path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("PRAGMA journal_mode=WAL")
    other.execute("CREATE TABLE letters (text)")
    other.execute("INSERT INTO letters VALUES ('dear')")
    other.commit()
    reader = sqlite3.connect(path)
    reader.execute("SELECT * FROM letters").fetchall()
    other.close()  # what was written stays in the -wal, because somebody reads
    journal = Journal.open(path)
    reader.close()
    assert journal.aside is not None
    assert journal.aside.word == "foreign"
    journal.close()
    kept = sqlite3.connect(journal.aside.path)
    assert kept.execute("SELECT text FROM letters").fetchall() == [("dear",)]
    kept.close()


def test_every_file_that_is_set_aside_has_a_name_of_its_own(path: Path) -> None:
    for number in range(3):
        path.write_bytes(PNG + bytes([number]))
        Journal.open(path).close()
    assert sorted(aside.read_bytes()[-1] for aside in asides(path)) == [0, 1, 2]


def test_a_step_that_does_not_fit_its_seal_is_damage(path: Path, whole: tuple[bytes, str]) -> None:
    content, record = whole
    path.write_bytes(content)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE step SET at_ms = at_ms + 1 WHERE n = 7")
    connection.close()
    aside = opened_on(path, path.read_bytes(), record).aside
    assert aside is not None
    assert "step 7 of game 1" in aside.reason


def test_side_files_of_a_journal_that_is_gone_are_not_taken_for_its_own(
    path: Path, whole: tuple[bytes, str]
) -> None:
    path.write_bytes(whole[0])
    writer = sqlite3.connect(path)
    writer.execute("UPDATE house SET game = NULL")
    writer.commit()
    wal = path.with_name(f"{JOURNAL}-wal").read_bytes()
    assert wal
    writer.close()
    path.unlink()
    path.with_name(f"{JOURNAL}-wal").write_bytes(wal)
    journal = Journal.open(path)
    assert journal.latest() == Latest(None)
    journal.close()
    assert [aside.read_bytes() for aside in path.parent.glob("*-wal.damaged-*")] == [wal]


def test_what_a_start_that_was_killed_left_is_cleared_away(path: Path) -> None:
    path.with_name(f"{JOURNAL}.new").write_bytes(b"half")
    path.with_name(f"{JOURNAL}.new-journal").write_bytes(b"half")
    journal = Journal.open(path)
    assert journal.aside is None
    journal.close()
    assert {file.name for file in path.parent.iterdir()} == {JOURNAL, "lock"}


# --- Old and newer --------------------------------------------------------------------------------

FIRST_VERSION = f"""
PRAGMA application_id={APPLICATION_ID};
{UPGRADES[0]}
PRAGMA user_version=1;
"""


def as_of_version_1(path: Path) -> str:
    """A journal as the first version wrote it, with a game on the table; the game's record."""
    session = played("worm_grill", 25)
    connection = sqlite3.connect(path)
    connection.executescript(FIRST_VERSION)
    header, players = header_of(session.game, session.dealt, 7), canonical([list(one) for one in PLAYERS])
    game = (4, 1_700_000_000, header, players, session.drawn_after(0))
    connection.execute("INSERT INTO game VALUES (?, ?, ?, ?, ?, NULL, ?)", (*game, seal(*game)))
    for n, (at_ms, action) in enumerate(session.steps, start=1):
        step = (4, n, at_ms, session.drawn_after(n), canonical(action)[:-1])
        connection.execute("INSERT INTO step VALUES (?, ?, ?, ?, ?, ?)", (*step, seal(*step)))
    house = ('{"phase":"game"}', 4)
    connection.execute("INSERT INTO house VALUES (1, ?, ?, ?)", (*house, seal(*house)))
    connection.commit()
    connection.close()
    return session.record()


def version(path: Path) -> int:
    connection = sqlite3.connect(path)
    try:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])
    finally:
        connection.close()


def test_a_journal_of_the_first_version_is_brought_up_to_date(path: Path) -> None:
    record = as_of_version_1(path)
    journal = Journal.open(path)
    latest = journal.latest()
    assert (journal.aside, latest.house) == (None, {"phase": "game"})
    assert latest.game is not None
    session = latest.game.session(0)
    assert session.record() == record
    for n in range(26, 300):
        journal.append(4, n, 10**6, {"do": "any"}, 1, state=session.state)  # up to its first snapshot
    assert journal.close() == 0
    assert version(path) == VERSION


def test_an_old_journal_is_read_without_being_changed(path: Path) -> None:
    as_of_version_1(path)
    before = path.read_bytes()
    connection = to_read(path)
    assert connection.execute("SELECT count(*) FROM snapshot").fetchone() == (0,)
    connection.close()
    assert path.read_bytes() == before


def test_a_journal_of_a_newer_version_is_refused_and_left_alone(path: Path, whole: tuple[bytes, str]) -> None:
    path.write_bytes(whole[0])
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version=9")
    connection.close()
    before = path.read_bytes()
    for _ in range(2):  # the folder is free again after the first time
        with pytest.raises(JournalRefused, match=r"newer Galley \(journal version 9, .*: update Galley"):
            Journal.open(path)
    with pytest.raises(JournalRefused):
        to_read(path)
    assert path.read_bytes() == before
    assert asides(path) == []


def test_one_box_at_a_time(path: Path) -> None:
    journal = Journal.open(path)
    with pytest.raises(FolderInUse, match=rf"process {os.getpid()}\): end it first"):
        Journal.open(path)
    connection = to_read(path)  # but anybody may read
    connection.close()
    journal.close()
    with Hold(path.parent):
        pass
    Journal.open(path).close()


# --- Disks ----------------------------------------------------------------------------------------


def test_a_full_disk_is_said_and_nothing_that_waited_is_lost(path: Path) -> None:
    disk, watch, session = Disk(), Watch(), played("sushi_duel", 250)
    journal = Journal.open(path, connect=disk.connect, on_change=watch)
    first = journal.house({"phase": "game"})
    watch.until(lambda: journal.acknowledges(first))
    journal.close()
    disk.pages = path.stat().st_size // PAGE + 1
    journal = Journal.open(path, connect=disk.connect, on_change=watch)
    number = journal.begin(session, PLAYERS)
    last = journal.follow(number, session)
    watch.until(lambda: journal.state == "disk_full")
    assert not journal.acknowledges(last)
    assert "full" in journal.health.detail
    assert journal.health.waiting > 100  # what there was room for is on the disk
    journal.unjournalled = True
    assert journal.acknowledges(last)
    disk.pages = None  # somebody made room
    watch.until(lambda: journal.state == "ok" and journal.committed == last)
    journal.close()
    journal = Journal.open(path)
    game = journal.latest().game
    journal.close()
    assert game is not None
    assert game.session(0).record() == session.record()


def test_a_full_disk_at_the_end_loses_what_waits_and_says_how_much(path: Path) -> None:
    disk, watch = Disk(), Watch()
    journal = Journal.open(path, connect=disk.connect, on_change=watch)
    disk.fails = sqlite3.OperationalError("disk I/O error")
    disk.fails.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
    journal.house({"phase": "join"})
    watch.until(lambda: journal.state == "disk_error")
    assert journal.close() == 1
    Journal.open(path).close()


def test_a_commit_that_only_seemed_to_fail_is_done_again_without_harm(path: Path) -> None:
    disk, watch, session = Disk(), Watch(), played("worm_grill", 30)
    record = session.record()
    journal = Journal.open(path, connect=disk.connect, on_change=watch)
    number = journal.begin(session, PLAYERS)
    watch.until(lambda: journal.committed == 1)

    class Lost(Exception):
        pass

    disk.open.clear()
    disk.entered.clear()
    last = journal.follow(number, session)
    session.undo()
    journal.follow(number, session)
    session.changes.clear()
    assert disk.entered.wait(60)
    disk.fails = Lost("the answer of the disk")
    disk.open.set()
    watch.until(lambda: journal.state == "failed")
    assert "the answer of the disk" in journal.health.detail
    disk.fails = None
    assert journal.close() == 0
    assert journal.committed > last
    journal = Journal.open(path)
    game = journal.latest().game
    journal.close()
    assert game is not None
    assert game.session(0).record() == session.record() != record


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[None]:
    """Something mounted there, or a skip where that is not allowed."""
    done = subprocess.run(["mount", *options, str(folder)], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"needs the right to mount: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_read_only_folder_is_said_and_the_game_is_still_found(path: Path) -> None:
    session = played("sushi_duel", 40)
    written(path, session, {"phase": "game"})
    watch = Watch()
    before = path.read_bytes()
    folder = path.parent
    with mounted(folder, "--bind", str(folder)):
        subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
        journal = Journal.open(path, on_change=watch)
        latest = journal.latest()
        assert latest.game is not None
        assert latest.game.session(0).record() == session.record()
        ticket = journal.house({"phase": "join"})
        assert journal.state == "read_only"
        assert not journal.acknowledges(ticket)
        assert journal.close() == 2
        path_there = path.read_bytes()
    assert path_there == before


def test_a_folder_that_becomes_writable_again_takes_what_waited(path: Path) -> None:
    watch, folder = Watch(), path.parent
    with mounted(folder, "-t", "tmpfs", "-o", "ro,size=1m", "tmpfs"):
        journal = Journal.open(path, on_change=watch)
        session = played("sushi_duel", 20)
        number = journal.begin(session, PLAYERS)
        ticket = journal.follow(number, session)
        assert number > 1_000_000_000  # what games an unseen file holds cannot be known
        watch.until(lambda: journal.state == "read_only")
        subprocess.run(["mount", "-o", "remount,rw", str(folder)], check=True)
        watch.until(lambda: journal.acknowledges(ticket))
        assert journal.state == "ok"
        journal.close()
        journal = Journal.open(path)
        game = journal.latest().game
        journal.close()
        assert game is not None
        assert game.session(0).record() == session.record()


def test_a_tiny_disk_that_is_really_full(path: Path) -> None:
    watch, folder, session = Watch(), path.parent, played("sushi_duel", 300)
    with mounted(folder, "-t", "tmpfs", "-o", "size=192k", "tmpfs"):
        journal = Journal.open(path, on_change=watch)
        filler = folder / "filler"
        free = os.statvfs(folder)
        filler.write_bytes(bytes(free.f_bavail * free.f_frsize))
        number = journal.begin(session, PLAYERS)
        ticket = journal.follow(number, session)
        watch.until(lambda: journal.state != "ok")
        assert journal.state == "disk_full"
        filler.unlink()
        watch.until(lambda: journal.acknowledges(ticket))
        journal.close()


@pytest.mark.parametrize(
    ("code", "state"),
    [(errno.ENOSPC, "disk_full"), (errno.EROFS, "read_only"), (errno.EACCES, "read_only")],
)
def test_a_folder_that_cannot_be_made(tmp_path: Path, code: int, state: str) -> None:
    def connect(path: Path) -> sqlite3.Connection:
        raise OSError(code, os.strerror(code), str(path))

    journal = Journal.open(tmp_path / "new" / JOURNAL, connect=connect)
    assert journal.state == state
    assert journal.close() == 1


def test_where_data_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GALLEY_DATA", raising=False)
    monkeypatch.setenv("HOME", "/home/cook")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert data_folder() == Path("/home/cook/.local/share/galley")
    monkeypatch.setenv("XDG_DATA_HOME", "/srv/data")
    assert data_folder() == Path("/srv/data/galley")
    monkeypatch.setenv("GALLEY_DATA", "/srv/box")
    assert data_folder() == Path("/srv/box")
    assert data_folder("here") == Path("here")
