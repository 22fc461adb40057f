"""Which serial ports belong to boards of this box.

For: finding boards by what they say they are (USB strings set by `boot.py`), not by port names, which move.
It must not open anything.

A board shows two serial interfaces under one USB serial number: the console, and the data port whose
interface string holds "CDC2". Only the data port carries frames. Where the system does not tell interface
strings (macOS, Windows) the later of the two is the data port.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Protocol

MANUFACTURER: Final = "Galley"
DATA_INTERFACE: Final = "CDC2"


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


@dataclass(frozen=True, slots=True)
class BoardWithoutData:
    """A board of ours that offers no data port: `boot.py` did not run."""

    identity: str
    console: str


def sort_out(ports: Iterable[SystemPort]) -> tuple[list[BoardPort], list[BoardWithoutData]]:
    """The data ports of our boards, and the boards that have none."""
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

    return sort_out(list_ports.comports())
