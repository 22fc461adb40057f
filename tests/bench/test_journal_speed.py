"""What the journal costs: writes a second, the time of a commit, what the loop notices, how soon it is back.

Commits are shown beside a plain fsync of as many bytes to a file in the same folder, in turns, because a disk
is never the same for long.
"""

from __future__ import annotations

import asyncio
import gc
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from galley.data_folder import JOURNAL
from galley.journal import Journal
from tests.bench.figures import line, percentile
from tests.host.journal_kit import PLAYERS, Disk, Watch, deal, toggled

pytestmark = pytest.mark.bench

Report = Callable[[str], None]

COMMITS = 400
PAGES = 2
"""Of 4 kB: what a commit of one step writes to the WAL."""

SLOW_S = 0.02
STALL_MS = 5.0
BACK_WITHIN_S = 1.0
AT_LEAST_PER_S = 2_000


def test_appends_a_second(tmp_path: Path, report: Report) -> None:
    watch, session = Watch(), toggled(20_000)
    journal = Journal.open(tmp_path / JOURNAL, on_change=watch)
    number = journal.begin(session, PLAYERS)
    began_s = time.perf_counter()
    last = journal.follow(number, session)
    told_s = time.perf_counter() - began_s
    watch.until(lambda: journal.acknowledges(last))
    took_s = time.perf_counter() - began_s
    health = journal.health
    journal.close()
    per_s = len(session.steps) / took_s
    report(
        f"journal: {per_s:,.0f} appends/s on disk, {len(session.steps) / health.commits:.0f} in a commit, "
        f"{told_s / len(session.steps) * 1e6:.0f} µs of the loop for each"
    )
    assert per_s > AT_LEAST_PER_S


def test_one_commit_beside_a_plain_fsync(tmp_path: Path, report: Report) -> None:
    watch, session = Watch(), toggled(COMMITS)
    journal = Journal.open(tmp_path / JOURNAL, on_change=watch)
    number = journal.begin(session, PLAYERS)
    session.changes.clear()
    acknowledged_ms, plain_ms = [], []
    with open(tmp_path / "plain", "wb", buffering=0) as plain:
        for n, (at_ms, action) in enumerate(session.steps, start=1):
            began_s = time.perf_counter()
            ticket = journal.append(number, n, at_ms, action, session.drawn_after(n))
            watch.until(partial(journal.acknowledges, ticket))
            acknowledged_ms.append((time.perf_counter() - began_s) * 1000)
            began_s = time.perf_counter()
            plain.write(bytes(PAGES * 4096))
            os.fsync(plain.fileno())
            plain_ms.append((time.perf_counter() - began_s) * 1000)
    health = journal.health
    journal.close()
    report(line("journal: a step is told until it is acknowledged", acknowledged_ms))
    report(line(f"journal: fsync of {PAGES * 4} kB to a plain file, in turns with these", plain_ms))
    report(f"journal: the commits alone p50 {health.commit_p50_ms:.2f}  p99 {health.commit_p99_ms:.2f} ms")
    assert percentile(acknowledged_ms, 0.5) < 10 * percentile(plain_ms, 0.5) + 2


@pytest.mark.parametrize("slow_s", [0.0, SLOW_S])
def test_the_loop_does_not_notice_the_disk(tmp_path: Path, report: Report, slow_s: float) -> None:
    async def stalls_ms() -> list[float]:
        loop, disk = asyncio.get_running_loop(), Disk(slow_s)
        wake = partial(loop.call_soon_threadsafe, int)
        journal = Journal.open(tmp_path / JOURNAL, connect=disk.connect, on_change=wake)
        session = toggled(2_000)
        number = journal.begin(session, PLAYERS)
        session.changes.clear()
        stalls = []
        for n, (at_ms, action) in enumerate(session.steps, start=1):
            due_s = time.perf_counter() + 0.001
            journal.append(number, n, at_ms, action, session.drawn_after(n), state=session.state)
            await asyncio.sleep(0.001)
            stalls.append((time.perf_counter() - due_s) * 1000)
        await asyncio.to_thread(journal.close)
        return stalls

    stalls = asyncio.run(stalls_ms())
    report(line(f"journal: the loop's stall, fsync {slow_s * 1000:.0f} ms slower than it is", stalls))
    assert percentile(stalls, 0.99) < STALL_MS


@pytest.mark.parametrize("steps", [10, 1_000, 100_000])
def test_back_after_a_kill(tmp_path: Path, report: Report, steps: int) -> None:
    path = tmp_path / JOURNAL
    journal = Journal.open(path)
    session = deal()
    number = journal.begin(session, PLAYERS)
    session = toggled(steps, partial(journal.follow, number))
    assert journal.close() == 0
    took_s = []
    gc.freeze()  # a host that starts has no other game of 100,000 steps for the collector to look at
    for _ in range(5):
        gc.collect()
        began_s = time.perf_counter()
        journal = Journal.open(path)
        game = journal.latest().game
        assert game is not None
        again = game.session(0)
        took_s.append(time.perf_counter() - began_s)
        assert again.state == session.state
        assert again.steps == session.steps
        journal.close()
    size_mb = path.stat().st_size / 1e6
    report(f"journal: back after {steps:,} steps in {min(took_s):.3f} s (of 5; {size_mb:.1f} MB)")
    assert min(took_s) < BACK_WITHIN_S
    gc.unfreeze()
