"""The house: from the first key to the result, on a clock that only moves when told."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from galley.house import ALL_KEYS, RESULT_HOLD_MS, House, HouseRules
from galley.tables.table import BELL, BOARDS, MODE, ROLL, SEAT_COLOURS, YUCK, Seat
from galley.timekeeper import Timed
from galley_board import wire
from galley_engine.game import BadOption
from galley_engine.race import Press
from tests.host.evening_clock import ALL, EveningClock, gone_ms

DUEL_ALONE: dict[str, Any] = {"game": "sushi_duel", "howto": False, "demo": False}


class Evening(EveningClock):
    """The duel alone: no choosing, no pictures, no demonstration."""

    def __init__(self, **rules: Any) -> None:
        super().__init__(**{"seed": 7, **DUEL_ALONE, **rules})


def test_any_key_wakes_the_box_and_a_seat_key_sits_down_at_once() -> None:
    for board, key in ALL_KEYS:
        evening = Evening()
        assert evening.prompts() == ["attract_press_any"]
        evening.press(board, key)
        assert evening.house.phase == "join"
        assert evening.colours() == ([(SEAT_COLOURS[key], None)] if board == "deck" else [])


def test_seats_join_leave_and_take_a_bots_place() -> None:
    evening = Evening()
    evening.seat("blue")
    evening.seat("red")
    evening.seat("blue")
    assert evening.colours() == [("red", None)]
    evening.press("left", MODE)
    assert evening.colours() == [("red", None), ("green", "good")]
    evening.seat("green")
    assert evening.colours() == [("red", None), ("green", None)]


def test_bell_alone_at_the_table_brings_a_bot_and_starts() -> None:
    evening = Evening(bot="easy")
    evening.seat("violet")
    assert "join_need_one_more" in evening.prompts()
    evening.press("right", BELL)
    assert evening.house.phase == "game"
    assert evening.colours() == [("violet", None), ("red", "easy")]


def test_bell_with_nobody_seated_and_mode_at_a_full_table_do_nothing() -> None:
    evening = Evening()
    evening.press("left", ROLL)
    evening.press("left", BELL)
    assert evening.house.phase == "join"
    for _ in range(9):
        evening.press("left", MODE)
    assert len(evening.house.seats) == 6
    assert "join_add_bot" not in evening.prompts()


def test_yuck_goes_back_to_attract_and_forgets_the_seats() -> None:
    evening = Evening()
    evening.seat("red")
    evening.press("left", YUCK)
    assert (evening.house.phase, evening.colours()) == ("attract", [])


def test_two_players_need_no_challenge_three_do() -> None:
    evening = Evening()
    evening.house.begin([Seat("red"), Seat("blue")], evening.now_ms)
    assert evening.topic("table")["state"]["phase"] == "ready"
    evening.house.begin([Seat("red"), Seat("blue"), Seat("green")], evening.now_ms)
    assert evening.topic("table")["state"]["phase"] == "challenge"
    assert evening.prompts() == ["challenge_choose"]
    evening.seat("green")
    assert evening.topic("table")["state"]["stations"]["right"]["seat"] == 2


def test_a_game_of_bots_runs_to_its_result_and_the_box_goes_back_to_attract() -> None:
    evening = Evening()
    evening.house.begin([Seat("red", "good"), Seat("blue", "best"), Seat("white", "easy")], evening.now_ms)
    evening.until(lambda: evening.house.phase == "result")
    winners = evening.topic("table")["state"]["winners"]
    assert evening.topic("table")["state"]["won"][winners[0]] == 5
    assert evening.topic("news")[-1]["key"] == "game_won"
    evening.wait(gone_ms("result"))
    assert evening.house.phase == "attract"


def test_keys_hammered_at_the_end_do_not_skip_the_result() -> None:
    evening = Evening()
    evening.house.begin([Seat("red", "best"), Seat("blue", "best")], evening.now_ms)
    evening.until(lambda: evening.house.phase == "result")
    for _ in range(5):
        evening.press("left", ROLL, RESULT_HOLD_MS // 8)
    assert evening.house.phase == "result"
    assert evening.prompts() == []
    evening.wait(RESULT_HOLD_MS)
    assert evening.prompts() == ["result_again"]
    evening.press("left", ROLL)
    assert evening.house.phase == "join"
    assert len(evening.house.seats) == 2


def test_a_person_beats_a_slow_bot_with_keys_alone() -> None:
    evening = Evening(bot="random", options={"targets": {"2": 1}})
    evening.seat("red")
    evening.press("left", BELL)
    evening.press("left", ROLL)
    evening.until(lambda: evening.topic("table")["state"]["phase"] == "duel")
    for _ in range(3000):
        if evening.house.phase != "game":
            break
        table = evening.topic("table")
        if table["complete"]["left"]:
            choosing = table["state"]["phase"] == "choose"
            evening.press("left", table["complete"]["left"][0] if choosing else BELL)
            continue
        dice = table["state"]["stations"]["left"]
        target = next(p for p in table["state"]["visible"] if len(p) in (1, 6))
        wanted = set(target) | {"star"}
        for die, (face, kept) in enumerate(zip(dice["faces"], dice["kept"], strict=True)):
            seen = dice["faces"][:die]
            fits = face in wanted and (len(target) == 1 or face == "star" or face not in seen)
            if face is not None and kept != fits:
                evening.press("left", die)
        evening.press("left", ROLL, 320)
        evening.wait(1)
    assert evening.house.phase == "result"
    assert sum(evening.topic("table")["state"]["won"]) == 1


def test_a_missing_station_pauses_the_game_and_nothing_moves_until_it_is_back() -> None:
    evening = Evening()
    evening.house.begin([Seat("red"), Seat("blue", "best")], evening.now_ms)
    evening.press("left", ROLL)
    evening.until(lambda: evening.topic("table")["state"]["phase"] == "duel")
    evening.wait(2000)
    evening.press("left", ROLL)
    evening.house.boards_live(ALL - {"left"}, evening.now_ms)
    before = evening.topic("table")["state"]
    view = evening.house.view()
    assert evening.topic("house")["paused"] == {"because": "boards_missing", "boards": ["left"]}
    evening.press("right", ROLL)
    evening.press("left", ROLL)
    evening.wait(600_000)
    assert evening.topic("table")["state"] == before
    assert all(not any(view[board].lamps) for board in BOARDS), "no key does anything now"
    evening.house.boards_live(ALL, evening.now_ms)
    assert evening.topic("house")["paused"] is None
    assert evening.topic("table")["state"] == before
    assert evening.house.session is not None
    assert evening.house.session.at_ms(evening.now_ms) < 10_000, "the game's clock stood still"


def test_a_missing_deck_does_not_stop_a_duel() -> None:
    evening = Evening()
    evening.house.begin([Seat("red"), Seat("blue", "best")], evening.now_ms)
    evening.house.boards_live(ALL - {"deck"}, evening.now_ms)
    assert evening.topic("house")["paused"] is None


def test_a_game_begun_without_its_boards_waits_for_them() -> None:
    house = House(HouseRules(seed=1, **DUEL_ALONE))
    house.begin([Seat("red", "good"), Seat("blue", "good")], 0)
    house.tick(60_000)
    assert house.session is not None
    assert house.session.steps == [(0, {"do": "challenge", "seat": 0, "opponent": 1})]
    house.boards_live(ALL, 60_000)
    house.tick(70_000)
    assert len(house.session.steps) > 2


def test_an_empty_table_goes_back_to_attract() -> None:
    evening = Evening()
    evening.seat("red")
    evening.wait(gone_ms("join"))
    assert evening.house.phase == "attract"
    evening.house.begin([Seat("red"), Seat("blue")], evening.now_ms)
    evening.wait(gone_ms("game") - 1)
    assert evening.house.phase == "game"
    evening.wait(1)
    assert evening.house.phase == "attract"


def test_a_press_keeps_its_own_time_even_when_it_arrives_late() -> None:
    evening = Evening()
    evening.house.begin([Seat("red"), Seat("blue")], evening.now_ms)
    evening.press("left", ROLL)
    evening.press("right", ROLL)
    evening.press("left", ROLL)
    first_ms = evening.now_ms
    evening.house.tick(first_ms + 900)
    evening.house.press("left", ROLL, first_ms + 299)
    evening.house.press("left", ROLL, first_ms + 300)
    assert evening.house.session is not None
    rolls = [at_ms for at_ms, action in evening.house.session.steps if action["do"] == "roll"]
    assert rolls[1] - rolls[0] == 300


def test_lamps_words_and_presses_are_one_mapping() -> None:
    """A lit key does something, a dark one nothing, in every phase that random play reaches."""
    for seed in range(3):
        random = Random(seed)
        evening = Evening(seed=seed)
        for _ in range(700):
            view = evening.house.view()
            words = evening.words()
            for board, shown in view.items():
                lit = {key for key, code in enumerate(shown.lamps) if code}
                told = {int(key) for key in words.get(board, {})}
                assert lit == told - {MODE if board != "deck" else -1}, (evening.house.phase, board)
            board, key = random.choice(ALL_KEYS)
            told = {int(k) for k in words.get(board, {})}
            before = evening.house.topics()
            evening.house.press(board, key, evening.now_ms)
            evening.house.release(board, key, evening.now_ms)
            if key not in told:
                assert before == evening.house.topics(), (board, key)
            evening.wait(random.choice((1, 30, 400, 2000)))


@pytest.mark.parametrize("presses", [6_000, pytest.param(100_000, marks=pytest.mark.soak)])
def test_any_keys_in_any_order_never_break_the_house_and_always_lead_back(presses: int) -> None:
    random = Random(3)
    evening = Evening(bot_speed=20)
    phases = set()
    for _ in range(presses):
        board, key = random.choice(ALL_KEYS)
        evening.press(board, key, random.choice((0, 1, 5, 50, 400)))
        if random.random() < 0.02:
            evening.house.boards_live(frozenset(b for b in BOARDS if random.random() < 0.8), evening.now_ms)
        evening.house.tick(evening.now_ms)
        phases.add(evening.house.phase)
        for shown in evening.house.view().values():
            wire.check("d", shown.dice, 8)
            wire.check("l", shown.lamps, 11)
    assert phases == {"attract", "join", "game", "result"}
    evening.house.boards_live(ALL, evening.now_ms)
    evening.until(lambda: evening.house.phase == "attract")


def test_options_of_the_game_are_checked_when_the_house_is_made() -> None:
    with pytest.raises(BadOption, match="false_bell"):
        House(HouseRules(game="sushi_duel", options={"false_bell": "shout"}))
    with pytest.raises(BadOption, match="fals_bell"):
        House(HouseRules(game="sushi_duel", options={"fals_bell": "none"}))


def test_the_same_seed_deals_the_same_game() -> None:
    def played(seed: int) -> Any:
        evening = Evening(seed=seed)
        evening.house.begin([Seat("red", "good"), Seat("blue", "good")], evening.now_ms)
        evening.until(lambda: evening.house.phase == "result")
        assert evening.house.session is not None
        return evening.house.session.steps

    assert played(5) == played(5)
    assert played(5) != played(6)


def test_after_a_raced_game_every_key_still_works_when_all_have_left() -> None:
    evening = Evening(options={"targets": {"2": 1}})
    evening.house.begin([Seat("red"), Seat("blue", "good")], evening.now_ms)
    evening.press("left", ROLL)
    evening.until(lambda: evening.topic("table")["state"]["phase"] == "duel")
    press = Press("left", 1, ROLL, evening.now_ms * 1_000_000, 1_000_000, 0)
    evening.house.press("left", ROLL, evening.now_ms, Timed(press, False))
    evening.until(lambda: evening.house.phase == "result")
    evening.wait(RESULT_HOLD_MS)
    evening.press("left", ROLL)
    evening.seat("red")
    for board, key in ALL_KEYS:
        assert evening.house.races(board, key) is False
    evening.press("left", YUCK)
    assert evening.house.phase == "attract"
    assert not any(evening.house.races(board, key) for board, key in ALL_KEYS)


def test_what_was_pressed_in_a_pause_is_void_however_late_it_comes() -> None:
    evening = Evening()
    evening.house.begin([Seat("red"), Seat("blue")], evening.now_ms)
    for board in ("left", "right", "left"):
        evening.press(board, ROLL)
    evening.house.boards_live(ALL - {"left"}, evening.now_ms)
    pressed_ms = evening.now_ms + 500
    evening.wait(1000)
    evening.house.boards_live(ALL, evening.now_ms)
    before = evening.topic("table")["state"]
    evening.house.press("left", BELL, pressed_ms)
    assert evening.topic("table")["state"] == before
    evening.press("left", ROLL, 400)
    assert evening.topic("table")["state"] != before


def test_a_phase_that_needs_the_deck_waits_for_it() -> None:
    evening = Evening()
    evening.house.boards_live(ALL - {"deck"}, evening.now_ms)
    evening.house.begin([Seat("red"), Seat("blue"), Seat("green")], evening.now_ms)
    assert evening.topic("house")["paused"] == {"because": "boards_missing", "boards": ["deck"]}
    evening.house.boards_live(ALL, evening.now_ms)
    assert evening.topic("house")["paused"] is None
    evening.seat("green")
    evening.house.boards_live(ALL - {"deck"}, evening.now_ms)
    assert evening.topic("house")["paused"] is None, "the duel itself needs the stations only"


def test_a_game_of_bots_is_nobodys_and_any_key_ends_it() -> None:
    evening = Evening()
    evening.house.begin([Seat("red", "random"), Seat("blue", "random")], evening.now_ms)
    evening.wait(2000)
    evening.press("right", 3)
    assert evening.house.phase == "join"
