"""Records: what is written replays to the same state, and nothing that was changed is read."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from io import BytesIO
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley_engine import VERSION
from galley_engine.bots import policy
from galley_engine.dice import Dice, KeptDice
from galley_engine.game import AnyGame, Refusal
from galley_engine.games import NAMES, load
from galley_engine.record import (
    LONGEST_LINE,
    STEP_KEYS,
    BadRecord,
    Entry,
    Verdict,
    canonical,
    lines,
    replay,
    state_after,
)


def played(name: str, seats: int, seed: int, moves: int) -> tuple[AnyGame, Any, list[Entry], Any]:
    """A game of random moves: the start, its steps, and the state they lead to."""
    game, dice = load(name), Dice(seed)
    start = state = game.start(seats, game.options({}), dice, None)
    entries: list[Entry] = []
    for number in range(moves):
        actors = game.actors(state)
        if not actors:
            break
        at_ms = 400 * number
        allowed = game.moves(state, dice.die(actors), at_ms)
        if allowed:
            step = game.apply(state, dice.die(allowed), at_ms, dice)
            assert not isinstance(step, Refusal)
            entries.append(Entry(at_ms, step.action))
            state = step.state
    return game, start, entries, state


def written(name: str = "sushi_duel", seats: int = 3, seed: int = 1, moves: int = 40) -> list[bytes]:
    game, start, entries, state = played(name, seats, seed, moves)
    return [line.encode() for line in lines(game, start, seed, entries, state.phase)]


@cache
def finished() -> list[bytes]:
    """The record of a whole game of two bots."""
    game, dice, whims = load("sushi_duel"), Dice(3), Dice(4)
    start = state = game.start(2, game.options({"targets": {"2": 1}}), dice, None)
    bot = policy("sushi_duel", "best")
    entries: list[Entry] = []
    number = 0
    while state.phase != "over":
        number += 1
        action = bot.choose(state, number % 2, whims)
        if action is not None:
            step = game.apply(state, action, 400 * number, dice)
            assert not isinstance(step, Refusal)
            entries.append(Entry(400 * number, step.action))
            state = step.state
    return [line.encode() for line in lines(game, start, 3, entries, "over")]


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=10)
@given(st.data())
def test_a_record_replays_to_the_same_state(name: str, data: st.DataObject) -> None:
    game = load(name)
    seats = data.draw(st.integers(game.min_seats, game.max_seats))
    seed = data.draw(st.integers(0, 2**32))
    game, start, entries, state = played(name, seats, seed, data.draw(st.integers(0, 150)))
    again = replay(line.encode() for line in lines(game, start, seed, entries, state.phase))
    assert (again.game, again.seed, again.start) == (game, seed, start)
    assert again.entries == tuple(entries)
    assert again.state == state
    assert canonical(game.full(again.state)) == canonical(game.full(state))


@pytest.mark.parametrize("name", NAMES)
def test_no_field_of_an_action_is_called_like_one_of_the_record(name: str) -> None:
    for required, optional in load(name).actions.values():
        assert not {*required, *optional} & {*STEP_KEYS, "do", "end", "open"}


def test_a_record_has_a_header_a_line_a_step_and_an_end() -> None:
    header, *steps, last = (json.loads(line) for line in finished())
    assert header.keys() == {"record", "game", "seats", "options", "setup", "seed", "version"}
    assert (header["record"], header["game"], header["seats"], header["seed"]) == (1, "sushi_duel", 2, 3)
    assert header["version"] == VERSION
    assert len(header["setup"]["visible"]) + len(header["setup"]["stock"]) == 19
    assert [step["n"] for step in steps] == list(range(1, len(steps) + 1))
    assert all({"at_ms", "do", "seat", "sum"} <= step.keys() for step in steps)
    assert last == {"end": "over"}
    assert json.loads(written(moves=7)[-1]) == {"open": 7}


def test_every_line_is_sorted_compact_and_ends_with_a_newline() -> None:
    for line in written():
        document = json.loads(line)
        assert line.decode() == json.dumps(document, sort_keys=True, separators=(",", ":")) + "\n"


def test_a_sum_is_the_crc_of_all_lines_so_far_without_their_sums() -> None:
    crc = 0
    for line in written():
        fields = json.loads(line)
        said = fields.pop("sum", None)
        crc = crc32(canonical(fields).encode(), crc)
        assert said in (None, f"{crc:08x}")


def test_a_verdict_is_kept() -> None:
    game, start, entries, state = played("sushi_duel", 3, 1, 40)
    verdict = Verdict(gap_us=1800, uncertainty_us=400, heat=False, over=2)
    entries[9] = entries[9]._replace(verdict=verdict)
    text = list(lines(game, start, 1, entries, state.phase))
    assert json.loads(text[10])["verdict"] == verdict._asdict()
    assert replay(line.encode() for line in text).entries[9].verdict == verdict


Change = Callable[[list[bytes]], list[bytes]]


def edited(number: int, old: bytes, new: bytes) -> Change:
    def change(lines: list[bytes]) -> list[bytes]:
        assert old in lines[number - 1]
        return [*lines[: number - 1], lines[number - 1].replace(old, new, 1), *lines[number:]]

    return change


def set_key(number: int, key: str, value: object) -> Change:
    """A key changed, added or (by None) removed, in good form."""

    def change(lines: list[bytes]) -> list[bytes]:
        fields = json.loads(lines[number - 1])
        fields.update({key: value}) if value is not None else fields.pop(key)
        return [*lines[: number - 1], canonical(fields).encode(), *lines[number:]]

    return change


def resummed(change: Change) -> Change:
    """The same change by somebody who can reckon: all sums fit."""

    def forged(lines: list[bytes]) -> list[bytes]:
        crc, out = 0, []
        for line in change(lines):
            fields = json.loads(line)
            had = fields.pop("sum", None)
            crc = crc32(canonical(fields).encode(), crc)
            out.append(canonical(fields if had is None else {**fields, "sum": f"{crc:08x}"}).encode())
        return out

    return forged


CHANGES: list[tuple[str, Change, int, str]] = [
    ("empty", lambda lines: [], 1, "the file is empty"),
    ("no header", lambda lines: lines[1:], 1, "no header of a record"),
    ("cut after the header", lambda lines: lines[:1], 2, "was cut"),
    ("cut after a step", lambda lines: lines[:6], 7, "was cut: after 5 steps"),
    ("cut in a line", lambda lines: [*lines[:6], lines[6][:20]], 7, "cut in the middle"),
    ("last newline cut", lambda lines: [*lines[:-1], lines[-1][:-1]], 42, "cut in the middle"),
    ("a step left out", lambda lines: [*lines[:6], *lines[7:]], 7, "n is 7, expected 6"),
    ("last steps left out", lambda lines: [*lines[:6], lines[-1]], 7, "open is 40, expected 5"),
    ("two steps swapped", lambda lines: [*lines[:6], lines[7], lines[6], *lines[8:]], 7, "expected 6"),
    ("a step doubled", lambda lines: [*lines[:7], lines[6], *lines[7:]], 8, "n is 6, expected 7"),
    ("two records", lambda lines: [*lines, *lines], 43, "more after the end"),
    ("another record's step", lambda lines: [*lines[:6], written(seed=9)[6], *lines[7:]], 7, "add up to"),
    ("another header", lambda lines: [written(seed=9)[0], *lines[1:]], 2, "add up to"),
    ("a time edited", set_key(7, "at_ms", 2399), 7, "add up to"),
    ("a sum edited", set_key(7, "sum", "00000000"), 7, "add up to"),
    ("a sum of another type", set_key(7, "sum", 12345678), 7, "its sum is 12345678"),
    ("a sum left out", set_key(7, "sum", None), 7, "sum is missing"),
    ("no number", set_key(7, "n", True), 7, "n is true, expected 6"),
    ("a space", edited(7, b":", b": "), 7, "sorted keys and without spaces"),
    ("a carriage return", edited(7, b"\n", b"\r\n"), 7, "sorted keys and without spaces"),
    ("a byte order mark", edited(1, b"{", b"\xef\xbb\xbf{"), 1, "sorted keys and without spaces"),
    ("a key twice", edited(7, b'"n":6', b'"n":6,"n":6'), 7, "n: is given twice"),
    ("half a surrogate", edited(1, b"shrimp", b"\\ud800"), 1, "sorted keys and without spaces"),
    ("not UTF-8", edited(7, b'"do"', b'"d\xff"'), 7, "is not UTF-8"),
    ("not JSON", edited(7, b"{", b"("), 7, "is not JSON"),
    ("no object", lambda lines: [*lines[:6], b"[]\n", *lines[7:]], 7, "it must be an object"),
    ("an empty line", lambda lines: [*lines[:6], b"\n", *lines[6:]], 7, "is not JSON"),
    ("a long line", lambda lines: [b" " * (LONGEST_LINE + 1)], 1, "is longer than"),
    ("a long later line", lambda lines: [*lines[:6], b"1" * (LONGEST_LINE + 1)], 7, "is longer than"),
    ("a newer form", set_key(1, "record", 2), 1, "was made by a newer Galley (record form 2)"),
    ("a newer version", set_key(1, "version", "0.10.0"), 1, "was made by a newer Galley (version 0.10.0)"),
    ("a strange version", set_key(1, "version", "new"), 1, 'version is "new"'),
    ("another game", set_key(1, "game", "chess"), 1, 'there is no game "chess"'),
    ("a game of another type", set_key(1, "game", 7), 1, 'there is no game "7"'),
    ("a header with more", set_key(1, "played_by", "us"), 1, '"played_by" is not known'),
    ("a header with less", set_key(1, "seed", None), 1, "seed is missing"),
    ("a seed of another type", set_key(1, "seed", "7"), 1, 'seed is "7"'),
    ("too many seats", set_key(1, "seats", 7), 1, "is played by 2 to 6"),
    ("no options", set_key(1, "options", []), 1, "options is a list of 0"),
    ("an unknown option", set_key(1, "options", {"stars": 1}), 1, "options.stars"),
    ("an impossible setup", set_key(1, "setup", {"won": [9]}), 1, "setup.won"),
    ("a time before the last", resummed(set_key(7, "at_ms", 1)), 7, "at_ms is 1, it must be a whole number"),
    ("a step that is not legal", resummed(set_key(7, "seat", 5)), 7, "refuses this step with bad_value"),
    ("a step without its outcome", resummed(set_key(2, "opponent", None)), 2, "opponent is missing"),
    ("an unknown field", resummed(set_key(3, "why", "because")), 3, "refuses this step with bad_value"),
    ("a verdict that is none", resummed(set_key(3, "verdict", {"gap_us": 1})), 3, "verdict is an object"),
    ("an end of its own", lambda lines: [*lines[:-1], b'{"end":"over"}\n'], 42, "the phase is duel"),
    ("an open true", lambda lines: [*lines[:2], b'{"open":true}\n'], 3, "open is true, expected 1"),
]


@pytest.mark.parametrize("what, change, line, words", CHANGES, ids=[change[0] for change in CHANGES])
def test_a_changed_record_is_refused_with_the_number_of_the_line(
    what: str, change: Change, line: int, words: str
) -> None:
    whole = written()
    assert replay(whole)
    with pytest.raises(BadRecord) as error:
        replay(change(whole))
    assert error.value.line == line
    assert str(error.value).startswith(f"line {line}: ")
    assert words in str(error.value)
    assert str(error.value).isprintable()


def test_the_verdict_of_a_race_is_looked_at() -> None:
    good = {"gap_us": 1, "uncertainty_us": 0, "heat": True, "over": 0}
    assert replay(resummed(set_key(3, "verdict", good))(written())).entries[1].verdict == Verdict(
        1, 0, True, 0
    )
    for key, value in (("gap_us", -1), ("uncertainty_us", 1.5), ("heat", 1), ("over", 3), ("over", True)):
        with pytest.raises(BadRecord, match=f"line 3: verdict.{key} is "):
            replay(resummed(set_key(3, "verdict", {**good, key: value}))(written()))


def test_faces_that_no_die_needed_are_refused() -> None:
    faces = ["shrimp"] * 6
    number = next(
        n for n, line in enumerate(written(), start=1) if b'"do":"mate"' in line or b'"do":"ready"' in line
    )
    with pytest.raises(BadRecord, match=f"line {number}: "):
        replay(resummed(set_key(number, "faces", faces))(written()))
    whole = finished()
    bell = next(n for n, line in enumerate(whole, start=1) if b'"do":"bell"' in line)
    with pytest.raises(BadRecord, match=f"line {bell}: the step holds more than the game uses"):
        replay(resummed(set_key(bell, "faces", faces))(whole))


def test_a_finished_game_cannot_be_left_open() -> None:
    whole = finished()
    with pytest.raises(BadRecord, match=r"it says open, but after \d+ steps the phase is over"):
        replay([*whole[:-1], canonical({"open": len(whole) - 2}).encode()])


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_no_byte_can_be_changed_unseen(data: st.DataObject) -> None:
    whole = finished()
    number = data.draw(st.integers(0, len(whole) - 1))
    place = data.draw(st.integers(0, len(whole[number]) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != whole[number][place]))
    changed = whole[number][:place] + bytes([byte]) + whole[number][place + 1 :]
    with pytest.raises(BadRecord):
        replay(BytesIO(b"".join([*whole[:number], changed, *whole[number + 1 :]])))


@settings(deadline=None, max_examples=200)
@given(st.lists(st.binary(max_size=60) | st.sampled_from(written()), max_size=8))
def test_whatever_the_lines_are_the_answer_is_a_record_or_a_sentence(some: list[bytes]) -> None:
    sentence = ""
    try:
        replay(some)
    except BadRecord as error:
        sentence = str(error)
    assert "\n" not in sentence


def test_a_step_is_undone_by_playing_all_others_again() -> None:
    game, start, entries, _ = played("sushi_duel", 2, 5, 60)
    state, states = start, [start]
    for at_ms, action, _verdict in entries:
        step = game.apply(state, action, at_ms, None)
        assert not isinstance(step, Refusal)
        state = step.state
        states.append(state)
    for n in range(len(entries)):
        assert state_after(game, start, [(at_ms, action) for at_ms, action, _ in entries[:n]]) == states[n]
    with pytest.raises(ValueError, match="step 1 is refused with wrong_phase"):
        state_after(game, start, [(0, entries[1].action)])


def test_kept_dice_go_on_from_any_number_they_have_drawn() -> None:
    dice, plain = KeptDice(7), Dice(7)
    assert dice.shuffle(range(10)) == plain.shuffle(range(10))
    assert dice.drawn == 9
    assert dice.throw(["abc"] * 5) == plain.throw(["abc"] * 5)
    assert dice.die("abcdef") == plain.die("abcdef")
    assert dice.drawn == 15
    again = KeptDice(7, drawn=9)
    assert again.throw(["abc"] * 5) == KeptDice(7, 9).throw(["abc"] * 5)
    assert (again.drawn, again.die("abcdef")) == (14, KeptDice(7, 14).die("abcdef"))


def test_the_version_is_that_of_the_host() -> None:
    import galley

    assert galley.__version__ == VERSION


def test_a_replay_is_the_same_under_another_hash_seed() -> None:
    program = (
        "import sys\n"
        "from galley_engine.record import canonical, replay\n"
        "record = replay(sys.stdin.buffer)\n"
        "sys.stdout.write(canonical(record.game.full(record.state)))\n"
    )
    shown = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            input=b"".join(written(moves=200)),
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(shown) == 1
    assert json.loads(shown.pop())["game"] == "sushi_duel"
