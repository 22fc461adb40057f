"""Finding boards by what they say they are, in whatever order and under whatever names they appear."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import pytest
import serial

from galley.ports import BoardPort, BoardWithoutData, is_in_safe_mode, sort_out
from galley.serial_port import OPEN_ERRORS


@dataclass
class Port:
    """What pyserial tells about a port."""

    device: str
    manufacturer: str | None = "Galley"
    serial_number: str | None = "E661"
    interface: str | None = None


CONSOLE = Port("/dev/ttyACM0", interface="CircuitPython CDC control")
DATA = Port("/dev/ttyACM1", interface="CircuitPython CDC2 control")
OTHER_DATA = Port("/dev/ttyACM3", serial_number="E662", interface="CircuitPython CDC2 control")
STRANGERS = [Port("/dev/ttyUSB0", "FTDI", "A1"), Port("/dev/ttyS0", None, None)]


def test_the_data_port_is_taken_and_the_console_left_to_people() -> None:
    for ports in permutations([CONSOLE, DATA, OTHER_DATA, *STRANGERS]):
        found, without = sort_out(ports)
        assert found == [BoardPort("/dev/ttyACM1", "E661"), BoardPort("/dev/ttyACM3", "E662")]
        assert without == []


def test_a_board_with_a_console_only_is_named() -> None:
    assert sort_out([CONSOLE, *STRANGERS]) == ([], [BoardWithoutData("E661", "/dev/ttyACM0")])


def test_without_interface_names_the_later_of_two_ports_is_the_data_port() -> None:
    nameless = [Port("/dev/cu.usbmodem3"), Port("/dev/cu.usbmodem1")]
    assert sort_out(nameless) == ([BoardPort("/dev/cu.usbmodem3", "E661")], [])
    assert sort_out(nameless[:1]) == ([], [BoardWithoutData("E661", "/dev/cu.usbmodem3")])


def test_strangers_are_never_opened() -> None:
    assert sort_out(STRANGERS) == ([], [])


@pytest.mark.parametrize("kind", OPEN_ERRORS)
def test_a_console_that_goes_while_it_is_opened_says_nothing(
    kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise kind("gone")

    monkeypatch.setattr(serial, "Serial", gone)
    assert not is_in_safe_mode("/dev/ttyACM0")
