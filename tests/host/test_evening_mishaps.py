"""Mishaps of an evening: long pauses, steps taken back, hands at wrong keys, hosts that end and come back."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

import pytest

import galley.web
from galley.house import OPERATOR_HOLD_MS
from galley.patience import AWAITED_MS, DEMO_AFTER_MS, SPOKEN_MS
from galley.phases import KEEP8, PHASES
from galley.tables import GAMES
from galley.tables.table import BELL, KEEP1, MODE, ROLL, SEAT_COLOURS, YUCK, DeckStand, Seat
from tests.host.deck_hand import DeckHand
from tests.host.evening_clock import ALL, EveningClock, box, gone_ms, joined, with_deck


def test_keys_that_do_nothing_at_the_other_station_keep_nobody_waiting() -> None:
    evening = joined("worm_grill", ("red", "blue"))
    for _ in range(AWAITED_MS // 5_000):
        evening.press("right", ROLL, 0)  # blue is bored: it is red's turn
        evening.wait(5_000)
    assert evening.house.seats[0].bot == "good"


def test_who_marks_dice_is_at_the_table() -> None:
    evening = joined("sushi_bar", ("red", "blue"))
    evening.press("left", ROLL)
    for _ in range(3):
        evening.wait(AWAITED_MS - 1_000)
        evening.press("left", KEEP1)
    assert evening.house.seats[0].bot is None


@pytest.mark.parametrize("doing", ["replace", "undo"])
def test_a_bot_is_no_slower_for_what_was_done_in_a_long_pause(doing: str) -> None:
    evening = joined("worm_grill", ("red",), bot="good")
    evening.random_keys(Random(3), lambda: evening.topic("table")["state"]["turn"] == 1)
    evening.until(lambda: evening.topic("table")["state"]["phase"] == "decide")
    evening.hold_mode()
    evening.wait(200_000)
    if doing == "undo":
        evening.press("left", KEEP1)
    else:
        evening.seat("red")
    evening.press("left", ROLL)
    steps = evening.steps()
    evening.wait(3_000)
    assert evening.steps() != steps


def test_after_a_long_pause_the_box_asks_as_soon_as_ever() -> None:
    evening = joined("worm_grill", ("red",))
    evening.hold_mode()
    evening.wait(200_000)
    evening.press("left", ROLL)
    idle_ms = PHASES["game"].idle_ms
    assert idle_ms is not None
    evening.wait(idle_ms)
    assert evening.topic("house")["asking"] is not None


def test_all_steps_of_a_duel_of_two_are_taken_back_and_it_begins_without_the_deck() -> None:
    evening = joined("sushi_duel")
    evening.house.boards_live(ALL - {"deck"}, evening.now_ms)
    evening.press("left", ROLL)
    evening.press("right", ROLL)
    evening.hold_mode()
    while evening.topic("house")["paused"]["can_undo"]:
        evening.press("left", KEEP1)
    evening.press("left", ROLL)
    assert (evening.topic("table")["state"]["phase"], evening.topic("house")["paused"]) == ("ready", None)


def test_a_throw_that_came_by_itself_is_taken_back_with_what_it_came_from() -> None:
    evening = joined("sushi_bar")
    evening.press("left", ROLL)
    before = evening.topic("table")["state"]
    evening.press("left", KEEP1)
    evening.press("left", ROLL)
    assert evening.topic("table")["state"]["throw"] == 2
    evening.hold_mode()
    evening.press("left", KEEP1)
    assert evening.topic("table")["state"] == before


def test_a_tap_on_mode_that_waited_for_a_race_is_not_held() -> None:
    evening = joined("sushi_duel")
    evening.house.release("left", MODE, evening.now_ms + 60)
    evening.house.press("left", MODE, evening.now_ms)  # it comes after its own end
    evening.wait(2 * OPERATOR_HOLD_MS)
    assert evening.topic("house")["paused"] is None


def test_a_mode_key_whose_release_was_lost_opens_no_menu() -> None:
    evening = joined("sushi_duel")
    evening.house.press("left", MODE, evening.now_ms)
    evening.house.keys_down("right", 0, evening.now_ms)
    evening.wait(OPERATOR_HOLD_MS - 1)
    assert evening.topic("house")["paused"] is None
    evening.house.keys_down("left", 1 << ROLL, evening.now_ms)
    evening.wait(2 * OPERATOR_HOLD_MS)
    assert evening.topic("house")["paused"] is None


def test_a_hand_on_the_deck_or_on_the_languages_is_somebody() -> None:
    idle_ms = PHASES["game"].idle_ms
    assert idle_ms is not None
    for touch in ("lift", "speak"):
        evening = with_deck("poop_deck", ("red", "blue"))
        evening.wait(idle_ms)
        evening.until(lambda e=evening: e.topic("house")["asking"] is not None)  # type: ignore[misc]
        if touch == "lift":
            evening.house.lift(3, evening.now_ms)
        else:
            evening.house.speak("fr", evening.now_ms)
        assert evening.topic("house")["asking"] is None
        evening.wait(idle_ms - 1_000)
        assert evening.house.phase in ("game", "result")


def test_a_language_chosen_in_attract_is_forgotten_and_the_houses_own_stays() -> None:
    evening = box()
    evening.wait(DEMO_AFTER_MS)
    evening.house.speak("fr", evening.now_ms)
    evening.wait(SPOKEN_MS - 1)
    assert evening.house.evening.language == "fr"
    evening.wait(1)
    assert evening.house.evening.language == "en"
    evening.house.speak("fr", evening.now_ms)
    evening.house.speak_usually("nl")
    assert evening.house.evening.language == "nl"
    evening.press("left", ROLL)
    evening.house.speak("de", evening.now_ms)
    evening.wait(gone_ms("choose"))
    assert (evening.house.phase, evening.house.evening.language) == ("attract", "nl")


def test_whoever_comes_to_a_game_of_bots_is_told_that_any_key_ends_it() -> None:
    evening = box(game=None)
    evening.house.begin([Seat("red", "good"), Seat("blue", "good")], evening.now_ms)
    assert evening.prompts() == ["result_other"]


def test_on_a_real_deck_no_bot_sits_and_one_that_did_makes_room_for_a_person() -> None:
    evening = box(game="poop_deck")
    with pytest.raises(ValueError, match="bots cannot play poop_deck on a real deck"):
        evening.house.begin([Seat("red"), Seat("blue", "good")], evening.now_ms)
    evening.house.give_hand(DeckHand())
    evening.house.begin([Seat("red"), Seat("blue", "good")], evening.now_ms)
    evening.house.give_hand(None)  # a real deck was plugged in for the next start
    evening.hold_mode()
    assert "operator_replace" in evening.prompts()
    evening.seat("blue")
    assert evening.colours() == [("red", None), ("blue", None)]


@pytest.mark.parametrize("opened", [True, False])
def test_a_guard_that_moves_in_a_pause_is_known_when_the_game_goes_on(opened: bool) -> None:
    evening = joined("poop_deck")
    guard = ("deck", 15)
    (evening.house.release if opened else evening.house.press)(*guard, evening.now_ms)
    evening.hold_mode()
    (evening.house.press if opened else evening.house.release)(*guard, evening.now_ms)
    evening.press("left", ROLL)
    evening.house.reported(DeckStand(0, False, guard_open=opened, unsure=False), evening.now_ms)
    assert ("close_guard" in evening.prompts()) is opened
    assert (evening.house.view()["deck"].deck.eye == 0) is opened


def test_what_falls_in_a_pause_or_is_told_of_after_it_has_fallen_all_the_same() -> None:
    evening = joined("poop_deck")
    beam = ("deck", 6)
    before = evening.topic("table")["state"]["galley"]
    evening.house.boards_live(ALL - {"deck"}, evening.now_ms)
    fell_ms = evening.now_ms + 500
    evening.wait(1_000)
    evening.house.boards_live(ALL, evening.now_ms)
    evening.house.press(*beam, fell_ms)
    evening.house.release(*beam, fell_ms + 10)
    evening.hold_mode()
    evening.house.press(*beam, evening.now_ms)
    evening.house.release(*beam, evening.now_ms)
    evening.press("left", ROLL)
    evening.wait(1)
    assert evening.topic("table")["state"]["galley"] == before + 2


ENGLISH = json.loads((Path(galley.web.__file__).parent / "static/lang/en.json").read_text("utf-8"))
NAMED_KEYS = {
    "ROLL": frozenset({ROLL}),
    "BELL": frozenset({BELL}),
    "YUCK": frozenset({YUCK}),
    "MODE": frozenset({MODE}),
    "KEEP": frozenset(range(KEEP1, KEEP8 + 1)),
    **{f"KEEP {n}": frozenset({KEEP1 + n - 1}) for n in range(1, 9)},
}

UNNAMED = {"attract_press_any", "choose_platter"}
"""What is asked without naming every key: all or just the lit KEEPs will do."""


def told_keys(evening: EveningClock) -> set[str]:
    """The words for keys in what the pages ask for, as in "[ROLL] throws the dice"."""
    prompts = evening.topic("house")["prompts"]
    texts = [json.dumps(ENGLISH[f"prompt.{prompt['key']}"]) for prompt in prompts]
    return {word for text in texts for word in re.findall(r"\[([^\]]+)\]", text)}


def told_seats(evening: EveningClock) -> set[str]:
    """The colours whose keys people are asked to press."""
    asked = [prompt["params"] for prompt in evening.topic("house")["prompts"]]
    found = {str(params["seat"]) for params in asked if "seat" in params}
    return found | {str(colour) for params in asked for colour in params.get("seats", ())}


@pytest.mark.parametrize("game", GAMES)
def test_people_are_asked_for_lit_keys_only_and_for_every_key_of_a_station(game: str) -> None:
    random = Random(7 + GAMES.index(game))
    evening = box(bot="easy", bot_speed=20)
    evening.house.give_hand(DeckHand())
    phases = set()
    for turn in range(600):
        words = evening.words()
        house = evening.topic("house")
        if words and house["asking"] is None:
            lit = {int(key) for side in ("left", "right") for key in words.get(side, {})}
            for word in told_keys(evening):
                keys = NAMED_KEYS.get(word, lit)
                assert keys & lit, (word, words)
            lit_seats = {SEAT_COLOURS[int(key)] for key in words.get("deck", {})}
            assert told_seats(evening) <= lit_seats, evening.prompts()
            if not UNNAMED & set(evening.prompts()):
                named = set().union(*(NAMED_KEYS.get(word, lit) for word in told_keys(evening)))
                jobs = [(int(k), job) for side in ("left", "right") for k, job in words.get(side, {}).items()]
                assert {job for _, job in jobs} == {job for key, job in jobs if key in named}
        phases.add(evening.house.phase)
        if turn < 2:
            evening.press("left", (ROLL, KEEP1 + GAMES.index(game))[turn])
            continue
        avoid = ("back", "end_game", "other_game", "leave")
        places = [
            (board, int(key))
            for board in sorted(words)
            for key in sorted(words[board])
            if words[board][key] not in avoid or random.random() < 0.02
        ]
        if random.random() < 0.02 and house["phase"] == "game" and house["paused"] is None:
            evening.hold_mode()
        elif places:
            evening.press(*random.choice(places), 320)
        evening.wait(random.choice((1, 300, 2_000)))
    assert phases >= {"attract", "choose", "join", "howto", "game"}
