"""How to run the box, and what can be in the way before it runs. No boards, no pages, no loop.

For: the settings of a start, the listening socket, and the sentence that says why there is none.
"""

from __future__ import annotations

import json
import os
import platform
import socket
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final

from galley import tables
from galley.evening import HouseRules
from galley.sim.knobs import Knobs
from galley.tables.table import Seat

ADDRESS: Final = "127.0.0.1"
EVERYWHERE: Final = "0.0.0.0"
DEFAULT_PORT: Final = 8765
ANSWER_S: Final = 1.0
ANSWER_BYTES: Final = 100_000


def has_screen() -> bool:
    """Whether a browser window could appear for whoever started this process."""
    if platform.system() == "Linux":
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True


class CannotStart(Exception):
    """The box cannot start here and now; the message says what is in the way and the remedy."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to run. `sim` None simulates all boards when none is found; `seats` start a game at once.

    `knobs` make simulated boards differ from usual ones.
    """

    port: int = DEFAULT_PORT
    sim: tuple[str, ...] | None = None
    connect: tuple[str, ...] = ()
    browser: bool = True
    rules: HouseRules = field(default_factory=HouseRules)
    seats: tuple[Seat, ...] = ()
    folder: Path | None = None  # where journal and settings are kept; None keeps nothing
    unjournalled: bool = False  # play on while the disk takes nothing
    lan: bool = False  # serve other machines too
    pin: str | None = None  # what they must know to do more than watch; None: one by chance
    knobs: Knobs | None = None
    log_level: str = "info"  # a word of `logs.LEVELS`


def bind(port: int, *, lan: bool = False) -> socket.socket:
    """A listening socket, on this machine only unless `lan`. CannotStart gives the reason and the remedy."""
    # with TCP named, asyncio switches Nagle's algorithm off, which would hold messages for 40 ms
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((EVERYWHERE if lan else ADDRESS, port))
        sock.listen(128)
    except OSError as error:
        sock.close()
        raise CannotStart(_busy_port(port, error)) from error
    return sock


def answer_of(port: int, path: str) -> Any:
    """What whoever listens at a port of this machine answers to `path`, as JSON; None if nothing of it."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f"http://{ADDRESS}:{port}/{path}", timeout=ANSWER_S) as answer:
            return json.loads(answer.read(ANSWER_BYTES))
    except (OSError, HTTPException, ValueError):
        return None


def galley_at(port: int) -> dict[str, Any] | None:
    """What a Galley that runs on this machine says of its health; None if whoever answers is none."""
    health = answer_of(port, "healthz")
    return health if isinstance(health, dict) and "galley" in health else None


def _busy_port(port: int, error: OSError) -> str:
    health = galley_at(port)
    if health is not None:
        return (
            f"Galley {health['galley']} runs here already (process {health.get('pid')}): "
            f"open http://{ADDRESS}:{port}/ or start with another --port"
        )
    why = (error.strerror or str(error)).lower()
    return f"port {port} cannot be used ({why}): stop the program that has it or start with another --port"


def seats_do_not_fit(game: str, seats: int) -> str | None:
    """What is wrong with so many seats at `game`; None if nothing is."""
    rules = tables.load(game).game
    if rules.min_seats <= seats <= rules.max_seats:
        return None
    return f"{game} takes {rules.min_seats} to {rules.max_seats} seats, not {seats}: name as many"


def seats_of(colours: Sequence[str], bots: Sequence[str], strength: str) -> tuple[Seat, ...]:
    """Seats by colour, those of `bots` (colour, or colour:strength) played by bots."""
    strengths = {}
    for bot in bots:
        colour, _, own = bot.partition(":")
        strengths[colour] = own or strength
    return tuple(Seat(colour, strengths.get(colour)) for colour in colours)
