"""Two keys on two simulated boards, pressed at known instants: the firmware stamps, the host decides."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

from galley.house import House, HouseRules
from galley.link import PROBE_EVERY_NS, REST_EVERY_NS, UNSURE_EVERY_NS
from galley.serve import Host
from galley.sim.knobs import Knobs
from galley.starting import Settings, bind
from galley.tables.table import BELL, BOARDS, ROLL, Seat
from galley_engine.games import load
from tests.loop.box_process import PATIENCE_S, free_port

STARS = ["star", "star", "star", "shrimp", "shrimp", "shrimp"]
YUCKS = ["star", "star", "star", "yuck", "shrimp", "shrimp"]
AHEAD_NS = 60_000_000
HANGS_NS = 20_000_000


def start(left: list[str], right: list[str]) -> Any:
    """A duel in which these dice lie."""
    game = load("sushi_duel")
    free = [False] * 6
    setup = {
        "phase": "duel",
        "visible": [{"shrimp": 6}, {"salmon": 6}, {"roe": 6}],
        "stock": [{"octopus": 6}] * 4,
        "stations": {
            "left": {"seat": 0, "faces": left, "kept": free},
            "right": {"seat": 1, "faces": right, "kept": free},
        },
    }
    return game.start(2, game.options({}), None, setup)


async def presses(
    left: list[str],
    right: list[str],
    first: tuple[str, int],
    second: tuple[str, int],
    gap_ms: float,
    knobs: Knobs | None = None,
) -> House:
    """Press two keys `gap_ms` apart on boards that have been live for a while; the house afterwards."""
    port = free_port()
    rules = HouseRules(seed=1, demo=False)
    host = Host(Settings(port=port, sim=BOARDS, browser=False, rules=rules, knobs=knobs))
    with bind(port) as sock:
        running = asyncio.create_task(host.run(sock))
        try:
            house, box, keeper = host._house, host._box, host._racing.keeper
            await until(lambda: box.live() == set(BOARDS), running)
            now = time.monotonic_ns
            await until(
                lambda: all((keeper.standing(b, now()) or {}).get("state") == "good" for b in BOARDS), running
            )
            assert asked_every_ns(host) == {REST_EVERY_NS}
            house.begin([Seat("red"), Seat("blue")], now() // 1_000_000)
            assert house.session is not None
            house.session.state = start(left, right)
            house.tick(now() // 1_000_000)
            host._moved()
            assert asked_every_ns(host) <= {PROBE_EVERY_NS, UNSURE_EVERY_NS}
            simulated = host._plugging.simulated
            assert simulated is not None
            at_ns = now() + AHEAD_NS
            later_ns = at_ns + int(gap_ms * 1e6)
            for (board, key), when_ns in ((first, at_ns), (second, later_ns)):
                simulated.boards[board].press(key, True, at_ns=when_ns)
            # the board that was pressed first hangs meanwhile: its frame comes last
            hanging = simulated.boards[first[0]].pid
            assert hanging is not None
            await asyncio.sleep((at_ns - HANGS_NS - now()) / 1e9)
            os.kill(hanging, signal.SIGSTOP)
            await asyncio.sleep((later_ns + HANGS_NS - now()) / 1e9)
            os.kill(hanging, signal.SIGCONT)
            await until(lambda: any(news["key"] == "first" for news in news_of(house)), running)
            return house
        finally:
            host.stop()
            await asyncio.wait_for(running, PATIENCE_S)


def asked_every_ns(host: Host) -> set[int]:
    """How often the boards are asked for their time."""
    return {host._box._roles[board].link.probe_every_ns for board in BOARDS}


async def until(done: Callable[[], bool], running: asyncio.Task[None]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not done():
            assert not running.done()
            await asyncio.sleep(0.005)


def news_of(house: House) -> list[Any]:
    news: Any = house.topics()["news"]
    return list(news)


def told(house: House) -> dict[str, Any]:
    params: dict[str, Any] = next(news for news in news_of(house) if news["key"] == "first")["params"]
    return params


@pytest.mark.parametrize("first, second, winner", [("right", "left", 1), ("left", "right", 0)])
def test_the_first_bell_wins_although_the_other_arrives_first(first: str, second: str, winner: int) -> None:
    house = asyncio.run(presses(STARS, STARS, (first, BELL), (second, BELL), 8.0))
    assert house.session is not None
    assert house.session.state.won == (1 - winner, winner)
    verdict = told(house)
    assert verdict["race"] == "bell_bell"
    assert abs(float(verdict["gap"]) - 8.0) <= float(verdict["doubt"])
    assert float(verdict["doubt"]) < 5
    (number, kept), *_ = house.session.verdicts.items()
    assert house.session.steps[number - 1][1]["do"] == "bell"
    assert (kept.over, kept.heat) == (1 - winner, False)


def test_bells_that_nobody_can_tell_apart_are_a_dead_heat_decided_by_the_rules() -> None:
    house = asyncio.run(presses(STARS, STARS, ("right", BELL), ("left", BELL), 0.3))
    assert house.session is not None
    assert house.session.state.won == (1, 0), "equal platters: clockwise from seat 0"
    assert told(house)["race"] == "heat"


def test_a_roll_before_the_call_saves_the_dice() -> None:
    house = asyncio.run(presses(YUCKS, STARS, ("left", ROLL), ("right", 10), 9.0))
    verdict = told(house)
    assert (verdict["race"], verdict["by"], verdict["on"]) == ("roll_yuck", "red", "blue")


@pytest.mark.parametrize("first, second, winner", [("right", "left", 1), ("left", "right", 0)])
def test_with_edges_to_a_microsecond_1_ms_is_enough(first: str, second: str, winner: int) -> None:
    knobs = Knobs(settings=("GALLEY_EDGES=1",))
    house = asyncio.run(presses(STARS, STARS, (first, BELL), (second, BELL), 1.0, knobs))
    assert house.session is not None
    verdict = told(house)
    assert verdict["race"] == "bell_bell"
    assert house.session.state.won == (1 - winner, winner)
    assert abs(float(verdict["gap"]) - 1.0) <= float(verdict["doubt"]) < 1.0


def test_without_them_1_ms_is_a_dead_heat() -> None:
    house = asyncio.run(presses(STARS, STARS, ("right", BELL), ("left", BELL), 1.0))
    assert told(house)["race"] == "heat"
