"""The whole box in real processes: host, three simulated boards on ptys with the real firmware, and pages."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from galley.sim.boards import REPLUG_S
from galley.tables.table import BELL, BOARDS, ROLL
from tests.loop.box_process import PATIENCE_S, ROOT, BoxProcess, Page, free_port, running_box

DUEL = ("--seats", "red,blue", "--seed", "5")


def run(test: Callable[[], Coroutine[None, None, None]]) -> None:
    asyncio.run(test())


class Duel:
    """One box with a duel on it, for tests that leave the duel as they would find it."""

    def __init__(self, runner: asyncio.Runner, box: BoxProcess) -> None:
        self.box = box
        self._runner = runner

    def run(self, test: Callable[[Page], Coroutine[None, None, None]]) -> None:
        """Give `test` a page of the box, with the duel in the midst and both hands still."""

        async def whole() -> None:
            async with self.box.page() as page:
                await start_duel(page)
                await test(page)

        self._runner.run(whole())


@pytest.fixture(scope="module")
def duel() -> Iterator[Duel]:
    with asyncio.Runner() as runner:
        box = running_box(*DUEL)
        yield Duel(runner, runner.run(box.__aenter__()))
        runner.run(box.__aexit__(None, None, None))


async def start_duel(page: Page) -> None:
    """Both get ready, left rolls once and keeps two dice, as far as that is not so already."""
    await page.until(lambda p: sorted(p.live()) == sorted(BOARDS), "all boards live")
    await page.until(lambda p: p.state is not None and p.house["paused"] is None)
    if page.state["phase"] != "duel":
        await page.press("left", ROLL)
        await page.press("right", ROLL)
        await page.until(lambda p: p.state["phase"] == "duel")
    if None in page.state["stations"]["left"]["faces"]:
        await page.press("left", ROLL)
        await page.until(lambda p: None not in p.state["stations"]["left"]["faces"])
    for die in (1, 4):
        if not page.state["stations"]["left"]["kept"][die]:
            await page.press("left", die)
            await page.until(lambda p, d=die: p.state["stations"]["left"]["kept"][d])  # type: ignore[misc]
    # the tumble of the roll is over when every kept and free die shows its face: two frames alike
    await page.until(settled("left"), "the dice lie still")


def settled(role: str) -> Callable[[Page], bool]:
    """True once the board's pixels have not changed for a whole status interval."""
    seen: dict[str, Any] = {}

    def still(page: Page) -> bool:
        now = (page.pixels.get(role), time.monotonic())
        if seen.get("pixels") != now[0]:
            seen.update(pixels=now[0], since=now[1])
        return now[1] - float(seen["since"]) > 0.6

    return still


def test_two_people_join_by_their_keys_and_duel() -> None:
    async def test() -> None:
        async with running_box("--seed", "5") as box, box.page() as page:
            await page.until(lambda p: sorted(p.live()) == sorted(BOARDS))
            assert page.topics["meta"]["simulated"] is True
            await page.press("deck", 2)
            await page.until(lambda p: [seat["colour"] for seat in p.house["seats"]] == ["blue"])
            await page.press("deck", 0)
            await page.until(lambda p: [seat["colour"] for seat in p.house["seats"]] == ["blue", "red"])
            await page.press("left", BELL)
            await page.until(lambda p: p.house["phase"] == "game")
            await start_duel(page)
            assert page.house["paused"] is None

    run(test)


def test_bots_play_a_whole_game_on_three_boards_and_every_page_hears_the_same() -> None:
    async def test() -> None:
        seats = ("--seats", "red,blue,green", "--bots", "red:best,blue:good,green:easy")
        options = ("--bot-speed", "25", "--set", 'targets={"3":2}', "--seed", "9")
        async with (
            running_box(*seats, *options) as box,
            box.page() as page,
            box.page("kiosk") as kiosk,
        ):
            watching = (w.until(lambda p: p.house["phase"] == "result", "the end") for w in (page, kiosk))
            await asyncio.gather(*watching)
            assert page.state == kiosk.state
            assert max(page.state["won"]) == page.state["target"] == 2
            assert page.topics["news"][-1]["key"] == "game_won"
            assert not kiosk.pixels, "pixels go to the virtual box only"

    run(test)


@pytest.mark.parametrize("role", ["left", "right"])
def test_a_killed_board_pauses_the_duel_which_goes_on_exactly_from_there(duel: Duel, role: str) -> None:
    async def test(page: Page) -> None:
        state, pixels = page.state, dict(page.pixels)
        boot_id = page.board(role)["boot_id"]
        os.kill(page.board(role)["pid"], signal.SIGKILL)
        await page.until(lambda p: p.house["paused"])
        assert page.house["paused"] == {"because": "boards_missing", "boards": [role]}
        await page.until(lambda p: p.board(role)["state"] == "absent")
        assert page.board(role)["note"]["key"] == "board_gone"
        await page.press("right" if role == "left" else "left", ROLL)
        await page.until(lambda p: p.house["paused"] is None, "the board is back")
        assert page.board(role)["boot_id"] != boot_id
        assert page.state == state
        await page.until(lambda p: p.pixels[role] == pixels[role], "the board shows what it did before")
        await page.press("left", ROLL)
        await page.until(lambda p: p.state != state, "the duel goes on")

    duel.run(test)


def test_a_frozen_board_pauses_the_duel_until_it_moves_again(duel: Duel) -> None:
    async def test(page: Page) -> None:
        state, pixels = page.state, page.pixels["left"]
        pid = page.board("left")["pid"]
        os.kill(pid, signal.SIGSTOP)
        await page.until(lambda p: p.house["paused"])
        assert page.board("left")["state"] in ("live", "stale")
        await page.until(lambda p: p.board("left")["state"] == "lost")
        assert page.board("left")["note"] == {"key": "board_silent", "params": {"board": "left"}}
        os.kill(pid, signal.SIGCONT)
        await page.until(lambda p: p.house["paused"] is None)
        assert page.state == state
        await page.until(lambda p: p.pixels["left"] == pixels)

    duel.run(test)


def test_a_board_unplugged_on_the_page_stays_away_until_it_is_plugged_in(duel: Duel) -> None:
    async def test(page: Page) -> None:
        await page.tell(do="plug", board="right", **{"in": False})
        await page.until(lambda p: p.board("right")["state"] == "absent")
        began_s = time.monotonic()
        await page.until(lambda p: time.monotonic() - began_s > REPLUG_S + 0.5, "longer than after its death")
        assert page.board("right")["state"] == "absent"
        await page.tell(do="plug", board="right", **{"in": True})
        await page.until(lambda p: p.house["paused"] is None)

    duel.run(test)


def test_keys_held_on_a_page_that_goes_are_let_go(duel: Duel) -> None:
    async def test(page: Page) -> None:
        kept = page.state["stations"]["left"]["kept"][2]
        async with duel.box.page() as other:
            await other.tell(do="key", board="left", key=2, down=True)
            await page.until(lambda p: p.state["stations"]["left"]["kept"][2] is not kept)
        for number in range(3):  # the host has then seen that the other page is gone
            await page.ping(number)
        await page.press("left", 2)
        await page.until(lambda p: p.state["stations"]["left"]["kept"][2] is kept)

    duel.run(test)


def test_a_deck_pulled_in_a_duel_of_two_costs_nobody_a_press(duel: Duel) -> None:
    async def test(page: Page) -> None:
        os.kill(page.board("deck")["pid"], signal.SIGSTOP)
        faces = page.state["stations"]["left"]["faces"]
        await page.press("left", ROLL)
        await page.until(lambda p: p.state["stations"]["left"]["faces"] != faces, "the roll counts, if late")
        assert page.house["paused"] is None
        os.kill(page.board("deck")["pid"], signal.SIGKILL)

    duel.run(test)


def test_a_host_that_is_killed_leaves_no_board_behind() -> None:
    async def test() -> None:
        async with running_box(*DUEL) as box:
            async with box.page() as page:
                await page.until(lambda p: sorted(p.live()) == sorted(BOARDS))
                boards = [os.pidfd_open(page.board(role)["pid"]) for role in BOARDS]
            box.process.kill()
            await asyncio.gather(box.process.wait(), *map(ended, boards))

    run(test)


async def ended(process: int) -> None:
    """Wait until the process behind a pidfd is gone."""
    gone = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(process, gone.set)
    try:
        await asyncio.wait_for(gone.wait(), PATIENCE_S)
    finally:
        loop.remove_reader(process)
        os.close(process)


def test_sigterm_ends_the_box_and_its_boards() -> None:
    async def test() -> None:
        async with running_box(*DUEL, stop=signal.SIGTERM) as box, box.page() as page:
            await page.until(lambda p: sorted(p.live()) == sorted(BOARDS))
            boards = [os.pidfd_open(page.board(role)["pid"]) for role in BOARDS]
        await asyncio.gather(*map(ended, boards))

    run(test)


def test_only_the_boards_asked_for_are_simulated_and_one_may_be_pulled_while_they_start() -> None:
    async def test() -> None:
        async with running_box("--sim", "left,right") as box, box.page() as page:
            await page.tell(do="plug", board="left", **{"in": False})
            await page.until(lambda p: p.live() == ["right"])
            assert page.board("deck")["note"]["key"] == "board_absent"
            assert page.topics["meta"]["simulated"] is True

    run(test)


def galley(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "galley", "--no-browser", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_a_second_galley_on_the_same_port_or_folder_is_told_so_in_one_line(tmp_path: Path) -> None:
    async def test() -> None:
        async with running_box("--sim", "left", data=tmp_path) as box:
            port, folder = await asyncio.gather(
                asyncio.to_thread(galley, "--port", str(box.port)),
                asyncio.to_thread(galley, "--port", str(free_port()), "--data", str(tmp_path)),
            )
            assert (port.returncode, port.stdout) == (1, "")
            assert port.stderr == (
                f"galley: Galley 0.1.0 runs here already (process {box.process.pid}): "
                f"open {box.url}/ or start with another --port\n"
            )
            assert (folder.returncode, folder.stdout) == (1, "")
            assert folder.stderr == (
                f"galley: {tmp_path} is used by a Galley that runs (process {box.process.pid}): "
                "end it first, or name another folder with --data\n"
            )

    run(test)


@pytest.mark.parametrize("answers", [b"", b"HTTP/1.0 200 OK\r\n\r\n[]", b"SSH-2.0-OpenSSH_9.2\r\n"])
def test_a_port_that_another_program_has_is_told_in_one_line(answers: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        if answers:
            server.settimeout(PATIENCE_S)
            process = subprocess.Popen(
                [sys.executable, "-m", "galley", "--no-browser", "--port", str(port)],
                stderr=subprocess.PIPE,
                text=True,
            )
            connection, _ = server.accept()
            connection.sendall(answers)
            connection.close()
            _, said = process.communicate(timeout=PATIENCE_S)
            status = process.returncode
        else:
            answer = galley("--port", str(port))
            said, status = answer.stderr, answer.returncode
    assert status == 1
    assert said == (
        f"galley: port {port} cannot be used (address already in use): "
        "stop the program that has it or start with another --port\n"
    )


def test_the_first_page_is_there_soon() -> None:
    port = free_port()
    began_s = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-m", "galley", "--no-browser", "--port", str(port)],
        cwd=ROOT,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            assert process.stderr is not None
            process.stderr.readline()
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE_S) as page:
                assert b"<script" in page.read()
            took_s = time.monotonic() - began_s
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=PATIENCE_S)
    assert took_s < 5, "a second on a quiet machine; this is the limit for a busy one"
