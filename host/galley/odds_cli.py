"""`galley odds GAME ...`: the exact odds of a game, from any moment of a turn.

For: turning options into a question and its answer into lines or JSON. What a game can be asked is the table
`fields` of its module in `galley_engine.odds`; each becomes an option (`at_least` is `--at-least`), so a game
that gets odds needs nothing here. A wrong question is one sentence that names the option, and status 2.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import click


class WholeNumber(click.ParamType[int]):
    """A whole number of any size that a person writes; the game knows the bounds."""

    name = "NUMBER"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number. Fails when it is none."""
        if not re.fullmatch(r"-?[0-9]{1,18}", value):
            self.fail(f"{value!r} is not a whole number", param, ctx)
        return int(value)


class Symbols(click.ParamType[list[int | str]]):
    """Words and numbers with spaces or commas between, as in `worm worm 6`."""

    name = "WORDS"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[int | str]:
        """The words in order, those of digits as numbers."""
        words = str(value).replace(",", " ").split()
        return [int(word) if re.fullmatch(r"[0-9]{1,18}", word) else word for word in words]


KINDS: Mapping[str, click.ParamType[Any]] = {
    "number": WholeNumber(),
    "words": Symbols(),
    "word": click.STRING,
    "flag": click.BOOL,
}


class Games(click.Group):
    """A command for each game that has odds, made from its table when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The games by name."""
        from galley_engine.odds import NAMES

        return sorted(NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """The command of a game. Raises UsageError for an unknown one."""
        from galley_engine.games import UnknownGame
        from galley_engine.odds import load

        try:
            module = load(cmd_name)
        except UnknownGame as error:
            raise click.UsageError(f"odds: {error}") from None
        options = [
            click.Option([_option(name)], type=KINDS[kind], is_flag=kind == "flag", default=None, help=words)
            for name, (kind, words) in module.fields.items()
        ]
        as_json = click.Option(["--json", "as_json"], is_flag=True, help="Print one line of JSON.")

        def answer(as_json: bool, **given: Any) -> None:
            _answer(module, as_json, {key: value for key, value in given.items() if value is not None})

        summary = f"The odds of {cmd_name}."
        return click.Command(cmd_name, callback=answer, params=[*options, as_json], help=summary)


@click.command(cls=Games, invoke_without_command=True)
@click.pass_context
def odds(ctx: click.Context) -> None:
    """Say how likely something is, and what to do for it."""
    if ctx.invoked_subcommand is None:
        from galley_engine.odds import NAMES

        raise click.UsageError(f"odds: name a game: {', '.join(sorted(NAMES))}")


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _answer(module: Any, as_json: bool, given: Mapping[str, object]) -> None:
    from galley_engine.odds import BadQuestion

    try:
        answer = module.ask(given)
    except BadQuestion as error:
        name, _, place = error.key.partition(".")
        at = f", word {int(place) + 1}" if place.isdecimal() else ""
        raise click.UsageError(f"{_option(name)}{at}: {error.message}") from None
    for line in [json.dumps(answer)] if as_json else _lines(answer):
        click.echo(line)


def _lines(answer: Mapping[str, Any]) -> Iterator[str]:
    """A line for each part of an answer, and one for each object of a list."""
    for key, value in answer.items():
        if isinstance(value, list):
            yield f"{key}:"
            yield from (f"  {_text(part)}" for part in value)
        else:
            yield f"{key}: {_text(value)}"


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_text(part)}" for key, part in value.items())
    if isinstance(value, list):
        return " ".join(map(_text, value)) or "nothing"
    if value is None:
        return "nothing"
    return f"{value:.9f}" if isinstance(value, float) else str(value)
