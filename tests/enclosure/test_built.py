"""One command for another sheet and size: everything is written, and STEP, STL, 3MF and GLB read back."""

from __future__ import annotations

import locale
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from galley_enclosure.cli import main
from galley_enclosure.model import Model

from .conftest import Boxes

pytestmark = pytest.mark.cad
SIZES = {"station": (360.0, 240.0), "deck": (360.0, 320.0), "pi-tray": (140.0, 110.0)}


class Built(NamedTuple):
    """What the command wrote where, and what it said."""

    folder: Path
    status: int
    said: str
    complained: str


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    from contextlib import redirect_stderr, redirect_stdout
    from io import StringIO

    folder, out, err = tmp_path_factory.mktemp("built"), StringIO(), StringIO()
    size = ("--t", "3.2", "--width", "360")
    before = locale.setlocale(locale.LC_ALL)
    with redirect_stdout(out), redirect_stderr(err):
        status = main(("build", "all", *size, "--out", str(folder), "--no-pictures"))
    assert locale.setlocale(locale.LC_ALL) == before
    return Built(folder, status, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def made(boxes: Boxes) -> dict[str, Model]:
    """The models of the same boxes."""
    return {n: boxes(n, t=3.2) if n == "pi-tray" else boxes(n, t=3.2, w=360.0) for n in SIZES}


def test_one_command_builds_everything_for_another_sheet_and_size(built: Built) -> None:
    assert (built.status, built.complained) == (0, "")
    assert [line.split(":")[0] for line in built.said.splitlines()] == [
        "station",
        "deck",
        "pi-tray",
        "coupon",
    ]
    for name in ("bom.csv", "wiring-deck.svg", "deck/sheets/sheet-3.dxf", "coupon/panels/coupon.svg"):
        assert (built.folder / name).stat().st_size > 100, name
    for name, (w, d) in SIZES.items():
        drawn = (built.folder / name / "panels/top.svg").read_text(encoding="utf-8")
        assert f'width="{w + 0.2:g}mm" height="{d + 0.2:g}mm"' in drawn


def test_build_writes_solids_when_the_kernel_is_there(built: Built, made: dict[str, Model]) -> None:
    for name, model in made.items():
        files = (p for p in (built.folder / name).rglob("*") if p.suffix in (".step", ".glb", ".stl", ".3mf"))
        wanted = {f"{name}.step", f"{name}.glb", "all.3mf", *(f"{part}.stl" for part in model.prints)}
        assert {p.name for p in files} == wanted


@pytest.mark.parametrize("name", SIZES)
def test_step_reads_back_with_the_same_volumes_and_labels(
    built: Built, made: dict[str, Model], name: str
) -> None:
    import build123d as bd

    from galley_enclosure.solids import item_shape
    from galley_enclosure.stepfiles import STAMP

    path = built.folder / name / f"{name}.step"
    text = path.read_text(encoding="utf-8")
    assert {i.ref for i in made[name].items} <= set(re.findall(r"PRODUCT\('([^']*)'", text))
    assert STAMP.strftime("%Y-%m-%d") in text
    if name == "pi-tray":
        want = sorted(s.volume for i in made[name].items for s in item_shape(i).solids())
        assert sorted(s.volume for s in bd.import_step(str(path)).solids()) == pytest.approx(want, rel=1e-6)


@pytest.mark.parametrize("name", SIZES)
def test_printed_parts_are_watertight_and_hold_their_volume(
    built: Built, made: dict[str, Model], name: str
) -> None:
    import trimesh

    from galley_enclosure.solids import printed_shape

    model, folder = made[name], built.folder / name / "prints"
    for part in model.prints.values():
        mesh, exact = trimesh.load_mesh(folder / f"{part.name}.stl"), printed_shape(part)
        assert exact.is_valid
        assert len(exact.solids()) == 1, part.name
        assert mesh.is_watertight, part.name
        assert mesh.volume == pytest.approx(exact.volume, rel=2e-3), part.name
        assert part.volume_mm3() == pytest.approx(exact.volume, rel=1e-2), part.name
    scene = trimesh.load_scene(folder / "all.3mf")
    assert len(scene.geometry) == len(model.prints)
    assert all(g.is_watertight for g in scene.geometry.values())


@pytest.mark.parametrize("name", SIZES)
def test_glb_holds_every_item(built: Built, made: dict[str, Model], name: str) -> None:
    data = (built.folder / name / f"{name}.glb").read_bytes()
    assert data[:4] == b"glTF"
    assert int.from_bytes(data[8:12], "little") == len(data)
    for item in made[name].items:
        assert f'"{item.ref}"'.encode() in data
