"""What the host would publish round a game: attract, choose, options, join, howto, and boards in trouble."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from tests.browser.topics import SCORES, Topics, base, board, prompt, seats

STATIONS: Final = ("left", "right")


def both(keys: Mapping[str, str]) -> Topics:
    """The same keys at both stations."""
    return {side: dict(keys) for side in STATIONS}


def attract() -> Topics:
    """Nobody here, nothing plays yet."""
    topics = base("attract")
    topics["house"]["prompts"] = [prompt("attract_press_any")]
    wake = {str(key): "wake" for key in range(12)}
    topics["house"]["keys"] = both(wake) | {"deck": {str(key): "join" for key in range(6)}}
    return topics


def choose(game: str = "worm_grill") -> Topics:
    """One of the four is to be taken."""
    topics = base("choose")
    topics["house"] |= {
        "game": game,
        "scores": SCORES,
        "prompts": [prompt(f"choose_{word}") for word in ("next", "take", "direct", "options", "back")],
        "keys": both(
            {"8": "next", "9": "take", "10": "back", "11": "options"}
            | {str(key): "this_game" for key in range(4)}
        ),
    }
    return topics


def _option(key: str, value: object, *values: object, chosen: bool = False) -> Topics:
    return {"key": key, "value": value, "values": list(values), "chosen": chosen}


OF_GAME: Final[Mapping[str, tuple[Topics, ...]]] = {
    "sushi_duel": (
        _option("target", "usual", "usual", 1, 2, 3, 4),
        _option("false_bell", "reroll_all", "reroll_all", "none", "lose_duel"),
    ),
    "sushi_bar": (_option("tiles", "all", "all", "half"),),
    "worm_grill": (_option("snails", 12, 12, 8, 4),),
    "poop_deck": (
        _option("railings", 3, 0, 1, 2, 3, 4),
        _option("match_rule", "any_during_hold", "any_during_hold", "at_announce"),
    ),
}


def options(game: str = "poop_deck", chosen: int = 2) -> Topics:
    """What can be set for a game, one option being changed."""
    topics = base("options")
    language = topics["meta"]["languages"]
    entries: list[Any] = [
        _option("language", "en", *language),
        _option("bot", "good", "easy", "good", "best"),
        *(dict(entry) for entry in OF_GAME[game]),
    ]
    entries[chosen]["chosen"] = True
    values = {str(key): "value" for key in range(len(entries[chosen]["values"]))}
    topics["house"] |= {
        "game": game,
        "options": entries,
        "prompts": [prompt("options_value"), prompt("options_next"), prompt("options_done")],
        "keys": both({"8": "next", "9": "done", "10": "back"} | values),
    }
    return topics


def join_none() -> Topics:
    """The lobby, still empty."""
    topics = base("join")
    topics["house"]["prompts"] = [prompt("join_press_seat"), prompt("join_back")]
    topics["house"]["keys"] = {side: {"10": "back", "11": "add_bot"} for side in ("left", "right")} | {
        "deck": {str(key): "join" for key in range(6)}
    }
    return topics


def join_some() -> Topics:
    """Three sat down, one of them a bot."""
    topics = base("join")
    topics["house"] |= {
        "seats": seats(("red", "blue", "violet"), {"violet": "good"}),
        "prompts": [
            prompt("join_press_seat"),
            prompt("join_start"),
            prompt("join_add_bot"),
            prompt("join_back"),
        ],
        "keys": {side: {"9": "start", "10": "back", "11": "add_bot"} for side in ("left", "right")}
        | {"deck": {"0": "leave", "1": "join", "2": "leave", "3": "join", "4": "join", "5": "join"}},
    }
    return topics


def join_one() -> Topics:
    """One person: the bell starts against a bot."""
    topics = base("join")
    topics["house"] |= {
        "seats": seats(("yellow",)),
        "prompts": [prompt("join_press_seat"), prompt("join_need_one_more"), prompt("join_back")],
        "keys": {side: {"9": "start", "10": "back", "11": "add_bot"} for side in ("left", "right")}
        | {"deck": {str(key): "leave" if key == 3 else "join" for key in range(6)}},
    }
    return topics


def join_asking() -> Topics:
    """Nobody has pressed a key for long, in the lobby."""
    topics = join_some()
    topics["house"] |= {"asking": {"seconds": 20}, "prompts": [prompt("anybody_there")]}
    return topics


def howto(game: str = "sushi_duel", picture: int = 1) -> Topics:
    """How a game is played."""
    topics = join_some()
    last = picture == 2
    topics["house"] |= {
        "phase": "howto",
        "game": game,
        "howto": picture,
        "prompts": [
            prompt(f"howto_{word}") for word in ("next", "start", "back") if not (last and word == "next")
        ],
        "keys": both({"8": "start" if last else "next_picture", "9": "start", "10": "back"}),
    }
    return topics


def trouble() -> Topics:
    """Real boards, and nearly every link state with its remedy."""
    topics = base("attract", simulated=False)
    busy = {"key": "port_busy", "params": {"board": "right", "port": "/dev/ttyACM1"}}
    topics["boards"] = [
        board("left", "stale", simulated=False, note={"key": "board_silent", "params": {"board": "left"}}),
        board("right", "opening", simulated=False, note=busy),
        board("deck", "absent", simulated=False, note={"key": "board_absent", "params": {"board": "deck"}}),
        board(
            "unknown",
            "live",
            simulated=False,
            note={"key": "board_role_unknown", "params": {"port": "/dev/ttyACM3"}},
        ),
    ]
    topics["boards"][0]["faults"] = ["role_strap", "key_stuck"]
    topics["house"]["prompts"] = [prompt("attract_press_any")]
    return topics


AROUND_PHASES: Final[Mapping[str, Any]] = {
    "attract": attract,
    "choose": choose,
    "choose_first": partial(choose, "sushi_duel"),
    "options": options,
    "options_duel": partial(options, "sushi_duel", 3),
    "options_language": partial(options, "sushi_bar", 0),
    "join_none": join_none,
    "join_one": join_one,
    "join_some": join_some,
    "join_asking": join_asking,
    "howto": howto,
    "howto_last": partial(howto, "sushi_duel", 2),
    "trouble": trouble,
}
