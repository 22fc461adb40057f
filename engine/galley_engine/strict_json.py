"""JSON as a game's files have it, and nothing that only looks like it.

Python's reader forgives much: it keeps the last of two equal keys, reads NaN and gives up on deep nesting
with an error of its own. In a file that a person wrote, each of these hides a mistake. Here all of them,
and what is no JSON at all, raise BadJSON with one sentence; `path` leads to the place inside the document,
where that is known.

    read(b'{"seat": 1, "seat": 2}')   raises BadJSON: seat: is given twice   (path = ("seat",))
"""

from __future__ import annotations

import json
from typing import NoReturn, TypeAlias

from galley_engine.game import JSON

DEEPEST = 32
"""Nesting a document may have; a scenario needs seven."""

Path: TypeAlias = "tuple[str | int, ...]"


class BadJSON(ValueError):
    """The bytes are not the JSON that is wanted: `message` says why, `path` leads there inside the document.

    The error's own text begins with the line, where that is known.
    """

    def __init__(self, message: str, path: Path = (), line: int | None = None) -> None:
        super().__init__(message if line is None else f"line {line}: {message}")
        self.message = message
        self.path = path


class _Doubled(dict[str, JSON]):
    """An object in which `key` is given twice."""

    key: str


def read(data: bytes) -> JSON:
    """The JSON document in `data` (UTF-8, a byte order mark is allowed). Raises BadJSON."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadJSON("is not UTF-8, save the file in that encoding", line=line) from None
    try:
        document: JSON = json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise BadJSON(f"is not JSON: {error.msg[0].lower()}{error.msg[1:]}", line=error.lineno) from None
    except RecursionError:
        raise BadJSON(f"is nested too deeply, at most {DEEPEST} levels are read") from None
    except ValueError as error:
        if isinstance(error, BadJSON):
            raise
        raise BadJSON("holds a number of too many digits") from None
    _look_through(document)
    return document


def same(one: JSON, other: JSON) -> bool:
    """Whether two documents are equal to the letter: unlike in Python, 1 is neither `true` nor 1.0."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


def _object(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    doubled = _Doubled(plain)
    names = [name for name, _ in pairs]
    doubled.key = next(name for place, name in enumerate(names) if name in names[:place])
    return doubled


def _no_number(constant: str) -> NoReturn:
    raise BadJSON(f"holds {constant}, which is no JSON number")


def _look_through(document: JSON) -> None:
    """Raises BadJSON for a key given twice and for nesting deeper than DEEPEST."""
    waiting: list[tuple[JSON, Path]] = [(document, ())]
    while waiting:
        value, path = waiting.pop()
        if len(path) > DEEPEST:
            raise BadJSON(f"is nested too deeply, at most {DEEPEST} levels are read", path)
        if isinstance(value, _Doubled):
            raise BadJSON(f"{value.key}: is given twice", (*path, value.key))
        if isinstance(value, dict):
            waiting.extend((inner, (*path, key)) for key, inner in value.items())
        elif isinstance(value, list):
            waiting.extend((inner, (*path, place)) for place, inner in enumerate(value))
