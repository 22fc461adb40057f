"""What goes wrong on a simulated box, and when: a plan that a seed makes and one line of text repeats.

For: whoever injects faults on purpose, and whoever must repeat a run that failed. It must not know how a
fault is made: knobs are names here, and `KNOBS` says who turns them.

    Fault(1200, "left", "corrupt", ("to_host", 17, "flip"))   <->   "1200 left corrupt to_host 17 flip"

A plan made from a seed is the same on every machine; `Plan.line` has all that is needed to make it again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple, TypeAlias

Argument: TypeAlias = int | str

BOARD: Final = "boards"
STREAM: Final = "fault_stream"
LINE: Final = "fault_line"

KNOBS: Final[Mapping[str, tuple[str, str]]] = {
    "ticks_origin": (BOARD, "Knobs.ticks_origin"),
    "skew_ppm": (BOARD, "Knobs.skew_ppm"),
    "loop_ms": (BOARD, "Knobs.loop_ms"),
    "scan_interval": (BOARD, "Knobs.scan_ms"),
    "queue_len": (BOARD, "Knobs.queue_len"),
    "boot_id": (BOARD, "Knobs.boot_id"),
    "held_at_boot": (BOARD, "Knobs.grounded"),
    "gc_pause": (BOARD, "SimulatedBoard.gc_pause"),
    "scan_skip": (BOARD, "SimulatedBoard.scan_skip"),
    "bounce": (BOARD, "SimulatedBoard.bounce"),
    "short_write": (STREAM, "FaultStream.short_write"),
    "corrupt": (STREAM, "FaultStream.corrupt"),
    "drop_frame": (STREAM, "FaultStream.drop_frame"),
    "inject": (STREAM, "FaultStream.inject"),
    "stall": (STREAM, "FaultStream.stall"),
    "frame_quantum_ms": (STREAM, "FaultStream.frame_quantum"),
    "stale_prefix": (LINE, "FaultLine.stale_prefix"),
    "unplug": (LINE, "FaultLine.unplug"),
    "rename": (LINE, "FaultLine.rename"),
    "swap": (LINE, "swap"),
    "slow_close": (LINE, "FaultLine.slow_close"),
    "second_opener": (LINE, "FaultLine.second_opener"),
}
"""Every knob: the module of `galley.sim` that has it, and its name there."""

WAYS: Final = ("to_host", "to_board")


class Fault(NamedTuple):
    """At `at_ms` after the start, turn `knob` on the board or line `where`."""

    at_ms: int
    where: str
    knob: str
    args: tuple[Argument, ...] = ()

    def __str__(self) -> str:
        return " ".join(str(word) for word in (self.at_ms, self.where, self.knob, *self.args))


def parse(text: str) -> Fault:
    """The fault that `str` of it gave. ValueError names what is wrong."""
    at, where, knob, *args = text.split()
    if knob not in KNOBS:
        raise ValueError(f"{text!r}: no knob {knob}; there are {', '.join(KNOBS)}")
    return Fault(
        int(at), where, knob, tuple(int(word) if word.lstrip("-").isdigit() else word for word in args)
    )


NOISE: Final = (
    "AT\\r",
    "\\r\\nAdafruit_CircuitPython_10.0.3_on_2025-10-17\\r\\n>>>_",
    "\\x1b]0;Galley\\x1b\\\\",
    "Traceback_(most_recent_call_last):\\r\\n__File_code.py\\r\\nMemoryError:_\\r\\n",
    "\\xff\\x00\\xfe",
)
"""Words for `inject`: escapes as in Python, `_` for a space."""


def noise(word: str) -> bytes:
    """The bytes that a word of `NOISE` stands for."""
    return word.replace("_", " ").encode().decode("unicode_escape").encode("latin-1")


def _way(random: Random) -> str:
    return random.choice(WAYS)


RANDOM: Final[Mapping[str, Callable[[Random], tuple[Argument, ...]]]] = {
    "corrupt": lambda r: (_way(r), r.randrange(400), r.choice(("flip", "drop", "double"))),
    "drop_frame": lambda r: (_way(r), r.randrange(1, 4)),
    "inject": lambda r: (_way(r), r.choice(NOISE)),
    "short_write": lambda r: (_way(r), r.randrange(1, 9), r.randrange(20, 200)),
    "frame_quantum_ms": lambda r: (_way(r), r.choice((0, 1, 2, 8))),
    "stall": lambda r: (_way(r), r.choice((30, 100, 400, 1000, 4000))),
    "flood": lambda r: (_way(r), r.randrange(1, 1 << 30)),
    "unplug": lambda r: (r.choice((30, 200, 1000, 2500)),),
    "hub": lambda r: (r.choice((30, 200, 1500)),),
    "swap": lambda r: (r.choice((1, 2)),),
    "reset": lambda r: (),
    "blackout": lambda r: (),
    "gc_pause": lambda r: (r.choice((5, 40, 220)),),
    "second_opener": lambda r: (r.choice((100, 800)),),
    "slow_close": lambda r: (r.choice((200, 1000)),),
}
"""Faults that a random plan has, and how their arguments are drawn. Times are ms.

`flood` is many injected frames, most of them broken, from a seed of their own; `reset` ends the board's
process, `blackout` those of all boards; `hub` unplugs all boards together; `swap` changes ports with the
board that is so many places further on. They are made of other knobs by whoever runs the plan.
"""

GENTLE: Final = frozenset(
    {"corrupt", "drop_frame", "inject", "short_write", "frame_quantum_ms", "flood", "gc_pause"}
)
"""What no link may be lost by, nor any key."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What happens in `duration_ms` to the boards `where`; the same for the same arguments."""

    seed: int
    duration_ms: int
    where: tuple[str, ...]
    every_ms: int = 1500
    knobs: tuple[str, ...] = tuple(RANDOM)

    def faults(self) -> Sequence[Fault]:
        """In the order of their times."""
        random, found, at_ms = Random(self.seed), list[Fault](), 0
        while (at_ms := at_ms + round(random.expovariate(1 / self.every_ms))) < self.duration_ms:
            knob = random.choice(self.knobs)
            found.append(Fault(at_ms, random.choice(self.where), knob, RANDOM[knob](random)))
        return found
