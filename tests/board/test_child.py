"""Simulated boards as processes: the real firmware behind a real pty, pressed, unplugged, hung, orphaned."""

from __future__ import annotations

import asyncio
import errno
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from galley.sim import boards
from galley.sim.boards import SimulatedBox, SimulationError
from galley.sim.knobs import Knobs
from galley_board import faults, glyphs, link, pins, wire
from tests.board.playground import PATIENCE_S, Host, Watched, played, plugged, talking
from tests.board.workbench import ROOT

ROLES = ["left", "right", "deck"]
ROLL, BELL = 8, 9
NS_PER_MS = 1_000_000
STAR = glyphs.die_code(glyphs.GLYPHS["star"], glyphs.PLAIN)


def eventually(condition: Callable[[], object]) -> bool:
    """Whether something another process does comes true in time."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if condition():
            return True
        select.select([], [], [], 0.01)
    return False


def alive(pid: int) -> bool:
    """Whether a process runs (one that only waits to be reaped does not)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


# -- play ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ROLES)
def test_a_board_says_hello_over_a_real_port(role: str) -> None:
    async def test() -> None:
        async with plugged(role) as board, talking(board) as host:
            hello = await host.greet(78)
            assert hello["role"] == wire.ROLES.index(role)
            assert hello["faults"] == 0
            assert hello["pixels"] == pins.PIXELS[pins.BOARD_OF_ROLE[role]]
            assert host.bad == 0

    played(test)


def test_a_press_becomes_one_key_frame_with_the_board_s_stamp() -> None:
    async def test() -> None:
        async with plugged("left") as board, talking(board) as host:
            before = await host.next("B")
            board.press(BELL, True)
            edge = await host.next("K")
            assert (edge["key"], edge["down"], edge["key_seq"]) == (BELL, 1, 1)
            assert link.since_ms(edge["stamp_ms"], before["ticks_ms"]) >= 0
            host.send("a", before["boot_id"], 1)
            board.press(BELL, False)
            edge = await host.next("K", lambda fields: fields["key_seq"] == 2)
            assert (edge["key"], edge["down"], edge["first"]) == (BELL, 0, 2)

    played(test)


def test_two_keys_at_once_and_every_key_of_every_board() -> None:
    async def test() -> None:
        async with plugged("deck") as board, talking(board) as host:
            for key in range(6):
                board.press(key, True)
            beat = await host.next("B", lambda fields: fields["bitmap"] == 0b111111)
            found = [fields["key"] for kind, fields in host.heard if kind == "K"]
            assert not found or set(found) <= set(range(6))
            host.send("a", beat["boot_id"], 6)

    played(test)


def test_outputs_light_the_pixels_they_name_within_the_budget() -> None:
    async def test() -> None:
        async with plugged("left") as board, talking(board) as host:
            host.send("d", STAR, *[0] * 7)
            host.send("l", *[glyphs.lamp_code(2, 0) if lamp == BELL else 0 for lamp in range(11)])
            await board.until(lambda: board.lit == {1, 12, 13, 14, 25, 81})
            host.send("c", 60, 255)
            host.send("d", *[glyphs.die_code(7, glyphs.KEPT)] * 8)
            await board.until(lambda: len(board.lit) == 8 * 5 + 1)
            assert all(sum(frame) / 255 * 20 <= 220 for frame in board.frames)
            assert sum(board.frames[-1]) / 255 * 20 <= 60

    played(test)


def test_pixels_are_told_while_somebody_watches_and_the_present_ones_at_once() -> None:
    async def test() -> None:
        async with plugged("left") as board:
            board.watch_pixels(False)
            board.unplug()
            await board.start()
            told = len(board.frames)
            async with talking(board) as host:
                shown = (await host.next("B"))["shown"]
                host.send("l", *[glyphs.lamp_code(2, 0) if lamp == BELL else 0 for lamp in range(11)])
                await host.next("B", lambda fields: fields["shown"] != shown)
                assert len(board.frames) == told
                board.watch_pixels(True)
                await board.until(lambda: board.lit == {81})
                assert len(board.frames) == told + 1, "what shines stays as it is"
                board.watch_pixels(False)
                host.send("l", *[0] * 11)
                await host.next("B", lambda fields: fields["shown"] == shown)
                assert len(board.frames) == told + 1

    played(test)


def test_a_board_goes_dark_when_its_host_falls_silent_and_wakes_with_it() -> None:
    async def test() -> None:
        async with plugged("deck") as board, talking(board) as host:
            host.send("l", *[glyphs.lamp_code(5, 0)] * 11)
            host.send("p", glyphs.lamp_code(5, 0), wire.DARK_DRIFT, 0, 0, 0, 0)
            await board.until(lambda: len(board.lit) == 6 + 12)
            await board.until(lambda: board.lit == {6})
            host.send("t", 1)
            await board.until(lambda: len(board.lit) == 6 + 12)

    played(test)


def test_a_probe_s_answer_carries_the_board_s_microseconds() -> None:
    async def test() -> None:
        async with plugged("left") as board, talking(board) as host:
            host.send("t", 1)
            first = await host.next("T")
            start_ns = time.monotonic_ns()
            for probe in range(2, 30):
                host.send("t", probe)
                last = await host.next("T")
                assert last["id"] == probe
            took_us = (time.monotonic_ns() - start_ns) // 1000
            ran_us = (last["rx_us"] - first["tx_us"]) % wire.TICKS_US_PERIOD
            assert 0 < ran_us <= took_us + 60_000

    played(test)


# -- knobs ---------------------------------------------------------------------------------------------


def test_a_board_can_be_started_near_its_wrap_and_with_a_boot_id() -> None:
    async def test() -> None:
        knobs = Knobs(ticks_origin=wire.TICKS_MS_PERIOD - 300, boot_id=4711)
        async with plugged("left", knobs=knobs) as board, talking(board) as host:
            beat = await host.next("B", lambda fields: fields["ticks_ms"] < 1000)
            assert beat["boot_id"] == 4711
            board.press(ROLL, True)
            edge = await host.next("K")
            assert edge["stamp_ms"] < 60_000
            assert edge["age_ms"] < 1000

    played(test)


def test_a_fast_crystal_and_a_slow_loop_still_make_a_board() -> None:
    async def test() -> None:
        knobs = Knobs(skew_ppm=1_000_000, loop_ms=15)
        async with plugged("left", knobs=knobs) as board, talking(board) as host:
            first = await host.next("B")
            start = time.monotonic()
            await host.next("B", lambda fields: link.since_ms(fields["ticks_ms"], first["ticks_ms"]) >= 2000)
            assert 0.9 < time.monotonic() - start < 1.8, "its seconds are half as long"
            board.press(BELL, True)
            assert (await host.next("K"))["key"] == BELL

    played(test)


def test_boot_ids_differ_from_start_to_start() -> None:
    async def test() -> None:
        found = set()
        async with plugged("left") as board:
            for _ in range(3):
                async with talking(board) as host:
                    found.add((await host.greet(79))["boot_id"])
                board.unplug()
                await board.start()
        assert len(found) == 3

    played(test)


def test_a_board_that_was_not_told_its_role_says_so() -> None:
    async def test() -> None:
        knobs = Knobs(settings=("GALLEY_ROLE=kitchen",))
        async with plugged("left", knobs=knobs) as board, talking(board) as host:
            hello = await host.greet(78)
            assert hello["role"] == 0
            assert faults.names(hello["faults"]) == ["role_unknown"]
            await board.until(lambda: any("kitchen" in line for line in board.said))

    played(test)


def test_a_finished_board_keeps_its_data_port() -> None:
    async def test() -> None:
        async with plugged("left", knobs=Knobs(settings=("GALLEY_PRODUCTION=1",))) as board, talking(board):
            pass

    played(test)


def test_safe_mode_restarts_three_times_then_shows_its_sign(tmp_path: Path) -> None:
    async def test() -> None:
        knobs = Knobs(safe_mode="HARD_FAULT", nvm=str(tmp_path / "nvm"))
        board = Watched("left", knobs=knobs)
        try:
            board.plug()
            await board.until(lambda: board.lit == {80})
            assert board.starts == 4
            assert board.port is None
            await board.until(lambda: any("staying in safe mode" in line for line in board.said))
        finally:
            await board.stop()

    played(test)


# -- the port ------------------------------------------------------------------------------------------


def test_a_port_that_is_opened_again_begins_with_whole_frames() -> None:
    async def test() -> None:
        async with plugged("left") as board:
            for session in range(1, 6):
                assert board.port is not None
                host = Host(board.port)
                hello = await host.greet(session)
                assert hello["session"] == session
                assert host.bad == 0
                await host.next("B")
                host.close()

    played(test)


def test_a_host_that_stops_reading_finds_the_last_edges_and_no_broken_frame() -> None:
    async def test() -> None:
        async with plugged("left") as board, talking(board) as host:
            await host.next("B")
            host.ignore()
            start_ns = time.monotonic_ns()
            for push in range(40):
                at_ns = start_ns + push * 3 * NS_PER_MS  # so that no two are in one scan
                board.press(push % 10, push < 10 or 20 <= push < 30, at_ns)
            assert eventually(lambda: time.monotonic_ns() > start_ns + 200 * NS_PER_MS)
            assert 0 < host.port.in_waiting <= 640, "a few hundred bytes, not all that was ready to go"
            host.listen()
            edge = await host.next("K", lambda fields: fields["key_seq"] == 40)
            assert edge["first"] == 40 - 32 + 1
            stats = await host.next("S")
            assert stats["lost"] == 8
            assert host.bad == 0

    played(test)


def test_console_output_never_reaches_the_data_port() -> None:
    async def test() -> None:
        knobs = Knobs(settings=("GALLEY_ROLE=kitchen",))
        async with plugged("left", knobs=knobs) as board, talking(board) as host:
            await host.next("S")
            assert b"kitchen" not in host.raw

    played(test)


# -- plugs, hangs and crashes --------------------------------------------------------------------------


def test_unplugging_ends_the_process_and_plugging_starts_another() -> None:
    async def test() -> None:
        async with plugged("left") as board:
            first = board.pid
            assert first is not None
            board.unplug()
            assert board.port is None
            assert board.pid is None
            assert eventually(lambda: not alive(first))
            assert board._timer is None, "it stays away until it is plugged in"
            await board.start()
            assert board.pid != first
            async with talking(board):
                pass

    played(test)


def test_a_board_that_is_killed_comes_back_by_itself_with_a_new_boot() -> None:
    async def test() -> None:
        async with plugged("left") as board:
            async with talking(board) as host:
                before = await host.greet(78)
            assert board.pid is not None
            os.kill(board.pid, signal.SIGKILL)
            await board.until(lambda: board.starts == 2 and board.port)
            async with talking(board) as host:
                after = await host.greet(78)
            assert before["boot_id"] != after["boot_id"]

    played(test)


def test_the_time_until_a_killed_board_comes_back_is_as_asked() -> None:
    async def test() -> None:
        async with plugged("left", replug_s=0.4) as board:
            assert board.pid is not None
            os.kill(board.pid, signal.SIGKILL)
            await board.until(lambda: board.pid is None)
            start = time.monotonic()
            await board.until(lambda: board.pid)
            assert 0.35 < time.monotonic() - start < PATIENCE_S

    played(test)


def test_a_hung_board_resets_itself_and_says_why() -> None:
    """SIGALRM is what the watchdog's timer sends when the firmware did not feed it."""

    async def test() -> None:
        async with plugged("left") as board:
            assert board.pid is not None
            os.kill(board.pid, signal.SIGALRM)
            await board.until(lambda: board.starts == 2 and board.port)
            async with talking(board) as host:
                hello = await host.greet(78)
                assert faults.names(hello["faults"]) == ["watchdog_reset"]

    played(test)


def test_the_watchdog_ends_a_firmware_that_loops_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "boot.py").write_text("import usb_cdc\nusb_cdc.enable(data=True)\n")
    (tmp_path / "code.py").write_text(
        "import microcontroller\nfrom watchdog import WatchDogMode\nprint('looping')\n"
        "microcontroller.watchdog.timeout = 0.2\nmicrocontroller.watchdog.mode = WatchDogMode.RESET\n"
        "while True:\n    pass\n"
    )
    monkeypatch.setattr(boards, "firmware_folder", lambda: tmp_path)

    async def test() -> None:
        board = Watched("left", replug_s=PATIENCE_S)
        try:
            await board.start()
            await board.until(lambda: "looping" in board.said)
            await board.until(lambda: board.exit_status is not None)
            assert board.exit_status == -signal.SIGALRM
        finally:
            await board.stop()

    played(test)


def test_a_stopped_board_goes_on_where_it_was_and_keeps_the_stamps() -> None:
    async def test() -> None:
        async with plugged("left") as board, talking(board) as host:
            await host.next("B")
            assert board.pid is not None
            os.kill(board.pid, signal.SIGSTOP)
            start_ns = time.monotonic_ns()
            board.press(BELL, True)
            board.press(BELL, False, start_ns + 100 * NS_PER_MS)
            assert eventually(lambda: time.monotonic_ns() > start_ns + 200 * NS_PER_MS)
            os.kill(board.pid, signal.SIGCONT)
            down = await host.next("K")
            up = await host.next("K", lambda fields: fields["key_seq"] == 2)
            assert (down["key"], down["down"], up["down"]) == (BELL, 1, 0)
            assert 98 <= link.since_ms(up["stamp_ms"], down["stamp_ms"]) <= 102
            assert down["age_ms"] >= 190

    played(test)


def test_a_key_held_while_the_board_is_plugged_in_is_stuck() -> None:
    async def test() -> None:
        async with plugged("left") as board:
            board.unplug()
            board.press(BELL, True)
            await board.start()
            async with talking(board) as host:
                beat = await host.next("B", lambda fields: fields["faults"])
                assert faults.names(beat["faults"]) == ["key_stuck"]
                assert faults.key_of(beat["faults"]) == BELL
                board.press(BELL, False)
                beat = await host.next("B", lambda fields: not fields["faults"])
                assert beat["bitmap"] == 0

    played(test)


def test_an_error_in_the_firmware_is_told_and_the_board_restarts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "boot.py").write_text("import usb_cdc\nusb_cdc.enable(data=True)\n")
    (tmp_path / "code.py").write_text("import microcontroller\nprint('here')\nmicrocontroller.reset()\n")
    monkeypatch.setattr(boards, "firmware_folder", lambda: tmp_path)
    monkeypatch.setattr(boards, "RESET_S", 0.01)

    async def test() -> None:
        async with plugged("left", replug_s=PATIENCE_S) as board:
            await board.until(lambda: board.starts >= 3)
            assert "here" in board.said

    played(test)


def test_a_firmware_that_raises_leaves_its_traceback_on_the_console(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "boot.py").write_text("import usb_cdc\nusb_cdc.enable(data=True)\n")
    (tmp_path / "code.py").write_text("raise RuntimeError('no cheese')\n")
    monkeypatch.setattr(boards, "firmware_folder", lambda: tmp_path)

    async def test() -> None:
        async with plugged("left") as board:
            await board.until(lambda: "RuntimeError: no cheese" in board.said)
            assert board.plugged

    played(test)


def test_a_board_without_a_port_is_one_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "boot.py").write_text("")
    monkeypatch.setattr(boards, "firmware_folder", lambda: tmp_path)
    monkeypatch.setattr(boards, "START_S", 0.5)

    async def test() -> None:
        board = Watched("left")
        with pytest.raises(SimulationError, match="left did not start: no port within"):
            await board.start()
        await board.stop()

    played(test)


def test_a_board_that_is_pulled_while_it_starts_has_not_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boards, "START_S", PATIENCE_S)

    async def test() -> None:
        board = Watched("left")

        async def pull() -> None:
            assert (board.plugged, board.port) == (True, None)
            board.unplug()

        async with asyncio.timeout(PATIENCE_S / 2), asyncio.TaskGroup() as group:
            group.create_task(board.start())
            group.create_task(pull())
        assert not board.plugged
        await board.stop()

    played(test)


def test_a_child_that_cannot_run_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        board = Watched("left")
        monkeypatch.setattr(sys, "executable", "/nowhere/python")
        with pytest.raises(SimulationError, match="left cannot start"):
            await board.start()
        monkeypatch.setattr(sys, "executable", "/bin/false")
        with pytest.raises(SimulationError, match="its process ended"):
            await board.start()
        await board.stop()

    played(test)


@pytest.mark.parametrize("call", ["socket.socketpair", "os.pipe", "subprocess.Popen"])
def test_a_board_that_finds_no_descriptor_is_plugged_in_later_and_loses_none(
    call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with plugged("left") as board:
            before = len(os.listdir("/proc/self/fd"))
            refused: list[str] = []

            def refuse(*_: object, **__: object) -> None:
                refused.append(call)
                board._tell()
                raise OSError(errno.EMFILE, "Too many open files")

            with monkeypatch.context() as patch:
                patch.setattr(f"galley.sim.boards.{call}", refuse)
                assert board.pid is not None
                os.kill(board.pid, signal.SIGKILL)
                await board.until(lambda: len(refused) >= 2)
            await board.until(lambda: board.port is not None)
            assert len(os.listdir("/proc/self/fd")) == before

    played(test)


@pytest.mark.parametrize(("role", "key"), [("left", 12), ("deck", 6), ("left", -1)])
def test_a_key_that_a_board_has_not_is_refused(role: str, key: int) -> None:
    with pytest.raises(ValueError, match=f"{role} has no key {key}"):
        boards.pin_of(role, key)


def test_a_box_starts_its_boards_together_and_leaves_none() -> None:
    async def test() -> None:
        box = SimulatedBox(ROLES)
        await box.start()
        pids = [board.pid for board in box.boards.values()]
        assert len({board.port for board in box.boards.values()}) == 3
        await box.stop()
        assert not any(pid is not None and alive(pid) for pid in pids)

    played(test)


# -- no orphans ----------------------------------------------------------------------------------------

PARENT = """
import asyncio, sys
from galley.sim.boards import SimulatedBox

async def main():
    box = SimulatedBox(["left", "right", "deck"])
    {start}
    print(*(board.pid for board in box.boards.values()), flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""
STARTED = "await box.start()"
STARTING = "[board.plug() for board in box.boards.values()]"


@pytest.mark.parametrize("start", [STARTED, STARTING], ids=["running", "starting"])
@pytest.mark.parametrize("stopped", [False, True], ids=["", "stopped"])
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM], ids=["kill", "term"])
def test_no_board_outlives_its_host(start: str, stopped: bool, end: signal.Signals) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT.format(start=start)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert parent.stdout is not None
    with parent, parent.stdout:
        children = [int(word) for word in parent.stdout.readline().split()]
        assert len(children) == 3
        if stopped:
            os.kill(children[0], signal.SIGSTOP)
        parent.send_signal(end)
        parent.wait(PATIENCE_S)
    try:
        assert eventually(lambda: not any(alive(child) for child in children))
    finally:
        for child in children:
            if alive(child):
                os.kill(child, signal.SIGKILL)
