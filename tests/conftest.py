"""What holds for every test: where there should be nothing missing, nothing is skipped for being missing.

A test that cannot run on somebody's machine skips with a reason that begins with "needs ": "needs chromium",
"needs mpy-cross". Continuous integration has all of these, so with CI set in the environment such a skip is a
failure there. Only "needs real boards" stays a skip: no machine has those by itself.

Measurements, long runs and runs on boards (LONG) are left out unless `-m` names them, whatever else it says:
`-m "not cad"` is the quick suite, `-m bench` the measurements.
"""

import os
import re
from collections.abc import Generator

import pytest

CI = os.environ.get("CI", "").lower() not in {"", "0", "false"}
MAY_BE_MISSING = "needs real boards"
LONG = {"bench", "hil", "soak"}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = LONG - set(re.findall(r"\w+", config.getoption("markexpr")))
    unwanted = [item for item in items if left_out & {mark.name for mark in item.iter_markers()}]
    if unwanted:
        config.hook.pytest_deselected(items=unwanted)
        items[:] = [item for item in items if item not in set(unwanted)]


def _fail_if_something_is_missing(report: pytest.TestReport | pytest.CollectReport) -> None:
    reason = report.longrepr[2].removeprefix("Skipped: ") if isinstance(report.longrepr, tuple) else ""
    if CI and report.skipped and reason.startswith("needs ") and reason != MAY_BE_MISSING:
        report.outcome = "failed"
        report.longrepr = f"CI must have what this test needs, but it was skipped: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _fail_if_something_is_missing(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _fail_if_something_is_missing(report)
    return report
