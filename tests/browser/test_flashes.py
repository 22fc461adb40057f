"""Nothing on the pages flashes more than twice a second, in any animation and any change of phase.

A flash is a pair of opposing changes of the relative luminance by 10 % or more (WCAG 2.3.1 allows three a
second). The page is watched as the browser draws it: a screencast, in which each twelfth of the page is
judged by itself, so that a small area can do no harm either.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import zip_longest
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.feed import Feed
from tests.browser.phases import PHASES
from tests.browser.topics import Topics

numpy = pytest.importorskip("numpy", reason="needs numpy")
Image = pytest.importorskip("PIL.Image", reason="needs pillow")

CHANGE: Final = 0.10
MOST_A_SECOND: Final = 2
ROWS, COLUMNS = 3, 4
WIDTH, HEIGHT = 640, 360
WEIGHTS: Final = (0.2126, 0.7152, 0.0722)

Frames = list[tuple[float, Any]]


def _linear() -> Any:
    code = numpy.arange(256) / 255
    return numpy.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4)


def luminances(jpeg: bytes) -> Any:
    """The mean relative luminance (0 to 1) of each block of a frame, ROWS x COLUMNS."""
    pixels = numpy.asarray(Image.open(io.BytesIO(jpeg)).convert("RGB"))
    light = _linear()[pixels] @ numpy.array(WEIGHTS)
    height, width = light.shape[0] // ROWS * ROWS, light.shape[1] // COLUMNS * COLUMNS
    return light[:height, :width].reshape(ROWS, height // ROWS, COLUMNS, width // COLUMNS).mean(axis=(1, 3))


def opposing_changes(light: Sequence[tuple[float, float]]) -> list[float]:
    """When a change of at least CHANGE against the one before it was complete, in s."""
    times: list[float] = []
    low = high = light[0][1]
    direction = 0
    for at_s, value in light:
        low, high = min(low, value), max(high, value)
        if direction <= 0 and value - low >= CHANGE:
            times.append(at_s)
            direction, high = 1, value
        elif direction >= 0 and high - value >= CHANGE:
            times.append(at_s)
            direction, low = -1, value
        if direction > 0:
            low = high = max(high, value)
        elif direction < 0:
            low = high = min(low, value)
    return times


def flashes_a_second(light: Sequence[tuple[float, float]]) -> int:
    """The most flashes (pairs of opposing changes) in any second."""
    times = opposing_changes(light)
    return max((sum(start <= at < start + 1 for at in times) // 2 for start in times), default=0)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.1] * 20, 0),
        ([0.1, 0.3] * 10, 9),
        ([0.1, 0.15] * 10, 0),
        ([0.1, 0.1, 0.3, 0.3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1] * 2, 2),
        ([i / 20 for i in range(20)], 0),
    ],
)
def test_the_count_knows_what_a_flash_is(values: list[float], expected: int) -> None:
    light = [(i * 0.05, value) for i, value in enumerate(values)]
    assert flashes_a_second(light) == expected


class Camera:
    """Films a page. Playwright hands frames over while the test waits for the page."""

    def __init__(self, page: Page) -> None:
        self.frames: Frames = []
        self._page = page
        self._session = page.context.new_cdp_session(page)
        self._session.on("Page.screencastFrame", self._take)
        self._session.send(
            "Page.startScreencast",
            {"format": "jpeg", "quality": 80, "maxWidth": 320, "maxHeight": 180, "everyNthFrame": 1},
        )

    def _take(self, frame: dict[str, Any]) -> None:
        self.frames.append((frame["metadata"]["timestamp"], luminances(base64.b64decode(frame["data"]))))
        self._session.send("Page.screencastFrameAck", {"sessionId": frame["sessionId"]})

    def stop(self) -> None:
        """No frame more: none may come while the page is closed."""
        self._session.remove_listener("Page.screencastFrame", self._take)
        self._session.send("Page.stopScreencast")

    def run(self, ms: int) -> None:
        """Let `ms` of the page's own time pass."""
        self._page.evaluate("ms => new Promise(done => setTimeout(done, ms))", ms)

    def worst(self) -> int:
        """The most flashes a second in any block since the last call."""
        frames, self.frames = self.frames, self.frames[-1:]
        assert frames, "the page was filmed"
        return max(
            flashes_a_second([(at_s, float(light[row, column])) for at_s, light in frames])
            for row in range(ROWS)
            for column in range(COLUMNS)
        )


Films = list[tuple[Camera, Feed]]


@pytest.fixture(scope="module")
def films(browser: Browser) -> Iterator[Films]:
    """Four kiosks with all their motion, each with a host of its own: what is filmed at once saves time."""
    with ExitStack() as opened:

        def begin() -> tuple[Camera, Feed]:
            page = browser.new_page(
                viewport={"width": WIDTH, "height": HEIGHT}, reduced_motion="no-preference"
            )
            opened.callback(page.close)
            feed = Feed(PHASES["attract"]())
            opened.callback(feed.stop)
            page.goto(feed.url)
            page.locator("body[data-n]").wait_for()
            camera = Camera(page)
            opened.callback(camera.stop)
            return camera, feed

        yield [begin() for _ in range(4)]


ROUNDS: Final[dict[str, Sequence[str]]] = {
    "an evening": (
        "attract", "demo", "choose", "options", "choose", "join_none", "join_some", "howto", "howto_last",
        "duel_start", "duel", "choose_platter", "result", "demo",
    ),
    "pauses": ("duel", "paused", "duel", "operator", "duel", "asking", "duel"),
    "the games": (
        "bar_throw", "bar_choose", "bar_result", "grill_throw", "grill_keep", "grill_decide", "grill_result",
        "deck_hunt", "deck_danger", "deck_last",
    ),
}  # fmt: skip
"""Phases in the order in which they can follow each other."""

PHASE_MS: Final = 250
"""Nobody presses four keys a second that each change the phase; so nothing real is quicker."""


def test_no_change_of_phase_flashes(films: Films) -> None:
    for phases in zip_longest(*ROUNDS.values()):
        for (_, feed), phase in zip(films, phases, strict=False):
            if phase is not None:
                feed.publish(PHASES[phase]())
        films[0][0].run(PHASE_MS)
    assert all(len(camera.frames) > 4 for camera, _ in films[: len(ROUNDS)]), "the changes were filmed"
    worst = {name: camera.worst() for name, (camera, _) in zip(ROUNDS, films, strict=False)}
    assert max(worst.values()) <= MOST_A_SECOND, worst


def _rolled(topics: Topics, round_: int) -> Topics:
    """The duel with all dice of both stations rolled again."""
    faces = ["shrimp", "salmon", "octopus", "cucumber", "roe", "star", "yuck"]
    for side, shift in (("left", 0), ("right", 3)):
        station = topics["table"]["state"]["stations"][side]
        station["kept"] = [False] * 6
        station["faces"] = [faces[(die + shift + round_) % 7] for die in range(6)]
    return topics


def test_dice_that_roll_as_fast_as_the_rules_allow_do_not_flash(films: Films) -> None:
    camera, feed = films[0]
    feed.publish(PHASES["duel"]())
    camera.run(300)
    camera.worst()
    for round_ in range(7):
        feed.publish(_rolled(PHASES["duel"](), round_))
        camera.run(300)
    assert camera.worst() <= MOST_A_SECOND


def test_what_moves_by_itself_does_not_flash(films: Films) -> None:
    phases = ("attract", "demo", "deck_hunt", "deck_danger")
    for phase, (_, feed) in zip(phases, films, strict=True):
        feed.publish(PHASES[phase]())
    films[0][0].run(300)
    for camera, feed in films:
        camera.worst()
        feed.publish({"news": []})
    films[0][0].run(1_500)
    worst = {phase: camera.worst() for phase, (camera, _) in zip(phases, films, strict=True)}
    assert max(worst.values()) <= MOST_A_SECOND, worst
