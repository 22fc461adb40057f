"""Every phase that the page tests and the screenshots show, by name, and the pixels that go with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import cache
from typing import Final

from galley_board import glyphs, pins
from tests.browser.around_phases import AROUND_PHASES
from tests.browser.deck_phases import DECK_PHASES
from tests.browser.duel_phases import DUEL_PHASES
from tests.browser.topics import COLOURS, ROLES, Topics
from tests.browser.turn_phases import TURN_PHASES


def _played_once(phase: Callable[[], Topics]) -> Callable[[], Topics]:
    """The same topics each time, which a test may change: a game played to its end takes a second."""
    played = cache(phase)
    return lambda: deepcopy(played())


PHASES: Final[Mapping[str, Callable[[], Topics]]] = {
    name: _played_once(phase)
    for name, phase in {
        **AROUND_PHASES,
        **{phase.__name__: phase for phase in DUEL_PHASES},
        **TURN_PHASES,
        **DECK_PHASES,
    }.items()
}
"""Name -> function that makes the topics of that moment."""

CREWS: Final = ("attract", "trouble")
"""The crew's page shows no game: these phases are all that it can show."""


def picture(role: str, dice: Sequence[tuple[str, str]] = (), lamps: Mapping[int, str] | None = None) -> bytes:
    """What a board writes to its pixels: `dice` as (glyph, style), `lamps` as key -> colour.

    The light is that of the firmware in rough numbers; only the order of the chain is exact.
    """
    count = pins.PIXELS[pins.BOARD_OF_ROLE[role]]
    rgb = bytearray(3 * count)
    table = {name: (colour, pattern) for name, _, colour, pattern in glyphs.TABLE}
    for die, (glyph, style) in enumerate(dice):
        colour, pattern = table[glyph]
        lit = [i for i, sign in enumerate(pattern.replace(" ", "")) if sign == "#"]
        light = {"plain": 140, "kept": 280, "dim": 56}[style] / max(1, len(lit))
        for i in lit:
            at = 3 * pins.die_pixel(die, i // 3, i % 3)
            rgb[at : at + 3] = bytes(
                min(255, round(light * share / 255)) for share in glyphs.COLOURS[colour][1:]
            )
    for key, colour in (lamps or {}).items():
        at = 3 * pins.lamp_pixel(pins.BOARD_OF_ROLE[role], key)
        rgb[at : at + 3] = bytes(round(45 * share / 255) for share in glyphs.COLOURS[colour][1:])
    return bytes(rgb)


LAMPS: Final = {**dict.fromkeys(range(8), "white"), 8: "green", 9: "red", 10: "violet"}


def pictures(topics: Topics) -> dict[str, bytes]:
    """The pixels of all boards that go with `topics`: the dice as they lie, lamps for keys with a job."""
    table = topics["table"]
    keys = table["keys"] if table else topics["house"].get("keys", {})
    shown: dict[str, bytes] = {}
    for role in ROLES:
        lamp_of = dict(enumerate(COLOURS)) if role == "deck" else LAMPS
        lamps = {int(key): lamp_of[int(key)] for key in keys.get(role, {}) if int(key) in lamp_of}
        dice: list[tuple[str, str]] = []
        if table and table["game"] == "sushi_duel" and role != "deck":
            lying = table["state"]["stations"][role]
            dice = [
                ("unrolled", "dim") if face is None else (face, "kept" if kept else "plain")
                for face, kept in zip(lying["faces"], lying["kept"], strict=True)
            ]
        shown[role] = picture(role, dice, lamps)
    return shown
