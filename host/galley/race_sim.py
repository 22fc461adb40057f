"""Traces from two simulated boards on a wire: their own firmware, real ports, edges at known instants.

For: `galley race-test --sim`. A key of both boards is pressed at one instant, again and again, as a wire
between two pins would do it; the stamps are the firmware's, by scan or by PIO. It must not judge them.

What it measures is this machine, its ports and its load, without USB and real crystals: a box's own figure
takes two real boards (`race_live`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from galley.race_live import LIVE_WITHIN_S, NoBoard, Recorder
from galley.race_trace import BOARDS, Entry
from galley.sim.boards import SimulatedBox
from galley.sim.knobs import Knobs
from galley.tables.table import BELL

FINE: Final = "GALLEY_EDGES=1"
AHEAD_NS: Final = 40_000_000  # told so early, a press is exact to the microsecond
HELD_S: Final = 0.09  # from when it is told
APART_S: Final = (0.07, 0.13)


async def simulated(
    wanted: int, seconds: float, told: Callable[[int], None], knobs: Mapping[str, Knobs], seed: int = 0
) -> list[Entry]:
    """A trace of `wanted` edges, or of what came in `seconds`, from boards with these knobs.

    Raises NoBoard and SimulationError.
    """
    box = SimulatedBox(BOARDS)
    for board, own in knobs.items():
        box.boards[board].knobs = own
    await box.start()
    try:
        recorder = Recorder([str(box.boards[board].port) for board in BOARDS], wanted, told)
        both = (
            asyncio.create_task(recorder.run(seconds)),
            asyncio.create_task(_press(box, recorder, Random(seed))),
        )
        done, others = await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        for task in done:
            task.result()
        return recorder.entries
    finally:
        await box.stop()


async def _press(box: SimulatedBox, recorder: Recorder, random: Random) -> None:
    try:
        await asyncio.wait_for(recorder.ready.wait(), LIVE_WITHIN_S)
    except TimeoutError:
        raise NoBoard(f"the boards' clocks are not known after {LIVE_WITHIN_S:.0f} s: start again") from None
    while True:
        at_ns = time.monotonic_ns() + AHEAD_NS
        for board in BOARDS:
            box.boards[board].press(BELL, True, at_ns)
        await asyncio.sleep(HELD_S)
        for board in BOARDS:
            box.boards[board].press(BELL, False)
        await asyncio.sleep(random.uniform(*APART_S))
