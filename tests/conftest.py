"""What holds for every test: where there should be nothing missing, nothing is skipped for being missing.

A test that cannot run on somebody's machine skips with a reason that begins with "needs ": "needs chromium",
"needs mpy-cross". Continuous integration has all of these, so with CI set in the environment such a skip is a
failure there. Only "needs real boards" stays a skip: no machine has those by itself.

Measurements, long runs and runs on boards (LONG) are left out unless `-m` names them, whatever else it says:
`-m "not cad"` is the quick suite, `-m bench` the measurements; `--hil` names the boards for `tests/hil` and
asks for these tests.

Whole folders run on all cores, a file of tests on each; what is named, measured or long runs by itself.

Whatever a test starts keeps its data in a folder of this run, never in that of the person who runs the tests.
"""

import os
import re
from collections.abc import Generator
from tempfile import TemporaryDirectory

import pytest

CI = os.environ.get("CI", "").lower() not in {"", "0", "false"}
MAY_BE_MISSING = "needs real boards"
LONG = {"bench", "hil", "soak"}


DATA = pytest.StashKey[TemporaryDirectory[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("galley", "boards to test on")
    group.addoption("--hil", metavar="ROLE=PORT,...", help="Boards for tests/hil, or sim to simulate them.")
    group.addoption("--rig", metavar="PORT", help="What presses their keys: a port, or tcp:HOST:PORT.")
    group.addoption("--record", metavar="FILE", help="Write what the boards said as lines of JSON.")
    group = parser.getgroup("galley-soak", "how long to let things fail")
    group.addoption("--minutes", type=float, default=1.0, help="How long the soak of -m soak lasts.")
    group.addoption("--fault-seed", type=int, metavar="N", help="Which faults it has; by chance without.")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[DATA] = folder = TemporaryDirectory(prefix="galley-tests-")
    os.environ["GALLEY_DATA"] = folder.name
    if config.pluginmanager.hasplugin("hypothesispytest"):
        from hypothesis import HealthCheck, settings

        # how quick an example is says more of what else the machine does than of what is tested
        quiet = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
        settings.register_profile("whatever-the-load", quiet)
        settings.load_profile("whatever-the-load")


def pytest_unconfigure(config: pytest.Config) -> None:
    config.stash[DATA].cleanup()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    folders = all(os.path.isdir(named) for named in config.args)
    return (os.cpu_count() or 1) if folders and not _asked_for(config) else 0


def _asked_for(config: pytest.Config) -> set[str]:
    """Of LONG, what the command line wants: `-m "not soak"` does not."""
    asked = LONG & set(re.findall(r"\w+", re.sub(r"\bnot\s+\w+", "", config.getoption("markexpr"))))
    return asked if config.getoption("hil") is None else asked | {"hil"}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = LONG - _asked_for(config)
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
