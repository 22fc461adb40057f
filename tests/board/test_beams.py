"""Beams: broken by what falls, not by the sun; what blocks one at the start does not count."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley_board import wire
from galley_board.beams import LIT_MS, PERIOD_MS, Beams

MOST = (1 << wire.FALL_BITS) - 1
START_MS = wire.TICKS_MS_PERIOD - 500


class Receiver:
    """High while it sees light: its emitter's, or the room's."""

    def __init__(self, strobe: SimpleNamespace) -> None:
        self.strobe = strobe
        self.broken = False
        self.ambient = False

    @property
    def value(self) -> bool:
        return self.ambient or (self.strobe.value and not self.broken)


class Holes:
    """Four holes, looked at every millisecond."""

    def __init__(self, fitted: int = 4, blocked: tuple[int, ...] = (), bright: tuple[int, ...] = ()) -> None:
        self.strobe = SimpleNamespace(value=False)
        self.receivers = [Receiver(self.strobe) for _ in range(4)]
        for hole in blocked:
            self.receivers[hole].broken = True
        for hole in bright:
            self.receivers[hole].ambient = True
        self.beams = Beams(
            self.strobe, tuple(r if n < fitted else None for n, r in enumerate(self.receivers))
        )
        self.beams.look(True)
        self.beams.look(False)
        self.ms = 0
        self.lit_ms = 0

    def run(self, ms: int) -> int:
        """The bits of all beams that were broken at some time."""
        seen = 0
        for _ in range(ms):
            self.beams.poll((START_MS + self.ms) % wire.TICKS_MS_PERIOD)
            seen |= self.beams.broken
            self.lit_ms += self.strobe.value
            self.ms += 1
        return seen


@pytest.mark.parametrize("hole", range(4))
def test_what_falls_through_a_hole_breaks_its_beam_and_no_other(hole: int) -> None:
    holes = Holes()
    assert holes.run(200) == 0
    holes.receivers[hole].broken = True
    assert holes.run(PERIOD_MS + LIT_MS) == 1 << hole
    holes.receivers[hole].broken = False
    holes.run(3 * PERIOD_MS)
    assert holes.beams.broken == 0


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 3), max_size=12), st.integers(0, 3), st.integers(0, 200))
def test_each_fall_is_counted_once_at_its_hole_and_the_count_wraps(
    fallen: list[int], often: int, times: int
) -> None:
    holes = Holes()
    holes.beams.falls = (times & MOST) << often * wire.FALL_BITS
    for hole in fallen:
        holes.receivers[hole].broken = True
        holes.run(150)
        holes.receivers[hole].broken = False
        holes.run(100)
    counts = [holes.beams.falls >> hole * wire.FALL_BITS & MOST for hole in range(4)]
    assert counts == [fallen.count(hole) + (times if hole == often else 0) & MOST for hole in range(4)]
    assert holes.beams.falls <= wire.FALLS_MAX


def test_a_beam_that_does_not_count_yet_counts_no_fall() -> None:
    holes = Holes(blocked=(2,))
    holes.run(500)
    holes.receivers[2].broken = False
    holes.run(100)
    assert holes.beams.falls == 0
    holes.receivers[2].broken = True
    holes.run(100)
    assert holes.beams.falls == 1 << 2 * wire.FALL_BITS


def test_the_emitters_are_lit_for_a_tenth_of_the_time() -> None:
    holes = Holes()
    holes.run(1000)
    assert holes.lit_ms <= 110


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.integers(1, 60)), max_size=20))
def test_light_from_outside_never_breaks_a_beam(changes: list[tuple[int, bool, int]]) -> None:
    holes = Holes()
    for hole, bright, ms in changes:
        holes.receivers[hole].ambient = bright
        assert holes.run(ms) == 0


def test_a_beam_that_is_broken_stays_so_while_the_sun_shines_in() -> None:
    holes = Holes()
    holes.receivers[1].broken = True
    holes.run(50)
    holes.receivers[1].ambient = True
    holes.run(500)
    assert holes.beams.broken == 2, "light while it should be dark says nothing"
    holes.receivers[1].ambient = holes.receivers[1].broken = False
    holes.run(100)
    assert holes.beams.broken == 0


def test_a_beam_blocked_at_the_start_is_ignored_until_it_is_free() -> None:
    holes = Holes(blocked=(2,))
    assert holes.beams.ignored == 4
    version = holes.beams.version
    assert holes.run(500) == 0
    holes.receivers[2].broken = False
    holes.run(100)
    assert holes.beams.ignored == 0
    assert holes.beams.version == version + 1
    holes.receivers[2].broken = True
    assert holes.run(50) == 4


@pytest.mark.parametrize("fitted", range(5))
def test_holes_without_a_receiver_are_never_broken(fitted: int) -> None:
    holes = Holes(fitted)
    assert holes.beams.fitted == (1 << fitted) - 1
    for receiver in holes.receivers:
        receiver.broken = True
    assert holes.run(100) == (1 << fitted) - 1


def test_where_no_receiver_answers_the_emitters_stay_dark() -> None:
    holes = Holes(bright=(0, 1, 2, 3))  # pulled up: that is how a pin without a receiver looks
    assert holes.beams.fitted == 0
    holes.run(500)
    assert holes.lit_ms == 0


def test_a_receiver_blinded_at_the_start_counts_once_it_sees() -> None:
    holes = Holes(bright=(3,))
    assert holes.beams.fitted == 7
    holes.receivers[3].ambient = False
    holes.run(100)
    holes.receivers[3].broken = True
    assert holes.run(50) == 8


def test_stopped_it_is_dark() -> None:
    holes = Holes()
    while not holes.strobe.value:
        holes.run(1)
    holes.beams.stop()
    assert not holes.strobe.value


def test_without_a_strobe_there_are_no_beams() -> None:
    strobe = SimpleNamespace(value=True)
    beams = Beams(None, tuple(Receiver(strobe) for _ in range(4)))
    beams.look(True)
    beams.look(False)
    beams.poll(0)
    assert (beams.fitted, beams.broken) == (0, 0)
