"""`galley race-test`: the figures of a trace, from the model, from boards, and from a file again."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from galley import cli, histogram
from galley.race_live import NoBoard, Pairing, recorded
from galley.race_test_cli import KINDS, STAMPS, modelled
from galley.race_trace import BOARDS, BadTrace, Edge, Entry, Exchange, Start, gaps, read, written
from galley.sim.link_model import KINDS as MODELS

HEADER = '{"trace": "galley race-test", "version": 1, "source": "x"}\n'


def called(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        cli.main(["race-test", *arguments])
    said = capsys.readouterr()
    assert isinstance(end.value.code, int)
    return end.value.code, said.out, said.err


def test_the_command_knows_the_kinds_of_the_model() -> None:
    assert tuple(MODELS) == KINDS


def test_a_trace_comes_back_from_its_file_as_it_was() -> None:
    entries = modelled("1 ms stamps", 50, 3)
    assert read(written(entries, "here")) == ("here", entries)
    assert gaps(read(written(entries, "here"))[1]) == gaps(entries)


@pytest.mark.parametrize("kind", ["quiet", "reset", "all at once"])
def test_every_error_of_a_modelled_trace_is_within_what_is_stated(kind: str) -> None:
    found = gaps(modelled(kind, 400, 1))
    assert len(found) > 380
    assert all(abs(gap.ns) <= gap.uncertainty_ns for gap in found)
    assert len({gap.ns for gap in found}) > 300


def test_a_recorded_trace_is_told_again_in_the_same_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace, picture = tmp_path / "trace.jsonl", tmp_path / "errors.svg"
    first = called(capsys, "--edges", "300", "--seed", "5", "--record", str(trace), "--svg", str(picture))
    again = called(capsys, "--replay", str(trace))
    assert first == again
    assert first[0] == 0
    assert "300 edges on both boards, true gap 0" in first[1]
    assert first[1].count("|") >= 10
    drawn = ElementTree.fromstring(picture.read_text(encoding="utf-8"))
    names = {"s": "http://www.w3.org/2000/svg"}
    assert drawn.findtext("s:title", None, names) == "Between two boards: link model, quiet, seed 5"
    assert "p99" in str(drawn.findtext("s:desc", None, names))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("nonsense\n", "line 1"),
        (HEADER.replace("1", "9"), "version 1"),
        (HEADER + '{"board": "deck", "edge": 1}\n', "'deck'"),
        (HEADER + '{"board": "left"}\n', "line 2"),
        (HEADER + '{"board": "left", "exchange": [1, 2, 3, true]}\n', "whole numbers"),
    ],
)
def test_a_file_that_is_no_trace_is_refused_with_the_line(
    text: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(BadTrace, match=says):
        read(text.splitlines())
    path = tmp_path / "bad.jsonl"
    path.write_text(text)
    status, _, error = called(capsys, "--replay", str(path))
    assert status == 2
    assert says in error
    assert error.count("\n") == 1


def test_a_trace_without_edges_has_nothing_to_tell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "none.jsonl"
    path.write_text("\n".join(written([Exchange("left", 0, 5, 5, 1000)], "x")))
    status, _, error = called(capsys, "--replay", str(path))
    assert status == 1
    assert "no edge" in error


def test_an_edge_that_one_board_missed_is_left_out() -> None:
    entries = modelled("quiet", 30, 2)
    lacking = [entry for entry in entries if not (isinstance(entry, Edge) and entry == entries_edge(entries))]
    assert len(gaps(lacking)) == len(gaps(entries)) - 1


def entries_edge(entries: list[Entry]) -> Edge:
    return next(entry for entry in entries if isinstance(entry, Edge) and entry.number == 9)


def test_a_wrong_call_is_told_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, error = called(capsys, "--connect", "/dev/nowhere")
    assert (status, error.count("\n")) == (2, 1)
    assert "twice" in error
    for wrong in (("--sim", "pio", "--connect", "a"), ("--sim", "pio", "--replay", "a")):
        status, _, error = called(capsys, *wrong)
        assert (status, error.count("\n")) == (2, 1)
        assert "leave" in error


@pytest.mark.parametrize("stamps", STAMPS)
def test_two_simulated_boards_are_measured_as_a_museum_would(
    stamps: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "errors.svg"
    status, said, error = called(
        capsys, "--sim", stamps, "--edges", "4", "--seconds", "20", "--svg", str(picture)
    )
    assert status == 0
    assert said.startswith(f"two simulated boards, {stamps} stamps: 4 edges on both boards, true gap 0\n")
    assert "which holds 4 of 4" in said
    assert error.endswith("4 edges\n")
    assert ElementTree.fromstring(picture.read_text(encoding="utf-8")).tag.endswith("svg")
    stated_ms = float(said.split("stated ±")[1].split()[0])
    assert (stated_ms < 2) == (stamps == "pio")


@pytest.mark.parametrize("late", [0, 1, 2, 5])
def test_edges_pair_by_when_they_were_made_however_late_they_come(late: int) -> None:
    pairing, edges = Pairing(), 12
    made = [("left", number) for number in range(edges)] + [("right", number) for number in range(edges)]
    came = sorted(made, key=lambda edge: (edge[1] + (late if edge[0] == "right" else 0), edge[0]))
    numbers = {(board, edge): pairing.number(board, edge * 200_000_000) for board, edge in came}
    assert pairing.pairs == edges
    assert all(numbers["left", edge] == numbers["right", edge] for edge in range(edges))
    assert len(set(numbers.values())) == edges


@pytest.mark.parametrize("mute", [False, True])
def test_a_port_that_cannot_be_opened_is_refused_at_once(
    mute: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("galley.race_live.LIVE_WITHIN_S", 600.0)
    far, near = os.openpty()
    status, said, error = called(
        capsys, "--connect", os.ttyname(near) if mute else "/dev/none", "--connect", "/dev/nowhere"
    )
    os.close(near)
    os.close(far)
    assert (status, said, error.count("\n")) == (1, "", 1)
    assert ("right: /dev/nowhere" if mute else "left: /dev/none") in error
    assert error.endswith("no such port: plug the board in, or name another port\n")


def test_a_port_without_a_board_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("galley.race_live.LIVE_WITHIN_S", 0.3)
    told: list[int] = []
    pairs = [os.openpty() for _ in BOARDS]
    with pytest.raises(NoBoard, match=r"left: /dev/.*: no board answers: check the cable"):
        recorded([os.ttyname(near) for _, near in pairs], 1, 1.0, told.append)
    for far, near in pairs:
        os.close(near)
        os.close(far)
    assert told == []


def test_a_trace_of_boards_whose_clocks_lag_allows_for_it_and_begins_anew_with_each_hello() -> None:
    """A lag moves stamps about: what is stated without it would be too little."""
    entries = modelled("quiet", 60, 4)
    lagging = [*(Start(board, 500) for board in BOARDS), *entries]
    found, plain = gaps(lagging), gaps(entries)
    assert all(
        gap.uncertainty_ns > other.uncertainty_ns + 400_000 for gap, other in zip(found, plain, strict=True)
    )
    assert read(written(lagging, "here")) == ("here", lagging)
    middle = len(entries) // 2
    again = gaps([*entries[:middle], Start("left", 0), *entries[middle:]])
    assert len(again) >= len(plain) - 1
    assert all(abs(gap.ns) <= gap.uncertainty_ns for gap in again)


def test_a_histogram_counts_every_value_once() -> None:
    values = [0.01 * number for number in range(-100, 101)] + [900.0]
    found, width = histogram.bars(values)
    assert sum(bar.values for bar in found) == len(values)
    assert 5 <= len(found) <= 25
    assert all(later.start - bar.start == pytest.approx(width) for bar, later in pairwise(found))


@pytest.mark.parametrize("values", [[0.0], [5.0, 5.0], [-1e-9, 1e-9]])
def test_a_histogram_of_next_to_nothing_is_still_one(values: list[float]) -> None:
    found, _ = histogram.bars(values)
    assert sum(bar.values for bar in found) == len(values)
    assert len(histogram.text(values, "ms")) == len(found)
