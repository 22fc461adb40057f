"""The poop deck on the pages: what lies where, what a finger may lift, the arm, the count, the end."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from galley.web.commands import LiftCommand
from tests.browser.conftest import Opener, show, words
from tests.browser.feed import Feed
from tests.browser.phases import PHASES

ARM_DEG = (
    "() => Number(/rotate\\(([-\\d.]+)deg/"
    ".exec(document.querySelector('.deckview .eye').style.transform)?.[1])"
)


def opened_at(
    opened: Opener, feed: Feed, kind: str, phase: str, **options: Any
) -> tuple[Page, dict[str, Any]]:
    page = opened(kind, **options)
    topics = PHASES[phase]()
    show(page, feed, topics)
    return page, topics


def shown_at(shown: tuple[Page, Feed], phase: str) -> tuple[Page, dict[str, Any]]:
    page, feed = shown
    topics = PHASES[phase]()
    show(page, feed, topics)
    return page, topics


def at_arm(topics: dict[str, Any], deg: float, pace: int) -> dict[str, Any]:
    """The same moment with the arm elsewhere."""
    moved = copy.deepcopy(topics)
    moved["table"]["deck"]["eye"] = pace
    moved["table"]["deck"]["lying"]["arm_deg"] = deg
    return moved


def numbers(page: Page, selector: str) -> set[int]:
    return {int(node.get_attribute("data-dropping") or "") for node in page.locator(selector).all()}


@pytest.mark.parametrize("kind", ["box", "kiosk"])
def test_a_dropping_is_lifted_by_a_finger_and_by_the_keyboard(opened: Opener, feed: Feed, kind: str) -> None:
    page, topics = opened_at(opened, feed, kind, "deck_hunt")
    lying = {thing["n"] for thing in topics["table"]["deck"]["lying"]["droppings"]}
    assert numbers(page, '[data-dropping][role="button"]') == lying
    last = max(lying)
    for number in lying:  # also where the reach of another lies over it
        box = page.locator(f'[data-dropping="{number}"] .dropping-reach').bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        assert feed.command() == LiftCommand(number)
    page.locator(f'[data-dropping="{last}"]').focus()
    for key in ("Enter", "Space"):
        page.keyboard.press(key)
        assert feed.command() == LiftCommand(last)


@pytest.mark.parametrize("phase", ["deck_hold", "deck_bots"])
def test_nothing_can_be_lifted_while_no_key_would_grab(opened: Opener, feed: Feed, phase: str) -> None:
    page, topics = opened_at(opened, feed, "box", phase)
    expect(page.locator('[data-dropping][role="button"]')).to_have_count(0)
    expect(page.locator("[data-dropping]")).to_have_count(len(topics["table"]["deck"]["lying"]["droppings"]))


def test_the_scene_says_whose_turn_it_is_what_is_held_and_how_it_stands(shown: tuple[Page, Feed]) -> None:
    page, topics = shown_at(shown, "deck_hold")
    state, held = topics["table"]["state"], topics["table"]["deck"]["lying"]["held"]["colour"]
    assert words(page, ".tongs .who") == "Green"
    assert words(page, ".hand-word") == f"lifted: {held}"
    assert (
        page.locator(".hand-counts .dye-chip").evaluate_all("c => c.map(n => n.ariaLabel)")
        == topics["table"]["counts"]
    )
    piles = {pile.get_attribute("data-dye"): pile for pile in page.locator(".pile").all()}
    assert {dye: int(pile.get_attribute("data-collected") or "") for dye, pile in piles.items()} == state[
        "collected"
    ]
    assert page.locator(".pile.wanted").get_attribute("data-dye") == state["die"]
    assert words(page, ".die-shows") == f"The die shows {state['die']}"
    assert page.locator(".balance-galley").get_attribute("data-galley") == str(state["galley"])
    assert page.locator(".corner:not(.closed)").evaluate_all("c => c.map(n => n.dataset.hole)") == ["3"]


def test_a_die_on_the_brink_is_seen_and_said(shown: tuple[Page, Feed]) -> None:
    page, _ = shown_at(shown, "deck_danger")
    expect(page.locator(".drift.on")).to_have_count(3)
    assert page.locator(".drift-now").get_attribute("data-step") == "3"
    assert words(page, ".prompt") == "The die is about to fall: press Violet to push it back!"
    assert page.locator('.press[data-board="deck"][data-key="5"]').is_visible()


def test_a_dropping_that_fell_or_was_lifted_is_gone(shown: tuple[Page, Feed]) -> None:
    page, topics = shown_at(shown, "deck_bots")
    before = numbers(page, "[data-dropping]")
    after = copy.deepcopy(topics)
    gone = after["table"]["deck"]["lying"]["droppings"].pop()["n"]
    show(page, shown[1], after)
    expect(page.locator(f'[data-dropping="{gone}"]')).to_have_count(0)
    assert numbers(page, "[data-dropping]") == before - {gone}


def test_the_arm_goes_on_between_two_reports(opened: Opener, feed: Feed) -> None:
    page, topics = opened_at(opened, feed, "kiosk", "deck_bots", reduced_motion="no-preference")
    for deg in (100.0, 108.0, 116.0):
        show(page, feed, at_arm(topics, deg, 7))
        page.wait_for_function(f"() => ({ARM_DEG})() > {deg - 1}")
    page.wait_for_function(f"() => ({ARM_DEG})() > 117")
    show(page, feed, at_arm(topics, 116.0, 0))
    page.wait_for_function(f"() => Math.abs(({ARM_DEG})() - 116) < 0.2")


def test_where_motion_is_unwanted_the_arm_goes_from_sector_to_sector(shown: tuple[Page, Feed]) -> None:
    page, feed = shown
    topics = PHASES["deck_bots"]()
    for deg, drawn in ((100.0, 90), (178.0, 180)):
        show(page, feed, at_arm(topics, deg, 0))
        assert page.evaluate(ARM_DEG) == drawn


def test_a_real_deck_shows_where_its_eye_is_and_no_droppings(shown: tuple[Page, Feed]) -> None:
    page, topics = shown_at(shown, "deck_real")
    assert words(page, ".hand-word") == "which colour is it?"
    expect(page.locator("[data-dropping]")).to_have_count(0)
    topics = copy.deepcopy(topics)
    deck = next(board for board in topics["boards"] if board["role"] == "deck")
    deck["deck"] = {"eye_deg": 92}
    show(page, shown[1], topics)
    assert page.evaluate(ARM_DEG) == 90


@pytest.mark.parametrize(
    "phase,result,decided",
    [("deck_won", "won", "The deck is empty"), ("deck_fell", "lost", "The die fell through a hole")],
)
def test_the_result_says_who_won_and_what_decided(
    shown: tuple[Page, Feed], phase: str, result: str, decided: str
) -> None:
    page, topics = shown_at(shown, phase)
    state = topics["table"]["state"]
    assert page.locator(".result-crew").get_attribute("data-result") == result
    assert words(page, ".decided p").startswith(decided)
    assert page.locator(".rank-crew").get_attribute("data-collected") == str(sum(state["collected"].values()))
    assert page.locator(".rank-galley").get_attribute("data-galley") == str(state["galley"])
    winners = [topics["house"]["seats"][seat]["colour"] for seat in state["winners"]]
    assert page.locator(".winner").get_attribute("data-winner") == " ".join(winners)
