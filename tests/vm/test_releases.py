"""The firmware asks for nothing that came after the oldest CircuitPython which it is to run on.

Mypy sees one release of the stubs only, the installed one. So each name and each keyword of a board's own
modules that the firmware uses stands here with the first release that has it, as looked up in the releases of
`circuitpython-stubs` (7.0.0, 7.1.1, 7.2.5, 7.3.3, 8.0.0, 8.1.0, 8.2.0). What is new in the firmware is looked
up there and added.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.board.test_subset import BOARD_MODULES, OURS, for_types
from tests.board.workbench import LIB
from tests.vm.stubs import stub_of

OLDEST = "8.2"
FIRST = {
    "7.0": """
        busio.I2C busio.I2C(frequency) busio.I2C.deinit busio.I2C.try_lock busio.I2C.writeto
        busio.I2C.writeto_then_readfrom
        digitalio.DigitalInOut digitalio.DigitalInOut.deinit digitalio.DigitalInOut.switch_to_input
        digitalio.DigitalInOut.switch_to_input(pull) digitalio.DigitalInOut.switch_to_output
        digitalio.DigitalInOut.switch_to_output(value) digitalio.DigitalInOut.value digitalio.Pull
        digitalio.Pull.UP
        keypad.Event keypad.Event.key_number keypad.Event.pressed keypad.EventQueue.clear
        keypad.EventQueue.get_into keypad.EventQueue.overflowed keypad.Keys keypad.Keys(interval)
        keypad.Keys(pull) keypad.Keys(value_when_pressed) keypad.Keys.deinit keypad.Keys.events
        keypad.Keys.reset
        microcontroller.ResetReason microcontroller.ResetReason.WATCHDOG microcontroller.cpu
        microcontroller.cpu.reset_reason microcontroller.nvm microcontroller.reset microcontroller.watchdog
        microcontroller.watchdog.feed microcontroller.watchdog.mode
        neopixel_write.neopixel_write
        pwmio.PWMOut pwmio.PWMOut(duty_cycle) pwmio.PWMOut(frequency) pwmio.PWMOut(variable_frequency)
        pwmio.PWMOut.deinit pwmio.PWMOut.duty_cycle pwmio.PWMOut.frequency
        rp2pio.StateMachine rp2pio.StateMachine(first_in_pin) rp2pio.StateMachine(in_pin_count)
        rp2pio.StateMachine(in_shift_right) rp2pio.StateMachine(pull_in_pin_up)
        rp2pio.StateMachine.clear_rxfifo rp2pio.StateMachine.deinit rp2pio.StateMachine.frequency
        rp2pio.StateMachine.in_waiting rp2pio.StateMachine.readinto rp2pio.StateMachine.restart
        rp2pio.StateMachine.rxstall rp2pio.StateMachine.stop
        storage.disable_usb_drive
        supervisor.runtime supervisor.ticks_ms
        usb_cdc.Serial.connected usb_cdc.Serial.in_waiting usb_cdc.Serial.readinto usb_cdc.Serial.write
        usb_cdc.data usb_cdc.enable usb_cdc.enable(console) usb_cdc.enable(data)
        watchdog.WatchDogMode watchdog.WatchDogMode.RESET
    """,
    "7.1": "keypad.Event.timestamp",
    "7.3": "rp2pio.StateMachine(wrap_target)",
    "8.0": """
        supervisor.runtime.autoreload supervisor.set_usb_identification supervisor.status_bar
        supervisor.status_bar.console
    """,
    "8.1": """
        supervisor.SafeModeReason supervisor.SafeModeReason.USER supervisor.runtime.safe_mode_reason
    """,
}
FILES = [path for path in OURS if path.name != "rig.py"]  # a tester's rig is what its maker has
TYPES = LIB / "galley_board" / "hardware_types.pyi"
"""Each class says in its first line which one of a board it is: "What `keypad.Event` has"."""


def dotted(node: ast.expr) -> list[str]:
    """The names of `a.b.c`; none of what begins with anything but a name."""
    if isinstance(node, ast.Name):
        return [node.id]
    above = dotted(node.value) if isinstance(node, ast.Attribute) else []
    return [*above, node.attr] if above and isinstance(node, ast.Attribute) else []


def imported(tree: ast.AST) -> dict[str, str]:
    """What a file calls the board's modules, and what it takes from them."""
    found: dict[str, str] = {}
    for node in set(ast.walk(tree)) - set(for_types(tree)):
        if isinstance(node, ast.Import):
            found |= {name.asname or name.name: name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {name.asname or name.name: f"{node.module}.{name.name}" for name in node.names}
    return {
        name: whole
        for name, whole in found.items()
        if whole.partition(".")[0] in BOARD_MODULES - {"neopixel"}
    }


def methods(classes: set[str]) -> dict[str, list[str]]:
    """Method -> the classes of these, given with their modules, that have it."""
    found: dict[str, list[str]] = {}
    for whole in sorted(classes):
        module, _, name = whole.partition(".")
        for node in ast.parse(stub_of(module).read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and node.name == name:
                for part in node.body:
                    if isinstance(part, ast.FunctionDef) and not part.name.startswith("_"):
                        found.setdefault(part.name, []).append(whole)
    return found


def named(path: Path) -> Iterator[str]:
    """What a file asks of modules by name: `module.name`, and `module.name(keyword)`."""
    tree = ast.parse(path.read_text("utf-8"))
    names = imported(tree)
    for node in ast.walk(tree):
        asked = node.func if isinstance(node, ast.Call) else node
        root, *rest = (dotted(asked) if isinstance(asked, ast.expr) else []) or [""]
        if root in names:
            whole = ".".join([names[root], *rest])
            if "." in whole:
                yield whole
            if isinstance(node, ast.Call):
                yield from (f"{whole}({keyword.arg})" for keyword in node.keywords)


def on_objects(path: Path, known: dict[str, list[str]]) -> Iterator[str]:
    """The methods that a file which imports boards' modules calls on what it made of their classes."""
    tree = ast.parse(path.read_text("utf-8"))
    modules = {whole.partition(".")[0] for whole in imported(tree).values()}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            for whole in known.get(node.func.attr, ()):
                if whole.partition(".")[0] in modules:
                    yield f"{whole}.{node.func.attr}"
                    yield from (f"{whole}.{node.func.attr}({keyword.arg})" for keyword in node.keywords)


def members() -> Iterator[str]:
    """What the types of the firmware's own say that it uses of a board's objects."""
    for node in ast.parse(TYPES.read_text("utf-8")).body:
        what = (
            re.match(r"What `([\w.]+)` has", ast.get_docstring(node) or "")
            if isinstance(node, ast.ClassDef)
            else None
        )
        if what is None or what[1].partition(".")[0] not in BOARD_MODULES - {"neopixel"}:
            continue
        assert isinstance(node, ast.ClassDef)
        for part in node.body:
            name = part.name if isinstance(part, ast.FunctionDef) else ""
            name = ast.unparse(part.target) if isinstance(part, ast.AnnAssign) else name
            if name and not name.startswith("_"):
                yield f"{what[1]}.{name}"


def used() -> set[str]:
    """All names and keywords of a board's modules that the firmware uses."""
    found = {name for path in FILES for name in named(path)} | set(members())
    known = methods({name for name in found if re.fullmatch(r"\w+\.[A-Z]\w+", name)})
    return found | {name for path in FILES for name in on_objects(path, known)}


def test_every_name_is_known_with_the_release_that_first_had_it() -> None:
    known = {name for names in FIRST.values() for name in names.split()}
    assert used() - known == set(), "look them up in the releases of circuitpython-stubs"
    assert known - used() == set(), "not used any more"


def test_no_name_is_newer_than_the_oldest_release() -> None:
    late = {release for release in FIRST if [*map(int, release.split("."))] > [*map(int, OLDEST.split("."))]}
    assert late == set()


def test_a_keyword_that_is_new_is_found(tmp_path: Path) -> None:
    path = tmp_path / "new.py"
    path.write_text(
        "import keypad\n\nkeypad.Keys([], value_when_pressed=False, debounce_threshold=1)\n", "utf-8"
    )
    assert set(named(path)) - set(" ".join(FIRST.values()).split()) == {"keypad.Keys(debounce_threshold)"}
