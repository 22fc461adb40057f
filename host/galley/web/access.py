"""Who may do what on the pages: everybody near the box may watch, pressing from afar needs the PIN.

For: deciding, without a clock or a socket, whether a request is for this box, whether a page may give
commands, and whether a PIN is right. It must not know what the commands are.

Pages on this machine (a loopback address) may do everything. Other machines reach the box only with `--lan`;
their pages watch, until the PIN was typed there. A right PIN gives a random token, by which the page is known
when it connects again; neither is ever in an address or a log. Guessing is slowed down for each address and,
against many addresses, for all together.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final, NamedTuple

TRIES: Final = 5
"""Wrong PINs that one address may send before it has to wait."""
WAIT_S: Final = 60.0
TRIES_OF_ALL: Final = 50
"""Wrong PINs of all addresses together within WAIT_S: 50 a minute make a million guesses take two weeks."""
ADDRESSES_KEPT: Final = 256
TOKENS_KEPT: Final = 64
PIN_DIGITS: Final = 6

LOOPBACK_NAMES: Final = frozenset({"127.0.0.1", "localhost"})
_HOST: Final = re.compile(r"(?P<name>[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?")


def new_pin() -> str:
    """A PIN by chance."""
    return f"{secrets.randbelow(10**PIN_DIGITS):0{PIN_DIGITS}d}"


class BadPin(ValueError):
    """A PIN that cannot be one; the message says what it has to be."""


def checked_pin(pin: str) -> str:
    """`pin` if it is one. Raises BadPin."""
    if not re.fullmatch(rf"[0-9]{{{PIN_DIGITS},12}}", pin):
        raise BadPin(f"a PIN has {PIN_DIGITS} to 12 digits and nothing else")
    return pin


class Answer(NamedTuple):
    """What a page is told that has sent a PIN: its token if it was right, else how long it has to wait."""

    token: str | None
    wait_s: float = 0.0


@dataclass(slots=True)
class _Tries:
    """Wrong PINs since `since_s`."""

    count: int = 0
    since_s: float = 0.0

    def waits(self, most: int, now_s: float) -> float:
        """How long until another try is allowed."""
        if now_s - self.since_s >= WAIT_S:
            self.count = 0
        return self.since_s + WAIT_S - now_s if self.count >= most else 0.0

    def wrong(self, now_s: float) -> None:
        """One more."""
        if not self.count:
            self.since_s = now_s
        self.count += 1


@dataclass(slots=True)
class Access:
    """The rules of one box. `pin` None: this machine only. `names` are those it answers to in the network."""

    pin: str | None = None
    names: frozenset[str] = frozenset()
    _tokens: OrderedDict[str, None] = field(default_factory=OrderedDict)
    _tries: OrderedDict[str, _Tries] = field(default_factory=OrderedDict)
    _all: _Tries = field(default_factory=_Tries)

    def is_ours(self, host: str) -> bool:
        """Whether a Host header names this box: no foreign name may be pointed at it."""
        found = _HOST.fullmatch(host)
        if found is None:
            return False
        name = found["name"].lower()
        return name in LOOPBACK_NAMES or (self.pin is not None and name in self.names)

    def is_here(self, address: str | None) -> bool:
        """Whether a client's address is this machine's own; its pages may do everything."""
        if address is None:
            return False
        try:
            return ipaddress.ip_address(address).is_loopback
        except ValueError:
            return False

    def share(self, address: str | None, places: int) -> int:
        """How many of `places` may be taken when `address` wants one: some are kept for this machine."""
        return places if self.is_here(address) else places * 3 // 4

    def try_pin(self, address: str, pin: str, now_s: float) -> Answer:
        """A page at `address` sends a PIN at `now_s` (any clock that never goes back)."""
        tries = self._tries.setdefault(address, _Tries())
        self._tries.move_to_end(address)
        while len(self._tries) > ADDRESSES_KEPT:
            self._tries.popitem(last=False)
        wait_s = max(tries.waits(TRIES, now_s), self._all.waits(TRIES_OF_ALL, now_s))
        if wait_s > 0:
            return Answer(None, wait_s)
        # compared in constant time, whatever was typed
        if self.pin is not None and hmac.compare_digest(pin.encode("utf-8", "replace"), self.pin.encode()):
            self._tries.pop(address)
            return Answer(self._new_token())
        tries.wrong(now_s)
        self._all.wrong(now_s)
        return Answer(None)

    def knows(self, token: str) -> bool:
        """Whether a token was given out, and not so many since that it was forgotten."""
        given = token.encode("utf-8", "replace")
        return sum(hmac.compare_digest(given, known.encode()) for known in self._tokens) > 0

    def admits(self, address: str | None, authorization: str) -> bool:
        """Whether a program at `address` may read what is not for everybody, by its Authorization header."""
        scheme, _, token = authorization.partition(" ")
        return self.is_here(address) or (scheme.lower() == "bearer" and self.knows(token.strip()))

    def _new_token(self) -> str:
        token = secrets.token_urlsafe(24)
        self._tokens[token] = None
        while len(self._tokens) > TOKENS_KEPT:
            self._tokens.popitem(last=False)
        return token
