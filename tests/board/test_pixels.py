"""Pixels: the right light in the right place, never too much current, never over two flashes a second."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from galley_board import glyphs, limits, link, pins, pixels, wire

STATION = pins.STATION
DECK = pins.DECK
MOST = {STATION: 220, DECK: 92}
START_MS = link.since_ms(wire.TICKS_MS_PERIOD - 3000, 0) % wire.TICKS_MS_PERIOD  # so that every run wraps

CODES = st.lists(st.integers(0, wire.DIE_CODES - 1), min_size=8, max_size=8)
LAMPS = st.lists(st.integers(0, wire.LAMP_CODES - 1), min_size=11, max_size=11)


class Strip:
    """A chain that remembers each frame shown: when, and the colour of every pixel."""

    def __init__(self, count: int) -> None:
        self.now_ms = 0
        self.colours = [0] * count
        self.frames: list[tuple[int, tuple[int, ...]]] = [(0, (0,) * count)]

    def __setitem__(self, index: int, value: int) -> None:
        assert 0 <= value <= 0xFFFFFF
        self.colours[index] = value

    def show(self) -> None:
        self.frames.append((self.now_ms, tuple(self.colours)))


class Picture:
    """A renderer with its outputs, turned every few milliseconds."""

    def __init__(self, board: str = STATION) -> None:
        self.strip = Strip(pins.PIXELS[board])
        self.renderer = pixels.Renderer(self.strip, board)
        self.board = board
        self.dice = array("H", [0] * 8)
        self.lamps = array("B", [0] * 11)
        self.deck = array("B", wire.DARK_DECK)
        self.budget_ma = MOST[board]
        self.brightness = 255
        self.version = 0
        self.sign = 0
        self.ms = 0

    def ask(self, dice: Sequence[int] | None = None, lamps: Sequence[int] | None = None) -> None:
        """A deck's pupil and holes are lit as the five lamps it has not, its drift ring as the first die."""
        if dice is not None:
            self.dice[:] = array("H", dice)
        if lamps is not None:
            self.lamps[:] = array("B", lamps)
        if self.board == DECK:
            pupil, *holes = self.lamps[6:]
            self.deck[:] = array("B", (wire.NO_FACE, pupil, self.dice[0] % 10, *holes))
        self.version += 1

    def turn(self) -> bool:
        self.strip.now_ms = self.ms
        return self.renderer.draw(
            self.dice, self.lamps, self.deck, self.version, self.budget_ma, self.brightness, self.sign,
            (START_MS + self.ms) % wire.TICKS_MS_PERIOD,
        )  # fmt: skip

    def run(self, ms: int, step_ms: int = 1) -> None:
        end = self.ms + ms
        while self.ms < end:
            self.turn()
            self.ms += step_ms

    @property
    def shown(self) -> tuple[int, ...]:
        return self.strip.frames[-1][1]

    def die(self, die: int) -> list[int]:
        return [self.shown[pins.die_pixel(die, index // 3, index % 3)] for index in range(9)]


def channels(colours: Iterable[int]) -> tuple[int, int, int]:
    held = list(colours)
    return sum(c >> 16 for c in held), sum(c >> 8 & 255 for c in held), sum(c & 255 for c in held)


def lit_ma(colours: Iterable[int]) -> float:
    """Lit current of a frame: 20 mA for each colour of a pixel at its full 255 steps."""
    return sum(channels(colours)) / 255 * 20


def luminance(colours: Iterable[int]) -> float:
    red, green, blue = channels(colours)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def changes(frames: list[tuple[int, float]], dark: float) -> list[int]:
    """When the light turned by 10 % or more of the larger value, at least of `dark`: counted anew."""
    found = []
    extreme, rising = frames[0][1], True
    for ms, light in frames[1:]:
        back = (extreme - light) if rising else (light - extreme)
        if back >= 0.1 * max(light, extreme, dark):
            found.append(ms)
            rising = not rising
            extreme = light
        elif back < 0:
            extreme = light
    return found


def worst_flashes(strip: Strip, measure: str, full: float) -> int:
    """The most flashes, each a pair of opposing changes, in any second."""
    of = luminance if measure == "luminance" else lit_ma
    found = changes([(ms, of(colours)) for ms, colours in strip.frames], full / 100)
    return max((sum(start <= ms < start + 1000 for ms in found) // 2 for start in found), default=0)


def codes(names: Sequence[str], style: int) -> list[int]:
    given_codes = [glyphs.die_code(glyphs.GLYPHS[name], style) for name in names]
    return given_codes + [0] * (8 - len(given_codes))


# -- the right light in the right place ----------------------------------------------------------------


@pytest.mark.parametrize("die", range(8))
def test_a_die_shows_its_pattern_in_its_colour_at_its_place(die: int) -> None:
    picture = Picture()
    picture.ask([glyphs.die_code(glyphs.GLYPHS["shrimp"], glyphs.PLAIN) if d == die else 0 for d in range(8)])
    picture.run(10)
    lit = [colour != 0 for colour in picture.die(die)]
    assert lit == [sign == "#" for sign in ".###...##"]
    assert sum(colour != 0 for colour in picture.shown) == 5
    red, green, blue = channels(picture.die(die))
    assert red > blue > green > 0, "shrimp is pink"


def test_a_lamp_shines_at_its_key_s_place() -> None:
    picture = Picture()
    picture.ask(lamps=[glyphs.lamp_code(2, glyphs.STEADY) if lamp == 9 else 0 for lamp in range(11)])
    picture.run(10)
    assert [place for place, colour in enumerate(picture.shown) if colour] == [81]
    red, green, blue = channels(picture.shown)
    assert green
    assert not red
    assert not blue


def test_kept_is_brighter_than_plain_and_plain_than_dim() -> None:
    light = {}
    for style in (glyphs.KEPT, glyphs.PLAIN, glyphs.DIM):
        picture = Picture()
        picture.ask(codes(["star"], style))
        picture.run(10)
        light[style] = lit_ma(picture.shown)
    assert light[glyphs.KEPT] > 1.5 * light[glyphs.PLAIN]
    assert light[glyphs.PLAIN] > 1.5 * light[glyphs.DIM]
    assert light[glyphs.DIM] > 0


def test_brightness_dims_everything() -> None:
    picture = Picture()
    picture.ask(codes(["star"] * 6, glyphs.KEPT))
    picture.run(2000)
    bright = lit_ma(picture.shown)
    picture.brightness = 128
    picture.ask()
    picture.run(2000)
    assert 0.4 * bright < lit_ma(picture.shown) < 0.6 * bright
    picture.brightness = 0
    picture.ask()
    picture.run(2000)
    assert lit_ma(picture.shown) == 0


def test_the_deck_shows_six_seat_lamps_the_pupil_and_the_holes() -> None:
    picture = Picture(DECK)
    red, green, dark = glyphs.lamp_code(1, glyphs.STEADY), glyphs.lamp_code(2, glyphs.STEADY), 0
    seats = [glyphs.lamp_code(colour, glyphs.STEADY) for colour in (1, 2, 3, 4, 5, 6)]
    picture.ask([wire.DARK_DRIFT] * 8, [*seats, red, green, dark, green, red])
    picture.run(20)
    assert all(picture.shown[:6])
    assert len(set(picture.shown[6:18])) == 1
    assert channels(picture.shown[6:18])[0] > 0
    assert channels(picture.shown[6:18])[1:] == (0, 0)
    assert not any(picture.shown[18:30]), "the drift ring is dark"
    assert [bool(pixel) for pixel in picture.shown[30:]] == [True, False, True, True]
    assert channels(picture.shown[30:31])[1] > channels(picture.shown[30:31])[0] == 0


@pytest.mark.parametrize(("step", "lit"), [(0, 3), (1, 6), (2, 9), (3, 12), (4, 0), (9, 0)])
def test_the_drift_ring_is_lit_as_far_as_the_die_has_come(step: int, lit: int) -> None:
    picture = Picture(DECK)
    picture.ask([step] * 8, [0] * 11)
    picture.run(10)
    assert [bool(pixel) for pixel in picture.shown[18:30]] == [True] * lit + [False] * (12 - lit)
    assert not any(picture.shown[:18])
    assert not any(picture.shown[30:])


def test_a_step_of_the_die_changes_the_drift_ring_s_picture_and_not_its_light() -> None:
    levels = []
    for step in range(4):
        picture = Picture(DECK)
        picture.ask([step] * 8, [0] * 11)
        picture.run(10)
        levels.append(lit_ma(picture.shown))
    assert min(levels) > 0.85 * max(levels)


def test_codes_that_mean_nothing_are_dark() -> None:
    picture = Picture()
    picture.ask([63 * 8, 7, 63 * 8 + 7, 0, 0, 0, 0, 0], [10 * 4, 15 * 4 + 3, 1 * 4 + 3] + [0] * 8)
    picture.run(100)
    assert not any(picture.shown)


@pytest.mark.parametrize(("board", "place"), [(STATION, 80), (DECK, 6)])
@pytest.mark.parametrize(("sign", "share"), [(pixels.SIGN_WAITING, 1 / 3), (pixels.SIGN_FAULT, 0.75)])
def test_a_sign_is_one_dim_pixel_that_pulses_slowly(board: str, place: int, sign: int, share: float) -> None:
    picture = Picture(board)
    picture.ask(codes(["star"] * 8, glyphs.KEPT), [glyphs.lamp_code(1, 0)] * 11)
    picture.run(500)
    picture.sign = sign
    picture.run(500)
    start = len(picture.strip.frames)
    picture.run(8192)
    levels = []
    for _, colours in picture.strip.frames[start:]:
        assert {at for at, colour in enumerate(colours) if colour} <= {place}
        assert lit_ma(colours) < 5
        levels.append(sum(channels(colours)))
    assert max(levels) > 2 * min(levels)
    rises = sum(
        b > a and (index == 0 or levels[index] <= levels[index - 1])
        for index, (a, b) in enumerate(pairwise(levels))
    )
    assert 3 <= rises <= 5, "one slow pulse in two seconds"
    red = sum(channels((colours[place],))[0] for _, colours in picture.strip.frames[start:])
    assert abs(red / sum(levels) - share) < 0.15


# -- when ----------------------------------------------------------------------------------------------


def test_a_change_of_outputs_is_shown_at_once() -> None:
    picture = Picture()
    picture.run(100)
    picture.ask(codes(["star"], glyphs.PLAIN))
    picture.run(3)
    assert picture.die(0)[1]
    picture.ask(codes(["roe"] * 8, glyphs.PLAIN), [glyphs.lamp_code(5, glyphs.STEADY)] * 11)
    picture.run(30)
    assert picture.die(7)[0], "a frame in which all changes takes some turns"


def test_frames_are_never_so_close_that_the_driver_would_wait() -> None:
    picture = Picture()
    for ms in range(500):
        picture.ask(codes([("star", "roe", "yuck")[ms % 3]], glyphs.PLAIN))
        picture.run(1)
    times = [ms for ms, _ in picture.strip.frames[1:]]
    assert len(times) > 10
    assert min(after - before for before, after in pairwise(times)) >= pixels.SHOW_GAP_MS


def test_no_turn_does_more_than_its_share_of_a_frame() -> None:
    """Parts are worked out and given to the chain a few at a time."""
    picture = Picture()
    picture.run(100)
    picture.ask(codes(["star"] * 8, glyphs.PLAIN), [glyphs.lamp_code(5, glyphs.STEADY)] * 11)
    set_before, turns = list(picture.strip.colours), 0
    while picture.turn():
        changed = sum(now != was for now, was in zip(picture.strip.colours, set_before, strict=True))
        assert changed <= 27, "three dice at most"
        set_before = list(picture.strip.colours)
        picture.ms += 1
        turns += 1
    assert 5 < turns < 30


def test_nothing_is_written_while_nothing_changes() -> None:
    picture = Picture()
    picture.ask(codes(["star"] * 6, glyphs.PLAIN), [glyphs.lamp_code(5, glyphs.STEADY)] * 11)
    picture.run(50)
    before = len(picture.strip.frames)
    picture.run(5000)
    assert len(picture.strip.frames) == before


def test_moving_parts_are_drawn_about_thirty_times_a_second_at_most() -> None:
    picture = Picture()
    picture.ask(codes(["star"] * 8, glyphs.ROLLING), [glyphs.lamp_code(5, glyphs.PULSE)] * 11)
    picture.run(3000)
    drawn = [ms for ms, _ in picture.strip.frames]
    assert 20 <= sum(1000 <= ms < 2000 for ms in drawn) <= 31


def test_a_tumbling_die_changes_its_picture_seven_times_a_second_or_more() -> None:
    picture = Picture()
    picture.ask(codes(["star"], glyphs.ROLLING))
    picture.run(1024)
    faces = [tuple(bool(c) for c in colours[:36]) for _, colours in picture.strip.frames[1:]]
    assert sum(a != b for a, b in pairwise(faces)) >= 7


# -- current -------------------------------------------------------------------------------------------


@given(
    board=st.sampled_from([STATION, DECK]),
    asked=st.lists(
        st.tuples(CODES, LAMPS, st.integers(1, 9999), st.integers(0, 255)), min_size=1, max_size=6
    ),
    gap_ms=st.integers(1, 400),
)
@example(
    board=STATION,
    asked=[([glyphs.die_code(9 + 2, glyphs.KEPT)] * 8, [5 * 4] * 11, 9999, 255), ([0] * 8, [0] * 11, 1, 255)],
    gap_ms=3,
)
@settings(deadline=None, max_examples=60)
def test_no_frame_draws_more_than_the_budget_whatever_is_asked(
    board: str, asked: list[tuple[list[int], list[int], int, int]], gap_ms: int
) -> None:
    picture = Picture(board)
    for dice, lamps, budget_ma, brightness in asked:
        picture.budget_ma, picture.brightness = budget_ma, brightness
        picture.ask(dice, lamps)
        start = len(picture.strip.frames)
        for _ in range(12):
            picture.turn()
            picture.ms += gap_ms
        allowed = min(budget_ma, MOST[board])
        for _, colours in picture.strip.frames[start:]:
            assert lit_ma(colours) <= allowed
        if gap_ms >= 3:
            assert lit_ma(picture.shown) <= allowed, "a lowered budget holds at once"


def test_everything_lit_uses_most_of_the_default_budget() -> None:
    for board in (STATION, DECK):
        picture = Picture(board)
        lamps = [glyphs.lamp_code(5, glyphs.STEADY)] * 11
        picture.ask(codes(["5"] * 8, glyphs.KEPT) if board == STATION else [3] * 8, lamps)
        picture.run(50)
        assert 0.5 * MOST[board] < lit_ma(picture.shown) <= MOST[board]


def test_power_at_the_inlet_raises_the_ceiling() -> None:
    picture = Picture()
    picture.renderer.most_ma = 1300
    picture.budget_ma = 1300
    picture.ask(codes(["9"] * 8, glyphs.KEPT), [glyphs.lamp_code(5, glyphs.STEADY)] * 11)
    picture.run(50)
    assert 900 < lit_ma(picture.shown) <= 1300


# -- flashes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", ["luminance", "current"])
def test_tumbling_dice_keep_their_mean_light(measure: str) -> None:
    picture = Picture()
    picture.ask(codes(["shrimp", "salmon", "octopus", "cucumber", "roe", "star"], glyphs.ROLLING))
    picture.run(4000)
    of = luminance if measure == "luminance" else lit_ma
    levels = [of(colours) for _, colours in picture.strip.frames[1:]]
    assert min(levels) > 0.99 * max(levels)


@pytest.mark.parametrize("pulsing", [2, 3, 6, 9, 11])
def test_pulses_of_several_lamps_keep_the_mean_light(pulsing: int) -> None:
    picture = Picture()
    picture.ask(lamps=[glyphs.lamp_code(5, glyphs.PULSE)] * pulsing + [0] * (11 - pulsing))
    picture.run(4096)
    levels = [lit_ma(colours) for _, colours in picture.strip.frames[1:]]
    assert min(levels) > 0.8 * max(levels)
    lamp = [colours[72] & 255 for _, colours in picture.strip.frames[1:]]
    assert max(lamp) > 2 * min(lamp), "each lamp for itself does pulse"
    assert worst_flashes(picture.strip, "current", MOST[STATION]) <= 2


def test_a_face_keeps_its_light_when_it_changes() -> None:
    levels = []
    for name in ("1", "2", "3", "4", "5", "worm", "star", "octopus", "cucumber", "red"):
        picture = Picture()
        picture.ask(codes([name] * 8, glyphs.PLAIN))
        picture.run(10)
        levels.append(lit_ma(picture.shown))
    assert min(levels) > 0.9 * max(levels)


Command = tuple[list[int], list[int], int, int, int, int]
COMMANDS = st.lists(
    st.tuples(
        CODES,
        LAMPS,
        st.integers(1, 300),
        st.integers(0, 255),
        st.sampled_from([0, 0, 0, 5, 7]),
        st.integers(1, 300),
    ),
    min_size=1,
    max_size=25,
)
ALL_ON = ([glyphs.die_code(7, glyphs.KEPT)] * 8, [5 * 4] * 11, 220, 255, 0)
ALL_OFF = ([0] * 8, [0] * 11, 220, 255, 0)
WEAK = ([glyphs.die_code(7, glyphs.KEPT)] * 8, [5 * 4] * 11, 20, 255, 0)


@given(commands=COMMANDS, board=st.sampled_from([STATION, DECK]))
@example(commands=[(*(ALL_ON if step % 2 else ALL_OFF), 100) for step in range(24)], board=STATION)
@example(commands=[(*(ALL_ON if step % 2 else ALL_OFF), 7) for step in range(24)], board=DECK)
@example(commands=[(*(ALL_ON if step % 2 else WEAK), 60) for step in range(24)], board=STATION)
@settings(deadline=None, max_examples=60)
def test_no_stream_of_commands_makes_more_than_two_flashes_a_second(
    commands: list[Command], board: str
) -> None:
    picture = Picture(board)
    for dice, lamps, picture.budget_ma, picture.brightness, picture.sign, gap_ms in commands:
        picture.ask(dice, lamps)
        picture.run(gap_ms, step_ms=4)
    picture.run(1200, step_ms=8)
    white = MOST[board] / 20 * 255 / 3
    assert worst_flashes(picture.strip, "luminance", white) <= 2
    assert worst_flashes(picture.strip, "current", MOST[board]) <= 2


@given(commands=COMMANDS)
@settings(deadline=None, max_examples=40)
def test_what_was_asked_last_is_shown_within_a_second_or_so(commands: list[Command]) -> None:
    picture = Picture()
    for dice, lamps, picture.budget_ma, picture.brightness, _, gap_ms in commands:
        picture.ask(dice, lamps)
        picture.run(gap_ms, step_ms=8)
    steady = [glyphs.die_code(glyphs.GLYPHS["star"], glyphs.PLAIN)] * 8
    picture.budget_ma, picture.brightness = 220, 255
    picture.ask(steady, [0] * 11)
    picture.run(2500, step_ms=8)
    fresh = Picture()
    fresh.ask(steady, [0] * 11)
    fresh.run(10)
    assert picture.shown == fresh.shown


def test_play_at_full_speed_is_never_put_off() -> None:
    """A duelist who throws every 300 ms: the die faces come at once, bent in brightness at most."""
    picture = Picture()
    faces = ["shrimp", "salmon", "octopus", "cucumber", "roe", "star", "yuck"]
    for throw in range(40):
        picture.ask(codes([faces[(throw + die) % 7] for die in range(6)], glyphs.ROLLING), [5 * 4] * 11)
        picture.run(150)
        shown = [faces[(throw * 3 + die * die) % 7] for die in range(6)]
        picture.ask(codes(shown, glyphs.PLAIN), [5 * 4] * 11)
        picture.run(10)
        lit = [bool(colour) for colour in picture.die(0)]
        mask = glyphs.MASKS[glyphs.GLYPHS[shown[0]]]
        assert lit == [bool(mask >> bit & 1) for bit in range(9)]
        picture.run(140)
    assert picture.renderer.frame.held == 0


# -- the guard by itself -------------------------------------------------------------------------------


def test_the_guard_bounds_only_what_would_be_the_fifth_change_in_a_second() -> None:
    guard = limits.FlashGuard(10)
    for step, light in enumerate((1000, 500, 1000, 500, 1000)):
        guard.bounds(100 * step)
        assert guard.low <= light <= guard.high
        guard.admit(light, 100 * step)
    guard.bounds(500)
    assert 900 < guard.low <= 1000
    assert guard.high == limits.ANY, "more of the same is no change"
    guard.bounds(100 + limits.WINDOW_MS + 1)
    assert guard.low == 0


def test_small_steps_in_one_direction_are_no_flash() -> None:
    guard = limits.FlashGuard(10)
    for step in range(200):
        guard.admit(10 * step, 10 * step)
    assert guard.changes == 0
