"""The box in the network of the house: which names and addresses it has there, and its address as a picture.

For: `--lan`. It looks only at this machine; nothing is sent anywhere.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import socket
import struct
from collections.abc import Sequence
from typing import Final

SIOCGIFADDR: Final = 0x8915  # linux/sockios.h
IFREQ_BYTES: Final = 256


def addresses() -> list[str]:
    """The IPv4 addresses of this machine's interfaces, without the loopback's."""
    found: dict[str, None] = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            with contextlib.suppress(OSError):  # an interface without an address
                asked = struct.pack(f"{IFREQ_BYTES}s", name.encode()[:15])
                answer = fcntl.ioctl(probe.fileno(), SIOCGIFADDR, asked)
                found[socket.inet_ntoa(answer[20:24])] = None
    return [address for address in found if not address.startswith("127.")]


def names(own: Sequence[str]) -> frozenset[str]:
    """All names under which others may reach this machine: `own` addresses, its host name, that of mDNS."""
    host = socket.gethostname().lower()
    short = host.partition(".")[0]
    return frozenset({*own, host, short, f"{short}.local"})


def qr_rows(text: str) -> list[str]:
    """`text` as a QR code: one string of 0 and 1 (dark) per row, with the quiet zone."""
    import segno

    return ["".join("1" if dark else "0" for dark in row) for row in segno.make(text).matrix_iter(border=4)]


def qr_terminal(text: str) -> str:
    """`text` as a QR code for a terminal, two rows of it to a line."""
    import segno

    out = io.StringIO()
    segno.make(text).terminal(out=out, compact=True)
    return out.getvalue()
