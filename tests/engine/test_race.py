"""The sequencer: order where it is known, dead heats where it is not, the same however frames come in."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from galley_engine.race import (
    FALSE_START,
    FINE_US,
    LATE,
    LIMIT_NS,
    MIXED_US,
    VOID,
    Press,
    Refused,
    Sequencer,
    before,
    verdict,
)

MS = 1_000_000
SOURCES = ("left", "right", "deck")
BELL = 9


def at(source: str, number: int, ms: float, *, off_ms: float = 0.2, coarse: bool = False) -> Press:
    """A press at `ms` of host time; fine stamps are the time itself, coarse ones its whole milliseconds."""
    ns = round(ms * MS)
    stamp_us = ns // MS * 1000 if coarse else ns // 1000
    return Press(source, number, BELL, ns, round(off_ms * MS), stamp_us, coarse)


def joined(*sources: str) -> Sequencer:
    race = Sequencer()
    for source in sources:
        race.join(source, 0)
    return race


def marked(race: Sequencer, ms: float) -> Sequencer:
    for source in race.sources:
        race.watermark(source, round(ms * MS))
    return race


def drained(race: Sequencer) -> list[tuple[Press, int]]:
    """Take all that can be decided, in a dead heat the one of the last source; with the size of each heat."""
    out = []
    while heat := race.heat():
        chosen = max(heat, key=lambda press: (press.source, -press.number))
        out.append((race.take(chosen), len(heat)))
    return out


def test_nothing_comes_out_before_every_live_link_has_passed_it() -> None:
    race = joined("left", "right")
    press = at("left", 1, 100)
    race.press(press)
    assert race.heat() == ()
    race.watermark("left", 110 * MS)
    assert race.heat() == ()
    race.watermark("right", 110 * MS)
    assert race.heat() == (press,)
    assert race.take(press) == press
    assert race.heat() == ()


def test_a_frame_that_comes_30_ms_late_still_wins_when_it_was_pressed_first() -> None:
    race = joined("left", "right")
    race.press(at("right", 1, 106))
    race.watermark("right", 140 * MS)
    race.watermark("left", 90 * MS)
    assert race.heat() == ()
    race.press(at("left", 1, 100))
    race.watermark("left", 140 * MS)
    assert [press.source for press, _ in drained(race)] == ["left", "right"]


@pytest.mark.parametrize(
    ("gap_ms", "off_ms", "coarse", "heat"),
    [
        (0.0, 0.1, False, True),
        (0.4, 0.2, False, True),  # intervals touch
        (0.41, 0.2, False, False),
        (1.9, 0.2, False, False),
        (1.9, 0.2, True, True),  # keypads cannot tell
        (2.0, 0.2, True, False),
        (2.0, 1.0, True, True),
        (5.0, 1.3, True, False),
        (400.0, 300.0, False, True),  # not synchronised: nothing is known
    ],
)
def test_what_cannot_be_known_is_a_dead_heat(gap_ms: float, off_ms: float, coarse: bool, heat: bool) -> None:
    race = joined("left", "right")
    race.press(at("left", 1, 1000, off_ms=off_ms, coarse=coarse))
    race.press(at("right", 1, 1000 + gap_ms, off_ms=off_ms, coarse=coarse))
    assert len(marked(race, 3000).heat()) == (2 if heat else 1)


def test_one_keypad_stamp_is_enough_for_the_limit_to_hold() -> None:
    coarse, fine = at("left", 1, 100, off_ms=0.1, coarse=True), at("right", 1, 101.5, off_ms=0.1)
    assert not before(coarse, fine)
    assert before(coarse._replace(coarse=False), fine)


def test_presses_of_one_board_are_told_apart_by_its_own_stamps() -> None:
    first, second = at("deck", 1, 100, coarse=True), at("deck", 2, 101, coarse=True)
    assert before(first, second)
    assert not before(second, first)
    tie = second._replace(stamp_us=first.stamp_us)
    assert not before(first, tie)
    assert not before(tie, first)


def test_a_fine_stamp_and_a_keypad_s_of_one_board_need_a_scan_between_them() -> None:
    coarse, fine = at("left", 1, 100, coarse=True), at("left", 2, 101, coarse=False)
    assert not before(coarse, fine)
    assert before(coarse, at("left", 2, 101.1, coarse=False))
    near = at("left", 2, 100.01, coarse=False)
    assert before(near, at("left", 3, 100.02, coarse=False))
    assert verdict(near, at("left", 3, 100.5, coarse=True)).uncertainty_us == MIXED_US
    assert verdict(near, at("left", 3, 100.5, coarse=False)).uncertainty_us == FINE_US


def test_a_chain_of_near_presses_never_lets_one_overtake_a_press_that_was_certainly_before_it() -> None:
    race = joined("left", "right", "deck")
    chain = [at("left", 1, 100), at("right", 1, 100.3), at("deck", 1, 100.6)]
    for press in reversed(chain):
        race.press(press)
    marked(race, 200)
    assert before(chain[0], chain[2])
    assert race.heat() == (chain[0], chain[1])
    race.take(chain[1])
    assert race.heat() == (chain[0],)
    race.take(chain[0])
    assert race.heat() == (chain[2],)


def test_only_a_press_of_the_present_heat_can_be_taken() -> None:
    race = joined("left")
    race.press(at("left", 1, 100))
    late = at("left", 2, 200)
    race.press(late)
    with pytest.raises(ValueError, match="heat"):
        marked(race, 300).take(late)


def test_a_press_given_again_is_the_same_press_with_better_times() -> None:
    race = joined("left", "right")
    race.press(at("left", 1, 100, off_ms=5))
    race.press(at("right", 1, 101, off_ms=0.1))
    race.press(at("left", 1, 100, off_ms=0.1))
    assert [size for _, size in drained(marked(race, 200))] == [1, 1]
    race.press(at("left", 1, 100, off_ms=0.1))
    assert race.pending() == ()
    assert race.refused() == []


def test_a_stale_link_voids_what_has_not_come_out_and_what_still_comes_from_before() -> None:
    race = joined("left", "right")
    waiting = at("right", 1, 100)
    race.press(waiting)
    race.void("left", 850 * MS)
    assert race.refused() == [Refused(waiting, VOID)]
    early, later = at("right", 2, 849), at("right", 3, 860)
    race.press(early)
    race.press(later)
    assert race.refused() == [Refused(early, VOID)]
    race.watermark("right", 900 * MS)
    assert race.heat() == (later,)


def test_a_board_that_comes_back_counts_its_presses_anew() -> None:
    race = joined("left")
    race.press(at("left", 40, 100))
    assert len(drained(marked(race, 200))) == 1
    race.void("left", 300 * MS)
    lost = at("left", 41, 350)
    race.press(lost)
    assert race.refused() == [Refused(lost, VOID)]
    race.join("left", 400 * MS)
    again = at("left", 1, 500)
    race.press(again)
    assert marked(race, 600).heat() == (again,)


def test_a_board_that_is_away_holds_nothing_up() -> None:
    race = joined("left", "right")
    race.void("right", 50 * MS)
    race.watermark("right", 60 * MS)
    race.press(at("left", 1, 100))
    race.watermark("left", 200 * MS)
    assert len(race.heat()) == 1


def test_a_press_that_its_own_watermark_had_ruled_out_never_reaches_the_game() -> None:
    race = joined("left", "right")
    marked(race, 200)
    late = at("left", 1, 150)
    race.press(late)
    assert race.refused() == [Refused(late, LATE)]
    assert race.heat() == ()


def test_a_press_that_is_hardly_known_was_at_least_made_after_its_own_watermark() -> None:
    race = joined("left", "right")
    race.press(at("right", 1, 100))
    marked(race, 200)
    vague = at("left", 1, 150, off_ms=900)
    race.press(vague)
    (first,) = race.heat()
    assert first.source == "right"
    race.take(first)
    (known,) = race.pending()
    assert (known.early_ns, known.late_ns) == (200 * MS, vague.late_ns)
    better = at("left", 1, 230)
    race.press(better)
    assert race.pending() == (better,)


def test_a_press_5_ms_before_go_is_a_false_start_and_the_start_is_idempotent() -> None:
    race = joined("left", "right")
    race.arm(100 * MS)
    race.arm(900 * MS)
    early, good = at("left", 1, 995), at("right", 1, 1005)
    race.press(early)
    race.go(1000 * MS)
    race.go(1100 * MS)
    race.press(good)
    assert marked(race, 1200).heat() == (good,)
    assert race.refused() == [Refused(early, FALSE_START)]


def test_a_press_is_no_false_start_in_doubt_nor_outside_the_gate() -> None:
    race = joined("left")
    before_gate, doubtful = at("left", 1, 99), at("left", 2, 999.9)
    race.arm(100 * MS)
    race.go(1000 * MS)
    for press in (before_gate, doubtful):
        race.press(press)
    assert [press for press, _ in drained(marked(race, 2000))] == [before_gate, doubtful]
    assert race.refused() == []


def test_while_the_gate_is_shut_every_press_is_a_false_start() -> None:
    race = joined("left")
    race.arm(100 * MS)
    race.press(at("left", 1, 500))
    assert marked(race, 600).heat() == ()
    assert [refused.why for refused in race.refused()] == [FALSE_START]


def test_a_verdict_says_the_gap_its_uncertainty_and_whether_it_is_a_dead_heat() -> None:
    first, second = at("left", 1, 100, off_ms=0.1), at("right", 1, 106.4, off_ms=0.2)
    found = verdict(first, second)
    assert json.loads(json.dumps(found.json())) == {
        "gap_us": 6400,
        "uncertainty_us": 300,
        "heat": False,
        "over": ["right", BELL],
    }
    assert verdict(first, at("right", 1, 100.2)).heat
    assert verdict(second, first).heat  # taken first by rule, not by time


def test_a_verdict_within_one_board_is_told_by_its_own_clock() -> None:
    found = verdict(at("deck", 1, 100, coarse=True, off_ms=1.3), at("deck", 2, 103, coarse=True, off_ms=1.3))
    assert (found.gap_us, found.uncertainty_us, found.heat) == (3000, 1000, False)


# -- whatever comes in whatever order -----------------------------------------------------------------

TIMES = st.lists(
    st.tuples(st.integers(0, 12_000), st.integers(0, 3000), st.booleans()), min_size=0, max_size=6
)


def presses_of(source: str, drawn: Sequence[tuple[int, int, bool]]) -> list[Press]:
    """Presses in the order in which their board saw them; times in µs."""
    found = []
    for number, (us, off_us, coarse) in enumerate(sorted(drawn)):
        stamp_us = us // 1000 * 1000 if coarse else us
        found.append(Press(source, number, number, us * 1000, off_us * 1000, stamp_us, coarse))
    return found


def played(boards: dict[str, list[Press]], turns: list[int]) -> list[tuple[Press, int]]:
    """Let the boards' frames come in as `turns` says: each board's in order, watermarks when told."""
    race = Sequencer()
    for source in boards:
        race.join(source, -(10**12))
    left = {source: list(presses) for source, presses in boards.items()}
    out: list[tuple[Press, int]] = []
    names = sorted(boards)
    for turn in turns:
        source, tells = names[turn % len(names)], turn // len(names) % 3
        if left[source] and tells:
            race.press(left[source].pop(0))
        if tells != 1:
            race.watermark(source, min((p.early_ns for p in left[source]), default=10**12) - 1)
        out += drained(race)
    for source in names:
        while left[source]:
            race.press(left[source].pop(0))
        race.watermark(source, 10**12)
        out += drained(race)
    assert race.refused() == []
    return out


@given(st.lists(TIMES, min_size=1, max_size=3), st.lists(st.integers(0, 8), max_size=60))
def test_the_result_is_the_same_for_any_interleaving_and_any_delay(
    drawn: list[list[tuple[int, int, bool]]], turns: list[int]
) -> None:
    boards = {source: presses_of(source, times) for source, times in zip(SOURCES, drawn, strict=False)}
    assert played(boards, turns) == played(boards, [])


@given(st.lists(TIMES, min_size=1, max_size=3), st.lists(st.integers(0, 8), max_size=60))
def test_no_press_comes_out_before_one_that_was_certainly_made_before_it(
    drawn: list[list[tuple[int, int, bool]]], turns: list[int]
) -> None:
    boards = {source: presses_of(source, times) for source, times in zip(SOURCES, drawn, strict=False)}
    out = [press for press, _ in played(boards, turns)]
    assert sorted(out) == sorted(press for presses in boards.values() for press in presses)
    for place, press in enumerate(out):
        assert not any(before(later, press) for later in out[place + 1 :])


@given(TIMES, TIMES)
def test_a_decided_order_is_the_true_one(
    left: list[tuple[int, int, bool]], right: list[tuple[int, int, bool]]
) -> None:
    """Wherever in its interval each press truly was: a heat of one was first."""
    for one in presses_of("left", left):
        for other in presses_of("right", right):
            if before(one, other):
                assert one.late_ns < other.early_ns
                assert not (one.coarse or other.coarse) or other.ns - one.ns >= LIMIT_NS


def test_a_source_that_nobody_need_wait_for_leaves_the_others_racing() -> None:
    race = Sequencer()
    for source in ("left", "right", "deck"):
        race.join(source, 0)
    race.press(Press("left", 1, 9, 10_000_000, 100_000, 10_000))
    race.press(Press("deck", 1, 0, 11_000_000, 100_000, 11_000))
    race.watermark("left", 40_000_000)
    race.watermark("right", 40_000_000)
    assert race.heat() == ()
    race.leave("deck")
    assert [press.source for press in race.heat()] == ["left"]
    assert [(refused.press.source, refused.why) for refused in race.refused()] == [("deck", "void")]
