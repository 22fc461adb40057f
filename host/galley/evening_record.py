"""What must be known of an evening so that the box comes back as it was, beside the steps of its game.

For: the house, which gives this to the journal as JSON and takes it from there at the next start. It must not
know where it is kept. Nothing of what it reads is trusted: what does not fit is left as it is, and an evening
that fits nowhere begins in attract.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from galley import box_options
from galley.evening import HOWTO_PICTURES, Evening
from galley.session import Session
from galley.tables.table import SEAT_COLOURS, Seat
from galley_engine.bots import STRENGTHS
from galley_engine.game import JSONObject


def saved(evening: Evening) -> JSONObject:
    """The evening as JSON. A running game's steps are not in it; nor is a demonstration."""
    play = None if evening.phase == "attract" else evening.play
    return {
        "phase": evening.phase,
        "game": evening.game,
        "seats": [[seat.colour, seat.bot] for seat in evening.seats],
        "left": sorted(evening.left),
        "operator": evening.operator,
        "option": evening.option,
        "howto": evening.howto,
        "muted": evening.muted,
        "taught": evening.taught,
        "chosen": [[*place, value] for place, value in evening.chosen.items()],
        "scores": evening.scores.saved(),
        "news": [] if play is None else list(evening.news),
        "play": None if play is None else play.saved(),
    }


def restore(evening: Evening, saved: object, session: Session | None) -> None:
    """Become as `saved` says, with `session` as the game; what does not fit leaves the box in attract."""
    if not isinstance(saved, dict):
        return
    evening.scores.restore(saved.get("scores"))
    evening.muted = saved.get("muted") is True
    game, phase = saved.get("game"), saved.get("phase")
    if game not in evening.games or phase == "attract":
        return
    evening.game = str(game)
    evening.chosen = {
        (str(row[0]), str(row[1])): row[2]
        for row in _rows(saved.get("chosen"), 3)
        if box_options.known((str(row[0]), str(row[1])), row[2])
    }
    evening.seats = tuple(
        Seat(str(colour), None if bot is None else str(bot))
        for colour, bot in _rows(saved.get("seats"), 2)
        if colour in SEAT_COLOURS and (bot is None or bot in STRENGTHS)
    )
    evening.taught = str(saved.get("taught", ""))
    if phase in ("game", "result"):
        _take_up_again(evening, saved, session, str(phase))
    elif phase in ("choose", "options", "join", "howto"):
        evening.phase = str(phase)
        evening.option = _below(saved.get("option"), len(evening.options))
        evening.howto = _below(saved.get("howto"), HOWTO_PICTURES)


def _take_up_again(
    evening: Evening, saved: Mapping[str, object], session: Session | None, phase: str
) -> None:
    fits = (
        session is not None
        and session.game.name == evening.game
        and len(evening.seats) == session.state.seats
    )
    if session is None or not fits:
        evening.attract()
        return
    evening.phase, evening.ended_ms = phase, evening.now_ms
    news = list(_news(saved.get("news")))
    evening.news.extend(news)
    evening.news_number = max((line["n"] for line in news), default=0)
    evening.take_up(session, evening.seats)
    left = saved.get("left")
    evening.left = frozenset(n for n in range(len(evening.seats)) if isinstance(left, list) and n in left)
    evening.operator = saved.get("operator") is True
    play = saved.get("play")
    if evening.play is not None and isinstance(play, dict):
        evening.play.restore(play)


def _news(value: object) -> Iterator[dict[str, Any]]:
    for news in value if isinstance(value, list) else ():
        match news:
            case {"n": int(), "key": str(), "params": dict()}:
                yield news


def _rows(value: object, length: int) -> list[list[Any]]:
    rows = value if isinstance(value, list) else []
    return [row for row in rows if isinstance(row, list) and len(row) == length]


def _below(value: object, limit: int) -> int:
    return value if isinstance(value, int) and 0 <= value < limit else 0
