"""What can happen to a board, turn by turn: a host that sends, hands on its keys, a deck that moves.

For: `measure`. Each happening is called before a turn with its number; it must not look at the firmware.
"""

import usb_cdc
from bare import Bus, Port, Scanner, Wires

READ = 128
SETTLED = 40  # turns, in which a board has shown its first frame of light


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
    count = scanner.keys if turn % 400 >= 350 else 1
    if turn % 100 == 0:
        Scanner.hand(scanner, [(key, True) for key in range(count)])
    elif turn % 100 == 50:
        Scanner.hand(scanner, [(key, False) for key in range(count)])


def bounce(turn: int, host: Host, scanner: Scanner) -> None:
    """A queue that is full each time."""
    live(turn, host, scanner)
    if turn % 100 == 0:
        Scanner.hand(scanner, [(n % scanner.keys, n // scanner.keys % 2 == 0) for n in range(64)])


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
    if turn > SETTLED:
        host.again(turn % 2, (("d",) + (8 * (17 + turn % 2),) * 8, ("l",) + (4 * (1 + turn % 2),) * 11))


def everything(turn: int, host: Host, scanner: Scanner) -> None:
    """Frames every turn, a full queue of keys again and again, and on a deck all that moves and sees."""
    if Wires.of:
        eye(turn, host, scanner)
        if turn == 300:
            host.send(("m", 3))
    bounce(turn, host, scanner)
    if not usb_cdc.data.in_waiting:
        flood(turn, host, scanner)


def garbage(turn: int, host: Host, scanner: Scanner) -> None:
    """As many bytes as a read takes, every turn, and none of them a frame."""
    if turn > SETTLED:
        host.noise(NOISE[turn % 2])


def eye(turn: int, host: Host, scanner: Scanner) -> None:
    """An eye that turns, its home passing by, a drum that goes to another face, beams that break."""
    if turn % 1000 == 10:
        host.send(("e", 160, 3000))
    elif turn == 2000:
        host.send(("m", 3))
    elif turn == 2005:
        host.send(("p", 4 * 5, 2, 21, 21, 21, 21))
    Wires.pin("EYE_HOME").value = turn % 800 >= 40
    if turn % 600 == 100:
        Bus.colour[0] = turn % 256


HAPPENINGS = {
    "live": live, "silent": silent, "probes": probes, "edges": edges, "bounce": bounce, "overflow": overflow,
    "faces": faces, "all_change": all_change, "flood": flood, "garbage": garbage, "eye": eye,
    "everything": everything,
}  # fmt: skip
