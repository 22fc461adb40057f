"""The `galley` command with all its simulated boards on the second Python, and a deck in a hurry.

The eye's arm goes twelve times as fast as usual and always the same way round, and every pass brings the die
a step nearer to the hole: unless somebody pushes it back, a poop deck is lost after four rounds.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from galley.cli import main
from galley.tables import poop_deck
from galley.tables.deck_world import DeckWorld
from galley.tables.table import Hand
from galley_engine.games.poop_deck_state import State
from tests.vm.vm_board import all_on_the_vm

HURRY = {"eye_percent": 60, "tick_ms": 85, "reverse_percent": 0, "out_percent": 100, "brink_percent": 100}
usual = poop_deck.world


def world(state: State, seed: int, hand: Hand | None, settings: Mapping[str, object]) -> DeckWorld:
    """The usual world with a quicker arm."""
    return usual(state, seed, hand, {**settings, **HURRY})


poop_deck.world = world
all_on_the_vm()
main()
