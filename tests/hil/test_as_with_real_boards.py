"""Boards and rig in another process, named by port and TCP address, as with real boards."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

import pytest

from tests.loop.box_process import ROOT

pytestmark = pytest.mark.hil

SOME = "one_that_was_named or bouncing or one_instant or guard_opens"
TIMEOUT_S = 120


def pytest_on(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "tests/hil", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=ROOT,
        env={**os.environ, "CI": ""},  # there a skip would be a failure
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


@pytest.fixture(autouse=True)
def _simulated(pytestconfig: pytest.Config) -> None:
    if pytestconfig.getoption("hil") != "sim":
        pytest.skip("needs --hil sim: boards are named once already")


def test_ports_and_a_rig_over_tcp_do_what_the_inside_does() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.hil.sim_table"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as table:
        assert table.stdin is not None
        assert table.stdout is not None
        try:
            options = table.stdout.readline().split()
            done = pytest_on([*options, "-k", SOME])
            assert done.returncode == 0, done.stdout
            assert "skipped" not in done.stdout
            without = pytest_on([*options[:2], "-k", "bouncing"])
            assert without.returncode == 0, without.stdout
            assert "needs a rig: name its port with --rig" in without.stdout
        finally:
            table.stdin.close()
            table.wait(TIMEOUT_S)


@pytest.mark.parametrize(
    "arguments, status, sentence",
    [
        (["--hil", "middle=/dev/ttyACM0"], pytest.ExitCode.USAGE_ERROR, "write left=PORT"),
        (["--hil", "left=/dev/null", "--rig", "tcp:127.0.0.1:1"], 1, "check the address"),
    ],
)
def test_what_cannot_be_used_is_said(arguments: list[str], status: int, sentence: str) -> None:
    done = pytest_on(arguments)
    assert done.returncode == status
    assert sentence in done.stdout + done.stderr
