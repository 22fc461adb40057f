"""The vocabulary of the tables: seats, keys, jobs and what a board shows.

For: the words that the house and every game's table share. It must not know any game.

A key is (board, number) as in `galley_board.pins`. A *job* is what a key does now: a word for the page's
catalogue, and either an action for the engine or a new *choice* (half an action, when it takes two keys).
The same mapping of keys to jobs lights the lamps, labels the keys on the pages and answers a press, so
that they can never disagree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from galley.deck_physics import Physics
from galley_board import glyphs, pins
from galley_engine.game import AnyGame, Event, JSONObject

BOARDS: Final = ("left", "right", "deck")
STATIONS: Final = ("left", "right")
SEAT_COLOURS: Final = ("red", "green", "blue", "yellow", "white", "violet")

KEYS_OF: Final = {board: len(pins.KEYS[pins.BOARD_OF_ROLE[board]]) for board in BOARDS}
"""How many keys for hands each board has; numbers above are sensors."""
KEEP1, ROLL, BELL, YUCK, MODE = 0, 8, 9, 10, 11
DICE: Final = 8
FRAME_LAMPS: Final = 11

LAMP_COLOURS: Final[Mapping[int, str]] = {
    **dict.fromkeys(range(KEEP1, KEEP1 + DICE), "white"),
    ROLL: "green",
    BELL: "red",
    YUCK: "violet",
}
"""The light in each key of a station; MODE has none."""

BLANK: Final = glyphs.die_code(glyphs.GLYPHS["blank"], glyphs.PLAIN)
DARK: Final = 0

Key: TypeAlias = tuple[str, int]
Choice: TypeAlias = Mapping[str, str]
"""Half an action, or a fact of the game's world: words for words."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Someone at the table: the colour of the seat's key, and the bot's strength or None for a person."""

    colour: str
    bot: str | None = None


class Job(NamedTuple):
    """What a key does now. `word` is for the catalogue; exactly one of `action` and `choice` is given."""

    word: str
    action: JSONObject | None = None
    choice: Choice | None = None
    mode: int = glyphs.STEADY


Jobs: TypeAlias = Mapping[Key, Job]


class Lit(Protocol):
    """What a lamp needs to know of a key's job."""

    @property
    def mode(self) -> int:
        """One of the lamp modes of `galley_board.glyphs`."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One line for the pages: a key of the catalogue and its parameters."""

    key: str
    params: Mapping[str, Any] = field(default_factory=dict)

    def json(self) -> JSONObject:
        """The form in which pages get it."""
        return {"key": self.key, "params": dict(self.params)}


class DeckView(NamedTuple):
    """What only the deck shows and moves.

    `eye` is its speed in percent, negative the other way round, 0 still; `drum` the face 0-7 to be on top,
    None as it lies; `drift` the steps 0-3 of the die towards a hole, None dark; `pupil` and the four `holes`
    are lamp codes.
    """

    eye: int = 0
    drum: int | None = None
    drift: int | None = None
    pupil: int = DARK
    holes: tuple[int, int, int, int] = (DARK,) * 4


class DeckStand(NamedTuple):
    """What a deck tells of itself again and again: what was missed in a pause comes with the next one.

    `face` is the drum's on top, None if that is not known, `moving` whether it turns; `unsure` the reader;
    `beams` is whether any hole has one.
    """

    face: int | None
    moving: bool
    guard_open: bool
    unsure: bool
    beams: bool = True


class BoardView(NamedTuple):
    """All a board shows: 8 die codes and 11 lamp codes of the wire (the deck uses 6 lamps and no dice)."""

    dice: tuple[int, ...] = (BLANK,) * DICE
    lamps: tuple[int, ...] = (DARK,) * FRAME_LAMPS
    deck: DeckView = DeckView()


BoxView: TypeAlias = Mapping[str, BoardView]

DARK_BOX: Final[BoxView] = {board: BoardView() for board in BOARDS}


class Table(Protocol):
    """What a game's table offers; see the package's header. `state` is of that game."""

    @property
    def game(self) -> AnyGame:
        """The game that sits here."""

    @property
    def bots_need_hand(self) -> bool:
        """Whether bots can play only where a simulated hand acts for them."""

    def boards(self, state: Any, seats: Sequence[Seat]) -> tuple[str, ...]:
        """The boards without which the game cannot go on from here: to show it, or for a person's key."""

    def awaited(self, state: Any) -> tuple[int, ...]:
        """The seats without whose keys the game cannot go on from here; none while it can."""

    def jobs(self, state: Any, seats: Sequence[Seat], choice: Choice) -> Jobs:
        """What each key does now."""

    @property
    def races(self) -> frozenset[str]:
        """The actions whose order is decided by race timing."""

    def gate_open(self, state: Any) -> bool:
        """False while a start signal is awaited: what is pressed before it is a false start."""

    def first(self, state: Any, actions: Sequence[JSONObject]) -> int:
        """Which of several actions goes first when nobody can know who was first."""

    def contested(self, before: Any, one: JSONObject, other: JSONObject) -> bool:
        """Whether it matters which of two actions comes first in the position `before`."""

    def forced(self, state: Any) -> JSONObject | None:
        """An action that is taken without a key because there is nothing to choose, or None."""

    def prompts(self, state: Any, seats: Sequence[Seat], choice: Choice) -> list[Prompt]:
        """Who has to do what, the most urgent first."""

    def view(self, state: Any, jobs: Mapping[Key, Lit], choice: Choice) -> BoxView:
        """What every board shows."""

    def flourish(self, before: Any, events: Sequence[Event]) -> Flourish | None:
        """What happened and is worth a moment of its own on the dice, or None."""

    def page(self, state: Any, choice: Choice) -> JSONObject:
        """What the pages draw beside the public state."""

    def world(self, state: Any, seed: int, hand: Hand | None, settings: Mapping[str, object]) -> World | None:
        """What goes on without a seat's doing, or None.

        `hand` is there where no real one is. `settings` are the physics chosen on the box, as `railings`.
        """


class World(Protocol):
    """What goes on beside the seats: the eye goes round, the die drifts, droppings fall. Times in house ms.

    It gives the engine's events as they come, and turns what a hand does into actions. Its `facts` join the
    choice that a table's functions are given.
    """

    def facts(self) -> Choice:
        """What jobs, prompts, view and page need to know of the world."""

    def edge(self, state: Any, board: str, key: int, down: bool, now_ms: int) -> Sequence[JSONObject]:
        """A key or sensor went down or up: the engine's events and actions that follow from it."""

    def missed(self, state: Any, board: str, key: int, down: bool, now_ms: int) -> None:
        """A sensor changed while the box was paused: what cannot be undone comes with a later `tick`."""

    def reported(self, stand: DeckStand, now_ms: int) -> None:
        """How the deck's parts stand, whatever was heard of them before."""

    def tick(self, state: Any, now_ms: int) -> Sequence[JSONObject]:
        """Let time pass: the events and actions that are due."""

    def due_ms(self) -> int | None:
        """When `tick` must come, None if nothing is waited for."""

    def delay(self, ms: int) -> None:
        """The box was paused for `ms`: nothing moved meanwhile."""

    def happened(self, state: Any, events: Sequence[Event], now_ms: int) -> None:
        """What the rules made of an action."""

    def undone(self, state: Any, now_ms: int) -> None:
        """A step was taken back: be as the state says now."""

    def sight(self, state: Any) -> object:
        """What bots see beyond the state."""

    def wish(self, state: Any, wish: JSONObject, now_ms: int) -> JSONObject | None:
        """A bot's wish as the action of now, or None; what follows later comes from `tick`."""

    def press(self, state: Any, action: JSONObject, now_ms: int) -> Sequence[JSONObject]:
        """A person's action, as actions and events of now in their order; () if nothing is to be done yet."""

    def page(self) -> JSONObject:
        """What the pages draw of it."""

    def saved(self) -> JSONObject:
        """All of it that must outlive the host."""

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Become as `saved` says; unknown or impossible values are left as they are."""


class Hand(Protocol):
    """A simulated hand over a simulated deck. Droppings have opaque numbers."""

    def deal(self, colours: Sequence[str], physics: Physics) -> None:
        """Spread these droppings anew, and a loose die if it is that build, on a deck with such railings."""

    def lift(self, dropping: int | None) -> str | None:
        """Lift a dropping, None: the one the arm points at. Its colour, None when there is none."""

    def put_back(self) -> None:
        """Put what is held back on deck."""

    def keep(self) -> None:
        """Lay what is held on the crew's pile."""

    def drop(self) -> None:
        """Throw what is held, or the last one on deck, into the galley."""

    def held(self) -> str | None:
        """The colour under what is held."""

    def last(self) -> str | None:
        """The colour under the only dropping on deck, None while there is not just one."""

    def die(self) -> str | None:
        """The colour on top of a loose die; None where there is none, or none any more."""

    def push_die(self) -> None:
        """Push a loose die to the middle."""

    def sight(self) -> object:
        """All that an onlooker sees, as the poop deck's `Sight`."""

    def page(self) -> JSONObject:
        """Where everything lies, for the pages."""

    def saved(self) -> JSONObject:
        """Where everything lies, with the colours underneath; for nobody's eyes."""

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Lay everything as `saved` says; nothing changes if it cannot have lain so."""


@dataclass(frozen=True, slots=True)
class Flourish:
    """Dice that show something else than the state for a moment: board -> die -> code, for `ms`."""

    dice: Mapping[str, Mapping[int, int]]
    ms: int


def seat_key(colour: str) -> Key:
    """The deck's key of the seat called `colour`."""
    return ("deck", SEAT_COLOURS.index(colour))


def lamps_of(jobs: Mapping[Key, Lit]) -> dict[str, tuple[int, ...]]:
    """Each board's lamps: those of keys that do something now in their keys' colours, the others dark."""
    lamps = {board: [DARK] * FRAME_LAMPS for board in BOARDS}
    for (board, key), job in jobs.items():
        colour = _LAMP_CODES[board].get(key)
        if colour is not None:
            lamps[board][key] = colour + job.mode
    return {board: tuple(codes) for board, codes in lamps.items()}


def lit(jobs: Mapping[Key, Lit]) -> BoxView:
    """Blank dice, and the lamps of the keys that have jobs."""
    return {board: BoardView(lamps=lamps) for board, lamps in lamps_of(jobs).items()}


def _codes(colours: Mapping[int, str]) -> Mapping[int, int]:
    return {key: glyphs.lamp_code(glyphs.COLOURS[colour][0], 0) for key, colour in colours.items()}


_STATION_CODES: Final = _codes(LAMP_COLOURS)
_LAMP_CODES: Final = {
    **dict.fromkeys(STATIONS, _STATION_CODES),
    "deck": _codes(dict(enumerate(SEAT_COLOURS))),
}
