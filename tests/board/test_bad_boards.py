"""Boards that something is wrong with, by the real route: simulated board, port, box, what `/service` reads.

What is wrong is told in the heartbeat's faults and reaches the page by its name; the board plays on, and
nothing moves. All boxes run at the same time.
"""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any, NamedTuple

import pytest

from galley.sim.deck_rig import HOLES, gp
from galley.sim.knobs import Knobs
from tests.board.playground import Watched
from tests.loop.box_process import running_box

MOTORS = [gp(name) for name in ("EYE_IN1", "EYE_IN2", "EYE_nSLEEP", *(f"DIE_IN{coil}" for coil in "1234"))]


class Wrong(NamedTuple):
    """What is wrong with a deck, and what a page must be told of it."""

    faults: list[str]
    settings: tuple[str, ...] = ()
    broken: int = 0  # a hole


WRONG = {
    "a setting that cannot be": Wrong(["setting_unknown"], ("GALLEY_DIE=wooden",)),
    "a pin that is not there": Wrong(["pin_missing"], ("GALLEY_PIN_SEAT2=GP99",)),
    "two things on one pin": Wrong(["pin_twice"], ("GALLEY_PIN_SEAT2=GP0",)),
    "a beam blocked at the start": Wrong(["beam_blocked"], broken=2),
}


class Pins:
    """What the deck's pins are joined to: a closed lid, four beams, one of them perhaps broken."""

    def __init__(self, broken: int) -> None:
        self._broken = broken
        self.moved: list[dict[str, Any]] = []

    def wiring(self) -> list[dict[str, Any]]:
        """As `Rigging` wants it."""
        beam = {"op": "beam", "strobe": gp("IR_STROBE"), "ambient": False}
        beams = [{**beam, "pin": pin, "broken": hole == self._broken} for hole, pin in enumerate(HOLES, 1)]
        return [{"op": "watch", "pins": MOTORS}, {"op": "pin", "pin": gp("GUARD"), "value": 0}, *beams]

    def heard(self, event: dict[str, Any]) -> None:
        """Note what moves."""
        if event.get("value") or event.get("duty"):
            self.moved.append(event)

    def unplugged(self) -> None:
        """It is all the same to them."""


async def told(wrong: Wrong) -> None:
    """Plug the deck into a box and see that a page is told, and that the deck stays and keeps still."""
    board, around = Watched("deck", knobs=Knobs(settings=wrong.settings)), Pins(wrong.broken)
    board.rigging = around
    try:
        await board.start()
        async with running_box("--connect", str(board.port)) as box, box.page("service") as page:
            await page.until(lambda p: p.board("deck")["state"] == "live", "the deck is live")
            await page.until(lambda p: p.board("deck")["faults"] == wrong.faults, str(wrong.faults))
            assert page.board("deck")["state"] == "live"
        assert around.moved == []
    finally:
        await board.stop()


@cache
def evening() -> dict[str, BaseException | None]:
    """How each went: None where all was well."""

    async def all_at_once() -> list[BaseException | None]:
        return await asyncio.gather(*(told(wrong) for wrong in WRONG.values()), return_exceptions=True)

    return dict(zip(WRONG, asyncio.run(all_at_once()), strict=True))


@pytest.mark.parametrize("what", WRONG)
def test_a_page_is_told_what_is_wrong_and_nothing_moves(what: str) -> None:
    error = evening()[what]
    if error is not None:
        raise error
