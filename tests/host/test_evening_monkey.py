"""A child at the box: any keys in any order, options at random, boards pulled out, menus at odd moments.

Nothing may raise, no phase may be stuck, what people are asked for must be lit, and what is lit must do
something. Every run is repeated by its seed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import pytest

from galley.box_options import LANGUAGES
from galley.evening import HouseRules
from galley.house import OPERATOR_HOLD_MS
from galley.patience import AWAITED_MS
from galley.phases import ALL_KEYS
from galley.tables import GAMES, load
from galley.tables.table import BOARDS, MODE, SEAT_COLOURS, STATIONS, DeckStand, Seat
from galley_board import wire
from tests.host.deck_hand import DeckHand
from tests.host.evening_clock import ALL, EveningClock
from tests.host.test_evening_mishaps import told_seats

OPTIONS: Final[Mapping[str, Mapping[str, Sequence[Any]]]] = {
    "sushi_duel": {
        "visible": (1, 2, 8),
        "false_bell": ("none", "lose_duel"),
        "min_roll_interval_ms": (0,),
        "start_seat": (1,),
        "targets": ({str(seats): 1 for seats in range(2, 7)},),
        "deck": ({"uniform": 5, "combo": 0}, {"uniform": 0, "combo": 30}),
        "ingredients": (["a", "b", "c", "d", "e"],),
    },
    "sushi_bar": {
        "throws": (1, 2, 5),
        "start_seat": (1,),
        "sushi_tiles": ([], [5] * 30, [99, 1]),
        "bone_tiles": ([-1], [-9] * 20),
    },
    "worm_grill": {
        "snails": (0, 1, 4),
        "plates": (1, 2),
        "worm_supply": (0, 3),
        "no_free_place": ("no_effect",),
        "stop_requires_good": (True,),
        "start_seat": (1,),
        "place_value": ({"23": 0, "30": 9},),
    },
    "poop_deck": {"droppings_per_colour": (1, 2, 6), "match_rule": ("at_announce",), "start_seat": (1,)},
}
PHYSICS: Final[Mapping[str, Sequence[Any]]] = {"railings": (0, 1, 2, 4), "build": ("loose",)}
SENSORS: Final = range(6, 17)
ALREADY: Final = frozenset({"rob", "take_set", "tile", "value"})
"""What may be chosen once more: its lamp says that it is."""


def some(of: Mapping[str, Sequence[Any]], random: Random) -> dict[str, Any]:
    return {name: random.choice(values) for name, values in of.items() if random.random() < 0.3}


@dataclass
class Monkey:
    """Its `evening`, with a game on the table from the start; `hand` is there over a simulated deck."""

    game: str
    random: Random
    evening: EveningClock = field(init=False)
    hand: bool = field(init=False)

    def __post_init__(self) -> None:
        random, game = self.random, load(self.game).game
        self.hand = random.random() < 0.6
        rules = {"options": some(OPTIONS[self.game], random), "physics": some(PHYSICS, random)}
        usual = HouseRules()
        self.evening = EveningClock(
            seed=random.getrandbits(16),
            game=random.choice((None, self.game)) if self.game == GAMES[0] else self.game,
            bot=random.choice(("easy", "good", usual.bot)),
            bot_speed=20,
            demo=random.random() < 0.3,
            howto=False,
            **rules,
        )
        if self.hand:
            self.evening.house.give_hand(DeckHand(random.getrandbits(16)))
        bots = self.hand or self.game != "poop_deck"
        colours = random.sample(SEAT_COLOURS, random.randint(game.min_seats, game.max_seats))
        seats = [Seat(colour, "easy" if bots and random.random() < 0.4 else None) for colour in colours]
        self.evening.house.begin(seats, self.evening.now_ms)

    def do_something(self) -> None:
        """Mostly press what is lit."""
        chance = self.random.random()
        for deed, share in self.odd_deeds:
            chance -= share
            if chance < 0:
                deed()
                break
        else:
            self.press_lit()
        self.evening.wait(self.random.choice((0, 0, 1, 300, 2_000)))
        self.look()

    @property
    def odd_deeds(self) -> tuple[tuple[Callable[[], None], float], ...]:
        return (
            (self.pull, 0.02),
            (self.plug, 0.03),
            (self.speak, 0.01),
            (self.hold_both, 0.01),
            (self.never_let_go, 0.01),
            (self.go_away, 0.005),
            (self.lift, 0.02),
            (self.sense, 0.03),
            (self.press_any, 0.15),
        )

    def pull(self) -> None:
        live = frozenset(board for board in BOARDS if self.random.random() < 0.7)
        self.evening.house.boards_live(live, self.evening.now_ms)

    def plug(self) -> None:
        self.evening.house.boards_live(ALL, self.evening.now_ms)

    def speak(self) -> None:
        self.evening.house.speak(self.random.choice(LANGUAGES), self.evening.now_ms)

    def hold_both(self) -> None:
        evening = self.evening
        for board in STATIONS:
            evening.house.press(board, MODE, evening.now_ms)
        evening.wait(OPERATOR_HOLD_MS + self.random.choice((-1, 0, 500)))
        for board in STATIONS:
            evening.house.release(board, MODE, evening.now_ms)

    def never_let_go(self) -> None:
        self.evening.house.press(*self.random.choice(ALL_KEYS), self.evening.now_ms)

    def go_away(self) -> None:
        self.evening.wait(AWAITED_MS)

    def lift(self) -> None:
        self.evening.house.lift(self.random.randint(0, 12), self.evening.now_ms)

    def sense(self) -> None:
        """What only a real deck tells; a simulated one tells what is so."""
        evening, key = self.evening, self.random.choice(SENSORS)
        if self.hand:
            return
        evening.house.press("deck", key, evening.now_ms)
        evening.house.release("deck", key, evening.now_ms + 20)
        stand = DeckStand(None, False, False, self.random.random() < 0.5, self.random.random() < 0.5)
        evening.house.reported(stand, evening.now_ms)

    def press_any(self) -> None:
        self.evening.press(*self.random.choice(ALL_KEYS), self.random.choice((0, 1, 5, 400)))

    def press_lit(self) -> None:
        evening, words = self.evening, self.evening.words()
        places = [(board, int(key)) for board in sorted(words) for key in sorted(words[board])]
        if not places:
            return
        board, key = self.random.choice(places)
        word, answers = words[board][str(key)], evening.topic("house")["asking"] is not None
        before = self.shown()
        evening.press(board, key, 400)
        assert answers or word in ALREADY or self.shown() != before, f"{word} at {board} {key} did nothing"

    def shown(self) -> tuple[str, object]:
        return json.dumps(self.evening.house.topics(), sort_keys=True), self.evening.house.view()

    def look(self) -> None:
        evening = self.evening
        for shown in evening.house.view().values():
            wire.check("d", shown.dice, 8)
            wire.check("l", shown.lamps, 11)
        house, words = evening.topic("house"), evening.words()
        if house["paused"] is None and house["asking"] is None:
            lit = {SEAT_COLOURS[int(key)] for key in words.get("deck", {})}
            assert told_seats(evening) <= lit, evening.prompts()
            assert house["prompts"] or house["phase"] == "result", "somebody has to be told something"


def press_anything(game: str, presses: int, each: int) -> set[str]:
    """Games with other options every `each` presses; what phases they led to."""
    phases = set()
    for seed in range(presses // each):
        monkey = Monkey(game, Random(f"{game} {seed}"))
        house = monkey.evening.house
        try:
            for _ in range(each):
                monkey.do_something()
                phases.add(house.phase)
            monkey.plug()
            monkey.evening.until(lambda: house.phase == "attract", 24 * 3_600_000)  # noqa: B023
        except Exception as error:
            error.add_note(f"{game}, seed {seed}, {house.evening.rules}")
            raise
    return phases


@pytest.mark.parametrize("game", GAMES)
def test_any_keys_in_any_order_never_break_the_box_and_always_lead_back(game: str) -> None:
    assert "game" in press_anything(game, 1_050, 150)


@pytest.mark.soak
@pytest.mark.parametrize("game", GAMES)
def test_a_hundred_thousand_presses_of_anything(game: str) -> None:
    assert press_anything(game, 100_000, 500) >= {"choose", "join", "game", "result"}
