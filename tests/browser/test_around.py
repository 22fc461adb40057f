"""Round a game on the kiosk: what is offered, what a finger or a letter presses, the pauses, the wall."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from galley.web.commands import KeyCommand, LanguageCommand
from tests.browser.conftest import Opener, show, words
from tests.browser.feed import Feed
from tests.browser.phases import PHASES
from tests.browser.topics import GAMES, SCORES

Shown = tuple[Page, Feed]


def buttons(page: Page) -> list[str]:
    """What the key bar offers: "left 8 roll", in order."""
    read = "nodes => nodes.map(({dataset}) => `${dataset.board} ${dataset.key} ${dataset.job}`)"
    found: list[str] = page.locator("#keys .press").evaluate_all(read)
    return found


def pressed(feed: Feed, board: str, key: int) -> bool:
    """Whether the next commands are this key, down and up."""
    return [feed.command(), feed.command()] == [KeyCommand(board, key, True), KeyCommand(board, key, False)]


# -- what is offered --------------------------------------------------------------------------------------


def test_attract_says_what_the_box_plays_and_who_won_today(shown: Shown) -> None:
    page, feed = shown
    show(page, feed, PHASES["demo"]())
    assert words(page, ".marquee") == "The box is playingSushi Duel"
    assert words(page, ".press-any") == "Press any glowing key"
    scores = page.locator(".today-score").evaluate_all("all => all.map(node => node.dataset.score)")
    assert scores == [f"{s['colour']} {s['game']} {s['won']}" for s in SCORES[:3]]
    expect(page.locator(".duel .die").first).to_be_visible()
    assert buttons(page) == ["left 0 wake", *(f"deck {seat} join" for seat in range(6))]


def test_the_four_games_are_offered_with_their_keys(shown: Shown) -> None:
    page, feed = shown
    show(page, feed, PHASES["choose"]())
    cards = page.locator(".card")
    assert [card.get_attribute("data-game") for card in cards.all()] == [game["game"] for game in GAMES]
    expect(page.locator(".card.chosen")).to_have_attribute("data-game", "worm_grill")
    expect(page.locator(".card.chosen .card-button")).to_have_attribute("aria-current", "true")
    assert words(page, ".card-facts") == "2–6 players15 minutes"
    assert page.locator(".card-key").all_inner_texts() == [f"KEEP {n}" for n in (1, 2, 3, 4)]
    assert buttons(page) == ["left 8 next", "left 9 take", "left 10 back", "left 11 options"]


def test_options_show_their_values_and_which_key_sets_which(shown: Shown) -> None:
    page, feed = shown
    show(page, feed, PHASES["options"]())
    chosen = page.locator(".option.chosen")
    expect(chosen).to_have_attribute("data-option", "railings")
    assert [" ".join(text.split()) for text in chosen.locator(".value").all_inner_texts()] == [
        "1 0", "2 1", "3 2", "4 3", "5 4",
    ]  # fmt: skip
    expect(chosen.locator(".value.is")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".option:not(.chosen) [data-key]")).to_have_count(0)
    names = page.locator(".option-name").all_inner_texts()
    assert names == ["Language", "Strength of the bots", "Railings", "The colour counts"]


def test_how_to_play_goes_through_three_pictures(shown: Shown) -> None:
    page, feed = shown
    show(page, feed, PHASES["howto"]())
    steps = page.locator(".step")
    expect(steps).to_have_count(3)
    assert [step.get_attribute("aria-current") for step in steps.all()] == ["false", "step", "false"]
    assert words(page, '[data-step="1"] p') == "Six of six? Ring the bell and the platter is yours."
    assert buttons(page) == ["left 8 next_picture", "left 9 start", "left 10 back"]
    show(page, feed, PHASES["howto_last"]())
    assert "left 8 start" in buttons(page)


@pytest.mark.parametrize("game", [game["game"] for game in GAMES])
def test_every_game_has_three_pictures_and_a_result(shown: Shown, game: str) -> None:
    page, feed = shown
    topics = PHASES["howto"]()
    topics["house"]["game"] = game
    show(page, feed, topics)
    expect(page.locator(".step-art > *")).to_have_count(3)
    for caption in page.locator(".step p").all_inner_texts():
        assert len(caption) > 10


def test_a_result_offers_the_same_game_and_another(shown: Shown) -> None:
    page, feed = shown
    show(page, feed, PHASES["result"]())
    assert set(buttons(page)) == {"left 9 again", "left 0 other_game"}


def test_in_a_game_each_station_has_its_own_keys(shown: Shown) -> None:
    page, feed = shown
    show(page, feed, PHASES["duel"]())
    own = ["8 roll", "9 bell", "10 yuck"]
    assert buttons(page) == [*(f"left {key}" for key in own), "deck 1 mate", *(f"right {key}" for key in own)]
    dice = page.locator(".duel .die[data-key]")
    assert dice.count() == 12, "a die is its own KEEP key"
    assert dice.first.get_attribute("aria-label") == "left station, salmon, kept: free"
    show(page, feed, PHASES["ready"]())
    assert buttons(page) == ["left 8 ready", "right 8 ready"]


LEADS = {
    "choose": ["left 9"],
    "howto": ["left 8"],
    "join_some": ["left 9"],
    "ready": ["left 8", "right 8"],
    "grill_throw": ["left 8"],
    "grill_decide": [],
    "duel": [],
    "result": ["left 9"],
}
"""Phase -> the buttons to be pressed by whoever has read nothing; none where a player has to choose."""


@pytest.mark.parametrize("phase", list(LEADS))
def test_the_key_that_leads_on_stands_out(shown: Shown, phase: str) -> None:
    page, feed = shown
    show(page, feed, PHASES[phase]())
    read = "nodes => nodes.map(({dataset}) => `${dataset.board} ${dataset.key}`)"
    assert page.locator("#keys .press-lead").evaluate_all(read) == LEADS[phase]


# -- pauses -----------------------------------------------------------------------------------------------


def test_the_crews_menu_names_what_each_key_does(shown: Shown) -> None:
    page, feed = shown
    show(page, feed, PHASES["operator"]())
    assert words(page, ".paused h2") == "A short break"
    said = page.locator(".paused-deeds li").evaluate_all("all => all.map(node => node.dataset.prompt)")
    assert said == [f"operator_{word}" for word in ("resume", "undo", "mute", "replace", "end")]
    assert {"left 8 resume", "left 10 end_game", "deck 2 come_back"} <= set(buttons(page))
    roll = page.locator('#keys [data-job="resume"]')
    roll.click()
    assert pressed(feed, "left", 8)


def test_the_question_counts_down_by_itself_and_any_touch_answers(opened: Opener, feed: Feed) -> None:
    page = opened("kiosk", has_touch=True)
    page.clock.install()
    show(page, feed, PHASES["asking"]())
    seconds = page.locator(".asking-seconds")
    expect(seconds).to_have_text("20")
    page.clock.run_for(7_000)
    expect(seconds).to_have_text("13")
    show(page, feed, PHASES["asking"]() | {"news": []})
    expect(seconds).to_have_text("13")
    page.locator(".asking-card").tap()
    assert pressed(feed, "left", 8)
    show(page, feed, PHASES["ready"]())
    expect(page.locator("#asking")).to_be_hidden()


# -- fingers ----------------------------------------------------------------------------------------------


def test_the_keyboard_plays_on_the_kiosk_too(opened: Opener, feed: Feed) -> None:
    page = opened("kiosk")
    for code, board, key in (("KeyZ", "left", 8), ("Comma", "right", 10), ("Digit6", "deck", 5)):
        page.keyboard.press(code)
        assert pressed(feed, board, key)


def test_fingers_press_the_bar_the_dice_the_cards_and_the_seats(opened: Opener, feed: Feed) -> None:
    page = opened("kiosk", has_touch=True)
    for phase, selector, board, key in (
        ("demo", ".press-any", "left", 0),
        ("choose", '.card[data-game="poop_deck"] .card-button', "left", 3),
        ("options", '.option.chosen [data-value="4"]', "left", 4),
        ("join_some", '.seat-key[data-seat="white"]', "deck", 4),
        ("howto", '[data-job="next_picture"]', "left", 8),
        ("duel", '.side-right [data-die="3"]', "right", 3),
        ("duel", '#keys [data-board="right"][data-job="bell"]', "right", 9),
        ("choose_platter", '.place[data-place="2"]', "left", 2),
    ):
        show(page, feed, PHASES[phase]())
        page.locator(selector).tap()
        assert pressed(feed, board, key), (phase, selector)


def test_a_key_is_let_go_even_if_its_button_is_drawn_anew(opened: Opener, feed: Feed) -> None:
    page = opened("kiosk")
    show(page, feed, PHASES["ready"]())
    page.locator('#keys [data-board="right"]').hover()
    page.mouse.down()
    assert feed.command() == KeyCommand("right", 8, True)
    show(page, feed, PHASES["challenge"]())
    page.mouse.up()
    assert feed.command() == KeyCommand("right", 8, False)


def test_the_break_is_a_button_that_is_held(opened: Opener, feed: Feed) -> None:
    page = opened("kiosk")
    show(page, feed, PHASES["duel"]())
    page.locator(".tool-pause").hover()
    page.mouse.down()
    assert feed.command() == KeyCommand("left", 11, True)
    page.mouse.up()
    assert feed.command() == KeyCommand("left", 11, False)
    show(page, feed, PHASES["choose"]())
    expect(page.locator(".tool-pause")).to_be_hidden()


def test_a_language_is_chosen_by_its_own_name(opened: Opener, feed: Feed) -> None:
    page = opened("kiosk")
    page.locator(".tool-language").click()
    names = page.locator(".language").all_inner_texts()
    assert [name.removeprefix("✓ ") for name in names] == ["English", "Français", "Nederlands", "Deutsch"]
    page.locator(".language", has_text="Nederlands").click()
    assert feed.command() == LanguageCommand("nl")
    expect(page.locator("#sheet")).to_be_hidden()
    page.locator(".tool-language").click()
    page.keyboard.press("Escape")
    expect(page.locator("#sheet")).to_be_hidden()


# -- the wall ---------------------------------------------------------------------------------------------


def test_the_wall_only_shows(opened: Opener, feed: Feed) -> None:
    page = opened("kiosk", fresh=True)
    page.goto(f"{feed.url}/?wall")
    page.locator("body[data-n]").wait_for()
    show(page, feed, PHASES["choose"]())
    assert page.locator(".prompt").evaluate_all("all => all.map(node => node.dataset.prompt)") == [
        f"choose_{word}" for word in ("next", "take", "direct", "options", "back")
    ]
    expect(page.locator(".press, .tool")).to_have_count(0)
    page.keyboard.press("KeyZ")
    page.locator('.card[data-game="sushi_bar"] .card-button').click()
    show(page, feed, PHASES["demo"]())
    assert words(page, ".prompt") == "Press any glowing key"
    assert feed.commands.empty()


def test_no_style_waits_for_a_pointer_to_hover() -> None:
    from galley.web.app import STATIC

    for path in STATIC.glob("*.css"):
        assert re.findall(r":hover", path.read_text(encoding="utf-8")) == [], path.name
