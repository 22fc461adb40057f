"""What a game is: the vocabulary that all games, the tables, the records and the bots share.

A *game* is a module (or any object) with the functions of `Game`. It turns a state and an action into the
next state. It must not read a clock, roll a die by itself, or remember anything outside the state.

    apply(state, action, at_ms, chance)  ->  Step(state, action, events)   accepted
                                         ->  Refusal(code, message)        refused; the state is as it was

An *action* is a JSON object: `do` names it, `seat` says who, further fields as the game's table `actions`
has them. Outcomes of chance are fields too (`faces`). If the action brings them they are used and checked;
if it does not, they are drawn from `chance`. The accepted action in `Step.action` holds every outcome that
was used and nothing else, so that applying it again with `chance=None` gives an equal state.

Whatever an action contains (wrong types, missing or unknown fields), `apply` answers with a Refusal and
never raises. Options and setups come from people who can mend them; wrong ones raise BadOption or BadSetup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

JSON: TypeAlias = "bool | int | float | str | Sequence[JSON] | Mapping[str, JSON] | None"
JSONObject: TypeAlias = "dict[str, JSON]"

T = TypeVar("T")
S = TypeVar("S")
O = TypeVar("O")  # noqa: E741 - a game's options

REFUSALS: Mapping[str, str] = {
    "game_over": "the game has ended",
    "unknown_action": "the game has no such action",
    "bad_value": "a field is missing, unknown, of the wrong type or out of range",
    "wrong_phase": "not in this phase",
    "not_your_turn": "another seat is to act",
    "not_a_duelist": "only the two duelists may",
    "is_a_duelist": "only those who do not duel may",
    "nothing_to_roll": "all dice are set aside",
    "too_soon": "not yet, by the time stamp",
    "not_legal": "the rules forbid it here",
}

SEAT_PARAMETERS = frozenset({"by", "on", "to", "left", "right"})
"""Parameters of events that hold a seat number, in every game; a page shows them as colours."""


class Refusal(NamedTuple):
    """An action that was not accepted. `code` is a key of REFUSALS; `message` is for logs and referees."""

    code: str
    message: str


class Event(NamedTuple):
    """Something that happened, as key and parameters, never as text: a page's catalogue has the words.

    `data` holds JSON values. The parameters named in SEAT_PARAMETERS are seat numbers.
    """

    kind: str
    data: Mapping[str, JSON]


class Step(NamedTuple, Generic[S]):
    """An accepted action: the state after it, the action with its outcomes, and what happened in order."""

    state: S
    action: JSONObject
    events: tuple[Event, ...]


class Fields(NamedTuple):
    """The fields of an action besides `do`: those it must have, and those it may have."""

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()


class BadInput(ValueError):
    """Something given to a game cannot be used: `key` is a dotted path to it, `message` what is wrong."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(f"{key}: {message}")
        self.key = key
        self.message = message


class BadOption(BadInput):
    """An option is unknown or impossible."""


class BadSetup(BadInput):
    """A part of the start position is unknown or impossible; `seats` is the key for their number."""


class Chance(Protocol):
    """Where outcomes come from when an action does not bring them; `galley_engine.dice.Dice` is one."""

    def die(self, faces: Sequence[T]) -> T:
        """One of `faces` (at least one), each as likely."""

    def throw(self, kinds: Sequence[Sequence[T]]) -> list[T]:
        """Several dice at once, each of them one of `kinds`: what `die` gives for each, in order."""

    def shuffle(self, items: Sequence[T]) -> tuple[T, ...]:
        """All of `items` in an order, each order as likely."""


class Game(Protocol[S, O]):
    """What a game offers. All functions are pure; states and options are frozen and hashable."""

    @property
    def name(self) -> str:
        """The name in scenarios, records and commands."""

    @property
    def min_seats(self) -> int:
        """The fewest seats that can play."""

    @property
    def max_seats(self) -> int:
        """The most seats that can play."""

    @property
    def actions(self) -> Mapping[str, Fields]:
        """Every action and its fields."""

    @property
    def events(self) -> Mapping[str, tuple[str, ...]]:
        """Every kind of event and its parameters."""

    def options(self, given: Mapping[str, object]) -> O:
        """The options in force: the defaults with those of `given` in their place. Raises BadOption."""

    def start(
        self, seats: int, options: O, chance: Chance | None, setup: Mapping[str, object] | None = None
    ) -> S:
        """The start position for `seats` seats; `setup` overrides parts of it.

        With `chance=None` nothing is shuffled: what the setup leaves open lies in the order of the rules'
        data. Raises BadSetup, or BadOption for an option that is impossible with this number of seats.
        """

    def apply(self, state: S, action: object, at_ms: int, chance: Chance | None) -> Step[S] | Refusal:
        """The step that `action` makes at the time stamp `at_ms`, or why it is refused. Never raises."""

    def full(self, state: S) -> JSONObject:
        """The whole state in its JSON form."""

    def public(self, state: S, seat: int | None = None) -> JSONObject:
        """What `seat` may see (None: an onlooker) in the same form, without what is hidden from it."""

    def options_of(self, state: S) -> JSONObject:
        """All options in force, in the form that `options` takes."""

    def setup_of(self, state: S) -> JSONObject:
        """The dealt layout of a start position, in the form that `start` takes: it starts an equal state."""

    def actors(self, state: S) -> tuple[int, ...]:
        """The seats that may act in this position, ascending; none when the game is over.

        An actor may yet have no move at some moment, while a wait stands in the way.
        """

    def ending(self, state: S) -> str | None:
        """Why the game ended, as a key; None before."""

    def legal(self, state: S, seat: int, at_ms: int) -> tuple[str, ...]:
        """The kinds of action of which at least one would be accepted from `seat` at `at_ms`."""

    def moves(self, state: S, seat: int, at_ms: int) -> list[JSONObject]:
        """Every action that would be accepted from `seat` at `at_ms`, without outcomes of chance.

        The list is the caller's own; the actions in it are shared and cannot be changed (`actions.Move`).
        """


AnyGame: TypeAlias = Game[Any, Any]
"""A game whose types of state and options are not known here, as the registry hands it out."""
