"""No stand-in has a name, an argument or a default that CircuitPython's module has not: so it cannot drift.

Both sets are read, that of the CPython tier and that of the second Python, and held against the installed
stubs. A stand-in may lack what the firmware does not use. What the rig needs to hold on to is listed here.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.board.workbench import STANDINS
from tests.vm.stubs import BOARDS, MODULES, definition_of, text_of

HERE = Path(__file__).parent
SETS = {"cpython": STANDINS, "micropython": HERE / "inside" / "standins"}

# what a stand-in has for the rig's hand, beyond the board's module
FOR_THE_RIG = {
    "adafruit_pixelbuf": {"Colour"},
    "keypad": {"Event.fill", "EventQueue.put", "Keys.advance"},
    "microcontroller": {"Pin.number"},
    "neopixel_write": {"Chain"},
    "supervisor": {"Reload"},
    "usb_cdc": {
        "Serial.file", "Serial.fileno", "Serial.held", "Serial.look", "Serial.path", "Serial.ready", "Wanted",
        "enumerate_ports",
    },
}  # fmt: skip
# where the stub is another release's, or says less than the module does
OTHERWISE = {
    "usb_cdc.Serial.read": "how much it reads by default has changed: the firmware may not use it",
    "adafruit_pixelbuf.PixelBuf.__init__": "1.0 by default, whatever the stub says",
}


class Callable(NamedTuple):
    """The arguments of a function: those by place, those by name only; each with its default or None."""

    by_place: tuple[str, ...]
    by_name: frozenset[str]
    defaults: dict[str, str | None]


Surface = dict[str, Callable | None]


def callable_of(node: ast.FunctionDef) -> Callable:
    given = node.args
    places = [argument.arg for argument in (*given.posonlyargs, *given.args) if argument.arg != "self"]
    without: list[str | None] = [None] * (len(places) - len(given.defaults))
    defaults = dict(zip(places, without + [ast.unparse(default) for default in given.defaults], strict=True))
    for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        defaults[argument.arg] = None if default is None else ast.unparse(default)
    return Callable(tuple(places), frozenset(argument.arg for argument in given.kwonlyargs), defaults)


def members(body: list[ast.stmt], prefix: str = "") -> Surface:
    """The public names of a module or a class; None for whatever is not called."""
    found: Surface = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            if node.name == "__init__" and prefix:
                found |= {f"{prefix}{name}": None for name in attributes_set(node)}
            if not node.name.startswith("_") or node.name == "__init__":
                found[prefix + node.name] = None if is_property(node) else callable_of(node)
        elif isinstance(node, ast.ClassDef):
            found[prefix + node.name] = None
            found |= members(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
            found |= {prefix + target.id: None for target in targets if isinstance(target, ast.Name)}
    return {name: what for name, what in found.items() if not is_private(name)}


def is_private(name: str) -> bool:
    last = name.rpartition(".")[2]
    return last.startswith("_") and last != "__init__"


def is_property(node: ast.FunctionDef) -> bool:
    return any("property" in (said := ast.unparse(d)) or ".setter" in said for d in node.decorator_list)


def attributes_set(init: ast.FunctionDef) -> set[str]:
    """What `__init__` sets on the object."""
    return {
        node.attr
        for node in ast.walk(init)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }


def standin(path: Path) -> Surface:
    """A stand-in's surface, without its own constants."""
    found = members(ast.parse(path.read_text(encoding="utf-8")).body)
    pins = path.stem == "board"
    return {name: what for name, what in found.items() if pins or not (name.isupper() and "." not in name)}


def stub(module: str) -> Surface:
    found = members(ast.parse(text_of(module)).body)
    if module == "microcontroller":
        found |= members(ast.parse(text_of("nvm")).body)
    return found


def wrong(module: str, ours: Surface, theirs: Surface) -> list[str]:
    """What a stand-in has that the board's module has not, or has otherwise."""
    found = []
    for name, what in ours.items():
        owner = name.partition(".")[0]
        if {name, owner} & FOR_THE_RIG.get(module, set()) or f"{module}.{name}" in OTHERWISE:
            continue
        if name not in theirs:
            if not (name.endswith(".__init__") and owner in theirs):
                found.append(f"{name} is not there")
            continue
        real = theirs[name]
        if (what is None) != (real is None):
            found.append(f"{name} is called in one and not in the other")
        elif what is not None and real is not None:
            found += [f"{name}: {why}" for why in differences(what, real) if not made_by_nobody(name, real)]
    return found


def made_by_nobody(name: str, real: Callable) -> bool:
    """Whether the real class is not for making: its stand-in is made as it likes."""
    return name.endswith(".__init__") and not real.defaults


def differences(ours: Callable, real: Callable) -> list[str]:
    found = [f"{name} is no argument" for name in ours.defaults if name not in real.defaults]
    found += [
        f"{name} must be given"
        for name, d in real.defaults.items()
        if d is None and name not in ours.defaults
    ]
    shared = [name for name in real.by_place if name in ours.by_place]
    if [name for name in ours.by_place if name in real.defaults] != shared:
        found.append(f"by place come {', '.join(real.by_place)}")
    for name, default in ours.defaults.items():
        theirs = real.defaults.get(name)
        if theirs is not None and value(theirs) != value(default):
            found.append(f"{name} is {theirs} when it is not given, not {default}")
    return found


def value(text: str | None) -> object:
    """A default as a value, so that 0.02 is 0.020; anything but a literal or a constant is its text."""
    try:
        return None if text is None else ast.literal_eval(text)
    except ValueError:
        return text


STANDIN_FILES = [
    pytest.param(folder / f"{module}.py", id=f"{called}-{module}")
    for called, folder in SETS.items()
    for module in MODULES
    if module != "board" and (folder / f"{module}.py").is_file()
]


@pytest.mark.parametrize("path", STANDIN_FILES)
def test_a_stand_in_has_nothing_that_the_board_s_module_has_not(path: Path) -> None:
    assert wrong(path.stem, standin(path), stub(path.stem)) == []


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("called", SETS)
def test_the_pins_are_those_of_both_picos(called: str, board: str) -> None:
    theirs = members(ast.parse(definition_of(board).read_text(encoding="utf-8")).body)
    assert set(standin(SETS[called] / "board.py")) <= set(theirs)


def test_every_module_that_the_firmware_may_import_has_a_stand_in_in_both_sets() -> None:
    from tests.board.test_subset import BOARD_MODULES

    ours = BOARD_MODULES - {"neopixel"}  # the library's own file
    assert {path.stem for path in SETS["cpython"].glob("*.py")} >= ours
    assert {path.stem for path in SETS["micropython"].glob("*.py")} >= ours - {"rp2pio"}  # no PIO there


@pytest.mark.parametrize(
    "source, why",
    [
        ("class Keys:\n    def scan(self) -> None: ...\n", "Keys.scan is not there"),
        (
            "class Keys:\n    def __init__(self, pins, *, value_when_pressed, pull=False): ...\n",
            "pull is True",
        ),
        ("class Keys:\n    def __init__(self, pins): ...\n", "value_when_pressed must be given"),
        ("class Keys:\n    def reset(self, hard: bool = False) -> None: ...\n", "hard is no argument"),
        ("class Event:\n    def pressed(self) -> bool: ...\n", "called in one"),
    ],
)
def test_a_stand_in_that_has_drifted_is_found(source: str, why: str) -> None:
    (found,) = wrong("keypad", members(ast.parse(source).body), stub("keypad"))
    assert why in found
