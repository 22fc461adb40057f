"""The house as the pages are told of it: the topics `house`, `table` and `news`.

For: the house, which hands in its evening and what it makes of that. It must not know which page shows what,
nor how it is told; words for people are in the pages' catalogues, here are their keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from galley import tables
from galley.evening import Evening
from galley.tables.table import Key, Prompt, Seat
from galley_engine.game import JSONObject


class Worded(Protocol):
    """What a key does: a job of a table or of the house."""

    @property
    def word(self) -> str:
        """For the catalogue."""


class Shown(NamedTuple):
    """What the house makes of its evening.

    `held_by` is why it must not play on, None if it may; `missing` are the boards that it waits for;
    `asking_ms` for how long it asks whether anybody is there, None while it does not.
    """

    seats: Sequence[Seat]
    held_by: str | None
    missing: Sequence[str]
    asking_ms: int | None
    prompts: Sequence[Prompt]
    jobs: Mapping[Key, Worded]


def topics(evening: Evening, shown: Shown) -> dict[str, Any]:
    """All three, as JSON."""
    words, play = _key_words(shown.jobs), evening.play
    at_table = evening.phase in ("game", "result") and not evening.operator
    return {
        "house": {**_house(evening, shown), "keys": {} if at_table else words},
        "table": None if play is None else {**play.topic(), "keys": words if at_table else {}},
        "news": list(evening.news),
    }


def _house(evening: Evening, shown: Shown) -> JSONObject:
    return {
        "phase": evening.phase,
        "game": evening.game,
        "demo": evening.demo,
        "games": [_game(game) for game in evening.games],
        "options": _options(evening) if evening.phase == "options" else [],
        "howto": evening.howto if evening.phase == "howto" else None,
        "seats": [
            {"seat": number, "colour": seat.colour, "bot": seat.bot}
            for number, seat in enumerate(shown.seats)
        ],
        "paused": _paused(evening, shown),
        "asking": None if shown.asking_ms is None else {"seconds": shown.asking_ms // 1000},
        "prompts": [prompt.json() for prompt in shown.prompts],
        "scores": evening.scores.rows(),
        "muted": evening.muted,
    }


def _game(name: str) -> JSONObject:
    game = tables.load(name).game
    return {"game": name, "seats": [game.min_seats, game.max_seats]}


def _options(evening: Evening) -> list[JSONObject]:
    return [
        {
            "key": option.key,
            "value": evening.value_of(option),
            "values": list(option.values),
            "chosen": number == evening.option,
        }
        for number, option in enumerate(evening.options)
    ]


def _paused(evening: Evening, shown: Shown) -> JSONObject | None:
    if evening.operator:
        undo = evening.play is not None and evening.play.can_undo
        return {"because": "operator", "boards": [], "muted": evening.muted, "can_undo": undo}
    if shown.held_by is not None:
        return {"because": f"journal_{shown.held_by}", "boards": []}
    return {"because": "boards_missing", "boards": list(shown.missing)} if shown.missing else None


def _key_words(jobs: Mapping[Key, Worded]) -> JSONObject:
    words: dict[str, dict[str, str]] = {}
    for (board, key), job in jobs.items():
        words.setdefault(board, {})[str(key)] = job.word
    return {board: dict(keys) for board, keys in words.items()}
