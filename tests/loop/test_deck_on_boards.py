"""The deck whole: simulated pins under the real firmware, behind a real port, on the host's own link."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from itertools import count

from galley.connection import Connection
from galley.deck_physics import Physics
from galley.link_events import KeyEdge, LinkEvent, LinkState
from galley.ports import BoardPort
from galley.sim.boards import SimulatedBoard
from galley.sim.deck_rig import SimDeck
from galley.tables.table import BoardView, DeckView
from galley_board import deck_codes, faults, pins
from galley_engine.dice import Dice

PATIENCE_S = 15.0
GUARD, HOME, WELL_GREEN = 15, 16, 11
HOLES = range(6, 10)


class Rigged:
    """A simulated deck with a host's connection to it."""

    def __init__(self) -> None:
        self.edges: list[tuple[int, bool]] = []
        self.pwm: list[tuple[float, int, int]] = []
        self._news = asyncio.Event()
        self.board = SimulatedBoard("deck", on_change=lambda _: self._news.set(), replug_s=0.05)
        self.deck = SimDeck(self.board, Dice(3), reader=True)
        self.deck.turn_drum(4000)  # 76 half-steps before its home
        self._hear, self.board.rigging = self.deck.heard, self
        self.connection: Connection | None = None

    # what stands between the board and the deck, to see the pins as they change

    def wiring(self) -> list[dict[str, object]]:
        return self.deck.wiring()

    def unplugged(self) -> None:
        self.deck.unplugged()

    def heard(self, event: dict[str, object]) -> None:
        if event["ev"] in ("pin", "pwm"):
            level = event["value" if event["ev"] == "pin" else "duty"]
            assert isinstance(level, int)
            assert isinstance(event["pin"], int)
            self.pwm.append((time.monotonic(), event["pin"], level))
        self._hear(event)
        self._news.set()

    def take(self, connection: Connection, event: LinkEvent) -> None:
        if isinstance(event, KeyEdge):
            self.edges.append((event.key, event.down))
        self._news.set()

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait for something to become so; every event from below or above may make it so."""
        async with asyncio.timeout(PATIENCE_S):
            while not condition():
                self._news.clear()
                await self._news.wait()

    def show(self, deck: DeckView) -> None:
        assert self.connection is not None
        self.connection.show(*BoardView(deck=deck))

    @property
    def link(self) -> Connection:
        assert self.connection is not None
        return self.connection

    def report(self) -> tuple[str, str, str]:
        """What the deck says of its eye, drum and reader."""
        deck = self.link.link.deck
        if deck is None:
            return "", "", ""
        return deck_codes.EYE[deck.eye], deck_codes.DRUM[deck.drum], deck_codes.READER[deck.reader]

    def has_flag(self, bit: int) -> bool:
        """Whether the deck reports this flag."""
        return self.link.link.deck is not None and bool(self.link.link.deck.flags & bit)

    @property
    def driven(self) -> bool:
        """Whether there is current in the motor, by the pins as they were told."""
        levels = {pin: level for _, pin, level in self.pwm}
        names = ("EYE_IN1", "EYE_IN2", "EYE_nSLEEP")
        first, second, awake = (
            levels.get(int(pins.device_pin(pins.DECK, name).removeprefix("GP")), 0) for name in names
        )
        return bool(awake and (first or second))


@asynccontextmanager
async def rigged() -> AsyncIterator[Rigged]:
    """A deck that has started and is live."""
    rig = Rigged()
    try:
        await rig.board.start()
        assert rig.board.port is not None
        port = BoardPort(path=rig.board.port, identity="simulated deck", simulated=True, role="deck")
        rig.connection = Connection(port, count(7), rig.take)
        rig.connection.open()
        await rig.until(lambda: rig.link.state is LinkState.LIVE)
        yield rig
    finally:
        if rig.connection is not None:
            rig.connection.close()
        await rig.board.stop()


def played(test: Callable[[Rigged], object]) -> None:
    async def whole() -> None:
        async with rigged() as rig:
            done = test(rig)
            assert asyncio.iscoroutine(done)
            await done

    asyncio.run(whole())


def test_the_eye_turns_passes_home_pushes_droppings_and_stops() -> None:
    async def test(rig: Rigged) -> None:
        hello = rig.link.link.hello
        assert hello is not None
        wanted = ("lamps", "buzzer", "eye", "drum", "beams", "reader", "falls")
        assert [name for name, bit in pins.CAPS.items() if hello.caps & bit] == list(wanted)
        assert faults.names(hello.faults) == []
        rig.deck.deal(["red", "green", "blue", "yellow"] * 3, Physics(railings=0))
        rig.show(DeckView(eye=100))
        await rig.until(lambda: rig.edges.count((HOME, True)) >= 2)
        assert rig.report()[0] == "turning"
        assert rig.edges.count((HOME, False)) >= 1
        await rig.until(lambda: any(key in HOLES and down for key, down in rig.edges))
        assert len(rig.deck.sight().droppings) < 12
        assert rig.link.link.deck is not None
        assert rig.link.link.deck.doubt_deg < 180
        rig.show(DeckView())
        await rig.until(lambda: not rig.driven and rig.report()[0] == "still")

    played(test)


def test_the_drum_goes_to_a_face_while_the_eye_waits() -> None:
    async def test(rig: Rigged) -> None:
        rig.show(DeckView(eye=60))
        await rig.until(lambda: rig.driven)
        rig.show(DeckView(eye=60, drum=7))
        await rig.until(lambda: rig.report()[0] == "waiting" and rig.report()[1] in ("turning", "homing"))
        assert not rig.driven
        await rig.until(lambda: rig.report()[:2] == ("turning", "still"))
        assert rig.deck.face == "yellow"
        deck = rig.link.link.deck
        assert deck is not None
        assert deck.face == 7
        assert not deck.flags & deck_codes.SLIPPED

    played(test)


def test_an_open_guard_stops_the_motor_at_once_and_is_a_key() -> None:
    async def test(rig: Rigged) -> None:
        rig.show(DeckView(eye=80))
        await rig.until(lambda: rig.driven)
        opened_s = time.monotonic()
        rig.deck.open_guard(True)
        await rig.until(lambda: not rig.driven)
        assert rig.pwm[-1][0] - opened_s < 0.5
        await rig.until(lambda: (GUARD, True) in rig.edges and rig.report()[0] == "guarded")
        rig.deck.open_guard(False)
        await rig.until(lambda: rig.driven and (GUARD, False) in rig.edges)

    played(test)


def test_a_silent_host_stops_the_motor_within_two_seconds() -> None:
    async def test(rig: Rigged) -> None:
        rig.show(DeckView(eye=50))
        await rig.until(lambda: rig.driven)
        silent_s = time.monotonic()
        rig.link.close()
        await rig.until(lambda: not rig.driven)
        assert 1.0 < time.monotonic() - silent_s < 3.0

    played(test)


def test_the_reader_learns_the_colours_and_names_what_is_laid_in() -> None:
    async def test(rig: Rigged) -> None:
        for item, shown in ((5, None), (1, "red"), (2, "green"), (3, "blue"), (4, "yellow")):
            rig.deck.show_in_well(shown)
            rig.link.learn(item)
            taught = 1 << deck_codes.TAUGHT_SHIFT + item - 1
            await rig.until(partial(rig.has_flag, taught))
        rig.deck.show_in_well(None)
        await rig.until(lambda: rig.report()[2] == "empty")
        rig.deck.deal(["green"], Physics(railings=4))
        assert rig.deck.lift(0) == "green"
        rig.deck.lay_in_well(True)
        await rig.until(lambda: (WELL_GREEN, True) in rig.edges)
        assert rig.report()[2] == "green"
        rig.deck.keep()
        await rig.until(lambda: (WELL_GREEN, False) in rig.edges)

    played(test)
