"""Which serial ports belong to boards of this box.

For: finding boards by what they say they are (USB strings set by `boot.py`), not by port names, which move.
It must not open a data port; a console only to hear whether its board has stopped in safe mode.

A board shows two serial interfaces under one USB serial number: the console, and the data port whose
interface string holds "CDC2". Only the data port carries frames. Where the system does not tell interface
strings (macOS, Windows) the later of the two is the data port.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final, Protocol

MANUFACTURER: Final = "Galley"
MAKER_OF_THE_CHIP: Final = "Raspberry Pi"
"""What CircuitPython says on a Pico until `boot.py` has said otherwise."""
CONSOLE_INTERFACE: Final = "CircuitPython CDC "
DATA_INTERFACE: Final = "CDC2"
BOOTLOADER: Final = {("2e8a", "0003"), ("2e8a", "000f")}
"""USB vendor and product of an RP2040 and an RP2350 that wait for firmware."""
BOOT_DRIVES: Final = ("RPI-RP2", "RP2350")
USB_DEVICES: Final = Path("/sys/bus/usb/devices")
DRIVES: Final = Path("/dev/disk/by-label")
SAFE_MODE: Final = b"safe mode"
CONSOLE_S: Final = 1.0
CONSOLE_BYTES: Final = 4096


class SystemPort(Protocol):
    """What pyserial tells about a port (`serial.tools.list_ports_common.ListPortInfo`)."""

    device: str
    manufacturer: str | None
    serial_number: str | None
    interface: str | None


@dataclass(frozen=True, slots=True)
class BoardPort:
    """A port to open.

    `identity` is the board's USB serial number, "" where there is none. A simulated board tells its `pid` and
    its `role` beforehand.
    """

    path: str
    identity: str
    simulated: bool = False
    pid: int | None = None
    role: str | None = None

    @property
    def known_as(self) -> str:
        """What a person can find the board by: its identity, or where it is."""
        return self.identity or self.path


@dataclass(frozen=True, slots=True)
class BoardWithoutData:
    """A board that offers no data port, at a console or, in its bootloader, at a drive or a USB place.

    `why`: `no_data_port` (`boot.py` did not run), `safe_mode` or `bootloader`.
    """

    identity: str
    place: str
    why: str = "no_data_port"


def sort_out(ports: Sequence[SystemPort]) -> tuple[list[BoardPort], list[BoardWithoutData]]:
    """The data ports of our boards, and the boards that have none.

    A Pico that runs CircuitPython under its maker's name has no `boot.py`, or has stopped in safe mode.
    """
    ours = sorted(
        (port for port in ports if port.manufacturer == MANUFACTURER),
        key=lambda port: (port.serial_number or "", port.device),
    )
    found: list[BoardPort] = []
    without: list[BoardWithoutData] = []
    for identity, group in groupby(ours, key=lambda port: port.serial_number or ""):
        data = _data_port(list(group))
        if isinstance(data, str):
            without.append(BoardWithoutData(identity, data))
        else:
            found.append(BoardPort(data.device, identity))
    without += [
        BoardWithoutData(port.serial_number or "", port.device)
        for port in sorted(ports, key=lambda port: port.device)
        if port.manufacturer == MAKER_OF_THE_CHIP and CONSOLE_INTERFACE in (port.interface or "")
    ]
    return found, without


def _data_port(ports: Sequence[SystemPort]) -> SystemPort | str:
    named = [port for port in ports if DATA_INTERFACE in (port.interface or "")]
    if named:
        return named[0]
    if len(ports) > 1 and not any(port.interface for port in ports):
        return ports[-1]
    return ports[0].device


def system_ports() -> tuple[list[BoardPort], list[BoardWithoutData]]:
    """The same for the ports this machine has now."""
    from serial.tools import list_ports  # takes 20 ms to import and is not needed for simulated boards

    found, without = sort_out(list_ports.comports())
    return found, [*without, *in_bootloader()]


def in_bootloader(devices: Path = USB_DEVICES, drives: Path = DRIVES) -> list[BoardWithoutData]:
    """Boards that wait for firmware: they have no serial port, but a place on USB and a drive."""
    places = [place.name for place in sorted(devices.glob("*")) if _usb_id(place) in BOOTLOADER]
    labels = [name for name in BOOT_DRIVES if (drives / name).exists()]
    return [BoardWithoutData("", place, "bootloader") for place in places or labels]


def _usb_id(place: Path) -> tuple[str, str]:
    try:
        vendor, product = ((place / name).read_text().strip() for name in ("idVendor", "idProduct"))
    except OSError:
        return ("", "")
    return (vendor, product)


def is_in_safe_mode(console: str) -> bool:
    """Whether a board says so at its console. Takes up to CONSOLE_S; call it off the event loop."""
    import serial

    from galley.serial_port import OPEN_ERRORS

    heard = b""
    try:
        with serial.Serial(console, timeout=CONSOLE_S / 4, exclusive=True) as port:
            end_s = time.monotonic() + CONSOLE_S
            while SAFE_MODE not in heard.lower() and time.monotonic() < end_s and len(heard) < CONSOLE_BYTES:
                heard += port.read(port.in_waiting or 1)
    except OPEN_ERRORS:
        return False
    return SAFE_MODE in heard.lower()
