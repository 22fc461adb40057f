"""One port, kept open: transport and link together, with the patience to try again.

For: turning a `BoardPort` into link events as long as the port exists. It must not know which role a board
has, nor anything of games: it hands every event on.

A port that cannot be opened, falls silent or breaks is tried again after RETRY_FIRST_S, then each time after
twice as long, up to RETRY_LAST_S. Each opening is a new session with a new `HostLink`; what the board should
show is carried over, so that a board that comes back shows the present.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from itertools import count
from random import randrange
from typing import Final, TypeAlias

from galley.link import HostLink
from galley.link_events import LinkEvent, LinkState, StateChanged
from galley.outputs import DeckAsked, Outputs
from galley.ports import BoardPort
from galley.serial_port import open_serial
from galley.transport import PortError, Transport, open_tcp
from galley_board import wire

RETRY_FIRST_S: Final = 0.25
RETRY_LAST_S: Final = 3.0

OnEvent: TypeAlias = "Callable[[Connection, LinkEvent], None]"


def sessions() -> Iterator[int]:
    """Session numbers that an earlier host process has most likely not used last."""
    start = randrange(wire.SESSION_MAX)
    return (1 + (start + i) % wire.SESSION_MAX for i in count())


class Connection:
    """Keeps one port open until `close`. `problem` is why it could not be opened the last time, or None.

    `unanswered` is how often it was given up since a board last said hello there.
    """

    def __init__(self, port: BoardPort, numbers: Iterator[int], on_event: OnEvent) -> None:
        self.port: Final = port
        self.problem: PortError | None = None
        self.was_live = False
        self.unanswered = 0
        self._numbers = numbers
        self._on_event = on_event
        self._outputs = Outputs()
        self.link = self._new_link()
        self._transport: Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._retry_s = RETRY_FIRST_S
        self._opening: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def state(self) -> LinkState:
        """The link's state; a port that was live once and is being tried again stays `lost`."""
        if self.was_live and self.link.state in (LinkState.OPENING, LinkState.HELLO):
            return LinkState.LOST
        return self.link.state

    def open(self) -> None:
        """Start trying; call it on the running loop."""
        self._opening = asyncio.get_running_loop().create_task(self._open())

    def close(self) -> None:
        """Let the port go for good."""
        self._closed = True
        if self._opening is not None:
            self._opening.cancel()
        self._let_go()

    def show(self, dice: tuple[int, ...], lamps: tuple[int, ...], deck: DeckAsked) -> None:
        """Ask the board to show this; sent at once when it is live, and when it becomes so."""
        self.link.show(dice, lamps, time.monotonic_ns(), deck)
        self._flush()

    def go(self, deg: int, ms: int) -> None:
        """Turn a deck's eye to an angle, 0 is home; nothing is kept for later when the board is not live."""
        self.link.go(deg, ms)
        self._flush()

    def learn(self, colour: int) -> None:
        """Teach a deck's reader what lies in its well now; nothing is kept for later."""
        self.link.learn(colour)
        self._flush()

    def buzz(self, hz: int, ms: int) -> None:
        """Sound the board's buzzer once; nothing is kept for later."""
        self.link.buzz(hz, ms)
        self._flush()

    def restart(self, what: int) -> None:
        """Have the board restart; see `link`."""
        self.link.restart(what)
        self._flush()

    def probe_every(self, every_ns: int) -> None:
        """Ask the board for its time so often from now on."""
        if every_ns != self.link.probe_every_ns:
            self.link.probe_every(every_ns, time.monotonic_ns())
            if self._transport is not None and self._timer is not None:
                self._timer.cancel()
                self._timer = None
                self._poll_again()

    def probe(self) -> None:
        """Ask the board for its time now."""
        self.link.probe(time.monotonic_ns())
        self._flush()

    async def _open(self) -> None:
        self.link = self._new_link()
        try:
            transport = await open_transport(self.port.path)
        except PortError as error:
            self.problem = error
            self._handle([StateChanged(LinkState.LOST)])
            self._retry_later()
            return
        self.problem = None
        self._transport = transport
        transport.start(self._received, self._lost)
        self._handle(self.link.opened(time.monotonic_ns()))
        self._flush()
        self._poll_again()

    def _new_link(self) -> HostLink:
        return HostLink(next(self._numbers), outputs=self._outputs)

    def _received(self, data: bytes, now_ns: int) -> None:
        events = self.link.receive(data, now_ns)
        self._handle(events)
        self._flush()

    def _lost(self, why: str) -> None:
        self.problem = PortError("broken", f"{self.port.path}: {why}")
        self._give_up()

    def _poll(self) -> None:
        self._timer = None
        self._handle(self.link.poll(time.monotonic_ns()))
        self._flush()
        self._poll_again()

    def _poll_again(self) -> None:
        if self._transport is not None and self._timer is None:
            wait_s = self.link.due_ns(time.monotonic_ns()) / 1e9
            self._timer = asyncio.get_running_loop().call_later(max(0.001, wait_s), self._poll)

    def _handle(self, events: list[LinkEvent]) -> None:
        for event in events:
            if isinstance(event, StateChanged):
                if event.state is LinkState.LIVE:
                    self.was_live = True
                    self.unanswered = 0
                    self._retry_s = RETRY_FIRST_S
                elif event.state is LinkState.LOST and self._transport is not None:
                    self._give_up()
                    return
            self._on_event(self, event)

    def _give_up(self) -> None:
        """The board is silent or gone: let the port go, say so, try again later."""
        self._let_go()
        if self._closed:
            return
        self.unanswered += not self.was_live
        self.link.state = LinkState.LOST
        self._on_event(self, StateChanged(LinkState.LOST))
        self._retry_later()

    def _retry_later(self) -> None:
        if not self._closed:
            self._timer = asyncio.get_running_loop().call_later(self._retry_s, self._retry)
            self._retry_s = min(2 * self._retry_s, RETRY_LAST_S)

    def _retry(self) -> None:
        self._timer = None
        self.open()

    def _let_go(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._transport is not None:
            self._transport.close()
            self._transport = None

    def _flush(self) -> None:
        if self._transport is not None:
            data = self.link.take_outgoing()
            if data:
                # a refused write is made good by the next beat's digest and the next hello or probe
                self._transport.write(data)


async def open_transport(path: str) -> Transport:
    """The stream at a serial port's path or at tcp:HOST:PORT. Raises PortError."""
    if path.startswith("tcp:"):
        host, _, port = path.removeprefix("tcp:").rpartition(":")
        if not host or not port.isdecimal() or len(port) > 5 or not 0 < int(port) < 65536:
            raise PortError("missing", f"{path}: not an address: write tcp:HOST:PORT")
        return await open_tcp(host, int(port))
    return open_serial(path)
