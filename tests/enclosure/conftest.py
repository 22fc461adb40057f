"""Models of the boxes for these tests, built once each; and the marker `cad` for tests that need the CAD
kernel.
"""

from __future__ import annotations

import importlib.util
from copy import copy
from dataclasses import fields, replace
from functools import lru_cache

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


@pytest.fixture(scope="session")
def boxes() -> Boxes:
    return Boxes()
