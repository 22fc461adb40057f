"""How long a hand waits for its light: the host, the LED frame of the firmware, and a plain echo."""

from __future__ import annotations

import asyncio
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable
from random import Random

import pytest

from galley.box import Box, Watcher, house_ms
from galley.house import House, HouseRules
from galley.link_events import KeyEdge
from galley.ports import BoardPort
from galley.sim.boards import SimulatedBox
from galley.tables.table import BOARDS, ROLL, Seat
from tests.bench.figures import line, percentile
from tests.bench.pty_board import PtyBoard
from tests.loop.box_process import Page, running_box

pytestmark = pytest.mark.bench

PRESSES = 300
LED_PRESSES = 200
ECHO = """
import serial, sys
port = serial.Serial(sys.argv[1], 115200, timeout=None)
port.write(b"!")
while data := port.read(port.in_waiting or 1):
    port.write(data)
"""


def raw_echo(board: PtyBoard) -> list[float]:
    """A frame to a pyserial program that sends it straight back, in ms, with the same idle times between."""
    random = Random(1)
    frame = b"K 17 204 9 1 536805123 1000 3 201 82b07632\n"
    times: list[float] = []
    with subprocess.Popen([sys.executable, "-c", ECHO, board.path]) as process:
        try:
            board.until_opened()
            for _ in range(PRESSES):
                time.sleep(random.uniform(0.02, 0.05))
                sent_ns = time.monotonic_ns()
                os.write(board.master, frame)
                back = b""
                while len(back) < len(frame):
                    select.select([board.master], [], [], 10)
                    back += os.read(board.master, len(frame))
                times.append((time.monotonic_ns() - sent_ns) / 1e6)
        finally:
            process.kill()
    return times


async def host_alone() -> list[float]:
    """A KEEP frame in, the first output frame out, in ms."""
    board = PtyBoard()
    random = Random(2)
    times: list[float] = []
    options = ("--connect", board.path, "--sim", "right,deck", "--seats", "red,blue", "--seed", "5")
    async with running_box(*options) as box, box.page() as page:
        serving = asyncio.to_thread(measure, board, random, times)
        task = asyncio.create_task(serving)
        await page.until(lambda p: sorted(p.live()) == sorted(BOARDS))
        await page.press("right", ROLL)
        await follow(page, task)
    board.close()
    return times


async def follow(page: Page, task: asyncio.Task[None]) -> None:
    """Read the page's channel until the measuring is done, as an open page does."""
    while not task.done():
        step = asyncio.create_task(page.step())
        await asyncio.wait([step, task], return_when=asyncio.FIRST_COMPLETED)
        if not step.done():
            step.cancel()
    await task


def measure(board: PtyBoard, random: Random, times: list[float]) -> None:
    while not board.link.session:
        board.idle(0.05)
    for _ in range(2):  # ready, then the first roll once the other is ready too
        board.idle(1.5)
        board.press(ROLL)
        board.idle(0.05)
        board.release(ROLL)
    board.idle(1.0)
    for number in range(PRESSES):
        board.idle(random.uniform(0.02, 0.05))
        sent_ns = board.press(number % 6)
        times.append((board.until_outputs_change() - sent_ns) / 1e6)
        board.idle(0.005)
        board.release(number % 6)


def test_the_hosts_part_from_key_frame_to_output_frame(report: Callable[[str], None]) -> None:
    echo_board = PtyBoard()
    before = raw_echo(echo_board)
    host = asyncio.run(host_alone())
    after = raw_echo(echo_board)
    echo_board.close()
    echo = before + after
    ratio = percentile(host, 0.5) / percentile(echo, 0.5)
    report(line("raw pyserial echo over a pty", echo))
    report(line("host alone: KEEP frame in, output frame out", host, f"  ({ratio:.2f} x echo at p50)"))
    assert len(host) == PRESSES
    assert ratio < 10, "the host answers a key in the same turn of its loop"


async def key_to_led() -> list[float]:
    """From the switch closing to the LED frame that the firmware wrote for it, in ms."""
    house = House(HouseRules(seed=5))
    frames: dict[str, bytes] = {}
    changed = asyncio.Event()
    dice_pixels = slice(0, 72 * 3)

    def on_pixels(role: str, rgb: bytes) -> None:
        if frames.get(role, b"")[dice_pixels] != rgb[dice_pixels]:
            frames[role] = rgb
            changed.set()

    class Listener(Watcher):
        def edge(self, board: str, edge: KeyEdge) -> None:
            if edge.down:
                house.press(board, edge.key, house_ms())
                box.show(house.view())

        def changed(self) -> None:
            house.boards_live(box.live(), house_ms())
            box.show(house.view())
            changed.set()

    def port_changed(role: str) -> None:
        port = sim.boards[role].port
        if port is not None:
            box.port_appeared(BoardPort(port, "simulated", role=role))

    box = Box(Listener())
    sim = SimulatedBox(("left", "right"), on_pixels, on_change=port_changed)
    await sim.start()
    house.begin([Seat("red"), Seat("blue")], house_ms())
    times: list[float] = []
    try:
        while box.live() != {"left", "right"}:
            changed.clear()
            await changed.wait()
        for role in ("left", "right", "left"):
            sim.boards[role].press(ROLL, True)
            await asyncio.sleep(0.1)
            sim.boards[role].press(ROLL, False)
            await asyncio.sleep(0.1)
        house.tick(house_ms() + 1000)  # the tumble is over
        box.show(house.view())
        await asyncio.sleep(0.3)
        random = Random(3)
        for number in range(LED_PRESSES):
            die = number % 6
            await asyncio.sleep(random.uniform(0.05, 0.08))
            changed.clear()
            pressed_ns = time.monotonic_ns()
            sim.boards["left"].press(die, True)
            await asyncio.wait_for(changed.wait(), 10)
            times.append((time.monotonic_ns() - pressed_ns) / 1e6)
            await asyncio.sleep(0.03)
            sim.boards["left"].press(die, False)
    finally:
        box.close()
        await sim.stop()
    return times


def test_from_the_switch_to_the_led_frame_of_the_firmware(report: Callable[[str], None]) -> None:
    times = asyncio.run(key_to_led())
    report(line("key to LED frame written by the firmware", times, "  (budget p95 15 ms)"))
    assert len(times) == LED_PRESSES
