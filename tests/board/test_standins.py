"""The stand-ins copy what a board does, traps included: the facts that the firmware is built on."""

from __future__ import annotations

import json
import os
import select
import socket
import time
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
import serial

from tests.board.workbench import POWER_ON_NS, Bench

OPEN_S = 5.0


def keys_on(bench: Bench, count: int = 4, **options: Any) -> Any:
    keypad, board = bench.module("keypad"), bench.module("board")
    found = [getattr(board, f"GP{number}") for number in range(count)]
    return keypad.Keys(found, value_when_pressed=False, pull=True, **options)


def events_of(bench: Bench, keys: Any) -> list[tuple[int, bool, int]]:
    found = []
    while (event := keys.events.get()) is not None:
        found.append((event.key_number, event.pressed, event.timestamp))
    return found


# -- time ----------------------------------------------------------------------------------------------


def test_ticks_start_65_s_below_their_wrap(bench: Bench) -> None:
    ticks_ms = bench.module("supervisor").ticks_ms
    assert ticks_ms() == 2**29 - 65536
    bench.at_ms(65535.5)
    assert ticks_ms() == 2**29 - 1
    bench.at_ms(65536.5)
    assert ticks_ms() == 0


def test_monotonic_ns_moves_in_steps_of_30_microseconds_on_the_same_base(bench: Bench) -> None:
    bench.at_ms(1000)
    first = bench.rig.monotonic_ns()
    bench.wait_ms(0.02)
    second = bench.rig.monotonic_ns()
    bench.wait_ms(0.02)
    third = bench.rig.monotonic_ns()
    assert first == second == 1_000_000_000
    assert third - first == 30_517
    assert bench.now_ms == 2**29 - 65536 + 1000


def test_a_skewed_crystal_gains_its_millionths(bench: Bench) -> None:
    bench.rig.skew_ppm = 100
    bench.at_ms(10_000)
    assert bench.rig.now_ns() == 10_001_000_000


# -- keypad --------------------------------------------------------------------------------------------


def test_a_stamp_is_the_scan_s_and_late_by_one_interval_at_most(bench: Bench) -> None:
    bench.at_ms(100)
    keys = keys_on(bench, interval=0.001)
    for tenth in range(50):
        at_ms = 200 + tenth * 1.1
        bench.at_ms(at_ms)
        bench.press(0, tenth % 2 == 0)
        bench.wait_ms(1)
        ((_, pressed, stamp),) = events_of(bench, keys)
        assert pressed == (tenth % 2 == 0)
        assert -1 < stamp - (2**29 - 65536 + at_ms) <= 1


def test_the_default_interval_is_twenty_times_as_long(bench: Bench) -> None:
    bench.at_ms(100)
    keys = keys_on(bench)
    bench.press(0)
    bench.at_ms(118)
    assert events_of(bench, keys) == []
    bench.at_ms(121)
    assert [event[:2] for event in events_of(bench, keys)] == [(0, True)]


def test_a_glitch_between_two_scans_is_never_seen(bench: Bench) -> None:
    bench.at_ms(100)
    keys = keys_on(bench)
    bench.press(0)
    bench.at_ms(102)
    bench.press(0, False)
    bench.at_ms(200)
    assert events_of(bench, keys) == []


def test_keys_of_one_scan_share_a_stamp_and_come_in_pin_order(bench: Bench) -> None:
    bench.at_ms(100)
    keys = keys_on(bench, interval=0.001)
    bench.at_ms(150.1)
    bench.press(3)
    bench.press(1)
    bench.at_ms(160)
    found = events_of(bench, keys)
    assert [event[0] for event in found] == [1, 3]
    assert found[0][2] == found[1][2]


@pytest.mark.parametrize("seed", range(4))
def test_a_board_that_gets_no_time_anywhere_in_its_turn_sees_every_stroke_all_the_same(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """A busy machine may hold the child between any two looks at the clock, and a hand presses meanwhile."""
    random, here_there = Random(seed), socket.socketpair()
    due_ms = [200 + 75 * stroke + later for stroke in range(40) for later in (0, 25)]
    made = [(0, number % 2 == 0) for number in range(len(due_ms))]
    rig, clock, sent = bench.rig, bench.rig.clock, 0

    def held_up() -> int:
        nonlocal sent
        bench.wait_ms(random.choice((0.01, 0.2, 0.2, random.uniform(1, 120))))
        while sent < len(due_ms) and bench.now_ns >= due_ms[sent] * 1e6:
            at_ns = POWER_ON_NS + int(due_ms[sent] * 1e6)
            message = {"op": "pin", "pin": 0, "value": None if sent % 2 else 0, "at_ns": at_ns}
            here_there[0].send(json.dumps(message).encode() + b"\n")
            sent += 1
        return int(clock())

    bench.at_ms(100)
    keys = keys_on(bench, 1, interval=0.001)
    monkeypatch.setattr(bench.module("rig"), "real_ns", held_up)
    monkeypatch.setattr(rig, "_waits", SimpleNamespace(register=lambda *_: None, poll=lambda _: []))
    rig.connect(here_there[1])
    seen = []
    while bench.now_ns < (due_ms[-1] + 500) * 1e6:
        rig.idle()
        seen += [event[:2] for event in events_of(bench, keys)]
    for end in here_there:
        end.close()
    assert seen == made


def test_the_65th_event_is_dropped_and_its_transition_lost(bench: Bench) -> None:
    bench.at_ms(100)
    keys = keys_on(bench, interval=0.001)
    for step in range(65):
        bench.at_ms(110 + 2 * step)
        bench.press(0, step % 2 == 0)
    bench.at_ms(300)
    assert len(keys.events) == 64
    assert keys.events.overflowed
    found = events_of(bench, keys)
    assert found[-1][1] is False
    bench.press(0, False)
    bench.at_ms(400)
    assert [event[1] for event in events_of(bench, keys)] == [False], "the scanner knew it was down"
    keys.events.clear()
    assert not keys.events.overflowed


def test_a_key_down_at_construction_gives_no_event_until_reset(bench: Bench) -> None:
    bench.at_ms(100)
    bench.press(2)
    keys = keys_on(bench, interval=0.001)
    bench.at_ms(200)
    assert events_of(bench, keys) == []
    keys.reset()
    bench.at_ms(202)
    assert [event[:2] for event in events_of(bench, keys)] == [(2, True)]


def test_a_threshold_needs_that_many_agreeing_scans(bench: Bench) -> None:
    bench.at_ms(100)
    keys = keys_on(bench, interval=0.001, debounce_threshold=5)
    bench.press(0)
    bench.at_ms(103)
    bench.press(0, False)
    bench.at_ms(110)
    assert events_of(bench, keys) == []
    bench.press(0)
    bench.at_ms(116.5)
    ((_, pressed, stamp),) = events_of(bench, keys)
    assert pressed
    assert stamp - (2**29 - 65536) in {114, 115}


def test_events_are_equal_without_regard_to_their_stamps(bench: Bench) -> None:
    event = bench.module("keypad").Event
    assert event(1, True, 5) == event(1, True, 6)
    assert event(1, True, 5) != event(1, False, 5)
    assert event(1, True, 5) != event(2, True, 5)


def test_get_into_fills_the_event_it_was_given(bench: Bench) -> None:
    bench.at_ms(100)
    keys = keys_on(bench, interval=0.001)
    held = bench.module("keypad").Event()
    assert keys.events.get_into(held) is False
    bench.press(3)
    bench.at_ms(103)
    assert keys.events.get_into(held) is True
    assert (held.key_number, held.pressed, held.released) == (3, True, False)


def test_a_pin_has_one_owner(bench: Bench) -> None:
    board, digitalio = bench.module("board"), bench.module("digitalio")
    keys = keys_on(bench)
    with pytest.raises(ValueError, match="GP2 in use"):
        digitalio.DigitalInOut(board.GP2)
    keys.deinit()
    digitalio.DigitalInOut(board.GP2)


# -- usb_cdc -------------------------------------------------------------------------------------------


def data_port(bench: Bench) -> Any:
    usb_cdc = bench.module("usb_cdc")
    assert usb_cdc.data is None
    usb_cdc.enable(console=True, data=True)
    port = usb_cdc.enumerate_ports()
    assert port is usb_cdc.data
    return port


def opened(port: Any) -> serial.Serial:
    host = serial.Serial(port.path, 115200, timeout=OPEN_S, write_timeout=OPEN_S, exclusive=True)
    assert port.look()
    return host


def when(condition: Any) -> None:
    """Wait until something the kernel does in its own time has happened."""
    end = time.monotonic() + OPEN_S
    while not condition():
        assert time.monotonic() < end
        select.select([], [], [], 0.001)


def test_there_is_no_data_port_unless_boot_enabled_it(bench: Bench) -> None:
    usb_cdc = bench.module("usb_cdc")
    assert usb_cdc.enumerate_ports() is None
    assert usb_cdc.data is None


def test_time_outs_are_for_ever_until_set(bench: Bench) -> None:
    port = data_port(bench)
    assert port.timeout is None
    assert port.write_timeout is None


def test_connected_follows_the_host_s_open_and_close(bench: Bench) -> None:
    port = data_port(bench)
    assert not port.look()
    host = opened(port)
    assert port.connected
    host.close()
    assert not port.look()
    opened(port).close()


def test_bytes_go_both_ways_unchanged(bench: Bench) -> None:
    port = data_port(bench)
    port.timeout = port.write_timeout = OPEN_S
    with opened(port) as host:
        every = bytes(range(256))
        assert port.write(every) == 256
        assert host.read(256) == every
        host.write(every)
        assert port.read(256) == every


def test_with_time_out_0_reading_gives_what_is_there(bench: Bench) -> None:
    port = data_port(bench)
    port.timeout = 0
    with opened(port) as host:
        assert port.readinto(bytearray(10)) == 0
        host.write(b"abc")
        when(lambda: port.in_waiting == 3)
        buffer = bytearray(10)
        assert port.readinto(buffer) == 3
        assert buffer[:3] == b"abc"


def test_an_open_port_that_is_not_read_takes_320_bytes_then_none(bench: Bench) -> None:
    port = data_port(bench)
    port.write_timeout = 0
    with opened(port) as host:
        assert port.write(b"x" * 300) == 300
        when(lambda: port.out_waiting == 300)
        assert port.write(b"y" * 50) == 20
        when(lambda: port.out_waiting == 320)
        assert port.write(b"z") == 0
        assert host.read(320) == b"x" * 300 + b"y" * 20
        assert port.write(b"z") == 1


def test_a_write_time_out_bounds_the_wait(bench: Bench) -> None:
    port = data_port(bench)
    with opened(port):
        port.write_timeout = 0
        port.write(b"x" * 320)
        when(lambda: port.out_waiting == 320)
        port.write_timeout = 0.02
        start = time.monotonic()
        assert port.write(b"y") == 0
        assert 0.015 < time.monotonic() - start < OPEN_S


def test_what_was_written_to_a_closed_port_is_read_stale_at_the_next_open(bench: Bench) -> None:
    port = data_port(bench)
    port.write_timeout = 0
    assert port.write(b"old " * 100) == 400
    assert port.write(b"new!") == 4
    with opened(port) as host:
        assert host.read(320) == (b"old " * 100)[-316:] + b"new!"


# -- pixels and the rest -------------------------------------------------------------------------------


def test_the_rig_gets_red_green_blue_in_chain_order(bench: Bench) -> None:
    board, neopixel = bench.module("board"), bench.module("neopixel")
    strip = neopixel.NeoPixel(board.GP16, 3, auto_write=False)
    strip[0] = 0x010203
    strip[2] = (4, 5, 6)
    assert bench.rig.pixels == b""
    strip.show()
    assert bench.rig.pixels == bytes((1, 2, 3, 0, 0, 0, 4, 5, 6))
    strip.fill(0)
    strip.show()
    assert bench.rig.pixels == bytes(9)
    assert bench.rig.pixel_writes == 2


def test_a_write_waits_for_the_one_before_and_for_its_own_bits(bench: Bench) -> None:
    board, neopixel = bench.module("board"), bench.module("neopixel")
    strip = neopixel.NeoPixel(board.GP16, 83, auto_write=False)
    strip.show()
    before_ns = bench.now_ns
    strip.show()
    assert bench.now_ns - before_ns == 2_000_000 + 83 * 30_000
    bench.wait_ms(10)
    before_ns = bench.now_ns
    strip.show()
    assert bench.now_ns - before_ns == 83 * 30_000


def test_the_watchdog_must_be_on_to_be_fed_and_counts_8_4_s_at_most(bench: Bench) -> None:
    watchdog = bench.module("microcontroller").watchdog
    with pytest.raises(ValueError, match="not initialized"):
        watchdog.feed()
    with pytest.raises(ValueError, match=r"8\.388"):
        watchdog.timeout = 9
    watchdog.timeout = 8
    watchdog.mode = bench.module("watchdog").WatchDogMode.RESET
    watchdog.feed()
    watchdog.mode = None
    assert not hasattr(watchdog, "deinit"), "CircuitPython 10 has none"


def test_nonvolatile_bytes_start_at_ff_and_stay(bench: Bench, tmp_path: Any) -> None:
    bench.rig.nvm_path = os.fspath(tmp_path / "nvm")
    microcontroller = bench.module("microcontroller")
    assert microcontroller.nvm[0] == 0xFF
    microcontroller.nvm[0] = 2
    assert microcontroller.ByteArray()[0] == 2


def test_a_tone_s_frequency_is_fixed_unless_asked_otherwise(bench: Bench) -> None:
    board, pwmio = bench.module("board"), bench.module("pwmio")
    fixed = pwmio.PWMOut(board.GP22, frequency=440)
    with pytest.raises(ValueError, match="variable_frequency"):
        fixed.frequency = 880
    fixed.deinit()
    free = pwmio.PWMOut(board.GP22, frequency=440, variable_frequency=True)
    free.frequency = 880
    assert free.frequency == 880


def test_an_input_reads_its_pull_until_something_drives_it(bench: Bench) -> None:
    board, digitalio = bench.module("board"), bench.module("digitalio")
    strap = digitalio.DigitalInOut(board.GP19)
    strap.switch_to_input(pull=digitalio.Pull.UP)
    assert strap.value
    bench.press(19)
    assert not strap.value
    with pytest.raises(AttributeError):
        strap.value = True


# -- parts of a deck -----------------------------------------------------------------------------------


def output(bench: Bench, pin: int) -> Any:
    board, digitalio = bench.module("board"), bench.module("digitalio")
    made = digitalio.DigitalInOut(getattr(board, f"GP{pin}"))
    made.switch_to_output()
    return made


def test_a_receiver_sees_its_emitter_unless_the_beam_is_broken(bench: Bench) -> None:
    parts = bench.module("parts")
    strobe = output(bench, 17)
    beam = {"op": "beam", "pin": 6, "strobe": 17, "broken": False, "ambient": False}
    seen = []
    for change in ({}, {"broken": True}, {"broken": True, "ambient": True}):
        parts.solder(bench.rig, beam | change)
        for lit in (False, True):
            strobe.value = lit
            seen.append(bench.rig.level(6))
        strobe.value = False
    assert seen == [0, 1, 0, 0, 1, 1]


def test_a_stepper_follows_its_coils_both_ways_and_closes_its_switch_at_home(bench: Bench) -> None:
    parts = bench.module("parts")
    pins = (22, 26, 27, 28)
    coils = [output(bench, pin) for pin in pins]
    parts.solder(
        bench.rig,
        {"op": "stepper", "pins": pins, "home": 13, "half_steps": 4060, "turn": [1650688, 405], "width": 8},
    )

    def turn(phases: range) -> list[int]:
        """The switch after each half-step."""
        seen = []
        for phase in phases:
            pattern = parts.HALF_STEPS[phase % 8]
            for coil, pin in enumerate(coils):
                pin.value = bool(pattern >> coil & 1)
            seen.append(bench.rig.level(13))
        return seen

    forward = turn(range(4060, 4090))
    assert forward.index(0) == 4076 - 4060, "the first whole half-step after a turn of 4075.8"
    assert forward.count(0) == 8
    back = turn(range(4089, 4059, -1))
    assert back == forward[::-1]


def test_a_bus_without_a_device_cannot_be_opened_and_one_that_has_gone_does_not_answer(bench: Bench) -> None:
    board, busio = bench.module("board"), bench.module("busio")
    with pytest.raises(RuntimeError, match="pull up"):
        busio.I2C(board.GP21, board.GP20)
    bench.rig.colour = (1000, 2, 3, 4)
    bus = busio.I2C(board.GP21, board.GP20)
    with pytest.raises(RuntimeError, match="lock"):
        bus.writeto(0x29, b"\x80\x03")
    assert bus.try_lock()
    assert not bus.try_lock()
    counts = bytearray(2)
    bus.writeto_then_readfrom(0x29, b"\xb4", counts)
    assert counts == b"\x00\x00", "nothing is measured before it is switched on"
    bus.writeto(0x29, b"\x80\x03")
    bus.writeto_then_readfrom(0x29, b"\xb4", counts)
    assert int.from_bytes(counts, "little") == 1000
    bench.rig.colour = None
    with pytest.raises(OSError, match="No such device"):
        bus.writeto_then_readfrom(0x29, b"\xb4", counts)


def test_what_is_watched_is_told_and_a_pin_given_back_is_off(bench: Bench) -> None:
    told: list[tuple[str, str]] = []
    bench.rig.send = lambda event, fields: told.append((event, fields.partition(',"t_us"')[0]))
    bench.rig.watched.update({10, 14})
    board, pwmio = bench.module("board"), bench.module("pwmio")
    awake, other = output(bench, 10), output(bench, 11)
    motor = pwmio.PWMOut(board.GP14, frequency=20000)
    awake.value = other.value = True
    motor.duty_cycle = 40000
    motor.duty_cycle = 40000
    awake.deinit()
    assert told == [
        ("pin", '"pin":10,"value":0'),
        ("pwm", '"pin":14,"duty":0'),
        ("pin", '"pin":10,"value":1'),
        ("pwm", '"pin":14,"duty":40000'),
        ("pin", '"pin":10,"value":0'),
    ]


def test_an_idle_board_goes_on_with_bytes_that_it_took_from_the_line(bench: Bench) -> None:
    waits: list[int] = []
    rig: Any = bench.rig
    before = rig.port, rig._waits
    port = SimpleNamespace(ready=False, held=True, look=lambda: False, fileno=lambda: -1)

    def poll(wait_ms: int) -> list[tuple[int, int]]:
        waits.append(wait_ms)
        return []

    rig.port, rig._waits = port, SimpleNamespace(poll=poll)
    try:
        rig.idle()
        port.held = False
        rig.idle()
    finally:
        rig.port, rig._waits = before
    assert waits[0] == 1 < waits[1]
