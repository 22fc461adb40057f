"""The locks, the imports and the tests' own rules: what a fresh machine and a board rely on."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from galley import __version__

ROOT = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PACKAGES = {
    "host": "galley",
    "engine": "galley_engine",
    "circuitpython/lib": "galley_board",
    "enclosure": "galley_enclosure",
}
LOCKS = ["requirements.txt", "requirements-test.txt"]
LOCKED = re.compile(
    r"(?P<name>[a-z0-9-]+)==(?P<version>\S+)"
    r"(?: ; (?P<marker>.+?))?"
    r"(?P<hashes>(?: --hash=sha256:[0-9a-f]{64})+)"
)


def locked(name: str) -> dict[str, list[re.Match[str]]]:
    """All requirements of a lock, by name. A line that is no hashed requirement fails."""
    entries: dict[str, list[re.Match[str]]] = {}
    for line in (ROOT / name).read_text(encoding="utf-8").replace(" \\\n   ", "").splitlines():
        match = LOCKED.fullmatch(line)
        assert match, f"{name}: not a pinned requirement with hashes: {line[:80]}"
        entries.setdefault(match["name"], []).append(match)
    return entries


def names(requirements: list[str]) -> set[str]:
    """The package names, with Galley's own extras replaced by what is in them."""
    found: set[str] = set()
    for requirement in requirements:
        name = re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]
        if name == PROJECT["name"]:
            for extra in re.findall(r"[a-z0-9]+", requirement.partition("[")[2]):
                found |= names(PROJECT["optional-dependencies"][extra])
        else:
            found.add(re.sub(r"[-_.]+", "-", name).lower())
    return found


@pytest.mark.parametrize(
    ("lock", "extra"), [("requirements.txt", "build"), ("requirements-test.txt", "test")]
)
def test_a_lock_holds_all_that_pyproject_asks_for(lock: str, extra: str) -> None:
    wanted = names(PROJECT["dependencies"]) | names(PROJECT["optional-dependencies"][extra])
    assert wanted
    assert wanted <= locked(lock).keys()


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_place_to_fetch_from(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert not re.findall(r"https?:|file:|--index|--find-links|--extra|--trusted|^#", text, re.MULTILINE)


def test_what_the_box_needs_is_locked_the_same_for_the_tests() -> None:
    base, test = (
        {
            name: [(each["version"], each["hashes"]) for each in entries]
            for name, entries in locked(lock).items()
        }
        for lock in LOCKS
    )
    assert base == {name: test.get(name) for name in base}


def test_the_version_is_the_same_everywhere() -> None:
    assert PROJECT["version"] == __version__


def test_a_wheel_holds_the_packages_their_data_and_the_boards_files(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (path,) = tmp_path.iterdir()
    with zipfile.ZipFile(path) as wheel:
        inside = set(wheel.namelist())
    here = {
        str(file.relative_to(ROOT / root))
        for root, package in PACKAGES.items()
        for file in (ROOT / root / package).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    firmware = {
        f"galley/{file.relative_to(ROOT)}"
        for file in (ROOT / "circuitpython").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert here | firmware <= inside
    extra = inside - here - firmware
    assert {name.partition("/")[0] for name in extra} == {f"galley-{__version__}.dist-info"}
    assert {f"{package}/py.typed" for package in PACKAGES.values()} <= inside


def imports(path: Path) -> set[str]:
    """The top-level modules that a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


def test_the_engine_imports_only_the_standard_library() -> None:
    files = sorted((ROOT / "engine").rglob("*.py"))
    assert files
    foreign = {path.name: imports(path) - sys.stdlib_module_names - {"galley_engine"} for path in files}
    assert not {name: modules for name, modules in foreign.items() if modules}


SKIPS = """
import pytest

def test_a():
    pytest.skip("needs chromium")

def test_b():
    pytest.skip("needs real boards")

def test_c():
    pytest.skip("only on Tuesdays")

@pytest.mark.skipif(True, reason="needs mpy-cross")
def test_d():
    pass
"""


@pytest.mark.parametrize(
    ("ci", "closing"), [("true", "1 failed, 2 skipped, 2 errors"), ("false", "5 skipped"), ("", "5 skipped")]
)
def test_in_ci_a_skip_for_something_missing_fails(tmp_path: Path, ci: str, closing: str) -> None:
    (tmp_path / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text(encoding="utf-8"))
    (tmp_path / "test_skips.py").write_text(SKIPS)
    (tmp_path / "test_file.py").write_text(
        'import pytest\npytest.skip("needs a VM", allow_module_level=True)\n'
    )
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", ".",
         "--continue-on-collection-errors", "."],
        cwd=tmp_path,
        env={"CI": ci, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert result.stdout.strip().splitlines()[-1].partition(" in ")[0] == closing
