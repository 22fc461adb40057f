"""What simulated boards said while `tests/hil` ran, told again to fresh links: the same keys come of it.

Made with `pytest tests/hil --hil sim --record FILE -k "every_key or bouncing or reset_board"`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from galley_board import pins
from tests.board.workbench import decoded
from tests.hil.trace import read, replayed

TRACE = Path(__file__).resolve().parents[1] / "traces" / "hil-sim.jsonl"


def keys_of(lines: list[dict[str, Any]], board: str) -> list[dict[str, Any]]:
    """The edges that the trace says came of a board's bytes."""
    wanted = ("key", "down", "stamp_ms", "us")
    return [
        {name: line[name] for name in wanted}
        for line in lines
        if line["ev"] == "key" and line["board"] == board
    ]  # fmt: skip


@pytest.fixture(scope="module")
def lines() -> list[dict[str, Any]]:
    return read(TRACE)


@pytest.mark.parametrize("board", ["left", "right", "deck"])
def test_the_same_bytes_make_the_same_keys(lines: list[dict[str, Any]], board: str) -> None:
    expected = keys_of(lines, board)
    assert replayed(lines)[board] == expected
    every = range(len(pins.KEYS[pins.BOARD_OF_ROLE[board]]))
    assert {edge["key"] for edge in expected} >= set(every), "each key of the board was pressed"


@pytest.mark.parametrize("board", ["left", "right", "deck"])
def test_the_trace_has_a_restart_of_each_board_in_it(lines: list[dict[str, Any]], board: str) -> None:
    said = "".join(line["text"] for line in lines if line["ev"] == "bytes" and line["board"] == board)
    hellos = [fields for kind, fields in decoded(said.encode("latin-1")) if kind == "H"]
    assert len({fields["boot_id"] for fields in hellos}) == 2


def test_what_is_left_of_a_trace_with_gaps_makes_no_other_keys(lines: list[dict[str, Any]]) -> None:
    some = [line for at, line in enumerate(lines) if line["ev"] != "bytes" or at % 7]
    expected = iter(keys_of(lines, "left"))
    found = replayed(some)["left"]
    assert found
    assert all(edge in expected for edge in found), "the same ones, in the same order"


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text('{"trace": "galley race-test", "version": 1}\n', "utf-8")
    with pytest.raises(ValueError, match="is no trace of tests/hil"):
        read(path)
