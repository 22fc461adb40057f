"""A whole board in this process: port in memory, pins on the bench, a clock that only tests move."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from galley_board import faults, glyphs, identity, pins, wire
from tests.board.workbench import LIB, Bench

SESSION = 77
DARK_MS = 2000
BOARDS = ["left", "right", "deck"]


def greeted(bench: Bench, role: str = "left") -> Any:
    """A board that has said hello to the host."""
    board = bench.start(role)
    bench.turn(board, 20)
    bench.host_sends("h", wire.PROTOCOL, SESSION)
    bench.turn(board)
    return board


@pytest.mark.parametrize("role", BOARDS)
def test_a_board_answers_hello_with_who_it_is(bench: Bench, role: str) -> None:
    greeted(bench, role)
    which = pins.BOARD_OF_ROLE[role]
    ((_, hello),) = bench.frames("H")
    assert hello["role"] == wire.ROLES.index(role)
    assert hello["session"] == SESSION
    assert hello["pixels"] == pins.PIXELS[which]
    moving = pins.CAPS["eye"] | pins.CAPS["drum"] if role == "deck" else 0
    assert hello["caps"] == pins.CAPS_OF_BOARD[which] | moving
    assert hello["faults"] == 0
    assert hello["firmware"] == identity.fingerprint(str(LIB / "galley_board"))


def test_each_start_has_a_boot_id_of_its_own(bench: Bench) -> None:
    found = {identity.new_boot_id() for _ in range(20)}
    assert len(found) == 20
    assert all(1 <= boot_id <= wire.BOOT_ID_MAX for boot_id in found)


def test_a_press_goes_out_in_the_turn_that_reads_it(bench: Bench) -> None:
    board = greeted(bench)
    bench.frames()
    bench.press(9)
    bench.wait_ms(2)
    bench.turn(board)
    ((_, edge),) = bench.frames("K")
    assert (edge["key"], edge["down"]) == (9, 1)
    assert edge["age_ms"] <= 2


def test_a_time_probe_is_answered_at_once_with_the_board_s_microseconds(bench: Bench) -> None:
    board = greeted(bench)
    bench.frames()
    bench.host_sends("t", 5)
    board.turn()
    board.turn()  # in which it has read the keys that were pressed before
    ((_, answer),) = bench.frames("T")
    assert answer["id"] == 5
    assert answer["rx_us"] == bench.rig.monotonic_ns() // 1000 % wire.TICKS_US_PERIOD


def test_beats_come_four_times_a_second_and_carry_the_keys_that_are_down(bench: Bench) -> None:
    board = greeted(bench)
    bench.press(3)
    bench.turn(board, 1000)
    beats = [beat for _, beat in bench.frames("B")]
    assert 4 <= len(beats) <= 5
    assert beats[-1]["bitmap"] == 1 << 3


def test_outputs_are_shown_in_the_turns_after_they_came(bench: Bench) -> None:
    board = greeted(bench)
    star = glyphs.die_code(glyphs.GLYPHS["star"], glyphs.PLAIN)
    bench.turn(board, 10)
    bench.host_sends("d", star, *[0] * 7)
    bench.host_sends("l", glyphs.lamp_code(2, 0), *[0] * 10)
    before = bench.rig.pixel_writes
    bench.turn(board, 10)
    assert bench.rig.pixel_writes > before
    lit = [place for place in range(83) if any(bench.rig.pixels[3 * place : 3 * place + 3])]
    assert lit == [1, 12, 13, 14, 25, 72]


@pytest.mark.parametrize("role", BOARDS)
def test_outputs_go_dark_after_two_silent_seconds_and_one_pixel_says_so(bench: Bench, role: str) -> None:
    board = greeted(bench, role)
    bench.host_sends("d", *[glyphs.die_code(7, glyphs.KEPT)] * 8)
    bench.host_sends("l", *[glyphs.lamp_code(5, 0)] * 11)
    bench.turn(board, DARK_MS - 100)
    assert sum(bench.rig.pixels) > 500
    bench.turn(board, 1500)
    lit = [at // 3 for at, step in enumerate(bench.rig.pixels) if step]
    assert set(lit) == {pins.WAITING_PIXEL[pins.BOARD_OF_ROLE[role]]}
    assert sum(bench.rig.pixels) < 60
    bench.host_sends("t", 1)
    bench.turn(board, 40)
    assert sum(bench.rig.pixels) > 500, "what the host had asked for is back"


def test_a_buzz_ends_by_itself(bench: Bench) -> None:
    board = greeted(bench)
    tone = board._buzzer._pwm
    bench.host_sends("z", 880, 100)
    bench.turn(board)
    assert (tone.frequency, tone.duty_cycle) == (880, 32768)
    bench.turn(board, 110)
    assert tone.duty_cycle == 0


@pytest.mark.parametrize(
    ("hz", "ms", "frequency", "longest_ms"), [(9999, 9999, 5000, 2000), (20, 50, 100, 50)]
)
def test_a_buzz_is_brought_into_bounds(
    bench: Bench, hz: int, ms: int, frequency: int, longest_ms: int
) -> None:
    board = greeted(bench)
    tone = board._buzzer._pwm
    bench.host_sends("z", hz, ms)
    bench.turn(board)
    assert tone.frequency == frequency
    for _ in range(longest_ms // 10):
        bench.host_sends("t", 1)
        bench.turn(board, 10)
    assert tone.duty_cycle == 0


def test_a_silent_host_ends_a_buzz(bench: Bench) -> None:
    board = greeted(bench)
    bench.turn(board, DARK_MS - 500)
    bench.host_sends("z", 880, 2000)
    bench.turn(board)
    bench.port.waiting.clear()
    bench.turn(board, 2100)
    assert board._buzzer._pwm.duty_cycle == 0


# -- trouble -------------------------------------------------------------------------------------------


def test_a_port_that_takes_little_gets_every_frame_in_pieces(bench: Bench) -> None:
    board = greeted(bench)
    bench.frames()
    bench.port.room = 7
    bench.press(9)
    bench.turn(board, 200)
    bench.port.room = 1 << 30
    bench.turn(board, 100)
    kinds = [kind for kind, _ in bench.frames()]
    assert "K" in kinds
    assert "B" in kinds


def test_a_host_that_stops_reading_does_not_slow_the_keys(bench: Bench) -> None:
    board = greeted(bench)
    bench.frames()
    bench.port.room = 0
    for push in range(50):
        bench.press(8, push % 2 == 0)
        bench.turn(board, 60)
    bench.port.room = 1 << 30
    bench.host_sends("a", board.link.boot_id, 0)
    bench.turn(board, 200)
    found = [edge for _, edge in bench.frames("K")]
    assert found[-1]["key_seq"] == 50
    assert found[-1]["first"] == 50 - 32 + 1, "the ring holds the last 32; what it lost is counted"
    assert board.link.lost == 18


def test_a_host_that_reads_nothing_for_a_minute_finds_a_board_that_goes_on(bench: Bench) -> None:
    board = greeted(bench)
    bench.host_sends("d", *[glyphs.die_code(7, glyphs.KEPT)] * 8)
    bench.turn(board, 100)
    bench.port.room = 0
    for _ in range(3000):
        bench.wait_ms(19)
        bench.turn(board)
    assert sum(bench.rig.pixels) < 60, "it said nothing for two seconds: dark"
    bench.port.room = 1 << 30
    bench.port.written.clear()
    bench.press(3, True)
    bench.turn(board, 300)
    assert [edge["key"] for _, edge in bench.frames("K")][-1] == 3


def test_nothing_is_written_while_nobody_has_the_port_open(bench: Bench) -> None:
    board = greeted(bench)
    bench.frames()
    bench.port.connected = False
    bench.press(9)
    bench.turn(board, 1000)
    assert bench.port.written == b""
    bench.port.connected = True
    bench.turn(board, 100)
    assert [edge["key"] for _, edge in bench.frames("K")][:1] == [9]


def test_noise_from_the_host_is_counted_and_ignored(bench: Bench) -> None:
    board = greeted(bench)
    bench.frames()
    bench.port.waiting += b"AT\r\n\xff\x00junk" * 50 + b"\n"
    bench.turn(board, 1100)
    stats = [stats for _, stats in bench.frames("S")]
    assert stats[-1]["bad_frames"] > 40
    bench.host_sends("t", 9)
    bench.turn(board, 2)
    assert [answer["id"] for _, answer in bench.frames("T")] == [9]


def test_stats_report_the_worst_turn(bench: Bench) -> None:
    board = greeted(bench)
    bench.turn(board, 1100)
    bench.frames()
    slow = board._show

    def slow_show(now_ms: int, silent: bool) -> bool:
        bench.wait_ms(7)
        return bool(slow(now_ms, silent))

    board._show = slow_show
    bench.turn(board)
    board._show = slow
    bench.turn(board, 1100)
    assert 7000 <= bench.frames("S")[0][1]["loop_us"] <= 9000


def test_garbage_is_collected_at_quiet_moments_and_timed(bench: Bench) -> None:
    collected: list[int] = []

    def collect() -> None:
        collected.append(bench.now_ms)
        bench.wait_ms(3)

    board = greeted(bench)
    bench.module("galley_board.loop").gc = SimpleNamespace(collect=collect, mem_free=lambda: 123456)
    bench.turn(board, 3500)
    assert 3 <= len(collected) <= 4
    stats = [stats for _, stats in bench.frames("S")]
    assert stats[-1]["heap"] == 123456
    assert 2900 <= max(one["gc_us"] for one in stats) <= 3100
    collected.clear()
    for _ in range(2500):
        bench.host_sends("t", 1)
        bench.turn(board)
    assert len(collected) <= 1, "a busy board puts it off"


def test_a_stuck_key_is_named_and_still_no_press(bench: Bench) -> None:
    bench.press(9)
    board = greeted(bench)
    bench.turn(board, 300)
    ((_, hello),) = bench.frames("H")
    assert faults.names(hello["faults"]) == ["key_stuck"]
    assert faults.key_of(hello["faults"]) == 9
    bench.press(9, False)
    bench.turn(board, 600)
    found = bench.frames()
    assert not [frame for frame in found if frame[0] == "K"]
    assert [beat["faults"] for kind, beat in found if kind == "B"][-1] == 0


def test_a_chattering_key_is_named_and_heartbeats_stay_on_time(bench: Bench) -> None:
    board = greeted(bench)
    bench.turn(board, 100)
    bench.frames()
    for event in range(500):
        bench.press(7, event % 2 == 0)
        bench.turn(board, 2)
    found = bench.frames()
    beats = [beat for kind, beat in found if kind == "B"]
    assert 4 <= len(beats) <= 5
    assert faults.names(beats[-1]["faults"]) == ["key_muted"]
    assert faults.key_of(beats[-1]["faults"]) == 7


def test_an_overflow_is_counted_and_shown(bench: Bench) -> None:
    board = greeted(bench)
    for event in range(70):
        bench.press(event % 5, event // 5 % 2 == 0)
        bench.wait_ms(4)
    bench.turn(board, 1200)
    found = bench.frames()
    assert [stats["overflow"] for kind, stats in found if kind == "S"][-1] == 1
    assert "key_overflow" in faults.names([beat["faults"] for kind, beat in found if kind == "B"][-1])


def test_a_strap_that_denies_the_role_is_reported_and_shown_and_nothing_hangs(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.press(19)
    board = greeted(bench, "left")
    ((_, hello),) = bench.frames("H")
    assert faults.names(hello["faults"]) == ["role_strap"]
    assert hello["role"] == 1
    assert "GP19" in capsys.readouterr().out
    bench.host_sends("l", *[glyphs.lamp_code(5, 0)] * 11)
    bench.turn(board, 1500)
    lit = {at // 3 for at, step in enumerate(bench.rig.pixels) if step}
    assert lit == {80}


def test_an_unknown_role_is_reported_and_shown_and_nothing_hangs(
    bench: Bench, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GALLEY_ROLE", "kitchen")
    assert identity.role_of("kitchen") == identity.role_of(None) == identity.role_of(7) == 0
    greeted(bench, "")
    ((_, hello),) = bench.frames("H")
    assert hello["role"] == 0
    assert faults.names(hello["faults"]) == ["role_unknown"]
    said = capsys.readouterr().out
    assert "kitchen" in said
    assert "settings.toml" in said


@pytest.mark.parametrize(
    ("name", "fault"), [("GP9", "pin_missing"), ("GP16", "pixels_missing"), ("GP22", "pin_missing")]
)
def test_a_missing_pin_is_reported_and_the_rest_works(
    bench: Bench, name: str, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    delattr(bench.module("board"), name)
    board = greeted(bench)
    ((_, hello),) = bench.frames("H")
    assert fault in faults.names(hello["faults"])
    assert name in capsys.readouterr().out
    bench.press(10)
    bench.turn(board, 5)
    assert [edge["key"] for _, edge in bench.frames("K")] == [10]
    bench.host_sends("z", 440, 10)
    bench.turn(board, 5)


def test_a_board_without_boot_py_says_so(bench: Bench) -> None:
    bench.module("usb_cdc").data = None
    with pytest.raises(RuntimeError, match=r"copy boot\.py"):
        bench.module("galley_board.station").loop(1)


def test_a_watchdog_reset_is_told(bench: Bench) -> None:
    bench.rig.reset_reason = "WATCHDOG"
    greeted(bench)
    ((_, hello),) = bench.frames("H")
    assert faults.names(hello["faults"]) == ["watchdog_reset"]


def test_the_deck_keeps_its_motor_driver_asleep(bench: Bench) -> None:
    board = greeted(bench, "deck")
    bench.host_sends("l", *[63] * 11)
    bench.turn(board, 3000)
    assert bench.rig.outputs[10] == 0


def test_a_turn_feeds_the_watchdog_once(bench: Bench) -> None:
    board = greeted(bench)
    fed: list[int] = []
    board._watchdog = SimpleNamespace(feed=lambda: fed.append(1))
    bench.turn(board, 10)
    assert len(fed) == 10


def test_power_at_the_inlet_is_noticed(bench: Bench) -> None:
    board = greeted(bench)
    bench.turn(board, 1100)
    assert board.renderer.most_ma == 220
    bench.press(28)
    bench.turn(board, 3100)
    assert board.renderer.most_ma == 1300
