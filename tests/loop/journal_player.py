"""`python -m tests.loop.journal_player FILE STEPS`: plays a game into a journal and says what is on the disk.

For: the tests that kill it. Each line of output is a number of steps that a page would show by now. It goes
on with the game on the table, if there is one, and plays the same game whenever and as often as it is killed.
"""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from pathlib import Path

from galley.journal import Journal
from tests.host.journal_kit import PLAYERS, deal, move


async def play(path: Path, steps: int) -> None:
    """Play until the game has so many steps, all of them on the disk."""
    on_disk = asyncio.Event()
    wake = partial(asyncio.get_running_loop().call_soon_threadsafe, on_disk.set)
    journal = Journal.open(path, on_change=wake)
    game = journal.latest().game
    if game is None:
        session = deal()
        number = journal.begin(session, PLAYERS)
    else:
        session, number = game.session(0), game.number
    session.started_ms = 0
    waiting: list[tuple[int, int]] = []
    while len(session.steps) < steps or waiting:
        if len(session.steps) < steps:
            if not move(session):
                sys.exit("the game was over too soon")
            waiting.append((journal.follow(number, session), len(session.steps)))
        if len(session.steps) % 3 == 0 or len(session.steps) == steps:  # up to three steps in one commit
            await on_disk.wait()
            on_disk.clear()
        while waiting and journal.acknowledges(waiting[0][0]):
            print(waiting.pop(0)[1], flush=True)
    await asyncio.to_thread(journal.close)


if __name__ == "__main__":
    asyncio.run(play(Path(sys.argv[1]), int(sys.argv[2])))
