"""Every number a maker may choose: the sheet, the printer, the size of each box.

Presets are TOML files beside the code (`presets/`); a command-line value replaces the preset's. Numbers
that follow from bought parts are not here but in `parts`; numbers that follow from both are computed in
`station`, `deck` and `pi_tray`. All lengths are millimetres. Values that cannot be used raise `BadInput`,
which names the value and the remedy.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Any


class BadInput(ValueError):
    """A value the maker gave cannot be used; the text is one sentence with the value and the remedy."""


class CannotBuild(ValueError):
    """The numbers are well formed but no such box exists; the text says which rule is broken and by how
    much.
    """


def _within(what: str, value: float, low: float, high: float) -> None:
    if not math.isfinite(value) or not low <= value <= high:
        raise BadInput(f"{what} is {value:g} mm: choose a value from {low:g} to {high:g} mm.")


@dataclass(frozen=True, slots=True)
class Stock:
    """The sheet. `t` thickness as measured, `kerf` full width of the laser's cut, `play` gap at each
    finger flank.
    """

    material: str
    t: float
    kerf: float
    play: float
    pitch: float
    sheet_w: float
    sheet_h: float

    def __post_init__(self) -> None:
        _within("thickness (--t)", self.t, 2.0, 8.0)
        _within("kerf (--kerf)", self.kerf, 0.0, 0.5)
        _within("play (--play)", self.play, 0.0, 0.3)
        _within("finger pitch (--pitch)", self.pitch, 8.0, 60.0)
        _within("sheet width (--sheet)", self.sheet_w, 200.0, 3000.0)
        _within("sheet height (--sheet)", self.sheet_h, 200.0, 3000.0)


@dataclass(frozen=True, slots=True)
class Build:
    """How the maker works: kind of arcade button (`screw` or `snap`), printer bed, pixels along a die's
    edge (3 or 5).
    """

    buttons: str = "screw"
    bed_w: float = 220.0
    bed_h: float = 220.0
    cells: int = 3

    def __post_init__(self) -> None:
        if self.buttons not in ("screw", "snap"):
            raise BadInput(f"buttons is {self.buttons!r}: choose screw or snap.")
        if self.cells not in (3, 5):
            raise BadInput(f"cells is {self.cells}: a die has 3 or 5 pixels along its edge.")
        _within("printer bed width", self.bed_w, 100.0, 1000.0)
        _within("printer bed depth", self.bed_h, 100.0, 1000.0)


@dataclass(frozen=True, slots=True)
class Size:
    """Outer size of a box: `w` along the players' edge, `d` away from them, `h` up."""

    w: float
    d: float
    h: float

    def __post_init__(self) -> None:
        _within("width (--width)", self.w, 60.0, 1000.0)
        _within("depth (--depth)", self.d, 60.0, 1000.0)
        _within("height (--height)", self.h, 20.0, 400.0)


def refuse_below(box: str, what: str, have: float, need: float, why: str, small: str = "small") -> None:
    """Raise `CannotBuild` when a size is below what the parts need. The size that it names will do: it is
    rounded up to what one types.
    """
    if have >= need - 1e-6:
        return
    enough = math.ceil(need * 10 - 1e-5) / 10
    raise CannotBuild(
        f"{box}: the box is {have:g} mm {what}, but {why}, so it is {enough - have:.1f} mm too {small}: "
        f"make it at least {enough:g} mm {what}."
    )


@dataclass(frozen=True, slots=True)
class Preset:
    """A stock and a way of building, under the name of its file."""

    name: str
    stock: Stock
    build: Build


SIZES = {
    "station": Size(320.0, 240.0, 90.0),
    "deck": Size(320.0, 320.0, 110.0),
    "pi-tray": Size(140.0, 110.0, 60.0),
}
BOARDS = ("pi4", "pi5")


def preset_names() -> list[str]:
    """Names of the presets that come with the package, sorted."""
    files = resources.files("galley_enclosure").joinpath("presets").iterdir()
    return sorted(f.name.removesuffix(".toml") for f in files if f.name.endswith(".toml"))


def load_preset(name: str, **changes: float | str | int | None) -> Preset:
    """Read preset `name` and replace what `changes` gives (keys of `Stock` and `Build`; None leaves the
    preset's value).

    Raises `BadInput` for an unknown preset, a malformed file or a value out of range.
    """
    names = preset_names()
    if name not in names:
        raise BadInput(f"preset {name!r} is not known: choose one of {', '.join(names)}.")
    text = resources.files("galley_enclosure").joinpath("presets", f"{name}.toml").read_text(encoding="utf-8")
    return parse_preset(name, text, **changes)


def parse_preset(name: str, text: str, **changes: float | str | int | None) -> Preset:
    """The same from the text of a preset file."""
    try:
        raw: dict[str, Any] = tomllib.loads(text)
        stock, build = dict(raw["stock"]), dict(raw.get("build", {}))
        stock["sheet_w"], stock["sheet_h"] = stock.pop("sheet")
        if "bed" in build:
            build["bed_w"], build["bed_h"] = build.pop("bed")
        given = {key: value for key, value in changes.items() if value is not None}
        stock |= {key: value for key, value in given.items() if key in Stock.__dataclass_fields__}
        build |= {key: value for key, value in given.items() if key in Build.__dataclass_fields__}
        return Preset(name, Stock(**stock), Build(**build))
    except BadInput:
        raise
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as err:
        raise BadInput(f"preset {name!r} cannot be read ({err}): compare it with birch4.toml.") from None
