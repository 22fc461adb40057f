"""What a board's pixels must be: the firmware's own renderer on a strip in this process."""

from __future__ import annotations

from array import array

import pytest

from galley.tables.table import BoardView
from galley_board import glyphs, pins, wire
from galley_board.link import DEFAULT_BUDGET_MA
from galley_board.pixels import Renderer
from tests.hil.table import Board, Table

SETTLED_MS = 6000
FRAME_MS = 35


class Strip:
    """A chain that remembers."""

    def __init__(self, count: int) -> None:
        self.rgb = bytearray(3 * count)

    def __setitem__(self, index: int, value: int) -> None:
        self.rgb[3 * index : 3 * index + 3] = value.to_bytes(3, "big")

    def show(self) -> None:
        """Nothing shines here."""


def expected(role: str, view: BoardView) -> bytes:
    """The bytes of a steady view once no limit holds anything back: red, green, blue of each pixel."""
    which = pins.BOARD_OF_ROLE[role]
    strip = Strip(pins.PIXELS[which])
    renderer = Renderer(strip, which)
    budget_ma = DEFAULT_BUDGET_MA[wire.ROLES.index(role)]
    deck = view.deck
    drift = wire.DARK_DRIFT if deck.drift is None else deck.drift
    codes = array("B", (wire.NO_FACE, deck.pupil, drift, *deck.holes))
    for now_ms in range(0, SETTLED_MS, FRAME_MS):
        renderer.draw(
            array("H", view.dice), array("B", view.lamps), codes, 1, budget_ma, 255, 0, now_ms
        )  # fmt: skip
    return bytes(strip.rgb)


async def shows(table: Table, board: Board, view: BoardView) -> None:
    """Wait until the board's pixels are exactly those of a view."""
    if not table.rig.sees_pixels(board.role):
        pytest.skip(f"needs a rig that reads the pixels of the {board.role} board")
    wanted = expected(board.role, view)
    board.show(view)
    await board.until(lambda: table.rig.pixels.get(board.role) == wanted)


def lamp(colour: str, mode: int = glyphs.STEADY) -> int:
    """A lamp's code on the wire."""
    return glyphs.lamp_code(glyphs.COLOURS[colour][0], mode)
