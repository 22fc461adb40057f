"""A house with all boards live and a clock that jumps to whatever is due: what tests of the evening share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from galley.house import OPERATOR_HOLD_MS, House, HouseRules
from galley.patience import ASKING_MS
from galley.phases import PHASES
from galley.tables import GAMES
from galley.tables.table import BELL, BOARDS, KEEP1, MODE, ROLL, SEAT_COLOURS, Seat
from tests.host.deck_hand import DeckHand

ALL = frozenset(BOARDS)


def gone_ms(phase: str) -> int:
    """How long nobody may press a key in this phase until the box is in attract again."""
    idle_ms = PHASES[phase].idle_ms
    assert idle_ms is not None
    return idle_ms + ASKING_MS


class EveningClock:
    """`house`, and hands on its keys. A key that is pressed is let go at once."""

    def __init__(self, **rules: Any) -> None:
        self.now_ms = 1_000_000
        self.house = House(HouseRules(**rules))
        self.house.boards_live(ALL, self.now_ms)

    def press(self, board: str, key: int, later_ms: int = 10) -> None:
        self.now_ms += later_ms
        self.house.press(board, key, self.now_ms)
        self.house.release(board, key, self.now_ms)

    def seat(self, colour: str) -> None:
        self.press("deck", SEAT_COLOURS.index(colour))

    def hold_mode(self, board: str = "left") -> None:
        """Open the operator's menu."""
        self.house.press(board, MODE, self.now_ms)
        self.wait(OPERATOR_HOLD_MS)
        self.house.release(board, MODE, self.now_ms)
        paused = self.topic("house")["paused"]
        assert paused is not None
        assert paused["because"] == "operator"

    def wait(self, ms: int) -> None:
        """Let `ms` pass, ticking whenever the house asks for it."""
        end_ms = self.now_ms + ms
        while (due_ms := self.house.due_ms()) is not None and due_ms <= end_ms:
            self.now_ms = max(self.now_ms, due_ms)
            self.house.tick(self.now_ms)
        self.now_ms = end_ms
        self.house.tick(self.now_ms)

    def until(self, done: Callable[[], bool], limit_ms: int = 3_600_000) -> None:
        end_ms = self.now_ms + limit_ms
        while not done():
            due_ms = self.house.due_ms()
            assert due_ms is not None, f"nothing is due in {self.house.phase}"
            assert due_ms <= end_ms, "not within the limit"
            self.now_ms = max(self.now_ms, due_ms)
            self.house.tick(self.now_ms)

    def random_keys(self, random: Random, done: Callable[[], bool], presses: int = 20_000) -> None:
        """Press keys that do something, one after the other, until `done`."""
        for _ in range(presses):
            if done():
                return
            words = self.words()
            places = [(board, int(key)) for board in sorted(words) for key in sorted(words[board])]
            if places:
                self.press(*random.choice(places), 400)
            self.wait(random.choice((1, 350, 2000)))
        raise AssertionError(f"not within {presses} presses, in {self.house.phase}")

    def topic(self, name: str) -> Any:
        return self.house.topics()[name]

    def words(self) -> Any:
        """What the pages write beside each key."""
        topics = self.house.topics()
        house: Any = topics["house"]
        table: Any = topics["table"]
        return house["keys"] or (table["keys"] if table is not None else {})

    def prompts(self) -> list[str]:
        return [prompt["key"] for prompt in self.topic("house")["prompts"]]

    def colours(self) -> list[tuple[str, str | None]]:
        return [(seat.colour, seat.bot) for seat in self.house.seats]

    def steps(self) -> int:
        """How many steps the game has."""
        return 0 if self.house.session is None else len(self.house.session.steps)


def box(**rules: Any) -> EveningClock:
    return EveningClock(**{"seed": 7, **rules})


def joined(game: str, colours: Sequence[str] = ("red", "blue"), **rules: Any) -> EveningClock:
    """At the table of `game` with these people, the pictures seen."""
    evening = box(**rules)
    evening.press("left", ROLL)
    evening.press("left", KEEP1 + GAMES.index(game))
    for colour in colours:
        evening.seat(colour)
    evening.press("left", BELL)
    evening.press("left", BELL)
    assert (evening.house.phase, evening.house.evening.game) == ("game", game)
    return evening


def with_deck(game: str, colours: Sequence[str], **rules: Any) -> EveningClock:
    """At the table of `game`, on a box whose deck is simulated."""
    evening = box(howto=False, demo=False, **rules)
    evening.house.give_hand(DeckHand())
    evening.house.evening.game = game
    evening.house.begin([Seat(colour) for colour in colours], evening.now_ms)
    return evening
