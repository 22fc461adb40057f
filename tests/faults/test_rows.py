"""Every fault that others met has its tests: `rows.toml` is the list, and where each row of it is held.

The tests may stand anywhere. What is named there must exist, so that a renamed test is noticed.
"""

from __future__ import annotations

import ast
import importlib
import tomllib
from functools import cache
from pathlib import Path

import pytest

from galley.sim.fault_plan import KNOBS, RANDOM, Fault, Plan, noise, parse

TESTS = Path(__file__).resolve().parents[1]
ROWS = tomllib.loads((TESTS / "faults/rows.toml").read_text("utf-8"))


@cache
def names_in(path: str) -> frozenset[str]:
    file = TESTS / path
    assert file.is_file(), f"{path} is gone"
    return frozenset(
        node.name for node in ast.parse(file.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)
    )


@pytest.mark.parametrize("row", ROWS)
def test_the_tests_of_a_row_exist(row: str) -> None:
    fault, *files = ROWS[row]
    assert (fault, bool(files)) == ("fault", True)
    for path in files:
        for name in ROWS[row][path]:
            assert name in names_in(path), f"{path}::{name}, which holds {ROWS[row]['fault']!r}, is gone"


@pytest.mark.parametrize("knob", KNOBS)
def test_every_knob_is_there(knob: str) -> None:
    module, place = KNOBS[knob]
    found: object = importlib.import_module(f"galley.sim.{module}")
    for name in place.split("."):
        fields = getattr(found, "__dataclass_fields__", {})
        found = fields[name] if name in fields else getattr(found, name)


def test_a_plan_is_made_again_by_its_seed_and_each_fault_by_its_line() -> None:
    plan = Plan(7, 120_000, ("left", "right"), 500)
    faults = plan.faults()
    assert faults == Plan(7, 120_000, ("left", "right"), 500).faults()
    assert faults != Plan(8, 120_000, ("left", "right"), 500).faults()
    assert {fault.knob for fault in faults} == set(RANDOM)
    assert [fault.at_ms for fault in faults] == sorted(fault.at_ms for fault in faults)
    for fault in faults:
        if fault.knob in KNOBS:
            assert parse(str(fault)) == fault
    assert parse("1200 left inject to_host AT\\r") == Fault(1200, "left", "inject", ("to_host", "AT\\r"))
    assert noise("AT\\r") == b"AT\r"
    with pytest.raises(ValueError, match="no knob burn"):
        parse("5 left burn 3")
