"""The board's end of the link: bytes from the host in, bytes for the host out, without port or clock.

For: answering hellos and time probes, holding the outputs the host asked for, and getting every key
edge to the host exactly once and in order over a line that may lose anything. It must not know pins,
pixels or any game.

Key edges go into a ring of 32 and stay there until the host acknowledged them; until then they are
sent again every RESEND_MS with their first stamp. When the ring is full the oldest is given up and
counted: `first` in every K frame tells the host where the ring begins, so it never waits for what is
gone. A hello with a new session empties the ring: what was pressed before this host was there is void, and
edges are numbered from 1 again, so that the host knows which is the first, whatever is lost on the way.

A time probe is answered after the edges that came before it, and the answer names the next edge's number.
So a host that has the answer, and every edge below that number, knows all that was pressed before it asked.

Outputs are whole states, the last one wins. Each beat carries a digest of those held, so the host
sends again what was lost on the way.

Frames wait in `out` until the port takes them. When nothing moves for STUCK_MS all but the frame the
port has begun is dropped: those frames would be stale, and keys are still in the ring.

Times are `supervisor.ticks_ms()` (wraps at 2**29) and microseconds modulo 2**26.
"""

from array import array

from galley_board import wire

RING = 32
BEAT_MS = 250
STATS_MS = 1000
RESEND_MS = 60
STUCK_MS = 100
REPORT_MS = 1000
MOVING_REPORT_MS = 250  # an angle that changes all the time is not told each time
REPORT_GAP_MS = 20  # nor is a switch that chatters
REPORT_FIELDS = 8
ANGLES = 2  # the first fields of a report
OUT_BYTES = 640
PROBES = 8  # as many as a burst has; more at once are not answered
DEFAULT_BUDGET_MA = (60, 220, 220, 92)
DEFAULT_BRIGHTNESS = 255

_HALF = wire.TICKS_MS_PERIOD // 2
_MASK = wire.TICKS_MS_PERIOD - 1
_NEVER = -1


def since_ms(now_ms: int, then_ms: int) -> int:
    """Milliseconds from `then_ms` to `now_ms`, right across the wrap; negative when `then_ms` is later."""
    return ((now_ms - then_ms + _HALF) & _MASK) - _HALF


class BoardLink:
    """State of one board's end. Numbers only: `role` as in `wire.ROLES`, `caps` and `faults` are bit masks.

    `asked` probes wait for their answer until `complete`: every key edge so far is in the ring.

    The firmware sets `bitmap`, `faults`, `overflow`, `loop_us`, `gc_us`, `heap` and `complete`, and reads
    `dice`, `lamps`, `deck`, `budget_ma`, `brightness` (new when `outputs_version` grew) and the buzzer's
    `buzz_hz`, `buzz_ms` (new when `buzz_version` grew).

    On a deck it also reads the eye's command, new with each `eye_version`: `eye_speed` in percent for
    `eye_ms`, or, when `go_deg` is not -1, to go there within `eye_ms`; and `well_colour`, to be learned by
    the reader, new with each `well_version`. It sets `report`, the fields of the D frame.
    """

    def __init__(self, role: int, boot_id: int, pixels: int, caps: int, firmware: int) -> None:
        self.boot_id = boot_id
        self.bitmap = 0
        self.faults = 0
        self.overflow = 0
        self.lost = 0
        self.resends = 0
        self.loop_us = 0
        self.gc_us = 0
        self.heap = 0
        self.session = 0
        self.dice = array("l", [0] * 8)  # of the kind of a frame's fields, which are copied as a whole
        self.lamps = array("l", [0] * 11)
        self.deck = array("l", wire.DARK_DECK)
        self.budget_ma = DEFAULT_BUDGET_MA[role]
        self.brightness = DEFAULT_BRIGHTNESS
        self.outputs_version = 0
        self.buzz_hz = 0
        self.buzz_ms = 0
        self.buzz_version = 0
        self.eye_speed = 0
        self.eye_ms = 0
        self.go_deg = -1
        self.eye_version = 0
        self.well_colour = 0
        self.well_version = 0
        self.report = array("l", [0] * REPORT_FIELDS)
        self.out = bytearray(OUT_BYTES)
        self.out_len = 0
        self._in = wire.Decoder(wire.FROM_HOST)
        self._fields = array("l", [0] * wire.MAX_FIELDS)
        self._hello = array("l", [wire.PROTOCOL, role, boot_id, 0, pixels, caps, firmware, 0])
        self.service = 0
        self._seq = 0
        self._ring_key = bytearray(RING)
        self._ring_down = bytearray(RING)
        self._ring_stamp = array("l", [0] * RING)
        self._ring_us = array("H", [0] * RING)
        self._first = 1
        self._next = 1
        self._unsent = 1
        self._sent_ms = 0
        self._beat_ms = _NEVER
        self._stats_ms = _NEVER
        self._moved_ms = 0
        self._was_empty = True
        self._into_frame = 0
        self._shown = _NEVER
        self._reports = wire.ROLES[role] == "deck"
        self._reported = array("l", [-1] * REPORT_FIELDS)
        self._report_ms = _NEVER
        self._heard_ms = _NEVER
        self.asked = 0
        self.complete = True
        self._asked_id = array("l", [0] * PROBES)
        self._asked_us = array("l", [0] * PROBES)

    # -- from the host ------------------------------------------------------------------------

    def take(self, data: "bytes | bytearray", at: int, end: int, now_ms: int, now_us: int) -> int:
        """Take one frame of `data[at:end]`, read from the port at `now_us`; where the next may begin."""
        decoder = self._in
        at = decoder.take(data, at, end)
        if decoder.kind:
            self._heard_ms = now_ms
            self._obey(decoder.kind, decoder.fields, now_us)
        return at

    def host_silent_ms(self, now_ms: int) -> int:
        """Milliseconds since the last valid frame from the host; a large number when there was none."""
        if self._heard_ms == _NEVER:
            return _HALF
        silent = since_ms(now_ms, self._heard_ms)
        if silent < 0 or silent > _HALF // 2:
            self._heard_ms = _NEVER
            return _HALF
        return silent

    def _obey(self, kind: str, fields: "array[int]", now_us: int) -> None:
        if kind == "t":
            if self.asked < PROBES:
                self._asked_id[self.asked] = fields[0]
                self._asked_us[self.asked] = now_us
                self.asked += 1
        elif kind == "a":
            if fields[0] == self.boot_id:
                self._acknowledged(fields[1])
        elif kind in "dlcmp":
            self._hold(kind, fields)
        elif kind == "z":
            self.buzz_hz = fields[0]
            self.buzz_ms = fields[1]
            self.buzz_version += 1
        elif kind == "s":
            self.service = fields[0]
        elif kind in "egw":
            self._obey_deck(kind, fields)
        elif kind == "h":
            if fields[1] != self.session:
                self.session = fields[1]
                self._first = self._unsent = self._next = 1
            self._hello[3] = self.session
            self._hello[7] = self.faults
            self._queue("H", self._hello, 8)
            self._beat_ms = self._stats_ms = self._report_ms = _NEVER

    def _obey_deck(self, kind: str, fields: "array[int]") -> None:
        if kind == "e":
            self.eye_speed = fields[0] - wire.STILL
            self.eye_ms = fields[1]
            self.go_deg = -1
            self.eye_version += 1
        elif kind == "g":
            self.go_deg = fields[0]
            self.eye_ms = fields[1]
            self.eye_version += 1
        else:
            self.well_colour = fields[0]
            self.well_version += 1

    def _hold(self, kind: str, fields: "array[int]") -> None:
        """Take over a part of the outputs."""
        if kind == "d":
            self.dice[:] = fields[:8]
        elif kind == "l":
            self.lamps[:] = fields[:11]
        elif kind == "c":
            self.budget_ma = fields[0]
            self.brightness = fields[1]
        elif kind == "m":
            self.deck[0] = fields[0]
        else:
            self.deck[1:] = fields[: wire.DECK_CODES - 1]
        self.outputs_version += 1
        self._shown = _NEVER

    def _acknowledged(self, key_seq: int) -> None:
        if self._first <= key_seq < self._next:
            self._first = key_seq + 1
            self._unsent = max(self._unsent, self._first)

    # -- to the host --------------------------------------------------------------------------

    def key_edge(self, key: int, down: int, stamp_ms: int, us: int) -> None:
        """Put one edge into the ring; the next `poll` sends it. A full ring gives up its oldest.

        `us` are the microseconds after `stamp_ms`, or `wire.NO_US`.
        """
        if self._next - self._first == RING:
            self._first += 1
            self._unsent = max(self._unsent, self._first)
            self.lost = min(self.lost + 1, wire.COUNT_MAX)
        slot = self._next % RING
        self._ring_key[slot] = key
        self._ring_down[slot] = down
        self._ring_stamp[slot] = stamp_ms
        self._ring_us[slot] = us
        self._next += 1

    def poll(self, now_ms: int, now_us: int) -> None:
        """Add the most urgent frame that is due to `out`: spelling one takes a board half a millisecond.

        Before a hello nothing is due, but beats once a host is heard: it takes this board for the one
        it knew before a reset, and the new boot_id tells it to say hello again.
        """
        self._drop_stuck(now_ms)
        if self._heard_ms == _NEVER:
            return
        if self._is_due(self._beat_ms, BEAT_MS, now_ms):
            self._beat(now_ms, now_us)
            return
        if self._reports and self.session and self._report_due(now_ms):
            self._send_report(now_ms)  # the edges of its sensors come after it
            return
        if self.session and self._send_key(now_ms):
            return
        if self.asked and self.complete and self._unsent == self._next:
            self._answer_probe(now_us)
        elif self.session and self._is_due(self._stats_ms, STATS_MS, now_ms):
            f = self._fields
            f[0] = min(self.overflow, wire.COUNT_MAX)
            f[1] = self.lost
            f[2] = min(self._in.bad, wire.COUNT_MAX)
            f[3] = min(self.loop_us, 999999)
            f[4] = min(self.gc_us, 999999)
            f[5] = min(self.heap, 9999999)
            f[6] = min(self.resends, wire.COUNT_MAX)
            if self._queue("S", f, 7):
                self._stats_ms = now_ms
                self.loop_us = self.gc_us = 0

    def beats(self, now_ms: int) -> bool:
        """Whether the next `poll` says a beat, which is enough for a turn."""
        if self.out_len or self._heard_ms == _NEVER:
            return False
        return self._beat_ms == _NEVER or since_ms(now_ms, self._beat_ms) >= BEAT_MS

    def _beat(self, now_ms: int, now_us: int) -> None:
        if self._shown == _NEVER:
            self._shown = wire.digest(self.dice, self.lamps, self.deck, self.budget_ma, self.brightness)
        f = self._fields
        f[0] = self.boot_id
        f[1] = self.bitmap
        f[2] = now_ms
        f[3] = now_us
        f[4] = self._shown
        f[5] = self.faults
        if self._queue("B", f, 6):
            self._beat_ms = now_ms

    @property
    def unsaid(self) -> bool:
        """Whether the last `poll` had more to say, and the port has taken all that it said."""
        return not self.out_len and (self.asked != 0 or (self.session != 0 and self._unsent != self._next))

    def due(self, now_ms: int) -> bool:
        """Whether `poll` has anything to do, found out without allocating."""
        if self.out_len or self.asked or self._unsent != self._next or self._first != self._next:
            return True
        if self._heard_ms == _NEVER:
            return False
        return (
            self._is_due(self._beat_ms, BEAT_MS, now_ms)
            or self._is_due(self._stats_ms, STATS_MS, now_ms)
            or (self._reports and self.session != 0 and self._report_due(now_ms))
        )

    def _is_due(self, last_ms: int, every_ms: int, now_ms: int) -> bool:
        return last_ms == _NEVER or since_ms(now_ms, last_ms) >= every_ms

    def _report_due(self, now_ms: int) -> bool:
        since = REPORT_MS if self._report_ms == _NEVER else since_ms(now_ms, self._report_ms)
        if not 0 <= since < REPORT_MS:
            return True
        report, reported = self.report, self._reported
        if since < REPORT_GAP_MS or report == reported:
            return False
        i = 0 if since >= MOVING_REPORT_MS else ANGLES
        while i < REPORT_FIELDS and report[i] == reported[i]:
            i += 1
        return i < REPORT_FIELDS

    def _send_report(self, now_ms: int) -> None:
        if self._queue("D", self.report, REPORT_FIELDS):
            self._report_ms = now_ms
            self._reported[:] = self.report

    def _send_key(self, now_ms: int) -> bool:
        """Tell a key that is not told yet; whether there was one."""
        if self._first < self._unsent and since_ms(now_ms, self._sent_ms) >= RESEND_MS:
            self.resends += self._unsent - self._first
            self._unsent = self._first
        if self._unsent == self._next:
            return False
        slot = self._unsent % RING
        f = self._fields
        f[0] = self._unsent
        f[1] = self._ring_key[slot]
        f[2] = self._ring_down[slot]
        f[3] = self._ring_stamp[slot]
        f[4] = self._ring_us[slot]
        f[5] = max(0, min(since_ms(now_ms, f[3]), wire.AGE_MAX_MS))
        f[6] = self._first
        if self._queue("K", f, 7):
            self._unsent += 1
            self._sent_ms = now_ms
        return True

    def _answer_probe(self, now_us: int) -> None:
        f = self._fields
        self.asked -= 1
        f[0] = self._asked_id[self.asked]
        f[1] = self._asked_us[self.asked]
        f[2] = now_us
        f[3] = self._next
        self._queue("T", f, 4)  # one that finds no room is lost like any frame: the host asks again

    def _queue(self, kind: str, fields: "array[int]", count: int) -> bool:
        if self.out_len + wire.MAX_FRAME > OUT_BYTES:
            return False
        self.out_len = wire.put(self.out, self.out_len, kind, self._seq, fields, count)
        self._seq = (self._seq + 1) % wire.SEQUENCE
        return True

    def written(self, count: int, now_ms: int) -> None:
        """The port took the first `count` bytes of `out`."""
        if count <= 0:
            return
        self._moved_ms = now_ms
        out = self.out
        rest = self.out_len - count
        if rest:
            for i in range(count):
                self._into_frame = 0 if out[i] == 10 else self._into_frame + 1
            out[:rest] = bytes(out[count : self.out_len])
        else:
            self._into_frame = 0  # what waits are whole frames
        self.out_len = rest
        self._was_empty = not rest

    def _drop_stuck(self, now_ms: int) -> None:
        if self._was_empty:
            self._moved_ms = now_ms  # what waits now has only just come
            self._was_empty = not self.out_len
        elif since_ms(now_ms, self._moved_ms) >= STUCK_MS:
            keep = 0
            if self._into_frame:
                while self.out[keep] != 10:
                    keep += 1
                keep += 1
            self.out_len = keep
            self._was_empty = not keep
            self._moved_ms = now_ms
