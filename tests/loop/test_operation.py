"""A real box as those who run it see it: health, numbers and log, and what its service manager hears.

The manager is this test: it hears the signs of life on a socket, misses them when the host is stuck, ends it
and starts it again on the same data, as systemd does for a unit of Type=notify with WatchdogSec.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from galley.logs import FILE
from galley.tables.table import BOARDS, ROLL
from tests.host.prometheus import Read, read
from tests.loop.box_process import PATIENCE_S, BoxProcess, Page, running_box

WATCHDOG_S = 0.6
DUEL = ("--seats", "red,blue", "--seed", "5")


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """The manager's end; boxes that are started meanwhile tell it how they are."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
        end.bind(str(tmp_path / "notify"))
        end.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        monkeypatch.setenv("WATCHDOG_USEC", str(int(WATCHDOG_S * 1e6)))
        monkeypatch.delenv("WATCHDOG_PID", raising=False)
        yield end


async def hears(end: socket.socket, words: str, within_s: float = PATIENCE_S) -> str:
    """Wait until the box tells something that begins with `words`."""
    async with asyncio.timeout(within_s):
        while True:
            heard = (await asyncio.get_running_loop().sock_recv(end, 4096)).decode()
            if heard.startswith(words):
                return heard


async def lives_on(end: socket.socket) -> None:
    """Hear three new signs of life, each in time: more than are on their way now. Raises TimeoutError."""
    with suppress(BlockingIOError):
        while end.recv(4096):
            pass
    for _ in range(3):
        await hears(end, "WATCHDOG=1", WATCHDOG_S)


async def ask(box: BoxProcess, path: str) -> str:
    def get() -> str:
        with urlopen(f"{box.url}{path}", timeout=PATIENCE_S) as answer:
            body: bytes = answer.read()
        return body.decode()

    return await asyncio.to_thread(get)


def one(family: Read, **labels: str) -> float:
    return family.samples[frozenset(labels.items())]


def logged(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / FILE).read_text("utf-8").splitlines()]


async def all_clocks(page: Page) -> None:
    """Wait until every board's clock is known."""
    await page.until(lambda p: all((p.board(role).get("clock") or {}).get("drift_ppm") is not None
                                   for role in BOARDS), "all clocks known")  # fmt: skip


def test_a_stuck_host_is_missed_and_started_again_and_tells_how_it_is(
    manager: socket.socket, tmp_path: Path
) -> None:
    folder = tmp_path / "data"

    async def test() -> None:
        async with running_box(*DUEL, data=folder) as box, box.page() as page:
            assert "simulated boards" in await hears(manager, "READY=1")
            await all_clocks(page)
            await page.press("left", ROLL)
            await page.press("right", ROLL)
            await page.until(lambda p: p.state["phase"] == "duel")
            state = page.state
            for _ in range(2):
                await hears(manager, "WATCHDOG=1")
            health = json.loads(await ask(box, "/healthz"))
            assert health == {"ok": True, "galley": health["version"], "version": health["version"],
                              "pid": box.process.pid, "phase": "game", "journal": "ok"}  # fmt: skip
            check_numbers(read(await ask(box, "/metrics")))
            if sys.platform == "linux":
                assert listening(box.process.pid) == {("127.0.0.1", box.port)}, "and nowhere else"
            os.kill(box.process.pid, signal.SIGSTOP)
            with pytest.raises(TimeoutError):
                await lives_on(manager)
            os.kill(box.process.pid, signal.SIGKILL)
            await box.process.wait()
        async with running_box(data=folder) as box, box.page() as page:
            await hears(manager, "READY=1")
            await page.until(lambda p: p.house["phase"] == "game" and p.house["paused"] is None)
            assert page.state == state
            again = read(await ask(box, "/metrics"))
            assert "galley_games_begun_total" not in again
        await hears(manager, "STOPPING=1")
        check_log(logged(folder))

    asyncio.run(test())


def listening(pid: int) -> set[tuple[str, int]]:
    """Where a process can be reached over the network, as Linux tells."""
    own, found = set(), set()
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):  # closed meanwhile
            own.add(os.readlink(fd).removeprefix("socket:[").removesuffix("]"))
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for row in Path(f"/proc/{pid}/net/{table}").read_text("ascii").splitlines()[1:]:
            _, local, remote, _, *_, inode = row.split()[:10]
            if inode in own and int(remote.split(":")[1], 16) == 0:
                address, port = local.split(":")
                family = socket.AF_INET if len(address) == 8 else socket.AF_INET6
                words = [bytes.fromhex(address[at : at + 8])[::-1] for at in range(0, len(address), 8)]
                found.add((socket.inet_ntop(family, b"".join(words)), int(port, 16)))
    return found


def check_numbers(told: dict[str, Read]) -> None:
    for board in BOARDS:
        assert one(told["galley_board_link_state"], board=board, state="live") == 1
        assert one(told["galley_board_simulated"], board=board) == 1
        for direction in ("in", "out"):
            assert one(told["galley_board_frames_total"], board=board, direction=direction) > 0
        assert 0 < one(told["galley_board_round_trip_seconds"], board=board) < 10
        assert 0 < one(told["galley_board_clock_uncertainty_seconds"], board=board) < 10
        assert one(told["galley_board_resends_total"], board=board) >= 0
    assert one(told["galley_phase"], phase="game") == 1
    assert one(told["galley_games_begun_total"], game="sushi_duel") == 1
    assert one(told["galley_journal_state"], state="ok") == 1
    assert one(told["galley_journal_commits_total"]) > 0
    quantiles = told["galley_journal_commit_seconds"]
    assert 0 < one(quantiles, quantile="0.5") <= one(quantiles, quantile="0.99")
    assert one(told["galley_pages"]) == 1
    assert 0 < one(told["galley_loop_lag_worst_seconds"]) <= one(told["galley_loop_lag_most_seconds"])


def check_log(lines: list[dict[str, Any]]) -> None:
    events = [line["event"] for line in lines if line["event"] != "loop_lag"]
    starts = [number for number, event in enumerate(events) if event == "started"]
    assert len(starts) == 2
    first, second = events[: starts[1]], events[starts[1] - 1 :]
    assert sorted({line["board"] for line in lines if line["event"] == "board_joined"}) == sorted(BOARDS)
    assert first.count("game_begun") == 1
    assert "stopping" not in first
    assert second.count("game_resumed") == 1
    assert "game_begun" not in second
    assert second[-1] == "stopping", "that boards are let go at the end is not told"
    started = lines[next(number for number, line in enumerate(lines) if line["event"] == "started")]
    assert started["simulated"] is True
