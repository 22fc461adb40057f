"""What a simulated board costs and how fast it answers, measured and printed: `python3 tests -m bench`."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from galley_board import glyphs
from tests.board.playground import Host, Watched, played, plugged, talking

ROUNDS = 100
IDLE_S = 5.0
NS_PER_MS = 1_000_000
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK_S


def resident_mb(pid: int) -> dict[str, float]:
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    found = [line.split() for line in rollup.splitlines() if line.startswith(("Rss:", "Pss:"))]
    return {word.rstrip(":"): int(kb) / 1024 for word, kb, _ in found}


def spread(times_ms: list[float]) -> str:
    cuts = statistics.quantiles(times_ms, n=20)
    return f"p50 {statistics.median(times_ms):.2f} ms, p95 {cuts[18]:.2f} ms"


def newer(than: int) -> Callable[[dict[str, int]], bool]:
    return lambda fields: fields["key_seq"] > than


def more_than(board: Watched, frames: int) -> Callable[[], bool]:
    return lambda: len(board.frames) > frames


async def idle_share(board: Watched, host: Host) -> float:
    """The part of one core that the board takes while its host only probes it at each of its beats."""
    assert board.pid is not None
    before_s, start = cpu_s(board.pid), time.monotonic()
    while time.monotonic() - start < IDLE_S:
        host.send("t", 1)
        await host.next("B")
    return (cpu_s(board.pid) - before_s) / (time.monotonic() - start)


async def press_to_frame(board: Watched, host: Host) -> list[float]:
    """Key frames that the host waits for, one of eight keys after the other."""
    times = []
    boot_id = (await host.next("B"))["boot_id"]
    for push in range(ROUNDS):
        start_ns = time.monotonic_ns()
        board.press(push % 8, push // 8 % 2 == 0)
        edge = await host.next("K", newer(push))
        times.append((time.monotonic_ns() - start_ns) / NS_PER_MS)
        host.send("a", boot_id, edge["key_seq"])
    return times


async def dice_to_pixels(board: Watched, host: Host) -> list[float]:
    """All dice changed, until the board has written its chain; the writing itself takes 2.5 ms."""
    times = []
    for step in range(ROUNDS):
        more = more_than(board, len(board.frames))
        start_ns = time.monotonic_ns()
        host.send("d", *[glyphs.die_code(16 + (step + die) % 7, glyphs.PLAIN) for die in range(8)])
        await board.until(more)
        times.append((time.monotonic_ns() - start_ns) / NS_PER_MS)
    return times


@pytest.mark.bench
def test_what_a_simulated_board_costs(capsys: pytest.CaptureFixture[str]) -> None:
    async def test() -> None:
        start = time.monotonic()
        async with plugged("left") as board:
            started_s = time.monotonic() - start
            assert board.pid is not None
            async with talking(board) as host:
                share = await idle_share(board, host)
                pressed = await press_to_frame(board, host)
                shown = await dice_to_pixels(board, host)
                memory = resident_mb(board.pid)
        with capsys.disabled():
            print(f"\nstart to port        {started_s * 1000:.0f} ms")
            print(f"memory               {memory['Rss']:.1f} MB resident, {memory['Pss']:.1f} MB by share")
            print(f"idle                 {share * 100:.1f} % of a core")
            print(f"press to key frame   {spread(pressed)}")
            print(f"dice frame to pixels {spread(shown)}")
        assert started_s < 2
        assert share < 0.1

    played(test)
