"""One table for all tests of a run: boards are opened once, each test begins with all of them live and dark.

Tests are coroutines on one event loop, because simulated boards and links live on it.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from galley.transport import PortError
from tests.hil.table import BadPlaces, Table, places_of
from tests.hil.trace import Trace

RUNNER = pytest.StashKey[asyncio.Runner]()
PLACES = pytest.StashKey[dict[str, str] | None]()


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    hil = config.getoption("hil")
    try:
        config.stash[PLACES] = None if hil in (None, "sim") else places_of(hil)
    except BadPlaces as error:
        raise pytest.UsageError(str(error)) from error


@pytest.fixture(scope="session")
def whole_table(pytestconfig: pytest.Config) -> Iterator[Table]:
    hil = pytestconfig.getoption("hil")
    if hil is None:
        pytest.skip("needs real boards")
    with ExitStack() as stack:
        trace = None
        if (path := pytestconfig.getoption("record")) is not None:
            file = stack.enter_context(open(path, "w", encoding="utf-8"))
            trace = Trace(file, f"tests/hil --hil {hil}", time.monotonic_ns())
        pytestconfig.stash[RUNNER] = runner = stack.enter_context(asyncio.Runner())
        made: list[Table] = []

        async def opened() -> None:
            made.append(Table(pytestconfig.stash[PLACES], trace))
            await made[0].open(pytestconfig.getoption("rig"))

        try:
            try:
                runner.run(opened())
            except (PortError, TimeoutError) as error:
                pytest.exit(
                    f"--hil {hil}: {str(error) or 'a board or the rig does not answer'}", returncode=1
                )
            yield made[0]
        finally:
            if made:
                runner.run(made[0].close())


@pytest.fixture
def table(whole_table: Table, pytestconfig: pytest.Config) -> Table:
    pytestconfig.stash[RUNNER].run(whole_table.fresh())
    return whole_table


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = inspect.signature(pyfuncitem.obj).parameters
    arguments = {name: pyfuncitem.funcargs[name] for name in wanted}
    pyfuncitem.config.stash[RUNNER].run(pyfuncitem.obj(**arguments))
    return True
