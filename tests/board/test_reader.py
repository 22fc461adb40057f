"""The reader well: colours as they were taught, "unsure" rather than wrong, kept over a restart."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley.sim.deck_rig import LIGHT
from galley_board import deck_codes, wire
from galley_board.reader import ADDRESS, AGREE, KEPT_BYTES, MARK, PLACE, READ_MS, RETRY_MS, Reader

Light = tuple[int, int, int, int]
COLOURS = ("red", "green", "blue", "yellow")
EMPTY = LIGHT[None]
START_MS = wire.TICKS_MS_PERIOD - 1000


class Sensor:
    """A TCS34725 as the bus shows it."""

    def __init__(self) -> None:
        self.light: Light = EMPTY
        self.chip = 0x44
        self.there = True
        self.registers = bytearray(32)

    def _at(self, address: int, buffer: bytearray) -> int:
        if not self.there or address != ADDRESS:
            raise OSError(19, "No such device")
        assert buffer[0] & 0x80, "the command bit"
        return buffer[0] & 0x1F

    def writeto(self, address: int, buffer: bytearray) -> None:
        self.registers[self._at(address, buffer)] = buffer[1]

    def writeto_then_readfrom(self, address: int, out_buffer: bytearray, in_buffer: bytearray) -> None:
        register = self._at(address, out_buffer)
        self.registers[0x12] = self.chip
        for channel, count in enumerate(self.light):
            self.registers[0x14 + 2 * channel : 0x16 + 2 * channel] = count.to_bytes(2, "little")
        in_buffer[:] = self.registers[register : register + len(in_buffer)]


class Well:
    """A reader with its sensor, looked at every millisecond."""

    def __init__(self, nvm: bytearray | None = None) -> None:
        self.sensor = Sensor()
        self.nvm = bytearray(b"\xff" * 256) if nvm is None else nvm
        self.reader = Reader(self.sensor, self.nvm)
        self.ms = 0

    def run(self, ms: int) -> None:
        for _ in range(ms):
            self.reader.poll((START_MS + self.ms) % wire.TICKS_MS_PERIOD)
            self.ms += 1

    def lay(self, light: Light) -> str:
        """What the reader says of this light after a while."""
        self.sensor.light = light
        self.run((AGREE + 2) * READ_MS)
        return deck_codes.READER[self.reader.state]

    def teach(self) -> None:
        for colour in (None, *COLOURS):
            self.sensor.light = LIGHT[colour]
            self.reader.learn(deck_codes.WELL.index(colour or "empty"))


def taught() -> Well:
    well = Well()
    well.teach()
    return well


def mixed(one: Light, other: Light, percent: int) -> Light:
    a, b, c, d = ((x * (100 - percent) + y * percent) // 100 for x, y in zip(one, other, strict=True))
    return a, b, c, d


def dimmed(light: Light, percent: int) -> Light:
    return mixed((0, 0, 0, 0), light, percent)


def test_untaught_it_says_so_and_names_no_colour() -> None:
    well = Well()
    assert well.lay(LIGHT["red"]) == "untaught"
    for colour in COLOURS:
        well.sensor.light = LIGHT[colour]
        well.reader.learn(deck_codes.WELL.index(colour))
    assert well.lay(LIGHT["red"]) == "untaught", "the empty well was not shown yet"
    assert well.reader.taught == 0b01111


@pytest.mark.parametrize("colour", COLOURS)
def test_each_colour_is_known_again_and_an_empty_well_is_empty(colour: str) -> None:
    well = taught()
    assert well.lay(LIGHT[colour]) == colour
    assert well.lay(EMPTY) == "empty"


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize("percent", [60, 80, 120, 150])
def test_a_colour_lit_otherwise_is_the_same_colour(colour: str, percent: int) -> None:
    assert taught().lay(dimmed(LIGHT[colour], percent)) == colour


@settings(deadline=None)
@given(
    st.sampled_from(COLOURS), st.sampled_from(COLOURS), st.integers(0, 100), st.integers(1, 200), st.data()
)
def test_what_is_between_two_colours_is_one_of_them_or_unsure_never_a_third(
    one: str, other: str, percent: int, bright: int, data: st.DataObject
) -> None:
    said = taught().lay(dimmed(mixed(LIGHT[one], LIGHT[other], percent), bright))
    grey = {"empty", "unsure"}
    assert said in {one, other} | grey, said


@pytest.mark.parametrize(
    "light",
    [(0, 0, 0, 0), (10, 9, 0, 0), (600, 200, 200, 200), (900, 60, 300, 300), (65535, 65535, 65535, 65535)],
)
def test_what_is_like_none_of_them_is_unsure(light: Light) -> None:
    assert taught().lay(light) == "unsure"


def test_the_middle_between_two_colours_is_unsure() -> None:
    assert taught().lay(mixed(LIGHT["red"], LIGHT["blue"], 50)) == "unsure"


def test_one_odd_reading_changes_nothing() -> None:
    well = taught()
    well.lay(LIGHT["blue"])
    well.sensor.light = LIGHT["red"]
    well.run(READ_MS)
    well.sensor.light = LIGHT["blue"]
    for _ in range(400):
        well.run(1)
        assert deck_codes.READER[well.reader.state] == "blue"


def test_what_was_taught_outlives_a_restart() -> None:
    first = taught()
    second = Well(first.nvm)
    assert second.reader.taught == 0b11111
    assert second.lay(LIGHT["green"]) == "green"
    second.reader.learn(deck_codes.WELL_FORGET)
    assert Well(first.nvm).lay(LIGHT["green"]) == "untaught"


@settings(deadline=None)
@given(st.integers(0, KEPT_BYTES - 1), st.integers(1, 255))
def test_one_spoiled_byte_in_memory_is_not_believed(at: int, change: int) -> None:
    nvm = taught().nvm
    nvm[PLACE + at] ^= change
    assert Well(nvm).reader.taught == 0


@settings(deadline=None)
@given(st.binary(min_size=256, max_size=256))
def test_any_memory_is_survived(data: bytes) -> None:
    nvm = bytearray(data)
    nvm[PLACE] = MARK
    well = Well(nvm)
    well.run(200)
    assert nvm[:PLACE] == data[:PLACE], "the resets of safe mode are counted there"


def test_a_reader_that_stops_answering_is_lost_and_found_again() -> None:
    well = taught()
    assert well.lay(LIGHT["red"]) == "red"
    well.sensor.there = False
    well.run(READ_MS + 1)
    assert well.reader.lost
    assert deck_codes.READER[well.reader.state] == "missing"
    well.reader.learn(1)
    well.sensor.there = True
    well.run(RETRY_MS + 5 * READ_MS)
    assert deck_codes.READER[well.reader.state] == "red"
    assert well.sensor.registers[0] == 0x03, "it was switched on again"


def test_another_chip_at_its_address_is_no_reader() -> None:
    sensor = Sensor()
    sensor.chip = 0x90
    assert not Reader(sensor, bytearray(256)).there


@pytest.mark.parametrize("bus", [None, SimpleNamespace()])
def test_without_a_bus_or_an_answer_there_is_no_reader(bus: Any) -> None:
    if bus is not None:
        bus = Sensor()
        bus.there = False
    reader = Reader(bus, bytearray(256))
    reader.poll(0)
    reader.learn(3)
    assert not reader.there
    assert reader.state == deck_codes.READER_MISSING
