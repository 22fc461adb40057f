"""`kill -9` of a process that writes a journal, at random instants: nothing that it had said is lost.

One game is played by one process after the other. Each is killed, and whatever the journal then holds is
compared with the same game played without a journal: every step that was acknowledged is there, none is
there that was not played, and state and record are equal to the byte.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from galley.data_folder import JOURNAL, FolderInUse
from galley.journal import Journal
from galley.journal_schema import to_read
from galley.journal_verify import findings
from galley.session import Session
from galley_engine.record import canonical
from tests.host.journal_kit import deal, move

ROOT = Path(__file__).resolve().parents[2]
STEPS = 50_000


def player(path: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.loop.journal_player", str(path), str(STEPS)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def killed(path: Path, random: Random) -> int:
    """The highest step that a process said to be on the disk before it was killed, 0 if it said nothing."""
    with player(path) as process:
        assert process.stdout is not None
        said: list[str] = []
        if random.random() < 0.7:
            said += islice(process.stdout, random.randrange(60))
        else:  # in the middle of its start, or whatever it does by then
            with suppress(subprocess.TimeoutExpired):
                process.wait(random.uniform(0.01, 0.8))
        process.kill()
        said += process.stdout
    assert process.returncode == -9, "it ended by itself"
    return int(said[-1]) if said else 0


def compare(path: Path, undisturbed: Session, states: list[Any], least: int) -> int:
    """Open the journal after a kill; how many steps it holds. `states` are those of the undisturbed game."""
    journal = Journal.open(path)
    game = journal.latest().game
    assert journal.aside is None
    journal.close()
    if game is None:
        assert least == 0
        return 0
    session = game.session(0)
    steps = len(session.steps)
    assert steps >= least, f"step {least} was acknowledged, and the journal ends after {steps}"
    while len(undisturbed.steps) < steps:
        assert move(undisturbed)
        states.append(undisturbed.state)
    assert session.steps == undisturbed.steps[:steps]
    assert session.state == states[steps]
    full = session.game.full
    assert canonical(full(session.state)) == canonical(full(states[steps]))
    wanted = undisturbed.record().splitlines()[: steps + 1]
    assert session.record().splitlines()[:-1] == wanted
    return steps


def evening(path: Path, kills: int, seed: int) -> list[int]:
    random, undisturbed = Random(seed), deal()
    states = [undisturbed.dealt]
    held: list[int] = [0]
    for _ in range(kills):
        least = killed(path, random)
        held.append(compare(path, undisturbed, states, max(least, held[-1])))
    connection = to_read(path)
    assert list(findings(connection)) == []
    connection.close()
    return held


def test_nothing_acknowledged_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    held = evening(tmp_path / JOURNAL, kills=8, seed=7)
    assert held[-1] > 20


@pytest.mark.soak
@pytest.mark.parametrize("seed", [1, 2])
def test_a_hundred_kills(tmp_path: Path, seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    held = evening(tmp_path / JOURNAL, kills=100, seed=seed)
    assert held[-1] > 1000
    with capsys.disabled():
        print(f"\nseed {seed}: 100 kills survived, {held[-1]} steps in one game, nothing lost")


def test_a_second_process_is_kept_out(tmp_path: Path) -> None:
    path = tmp_path / JOURNAL
    with player(path) as first:
        assert first.stdout is not None
        assert next(first.stdout) == "1\n"
        with pytest.raises(FolderInUse, match=f"process {first.pid}"):
            Journal.open(path)
        first.kill()
        said = list(first.stdout)
    journal = Journal.open(path)  # the lock ended with the process that held it
    game = journal.latest().game
    journal.close()
    assert game is not None
    assert len(game.steps) >= len(said)
