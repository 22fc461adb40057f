"""The topics that all phases have in common: boards, seats, prompts, news, as the host would publish them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

Topics = dict[str, Any]

COLOURS: Final = ("red", "green", "blue", "yellow", "white", "violet")
ROLES: Final = ("left", "right", "deck")
GAMES: Final = [
    {"game": "sushi_duel", "seats": [2, 6]},
    {"game": "sushi_bar", "seats": [2, 5]},
    {"game": "worm_grill", "seats": [2, 5]},
    {"game": "poop_deck", "seats": [2, 4]},
]
SCORES: Final = [
    {"game": "worm_grill", "colour": "violet", "won": 12},
    {"game": "sushi_duel", "colour": "yellow", "won": 4},
    {"game": "poop_deck", "colour": "red", "won": 3},
    {"game": "sushi_bar", "colour": "green", "won": 2},
    {"game": "sushi_duel", "colour": "white", "won": 1},
    {"game": "poop_deck", "colour": "blue", "won": 1},
]


def board(role: str, state: str = "live", *, simulated: bool = True, note: object = None) -> Topics:
    """One entry of the `boards` topic."""
    here = state not in ("absent", "lost")
    return {
        "role": role,
        "state": state,
        "simulated": simulated,
        "port": f"/dev/pts/{3 + len(role)}" if here else None,
        "pid": 4100 + len(role) if simulated and here else None,
        "identity": f"sim-{role}" if simulated else "e6614c311b7a5c2f",
        "boot_id": 5,
        "firmware": "1a2b3c",
        "round_trip_us": 412 if state == "live" else None,
        "counters": {
            "frames_in": 18421,
            "bad_frames": 0,
            "resends": 2,
            "repeats": 1,
            "overflow": 0,
            "loop_us": 2130,
            "gc_us": 900,
            "heap": 148_000,
        },
        "faults": [],
        "note": note,
    }


def base(phase: str, *, simulated: bool = True) -> Topics:
    """Topics with no seat taken."""
    return {
        "meta": {
            "version": "0.1.0",
            "simulated": simulated,
            "language": "en",
            "languages": ["en", "fr", "nl", "de"],
            "volume": 60,
            "quiet": False,
            "quiet_hours": [1320, 480],
            "speaker": None,
        },
        "boards": [board(role, simulated=simulated) for role in ROLES],
        "house": {
            "phase": phase,
            "game": "sushi_duel",
            "demo": False,
            "games": GAMES,
            "options": [],
            "howto": None,
            "seats": [],
            "paused": None,
            "asking": None,
            "prompts": [],
            "keys": {},
            "scores": [],
            "muted": False,
        },
        "table": None,
        "news": [],
    }


def seats(colours: Sequence[str], bots: Mapping[str, str] | None = None) -> list[Topics]:
    """The `seats` of the house, in order of sitting down."""
    return [{"seat": i, "colour": c, "bot": (bots or {}).get(c)} for i, c in enumerate(colours)]


def prompt(key: str, **params: object) -> Topics:
    """One entry of the house's prompts."""
    return {"key": key, "params": params}


def news(*entries: tuple[str, Mapping[str, object]]) -> list[Topics]:
    """The `news` topic, numbered from 1."""
    return [{"n": i, "key": key, "params": dict(params)} for i, (key, params) in enumerate(entries, start=1)]
