"""What boards said, as lines of JSON: written while `tests/hil` runs, told again to a `HostLink` later.

    {"trace": "galley hil", "version": 1, "source": "..."}
    {"ev":"opened","board":"left","t_ns":0,"session":812}          the host opened the port
    {"ev":"bytes","board":"left","t_ns":5120,"text":"H 0 1 ..."}   what it read, byte for byte (latin-1)
    {"ev":"key","board":"left","t_ns":9000,"key":9,"down":true,"stamp_ms":536805123,"us":1400}   its edge

Times are ns since the trace began.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, Final

from galley.link import HostLink
from galley.link_events import KeyEdge

HEADER: Final = {"trace": "galley hil", "version": 1}


class Trace:
    """Writes a trace."""

    def __init__(self, file: IO[str], source: str, start_ns: int) -> None:
        self._file = file
        self._start_ns = start_ns
        self._line({**HEADER, "source": source})

    def opened(self, board: str, session: int, now_ns: int) -> None:
        """A port was opened."""
        self._line({"ev": "opened", "board": board, "t_ns": now_ns - self._start_ns, "session": session})

    def read(self, board: str, data: bytes, now_ns: int) -> None:
        """Bytes came from it."""
        text = data.decode("latin-1")
        self._line({"ev": "bytes", "board": board, "t_ns": now_ns - self._start_ns, "text": text})

    def key(self, board: str, edge: KeyEdge, now_ns: int) -> None:
        """The link made a key's edge of them."""
        self._line({"ev": "key", "board": board, "t_ns": now_ns - self._start_ns, **told(edge)})

    def _line(self, line: dict[str, Any]) -> None:
        self._file.write(json.dumps(line, separators=(",", ":")) + "\n")


def told(edge: KeyEdge) -> dict[str, Any]:
    """What a trace keeps of an edge."""
    return {"key": edge.key, "down": edge.down, "stamp_ms": edge.stamp_ms, "us": edge.us}


def read(path: Path) -> list[dict[str, Any]]:
    """The lines of a trace after its first. Raises ValueError for another kind of file."""
    first, *lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    if {key: first.get(key) for key in HEADER} != HEADER:
        raise ValueError(f"{path} is no trace of tests/hil: its first line is {first}")
    return lines


def replayed(lines: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The edges that fresh links make of a trace's bytes, by board."""
    links: dict[str, HostLink] = {}
    found: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        board, now_ns = line["board"], line["t_ns"]
        if line["ev"] == "opened":
            links[board] = HostLink(line["session"])
            links[board].opened(now_ns)
        elif line["ev"] == "bytes":
            link = links[board]
            events = [*link.poll(now_ns), *link.receive(line["text"].encode("latin-1"), now_ns)]
            edges = [told(event) for event in events if isinstance(event, KeyEdge)]
            found.setdefault(board, []).extend(edges)
    return found
