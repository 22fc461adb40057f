"""What an enemy would send: frames that are wrong, or right in form only; messages; requests."""

from __future__ import annotations

import json
import string
from collections.abc import Iterator
from random import Random
from typing import Final

from galley_board import wire

NUMBERS: Final = (0, 1, -1, 9, 255, 256, 65535, 2**26, 2**29, 2**31, 10**12)


def broken_frames(random: Random, kinds: str, frames: int) -> bytes:
    """Lines that look like frames of these kinds, and are none: their checksum is wrong, or they are cut."""
    out = bytearray()
    for _ in range(frames):
        numbers = [random.choice((*NUMBERS, random.randrange(999))) for _ in range(random.randrange(9))]
        body = " ".join(str(number) for number in (random.randrange(-5, 70), *numbers))
        line = f"{random.choice(kinds)} {body} {random.randrange(1 << 32):08x}\n".encode()
        out += line[: random.randrange(4, 70)] + random.choice((b"\n", b"", b"\r\n", b"\x00"))
    return bytes(out) + b"\n"


def forged_frame(random: Random, kinds: str) -> bytes:
    """A frame that is right in every way, but says what no board or host would say now."""
    kind = random.choice(kinds)
    fields = [
        random.choice((low, high, random.randint(low, high), random.randint(low, min(high, low + 9))))
        for _, low, high in wire.FORMS[kind][1]
    ]
    return bytes(wire.encode(kind, random.randrange(wire.SEQUENCE), *fields))


def frames(random: Random, kinds: str, count: int) -> Iterator[bytes]:
    """So many frames, three of four broken, cut into chunks as a port would."""
    rest = b""
    for _ in range(count):
        rest += broken_frames(random, kinds, 1) if random.random() < 0.75 else forged_frame(random, kinds)
        cut = random.randrange(len(rest) + 1)
        yield rest[:cut]
        rest = rest[cut:]
    yield rest


WORDS: Final = (
    *("do", "key", "plug", "lift", "pin", "token", "ping", "snapshot", "language", "speaker", "volume"),
    *("quiet", "calibrate"),
    *("board", "down", "in", "id", "to", "on", "dropping", "begin", "end", "colour", "left", "deck"),
    *("__class__", "../../etc/passwd"),
    "\ud800",
    "é" * 30,
    "",
)
METHODS: Final = ("GET", "POST", "PUT", "HEAD", "OPTIONS", "CONNECT", "G\x00T", "get", "")
PATHS: Final = (
    *("/", "/static/../../etc/passwd", "/static/%2e%2e/app.py", "/ws", "/ws?page=box", "//", "*"),
    *("/metrics", "/api/boards/../../x"),
    *(f"/{'a' * length}" for length in (10, 3_000, 70_000)),
    "/static/\x7f",
    "http://evil/",
    "",
)
VERSIONS: Final = ("HTTP/1.1", "HTTP/1.0", "HTTP/9.9", "", "HTTP/1.1\x00")
HEADERS: Final = (
    "Host: 127.0.0.1",
    "Host: evil.example",
    "Host:",
    "Content-Length: -1",
    "Content-Length: 99999999",
    "Transfer-Encoding: chunked",
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAA",
    "Origin: http://evil",
    f"X: {'y' * 9_000}",
    ":",
    "\x00: \x01",
    "If-None-Match: *",
    "Authorization: Bearer \u00e9",
    "Expect: 100-continue",
    "Range: bytes=0-",
)


def value(random: Random, depth: int = 0) -> object:
    """Any JSON value, with a liking for our own words."""
    kind = random.randrange(9 if depth < 2 else 6)
    if kind == 0:
        return random.choice((None, True, False))
    if kind == 1:
        return random.choice(NUMBERS)
    if kind == 2:
        return random.choice((0.5, -1e308, 1e-9, float("nan"), float("inf")))
    if kind <= 5:
        return random.choice(WORDS)
    if kind == 6:
        return [value(random, depth + 1) for _ in range(random.randrange(3))]
    return {random.choice(WORDS): value(random, depth + 1) for _ in range(random.randrange(5))}


def message(random: Random) -> str | bytes:
    """A message of a page that no page would send; at most as long as the server reads."""
    kind = random.randrange(6)
    if kind == 0:
        return bytes(random.randrange(256) for _ in range(random.randrange(60)))
    if kind == 1:
        return "".join(random.choice(string.printable) for _ in range(random.randrange(60)))
    if kind == 2:
        return "[" * random.randrange(900)
    # never a whole key or plug: that would be a person's own press
    found = {
        "do": random.choice(WORDS),
        **{random.choice(WORDS): value(random) for _ in range(random.randrange(4))},
    }
    if {"board", "down"} <= set(found) or {"board", "in"} <= set(found):
        found["more"] = 1
    return json.dumps(found)[:1000]


def request(random: Random) -> bytes:
    """The bytes of an HTTP request that no browser would send."""
    first = " ".join(random.choice(words) for words in (METHODS, PATHS, VERSIONS))
    headers = [random.choice(HEADERS) for _ in range(random.randrange(7))]
    body = bytes(random.randrange(256) for _ in range(random.randrange(40)))
    return "\r\n".join((first, *headers, "", "")).encode("latin-1") + body
