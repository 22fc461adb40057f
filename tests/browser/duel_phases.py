"""What the host would publish in each phase of a duel.

The states come from the real engine, played from a given start with given dice, so that a page is tested with
exactly the JSON it will get. House, boards, prompts, jobs of the keys and news are written out here as the
contract between host and pages has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from galley_engine.dice import Dice
from galley_engine.game import Refusal
from galley_engine.games import load
from tests.browser.topics import COLOURS, ROLES, SCORES, Topics, base, board, news, prompt, seats

GAME: Final = load("sushi_duel")
COMBO: Final = {"shrimp": 1, "salmon": 1, "octopus": 1, "cucumber": 1, "roe": 1, "star": 1}
VISIBLE: Final = [{"salmon": 6}, COMBO, {"cucumber": 6}]

ALL_NEWS: Final[Sequence[tuple[str, Mapping[str, object]]]] = (
    ("challenged", {"by": "red", "on": "blue"}),
    ("got_ready", {"by": "blue"}),
    ("duel_started", {"left": "red", "right": "blue"}),
    ("rolled", {"by": "red", "dice": [0, 1], "faces": ["roe", "star"]}),
    ("kept", {"by": "red", "die": 2, "face": "roe"}),
    ("freed", {"by": "red", "die": 2, "face": "roe"}),
    ("bell_false", {"by": "red", "penalty": "reroll_all"}),
    ("bell_false", {"by": "red", "penalty": "lose_duel"}),
    ("bell_false", {"by": "red", "penalty": "none"}),
    ("platter_taken", {"by": "blue", "place": 1, "platter": COMBO, "won": 2}),
    ("platter_revealed", {"place": 1, "platter": {"octopus": 6}}),
    ("must_choose", {"by": "violet", "places": [0, 2]}),
    ("yuck_called", {"by": "blue", "on": "red"}),
    ("yuck_missed", {"by": "white", "on": "yellow", "lock_ms": 0}),
    ("mate_called", {"by": "green"}),
    ("mate_missed", {"by": "green", "lock_ms": 1000}),
    ("sets_shared", {"by": "green", "side": "left", "to": "violet"}),
    ("sets_passed", {"left": "green", "right": "red"}),
    ("game_won", {"by": "blue", "won": 6}),
    ("game_won", {"by": "blue", "won": 1}),
)
"""Every event of the duel, with the parameters that the engine gives (seats as colours)."""


def station(seat: int, faces: Sequence[str | None], kept: str = "......") -> Topics:
    """A station of a start position; `kept` has an `x` for each die that is set aside."""
    return {"seat": seat, "faces": list(faces), "kept": [mark == "x" for mark in kept]}


def play(count: int, setup: Topics, *actions: Topics, options: Topics | None = None) -> Topics:
    """The public state after `actions`, each of which must be accepted."""
    state = GAME.start(count, GAME.options(options or {}), Dice(3), setup)
    for n, action in enumerate(actions, start=1):
        step = GAME.apply(state, action, n * 1000, Dice(n))
        assert not isinstance(step, Refusal), (action, step)
        state = step.state
    return GAME.public(state)


KEEP_JOBS: Final = {str(i): "keep" for i in range(6)}
DUEL_JOBS: Final = {**KEEP_JOBS, "8": "roll", "9": "bell", "10": "yuck"}
LEFT_FACES: Final = ("salmon", "star", "salmon", "salmon", "yuck", "roe")
RIGHT_FACES: Final = ("shrimp", "star", "octopus", "cucumber", "salmon", "roe")


def _game(
    colours: Sequence[str],
    state: Topics,
    keys: Mapping[str, Mapping[str, str]],
    *prompts: Topics,
    told: Sequence[tuple[str, Mapping[str, object]]] = (),
    complete: Mapping[str, list[int]] | None = None,
    bots: Mapping[str, str] | None = None,
) -> Topics:
    topics = base("game")
    topics["house"] |= {"seats": seats(colours, bots), "prompts": list(prompts)}
    topics["table"] = {
        "game": "sushi_duel",
        "state": state,
        "complete": complete or {"left": [], "right": []},
        "keys": keys,
    }
    topics["news"] = news(*told)
    return topics


def challenge() -> Topics:
    """Red chooses an opponent."""
    state = play(4, {"visible": VISIBLE})
    keys = {"deck": {"2": "challenge", "3": "challenge", "5": "challenge"}}
    return _game(("red", "blue", "yellow", "violet"), state, keys, prompt("challenge_choose", by="red"))


def ready() -> Topics:
    """Both duelists are to get ready."""
    state = play(2, {"visible": VISIBLE}, {"do": "challenge", "seat": 0, "opponent": 1})
    keys = {"left": {"8": "ready"}, "right": {"8": "ready"}}
    told = (("challenged", {"by": "red", "on": "blue"}),)
    return _game(("red", "blue"), state, keys, prompt("get_ready", left="red", right="blue"), told=told)


def ready_one() -> Topics:
    """Blue, a bot, is ready; red is not."""
    topics = ready()
    topics["house"] |= {"seats": seats(("red", "blue"), {"blue": "good"})}
    topics["house"]["prompts"] = [prompt("get_ready_one", by="red", side="left")]
    topics["table"]["keys"] = {"left": {"8": "ready"}}
    topics["news"] = news(("challenged", {"by": "red", "on": "blue"}), ("got_ready", {"by": "blue"}))
    return topics


def duel() -> Topics:
    """A duel of three players in full swing: red shows a yuck, blue's dice complete the combo."""
    start = {
        "phase": "duel",
        "visible": VISIBLE,
        "won": [2, 4, 0],
        "stations": {"left": station(0, LEFT_FACES, "xxxx.."), "right": station(1, RIGHT_FACES, "xxx.xx")},
    }
    told = (
        ("duel_started", {"left": "red", "right": "blue"}),
        ("yuck_missed", {"by": "red", "on": "blue", "lock_ms": 0}),
        ("yuck_called", {"by": "blue", "on": "red"}),
        ("rolled", {"by": "red", "dice": [0, 1], "faces": ["roe", "star"]}),
    )
    keys = {"left": {**DUEL_JOBS, "0": "free", "1": "free"}, "right": DUEL_JOBS, "deck": {"1": "mate"}}
    return _game(
        ("red", "blue", "green"), play(3, start), keys,
        prompt("duel_on"), prompt("duel_yuck"), prompt("duel_mate", seats=["green"]),
        told=told, complete={"left": [], "right": [1]}, bots={"blue": "good"},
    )  # fmt: skip


def duel_start() -> Topics:
    """Both are ready, no die has been rolled."""
    start = {
        "phase": "duel",
        "visible": VISIBLE,
        "stations": {"left": station(0, [None] * 6), "right": station(1, [None] * 6)},
    }
    told = (("duel_started", {"left": "white", "right": "yellow"}),)
    return _game(
        ("white", "yellow"), play(2, start), {"left": {"8": "roll"}, "right": {"8": "roll"}},
        prompt("duel_roll"), prompt("duel_yuck"), told=told,
    )  # fmt: skip


def duel_six() -> Topics:
    """Six players, the stock nearly gone, both duelists with a yuck, long news."""
    start = {
        "phase": "duel",
        "visible": [COMBO, {"octopus": 6}],
        "stock": [],
        "won": [3, 2, 3, 1, 3, 0],
        "stations": {
            "left": station(4, ("shrimp", "star", "octopus", "yuck", "yuck", "roe"), "x.x..x"),
            "right": station(5, ("octopus", "octopus", "octopus", "octopus", "yuck", "cucumber"), "xxxx.."),
        },
    }
    told = (
        ("sets_shared", {"by": "white", "side": "left", "to": "violet"}),
        ("yuck_called", {"by": "white", "on": "violet"}),
        ("bell_false", {"by": "violet", "penalty": "reroll_all"}),
    )
    keys = {"left": DUEL_JOBS, "right": DUEL_JOBS, "deck": {str(i): "mate" for i in range(4)}}
    bots = {"green": "easy", "yellow": "best", "violet": "random"}
    return _game(
        COLOURS, play(6, start), keys,
        prompt("duel_on"), prompt("duel_yuck"), prompt("duel_mate", seats=COLOURS[:4]),
        told=told, bots=bots,
    )  # fmt: skip


def choose_platter() -> Topics:
    """Two platters fit; the ringer names one."""
    start = {
        "phase": "duel",
        "visible": [{"salmon": 6}, COMBO, {"salmon": 6}],
        "won": [1, 1],
        "stations": {
            "left": station(0, ["salmon", "salmon", "star", "salmon", "salmon", "salmon"], "xxxxxx"),
            "right": station(1, RIGHT_FACES),
        },
    }
    state = play(2, start, {"do": "bell", "seat": 0})
    return _game(
        ("red", "blue"), state, {"left": {"0": "choose", "2": "choose"}},
        prompt("choose_platter", by="red", side="left", places=[1, 3]),
        told=(("must_choose", {"by": "red", "places": [0, 2]}),), complete={"left": [0, 2], "right": []},
    )  # fmt: skip


def _mate() -> Topics:
    start = {
        "phase": "duel",
        "visible": VISIBLE,
        "won": [2, 1, 1, 1],
        "stations": {
            "left": station(0, LEFT_FACES),
            "right": station(1, ("roe", "roe", "star", "yuck", "roe", "yuck")),
        },
    }
    return play(4, start, {"do": "mate", "seat": 2})


def share() -> Topics:
    """A mate was called; the caller takes a set."""
    keys = {"left": {"8": "take_set"}, "right": {"8": "take_set"}}
    return _game(
        ("red", "green", "blue", "white"), _mate(), keys, prompt("share_take_set", by="blue"),
        told=(("mate_called", {"by": "blue"}),),
    )  # fmt: skip


def share_give() -> Topics:
    """The caller has taken a set and says who gets the other."""
    keys = {"deck": {"1": "give_set", "4": "give_set"}}
    return _game(
        ("red", "green", "blue", "white"), _mate(), keys,
        prompt("share_give_set", by="blue", seats=["green", "white"]),
        told=(("mate_called", {"by": "blue"}),),
    )  # fmt: skip


def paused() -> Topics:
    """The left station went away in a duel."""
    topics = duel()
    topics["house"]["paused"] = {"because": "boards_missing", "boards": ["left"]}
    topics["table"]["keys"] = {}
    topics["boards"][0] = board("left", "lost", note={"key": "board_gone", "params": {"board": "left"}})
    return topics


def paused_all() -> Topics:
    """No board answers, and there is no note on any."""
    topics = duel()
    topics["house"]["paused"] = {"because": "boards_missing", "boards": list(ROLES)}
    topics["table"]["keys"] = {}
    topics["boards"] = [board(role, "stale") for role in ROLES]
    return topics


def operator() -> Topics:
    """The crew stopped the duel."""
    topics = duel()
    topics["house"]["paused"] = {"because": "operator", "boards": [], "muted": False, "can_undo": True}
    topics["house"]["prompts"] = [
        prompt(f"operator_{word}") for word in ("resume", "undo", "mute", "replace", "end")
    ]
    keys = {"0": "undo", "7": "mute", "8": "resume", "10": "end_game"}
    seats_of = {"0": "take_over", "1": "take_over", "2": "come_back"}
    topics["house"]["keys"] = {"left": keys, "right": keys, "deck": seats_of}
    topics["table"]["keys"] = {}
    return topics


def no_disk() -> Topics:
    """The record of the games cannot be kept."""
    topics = duel()
    topics["house"]["paused"] = {"because": "journal_disk_full", "boards": []}
    topics["table"]["keys"] = {}
    return topics


def asking() -> Topics:
    """Nobody has pressed a key for long."""
    topics = ready()
    topics["house"] |= {"asking": {"seconds": 20}, "prompts": [prompt("anybody_there")]}
    return topics


RESULT_KEYS: Final = {
    side: {str(key): "again" if key == 9 else "other_game" for key in range(12)} for side in ("left", "right")
} | {"deck": {str(key): "other_game" for key in range(6)}}


def result() -> Topics:
    """Blue has won."""
    start = {
        "phase": "duel",
        "visible": VISIBLE,
        "won": [2, 4, 3],
        "stations": {"left": station(0, LEFT_FACES), "right": station(1, RIGHT_FACES)},
    }
    state = play(3, start, {"do": "bell", "seat": 1})
    topics = _game(
        ("red", "blue", "green"), state, RESULT_KEYS, prompt("result_again_bell"), prompt("result_other"),
        bots={"blue": "good"},
        told=(
            ("platter_taken", {"by": "blue", "place": 1, "platter": COMBO, "won": 5}),
            ("game_won", {"by": "blue", "won": 5}),
        ),
    )  # fmt: skip
    topics["house"]["phase"] = "result"
    return topics


def result_six() -> Topics:
    """A game of six that white has won."""
    start = {
        "phase": "duel",
        "visible": [{"roe": 6}],
        "stock": [],
        "won": [3, 3, 3, 3, 3, 2],
        "stations": {
            "left": station(4, ["roe"] * 2 + ["star"] + ["roe"] * 3),
            "right": station(5, RIGHT_FACES),
        },
    }
    state = play(6, start, {"do": "bell", "seat": 4})
    topics = _game(COLOURS, state, RESULT_KEYS, prompt("result_again_bell"), prompt("result_other"))
    topics["news"] = news(("platter_taken", {"by": "white", "place": 0, "platter": {"roe": 6}, "won": 4}))
    topics["house"]["phase"] = "result"
    return topics


def demo() -> Topics:
    """Nobody here: bots play a duel for show, and the box says who won today."""
    topics = duel()
    wake = {str(key): "wake" for key in range(12)}
    topics["house"] |= {
        "phase": "attract",
        "demo": True,
        "prompts": [prompt("attract_press_any")],
        "seats": seats(("red", "blue", "green"), {"red": "good", "blue": "good", "green": "good"}),
        "keys": {"left": wake, "right": wake, "deck": {str(key): "join" for key in range(6)}},
        "scores": SCORES,
    }
    topics["table"]["keys"] = {}
    return topics


DUEL_PHASES: Final = (
    challenge, ready, ready_one, duel_start, duel, duel_six, choose_platter, share, share_give, paused,
    paused_all, operator, no_disk, asking, result, result_six, demo,
)  # fmt: skip
