"""Checks of what people give a game: options and setups, read from JSON.

Each check returns the value in the type asked for or raises the reader's error (BadOption or BadSetup),
naming the key as a dotted path, the value seen and what would be right. Types are checked exactly: `true`
is not 1, and 1.0 is not 1.

It knows no game; the games call it. `shown` serves refusals too: it names any value shortly and safely,
however large, deep or strange it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from galley_engine.game import BadInput, BadOption, BadSetup


def shown(value: object) -> str:
    """A value in a few words, for a message: never long, never an error, whatever it is."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if value.bit_length() <= 64 else "a huge number"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        return f'"{_short(value)}"'
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if isinstance(value, Mapping):
        return "an object"
    return f"a {type(value).__name__}"


def listed(names: Iterable[str], word: str = "or") -> str:
    """Names for a message: "a, b or c"."""
    *head, last = names
    return f"{', '.join(head)} {word} {last}" if head else last


def one_line(text: str) -> str:
    """The text with all that would not print on one line escaped."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text
    )


def _short(text: str) -> str:
    return one_line(text if len(text) <= 40 else f"{text[:37]}...")


class Given:
    """Reads given values; all it does not like is raised as `error` with the dotted path of the key.

    The whole that is given has the empty path; `whole` is what it is called if it is not even an object.
    """

    def __init__(self, error: type[BadInput], whole: str) -> None:
        self.error = error
        self._whole = whole

    def mapping(self, value: object, key: str, known: Collection[str]) -> Mapping[str, object]:
        """An object whose keys are all among `known`."""
        if not isinstance(value, Mapping):
            raise self.error(key or self._whole, f"is {shown(value)}, it must be an object")
        for name in value:
            if name not in known:
                unknown = _short(name) if name and isinstance(name, str) else shown(name)
                path = f"{key}.{unknown}" if key else unknown
                raise self.error(path, f"is not known here, only {listed(known, 'and')}")
        return value

    def sequence(self, value: object, key: str, length: int | None = None) -> Sequence[object]:
        """A list, of `length` elements if that is given."""
        if not isinstance(value, list | tuple):
            raise self.error(key, f"is {shown(value)}, it must be a list")
        if length is not None and len(value) != length:
            raise self.error(key, f"is a list of {len(value)}, it must be one of {length}")
        return value

    def whole(self, value: object, key: str, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        if type(value) is not int or not low <= value <= high:
            raise self.error(key, f"is {shown(value)}, it must be a whole number from {low} to {high}")
        return value

    def truth(self, value: object, key: str) -> bool:
        """True or false."""
        if not isinstance(value, bool):
            raise self.error(key, f"is {shown(value)}, it must be true or false")
        return value

    def word(self, value: object, key: str, allowed: Sequence[str]) -> str:
        """One of the words `allowed`."""
        if not isinstance(value, str) or value not in allowed:
            raise self.error(key, f"is {shown(value)}, it must be {listed(allowed)}")
        return value


def beginning(
    setup: Mapping[str, object] | None, keys: Collection[str], seats: int, playing: range, start_seat: int
) -> Mapping[str, object]:
    """What a setup gives under `keys`, when so many seats can play and the one that starts is among them.

    `playing` holds the numbers of seats that can play. Raises BadSetup; raises BadOption for the start seat.
    """
    layout = Given(BadSetup, "setup")
    layout.whole(seats, "seats", playing[0], playing[-1])
    if start_seat >= seats:
        raise BadOption("start_seat", f"is {start_seat}, but the seats are 0 to {seats - 1}")
    return layout.mapping({} if setup is None else setup, "", keys)
