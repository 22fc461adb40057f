"""Command line: `galley-enclosure build | check | bom | wiring`.

Exit status 0 when all is well, 1 when a check fails or a box cannot be built, 2 for a wrong call. Each
complaint is one sentence with the value and the remedy. Sizes given together with `all` go to the station
and the deck; the Pi tray and the coupon keep theirs.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, TextIO

from galley_enclosure import bom, checks, wiring
from galley_enclosure.boxes import NAMES, build_box
from galley_enclosure.cutfiles import panel_files, sheet_files
from galley_enclosure.electronics import PINS, power_problems, problems
from galley_enclosure.findings import Finding, worst_by_rule
from galley_enclosure.model import Model
from galley_enclosure.nest import nest
from galley_enclosure.params import BadInput, CannotBuild, load_preset


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One sentence instead of a usage text."""
        _say(f"{self.prog}: {message}; see {self.prog} --help.", sys.stderr)
        raise SystemExit(2)


def _say(text: str, stream: TextIO | None = None) -> None:
    (stream or sys.stdout).write(text + "\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="galley-enclosure",
        description="Boxes and electronics of Galley as files to cut, print and wire.",
    )
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    shared = _Parser(add_help=False)
    shared.add_argument(
        "--preset", default="birch4", help="birch3, birch4, acrylic3 or mdf6 (default birch4)"
    )
    for flag, what in (
        ("--t", "sheet thickness as measured"),
        ("--kerf", "full width of the laser's cut"),
        ("--play", "gap at each finger flank"),
        ("--pitch", "finger pitch"),
        ("--width", "outer width of the box"),
        ("--depth", "outer depth"),
        ("--height", "outer height"),
    ):
        shared.add_argument(flag, type=float, metavar="MM", help=what)
    shared.add_argument("--sheet", type=float, nargs=2, metavar=("W", "H"), help="size of the sheet")
    shared.add_argument("--buttons", help="screw or snap")
    shared.add_argument("--cells", type=int, help="pixels along a die's edge: 3 or 5")
    shared.add_argument("--board", default="pi5", help="board in the Pi tray: pi4 or pi5")
    build = commands.add_parser(
        "build", parents=[shared], help="write cut files, pictures, lists and (with build123d) solids"
    )
    build.add_argument("box", help="station, deck, pi-tray, coupon or all")
    build.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write to")
    build.add_argument("--no-solids", action="store_true", help="leave out STEP, STL, 3MF and GLB")
    build.add_argument("--no-pictures", action="store_true", help="leave out the previews")
    check = commands.add_parser(
        "check", parents=[shared], help="check every rule and name those that do not hold"
    )
    check.add_argument(
        "box", nargs="?", default="all", help="station, deck, pi-tray, coupon or all (default)"
    )
    check.add_argument(
        "--solid", action="store_true", help="also the exact checks of solids (needs build123d)"
    )
    commands.add_parser("bom", parents=[shared], help="bill of materials of a set, as CSV")
    wires = commands.add_parser("wiring", help="wiring table of a board")
    wires.add_argument("board", choices=tuple(PINS))
    wires.add_argument("--svg", action="store_true", help="the diagram instead of the table")
    return parser


def models(args: argparse.Namespace, box: str) -> dict[str, Model]:
    """The boxes a command speaks of, built; raises `BadInput` or `CannotBuild`."""
    sheet = args.sheet or (None, None)
    preset = load_preset(
        args.preset,
        t=args.t,
        kerf=args.kerf,
        play=args.play,
        pitch=args.pitch,
        sheet_w=sheet[0],
        sheet_h=sheet[1],
        buttons=args.buttons,
        cells=args.cells,
    )
    names = NAMES if box == "all" else (box,)
    out = {}
    for name in names:
        sized = box != "all" or name in ("station", "deck")
        w, d, h = (args.width, args.depth, args.height) if sized else (None, None, None)
        out[name] = build_box(name, preset.stock, preset.build, w, d, h, args.board)
    return out


def _findings(model: Model, exact: bool) -> list[Finding]:
    found = checks.flat(model)
    if exact:
        from galley_enclosure.checks_solid import solid

        found += solid(model)
    return found


def _check(boxes: dict[str, Model], exact: bool, quiet: bool) -> int:
    """Print one line a rule and a sentence for each that fails; 1 if any fails."""
    bad = 0
    for name, model in boxes.items():
        found = _findings(model, exact)
        failed = checks.failures(found)
        bad += len(failed)
        if not quiet:
            _say(f"{name}: {len(found)} checks, {len(failed)} fail")
            for f in sorted(worst_by_rule(found), key=lambda f: f.rule):
                _say(f"  {'ok  ' if f.ok else 'FAIL'} {f.rule:30} {f.limit:24} {f.text}")
        for f in failed:
            _say(f"{name}: {f.rule}: {f.text}", sys.stderr)
    for sentence in [s for board in PINS for s in problems(board)] + power_problems():
        bad += 1
        _say(sentence, sys.stderr)
    return 1 if bad else 0


def _lists(boxes: dict[str, Model], out: Path) -> None:
    real = {n: m for n, m in boxes.items() if n != "coupon"}
    if not real:
        return
    (out / "bom.csv").write_text(bom.bom_csv(real), encoding="utf-8")
    (out / "prints.csv").write_text(bom.print_csv(real), encoding="utf-8")
    for board in (b for b in PINS if b in real):
        (out / f"wiring-{board}.csv").write_text(wiring.wiring_csv(board), encoding="utf-8")
        (out / f"wiring-{board}.svg").write_text(wiring.wiring_svg(board), encoding="utf-8")
    if any(b in real for b in PINS):
        (out / "currents.csv").write_text(wiring.current_csv(), encoding="utf-8")


def _build(args: argparse.Namespace) -> int:
    boxes = models(args, args.box)
    status = _check(boxes, False, quiet=True)
    if status:
        _say(
            "galley-enclosure: nothing was written, because the rules above do not hold: change the value "
            "they name.",
            sys.stderr,
        )
        return status
    solids = not args.no_solids and importlib.util.find_spec("build123d") is not None
    for name, model in boxes.items():
        folder = args.out / name
        for panel in model.panels.values():
            panel_files(panel, model.stock, folder / "panels")
        count = sheet_files(
            model.panels, nest(model.panels, model.stock), model.stock, folder / "sheets", name
        )
        if not args.no_pictures:
            from galley_enclosure import pictures

            pictures.draw(model, folder / "pictures")
            if name != "coupon":
                pictures.turntable(model, folder / "pictures" / "round.png")
        if solids:
            from galley_enclosure import stepfiles

            stepfiles.write(model, folder)
        _say(
            f"{name}: {len(model.panels)} parts on {count} sheets, {len(model.prints)} kinds of printed "
            f"part, in {folder}"
        )
    _lists(boxes, args.out)
    if not solids and not args.no_solids:
        _say("No STEP, STL, 3MF or GLB: install galley with the extra `cad` to get them.", sys.stderr)
    return 0


def _run(args: argparse.Namespace) -> int:
    if args.command == "build":
        return _build(args)
    if args.command == "check":
        return _check(models(args, args.box), args.solid, quiet=False)
    if args.command == "bom":
        real = {n: m for n, m in models(args, "all").items() if n != "coupon"}
        sys.stdout.write(bom.bom_csv(real))
        return 0
    sys.stdout.write(wiring.wiring_svg(args.board) if args.svg else wiring.wiring_csv(args.board))
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    args = _parser().parse_args(argv)
    try:
        return _run(args)
    except BadInput as err:
        _say(f"galley-enclosure: {err}", sys.stderr)
        return 2
    except (CannotBuild, ImportError) as err:
        _say(f"galley-enclosure: {err}", sys.stderr)
        return 1
    except OSError as err:
        _say(
            f"galley-enclosure: cannot write {err.filename}: {err.strerror}; choose another folder with "
            "--out.",
            sys.stderr,
        )
        return 2
