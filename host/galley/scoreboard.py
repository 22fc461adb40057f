"""The scoreboard of the day: how often which seat's colour has won which game. No names, no persons.

For: the pages' list. It must not know the time by itself: the day comes in as a word, and a new one starts
the board anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from galley_engine.game import JSONObject

MOST_SHOWN = 12


@dataclass(slots=True)
class Scoreboard:
    """Wins of one day by (game, colour)."""

    day: str = ""
    won: Counter[tuple[str, str]] = field(default_factory=Counter)

    def turn(self, day: str) -> None:
        """It is `day` now."""
        if day != self.day:
            self.day = day
            self.won.clear()

    def count(self, game: str, colours: Iterable[str]) -> None:
        """These have won, together if several."""
        self.won.update((game, colour) for colour in colours)

    def rows(self) -> list[JSONObject]:
        """The pages' form, most wins first; equal ones as they came."""
        return [
            {"game": game, "colour": colour, "won": won}
            for (game, colour), won in self.won.most_common(MOST_SHOWN)
        ]

    def saved(self) -> JSONObject:
        """All of it, as JSON."""
        return {"day": self.day, "won": [[*place, won] for place, won in self.won.items()]}

    def restore(self, saved: Any) -> None:
        """Become as `saved` says; whatever is not of that form is left out."""
        if not isinstance(saved, dict) or not isinstance(saved.get("day"), str):
            return
        self.day = saved["day"]
        self.won.clear()
        rows = saved.get("won")
        for row in rows if isinstance(rows, list) else ():
            match row:
                case [str(game), str(colour), int(won)]:
                    self.won[game, colour] = won
                case _:
                    continue
