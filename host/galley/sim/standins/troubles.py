"""Troubles that befall a simulated board while it runs: long collections, scans that do not happen.

For: the faults that a real board meets by itself, at an instant that the rig chooses. A message names the
trouble and, in `at_ns` of the sender's CLOCK_MONOTONIC, when it begins; without that, now:

    {"op":"gc_pause","ms":220}
        the first collection of garbage from then on takes so long; the keypad scans on meanwhile.
        `{"ev":"gc_pause","ms":220}` tells when it begins
    {"op":"scan_skip","pixels":33}
        scans do not happen for as long as it takes to write so many pixels with interrupts switched off
"""

from __future__ import annotations

import gc
from typing import Any

from rig import Rig, real_ns, real_sleep

NS_PER_PIXEL = 30_000

real_collect = gc.collect


def befall(rig: Rig, message: dict[str, Any]) -> None:
    """Keep in mind what a message says will happen."""
    at_ns = message.get("at_ns", real_ns())
    if message["op"] == "gc_pause":
        rig.pauses.append((at_ns, message["ms"]))
    else:
        begin_ns = rig.board_ns(at_ns)
        rig.skips.append((begin_ns, begin_ns + message["pixels"] * NS_PER_PIXEL))


def collect(rig: Rig) -> int:
    """`gc.collect` of a board: as long as the longest pause that is due."""
    now_ns = real_ns()
    due = [ms for at_ns, ms in rig.pauses if at_ns <= now_ns]
    if due:
        rig.pauses = [pause for pause in rig.pauses if pause[0] > now_ns]
        rig.send("gc_pause", f'"ms":{max(due)}')
        real_sleep(max(due) / 1000)
    return real_collect()
