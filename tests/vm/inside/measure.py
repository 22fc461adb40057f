"""What the firmware costs on the second Python: memory of its imports and of every turn. MicroPython only.

Arguments: `imports`, or a role, one of HAPPENINGS, and how many turns. Prints one JSON object.

What `gc.mem_alloc` gains in a turn is what that turn allocated: nothing collects in between, but for the
turn that does so on purpose, once a second, which is counted by itself. Board time goes on by a millisecond
a turn. A turn is *quiet* when no byte came or went, no key moved and no pixel changed.
"""

import sys

sys.path[:] = [path for path in sys.path if path.endswith("standins") or path.endswith("lib")]

import gc  # noqa: E402
import json  # noqa: E402

import board  # noqa: E402
import parts  # noqa: E402
import rom  # noqa: E402
import usb_cdc  # noqa: E402
from rig import rig  # noqa: E402

TURN_US = 1000


def imports() -> dict:
    """How much the whole firmware keeps, with what it takes from the library.

    Collects every 16 KB: a first collection with the heap full, in the middle of a compilation, takes what lies
    about for used, and whether one falls there depends on the length of a path.
    """
    gc.threshold(16 * 1024)
    gc.collect()
    before = gc.mem_alloc()
    import neopixel  # noqa: F401
    from galley_board import deck, identity, recovery, start, station  # noqa: F401

    gc.collect()
    return {"imports": gc.mem_alloc() - before, "rom": rom.USED}


class Port:
    """A data port between arrays: what the host sends is put in, what the board writes is counted."""

    def __init__(self) -> None:
        self.timeout = None
        self.write_timeout = None
        self.connected = True
        self.in_waiting = 0
        self.moved = 0
        self._data = b""

    def send(self, data: bytes) -> None:
        """Have these bytes there to be read."""
        self._data = data
        self.in_waiting = len(data)

    def readinto(self, buf) -> int:
        """All of it at once."""
        count = self.in_waiting
        for at in range(count):
            buf[at] = self._data[at]
        self.in_waiting = 0
        self.moved += count
        return count

    def write(self, buf) -> int:
        """All of it at once."""
        self.moved += len(buf)
        return len(buf)


class Clock:
    """Real time as this file moves it."""

    us = rig.clock()


class Host:
    """What the other end sends, made before the turn that reads it."""

    def __init__(self, port: Port) -> None:
        from galley_board import wire

        self._wire = wire
        self._port = port
        self._seq = 0

    def send(self, kind: str, *fields: int) -> None:
        """Have one frame there for the next turn."""
        self._port.send(self._wire.encode(kind, self._seq, *fields))
        self._seq = (self._seq + 1) % 100


def live(turn: int, host: Host) -> None:
    """A host that is there and asks for the time now and then, as it does all evening."""
    if turn % 500 == 250:
        host.send("t", turn)


def silent(turn: int, host: Host) -> None:
    """A host that has gone: the board waits."""


def probes(turn: int, host: Host) -> None:
    """A host that asks for the time as fast as it ever does."""
    if turn % 20 == 10:
        host.send("t", turn)


def edges(turn: int, host: Host) -> None:
    """A hand that hammers on a key."""
    live(turn, host)
    if turn % 100 == 0:
        rig.set_pin(PIN, 0)
    elif turn % 100 == 50:
        rig.set_pin(PIN, None)


def faces(turn: int, host: Host) -> None:
    """Dice that tumble and lamps that pulse."""
    if turn % 500 == 10:
        host.send("d", *[10 * 8 + 2] * 8)
    elif turn % 500 == 12:
        host.send("l", *[4 * 5 + 1] * 11)


def eye(turn: int, host: Host) -> None:
    """An eye that turns, its home passing by, and a drum that goes to another face."""
    if turn % 1000 == 10:
        host.send("e", 160, 3000)
    elif turn == 2000:
        host.send("m", 3)
    elif turn == 2005:
        host.send("p", 4 * 5, 2, 21, 21, 21, 21)
    if turn % 800 == 0:
        rig.set_pin(HOME, 0)
    elif turn % 800 == 40:
        rig.set_pin(HOME, None)


HAPPENINGS = {
    "live": live, "silent": silent, "probes": probes, "edges": edges, "faces": faces, "eye": eye
}  # fmt: skip


def turns(role: str, happens: str, count: int) -> dict:
    """Play a board for so many turns."""
    from galley_board import deck, identity, pins, station

    global PIN, HOME
    port = Port()
    usb_cdc.data = port
    rig.settings["GALLEY_ROLE"] = role
    if role == "deck":
        wire_deck(pins)
        HOME = pin_number(pins.device_pin("deck", "EYE_HOME"))
    elif role == "right":
        rig.set_pin(pin_number(pins.SIDE_PIN), 0)
    PIN = pin_number(pins.KEYS[pins.BOARD_OF_ROLE[role]][0][1])
    loop = (deck if role == "deck" else station).loop(identity.role_of(role))
    rig.clock = now_us
    rig.pause_us = pass_us
    Clock.us += 10 * TURN_US
    host = Host(port)
    host.send("h", 1, 7)
    happening = HAPPENINGS[happens]
    names = ("quiet", "quiet_bytes", "worst_quiet", "busy", "busy_bytes", "worst_busy", "collections")
    found = {name: 0 for name in names}
    found["faults"] = loop.link.faults
    gc.collect()
    gc.disable()
    for turn in range(count):
        happening(turn, host)
        moved, written, version = port.moved, rig.pixel_writes, loop.link.bitmap
        before = gc.mem_alloc()
        loop.turn()
        gained = gc.mem_alloc() - before
        Clock.us += TURN_US
        if gained < 0:
            found["collections"] += 1
        elif moved == port.moved and written == rig.pixel_writes and version == loop.link.bitmap:
            found["quiet"] += 1
            found["quiet_bytes"] += gained
            found["worst_quiet"] = max(found["worst_quiet"], gained)
        else:
            found["busy"] += 1
            found["busy_bytes"] += gained
            found["worst_busy"] = max(found["worst_busy"], gained)
    found["moved"] = port.moved
    found["writes"] = rig.pixel_writes
    return found


def now_us() -> int:
    """Real time, held still."""
    return Clock.us


def pass_us(us: int) -> None:
    """Waiting takes no time here."""


def pin_number(name: str) -> int:
    """The number of a pin of the header."""
    return getattr(board, name).number


def wire_deck(pins) -> None:
    """All that a deck has, soldered to its pins."""
    gp = [pin_number(pins.device_pin("deck", name)) for name in ("GUARD", "IR_STROBE", "DIE_HOME")]
    rig.set_pin(gp[0], 0)
    for hole in range(1, 5):
        pin = pin_number(pins.device_pin("deck", "HOLE%d" % hole))
        parts.beam(rig, {"pin": pin, "strobe": gp[1], "broken": False, "ambient": False})
    coils = [pin_number(pins.device_pin("deck", "DIE_IN%d" % coil)) for coil in range(1, 5)]
    parts.Stepper(
        rig, {"pins": coils, "home": gp[2], "half_steps": 4000, "turn": [1650688, 405], "width": 24}
    )
    parts.colour(rig, {"light": [400, 150, 130, 120]})


def main(arguments: "list[str]") -> None:
    """Measure what is asked for."""
    if arguments[0] == "imports":
        print(json.dumps(imports()))
    else:
        print(json.dumps(turns(arguments[0], arguments[1], int(arguments[2]))))


main(sys.argv[1:])
