"""States as JSON and back: what lets a game go on from a state that was written down.

For: a journal that has 100,000 steps behind it and no time to play them all again. A state is named tuples,
tuples, words and numbers, and its type hints say which is where. So one coder, made from the hints, serves
every game: named tuples and tuples become lists, everything else stays as it is.

    coder = coder_of(type(state))
    coder.read(json.loads(json.dumps(coder.write(state)))) == state

Both ways every value is held against its hint, to the letter: `True` is no 1, a list too short is no tuple.
What does not fit raises NotStored, and so does a type that has no such form, as a game from elsewhere may
have: it is then played again from its first step. A state that was read is one that could have been written;
whether the rules could have led to it is not asked.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple, Union, get_args, get_origin, get_type_hints

from galley_engine.game import JSON
from galley_engine.given import shown

PLAIN: Final = (str, int, float, bool, types.NoneType)


class NotStored(ValueError):
    """A value is not what its type hint says, or a type has no stored form."""


class Coder(NamedTuple):
    """How values of one type are written as JSON and read again. Both raise NotStored."""

    write: Callable[[Any], JSON]
    read: Callable[[Any], Any]


def coder_of(kind: Any) -> Coder:
    """The coder of a type: a named tuple, a tuple, a union, or a plain value. Raises NotStored."""
    coder: Coder = _coder_of(kind)
    return coder


@cache
def _coder_of(kind: Any) -> Coder:
    origin = get_origin(kind)
    if kind in PLAIN:
        return _plain(kind)
    if origin is tuple:
        return _tuple(get_args(kind))
    if origin in (Union, types.UnionType):
        return _union(get_args(kind))
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return _named(kind)
    raise NotStored(f"{kind} has no stored form")


def _plain(kind: type) -> Coder:
    def checked(value: Any) -> Any:
        if type(value) is not kind:
            raise NotStored(f"{shown(value)} is no {kind.__name__}")
        return value

    return Coder(checked, checked)


def _tuple(kinds: tuple[Any, ...]) -> Coder:
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        inner = coder_of(kinds[0])

        def write(value: Any) -> JSON:
            return [inner.write(one) for one in _listed(value, tuple)]

        def read(value: Any) -> Any:
            return tuple([inner.read(one) for one in _listed(value, list)])

        return Coder(write, read)
    return _fixed([coder_of(one) for one in kinds], tuple, tuple)


def _named(kind: Any) -> Coder:
    hints = get_type_hints(kind)
    return _fixed([coder_of(hints[field]) for field in kind._fields], kind, kind._make)


def _fixed(inner: list[Coder], kind: type, make: Callable[[list[Any]], Any]) -> Coder:
    def write(value: Any) -> JSON:
        return [one.write(part) for one, part in zip(inner, _listed(value, kind, len(inner)), strict=True)]

    def read(value: Any) -> Any:
        return make(
            [one.read(part) for one, part in zip(inner, _listed(value, list, len(inner)), strict=True)]
        )

    return Coder(write, read)


def _listed(value: Any, kind: Any, length: int | None = None) -> Any:
    if type(value) is not kind or (length is not None and len(value) != length):
        raise NotStored(f"{shown(value)} is no {kind.__name__} of {length or 'any number of'} values")
    return value


def _union(kinds: tuple[Any, ...]) -> Coder:
    if sum(kind not in PLAIN for kind in kinds) > 1:
        raise NotStored(f"{kinds}: two kinds of lists cannot be told apart")
    inner = [coder_of(kind) for kind in kinds]

    writes, reads = [one.write for one in inner], [one.read for one in inner]
    return Coder(lambda value: _first(value, writes), lambda value: _first(value, reads))


def _first(value: Any, ways: list[Callable[[Any], Any]]) -> Any:
    for way in ways[:-1]:
        try:
            return way(value)
        except NotStored:
            continue
    return ways[-1](value)
