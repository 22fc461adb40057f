"""All that moves and sees on the deck, as one: eye, drum, beams, reader, guard.

For: who may move when, and what of it is a key's edge, a fault, a report. It must not know a pin or a rule.

Never both: the eye ramps down, and stands, before the drum's coils go on, and starts again when they are off.
Without leave (no host, a fault of the role) or with the guard open nothing moves; without leave the beams'
emitters stay dark too.

What must not be lost goes out as edges of keys (`pins.SENSOR_KEYS`): a broken beam, a colour in the well, the
guard, each pass of home. After an edge that sensor is held off for HOLD_OFF_MS, as keys are, so that one
which chatters cannot push the others out of the ring.
"""

from array import array

from galley_board import deck_codes, faults, pins, wire
from galley_board.link import since_ms

TYPE_CHECKING = False  # a board has no typing module; type checkers take it for true
if TYPE_CHECKING:
    from galley_board.beams import Beams
    from galley_board.drum import Drum
    from galley_board.eye import Eye
    from galley_board.link import BoardLink
    from galley_board.reader import Reader


HOLD_OFF_MS = 20
FIRST = pins.FIRST_SENSOR_KEY
SENSORS = len(pins.SENSOR_KEYS)
WELL = 4  # the first sensor of the reader's
GUARD = 9
HOME = 10


class Machinery:
    """The parts of a deck at work. `bitmap` has the bits of sensors that are told as down.

    `faults` (and `fault_key`, the key that one of them is about, or -1) are new when `version` grew.
    """

    def __init__(self, eye: "Eye", drum: "Drum", beams: "Beams", reader: "Reader") -> None:
        self.bitmap = 0
        self.caps = 0
        self.faults = 0
        self.fault_key = -1
        self.version = 0
        self.eye = eye
        self.drum = drum
        self.beams = beams
        self.reader = reader
        self._eye_version = 0
        self._well_version = 0
        self._face = wire.NO_FACE
        self._told_ms = array("l", [0] * SENSORS)
        self._held = 0
        self._seen = -1
        self._moves = False
        if eye.there:
            self.caps |= pins.CAPS["eye"]
        if drum.state == deck_codes.DRUM_STILL:
            self.caps |= pins.CAPS["drum"]
        if beams.fitted:
            self.caps |= pins.CAPS["beams"] | pins.CAPS["falls"]
        if reader.there:
            self.caps |= pins.CAPS["reader"]
        self._find_faults()

    def poll(self, now_ms: int, link: "BoardLink", leave: bool) -> bool:
        """Obey, move or look and tell, in turns; whether there was an edge to tell."""
        eye, drum, beams = self.eye, self.drum, self.beams
        self._obey(now_ms, link)
        if leave:
            beams.poll(now_ms)
        else:
            beams.stop()
        self._moves = not self._moves or eye.alarmed
        if self._moves:
            eye.poll(now_ms, leave, drum.powered or (leave and drum.wants))
        if self._moves or drum.powered:
            drum.poll(now_ms, leave and not eye.guard_open and eye.stands(now_ms))
        if self._moves or self.reader.poll(now_ms):
            return False
        self._report(link)
        if eye.version + drum.version + beams.version + self.reader.version != self._seen:
            self._find_faults()
        return self._tell(now_ms, link)

    def _obey(self, now_ms: int, link: "BoardLink") -> None:
        if link.eye_version != self._eye_version:
            self._eye_version = link.eye_version
            if link.go_deg >= 0:
                self.eye.go(link.go_deg, link.eye_ms, now_ms)
            else:
                self.eye.run(link.eye_speed, link.eye_ms, now_ms)
        if link.deck[0] != self._face:
            self._face = link.deck[0]
            self.drum.ask(self._face)
        if link.well_version != self._well_version:
            self._well_version = link.well_version
            self.reader.learn(link.well_colour)

    def _sensors(self) -> int:
        """A bit for each sensor that is down now."""
        down = self.beams.broken
        state = self.reader.state
        if deck_codes.READER_EMPTY < state <= deck_codes.READER_UNSURE:
            down |= 1 << WELL + state - 1
        if self.eye.guard_open:
            down |= 1 << GUARD
        if self.eye.at_home:
            down |= 1 << HOME
        return down

    def _tell(self, now_ms: int, link: "BoardLink") -> bool:
        down = self._sensors()
        changed = down ^ self.bitmap >> FIRST
        if not changed:
            return False
        told = False
        for sensor in range(SENSORS):
            bit = 1 << sensor
            if not changed & bit:
                continue
            if self._held & bit and 0 <= since_ms(now_ms, self._told_ms[sensor]) < HOLD_OFF_MS:
                continue
            told = True
            self._held |= bit
            self._told_ms[sensor] = now_ms
            self.bitmap ^= bit << FIRST
            link.key_edge(FIRST + sensor, 1 if down & bit else 0, now_ms, wire.NO_US)
        return told

    def _find_faults(self) -> None:
        self._seen = self.eye.version + self.drum.version + self.beams.version + self.reader.version
        found = 0
        self.fault_key = -1
        if self.eye.faulty:
            found |= faults.EYE_STOPPED
        if self.drum.homeless:
            found |= faults.DRUM_NO_HOME
        if self.reader.lost:
            found |= faults.READER_LOST
        ignored = self.beams.ignored
        if ignored:
            found |= faults.BEAM_BLOCKED
            self.fault_key = FIRST
            while not ignored & 1:
                ignored >>= 1
                self.fault_key += 1
        self.faults = found
        self.version += 1

    def _report(self, link: "BoardLink") -> None:
        report = link.report
        eye = self.eye
        report[0] = eye.deg
        report[1] = eye.doubt_deg
        report[2] = eye.state
        report[3] = self.drum.face
        report[4] = self.drum.state
        report[5] = self.reader.state
        flags = self.reader.taught << deck_codes.TAUGHT_SHIFT | self.beams.ignored << deck_codes.IGNORED_SHIFT
        if eye.guard_open:
            flags |= deck_codes.GUARD_OPEN
        if self.drum.slipped:
            flags |= deck_codes.SLIPPED
        report[6] = flags
        report[7] = self.beams.falls
