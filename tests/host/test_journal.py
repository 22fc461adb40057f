"""The journal: what was told comes back, once and in order, whatever the disk does meanwhile."""

from __future__ import annotations

import asyncio
import sqlite3
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley.journal import Journal
from galley.journal_reader import Latest, Player, record_lines
from galley.journal_schema import seal, to_read
from galley.journal_verify import findings
from galley.session import Session
from galley_engine.games import NAMES
from galley_engine.record import Verdict, canonical
from tests.host.journal_kit import PLAYERS, Disk, Watch, deal, move, played, toggled, written


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "journal.db"


def found(path: Path) -> Latest:
    journal = Journal.open(path)
    try:
        assert journal.aside is None
        return journal.latest()
    finally:
        journal.close()


def resumed(path: Path, now_ms: int = 0) -> Session:
    game = found(path).game
    assert game is not None
    return game.session(now_ms)


def export(path: Path, number: int) -> str:
    connection = to_read(path)
    try:
        return "".join(record_lines(connection, number))
    finally:
        connection.close()


def wrong(path: Path) -> list[str]:
    connection = to_read(path)
    try:
        return list(findings(connection))
    finally:
        connection.close()


# --- Going on -------------------------------------------------------------------------------------


def test_a_new_journal_knows_of_nothing(path: Path) -> None:
    assert found(path) == Latest(None)
    assert found(path) == Latest(None)
    assert sorted(file.name for file in path.parent.iterdir()) == ["journal.db", "lock"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("steps", [0, 30, 300])
def test_a_game_goes_on_from_where_it_stood(path: Path, name: str, steps: int) -> None:
    session = played(name, steps)
    number = written(path, session, {"phase": "game"})
    latest = found(path)
    assert latest.house == {"phase": "game"}
    game = latest.game
    assert game is not None
    assert (game.number, game.players, game.seed) == (number, PLAYERS, 7)
    assert game.options == session.game.options_of(session.dealt)
    again = game.session(now_ms=50_000)
    assert again.record() == session.record()
    assert (again.state, again.dealt) == (session.state, session.dealt)
    assert repr(again.state) == repr(session.state)
    last_ms = session.steps[-1][0] if session.steps else 0
    assert again.at_ms(50_000) == last_ms
    assert again.at_ms(51_000) == last_ms + 1000
    again.started_ms = session.started_ms
    for _ in range(20):  # and it falls as it would have fallen
        assert move(session) == move(again)
    assert again.record() == session.record()


@pytest.mark.parametrize("name", NAMES)
def test_steps_taken_back_after_the_restart_bring_the_same_throws_again(path: Path, name: str) -> None:
    session = played(name, 60)
    written(path, session)
    again = resumed(path)
    again.started_ms = session.started_ms
    for _ in range(12):
        assert session.undo() == again.undo()
        assert again.state == session.state
    for _ in range(12):
        assert move(session) == move(again)
    assert again.record() == session.record()


def test_taking_back_is_kept_and_the_clock_never_goes_back(path: Path) -> None:
    session = deal()
    journal = Journal.open(path)
    number = journal.begin(session, PLAYERS)
    for _ in range(10):
        move(session)
    journal.follow(number, session)
    last_ms = session.steps[-1][0]
    for _ in range(3):
        session.undo()
    journal.follow(number, session)
    journal.close()
    again = resumed(path, now_ms=1_000)
    assert again.record() == session.record()
    assert again.at_ms(1_000) == last_ms
    assert again.drawn_after(7) == session.drawn_after(7)
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT n FROM undone ORDER BY id").fetchall() == [(10,), (9,), (8,)]
    connection.close()


@given(st.lists(st.sampled_from(("move", "move", "move", "undo", "follow", "judge", "restart")), max_size=40))
@settings(max_examples=12, deadline=None)
def test_whatever_is_done_in_whatever_order_the_journal_holds_the_same_record(
    tmp_path_factory: pytest.TempPathFactory, deeds: list[str]
) -> None:
    path = tmp_path_factory.mktemp("journal") / "journal.db"
    session = deal("worm_grill")
    journal = Journal.open(path)
    number = journal.begin(session, PLAYERS)
    for place, deed in enumerate(deeds):
        if deed == "move":
            move(session)
        elif deed == "undo":
            session.undo()
        elif deed == "judge":
            session.judge(len(session.steps) - place % 3, Verdict(place, 3, False, 0))
        elif deed == "follow":
            journal.follow(number, session)
        else:
            journal.follow(number, session)
            record, started_ms = session.record(), session.started_ms
            journal.close()
            journal = Journal.open(path)
            game = journal.latest().game
            assert game is not None
            session = game.session(0)
            session.started_ms = started_ms
            assert session.record() == record
    journal.follow(number, session)
    journal.close()
    assert export(path, number) == session.record()
    assert wrong(path) == []


def test_the_house_the_game_on_the_table_and_one_that_left(path: Path) -> None:
    journal = Journal.open(path)
    journal.house({"phase": "attract", "mute": False})
    first, second = deal(), deal("sushi_bar")
    number = journal.begin(first, PLAYERS)
    move(first)
    journal.follow(number, first)
    other = journal.begin(second, PLAYERS)  # the first has not been left in so many words
    journal.house({"phase": "game", "mute": True})
    with pytest.raises(KeyError):
        journal.append(number, 2, 1, {"do": "ready", "seat": 0}, 1)
    journal.close()
    latest = found(path)
    assert latest.house == {"phase": "game", "mute": True}
    assert latest.game is not None
    assert latest.game.number == other == number + 1
    journal = Journal.open(path)
    journal.leave(other)
    journal.leave(number)
    journal.close()
    assert found(path) == Latest({"phase": "game", "mute": True})
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT ended FROM game").fetchall() == [("left",), ("left",)]
    connection.close()


def test_a_finished_game_is_over_until_its_last_step_is_taken_back(path: Path) -> None:
    session = played("sushi_bar", 10_000)
    assert session.state.phase == "over"
    number = written(path, session)
    assert export(path, number) == session.record()
    assert export(path, number).endswith('{"end":"over"}\n')
    journal = Journal.open(path)
    game = journal.latest().game
    assert game is not None
    again = game.session(0)
    again.undo()
    journal.follow(number, again)
    journal.close()
    assert export(path, number) == again.record()
    assert export(path, number).endswith(f'{{"open":{len(session.steps) - 1}}}\n')


def test_a_verdict_comes_later_and_goes_with_its_step(path: Path) -> None:
    session, verdict = played(steps=6), Verdict(7300, 2500, True, 1)
    journal = Journal.open(path)
    number = journal.begin(session, PLAYERS)
    journal.follow(number, session)
    session.judge(4, verdict)
    session.judge(6, Verdict(1, 1, False, 0))
    session.undo()
    session.judge(6, verdict)
    journal.follow(number, session)
    journal.close()
    assert resumed(path).verdicts == session.verdicts == {4: verdict}
    assert export(path, number) == session.record()


def test_names_beyond_ascii_come_through(path: Path) -> None:
    names = ["crevette", "saumon", "poulpe", "concombre", "œufs"]
    session = Session.start(deal().game, 2, {"ingredients": names}, 2**32 - 1, 0)
    move(session)
    number = written(path, session, {"note": "œufs ✓"})
    assert export(path, number) == session.record()
    assert found(path).house == {"note": "œufs ✓"}


# --- Once and in order ----------------------------------------------------------------------------


def test_a_step_told_twice_is_written_once_and_the_first_stands(path: Path) -> None:
    session = played(steps=8)
    journal = Journal.open(path)
    number = journal.begin(session, PLAYERS)
    journal.follow(number, session)
    ticket = journal.committed
    for n, (at_ms, action) in enumerate(session.steps, start=1):
        ticket = journal.append(number, n, at_ms, action, session.drawn_after(n))
    journal.append(number, 3, 10**6, {"do": "other"}, 99)
    with pytest.raises(ValueError, match="step 10 of game 1 follows step 8"):
        journal.append(number, 10, 10**6, {"do": "other"}, 99)
    journal.undo(number, 9)  # was never told
    journal.close()
    assert journal.committed == ticket
    assert resumed(path).record() == session.record()
    journal = Journal.open(path)
    for n, (at_ms, action) in enumerate(session.steps, start=1):  # and after a restart
        journal.append(number, n, at_ms, action, session.drawn_after(n))
    journal.close()
    assert resumed(path).record() == session.record()


def test_what_gathers_during_one_commit_goes_to_the_disk_with_the_next(path: Path) -> None:
    disk, watch, session = Disk(), Watch(), played("worm_grill", 100)
    journal = Journal.open(path, on_change=watch, connect=disk.connect)
    disk.open.clear()
    first = journal.house({"phase": "join"})
    assert disk.entered.wait(60)
    number = journal.begin(session, PLAYERS)
    last = journal.follow(number, session)
    assert (journal.committed, journal.health.waiting) == (first - 1, last)
    assert not journal.acknowledges(first)
    disk.open.set()
    watch.until(lambda: journal.committed == last)
    assert journal.health.commits == 2
    assert journal.acknowledges(last)
    journal.close()
    assert resumed(path).record() == session.record()


def test_a_disk_that_says_nothing_is_noticed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk, watch = Disk(), Watch()
    journal = Journal.open(path, on_change=watch, connect=disk.connect, unjournalled=True)
    disk.open.clear()
    ticket = journal.house({"phase": "join"})
    assert disk.entered.wait(60)
    assert (journal.state, journal.acknowledges(ticket)) == ("ok", False)
    monkeypatch.setattr("galley.journal_writer.SILENT_S", 0.0)  # the time has come
    assert (journal.state, journal.acknowledges(ticket)) == ("disk_error", True)
    assert journal.health.detail == "no answer from the disk for 0 s"
    disk.open.set()
    watch.until(lambda: journal.committed == ticket)
    assert journal.close() == 0
    assert (journal.state, journal.health.detail) == ("ok", "")


def test_a_commit_wakes_the_loop_and_the_loop_never_waits(path: Path) -> None:
    async def evening() -> int:
        loop, disk = asyncio.get_running_loop(), Disk()
        committed: asyncio.Queue[int] = asyncio.Queue()
        journal: Journal
        journal = Journal.open(
            path,
            connect=disk.connect,
            on_change=partial(loop.call_soon_threadsafe, lambda: committed.put_nowait(journal.committed)),
        )
        disk.open.clear()  # the disk stands still, and everything below still comes to its end
        session = deal("sushi_bar")
        number = journal.begin(session, PLAYERS)
        ticket = 0
        while move(session):
            ticket = journal.follow(number, session)
            await asyncio.sleep(0)
        assert not journal.acknowledges(ticket)
        disk.open.set()
        async with asyncio.timeout(60):
            while await committed.get() < ticket:
                pass
        assert journal.acknowledges(ticket)
        return await asyncio.to_thread(journal.close)

    assert asyncio.run(evening()) == 0


def test_a_callback_of_a_loop_that_has_gone_does_no_harm(path: Path) -> None:
    async def gone() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    loop = asyncio.run(gone())
    journal = Journal.open(path, on_change=partial(loop.call_soon_threadsafe, print))
    journal.house({"phase": "join"})
    assert journal.close() == 0
    assert found(path).house == {"phase": "join"}


def test_a_game_that_found_no_room_to_wait_is_cut_and_says_so(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("galley.journal.WAITING", 20)
    disk, session = Disk(), played("worm_grill", 60)
    journal = Journal.open(path, connect=disk.connect, unjournalled=True)
    disk.open.clear()
    number = journal.begin(session, PLAYERS)
    journal.follow(number, session)
    kept = 19
    assert journal.health.dropped == len(session.steps) - kept
    disk.open.set()
    assert journal.close() == 0
    latest = found(path)
    assert latest.game is None
    assert latest.trouble == "game 1 cannot go on: its last steps never came to the disk"
    assert export(path, number).endswith(f'{{"open":{kept}}}\n')
    assert export(path, number).splitlines()[: kept + 1] == session.record().splitlines()[: kept + 1]


# --- Long games -----------------------------------------------------------------------------------


def test_a_long_game_is_taken_up_from_a_snapshot(path: Path) -> None:
    journal = Journal.open(path)
    session = deal()
    number = journal.begin(session, PLAYERS)
    session = toggled(1000, partial(journal.follow, number))
    journal.close()
    again = resumed(path)
    assert again.record() == session.record()
    assert wrong(path) == []
    with sqlite3.connect(path) as connection:
        shots = [n for (n,) in connection.execute("SELECT n FROM snapshot ORDER BY n")]
        assert len(shots) == 3
        connection.execute("UPDATE step SET action = 'x' WHERE n = 2")
        connection.execute("UPDATE snapshot SET state = replace(state, 'duel', 'over')")
    connection.close()
    assert any("snapshot after step" in finding or "step 2" in finding for finding in wrong(path))


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE snapshot SET state = replace(state, 'duel', 'over')",  # a flipped text: the seal
        "UPDATE snapshot SET version = '0.0.1'",  # of another Galley
        "DELETE FROM snapshot",
    ],
)
def test_without_a_snapshot_to_trust_the_game_is_played_again(path: Path, harm: str) -> None:
    session = toggled(600)
    journal = Journal.open(path)
    number = journal.begin(session, PLAYERS)
    for n, (at_ms, action) in enumerate(session.steps, start=1):
        journal.append(number, n, at_ms, action, session.drawn_after(n), state=session.state)
    journal.close()
    with sqlite3.connect(path) as connection:
        connection.execute(harm)
    connection.close()
    assert resumed(path).state == session.state


def test_steps_taken_back_take_their_snapshot_with_them(path: Path) -> None:
    journal = Journal.open(path)
    session = deal()
    number = journal.begin(session, PLAYERS)
    session = toggled(520, partial(journal.follow, number))
    for _ in range(20):
        session.undo()
        journal.follow(number, session)
    journal.close()
    assert resumed(path).record() == session.record()
    assert wrong(path) == []


def test_a_game_whose_rules_have_changed_stays_and_is_named(path: Path) -> None:
    session = played("worm_grill", 20)
    number = written(path, session, {"phase": "game"})
    header = session.record().partition("\n")[0] + "\n"
    newer = header.replace('"version":"', '"version":"99.')
    with sqlite3.connect(path) as connection:
        began_s, players, drawn = connection.execute("SELECT began_s, players, drawn FROM game").fetchone()
        sealed = seal(number, began_s, newer, players, drawn)
        connection.execute("UPDATE game SET header = ?, seal = ?", (newer, sealed))
    connection.close()
    latest = found(path)
    assert (latest.house, latest.game) == ({"phase": "game"}, None)
    assert latest.trouble is not None
    assert "newer Galley" in latest.trouble
    assert export(path, number).splitlines()[0] == newer.strip()


def test_the_journal_holds_nobodys_name(path: Path) -> None:
    written(path, played(steps=3))
    connection = sqlite3.connect(path)
    columns = {
        f"{table}.{row[1]}"
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for row in connection.execute(f"PRAGMA table_info({table})")
    }
    (players,) = connection.execute("SELECT players FROM game").fetchone()
    connection.close()
    assert players == canonical([["red", None], ["blue", "good"]])
    known = {
        "house": "id state game seal",
        "game": "id began_s header players drawn ended seal",
        "step": "game n at_ms drawn action seal",
        "undone": "id game n at_ms action",
        "verdict": "game n gap_us uncertainty_us heat over seal",
        "snapshot": "game n version state seal",
    }
    assert columns == {f"{table}.{column}" for table, names in known.items() for column in names.split()}
    assert Player("red", None) == PLAYERS[0]
