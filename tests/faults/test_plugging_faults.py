"""Boards that are absent, late, gone, double, wrong, mute or without a data port: each has its note."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
import tty
from collections.abc import Awaitable, Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from galley import link, plugging, ports
from galley.box import Box
from galley.plugging import Plugging
from galley.ports import BoardPort, BoardWithoutData, in_bootloader, is_in_safe_mode, sort_out
from galley.starting import Settings
from galley.tables.table import BOARDS
from galley.web.app import STATIC
from galley_board import faults
from tests.host.test_box import Board, Watched, run
from tests.host.test_ports import Port

WORDS: dict[str, dict[str, str]] = {
    path.stem: json.loads(path.read_text("utf-8")) for path in (STATIC / "lang").glob("*.json")
}


def notes(box: Box) -> list[tuple[str, dict[str, str]]]:
    return [(e["note"]["key"], e["note"]["params"]) for e in box.status() if e["role"] == "unknown"]


def test_a_second_board_of_a_role_is_refused_with_both_ids() -> None:
    async def test(watched: Watched) -> None:
        first, second = Board("left", 1), Board("left", 2)
        watched.box.port_appeared(BoardPort(await first.start(), "E6614"))
        await watched.until(lambda: watched.box.live() == {"left"})
        watched.box.port_appeared(BoardPort(await second.start(), "E6615"))
        await watched.until(lambda: bool(notes(watched.box)))
        ((key, params),) = notes(watched.box)
        assert (key, params["id"], params["other_id"]) == ("board_twice", "E6615", "E6614")
        await first.stop()
        await second.stop()

    run(test)


def test_a_board_whose_strap_denies_its_role_plays_no_part() -> None:
    async def test(watched: Watched) -> None:
        board = Board("left")
        board.link.faults = faults.ROLE_STRAP
        path = await board.start()
        watched.box.port_appeared(BoardPort(path, "E6614"))
        await watched.until(lambda: bool(notes(watched.box)))
        assert notes(watched.box) == [("board_wrong_side", {"board": "left", "port": path})]
        assert watched.box.live() == frozenset()
        board.press(9)
        await board.stop()
        assert watched.presses == []

    run(test)


def test_a_port_behind_which_nothing_says_hello_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "LOST_AFTER_NS", 300_000_000)

    async def test(watched: Watched) -> None:
        board = Board("left")
        board.hang = True
        path = await board.start()
        watched.box.port_appeared(BoardPort(path, "E6614"))
        await watched.until(lambda: notes(watched.box) == [("board_mute", {"port": path})])
        board.hang = False
        await watched.until(lambda: watched.box.live() == {"left"})
        assert notes(watched.box) == []
        await board.stop()

    run(test)


# --- What the system lists ------------------------------------------------------------------------


def test_a_pico_under_its_makers_name_is_a_board_without_a_data_port() -> None:
    bare = Port("/dev/ttyACM0", "Raspberry Pi", "E66", "CircuitPython CDC control")
    other = Port("/dev/ttyACM1", "Raspberry Pi", "E67", "Board in FS mode")
    assert sort_out([bare, other]) == ([], [BoardWithoutData("E66", "/dev/ttyACM0")])


@pytest.mark.parametrize("product", ["0003", "000f"])
def test_a_board_in_its_bootloader_is_found_on_usb(tmp_path: Path, product: str) -> None:
    for place, ids in {"1-1": ("1d6b", "0002"), "1-4": ("2e8a", product), "1-4:1.0": None}.items():
        (tmp_path / place).mkdir()
        if ids is not None:
            for name, value in zip(("idVendor", "idProduct"), ids, strict=True):
                (tmp_path / place / name).write_text(f"{value}\n")
    assert in_bootloader(tmp_path, tmp_path / "none") == [BoardWithoutData("", "1-4", "bootloader")]


def test_a_board_in_its_bootloader_is_found_by_its_drive_where_usb_tells_nothing(tmp_path: Path) -> None:
    (tmp_path / "RP2350").write_text("")
    assert in_bootloader(tmp_path / "none", tmp_path) == [BoardWithoutData("", "RP2350", "bootloader")]
    assert in_bootloader(tmp_path / "none", tmp_path / "none") == []


@pytest.fixture(name="console")
def _console() -> Iterator[tuple[int, str]]:
    master, slave = os.openpty()
    tty.setraw(slave)
    yield master, os.ttyname(slave)
    os.close(master)
    os.close(slave)


SAFE = b"\r\nRunning in safe mode! Not running saved code.\r\n\r\nYou are in safe mode because:\r\n"


def says(master: int, text: bytes) -> threading.Timer:
    """Have a console say this a moment after it was opened, as CircuitPython does."""
    timer = threading.Timer(0.1, os.write, (master, text))
    timer.start()
    return timer


@pytest.mark.parametrize("text, safe", [(SAFE, True), (b"Adafruit CircuitPython 10.0.3\r\n>>> ", False)])
def test_a_board_in_safe_mode_says_so_at_its_console(
    console: tuple[int, str], text: bytes, safe: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "CONSOLE_S", 0.4)
    timer = says(console[0], text)
    assert is_in_safe_mode(console[1]) is safe
    timer.join()


def test_a_console_that_cannot_be_opened_tells_nothing() -> None:
    assert not is_in_safe_mode("/dev/no-such-console")


# --- Boards that come and go ----------------------------------------------------------------------


class Usb:
    """What the machine lists, as a test changes it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ports: list[BoardPort] = []
        self.without: list[BoardWithoutData] = []
        monkeypatch.setattr(plugging, "system_ports", lambda: (self.ports, self.without))
        monkeypatch.setattr(plugging, "SCAN_EVERY_S", 0.02)


def plugged(box: Box, settings: Settings) -> Plugging:
    return Plugging(settings, box, lambda *_: None, lambda: None, lambda *_: None)


def scanning(
    test: Callable[[Watched, Usb], Awaitable[None]], usb: Usb, settings: Settings | None = None
) -> None:
    async def whole(watched: Watched) -> None:
        boards = plugged(watched.box, settings or Settings(sim=()))
        boards.find()
        scan = asyncio.create_task(boards.scan_on())
        try:
            await test(watched, usb)
        finally:
            scan.cancel()

    run(whole)


@pytest.mark.parametrize("present", [0, 1, 2])
def test_simulated_boards_stand_in_only_when_there_is_none(
    present: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    usb = Usb(monkeypatch)
    usb.ports = [BoardPort(f"/dev/galley-{number}", f"E{number}") for number in range(present)]

    async def test(watched: Watched) -> None:
        boards = plugged(watched.box, Settings())
        boards.find()
        simulated = () if boards.simulated is None else tuple(boards.simulated.boards)
        assert simulated == (BOARDS if present == 0 else ())
        asked = plugged(Watched().box, Settings(sim=("deck",)))
        asked.find()
        assert asked.simulated is not None
        assert tuple(asked.simulated.boards) == ("deck",)

    run(test)


def test_a_board_that_comes_late_and_goes_again_is_healed_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(watched: Watched, usb: Usb) -> None:
        def key() -> str | None:
            note = watched.entry("left")["note"]
            return None if note is None else str(note["key"])

        assert key() == "board_absent"
        for boot_id in (1, 2):
            board = Board("left", boot_id)
            usb.ports = [BoardPort(await board.start(), "E6614")]
            await watched.until(lambda: watched.box.live() == {"left"})
            assert key() is None
            usb.ports = []
            await board.stop()
            await watched.until(lambda: key() == "board_gone")
        told = [what for what, _ in groupby(watched.came_and_went)]
        assert told == [("left", 1), ("left", None), ("left", 2), ("left", None)]

    scanning(test, Usb(monkeypatch))


def test_after_a_brown_out_the_note_names_the_power(
    console: tuple[int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test(watched: Watched, usb: Usb) -> None:
        board = Board("left")
        usb.ports = [BoardPort(await board.start(), "E6614")]
        await watched.until(lambda: watched.box.live() == {"left"})
        began_s = time.monotonic()
        timer = says(console[0], SAFE)
        usb.ports, usb.without = [], [BoardWithoutData("E6614", console[1])]
        await board.stop()
        await watched.until(lambda: notes(watched.box) == [("board_safe_mode", {"port": console[1]})])
        assert time.monotonic() - began_s < 5
        assert watched.entry("left")["note"]["key"] == "board_gone"
        timer.join()

    scanning(test, Usb(monkeypatch))


POWER = {"en": "power supply", "fr": "alimentation", "nl": "voeding", "de": "Stromversorgung"}


@pytest.mark.parametrize("language", sorted(WORDS))
def test_both_notes_of_a_brown_out_name_the_power(language: str) -> None:
    for key in ("board_gone", "board_safe_mode"):
        assert POWER[language] in WORDS[language][f"note.{key}"]


EVERY_STATE: dict[str, Any] = {
    "absent": "board_absent",
    "late or gone": "board_gone",
    "silent": "board_silent",
    "duplicated": "board_twice",
    "wrong role": "board_wrong_side",
    "no role": "board_role_unknown",
    "in the bootloader": "board_in_bootloader",
    "in safe mode": "board_safe_mode",
    "no data port": "board_no_data_port",
    "no hello": "board_mute",
}


@pytest.mark.parametrize("language", sorted(WORDS))
def test_every_way_not_to_be_there_has_its_own_sentence(language: str) -> None:
    sentences = [WORDS[language][f"note.{key}"] for key in EVERY_STATE.values()]
    assert len(set(sentences)) == len(EVERY_STATE)


def test_the_doctor_has_a_remedy_for_every_note() -> None:
    from galley.doctor_boards import REMEDIES

    told = {key.removeprefix("note.") for key in WORDS["en"] if key.startswith("note.")}
    assert set(REMEDIES) == told
