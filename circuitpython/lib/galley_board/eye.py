"""The eye: a motor that turns an arm, ramped, watched and never left alone.

For: running at a speed for a time, going to an angle, knowing about where the arm is. It must not know why it
turns, nor the link: it is given commands, the time, and leave to turn.

Hardware: a 6 V gear motor on a DRV8833: IN1 and IN2 as PWM of 20 kHz (one of them is always 0), nSLEEP low =
motor dead, nFAULT low = too much current or heat. A hall switch closes to GND for HOME_HALF_DEG on both sides
of home. GUARD, a switch that is closed while the lid is, stands in the motor's supply as well.

A command lasts RUN_MAX_MS at most, ramp and all, so whoever wants more asks again. The motor is cut at once,
without a ramp, when the guard opens, when there is no leave any more (a silent host), on a driver's fault, on
a stall. The last two stay until the host asks for speed 0. It ramps down when the drum must move: the current
is enough for one of the two.

The angle is exact at home. Elsewhere it is what the speed makes it, and `doubt_deg` says how far off that can
be: it grows with the way since home. A whole turn one way teaches what the speed really is.
A *stall* is a way of STALL_TURNS in one direction, or of LOST_TURNS in all, without a pass of home.

Levels are thousandths of full speed, angles millionths of a degree: both fit a board's small integers.
"""

from galley_board import deck_codes
from galley_board.link import since_ms

TYPE_CHECKING = False  # a board has no typing module; type checkers take it for true
if TYPE_CHECKING:
    from galley_board.hardware_types import Input, Output, Tone


FULL_DEG_S = 450  # 75 turns a minute, until a turn has taught better
LEAST_DEG_S = 150
MOST_DEG_S = 900
HOME_HALF_DEG = 8
FULL_DUTY = 65535
LEAST_DUTY = 13107  # a fifth: with less the gear does not move
FULL_LEVEL = 1000
RAMP_MS = 10
RAMP = 20  # of level each RAMP_MS: half a second from 0 to full
GO_LEVEL = 350
ARRIVED = 4_000_000
WAKE_MS = 2
FAULT_AFTER_MS = 5  # the driver's fault line is not to be believed while it wakes
COAST_MS = 100  # after its current is off it still turns a little
LONGEST_MS = 150  # between two looks; a longer one would not fit the arithmetic, and is only doubt
RUN_MAX_MS = 3000
STALL_TURNS = 3
LOST_TURNS = 10
DOUBT_PERCENT = 15  # of the way since home, until a turn has been measured
TAUGHT_PERCENT = 8
ALL_DEG = 180

_TURN = 360_000_000
_HALF_TURN = _TURN // 2
_HOME_EDGE = HOME_HALF_DEG * 1_000_000
_TURN_MDEG = 360_000
_NEVER = -1


class Eye:
    """The motor, its driver, its switches. Any of the inputs may be None: not there.

    Without the three outputs there is no eye; without a guard's switch it never turns.
    `at_home` and `guard_open` are as the switches were at the last `poll`, `state` is one of
    `deck_codes.EYE_*`, `version` grows when the fault begins or ends.
    """

    def __init__(
        self,
        in1: "Tone | None",
        in2: "Tone | None",
        awake: "Output | None",
        fault: "Input | None",
        home: "Input | None",
        guard: "Input | None",
    ) -> None:
        self.there = in1 is not None and in2 is not None and awake is not None
        self.state = deck_codes.EYE_STILL if self.there else deck_codes.EYE_MISSING
        self.at_home = False
        self.guard_open = True
        self.full_deg_s = FULL_DEG_S
        self.version = 0
        self._in1 = in1
        self._in2 = in2
        self._awake = awake
        self._fault = fault
        self._home = home
        self._guard = guard
        self._stopped = 0  # why it may not turn until the host asks for speed 0
        self._asked = 0
        self._go_deg = _NEVER
        self._asked_ms = 0
        self._for_ms = 0
        self._level = 0
        self._polled_ms = 0
        self._ramped_ms = 0
        self._woken_ms = _NEVER
        self._still_ms = _NEVER
        self._angle = 0
        self._known = False
        self._doubted_mdeg = 0
        self._one_way_mdeg = 0
        self._whole = False  # it has gone one way since the last pass
        self._taught = False
        self._first = True

    # -- what it is asked ---------------------------------------------------------------------------

    def run(self, percent: int, ms: int, now_ms: int) -> None:
        """Turn at a speed, negative the other way round, for `ms`; 0 stops and forgives a fault."""
        self._ask(percent * FULL_LEVEL // 100, _NEVER, ms, now_ms)
        if not percent and self._stopped:
            self._stopped = 0
            self.version += 1
            self._forget_way()

    def go(self, deg: int, ms: int, now_ms: int) -> None:
        """Turn to an angle and stop there, within `ms`; 0 is home as its switch sees it."""
        self._ask(0, deg, ms, now_ms)

    def _ask(self, level: int, deg: int, ms: int, now_ms: int) -> None:
        self._asked = max(-FULL_LEVEL, min(level, FULL_LEVEL))
        self._go_deg = deg
        self._for_ms = min(ms, RUN_MAX_MS) if level or deg != _NEVER else 0
        self._asked_ms = now_ms

    # -- what is known of it ------------------------------------------------------------------------

    @property
    def driven(self) -> bool:
        """Whether there is current in the motor."""
        return self._level != 0

    @property
    def alarmed(self) -> bool:
        """Whether the guard was opened since the last `poll`."""
        return not self.guard_open and (self._guard is None or self._guard.value)

    @property
    def faulty(self) -> bool:
        """Whether it was stopped for a stall or by its driver."""
        return self._stopped != 0

    @property
    def deg(self) -> int:
        """Where the arm is, 0-359 from home."""
        return self._angle // 1_000_000

    @property
    def doubt_deg(self) -> int:
        """How far off `deg` can be; 180 says that it is not known at all."""
        if not self._known:
            return ALL_DEG
        percent = TAUGHT_PERCENT if self._taught else DOUBT_PERCENT
        return min(ALL_DEG, HOME_HALF_DEG + self._doubted_mdeg * percent // 100_000)

    def stands(self, now_ms: int) -> bool:
        """Whether it is without current, and has been for long enough to stand."""
        if self._level:
            return False
        return self._still_ms == _NEVER or not 0 <= since_ms(now_ms, self._still_ms) < COAST_MS

    # -- every turn of the loop ---------------------------------------------------------------------

    def poll(self, now_ms: int, leave: bool, hold: bool) -> None:
        """Read the switches and drive the motor. Without `leave` it is cut, with `hold` it ramps down."""
        passed_ms = 0 if self._first else since_ms(now_ms, self._polled_ms)
        self._first = False
        self._polled_ms = now_ms
        self._read(passed_ms)
        if not self.there:
            return
        if not (self._level or self._for_ms or self._stopped) and self._woken_ms == _NEVER:
            self.state = deck_codes.EYE_GUARDED if self.guard_open else deck_codes.EYE_STILL
            return
        if self._for_ms and not 0 <= since_ms(now_ms, self._asked_ms) < self._for_ms:
            self._end()
            self._cut(now_ms)
        self._watch(now_ms)
        if not leave:
            self._end()
        if self.guard_open or not leave or self._stopped:
            self._cut(now_ms)
        else:
            self._drive(0 if hold else self._wanted(now_ms), now_ms)
        self._tell(hold)

    def _read(self, passed_ms: int) -> None:
        self.guard_open = self._guard is None or self._guard.value
        if self._level:
            way = self._level * self.full_deg_s * max(0, min(passed_ms, LONGEST_MS))
            self._angle = (self._angle + way) % _TURN
            self._doubted_mdeg = min(self._doubted_mdeg + abs(way) // 1000, LOST_TURNS * _TURN_MDEG)
            self._one_way_mdeg += abs(way) // 1000
        seen = self._home is not None and not self._home.value
        if seen and not self.at_home:
            self._passed()
        self.at_home = seen

    def _passed(self) -> None:
        """The arm has just come to the edge of home."""
        if self._level > 0:
            self._angle = _TURN - _HOME_EDGE
        elif self._level < 0:
            self._angle = _HOME_EDGE
        else:
            self._angle = 0
        if self._whole and self._one_way_mdeg:
            self._learn()
        self._whole = self._level != 0
        self._known = True
        self._forget_way()

    def _learn(self) -> None:
        """What was taken for the way since the last pass was a whole turn."""
        measured = self.full_deg_s * _TURN_MDEG // self._one_way_mdeg
        if LEAST_DEG_S <= measured <= MOST_DEG_S:
            self.full_deg_s = measured
            self._taught = True

    def _forget_way(self) -> None:
        self._doubted_mdeg = 0
        self._one_way_mdeg = 0

    def _watch(self, now_ms: int) -> None:
        """See a stall and the driver's fault."""
        why = 0
        if self._home is not None and (
            self._one_way_mdeg > STALL_TURNS * _TURN_MDEG or self._doubted_mdeg >= LOST_TURNS * _TURN_MDEG
        ):
            why = deck_codes.EYE_STALLED
        if (
            self._fault is not None
            and self._woken_ms != _NEVER
            and since_ms(now_ms, self._woken_ms) >= FAULT_AFTER_MS
            and not self._fault.value
        ):
            why = deck_codes.EYE_DRIVER
        if why and not self._stopped:
            self._stopped = why
            self._known = False
            self.version += 1

    def _wanted(self, now_ms: int) -> int:
        """The level to ramp towards."""
        if not self._for_ms:
            return 0
        if self._go_deg != _NEVER:
            return self._towards(now_ms)
        left_ms = self._for_ms - since_ms(now_ms, self._asked_ms)
        if left_ms <= (abs(self._level) // RAMP + 2) * RAMP_MS:
            return 0  # what is left is just enough to ramp down
        return self._asked

    def _towards(self, now_ms: int) -> int:
        to = self._go_deg * 1_000_000
        if self.doubt_deg == ALL_DEG:
            way = _HALF_TURN  # to home first
        else:
            way = (to - self._angle + _HALF_TURN) % _TURN - _HALF_TURN
        arrived = self.at_home if not to else abs(way) <= ARRIVED and self._known
        if arrived:
            self._end()
            self._cut(now_ms)
            return 0
        return GO_LEVEL if way > 0 else -GO_LEVEL

    def _drive(self, wanted: int, now_ms: int) -> None:
        """One step of the ramp towards a level."""
        if not wanted and not self._level:
            self._sleep()
            return
        if self._woken_ms == _NEVER:
            self._woken_ms = now_ms
            if self._awake is not None:
                self._awake.value = True
        if 0 <= since_ms(now_ms, self._woken_ms) < WAKE_MS:
            return
        if self._level and 0 <= since_ms(now_ms, self._ramped_ms) < RAMP_MS:
            return
        if wanted == self._level:
            return
        self._ramped_ms = now_ms
        before = self._level
        level = before + max(-RAMP, min(wanted - before, RAMP))
        if level * before < 0:
            level = 0
        if level * before <= 0:
            self._one_way_mdeg = 0
            self._whole = False
        self._level = level
        if not level:
            self._still_ms = now_ms
        duty = LEAST_DUTY + (FULL_DUTY - LEAST_DUTY) * abs(level) // FULL_LEVEL if level else 0
        self._give(duty if level > 0 else 0, duty if level < 0 else 0)

    def _give(self, forward: int, backward: int) -> None:
        if self._in1 is None or self._in2 is None:
            return
        if not forward:
            self._in1.duty_cycle = 0
        self._in2.duty_cycle = backward
        if forward:
            self._in1.duty_cycle = forward

    def _end(self) -> None:
        self._for_ms = 0
        self._asked = 0
        self._go_deg = _NEVER

    def _cut(self, now_ms: int) -> None:
        """No current from now on, without a ramp."""
        if self._level:
            self._level = 0
            self._still_ms = now_ms
            self._whole = False
            self._give(0, 0)
        self._sleep()

    def _sleep(self) -> None:
        if self._woken_ms != _NEVER:
            self._woken_ms = _NEVER
            if self._awake is not None:
                self._awake.value = False

    def _tell(self, hold: bool) -> None:
        if self._stopped:
            self.state = self._stopped
        elif self.guard_open:
            self.state = deck_codes.EYE_GUARDED
        elif self._for_ms and hold:
            self.state = deck_codes.EYE_WAITING
        elif self._for_ms and self._go_deg != _NEVER:
            self.state = deck_codes.EYE_GOING
        elif self._level or (self._for_ms and self._asked):
            self.state = deck_codes.EYE_TURNING
        else:
            self.state = deck_codes.EYE_STILL
