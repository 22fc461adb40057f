"""Plays the firmware on the bench with every sum looked at, and prints which leave a board's small integers.

For: `test_small_integers`, as a process of its own, since it changes how `galley_board` is imported. A
board's small integers have 31 bits with their sign; a larger one is right too, but takes memory each time.

Arguments: none. Prints one JSON object: where (module and function) -> the largest number seen there.
"""

from __future__ import annotations

import ast
import builtins
import importlib.abc
import importlib.machinery
import importlib.util
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LIB = ROOT / "circuitpython" / "lib"
HOST_PARTS = ("host", "engine", "circuitpython/lib")
LIMIT = 1 << 30
PACKAGE = "galley_board"
TURNS = 3000
DAYS_MS = 86_400_000
STARTS_MS = (65_536 - 1500, 40 * DAYS_MS)
"""Since power-on: just before `ticks_ms` wraps, and after a long summer."""

largest: dict[str, int] = {}


def seen(value: Any, where: str) -> Any:
    """Note a result that is too large for a small integer, and pass it on."""
    if type(value) is int and not -LIMIT <= value < LIMIT:
        largest[where] = max(largest.get(where, 0), abs(value))
    return value


class Watching(ast.NodeTransformer):
    """Has every result of arithmetic seen."""

    def __init__(self, module: str) -> None:
        self._names = [module]

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._within(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._within(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        return self._seen(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        return self._seen(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        now = ast.parse(ast.unparse(node.target), mode="eval").body
        result = self._call(ast.BinOp(now, node.op, node.value))
        return ast.copy_location(ast.Assign([node.target], result), node)

    def _within(self, node: ast.ClassDef | ast.FunctionDef) -> ast.AST:
        self._names.append(node.name)
        self.generic_visit(node)
        self._names.pop()
        return node

    def _seen(self, node: ast.expr) -> ast.AST:
        self.generic_visit(node)
        return ast.copy_location(self._call(node), node)

    def _call(self, node: ast.expr) -> ast.expr:
        where = ast.Constant(".".join(self._names))
        return ast.Call(ast.Name("__seen__", ast.Load()), [node, where], [])


class Loader(importlib.machinery.SourceFileLoader):
    """Loads a module of the firmware with its sums watched."""

    def get_code(self, fullname: str) -> CodeType:
        tree = ast.parse(Path(self.path).read_text(encoding="utf-8"), self.path)
        watched = Watching(fullname.removeprefix(f"{PACKAGE}.")).visit(tree)
        return compile(ast.fix_missing_locations(watched), self.path, "exec")


class Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of the firmware."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] != PACKAGE:
            return None
        file = LIB.joinpath(*fullname.split("."))
        file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
        return importlib.util.spec_from_file_location(fullname, file, loader=Loader(fullname, str(file)))


def play(role: str, start_ms: int) -> None:
    """Two seconds before `start_ms` and two after, with all that a board can be asked for."""
    from galley_board import pins
    from tests.board.workbench import bench

    with bench() as table:
        table.at_ms(start_ms)
        if role == "deck":
            table.rig.colour = (400, 150, 130, 120)
        loop = table.start(role)
        table.host_sends("h", 1, 7)
        key = int(pins.KEYS[pins.BOARD_OF_ROLE[role]][0][1].removeprefix("GP"))
        asked: dict[int, tuple[tuple[Any, ...], ...]] = {
            10: (("d", *[10 * 8 + 2] * 8), ("l", *[4 * 5 + 1] * 11)),
            20: (("c", 9999, 255),),
            200: (("c", 92, 128), ("z", 9999, 9999)),
        }
        if role == "deck":
            asked[30] = (("e", 200, 3000), ("m", 3), ("p", 21, 3, 21, 21, 21, 21))
            asked[40] = (("w", 1),)
            asked[1500] = (("g", 359, 3000),)
            asked[2500] = (("e", 0, 3000), ("m", 8))
        for turn in range(TURNS):
            for frame in asked.get(turn, ()):
                table.host_sends(*frame)
            if turn % 250 == 5:
                table.host_sends("t", turn)
            if turn % 100 == 0:
                table.press(key, turn % 200 == 0)
            table.turn(loop)
        assert table.frames("K"), "the board was alive"


def main() -> None:
    """Play every role at every start."""
    sys.dont_write_bytecode = True
    sys.path[:0] = [str(ROOT), *(str(ROOT / part) for part in HOST_PARTS)]
    vars(builtins)["__seen__"] = seen
    sys.meta_path.insert(0, Finder())
    for start_ms in STARTS_MS:
        for role in ("left", "deck"):
            play(role, start_ms)
    print(json.dumps(largest, indent=1, sort_keys=True))


if __name__ == "__main__":
    main()
