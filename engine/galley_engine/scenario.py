"""Referee cases: JSON files that play a game from a known start and check it along the way.

A scenario gives every outcome of chance itself, so running it needs no generator: the engine is called with
`chance=None`. A file is read and checked as a whole before its first step is played:

    keys      belong to the form: unknown, missing or doubled ones make the file invalid, and so do an action
              the game does not have and a time that goes back. A step that is to be `refused` may lack fields
              or name an action nobody knows, for that is what it tries.
    values    belong to the game: what it refuses, the step sees as a refusal code.

Each file gives one line: `ok FILE: title`, `FAIL FILE: title: step 7: ...`, or `INVALID FILE: ...` with the
step and the key. Whatever a file contains, it is a line and an exit status, never an exception.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from galley_engine.game import JSON, REFUSALS, AnyGame, BadInput, BadOption, JSONObject, Refusal
from galley_engine.games import UnknownGame, load
from galley_engine.given import Given, listed, one_line, shown
from galley_engine.strict_json import BadJSON, read, same

HOLDS, FAILS, INVALID = 0, 1, 2
"""Exit statuses: all holds, a check failed, a file is not a valid scenario."""

LARGEST_BYTES = 4_000_000
STEP_MS = 1000

KEYS = ("title", "game", "seats", "options", "setup", "steps")
OPTIONAL = ("options", "setup")


class BadForm(BadInput):
    """The file is not a scenario."""


class Act(NamedTuple):
    """Step `number`: an action at a time, and the code with which it must be refused, if it must."""

    number: int
    action: JSONObject
    at_ms: int
    refused: str | None


class Expect(NamedTuple):
    """Step `number`: dotted paths into the full state with the values they must have."""

    number: int
    values: Mapping[str, JSON]


class Scenario(NamedTuple):
    """A file that has been read and found in order; `start` is a state of `game`."""

    title: str
    game: AnyGame
    start: Any
    steps: tuple[Act | Expect, ...]


class Result(NamedTuple):
    """What became of one file: its exit status and the line that says so."""

    status: int
    line: str


def run_files(paths: Iterable[str]) -> tuple[list[str], int]:
    """One line per file, in order, and the exit status of them all: the highest of theirs."""
    results = [run_file(path) for path in paths]
    return [result.line for result in results], max((result.status for result in results), default=HOLDS)


def run_file(path: str) -> Result:
    """Read and run one file."""
    try:
        scenario = parse(_load(path))
    except BadInput as error:
        return Result(INVALID, one_line(f"INVALID {path}: {error}"))
    except BadJSON as error:
        return Result(INVALID, one_line(f"INVALID {path}: {_place(error.path)}{error}"))
    failure = run(scenario)
    if failure is not None:
        return Result(FAILS, one_line(f"FAIL {path}: {scenario.title}: {failure}"))
    return Result(HOLDS, one_line(f"ok {path}: {scenario.title}"))


def run(scenario: Scenario) -> str | None:
    """Play the steps: None if all hold, else the first that does not and why, as in `step 7: ...`."""
    state = scenario.start
    for step in scenario.steps:
        if isinstance(step, Expect):
            failure = _unmet(scenario.game.full(state), step.values)
        else:
            outcome = scenario.game.apply(state, step.action, step.at_ms, None)
            failure = _unlike(outcome if isinstance(outcome, Refusal) else None, step)
            state = state if isinstance(outcome, Refusal) else outcome.state
        if failure is not None:
            return f"step {step.number}: {failure}"
    return None


def _unmet(state: JSONObject, values: Mapping[str, JSON]) -> str | None:
    """The first expectation that the state does not meet."""
    for path, expected in values.items():
        found = _follow(state, path)
        if not found:
            return f"{path} is missing, expected {_json(expected)}"
        if not same(found[0], expected):
            return f"{path} is {_json(found[0])}, expected {_json(expected)}"
    return None


def _unlike(refusal: Refusal | None, step: Act) -> str | None:
    """How an action's outcome differs from the one the step wants."""
    do = step.action["do"]
    if refusal is None:
        return None if step.refused is None else f"{do} was accepted, expected the refusal {step.refused}"
    if refusal.code == step.refused:
        return None
    wanted = f", expected the refusal {step.refused}" if step.refused else ""
    return f"{do} was refused with {refusal.code} ({refusal.message}){wanted}"


def _follow(value: JSON, path: str) -> Sequence[JSON]:
    """The value at a dotted path, alone in a tuple; an empty one if there is nothing."""
    for part in path.split("."):
        inner = value
        if isinstance(inner, list):
            inner = {str(place): element for place, element in enumerate(inner)}
        if not isinstance(inner, dict) or part not in inner:
            return ()
        value = inner[part]
    return (value,)


# --- The form -------------------------------------------------------------------------------------


_form = Given(BadForm, "scenario")


def parse(document: JSON) -> Scenario:
    """A scenario from its JSON document. Raises BadForm, naming the step and the key."""
    form = _object(document, "scenario")
    _only(form, KEYS, "", "a scenario")
    for key in KEYS:
        if key not in form and key not in OPTIONAL:
            raise BadForm(key, "is missing")
    title, name = form["title"], form["game"]
    if not isinstance(title, str) or not title:
        raise BadForm("title", f"is {shown(title)}, it must say in words what holds")
    if not isinstance(name, str):
        raise BadForm("game", f"is {shown(name)}, it must be the name of a game")
    try:
        game = load(name)
    except UnknownGame as error:
        raise BadForm("game", str(error)) from None
    start = _start(game, form)
    known = game.full(start).keys()
    steps: list[Act | Expect] = []
    last_ms = 0
    for number, given in enumerate(_form.sequence(form["steps"], "steps"), start=1):
        here = f"step {number}"
        fields = _object(given, here)
        if "expect" in fields:
            steps.append(Expect(number, _expectations(fields, here, known)))
            continue
        act = _act(game, fields, number, last_ms)
        last_ms = act.at_ms
        steps.append(act)
    return Scenario(title, game, start, tuple(steps))


def _start(game: AnyGame, form: JSONObject) -> Any:
    seats = _form.whole(form["seats"], "seats", game.min_seats, game.max_seats)
    options, setup = (_object(form.get(key, {}), key) for key in OPTIONAL)
    try:
        return game.start(seats, game.options(options), None, setup)
    except BadInput as error:
        part = "options" if isinstance(error, BadOption) else "setup"
        raise BadForm(f"{part}.{error.key}", error.message) from None


def _expectations(fields: JSONObject, here: str, known: Collection[str]) -> JSONObject:
    _only(fields, ("expect",), here, "a step with expect")
    values = _object(fields["expect"], f"{here}: expect")
    for path in values:
        if path.split(".")[0] not in known:
            raise BadForm(f"{here}: {path}", f"is no part of the state, which has {listed(known, 'and')}")
    return values


def _act(game: AnyGame, fields: JSONObject, number: int, last_ms: int) -> Act:
    here = f"step {number}"
    if "do" not in fields:
        raise BadForm(here, "has neither do nor expect")
    do, refused = fields["do"], fields.get("refused")
    if "refused" in fields:
        _form.word(refused, f"{here}: refused", tuple(REFUSALS))
    known = game.actions.get(do) if isinstance(do, str) else None
    if known is not None:
        _only(fields, ("do", "at_ms", "refused", *known.required, *known.optional), here, f"the action {do}")
    if refused is None:
        if known is None:
            raise BadForm(f"{here}: do", f"is {shown(do)}, {game.name} knows {listed(game.actions, 'and')}")
        for key in known.required:
            if key not in fields:
                raise BadForm(f"{here}: {key}", f"is missing, {do} needs {listed(known.required, 'and')}")
    at_ms = fields.get("at_ms", last_ms + STEP_MS)
    if type(at_ms) is not int or at_ms < last_ms:
        raise BadForm(f"{here}: at_ms", f"is {shown(at_ms)}, it must be a whole number from {last_ms} on")
    action = {key: value for key, value in fields.items() if key not in ("at_ms", "refused")}
    return Act(number, action, at_ms, refused if isinstance(refused, str) else None)


def _object(value: object, key: str) -> JSONObject:
    if not isinstance(value, dict):
        raise BadForm(key, f"is {shown(value)}, it must be an object")
    return value


def _only(fields: JSONObject, known: Sequence[str], here: str, whose: str) -> None:
    for key in fields:
        if key not in known:
            where = f"{here}: {key}" if here else key
            raise BadForm(where, f"is not a key of {whose}, which has {listed(known, 'and')}")


# --- Files and lines ------------------------------------------------------------------------------


def _load(path: str) -> JSON:
    try:
        with Path(path).open("rb") as file:
            data = file.read(LARGEST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise BadJSON(f"cannot be read: {reason[0].lower()}{reason[1:]}") from None
    if len(data) > LARGEST_BYTES:
        raise BadJSON(f"is larger than {LARGEST_BYTES // 1_000_000} MB, too large for a scenario")
    return read(data)


def _place(path: Sequence[str | int]) -> str:
    """Where a path of the document leads, in the words of the form: "step 3: " or nothing."""
    if len(path) > 1 and path[0] == "steps" and isinstance(path[1], int):
        return f"step {path[1] + 1}: "
    return ""


def _json(value: JSON) -> str:
    return json.dumps(value, ensure_ascii=False)
