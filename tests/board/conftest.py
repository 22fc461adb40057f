"""The bench as a fixture."""

from collections.abc import Iterator

import pytest

from tests.board import workbench


@pytest.fixture
def bench() -> Iterator[workbench.Bench]:
    with workbench.bench() as made:
        yield made
