"""What every open page should know, and what pages may ask for.

The host publishes *topics* (`meta boards house table news clocks clocks_now lan`) as whole JSON values and
the pixels of each board as bytes. Each page belongs to a kind (`kiosk`, `box`, `service`) and is told about
the topics of its kind: first a snapshot of all of them, then numbered differences that carry whole values of
the topics that changed.

Nothing queues up. A page keeps a set of what has changed since it was last written to, and the next
message is made from the values of that moment. All changes of one turn of the event loop so become one
message, and a page that reads slowly skips what it missed instead of making the host hold it: the set can
never grow past the topics.

The other way, pages send short JSON messages, which `commands` checks; whatever is not exactly a command is
ignored and counted, and so is what comes faster than fingers can press.
A page on another machine may only watch until the PIN was typed there (`access`). A key that a page holds
down is let go when the page leaves, so that a closed lid or a lost connection never leaves a key pressed. Two
pages that hold one key press it once.

This module knows no game, no link and no web server: it is data in, text out. All calls belong to one
event loop.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Callable, Mapping
from typing import Final

from galley.web.access import Access, Answer
from galley.web.commands import (
    Asked,
    BadMessage,
    Command,
    KeyCommand,
    LanguageCommand,
    PinCommand,
    PingCommand,
    SnapshotCommand,
    SoundCommand,
    SpeakerCommand,
    TokenCommand,
    command_of,
    parsed,
)

TOPICS: Final[Mapping[str, tuple[str, ...]]] = {
    "kiosk": ("meta", "boards", "house", "table", "news"),
    "box": ("meta", "boards", "house", "table", "news"),
    "service": ("meta", "boards", "house", "clocks", "clocks_now", "lan"),
}
"""Page kind -> the topics its pages are told about."""

PIXEL_KINDS: Final = frozenset({"box"})
"""Page kinds that see every pixel."""

WATCHING: Final = frozenset({"snapshot", "ping", "pin", "token"})
"""Commands that every page may send, from wherever it is."""

_ANY_PAGE: Final = WATCHING | {"language", "speaker"}
COMMANDS_OF: Final[Mapping[str, frozenset[str]]] = {
    "kiosk": _ANY_PAGE | {"key", "lift"},
    "box": _ANY_PAGE | {"key", "lift", "plug"},
    "service": _ANY_PAGE | {"plug", "volume", "quiet", "calibrate"},
}
"""Page kind -> the commands its pages may send."""

BAD_MESSAGES: Final = 16
BURST: Final = 1_000
"""Messages that a page may send at once; then MESSAGES_A_SECOND."""
MESSAGES_A_SECOND: Final = 500
HERE: Final = "127.0.0.1"
PAGES: Final = 32


class TooManyPages(Exception):
    """As many pages as the host serves are open already (`PAGES`)."""


def _encode(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Page:
    """One open page, made by `Hub.join`. Its writer awaits `messages` and sends what it gets, in order."""

    def __init__(self, hub: Hub, kind: str, number: int, address: str) -> None:
        self.kind: Final = kind
        self.own_number: Final = number
        self.address: Final = address
        self.trusted = hub.access.is_here(address)
        self.bad_messages = 0
        self._hub = hub
        self._number = 0
        self._snapshot = True
        self._topics: set[str] = set()
        self._boards: set[str] = set()
        self._pong: int | None = None
        self._answers: list[str] = []
        self._allowance = float(BURST)
        self._heard_s = hub.clock()
        self._held: set[tuple[str, int]] = set()
        self._wake = asyncio.Event()
        self._wake.set()

    async def messages(self) -> list[str]:
        """Wait until the page must be told something; return the messages to send now, in order."""
        await self._wake.wait()
        self._wake.clear()
        out: list[str] = []
        if self._pong is not None:
            out.append(_encode({"t": "pong", "id": self._pong}))
            self._pong = None
        out += self._answers
        self._answers.clear()
        if self._snapshot:
            self._number += 1
            out.append(self._hub._snapshot_text(self, self._number))
        else:
            out.extend(self._hub._pixels_text(board) for board in sorted(self._boards))
            if self._topics:
                self._number += 1
                out.append(self._hub._diff_text(sorted(self._topics), self._number))
        self._snapshot = False
        self._topics.clear()
        self._boards.clear()
        return out

    def _tell_topic(self, topic: str) -> None:
        self._topics.add(topic)
        self._wake.set()

    def _tell_pixels(self, board: str) -> None:
        self._boards.add(board)
        self._wake.set()

    def _tell_all(self) -> None:
        self._snapshot = True
        self._wake.set()

    def _tell_pin(self, answer: Answer) -> None:
        told = {"ok": answer.token is not None, "wait_s": math.ceil(answer.wait_s), "token": answer.token}
        self._answers = [_encode({"t": "pin", **told})]
        self._wake.set()

    def _is_too_fast(self, now_s: float) -> bool:
        self._allowance = min(float(BURST), self._allowance + (now_s - self._heard_s) * MESSAGES_A_SECOND)
        self._heard_s = now_s
        if self._allowance < 1:
            return True
        self._allowance -= 1
        return False

    def _tell_pong(self, number: int) -> None:
        self._pong = number
        self._wake.set()


class Hub:
    """All topics, all pixels, all open pages. `commands` is called with each command as it arrives.

    `on_watched` is called when the first page that sees pixels comes, and when the last one goes.
    """

    def __init__(
        self,
        commands: Callable[[Command], None] | None = None,
        *,
        access: Access | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.access = access or Access()
        self.clock = clock
        self.commands: Callable[[Command], None] = commands if commands is not None else _ignore
        self.bad_messages = 0
        self.on_watched: Callable[[bool], None] = lambda watched: None
        self._values: dict[str, object] = {}
        self._texts: dict[str, str] = {}
        self._pixels: dict[str, str] = {}
        self._pages: set[Page] = set()
        self._holders: dict[tuple[str, int], set[Page]] = {}
        self._joined = 0
        self._speakers: list[Page] = []  # those that offered to sound; the first one does

    @property
    def pages(self) -> int:
        """How many pages are open."""
        return len(self._pages)

    @property
    def speaker(self) -> int | None:
        """The number of the page that sounds."""
        return self._speakers[0].own_number if self._speakers else None

    def value(self, topic: str) -> object:
        """The latest value of `topic`, as published; None before the first."""
        return self._values.get(topic)

    def publish(self, topic: str, value: object) -> None:
        """Make `value` (anything `json.dumps` takes) the latest of `topic`; pages hear of it if it differs.

        The value is encoded here and now, so changing it afterwards changes nothing on the pages.
        Raises TypeError or ValueError if it is no JSON value, KeyError if no page kind has such a topic.
        """
        if not any(topic in topics for topics in TOPICS.values()):
            raise KeyError(f"topic {topic!r} belongs to no page; known: {', '.join(TOPICS['kiosk'])}")
        text = _encode(value)
        if self._texts.get(topic) == text:
            return
        self._texts[topic] = text
        self._values[topic] = value
        for page in self._pages:
            if topic in TOPICS[page.kind]:
                page._tell_topic(topic)

    def pixels(self, board: str, rgb: bytes) -> None:
        """Make `rgb` (3 bytes a pixel, chain order) what `board` shows; the last before a message wins."""
        text = rgb.hex()
        if self._pixels.get(board) == text:
            return
        self._pixels[board] = text
        for page in self._pages:
            if page.kind in PIXEL_KINDS:
                page._tell_pixels(board)

    def join(self, kind: str, address: str = HERE) -> Page:
        """A new page of `kind` at a client's `address`; `leave` gives it back. KeyError or TooManyPages."""
        if kind not in TOPICS:
            raise KeyError(f"no page of kind {kind!r}; known: {', '.join(TOPICS)}")
        if len(self._pages) >= self.access.share(address, PAGES):
            raise TooManyPages(f"{PAGES} pages are open already; close one")
        self._joined += 1
        page = Page(self, kind, self._joined, address)
        self._pages.add(page)
        if kind in PIXEL_KINDS and self._watchers() == 1:
            self.on_watched(True)
        return page

    def leave(self, page: Page) -> None:
        """The page is gone: let go every key that only this page held down."""
        if page in self._pages:
            self._pages.remove(page)
            if page.kind in PIXEL_KINDS and not self._watchers():
                self.on_watched(False)
        for board, key in sorted(page._held):
            self._let_go(page, board, key)
        page._held.clear()
        self._speak(page, False)

    def received(self, page: Page, message: str | bytes) -> bool:
        """Take one message of a page. False means that it has sent too much nonsense and is to be closed."""
        try:
            if page._is_too_fast(self.clock()):
                raise BadMessage
            members = parsed(message)
            do = members.get("do")
            if not isinstance(do, str) or do not in COMMANDS_OF[page.kind]:
                raise BadMessage
            if page.trusted or do in WATCHING:  # the keys of a page that has not asked for the PIN do nothing
                self._obey(page, command_of(do, members))
        except BadMessage:
            page.bad_messages += 1
            self.bad_messages += 1
        return page.bad_messages < BAD_MESSAGES

    def _obey(self, page: Page, command: Asked) -> None:
        match command:
            case SnapshotCommand():
                page._tell_all()
            case PingCommand(number):
                page._tell_pong(number)
            case PinCommand(pin):
                self._let_in(page, self.access.try_pin(page.address, pin, self.clock()))
            case TokenCommand(token):
                self._let_in(page, Answer(token if self.access.knows(token) else None))
            case SoundCommand(on):
                self._speak(page, on)
            case KeyCommand(board, key, down):
                self._key(page, board, key, down)
            case LanguageCommand(to):
                self.commands(LanguageCommand(to, for_good=page.kind == "service"))
            case _:
                self.commands(command)

    def _watchers(self) -> int:
        return sum(page.kind in PIXEL_KINDS for page in self._pages)

    def _let_in(self, page: Page, answer: Answer) -> None:
        page.trusted = page.trusted or answer.token is not None
        page._tell_pin(answer)

    def _speak(self, page: Page, on: bool) -> None:
        before = self.speaker
        if page in self._speakers:
            self._speakers.remove(page)
        if on:
            self._speakers.insert(0, page)
        if self.speaker != before:
            self.commands(SpeakerCommand(self.speaker))

    def _key(self, page: Page, board: str, key: int, down: bool) -> None:
        if down == ((board, key) in page._held):
            return
        if not down:
            page._held.discard((board, key))
            self._let_go(page, board, key)
            return
        page._held.add((board, key))
        holders = self._holders.setdefault((board, key), set())
        holders.add(page)
        if len(holders) == 1:
            self.commands(KeyCommand(board, key, True))

    def _let_go(self, page: Page, board: str, key: int) -> None:
        holders = self._holders[board, key]
        holders.discard(page)
        if not holders:
            del self._holders[board, key]
            self.commands(KeyCommand(board, key, False))

    def _snapshot_text(self, page: Page, number: int) -> str:
        parts = [f'"{topic}":{self._texts[topic]}' for topic in TOPICS[page.kind] if topic in self._texts]
        if page.kind in PIXEL_KINDS:
            parts.append(f'"pixels":{_encode(self._pixels)}')
        topics = ",".join(parts)
        own = f'"page":{page.own_number},"may":{_encode(page.trusted)}'
        return f'{{"t":"snapshot","n":{number},{own},"topics":{{{topics}}}}}'

    def _diff_text(self, topics: list[str], number: int) -> str:
        parts = ",".join(f'"{topic}":{self._texts[topic]}' for topic in topics)
        return f'{{"t":"diff","n":{number},"topics":{{{parts}}}}}'

    def _pixels_text(self, board: str) -> str:
        return f'{{"t":"px","board":"{board}","rgb":"{self._pixels[board]}"}}'


def _ignore(command: Command) -> None:
    """The commands of a hub that nobody listens to yet."""
