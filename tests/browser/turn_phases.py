"""What the host would publish in the games in turns: states of the engine, as their own tables show them.

Games are played by bots from a given seed, so the positions are as real ones are; one such moment is a phase.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from galley import tables
from galley.tables.sushi_bar_plan import offers_of
from galley.tables.table import Choice, Prompt, Seat
from galley_engine.bots import policy
from galley_engine.dice import Dice
from galley_engine.game import SEAT_PARAMETERS, Refusal
from tests.browser.duel_phases import RESULT_KEYS
from tests.browser.topics import Topics, base, news, seats

NEWS_KEPT: Final = 8
MOST_STEPS: Final = 600

Seen = Callable[[Any], bool]


def at_table(
    game: str,
    colours: Sequence[str],
    seen: Seen,
    *,
    seed: int = 1,
    bots: Mapping[str, str] | None = None,
    choice: Choice | None = None,
    strength: str = "good",
) -> Topics:
    """The first position that `seen` is looking for, in a game between bots of `strength`."""
    table = tables.load(game)
    rules = table.game
    player = policy(game, strength)
    state = rules.start(len(colours), rules.options({}), Dice(seed))
    told: list[tuple[str, Mapping[str, object]]] = []
    for number in range(MOST_STEPS):
        if seen(state):
            break
        action = player.choose(state, state.turn, Dice(seed + number))
        assert action is not None
        step = rules.apply(state, action, number * 1000, Dice(seed * 1000 + number))
        assert not isinstance(step, Refusal), step
        state = step.state
        told += [
            (
                event.kind,
                {
                    k: colours[v] if k in SEAT_PARAMETERS and isinstance(v, int) else v
                    for k, v in event.data.items()
                },
            )
            for event in step.events
        ]
    else:
        raise AssertionError(f"{game}, seed {seed}: no such position in {MOST_STEPS} steps")
    sitting = [Seat(colour, (bots or {}).get(colour)) for colour in colours]
    words: dict[str, dict[str, str]] = {}
    for (board, key), job in table.jobs(state, sitting, choice or {}).items():
        words.setdefault(board, {})[str(key)] = job.word
    over = state.phase == "over"
    topics = base("result" if over else "game")
    topics["house"] |= {
        "game": game,
        "seats": seats(colours, bots),
        "prompts": [
            prompt.json()
            for prompt in (
                (Prompt("result_again_bell"), Prompt("result_other"))
                if over
                else table.prompts(state, sitting, choice or {})
            )
        ],
    }
    topics["table"] = {
        "game": game,
        "state": rules.public(state),
        **table.page(state, choice or {}),
        "keys": RESULT_KEYS if over else words,
    }
    topics["news"] = news(*told[-NEWS_KEPT:])
    return topics


def busiest(game: str, colours: Sequence[str]) -> Topics:
    """The moment of a game of people in which most keys do something, with whatever choice makes it so."""
    table = tables.load(game)
    sitting = [Seat(colour) for colour in colours]
    plans: list[Choice] = [
        {"option": option, "victim": victim, "marked": marked}
        for option in ("", "1", "2", "3")
        for victim in ("", "0", "1")
        for marked in ("", "0 1 2 3 4")
    ]
    keys: list[list[int]] = []

    def counted(state: Any) -> bool:
        keys.append([len(table.jobs(state, sitting, plan)) for plan in plans])
        return bool(state.phase == "over")

    at_table(game, colours, counted, strength="random")
    most = max(map(max, keys))
    step = next(step for step, found in enumerate(keys) if most in found)
    passed: list[None] = []

    def there(_: Any) -> bool:
        passed.append(None)
        return len(passed) > step

    return at_table(game, colours, there, strength="random", choice=plans[keys[step].index(most)])


def _is(phase: str, turn: int | None = None) -> Seen:
    return lambda state: bool(state.phase == phase and (turn is None or state.turn == turn))


def _late(phase: str, worth: int) -> Seen:
    """`phase` late in the grill game: at least so many worms are on the seats' sides."""
    return lambda state: bool(state.phase == phase and sum(seat.worms for seat in state.seats) >= worth)


def _robs(*, any_tile: bool) -> Seen:
    """Any of the four others may be robbed: of the top tile, or of any."""
    return lambda state: (
        state.phase == "choose"
        and any(len(offer.victims) == 4 and offer.any == any_tile for offer in offers_of(state))
    )


THREE: Final = ("red", "green", "violet")
FIVE: Final = ("red", "green", "blue", "yellow", "violet")

TURN_PHASES: Final[Mapping[str, Callable[[], Topics]]] = {
    "bar_throw": partial(at_table, "sushi_bar", THREE, _is("throw", 0), bots={"green": "good"}),
    "bar_choose": partial(at_table, "sushi_bar", THREE, _is("choose", 0), seed=3),
    "bar_bot": partial(at_table, "sushi_bar", THREE, _is("choose", 1), bots={"green": "good"}, seed=3),
    "bar_five": partial(at_table, "sushi_bar", FIVE, _is("choose", 4), seed=5, strength="random"),
    "bar_rob": partial(
        at_table, "sushi_bar", FIVE, _robs(any_tile=False), seed=10, strength="random", choice={"option": "1"}
    ),
    "bar_tile": partial(
        at_table,
        "sushi_bar",
        FIVE,
        _robs(any_tile=True),
        seed=37,
        strength="random",
        choice={"option": "1", "victim": "0"},
    ),
    "bar_result": partial(at_table, "sushi_bar", THREE, _is("over"), seed=2),
    "bar_result_five": partial(at_table, "sushi_bar", FIVE, _is("over"), seed=4),
    "grill_throw": partial(at_table, "worm_grill", THREE, _is("throw", 0)),
    "grill_keep": partial(at_table, "worm_grill", THREE, _is("keep", 0), seed=3),
    "grill_decide": partial(at_table, "worm_grill", THREE, _is("decide", 2), seed=3),
    "grill_result": partial(at_table, "worm_grill", THREE, _is("over"), seed=2),
    "grill_result_five": partial(at_table, "worm_grill", FIVE, _is("over"), seed=4),
}
"""Name -> function that makes the topics of that moment."""
