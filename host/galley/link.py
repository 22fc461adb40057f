"""The host's end of a link to one board: bytes in, events out, no port and no clock of its own.

For: the state of the connection (`LinkState`), every key edge exactly once and in the order the board
saw it, and a board that shows what the host last asked for. It must not know ports, games or pages.

    opening --opened--> hello --H of this session--> live <--any frame-- stale --3 s--> lost
                          ^--------- another boot_id in a beat ---------'  (750 ms without a frame)

* In `hello` the host says hello every 200 ms and believes nothing but a hello that echoes this
  session's number: what an earlier session left in the cable's buffers is ignored. The first hello is
  said for another number before: a board that was left in a session of this very one begins anew too.
* Key edges carry a number, from 1 in each session. The next expected one is delivered and acknowledged,
  a repeat is acknowledged again, a later one is left until the board sends the missing one once more.
  `first` names the oldest edge the board still has: what is older is lost and said so (`EdgesLost`).
* A beat carries the keys held down. When it differs twice running with no edge in between, a lost
  release is mended by `HeldMended`; that never counts as a press.
* Outputs are whole frames, sent when they change and again when the digest in a beat differs from
  what was asked for. The eye of a deck is asked for anew every second while it shall run, and told to
  stop again when the deck reports that it still runs.

Every method takes `now_ns` on the host's monotonic clock. After `receive` or `poll` send what
`take_outgoing` returns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from galley.link_events import (
    Beat,
    DeckReport,
    EdgesLost,
    HeldMended,
    Hello,
    KeyEdge,
    LinkEvent,
    LinkState,
    StateChanged,
    TimeSample,
)
from galley.outputs import DeckAsked, Outputs
from galley_board import deck_codes, wire
from galley_board.link import DEFAULT_BUDGET_MA

HELLO_EVERY_NS = 200_000_000
# how often a board is asked for its time; no multiples of 1 ms, which would meet stamps always in one phase
PROBE_EVERY_NS = 123_618_000  # while presses may race
UNSURE_EVERY_NS = 31_118_000  # while they may, and the board's clock could be known better
REST_EVERY_NS = 502_618_000  # while nothing races: each answer wakes the host
BURST_PROBES = 8  # at connect, so that the board's clock is known soon
FIRST_PROBES = 40  # and well: so many are no further apart than in a race
BURST_EVERY_NS = 20_000_000
STALE_AFTER_NS = 750_000_000
LOST_AFTER_NS = 3_000_000_000
OWN_STALL_NS = 100_000_000
SETTLE_NS = 150_000_000
MEND_AFTER_BEATS = 2
REFRESH_NS = 1_000_000_000  # a motion that is not asked for again ends by itself after wire.RUN_MAX_MS


@dataclass(slots=True)
class Counters:
    """What a link has seen since it was opened; the second half is what the board reports about itself."""

    frames_in: int = 0
    frames_out: int = 0
    bad_frames: int = 0
    gaps: int = 0
    repeats: int = 0
    edges: int = 0  # that were handed on
    edges_lost: int = 0
    views_resent: int = 0
    overflow: int = 0
    board_lost: int = 0
    board_bad_frames: int = 0
    loop_us: int = 0
    gc_us: int = 0
    heap: int = 0
    resends: int = 0


@dataclass(slots=True)
class HostLink:
    """One link, from one opening of a port to its loss.

    `session` is 1..wire.SESSION_MAX and new at each opening.
    """

    session: int
    outputs: Outputs = field(default_factory=Outputs)
    state: LinkState = LinkState.OPENING
    hello: Hello | None = None
    held: int = 0
    faults: int = 0
    probe_every_ns: int = PROBE_EVERY_NS
    deck: DeckReport | None = None
    round_trip_ns: int | None = None
    shown: int | None = None  # the digest of what the board shows, as its last beat said
    counters: Counters = field(default_factory=Counters)
    _decoder: wire.Decoder = field(default_factory=lambda: wire.Decoder(wire.FROM_BOARD))
    _outgoing: bytearray = field(default_factory=bytearray)
    _seq: int = 0
    _expected: int = 1
    _heard_ns: int = 0
    _due_ns: int | None = None
    _hello_ns: int | None = None
    _probe_ns: int | None = None
    _probe_id: int = 0
    _probes_since_hello: int = 0
    _probes: dict[int, int] = field(default_factory=dict)
    _shown_ns: int = 0
    _eye_ns: int = 0
    _odd_beats: int = 0

    # -- bytes and time in ----------------------------------------------------------------------

    def opened(self, now_ns: int) -> list[LinkEvent]:
        """The port is open: start saying hello."""
        self._heard_ns = now_ns
        return [*self._become(LinkState.HELLO), *self.poll(now_ns)]

    def receive(self, data: bytes, now_ns: int) -> list[LinkEvent]:
        """Take bytes as they came from the port. Never raises, whatever they are."""
        events: list[LinkEvent] = []
        decoder, at = self._decoder, 0
        while at < len(data):
            at = decoder.take(data, at, len(data))
            if decoder.kind:
                events.extend(self._frame(decoder.kind, decoder.fields, now_ns))
        self.counters.frames_in = decoder.frames
        self.counters.bad_frames = decoder.bad
        self.counters.gaps = decoder.gaps
        return events

    def poll(self, now_ns: int) -> list[LinkEvent]:
        """Do what time asks for: hellos, probes, going stale or lost."""
        late_ns = 0 if self._due_ns is None else now_ns - self._due_ns
        if late_ns > OWN_STALL_NS:
            self._heard_ns = min(now_ns, self._heard_ns + late_ns)  # the host stood still, not the board
        events = self._do_due(now_ns)
        self._due_ns = now_ns + self.due_ns(now_ns)
        return events

    def _do_due(self, now_ns: int) -> list[LinkEvent]:
        if self.state is LinkState.HELLO:
            if self._hello_ns is None:
                self._send("h", wire.PROTOCOL, self.session % wire.SESSION_MAX + 1)
            if self._hello_ns is None or now_ns - self._hello_ns >= HELLO_EVERY_NS:
                self._send("h", wire.PROTOCOL, self.session)
                self._hello_ns = now_ns
            return self._become(LinkState.LOST) if now_ns - self._heard_ns >= LOST_AFTER_NS else []
        if self.state not in (LinkState.LIVE, LinkState.STALE):
            return []
        if self._probe_ns is None or now_ns - self._probe_ns >= self._probe_every_ns():
            self._probe(now_ns)
        if self.outputs.eye and self.state is LinkState.LIVE and now_ns - self._eye_ns >= REFRESH_NS:
            self._send_eye(now_ns)
        silent_ns = now_ns - self._heard_ns
        if silent_ns >= LOST_AFTER_NS:
            return self._become(LinkState.LOST)
        if silent_ns >= STALE_AFTER_NS:
            return self._become(LinkState.STALE)
        return []

    def probe_every(self, every_ns: int, now_ns: int) -> None:
        """Ask the board for its time so often from now on, once its clock is known."""
        self.probe_every_ns = every_ns
        self._due_ns = now_ns + self.due_ns(now_ns)

    def due_ns(self, now_ns: int) -> int:
        """How long the next `poll` may wait, in ns."""
        if self.state is LinkState.HELLO:
            asked_ns, every_ns = self._hello_ns, HELLO_EVERY_NS
        else:
            asked_ns, every_ns = self._probe_ns, self._probe_every_ns()
        if asked_ns is None:
            return 0
        is_live = self.state is LinkState.LIVE
        due_ns = min(asked_ns + every_ns, self._heard_ns + (STALE_AFTER_NS if is_live else LOST_AFTER_NS))
        if is_live and self.outputs.eye:
            due_ns = min(due_ns, self._eye_ns + REFRESH_NS)
        return max(0, due_ns - now_ns)

    def take_outgoing(self) -> bytes:
        """All bytes to write to the port now; they are the caller's from here on."""
        data = bytes(self._outgoing)
        self._outgoing.clear()
        return data

    # -- outputs --------------------------------------------------------------------------------

    def show(
        self, dice: Sequence[int], lamps: Sequence[int], now_ns: int, deck: DeckAsked | None = None
    ) -> None:
        """Ask for 8 die codes, 11 lamp codes and, of a deck, what only it has (None: as before).

        Only what changed is sent. Raises wire.FieldError, and then nothing was changed.
        """
        frames = self.outputs.ask(dice, lamps, deck)
        if self.state is LinkState.LIVE:
            for kind, fields in frames:
                self._send(kind, *fields)
                if kind == "e":
                    self._eye_ns = now_ns
                else:
                    self._shown_ns = now_ns

    def go(self, deg: int, ms: int) -> None:
        """Turn a deck's eye to `deg` within `ms`: 0 is home, found by its sensor, all else an estimate."""
        if self.state is LinkState.LIVE:
            self._send("g", deg, ms)

    def learn(self, colour: int) -> None:
        """What lies in a deck's reader well now is a colour of `deck_codes.WELL`; 0 forgets all."""
        if self.state is LinkState.LIVE:
            self._send("w", colour)

    def buzz(self, hz: int, ms: int) -> None:
        """Sound the board's buzzer once; nothing is kept for later when the board is not live."""
        if self.state is LinkState.LIVE:
            self._send("z", hz, ms)

    def restart(self, what: int) -> None:
        """Have the board restart: `wire.RESTART`, or `wire.OPEN_DRIVE` to show console and drive then."""
        if self.state is LinkState.LIVE:
            self._send("s", what)

    # -- inside ---------------------------------------------------------------------------------

    def _become(self, state: LinkState) -> list[LinkEvent]:
        if state is self.state:
            return []
        self.state = state
        return [StateChanged(state)]

    def _frame(self, kind: str, fields: Sequence[int], now_ns: int) -> Iterator[LinkEvent]:
        if kind == "H":
            yield from self._hello_frame(fields, now_ns)
            return
        if self.state not in (LinkState.LIVE, LinkState.STALE) or self.hello is None:
            return
        if kind == "B" and fields[0] != self.hello.boot_id:
            yield from self._start_over(now_ns)
            return
        self._heard_ns = now_ns
        if self.state is LinkState.STALE:
            yield from self._become(LinkState.LIVE)
        if kind == "K":
            yield from self._key_frame(self.hello, fields, now_ns)
        elif kind == "B":
            yield from self._beat_frame(fields, now_ns)
        elif kind == "T":
            yield from self._time_frame(fields, now_ns)
        elif kind == "S":
            self._stats_frame(fields)
        elif kind == "D":
            yield self._deck_frame(fields, now_ns)

    def _hello_frame(self, fields: Sequence[int], now_ns: int) -> Iterator[LinkEvent]:
        proto, role, boot_id, session, pixels, caps, firmware, faults = fields[:8]
        if session != self.session or proto != wire.PROTOCOL:
            return
        self._heard_ns = now_ns
        if self.state is not LinkState.HELLO:  # said twice, or by a board that was reset meanwhile
            if self.hello is None or self.hello.boot_id != boot_id:
                yield from self._start_over(now_ns)
            return
        self.hello = Hello(wire.ROLES[role], boot_id, pixels, caps, firmware, faults)
        self.outputs.budget_ma = DEFAULT_BUDGET_MA[role]
        self.faults = faults
        self.held = 0
        self._expected = 1
        self._odd_beats = 0
        self._probes_since_hello = 0
        yield self.hello
        yield from self._become(LinkState.LIVE)
        self._send_outputs(now_ns)
        self._probe(now_ns)

    def _start_over(self, now_ns: int) -> Iterator[LinkEvent]:
        """The board was reset behind an open port: nothing of before holds."""
        self.session = self.session % wire.SESSION_MAX + 1
        self._hello_ns = None
        self._probes.clear()
        yield from self._become(LinkState.HELLO)
        yield from self.poll(now_ns)

    def _key_frame(self, hello: Hello, fields: Sequence[int], now_ns: int) -> Iterator[LinkEvent]:
        key_seq, key, down, stamp_ms, us, age_ms, first = fields[:7]
        if first > self._expected:
            lost = first - self._expected
            self.counters.edges_lost += lost
            self._expected = first
            yield EdgesLost(lost)
        if key_seq == self._expected:
            self._expected += 1
            self._odd_beats = 0
            self.counters.edges += 1
            bit = 1 << key
            self.held = self.held | bit if down else self.held & ~bit
            yield KeyEdge(hello.boot_id, key_seq, key, bool(down), stamp_ms, age_ms, now_ns, us)
        elif key_seq < self._expected:
            self.counters.repeats += 1
        self._send("a", hello.boot_id, self._expected - 1)

    def _beat_frame(self, fields: Sequence[int], now_ns: int) -> Iterator[LinkEvent]:
        boot_id, bitmap, ticks_ms, ticks_us, shown, self.faults = fields[:6]
        yield Beat(boot_id, ticks_ms, ticks_us)
        if bitmap == self.held:
            self._odd_beats = 0
        else:
            self._odd_beats += 1
            if self._odd_beats >= MEND_AFTER_BEATS:
                self._odd_beats = 0
                self.held = bitmap
                yield HeldMended(bitmap)
        self.shown = shown
        if shown != self.outputs.digest() and now_ns - self._shown_ns >= SETTLE_NS:
            self.counters.views_resent += 1
            self._send_outputs(now_ns)

    def _time_frame(self, fields: Sequence[int], now_ns: int) -> Iterator[LinkEvent]:
        probe_id, rx_us, tx_us, next_edge = fields[:4]
        sent_ns = self._probes.pop(probe_id, None)
        if sent_ns is not None:
            self.round_trip_ns = now_ns - sent_ns
            yield TimeSample(sent_ns, rx_us, tx_us, now_ns, self._expected >= next_edge)

    def _stats_frame(self, fields: Sequence[int]) -> None:
        c = self.counters
        c.overflow, c.board_lost, c.board_bad_frames, c.loop_us, c.gc_us, c.heap, c.resends = fields[:7]

    def _deck_frame(self, fields: Sequence[int], now_ns: int) -> DeckReport:
        self.deck = DeckReport(*fields[: self._decoder.count])
        runs = self.deck.eye == deck_codes.EYE_TURNING
        if runs and not self.outputs.eye and now_ns - self._eye_ns >= SETTLE_NS:
            self._send_eye(now_ns)
        return self.deck

    def probe(self, now_ns: int) -> None:
        """Ask the board for its time now, without waiting for the next regular probe."""
        if self.state is LinkState.LIVE:
            self._probe(now_ns)

    def _probe_every_ns(self) -> int:
        if self._probes_since_hello < BURST_PROBES:
            return BURST_EVERY_NS
        if self._probes_since_hello < FIRST_PROBES:
            return min(self.probe_every_ns, PROBE_EVERY_NS)
        return self.probe_every_ns

    def _probe(self, now_ns: int) -> None:
        self._probe_id = (self._probe_id + 1) % (wire.COUNT_MAX + 1)
        self._probe_ns = now_ns
        self._probes_since_hello += 1
        self._probes[self._probe_id] = now_ns
        while len(self._probes) > 16:
            del self._probes[next(iter(self._probes))]
        self._send("t", self._probe_id)

    def _send_outputs(self, now_ns: int) -> None:
        for kind, fields in self.outputs.frames(self.hello.role if self.hello is not None else ""):
            self._send(kind, *fields)
        self._shown_ns = self._eye_ns = now_ns

    def _send_eye(self, now_ns: int) -> None:
        kind, fields = self.outputs.eye_frame()
        self._send(kind, *fields)
        self._eye_ns = now_ns

    def _send(self, kind: str, *fields: int) -> None:
        self._outgoing += wire.encode(kind, self._seq, *fields)
        self._seq = (self._seq + 1) % wire.SEQUENCE
        self.counters.frames_out += 1
