"""Actions as a game's tables have them: what their fields may hold, and actions made once for all.

A game says once for each field what it may hold (a Check), and for each kind of action which fields it has
(Fields). A Form joins the two and answers for a given action: nothing wrong, or the refusal `bad_value` in
one sentence. Types are exact, as in JSON: `true` is no seat, and 1.0 is not 1.

    CHECKS = {"seat": SEAT, "die": Check(int, range(6), "a die from 0 to 5"), "faces": ANYTHING}
    form = Form(Fields(("seat", "die"), ("faces",)), CHECKS)
    form.refusal(action, seats=3, at_ms=1000)

What a form cannot know (is there such a platter now, may this die show that face) is the effect's to check.

Rules are all kinds of action of a game by name, each with its form: they find the one that is meant.

A Move is an action that is made once and handed out many times. It is a dict that cannot be changed, so
that nobody's change reaches another game, and so that Rules need not look twice at the same one. Data are
the same for the parameters of events.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, ClassVar, Final, NamedTuple, NoReturn, Protocol, TypeAlias, TypeVar

from galley_engine.game import JSON, Fields, Refusal
from galley_engine.given import listed, shown


class Check(NamedTuple):
    """A field holds a value of exactly this type or one of these, among these; `wanted` says so in words."""

    type: type | tuple[type, ...]
    among: Container[Any]
    wanted: str


SEAT: Final = Check(int, (), "a seat")
"""The field is a seat number, whatever its name; how many seats there are comes with the question."""

ANYTHING: Final = Check(object, (), "")
"""The field may hold anything here: the effect looks at it when it needs it."""

MOST_SEATS: Final = 6


class Shared(dict[str, JSON]):
    """A JSON object that can be read, compared and copied like any, but not changed."""

    __slots__ = ()

    _called: ClassVar[str] = "this object"

    def _refuse(self, *args: object, **kwargs: object) -> NoReturn:
        raise TypeError(f"{self._called} is shared: copy it with dict() and change the copy")

    __setitem__ = _refuse
    __delitem__ = _refuse
    __ior__ = _refuse
    clear = _refuse
    pop = _refuse
    popitem = _refuse
    setdefault = _refuse
    update = _refuse

    def __reduce__(self) -> tuple[type[Shared], tuple[dict[str, JSON]]]:
        return type(self), (dict(self),)


class Data(Shared):
    """The parameters of an event that is made once and happens often."""

    __slots__ = ()

    _called = "an event's data"


class Move(Shared):
    """An action that is made once and handed out many times."""

    __slots__ = ("passed", "rule")

    _called = "a move"

    def __init__(self, *fields: Mapping[str, JSON], **more: JSON) -> None:
        """As for a dict."""
        super().__init__(*fields, **more)
        self.passed: object = None
        self.rule: Any = None
        """Who found it in order, and the rule for it; the memory of Rules, nothing else."""


Further: TypeAlias = Callable[[Mapping[str, Any]], Refusal | None]
"""What is wrong with the fields of an action in any position, beyond the checks of each; None if nothing."""


def unknown(action: object, known: Iterable[str]) -> Refusal:
    """The refusal of what is no action of a game that has those `known`."""
    if not isinstance(action, Mapping):
        return Refusal("unknown_action", f"the action is {shown(action)}, it must be an object with do")
    does = f"is {shown(action['do'])}" if "do" in action else "is missing"
    return Refusal("unknown_action", f"do {does}, it must be {listed(known)}")


class Form:
    """The fields of one kind of action, ready to be asked about."""

    __slots__ = ("_by_seats", "_checks", "_fields", "_further", "_size")

    def __init__(self, fields: Fields, checks: Mapping[str, Check], further: Further | None = None) -> None:
        """`checks` names every field of `fields`; those that may be left out are not looked at.

        `further` looks at what a Check cannot say, once all else is in order.
        """
        self._fields = fields
        self._checks = checks
        self._further = further
        self._size = len(fields.required) + 1
        self._by_seats = tuple(
            [(key, *self._known(key, seats)) for key in fields.required] for seats in range(MOST_SEATS + 1)
        )

    def refusal(self, action: Mapping[str, object], seats: int, at_ms: object) -> Refusal | None:
        """Why the fields of `action` are not these or not in their range, or None.

        `do` is not looked at: it was used to find this form.
        """
        for key, types, among in self._by_seats[seats]:
            value = action.get(key, _MISSING)
            if type(value) not in types or (among is not None and value not in among):
                return self._why(action, seats, at_ms)
        if len(action) != self._size or type(at_ms) is not int:
            return self._why(action, seats, at_ms)
        return None if self._further is None else self._further(action)

    def _known(self, key: str, seats: int) -> tuple[Container[type], Container[Any] | None]:
        """The types that the field may have, and the values, None for all."""
        check = self._checks[key]
        if check is ANYTHING:
            return _ANY_TYPE, None
        types = check.type if isinstance(check.type, tuple) else (check.type,)
        return types, range(seats) if check is SEAT else check.among

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
                fields = listed(("do", *required, *optional), "and")
                return Refusal("bad_value", f"the field {shown(key)} is not known here, only {fields}")
            types, among = self._known(key, seats)
            if type(value) not in types or (among is not None and value not in among):
                check = self._checks[key]
                wanted = f"a seat from 0 to {seats - 1}" if check is SEAT else check.wanted
                return Refusal("bad_value", f"{key} is {shown(value)}, it must be {wanted}")
        if type(at_ms) is not int:
            return Refusal("bad_value", f"at_ms is {shown(at_ms)}, it must be a whole number of milliseconds")
        return None if self._further is None else self._further(action)


class Rule(Protocol):
    """What a game has for one kind of action: its form, and whatever else the game needs."""

    @property
    def form(self) -> Form:
        """The fields of the action."""


R = TypeVar("R", bound=Rule)


class Rules(dict[str, R]):
    """All kinds of action of a game by name."""

    def __init__(self, rules: Mapping[str, R]) -> None:
        """As for a dict."""
        super().__init__(rules)
        # One for each number of seats: a Move that was found in order remembers by which.
        self._passes = tuple(object() for _ in range(MOST_SEATS + 1))

    def of(self, action: Any, seats: int, at_ms: object) -> R | Refusal:
        """The rule for an action whose fields are in order, or `unknown_action` or `bad_value`."""
        passes = self._passes[seats]
        if type(action) is Move and action.passed is passes and type(at_ms) is int:
            rule: R = action.rule
            return rule
        if not isinstance(action, dict) and not isinstance(action, Mapping):
            return unknown(action, self)
        try:
            rule = self[action["do"]]
        except (KeyError, TypeError):  # no such action, none at all, or what cannot be a key
            return unknown(action, self)
        refusal = rule.form.refusal(action, seats, at_ms)
        if refusal is not None:
            return refusal
        if type(action) is Move:
            action.rule, action.passed = rule, passes
        return rule


class _AnyType:
    """Contains every type but that of a missing field."""

    def __contains__(self, kind: object) -> bool:
        return kind is not _Missing


class _Missing:
    """Of no type that a field may have."""


_ANY_TYPE: Final = _AnyType()
_MISSING: Final = _Missing()
