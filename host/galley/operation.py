"""What a running box tells those who run it: its health, its numbers, its log, its signs of life.

For: the host, which makes one and calls `look` when something may have changed; the web server, which asks
for `health` and `metrics`. It must not know links or rules. `works` are to run beside the host, in a loop
from `new_loop`.
"""

from __future__ import annotations

import asyncio
import os
import platform
import time
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from galley import metrics
from galley.chronicle import Chronicle
from galley.house import House
from galley.keeping import Keeping
from galley.loop_lag import LoopLag
from galley.notify import Notifier
from galley.phases import PHASES
from galley.thermal import temperatures
from galley.web.hub import Hub


class Operation:
    """One run of the host. `chronicle` is told what only the host knows."""

    def __init__(self, house: House, keeping: Keeping, hub: Hub, version: str, build: str) -> None:
        self.chronicle = Chronicle()
        self._house = house
        self._keeping = keeping
        self._hub = hub
        self._version = version
        self._build = build
        self._lag = LoopLag(self.chronicle.lagged)
        self.new_loop = self._lag.loop
        self._notifier = Notifier.from_environment()
        self._began_s = time.monotonic()

    @property
    def works(self) -> tuple[Callable[[], Coroutine[Any, Any, None]], ...]:
        """What has to run for as long as the host does."""
        return (self._notifier.stay,)

    def ready(self, port: int, simulated: bool) -> None:
        """The host serves."""
        self._lag.begin()
        boards = "simulated boards" if simulated else "the boards that are plugged in"
        self._notifier.ready(f"plays on {boards}, pages at port {port}")
        self.chronicle.started(
            version=self._version,
            build=self._build,
            python=platform.python_version(),
            system=f"{platform.system()} {platform.machine()}",
            pid=os.getpid(),
            port=port,
            simulated=simulated,
        )

    def look(self) -> None:
        """The house or its journal may have changed."""
        self.chronicle.house(self._house.phase, self._house.session)
        state = self._keeping.trouble or "ok"
        if state != self.chronicle.journal_state:
            health = self._keeping.health
            self.chronicle.journal(state, "" if health is None else health.detail)

    def stop(self) -> None:
        """The host ends."""
        self._notifier.stopping()
        self._notifier.close()
        self.chronicle.stopping(time.monotonic() - self._began_s)

    def health(self) -> Mapping[str, object]:
        """A few words, quickly. `ok` is false while the disk takes nothing."""
        trouble = self._keeping.trouble
        kept = self._keeping.health is not None
        return {
            "ok": trouble is None,
            "galley": self._version,
            "version": self._version,
            "pid": os.getpid(),
            "phase": self._house.phase,
            "journal": trouble or ("ok" if kept else "off"),
        }

    async def metrics(self) -> str:
        """All numbers, as Prometheus reads them."""
        warm = await asyncio.to_thread(temperatures)  # a sensor may take its time
        health = self._keeping.health
        boards: Any = self._hub.value("boards") or ()
        now_s = time.monotonic()
        return metrics.text(
            metrics.Reading(
                version=self._version,
                build=self._build,
                uptime_s=now_s - self._began_s,
                phase=self._house.phase,
                phases=tuple(PHASES),
                boards=boards,
                journal=None if health is None else health._asdict(),
                lag_worst_s=self._lag.worst_s(now_s),
                lag_most_s=self._lag.most_s,
                lags=self._lag.lags,
                games_begun=self.chronicle.begun,
                games_over=self.chronicle.over,
                games_left=self.chronicle.left,
                pages=self._hub.pages,
                bad_messages=self._hub.bad_messages,
                temperatures=warm,
            )
        )
