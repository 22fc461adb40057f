"""What the buzzers of the boards sound when no page is the loudspeaker: one tone for what happened.

For: a box without a screen, or whose pages are silent. It is given the news of the house and says which tone
is due; it must not know boards, pages or hours. A buzzer has one voice, so only what everybody at the table
must hear has a tone: no roll, no tick. Pages sound the same of the same news (`loudspeaker.js`), fuller.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple


class Tone(NamedTuple):
    """What a buzzer sounds."""

    hz: int
    ms: int


TONES: Final[Mapping[str, Tone]] = {
    "win": Tone(1047, 700),
    "mate": Tone(523, 400),
    "yuck": Tone(233, 300),
    "wrong": Tone(147, 350),
    "bell": Tone(1568, 450),
}
"""By sound, the most telling first: of what happened at once, that is heard."""

SOUND_OF: Final[Mapping[str, str]] = {
    **dict.fromkeys(("game_won", "game_ended", "crew_won"), "win"),
    **dict.fromkeys(("mate_called",), "mate"),
    **dict.fromkeys(("tile_stolen", "plate_stolen", "yuck_called", "dropping_lost"), "yuck"),
    **dict.fromkeys(
        (
            *("crew_lost", "tile_forced", "bell_false", "yuck_missed", "mate_missed"),
            *("throw_bad", "dropping_put_back", "die_lost"),
        ),
        "wrong",
    ),
    **dict.fromkeys(
        (
            *("platter_taken", "must_choose", "plate_placed", "plate_stacked", "snail_taken"),
            *("dropping_collected", "duel_started"),
        ),
        "bell",
    ),
}
"""News to sound, as the pages have it."""


class Buzzers:
    """Follows the news of one house."""

    def __init__(self) -> None:
        self._heard: int | None = None

    def due(self, news: Sequence[Mapping[str, Any]]) -> Tone | None:
        """The tone for what is new since the last call; none for what was there at the first.

        `news` are the latest entries of the house, oldest first, with their numbers `n`.
        """
        before = self._heard
        self._heard = news[-1]["n"] if news else before or 0
        if before is None:
            return None
        sounds = {
            SOUND_OF[entry["key"]] for entry in news if entry["n"] > before and entry["key"] in SOUND_OF
        }
        return next((tone for sound, tone in TONES.items() if sound in sounds), None)
