"""The evening round the games: choose, options, join, how to, result, the operator, and who has gone away."""

from __future__ import annotations

from random import Random

import pytest

from galley import box_options
from galley.evening import HOWTO_PICTURES
from galley.house import OPERATOR_HOLD_MS, RESULT_HOLD_MS
from galley.patience import AWAITED_MS, DEMO_AFTER_MS
from galley.phases import KEEP8, PHASES
from galley.tables import GAMES, load
from galley.tables.table import BELL, KEEP1, MODE, ROLL, SEAT_COLOURS, YUCK, Seat
from tests.host.evening_clock import ALL, box, gone_ms, joined

BY_KEYS = ("sushi_duel", "sushi_bar", "worm_grill")  # a bot can play these without a hand on a deck


def test_nobody_there_the_box_plays_by_itself_and_any_key_leads_to_the_games() -> None:
    evening = box()
    evening.wait(DEMO_AFTER_MS)
    assert evening.topic("house")["demo"] is True
    assert evening.topic("table")["game"] == "sushi_duel"
    assert evening.house.session is None, "a demonstration is nobody's game"
    before = evening.topic("table")["state"]
    evening.wait(10_000)
    assert evening.topic("table")["state"] != before
    assert evening.prompts() == ["attract_press_any"]
    lamps = evening.house.view()["left"].lamps
    assert all(lamps), "every key says: press me"
    evening.press("right", YUCK)
    assert evening.house.phase == "choose"
    assert evening.topic("table") is None


def test_the_demonstration_goes_through_the_games() -> None:
    evening = box(bot_speed=30)
    led, last = evening.house.evening, None
    shown = []
    for _ in range(3):
        evening.until(lambda before=last: led.demo and led.play is not before)  # type: ignore[misc]
        last = led.play
        assert evening.topic("house")["demo"]
        shown.append(evening.topic("table")["game"])
    assert shown == ["sushi_duel", "sushi_bar", "worm_grill"]
    assert evening.topic("house")["scores"] == [], "bots win nothing"


def test_a_seat_key_in_attract_has_its_seat_when_the_game_is_chosen() -> None:
    evening = box()
    evening.seat("violet")
    assert evening.house.phase == "choose"
    evening.press("left", BELL)
    assert (evening.house.phase, evening.colours()) == ("join", [("violet", None)])


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_a_game_is_chosen_on_the_keys_alone(number: int) -> None:
    direct = box()
    direct.press("left", ROLL)
    direct.press("right", KEEP1 + number)
    walked = box()
    walked.press("left", ROLL)
    for _ in range(number):
        walked.press("left", ROLL)
    assert walked.topic("house")["game"] == GAMES[number]
    walked.press("left", BELL)
    for evening in (direct, walked):
        assert evening.house.phase == "join"
        assert evening.house.evening.game == GAMES[number]


@pytest.mark.parametrize("game", GAMES)
def test_every_value_of_every_option_can_be_set_and_is_one_the_game_takes(game: str) -> None:
    evening = box()
    evening.press("left", ROLL)
    while evening.topic("house")["game"] != game:
        evening.press("left", ROLL)
    evening.press("left", MODE)
    for option in box_options.options_for(game):
        (entry,) = [entry for entry in evening.topic("house")["options"] if entry["chosen"]]
        assert (entry["key"], entry["values"]) == (option.key, list(option.values))
        assert entry["value"] == option.usual
        for n, value in enumerate(option.values):
            evening.press("left", KEEP1 + n)
            shown = [e["value"] for e in evening.topic("house")["options"] if e["chosen"]]
            assert shown == [value]
            load(game).game.options(box_options.given(game, evening.house.evening.chosen, "rules"))
        evening.press("right", ROLL)
    assert evening.topic("house")["options"][0]["chosen"], "round again"
    evening.press("left", BELL)
    assert evening.house.phase == "choose"


IN_GAME = [
    (game, option, value) for game in GAMES for option in box_options.OF_GAME[game] for value in option.values
]


@pytest.mark.parametrize("game,option,value", IN_GAME, ids=[f"{g}-{o.key}-{v}" for g, o, v in IN_GAME])
def test_what_was_set_is_in_force(game: str, option: box_options.BoxOption, value: box_options.Value) -> None:
    evening = box(howto=False)
    evening.press("left", ROLL)
    while evening.topic("house")["game"] != game:
        evening.press("left", ROLL)
    evening.press("left", MODE)
    for _ in range(box_options.options_for(game).index(option)):
        evening.press("left", ROLL)
    evening.press("left", KEEP1 + option.values.index(value))
    evening.press("left", BELL)
    evening.press("left", BELL)
    for colour in ("red", "blue"):
        evening.seat(colour)
    evening.press("left", BELL)
    session = evening.house.session
    assert session is not None
    if option.where == "world":
        assert (option.key, len(evening.topic("table")["deck"]["open"])) == ("railings", 4 - int(value))
    else:
        assert session.dealt.options == session.game.options(option.gives(value))


def test_what_was_set_holds_for_the_game_and_is_forgotten_in_attract() -> None:
    evening = box()
    evening.press("left", ROLL)
    evening.press("left", MODE)
    evening.press("left", KEEP1 + 1)  # language: fr
    evening.press("left", ROLL)
    evening.press("left", KEEP1)  # bots: easy
    evening.press("left", ROLL)
    evening.press("left", KEEP1 + 2)  # target: 2
    evening.press("left", BELL)
    assert evening.house.evening.language == "fr"
    evening.press("left", BELL)
    evening.seat("red")
    evening.press("left", MODE)
    assert evening.colours() == [("red", None), ("green", "easy")]
    evening.press("left", BELL)
    evening.press("left", BELL)
    assert evening.topic("table")["state"]["target"] == 2
    evening.wait(gone_ms("game"))
    assert evening.house.phase == "attract"
    assert evening.house.evening.language == "en"
    assert evening.house.evening.chosen == {}


@pytest.mark.parametrize("game", GAMES)
def test_three_pictures_then_the_game_and_no_pictures_for_those_who_saw_them(game: str) -> None:
    evening = box(bot="random", bot_speed=50)
    evening.press("left", ROLL)
    evening.press("left", KEEP1 + GAMES.index(game))
    for colour in ("red", "blue"):
        evening.seat(colour)
    evening.press("left", BELL)
    for picture in range(HOWTO_PICTURES):
        assert (evening.house.phase, evening.topic("house")["howto"]) == ("howto", picture)
        evening.press("right", ROLL)
    assert evening.house.phase == "game"
    evening.hold_mode()
    evening.press("left", YUCK)
    assert evening.house.phase == "join"
    evening.press("left", BELL)
    assert evening.house.phase == "game", "they know how"


@pytest.mark.parametrize("game", GAMES)
def test_no_more_seats_than_the_game_has(game: str) -> None:
    evening = box()
    evening.press("left", ROLL)
    evening.press("left", KEEP1 + GAMES.index(game))
    for colour in SEAT_COLOURS:
        evening.seat(colour)
    assert len(evening.house.seats) == min(6, load(game).game.max_seats)
    taken = {seat.colour for seat in evening.house.seats}
    dark = [n for n, colour in enumerate(SEAT_COLOURS) if colour not in taken]
    assert [n for n, code in enumerate(evening.house.view()["deck"].lamps[:6]) if not code] == dark


def test_where_bots_need_a_hand_none_is_offered() -> None:
    evening = box()
    evening.press("left", ROLL)
    evening.press("left", KEEP1 + GAMES.index("poop_deck"))
    evening.seat("red")
    assert evening.prompts() == ["join_press_seat", "join_back"]
    evening.press("left", MODE)
    evening.press("left", BELL)
    assert (evening.house.phase, evening.colours()) == ("join", [("red", None)])
    evening.seat("blue")
    assert "join_start" in evening.prompts()


@pytest.mark.parametrize("game", BY_KEYS)
def test_bots_alone_reach_the_result_and_again_keeps_the_seats(game: str) -> None:
    evening = joined(game, bot="easy", bot_speed=50)
    evening.hold_mode()
    for colour in ("red", "blue"):
        evening.seat(colour)
    assert evening.colours() == [("red", "easy"), ("blue", "easy")]
    evening.press("left", ROLL)
    evening.until(lambda: evening.house.phase == "result")
    evening.wait(RESULT_HOLD_MS)
    assert evening.prompts() == ["result_again_bell", "result_other"]
    evening.press("right", BELL)
    assert (evening.house.phase, len(evening.house.seats)) == ("join", 2)


def test_another_game_after_the_result() -> None:
    evening = box(bot_speed=50)
    evening.house.begin([Seat("red", "good"), Seat("blue", "good")], evening.now_ms)
    evening.until(lambda: evening.house.phase == "result")
    evening.wait(RESULT_HOLD_MS)
    evening.press("left", KEEP1)
    assert evening.house.phase == "choose"


def test_wins_of_people_are_counted_by_colour() -> None:
    evening = joined("worm_grill", bot="random", bot_speed=50)
    evening.hold_mode()
    evening.seat("blue")
    evening.press("left", ROLL)
    evening.random_keys(Random(2), lambda: evening.house.phase == "result")
    winners = evening.topic("table")["state"]["winners"]
    rows = evening.topic("house")["scores"]
    assert [(row["game"], row["won"]) for row in rows] == [("worm_grill", 1)] * len(winners)


def test_the_operators_menu_opens_after_three_seconds_and_stops_everything() -> None:
    evening = joined("sushi_duel", ("red",), bot="best")
    evening.press("left", ROLL)
    evening.until(lambda: evening.topic("table")["state"]["phase"] == "duel")
    evening.house.press("right", MODE, evening.now_ms)
    evening.wait(OPERATOR_HOLD_MS - 1)
    assert evening.topic("house")["paused"] is None
    evening.wait(1)
    assert evening.topic("house")["paused"]["because"] == "operator"
    evening.house.release("right", MODE, evening.now_ms)
    before, session = evening.topic("table")["state"], evening.house.session
    assert session is not None
    stood_ms = session.at_ms(evening.now_ms)
    evening.wait(30_000)
    assert evening.topic("table")["state"] == before
    assert session.at_ms(evening.now_ms) == stood_ms
    evening.press("left", ROLL)
    assert evening.topic("house")["paused"] is None
    evening.wait(1_000)
    assert session.at_ms(evening.now_ms) == stood_ms + 1_000


def test_mode_let_go_early_or_on_an_unplugged_board_opens_nothing() -> None:
    evening = joined("sushi_duel")
    evening.house.press("left", MODE, evening.now_ms)
    evening.wait(OPERATOR_HOLD_MS - 1)
    evening.house.release("left", MODE, evening.now_ms)
    evening.wait(OPERATOR_HOLD_MS)
    assert evening.topic("house")["paused"] is None
    evening.house.press("left", MODE, evening.now_ms)
    evening.house.boards_live(ALL - {"left"}, evening.now_ms)
    evening.house.boards_live(ALL, evening.now_ms)
    evening.wait(2 * OPERATOR_HOLD_MS)
    assert evening.topic("house")["paused"] is None


@pytest.mark.parametrize("game", BY_KEYS)
def test_the_operator_undoes_one_step_after_the_other(game: str) -> None:
    evening = joined(game)
    evening.random_keys(Random(1), lambda: evening.steps() >= 6)
    evening.hold_mode()
    while evening.topic("house")["paused"]["can_undo"]:
        steps = evening.steps()
        evening.press("left", KEEP1)
        assert steps - 2 <= evening.steps() < steps
    begun = joined(game)
    assert evening.topic("table")["state"] == begun.topic("table")["state"]
    assert evening.steps() == begun.steps()
    evening.press("left", KEEP1)
    assert evening.steps() == begun.steps()
    evening.press("left", ROLL)
    assert evening.topic("house")["paused"] is None


def test_the_operator_mutes_and_ends_the_game() -> None:
    evening = joined("sushi_bar")
    evening.hold_mode()
    evening.press("left", KEEP8)
    assert evening.topic("house")["muted"] is True
    evening.press("left", KEEP8)
    assert evening.topic("house")["muted"] is False
    evening.press("right", YUCK)
    assert (evening.house.phase, evening.topic("house")["paused"]) == ("join", None)


def test_a_game_that_waits_for_a_lost_board_can_still_be_ended_by_the_operator() -> None:
    evening = joined("sushi_duel")
    evening.house.boards_live(ALL - {"left"}, evening.now_ms)
    evening.hold_mode("right")
    evening.press("right", YUCK)
    assert evening.house.phase == "join"


def test_who_does_not_press_on_her_turn_is_replaced_and_comes_back_with_her_key() -> None:
    evening = joined("worm_grill", ("red", "blue"), bot="good")
    turn = evening.topic("table")["state"]["turn"]
    evening.wait(AWAITED_MS)
    assert evening.house.seats[turn].bot == "good"
    assert evening.topic("news")[-1]["key"] == "seat_replaced"
    evening.seat(evening.house.seats[turn].colour)
    assert evening.house.seats[turn].bot is None
    assert evening.topic("news")[-1]["key"] == "seat_returned"


def test_a_player_alone_is_not_replaced_but_asked() -> None:
    evening = joined("worm_grill", ("red",))
    evening.wait(AWAITED_MS)
    assert evening.house.seats[0].bot is None
    idle_ms = PHASES["game"].idle_ms
    assert idle_ms is not None
    evening.until(lambda: evening.topic("house")["asking"] is not None)
    assert evening.prompts() == ["anybody_there"]


@pytest.mark.parametrize("phase", ["choose", "options", "join", "howto"])
def test_the_box_asks_and_any_key_extends(phase: str) -> None:
    evening = box()
    evening.press("left", ROLL)
    for key in {"options": [MODE], "join": [BELL], "howto": [BELL]}.get(phase, []):
        evening.press("left", key)
    if phase == "howto":
        evening.seat("red")
        evening.press("left", BELL)
    assert evening.house.phase == phase
    idle_ms = PHASES[phase].idle_ms
    assert idle_ms is not None
    evening.wait(idle_ms)
    assert evening.topic("house")["asking"] == {"seconds": 20}
    evening.press("right", YUCK)
    assert (evening.house.phase, evening.topic("house")["asking"]) == (phase, None), "it extends, no more"
    evening.wait(gone_ms(phase))
    assert evening.house.phase == "attract"


@pytest.mark.parametrize("game", BY_KEYS)
def test_the_evening_comes_back_as_it_was(game: str) -> None:
    evening = joined(game, bot="easy")
    evening.random_keys(Random(4), lambda: evening.steps() >= 5)
    evening.wait(2_000)  # thrown dice have come to rest
    again = box(bot="easy")
    session = evening.house.session
    again.house.restore(evening.house.saved(), session, again.now_ms)
    again.house.boards_live(ALL, again.now_ms)
    for topic in ("table", "house"):
        before, after = evening.topic(topic), again.topic(topic)
        assert after == before
    assert again.house.view() == evening.house.view()


@pytest.mark.parametrize("saved", [None, [], {}, {"phase": "game", "game": "chess"}, {"phase": 7, "game": 3}])
def test_what_cannot_be_understood_leaves_the_box_in_attract(saved: object) -> None:
    evening = box()
    evening.house.restore(saved, None, evening.now_ms)
    assert evening.house.phase == "attract"
    evening.house.restore({**evening.house.saved(), "phase": "game", "seats": [["red", None]]}, None, 0)
    assert evening.house.phase == "attract"


def test_sensors_are_nobodys_hand_and_the_eye_stands_still_in_a_pause() -> None:
    evening = joined("poop_deck")
    assert evening.house.view()["deck"].deck.eye != 0
    idle_ms = PHASES["game"].idle_ms
    assert idle_ms is not None
    for _ in range(60):  # the eye goes round and round, and nobody is there
        evening.wait(idle_ms // 50)
        for down in (True, False):
            (evening.house.press if down else evening.house.release)("deck", 16, evening.now_ms)
    assert evening.topic("house")["asking"] is not None or evening.house.phase == "attract"
    again = joined("poop_deck")
    again.hold_mode()
    assert again.house.view()["deck"].deck.eye == 0
    again.press("left", ROLL)
    assert again.house.view()["deck"].deck.eye != 0


@pytest.mark.parametrize("game", GAMES)
def test_it_matters_who_was_first_in_a_duel_of_people_only(game: str) -> None:
    """Boards are asked for their time more often then; an idle box costs next to nothing."""
    evening = box()
    evening.wait(DEMO_AFTER_MS)
    assert evening.topic("house")["demo"]
    assert not evening.house.racing
    assert joined(game).house.racing is (game == "sushi_duel")
