"""Recorded traces told again: the same figures, the same verdicts.

The traces in `tests/traces` were recorded by `galley race-test --sim` from two simulated boards that ran the
real firmware behind ptys, both pressed at one instant. Record them anew only when the firmware stamps
otherwise; when only the comparison of clocks changed, the old ones must do at least as well.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from galley import cli
from galley.race_trace import Edge, Entry, gaps, read

TRACES = Path(__file__).resolve().parents[1] / "traces"
TOLD = {
    "sim-keypad": [
        "two simulated boards over ptys, keypad stamps: 24 edges on both boards, true gap 0",
        "error p50 0.26, p95 0.74, p99 0.82, worst 0.82 ms",
        "stated ±2.61 ms (median), which holds 24 of 24",
    ],
    "sim-edges": [
        "two simulated boards over ptys, PIO stamps: 24 edges on both boards, true gap 0",
        "error p50 0.04, p95 0.08, p99 0.11, worst 0.11 ms",
        "stated ±0.74 ms (median), which holds 24 of 24",
    ],
    "sim-edges-uneven": [  # one board has turns of 4 ms
        "two simulated boards over ptys, PIO stamps, +300 and -250 ppm: 24 edges on both boards, true gap 0",
        "error p50 0.07, p95 0.42, p99 0.43, worst 0.43 ms",
        "stated ±0.77 ms (median), which holds 24 of 24",
    ],
}
"""What is said of each trace: its source, the error between the boards, what was stated."""
DECIDED_US = {"sim-keypad": 5000, "sim-edges": 2000, "sim-edges-uneven": 3000}
"""A gap at which nothing is withheld."""


def entries_of(name: str) -> list[Entry]:
    return read((TRACES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())[1]


def test_every_trace_is_known() -> None:
    races = {path.stem for path in TRACES.iterdir() if not path.stem.startswith("hil-")}
    assert races == set(TOLD)


@pytest.mark.parametrize("name", TOLD)
def test_a_trace_is_told_again_in_the_same_words(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["race-test", "--replay", str(TRACES / f"{name}.jsonl")])
    assert end.value.code == 0
    assert capsys.readouterr().out.splitlines()[:3] == TOLD[name]


@pytest.mark.parametrize("name", TOLD)
def test_one_edge_on_both_boards_is_always_a_dead_heat(name: str) -> None:
    found = gaps(entries_of(name))
    assert len(found) == 24
    assert all(abs(gap.ns) <= gap.uncertainty_ns for gap in found)


@pytest.mark.parametrize("later", ["left", "right"])
@pytest.mark.parametrize("name", TOLD)
def test_the_board_that_came_later_is_told_so_every_time(name: str, later: str) -> None:
    """The same trace with one board's edges moved; the clocks had met only seconds before."""
    apart_us = DECIDED_US[name]
    moved = [
        entry._replace(us=entry.us + apart_us) if isinstance(entry, Edge) and entry.board == later else entry
        for entry in entries_of(name)
    ]
    sign = 1 if later == "right" else -1
    for gap in gaps(moved):
        assert sign * gap.ns > gap.uncertainty_ns
        assert abs(sign * gap.ns - 1000 * apart_us) <= gap.uncertainty_ns
