"""What stands for CircuitPython's modules on a Raspberry Pi: socket, stamps of keys, clock, memory."""

from __future__ import annotations

import select
import signal
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from galley.pi import supervisor, watchdog
from galley.pi.machine import NVM_BYTES, Nvm
from galley.pi.usb_cdc import Serial
from galley_board import recovery, ticks
from galley_board.link import since_ms
from tests.board.workbench import Bench

PATIENCE_S = 10.0


# -- the data port -------------------------------------------------------------------------------------------


@pytest.fixture
def port() -> Iterator[Serial]:
    made = Serial(0)
    yield made
    made.close()


def visitor(port: Serial) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port.port), timeout=PATIENCE_S)


def wait_for(port: Serial, count: int) -> bytes:
    """So many bytes as the firmware reads them."""
    found, end = bytearray(), time.monotonic() + PATIENCE_S
    buffer = bytearray(16)
    while len(found) < count and time.monotonic() < end:
        found += buffer[: port.readinto(buffer)]
    return bytes(found)


def test_bytes_go_both_ways_and_nobody_waits(port: Serial) -> None:
    assert port.in_waiting == 0
    assert port.write(b"nobody is there") == 0
    with visitor(port) as host:
        host.sendall(b"h 0 1 2 and more than one buffer takes\n")
        assert wait_for(port, 39) == b"h 0 1 2 and more than one buffer takes\n"
        assert port.connected
        assert port.write(memoryview(b"H 0\n")) == 4
        assert host.recv(16) == b"H 0\n"


def test_a_second_program_is_turned_away_and_the_first_goes_on(port: Serial) -> None:
    with visitor(port) as first:
        first.sendall(b"1")
        assert wait_for(port, 1) == b"1"
        with visitor(port) as second:
            assert port.in_waiting == 0
            assert second.recv(1) == b""
        first.sendall(b"2")
        assert wait_for(port, 1) == b"2"


def test_when_a_program_has_gone_the_next_one_is_let_in_without_its_bytes(port: Serial) -> None:
    with visitor(port) as first:
        first.sendall(b"left over")
        assert wait_for(port, 4) == b"left over"
    end = time.monotonic() + PATIENCE_S
    while port.connected and time.monotonic() < end:
        assert port.in_waiting == 0
    with visitor(port) as second:
        second.sendall(b"new")
        assert wait_for(port, 3) == b"new"


def test_a_program_that_does_not_read_gets_what_fits(port: Serial) -> None:
    with visitor(port) as host:
        host.sendall(b"x")
        wait_for(port, 1)
        taken = [port.write(bytes(1 << 20)) for _ in range(64)]
        assert taken[-1] == 0
        assert port.connected
        assert select.select([host], [], [], PATIENCE_S)[0]


# -- keys ----------------------------------------------------------------------------------------------------


@pytest.fixture
def keypad(bench: Bench) -> Iterator[Any]:
    """The module over the stand-in pins."""
    sys.modules.pop("galley.pi.keypad", None)
    yield bench.module("galley.pi.keypad")
    sys.modules.pop("galley.pi.keypad", None)


def still(keypad: Any, bench: Bench) -> Any:
    """Two keys whose thread has ended, so that only the test looks."""
    board = bench.module("board")
    keys = keypad.Keys([board.GP0, board.GP1], value_when_pressed=False, interval=0.001)
    keys._ended.set()
    keys._thread.join()
    return keys


def events(keypad: Any, keys: Any) -> list[tuple[int, bool, int]]:
    found, event = [], keypad.Event()
    while keys.events.get_into(event):
        found.append((event.key_number, event.pressed, event.timestamp))
    return found


def test_a_press_is_seen_by_the_thread(keypad: Any, bench: Bench) -> None:
    board = bench.module("board")
    keys = keypad.Keys([board.GP0], value_when_pressed=False)
    before = supervisor.ticks_ms()
    bench.press(0)
    end, event = time.monotonic() + PATIENCE_S, keypad.Event()
    while not keys.events.get_into(event) and time.monotonic() < end:
        pass
    assert (event.key_number, event.pressed) == (0, True)
    assert since_ms(event.timestamp, before) >= -keypad.SPAN_MS
    keys.deinit()


def test_a_late_look_is_stamped_as_near_to_the_edge_as_a_stamp_must_be(keypad: Any, bench: Bench) -> None:
    keys = still(keypad, bench)
    for gap_ms, late in ((3, 0), (30, 1)):
        bench.press(0, gap_ms == 3)
        keys._looked_ms = (supervisor.ticks_ms() - gap_ms) % supervisor.PERIOD
        looked_ms = keys._looked_ms
        keys.look()
        (found,) = events(keypad, keys)
        assert found == (0, gap_ms == 3, (looked_ms + keypad.SPAN_MS) % supervisor.PERIOD)
        assert keys.late >= late


def test_a_key_that_is_down_at_the_start_is_told_after_a_reset_only(keypad: Any, bench: Bench) -> None:
    bench.press(1)
    keys = still(keypad, bench)
    keys.look()
    assert events(keypad, keys) == []
    keys.reset()
    keys.look()
    assert [found[:2] for found in events(keypad, keys)] == [(1, True)]


def test_a_full_queue_drops_the_new_event_and_says_so(keypad: Any, bench: Bench) -> None:
    keys = still(keypad, bench)
    for turn in range(keypad.MOST_EVENTS + 1):
        bench.press(0, turn % 2 == 0)
        keys.look()
    assert keys.events.overflowed
    assert len(events(keypad, keys)) == keypad.MOST_EVENTS
    keys.events.clear()
    assert not keys.events.overflowed


# -- clock, watchdog, memory ---------------------------------------------------------------------------------


def test_the_clock_is_never_taken_for_one_that_counts_as_a_board_does() -> None:
    assert ticks.place(supervisor.ticks_ms(), time.monotonic_ns() // 1_000_000) == -1
    assert 0 <= supervisor.ticks_ms() < supervisor.PERIOD


def test_the_watchdog_sets_the_alarm_and_takes_it_back() -> None:
    dog = watchdog.WatchDogTimer()
    with pytest.raises(ValueError, match="not initialized"):
        dog.feed()
    dog.timeout = 500.0
    dog.mode = watchdog.WatchDogMode.RESET
    try:
        left_s, _ = signal.getitimer(signal.ITIMER_REAL)
        assert 400 < left_s <= 500
    finally:
        dog.deinit()
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_the_memory_outlives_the_process_and_a_short_file_is_filled_up(tmp_path: Path) -> None:
    path = tmp_path / "deck.nvm"
    first = Nvm(path)
    assert len(first) == NVM_BYTES
    assert first[recovery.PLACE] == 0xFF
    recovery.open_drive(first)
    first[8:10] = b"\1\2"
    second = Nvm(path)
    assert second[8:10] == b"\1\2"
    assert recovery.drive_is_to_open(second)
    path.write_bytes(b"\7")
    assert (Nvm(path)[0], Nvm(path)[1]) == (7, 0xFF)
