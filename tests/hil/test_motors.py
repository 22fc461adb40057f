"""The lines of the deck's motors: driven when asked, off when time is up, the host silent, the guard open."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from galley.tables.table import BoardView, DeckView
from galley_board import pins, wire
from tests.board.playground import Host
from tests.hil.rig import Pin
from tests.hil.table import Board, Table

pytestmark = pytest.mark.hil

EYE = ("EYE_IN1", "EYE_IN2", "EYE_nSLEEP")
COILS = ("DIE_IN1", "DIE_IN2", "DIE_IN3", "DIE_IN4")
SHORT_MS = 700
DARK_MS = 2000
LATE_MS = 400
GUARD_MS = 100


def watched(table: Table, deck: Board, names: tuple[str, ...]) -> list[Pin]:
    """Have the rig tell these lines of the deck; skips where it cannot."""
    lines = [deck.device_pin(name) for name in names]
    table.rig.watch("deck", [pin for _, pin in lines])
    return lines


def high(table: Table, lines: list[Pin]) -> bool:
    return any(table.rig.levels.get(line) for line in lines)


def driven_ms(table: Table, lines: list[Pin]) -> float:
    """From when the first of these lines rose to when the last one fell."""
    moves = [(t_us, value) for t_us, pin, value in table.rig.seen if pin in lines]
    rose_us = min(t_us for t_us, value in moves if value)
    fell_us = max(t_us for t_us, value in moves if not value)
    return (fell_us - rose_us) / 1000


@asynccontextmanager
async def raw_deck(table: Table) -> AsyncIterator[tuple[Host, list[Pin]]]:
    """The deck's port for oneself, so that nothing is asked anew, and the lines of its eye's motor."""
    lines = watched(table, table.board("deck"), EYE)[:2]
    await table.until(lambda: not high(table, lines))
    table.rig.seen.clear()
    async with table.raw("deck") as host:
        yield host, lines


async def test_the_eye_stops_when_its_time_is_up(table: Table) -> None:
    async with raw_deck(table) as (host, lines):
        host.send("e", wire.STILL + 60, SHORT_MS)
        await table.until(lambda: high(table, lines))
        end_s = time.monotonic() + (SHORT_MS + LATE_MS) / 1000
        while time.monotonic() < end_s:
            host.send("t", 1)  # the host is there all the time
            await host.next("T")
        await table.until(lambda: not high(table, lines))
        assert driven_ms(table, lines) <= SHORT_MS + LATE_MS


async def test_the_eye_stops_when_the_host_falls_silent(table: Table) -> None:
    async with raw_deck(table) as (host, lines):
        host.send("e", wire.STILL - 60, wire.RUN_MAX_MS)
        await table.until(lambda: high(table, lines))
        await table.until(lambda: not high(table, lines))
        assert DARK_MS / 2 <= driven_ms(table, lines) <= DARK_MS + LATE_MS


async def test_the_eye_stops_at_once_when_the_guard_opens(table: Table) -> None:
    deck = table.board("deck")
    guard = deck.device_pin("GUARD")
    lines = watched(table, deck, EYE)[:2]
    deck.show(BoardView(deck=DeckView(eye=50)))
    await table.until(lambda: high(table, lines))
    before = len(table.rig.seen)
    table.rig.pin(*guard, None)
    try:
        await table.until(lambda: not high(table, lines))
        opened = pins.FIRST_SENSOR_KEY + pins.SENSOR_KEYS.index("guard open")
        await deck.until(lambda: (opened, True) in deck.told())
        assert len(table.rig.seen) > before
    finally:
        deck.show(BoardView())
        table.rig.pin(*guard, 0)
    await deck.until(lambda: (opened, False) in deck.told())
    assert not high(table, lines)


async def test_the_drum_s_coils_move_only_while_the_eye_stands(table: Table) -> None:
    deck = table.board("deck")
    coils = watched(table, deck, COILS)
    eye = watched(table, deck, EYE)[:2]
    deck.show(BoardView(deck=DeckView(eye=40, drum=2)))
    await table.until(lambda: high(table, coils) or high(table, eye))
    await table.until(lambda: high(table, coils))
    assert not high(table, eye)
    deck.show(BoardView())
    await table.until(lambda: not high(table, coils))


async def test_a_pass_of_home_is_told(table: Table) -> None:
    deck = table.board("deck")
    home = pins.FIRST_SENSOR_KEY + pins.SENSOR_KEYS.index("eye home")
    table.rig.pulse([deck.device_pin("EYE_HOME")], 60_000)
    await deck.until(lambda: len(deck.edges) >= 2)
    assert deck.told() == [(home, True), (home, False)]
