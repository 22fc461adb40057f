"""What a deck never does, whatever it is sent and whatever its pins say: properties over random streams."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from galley_board import deck_codes, faults, pins, wire
from tests.board import workbench
from tests.board.test_pixels import Strip, lit_ma, worst_flashes
from tests.board.workbench import Bench

BUDGET_MA = 92
DARK_MS = 2000
STEP_MS = 5
PIXELS = pins.PIXELS[pins.DECK]
GP = {name: int(pin.removeprefix("GP")) for name, pin in pins.DEVICES[pins.DECK]}
COILS = [GP[f"DIE_IN{coil}"] for coil in (1, 2, 3, 4)]
HOLES = [GP[f"HOLE{hole}"] for hole in (1, 2, 3, 4)]
INPUTS = [GP[name] for name in ("EYE_nFAULT", "EYE_HOME", "DIE_HOME", "GUARD")] + HOLES
MOTION = "eg"

Op = tuple[str, Any]


class Deck:
    """A whole deck in this process, with everything looked at after every turn."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.board = bench.start("deck")
        self.heard_ms = -float(DARK_MS)
        self.frames = 0
        self.asked_ms = -float(wire.RUN_MAX_MS)
        self.budget_ma = BUDGET_MA
        self.strip = Strip(PIXELS)
        self.writes = 0
        self.moved = 0
        self.send("h", wire.PROTOCOL, 77)

    @property
    def ms(self) -> float:
        return self.bench.now_ns / 1e6

    def send(self, kind: str, *fields: int) -> None:
        self.bench.host_sends(kind, *fields)
        if kind == "c":
            self.budget_ma = min(fields[0], BUDGET_MA)

    @property
    def duty(self) -> int:
        """What the driver makes of its pins: 0 while it sleeps."""
        out = self.bench.rig.outputs
        assert not (out[GP["EYE_IN1"]] and out[GP["EYE_IN2"]]), "both sides of the bridge"
        duty: int = out[GP["EYE_IN1"]] - out[GP["EYE_IN2"]]
        return duty if out[GP["EYE_nSLEEP"]] else 0

    @property
    def coils(self) -> int:
        return sum(self.bench.rig.outputs[pin] for pin in COILS)

    def run(self, ms: float, step_ms: float = STEP_MS) -> None:
        end = self.ms + ms
        while self.ms < end:
            self.board.turn()
            self.look()
            self.bench.wait_ms(step_ms)

    def look(self) -> None:
        rig, now_ms = self.bench.rig, self.ms
        heard = self.board.link._in  # a frame a turn, and not in every turn
        if heard.frames != self.frames:
            self.frames, self.heard_ms = heard.frames, now_ms
            if heard.kind in MOTION:
                self.asked_ms = now_ms
        moves = bool(self.duty or self.coils)
        self.moved += moves
        assert not (self.duty and self.coils), "eye and drum at once"
        if moves:
            assert rig.level(GP["GUARD"]) == 0, "the guard is open"
            assert now_ms - self.heard_ms < DARK_MS + 2 * STEP_MS, "the host is silent"
        if self.duty:
            assert now_ms - self.asked_ms < wire.RUN_MAX_MS + STEP_MS, "nobody asked again"
        if rig.pixel_writes != self.writes:
            self.writes = rig.pixel_writes
            rgb = rig.pixels
            colours = tuple(rgb[at] << 16 | rgb[at + 1] << 8 | rgb[at + 2] for at in range(0, len(rgb), 3))
            self.strip.frames.append((round(now_ms), colours))
            assert lit_ma(colours) <= BUDGET_MA

    def obey(self, op: Op) -> None:
        kind, value = op
        if kind == "frame":
            self.send(value[0], *value[1])
            while self.bench.port.waiting or self.board._at < self.board._end:
                self.run(STEP_MS)
            self.run(2 * STEP_MS)
            assert lit_ma(self.strip.frames[-1][1]) <= self.budget_ma
        elif kind == "noise":
            self.bench.port.waiting += value
            self.run(STEP_MS)
        elif kind == "pin":
            self.bench.press(*value)
        elif kind == "play":
            for _ in range(value):
                self.send("t", 1)
                self.run(500)
        else:
            self.run(value)


@st.composite
def frames(draw: st.DrawFn) -> Op:
    kind = draw(st.sampled_from("egmpldcwzt" + "em" * 4))
    fields = [draw(st.integers(low, high)) for _, low, high in wire.FORMS[kind][1]]
    return "frame", (kind, fields)


OPEN: Op = ("pin", (GP["GUARD"], False))
CLOSE: Op = ("pin", (GP["GUARD"], True))
OPS = st.lists(
    st.one_of(
        frames(),
        frames(),
        st.tuples(st.just("play"), st.integers(1, 6)),
        st.tuples(st.just("wait"), st.integers(5, 2600)),
        st.tuples(st.just("pin"), st.tuples(st.sampled_from(INPUTS), st.booleans())),
        st.sampled_from([OPEN, CLOSE]),
        st.tuples(st.just("noise"), st.binary(max_size=60)),
    ),
    min_size=4,
    max_size=24,
)
FULL: Op = ("frame", ("e", [200, 3000]))
BACK: Op = ("frame", ("e", [0, 3000]))
FACE: Op = ("frame", ("m", [3]))
BRIGHT: Op = ("frame", ("p", [20, 3, 20, 20, 20, 20]))
DARK: Op = ("frame", ("p", [0, 9, 0, 0, 0, 0]))


@given(ops=OPS)
@example(ops=[FULL, ("wait", 2600)])
@example(ops=[FULL, ("play", 8)])
@example(ops=[FULL, ("play", 1), OPEN, FULL, ("play", 1), CLOSE, FULL, ("play", 1)])
@example(ops=[FULL, ("play", 1), BACK, ("play", 1), OPEN, ("play", 1)])
@example(ops=[FULL, ("play", 1), FACE, FULL, ("play", 3), OPEN, ("play", 1), CLOSE, FULL, ("play", 2)])
@example(ops=[FACE, ("play", 1), ("wait", 2600)])
@example(
    ops=[FULL, ("play", 1), BACK, ("play", 1), FULL, FACE, FULL, ("play", 1), ("frame", ("m", [9])), FULL]
)
@example(ops=[BRIGHT, DARK] * 12)
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_nothing_a_host_or_a_pin_does_makes_a_deck_unsafe(ops: list[Op]) -> None:
    with workbench.bench() as bench:
        deck = Deck(bench)
        for op in ops:
            deck.obey(op)
        deck.run(DARK_MS + 100)
        assert (deck.duty, deck.coils) == (0, 0), "silence ends everything"
        white = BUDGET_MA / 20 * 255 / 3
        assert worst_flashes(deck.strip, "luminance", white) <= 2
        assert worst_flashes(deck.strip, "current", BUDGET_MA) <= 2


def test_the_streams_above_do_move_something(bench: Bench) -> None:
    deck = Deck(bench)
    deck.obey(FULL)
    deck.obey(("play", 2))
    assert deck.duty > 0
    before = deck.moved
    deck.obey(FACE)
    deck.obey(("play", 2))
    assert deck.coils
    assert deck.moved > before


def test_the_eye_makes_way_for_the_drum_and_goes_on(bench: Bench) -> None:
    deck = Deck(bench)
    deck.obey(FULL)
    deck.obey(("play", 2))
    deck.obey(FACE)
    deck.send("e", 200, 3000)
    deck.run(800, 1)
    assert deck.coils
    assert deck.board.link.report[2] == deck_codes.EYE_WAITING
    deck.send("e", 200, 3000)
    deck.send("m", wire.NO_FACE)
    deck.run(400, 1)
    assert not deck.coils
    assert deck.duty > 0


def found_faults(deck: Deck) -> list[str]:
    beats = [beat for _, beat in deck.bench.frames("B")]
    return faults.names(beats[-1]["faults"])


def test_a_drum_without_a_home_is_reported_and_then_nothing_moves(bench: Bench) -> None:
    deck = Deck(bench)
    deck.obey(FACE)
    for _ in range(120):
        deck.send("t", 1)
        deck.run(400)
    assert found_faults(deck) == ["drum_no_home"]
    before = deck.moved
    deck.obey(("frame", ("m", [5])))
    deck.obey(("play", 4))
    assert deck.moved == before
    deck.obey(FULL)
    deck.obey(("play", 1))
    assert deck.duty > 0, "the eye does not need the drum"


def beam(bench: Bench, pin: int, broken: bool) -> None:
    """Join a pin to a hole's beam."""
    part = {"op": "beam", "pin": pin, "strobe": GP["IR_STROBE"], "broken": broken, "ambient": False}
    bench.module("parts").solder(bench.rig, part)


def test_what_falls_while_no_host_is_there_is_in_the_first_report_to_the_next_one(bench: Bench) -> None:
    for pin in HOLES:
        beam(bench, pin, False)
    deck = Deck(bench)
    deck.obey(("play", 1))
    assert bench.frames("HD")[0][1]["caps"] & pins.CAPS["falls"]
    bench.port.connected = False
    for hole in (3, 0, 3):
        beam(bench, HOLES[hole], True)
        deck.run(150)
        beam(bench, HOLES[hole], False)
        deck.run(100)
    bench.port.connected = True
    bench.frames()
    deck.send("h", wire.PROTOCOL, 78)
    deck.run(500)
    found = bench.frames("DK")
    assert found[0][0] == "D"
    assert found[0][1]["falls"] == 1 | 2 << 3 * wire.FALL_BITS
    assert not [edge for kind, edge in found if kind == "K" and edge["key"] < 10], "those edges are void"


@pytest.mark.parametrize("hole", range(4))
def test_a_beam_that_is_blocked_at_the_start_is_reported_and_ignored_until_it_is_free(
    bench: Bench, hole: int
) -> None:
    for pin in HOLES:
        beam(bench, pin, pin == HOLES[hole])
    deck = Deck(bench)
    deck.obey(("play", 2))
    ((_, hello),) = bench.frames("H")
    assert hello["caps"] & pins.CAPS["beams"]
    assert faults.names(hello["faults"]) == ["beam_blocked"]
    assert faults.key_of(hello["faults"]) == pins.FIRST_SENSOR_KEY + hole
    assert not [edge for _, edge in bench.frames("K")]
    beam(bench, HOLES[hole], False)
    deck.obey(("play", 2))
    assert found_faults(deck) == []
    beam(bench, HOLES[hole], True)
    deck.obey(("play", 1))
    edges = [edge for _, edge in bench.frames("K")]
    assert (edges[0]["key"], edges[0]["down"]) == (6 + hole, 1)


def test_a_sensor_that_chatters_leaves_the_ring_to_the_keys(bench: Bench) -> None:
    deck = Deck(bench)
    deck.obey(("play", 1))
    bench.frames()
    for step in range(400):
        bench.press(GP["EYE_HOME"], step % 2 == 0)
        deck.send("t", 1)
        deck.run(1, 1)
    told = {edge["key_seq"] for _, edge in bench.frames("K") if edge["key"] == 16}
    assert 0 < len(told) <= 400 // 20 + 1


def test_the_guard_and_each_pass_of_home_are_edges_of_keys(bench: Bench) -> None:
    deck = Deck(bench)
    deck.obey(("play", 1))
    bench.frames()
    for pin in (GP["GUARD"], GP["EYE_HOME"]):
        for down in (pin != GP["GUARD"], pin == GP["GUARD"]):
            bench.press(pin, down)
            deck.obey(("play", 1))
    told = dict.fromkeys((edge["key"], edge["down"]) for _, edge in bench.frames("K"))
    assert list(told) == [(15, 1), (15, 0), (16, 1), (16, 0)]


def test_a_reader_s_colours_are_keys_and_it_is_taught_over_the_wire(bench: Bench) -> None:
    bench.rig.colour = (220, 75, 75, 70)
    deck = Deck(bench)
    lessons = [(5, (220, 75, 75, 70)), (1, (520, 330, 100, 90)), (2, (480, 110, 260, 110))]
    lessons += [(3, (460, 80, 130, 250)), (4, (900, 430, 370, 100))]
    for colour, light in lessons:
        bench.rig.colour = light
        deck.send("w", colour)
        deck.obey(("play", 1))
    ((_, hello),) = bench.frames("H")
    assert hello["caps"] & pins.CAPS["reader"]
    told, last = [], 0
    nothing, green, foreign = lessons[0][1], lessons[2][1], (600, 200, 200, 200)
    for now in (nothing, green, nothing, foreign, None):
        bench.rig.colour = now
        deck.obey(("play", 2))
        edges = [edge for _, edge in bench.frames("BK") if edge.get("key_seq", 0) > last]
        last = max([last, *(edge["key_seq"] for edge in edges)])
        told.append(sorted({(edge["key"], edge["down"]) for edge in edges}))
    assert told[1:] == [[(11, 1)], [(11, 0)], [(14, 1)], [(14, 0)]]
    deck.obey(("play", 1))
    assert found_faults(deck) == ["reader_lost"]


def test_a_loose_die_has_no_drum_and_nothing_turns_for_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GALLEY_DIE", "loose")
    deck = Deck(bench)
    bench.rig.outputs.update(dict.fromkeys(COILS, 0))
    deck.obey(FACE)
    deck.obey(("play", 2))
    ((_, hello),) = bench.frames("H")
    assert not hello["caps"] & pins.CAPS["drum"]
    assert hello["faults"] == 0
    assert deck.board.link.report[4] == deck_codes.DRUM_LOOSE


# -- settings ------------------------------------------------------------------------------------------


def test_another_pin_may_be_chosen(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GALLEY_PIN_EYE_NSLEEP", "GP0")
    monkeypatch.setenv("GALLEY_PIN_SEAT1", "GP10")
    deck = Deck(bench)
    bench.rig.outputs[GP["EYE_nSLEEP"]] = 0
    deck.obey(FULL)
    deck.obey(("play", 1))
    assert bench.rig.outputs[0] == 1
    bench.frames()
    bench.press(10)
    deck.run(20)
    assert [edge["key"] for _, edge in bench.frames("K")] == [0]


@pytest.mark.parametrize(
    ("setting", "value", "fault", "said"),
    [
        ("GALLEY_PIN_BUZZER", "GP14", "pin_twice", "EYE_IN1"),
        ("GALLEY_PIN_SEAT2", "GP0", "pin_twice", "SEAT1 red and SEAT2 green (GP0)"),
        ("GALLEY_PIN_EYE_IN2", "GP77", "pin_missing", "EYE_IN2 (GP77)"),
        ("GALLEY_DIE", "wooden", "setting_unknown", "'wooden'"),
    ],
)
def test_a_setting_that_cannot_be_is_reported_and_the_rest_works(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    setting: str, value: str, fault: str, said: str,
) -> None:  # fmt: skip
    monkeypatch.setenv(setting, value)
    board = bench.start("deck")
    bench.host_sends("h", wire.PROTOCOL, 77)
    bench.turn(board, 20)
    ((_, hello),) = bench.frames("H")
    assert faults.names(hello["faults"]) == [fault]
    assert said in capsys.readouterr().out
    bench.press(2)
    bench.turn(board, 5)
    assert [edge["key"] for _, edge in bench.frames("K")] == [2]


@pytest.mark.parametrize(
    "names", [("EYE_IN1",), ("DIE_IN3",), ("IR_STROBE",), ("SDA",), ("GUARD",), tuple(GP)]
)
def test_a_part_that_is_not_there_is_no_fault_and_no_capability(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]
) -> None:
    for name in names:
        monkeypatch.setenv(pins.setting_of(name), "none")
    board = bench.start("deck")
    bench.host_sends("h", wire.PROTOCOL, 77)
    bench.host_sends("e", 200, 3000)
    bench.host_sends("m", 3)
    bench.turn(board, 500)
    ((_, hello),) = bench.frames("H")
    assert hello["faults"] == 0
    gone = {"EYE_IN1": "eye", "DIE_IN3": "drum"}
    for name in names:
        assert not hello["caps"] & pins.CAPS.get(gone.get(name, ""), 0)


def test_a_misspelt_setting_is_found(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(
        '# GALLEY_COMMENT = 1\nGALLEY_ROLE = "deck"\nGALLEY_PIN_HOLE1="none"\nGALLEY_ROEL = 3\nWIFI = 1\n'
    )
    monkeypatch.setattr(bench.module("galley_board.settings"), "FILE", str(file))
    board = bench.start("deck")
    bench.host_sends("h", wire.PROTOCOL, 77)
    bench.turn(board, 5)
    ((_, hello),) = bench.frames("H")
    assert faults.names(hello["faults"]) == ["setting_unknown"]
    said = capsys.readouterr().out
    assert "GALLEY_ROEL" in said
    assert "COMMENT" not in said


def test_each_pin_s_setting_is_known() -> None:
    known = pins.settings()
    assert "GALLEY_PIN_EYE_NSLEEP" in known
    assert "GALLEY_PIN_KEEP8" in known
    assert len([name for name in known if name == "GALLEY_PIN_SEAT3"]) == 1
