"""The Pi build on a PC: the deck's firmware over Blinka's board that is none, in a process of its own."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from galley.box import Box, Watcher
from galley.firmware_board import hello_of
from galley.link_events import KeyEdge
from galley.pi import wiring
from galley.ports import BoardPort
from galley.tables.table import DARK_BOX, BoardView
from galley_board import glyphs, pins, wire
from tests.loop.box_process import ROOT, free_port

PATIENCE_S = 30.0
DRIVER = Path(__file__).with_name("pi_board.py")
AGNOSTIC = {"BLINKA_OS_AGNOSTIC": "1"}
GREEN = glyphs.lamp_code(glyphs.COLOURS["green"][0], glyphs.STEADY)


def settings_for_no_pins() -> str:
    """A settings.toml for the few pins that the board which is none has."""
    there = {"SEAT1": "Dx_INPUT_TRUE", "SEAT2": "Dx_INPUT_TRUE_PULL_UP", "PIXELS": "NEOPIXEL"}
    return "".join(
        f'{pins.setting_of(name)} = "{there.get(name, "none")}"\n' for name in wiring.DECK
    )  # fmt: skip


class Seen(Watcher):
    """What the box hears of the deck."""

    def __init__(self) -> None:
        self.edges: list[tuple[int, bool]] = []
        self.timings = 0
        self.news = asyncio.Event()

    def edge(self, board: str, edge: KeyEdge) -> None:
        if edge.key < len(pins.KEYS[pins.DECK]):  # what is no key: a guard that is not there counts as open
            self.edges.append((edge.key, edge.down))
        self.news.set()

    def timing(self, board: str, event: object) -> None:
        self.timings += 1
        self.news.set()

    def changed(self) -> None:
        self.news.set()

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not condition():
                self.news.clear()
                await self.news.wait()


@asynccontextmanager
async def pi_board(folder: Path) -> AsyncIterator[tuple[Process, int, Path]]:
    """A deck on no pins that has been started: its process, its port, the file that presses its key."""
    port, flag, own = free_port(), folder / "pressed", folder / "settings.toml"
    own.write_text(settings_for_no_pins(), "utf-8")
    arguments = [str(DRIVER), str(flag), "board", "--role", "deck", "--port", str(port)]
    arguments += ["--settings", str(own), "--data", str(folder)]
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=ROOT, env={**os.environ, **AGNOSTIC}, stdout=PIPE
    )
    try:
        yield process, port, flag
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def said(process: Process, condition: Callable[[str], object]) -> str:
    """The next line of its output that is so."""
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE_S):
        while line := (await process.stdout.readline()).decode():
            if condition(line):
                return line.strip()
    raise AssertionError("the board ended")


def run(test: Callable[[Path], Coroutine[Any, Any, None]], folder: Path) -> None:
    asyncio.run(test(folder))


def test_the_host_s_box_has_a_deck_whose_pins_are_the_pi_s(tmp_path: Path) -> None:
    async def test(folder: Path) -> None:
        async with pi_board(folder) as (process, port, flag):
            assert await said(process, lambda line: "listens" in line)
            seen = Seen()
            box = Box(seen)
            box.port_appeared(BoardPort(f"tcp:127.0.0.1:{port}", ""))
            await seen.until(lambda: box.live() == {"deck"})
            (deck,) = [entry for entry in box.status() if entry["role"] == "deck"]
            assert deck["faults"] == []
            assert set(deck["caps"]) == {"lamps", "buzzer"}, "nothing that moves is joined"
            box.show({**DARK_BOX, "deck": BoardView(lamps=(GREEN, *[0] * 10))})
            frame = await said(process, lambda line: line.startswith("pixels") and int(line.split()[1], 16))
            green, *rest = bytes.fromhex(frame.split()[1])
            assert green > 0
            assert not any(rest), "the first seat's lamp, in the order green, red, blue"
            flag.touch()
            await seen.until(lambda: seen.edges == [(0, True)])
            flag.unlink()
            await seen.until(lambda: seen.edges == [(0, True), (0, False)])
            await seen.until(lambda: seen.timings > 10)
            box.close()

    run(test, tmp_path)


def test_a_restart_is_a_new_start_of_the_same_process(tmp_path: Path) -> None:
    async def test(folder: Path) -> None:
        async with pi_board(folder) as (process, port, _):
            await said(process, lambda line: "listens" in line)
            where = BoardPort(f"tcp:127.0.0.1:{port}", "")
            before = await hello_of(where, then=wire.RESTART, within_s=PATIENCE_S)
            await said(process, lambda line: "listens" in line)
            after = await hello_of(where, within_s=PATIENCE_S)
            assert process.returncode is None
            assert after.role == before.role == "deck"
            assert after.boot_id != before.boot_id

    run(test, tmp_path)


@pytest.mark.parametrize(
    "arguments, environment, status, sentence",
    [
        ([], {"BLINKA_FORCEBOARD": "GENERIC_LINUX_PC"}, 1, "none that Blinka knows"),
        (["--role", "left"], AGNOSTIC, 2, "--role"),
        (["--settings", "SETTINGS"], AGNOSTIC, 2, "no board knows GALLEY_PIN_HOOK"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(
    arguments: list[str], environment: dict[str, str], status: int, sentence: str, tmp_path: Path
) -> None:
    own = tmp_path / "settings.toml"
    own.write_text('GALLEY_PIN_HOOK = "D5"\n', "utf-8")
    words = [str(own) if word == "SETTINGS" else word for word in arguments]
    done = subprocess.run(
        [sys.executable, "-m", "galley", "board", "--role", "deck", "--data", str(tmp_path), *words],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == status
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_every_pin_of_the_deck_has_a_place_on_the_pi_and_none_has_two_jobs() -> None:
    known = {name.partition(" ")[0] for name, _ in pins.KEYS[pins.DECK]}
    known |= {name for name, _ in pins.DEVICES[pins.DECK]} | {"PIXELS", "BUZZER"}
    assert set(wiring.DECK) == known
    used = [pin for pin in wiring.DECK.values() if pin != "none"]
    assert len(set(used)) == len(used)
    assert set(used) <= {f"D{number}" for number in range(2, 28)}


@pytest.mark.parametrize(
    "text, sentence",
    [("GALLEY_DIE", "settings.toml: "), ("GALLEY_DIE = 1.5", "takes a text"), ('GALLEY_DOE = "x"', "knows")],
)
def test_settings_that_cannot_be_used_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(wiring.BadSettings, match=sentence):
        wiring.settings("deck", text)


def test_settings_go_over_the_pi_s_pins_and_the_role_is_the_one_asked_for() -> None:
    found = wiring.settings("deck", 'GALLEY_PIN_SEAT1 = "D14"\nGALLEY_ROLE = "left"\nGALLEY_DIE = "loose"\n')
    assert found["GALLEY_PIN_SEAT1"] == "D14"
    assert found["GALLEY_PIN_SEAT2"] == wiring.DECK["SEAT2"]
    assert (found["GALLEY_ROLE"], found["GALLEY_DIE"]) == ("deck", "loose")
