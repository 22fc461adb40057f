"""The command: what it writes, what it says, and its exit status."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from galley_enclosure.cli import main


class Coupon(NamedTuple):
    """A child process that builds the coupon into `folder`, and fails if that loads the CAD kernel."""

    process: subprocess.Popen[str]
    folder: Path


@pytest.fixture(scope="module", autouse=True)
def coupon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Coupon]:
    """Begun with the first test of this file, so that it runs beside the others."""
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


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    try:
        status = main(args)
    except SystemExit as stop:
        status = int(str(stop.code))
    out, err = capsys.readouterr()
    return status, out, err


def test_build_writes_cut_files_lists_and_wiring_for_another_sheet_and_size(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    size = ("--t", "3.2", "--width", "360")
    status, out, err = run(
        capsys, "build", "station", *size, "--out", str(tmp_path), "--no-solids", "--no-pictures"
    )
    assert (status, err) == (0, "")
    assert "station: 8 parts on 2 sheets" in out
    for name in ("bom.csv", "prints.csv", "currents.csv", "wiring-station.svg", "wiring-station.csv",
                 "station/panels/top.dxf", "station/sheets/sheet-2.svg"):  # fmt: skip
        assert (tmp_path / name).stat().st_size > 100, name
    assert 'width="360.2mm"' in (tmp_path / "station/panels/top.svg").read_text(encoding="utf-8")


def test_check_lists_every_rule_with_its_tightest_value(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "check", "pi-tray")
    assert (status, err) == (0, "")
    assert "0 fail" in out
    assert "web between cut-outs" in out
    assert "FAIL" not in out


def test_a_rule_that_cannot_be_kept_is_named_with_by_how_much(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    status, _out, err = run(capsys, "build", "station", "--sheet", "300", "250", "--out", str(tmp_path / "x"))
    assert status == 1
    assert "the part is 320 x 240 mm and the sheet 300 x 250 mm" in err
    assert "nothing was written" in err
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("args", "status", "sentence"),
    [
        (
            ("build", "station", "--height", "62", "--out", "x"),
            1,
            "so it is 17.0 mm too shallow: make it at least 79 mm high.",
        ),
        (
            ("build", "station", "--t", "6", "--buttons", "snap", "--out", "x"),
            1,
            "use screw-in buttons (--buttons screw).",
        ),
        (
            ("build", "shed", "--out", "x"),
            2,
            "box 'shed' is not known: choose one of station, deck, pi-tray, coupon.",
        ),
        (("build", "station", "--t", "thick", "--out", "x"), 2, "argument --t: invalid float value: 'thick'"),
        (
            ("build", "station", "--t", "-4", "--out", "x"),
            2,
            "thickness (--t) is -4 mm: choose a value from 2 to 8 mm.",
        ),
        (
            ("build", "station", "--preset", "oak9", "--out", "x"),
            2,
            "preset 'oak9' is not known: choose one of acrylic3, birch3, birch4, mdf6.",
        ),
        (("build", "station"), 2, "the following arguments are required: --out"),
        (("check", "coupon", "--width", "300"), 2, "coupon takes no --width"),
        (("check", "pi-tray", "--board", "pi9"), 2, "board is 'pi9': choose one of pi4, pi5."),
        (("wiring", "garden"), 2, "invalid choice: 'garden'"),
        ((), 2, "the following arguments are required: command"),
    ],
)
def test_a_wrong_call_gets_one_sentence_and_the_right_status(
    capsys: pytest.CaptureFixture[str], args: tuple[str, ...], status: int, sentence: str
) -> None:
    got, _out, err = run(capsys, *args)
    assert got == status
    assert sentence in err
    assert len(err.strip().splitlines()) == 1
    assert "Traceback" not in err
    assert not Path("x").exists()


def test_without_the_extra_it_says_what_to_install() -> None:
    script = (
        "import sys; sys.modules['shapely'] = None;"
        "from galley_enclosure.__main__ import main; sys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", script, "bom"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "galley-enclosure: shapely is missing: .venv/bin/pip install -e '.[cut]'\n"


def test_a_folder_that_cannot_be_written_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    status, _, err = run(
        capsys, "build", "coupon", "--out", str(tmp_path / "file"), "--no-solids", "--no-pictures"
    )
    assert status == 2
    assert "choose another folder with --out" in err


def test_bom_and_wiring_go_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Raspberry Pi Pico 2" in run(capsys, "bom")[1]
    assert run(capsys, "wiring", "deck")[1].startswith("net,from,to,")
    assert run(capsys, "wiring", "station", "--svg")[1].startswith("<svg")


def test_the_module_runs_by_itself_and_its_2d_half_never_loads_the_cad_kernel(coupon: Coupon) -> None:
    out, err = coupon.process.communicate(timeout=60)
    assert coupon.process.returncode == 0, err
    assert out.startswith("coupon: 2 parts on 1 sheets")
    assert (coupon.folder / "coupon/pictures/closed.png").stat().st_size > 1000
