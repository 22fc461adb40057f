"""The drum: eight faces that never creep, a home that is found or given up, coils that are off at rest."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley_board import deck_codes, drum, wire
from galley_board.drum import FACE, FACE_0, HALF_STEP, PATTERNS, SEEK, TURN, Drum

START_MS = wire.TICKS_MS_PERIOD - 3000
WIDTH = 60  # half-steps for which the home switch is closed
MOST_MS = 40_000
TURN_MS = 2  # between two turns of the loop
OFF = Fraction(3, 2)  # half-steps: home is found to one, a face to a half


class Stepper:
    """A drum whose rotor follows the coils. `at` are half-steps past home; `jam` holds it."""

    def __init__(self, at: int = 1000, home: bool = True) -> None:
        self.coils = tuple(SimpleNamespace(value=False) for _ in range(4))
        self.home = SimpleNamespace(value=True)
        self.drum = Drum(self.coils, self.home if home else None, deck_codes.DRUM_MISSING)
        self.at = at
        self.jam = False
        self.leave = True
        self.ms = 0
        self.moved = 0
        self._switch()

    def _switch(self) -> None:
        self.home.value = not self.at * HALF_STEP % TURN < WIDTH * HALF_STEP

    def run(self, ms: int) -> None:
        for _ in range(0, ms, TURN_MS):
            before = self.at
            self.drum.poll((START_MS + self.ms) % wire.TICKS_MS_PERIOD, self.leave)
            pattern = sum(1 << n for n, coil in enumerate(self.coils) if coil.value)
            if pattern and not self.jam:
                self.at += (PATTERNS.index(pattern) - self.at + 4) % 8 - 4
            self._switch()
            self.moved += abs(self.at - before)
            self.ms += TURN_MS

    def settle(self) -> int:
        """Until it wants nothing more; how long that took."""
        start = self.ms
        while self.drum.wants and self.ms - start < MOST_MS:
            self.run(TURN_MS)
        assert not self.drum.wants
        self.run(TURN_MS)
        return self.ms - start

    def show(self, face: int) -> int:
        self.drum.ask(face)
        return self.settle()

    def off_half_steps(self, face: int) -> Fraction:
        """How far the face is from the top."""
        off = Fraction(self.at) - Fraction(FACE_0 + face * FACE, HALF_STEP)
        turn = Fraction(TURN, HALF_STEP)
        return abs((off + turn / 2) % turn - turn / 2)


def test_the_numbers_are_those_of_the_gear() -> None:
    gear = Fraction(31 * 32 * 26 * 22, 11 * 10 * 9 * 9)
    assert Fraction(TURN, HALF_STEP) == 64 * gear
    assert round(float(Fraction(FACE, HALF_STEP) / 2), 2) == 254.74
    assert FACE * wire.FACES == TURN


def test_nothing_moves_before_it_is_asked() -> None:
    stepper = Stepper()
    stepper.run(1000)
    assert stepper.moved == 0
    assert not any(coil.value for coil in stepper.coils)
    assert (stepper.drum.state, stepper.drum.face) == (deck_codes.DRUM_STILL, wire.FACES)


@pytest.mark.parametrize("at", [0, 59, 60, 4075])
@pytest.mark.parametrize("face", [0, 3, 7])
def test_it_finds_home_first_and_then_brings_the_face_to_the_top(at: int, face: int) -> None:
    stepper = Stepper(at)
    took_ms = stepper.show(face)
    assert stepper.off_half_steps(face) <= OFF
    assert (stepper.drum.face, stepper.drum.state) == (face, deck_codes.DRUM_STILL)
    assert took_ms < 13_500
    assert not any(coil.value for coil in stepper.coils)
    assert not stepper.drum.slipped


def test_a_neighbouring_face_takes_a_second_and_the_furthest_four() -> None:
    stepper = Stepper()
    stepper.show(3)
    assert 1000 < stepper.show(4) < 1150
    assert 1000 < stepper.show(3) < 1150
    assert stepper.show(7) < 4200
    assert stepper.show(1) < 2200, "the shorter way, over home"


@settings(max_examples=6, deadline=None)
@given(st.lists(st.integers(0, 7), min_size=2, max_size=5), st.integers(0, 4075))
def test_faces_never_creep(faces: list[int], at: int) -> None:
    stepper = Stepper(at)
    for face in faces:
        stepper.show(face)
        assert stepper.off_half_steps(face) <= OFF
    assert not stepper.drum.slipped


def test_twenty_turns_leave_it_where_it_was() -> None:
    whole = Stepper()
    whole.show(0)
    for _ in range(20):
        for _ in range(TURN // HALF_STEP):
            whole.drum._turn(1)
            pattern = sum(1 << n for n, coil in enumerate(whole.coils) if coil.value)
            whole.at += (PATTERNS.index(pattern) - whole.at + 4) % 8 - 4
    whole._switch()
    whole.drum._off()
    whole.show(4)
    assert whole.off_half_steps(4) <= OFF
    assert not whole.drum.slipped


def test_without_leave_its_coils_are_off_at_once_and_it_goes_on_later() -> None:
    stepper = Stepper()
    stepper.show(0)
    stepper.drum.ask(2)
    stepper.run(500)
    assert stepper.drum.state == deck_codes.DRUM_TURNING
    stepper.leave = False
    stepper.run(1)
    assert not any(coil.value for coil in stepper.coils)
    assert not stepper.drum.powered
    assert stepper.drum.state == deck_codes.DRUM_WAITING
    at = stepper.at
    stepper.run(500)
    assert stepper.at == at
    stepper.leave = True
    stepper.settle()
    assert stepper.off_half_steps(2) <= OFF
    assert not stepper.drum.slipped


def test_no_face_stops_it_where_it_is() -> None:
    stepper = Stepper()
    stepper.show(0)
    stepper.drum.ask(4)
    stepper.run(500)
    stepper.drum.ask(wire.NO_FACE)
    stepper.run(1)
    at = stepper.at
    stepper.run(500)
    assert stepper.at == at
    assert stepper.drum.face == wire.FACES
    stepper.show(4)
    assert stepper.off_half_steps(4) <= OFF


@pytest.mark.parametrize("stuck", [True, False])
def test_a_home_that_is_never_found_is_given_up_and_nothing_moves_any_more(stuck: bool) -> None:
    stepper = Stepper()
    stepper._switch = lambda: None  # type: ignore[method-assign]
    stepper.home.value = not stuck
    stepper.show(3)
    assert stepper.drum.homeless
    assert stepper.drum.state == deck_codes.DRUM_NO_HOME
    assert stepper.moved <= SEEK + SEEK // 2 + 4
    assert not any(coil.value for coil in stepper.coils)
    moved = stepper.moved
    for face in (4, wire.NO_FACE, 5):
        stepper.show(face)
    stepper.run(1000)
    assert stepper.moved == moved
    del stepper._switch
    stepper._switch()
    stepper.show(wire.HOME_FACE)
    assert (stepper.drum.face, stepper.drum.state) == (0, deck_codes.DRUM_STILL)
    stepper.show(5)
    assert stepper.off_half_steps(5) <= OFF


def test_a_deck_without_a_home_switch_gives_up_too() -> None:
    stepper = Stepper(home=False)
    stepper.show(1)
    assert stepper.drum.homeless


@pytest.mark.parametrize("slip", [-300, -40, 40, 300])
def test_a_count_found_wrong_at_home_is_set_right(slip: int) -> None:
    stepper = Stepper()
    stepper.show(6)
    stepper.at += 8 * (slip // 8)  # turned by hand: the rotor stays in step with the coils
    stepper.show(1)  # over home, the shorter way
    assert stepper.off_half_steps(1) <= OFF
    assert stepper.drum.slipped


def test_a_drum_turned_by_hand_to_home_is_found_out_at_the_next_face() -> None:
    stepper = Stepper()
    stepper.show(3)
    stepper.at -= 3 * 509 // 8 * 8 - 504
    stepper.show(2)
    assert stepper.off_half_steps(2) <= OFF
    assert stepper.drum.slipped


def test_a_drum_that_is_held_at_home_finds_no_peace_but_an_end() -> None:
    stepper = Stepper(at=10)
    stepper.jam = True
    stepper.show(3)
    assert stepper.drum.homeless


def test_a_home_switch_that_sticks_after_homing_does_not_make_it_turn_for_ever() -> None:
    stepper = Stepper()
    stepper.show(0)
    stepper._switch = lambda: None  # type: ignore[method-assign]
    stepper.home.value = False
    took_ms = stepper.show(4)
    assert took_ms < MOST_MS
    assert stepper.drum.homeless


@pytest.mark.parametrize("position", [0, FACE_0, FACE_0 + 5 * FACE + FACE // 3, TURN - 1])
def test_the_nearest_face_is_that_of_the_middle(position: int) -> None:
    nearest = min(
        range(8),
        key=lambda face: abs((FACE_0 + face * FACE - position + TURN // 2) % TURN - TURN // 2),
    )
    assert drum.nearest_face(position) == nearest


def test_a_loose_die_has_no_drum_to_turn() -> None:
    loose = Drum(None, None, deck_codes.DRUM_LOOSE)
    loose.ask(3)
    loose.poll(0, True)
    assert not loose.wants
    assert loose.state == deck_codes.DRUM_LOOSE
