"""What `galley doctor` looks at on the boards: ports, role, firmware, faults and clock of each.

For: `doctor`. Where a Galley runs, it holds the boards and is asked for how they stand; else every port of
ours is opened for a moment, as the host would, until its clock is known. It must not change what is on a
board.

The firmware is told by the 24 bits of a board's hello, which sum up the files that it runs.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from galley.box import WITHOUT_DATA, Box, Watcher
from galley.doctor_machine import Patient
from galley.findings import FAIL, NOTE, OK, Finding
from galley.link_events import Beat, TimeSample
from galley.ports import BoardPort, is_in_safe_mode, system_ports
from galley.sim.boards import SimulatedBoard, SimulationError, firmware_folder
from galley.starting import answer_of
from galley.timekeeper import Timekeeper
from galley_board import identity

LOOK_S: Final = 3.0
HELLO_WITHIN_S: Final = 10.0
ROUGH_CLOCK_US: Final = 5_000

Entry = Mapping[str, Any]

REMEDIES: Final[Mapping[str, str]] = {
    "board_absent": "plug it in",
    "board_gone": "plug it in again, or check its power supply",
    "board_silent": "press RESET on it, or plug it in again",
    "board_no_data_port": "copy boot.py to the board and press RESET",
    "board_safe_mode": "check its power supply, then press RESET on it",
    "board_in_bootloader": "press RESET on it; if it comes back there, copy CircuitPython to its drive",
    "board_wrong_side": "set GALLEY_ROLE in its settings.toml, or move its side strap",
    "board_mute": "press RESET on it; if that does not help, copy the firmware to it again",
    "board_role_unknown": "set GALLEY_ROLE in its settings.toml",
    "board_twice": "set another GALLEY_ROLE on one of the two, or unplug one",
    "port_busy": "close the program that has it (a second Galley, Thonny, a serial monitor)",
    "port_denied": "run sudo usermod -aG dialout $USER, log out and in again",
    "port_missing": "plug the board in",
    "port_broken": "unplug the board, plug it in again",
    "port_silent": "press RESET on it, or plug it in again",
}
"""What to do, by the key of a note of `box`."""


def bundled_firmware() -> str:
    """What boards with the files of this Galley say of their firmware, as `box` writes it."""
    return f"{identity.fingerprint(str(firmware_folder() / 'lib' / 'galley_board')):06x}"


def boards(patient: Patient) -> Iterator[Finding]:
    """The boards on USB, or those that the running Galley holds."""
    if patient.galley is not None:
        entries = answer_of(patient.port, "api/boards")
        for entry in entries or ():
            yield from _board(entry)
        return
    found, without = system_ports()
    for board in without:
        why = "safe_mode" if board.why == "no_data_port" and is_in_safe_mode(board.place) else board.why
        key = WITHOUT_DATA[why].key
        name = f"board {board.identity or 'of ours'} at {board.place}"
        yield Finding(FAIL, "board", f"{name}: {key.removeprefix('board_').replace('_', ' ')}", REMEDIES[key])
    allowed = [port for port in found if os.access(port.path, os.R_OK | os.W_OK)]
    for port in found:
        if port not in allowed:
            seen = f"board {port.identity} at {port.path}: permission denied"
            yield Finding(FAIL, "board", seen, REMEDIES["port_denied"])
    if allowed:
        entries = asyncio.run(look(allowed))
        for entry in entries:
            yield from _board(entry)
        answered = {entry["port"] for entry in entries}
        for port in allowed:
            if port.path not in answered:
                seen = f"board {port.identity} at {port.path} does not answer"
                yield Finding(FAIL, "board", seen, REMEDIES["board_silent"])
    if not found and not without:
        yield Finding(NOTE, "board", "no board is plugged in", "Galley plays on simulated boards")


def _board(entry: Entry) -> Iterator[Finding]:
    """One board that answers, or the note on why it does not."""
    name = f"board {entry['role']}" if entry["role"] != "unknown" else "a board"
    name += " (simulated)" if entry["simulated"] else f" {entry['identity']}" if entry["identity"] else ""
    note = entry["note"]
    if note is not None and entry["role"] != "unknown" and entry["port"] is None:
        mark, how = (FAIL, "is gone") if note["key"] == "board_gone" else (NOTE, "was not found")
        yield Finding(mark, "board", f"{name} {how}", REMEDIES[note["key"]])
        return
    if note is not None:
        where = entry["port"] or note["params"].get("port", "")
        yield Finding(
            FAIL,
            "board",
            f"{name} at {where}: {note['key'].replace('_', ' ')}",
            REMEDIES.get(note["key"], "plug it in again"),
        )
        return
    if entry["state"] != "live":
        yield Finding(FAIL, "board", f"{name} at {entry['port']} does not answer", REMEDIES["board_silent"])
        return
    yield Finding(OK, "board", f"{name} at {entry['port']}")
    yield _firmware(name, entry["firmware"])
    yield _clock(name, entry.get("clock"))
    for fault in entry["faults"]:
        yield Finding(FAIL, "fault", f"{name} reports {fault}", "the page /service says what to do about it")


def _firmware(name: str, firmware: str | None) -> Finding:
    bundled = bundled_firmware()
    if firmware == bundled:
        return Finding(OK, "firmware", f"{name}: firmware {firmware}, as this Galley's")
    return Finding(
        NOTE,
        "firmware",
        f"{name}: firmware {firmware}, this Galley's is {bundled}",
        "run galley firmware flash",
    )


def _clock(name: str, clock: Mapping[str, Any] | None) -> Finding:
    if clock is None or clock["state"] == "unsynchronised":
        return Finding(NOTE, "clock", f"{name}: its clock is not known", "plug it in directly, without a hub")
    seen = f"{name}: clock known to ± {clock['uncertainty_us'] / 1000:.2f} ms, drift {clock['drift_ppm']} ppm"
    if clock["uncertainty_us"] > ROUGH_CLOCK_US:
        return Finding(
            NOTE, "clock", seen, "plug it in directly, without a hub, and end what loads the machine"
        )
    return Finding(OK, "clock", seen)


# --- Looking --------------------------------------------------------------------------------------


class _Listener(Watcher):
    """A box that keeps the clocks, and wakes whoever waits for a change."""

    def __init__(self) -> None:
        self.box = Box(self)
        self.keeper = Timekeeper()
        self.news = asyncio.Event()

    def joined(self, board: str, boot_id: int) -> None:
        self.keeper.joined(board, boot_id, time.monotonic_ns(), self.box.clock_lag_us(board))

    def left(self, board: str) -> None:
        self.keeper.gone(board)

    def timing(self, board: str, event: Beat | TimeSample) -> None:
        if isinstance(event, Beat):
            self.keeper.beat(board, event)
        else:
            self.keeper.sample(board, event)
        self.news.set()

    def changed(self) -> None:
        self.news.set()


async def look(ports: Sequence[BoardPort], within_s: float = LOOK_S) -> list[dict[str, Any]]:
    """Open these ports until each has said what there is to say: the entries of the topic `boards`."""
    listener = _Listener()
    try:
        for port in ports:
            listener.box.port_appeared(port)
        try:
            async with asyncio.timeout(within_s):
                while not _all_said(entries := _entries(listener), len(ports)):
                    listener.news.clear()
                    await listener.news.wait()
        except TimeoutError:
            entries = _entries(listener)
        return entries
    finally:
        listener.box.close()


def _entries(listener: _Listener) -> list[dict[str, Any]]:
    now_ns = time.monotonic_ns()
    return [
        {**entry, "clock": listener.keeper.standing(entry["role"], now_ns)} for entry in listener.box.status()
    ]


def _all_said(entries: Sequence[Entry], ports: int) -> bool:
    """Whether every port has a board with a good clock, or a note."""
    named = [entry for entry in entries if entry["port"] is not None]
    return len(named) == ports and all(
        entry["note"] is not None
        or (entry["state"] == "live" and entry["clock"] is not None and entry["clock"]["state"] == "good")
        for entry in named
    )


def simulated_station(patient: Patient) -> Iterator[Finding]:
    """A simulated station starts, is opened and says hello."""
    try:
        took_ms = asyncio.run(_hello_of_a_simulated_station())
    except (SimulationError, TimeoutError) as error:
        reason = str(error) or f"no hello within {HELLO_WITHIN_S:.0f} s"
        yield Finding(FAIL, "simulation", f"simulated station: {reason}", "install galley again")
    else:
        seen = f"a simulated station said hello {took_ms:.0f} ms after it was plugged in"
        yield Finding(OK, "simulation", seen)


async def _hello_of_a_simulated_station() -> float:
    listener = _Listener()
    board = SimulatedBoard("left")
    began_s = time.monotonic()
    try:
        async with asyncio.timeout(HELLO_WITHIN_S):
            await board.start()
            listener.box.port_appeared(BoardPort(str(board.port), "simulated", simulated=True, role="left"))
            while "left" not in listener.box.live():
                listener.news.clear()
                await listener.news.wait()
        return (time.monotonic() - began_s) * 1000
    finally:
        listener.box.close()
        await board.stop()
