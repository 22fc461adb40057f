"""The world of the poop deck: sensors, the drum, the simulated hand, and whole games by keys alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley.deck_physics import Physics
from galley.tables import poop_deck
from galley.tables.deck_memory import DOUBT_MS, HOLD_MS
from galley.tables.deck_motors import FACE_MS, PASS_GAP_MS, SETTLE_MS, Drum, Eye
from galley.tables.deck_tongs import PATIENCE_MS, UNEVEN_MS
from galley.tables.deck_world import MISSED_MS, DeckWorld
from galley.tables.table import BELL, KEEP1, MODE, ROLL, STATIONS, YUCK, DeckStand, Seat, seat_key
from galley_engine.dice import Dice, KeptDice
from galley_engine.game import BadOption, JSONObject
from galley_engine.games.poop_deck_state import COLOURS, State
from tests.host.deck_hand import HOME, DeckHand, Ship

PEOPLE = (Seat("red"), Seat("blue"))
BOTS = (Seat("red", "best"), Seat("blue", "best"))
MIXED = (Seat("red"), Seat("blue", "good"))
WHITE, VIOLET = seat_key("white")[1], seat_key("violet")[1]
BEAM1, RED_SEEN, UNSURE, GUARD = 6, 10, 14, 15
STILL: dict[str, Any] = {"push_percent": 0}
SETTLED_MS = 6_000  # the drum has come to its first face


def real(**numbers: Any) -> Ship:
    """A real deck with a crew of two; the die is seen."""
    ship = Ship(PEOPLE, None, **{"reverse_percent": 0, "turn_percent": 0, "out_percent": 0, **numbers})
    ship.run(SETTLED_MS)
    return ship


def done(ship: Ship) -> list[str]:
    return [str(action["do"]) for _, action in ship.play.session.steps]


def dye(colour: str) -> int:
    return COLOURS.index(colour)


# --- The motors -----------------------------------------------------------------------------------


def test_the_eye_turns_round_as_often_as_the_model_says() -> None:
    eye = Eye(Physics(), Dice(1))
    turned = 0
    for _ in range(4000):
        before = eye.percent
        eye.beat()
        turned += (before > 0) != (eye.percent > 0)
        assert 5 <= abs(eye.percent) <= 8
        assert eye.sector_ms == 5000 // abs(eye.percent)
    assert 340 < turned < 460


def test_the_drum_drifts_to_the_brink_and_falls_from_there() -> None:
    drum = Drum(Physics(out_percent=100, brink_percent=100), Dice(1))
    drifts, fell = [], []
    for number in range(4):
        fell.append(drum.bump(number * 1000))
        drifts.append((drum.drift, drum.in_danger))
    assert drifts == [(1, False), (2, True), (3, True), (3, True)]
    assert fell == [False, False, False, True]
    drum.push()
    assert (drum.drift, drum.in_danger) == (0, False)


def test_a_drum_takes_the_short_way_and_is_not_there_before() -> None:
    drum = Drum(Physics(turn_percent=100), Dice(2))
    before = drum.face
    drum.bump(1000)
    way = min((drum.face - before) % 8, (before - drum.face) % 8)
    assert way
    there_ms = 1000 + way * FACE_MS + SETTLE_MS
    assert drum.turning_ms == there_ms
    assert not drum.arrived(there_ms - 1)
    assert drum.arrived(there_ms)
    assert not drum.arrived(there_ms + 5)


def test_an_eye_that_trembles_at_home_passes_once() -> None:
    drum = Drum(Physics(out_percent=100, turn_percent=0), Dice(1))
    for at_ms in (1000, 1000 + PASS_GAP_MS - 1):
        drum.bump(at_ms)
    assert drum.drift == 1
    drum.bump(1000 + PASS_GAP_MS)
    assert drum.drift == 2


# --- A real deck ----------------------------------------------------------------------------------


def test_the_die_is_seen_once_the_drum_has_come_to_its_face() -> None:
    ship = Ship(PEOPLE, None)
    ship.run(100)
    assert done(ship) == []
    ship.run(SETTLED_MS)
    assert ship.state.die == COLOURS[int(ship.facts["drum"]) % 4]
    assert done(ship) == ["die_shows"]


def test_white_grabs_and_a_colour_announces() -> None:
    ship = real()
    assert ship.press(WHITE)
    assert ship.state.phase == "hold"
    assert ship.press(dye(ship.state.die))
    assert sum(ship.state.collected) == 1
    assert ship.facts.keys().isdisjoint({"hand", "held", "guess"})
    assert ship.deck["said"] == {"by": 0, "colour": ship.state.die, "right": True}


def test_a_colour_without_a_grab_is_a_grab_and_an_announcement() -> None:
    ship = real()
    assert ship.press(dye(ship.state.die))
    assert done(ship)[-2:] == ["grab", "announce"]
    assert sum(ship.state.collected) == 1


def turned_while_nobody_said_so(ago_ms: int) -> tuple[Ship, str]:
    """A real deck whose die turned `ago_ms` ago, and the colour before."""
    for seed in range(1, 50):
        ship = Ship(PEOPLE, None, seed, turn_percent=100, out_percent=0)
        ship.run(SETTLED_MS)
        before = ship.state.die
        ship.edge(HOME)
        due_ms = ship.play.world.due_ms() if ship.play.world else None
        while ship.state.die == before and due_ms is not None and ship.now_ms < 20_000:
            ship.run(10)
        if ship.state.die != before:
            ship.run(ago_ms)
            return ship, before
    raise AssertionError("the die never turned to another colour")


@pytest.mark.parametrize("ago_ms,counts", [(HOLD_MS - 500, True), (HOLD_MS + 500, False)])
def test_what_the_die_showed_three_seconds_ago_counts_for_an_unsaid_grab(ago_ms: int, counts: bool) -> None:
    ship, before = turned_while_nobody_said_so(ago_ms)
    now = ship.state.die
    ship.press(dye(before))
    assert sum(ship.state.collected) == counts
    assert ship.state.die == now


def test_what_the_game_is_told_again_does_not_count_for_the_next_one_too() -> None:
    ship, before = turned_while_nobody_said_so(HOLD_MS - 1500)
    ship.press(dye(before))
    assert sum(ship.state.collected) == 1
    ship.run(HOLD_MS - 500)
    ship.press(dye(before))
    assert sum(ship.state.collected) == 1, "the die showed it longer ago than the grab"


def test_the_reader_announces_by_itself() -> None:
    ship = real()
    ship.press(WHITE)
    ship.edge(RED_SEEN + dye("green"))
    ship.edge(RED_SEEN + dye("green"), False)
    assert done(ship)[-1] == "announce"
    ship.edge(RED_SEEN + dye("yellow"))
    assert done(ship)[-2:] == ["grab", "announce"]
    ship.edge(UNSURE)
    assert ship.play.prompts()[0].key == "reader_unsure"
    ship.edge(UNSURE, False)
    assert "reader" not in ship.facts


def test_a_broken_beam_is_a_dropping_in_the_galley() -> None:
    ship = real()
    for beam in range(BEAM1, BEAM1 + 4):
        ship.edge(beam)
        ship.edge(beam, False)
    assert (ship.state.galley, ship.state.deck) == (4, 8)


def test_the_only_one_left_cannot_fall_while_it_is_held() -> None:
    ship = real()
    for _ in range(11):
        ship.edge(BEAM1)
    ship.press(WHITE)
    ship.edge(BEAM1)
    assert (ship.state.phase, ship.state.deck, ship.state.galley) == ("hold", 1, 11)


def lone(ship: Ship) -> Ship:
    """Down to the last dropping."""
    for _ in range(11):
        ship.edge(BEAM1)
    assert ship.state.deck == 1
    return ship


def test_the_last_one_is_guessed_and_checked_with_two_keys() -> None:
    ship = lone(real())
    ship.press(dye("green"))
    assert (ship.facts["guess"], ship.play.over) == ("green", False)
    ship.press(WHITE)
    assert "guess" not in ship.facts
    ship.press(dye("green"))
    ship.press(dye("yellow"))
    assert ship.play.over
    assert ship.state.galley == 12
    assert ship.deck["said"] == {
        "by": 0,
        "colour": "green",
        "truth": "yellow",
        "right": False,
    }


def test_a_guess_outlives_a_turn_of_the_die_and_the_reader_may_check_it() -> None:
    ship = lone(real())
    ship.press(dye("green"))
    ship.edge(HOME)
    ship.run(4000)
    assert ship.facts["guess"] == "green"
    ship.edge(RED_SEEN + dye("green"))
    assert ship.play.over
    assert sum(ship.state.collected) == 1


def test_the_die_drifts_with_each_pass_and_is_pushed_back() -> None:
    ship = real(out_percent=100, brink_percent=100)
    for drift in (1, 2):
        ship.edge(HOME)
        ship.run(1000)
        assert ship.facts["drift"] == str(drift)
    assert ship.play.jobs()["deck", VIOLET].word == "push_die"
    assert ship.press(VIOLET)
    assert ship.facts["drift"] == "0"
    assert not ship.press(VIOLET)


def test_a_bump_on_the_brink_drops_the_die_and_the_crew_loses() -> None:
    ship = real(out_percent=100, brink_percent=100)
    for _ in range(4):
        ship.edge(HOME)
        ship.edge(HOME, False)
        ship.run(1000)
    assert ship.state.die_fell
    assert ship.facts["eye"] == "0"


def test_a_claim_that_its_colour_is_gone_brings_the_die_back_once_something_fell() -> None:
    ship = real(out_percent=100)
    ship.edge(HOME)
    assert ("deck", VIOLET) not in ship.play.jobs()
    ship.edge(BEAM1)
    assert ship.play.jobs()["deck", VIOLET].action == {"do": "push_die", "seat": 0, "because": "gone"}
    ship.press(VIOLET)
    assert ship.facts["drift"] == "0"


def test_an_eye_that_is_never_seen_at_home_turns_the_die_all_the_same() -> None:
    ship = real(out_percent=100)
    ship.run(MISSED_MS)
    assert ship.facts["drift"] == "1"
    assert ship.press(WHITE)
    assert ship.press(dye("red"))


def test_an_open_guard_stops_the_eye() -> None:
    ship = real(out_percent=100)
    ship.edge(GUARD)
    assert ship.facts["eye"] == "0"
    ship.run(2 * MISSED_MS)
    assert ship.facts["drift"] == "0"
    ship.edge(GUARD, False)
    assert ship.facts["eye"] != "0"


def test_a_pause_moves_everything_by_its_length() -> None:
    paused, other = real(turn_percent=100), real(turn_percent=100)
    for ship in (paused, other):
        ship.edge(HOME)
    paused.play.pause(paused.now_ms)
    paused.now_ms += 60_000
    paused._next_tick_ms += 60_000
    paused.play.resume(paused.now_ms)
    for ship in (paused, other):
        ship.run(4_000)
    assert paused.now_ms - other.now_ms == 60_000
    paused_ms, other_ms = (ship.play.due_ms() for ship in (paused, other))
    assert paused_ms is not None
    assert other_ms is not None
    assert paused_ms - other_ms == 60_000
    assert paused.state.die == other.state.die


@pytest.mark.parametrize("build", ["drum", "loose"])
@pytest.mark.parametrize("into_ms", [0, 5_000, 540_000])
def test_what_is_told_in_a_pause_makes_nothing_later_than_the_pause_does(build: str, into_ms: int) -> None:
    """As after a restart: the world hears of time for the first time while the box stands."""
    paused, other = (Ship(PEOPLE, None, build=build) for _ in range(2))
    paused.play.pause(paused.now_ms)
    for ship, later_ms in ((paused, into_ms), (other, 0)):
        ship.play.reported(DeckStand(None, True, False, False), ship.now_ms + later_ms)
        ship.play.missed(("deck", BEAM1), True, ship.now_ms + later_ms)
    paused.now_ms += 600_000
    paused.play.resume(paused.now_ms)
    for ship in (paused, other):
        ship.run(DOUBT_MS + 1000)
    assert (paused.state, paused.facts, paused.deck) == (other.state, other.facts, other.deck)
    paused_ms, other_ms = (ship.play.due_ms() for ship in (paused, other))
    assert paused_ms is not None
    assert other_ms is not None
    assert paused_ms - other_ms == 600_000


# --- The loose build ------------------------------------------------------------------------------


def test_the_crew_sets_a_loose_die_and_passes_do_nothing_to_it() -> None:
    ship = Ship(PEOPLE, None, build="loose")
    ship.run(SETTLED_MS)
    assert done(ship) == []
    assert ship.press(KEEP1 + 1, "left")
    assert ship.state.die == "green"
    ship.edge(HOME)
    ship.run(MISSED_MS + 1000)
    assert done(ship) == ["die_shows"]


def test_a_fall_in_the_loose_build_is_a_dropping_unless_the_crew_says_it_was_the_die() -> None:
    ship = Ship(PEOPLE, None, build="loose")
    ship.edge(BEAM1)
    ship.run(DOUBT_MS - 10)
    assert ship.state.galley == 0
    ship.run(20)
    assert (ship.state.galley, "doubt" in ship.facts) == (1, False)
    ship.edge(BEAM1)
    ship.edge(BEAM1 + 1)
    assert ship.press(BELL, "right")
    assert ship.state.galley == 2
    assert ship.press(YUCK, "left")
    assert ship.state.die_fell


def loose(seats: tuple[Seat, ...] = PEOPLE, seed: int = 1, **numbers: Any) -> tuple[Ship, DeckHand]:
    """A simulated deck with a loose die."""
    hand = DeckHand(seed, **numbers)
    return Ship(seats, hand, seed, build="loose"), hand


def test_a_hand_sees_what_a_loose_die_shows_and_pushes_it_back() -> None:
    ship, hand = loose(push_percent=100)
    while not hand.deck.die_in_danger and not ship.play.over:
        ship.run(1_000)
        assert ship.state.die == hand.deck.face
    assert (ship.facts["danger"], ship.play.over) == ("yes", False)
    assert ship.press(VIOLET)
    assert hand.deck.die_cell is not None
    assert hand.deck.die_cell.ring == 0
    assert "danger" not in ship.facts


def test_a_loose_die_that_a_hand_sees_fall_ends_the_game_at_once() -> None:
    for seed in range(20):
        ship, hand = loose(seed=seed, push_percent=100)
        ship.run(600_000)
        assert ship.state.die_fell is hand.deck.die_has_fallen
        if ship.state.die_fell:
            assert done(ship)[-1] == "die_fell"
            return
    raise AssertionError("it never fell")


@pytest.mark.parametrize("seed", range(3))
def test_bots_play_with_a_loose_die(seed: int) -> None:
    ship, _ = loose(BOTS, seed)
    ship.run(3_600_000)
    assert ship.play.over
    assert "die_shows" in done(ship)
    assert sum(ship.state.collected) > 0


def test_on_a_deck_without_beams_the_crew_says_that_a_dropping_fell() -> None:
    ship = real()
    assert not ship.press(BELL, "left")
    ship.play.reported(DeckStand(None, False, False, False, beams=False), ship.now_ms)
    ship.run(1)
    assert ship.press(BELL, "left")
    assert (ship.state.galley, ship.state.deck) == (1, 11)


# --- The simulated hand ---------------------------------------------------------------------------


def crew(seats: tuple[Seat, ...] = PEOPLE, seed: int = 1, **numbers: Any) -> tuple[Ship, DeckHand]:
    hand = DeckHand(seed, **numbers)
    ship = Ship(seats, hand, seed)
    return ship, hand


def test_white_lifts_and_the_colour_underneath_is_the_only_one_to_say() -> None:
    ship, hand = crew(**STILL)
    ship.run(SETTLED_MS)
    assert len(hand.deck.droppings) == 12
    ship.press(WHITE)
    colour = hand.held()
    assert colour is not None
    assert ship.facts["held"] == colour
    for other in COLOURS:
        assert ship.press(dye(other)) == (other == colour)
        if other == colour:
            break
    assert hand.held() is None
    assert len(hand.deck.droppings) == ship.state.deck


def test_a_page_may_lift_any_dropping() -> None:
    ship, hand = crew(**STILL)
    world = ship.play.world
    assert world is not None
    number = max(hand.deck.droppings)
    action: JSONObject = {"do": "grab", "seat": 0, "dropping": number}
    assert world.press(ship.state, action, ship.now_ms) == ({"do": "grab", "seat": 0},)
    assert number not in hand.deck.droppings
    assert world.press(ship.state, {**action, "dropping": 99}, ship.now_ms) == ({"do": "grab", "seat": 0},)


def test_a_dropping_that_is_not_there_is_not_lifted() -> None:
    ship, _ = crew(**STILL)
    world = ship.play.world
    assert world is not None
    assert world.press(ship.state, {"do": "grab", "seat": 0, "dropping": 99}, ship.now_ms) == ()


def test_bots_aim_lift_hold_and_announce_at_the_pace_of_the_model() -> None:
    ship, hand = crew(BOTS, **STILL)
    when: dict[str, int] = {}
    while "announce" not in when and ship.now_ms < 60_000:
        ship.run(50)
        for _, action in ship.play.session.steps:
            when.setdefault(str(action["do"]), ship.now_ms)
        if ship.deck["aim"] is not None:
            when.setdefault("aim", ship.now_ms)
    assert 1800 <= when["grab"] - when["aim"] <= 2300
    assert 1900 <= when["announce"] - when["grab"] <= 2300
    assert len(hand.sight().lifts) == 1


def test_what_somebody_holds_who_has_left_is_announced_at_last() -> None:
    ship, hand = crew(**STILL)
    ship.press(WHITE)
    ship.run(PATIENCE_MS - 500)
    assert ship.state.phase == "hold"
    ship.run(1000)
    assert ship.state.phase == "hunt"
    assert hand.held() is None


def test_with_a_hand_a_guess_is_checked_at_once() -> None:
    for right in (True, False):
        ship, hand = crew(**STILL)
        for number in list(hand.deck.droppings)[1:]:
            hand.deck.lift(number)
            ship.edge(BEAM1)
        truth = hand.last()
        assert truth is not None
        ship.press(dye(truth if right else COLOURS[dye(truth) - 1]))
        assert ship.play.over
        assert (sum(ship.state.collected), hand.deck.droppings, hand.held()) == (right, {}, None)


def test_a_step_taken_back_leaves_a_deck_on_which_the_game_goes_on() -> None:
    ship, hand = crew(**STILL)
    ship.run(SETTLED_MS)
    ship.press(WHITE)
    ship.play.undo(ship.now_ms)
    assert (ship.state.phase, hand.held(), len(hand.deck.droppings)) == ("hunt", None, 12)
    ship.press(WHITE)
    ship.press(dye(ship.facts["held"]))
    ship.play.undo(ship.now_ms)
    assert (ship.state.phase, "held" in ship.facts) == ("hold", True), "one colour can be said, as before"
    ship.run(UNEVEN_MS + 1000)
    assert ship.press(dye(ship.facts["held"]))
    ship.run(UNEVEN_MS + 1000)
    assert (hand.held(), len(hand.deck.droppings)) == (None, ship.state.deck)


def test_a_game_goes_on_though_its_die_is_set_to_lack_the_colour_it_showed() -> None:
    """So it may be after a restart with another `--world faces`."""
    state = poop_deck.game.start(2, poop_deck.game.options({}), None, {"die": "blue"})
    world = DeckWorld(state, 1, None, Physics(faces=("red",)))
    world.undone(state, 0)
    assert world.tick(state, SETTLED_MS) == [{"do": "die_shows", "colour": "red"}]


def test_a_deck_that_lost_count_is_dealt_anew_and_never_looked_at_by_a_bot() -> None:
    ship, hand = crew(BOTS, **STILL)
    world = ship.play.world
    assert world is not None
    hand.deck.lift(next(iter(hand.deck.droppings)))
    assert world.sight(ship.state) is None
    ship.run(UNEVEN_MS + 1500)
    assert (hand.dealt, len(hand.deck.droppings) + (hand.held() is not None)) == (2, 12)
    assert world.sight(ship.state) is not None


def test_a_bot_in_the_middle_of_a_persons_hold_ends_it() -> None:
    ship, _ = crew(MIXED, **STILL)
    ship.press(WHITE)
    ship.play.replace(0, "good", ship.now_ms)
    ship.run(PATIENCE_MS + 1000)
    assert "announce" in done(ship)


# --- Over a restart -------------------------------------------------------------------------------


def test_the_die_and_the_chance_outlive_the_host() -> None:
    ship = real(out_percent=100, turn_percent=100)
    for _ in range(2):
        ship.edge(HOME)
        ship.run(3000)
    world = ship.play.world
    assert isinstance(world, DeckWorld)
    saved = json.loads(json.dumps(world.saved()))
    again = poop_deck.world(ship.state, 1, None, {})
    again.restore(saved)
    facts = again.facts()
    assert {name: facts[name] for name in ("drum", "drift")} == {
        name: ship.facts[name] for name in ("drum", "drift")
    }
    assert again.saved() == saved


def test_who_held_something_when_the_host_ended_holds_something_again() -> None:
    ship, _ = crew(**STILL)
    ship.press(WHITE)
    again = DeckHand()
    world = poop_deck.world(ship.state, 1, again, {})
    assert world.facts()["held"] == again.held()
    assert len(again.deck.droppings) == ship.state.deck - 1


@pytest.mark.parametrize(
    "saved", [{}, {"drift": 7, "face": 8, "drawn": -1}, {"drift": "1", "face": None, "drawn": 1 << 60}]
)
def test_what_cannot_have_been_saved_changes_nothing(saved: dict[str, Any]) -> None:
    ship = real()
    world = poop_deck.world(ship.state, 1, None, {})
    before = world.saved()
    world.restore(saved)
    assert world.saved() == before


def test_railings_close_holes_and_wrong_ones_are_named() -> None:
    ship = real()
    assert poop_deck.world(ship.state, 1, None, {"railings": 1}).facts()["open"] == "0111"
    with pytest.raises(BadOption, match="railings"):
        poop_deck.world(ship.state, 1, None, {"railings": 9})


# --- Whole games ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_a_person_and_a_bot_play_a_whole_game_by_keys(seed: int) -> None:
    ship, hand = crew(MIXED, seed)
    while not ship.play.over and ship.now_ms < 3_600_000:
        ship.run(1500)
        for place, job in ship.play.jobs().items():
            if job.word in ("grab", "announce", "push_die"):
                ship.press(place[1], place[0])
                break
    assert ship.play.over
    assert ship.state.die_fell or ship.state.deck == 0
    assert ship.facts["eye"] == "0"
    if not ship.state.die_fell:
        assert hand.deck.droppings == {}


@pytest.mark.parametrize("seed", range(3))
def test_bots_play_whole_games_alone(seed: int) -> None:
    ship, _ = crew(BOTS, seed)
    ship.run(3_600_000)
    assert ship.play.over


KEYS = [
    *[("deck", key) for key in range(17)],
    *[(side, key) for side in STATIONS for key in (KEEP1, KEEP1 + 3, ROLL, BELL, YUCK, MODE)],
]
DEEDS = st.lists(
    st.tuples(st.sampled_from(KEYS), st.booleans(), st.integers(0, 4000)), min_size=1, max_size=120
)


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 1000),
    st.sampled_from([PEOPLE, MIXED, (*MIXED, Seat("white", "easy"))]),
    st.sampled_from(["drum", "loose", "hand", "loose hand"]),
    DEEDS,
)
def test_any_keys_in_any_order_never_raise_and_a_game_always_ends(
    seed: int, seats: tuple[Seat, ...], build: str, deeds: list[tuple[tuple[str, int], bool, int]]
) -> None:
    if "hand" in build:
        kind = "loose" if "loose" in build else "drum"
        ship = Ship(seats, DeckHand(seed), seed, railings=seed % 5, build=kind)
    else:
        ship = Ship(PEOPLE, None, seed, build=build)
    for (board, key), down, wait_ms in deeds:
        if ship.play.over:
            break
        if not (down and ship.press(key, board)):
            ship.play.edge((board, key), down, ship.now_ms)
        ship.run(wait_ms)
    ship.play.edge(("deck", GUARD), False, ship.now_ms)
    for turn in range(4000):
        if ship.play.over:
            break
        jobs = ship.play.jobs()
        wanted = ("grab", "announce", "guess", "truth", "push_die")
        places = [place for place in jobs if jobs[place].word in wanted]
        if places:
            board, key = places[turn % len(places)]
            ship.press(key, board)
        if ship.hand is None:
            ship.edge(BEAM1 + turn % 4)
        ship.run(2000)
    state: State = ship.state
    assert ship.play.over
    assert state.die_fell or state.deck == 0


def test_the_die_shows_its_colour_when_the_drum_says_that_it_is_there() -> None:
    """A drum that has to find its home first needs longer than its way; one that was near is there sooner."""
    drum = Drum(Physics(), KeptDice(3))
    drum.show(1_000)
    for at_ms in range(1_000, 13_000, 1_000):
        drum.reported(None, True, at_ms)
        assert not drum.arrived(at_ms)
    drum.reported(drum.face, False, 13_000)
    assert drum.arrived(13_000)
    drum.show(20_000)
    drum.reported(drum.face, False, 20_100)
    assert drum.arrived(20_100)
    drum.show(30_000)
    assert drum.turning_ms is not None
    assert drum.arrived(drum.turning_ms), "a deck that tells nothing is reckoned with"
