"""What the host would publish in the poop deck: moments of games that bots play on the simulated deck.

The game runs at its table, with the world of the box and a hand over the model, so that every topic is one
that the host makes; a phase is the first moment that shows what it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from galley.tables.table import Seat
from galley_engine.game import SEAT_PARAMETERS
from galley_engine.games.poop_deck_state import COLOURS
from tests.browser.duel_phases import RESULT_KEYS
from tests.browser.topics import Topics, base, news
from tests.host.deck_hand import DeckHand, Ship

NEWS_KEPT: Final = 8
MOST_MS: Final = 3_600_000
STEP_MS: Final = 100

Seen = Callable[[Ship], bool]


def on_deck(
    colours: Sequence[str],
    seen: Seen,
    *,
    seed: int = 1,
    people: Sequence[str] = (),
    **settings: Any,
) -> Topics:
    """The topics of the first moment that `seen` is looking for; at that moment `people` sit there."""
    ship = Ship([Seat(colour, "good") for colour in colours], DeckHand(seed), seed, **settings)
    while not seen(ship):
        assert ship.now_ms < MOST_MS, "the moment never came"
        assert not ship.play.over, "the game was over before"
        ship.run(STEP_MS)
    for number, colour in enumerate(colours):
        if colour in people:
            ship.play.replace(number, None, ship.now_ms)
    return _topics(ship)


def on_real_deck() -> Topics:
    """A real deck, of which nobody knows what lies where: a dropping is held, two have fallen."""
    ship = Ship([Seat("red"), Seat("green")], None, turn_percent=0)
    ship.run(6_000)
    ship.press(COLOURS.index(ship.state.die))
    ship.press((COLOURS.index(ship.state.die) + 1) % len(COLOURS))
    for beam in (6, 9):
        ship.edge(beam)
    ship.press(4)
    return _topics(ship)


def _topics(ship: Ship) -> Topics:
    play = ship.play
    over = play.over
    topics = base("result" if over else "game", simulated=ship.hand is not None)
    topics["table"] = {**play.topic(), "keys": {} if over else _keys(ship)}
    topics["house"] |= {
        "game": "poop_deck",
        "seats": [
            {"seat": number, "colour": seat.colour, "bot": seat.bot} for number, seat in enumerate(play.seats)
        ],
        "prompts": [{"key": "result_again_bell", "params": {}}, {"key": "result_other", "params": {}}]
        if over
        else [prompt.json() for prompt in play.prompts()],
        "keys": RESULT_KEYS if over else {},
    }
    colours = [seat.colour for seat in play.seats]
    told: list[tuple[str, Mapping[str, object]]] = [
        (event.kind, {name: _said(name, value, colours) for name, value in event.data.items()})
        for event in ship.news
    ]
    topics["news"] = news(*told[-NEWS_KEPT:])
    return topics


def _said(name: str, value: object, colours: Sequence[str]) -> object:
    """A seat as its colour, as the house tells it."""
    return colours[value] if name in SEAT_PARAMETERS and isinstance(value, int) else value


def _keys(ship: Ship) -> dict[str, dict[str, str]]:
    words: dict[str, dict[str, str]] = {}
    for (board, key), job in ship.play.jobs().items():
        words.setdefault(board, {})[str(key)] = job.word
    return words


def _in(ship: Ship, phase: str) -> bool:
    return bool(ship.state.phase == phase)


def _collected(ship: Ship) -> int:
    return sum(ship.state.collected)


def _hunting(ship: Ship) -> bool:
    return _in(ship, "hunt") and _collected(ship) >= 3 and ship.state.turn == 0


def _holding(ship: Ship) -> bool:
    return _in(ship, "hold") and _collected(ship) >= 4 and ship.state.turn == 0


def _in_danger(ship: Ship) -> bool:
    return _in(ship, "hunt") and ship.deck["drift"] == 3 and ship.state.galley >= 2


def _aiming(ship: Ship) -> bool:
    return ship.deck["aim"] is not None and ship.state.galley >= 1


def _lone(ship: Ship) -> bool:
    return _in(ship, "hunt") and ship.state.deck == 1


def _won(ship: Ship) -> bool:
    return ship.play.over and not ship.state.die_fell


def _fell(ship: Ship) -> bool:
    return bool(ship.state.die_fell)


DECK_PHASES: Final[Mapping[str, Callable[[], Topics]]] = {
    "deck_hunt": partial(on_deck, ("red", "blue"), _hunting, people=("red",)),
    "deck_hold": partial(on_deck, ("green", "white", "red"), _holding, seed=2, people=("green",)),
    "deck_danger": partial(
        on_deck, ("violet", "yellow"), _in_danger, seed=4, people=("violet", "yellow"), railings=0
    ),
    "deck_bots": partial(on_deck, ("red", "blue", "green", "yellow"), _aiming, seed=3, railings=1),
    "deck_last": partial(on_deck, ("yellow", "green"), _lone, seed=20, people=("yellow", "green")),
    "deck_real": on_real_deck,
    "deck_won": partial(on_deck, ("red", "blue"), _won, seed=0),
    "deck_fell": partial(on_deck, ("white", "violet", "green", "yellow"), _fell, seed=23, railings=1),
}
"""Name -> function that makes the topics of that moment."""
