"""The first run: make `.venv` in the project's folder, install the locked packages, go on as the program.

`python3 host` and `python3 tests` use it on a machine that has only Python. So this module knows the
standard library and nothing else of Galley, and Python 3.9 must be able to read it, to be given a sentence.

How it heals. A marker file in `.venv` says where and by which Python the environment was made, and holds
digests of the lists it was installed from. All as wanted: go straight on. Other lists: pip brings it up to
date. Anything else (unfinished work, another Python, a moved folder, a broken environment): it is made anew
from nothing. The marker says "unfinished" before the first change and is whole only after the last, so a
kill at any instant leaves what the next run replaces. One first run works at a time: it holds a lock on the
project's folder, and its child holds it too, because a pip that outlives its parent still writes.
"""

from __future__ import annotations

import errno
import hashlib
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OLDEST = (3, 11)
LISTS = {
    "base": ("pyproject.toml", "requirements.txt"),
    "test": ("pyproject.toml", "requirements.txt", "requirements-test.txt"),
}
MARKER = "galley-first-run"
CHANGES = ("Installing collected packages", "Attempting uninstall", "Successfully installed")
AGAIN = "run the same command again"
REMEDIES = {
    errno.ENOENT: "fetch a whole copy of the project",
    errno.ENOSPC: f"free some space and {AGAIN}",
}


class CannotInstall(Exception):
    """The environment cannot be made; the text is one sentence for the person at the terminal.

    `untouched` is true when it is certain that nothing in the environment was changed before.
    """

    untouched = False


class Stopped(Exception):
    """A signal asked us to stop; `args[0]` is its number."""


def run(kind: str, module: str, arguments: Sequence[str], root: str = ROOT) -> None:
    """Go on as `python -m module arguments` in the project's environment, which is made first if need be.

    `kind` is "base" (what the box needs) or "test" (that, and what the tests need). Returns only in a
    process that is the environment's own Python, after the module has run in it. Exits with 1 and one
    sentence when the environment cannot be made, with 128 + its number when a signal stopped it.
    """
    if sys.version_info < OLDEST:
        sys.exit(
            f"galley: this is Python {sys.version.split()[0]}, Galley needs 3.11 or newer: install a newer "
            "Python, or call one you have by its name (python3.11, python3.12, ...)"
        )
    try:
        if not is_ready(root, kind):
            _make_ready(root, kind)
        elif os.path.realpath(sys.prefix) == os.path.realpath(_venv(root)):
            _run_here(module, arguments)
            return
    except CannotInstall as problem:
        sys.exit(f"galley: {problem}")
    except Stopped as stopped:
        print("\ngalley: stopped before all was installed; the next run begins anew", file=sys.stderr)
        sys.exit(128 + stopped.args[0])
    # -P: a code.py or a queue.py in somebody's folder must not shadow the standard library's
    os.execv(_python(root), [_python(root), "-P", "-m", module, *arguments])


def is_ready(root: str, kind: str) -> bool:
    """Tell whether the environment in `root` is whole and made from the lists as they are now."""
    marker = _read_marker(root)
    return (
        marker.get("made") == _made_here(root)
        and marker.get(kind) == _digest(root, kind)
        and _is_environment(root)
    )


def _run_here(module: str, arguments: Sequence[str]) -> None:
    import runpy

    sys.argv[1:] = arguments
    del sys.path[0]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


# ---- what is there -----------------------------------------------------------------------------------------


def _venv(root: str) -> str:
    return os.path.join(root, ".venv")


def _python(root: str) -> str:
    return os.path.join(_venv(root), "bin", "python")


def _site_packages(root: str) -> str:
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    return os.path.join(_venv(root), "lib", version, "site-packages")


def _made_here(root: str) -> str:
    """Name what an environment can't be carried across: kind of Python, kind of machine, folder."""
    return f"{sys.implementation.cache_tag} {os.uname().machine} {os.path.realpath(root)}"


def _digest(root: str, kind: str) -> str:
    digest = hashlib.sha256()
    try:
        for name in LISTS[kind]:
            with open(os.path.join(root, name), "rb") as file:
                digest.update(file.read())
    except OSError as error:
        raise _sentence(error) from error
    return digest.hexdigest()


def _read_marker(root: str) -> dict[str, str]:
    try:
        with open(os.path.join(_venv(root), MARKER), encoding="utf-8", errors="surrogateescape") as file:
            pairs = [line.split(" ", 1) for line in file.read().splitlines()]
    except OSError:
        return {}
    return {pair[0]: pair[-1] for pair in pairs}


def _write_marker(root: str, marker: dict[str, str]) -> None:
    """Replace the marker in one step. It is on the disk when this returns, so a power cut can't undo it."""
    path = os.path.join(_venv(root), MARKER)
    with open(path + ".new", "w", encoding="utf-8", errors="surrogateescape") as file:
        file.writelines(f"{key} {value}\n" for key, value in marker.items())
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)
    folder = os.open(_venv(root), os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def _is_environment(root: str) -> bool:
    """Tell whether Python in there knows that it is one; without pyvenv.cfg it would be the machine's own."""
    return os.access(_python(root), os.X_OK) and os.path.exists(os.path.join(_venv(root), "pyvenv.cfg"))


def _can_be_updated(root: str) -> bool:
    """Tell whether pip can go on from what is there; an environment that was made by hand counts as well."""
    marker = _read_marker(root)
    return (
        "unfinished" not in marker
        and marker.get("made", _made_here(root)) == _made_here(root)
        and _is_environment(root)
        and os.path.exists(os.path.join(_site_packages(root), "pip", "__main__.py"))
    )


# ---- making it ---------------------------------------------------------------------------------------------


def _make_ready(root: str, kind: str) -> None:
    import contextlib
    import signal

    def stop(number: int, _frame: object) -> NoReturn:
        raise Stopped(number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # under nohup, a hang-up stays ignored
            signal.signal(number, stop)
    try:
        with contextlib.closing(_Lock(root)) as lock:
            if not is_ready(root, kind):  # it may be now, after waiting for another first run
                _install(root, kind, lock.fd)
    except OSError as error:
        raise _sentence(error) from error


class _Lock:
    """The only first run in this folder. The lock is on the folder itself, so no lock file is ever left."""

    def __init__(self, root: str) -> None:
        import fcntl

        self.fd = os.open(root, os.O_RDONLY)
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("Another first run is at work in this folder; waiting for it ...")
            fcntl.flock(self.fd, fcntl.LOCK_EX)
        except OSError:
            pass  # some network file systems lock no folders; then nothing keeps two first runs apart

    def close(self) -> None:
        os.close(self.fd)


def _install(root: str, kind: str, lock: int) -> None:
    """Make or update the environment. Raises `CannotInstall` or `OSError`, and leaves no environment then.

    An update that fails before it changed anything leaves the one from before, for whoever goes back to the
    version it was made for.
    """
    packages = LISTS[kind][-1]
    before = _read_marker(root)
    update = _can_be_updated(root)
    if update:
        _say(f"Bringing .venv up to date with {packages} ...")
    else:
        _check_venv_can_be_made()
        _say(f"First run: making .venv with {_count(root, packages)} packages (needs the network once) ...")
    try:
        if update:
            _write_marker(root, {"unfinished": ""})
        else:
            _make_venv(root, lock)
        pip = [_python(root), "-m", "pip", "--disable-pip-version-check", "install"]
        _child([*pip, "--require-hashes", "-r", packages], root, lock)
        update = False  # what is there now is no longer the one from before
        # the build backend is among the locked packages: this step asks the network for nothing
        _child([*pip, "--no-deps", "--no-build-isolation", "--editable", "."], root, lock)
        os.sync()  # all that the marker will tell of goes to the disk before it
        kinds = ("base", "test") if kind == "test" else ("base",)
        _write_marker(root, {"made": _made_here(root), **{each: _digest(root, each) for each in kinds}})
    except (CannotInstall, OSError) as problem:
        if update and isinstance(problem, CannotInstall) and problem.untouched:
            _write_marker(root, before)
        else:
            _remove(root)
        raise


def _check_venv_can_be_made() -> None:
    try:
        import ensurepip  # noqa: F401 - Debian keeps it in the package python3-venv
        import venv  # noqa: F401
    except ImportError as error:
        raise CannotInstall(
            f"this Python cannot make .venv (no module {error.name}): run   sudo apt install python3-venv"
        ) from error


def _make_venv(root: str, lock: int) -> None:
    """Make an environment with nothing but pip in it, in place of what is there."""
    import venv
    import zipfile

    _remove(root)
    os.mkdir(_venv(root))
    _write_marker(root, {"unfinished": ""})
    venv.EnvBuilder(symlinks=True).create(_venv(root))
    wheel = _pip_wheel()
    if wheel:  # unpacking the wheel that ensurepip would install takes 0.3 s; ensurepip takes 5 to 7
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(_site_packages(root))
    else:
        _child([_python(root), "-m", "ensurepip", "--default-pip"], root, lock)


def _pip_wheel() -> str | None:
    """Find the wheel of pip that came with this Python: in `ensurepip` itself, or where Debian keeps it."""
    import ensurepip
    import sysconfig

    bundled = os.path.join(os.path.dirname(ensurepip.__file__), "_bundled")
    for folder in (bundled, sysconfig.get_config_var("WHEEL_PKG_DIR")):
        if folder and os.path.isdir(folder):
            for name in sorted(os.listdir(folder), reverse=True):
                if name.startswith("pip-") and name.endswith("-py3-none-any.whl"):
                    return os.path.join(folder, name)
    return None


def _remove(root: str) -> None:
    import contextlib
    import shutil

    path = _venv(root)
    if os.path.islink(path) or os.path.isfile(path):
        os.unlink(path)
    elif os.path.isdir(path):
        # first what makes it an environment: killed in the midst, the rest can't be taken for one
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(path, "pyvenv.cfg"))
        shutil.rmtree(path)


def _child(command: Sequence[str], root: str, lock: int) -> None:
    """Run `command` to its end, or kill it when we are stopped. Raises `CannotInstall` with its complaint."""
    import signal
    import subprocess

    lines: list[str] = []
    with subprocess.Popen(
        command,
        cwd=root,
        # whatever happens to .venv meanwhile, pip never changes the machine's own Python
        env={**os.environ, "PYTHONUNBUFFERED": "1", "PIP_REQUIRE_VIRTUALENV": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        pass_fds=(lock,),
        process_group=0,
    ) as child:
        try:
            for line in child.stdout or ():
                lines.append(line.rstrip())
                _show(line)
        except BaseException:
            os.killpg(child.pid, signal.SIGKILL)
            raise
        finally:
            _show("")
    if child.returncode:
        problem = CannotInstall(_complaint(lines, child.returncode))
        # pip fetches everything before it changes anything, and says when it begins to
        problem.untouched = not any(line.startswith(CHANGES) for line in lines)
        raise problem


# ---- what is said ------------------------------------------------------------------------------------------


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _show(line: str) -> None:
    """Show on a terminal which package pip is at, each in place of the last."""
    if sys.stderr.isatty() and (line == "" or line.startswith("Collecting ")):
        print(f"\r\033[K{line.strip().lower()[:70]}", end="", file=sys.stderr, flush=True)


def _count(root: str, name: str) -> int:
    with open(os.path.join(root, name), encoding="utf-8") as file:
        return len({line.split("==")[0] for line in file if "==" in line and line[0].isalpha()})


def _complaint(lines: Sequence[str], status: int) -> str:
    """Make one sentence of what pip printed: the thing, what pip saw, the remedy."""
    import re

    offline = re.findall(r"connection broken by '(\w+)(?:.*\[Errno -?\d+\] ([^']+))?", "\n".join(lines))
    if offline:
        cause = offline[-1][1] or offline[-1][0]
        return f"the packages could not be fetched ({cause}): connect this machine to the network and {AGAIN}"
    errors = [line.split(":", 1)[1].strip() for line in lines if line.lower().startswith("error:")]
    cause = errors[-1] if errors else f"exit status {status}"
    return f'the packages could not be installed ("{cause}"): mend that and {AGAIN}; PIP_LOG=FILE tells more'


def _sentence(error: OSError) -> CannotInstall:
    remedy = REMEDIES.get(
        error.errno or 0, "make the project's folder writable, or copy it to a folder of your own"
    )
    return CannotInstall(f"{error.filename or '.venv'}: {error.strerror}: {remedy}")
