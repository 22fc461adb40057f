"""Stand-in for `keypad`: keys scanned in the tick interrupt, whatever the firmware is doing.

No thread scans here. Pin changes carry their time; when the queue is looked at, the scans up to now
are worked out. Facts copied on purpose:

* a scan every `interval`, rounded down to whole 1/1024 s ticks (at least one); 0.020 is the default;
* an event's stamp is `ticks_ms()` at the scan, so late by up to one interval; keys that change in one
  scan share a stamp and come in the order of their pins;
* a change counts after `debounce_threshold` agreeing scans;
* the queue holds 64; when it is full the new event is dropped, `overflowed` is set, and the key's
  state has flipped all the same, so that transition is lost for good;
* a key that is down at construction gives no event; `reset()` makes it give one;
* events are equal without regard to their stamps.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from microcontroller import Pin
from rig import NS_PER_S, TICKS_PER_S, Listener, rig


class Event:
    """One key's change: which, down or up, and when it was scanned."""

    def __init__(self, key_number: int = 0, pressed: bool = True, timestamp: int | None = None) -> None:
        self._key_number = key_number
        self._pressed = pressed
        self._timestamp = rig.ticks_ms() if timestamp is None else timestamp

    @property
    def key_number(self) -> int:
        """The place of the key's pin."""
        return self._key_number

    @property
    def pressed(self) -> bool:
        """Whether the key went down."""
        return self._pressed

    @property
    def released(self) -> bool:
        """Whether the key went up."""
        return not self._pressed

    @property
    def timestamp(self) -> int:
        """`supervisor.ticks_ms()` at the scan."""
        return self._timestamp

    def fill(self, other: Event) -> None:
        """Become a copy of `other`."""
        self._key_number, self._pressed, self._timestamp = other._key_number, other._pressed, other._timestamp

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Event)
            and self._key_number == other._key_number
            and self._pressed == other._pressed
        )

    def __hash__(self) -> int:
        return self._key_number * 2 + self._pressed


class EventQueue:
    """What was scanned and not yet read. Looking at it in any way first works out the scans up to now."""

    def __init__(self, keys: Keys, max_events: int) -> None:
        self._keys = keys
        self._events: deque[Event] = deque()
        self._max = max_events
        self._overflowed = False

    @property
    def overflowed(self) -> bool:
        """Whether an event was dropped since the last `clear`."""
        self._keys.advance()
        return self._overflowed

    def get(self) -> Event | None:
        """The oldest event, or None."""
        self._keys.advance()
        return self._events.popleft() if self._events else None

    def get_into(self, event: Event) -> bool:
        """Put the oldest event into `event`; False when there is none."""
        self._keys.advance()
        if not self._events:
            return False
        event.fill(self._events.popleft())
        return True

    def clear(self) -> None:
        """Forget all events, and that any was dropped."""
        self._keys.advance()
        self._events.clear()
        self._overflowed = False

    def put(self, event: Event) -> None:
        """Add an event, or drop it when the queue is full."""
        if len(self._events) >= self._max:
            self._overflowed = True
        else:
            self._events.append(event)

    def __len__(self) -> int:
        self._keys.advance()
        return len(self._events)

    def __bool__(self) -> bool:
        return len(self) > 0


class Keys:
    """Keys that each have a pin of their own."""

    def __init__(
        self,
        pins: Sequence[Pin],
        *,
        value_when_pressed: bool,
        pull: bool = True,
        interval: float = 0.020,
        max_events: int = 64,
        debounce_threshold: int = 1,
    ) -> None:
        self._pins = [pin.number for pin in pins]
        self._pressed_level = int(value_when_pressed)
        self._pull = (1 - self._pressed_level) if pull else 0
        self._every = max(1, int((rig.scan_ms / 1000 or interval) * TICKS_PER_S))
        self._threshold = debounce_threshold
        self._changes: deque[tuple[int, int, int]] = deque()
        self._listeners: list[Listener] = []
        for key, pin in enumerate(self._pins):
            rig.claim(pin)
            listener = self._listener(key)
            self._listeners.append(listener)
            rig.listen(pin, listener)
        self._down = [rig.level(pin, self._pull) == self._pressed_level for pin in self._pins]
        # at construction the debouncer takes what it finds as the state
        self._counts = [debounce_threshold if down else -debounce_threshold for down in self._down]
        self._next = rig.now_tick() + self._every
        self._scanned_ns = 0
        self.events = EventQueue(self, rig.queue_len or max_events)

    @property
    def key_count(self) -> int:
        """The number of keys."""
        return len(self._pins)

    def reset(self) -> None:
        """Take all keys as released: one that is down gives a press at the next scan."""
        self.advance()
        self._counts = [-self._threshold] * len(self._pins)

    def deinit(self) -> None:
        """Stop scanning and give the pins back."""
        for pin, listener in zip(self._pins, self._listeners, strict=True):
            rig.unlisten(pin, listener)
            rig.release(pin)

    def _listener(self, key: int) -> Listener:
        def changed(at_ns: int, level: int) -> None:
            self._changes.append((max(at_ns, self._scanned_ns), key, level))

        return changed

    def _settled(self) -> bool:
        steady = self._threshold
        return all(
            count == (steady if down else -steady)
            for count, down in zip(self._counts, self._down, strict=True)
        )

    def advance(self) -> None:
        """Work out all scans that are due by now."""
        now_ns = rig.known_ns()
        last = now_ns * TICKS_PER_S // NS_PER_S
        while True:
            if self._settled():
                due = -(-self._changes[0][0] * TICKS_PER_S // NS_PER_S) if self._changes else last + 1
                if due > self._next:
                    self._next += -(-(due - self._next) // self._every) * self._every
            if self._next > last:
                break
            at_ns = self._next * NS_PER_S // TICKS_PER_S
            if not any(begin_ns <= at_ns < end_ns for begin_ns, end_ns in rig.skips):
                self._scan(self._next)
            self._next += self._every
        self._scanned_ns = max(self._scanned_ns, now_ns)

    def _scan(self, tick: int) -> None:
        at_ns = tick * NS_PER_S // TICKS_PER_S
        while self._changes and self._changes[0][0] <= at_ns:
            _, key, level = self._changes.popleft()
            self._down[key] = level == self._pressed_level
        for key, down in enumerate(self._down):
            if self._debounced(key, down):
                self.events.put(Event(key, down, rig.ticks_ms_at(tick)))

    def _debounced(self, key: int, down: bool) -> bool:
        """Count one scan; True when the key's state flips by it."""
        towards = 1 if down else -1
        count = self._counts[key]
        if count * towards > 0:
            self._counts[key] = towards * self._threshold
            return False
        self._counts[key] = count + towards
        if self._counts[key] != 0:
            return False
        self._counts[key] = towards * self._threshold
        return True
