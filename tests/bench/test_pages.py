"""How quickly twenty open pages learn of a step, and what the host costs while nobody is there."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
from websockets.asyncio.client import ClientConnection

from galley.sim.boards import SimulatedBox
from galley.tables.table import BOARDS, ROLL
from tests.bench.figures import line
from tests.loop.box_process import BoxProcess, Page, running_box

pytestmark = pytest.mark.bench

PAGES = 20
STEPS = 150
SETTLE_S = 5.0
IDLE_S = 20.0
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


async def heard(socket: ClientConnection, step: int) -> float:
    """Wait for the message that shows `step` or a later one; the time it came, in ms."""
    mark = f'"step":{step},'
    async for text in socket:
        if isinstance(text, str) and mark in text:
            return time.monotonic_ns() / 1e6
    raise AssertionError("the page was closed")


def further(step: int, page: Page) -> bool:
    """Whether the page has seen a later step."""
    return bool(page.topics["table"]["step"] > step)


async def steps_to_pages() -> tuple[list[float], list[float]]:
    """A press that makes a step: to the first of twenty pages, and to each of them, in ms from the press."""
    first: list[float] = []
    each: list[float] = []
    seats = ("--seats", "red,blue", "--seed", "5")
    async with running_box(*seats) as box, AsyncExitStack() as stack, box.page() as hand:
        pages = [await stack.enter_async_context(box.page("kiosk")) for _ in range(PAGES)]
        await hand.until(lambda p: sorted(p.live()) == sorted(BOARDS))
        for side in ("left", "right"):
            await hand.press(side, ROLL)
        await hand.until(lambda p: p.state["phase"] == "duel")
        await hand.press("left", ROLL)
        await hand.until(lambda p: all(p.state["stations"]["left"]["faces"]))
        for n in range(STEPS):
            step = hand.topics["table"]["step"]
            await asyncio.sleep(0.03)
            waiting = [asyncio.create_task(heard(page._socket, step + 1)) for page in pages]
            await asyncio.sleep(0.03)
            sent_ms = time.monotonic_ns() / 1e6
            await hand.press("left", n % 6)
            times = [at - sent_ms for at in await asyncio.gather(*waiting)]
            first.append(min(times))
            each += times
            await hand.until(partial(further, step))
    return first, each


def test_a_step_reaches_twenty_pages(report: Callable[[str], None]) -> None:
    first, each = asyncio.run(steps_to_pages())
    spread = [at - first[n // PAGES] for n, at in enumerate(each)]
    report(line("press on a page to the first of 20 pages (page, pin, firmware, host, disk, page)", first))
    report(line("from the first of 20 pages to each of the others", spread))
    assert len(each) == PAGES * STEPS


def cpu_s(pid: int) -> float:
    """Processor time of a process, in seconds (proc(5): utime and stime)."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND


def memory_mb(pid: int) -> float:
    """Memory of a process that is not shared with others, in MB."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
    private = [int(row.split()[1]) for row in rollup if row.startswith(("Private_Clean:", "Private_Dirty:"))]
    return sum(private) / 1024


@asynccontextmanager
async def boards_of_another_process() -> AsyncIterator[tuple[str, ...]]:
    """Boards that are none of the host's, as plugged-in ones: options that name their ports."""
    boards = SimulatedBox(BOARDS)
    await boards.start()
    try:
        yield tuple(word for board in boards.boards.values() for word in ("--connect", str(board.port)))
    finally:
        await boards.stop()


async def idle(plugged: bool, kind: str | None, keys: int) -> tuple[float, float]:
    """Share of a core in percent, and MB, of a host that nobody touches, with one page open or none.

    `plugged`: its boards are not its own. `keys` are pressed first: one wakes the box from its demonstration.
    """
    async with AsyncExitStack() as stack:
        ports = await stack.enter_async_context(boards_of_another_process()) if plugged else ()
        box = await stack.enter_async_context(running_box(house=ports))
        async with AsyncExitStack() as first:
            page = await first.enter_async_context(box.page("kiosk"))
            await page.until(lambda p: sorted(p.live()) == sorted(BOARDS))
            for _ in range(keys):
                await page.press("left", ROLL)
            await page.until(lambda p: p.house["phase"] == ("choose" if keys else "attract"))
        await asyncio.sleep(SETTLE_S)
        if kind is not None:
            stack.push_async_callback(leave, asyncio.create_task(read_on(box, kind)))
        before_s, began_s = cpu_s(box.process.pid), time.monotonic()
        await asyncio.sleep(IDLE_S)
        share = 100 * (cpu_s(box.process.pid) - before_s) / (time.monotonic() - began_s)
        return share, memory_mb(box.process.pid)


async def read_on(box: BoxProcess, kind: str) -> None:
    async with box.page(kind) as page:
        while True:
            await page.step()


async def leave(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("plugged", [False, True], ids=["simulated", "plugged"])
@pytest.mark.parametrize(
    ("name", "kind", "keys"),
    [
        ("a demonstration, no page", None, 0),
        ("a demonstration, a page", "kiosk", 0),
        ("the choice of games, a page", "kiosk", 1),
    ],
    ids=["unseen", "seen", "choice"],
)
def test_what_the_host_costs_while_nobody_plays(
    report: Callable[[str], None], plugged: bool, name: str, kind: str | None, keys: int
) -> None:
    share, memory = asyncio.run(idle(plugged, kind, keys))
    boards = "boards on ports" if plugged else "simulated boards"
    report(f"host, {boards}, {name}: {share:.1f} % of a core, {memory:.0f} MB of its own over {IDLE_S:.0f} s")
    assert share < 3
    assert memory < 60
