"""What the firmware costs in words of 32 bits: what it keeps, what each turn allocates and how long it takes.

For: `narrow_vm`. Arguments: `modules` and their names; `names` and a role; `board`, a role, and perhaps one
of HAPPENINGS and how many turns of it; `reference`. Ends with one JSON object.

Board time goes on by a millisecond a turn. What a board has in C and a turn calls often is as short here as
can be: the port, the scanner, the chain of pixels, the pins, the clock. What keeps a board waiting (a chain
that is written, the bus of the reader) is counted as `Clock.waited_us`. A turn is *quiet* when no byte came
or went, no key moved and no frame of light was in work. The firmware does not collect (see `narrow_vm`); the
turn that would is counted by itself.
"""

import gc as collector
import json
import sys
from array import array

import host as outside
import micropython

TURN_US = 1000
ORIGIN_MS = 0x1FFF0000
READ = 128
PIXEL_US = 30
BUS_BYTE_US = 23
READER_CHIP = 0x44


class Gc:
    """`gc` without its work."""

    collections = 0

    def collect(self) -> None:
        """Count it."""
        Gc.collections += 1

    def mem_free(self) -> int:
        """Some."""
        return 100000

    def mem_alloc(self) -> int:
        """All that was ever asked for."""
        return micropython.mem_total()


sys.modules["gc"] = Gc()

import busio  # noqa: E402
import digitalio  # noqa: E402
import keypad  # noqa: E402
import os  # noqa: E402
import pwmio  # noqa: E402
import rom  # noqa: E402, F401
import supervisor  # noqa: E402
import time  # noqa: E402
import usb_cdc  # noqa: E402
from rig import rig  # noqa: E402


def say(found: dict) -> None:
    """End with what was found."""
    outside.call("done", json.dumps(found))


def noise(count: int) -> bytes:
    """`os.urandom`."""
    return b"\x01" * count


class Clock:
    """Real time as this file moves it, and what a board makes of it."""

    us = 0
    second_ns = 5000000000
    waited_us = 0

    @staticmethod
    def now_us() -> int:
        """Microseconds, a small integer."""
        return Clock.us

    @staticmethod
    def ticks_ms() -> int:
        """`supervisor.ticks_ms`: a small integer."""
        return ORIGIN_MS + Clock.us // 1000

    @staticmethod
    def monotonic_ns() -> int:
        """`time.monotonic_ns`: a large integer, and so an object, on a board too."""
        return Clock.second_ns + Clock.us

    @staticmethod
    def wait(time) -> None:
        """Waiting takes no time here."""


class Port:
    """A data port between arrays: what the host sends is put in, what the board writes is counted."""

    def __init__(self) -> None:
        self.timeout = None
        self.write_timeout = None
        self.connected = True
        self.in_waiting = 0
        self.moved = 0
        self.waiting = b""

    def send(self, data: bytes) -> None:
        """Have these bytes there to be read."""
        self.waiting = data
        self.in_waiting = len(data)

    def readinto(self, buf) -> int:
        """What fits."""
        count = min(self.in_waiting, len(buf))
        buf[:count] = self.waiting[:count]
        if count == self.in_waiting:
            self.in_waiting = 0
        else:
            self.send(self.waiting[count:])
        self.moved += count
        return count

    def write(self, buf) -> int:
        """All of it at once."""
        self.moved += len(buf)
        return len(buf)


class Event:
    """`keypad.Event`."""

    key_number = timestamp = 0
    pressed = False


class Scanner:
    """`keypad.Keys`, and the queue of its events: what a hand did comes when it is asked for."""

    pressed_now = ()

    def __init__(self, pins, *, value_when_pressed, pull, interval, debounce_threshold) -> None:
        self.events = self
        self.overflowed = False
        self._next = 0

    def get_into(self, event) -> bool:
        """Put the oldest event into `event`."""
        hand = Scanner.pressed_now
        if self._next == len(hand):
            return False
        event.key_number, event.pressed = hand[self._next]
        event.timestamp = Clock.ticks_ms()
        self._next += 1
        return True

    def clear(self) -> None:
        """The queue is empty."""
        self.overflowed = False
        self._next = len(Scanner.pressed_now)

    def reset(self) -> None:
        """No key is down at the start."""

    @staticmethod
    def hand(scanner, edges) -> None:
        """What happens to the keys before the next turn: key, down."""
        Scanner.pressed_now = edges
        scanner._next = 0


class PixelBuf(array):
    """`adafruit_pixelbuf.PixelBuf`, which sets a pixel in C."""

    def __init__(self, size, *, brightness, byteorder, auto_write) -> None:
        super().__init__("L", bytes(4 * size))

    def show(self) -> None:
        """The chain shines."""
        rig.pixel_writes += 1
        Clock.waited_us += PIXEL_US * len(self)


class Pixels:
    """The module `adafruit_pixelbuf`."""

    PixelBuf = PixelBuf


class Pin:
    """`digitalio.DigitalInOut` and `pwmio.PWMOut`, with a pull-up or driven: its level is in a field."""

    of = {}

    def __init__(self, pin, **_) -> None:
        Pin.of[pin.number] = self
        self.value = True
        self.duty_cycle = self.frequency = 0

    def switch_to_input(self, pull) -> None:
        """It reads what is set from outside."""

    def switch_to_output(self, value) -> None:
        """Drive it."""
        self.value = value

    def deinit(self) -> None:
        """Nobody asks."""


class Bus:
    """`busio.I2C` with the colour reader on it."""

    colour = bytearray(8)

    def __init__(self, scl, sda, *, frequency) -> None:
        self._counts = None

    def try_lock(self) -> bool:
        """It is free."""
        return True

    def writeto(self, address, buffer) -> None:
        """Nothing to remember."""

    def writeto_then_readfrom(self, address, out_buffer, in_buffer) -> None:
        """Its counts, or else which chip it is."""
        Clock.waited_us += BUS_BYTE_US * (2 + len(out_buffer) + len(in_buffer))
        if len(in_buffer) == len(Bus.colour):
            in_buffer[:] = Bus.colour
        else:
            in_buffer[0] = READER_CHIP


class Host:
    """What the other end sends, made before the turn that reads it."""

    def __init__(self, port: Port) -> None:
        from galley_board import wire

        self._wire = wire
        self._port = port
        self._seq = 0
        self._made = {}

    def send(self, *frames) -> None:
        """Have these frames there for the next turn: kind, fields."""
        data = b""
        for frame in frames:
            data += self._wire.encode(frame[0], self._seq, *frame[1:])
            self._seq = (self._seq + 1) % 100
        self._port.send(data)

    def again(self, which: int, frames) -> None:
        """Have these frames there, made once for each `which`."""
        if which not in self._made:
            self.send(*frames)
            self._made[which] = self._port.waiting
        self._port.send(self._made[which])

    def noise(self, data: bytes) -> None:
        """Have these bytes there for the next turn."""
        self._port.send(data)


GUARD = None
NOISE = ((b"d 1 99 99 99\n" * 10)[:READ], (bytes(range(128, 256)) + b"\n")[:READ])
TUMBLING = ("d",) + (10 * 8 + 2,) * 8
PULSING = ("l",) + (4 * 5 + 1,) * 11


def live(turn: int, host: Host, scanner: Scanner) -> None:
    """A host that is there and asks for the time now and then, as it does all evening."""
    if turn % 500 == 250:
        host.send(("t", turn))


def silent(turn: int, host: Host, scanner: Scanner) -> None:
    """A host that has gone: the board waits."""


def probes(turn: int, host: Host, scanner: Scanner) -> None:
    """A host that asks for the time as fast as it ever does."""
    if turn % 20 == 10:
        host.send(("t", turn))


def edges(turn: int, host: Host, scanner: Scanner) -> None:
    """A hand that hammers on a key, and once a whole arm on all of them."""
    live(turn, host, scanner)
    count = len(KEYS) if turn % 400 >= 350 else 1
    if turn % 100 == 0:
        Scanner.hand(scanner, [(key, True) for key in range(count)])
    elif turn % 100 == 50:
        Scanner.hand(scanner, [(key, False) for key in range(count)])


def bounce(turn: int, host: Host, scanner: Scanner) -> None:
    """A queue that is full each time."""
    live(turn, host, scanner)
    if turn % 100 == 0:
        Scanner.hand(scanner, [(n % len(KEYS), n // len(KEYS) % 2 == 0) for n in range(64)])


def overflow(turn: int, host: Host, scanner: Scanner) -> None:
    """A queue that was full, and lost what came then."""
    bounce(turn, host, scanner)
    scanner.overflowed = scanner.overflowed or turn % 200 == 100


def faces(turn: int, host: Host, scanner: Scanner) -> None:
    """Dice that tumble and lamps that pulse."""
    if turn % 500 == 10:
        host.send(TUMBLING)
    elif turn % 500 == 12:
        host.send(PULSING)


def all_change(turn: int, host: Host, scanner: Scanner) -> None:
    """Every pixel changes, in one turn, as soon as it may."""
    if turn % 50 == 10:
        host.send(("d",) + (8 * (1 + turn // 50 % 8),) * 8, ("l",) + (5 * (1 + turn // 50 % 8),) * 11)


def flood(turn: int, host: Host, scanner: Scanner) -> None:
    """As many frames as a read takes, every turn, and each changes all."""
    if turn > 10:
        host.again(turn % 2, (("d",) + (8 * (17 + turn % 2),) * 8, ("l",) + (4 * (1 + turn % 2),) * 11))


def everything(turn: int, host: Host, scanner: Scanner) -> None:
    """Frames every turn, a full queue of keys again and again, and on a deck all that moves and sees."""
    if GUARD is not None:
        eye(turn, host, scanner)
        if turn == 300:
            host.send(("m", 3))
    bounce(turn, host, scanner)
    if not usb_cdc.data.in_waiting:
        flood(turn, host, scanner)


def garbage(turn: int, host: Host, scanner: Scanner) -> None:
    """As many bytes as a read takes, every turn, and none of them a frame."""
    if turn > 10:
        host.noise(NOISE[turn % 2])


def eye(turn: int, host: Host, scanner: Scanner) -> None:
    """An eye that turns, its home passing by, a drum that goes to another face, beams that break."""
    if turn % 1000 == 10:
        host.send(("e", 160, 3000))
    elif turn == 2000:
        host.send(("m", 3))
    elif turn == 2005:
        host.send(("p", 4 * 5, 2, 21, 21, 21, 21))
    Pin.of[HOME].value = turn % 800 >= 40
    if turn % 600 == 100:
        Bus.colour[0] = turn % 256


HAPPENINGS = {
    "live": live, "silent": silent, "probes": probes, "edges": edges, "bounce": bounce, "overflow": overflow,
    "faces": faces, "all_change": all_change, "flood": flood, "garbage": garbage, "eye": eye,
    "everything": everything,
}  # fmt: skip


def started(role: str):
    """The loop of a board with this role, over a port of this file."""
    from galley_board import identity, pins

    global HOME, KEYS, GUARD, STROBE, HOLES
    sys.modules["adafruit_pixelbuf"] = Pixels
    os.urandom = noise
    keypad.Keys = Scanner
    keypad.Event = Event
    supervisor.ticks_ms = Clock.ticks_ms
    time.monotonic_ns = Clock.monotonic_ns
    rig.clock = rig.known_us = Clock.now_us
    rig.pause_us = time.sleep = Clock.wait
    rig.power_on_us = 0
    usb_cdc.data = Port()
    rig.settings["GALLEY_ROLE"] = role
    digitalio.DigitalInOut = pwmio.PWMOut = Pin
    busio.I2C = Bus
    if role == "deck":
        HOME, GUARD, STROBE, *HOLES = [
            pin_number(pins.device_pin("deck", name))
            for name in ("EYE_HOME", "GUARD", "IR_STROBE", "HOLE1", "HOLE2", "HOLE3", "HOLE4")
        ]
        time.sleep = wired
    KEYS = pins.KEYS[pins.BOARD_OF_ROLE[role]]
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
        if GUARD is not None:
            wired(0)
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


def wired(time) -> None:
    """What a deck's pins come to while it waits: its lid is closed, its beams shine while they are lit."""
    Pin.of[GUARD].value = False
    for hole in HOLES:
        Pin.of[hole].value = Pin.of[STROBE].value


def pin_number(name: str) -> int:
    """The number of a pin of the header."""
    import board

    return getattr(board, name).number


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
