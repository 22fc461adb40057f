"""The sushi bar's position: its options, its state, the JSON forms, and questions one can ask of a state.

All is plain named tuples: small, hashable, readable when a test shows two of them. A face is its name;
`None` stands for a die that has not been thrown this turn. Tiles are their values: the two rows from left to
right, a stack from bottom to top, so that its top tile is the last.

What a turn may take is a question of the dice, the rows and the other seats' stacks, never a thing to
remember: `takes` and `victims` answer it. The transitions are in `sushi_bar`, what people may give in
`sushi_bar_setup`.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Final, NamedTuple, TypeAlias

from galley_engine.game import JSONObject

KINDS: Final = ("sushi", "bone")
CHOPSTICKS: Final[Mapping[str, str]] = {"sushi": "blue", "bone": "red"}
"""The face that steals tiles of each kind."""

DIE: Final = ("sushi", "sushi", "bone", "bone", "blue", "red")
"""The six faces of each die."""

FACES: Final = ("sushi", "bone", "blue", "red")
DICE: Final = 5
TO_STEAL: Final = 3  # chopsticks of one colour for a top tile
TO_STEAL_ANY: Final = 4  # for any tile
PHASES: Final = ("throw", "choose", "over")

Face: TypeAlias = str | None
Dice: TypeAlias = tuple[Face, ...]  # five, always
Locked: TypeAlias = tuple[bool, ...]

NO_DICE: Final[Dice] = (None, None, None, None, None)
NONE_LOCKED: Final[Locked] = (False, False, False, False, False)
ALL_LOCKED: Final[Locked] = (True, True, True, True, True)

FREE: Final[Mapping[Locked, tuple[int, ...]]] = {
    locked: tuple(die for die in range(DICE) if not locked[die])
    for locked in product((False, True), repeat=DICE)
}
"""The dice that are not locked, for every way to lock dice."""

COUNTS: Final[Mapping[Dice, tuple[int, ...]]] = {
    dice: tuple(dice.count(face) for face in FACES) for dice in product(FACES, repeat=DICE)
}
"""How many dice show each of FACES, for all that five dice can show."""


class Options(NamedTuple):
    """The rules data in force. `sushi_bar_setup.options` makes it; the README lists what may be given."""

    sushi_tiles: tuple[int, ...]  # their values, all above 0
    bone_tiles: tuple[int, ...]  # all below 0
    throws: int  # the most throws in a turn
    start_seat: int


class Tiles(NamedTuple):
    """Values of tiles of both kinds: the two rows left to right, or a seat's two stacks bottom to top."""

    sushi: tuple[int, ...]
    bone: tuple[int, ...]


NO_TILES: Final = Tiles((), ())


class State(NamedTuple):
    """A position. `throw` counts the throws of this turn; when it is over, `turn` is the last who acted."""

    options: Options
    phase: str
    turn: int
    throw: int
    dice: Dice
    locked: Locked
    rows: Tiles
    stacks: tuple[Tiles, ...]

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.stacks)


class Count(NamedTuple):
    """What a seat's stacks are worth at the end."""

    sushi: tuple[int, ...]  # the tiles that stay, bottom to top
    bone: tuple[int, ...]
    given_up: tuple[int, ...]  # the sushi above the height of the bones, bottom to top
    score: int


# --- Questions ------------------------------------------------------------------------------------


def takes(state: State, kind: str) -> bool:
    """Whether the dice take a tile of the row of that kind: at least one such face, and enough tiles."""
    return 0 < state.dice.count(kind) <= len(state.rows[KINDS.index(kind)])


def victims(state: State, kind: str) -> tuple[int, ...]:
    """The seats from whom the dice steal a tile of that kind, ascending; nobody with too few chopsticks."""
    if state.dice.count(CHOPSTICKS[kind]) < TO_STEAL:
        return ()
    stack, turn = KINDS.index(kind), state.turn
    return tuple(seat for seat, tiles in enumerate(state.stacks) if tiles[stack] and seat != turn)


def steals_any(state: State, kind: str) -> bool:
    """Whether the dice steal any tile of that kind, not only the top one of a stack."""
    return state.dice.count(CHOPSTICKS[kind]) >= TO_STEAL_ANY


def has_option(state: State) -> bool:
    """Whether the dice take or steal anything."""
    sushi, bone, blue, red = COUNTS[state.dice]
    rows = state.rows
    if 0 < sushi <= len(rows.sushi) or 0 < bone <= len(rows.bone):
        return True
    if blue < TO_STEAL and red < TO_STEAL:
        return False
    return bool(victims(state, "sushi") or victims(state, "bone"))


def is_last_throw(state: State) -> bool:
    """Whether no throw can follow in this turn: it was the last one, or of one die only."""
    return state.throw >= state.options.throws or len(FREE[state.locked]) <= 1


def forced_tile(rows: Tiles) -> tuple[str, int]:
    """The kind and the place of the tile that must be taken when nothing else can be.

    The most negative bone, or the lowest sushi if there is no bone; of equal ones the leftmost (turn, 3).
    """
    kind, row = ("bone", rows.bone) if rows.bone else ("sushi", rows.sushi)
    return kind, row.index(min(row))


def count(tiles: Tiles) -> Count:
    """A seat's result: sushi above the height of the bones are given up from the top, surplus bones stay."""
    sushi, bone = tiles
    kept, given_up = sushi[: len(bone)], sushi[len(bone) :]
    return Count(kept, bone, given_up, sum(kept) + sum(bone))


def scores(state: State) -> tuple[int, ...]:
    """What each seat would score if the game ended here."""
    return tuple(count(tiles).score for tiles in state.stacks)


def winners(state: State) -> tuple[int, ...]:
    """The seats with the highest score, ascending: a tie is a shared win (house rule)."""
    points = scores(state)
    best = max(points)
    return tuple(seat for seat, score in enumerate(points) if score == best)


# --- JSON forms -----------------------------------------------------------------------------------


def full(state: State) -> JSONObject:
    """The whole state as a JSON object."""
    return {
        **_open(state),
        "stacks": [{"sushi": list(sushi), "bone": list(bone)} for sushi, bone in state.stacks],
    }


def public(state: State, seat: int | None = None) -> JSONObject:
    """The same for everyone, one's own covered tiles are hidden too: of each stack its height and top tile.

    `{"height": 3, "top": 2}`; the top of an empty stack is null. So it stays when the game is over: the
    event `stack_counted` shows the tiles then.
    """
    return {
        **_open(state),
        "stacks": [
            {
                kind: {"height": len(stack), "top": stack[-1] if stack else None}
                for kind, stack in zip(KINDS, tiles, strict=True)
            }
            for tiles in state.stacks
        ],
    }


def _open(state: State) -> JSONObject:
    """What everyone may see; the place of the stacks in it is kept."""
    over = state.phase == "over"
    return {
        "game": "sushi_bar",
        "seats": state.seats,
        "phase": state.phase,
        "turn": None if over else state.turn,
        "throw": state.throw,
        "dice": list(state.dice),
        "locked": list(state.locked),
        "rows": {"sushi": list(state.rows.sushi), "bone": list(state.rows.bone)},
        "stacks": None,
        "options": _options_json(state),
        "scores": list(scores(state)) if over else None,
        "winners": list(winners(state)) if over else None,
    }


def _options_json(state: State) -> list[JSONObject]:
    """What may be taken now: take sushi, take bone, steal sushi, steal bone, as far as the dice allow it."""
    if state.phase != "choose":
        return []
    offered: list[JSONObject] = [{"do": "take", "kind": kind} for kind in KINDS if takes(state, kind)]
    for kind in KINDS:
        seats = list(victims(state, kind))
        if seats:
            offered.append({"do": "steal", "kind": kind, "from": seats, "any": steals_any(state, kind)})
    return offered


def options_of(state: State) -> JSONObject:
    """All options in force, in the form in which they are given."""
    options = state.options
    return {
        "sushi_tiles": list(options.sushi_tiles),
        "bone_tiles": list(options.bone_tiles),
        "throws": options.throws,
        "start_seat": options.start_seat,
    }


def setup_of(state: State) -> JSONObject:
    """The layout of a start position, in the form in which a setup is given."""
    return {
        "rows": {"sushi": list(state.rows.sushi), "bone": list(state.rows.bone)},
        "stacks": [{"sushi": list(sushi), "bone": list(bone)} for sushi, bone in state.stacks],
        "turn": state.turn,
    }
