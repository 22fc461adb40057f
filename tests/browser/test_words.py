"""The catalogue: whatever host, engine and boards can say has words, and no word is there for nothing."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import galley
from galley.box import Box, Watcher
from galley.box_options import LANGUAGES, OF_HOUSE, options_for
from galley.journal_schema import TROUBLES
from galley.link_events import LinkState
from galley.tables import GAMES
from galley.tables.table import BOARDS, SEAT_COLOURS
from galley.web.app import STATIC
from galley_board import deck_codes, faults, glyphs
from galley_engine.bots import STRENGTHS
from galley_engine.games import load
from galley_engine.games.worm_grill_state import FACES as GRILL_FACES

HOST = Path(galley.__file__).parent
WORDS: dict[str, Any] = json.loads((STATIC / "lang" / "en.json").read_text(encoding="utf-8"))
SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in STATIC.glob("*.js")}
PAGES = {path.name: path.read_text(encoding="utf-8") for path in STATIC.glob("*.html")}


def said_by_the_host(*makers: str) -> set[str]:
    """All words that are the first argument of `makers` anywhere in the host; `port_*` for an f-string."""
    found: set[str] = set()
    for path in HOST.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in makers and node.args:
                found |= set(_words(node.args[0]))
    return found


def _words(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _words(node.body)
        yield from _words(node.orelse)
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in node.values)


def port_problems() -> set[str]:
    """The codes of PortError, as the transports raise them."""
    modules = ("transport.py", "serial_port.py", "connection.py")
    source = "".join((HOST / module).read_text(encoding="utf-8") for module in modules)
    return set(re.findall(r'(?:PortError\(|code, text = \(?)\s*"(\w+)"', source))


NEWS: dict[str, tuple[str, ...]] = {"first": ("by", "on", "race", "gap", "doubt")} | {
    kind: params for game in GAMES for kind, params in load(game).events.items()
}
"""Every event that the games tell, and its parameters."""

OPTIONS = {option.key: option for game in GAMES for option in options_for(game)}
HOUSE_NEWS = said_by_the_host("Event") | {"seat_replaced", "seat_returned"}
JOURNAL_STATES = {*TROUBLES.values(), "damaged", "failed"}

FAMILIES: dict[str, set[str]] = {
    "page": {"kiosk", "box", "service"},
    "language": {*LANGUAGES, "title", "change", "close"},
    "title": set(GAMES),
    "what": set(GAMES),
    "howto": {f"{game}.{n}" for game in GAMES for n in (1, 2, 3)} | {"title"},
    "option": set(OPTIONS),
    "value": {  # numbers are their own words, languages have a family of their own
        f"{option.key}.{value}"
        for option in OPTIONS.values()
        for value in option.values
        if isinstance(value, str) and option.key != OF_HOUSE[0].key
    },
    "sound": {"bell", "roll", "yuck", "mate", "win", "wrong", "tick"}
    | {"turn_on", "turn_off", "muted", "quiet", "caption"},
    "paused": {f"journal_{state}" for state in JOURNAL_STATES}
    | {"operator", "waits", "is_muted", "boards_missing", "boards_missing_more", "stays", "remedy"},
    "colour": set(SEAT_COLOURS),
    "letter": set(SEAT_COLOURS),
    "symbol": {*glyphs.GAME_GLYPHS["sushi_duel"], *map(str, GRILL_FACES)}
    | set(re.findall(r'"(\w+)"', SCRIPTS["sushi_bar.js"].split("const SYMBOL = ")[1].split("\n")[0])),
    "side": {"left", "right"},
    "board": {*BOARDS, "unknown"},
    "bot": set(STRENGTHS),
    "prompt": said_by_the_host("Prompt", "_asked"),
    "dye": set(glyphs.GAME_GLYPHS["poop_deck"]),
    "news": set(NEWS) | HOUSE_NEWS,
    "job": said_by_the_host("Job", "HouseJob", "_job") | {"join", "leave", "take_over", "come_back"},
    "state": {str(state) for state in LinkState},
    "fault": {name for name, _, _ in faults.FAULTS},
    "note": {note for note in said_by_the_host("Note") if "*" not in note}
    | {f"port_{code}" for code in port_problems()},
    "reader": set(deck_codes.READER),
    "eye": set(deck_codes.EYE),
    "drum": set(deck_codes.DRUM),
    "clock": {"good", "provisional", "unsynchronised"},
    "plot": {"now", "ago", "none"}
    | set(re.findall(r"^  (\w+): \{ place", SCRIPTS["plots.js"], re.MULTILINE))
    | set(re.findall(r'unit: "(\w+)"', SCRIPTS["plots.js"])),
    "counter": set(),  # filled from a real entry below
    "key": {"keep", "roll", "bell", "yuck", "mode"},
}
"""Beginning of a key -> what can follow it, from the sources that say it."""


MADE_UP = {"box.plug.board", "box.unplug.board"} | {
    f"game.{word}" for word in ("left", "right", "shows_yuck", "complete", "ready")
}
"""Keys that a script puts together from parts of its own."""


def _counters() -> set[str]:
    source = (HOST / "box.py").read_text(encoding="utf-8")
    block = source[source.index("counters={") :]
    return set(re.findall(r'"(\w+)": ', block[: block.index("}")]))


FAMILIES["counter"] = _counters()


@pytest.mark.parametrize("family", list(FAMILIES))
def test_whatever_can_be_said_has_words(family: str) -> None:
    assert FAMILIES[family], "the family has members"
    assert {f"{family}.{member}" for member in FAMILIES[family]} - set(WORDS) == set()


def test_the_host_says_something_of_each_kind() -> None:
    assert {"attract_press_any", "get_ready", "bot_thinks"} <= FAMILIES["prompt"]
    assert {"board_absent", "board_gone", "port_busy"} <= FAMILIES["note"]
    assert {"roll", "free", "keep", "mate", "wake"} <= FAMILIES["job"]
    assert {note for note in said_by_the_host("Note") if "*" in note} == {"port_*"}
    assert Box(Watcher()).status()[0]["counters"] == {}


def literals() -> set[str]:
    """Every string in the scripts that looks like a key, and every word that a page names."""
    return asked_for() | set(re.findall(r'"([a-z_]+(?:\.[a-z_]+)*)"', "\n".join(SCRIPTS.values())))


def asked_for() -> set[str]:
    """The keys that are certainly asked for: literal first arguments, and words that a page names."""
    calls = re.findall(r'\b(?:text|rich|row)\(\s*"([^"]+)"', "\n".join(SCRIPTS.values()))
    return {*calls, *re.findall(r'data-(?:word|label)="([^"]+)"', "\n".join(PAGES.values()))}


def test_every_word_that_a_page_asks_for_is_there() -> None:
    assert len(asked_for()) > 40
    assert asked_for() - set(WORDS) == set()


def test_every_family_that_a_script_asks_for_is_known() -> None:
    families = {f for source in SCRIPTS.values() for f in re.findall(r"`([a-z]+)\.\$\{", source)}
    assert families - {"game"} <= set(FAMILIES)
    assert set(WORDS) >= MADE_UP


def test_no_word_is_there_for_nothing() -> None:
    in_families = {f"{family}.{member}" for family, members in FAMILIES.items() for member in members}
    assert set(WORDS) - in_families - literals() - MADE_UP == set()


def templates(entry: Any) -> list[str]:
    table = {"": entry} if isinstance(entry, str) else entry
    return [text for name, text in table.items() if name not in ("?", "#")]


@pytest.mark.parametrize("event", sorted(FAMILIES["news"]))
def test_news_use_only_what_the_event_tells(event: str) -> None:
    entry = WORDS[f"news.{event}"]
    given = set(NEWS.get(event, ("by", "bot")))
    for template in templates(entry):
        assert set(re.findall(r"\{(\w+)\}", template)) <= given
    if isinstance(entry, dict):
        assert {entry.get("?"), entry.get("#")} - {None} <= given


def test_every_penalty_of_a_false_bell_has_words() -> None:
    from galley_engine.games.sushi_duel_setup import FALSE_BELL

    assert set(FALSE_BELL) <= set(WORDS["news.bell_false"])


def test_entries_are_text_or_tables_of_text() -> None:
    for name, entry in WORDS.items():
        assert templates(entry), name
        assert all(templates(entry)), name
        if isinstance(entry, dict):
            assert ("?" in entry) != ("#" in entry), name
            assert "#" not in entry or {"one", "other"} <= set(entry), name


def test_no_words_hide_in_the_scripts_or_pages() -> None:
    """Strings with a space in them are class names, selectors or words; words start with a capital."""
    for name, source in SCRIPTS.items():
        code = re.sub(r"//.*", "", source)
        assert re.findall(r'"[A-Z][a-z]+ [^"]*"', code) == [], name
    for name, source in PAGES.items():
        body = re.sub(r"<title>.*</title>|<[^>]+>|\{\w+\}", "", source)
        assert body.strip() == "", name
