"""The web server of the box: three pages, their files, one WebSocket each, and two JSON addresses.

    /  /box  /service   the pages (kiosk, virtual box, crew)
    /static/NAME        the files that the pages load: scripts, styles, drawings, words
    /ws?page=KIND       the page's channel: `hub` says what goes through it
    /healthz            {"ok": true, "galley": version, "pid": process id, "phase": ..., "journal": ...}
    /metrics            the same in numbers, as Prometheus reads them, for this machine or with a token
    /api/boards         the `boards` topic as it is now

Every file is read once, at the start, into a table; a request only ever looks up that table, so no path
of a request reaches the file system. `Site.build` is a hash of all files and the version: a page that
sees another build in the `meta` topic loads itself again, and the ETags make the browser fetch just what
changed.

The box listens on this machine only, unless it was told to serve others. A page of some other site, opened in
the same browser, must always be kept out: requests must name this box in Host (so no foreign name can be
pointed at it), and a WebSocket that names an Origin must name ours. Pages may load nothing from elsewhere and
run no inline script or style.

`Server` runs the app on a socket that is bound already, inside the event loop of the host, and leaves the
signals to the host. uvicorn is imported only when serving starts.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketClose, WebSocketDisconnect

from galley.metrics import CONTENT_TYPE
from galley.web.access import Access
from galley.web.commands import MESSAGE_BYTES
from galley.web.hub import Hub, Page, TooManyPages

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send
    from uvicorn.server import Server as UvicornServer

STATIC: Final = Path(__file__).parent / "static"

PAGES: Final[Mapping[str, str]] = {"/": "kiosk.html", "/box": "box.html", "/service": "service.html"}

MEDIA_TYPES: Final[Mapping[str, str]] = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
"""What is served, by the end of its name; other files in the folder are not."""

BUILD_MARK: Final = b"{build}"
"""Stands in each page where the build belongs, so that a page knows which build it was loaded with."""

HEAD: Final = "head.html"
HEAD_MARK: Final = b"{head}\n"
"""Stands in each page where the lines of `HEAD` belong, which all pages have in common."""

CSP: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)

SAFE_HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}

CLOSE_POLICY: Final = 1008
CLOSE_TRY_LATER: Final = 1013

GONE: Final = (WebSocketDisconnect, RuntimeError)
"""What starlette raises where a page is written to or closed that has gone already."""

DATE_S: Final = 1.0
"""How old the Date of an answer may be."""

PING_S: Final = 5.0
"""A page that answers no ping for this long is gone, and the keys it held are let go."""


@dataclass(frozen=True, slots=True)
class StaticFile:
    """One file as it is served."""

    body: bytes
    media_type: str
    etag: str


@dataclass(frozen=True, slots=True)
class Site:
    """All files of the pages by name, read once. `build` changes when any file or the version does."""

    files: Mapping[str, StaticFile]
    build: str
    version: str


def load_site(version: str, folder: Path = STATIC) -> Site:
    """Read every servable file below `folder`. Raises FileNotFoundError if a page is not among them."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in MEDIA_TYPES and path.is_file())
    bodies = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    for page in (*PAGES.values(), HEAD):
        if page not in bodies:
            raise FileNotFoundError(f"{folder / page} is missing: install galley again")
    whole = hashlib.sha256(version.encode())
    for name, body in bodies.items():
        whole.update(f"{name} {len(body)} ".encode() + body)
    build = whole.hexdigest()[:12]
    head = bodies.pop(HEAD)
    for page in PAGES.values():
        bodies[page] = bodies[page].replace(HEAD_MARK, head).replace(BUILD_MARK, build.encode())
    return Site({name: _static_file(name, body) for name, body in bodies.items()}, build, version)


def _static_file(name: str, body: bytes) -> StaticFile:
    etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    return StaticFile(body, MEDIA_TYPES[Path(name).suffix], etag)


class Telling(Protocol):
    """Who knows how the box does."""

    def health(self) -> Mapping[str, object]:
        """A few words, at once; has `ok`, `galley` and `pid`."""

    async def metrics(self) -> str:
        """Numbers, in the text format of Prometheus."""


def build_app(hub: Hub, site: Site, telling: Telling | None = None) -> Starlette:
    """The whole web application over `hub`. The host publishes `site.build` in the `meta` topic.

    Without `telling` there is a short /healthz and no /metrics.
    """

    async def serve_page(request: Request) -> Response:
        return _send(site.files.get(PAGES[request.url.path]), request)

    async def serve_file(request: Request) -> Response:
        return _send(site.files.get(request.path_params["name"]), request)

    async def healthz(request: Request) -> Response:
        if telling is None:
            return JSONResponse({"ok": True, "galley": site.version, "pid": os.getpid()})
        return JSONResponse(telling.health(), headers={"Cache-Control": "no-store"})

    async def metrics(request: Request) -> Response:
        if telling is None:
            return _send(None, request)
        address = request.client.host if request.client is not None else None
        if not hub.access.admits(address, request.headers.get("authorization", "")):
            return PlainTextResponse("numbers are for this machine, or with a token\n", status_code=403)
        return Response(await telling.metrics(), media_type=CONTENT_TYPE)

    async def boards(request: Request) -> Response:
        return JSONResponse(hub.value("boards") or [], headers={"Cache-Control": "no-store"})

    async def channel(websocket: WebSocket) -> None:
        await _serve_page(hub, websocket)

    routes = [
        *(Route(path, serve_page, methods=["GET"]) for path in PAGES),
        Route("/static/{name:path}", serve_file, methods=["GET"]),
        Route("/healthz", healthz, methods=["GET"]),
        Route("/metrics", metrics, methods=["GET"]),
        Route("/api/boards", boards, methods=["GET"]),
        WebSocketRoute("/ws", channel),
    ]
    app = Starlette(routes=routes)
    app.state.access = hub.access
    app.add_middleware(_Guard, access=hub.access)
    return app


def _send(file: StaticFile | None, request: Request) -> Response:
    if file is None:
        return PlainTextResponse("not found\n", status_code=404)
    headers = {"ETag": file.etag, "Cache-Control": "no-cache"}
    known = request.headers.get("if-none-match", "")
    if file.etag in (tag.strip().removeprefix("W/") for tag in known.split(",")):
        return Response(status_code=304, headers=headers)
    return Response(file.body, media_type=file.media_type, headers=headers)


class _Guard:
    """Refuses requests that do not name this machine; adds the headers that keep the pages to themselves."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        # Browsers always send an Origin; a program without one could send any, so nothing is lost.
        is_page = scope["type"] != "websocket" or headers.get("origin", f"http://{host}") == f"http://{host}"
        if self._access.is_ours(host) and is_page:
            answer: ASGIApp = self._app
        elif scope["type"] == "websocket":
            answer = WebSocketClose(CLOSE_POLICY)  # before it is accepted: status 403
        else:
            answer = PlainTextResponse("this box answers to its own names only\n", status_code=403)
        await answer(scope, receive, _with_headers(send))


def _with_headers(send: Send) -> Send:
    raw = [(name.lower().encode(), value.encode()) for name, value in SAFE_HEADERS.items()]

    async def wrapped(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            own = message.get("headers", ())
            message = {**message, "headers": [*own, *raw]}
        await send(message)

    return wrapped


async def _serve_page(hub: Hub, websocket: WebSocket) -> None:
    """Carry one page's messages both ways until it goes, or until it has sent too much nonsense."""
    try:
        address = websocket.client.host if websocket.client is not None else ""
        page = hub.join(websocket.query_params.get("page", ""), address)
    except KeyError:
        await websocket.close(CLOSE_POLICY)
        return
    except TooManyPages:
        await websocket.accept()
        await websocket.close(CLOSE_TRY_LATER)
        return
    writer: asyncio.Task[None] | None = None
    try:
        await websocket.accept()
        writer = asyncio.create_task(_write(page, websocket))
        while True:
            message = await websocket.receive()
            if message["type"] == "websocket.disconnect":
                break
            if not hub.received(page, message.get("text") or message.get("bytes") or b""):
                with suppress(*GONE):  # it may have gone meanwhile
                    await websocket.close(CLOSE_POLICY)
                break
    finally:
        hub.leave(page)
        if writer is not None:
            writer.cancel()
            with suppress(asyncio.CancelledError, *GONE):
                await writer


async def _write(page: Page, websocket: WebSocket) -> None:
    while True:
        for text in await page.messages():
            await websocket.send_text(text)


class Server:
    """Serves an app on a bound socket inside the running event loop, until `stop` or until cancelled."""

    def __init__(self, app: Starlette) -> None:
        self._app = app
        self._server: UvicornServer | None = None
        self._stopping = asyncio.Event()

    async def serve(self, sock: socket.socket, on_start: Callable[[], object] = lambda: None) -> None:
        """Serve until `stop`, then close every connection and `sock` and return, in about half a second.

        `on_start` is called once pages can be had.
        """
        # Imported here: uvicorn takes as long to import as all the rest, and other commands need no server.
        from uvicorn.config import Config
        from uvicorn.server import Server as UvicornServer

        from galley.web.door import Channel, door

        config = Config(
            self._app,
            ws=Channel,
            ws_max_size=MESSAGE_BYTES,
            ws_ping_interval=PING_S,
            ws_ping_timeout=PING_S,
            ws_per_message_deflate=False,
            http=door(self._app.state.access),
            loop="none",
            lifespan="off",
            log_config=None,
            log_level="error",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=2,
        )

        stopping = self._stopping

        class Quiet(UvicornServer):
            @contextmanager
            def capture_signals(self) -> Iterator[None]:
                yield  # the signals belong to the host

            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                on_start()

            async def main_loop(self) -> None:
                """As uvicorn's own, which would look ten times a second whether it is to stop."""
                while not (stopping.is_set() or await self.on_tick(0)):
                    with suppress(TimeoutError):
                        async with asyncio.timeout(DATE_S):
                            await stopping.wait()

        self._server = server = Quiet(config)
        server.should_exit = stopping.is_set()
        try:
            await server.serve(sockets=[sock])
        except asyncio.CancelledError:
            if server.started:
                await server.shutdown(sockets=[sock])
            raise

    def stop(self) -> None:
        """Make `serve` end. May be called before it began."""
        self._stopping.set()
        if self._server is not None:
            self._server.should_exit = True
