"""Who sits where in an evening: who is waited for, who comes back, for how many the rules are."""

from __future__ import annotations

from typing import Any

import pytest

from galley.patience import AWAITED_MS
from galley.tables import GAMES
from galley.tables.table import BELL, ROLL, SEAT_COLOURS
from tests.host.deck_hand import DeckHand
from tests.host.evening_clock import EveningClock, box, joined, with_deck

CREW = ("red", "blue", "white")


def bots(evening: EveningClock) -> list[str]:
    return [colour for colour, bot in evening.colours() if bot is not None]


@pytest.mark.parametrize("game", GAMES)
def test_in_every_game_who_does_nothing_while_others_wait_is_replaced(game: str) -> None:
    evening = with_deck(game, CREW, bot_speed=20)
    evening.wait(AWAITED_MS - 1)
    assert bots(evening) == []
    evening.wait(1)
    assert bots(evening) == ["red"], "it is her turn, her choice, or she has the tongs"
    assert evening.topic("house")["prompts"][-1] == {"key": "come_back", "params": {"seats": ["red"]}}
    evening.seat("red")
    assert bots(evening) == []
    assert "come_back" not in evening.prompts()


def test_a_hand_on_the_deck_is_a_hand_of_whoever_has_the_tongs() -> None:
    evening = with_deck("poop_deck", CREW)
    evening.wait(AWAITED_MS - 1)
    evening.house.lift(0, evening.now_ms)
    assert evening.topic("table")["state"]["phase"] == "hold"
    evening.wait(10_000)
    assert bots(evening) == []


def test_who_has_left_in_the_middle_of_a_hold_is_replaced_when_the_tongs_come_again() -> None:
    evening = with_deck("poop_deck", CREW[:2])
    evening.house.lift(0, evening.now_ms)
    evening.until(lambda: bots(evening) != [])
    assert bots(evening) == ["blue"], "what red held was named for her, and nobody took the tongs after her"


def test_nobody_is_replaced_on_a_real_deck_for_no_bot_lifts_anything() -> None:
    evening = joined("poop_deck", CREW)
    evening.wait(2 * AWAITED_MS)
    assert bots(evening) == []


def dueling(colours: tuple[str, ...]) -> EveningClock:
    """The first two of them are to get ready."""
    evening = with_deck("sushi_duel", colours)
    if len(colours) > 2:
        evening.seat(colours[1])
    assert evening.topic("table")["state"]["phase"] == "ready"
    return evening


@pytest.mark.parametrize("seats", [2, 3])
def test_who_is_not_ready_keeps_the_other_waiting(seats: int) -> None:
    evening = dueling(CREW[:seats])
    evening.press("left", ROLL)
    evening.wait(AWAITED_MS // 2)
    evening.press("left", ROLL)  # impatient: no key of who is waited for
    evening.wait(AWAITED_MS // 2)
    assert bots(evening) == ["blue"]


@pytest.mark.parametrize("seats,replaced", [(2, []), (3, ["red", "blue"])])
def test_two_who_are_not_ready_keep_nobody_waiting_but_onlookers(seats: int, replaced: list[str]) -> None:
    evening = dueling(CREW[:seats])
    evening.wait(AWAITED_MS)
    assert bots(evening) == replaced


def test_a_key_that_the_game_uses_is_the_games_and_not_said_to_be_anothers() -> None:
    evening = joined("sushi_duel", CREW)
    evening.hold_mode()
    evening.seat("blue")
    evening.press("left", ROLL)
    assert evening.words()["deck"]["2"] == "challenge"
    assert evening.prompts() == ["challenge_choose"]
    evening.seat("white")
    assert evening.words()["deck"]["2"] == "come_back"
    assert evening.prompts()[-1] == "come_back"


UNFIT: list[tuple[str, dict[str, Any], int, int]] = [
    ("worm_grill", {"start_seat": 2}, 2, 3),
    ("sushi_bar", {"start_seat": 3}, 2, 4),
    ("sushi_duel", {"deck": {"uniform": 3, "combo": 0}}, 6, 2),
    ("poop_deck", {"start_seat": 2}, 2, 3),
]


@pytest.mark.parametrize("game,options,unfit,fit", UNFIT, ids=[row[0] for row in UNFIT])
def test_rules_that_do_not_fit_so_many_players_are_said_and_the_bell_is_dark(
    game: str, options: dict[str, Any], unfit: int, fit: int
) -> None:
    evening = box(game=game, options=options, howto=False, demo=False)
    evening.house.give_hand(DeckHand())
    evening.press("left", ROLL)
    for colour in SEAT_COLOURS[:unfit]:
        evening.seat(colour)
    assert "join_other_number" in evening.prompts()
    assert evening.house.view()["left"].lamps[BELL] == 0
    evening.press("left", BELL)
    assert evening.house.phase == "join"
    for colour in SEAT_COLOURS[min(fit, unfit) : max(fit, unfit)]:
        evening.seat(colour)
    assert "join_other_number" not in evening.prompts()
    evening.press("left", BELL)
    assert evening.house.phase == "game"


def test_railings_for_holes_that_the_deck_has_not_are_no_rules_to_play_by() -> None:
    evening = box(game="poop_deck", physics={"holes": [2, 6], "railings": 1}, howto=False, demo=False)
    evening.house.give_hand(DeckHand())
    evening.press("left", ROLL)
    for colour in CREW:
        evening.seat(colour)
    evening.house.evening.chosen["poop_deck", "railings"] = 4
    assert "join_other_number" in evening.prompts()
    evening.press("left", BELL)
    assert evening.house.phase == "join"
