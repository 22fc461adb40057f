"""The simulated deck: its physics, the examples of the rules, and crews that play whole games on it."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley.deck_physics import Physics, physics
from galley.sim.deck_crew import DeckWorld, as_event
from galley.sim.deck_model import DIE, ArmAt, Cell, Deck, DieFell, DieShows, DroppingFell
from galley_engine.bots import STRENGTHS, policy
from galley_engine.dice import Dice
from galley_engine.game import BadOption, BadSetup, Step
from galley_engine.games import poop_deck
from galley_engine.policies.poop_deck import Lift, Sight, colours_left, remembered
from galley_engine.simulate import interval, play

CERTAIN = Physics(reverse_percent=0, push_percent=100, turn_percent=0, out_percent=100)
TWELVE = [colour for colour in poop_deck.COLOURS for _ in range(3)]


def laid(numbers: Physics, *cells: tuple[int, int], before: int) -> Deck:
    """A deck with droppings on these cells, the arm one tick before the sector `before`."""
    places = {number: Cell(*cell) for number, cell in enumerate(cells)}
    deck = Deck(numbers, Dice(1), ["red"] * len(cells), "red", places)
    deck.arm = (before - 1) % numbers.sectors
    return deck


# --- Physics --------------------------------------------------------------------------------------


def test_a_dropping_pushed_into_an_open_hole_falls() -> None:
    deck = laid(CERTAIN, (14, 1), before=14)
    assert deck.tick() == [ArmAt(14, 1), DroppingFell(0, Cell(14, 2), None)]
    assert deck.droppings == {}


def test_the_same_with_a_railing_leaves_it_in_the_outer_cell() -> None:
    deck = laid(CERTAIN._replace(railings=4), (14, 1), before=14)
    assert deck.tick() == [ArmAt(14, 1)]
    assert deck.droppings == {0: Cell(14, 2)}


def test_railings_close_the_holes_in_order() -> None:
    assert [Physics(railings=count).open_holes for count in range(5)] == [
        (2, 6, 10, 14),
        (6, 10, 14),
        (10, 14),
        (14,),
        (),
    ]


def test_a_push_goes_one_ring_outwards_and_only_in_the_arms_sector() -> None:
    deck = laid(CERTAIN, (3, 0), (4, 0), before=3)
    deck.tick()
    assert deck.droppings == {0: Cell(3, 1), 1: Cell(4, 0)}


def test_what_lies_in_the_way_is_pushed_first() -> None:
    only_the_inner = CERTAIN._replace(push_percent=0)
    deck = laid(only_the_inner, (14, 0), (14, 1), before=14)
    happened: list[Any] = []
    deck._push(0, happened)
    assert happened == [DroppingFell(1, Cell(14, 2), None)]
    assert deck.droppings == {0: Cell(14, 1)}


def test_what_cannot_go_outwards_slides_along_with_the_arm() -> None:
    deck = laid(CERTAIN, (3, 1), (3, 2), before=3)
    deck.tick()
    assert deck.droppings == {0: Cell(3, 2), 1: Cell(4, 2)}


def test_what_can_go_nowhere_stays() -> None:
    deck = laid(CERTAIN, (3, 1), (3, 2), (4, 2), (4, 1), before=3)
    deck.tick()
    assert deck.droppings == {0: Cell(3, 1), 1: Cell(3, 2), 2: Cell(4, 2), 3: Cell(4, 1)}


def test_a_dropping_that_slides_into_a_hole_falls() -> None:
    deck = laid(CERTAIN, (13, 1), (13, 2), before=13)
    assert DroppingFell(1, Cell(14, 2), None) in deck.tick()


def test_what_lies_at_the_railing_is_not_pushed_by_the_arm_itself() -> None:
    deck = laid(CERTAIN, (3, 2), before=3)
    deck.tick()
    assert deck.droppings == {0: Cell(3, 2)}


def test_a_reversing_arm_pushes_and_slides_the_other_way() -> None:
    deck = laid(CERTAIN._replace(reverse_percent=100), (3, 1), (3, 2), before=5)
    assert deck.tick()[0] == ArmAt(3, -1)
    assert deck.droppings == {0: Cell(3, 2), 1: Cell(2, 2)}


def test_the_colour_of_a_fallen_dropping_is_hidden_unless_falls_are_revealed() -> None:
    deck = laid(CERTAIN._replace(reveal_fallen=True), (14, 1), before=14)
    assert deck.tick()[1] == DroppingFell(0, Cell(14, 2), "red")


def test_the_drum_drifts_at_sector_0_only_and_falls_from_the_brink() -> None:
    deck = laid(CERTAIN._replace(brink_percent=100), before=0)
    drifts = []
    while not deck.die_has_fallen:
        happened = deck.tick()
        drifts.append(deck.drift)
    assert drifts == [1] * 16 + [2] * 16 + [3] * 16 + [3]
    assert happened == [ArmAt(0, 1), DieFell()]
    assert deck.tick() == []


def test_a_drum_that_drifts_back_stays_in_the_middle() -> None:
    deck = laid(CERTAIN._replace(out_percent=0), before=0)
    deck.tick()
    assert (deck.drift, deck.die_has_fallen) == (0, False)


def test_the_drum_turns_to_every_colour() -> None:
    deck = laid(CERTAIN._replace(turn_percent=100, out_percent=0), before=0)
    shown = Counter(
        happening.colour
        for _ in range(16 * 400)
        for happening in deck.tick()
        if isinstance(happening, DieShows)
    )
    assert set(shown) == set(poop_deck.COLOURS)
    assert 260 < shown.total() < 340  # three of four turns show another colour


def test_a_push_of_a_hand_brings_the_drum_to_the_middle_with_its_face() -> None:
    deck = laid(CERTAIN, before=0)
    deck.drift = 3
    assert deck.die_in_danger
    deck.push_die()
    assert (deck.drift, deck.face, deck.die_in_danger) == (0, "red", False)


def loose(cell: tuple[int, int], before: int, **changes: Any) -> Deck:
    numbers = CERTAIN._replace(build="loose", **changes)
    deck = Deck(numbers, Dice(3), [], "red", {DIE: Cell(*cell)})
    deck.arm = before - 1
    return deck


def test_a_loose_die_is_turned_by_a_push_and_falls_like_a_dropping() -> None:
    deck = loose((14, 0), before=14, faces=("blue",))
    cells = [deck.die_cell]
    for happening in (DieShows("blue"), DieFell()):
        assert deck.tick() == [ArmAt(14, 1), happening]
        cells.append(deck.die_cell)
        deck.arm = 13
    assert cells == [Cell(14, 0), Cell(14, 1), None]
    assert deck.tick() == []


def test_a_loose_die_at_the_railing_is_offered_to_be_pushed() -> None:
    deck = loose((3, 1), before=3)
    danger = [deck.die_in_danger]
    deck.tick()
    danger.append(deck.die_in_danger)
    face = deck.face
    deck.push_die()
    danger.append(deck.die_in_danger)
    assert danger == [False, True, False]
    assert deck.die_cell is not None
    assert (deck.die_cell.ring, deck.face) == (0, face)


def test_the_loose_die_stands_in_the_way_of_droppings() -> None:
    numbers = CERTAIN._replace(build="loose", faces=("red",))
    deck = Deck(numbers, Dice(3), ["blue"], "red", {0: Cell(3, 1), DIE: Cell(3, 2)})
    deck.arm = 2
    deck.tick()
    assert (deck.droppings, deck.die_cell) == ({0: Cell(3, 2)}, Cell(4, 2))


@pytest.mark.parametrize("build", ["drum", "loose"])
def test_droppings_start_on_different_cells_of_the_inner_rings(build: str) -> None:
    seen = set()
    for seed in range(200):
        deck = Deck(Physics(build=build), Dice(seed), TWELVE)
        cells = [*deck.droppings.values(), *([deck.die_cell] if deck.die_cell else [])]
        assert len(set(cells)) == len(cells) == (13 if build == "loose" else 12)
        assert all(cell.ring < 2 for cell in cells)
        seen.update(cells)
    assert len(seen) == 32


def test_what_finds_no_room_on_the_inner_rings_starts_on_the_outer_one_too_but_in_no_hole() -> None:
    deck = Deck(Physics(build="loose", railings=0), Dice(1), poop_deck.COLOURS * 8)
    cells = [*deck.droppings.values(), deck.die_cell]
    assert len(set(cells)) == len(cells) == 33
    assert not {Cell(hole, 2) for hole in (2, 6, 10, 14)}.intersection(cells)
    with pytest.raises(BadSetup, match=r"^deck: has 33 things for 31 cells"):
        Deck(Physics(build="loose", rings=2), Dice(1), poop_deck.COLOURS * 8)


def test_numbers_tell_nothing_of_colours() -> None:
    colours = Counter(Deck(Physics(), Dice(seed), TWELVE).lift(0) for seed in range(400))
    assert all(70 < colours[colour] < 130 for colour in poop_deck.COLOURS)


def test_a_dropping_is_lifted_and_put_back_near_the_shaft() -> None:
    deck = laid(CERTAIN, (3, 2), (0, 0), before=3)
    assert deck.lift(0) == "red"
    assert deck.droppings == {1: Cell(0, 0)}
    with pytest.raises(KeyError):
        deck.lift(0)
    cell = deck.put_back(0)
    assert cell.ring == 0
    assert cell != Cell(0, 0)
    assert deck.droppings[0] == cell


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.integers(0, 4), st.sampled_from(["drum", "loose"]), st.integers(0, 400))
def test_nothing_is_lost_but_through_open_holes(seed: int, railings: int, build: str, ticks: int) -> None:
    numbers = Physics(build=build, railings=railings)
    deck = Deck(numbers, Dice(seed), TWELVE)
    fallen: list[DroppingFell] = []
    for _ in range(ticks):
        happened = deck.tick()
        fallen += [happening for happening in happened if isinstance(happening, DroppingFell)]
        assert len(set(deck.droppings.values())) == len(deck.droppings) == 12 - len(fallen)
        assert deck.die_cell not in deck.droppings.values()
    assert all(drop.cell.sector in numbers.open_holes and drop.cell.ring == 2 for drop in fallen)
    again = Deck(numbers, Dice(seed), TWELVE)
    for _ in range(ticks):
        again.tick()
    assert (again.droppings, again.face, again.arm, again.drift) == (
        deck.droppings,
        deck.face,
        deck.arm,
        deck.drift,
    )


@pytest.mark.parametrize(
    "given,key",
    [
        ({"build": "magnet"}, "build"),
        ({"railings": 5}, "railings"),
        ({"railings": -1}, "railings"),
        ({"push_percent": 101}, "push_percent"),
        ({"reverse_percent": 0.1}, "reverse_percent"),
        ({"faces": []}, "faces"),
        ({"faces": ["white"]}, "faces.0"),
        ({"holes": [16]}, "holes.0"),
        ({"sectors": 3}, "sectors"),
        ({"reveal_fallen": 1}, "reveal_fallen"),
        ({"aim_ticks": 0, "hold_ticks": 0}, "hold_ticks"),
        ({"wind": 1}, "wind"),
    ],
)
def test_an_unknown_or_impossible_number_is_refused_by_name(given: dict[str, object], key: str) -> None:
    with pytest.raises(BadOption) as error:
        physics(given)
    assert error.value.key == key


def test_all_numbers_can_be_given() -> None:
    other = Physics(
        build="loose", railings=1, sectors=8, rings=4, holes=(1, 5), faces=("red", "blue"), push_percent=40
    )
    assert physics(dict(other._asdict())) == other
    assert physics({"holes": [1], "railings": 1}).open_holes == ()
    assert physics({}) == Physics()


# --- The world of the bots ------------------------------------------------------------------------


def world(seed: int, setup: dict[str, object] | None = None, **numbers: Any) -> tuple[Any, DeckWorld]:
    state = poop_deck.start(2, poop_deck.options({}), None, setup)
    return state, DeckWorld(state, Dice(seed), Physics(**numbers))


def follow(state: Any, deck: DeckWorld, wish: Any) -> tuple[Any, list[str], int]:
    """The state after a wish, what was done, and the time that took in ms."""
    done, took_ms = [], 0
    for after_ms, action in deck.follow(state, wish):
        took_ms += after_ms
        step = poop_deck.apply(state, action, 0, None)
        assert isinstance(step, Step), step
        state = step.state
        done.append(str(action["do"]))
    return state, done, took_ms


STILL: dict[str, Any] = {"push_percent": 0, "turn_percent": 0}


def test_a_turn_takes_two_ticks_to_aim_and_two_to_hold() -> None:
    state, deck = world(1, {"die": "red"}, **STILL)
    number = next(iter(deck.sight(state, 0).droppings))
    after, done, took_ms = follow(state, deck, {"do": "grab", "seat": 0, "dropping": number})
    assert (done, took_ms) == (["grab", "announce"], 4000)
    assert after.turn == 1
    (lift,) = deck.sight(after, 1).lifts
    assert lift.dropping == number
    assert lift.collected == (lift.colour == "red")
    assert (number in deck.sight(after, 1).droppings) == (not lift.collected)


def test_a_die_not_yet_seen_is_shown_first() -> None:
    state, deck = world(1, **STILL)
    after, done, took_ms = follow(state, deck, {"do": "grab", "seat": 0})
    assert (done, took_ms) == (["die_shows"], 0)
    assert after.die == deck.deck.face


def test_a_dropping_that_falls_during_the_aim_is_not_grabbed() -> None:
    state, deck = world(1, {"die": "red", "deck": 1, "collected": {"red": 3}}, push_percent=100)
    (number,) = deck.sight(state, 0).droppings
    deck.deck._where[number] = Cell(14, 1)
    deck.deck._what = {Cell(14, 1): number}
    deck.deck.arm, deck.deck.heading = 13, 1
    deck.deck.physics = deck.deck.physics._replace(reverse_percent=0)
    after, done, _ = follow(state, deck, {"do": "grab", "seat": 0, "dropping": number})
    assert done == ["dropping_fell"]
    assert after.phase == "over"


def test_the_last_one_is_named_with_the_truth() -> None:
    collected = {"red": 2, "green": 3, "blue": 3, "yellow": 3}
    state, deck = world(1, {"die": "blue", "deck": 1, "collected": collected}, **STILL)
    assert deck.deck.colour_under_last() == "red"
    after, done, _ = follow(state, deck, {"do": "name_last", "seat": 0, "colour": "red"})
    assert done == ["name_last"]
    assert after.collected == (3, 3, 3, 3)


def test_a_wait_always_brings_something() -> None:
    state, deck = world(1, {"die": "red"}, **STILL)
    after, done, took_ms = follow(state, deck, None)
    assert (done, took_ms) == (["die_shows"], 1000)
    assert after == state._replace(die=deck.deck.face)


def test_more_droppings_than_can_be_left_are_refused() -> None:
    with pytest.raises(BadSetup, match="deck: is 12, but only 11"):
        world(1, {"collected": {"red": 1}})


def test_the_arm_is_no_event_of_the_game() -> None:
    assert as_event(ArmAt(0, 1)) is None
    for happening in (DieShows("red"), DroppingFell(1, Cell(14, 2), None), DieFell()):
        event = as_event(happening)
        assert event is not None
        assert isinstance(poop_deck.apply(world(1)[0], event, 0, None), Step)


# --- Crews ----------------------------------------------------------------------------------------


def crew(strengths: tuple[str, ...], seed: int, numbers: Physics, **options: object) -> poop_deck.State:
    """The end of a game on the model."""
    start = poop_deck.start(len(strengths), poop_deck.options(options), None)
    policies = [policy("poop_deck", strength) for strength in strengths]
    chance, whims = Dice(3 * seed), Dice(3 * seed + 1)
    end = play(poop_deck, start, policies, chance, whims, DeckWorld(start, Dice(3 * seed + 2), numbers)).state
    assert isinstance(end, poop_deck.State)
    return end


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from(STRENGTHS), min_size=2, max_size=4).map(tuple),
    st.integers(0, 2**32),
    st.sampled_from(["drum", "loose"]),
    st.integers(0, 4),
    st.sampled_from([{}, {"match_rule": "at_announce"}, {"droppings_per_colour": 7}]),
)
def test_games_of_crews_always_end(
    strengths: tuple[str, ...], seed: int, build: str, railings: int, options: dict[str, object]
) -> None:
    end = crew(strengths, seed, Physics(build=build, railings=railings), **options)
    assert end.phase == "over"
    assert end.die_fell or end.deck == 0
    assert end.deck + sum(end.collected) + end.galley == end.options.droppings


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32), st.sampled_from(["drum", "loose"]), st.integers(0, 4))
def test_random_legal_play_ends_with_the_events_of_the_model(seed: int, build: str, railings: int) -> None:
    """The engine's own moves, not a policy's, among the ticks of the eye."""
    dice = Dice(seed)
    state, deck = world(seed + 1, build=build, railings=railings)
    for _ in range(20_000):
        allowed = poop_deck.moves(state, state.turn, 0)
        wishes = [move for move in allowed if move["do"] in ("grab", "push_die")]
        wish = dice.die([None, *wishes]) if wishes else None
        for _, action in deck.follow(state, wish):
            step = poop_deck.apply(state, action, 0, None)
            assert isinstance(step, Step)
            state = step.state
            if state.phase == "over":
                return
    raise AssertionError(f"still playing: {state}")


def test_a_game_is_the_same_for_the_same_seeds() -> None:
    assert crew(("best", "easy"), 5, Physics()) == crew(("best", "easy"), 5, Physics())


def test_the_better_crew_wins_clearly_more_often() -> None:
    games, won = 60, Counter[str]()
    for strength in ("easy", "best"):
        won[strength] = sum(
            poop_deck.is_won(crew((strength, strength), seed, Physics())) for seed in range(games)
        )
        print(f"{strength} wins {won[strength]} of {games}: {interval(won[strength], games)}")
    assert interval(won["best"], games)[0] > interval(won["easy"], games)[1]


# --- What a bot knows -----------------------------------------------------------------------------


def seen(**changes: Any) -> tuple[Any, Sight]:
    """A deck of three droppings in the sectors 3, 7 and 14, of which nothing is known."""
    state = poop_deck.start(2, poop_deck.options({}), None, {"deck": 3, "die": "red"})
    cells = {0: (3, 1), 1: (7, 1), 2: (14, 1)}
    sight = Sight(cells, (), 16, 3, (14,), 8, 1, die_in_danger=False, die_cell=None)
    changes["lifts"] = tuple(Lift(*lift) for lift in changes.get("lifts", ()))
    state = state._replace(**{key: changes.pop(key) for key in list(changes) if key in state._fields})
    return state, sight._replace(**changes)


@pytest.mark.parametrize("strength", ["easy", "good", "best"])
def test_one_remembered_in_the_dies_colour_is_lifted(strength: str) -> None:
    state, sight = seen(lifts=((1, "red", False),))
    for seed in range(10):
        wish = policy("poop_deck", strength).choose(state, 0, Dice(seed), sight)
        assert wish == {"do": "grab", "seat": 0, "dropping": 1}


@pytest.mark.parametrize("strength", ["easy", "good", "best"])
def test_one_remembered_in_another_colour_is_left(strength: str) -> None:
    state, sight = seen(lifts=((1, "blue", False),))
    for seed in range(10):
        wish: Any = policy("poop_deck", strength).choose(state, 0, Dice(seed), sight)
        assert wish["dropping"] in (0, 2)


def test_the_weaker_remember_less() -> None:
    lifts = ((1, "red", False), *((0, "blue", False),) * 8)
    state, sight = seen(lifts=lifts)
    picked = {
        strength: {
            policy("poop_deck", strength).choose(state, 0, Dice(seed), sight)["dropping"]  # type: ignore[index]
            for seed in range(20)
        }
        for strength in ("easy", "best")
    }
    assert picked == {"easy": {1, 2}, "best": {1}}


def test_of_equals_the_best_rescues_the_one_at_the_hole() -> None:
    state, sight = seen()
    wish: Any = policy("poop_deck", "best").choose(state, 0, Dice(1), sight)
    assert wish["dropping"] == 2


def test_the_best_pushes_the_die_whenever_it_is_in_danger() -> None:
    state, sight = seen(die_in_danger=True)
    pushes = Counter(
        strength
        for strength in STRENGTHS
        for seed in range(200)
        if policy("poop_deck", strength).choose(state, 0, Dice(seed), sight)
        == {"do": "push_die", "seat": 0, "because": "hole"}
    )
    assert pushes["best"] == 200
    assert pushes["random"] < pushes["good"] < 200
    assert pushes["easy"] < pushes["good"]


def test_the_best_claims_that_the_colour_of_a_loose_die_is_gone_when_it_may_be() -> None:
    claim = {"do": "push_die", "seat": 0, "because": "gone"}
    for ring, galley, pushes in ((0, 1, False), (1, 0, False), (1, 1, True)):
        state, sight = seen(galley=galley, die_cell=(14, ring))
        wish = policy("poop_deck", "best").choose(state, 0, Dice(1), sight)
        assert (wish == claim) == pushes


@pytest.mark.parametrize("strength", ["good", "best"])
def test_the_last_one_is_named_if_its_colour_is_sure(strength: str) -> None:
    named = {"do": "name_last", "seat": 0, "colour": "blue"}
    state, sight = seen(deck=1, droppings={2: (3, 1)}, lifts=((2, "blue", False),))
    assert policy("poop_deck", strength).choose(state, 0, Dice(1), sight) == named
    state, sight = seen(deck=1, droppings={2: (3, 1)}, collected=(3, 3, 2, 3))
    assert policy("poop_deck", strength).choose(state, 0, Dice(1), sight) == named
    state, sight = seen(deck=1, droppings={2: (3, 1)}, collected=(3, 3, 2, 2))
    assert policy("poop_deck", strength).choose(state, 0, Dice(1), sight) == {
        "do": "grab",
        "seat": 0,
        "dropping": 2,
    }


def test_fallen_droppings_that_had_been_lifted_are_counted() -> None:
    lifts = ((9, "green", False), (8, "red", True), (1, "blue", False))
    state, sight = seen(lifts=lifts, collected=(1, 0, 0, 0))
    known = remembered(sight, 100)
    assert known == {1: "blue"}
    assert colours_left(state, sight, known) == Counter(red=2, green=2, blue=2, yellow=3)


@pytest.mark.parametrize("strength", STRENGTHS)
def test_a_bot_without_the_tongs_or_without_a_deck(strength: str) -> None:
    state, sight = seen()
    bot = policy("poop_deck", strength)
    assert bot.choose(state, 1, Dice(1), sight) is None
    assert bot.choose(state._replace(phase="hold"), 0, Dice(1), sight) is None
    assert bot.choose(state, 0, Dice(1)) == {"do": "grab", "seat": 0}
