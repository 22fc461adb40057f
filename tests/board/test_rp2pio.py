"""The stand-in for `rp2pio` does what the emulator does, and the race keys go over it when asked for."""

from __future__ import annotations

import sys
from array import array
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from galley_board import edges, faults, pins, wire
from tests.board.test_edges import RELEASED, emulated
from tests.board.workbench import NS_PER_MS, Bench

FIRST_PIN = 8
NS_PER_CYCLE = 10**9 // edges.HZ
ROLL, BELL, YUCK, MODE = 8, 9, 10, 11


def machine(bench: Bench) -> Any:
    return bench.module("rp2pio").StateMachine(
        edges.PROGRAM,
        edges.HZ,
        first_in_pin=getattr(bench.module("board"), f"GP{FIRST_PIN}"),
        in_pin_count=edges.COUNT,
        pull_in_pin_up=edges.ALL_UP,
        in_shift_right=False,
        wrap_target=edges.WRAP_TARGET,
    )


def words(made: Any) -> list[int]:
    found = array("I", [0] * made.in_waiting)
    made.readinto(found)
    return list(found)


def test_the_stand_in_pushes_the_words_that_the_emulator_pushes(bench: Bench) -> None:
    random = Random(3)
    at, levels, changes = 40, RELEASED, []
    for _ in range(60):
        at += random.choice((3, 11, 40, 400))
        levels ^= 1 << random.randrange(3)
        changes.append((at, levels))

    def at_cycle(cycle: int) -> int:
        return next((level for when, level in reversed(changes) if when <= cycle), RELEASED)

    expected = []
    for _, state in emulated(at_cycle):
        while state.receive_fifo:
            expected.append(state.receive_fifo.popleft())
        if state.clock > changes[-1][0] + 100:
            break
    bench.at_ms(500)
    start_ns = bench.now_ns
    made, found, before = machine(bench), [], RELEASED
    for cycle, level in changes:
        bench.now_ns = start_ns + cycle * NS_PER_CYCLE
        for place in range(3):
            if (level ^ before) >> place & 1:
                bench.press(FIRST_PIN + place, not level >> place & 1)
        before = level
        found += words(made)
    bench.now_ns += 200 * NS_PER_CYCLE
    found += words(made)
    assert len(expected) > 40
    assert found == expected


def test_a_quiet_hour_is_skipped_and_its_end_is_known_to_a_microsecond(bench: Bench) -> None:
    bench.at_ms(500)
    made, start_ns = machine(bench), bench.now_ns
    for second in (1, 536, 537, 3600):
        bench.now_ns = start_ns + second * 10**9
        bench.press(FIRST_PIN, second % 2 == 1)
        bench.now_ns += 5000
        (word,) = words(made)
        since_us = (0x1FFFFFFF - (word & 0x1FFFFFFF) - second * 10**6) & 0x1FFFFFFF
        assert since_us <= 2


def test_a_ninth_word_is_dropped_and_told_until_the_fifo_is_cleared(bench: Bench) -> None:
    bench.at_ms(500)
    made = machine(bench)
    for number in range(9):
        bench.wait_ms(1)
        bench.press(FIRST_PIN, number % 2 == 0)
    bench.wait_ms(1)
    assert (made.in_waiting, made.rxstall) == (8, True)
    made.clear_rxfifo()
    assert (made.in_waiting, made.rxstall) == (0, False)


def test_a_machine_that_was_stopped_sees_nothing_and_begins_anew(bench: Bench) -> None:
    bench.at_ms(500)
    made = machine(bench)
    made.stop()
    bench.press(FIRST_PIN)
    bench.wait_ms(1)
    assert made.in_waiting == 0
    made.restart()
    bench.wait_ms(1)
    assert [word >> 29 for word in words(made)] == [RELEASED & ~1]


def test_what_a_chip_refuses_is_refused(bench: Bench) -> None:
    made = machine(bench)
    with pytest.raises(ValueError, match="GP8 in use"):
        machine(bench)
    made.deinit()
    bench.rig.free_machines = 0
    with pytest.raises(RuntimeError, match="in use"):
        machine(bench)
    bench.rig.free_machines = 1
    made = machine(bench)
    with pytest.raises(RuntimeError, match="0 of 1 words"):
        made.readinto(array("I", [0]))
    made.deinit()


def test_an_instruction_that_it_has_not_is_refused_by_its_name(bench: Bench) -> None:
    made = bench.module("rp2pio").StateMachine(
        array("H", [0x80A0]), edges.HZ, first_in_pin=bench.module("board").GP0
    )
    bench.wait_ms(1)
    with pytest.raises(NotImplementedError, match="0x80a0"):
        words(made)


# -- a whole board -------------------------------------------------------------------------------------


@pytest.fixture
def fine(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A bench whose settings ask for fine edges."""
    monkeypatch.setattr("os.getenv", lambda key, default=None: {"GALLEY_EDGES": 1}.get(key, default))
    ticking(bench, monkeypatch)
    return bench


def ticking(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A look at the clock takes two microseconds, so that a loop that waits for its step ends."""

    def monotonic_ns() -> int:
        bench.now_ns += 2000
        return int(bench.rig.monotonic_ns())

    monkeypatch.setattr(edges, "time", SimpleNamespace(monotonic_ns=monotonic_ns))


def greeted(bench: Bench, loop: Any) -> dict[str, int]:
    bench.host_sends("h", wire.PROTOCOL, 5)
    bench.turn(loop, 3)
    ((_, hello),) = bench.frames("H")
    return hello


def us_of(bench: Bench, edge: dict[str, int]) -> int:
    """Microseconds since power-on of a key frame."""
    ms: int = (edge["stamp_ms"] - bench.rig.ticks_origin) % wire.TICKS_MS_PERIOD
    return 1000 * ms + edge["us"]


def test_with_edges_on_the_race_keys_have_microseconds_and_the_others_have_not(fine: Bench) -> None:
    fine.at_ms(300)
    loop = fine.start("left")
    hello = greeted(fine, loop)
    assert hello["caps"] & pins.CAPS["edges"]
    assert hello["faults"] == 0
    for number, key in enumerate((ROLL, BELL, YUCK, MODE, 0)):
        fine.turn(loop, 30)
        fine.now_ns += 137_000 * number
        at_us = fine.now_ns // 1000
        fine.press(key)
        fine.turn(loop, 4)
        ((_, edge),) = fine.frames("K")
        assert (edge["key"], edge["down"]) == (key, 1)
        if key in pins.EDGE_KEYS[pins.STATION]:
            assert abs(us_of(fine, edge) - at_us) <= wire.EDGE_DOUBT_US
        else:
            assert edge["us"] > wire.NO_US
        fine.host_sends("a", hello["boot_id"], number + 1)
    assert loop.keys.bitmap == 1 << ROLL | 1 << BELL | 1 << YUCK | 1 << MODE | 1


def test_an_edge_that_is_sent_again_keeps_its_microseconds(fine: Bench) -> None:
    fine.at_ms(300)
    loop = fine.start("left")
    greeted(fine, loop)
    fine.press(BELL)
    fine.turn(loop, 90)
    sent = [edge for _, edge in fine.frames("K")]
    assert len(sent) >= 2
    assert len({(edge["key_seq"], edge["stamp_ms"], edge["us"]) for edge in sent}) == 1
    assert sent[0]["us"] < wire.NO_US


def test_a_bounce_of_a_race_key_is_one_press_and_its_release_has_its_own_stamp(fine: Bench) -> None:
    fine.at_ms(300)
    loop = fine.start("left")
    greeted(fine, loop)
    start_ns = fine.now_ns
    moves = [(0, True), (120, False), (260, True), (700, False), (5100, True), (5350, False)]
    for at_us, down in moves:
        while fine.now_ns + NS_PER_MS < start_ns + at_us * 1000:
            fine.turn(loop)
        fine.now_ns = start_ns + at_us * 1000
        fine.press(BELL, down)
    fine.turn(loop, 40)
    first, last = [edge for _, edge in fine.frames("K") if edge["age_ms"] < 40][:2]
    assert (first["down"], last["down"]) == (1, 0)
    assert abs(us_of(fine, first) - start_ns // 1000) <= wire.EDGE_DOUBT_US
    assert abs(us_of(fine, last) - start_ns // 1000 - 5350) <= wire.EDGE_DOUBT_US


def test_a_race_key_that_is_down_at_the_start_is_stuck_until_it_is_let_go(fine: Bench) -> None:
    fine.at_ms(300)
    fine.press(BELL)
    loop = fine.start("left")
    hello = greeted(fine, loop)
    assert faults.names(hello["faults"]) == ["key_stuck"]
    assert faults.key_of(hello["faults"]) == BELL
    fine.press(BELL, False)
    fine.turn(loop, 30)
    assert fine.frames("K") == []
    fine.press(BELL)
    fine.turn(loop, 3)
    assert [edge["key"] for _, edge in fine.frames("K")] == [BELL]


def no_module(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rp2pio", None)


def no_machine(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.rig.free_machines = 0


def odd_clock(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench.module("microcontroller").cpu, "frequency", 133_000_001, raising=False)


def old_version(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    named = SimpleNamespace(name="circuitpython", version=(9, 2, 8))
    hardware = bench.module("galley_board.hardware")
    monkeypatch.setattr(hardware, "sys", SimpleNamespace(implementation=named))


@pytest.mark.parametrize(
    ("lack", "says"),
    [
        (no_module, "no rp2pio"),
        (no_machine, "state machines in use"),
        (odd_clock, "cannot be divided"),
        (old_version, "CircuitPython 10"),
    ],
)
def test_a_board_that_cannot_do_it_says_so_and_its_keypad_has_all_keys(
    fine: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lack: Any, says: str
) -> None:
    fine.at_ms(300)
    with monkeypatch.context() as lacking:
        lack(fine, lacking)
        loop = fine.start("left")
    hello = greeted(fine, loop)
    assert faults.names(hello["faults"]) == ["edges_missing"]
    assert not hello["caps"] & pins.CAPS["edges"]
    assert bool(hello["caps"] & pins.CAPS["clock_lags"]) == (lack is old_version)
    assert says in capsys.readouterr().out
    fine.press(BELL)
    fine.turn(loop, 4)
    ((_, edge),) = fine.frames("K")
    assert edge["key"] == BELL
    assert edge["us"] > wire.NO_US


def test_the_deck_has_no_race_keys_for_a_pio_and_nothing_is_wrong_with_that(fine: Bench) -> None:
    fine.at_ms(300)
    loop = fine.start("deck")
    hello = greeted(fine, loop)
    assert hello["faults"] == 0
    assert not hello["caps"] & pins.CAPS["edges"]
    fine.press(0)
    fine.turn(loop, 5)
    ((_, edge),) = fine.frames("K")
    assert edge["us"] > wire.NO_US


@pytest.mark.parametrize(
    ("name", "version", "lags"),
    [
        ("circuitpython", (8, 2, 9), True),
        ("circuitpython", (9, 0, 5), True),
        ("circuitpython", (9, 2, 8), True),
        ("circuitpython", (10, 0, 3), False),
        ("cpython", (3, 11, 7), False),
    ],
)
def test_a_board_says_whether_the_clock_of_its_circuitpython_lags(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, name: str, version: tuple[int, ...], lags: bool
) -> None:
    hardware = bench.module("galley_board.hardware")
    monkeypatch.setattr(
        hardware, "sys", SimpleNamespace(implementation=SimpleNamespace(name=name, version=version))
    )
    bench.at_ms(300)
    hello = greeted(bench, bench.start("left"))
    assert bool(hello["caps"] & pins.CAPS["clock_lags"]) == lags
