"""What the host would publish in each phase: the topics that the page tests and the screenshots show.

The states of the duel come from the real engine, played from a given start with given dice, so that a page
is tested with exactly the JSON it will get. House, boards, prompts, jobs of the keys and news are written
out here as the contract between host and pages has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from galley_board import glyphs, pins
from galley_engine.dice import Dice
from galley_engine.game import Refusal
from galley_engine.games import load

Topics = dict[str, Any]

GAME: Final = load("sushi_duel")
COMBO: Final = {"shrimp": 1, "salmon": 1, "octopus": 1, "cucumber": 1, "roe": 1, "star": 1}
COLOURS: Final = ("red", "green", "blue", "yellow", "white", "violet")
ROLES: Final = ("left", "right", "deck")
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
        "meta": {"version": "0.1.0", "simulated": simulated, "language": "en"},
        "boards": [board(role, simulated=simulated) for role in ROLES],
        "house": {"phase": phase, "game": "sushi_duel", "seats": [], "paused": None, "prompts": []},
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
    topics["table"] = {"state": state, "complete": complete or {"left": [], "right": []}, "keys": keys}
    topics["news"] = news(*told)
    return topics


def attract() -> Topics:
    """Nobody here."""
    topics = base("attract")
    topics["house"]["prompts"] = [prompt("attract_press_any")]
    wake = {str(key): "wake" for key in range(12)}
    topics["house"]["keys"] = {"left": wake, "right": wake, "deck": {str(key): "join" for key in range(6)}}
    return topics


def join_none() -> Topics:
    """The lobby, still empty."""
    topics = base("join")
    topics["house"]["prompts"] = [prompt("join_press_seat"), prompt("join_back")]
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
    }
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
        ("red", "blue", "green"), play(3, start), keys, prompt("duel_on", left="red", right="blue"),
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
        prompt("duel_on", left="white", right="yellow"), told=told,
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
        COLOURS, play(6, start), keys, prompt("duel_on", left="white", right="violet"), told=told, bots=bots
    )


def choose() -> Topics:
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
    topics["boards"][0] = board("left", "lost", note={"key": "board_gone", "params": {"board": "left"}})
    return topics


def paused_all() -> Topics:
    """No board answers, and there is no note on any."""
    topics = duel()
    topics["house"]["paused"] = {"because": "boards_missing", "boards": list(ROLES)}
    topics["boards"] = [board(role, "stale") for role in ROLES]
    return topics


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
        ("red", "blue", "green"), state, {}, prompt("result_again"), bots={"blue": "good"},
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
    topics = _game(COLOURS, play(6, start, {"do": "bell", "seat": 4}), {}, prompt("result_again"))
    topics["news"] = news(("platter_taken", {"by": "white", "place": 0, "platter": {"roe": 6}, "won": 4}))
    topics["house"]["phase"] = "result"
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


PHASES: Final = {
    case.__name__: case
    for case in (
        attract, join_none, join_one, join_some, challenge, ready, ready_one, duel_start, duel, duel_six,
        choose, share, share_give, paused, paused_all, result, result_six, trouble,
    )
}  # fmt: skip
"""Name -> function that makes the topics of that moment."""


def picture(role: str, dice: Sequence[tuple[str, str]] = (), lamps: Mapping[int, str] | None = None) -> bytes:
    """What a board writes to its pixels: `dice` as (glyph, style), `lamps` as key -> colour.

    The light is that of the firmware in rough numbers; only the order of the chain is exact.
    """
    count = pins.PIXELS[pins.BOARD_OF_ROLE[role]]
    rgb = bytearray(3 * count)
    table = {name: (colour, pattern) for name, _, colour, pattern in glyphs.TABLE}
    for die, (glyph, style) in enumerate(dice):
        colour, pattern = table[glyph]
        lit = [i for i, sign in enumerate(pattern.replace(" ", "")) if sign == "#"]
        light = {"plain": 140, "kept": 280, "dim": 56}[style] / max(1, len(lit))
        for i in lit:
            at = 3 * pins.die_pixel(die, i // 3, i % 3)
            rgb[at : at + 3] = bytes(
                min(255, round(light * share / 255)) for share in glyphs.COLOURS[colour][1:]
            )
    for key, colour in (lamps or {}).items():
        at = 3 * pins.lamp_pixel(pins.BOARD_OF_ROLE[role], key)
        rgb[at : at + 3] = bytes(round(45 * share / 255) for share in glyphs.COLOURS[colour][1:])
    return bytes(rgb)


LAMPS: Final = {**dict.fromkeys(range(8), "white"), 8: "green", 9: "red", 10: "violet"}


def pictures(topics: Topics) -> dict[str, bytes]:
    """The pixels of all boards that go with `topics`: the dice as they lie, lamps for keys with a job."""
    table = topics["table"]
    keys = table["keys"] if table else topics["house"].get("keys", {})
    shown: dict[str, bytes] = {}
    for role in ROLES:
        lamp_of = dict(enumerate(COLOURS)) if role == "deck" else LAMPS
        lamps = {int(key): lamp_of[int(key)] for key in keys.get(role, {}) if int(key) in lamp_of}
        dice: list[tuple[str, str]] = []
        if table and role != "deck":
            lying = table["state"]["stations"][role]
            dice = [
                ("unrolled", "dim") if face is None else (face, "kept" if kept else "plain")
                for face, kept in zip(lying["faces"], lying["kept"], strict=True)
            ]
        shown[role] = picture(role, dice, lamps)
    return shown
