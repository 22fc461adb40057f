"""Actions as a game's tables have them: what their fields may hold, and actions made once for all.

A game says once for each field what it may hold (a Check), and for each kind of action which fields it has
(Fields). A Form joins the two and answers for a given action: nothing wrong, or the refusal `bad_value` in
one sentence. Types are exact, as in JSON: `true` is no seat, and 1.0 is not 1.

    CHECKS = {"seat": SEAT, "die": Check(int, range(6), "a die from 0 to 5"), "faces": ANYTHING}
    form = Form(Fields(("seat", "die"), ("faces",)), CHECKS)
    form.refusal(action, seats=3, at_ms=1000)

What a form cannot know (is there such a platter now, may this die show that face) is the effect's to check.

A Move is an action that is made once and handed out many times. It is a dict that cannot be changed, so
that nobody's change reaches another game.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, Final, NamedTuple, NoReturn

from galley_engine.game import JSON, Fields, Refusal
from galley_engine.given import shown


class Check(NamedTuple):
    """A field holds a value of exactly this type, one of these; `wanted` says so in words."""

    type: type
    among: Container[Any]
    wanted: str


SEAT: Final = Check(int, (), "a seat of this game")
"""The field is a seat number, whatever its name; how many seats there are comes with the question."""

ANYTHING: Final = Check(object, (), "")
"""The field may hold anything here: the effect looks at it when it needs it."""

MOST_SEATS: Final = 6


class Move(dict[str, JSON]):
    """An action that can be read, compared and copied like any, but not changed."""

    __slots__ = ()

    def _refuse(self, *args: object, **kwargs: object) -> NoReturn:
        raise TypeError("a move is shared: copy it with dict(move) and change the copy")

    __setitem__ = _refuse
    __delitem__ = _refuse
    __ior__ = _refuse
    clear = _refuse
    pop = _refuse
    popitem = _refuse
    setdefault = _refuse
    update = _refuse


class Form:
    """The fields of one kind of action, ready to be asked about."""

    __slots__ = ("_checked", "_checks", "_fields", "_size")

    def __init__(self, fields: Fields, checks: Mapping[str, Check]) -> None:
        """`checks` names every field of `fields`; those that may be left out are not looked at."""
        self._fields = fields
        self._checks = checks
        self._size = len(fields.required) + 1
        self._checked = tuple(
            tuple(
                (key, checks[key].type, range(seats) if checks[key] is SEAT else checks[key].among)
                for key in fields.required
                if checks[key] is not ANYTHING
            )
            for seats in range(MOST_SEATS + 1)
        )

    def refusal(self, action: Mapping[str, object], seats: int, at_ms: object) -> Refusal | None:
        """Why the fields of `action` are not these or not in their range, or None.

        `do` is not looked at: it was used to find this form.
        """
        for key, kind, among in self._checked[seats]:
            value = action.get(key)
            if type(value) is not kind or value not in among:
                return self._why(action, seats, at_ms)
        if len(action) != self._size or type(at_ms) is not int:
            return self._why(action, seats, at_ms)
        return None

    def _why(self, action: Mapping[str, object], seats: int, at_ms: object) -> Refusal | None:
        """The same with the words of the answer; None if all that is odd is a field that may be left out."""
        required, optional = self._fields
        for key in required:
            if key not in action:
                return Refusal("bad_value", f"{key} is missing")
        for key, value in action.items():
            if key == "do" or key in optional:
                continue
            if key not in required:
                return Refusal("bad_value", f"the field {shown(key)} is not known here")
            kind, among, wanted = self._checks[key]
            among = range(seats) if self._checks[key] is SEAT else among
            if kind is not object and (type(value) is not kind or value not in among):
                return Refusal("bad_value", f"{key} is {shown(value)}, it must be {wanted}")
        if type(at_ms) is not int:
            return Refusal("bad_value", f"at_ms is {shown(at_ms)}, it must be a whole number of milliseconds")
        return None
