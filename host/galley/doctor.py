"""`galley doctor`: looks at this machine and the boards, and says in plain sentences what to do.

For: the person whose box does not do what it should. Each check is one function that returns findings;
`examine` prints them and gives the exit status: 1 when anything is in the way of playing, else 0. It must
not change anything.

The last check is the real thing: a simulated station is started, opened like any port, and must say hello.
"""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import time
import webbrowser
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from typing import Final

from galley.box import Box, Watcher
from galley.ports import BoardPort, system_ports
from galley.serve import DEFAULT_PORT, CannotStart, bind, has_screen
from galley.sim.boards import SimulatedBoard, SimulationError
from galley.web.app import load_site

OK: Final = "ok"
NOTE: Final = "note"
FAIL: Final = "FAIL"

PACKAGES: Final = ("click", "pyserial", "starlette", "uvicorn", "websockets")
HELLO_WITHIN_S: Final = 10.0
LITTLE_SPACE_MB: Final = 50


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    level: str
    text: str


def examine(say: Callable[[str], object]) -> int:
    """Run all checks, `say` a line for each finding, return the exit status."""
    worst = 0
    for check in CHECKS:
        for finding in check():
            say(f"{finding.level:<5}{finding.text}")
            worst = max(worst, finding.level == FAIL)
    say("all well" if not worst else "something is in the way: see FAIL above")
    return worst


def python_version() -> Iterator[Finding]:
    """The interpreter and the machine."""
    yield Finding(OK, f"Python {platform.python_version()} on {platform.system()} {platform.machine()}")


def packages() -> Iterator[Finding]:
    """What Galley needs is installed."""
    found, missing = [], []
    for name in PACKAGES:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    if found:
        yield Finding(OK, f"packages: {', '.join(found)}")
    if missing:
        yield Finding(
            FAIL, f"packages missing: {', '.join(missing)}: delete .venv and run python3 host again"
        )


def pages() -> Iterator[Finding]:
    """The pages' files are all there."""
    try:
        site = load_site("doctor")
    except FileNotFoundError as error:
        yield Finding(FAIL, str(error))
        return
    size_kb = sum(len(file.body) for file in site.files.values()) / 1000
    yield Finding(OK, f"pages: {len(site.files)} files, {size_kb:.0f} kB")


def web_port() -> Iterator[Finding]:
    """The usual port is free."""
    try:
        bind(DEFAULT_PORT).close()
    except CannotStart as error:
        yield Finding(NOTE, str(error))
    else:
        yield Finding(OK, f"port {DEFAULT_PORT} is free")


def boards() -> Iterator[Finding]:
    """The boards on USB, and whether this person may open them."""
    found, without = system_ports()
    for board in without:
        yield Finding(
            FAIL,
            f"board {board.identity or 'of ours'}: no data port (found {board.console} only): "
            "copy boot.py to the board and press RESET",
        )
    for port in found:
        yield _port(port)
    if not found and not without:
        yield Finding(NOTE, "no board is plugged in: Galley plays on simulated boards")


def _port(port: BoardPort) -> Finding:
    if os.access(port.path, os.R_OK | os.W_OK):
        return Finding(OK, f"board {port.identity} at {port.path}")
    return Finding(
        FAIL,
        f"board {port.identity} at {port.path}: permission denied: "
        "run sudo usermod -aG dialout $USER, log out and in again",
    )


def browser() -> Iterator[Finding]:
    """Something that can show the pages."""
    if not has_screen():
        yield Finding(NOTE, "no screen in this session: open the pages from one that has, on this machine")
        return
    try:
        yield Finding(OK, f"browser: {webbrowser.get().__class__.__name__}")
    except webbrowser.Error:
        yield Finding(NOTE, "no browser found: install one, or open the pages by hand")


def disk() -> Iterator[Finding]:
    """Room on the disk."""
    free_mb = shutil.disk_usage(os.getcwd()).free // 1_000_000
    if free_mb < LITTLE_SPACE_MB:
        yield Finding(FAIL, f"only {free_mb} MB are free on this disk: make room")
    else:
        yield Finding(OK, f"{free_mb} MB are free on this disk")


def simulated_station() -> Iterator[Finding]:
    """A simulated station starts, is opened and says hello."""
    try:
        took_ms = asyncio.run(_hello_of_a_simulated_station())
    except (SimulationError, TimeoutError) as error:
        reason = str(error) or f"no hello within {HELLO_WITHIN_S:.0f} s"
        yield Finding(FAIL, f"simulated station: {reason}")
    else:
        yield Finding(OK, f"a simulated station said hello {took_ms:.0f} ms after it was plugged in")


async def _hello_of_a_simulated_station() -> float:
    changed = asyncio.Event()

    class Listener(Watcher):
        def changed(self) -> None:
            changed.set()

    box = Box(Listener())
    board = SimulatedBoard("left")
    began_s = time.monotonic()
    try:
        async with asyncio.timeout(HELLO_WITHIN_S):
            await board.start()
            box.port_appeared(BoardPort(str(board.port), "simulated", simulated=True, role="left"))
            while "left" not in box.live():
                changed.clear()
                await changed.wait()
        return (time.monotonic() - began_s) * 1000
    finally:
        box.close()
        await board.stop()


CHECKS: Final[tuple[Callable[[], Iterable[Finding]], ...]] = (
    python_version,
    packages,
    pages,
    disk,
    web_port,
    browser,
    boards,
    simulated_station,
)
