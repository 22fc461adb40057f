"""The box: the boards that are there now, by role, whatever ports they are on.

For: keys of whichever board in, a box view out, and for every role a plain word on how it stands. It must not
know games or pages.

A role follows the board, not the port: it is claimed by the hello. A second board of a role that is live is
sent away with a note that names both; a board whose role nobody knows waits with a note. Ports come from
outside (`port_appeared`, `port_vanished`): the simulator, a list from the command line, or a scan of USB.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from galley.connection import Connection, sessions
from galley.fall_count import HOLES, FallCount
from galley.link_events import (
    Beat,
    DeckReport,
    HeldMended,
    Hello,
    KeyEdge,
    LinkEvent,
    LinkState,
    StateChanged,
    TimeSample,
)
from galley.ports import BoardPort, BoardWithoutData
from galley.tables.table import BOARDS, DARK_BOX, BoxView
from galley_board import deck_codes, faults, pins, wire

NS_PER_MS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Note:
    """What is wrong and what to do: a key of the page's catalogue and its parameters."""

    key: str
    params: Mapping[str, str] = field(default_factory=dict)


BEAMS: Final = range(pins.FIRST_SENSOR_KEY, pins.FIRST_SENSOR_KEY + HOLES)
"""The keys that only say again what a deck counts that has "falls"."""
WITHOUT_DATA: Final = {
    "no_data_port": Note("board_no_data_port"),
    "safe_mode": Note("board_safe_mode"),
    "bootloader": Note("board_in_bootloader"),
}
"""What to say of a board without a data port, by `BoardWithoutData.why`."""


class Watcher:
    """Who is told what happens on the boards. Override what matters; a board is named by its role."""

    def edge(self, board: str, edge: KeyEdge) -> None:
        """A key went down or up."""

    def held(self, board: str, keys: int) -> None:
        """The keys that are down, bit by bit, where an edge went missing: what is up was let go."""

    def fell(self, hole: int) -> None:
        """Something fell through a hole, 0-3, of a deck that counts; told once, maybe later."""

    def timing(self, board: str, event: Beat | TimeSample) -> None:
        """Something was learned about a board's clock."""

    def reported(self, report: DeckReport) -> None:
        """The deck told how its moving parts stand."""

    def joined(self, board: str, boot_id: int) -> None:
        """A board answers now."""

    def left(self, board: str) -> None:
        """A board has stopped answering."""

    def changed(self) -> None:
        """Some board's standing changed."""


class Box:
    """All boards; `watcher` is told what happens."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._connections: dict[str, Connection] = {}
        self._roles: dict[str, Connection] = {}
        self._seen: set[str] = set()
        self._falls = FallCount()
        self._refused: dict[str, Note] = {}
        self._without_data: tuple[BoardWithoutData, ...] = ()
        self._numbers: Iterator[int] = sessions()
        self._view: BoxView = DARK_BOX

    # -- ports --------------------------------------------------------------------------------------

    def port_appeared(self, port: BoardPort) -> None:
        """A port of ours exists: open it and keep it open. Calling it again changes nothing."""
        if port.path in self._connections:
            return
        connection = Connection(port, self._numbers, self._event)
        self._connections[port.path] = connection
        if port.role is not None:
            self._claim(port.role, connection)
        connection.open()
        self._watcher.changed()

    def port_vanished(self, path: str) -> None:
        """The port is gone."""
        connection = self._connections.pop(path, None)
        if connection is None:
            return
        connection.close()
        self._refused.pop(path, None)
        for role, holder in list(self._roles.items()):
            if holder is connection:
                del self._roles[role]
                self._watcher.left(role)
        self._offer_roles()
        self._watcher.changed()

    def ports(self) -> frozenset[str]:
        """The paths that are kept open now."""
        return frozenset(self._connections)

    def boards_without_data(self, found: tuple[BoardWithoutData, ...]) -> None:
        """These boards offer a console only."""
        if found != self._without_data:
            self._without_data = found
            self._watcher.changed()

    def close(self) -> None:
        """Let all ports go."""
        for path in list(self._connections):
            self.port_vanished(path)

    # -- keys and views -------------------------------------------------------------------------------

    def show(self, view: BoxView) -> None:
        """Make every board show its part of `view`, now or when it comes back."""
        before, self._view = self._view, view
        for role, connection in self._roles.items():
            if view[role] != before[role]:
                connection.show(*view[role])

    def turn_eye_to(self, deg: int, ms: int) -> None:
        """Turn the deck's eye to an angle within `ms`; 0 is home. Nothing happens without a live deck."""
        if (deck := self._roles.get("deck")) is not None:
            deck.go(deg, ms)

    def teach_reader(self, colour: str) -> None:
        """What lies in the deck's reader well now is `colour`, a word of `deck_codes.WELL`."""
        if (deck := self._roles.get("deck")) is not None:
            deck.learn(deck_codes.WELL.index(colour))

    def buzz(self, hz: int, ms: int) -> None:
        """Sound the buzzers of all boards that have one."""
        for role, connection in self._roles.items():
            if self.has(role, "buzzer"):
                connection.buzz(hz, ms)

    def live(self) -> frozenset[str]:
        """The roles whose boards answer."""
        return frozenset(r for r, connection in self._roles.items() if connection.state is LinkState.LIVE)

    def probe_all(self) -> None:
        """Ask every live board for its time now: a race waits for the answers."""
        for connection in self._roles.values():
            connection.probe()

    def has(self, board: str, capability: str) -> bool:
        """Whether a board says in its hello that it has this, a key of `pins.CAPS`."""
        hello = self._hello_of(board)
        return hello is not None and bool(hello.caps & pins.CAPS[capability])

    def clock_lag_us(self, board: str) -> int:
        """By how much the clock of a board's CircuitPython may lag, as its hello says."""
        hello = self._hello_of(board)
        return 0 if hello is None else hello.clock_lag_us

    def _hello_of(self, board: str) -> Hello | None:
        connection = self._roles.get(board)
        return None if connection is None else connection.link.hello

    def probe_every(self, board: str, every_ns: int) -> None:
        """Ask a board for its time so often from now on."""
        if (connection := self._roles.get(board)) is not None:
            connection.probe_every(every_ns)

    def _event(self, connection: Connection, event: LinkEvent) -> None:
        role = self._role_of(connection)
        if isinstance(event, Hello):
            self._hello(connection, event)
        elif isinstance(event, StateChanged):
            self._state_changed(connection)
            self._watcher.changed()
        elif role is None:
            return
        elif isinstance(event, KeyEdge):
            if not (event.key in BEAMS and self.has(role, "falls")):
                self._watcher.edge(role, event)
        elif isinstance(event, HeldMended):
            self._watcher.held(role, event.held)
        elif isinstance(event, Beat | TimeSample):
            self._watcher.timing(role, event)
        elif isinstance(event, DeckReport):
            hello = connection.link.hello
            if hello is not None and event.falls is not None and self.has(role, "falls"):
                for hole in self._falls.fell(hello.boot_id, event.falls):
                    self._watcher.fell(hole)
            self._watcher.reported(event)

    def _state_changed(self, connection: Connection) -> None:
        hello = connection.link.hello if connection.state is LinkState.LIVE else None
        if hello is not None and self._role_of(connection) is None:
            self._hello(connection, hello)  # another board may have taken its role while it was silent
        role = self._role_of(connection)
        if role is None:
            return
        if hello is not None:
            self._watcher.joined(role, hello.boot_id)
        else:
            self._watcher.left(role)
            self._offer_roles()

    def _offer_roles(self) -> None:
        """A role may be free now: let boards that were sent away because it was taken have it."""
        for path in list(self._refused):
            connection = self._connections[path]
            hello = connection.link.hello
            if connection.state is LinkState.LIVE and hello is not None:
                self._hello(connection, hello)
                if self._role_of(connection) is not None:
                    self._watcher.joined(hello.role, hello.boot_id)

    def _hello(self, connection: Connection, hello: Hello) -> None:
        path = connection.port.path
        self._refused.pop(path, None)
        if hello.role not in BOARDS:
            self._refused[path] = Note("board_role_unknown", {"port": path})
            return
        if hello.faults & faults.ROLE_STRAP:
            self._refused[path] = Note("board_wrong_side", {"board": hello.role, "port": path})
            return
        holder = self._roles.get(hello.role)
        if holder is not None and holder is not connection and holder.state is LinkState.LIVE:
            ids = {"id": connection.port.known_as, "other_id": holder.port.known_as}
            self._refused[path] = Note(
                "board_twice", {"board": hello.role, "port": path, "other": holder.port.path, **ids}
            )
            return
        self._claim(hello.role, connection)

    def _claim(self, role: str, connection: Connection) -> None:
        for other, holder in list(self._roles.items()):
            if holder is connection and other != role:
                del self._roles[other]
        self._roles[role] = connection
        self._seen.add(role)
        connection.show(*self._view[role])

    def _role_of(self, connection: Connection) -> str | None:
        return next((role for role, holder in self._roles.items() if holder is connection), None)

    # -- how it stands --------------------------------------------------------------------------------

    def status(self) -> list[dict[str, Any]]:
        """One entry for each role, then one for each port or board that has none; the topic `boards`."""
        entries = [_entry(role, self._roles.get(role), self._note(role)) for role in BOARDS]
        entries += [
            _entry("unknown", self._connections[path], note) for path, note in sorted(self._refused.items())
        ]
        entries += [
            _entry("unknown", connection, Note(f"port_{problem.code}", {"board": "unknown", "port": path}))
            for path, connection in sorted(self._connections.items())
            if (problem := connection.problem) and self._role_of(connection) is None
        ]
        entries += [
            _entry("unknown", connection, Note("board_mute", {"port": path}))
            for path, connection in sorted(self._connections.items())
            if connection.unanswered and connection.problem is None and self._role_of(connection) is None
        ]
        entries += [
            _entry("unknown", None, Note(WITHOUT_DATA[board.why].key, {"port": board.place}))
            for board in self._without_data
        ]
        return entries

    def _note(self, role: str) -> Note | None:
        connection = self._roles.get(role)
        if connection is None:
            return Note("board_gone" if role in self._seen else "board_absent", {"board": role})
        if connection.state is LinkState.LIVE:
            return None
        if connection.problem is not None:
            return Note(f"port_{connection.problem.code}", {"board": role, "port": connection.port.path})
        if connection.state in (LinkState.STALE, LinkState.LOST):
            return Note("board_silent", {"board": role})
        return None


def house_ms() -> int:
    """The present in house time: ms of the host's monotonic clock."""
    return time.monotonic_ns() // NS_PER_MS


def _entry(role: str, connection: Connection | None, note: Note | None) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "role": role,
        "state": str(LinkState.ABSENT),
        "simulated": False,
        "port": None,
        "pid": None,
        "identity": "",
        "boot_id": None,
        "firmware": None,
        "round_trip_us": None,
        "frames_out": None,
        "edges": None,
        "session": None,
        "asked": None,
        "shown": None,
        "counters": {},
        "faults": [],
        "caps": [],
        "note": None if note is None else {"key": note.key, "params": dict(note.params)},
    }
    if connection is None:
        return entry
    link, counters = connection.link, connection.link.counters
    hello = link.hello
    entry.update(
        state=str(connection.state),
        simulated=connection.port.simulated,
        port=connection.port.path,
        pid=connection.port.pid,
        identity=connection.port.identity,
        boot_id=hello.boot_id if hello else None,
        firmware=f"{hello.firmware:06x}" if hello else None,
        round_trip_us=None if link.round_trip_ns is None else link.round_trip_ns // 1000,
        frames_out=counters.frames_out,
        edges=counters.edges,
        session=link.session,
        asked=link.outputs.digest(),
        shown=link.shown,
        counters={
            "frames_in": counters.frames_in,
            "bad_frames": counters.bad_frames + counters.board_bad_frames,
            "resends": counters.resends,
            "repeats": counters.repeats,
            "overflow": counters.overflow,
            "lost": counters.edges_lost,
            "loop_us": counters.loop_us,
            "gc_us": counters.gc_us,
            "heap": counters.heap,
        },
        faults=faults.names(link.faults),
        caps=[name for name, bit in pins.CAPS.items() if hello and hello.caps & bit],
    )
    if link.deck is not None:
        entry["deck"] = _deck_entry(link.deck)
    return entry


def _deck_entry(deck: DeckReport) -> dict[str, Any]:
    return {
        "eye_deg": deck.eye_deg,
        "doubt_deg": deck.doubt_deg,
        "eye": deck_codes.EYE[deck.eye],
        "face": None if deck.face == wire.FACES else deck.face,
        "drum": deck_codes.DRUM[deck.drum],
        "reader": deck_codes.READER[deck.reader],
        "guard_open": bool(deck.flags & deck_codes.GUARD_OPEN),
        "slipped": bool(deck.flags & deck_codes.SLIPPED),
        "taught": deck.taught,
        "ignored_beams": deck.ignored_beams,
    }
