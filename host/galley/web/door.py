"""How many may be connected to the box at once, and for how long without asking for anything.

For: `app.Server`. uvicorn answers a request that is one too many, but holds connections on which nothing is
asked without end or number, until the host can open no file and no board's port. It must not know what is
asked for. Once a page's channel is open it is a matter of this again only when it ends; `hub` counts pages.
"""

from __future__ import annotations

import asyncio
from typing import Final

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState

from galley.web.access import Access

CONNECTIONS: Final = 128
"""More than that at once are closed; a part of them is kept for pages of this machine."""
SILENT_S: Final = 10.0
"""A connection on which no request is being answered is closed when looked at, and so is one that was busy
at two looks: whoever asks that slowly only holds a place."""


class Door(H11Protocol):
    """One connection. Set `access` in a subclass."""

    access: Access

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        """Somebody connects."""
        super().connection_made(transport)
        address = self.client[0] if self.client is not None else None
        if len(self.connections) > self.access.share(address, CONNECTIONS):
            transport.abort()
        else:
            self.loop.call_later(SILENT_S, self._look, False)

    def _look(self, was_busy: bool) -> None:
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            return
        answered = self.cycle is None or self.cycle.response_complete  # type: ignore[redundant-expr]  # is None
        if not (answered or was_busy):
            self.loop.call_later(SILENT_S, self._look, True)
        else:
            self.transport.abort()


class Channel(WebSocketsSansIOProtocol):
    """A page's channel that a stop may find half closed."""

    def shutdown(self) -> None:
        """Close it as the server stops; at once if the page had begun to and does not read what is left."""
        try:
            super().shutdown()
        except InvalidState:  # uvicorn would leave all other connections open
            self.transport.abort()


def door(access: Access) -> type[Door]:
    """The protocol of a box with these rules."""
    return type("Door", (Door,), {"access": access})
