"""Connections that ask for nothing: so many at most, so long at most, and room kept for this machine."""

from __future__ import annotations

import contextlib
import json
import logging
import socket
from collections.abc import Iterator

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from galley.web import door
from galley.web.access import Access
from galley.web.hub import PAGES, Hub, TooManyPages
from tests.browser.feed import Feed

PATIENCE_S = 10.0
ASK = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture
def feed() -> Iterator[Feed]:
    feed = Feed({"meta": {"version": "0.1.0"}})
    yield feed
    feed.stop()


def caller(feed: Feed) -> socket.socket:
    return socket.create_connection(("127.0.0.1", feed.port), timeout=PATIENCE_S)


def ends(sock: socket.socket) -> bool:
    """Whether the other end closes without a word; fails if it does neither."""
    with contextlib.suppress(ConnectionResetError):
        return sock.recv(1) == b""
    return True


def test_as_many_connections_as_there_may_be_and_not_one_more(
    feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "CONNECTIONS", 4)
    with contextlib.ExitStack() as open_:
        callers = [open_.enter_context(caller(feed)) for _ in range(4)]
        assert all(ends(open_.enter_context(caller(feed))) for _ in range(3))
        callers[0].sendall(ASK + b"Connection: close\r\n\r\n")
        assert callers[0].recv(15) == b"HTTP/1.1 200 OK", "who is in is served"
        while callers[0].recv(4096):
            pass
        with caller(feed) as late:
            late.sendall(ASK + b"\r\n")
            assert late.recv(15) == b"HTTP/1.1 200 OK", "who has gone makes room"


@pytest.mark.parametrize("said", [b"", ASK, ASK + b"\r\n" + ASK], ids=["nothing", "half", "one and a half"])
def test_who_asks_for_nothing_has_to_go_and_a_page_stays(
    feed: Feed, monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    monkeypatch.setattr(door, "SILENT_S", 0.1)
    with connect(f"ws://127.0.0.1:{feed.port}/ws?page=kiosk", proxy=None) as page, caller(feed) as silent:
        silent.sendall(said)
        with contextlib.suppress(ConnectionResetError):
            while silent.recv(4096):
                pass
        page.send(json.dumps({"do": "ping", "id": 3}))
        assert any(json.loads(page.recv(PATIENCE_S)) == {"t": "pong", "id": 3} for _ in range(3))


def test_strangers_leave_room_for_the_pages_of_this_machine() -> None:
    access = Access("493817", frozenset({"box"}))
    shares = [access.share(address, 32) for address in ("127.0.0.1", "10.1.2.3", None)]
    assert shares == [32, 24, 24]
    hub = Hub(access=access)
    for number in range(24):
        hub.join("kiosk", f"10.1.2.{number}")
    with pytest.raises(TooManyPages):
        hub.join("kiosk", "10.9.9.9")
    for _ in range(PAGES - 24):
        hub.join("kiosk", "127.0.0.1")
    with pytest.raises(TooManyPages):
        hub.join("kiosk", "127.0.0.1")


def test_a_page_of_another_site_is_refused_and_no_log_is_filled(
    feed: Feed, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING), pytest.raises(InvalidStatus) as refused:
        connect(f"ws://127.0.0.1:{feed.port}/ws?page=kiosk", proxy=None, origin=Origin("http://elsewhere"))
    assert refused.value.response.status_code == 403
    feed.publish({"meta": {"version": "0.1.0"}})  # a turn of its loop, in which it may have written something
    assert [record.getMessage() for record in caplog.records if record.name.startswith("uvicorn")] == []
