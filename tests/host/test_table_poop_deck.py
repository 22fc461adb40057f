"""The poop deck on the box: the rows of the key table, the deck's lights, who is asked for what."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley.tables import poop_deck
from galley.tables.table import BELL, BOARDS, DARK, KEEP1, STATIONS, YUCK, Key, Seat, seat_key
from galley_board import glyphs
from galley_engine.game import Event, Step
from galley_engine.games.poop_deck_state import COLOURS, State

ALL_RED = {"red": 3}
RED, BLUE = Seat("red"), Seat("blue")
BOT = Seat("green", "good")
DRUM = {"build": "drum", "eye": "42", "open": "0001", "drum": "3", "drift": "1"}
WHITE, VIOLET = seat_key("white"), seat_key("violet")
DYES = {colour: seat_key(colour) for colour in COLOURS}


def state(seats: int = 2, hold: bool = False, **setup: Any) -> State:
    game = poop_deck.game
    position: State = game.start(seats, game.options({}), None, {"die": "blue", **setup})
    if hold:
        step = game.apply(position, {"do": "grab", "seat": position.turn}, 0, None)
        assert isinstance(step, Step)
        position = step.state
    return position


def words(position: State, *seats: Seat, **facts: str) -> dict[Key, str]:
    jobs = poop_deck.jobs(position, seats or (RED, BLUE), {**DRUM, **facts})
    return {key: job.word for key, job in jobs.items()}


def prompts(position: State, *seats: Seat, **facts: str) -> list[str]:
    return [prompt.key for prompt in poop_deck.prompts(position, seats or (RED, BLUE), {**DRUM, **facts})]


def dyes(word: str, *colours: str) -> dict[Key, str]:
    return {DYES[colour]: word for colour in colours}


def test_before_a_grab_white_grabs_and_a_colour_says_at_once_what_was_lifted() -> None:
    assert words(state()) == {WHITE: "grab", **dyes("announce", *COLOURS)}
    assert prompts(state()) == ["grab_real", "say_at_once"]


def test_a_colour_of_which_all_are_collected_is_dark() -> None:
    position = state(collected=ALL_RED, deck=9)
    assert words(position) == {WHITE: "grab", **dyes("announce", "green", "blue", "yellow")}
    assert poop_deck.page(position, DRUM) == {"left": ["green", "blue", "yellow"], "counts": []}


def test_the_page_knows_which_colours_would_be_kept() -> None:
    assert poop_deck.page(state(hold=True), DRUM)["counts"] == ["blue"]


def test_with_a_simulated_hand_only_white_lifts_and_only_the_colour_held_can_be_said() -> None:
    assert words(state(), hand="yes") == {WHITE: "grab"}
    assert prompts(state(), hand="yes") == ["grab_simulated", "lift_any"]
    held = state(hold=True)
    assert words(held, hand="yes", held="green") == dyes("announce", "green")
    assert poop_deck.prompts(held, (RED, BLUE), {**DRUM, "hand": "yes", "held": "green"})[0].json() == {
        "key": "wait_held",
        "params": {"by": "red", "dye": "green"},
    }
    assert prompts(held, hand="yes", held="green") == ["wait_held", "put_back"]
    assert prompts(held, hand="yes", held="blue") == ["say_held"], "the die shows it"
    assert poop_deck.prompts(held, (RED, BLUE), DRUM)[1].params == {"rule": "any_during_hold"}


def test_in_a_hold_the_four_colours_announce() -> None:
    assert words(state(hold=True)) == dyes("announce", *COLOURS)
    assert prompts(state(hold=True)) == ["say_colour", "must_show"]


def test_the_last_one_may_be_guessed_and_then_the_truth_is_said() -> None:
    position = state(deck=1, collected=ALL_RED)
    assert words(position) == {WHITE: "grab", **dyes("guess", "green", "blue", "yellow")}
    assert prompts(position)[:2] == ["guess_last", "or_grab_last"]
    jobs = poop_deck.jobs(position, (RED, BLUE), {**DRUM, "guess": "blue"})
    assert jobs[DYES["green"]].action == {
        "do": "name_last",
        "seat": 0,
        "colour": "blue",
        "truth": "green",
    }
    assert {key: job.word for key, job in jobs.items()} == {
        WHITE: "guess_again",
        **dyes("truth", "green", "blue", "yellow"),
    }
    assert prompts(position, guess="blue")[:2] == ["say_truth", "guess_again"]


@pytest.mark.parametrize(
    "setup,facts,because",
    [
        ({}, {"drift": "1"}, None),
        ({}, {"drift": "2", "danger": "yes"}, "hole"),
        ({}, {"drift": "3", "danger": "yes"}, "hole"),
        ({"galley": 1, "deck": 11}, {"drift": "1"}, "gone"),
        ({"galley": 1, "deck": 11}, {"drift": "0"}, None),  # it stands in the middle already
        ({"collected": {"blue": 3}, "deck": 9}, {"drift": "1"}, "gone"),
        ({"collected": {"red": 3}, "deck": 9}, {"drift": "1"}, None),  # the die is blue
        ({}, {"build": "loose"}, "edge"),
        ({"galley": 1, "deck": 11}, {"build": "loose"}, "gone"),
    ],
)
def test_violet_pushes_the_die_only_when_the_rule_allows(
    setup: dict[str, Any], facts: dict[str, str], because: str | None
) -> None:
    position = state(**setup)
    job = poop_deck.jobs(position, (RED, BLUE), {**DRUM, **facts}).get(VIOLET)
    assert (job is None) == (because is None)
    if job is not None:
        assert job.action == {"do": "push_die", "seat": 0, "because": because}
        assert isinstance(poop_deck.game.apply(position, job.action, 0, None), Step)


def test_while_a_bot_has_the_tongs_a_person_may_only_push_the_die() -> None:
    position = state(turn=0)
    assert words(position, BOT, BLUE, hand="yes") == {}
    jobs = poop_deck.jobs(position, (BOT, BLUE), {**DRUM, "hand": "yes", "danger": "yes"})
    assert list(jobs) == [VIOLET]
    assert jobs[VIOLET].action == {"do": "push_die", "seat": 1, "because": "hole"}
    assert prompts(position, BOT, BLUE, hand="yes") == ["bot_aims"]
    assert prompts(state(hold=True), BOT, BLUE, hand="yes") == ["bot_looks_underneath"]
    assert words(position, BOT, BOT, hand="yes", danger="yes") == {}


def test_the_most_urgent_is_asked_first() -> None:
    urgent = prompts(state(), guard="open", danger="yes", reader="unsure", doubt="yes")
    assert urgent[:4] == ["close_guard", "what_fell", "push_now", "reader_unsure"]


def test_a_loose_die_is_set_at_a_station_and_its_fall_is_confirmed_there() -> None:
    found = words(state(), build="loose")
    for side in STATIONS:
        assert [found.get((side, KEEP1 + place)) for place in range(4)] == [
            "die_shows",
            "die_shows",
            None,  # it shows blue already
            "die_shows",
        ]
        assert (side, YUCK) not in found
    assert "set_die" in prompts(state(), build="loose")
    doubtful = words(state(), build="loose", doubt="yes")
    assert (doubtful["left", YUCK], doubtful["right", BELL]) == ("die_fell", "dropping_fell")
    assert "set_die" not in prompts(state(), build="loose", hand="yes"), "a simulated hand sees it"
    assert words(state(), build="loose", hand="yes") == {WHITE: "grab"}


def test_the_only_dropping_in_the_tongs_cannot_be_what_fell() -> None:
    held = state(hold=True, deck=1, collected=ALL_RED)
    found = words(held, build="loose", doubt="yes")
    assert (found["left", YUCK], found.get(("left", BELL))) == ("die_fell", None)
    assert prompts(held, build="loose", doubt="yes")[0] == "did_die_fall"


@pytest.mark.parametrize("build,keys", [("drum", {BELL}), ("loose", {BELL, YUCK})])
def test_without_beams_the_crew_says_what_fell(build: str, keys: set[int]) -> None:
    found = words(state(), build=build, unwatched="yes")
    for side in STATIONS:
        assert {key for board, key in found if board == side and key >= BELL - 1} == keys
    asked = {BELL: "say_fallen", YUCK: "say_die_fell"}
    said = set(prompts(state(), build=build, unwatched="yes"))
    assert {asked[key] for key in keys} == said & set(asked.values())
    last = state(hold=True, deck=1, collected=ALL_RED)
    assert ("left", BELL) not in words(last, build=build, unwatched="yes")


def test_the_lights_of_the_deck() -> None:
    deck = poop_deck.view(state(), {}, DRUM)["deck"].deck
    assert deck._asdict() == {
        "eye": 42,
        "drum": 3,
        "drift": 1,
        "pupil": glyphs.lamp_code(glyphs.COLOURS["blue"][0], glyphs.STEADY),
        "holes": (DARK, DARK, DARK, poop_deck.HOLE),
    }
    unseen = poop_deck.view(state(die=None), {}, {"build": "loose", "eye": "-36", "open": "11"})["deck"].deck
    assert unseen == (-36, None, None, DARK, (poop_deck.HOLE, poop_deck.HOLE, DARK, DARK))


def test_when_it_is_over_the_eye_is_still_and_no_key_does_anything() -> None:
    position = state(deck=0)
    assert position.phase == "over"
    assert words(position, hand="yes") == {}
    assert prompts(position) == []
    deck = poop_deck.view(position, {}, DRUM)["deck"].deck
    assert (deck.eye, deck.drift, deck.holes) == (0, None, (DARK,) * 4)


def test_the_stations_show_the_piles() -> None:
    position = state(collected={"red": 2, "yellow": 1})
    for side in STATIONS:
        dice = poop_deck.view(position, {}, DRUM)[side].dice
        assert [code // 8 for code in dice[:4]] == [glyphs.GLYPHS[colour] for colour in COLOURS]
        assert [code % 8 == glyphs.KEPT for code in dice[:4]] == [False, False, True, False]
        assert [code // 8 for code in dice[4:]] == [glyphs.GLYPHS[digit] for digit in "2001"]


def test_a_pile_that_grows_glows() -> None:
    collected = Event("dropping_collected", {"by": 0, "colour": "blue"})
    flourish = poop_deck.flourish(state(hold=True), [collected])
    assert flourish is not None
    assert flourish.dice["left"] == {2: glyphs.die_code(glyphs.GLYPHS["blue"], glyphs.GLOW)}
    assert poop_deck.flourish(state(), [Event("die_turned", {"colour": "red"})]) is None


FACTS = st.fixed_dictionaries(
    {"build": st.sampled_from(["drum", "loose"])},
    optional={
        "eye": st.sampled_from(["0", "42", "-54"]),
        "open": st.sampled_from(["0000", "0001", "1111"]),
        "drum": st.sampled_from("01234567"),
        "drift": st.sampled_from("0123"),
        "hand": st.just("yes"),
        "held": st.sampled_from(COLOURS),
        "guess": st.sampled_from(COLOURS),
        "danger": st.just("yes"),
        "doubt": st.just("yes"),
        "unwatched": st.just("yes"),
        "guard": st.just("open"),
        "reader": st.just("unsure"),
    },
)
POSITIONS = st.builds(
    state,
    seats=st.just(3),
    hold=st.booleans(),
    deck=st.integers(1, 12),
    galley=st.integers(0, 6),
    turn=st.integers(0, 2),
    die=st.sampled_from([None, *COLOURS]),
    collected=st.dictionaries(st.sampled_from(COLOURS), st.integers(0, 2)),
)
SEATS = st.lists(st.sampled_from([None, "good"]), min_size=3, max_size=3).map(
    lambda bots: tuple(
        Seat(colour, bot) for colour, bot in zip(("red", "white", "violet"), bots, strict=True)
    )
)


@settings(deadline=None, max_examples=200)
@given(POSITIONS, SEATS, FACTS)
def test_every_lit_key_does_what_the_rules_accept_and_every_other_is_dark(
    position: State, seats: tuple[Seat, ...], facts: dict[str, str]
) -> None:
    jobs = poop_deck.jobs(position, seats, facts)
    for job in jobs.values():
        assert job.action is not None
        unsaid = job.word == "announce" and position.phase == "hunt"
        if unsaid or job.word in ("guess", "guess_again"):
            continue  # for the world: see its tests
        if job.word == "dropping_fell" and position.deck - (position.phase == "hold") == 0:
            continue
        assert isinstance(poop_deck.game.apply(position, job.action, 0, None), Step), job
    view = poop_deck.view(position, jobs, facts)
    for board in BOARDS:
        lit = {key for key, code in enumerate(view[board].lamps) if code != DARK}
        assert lit == {key for where, key in jobs if where == board}
    assert -100 <= view["deck"].deck.eye <= 100
    asked = poop_deck.prompts(position, seats, facts)
    assert asked
    assert len({prompt.key for prompt in asked}) == len(asked)
