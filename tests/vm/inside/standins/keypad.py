"""Stand-in for `keypad`: keys scanned in the tick interrupt, whatever the firmware is doing.

Nothing scans here by itself: pin changes carry their time, and whoever looks at the queue has the scans up to
now worked out. As on a board, a scan comes every `interval` in whole 1/1024 s ticks, a stamp is `ticks_ms` at
the scan, keys of one scan share it and come in the order of their pins, the queue holds 64 and drops the new
event when full, and a key that is down at construction gives its event only after `reset`. What differs:
a key counts at its first scan only, `debounce_threshold` 1, which is what the firmware asks for.
"""

from rig import TICKS_PER_S, US_PER_S, rig


class Event:
    """One key's change: which, down or up, and when it was scanned."""

    def __init__(self, key_number: int = 0, pressed: bool = True, timestamp: "int | None" = None) -> None:
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

    def fill(self, key_number: int, pressed: bool, timestamp: int) -> None:
        """Become another event."""
        self._key_number = key_number
        self._pressed = pressed
        self._timestamp = timestamp


class EventQueue:
    """What was scanned and not yet read. Looking at it first works out the scans up to now."""

    def __init__(self, keys, max_events: int) -> None:
        self._keys = keys
        self._events = []
        self._max = max_events
        self._overflowed = False

    @property
    def overflowed(self) -> bool:
        """Whether an event was dropped since the last `clear`."""
        self._keys.advance()
        return self._overflowed

    def get_into(self, event) -> bool:
        """Put the oldest event into `event`; False when there is none."""
        self._keys.advance()
        if not self._events:
            return False
        event.fill(*self._events.pop(0))
        return True

    def clear(self) -> None:
        """Forget all events, and that any was dropped."""
        self._keys.advance()
        self._events.clear()
        self._overflowed = False

    def put(self, event: "tuple[int, bool, int]") -> None:
        """Add an event, or drop it when the queue is full."""
        if len(self._events) >= self._max:
            self._overflowed = True
        else:
            self._events.append(event)


class Keys:
    """Keys that each have a pin of their own."""

    def __init__(
        self,
        pins,
        *,
        value_when_pressed: bool,
        pull: bool = True,
        interval: float = 0.020,
        max_events: int = 64,
        debounce_threshold: int = 1,
    ) -> None:
        if debounce_threshold != 1:
            raise NotImplementedError("only a debounce_threshold of 1 is copied here")
        self._pins = [pin.number for pin in pins]
        self._pressed_level = 1 if value_when_pressed else 0
        self._pull = 1 - self._pressed_level if pull else 0
        self._every = max(1, int(interval * TICKS_PER_S))
        self._changes = []  # (when it is first scanned, in ticks; key; level), in order
        self._levels = bytearray(len(self._pins))
        self._down = bytearray(len(self._pins))
        self._anew = False
        for key, pin in enumerate(self._pins):
            rig.claim(pin)
            self._levels[key] = rig.level(pin, self._pull)
            self._down[key] = 1 if self._levels[key] == self._pressed_level else 0
            rig.listeners.setdefault(pin, []).append(self._listener(key))
        self._scanned = rig.now_us() * TICKS_PER_S // US_PER_S
        self.events = EventQueue(self, max_events)

    def reset(self) -> None:
        """Take all keys as released: one that is down gives a press at the next scan."""
        self.advance()
        for key in range(len(self._down)):
            self._down[key] = 0
        self._anew = True

    def deinit(self) -> None:
        """Give the pins back."""
        for pin in self._pins:
            rig.listeners.pop(pin, None)
            rig.release(pin)

    def _listener(self, key: int):
        def changed(at_us: int, value) -> None:
            tick = -(-at_us * TICKS_PER_S // US_PER_S)
            tick = max(tick, self._scanned + 1)
            self._changes.append((tick, key, self._pull if value is None else value))

        return changed

    def advance(self) -> None:
        """Work out all scans that are due by now."""
        last = rig.known_us() * TICKS_PER_S // US_PER_S
        while self._scanned + self._every <= last:
            if self._anew:
                self._scanned += self._every
            elif self._changes and self._changes[0][0] <= last:
                steps = max(1, -(-(self._changes[0][0] - self._scanned) // self._every))
                if self._scanned + steps * self._every > last:
                    return
                self._scanned += steps * self._every
            else:
                self._scanned += (last - self._scanned) // self._every * self._every
                return
            self._scan()

    def _scan(self) -> None:
        self._anew = False
        while self._changes and self._changes[0][0] <= self._scanned:
            _, key, level = self._changes.pop(0)
            self._levels[key] = level
        for key in range(len(self._levels)):
            down = 1 if self._levels[key] == self._pressed_level else 0
            if down != self._down[key]:
                self._down[key] = down
                self.events.put((key, down == 1, rig.ticks_ms_at(self._scanned)))
