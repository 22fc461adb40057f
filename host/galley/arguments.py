"""Kinds of arguments on the command line, with errors that name the value seen and those that would do.

For: all commands. It knows no command and no setting.
"""

from __future__ import annotations

import json
from typing import Any

import click


class Words(click.ParamType[tuple[str, ...]]):
    """A list of known words with commas between, as in `left,right`."""

    name = "LIST"

    def __init__(self, what: str, known: tuple[str, ...], suffixes: tuple[str, ...] = ()) -> None:
        self._what = what
        self._known = known
        self._suffixes = suffixes

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """The words in the order given. Fails on an unknown word or one given twice."""
        words = tuple(word.strip() for word in value.split(","))
        for word in words:
            base, colon, suffix = word.partition(":")
            if base not in self._known or (colon and not self._suffixes):
                self.fail(f"there is no {self._what} {word!r}: use {', '.join(self._known)}", param, ctx)
            if colon and suffix not in self._suffixes:
                self.fail(f"{word!r}: after the colon use {', '.join(self._suffixes)}", param, ctx)
        bases = [word.partition(":")[0] for word in words]
        for base in bases:
            if bases.count(base) > 1:
                self.fail(f"the {self._what} {base!r} stands there twice: name it once", param, ctx)
        return words


class Number(click.ParamType[float]):
    """A number within bounds; a whole one unless the lowest has a fraction."""

    name = "NUMBER"

    def __init__(self, lowest: float, highest: float) -> None:
        self._kind = "a whole number" if isinstance(lowest, int) else "a number"
        self._read = int if isinstance(lowest, int) else float
        self._lowest = lowest
        self._highest = highest

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number. Fails when it is none or out of bounds."""
        try:
            number = self._read(value)
        except ValueError:
            number = None
        if number is None or not self._lowest <= number <= self._highest:
            self.fail(f"{value!r} is not {self._kind} from {self._lowest} to {self._highest}", param, ctx)
        return number


def game_options(given: tuple[str, ...], option: str = "--set") -> dict[str, object]:
    """The game's options of `--set NAME=VALUE`: values are JSON, or else words. Fails on one without both."""
    options: dict[str, object] = {}
    for pair in given:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise click.UsageError(f"{option} {pair}: write NAME=VALUE, as in false_bell=none")
        if name in options:
            raise click.UsageError(f"{option} {name}: it stands there twice, name it once")
        try:
            options[name] = json.loads(text)
        except (ValueError, RecursionError):
            options[name] = text
    return options
