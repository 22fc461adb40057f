"""What the pages are told of: the box, its boards and their clocks, and what the house shows.

For: the host, which says when something may have changed. It must not know how pages are written to
(`web.hub`) nor what they may ask for. What the house shows comes from `keeping`, once it is on the disk.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from galley import __version__, lan
from galley.box import Box
from galley.box_options import LANGUAGES
from galley.chronicle import Chronicle
from galley.clock_history import ClockHistory
from galley.house import House
from galley.house_settings import SettingsFile
from galley.keeping import Keeping, Topics
from galley.tables.table import BOARDS
from galley.timekeeper import Timekeeper
from galley.web.hub import Hub


class Publisher:
    """The topics of one running box. `kept` are the house's settings; `simulated` says whether any board is.

    `lan_url` is the box's address for other machines, None if it serves this one only.
    """

    def __init__(
        self,
        hub: Hub,
        house: House,
        keeping: Keeping,
        box: Box,
        keeper: Timekeeper,
        chronicle: Chronicle,
        *,
        kept: SettingsFile,
        build: str,
        lan_url: str | None,
        simulated: Callable[[], bool],
    ) -> None:
        self._kept = kept
        self._hub = hub
        self._house = house
        self._keeping = keeping
        self._box = box
        self._keeper = keeper
        self._chronicle = chronicle
        self._build = build
        self._simulated = simulated
        self._clocks = ClockHistory(BOARDS)
        self._status_due = False
        if lan_url is not None:
            hub.publish("lan", {"url": lan_url, "qr": lan.qr_rows(lan_url)})

    def tell(self) -> None:
        """The box as a whole, and what the house shows once it is on the disk."""
        now, own = time.localtime(), self._kept.own
        self._house.evening.scores.turn(f"{now.tm_year}-{now.tm_yday}")
        self._hub.publish(
            "meta",
            {
                "version": __version__,
                "build": self._build,
                "simulated": self._simulated(),
                "language": self._house.evening.language,
                "languages": list(LANGUAGES),
                "speaker": self._hub.speaker,
                "volume": own.volume,
                "quiet": own.is_quiet(now),
                "quiet_hours": list(own.quiet),
                "journal": self._keeping.trouble,
            },
        )
        self.tell_topics(self._keeping.follow())

    def tell_topics(self, topics: Topics | None) -> None:
        """What pages may show now, if anything."""
        for topic, value in (topics or {}).items():
            self._hub.publish(topic, value)

    def tell_boards(self) -> None:
        """How every board stands."""
        self._status_due = False
        now_ns = time.monotonic_ns()
        boards = self._box.status()
        for board in boards:
            board["clock"] = self._keeper.standing(board["role"], now_ns)
        self._hub.publish("boards", boards)
        self._chronicle.boards(boards)

    def tell_boards_soon(self) -> None:
        """A board's standing has changed, and others may at once."""
        if not self._status_due:
            self._status_due = True
            asyncio.get_running_loop().call_soon(self.tell_boards)

    def tell_clocks(self) -> None:
        """A second went by: keep how each clock stands, for the crew's page to draw."""
        now_ns = time.monotonic_ns()
        if self._clocks.take({board: self._keeper.reading(board, now_ns) for board in BOARDS}):
            self._hub.publish("clocks", self._clocks.older())
        self._hub.publish("clocks_now", self._clocks.newest())
