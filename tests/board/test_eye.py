"""The eye: ramped, timed, watched; its angle is right at home and honestly doubted elsewhere."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from galley_board import deck_codes, wire
from galley_board.eye import (
    FULL_DEG_S,
    FULL_DUTY,
    HOME_HALF_DEG,
    LEAST_DUTY,
    LOST_TURNS,
    RUN_MAX_MS,
    STALL_TURNS,
    Eye,
)

START_MS = wire.TICKS_MS_PERIOD - 1500  # so that most runs cross the wrap


class Arm:
    """An eye with its motor and switches, turned a millisecond at a time. `strength` is the motor's share of
    the speed that the firmware believes in.
    """

    def __init__(self, strength: float = 1.0, home: bool = True, at_deg: float = 90) -> None:
        self.in1, self.in2 = SimpleNamespace(duty_cycle=0), SimpleNamespace(duty_cycle=0)
        self.awake = SimpleNamespace(value=False)
        self.fault, self.home = SimpleNamespace(value=True), SimpleNamespace(value=True)
        self.guard = SimpleNamespace(value=False)
        self.eye = Eye(self.in1, self.in2, self.awake, self.fault, self.home if home else None, self.guard)
        self.strength = strength
        self.deg = at_deg
        self.ms = 0
        self.leave = True
        self.hold = False
        self.duties: list[int] = []

    @property
    def now_ms(self) -> int:
        return (START_MS + self.ms) % wire.TICKS_MS_PERIOD

    @property
    def duty(self) -> int:
        assert not (self.in1.duty_cycle and self.in2.duty_cycle), "both sides of the bridge"
        duty: int = self.in1.duty_cycle - self.in2.duty_cycle
        return duty if self.awake.value else 0

    def ask(self, percent: int, ms: int = RUN_MAX_MS) -> None:
        self.eye.run(percent, ms, self.now_ms)

    def run(self, ms: int) -> None:
        for _ in range(ms):
            self.eye.poll(self.now_ms, self.leave, self.hold)
            level = max(0, abs(self.duty) - LEAST_DUTY) / (FULL_DUTY - LEAST_DUTY)
            speed = level * FULL_DEG_S * self.strength * (1 if self.duty > 0 else -1)
            self.deg = (self.deg + speed / 1000) % 360
            self.home.value = not (self.deg <= HOME_HALF_DEG or self.deg >= 360 - HOME_HALF_DEG)
            self.duties.append(self.duty)
            self.ms += 1

    def keep_running(self, percent: int, ms: int) -> None:
        """As a host does: ask anew every second."""
        for at in range(0, ms, 1000):
            self.ask(percent)
            self.run(min(1000, ms - at))

    def away(self) -> float:
        """How far the arm is from where the eye says it is."""
        return abs((self.eye.deg - self.deg + 180) % 360 - 180)


def test_nothing_moves_before_it_is_asked() -> None:
    arm = Arm()
    arm.run(2000)
    assert set(arm.duties) == {0}
    assert arm.eye.state == deck_codes.EYE_STILL


@pytest.mark.parametrize("percent", [100, -100, 40, -7])
def test_the_speed_comes_by_a_ramp_and_goes_by_one(percent: int) -> None:
    arm = Arm()
    arm.ask(percent)
    arm.run(1000)
    full = LEAST_DUTY + (FULL_DUTY - LEAST_DUTY) * abs(percent) // 100
    assert abs(arm.duty) == pytest.approx(full, abs=2)
    assert (arm.duty > 0) == (percent > 0)
    assert arm.eye.state == deck_codes.EYE_TURNING
    arm.ask(0)
    arm.run(600)
    assert arm.duty == 0
    assert arm.eye.state == deck_codes.EYE_STILL
    steps = [abs(abs(b) - abs(a)) for a, b in zip(arm.duties, arm.duties[1:], strict=False)]
    moving = [step for step in steps if step and step < LEAST_DUTY]
    assert all(step <= (FULL_DUTY - LEAST_DUTY) // 50 + 1 for step in moving)
    rise = next(ms for ms, duty in enumerate(arm.duties) if abs(duty) >= full - 2)
    assert rise >= 5 * abs(percent) - 15, "half a second to full speed"


def test_a_turn_the_other_way_goes_through_standing_still() -> None:
    arm = Arm()
    arm.ask(50)
    arm.run(600)
    arm.ask(-50)
    arm.run(900)
    assert arm.duty < 0
    turned = next(at for at in range(600, 1500) if arm.duties[at] <= 0)
    assert arm.duties[turned] == 0


@pytest.mark.parametrize("ms", [1, 15, 100, 700, RUN_MAX_MS])
def test_a_run_is_over_when_its_time_is_ramp_and_all(ms: int) -> None:
    arm = Arm()
    arm.ask(100, ms)
    arm.run(ms + 1000)
    assert not any(arm.duties[ms + 1 :])
    arm.ask(60, 9999)
    start = arm.ms
    arm.run(4000)
    assert not any(arm.duties[start + RUN_MAX_MS + 1 :]), "none lasts longer than the longest"


def test_asked_anew_it_runs_on_without_a_dip() -> None:
    arm = Arm()
    arm.keep_running(40, 6000)
    assert min(arm.duties[500:5900]) == max(arm.duties)


@pytest.mark.parametrize("cause", ["guard", "leave"])
def test_an_open_guard_or_a_silent_host_cut_the_motor_in_the_same_turn(cause: str) -> None:
    arm = Arm()
    arm.ask(100)
    arm.run(700)
    assert arm.duty
    arm.guard.value, arm.leave = cause == "guard", cause != "leave"
    arm.run(1)
    assert arm.duty == 0
    assert arm.awake.value is False
    assert (arm.in1.duty_cycle, arm.in2.duty_cycle) == (0, 0)


def test_a_closed_guard_lets_it_go_on_while_its_time_lasts() -> None:
    arm = Arm()
    arm.ask(50)
    arm.run(600)
    arm.guard.value = True
    arm.run(300)
    assert arm.eye.state == deck_codes.EYE_GUARDED
    arm.guard.value = False
    arm.run(400)
    assert arm.duty > 0


def test_a_silent_host_ends_the_command_for_good() -> None:
    arm = Arm()
    arm.ask(50)
    arm.run(600)
    arm.leave = False
    arm.run(10)
    arm.leave = True
    arm.run(500)
    assert arm.duty == 0


def test_without_a_guard_s_switch_it_never_turns() -> None:
    in1 = SimpleNamespace(duty_cycle=0)
    eye = Eye(in1, SimpleNamespace(duty_cycle=0), SimpleNamespace(value=False), None, None, None)
    eye.run(100, 3000, 0)
    for ms in range(1000):
        eye.poll(ms, True, False)
    assert in1.duty_cycle == 0
    assert eye.guard_open


def test_held_for_the_drum_it_ramps_down_stands_and_goes_on() -> None:
    arm = Arm()
    arm.keep_running(60, 1000)
    arm.hold = True
    arm.ask(60)
    arm.run(310)
    assert arm.duty == 0
    assert arm.eye.state == deck_codes.EYE_WAITING
    assert not arm.eye.stands(arm.now_ms), "it still coasts"
    arm.run(110)
    assert arm.eye.stands(arm.now_ms)
    arm.hold = False
    arm.run(400)
    assert arm.duty > 0


# -- the angle -----------------------------------------------------------------------------------------


def test_before_the_first_pass_nothing_is_known() -> None:
    arm = Arm()
    assert arm.eye.doubt_deg == 180
    arm.keep_running(30, 1000)
    assert arm.eye.doubt_deg == 180


@pytest.mark.parametrize("strength", [0.9, 1.0, 1.1])
@pytest.mark.parametrize("percent", [25, -25, 80])
def test_the_arm_is_never_further_off_than_the_doubt_says(strength: float, percent: int) -> None:
    arm = Arm(strength)
    arm.keep_running(percent, 5000)
    assert arm.eye.doubt_deg < 180
    for _ in range(400):
        arm.ask(percent)
        arm.run(10)
        assert arm.away() <= arm.eye.doubt_deg, (arm.eye.deg, arm.deg)


def test_doubt_grows_with_the_way_and_is_small_again_at_home() -> None:
    arm = Arm()
    arm.keep_running(50, 3000)
    seen = []
    for _ in range(1700):
        arm.run(1)
        arm.ask(50)
        seen.append((arm.eye.at_home, arm.eye.doubt_deg))
    assert all(doubt <= HOME_HALF_DEG + 4 for at_home, doubt in seen if at_home)
    assert max(doubt for _, doubt in seen) >= HOME_HALF_DEG + 15
    standing = arm.eye.doubt_deg
    arm.ask(0)
    arm.run(3000)
    assert standing <= arm.eye.doubt_deg <= standing + 20


@pytest.mark.parametrize("paces", [(50,), (40, 70, 55)])
def test_a_whole_turn_teaches_what_the_speed_is(paces: tuple[int, ...]) -> None:
    arm = Arm(0.7)
    for second in range(9):
        arm.keep_running(paces[second % len(paces)], 1000)
    assert arm.eye.full_deg_s == pytest.approx(0.7 * FULL_DEG_S, rel=0.02)
    assert arm.away() <= 12


@pytest.mark.parametrize("deg", [0, 45, 170, 190, 300])
@pytest.mark.parametrize("start", [90, 358, 200])
def test_it_goes_to_an_angle_within_its_doubt_and_stops_there(deg: int, start: float) -> None:
    arm = Arm(at_deg=start)
    for _ in range(2):  # the first finds home, which may take all its time
        arm.eye.go(deg, RUN_MAX_MS, arm.now_ms)
        arm.run(RUN_MAX_MS)
    assert arm.eye.state == deck_codes.EYE_STILL
    assert abs((arm.deg - deg + 180) % 360 - 180) <= HOME_HALF_DEG + arm.eye.doubt_deg
    if not deg:
        assert arm.eye.at_home
    assert not any(arm.duties[-200:])


def test_an_eye_turned_by_hand_over_home_knows_where_it_is() -> None:
    arm = Arm()
    arm.run(10)
    arm.deg = 2
    arm.run(5)
    assert arm.eye.at_home
    assert (arm.eye.deg, arm.eye.doubt_deg) == (0, HOME_HALF_DEG)


# -- what goes wrong -----------------------------------------------------------------------------------


def test_an_arm_that_is_held_is_a_stall_after_a_few_turns_that_were_none() -> None:
    arm = Arm(0)
    arm.keep_running(50, 12_000)
    assert arm.eye.state == deck_codes.EYE_STALLED
    assert arm.eye.faulty
    assert arm.duty == 0
    driven_s = sum(1 for duty in arm.duties if duty) / 1000
    assert driven_s == pytest.approx(STALL_TURNS * 360 / (FULL_DEG_S / 2), rel=0.1)
    arm.keep_running(50, 2000)
    assert arm.duty == 0, "it stays so while the host just goes on asking"
    arm.strength = 1
    arm.ask(0)
    arm.run(10)
    assert arm.eye.state == deck_codes.EYE_STILL
    arm.keep_running(50, 1000)
    assert arm.duty


def test_an_arm_that_only_swings_is_a_stall_at_last() -> None:
    arm = Arm(0)
    for turn in range(80):
        arm.ask(80 if turn % 2 else -80)
        arm.run(1000)
    assert arm.eye.state == deck_codes.EYE_STALLED
    travelled = sum(max(0, abs(duty) - LEAST_DUTY) for duty in arm.duties) / (FULL_DUTY - LEAST_DUTY)
    assert travelled * FULL_DEG_S / 1000 == pytest.approx(LOST_TURNS * 360, rel=0.1)


def test_a_slow_motor_is_no_stall() -> None:
    arm = Arm(0.5)
    arm.keep_running(30, 20_000)
    assert not arm.eye.faulty
    assert arm.duty


def test_without_a_home_switch_there_is_no_stall_and_no_angle() -> None:
    arm = Arm(home=False)
    arm.keep_running(100, 10_000)
    assert not arm.eye.faulty
    assert arm.eye.doubt_deg == 180


def test_the_driver_s_fault_stops_the_motor_until_the_host_stops_too() -> None:
    arm = Arm()
    arm.fault.value = False
    arm.run(100)
    assert not arm.eye.faulty, "a sleeping driver's line says nothing"
    arm.fault.value = True
    arm.keep_running(50, 1000)
    arm.fault.value = False
    arm.run(2)
    assert arm.duty == 0
    assert arm.eye.state == deck_codes.EYE_DRIVER
    arm.fault.value = True
    arm.keep_running(50, 1000)
    assert arm.duty == 0
    version = arm.eye.version
    arm.ask(0)
    assert arm.eye.version == version + 1
    arm.keep_running(50, 1000)
    assert arm.duty > 0


def test_an_eye_with_a_pin_missing_is_missing() -> None:
    eye = Eye(None, SimpleNamespace(duty_cycle=0), SimpleNamespace(value=False), None, None, None)
    eye.run(100, 3000, 0)
    eye.poll(0, True, False)
    assert not eye.there
    assert eye.state == deck_codes.EYE_MISSING
