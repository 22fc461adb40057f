"""The rig's program for a spare Pico, over the stand-ins: it presses, lets go, reads, says what it cannot."""

from __future__ import annotations

import asyncio
import json
import runpy
import sys
from array import array
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from galley.transport import MemoryTransport, memory_pair
from galley_board import pins
from tests.board.workbench import FIRMWARE, Bench
from tests.hil.rig import LineRig

adafruit_pioasm = pytest.importorskip("adafruit_pioasm", reason="needs adafruit-circuitpython-pioasm")

SETTINGS = {
    "RIG_LEFT_BELL": "GP2",
    "RIG_RIGHT_BELL": "GP3",
    "RIG_DECK_EYE_IN1": "GP4",
    "RIG_DECK_BUZZER": "GP10",
    "RIG_LEFT_SEAT1": "GP9",
}
BELL, EYE_IN1, BUZZER = 9, 14, 18
SNIFF = """
.program sniff
    wait 0 pin 0
    wait 1 pin 0 [5]
    in pins, 1
"""


class Text:
    """The rig on a bench, with the port in memory."""

    def __init__(self, bench: Bench, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str]) -> None:
        self.bench = bench
        bench.port.read = lambda size: bytes(taken(bench.port.waiting, size))  # type: ignore[attr-defined]
        self.program = runpy.run_path(str(FIRMWARE / "rig.py"), run_name="rig_program")
        ours = SimpleNamespace(getenv=settings.get)
        clock = SimpleNamespace(monotonic_ns=lambda: bench.now_ns, sleep=lambda s: bench.wait_ms(1000 * s))
        monkeypatch.setitem(self.program["joined"].__globals__, "os", ours)
        monkeypatch.setitem(self.program["joined"].__globals__, "time", clock)
        self.rig = self.program["Rig"](bench.port)

    def order(self, **order: Any) -> None:
        self.bench.port.waiting += json.dumps(order).encode() + b"\n"
        self.rig.turn()

    def turn(self, ms: float) -> None:
        self.bench.wait_ms(ms)
        self.rig.turn()

    def told(self) -> list[dict[str, Any]]:
        lines = bytes(self.bench.port.written).split(b"\n")
        self.bench.port.written.clear()
        return [json.loads(line) for line in lines if line]

    def pin(self, number: int) -> int | None:
        """What drives our own pin: a level, or None when it is an input."""
        line = next(line for line in self.rig._lines.values() if line._pin == number)
        return int(line.value) if line.direction == "OUTPUT" else None


def taken(data: bytearray, size: int) -> bytearray:
    some = data[:size]
    del data[:size]
    return some


@pytest.fixture
def rig(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Text:
    return Text(bench, monkeypatch, SETTINGS)


def test_it_says_what_it_is_joined_to(rig: Text) -> None:
    rig.order(op="hello")
    assert rig.told() == [
        {"ev": "rig", "pins": {"left": [BELL], "right": [BELL], "deck": [EYE_IN1, BUZZER]}, "pixels": []}
    ]


def test_a_pin_is_driven_and_let_go(rig: Text) -> None:
    rig.order(op="pin", board="left", pin=BELL, value=0)
    assert rig.pin(2) == 0
    rig.order(op="pin", board="left", pin=BELL, value=1)
    assert rig.pin(2) == 1
    rig.order(op="pin", board="left", pin=BELL, value=None)
    assert rig.pin(2) is None
    assert rig.told() == []


def test_a_pulse_presses_both_and_lets_go_in_time(rig: Text) -> None:
    rig.order(op="pulse", pins=[["left", BELL], ["right", BELL]], us=30_000)
    assert (rig.pin(2), rig.pin(3)) == (0, 0)
    rig.turn(29)
    assert (rig.pin(2), rig.pin(3)) == (0, 0)
    rig.turn(1)
    assert (rig.pin(2), rig.pin(3)) == (None, None)


def test_a_watched_pin_is_told_when_it_changes_and_pulses_count_as_high(rig: Text) -> None:
    rig.bench.rig.set_pin(4, 0)
    rig.order(op="watch", board="deck", pins=[EYE_IN1])
    assert [event["value"] for event in rig.told()] == [0]
    for level in (1, 0, 1, 0):
        rig.bench.rig.set_pin(4, level)
        rig.turn(2)
    (rose,) = rig.told()
    assert (rose["ev"], rose["board"], rose["pin"], rose["value"]) == ("pin", "deck", EYE_IN1, 1)
    rig.turn(6)
    (fell,) = rig.told()
    assert fell["value"] == 0
    assert fell["t_us"] - rose["t_us"] == 12_000


@pytest.mark.parametrize(
    "line, sentence",
    [
        (b"rubbish\n", "no order"),
        (b'{"op":"sing"}\n', "no order: sing"),
        (b'{"op":"pin","board":"left","pin":1,"value":0}\n', "not joined"),
        (b'{"op":"pin","board":"left"}\n', "missing"),
        (b"[1]\n", "no order"),
    ],
)
def test_what_cannot_be_done_is_said(rig: Text, line: bytes, sentence: str) -> None:
    rig.bench.port.waiting += line
    rig.rig.turn()
    (told,) = rig.told()
    assert told["ev"] == "error"
    assert sentence in told["text"]


def test_a_line_without_an_end_is_forgotten(rig: Text) -> None:
    for _ in range(8):
        rig.bench.port.waiting += b"x" * 100
        rig.rig.turn()
    rig.order(op="sing")
    rig.order(op="hello")
    assert rig.told()[-1]["ev"] == "rig"


def test_without_a_state_machine_that_reads_it_says_that_it_has_no_pixels(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = Text(bench, monkeypatch, {"RIG_LEFT_PIXELS": "GP20"})
    rig.order(op="hello")
    assert [event["ev"] for event in rig.told()] == ["error", "rig"]


# -- pixels ------------------------------------------------------------------------------------------------


def test_the_program_that_reads_pixels_is_what_the_assembler_makes(bench: Bench) -> None:
    program = runpy.run_path(str(FIRMWARE / "rig.py"), run_name="rig_program")["PIXEL_PROGRAM"]
    assert program == array("H", adafruit_pioasm.assemble(SNIFF))


class Sniffer:
    """A state machine into which a test puts frames."""

    def __init__(self, program: object, frequency: int, **how: object) -> None:
        self.reading = False
        self.in_waiting = 0
        self.buffer = bytearray()
        made.append(self)

    def restart(self) -> None:
        pass

    def clear_rxfifo(self) -> None:
        pass

    def background_read(self, once: bytearray) -> None:
        self.buffer = once
        self.reading = True

    def put(self, grb: bytes) -> None:
        self.buffer[:] = grb
        self.reading = False


made: list[Sniffer] = []


def test_a_whole_frame_is_told_as_red_green_blue_and_half_a_one_is_not(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.clear()
    fake: Any = ModuleType("rp2pio")
    fake.StateMachine = Sniffer
    monkeypatch.setitem(sys.modules, "rp2pio", fake)
    rig = Text(bench, monkeypatch, {"RIG_DECK_PIXELS": "GP20"})
    rig.order(op="hello")
    assert rig.told()[0]["pixels"] == ["deck"]
    (machine,) = made
    frame = bytes(range(3 * pins.PIXELS[pins.DECK]))
    machine.put(frame)
    rig.turn(1)
    (told,) = rig.told()
    rgb = bytes.fromhex(told["bytes"])
    assert rgb[:6] == bytes((1, 0, 2, 4, 3, 5))
    machine.put(frame)
    machine.in_waiting = 3  # bits still come: it was armed in the middle of a frame
    rig.turn(1)
    assert rig.told() == []
    assert not machine.reading, "it waits for a quiet line"
    machine.in_waiting = 0
    rig.turn(1)
    assert machine.reading


# -- the tests' end of the line -----------------------------------------------------------------------------


async def answer(far: MemoryTransport, rig: Text) -> None:
    """Let the program read what came and send what it has."""
    rig.rig.turn()
    far.write(bytes(rig.bench.port.written))
    rig.bench.port.written.clear()


def test_the_tests_end_speaks_with_the_program(rig: Text) -> None:
    async def whole() -> None:
        near, far = memory_pair()
        loop = asyncio.get_running_loop()

        def received(data: bytes, now_ns: int) -> None:
            rig.bench.port.waiting += data
            loop.create_task(answer(far, rig))  # noqa: RUF006 - the greeting below waits for it

        far.start(received, lambda why: None)
        news = asyncio.Event()
        client = await LineRig(near, news.set).greet()
        assert client.can("left", BELL)
        assert not client.can("left", 0)
        assert not client.sees_pixels("left")
        client.watch("deck", [EYE_IN1])
        async with asyncio.timeout(5):
            while ("deck", EYE_IN1) not in client.levels:
                news.clear()
                await news.wait()
        client.pin("left", 0, 0)
        async with asyncio.timeout(5):
            while not client.troubles:
                news.clear()
                await news.wait()
        assert "not joined" in client.troubles[0]
        client.close()
        far.close()

    asyncio.run(whole())
