"""Models of the boxes for these tests, built once each; and the marker `cad` for tests that need the CAD
kernel.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from copy import copy
from dataclasses import fields, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pytest

from galley_enclosure.boxes import build_box
from galley_enclosure.model import Model
from galley_enclosure.params import load_preset


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "cad: needs the CAD kernel (extra `cad`); the slow half of the enclosure's tests"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if importlib.util.find_spec("build123d") is not None:
        return
    for item in items:
        if item.get_closest_marker("cad"):
            item.add_marker(pytest.mark.skip(reason="needs the cad extra"))


@lru_cache(maxsize=64)
def _model(preset: str, box: str, changes: tuple[tuple[str, float | str], ...]) -> Model:
    stock = {k: v for k, v in changes if k in ("t", "kerf", "play", "pitch", "buttons", "cells")}
    size = {k: float(v) for k, v in changes if k in ("w", "d", "h")}
    board = next((str(v) for k, v in changes if k == "board"), "pi5")
    p = load_preset(preset, **stock)
    return build_box(box, p.stock, p.build, size.get("w"), size.get("d"), size.get("h"), board)


class Boxes:
    """Builds boxes; the same box is built once and must not be changed."""

    def __call__(self, box: str, preset: str = "birch4", /, **changes: float | str) -> Model:
        return _model(preset, box, tuple(sorted(changes.items())))

    def fresh(self, box: str, preset: str = "birch4", /, **changes: float | str) -> Model:
        """A box of one's own, to be spoiled: its lists are copies, what is in them cannot change."""
        model = self(box, preset, **changes)
        return replace(model, **{f.name: copy(getattr(model, f.name)) for f in fields(model)})


class Coupon(NamedTuple):
    """A child process that builds the coupon into `folder`, and fails if that loads the CAD kernel."""

    process: subprocess.Popen[str]
    folder: Path


@pytest.fixture(scope="session", autouse=True)
def coupon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Coupon]:
    """Begun with the first test of this folder, so that it runs beside the others."""
    folder = tmp_path_factory.mktemp("coupon")
    code = (
        "import runpy, sys\n"
        f"sys.argv[1:] = ['build', 'coupon', '--out', {str(folder)!r}, '--no-solids']\n"
        "try:\n"
        "    runpy.run_module('galley_enclosure', run_name='__main__')\n"
        "finally:\n"
        "    from galley_enclosure import solids, stepfiles, checks_solid\n"
        "    assert 'build123d' not in sys.modules and 'OCP' not in sys.modules\n"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        yield Coupon(process, folder)
        process.communicate()


@pytest.fixture(scope="session")
def boxes() -> Boxes:
    return Boxes()
