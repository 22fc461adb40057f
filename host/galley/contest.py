"""Contests: what the pages are told about two presses of which only one could count.

For: "Blue by 6.4 ms (± 0.3)". The race is decided before this; here it is put into words for people, when
the second press has come. It must not decide anything, nor know a game: the table says whether the second
press would have counted had it been first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from galley.tables.table import Job, Key, Table
from galley.timekeeper import Timed
from galley_engine.game import Event, JSONObject
from galley_engine.race import verdict
from galley_engine.record import Verdict

CONTEST_NS: Final = 1_000_000_000  # who comes later than this was not beaten, only late


class Raced(NamedTuple):
    """A press that raced and was accepted: its action, its step's number, the position and jobs it met."""

    timed: Timed
    action: JSONObject
    step: int
    before: Any
    jobs: Mapping[Key, object]

    def rival(self, place: Key) -> Job | None:
        """What the key at `place` would have done then, if it would have acted."""
        job = self.jobs.get(place)
        return job if isinstance(job, Job) and job.action is not None else None


class Contest(NamedTuple):
    """What a second press makes of a step: a line for the pages, and the verdict for the step's record."""

    news: Event
    verdict: Verdict


def judged(table: Table, first: Raced, place: Key, second: Timed) -> Contest | None:
    """What a second press at `place` makes of the first, or None when it contests nothing.

    The news' parameter `race` is the two actions, as in `bell_bell`; or `heat` when the order is not known
    and the rules decided; or `provisional` when a board's clock was not known well enough yet.
    """
    if second.press.ns - first.timed.press.ns > CONTEST_NS:
        return None
    job = first.rival(place)
    if job is None or job.action is None or job.action["seat"] == first.action["seat"]:
        return None
    if not table.contested(first.before, first.action, job.action):
        return None
    found = verdict(first.timed.press, second.press)
    race = f"{first.action['do']}_{job.action['do']}"
    if found.heat:
        race = "heat"
    elif first.timed.provisional or second.provisional:
        race = "provisional"
    over = job.action["seat"]
    assert isinstance(over, int)
    news = Event(
        "first",
        {
            "by": first.action["seat"],
            "on": over,
            "race": race,
            "gap": f"{found.gap_us / 1000:.1f}",
            "doubt": f"{found.uncertainty_us / 1000:.1f}",
        },
    )
    return Contest(news, Verdict(found.gap_us, found.uncertainty_us, found.heat, over))
