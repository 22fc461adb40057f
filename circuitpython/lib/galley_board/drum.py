"""The colour die as a drum: a stepper that brings one of eight faces to the top, and knows which it is.

For: counting steps exactly, finding home, seeing that the count is wrong. It must not know colours, nor when
it is good to move: it is told which face, and given leave.

Hardware: a 28BYJ-48 (5 V) on a ULN2003A, four coils; a hall switch that closes to GND at one edge of which,
coming forwards, the count is 0. The gear is 25792 : 405, so a turn is 64 * 25792 / 405 half-steps and no
whole number of anything: positions are counted in 405ths of a half-step, in which a turn is 1650688 and a
face 206336 (254.74 full steps). So the eight faces never creep.

Coils are on only while it moves. Without leave it stops where it is with its coils off, and goes on later:
the gear holds it. It finds home before its first face, and again when the switch is not as the count says:
passed at another place, or not closed at the top of face 0, or closed at another face. When home was not
found in a turn and a quarter it gives up, and moves no more until it is sent home by hand (HOME_FACE).
"""

from galley_board import deck_codes, wire
from galley_board.link import since_ms

TYPE_CHECKING = False  # a board has no typing module; type checkers take it for true
if TYPE_CHECKING:
    from galley_board.hardware_types import Input, Output


HALF_STEP = 405
TURN = 1650688
FACE = TURN // wire.FACES
FACE_0 = 10 * HALF_STEP  # face 0 lies a little inside home, so that the switch is closed there
STEP_MS = 2
LOCK_MS = 10  # the rotor comes to the coils before the first step
SETTLE_MS = 30  # and stands before they go off
SLIP = 8 * HALF_STEP
SEEK = TURN // HALF_STEP * 5 // 4
BACK_OFF = SEEK // 2
# coils on at each of the eight half-steps, bit n for coil n
PATTERNS = (0b0001, 0b0011, 0b0010, 0b0110, 0b0100, 0b1100, 0b1000, 0b1001)

_OFF = 0
_LOCKING = 1
_BACKING = 2
_SEEKING = 3
_MOVING = 4
_SETTLING = 5


def nearest_face(position: int) -> int:
    """The face that is nearest to the top at a position."""
    return (position - FACE_0 + FACE // 2) % TURN // FACE


class Drum:
    """The stepper and its switch; `coils` is None where there is no drum.

    `state` is one of `deck_codes.DRUM_*`, `face` the one on top, 8 while it is not known; `version` grows
    when `homeless`, the fault, begins or ends.
    """

    def __init__(self, coils: "tuple[Output, ...] | None", home: "Input | None", absent: int) -> None:
        self.state = deck_codes.DRUM_STILL if coils is not None else absent
        self.face = wire.FACES
        self.homeless = False
        self.slipped = False
        self.version = 0
        self.powered = False
        self._coils = coils
        self._home = home
        self._asked = wire.NO_FACE
        self._known = False
        self._checked = False
        self._position = 0
        self._phase = 0
        self._doing = _OFF
        self._left = 0
        self._stepped_ms = 0
        self._closed = False
        self._heading = 1

    def ask(self, face: int) -> None:
        """Bring a face 0-7 to the top; HOME_FACE finds home anew; NO_FACE leaves it as it lies."""
        self._asked = face
        self._checked = False
        if face == wire.HOME_FACE:
            self._known = False
            if self.homeless:
                self.homeless = False
                self.version += 1

    @property
    def wants(self) -> bool:
        """Whether it has to move, and so needs leave."""
        if self._coils is None or self.homeless or self._asked == wire.NO_FACE:
            return False
        return self._doing != _OFF or not self._known or self._way() != 0

    def poll(self, now_ms: int, leave: bool) -> None:
        """Make the step that is due."""
        if self._coils is None:
            return
        wants = self.wants
        if wants and leave:
            self._work(now_ms)
            wants = self.wants
        elif self._doing != _OFF:
            self._off()
        doing = self._doing
        if doing == _OFF:
            if self.homeless:
                self.state = deck_codes.DRUM_NO_HOME
            else:
                self.state = deck_codes.DRUM_WAITING if wants else deck_codes.DRUM_STILL
        elif _BACKING <= doing <= _SEEKING:
            self.state = deck_codes.DRUM_HOMING
        else:
            self.state = deck_codes.DRUM_TURNING

    def _work(self, now_ms: int) -> None:
        if self._doing == _OFF:
            self._begin(_LOCKING, now_ms)
            self._energise()
        since = since_ms(now_ms, self._stepped_ms)
        if self._doing == _LOCKING:
            if not 0 <= since < LOCK_MS:
                self._set_out(now_ms)
        elif self._doing == _SETTLING:
            if not 0 <= since < SETTLE_MS:
                self._off()
        elif not 0 <= since < STEP_MS:
            self._stepped_ms = now_ms
            self._step(now_ms)

    # -- moving -------------------------------------------------------------------------------------

    def _begin(self, doing: int, now_ms: int) -> None:
        self._doing = doing
        self._stepped_ms = now_ms

    def _set_out(self, now_ms: int) -> None:
        self._closed = self._switch()
        self.face = wire.FACES
        if self._known:
            self._begin(_MOVING, now_ms)
        else:
            self._left = BACK_OFF
            self._begin(_BACKING, now_ms)

    def _switch(self) -> bool:
        return self._home is not None and not self._home.value

    def _step(self, now_ms: int) -> None:
        if self._doing == _MOVING:
            self._move(now_ms)
        elif self._left == 0:
            self.homeless = True
            self.version += 1
            self._off()
        elif self._doing == _BACKING:
            if self._switch():
                self._left -= 1
                self._turn(-1)
            else:
                self._left = SEEK
                self._begin(_SEEKING, now_ms)
        elif self._switch():
            self._position = 0
            self._known = True
            self._closed = True
            self._begin(_MOVING, now_ms)
        else:
            self._left -= 1
            self._turn(1)

    def _move(self, now_ms: int) -> None:
        # the switch says how it is after the step before: the rotor takes its time
        closed = self._switch()
        if closed != self._closed:
            self._closed = closed
            if closed == (self._heading > 0):
                self._over_the_edge()
        way = self._way()
        if way:
            self._turn(1 if way > 0 else -1)
        else:
            self._arrive(now_ms)

    def _over_the_edge(self) -> None:
        """The edge of home has just been passed, where the count should be 0."""
        edge = 0 if self._heading > 0 else TURN - HALF_STEP
        off = (self._position - edge + TURN // 2) % TURN - TURN // 2
        if abs(off) > SLIP:
            self._position = edge
            self.slipped = True

    def _arrive(self, now_ms: int) -> None:
        face = 0 if self._asked == wire.HOME_FACE else self._asked
        if self._home is not None and self._switch() != (face == 0) and not self._checked:
            self._checked = True  # once: a switch that is wrong must not make it turn for ever
            self._known = False
            self.slipped = True
            self._set_out(now_ms)
            return
        self.face = face
        self._begin(_SETTLING, now_ms)

    def _way(self) -> int:
        """How many half-steps it still has to go, the shorter way round."""
        face = 0 if self._asked >= wire.HOME_FACE else self._asked
        off = (FACE_0 + face * FACE - self._position + TURN // 2) % TURN - TURN // 2
        steps = (abs(off) + HALF_STEP // 2) // HALF_STEP
        return steps if off > 0 else -steps

    def _turn(self, heading: int) -> None:
        self._heading = heading
        self._phase = (self._phase + heading) & 7
        self._position = (self._position + heading * HALF_STEP) % TURN
        self._energise()

    def _energise(self) -> None:
        if self._coils is None:
            return
        self.powered = True
        pattern = PATTERNS[self._phase]
        for n in range(4):
            on = bool(pattern >> n & 1)
            if self._coils[n].value != on:
                self._coils[n].value = on

    def _off(self) -> None:
        self._doing = _OFF
        if self.powered and self._coils is not None:
            self.powered = False
            for n in range(4):
                self._coils[n].value = False
