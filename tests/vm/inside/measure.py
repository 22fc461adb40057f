"""What the firmware costs in words of 32 bits: what it keeps, what each turn allocates and how long it takes.

For: `narrow_vm`. Arguments: `modules` and their names; `names` and a role; `board`, a role, and perhaps one
of `happenings` and how many turns of it; `reference`. Ends with one JSON object.

Board time goes on by a millisecond a turn. A turn is *quiet* when no byte came or went, no key moved and no
frame of light was in work; one that would collect (see `bare`) is counted by itself.
"""

import gc as collector
import json
import sys
from array import array

import host as outside
import micropython
from bare import Clock, Gc, Wires, take_the_place  # first: it takes the collector's place

import usb_cdc
from rig import rig

TURN_US = 1000


def say(found: dict) -> None:
    """End with what was found."""
    outside.call("done", json.dumps(found))


def started(role: str):
    """The loop of a board with this role."""
    take_the_place(role)
    from galley_board import identity

    if role == "deck":
        from galley_board import deck as board
    else:
        from galley_board import station as board
    return board.loop(identity.role_of(role))


def turns(happens: str, count: int) -> dict:
    """Play the board for so many turns."""
    loop = PLAYING
    port = usb_cdc.data
    scanner = loop.keys._scanner
    decoder = loop.link._in
    pixels = loop.renderer
    from happenings import HAPPENINGS, Host

    Clock.us += 10 * TURN_US
    host = Host(port)
    host.send(("h", 1, 7))
    happening = HAPPENINGS[happens]
    names = ("quiet", "quiet_bytes", "worst_quiet", "busy", "busy_bytes", "worst_busy", "collections")
    found = {name: 0 for name in names}
    found["faults"] = loop.link.faults
    steps = array("l", [0] * count)
    waits = array("l", [0] * count)
    call, allocated = outside.call, micropython.mem_current
    call("steps", "")
    idle = int(call("steps", ""))
    acked = 1
    for turn in range(count):
        happening(turn, host, scanner)
        if loop.link._unsent > acked and turn % 10 == 5 and not port.in_waiting:
            acked = loop.link._unsent
            host.send(("a", loop.link.boot_id, acked - 1))
        moved, version, drawing, written = port.moved, loop.link.bitmap, pixels.drawing, rig.pixel_writes
        heard = decoder.frames + decoder.bad
        Gc.collections = 0
        Clock.waited_us = 0
        call("steps", "")
        before = allocated()
        loop.turn()
        gained = allocated() - before
        steps[turn] = int(call("steps", "")) - idle
        waits[turn] = Clock.waited_us
        Clock.us += TURN_US
        Wires.settle(0)
        if Gc.collections:
            found["collections"] += 1
        elif (
            moved == port.moved
            and heard == decoder.frames + decoder.bad
            and version == loop.link.bitmap
            and not (drawing or pixels.drawing or written != rig.pixel_writes)
        ):
            found["quiet"] += 1
            found["quiet_bytes"] += gained
            found["worst_quiet"] = max(found["worst_quiet"], gained)
        else:
            found["busy"] += 1
            found["busy_bytes"] += gained
            found["worst_busy"] = max(found["worst_busy"], gained)
    found["moved"] = port.moved
    found["writes"] = rig.pixel_writes
    found["lost"] = loop.link.lost
    # of the turns that waited the same time the one with the most steps
    worst = {}
    for turn in range(count):
        if waits[turn] not in worst or steps[worst[waits[turn]]] < steps[turn]:
            worst[waits[turn]] = turn
    found["worst_turns"] = [(steps[turn], waited_us, turn) for waited_us, turn in worst.items()]
    found["median_steps"] = sorted(steps)[count // 2]
    return found


def additions(numbers, count: int) -> None:
    """A loop whose time on a board is known: see `test_cost`."""
    for _ in range(count):
        numbers[1] + numbers[2]


def reference(count: int) -> dict:
    """How many steps one of `additions` takes."""
    numbers = [0, 12345678, 56781234]
    took = []
    for times in (count, 2 * count):
        outside.call("steps", "")
        additions(numbers, times)
        took.append(int(outside.call("steps", "")))
    return {"steps": (took[1] - took[0]) // count}


def prepare(what: str, names: "list[str]") -> None:
    """Import these modules, or start the board of this role."""
    global PLAYING
    if what == "modules":
        for name in names:
            __import__(name)
    elif what != "reference":
        PLAYING = started(names[0])


def main() -> None:
    """Prepare, collect, and say what is kept; or play on, and say how that went."""
    prepare(sys.argv[1], sys.argv[2:])
    collector.collect()
    if len(sys.argv) > 3 and sys.argv[1] == "board":
        say(turns(sys.argv[3], int(sys.argv[4])))
    elif sys.argv[1] == "names":
        say({"modules": [name[13:] for name in sys.modules if name.startswith("galley_board.")]})
    elif sys.argv[1] == "reference":
        say(reference(1000))
    say({"kept": collector.mem_alloc()})
