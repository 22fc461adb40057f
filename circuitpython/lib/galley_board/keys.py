"""Keys: raw edges from `keypad` in, one clean press and release per push of a button out.

For: bounce, chatter, a full queue and keys that are down at power-on. It must not know what a key
does, and sends nothing itself: it calls `link.key_edge(key, down, stamp_ms, us)`.

Hardware: switches to GND, read by `keypad.Keys(interval=0.001)`, which scans in the tick interrupt and
stamps each edge at the scan; or by a scanner of that kind whose events also have `us`, the microseconds
after their stamp (`edges`).

A key's first edge is told at once, with its stamp. Then that key is held off for HOLD_OFF_MS of *stamp*
time (so a late reader decides the same): edges only update its raw state. When the time is over and
the raw state differs from what was told, the last raw edge is told, with its own stamp.

A key is *blocked* while its edges mean nothing; blocked keys look released:
* STUCK: down when the board started. Free again once it is let go.
* LOST: found down after the queue overflowed, so when it was pressed is not known. The same.
* CHATTER: more edges in a second than a hand can make. Free again after QUIET_MS without any edge.
"""

from array import array

from galley_board.link import since_ms
from galley_board.ticks import tick_us
from galley_board.wire import NO_US

TYPE_CHECKING = False  # a board has no typing module; type checkers take it for true
if TYPE_CHECKING:
    from galley_board.hardware_types import Edge, EdgeSink, Scanner


HOLD_OFF_MS = 20
SETTLE_MS = 3  # after `reset()` a key that is down gives its press at the next scan
RATE_MS = 1000
RATE_TOLD = 32  # told edges in RATE_MS: sixteen presses a second is beyond a hand
RATE_RAW = 240
QUIET_MS = 3000
OVERFLOW_SHOWN_MS = 5000
MOST_EVENTS = 2  # in one poll; more stay in the queue with their stamps
ALL_EVENTS = 64

FREE = 0
STUCK = 1
LOST = 2
CHATTER = 3

_BOOT = 1
_REPAIR = 2


class Keys:
    """All keys of one board.

    `numbers[n]` is the wire's number of the scanner's key n, which differs where a pin is missing.
    `bitmap` has a bit for each key told as down, `more` says that the queue may hold more. `overflows` counts
    full queues. `version` grows whenever a block begins or ends, or an overflow begins or ends to be worth
    showing.
    """

    def __init__(self, scanner: "Scanner", event: "Edge", numbers: "list[int]", now_ms: int) -> None:
        count = len(numbers)
        self.bitmap = 0
        self.overflows = 0
        self.overflowed = False
        self.more = False
        self.version = 0
        self._scanner = scanner
        self._events = scanner.events
        self._event = event
        self._count = count
        self._number = bytearray(numbers)
        self._raw = bytearray(count)
        self._told = bytearray(count)
        self._blocked = bytearray(count)
        self._held = bytearray(count)
        self._held_ms = array("l", [0] * count)
        self._edge_ms = array("l", [0] * count)
        self._edge_us = array("H", [NO_US] * count)
        self._rate_ms = array("l", [now_ms] * count)
        self._rate_raw = array("H", [0] * count)
        self._rate_told = array("H", [0] * count)
        self._busy = 0  # keys held off or muted
        self._overflow_ms = 0
        self._late = False  # the last poll read so many events that it left the holds to this one
        self._rest = 0  # events that are still to be read before an overflow is repaired
        self._place = -1
        self._place_ms = 0
        self._settling = _BOOT
        self._settle_ms = now_ms
        scanner.reset()

    def first_blocked(self, why: int) -> int:
        """The wire's number of the first key that is STUCK, LOST or in CHATTER, or -1."""
        for k in range(self._count):
            if self._blocked[k] == why:
                return self._number[k]
        return -1

    def placed(self, ticks_ms: int, place: int) -> None:
        """`ticks_ms` is at this place (`ticks.place`): stamps of a day around it get their tick."""
        self._place_ms = ticks_ms
        self._place = place

    def poll(self, now_ms: int, link: "EdgeSink") -> bool:
        """Read what happened up to `now_ms` and tell it; True when there was any edge."""
        events = self._events
        event = self._event
        if events.overflowed and not self._rest:
            self._rest = ALL_EVENTS  # what is in the queue is true; what comes later comes after a gap
        late = self._late
        left = most = MOST_EVENTS - 1 if late else MOST_EVENTS
        while left and events.get_into(event):
            left -= 1
            us = getattr(event, "us", NO_US)
            if us == NO_US and self._place >= 0:
                us += 1 + tick_us(self._place + since_ms(event.timestamp, self._place_ms))
            self._edge(event.key_number, 1 if event.pressed else 0, event.timestamp, us, link)
        known_ms = now_ms if left else event.timestamp  # what came later may still be in the queue
        if self._rest:
            self._rest = max(0, self._rest - most) if not left else 0
            if not self._rest:
                self._repair(now_ms)
        elif self._settling and since_ms(known_ms, self._settle_ms) >= SETTLE_MS:
            self._settled(link)
        self.more = not left
        self._late = self.more and not late
        if self._busy and not self._late:
            self._expire(known_ms, max(1, left), link)
        if self.overflowed and since_ms(now_ms, self._overflow_ms) >= OVERFLOW_SHOWN_MS:
            self.overflowed = False
            self.version += 1
        return left < most

    def _edge(self, k: int, down: int, stamp_ms: int, us: int, link: "EdgeSink") -> None:
        if self._settling and since_ms(stamp_ms, self._settle_ms) >= SETTLE_MS:
            self._settled(link)  # this edge came after the scan that tells which keys were down
        if self._held[k] and not self._settling and since_ms(stamp_ms, self._held_ms[k]) >= HOLD_OFF_MS:
            self._end_hold(k, link)
        if not 0 <= since_ms(stamp_ms, self._rate_ms[k]) < RATE_MS:
            self._rate_ms[k] = stamp_ms
            self._rate_raw[k] = self._rate_told[k] = 0
        if stamp_ms != self._edge_ms[k]:
            self._rate_raw[k] += 1  # once a millisecond, however fine the scanner sees a bounce
        self._raw[k] = down
        self._edge_ms[k] = stamp_ms
        self._edge_us[k] = us
        if self._settling:
            self._edge_while_settling(k, down)
        elif self._blocked[k]:
            self._edge_while_blocked(k, down, stamp_ms)
        elif not self._held[k] and down != self._told[k]:
            self._tell(k, down, stamp_ms, us, link)
        if self._rate_raw[k] >= RATE_RAW or self._rate_told[k] >= RATE_TOLD:
            self._mute(k, stamp_ms, link)

    def _edge_while_settling(self, k: int, down: int) -> None:
        if self._settling == _BOOT and down:
            self._block(k, STUCK)
        elif self._settling == _REPAIR and down and not self._told[k] and not self._blocked[k]:
            self._block(k, LOST)

    def _edge_while_blocked(self, k: int, down: int, stamp_ms: int) -> None:
        if self._blocked[k] != CHATTER and not down:
            self._block(k, FREE)
            self._hold(k, stamp_ms)

    def _tell(self, k: int, down: int, stamp_ms: int, us: int, link: "EdgeSink") -> None:
        self._told[k] = down
        bit = 1 << self._number[k]
        self.bitmap = self.bitmap | bit if down else self.bitmap & ~bit
        self._rate_told[k] += 1
        link.key_edge(self._number[k], down, stamp_ms, us)
        self._hold(k, stamp_ms)

    def _hold(self, k: int, stamp_ms: int) -> None:
        if not self._held[k]:
            self._held[k] = 1
            self._busy += 1
        self._held_ms[k] = stamp_ms

    def _end_hold(self, k: int, link: "EdgeSink") -> None:
        self._held[k] = 0
        self._busy -= 1
        if self._raw[k] != self._told[k] and not self._blocked[k]:
            self._tell(k, self._raw[k], self._edge_ms[k], self._edge_us[k], link)

    def _expire(self, now_ms: int, most: int, link: "EdgeSink") -> None:
        """End what is over; of holds `most` at once, as each may have an edge to tell."""
        for k in range(self._count):
            if (
                self._held[k]
                and most
                and not self._settling
                and since_ms(now_ms, self._held_ms[k]) >= HOLD_OFF_MS
            ):
                self._end_hold(k, link)
                most -= 1
            if self._blocked[k] == CHATTER and since_ms(now_ms, self._edge_ms[k]) >= QUIET_MS:
                self._busy -= 1
                self._block(k, LOST if self._raw[k] else FREE)

    def _mute(self, k: int, stamp_ms: int, link: "EdgeSink") -> None:
        if self._blocked[k] == CHATTER:
            return
        if self._told[k]:
            self._tell(k, 0, stamp_ms, NO_US, link)
        self._block(k, CHATTER)
        self._busy += 1

    def _block(self, k: int, why: int) -> None:
        if self._blocked[k] != why:
            self._blocked[k] = why
            self.version += 1

    def _repair(self, now_ms: int) -> None:
        self.overflows += 1
        self.overflowed = True
        self._overflow_ms = now_ms
        self.version += 1
        self._events.clear()
        for k in range(self._count):
            self._raw[k] = 0
            self._edge_ms[k] = now_ms
            self._edge_us[k] = NO_US
        self._scanner.reset()
        if not self._settling:
            self._settling = _REPAIR
        self._settle_ms = now_ms

    def _settled(self, link: "EdgeSink") -> None:
        self._settling = 0
        for k in range(self._count):
            if self._told[k] and not self._raw[k]:
                self._tell(k, 0, self._edge_ms[k], self._edge_us[k], link)
            elif self._blocked[k] and self._blocked[k] != CHATTER and not self._raw[k]:
                self._block(k, FREE)
