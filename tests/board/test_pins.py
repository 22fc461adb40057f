"""Pins: the map of the chain and the wiring are the design's, and the README prints the same."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from galley.cli import galley
from galley.wiring import table
from galley_board import faults, pins, wire
from tests.board.workbench import FIRMWARE


def test_a_station_s_dice_fill_72_pixels_in_the_order_of_the_design() -> None:
    places = [
        pins.die_pixel(die, row, column)
        for die in range(8) for row in range(3) for column in range(3)
    ]  # fmt: skip
    assert sorted(places) == list(range(72))
    assert pins.die_pixel(0, 0, 0) == 0
    assert pins.die_pixel(3, 2, 2) == 35
    assert pins.die_pixel(4, 0, 0) == 36
    assert pins.die_pixel(5, 1, 2) == 53


@pytest.mark.parametrize("board", [pins.STATION, pins.DECK])
def test_parts_cover_the_chain_once(board: str) -> None:
    places = [place for part in pins.parts(board) for place in part]
    assert sorted(places) == list(range(pins.PIXELS[board]))


def test_lamps_follow_the_dice_in_the_order_of_the_keys() -> None:
    lamps = pins.parts(pins.STATION)[pins.DICE :]
    assert lamps == [[72 + key] for key in range(11)]
    assert [[pins.lamp_pixel(pins.STATION, key)] for key in range(11)] == lamps


def test_keys_are_wired_from_gp0_on_in_the_order_of_the_design() -> None:
    assert [pin for _, pin in pins.KEYS[pins.STATION]] == [f"GP{number}" for number in range(12)]
    assert [name for name, _ in pins.KEYS[pins.STATION]] == [
        *(f"KEEP{number}" for number in range(1, 9)), "ROLL", "BELL", "YUCK", "MODE",
    ]  # fmt: skip
    assert [name.split()[1] for name, _ in pins.KEYS[pins.DECK]] == [
        "red", "green", "blue", "yellow", "white", "violet",
    ]  # fmt: skip


@pytest.mark.parametrize("board", [pins.STATION, pins.DECK])
def test_no_pin_has_two_jobs(board: str) -> None:
    used = [pin for _, pin in pins.KEYS[board]] + [pin for _, pin in pins.DEVICES[board]]
    used += [pins.PIXEL_PIN, pins.BUZZER_PIN[board]]
    if board == pins.STATION:
        used += [pins.SIDE_PIN, pins.EXTERNAL_POWER_PIN[board]]
    assert len(set(used)) == len(used)


def test_the_two_buzzers_never_share_a_pwm_slice_with_another_output() -> None:
    def slice_of(pin: str) -> int:
        return int(pin.removeprefix("GP")) // 2 % 8

    assert slice_of(pins.BUZZER_PIN[pins.STATION]) == 3
    assert slice_of(pins.BUZZER_PIN[pins.DECK]) == 1


def test_the_readme_holds_the_table_that_the_command_prints() -> None:
    printed = CliRunner().invoke(galley, ["firmware", "wiring"]).output
    assert printed == table()
    assert printed in (FIRMWARE / "README.md").read_text(encoding="utf-8")


def test_the_readme_names_every_fault() -> None:
    readme = (FIRMWARE / "README.md").read_text(encoding="utf-8")
    for name, _, _ in faults.FAULTS:
        assert f"`{name}`" in readme, name


def test_faults_have_bits_of_their_own_below_the_key_number() -> None:
    bits = [bit for _, bit, _ in faults.FAULTS]
    assert sum(bits) == (1 << len(bits)) - 1
    assert max(bits) < 1 << faults.KEY_SHIFT


@pytest.mark.parametrize("key", [0, 8, 11, 16])
def test_a_fault_can_name_its_key_and_still_fits_the_wire(key: int) -> None:
    every = sum(bit for _, bit, _ in faults.FAULTS)
    held = faults.with_key(faults.with_key(every, 16), key)
    assert held <= wire.FAULTS_MAX
    assert faults.key_of(held) == key
    assert faults.names(held) == [name for name, _, _ in faults.FAULTS]
    assert faults.key_of(every) == -1
