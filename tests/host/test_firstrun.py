"""The first run, in real processes over small copies of the project.

Most tests put a stand-in for pip where Python keeps its own wheel of pip (a package `ensurepip` on
PYTHONPATH), so a first run takes a fraction of a second and can fail, wait or be killed on demand. One test
runs the real pip on a wheel that it makes itself. No test needs the network.
"""

from __future__ import annotations

import ast
import errno
import hashlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from galley import firstrun

HERE = Path(__file__).resolve().parents[2]
SECONDS = 120
PYTHON: str = getattr(sys, "_base_executable", sys.executable)

# what a copy runs in place of the box: it says how it was called
PROGRAM = """
import json, os, sys
print(json.dumps({"arguments": sys.argv[1:], "called": sys.orig_argv[1:],
                  "prefix": sys.prefix, "cwd": os.getcwd()}))
sys.exit(int(os.environ.get("STATUS", "0")))
"""

PIP = f"""
import os, signal, sys, sysconfig
arguments, deed = sys.argv[1:], os.environ.get("PIP_DEED", "")
root = os.getcwd()
site_packages = sysconfig.get_path("purelib")
with open(os.path.join(root, "pip.log"), "a") as log:
    print(" ".join(arguments), file=log)
if deed == "offline":
    print("WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError('<pip at 0x7f>: "
          "Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')': /x/")
if deed == "half":
    print("Installing collected packages: anyio, click")
if deed in ("offline", "broken", "half") or (deed == "late" and "--editable" in arguments):
    sys.exit("ERROR: No matching distribution found for anyio==4.16.0")
if deed == "orphan":
    os.kill(os.getppid(), signal.SIGKILL)
if deed in ("orphan", "hold") and "--editable" not in arguments:
    open(os.path.join(root, "reached"), "w").close()
    open(os.path.join(root, "go")).close()
if "--editable" in arguments:
    with open(os.path.join(site_packages, "galley.pth"), "w") as pth:
        print(os.path.join(root, "host"), file=pth)
else:
    with open(os.path.join(site_packages, "pytest.py"), "w") as module:
        module.write({PROGRAM!r})
"""

# ends the first run, or refuses it, at one of its changes to the disk
SABOTAGE = """
import errno, os, signal, sys
count, deed, number = 0, *(os.environ.get("SABOTAGE") or "none 0").split()
CHANGES = ("os.mkdir", "os.rename", "os.symlink", "os.remove", "os.rmdir", "subprocess.Popen")

def hook(event, arguments):
    global count
    changes = event in CHANGES or (
        event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR) and str(arguments[0]) != os.devnull)
    if not changes or isinstance(arguments[0], int) or "__pycache__" in str(arguments[0]):
        return  # the import system's own
    count += 1
    if deed == "count":
        os.write(2, b"!")
    elif count == int(number) and deed == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif count == int(number):
        raise OSError(int(deed), os.strerror(int(deed)), str(arguments[0]))

if deed != "none" and os.path.basename(sys.orig_argv[1]) == "host":
    sys.addaudithook(hook)
"""


@dataclass
class Project:
    """A copy of the project that has the first run and nothing to run after it but `PROGRAM`."""

    root: Path
    shadow: Path
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    def start(
        self, *arguments: str, what: str = "host", python: str = PYTHON, **env: str
    ) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [python, str(self.root / what), *arguments],
            env={**os.environ, "PYTHONPATH": str(self.shadow), **env},
            cwd=self.shadow,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.started.append(process)
        return process

    def run(
        self, *arguments: str, what: str = "host", python: str = PYTHON, **env: str
    ) -> subprocess.CompletedProcess[str]:
        process = self.start(*arguments, what=what, python=python, **env)
        out, err = process.communicate(timeout=SECONDS)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def pip_calls(self) -> list[str]:
        log = self.root / "pip.log"
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []

    def needs(self, *packages: str) -> None:
        """Change what the box needs."""
        lines = [f"{package} \\\n    --hash=sha256:00\n" for package in packages]
        (self.root / "requirements.txt").write_text("".join(lines))


@pytest.fixture
def project(tmp_path: Path) -> Generator[Project]:
    root, shadow = tmp_path / "a folder", tmp_path / "shadow"
    (root / "host/galley").mkdir(parents=True)
    (root / "tests").mkdir()
    for name in (
        "host/__main__.py",
        "host/galley/__init__.py",
        "host/galley/firstrun.py",
        "tests/__main__.py",
    ):
        shutil.copy(HERE / name, root / name)
    (root / "host/galley/__main__.py").write_text(PROGRAM)
    (root / "pyproject.toml").write_text("[project]\n")
    (root / "requirements-test.txt").write_text("click==8.5.1\npytest==9.2.0\n")
    (shadow / "ensurepip/_bundled").mkdir(parents=True)
    (shadow / "ensurepip/__init__.py").touch()
    (shadow / "sitecustomize.py").write_text(SABOTAGE)
    with zipfile.ZipFile(shadow / "ensurepip/_bundled/pip-0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("pip/__init__.py", "")
        wheel.writestr("pip/__main__.py", PIP)
    made = Project(root, shadow)
    made.needs("click==8.5.1", "pyserial==3.5")
    yield made
    for process in made.started:
        process.kill()
        process.communicate()


def told(result: subprocess.CompletedProcess[str]) -> dict[str, object]:
    """What `PROGRAM` said of how it was called."""
    assert result.stdout, result.stderr
    answer: dict[str, object] = json.loads(result.stdout)
    return answer


BOTH_STEPS = [
    "-m pip --disable-pip-version-check install --require-hashes -r requirements.txt",
    "-m pip --disable-pip-version-check install --no-deps --no-build-isolation --editable .",
]


def test_a_fresh_folder_is_installed_once_and_the_arguments_go_on(project: Project) -> None:
    first = project.run("--sim", "left,right", STATUS="3")
    assert first.stderr == "First run: making .venv with 2 packages (needs the network once) ...\n"
    assert first.returncode == 3
    assert told(first)["arguments"] == ["--sim", "left,right"]
    assert told(first)["prefix"] == str(project.venv)
    assert told(first)["called"] == ["-P", "-m", "galley", "--sim", "left,right"]
    calls = project.pip_calls()
    assert [f"-m pip {call}" for call in calls] == BOTH_STEPS

    later = project.run()
    assert (later.returncode, later.stderr, told(later)["arguments"]) == (0, "", [])
    assert project.pip_calls() == calls


def test_the_real_pip_installs_a_locked_wheel_and_this_folder(project: Project, tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    digest = make_wheel(wheels)
    (project.root / "requirements.txt").write_text(f"tiny==1.0 --hash=sha256:{digest}\n")
    (project.root / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["tiny"]\nbuild-backend = "tiny"\n'
    )
    result = project.run(
        "x", PYTHONPATH="", PIP_NO_INDEX="1", PIP_FIND_LINKS=str(wheels), PIP_CONFIG_FILE=os.devnull
    )
    assert told(result)["arguments"] == ["x"]


def make_wheel(folder: Path) -> str:
    """Make a wheel that is a build backend, enough for an editable install. Returns its digest."""
    backend = """
import base64, hashlib, os, zipfile
def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "copy-1-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        wheel.writestr("copy.pth", os.path.join(os.getcwd(), "host"))
        for file, text in (("METADATA", "Metadata-Version: 2.1\\nName: copy\\nVersion: 1\\n"),
                           ("WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"),
                           ("RECORD", "copy.pth,,\\ncopy-1.dist-info/METADATA,,\\n")):
            wheel.writestr("copy-1.dist-info/" + file, text)
    return name
"""
    path = folder / "tiny-1.0-py3-none-any.whl"
    info = "tiny-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("tiny.py", backend)
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", f"tiny.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_tests_environment_serves_the_box_too_and_runs_in_the_project_folder(project: Project) -> None:
    tests = project.run("-k", "wire", what="tests", STATUS="5")
    assert (tests.returncode, told(tests)["cwd"]) == (5, str(project.root))
    assert told(tests)["called"] == ["-P", "-m", "pytest", "-k", "wire"]
    assert "requirements-test.txt" in project.pip_calls()[0]
    box = project.run()
    assert (box.returncode, box.stderr, len(project.pip_calls())) == (0, "", 2)


def test_the_box_environment_grows_into_the_tests_one_in_place(project: Project) -> None:
    project.run()
    (project.venv / "kept").touch()
    tests = project.run(what="tests")
    assert tests.stderr == "Bringing .venv up to date with requirements-test.txt ...\n"
    assert (project.venv / "kept").exists()
    assert project.run(what="tests").stderr == ""


@pytest.mark.parametrize("name", ["pyproject.toml", "requirements.txt"])
def test_a_changed_list_brings_the_environment_up_to_date_in_place(project: Project, name: str) -> None:
    project.run()
    (project.venv / "kept").touch()
    with (project.root / name).open("a") as file:
        file.write("# changed\n")
    again = project.run("x")
    assert (again.stderr, told(again)["arguments"]) == (
        "Bringing .venv up to date with requirements.txt ...\n",
        ["x"],
    )
    assert (project.venv / "kept").exists()
    assert len(project.pip_calls()) == 4


def test_the_environments_own_python_goes_straight_on(project: Project) -> None:
    project.run()
    result = project.run("a", "b", python=str(project.venv / "bin/python"), STATUS="4")
    assert (result.returncode, told(result)["arguments"]) == (4, ["a", "b"])
    assert told(result)["called"] == [str(project.root / "host"), "a", "b"]


def break_python(project: Project) -> None:
    (project.venv / "bin/python").unlink()


def move(project: Project) -> None:
    project.root = project.root.rename(project.root.with_name("moved"))


def claim_another_python(project: Project) -> None:
    marker = project.venv / firstrun.MARKER
    marker.write_text(marker.read_text(encoding="utf-8").replace("cpython-3", "cpython-2"))


def replace_by_a_file(project: Project) -> None:
    shutil.rmtree(project.venv)
    project.venv.touch()


def cut_short_by_hand(project: Project) -> None:
    (project.venv / firstrun.MARKER).unlink()
    (project.venv / "pyvenv.cfg").unlink()


def forget_what_it_is(project: Project) -> None:
    (project.venv / "pyvenv.cfg").unlink()


@pytest.mark.parametrize(
    "harm",
    [break_python, move, claim_another_python, replace_by_a_file, cut_short_by_hand, forget_what_it_is],
)
def test_an_environment_that_does_not_fit_is_made_anew(
    project: Project, harm: Callable[[Project], None]
) -> None:
    project.run()
    (project.venv / "kept").touch()
    harm(project)
    result = project.run("x")
    assert result.stderr.startswith("First run: making .venv")
    assert told(result)["prefix"] == str(project.venv)
    assert not (project.venv / "kept").exists()


def changes_to_the_disk(project: Project) -> int:
    return project.run(SABOTAGE="count 0").stderr.count("!")


def test_killed_at_any_change_to_the_disk_the_next_run_heals(project: Project) -> None:
    changes = changes_to_the_disk(project)
    assert changes > 20
    claim_another_python(project)
    project.run(SABOTAGE="kill 2")
    assert not (project.venv / "pyvenv.cfg").exists(), "what makes it an environment goes first"
    for number in range(1, changes + 1, 3):  # each begins with what the last one left
        killed = project.run(SABOTAGE=f"kill {number}")
        assert killed.returncode == -signal.SIGKILL, f"change {number}: {killed.stderr}"
        assert killed.stderr.startswith("First run"), f"change {number}: half an environment was updated"
    assert told(project.run("healed"))["arguments"] == ["healed"]
    assert project.run().stderr == ""


def test_killed_in_an_update_the_next_run_makes_it_anew(project: Project) -> None:
    project.run()
    project.needs("click==9.0")
    changes = changes_to_the_disk(project)
    for number in range(1, changes + 1):  # each begins with what the last one healed
        project.needs(f"click=={number}")
        assert project.run(SABOTAGE=f"kill {number}").returncode == -signal.SIGKILL
        healing = project.run()
        before_the_first_change = number <= 2  # the marker is written beside its place, then moved there
        assert healing.stderr.startswith("Bringing" if before_the_first_change else "First run"), number
        assert (healing.returncode, project.run().stderr) == (0, "")


@pytest.fixture
def gates(project: Project) -> Generator[tuple[int, Path]]:
    """The two ends of a held pip: readable when it is there; to be opened for writing when it may go on."""
    for name in ("reached", "go"):
        os.mkfifo(project.root / name)
    reached = os.open(project.root / "reached", os.O_RDONLY | os.O_NONBLOCK)
    yield reached, project.root / "go"
    os.close(reached)


def wait_for(reached: int) -> None:
    poll = select.poll()
    poll.register(reached)
    assert poll.poll(SECONDS * 1000), "pip was never called"


def test_of_two_first_runs_at_once_one_waits_for_the_other(project: Project, gates: tuple[int, Path]) -> None:
    one = project.start("one", PIP_DEED="hold")
    wait_for(gates[0])
    two = project.start("two")
    assert two.stderr
    assert two.stderr.readline() == "Another first run is at work in this folder; waiting for it ...\n"
    gates[1].open("w").close()
    for process, name in ((one, "one"), (two, "two")):
        out, _ = process.communicate(timeout=SECONDS)
        assert (process.returncode, json.loads(out)["arguments"]) == (0, [name])
    assert len(project.pip_calls()) == 2


def test_a_pip_that_outlives_a_killed_first_run_is_waited_for(
    project: Project, gates: tuple[int, Path]
) -> None:
    killed = project.run(PIP_DEED="orphan")
    assert killed.returncode == -signal.SIGKILL
    wait_for(gates[0])
    heir = project.start("heir")
    assert heir.stderr
    assert heir.stderr.readline().startswith("Another first run is at work")
    gates[1].open("w").close()
    out, err = heir.communicate(timeout=SECONDS)
    assert json.loads(out)["arguments"] == ["heir"]
    assert err.startswith("First run: making .venv")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_pip_too_says_one_line_and_the_next_run_heals(
    project: Project, gates: tuple[int, Path], number: signal.Signals
) -> None:
    before = signal.signal(number, signal.SIG_DFL)  # whoever started the tests may have it ignored
    try:
        stopped = project.start(PIP_DEED="hold")
    finally:
        signal.signal(number, before)
    wait_for(gates[0])
    stopped.send_signal(number)
    out, err = stopped.communicate(timeout=SECONDS)
    assert (stopped.returncode, out) == (128 + number, "")
    assert err.splitlines()[-1] == "galley: stopped before all was installed; the next run begins anew"
    assert "Traceback" not in err
    again = project.run("x")  # would wait for the lock if pip still lived
    assert (told(again)["arguments"], again.stderr.count("Another")) == (["x"], 0)


def only_sentence(result: subprocess.CompletedProcess[str]) -> str:
    """The one line that a failed first run says, after at most the line that it begins."""
    lines = [line for line in result.stderr.splitlines() if not line.startswith(("First run", "Bringing"))]
    assert len(lines) == 1, result.stderr
    assert (result.returncode, result.stdout) == (1, "")
    return lines[0]


OFFLINE = (
    "galley: the packages could not be fetched (Temporary failure in name resolution): "
    "connect this machine to the network and run the same command again"
)
BROKEN = (
    'galley: the packages could not be installed ("No matching distribution found for anyio==4.16.0"): '
    "mend that and run the same command again; PIP_LOG=FILE tells more"
)


@pytest.mark.parametrize(("deed", "sentence"), [("offline", OFFLINE), ("broken", BROKEN)])
def test_when_pip_fails_one_sentence_says_so_and_no_environment_is_left(
    project: Project, deed: str, sentence: str
) -> None:
    assert only_sentence(project.run(PIP_DEED=deed)) == sentence
    assert not project.venv.exists()
    assert project.run().returncode == 0


def test_an_update_without_network_keeps_the_environment_for_who_goes_back(project: Project) -> None:
    project.run()
    before = (project.root / "requirements.txt").read_text(encoding="utf-8")
    (project.root / "requirements.txt").write_text(before + "# newer\n")
    assert only_sentence(project.run(PIP_DEED="offline")) == OFFLINE
    (project.root / "requirements.txt").write_text(before)
    again = project.run("x", PIP_DEED="offline")
    assert (again.stderr, told(again)["arguments"]) == ("", ["x"])


@pytest.mark.parametrize("deed", ["half", "late"])
def test_an_update_that_fails_after_its_first_change_leaves_no_environment(
    project: Project, deed: str
) -> None:
    project.run()
    with (project.root / "requirements.txt").open("a") as file:
        file.write("# newer\n")
    assert only_sentence(project.run(PIP_DEED=deed)) == BROKEN
    assert not project.venv.exists()


def test_without_python3_venv_the_apt_line_is_said_and_nothing_changes(project: Project) -> None:
    (project.shadow / "ensurepip/__init__.py").write_text("raise ModuleNotFoundError(name='ensurepip')")
    sentence = (
        "galley: this Python cannot make .venv (no module ensurepip): run   sudo apt install python3-venv"
    )
    assert only_sentence(project.run()) == sentence
    assert not project.venv.exists()
    project.venv.mkdir()
    (project.venv / "kept").touch()
    assert only_sentence(project.run()) == sentence
    assert (project.venv / "kept").exists()


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.EROFS, "make the project's folder writable, or copy it to a folder of your own"),
        (errno.EACCES, "make the project's folder writable, or copy it to a folder of your own"),
        (errno.ENOSPC, "free some space and run the same command again"),
    ],
)
def test_a_folder_that_cannot_be_written_gives_a_sentence(project: Project, number: int, remedy: str) -> None:
    sentence = only_sentence(project.run(SABOTAGE=f"{number} 1"))
    assert sentence == f"galley: {project.venv}: {os.strerror(number)}: {remedy}"
    assert not project.venv.exists()


def test_pip_never_changes_the_python_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when somebody deletes .venv while it is being made: what is left runs as the machine's Python."""
    wheel = firstrun._pip_wheel()
    if wheel is None:
        pytest.skip("needs the wheel of pip that comes with Python")
    monkeypatch.setenv("PYTHONPATH", wheel)
    lock = os.open(tmp_path, os.O_RDONLY)
    try:
        with pytest.raises(firstrun.CannotInstall, match="virtualenv"):
            firstrun._child([PYTHON, "-m", "pip", "install", "--no-index", "tiny"], str(tmp_path), lock)
    finally:
        os.close(lock)


def test_an_incomplete_copy_of_the_project_gives_a_sentence(project: Project) -> None:
    missing = project.root / "requirements.txt"
    missing.unlink()
    sentence = f"galley: {missing}: No such file or directory: fetch a whole copy of the project"
    assert only_sentence(project.run()) == sentence


def test_an_old_python_is_told_which_one_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version", "3.9.18 (main, Nov 1 2023)")
    monkeypatch.setattr(sys, "version_info", (3, 9, 18, "final", 0))
    with pytest.raises(SystemExit, match=r"^galley: this is Python 3\.9\.18, Galley needs 3\.11 or newer: "):
        firstrun.run("base", "galley", [])


@pytest.mark.parametrize(
    "name", ["host/__main__.py", "tests/__main__.py", "host/galley/__init__.py", "host/galley/firstrun.py"]
)
def test_an_old_python_can_read_what_tells_it_so(name: str) -> None:
    tree = ast.parse((HERE / name).read_text(encoding="utf-8"), feature_version=(3, 9))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert imported <= sys.stdlib_module_names
