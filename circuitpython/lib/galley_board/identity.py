"""Who this board is: its role, this start of it, and the files it runs.

For: the numbers of the hello frame. It must not touch a pin except the side strap's value, which it
is given.

`boot_id` is random and new at each start, so the host sees that a board began anew. `fingerprint`
sums up the firmware's files, so the host sees a board that runs others than its own.
"""

import os
from binascii import crc32

from galley_board import faults, pins, wire

NO_STRAP = -1
LEFT = 1


def role_of(setting: "object") -> int:
    """The role's number in `wire.ROLES` for what settings.toml says, 0 when it says none."""
    if setting and setting in wire.ROLES:
        return wire.ROLES.index(str(setting))
    return 0


def role_fault(role: int, strap: int) -> int:
    """The fault, or 0, of a role and the level of the side strap (NO_STRAP where there is none)."""
    if role == 0:
        return faults.ROLE_UNKNOWN
    if pins.BOARD_OF_ROLE[wire.ROLES[role]] != pins.STATION or strap == NO_STRAP:
        return 0
    return 0 if (wire.ROLES[role] == "left") == (strap == LEFT) else faults.ROLE_STRAP


def new_boot_id() -> int:
    """A random number from 1 to BOOT_ID_MAX."""
    noise = os.urandom(3)
    return (noise[0] << 16 | noise[1] << 8 | noise[2]) % wire.BOOT_ID_MAX or wire.BOOT_ID_MAX


def fingerprint(folder: str) -> int:
    """24 bits over the names and contents of the files in `folder` that a board runs."""
    summed = 0
    chunk = bytearray(512)
    view = memoryview(chunk)
    for name in sorted(os.listdir(folder)):
        if not (name.endswith(".py") or name.endswith(".mpy")):
            continue
        summed = crc32(name.encode(), summed)
        with open(folder + "/" + name, "rb") as file:
            while True:
                count = file.readinto(chunk)
                if not count:
                    break
                summed = crc32(view[:count], summed)
    return summed & wire.FIRMWARE_MAX
