"""The simulated deck below the pins: an arm that keeps its time, a hand, and what a board is told."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley.deck_physics import Physics
from galley.sim.boards import SimulatedBoard
from galley.sim.deck_arm import HOME_HALF_DEG, Arm
from galley.sim.deck_rig import FULL_DEG_S, FULL_DUTY, HOLES, SimDeck, gp
from galley_board import drum, eye, pins
from galley_engine.dice import Dice

SECTORS = 16


class Told(SimulatedBoard):
    """A board of which only what it is told is kept."""

    def __init__(self) -> None:
        super().__init__("deck")
        self.messages: list[dict[str, Any]] = []

    @property
    def plugged(self) -> bool:
        return True

    def send(self, message: dict[str, Any]) -> None:
        self.messages.append(message)


def deck(**options: Any) -> tuple[SimDeck, Told]:
    board = Told()
    made = SimDeck(board, Dice(5), **options)
    return made, board


def drive(rig: SimDeck, percent: int, at_s: float) -> None:
    """What the firmware's pins tell when the eye runs at a speed."""
    duty = eye.LEAST_DUTY + (FULL_DUTY - eye.LEAST_DUTY) * abs(percent) // 100 if percent else 0
    for name, value in (
        ("EYE_nSLEEP", 1 if percent else 0),
        ("EYE_IN1", duty if percent > 0 else 0),
        ("EYE_IN2", duty if percent < 0 else 0),
    ):
        event = {"ev": "pwm", "pin": gp(name), "duty": value, "t_us": int(at_s * 1e6)}
        if name == "EYE_nSLEEP":
            event = {"ev": "pin", "pin": gp(name), "value": value, "t_us": int(at_s * 1e6)}
        rig.heard(event)


def of(board: Told, op: str, pin: int | None = None) -> list[dict[str, Any]]:
    return [m for m in board.messages if m["op"] == op and (pin is None or m.get("pin") == pin)]


@settings(deadline=None)
@given(st.floats(-720, 720), st.sampled_from([-450.0, -22.5, 13.0, 450.0]), st.lists(st.floats(0.0001, 0.4)))
def test_an_arm_stops_at_every_mark_and_loses_no_time(start: float, speed: float, times: list[float]) -> None:
    arm = Arm(SECTORS)
    arm.deg, arm.speed_deg_s = start, speed
    marks = 0
    for passed_s in times:
        left_s = passed_s
        while left_s > 0:
            wait_s = arm.wait_s()
            assert wait_s is not None
            before = arm.sector, arm.at_home
            passed = arm.turn(left_s)
            left_s -= wait_s
            changed = (arm.sector, arm.at_home) != before
            assert changed == passed, (before, arm.deg)
            marks += passed
            if not passed:
                break
    assert arm.deg == pytest.approx(start + speed * sum(times), abs=1e-3)


def test_an_arm_that_stands_waits_for_nothing() -> None:
    arm = Arm(SECTORS)
    assert arm.wait_s() is None
    assert not arm.turn(100)
    assert arm.at_home


def test_the_arm_follows_the_pins_and_passes_home_once_a_turn() -> None:
    async def test() -> None:
        rig, board = deck()
        rig.deal([], Physics(railings=4))
        start_s = 1000.0
        rig._moved_s = start_s
        drive(rig, 100, start_s)
        turn_s = 360 / FULL_DEG_S
        drive(rig, 0, start_s + 3 * turn_s)
        levels = [m["value"] for m in of(board, "pin", gp("EYE_HOME"))]
        assert levels == [0, None, 0, None, 0, None, 0]
        assert rig._arm.deg == pytest.approx(1080, abs=1)

    asyncio.run(test())


@pytest.mark.parametrize("percent", [100, -100])
def test_what_the_arm_pushes_through_an_open_hole_breaks_its_beam(percent: int) -> None:
    async def test() -> None:
        rig, board = deck()
        rig.deal(["red", "green", "blue", "yellow"] * 3, Physics(railings=3))
        rig._moved_s = 1000.0
        drive(rig, percent, 1000.0)
        drive(rig, 0, 1000.0 + 60 * 360 / FULL_DEG_S)
        broken = [m["pin"] for m in of(board, "beam") if m["broken"]]
        fallen = 12 - len(rig.sight().droppings)
        assert fallen == len(broken) > 0
        assert set(broken) == {HOLES[3]}, "the first holes have railings"

    asyncio.run(test())


@pytest.mark.parametrize("cause", ["guard", "asleep", "unplugged"])
def test_nothing_turns_without_current(cause: str) -> None:
    async def test() -> None:
        rig, _ = deck()
        start_s = rig._moved_s = time.monotonic()
        if cause == "guard":
            rig.open_guard(True)
        drive(rig, 50, start_s)
        if cause == "asleep":
            rig.heard({"ev": "pin", "pin": gp("EYE_nSLEEP"), "value": 0, "t_us": int(start_s * 1e6)})
        if cause == "unplugged":
            rig.unplugged()
        assert rig._arm.wait_s() is None

    asyncio.run(test())


def test_a_board_that_comes_back_is_wired_as_things_are_now() -> None:
    async def test() -> None:
        rig, board = deck(reader=True)
        rig.open_guard(True)
        rig.show_in_well("blue")
        rig.heard({"ev": "stepper", "half_steps": 509})
        board.messages.clear()
        board.wire()
        assert of(board, "pin", gp("GUARD"))[0]["value"] is None
        assert of(board, "stepper")[0]["half_steps"] == 509
        assert of(board, "colour")[0]["light"][3] > of(board, "colour")[0]["light"][1]
        assert of(board, "watch")[0]["pins"] == [gp("EYE_nSLEEP"), gp("EYE_IN1"), gp("EYE_IN2")]
        assert sorted(m["pin"] for m in of(board, "beam")) == sorted(HOLES)

    asyncio.run(test())


@pytest.mark.parametrize("face", range(8))
def test_the_die_shows_the_face_to_which_the_drum_was_turned(face: int) -> None:
    rig, _ = deck()
    half_steps = round((drum.FACE_0 + face * drum.FACE) / drum.HALF_STEP)
    rig.heard({"ev": "stepper", "half_steps": half_steps})
    assert rig.page()["die"] == ("red", "green", "blue", "yellow")[face % 4]


def test_a_hand_lifts_puts_back_keeps_and_drops() -> None:
    rig, _ = deck()
    assert rig.lift(0) is None, "nothing was dealt"
    rig.deal(["red", "red", "blue"], Physics(railings=3))
    assert rig.last() is None
    first = rig.lift(0)
    assert first in {"red", "blue"}
    assert rig.held() == first
    assert rig.lift(1) is None, "one hand holds one"
    rig.put_back()
    assert len(rig.sight().droppings) == 3
    assert rig.lift(0) == first
    rig.keep()
    assert rig.lift(1) is not None
    rig.drop()
    assert rig.last() in {"red", "blue"}
    rig.drop()
    assert rig.sight().droppings == {}
    assert [(lift.dropping, lift.collected) for lift in rig.sight().lifts] == [
        (0, False), (0, True), (1, False), (2, False),
    ]  # fmt: skip
    rig.put_back()
    rig.keep()
    assert rig.held() is None


def test_the_page_says_where_everything_lies() -> None:
    rig, _ = deck()
    rig.deal(["red"], Physics(railings=2))
    page = rig.page()
    assert page["railings"] == 2
    assert page["holes"] == [2, 6, 10, 14]
    assert (page["sectors"], page["rings"], page["held"]) == (16, 3, None)
    (cell,) = rig.sight().droppings.values()
    assert page["droppings"] == [{"n": 0, "sector": cell[0], "ring": cell[1]}]
    rig.lift(0)
    assert rig.page()["held"] == {"n": 0, "colour": "red"}


def test_the_arm_points_at_what_lies_in_its_sector() -> None:
    rig, _ = deck()
    rig.deal(["red", "green", "blue", "yellow"] * 3, Physics(railings=3))
    sector = rig.sight().arm
    there = [n for n, cell in rig.sight().droppings.items() if cell[0] == sector]
    lifted = rig.lift(None)
    assert (lifted is None) == (not there)
    assert set(rig.sight().droppings) == set(range(12)) - set(there[:1])


def test_a_loose_die_lies_among_the_droppings_and_where_it_was_saved() -> None:
    rig, _ = deck()
    rig.deal(["red", "green", "blue", "yellow"] * 3, Physics(build="loose"))
    at: Any = rig.page()["die_at"]
    assert (at["sector"], at["ring"]) == rig.sight().die_cell
    again, _ = deck()
    again.deal([], Physics(build="loose"))
    again.restore(json.loads(json.dumps(rig.saved())))
    assert (again.page()["die_at"], again.die(), again.sight()) == (at, rig.die(), rig.sight())
    again.push_die()
    assert again.sight().die_cell in {(sector, 0) for sector in range(16)}
    again.deal(["red"], Physics())
    assert (again.die(), again.page()["die_at"]) == (None, None), "a drum is no thing on deck"


def test_everything_lies_as_it_was_saved() -> None:
    rig, _ = deck()
    rig.deal(["red", "green", "blue", "yellow"] * 3, Physics(railings=2))
    rig.turn_drum(2000)
    rig.lift(3)
    rig.keep()
    rig.lift(5)
    again, board = deck()
    again.deal([], Physics(railings=2))
    saved = json.loads(json.dumps(rig.saved()))
    again.restore(saved)
    assert (again.saved(), again.sight(), again.held()) == (saved, rig.sight(), rig.held())
    assert of(board, "stepper")[-1]["half_steps"] == 2000
    for wrong in (
        {},
        {"colours": ["pink"]},
        {"lying": [[12, 0, 0]]},
        {"lying": [[0, 99, 0]]},
        {"lying": [[0, 0, 0], [1, 0, 0]]},
        {"lifts": [[1]]},
        {"held": 7},
    ):
        again.restore({**saved, **wrong} if wrong else {})
        assert again.saved() == saved


def test_home_is_as_wide_as_the_firmware_takes_it_to_be() -> None:
    assert HOME_HALF_DEG == eye.HOME_HALF_DEG
    assert pins.FIRST_SENSOR_KEY + len(pins.SENSOR_KEYS) == 17
