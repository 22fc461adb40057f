"""Pins, nets and currents; and that the firmware agrees."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from galley_board import pins as firmware
from galley_enclosure import electronics as e

BOARDS = ("station", "deck")


@pytest.mark.parametrize("board", BOARDS)
def test_the_pin_map_breaks_no_rule(board: str) -> None:
    assert e.problems(board) == []
    assert e.power_problems() == []


@pytest.mark.parametrize("board", BOARDS)
def test_the_firmware_has_the_same_pins(board: str) -> None:
    ours = {p.name: f"GP{p.gp}" for p in e.PINS[board]}
    assert {name.split()[0]: pin for name, pin in firmware.KEYS[board]} == {
        n: ours[n] for n, _ in ((k.split()[0], p) for k, p in firmware.KEYS[board])
    }
    assert ours["PIXELS"] == firmware.PIXEL_PIN
    assert ours["BUZZER"] == firmware.BUZZER_PIN[board]
    if board == "station":
        assert ours["SIDE"] == firmware.SIDE_PIN
        assert ours["EXT_PWR"] == firmware.EXTERNAL_POWER_PIN[board]
    for name, pin in firmware.DEVICES[board]:
        assert ours[name] == pin
    outputs = {p.name for p in e.PINS[board] if p.way == "out"}
    assert set(firmware.FIRST_LOW[board]) <= outputs


@pytest.mark.parametrize("board", BOARDS)
def test_the_firmware_has_the_same_pixels_and_budget(board: str) -> None:
    assert e.pixel_count(board) == firmware.PIXELS[board]
    lit, supplied = firmware.MOST_MA[board]
    assert e.BUDGET_MA[board] == lit
    own = next(r for r in e.RAILS if r.board == board and r.supply.startswith("own"))
    assert next(load.worst_ma for load in own.loads if load.name == "pixels, lit") == supplied


def test_the_chain_of_a_station_is_the_firmwares() -> None:
    first = {}
    at = 0
    for what, n in e.PIXEL_CHAIN["station"]:
        first[what] = at
        at += n
    assert first["dice 5-8"] == firmware.die_pixel(4, 0, 0)
    assert first["lamps KEEP1-8"] == firmware.lamp_pixel("station", 0)
    assert [first[f"lamp {n}"] for n in ("ROLL", "BELL", "YUCK")] == [
        firmware.lamp_pixel("station", i) for i in (8, 9, 10)
    ]


def test_pins_are_where_the_parts_list_says() -> None:
    station = {p.name: p.gp for p in e.PINS["station"]}
    deck = {p.name: p.gp for p in e.PINS["deck"]}
    assert [station[f"KEEP{n}"] for n in range(1, 9)] == list(range(8))
    assert [deck[f"DIE_IN{n}"] for n in range(1, 5)] == [22, 26, 27, 28]
    assert (station["BUZZER"], deck["BUZZER"]) == (22, 18)
    assert (deck["EYE_IN1"], deck["EYE_IN2"]) == (14, 15)


def changed(board: str, name: str, **to: object) -> list[e.Pin]:
    return [p._replace(**to) if p.name == name else p for p in e.PINS[board]]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("board", "name", "to", "sentence"),
    [
        ("station", "ROLL", {"gp": 0}, "GP0 is used 2 times"),
        ("station", "ROLL", {"gp": 23}, "ROLL is on GP23, which a Pico does not bring out"),
        ("station", "SDA", {"gp": 18}, "SDA on GP18 and SCL on GP21 are not one I2C block"),
        ("station", "BELL", {"pull": "none"}, "BELL has no pull-up"),
        ("station", "AMBIENT", {"gp": 13}, "ADC input AMBIENT is on GP13"),
        ("deck", "EYE_IN2", {"pwm": 1000}, "share PWM slice 7 at different frequencies"),
        ("deck", "BUZZER", {"gp": 15}, "GP15 is used 2 times"),
        ("deck", "PIXELS", {"pwm": 500, "gp": 2}, "share PWM slice 1 at different frequencies"),
    ],
)
def test_a_wrong_pin_is_caught(board: str, name: str, to: dict[str, object], sentence: str) -> None:
    assert any(sentence in p for p in e.problems(board, changed(board, name, **to)))


def test_swapped_i2c_pins_are_caught() -> None:
    swapped = [p._replace(gp={"SDA": 21, "SCL": 20}.get(p.name, p.gp)) for p in e.PINS["deck"]]
    assert any("not one I2C block" in p for p in e.problems("deck", swapped))


def test_a_pixel_budget_over_the_fuse_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    rail = e.RAILS[0]
    bright = rail._replace(
        loads=tuple(x._replace(worst_ma=400) if x.name == "pixels, lit" else x for x in rail.loads)
    )
    monkeypatch.setattr(e, "RAILS", (bright, *e.RAILS[1:]))
    assert any("539 mA is 39 mA over the fuse's 500 mA" in p for p in e.power_problems())


@pytest.mark.parametrize("board", BOARDS)
def test_no_frame_exceeds_the_budget(board: str) -> None:
    n, budget = 3 * e.pixel_count(board), e.BUDGET_MA[board]
    chance = np.random.default_rng(1)
    for steps in range(5):  # down to a sixteenth
        frames = chance.integers(0, 256, (2**16 // 5 + 1, n), dtype=np.uint8) >> np.uint8(steps)
        dimmed = e.capped(frames, budget)
        assert e.lit_ma(dimmed).max() <= budget
        assert (dimmed <= frames).all()
        within = e.lit_ma(frames) <= budget
        assert (dimmed[within] == frames[within]).all()
    assert 0.9 * budget < e.lit_ma(e.capped(np.full(n, 255, np.uint8), budget)) <= budget
    assert (e.capped(np.ones(n, np.uint8), budget) == 1).all()


@pytest.mark.parametrize("board", BOARDS)
def test_every_rail_is_within_its_fuse_and_usb_gives_at_most_500_ma(board: str) -> None:
    for rail in (r for r in e.RAILS if r.board == board):
        assert e.rail_ma(rail, worst=False) <= e.rail_ma(rail) <= rail.fuse_hold_ma
        if "USB" in rail.supply:
            assert e.rail_ma(rail) <= 500


def test_eye_and_drum_count_once_because_they_never_run_together() -> None:
    deck = next(r for r in e.RAILS if r.board == "deck")
    both = sum(load.worst_ma for load in deck.loads)
    assert e.rail_ma(deck) == both - 200
    assert max(load.worst_ma for load in deck.loads if load.never_with) <= e.MOTOR_FUSE_MA


def test_three_boards_fit_every_host_but_a_pi_5_on_a_small_supply() -> None:
    short = [host for host, limit in e.HOSTS_MA.items() if e.three_boards_ma() > limit]
    assert short == ["Pi 5 without a 5 A supply"]


@pytest.mark.parametrize("board", BOARDS)
def test_every_pin_has_one_net_with_one_driver_and_wire_enough(board: str) -> None:
    nets = e.nets(board)
    assert set(Counter(n.name for n in nets).values()) == {1}
    assert {p.name for p in e.PINS[board]} <= {n.name for n in nets}
    for n in nets:
        assert n.driver
        assert n.loads
        assert n.ma <= e.AMPACITY_MA[n.awg]
    for p in e.PINS[board]:
        net = next(n for n in nets if n.name == p.name)
        if p.way == "in":
            assert net.loads == (f"PICO GP{p.gp}",)
        if p.way == "out":
            assert net.driver == f"PICO GP{p.gp}"
