"""One board on the second Python: its own boot.py and code.py, behind a real port, with a host's hand on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from galley.sim.knobs import Knobs
from galley_board import faults, glyphs, link, pins, wire
from tests.board.playground import Host, Watched, played, talking
from tests.vm.vm_board import HAS_VM, WatchedVmBoard

if not HAS_VM:
    pytest.skip("needs micropython", allow_module_level=True)

ROLES = ("left", "right", "deck")
FACE = glyphs.die_code(glyphs.GLYPHS["octopus"], glyphs.PLAIN)
LAMP = glyphs.lamp_code(glyphs.COLOURS["yellow"][0], glyphs.STEADY)


@asynccontextmanager
async def plugged(kind: type[Watched], role: str, **options: Any) -> AsyncIterator[Watched]:
    board = kind(role, **options)
    try:
        await board.start()
        yield board
    finally:
        await board.stop()


@pytest.mark.parametrize("role", ROLES)
def test_both_pythons_say_the_same_hello_and_show_the_same_pixels(role: str) -> None:
    async def on(kind: type[Watched]) -> tuple[dict[str, int], bytes]:
        async with plugged(kind, role) as board:
            assert board.port is not None
            host = Host(board.port)
            try:
                hello = await host.greet()
                host.send("d", *[FACE] * 8)
                host.send("l", *[LAMP] * 11)
                if role == "deck":
                    host.send("p", LAMP, 2, LAMP, 0, LAMP, 0)
                budget_ma = link.DEFAULT_BUDGET_MA[wire.ROLES.index(role)]
                shown = wire.digest([FACE] * 8, [LAMP] * 11, lights(role), budget_ma, link.DEFAULT_BRIGHTNESS)
                await host.next("B", lambda fields: fields["shown"] == shown)
                await board.until(lambda: bool(board.frames))
                seen = -1
                while seen != len(board.frames):  # a frame too bright for the moment comes in steps
                    seen = len(board.frames)
                    await host.next("B")
                return hello, board.frames[-1]
            finally:
                host.close()

    async def test() -> None:
        (one, lit), (other, lit_too) = await asyncio.gather(on(Watched), on(WatchedVmBoard))
        one.pop("boot_id")
        other.pop("boot_id")
        assert one == other
        assert faults.names(other["faults"]) == []
        assert len(lit) == 3 * pins.PIXELS[pins.BOARD_OF_ROLE[role]]
        assert any(lit)
        assert lit == lit_too

    played(test)


def newer(than: int) -> Callable[[dict[str, int]], bool]:
    return lambda fields: fields["key_seq"] > than


def lights(role: str) -> tuple[int, ...]:
    return (wire.NO_FACE, LAMP, 2, LAMP, 0, LAMP, 0) if role == "deck" else wire.DARK_DECK


@pytest.mark.parametrize("role", ROLES)
def test_every_key_is_told_down_and_up_with_its_stamp(role: str) -> None:
    async def test() -> None:
        async with plugged(WatchedVmBoard, role) as board, talking(board) as host:
            last = 0
            for key in range(len(pins.KEYS[pins.BOARD_OF_ROLE[role]])):
                for down in (True, False):
                    board.press(key, down)
                    edge = await host.next("K", newer(last))
                    last = edge["key_seq"]
                    assert (edge["key"], edge["down"]) == (key, int(down))
                    assert edge["age_ms"] < 1000
            assert (await host.next("B", lambda fields: not fields["bitmap"]))["faults"] == 0

    played(test)


def test_a_key_that_is_down_at_power_on_is_stuck_and_no_press() -> None:
    async def test() -> None:
        knobs = Knobs(grounded=(int(pins.KEYS[pins.STATION][2][1].removeprefix("GP")),))
        async with plugged(WatchedVmBoard, "left", knobs=knobs) as board, talking(board) as host:
            found = await host.next("B", lambda fields: fields["faults"])
            assert faults.names(found["faults"]) == ["key_stuck"]
            assert faults.key_of(found["faults"]) == 2
            assert found["bitmap"] == 0

    played(test)


def test_ticks_wrap_and_the_board_talks_on() -> None:
    async def test() -> None:
        knobs = Knobs(ticks_origin=wire.TICKS_MS_PERIOD - 1500)
        async with plugged(WatchedVmBoard, "left", knobs=knobs) as board, talking(board) as host:
            await host.next("B", lambda fields: fields["ticks_ms"] > wire.TICKS_MS_PERIOD - 1500)
            await host.next("B", lambda fields: fields["ticks_ms"] < 2000)
            board.press(0, True)
            assert (await host.next("K"))["stamp_ms"] < 10_000

    played(test)


def test_the_next_host_is_greeted_after_one_that_closed_the_port() -> None:
    async def test() -> None:
        async with plugged(WatchedVmBoard, "left") as board:
            assert board.port is not None
            for session in (5, 6):
                host = Host(board.port)
                assert (await host.greet(session))["session"] == session
                host.send("t", session)
                assert (await host.next("T"))["id"] == session
                host.close()

    played(test)


def test_noise_is_refused_and_counted() -> None:
    async def test() -> None:
        async with plugged(WatchedVmBoard, "left") as board, talking(board) as host:
            host.port.write(bytes(range(256)) + b"\nd 1 9 9\n" + b"x" * 100 + b"\n")
            assert (await host.next("S", lambda fields: fields["bad_frames"] >= 3))["lost"] == 0

    played(test)


def test_safe_mode_restarts_three_times_and_then_stays_with_a_red_pixel(tmp_path: Path) -> None:
    async def test() -> None:
        knobs = Knobs(nvm=str(tmp_path / "nvm"), safe_mode="BROWNOUT")
        board = WatchedVmBoard("left", knobs=knobs)
        try:
            board.plug()
            await board.until(lambda: any("staying in safe mode" in line for line in board.said))
            assert board.starts == 4
            await board.until(lambda: bool(board.frames))
            assert board.frames[-1].replace(b"\0", b"") == b"\x10"
        finally:
            await board.stop()

    played(test)
