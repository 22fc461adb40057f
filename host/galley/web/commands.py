"""What pages may ask for: their commands, checked.

For: the hub, which obeys what is a page's own and hands on the rest. It must not know pages, topics or what
becomes of a command: text in, frozen dataclasses out.

A message is a JSON object; `do` names the command, the other members are its fields, and there must be all of
them and no more. `FORMS` says of each command what it is made of and what each field may be.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from galley.box_options import LANGUAGES
from galley.tables.table import KEYS_OF
from galley_board import deck_codes

MESSAGE_BYTES: Final = 1024
MOST_WORD: Final = 64
DAY_MINUTES: Final = 24 * 60
MOST_DROPPINGS: Final = 1000
WELL_COLOURS: Final = len(deck_codes.WELL) - 1


class BadMessage(Exception):
    """A page sent something that is not a command it may give."""


# -- of the page that gives it ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SnapshotCommand:
    """The page has lost count: it wants to be told everything anew."""


@dataclass(frozen=True, slots=True)
class PingCommand:
    """The page wants this number back."""

    number: int


@dataclass(frozen=True, slots=True)
class PinCommand:
    """Somebody typed this PIN at the page."""

    pin: str


@dataclass(frozen=True, slots=True)
class TokenCommand:
    """The page got this token for a PIN before."""

    token: str


@dataclass(frozen=True, slots=True)
class SoundCommand:
    """The page can sound from now on (`on`), or no longer."""

    on: bool


# -- of the whole box -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KeyCommand:
    """A key of a virtual box went down or up. `key` is the index of the key on its board."""

    board: str
    key: int
    down: bool


@dataclass(frozen=True, slots=True)
class PlugCommand:
    """A simulated board is to be plugged in (`plugged`) or pulled out."""

    board: str
    plugged: bool


@dataclass(frozen=True, slots=True)
class LiftCommand:
    """A dropping of the simulated deck is to be lifted; `dropping` is its number."""

    dropping: int


@dataclass(frozen=True, slots=True)
class LanguageCommand:
    """All pages are to speak this language: until the table is empty, or `for_good` from the crew's page."""

    to: str
    for_good: bool = False


@dataclass(frozen=True, slots=True)
class SpeakerCommand:
    """Another page sounds from now on: the one with number `page`, or none."""

    page: int | None


@dataclass(frozen=True, slots=True)
class VolumeCommand:
    """The master volume, 0 to 100."""

    to: int


@dataclass(frozen=True, slots=True)
class QuietCommand:
    """Quiet hours, as minutes after midnight; equal ones mean none."""

    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class CalibrateCommand:
    """The reader's well holds this now: learn it. `colour` is a place in `deck_codes.WELL` less one."""

    colour: int


Command: TypeAlias = (
    KeyCommand
    | PlugCommand
    | LiftCommand
    | LanguageCommand
    | SpeakerCommand
    | VolumeCommand
    | QuietCommand
    | CalibrateCommand
)
"""What the hub hands on."""

Asked: TypeAlias = SnapshotCommand | PingCommand | PinCommand | TokenCommand | SoundCommand | Command
"""What a message can be."""

# -- what a message has to look like --------------------------------------------------------------------

Check: TypeAlias = Callable[[object], Any]
"""The value of a field as it is if it is right. Raises BadMessage."""


def _whole(below: int) -> Check:
    def check(value: object) -> int:
        if type(value) is not int or not 0 <= value < below:
            raise BadMessage
        return value

    return check


def _one_of(words: Mapping[str, object] | tuple[str, ...]) -> Check:
    def check(value: object) -> str:
        if not isinstance(value, str) or value not in words:
            raise BadMessage
        return value

    return check


def _word(value: object) -> str:
    if not isinstance(value, str) or len(value) > MOST_WORD:
        raise BadMessage
    return value


def _flag(value: object) -> bool:
    if type(value) is not bool:
        raise BadMessage
    return value


def _key(board: str, key: int, down: bool) -> KeyCommand:
    return KeyCommand(board, _whole(KEYS_OF[board])(key), down)


_board: Final = _one_of(KEYS_OF)

FORMS: Final[Mapping[str, tuple[Callable[..., Asked], Mapping[str, Check]]]] = {
    "snapshot": (SnapshotCommand, {}),
    "ping": (PingCommand, {"id": _whole(2**53)}),
    "pin": (PinCommand, {"pin": _word}),
    "token": (TokenCommand, {"token": _word}),
    "speaker": (SoundCommand, {"on": _flag}),
    "key": (_key, {"board": _board, "key": _whole(max(KEYS_OF.values())), "down": _flag}),
    "plug": (PlugCommand, {"board": _board, "in": _flag}),
    "lift": (LiftCommand, {"dropping": _whole(MOST_DROPPINGS)}),
    "language": (LanguageCommand, {"to": _one_of(LANGUAGES)}),
    "volume": (VolumeCommand, {"to": _whole(101)}),
    "quiet": (QuietCommand, {"begin": _whole(DAY_MINUTES), "end": _whole(DAY_MINUTES)}),
    "calibrate": (CalibrateCommand, {"colour": _whole(WELL_COLOURS)}),
}
"""The word of a command -> what it becomes, from its fields in this order, and how each is checked."""


def parsed(message: str | bytes) -> dict[str, object]:
    """The members of a message. Raises BadMessage if it is no JSON object, or too long."""
    if not isinstance(message, str) or len(message.encode("utf-8", "replace")) > MESSAGE_BYTES:
        raise BadMessage
    try:
        value = json.loads(message)
    except (ValueError, RecursionError):
        raise BadMessage from None
    if not isinstance(value, dict):
        raise BadMessage
    return value


def command_of(do: str, members: Mapping[str, object]) -> Asked:
    """The command that a message with the word `do` of `FORMS` gives. Raises BadMessage."""
    make, checks = FORMS[do]
    if set(members) != {"do", *checks}:
        raise BadMessage
    return make(*(check(members[name]) for name, check in checks.items()))
