"""The kiosk in a real browser: what it says and shows in every phase."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from galley_board import pins
from tests.browser.conftest import Opener, show, words
from tests.browser.duel_phases import ALL_NEWS, COMBO
from tests.browser.feed import Feed
from tests.browser.layout import faults
from tests.browser.phases import PHASES
from tests.browser.topics import news

ON_TOP = """node => {
    const {x, y, width, height} = node.getBoundingClientRect();
    return node.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""

ANIMATED_DICE = "document.getAnimations().filter(a => a.effect.target.matches('.die .food')).length"
ENDLESS_MS = """document.getAnimations().map(a => a.effect.getTiming())
    .filter(timing => timing.iterations === Infinity).map(timing => timing.duration)"""


UPRIGHT = (
    "attract", "choose", "options", "join_some", "howto", "duel_six", "result_six", "paused", "operator",
    "asking",
)  # fmt: skip


@pytest.mark.parametrize("phase", UPRIGHT)
def test_an_upright_window_scrolls_one_way_only(shown: tuple[Page, Feed], phase: str) -> None:
    page, feed = shown
    page.set_viewport_size({"width": 390, "height": 844})
    show(page, feed, PHASES[phase]())
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("phase", ["attract", "choose", "join_asking", "paused", "operator", "trouble"])
def test_a_simulated_box_always_says_so(shown: tuple[Page, Feed], phase: str) -> None:
    page, feed = shown
    page.set_viewport_size({"width": 1280, "height": 720})
    topics = PHASES[phase]()
    show(page, feed, topics)
    badge = page.locator("#simulated")
    if topics["meta"]["simulated"]:
        expect(badge).to_have_text("SIMULATED")
        assert badge.evaluate(ON_TOP)
    else:
        expect(badge).to_be_hidden()


def test_ingredients_with_names_of_the_boxs_own_are_drawn_as_the_usual_ones(shown: tuple[Page, Feed]) -> None:
    page, feed = shown
    own = {"shrimp": "plum", "salmon": "pear", "octopus": "fig", "cucumber": "kiwi", "roe": "lime"}
    usual = PHASES["duel"]()
    text = json.dumps(usual["table"]["state"])
    for name, new in own.items():
        text = text.replace(f'"{name}"', f'"{new}"')
    table = {**usual["table"], "state": json.loads(text), "ingredients": list(own.values())}
    show(page, feed, usual)
    drawn = "[...document.querySelectorAll('.die use, .counter use')].map(node => node.getAttribute('href'))"
    before = page.evaluate(drawn)
    show(page, feed, {**usual, "table": table})
    assert page.evaluate(drawn) == before
    expect(page.locator(".side-left .die").first).to_have_attribute("data-face", "pear")
    assert "pear" in str(page.locator(".side-left .die").first.get_attribute("aria-label"))


NAMED = """() => Object.fromEntries([...document.querySelectorAll("[data-board][data-key]")]
    .filter(node => node.checkVisibility({opacityProperty: true, visibilityProperty: true}))
    .map(node => [`${node.dataset.board} ${node.dataset.key}`,
        [...node.querySelectorAll(".cap, .die-key, .place-number, .badge b")].map(n => n.textContent)]))"""
ANY_KEY = {"wake", "go_on", "other_game"}
NAMES = {role: [name for name, _ in pins.KEYS[pins.BOARD_OF_ROLE[role]]] for role in ("left", "right")}


def test_every_key_that_does_something_is_on_the_screen_by_its_name(shown: tuple[Page, Feed]) -> None:
    page, feed = shown
    for phase, make in PHASES.items():
        topics = make()
        show(page, feed, topics)
        named: dict[str, list[str]] = page.evaluate(NAMED)
        jobs = {**topics["house"]["keys"], **(topics["table"] or {}).get("keys", {})}
        if topics["house"].get("asking"):
            expect(page.locator(".asking-card")).to_be_visible()
            continue
        for board, key, job in (
            (board, key, job) for board, keys in jobs.items() for key, job in keys.items()
        ):
            if job in ANY_KEY:
                expect(page.locator(".press-any")).to_be_visible()
                continue
            name = "RGBYWV"[int(key)] if board == "deck" else NAMES[board][int(key)]
            shown_as = named.get(f"{board} {key}") or named[f"left {key}"]  # round a game both do the same
            allowed = {name, name.replace("KEEP", "KEEP "), name.removeprefix("KEEP")}
            assert allowed & set(shown_as), (phase, board, key, job)


PROMPTS = {
    "join_some": "Press your colour to sit down",
    "challenge": "Red: press the key of the opponent you challenge",
    "ready": "Red (left) and Blue (right): press ROLL when ready",
    "ready_one": "Red (left): press ROLL when ready",
    "duel": "ROLL fast, KEEP what fits, ring BELL first!",
    "choose_platter": "Red (left): press KEEP 1 or KEEP 3 to take a platter",
    "share": "Blue: press ROLL at the station whose dice you take",
    "share_give": "Blue: press the key of Green or White, who gets the other dice",
}


@pytest.mark.parametrize("phase", list(PROMPTS))
def test_the_prompt_says_who_has_to_do_what(shown: tuple[Page, Feed], phase: str) -> None:
    page, feed = shown
    show(page, feed, PHASES[phase]())
    assert words(page, ".prompt") == PROMPTS[phase]


NEWS = [
    "Red challenges Blue",
    "Blue is ready",
    "Red against Blue: go!",
    None,
    None,
    None,
    "Red rang too soon: all six roll again",
    "Red rang too soon and loses the duel",
    "Red rang too soon",
    "Blue rings and takes",
    "New on the counter:",
    "Violet rings: which platter shall it be?",
    "Blue called Yuck: Red re-rolls all six",
    "White called Yuck, but Yellow shows none",
    "Green called Mate: both show a Yuck, nobody wins this duel",
    "Green called Mate, but only both Yucks count",
    "Green takes the left dice, Violet gets the others",
    "The dice pass on: Green left, Red right",
    "Blue wins the game with 6 platters",
    "Blue wins the game with 1 platter",
]


@pytest.mark.parametrize("n", range(len(ALL_NEWS)), ids=lambda n: f"{n}-{ALL_NEWS[n][0]}")
def test_what_happened_is_told_in_words(shown: tuple[Page, Feed], n: int) -> None:
    page, feed = shown
    page.set_viewport_size({"width": 1280, "height": 720})
    show(page, feed, PHASES["duel"]())
    topic = [{**entry, "n": 100 + n} for entry in news(ALL_NEWS[n])]
    show(page, feed, {"news": topic})
    expected = NEWS[n]
    if expected is None:
        expect(page.locator(".news p")).to_have_count(0)
    else:
        assert words(page, ".news-latest") == expected
        assert faults(page) == []


def test_a_taken_platter_is_told_with_its_pieces(opened: Opener, feed: Feed) -> None:
    page = opened("kiosk")
    show(page, feed, PHASES["result"]() | {"house": PHASES["duel"]()["house"]})
    taken = page.locator('[data-news="platter_taken"] .little-platter')
    expect(taken).to_have_attribute(
        "aria-label", "1 × shrimp, 1 × salmon, 1 × octopus, 1 × cucumber, 1 × roe and 1 × star"
    )
    expect(taken.locator(".food")).to_have_count(6)


def test_the_duel_shows_dice_platters_and_score_as_they_are(opened: Opener, feed: Feed) -> None:
    page = opened("kiosk")
    topics = PHASES["duel"]()
    show(page, feed, topics)
    state = topics["table"]["state"]
    for side, station in state["stations"].items():
        dice = page.locator(f".side-{side} .die")
        assert [die.get_attribute("data-face") for die in dice.all()] == station["faces"]
        kept = [die.evaluate('n => n.classList.contains("kept")') for die in dice.all()]
        assert kept == station["kept"]
        assert [die.locator(".kept-mark").count() for die in dice.all()] == [int(k) for k in kept]
    assert words(page, ".side-left .duelist .who") == "Red"
    assert words(page, ".side-right .duelist .who") == "Blue"
    for i, platter in enumerate(state["visible"]):
        pieces = page.locator(f'[data-place="{i}"] .tray .food')
        assert [piece.get_attribute("class") for piece in pieces.all()] == [
            f"food food-{symbol}" for symbol, n in platter.items() for _ in range(n)
        ]
    assert page.locator(".counter [data-done]").all_inner_texts() == ["B"]
    assert page.locator('[data-done="blue"]').evaluate("n => n.closest('.place').dataset.place") == "1"
    seats = page.locator(".score .seat").all()
    won = [(seat.get_attribute("data-seat"), seat.get_attribute("data-won")) for seat in seats]
    assert won == [("red", "2"), ("blue", "4"), ("green", "0")]
    expect(page.locator('.score [data-seat="blue"] .plate')).to_have_count(state["target"])
    expect(page.locator('.score [data-seat="blue"] .plate-won')).to_have_count(4)
    assert words(page, "#facts") == f"First to 5 platters{state['stock']} platters in stock"
    assert words(page, ".side-left .remark") == "shows a Yuck"


def test_the_lobby_shows_who_sits_where(opened: Opener, feed: Feed) -> None:
    page = opened("kiosk")
    show(page, feed, PHASES["join_some"]())
    seats = {s.get_attribute("data-seat"): s for s in page.locator(".seat-key").all()}
    assert list(seats) == ["red", "green", "blue", "yellow", "white", "violet"]
    said = {colour: seat.locator(".seat-is").inner_text() for colour, seat in seats.items()}
    assert said == {
        "red": "is in", "green": "press to join", "blue": "is in",
        "yellow": "press to join", "white": "press to join", "violet": "bot, good",
    }  # fmt: skip
    assert [seat.locator(".badge b").inner_text() for seat in seats.values()] == list("RGBYWV")


def test_the_result_names_the_winner_and_the_platter_that_decided(opened: Opener, feed: Feed) -> None:
    page = opened("kiosk")
    show(page, feed, PHASES["result"]())
    assert words(page, ".winner") == "Blue wins"
    expect(page.locator(".decided .food")).to_have_count(sum(COMBO.values()))
    ranks = [(r.get_attribute("data-seat"), r.get_attribute("data-won")) for r in page.locator(".rank").all()]
    assert ranks == [("blue", "5"), ("green", "3"), ("red", "2")]


def test_the_result_says_by_how_much_the_last_platter_was_won(opened: Opener, feed: Feed) -> None:
    page = opened("kiosk")
    topics = PHASES["result"]()
    show(page, feed, topics)
    expect(page.locator(".decided-why")).to_have_count(0)
    first = ("first", {"by": "blue", "on": "red", "race": "bell_bell", "gap": "6.4", "doubt": "0.3"})
    told = [(entry["key"], entry["params"]) for entry in topics["news"]]
    show(page, feed, {"news": news(*told, first)})
    assert words(page, ".decided-why") == "Blue rang first, 6.4 ms before Red (± 0.3)"


def test_what_follows_from_news_does_not_take_their_place(opened: Opener, feed: Feed) -> None:
    kiosk, box = opened("kiosk"), opened("box")
    topics = PHASES["ready"]()
    topics["news"] = news(*(ALL_NEWS[n] for n in (12, 9, 10, 17, 1)))
    feed.publish(topics)
    for page in (kiosk, box):
        expect(page.locator(".news p").first).to_have_attribute("data-news", "platter_taken")
    expect(kiosk.locator(".news p").nth(1)).to_have_attribute("data-news", "got_ready")


def test_who_is_ready_is_seen(opened: Opener, feed: Feed) -> None:
    page = opened("kiosk")
    topics = PHASES["ready_one"]()
    topics["table"]["ready"] = [1]
    show(page, feed, topics)
    assert words(page, ".side-right .remark") == "is ready"
    expect(page.locator(".side-left .remark")).to_have_text("")


def test_a_pause_names_the_board_and_the_remedy(opened: Opener, feed: Feed) -> None:
    page = opened("kiosk")
    show(page, feed, PHASES["paused"]())
    assert words(page, ".paused-why") == "The left station is missing"
    gone = "The left station is gone: plug it in again, or check its power supply"
    assert words(page, ".paused-remedy") == gone
    show(page, feed, PHASES["paused_all"]())
    assert words(page, ".paused-why") == "The left station, right station and deck are missing"
    assert words(page, ".paused-remedy") == "Check the cable of the left station, right station and deck"
    show(page, feed, PHASES["duel"]())
    expect(page.locator("#paused")).to_be_hidden()


def test_dice_tumble_unless_motion_is_unwanted(opened: Opener, feed: Feed) -> None:
    rolled = PHASES["duel"]()
    rolled["table"]["state"]["stations"]["left"]["faces"][4] = "roe"
    for motion, count in (("no-preference", 1), ("reduce", 0)):
        page = opened("kiosk", reduced_motion=motion)
        feed.publish(PHASES["duel"]())
        page.locator('.side-left [data-die="4"][data-face="yuck"]').wait_for()
        page.evaluate(
            "document.querySelectorAll('.die .food').forEach(d => d.getAnimations().forEach(a => a.cancel()))"
        )
        feed.publish(rolled)
        page.locator('.side-left [data-die="4"][data-face="roe"]').wait_for()
        assert page.evaluate(ANIMATED_DICE) == count


def test_nothing_flashes(opened: Opener, feed: Feed) -> None:
    page = opened("kiosk")
    for phase in PHASES.values():
        feed.publish(phase())
        durations: list[float] = page.evaluate(ENDLESS_MS)
        assert all(duration >= 1000 for duration in durations), "slower than one change in half a second"
