"""Who may do what: names, addresses, PINs and tokens, on a clock that only moves when told."""

from __future__ import annotations

import hmac
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_mock import MockerFixture

from galley.web.access import (
    ADDRESSES_KEPT,
    TOKENS_KEPT,
    TRIES,
    TRIES_OF_ALL,
    WAIT_S,
    Access,
    BadPin,
    checked_pin,
    new_pin,
)
from galley.web.commands import Command, KeyCommand
from galley.web.hub import BAD_MESSAGES, BURST, MESSAGES_A_SECOND, Hub

PIN = "314159"
AFAR = "192.168.1.77"


def guarded() -> Access:
    return Access(PIN, frozenset({"192.168.1.5", "galley", "galley.local"}))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:8765", "127.0.0.1:1"])
def test_this_machines_names_are_always_ours(host: str) -> None:
    assert Access().is_ours(host)
    assert guarded().is_ours(host)


@pytest.mark.parametrize("host", ["192.168.1.5:8765", "galley.local", "Galley:80"])
def test_the_names_in_the_network_are_ours_only_when_it_is_served(host: str) -> None:
    assert guarded().is_ours(host)
    assert not Access(None, guarded().names).is_ours(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "127.0.0.1.evil.example",
        "galley.local.evil",
        "127.0.0.1@evil",
        "a" * 300,
        "[::1]",
        "é",
    ],
)
def test_no_foreign_name_is_ours(host: str) -> None:
    assert not guarded().is_ours(host)


@pytest.mark.parametrize(
    ("address", "here"), [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), (AFAR, False), ("", False)]
)
def test_only_loopback_addresses_are_here(address: str, here: bool) -> None:
    assert guarded().is_here(address) is here


def test_the_right_pin_gives_a_token_that_is_known_and_no_other_is() -> None:
    access = guarded()
    token = access.try_pin(AFAR, PIN, 0.0).token
    assert token is not None
    assert PIN not in token
    assert access.knows(token)
    assert not access.knows(token[:-1])
    assert not access.knows("")
    assert not Access(PIN).knows(token)


def test_a_box_without_a_pin_lets_nobody_in() -> None:
    assert Access().try_pin(AFAR, "", 0.0).token is None
    assert Access().try_pin(AFAR, "None", 0.0).token is None


def test_every_pin_and_token_is_compared_in_constant_time(mocker: MockerFixture) -> None:
    access = guarded()
    token = access.try_pin("192.168.1.78", PIN, 0.0).token
    assert token is not None
    compare = mocker.spy(hmac, "compare_digest")
    for n, typed in enumerate(("", PIN[:-1], PIN + "0", "\N{SNOWMAN}", PIN)):
        access.try_pin(f"192.168.1.{n}", typed, 0.0)
        access.knows(typed)
    assert compare.call_count >= 2 * 5
    assert {call.args[1] for call in compare.call_args_list} >= {PIN.encode(), token.encode()}


def test_after_some_wrong_pins_an_address_waits_and_even_the_right_one_is_not_looked_at() -> None:
    access = guarded()
    for n in range(TRIES):
        assert access.try_pin(AFAR, "000000", float(n)) == (None, 0.0)
    answer = access.try_pin(AFAR, PIN, float(TRIES))
    assert answer.token is None
    assert answer.wait_s == WAIT_S - TRIES
    assert access.try_pin("192.168.1.78", PIN, float(TRIES)).token is not None, "others do not wait"
    assert access.try_pin(AFAR, PIN, WAIT_S).token is not None


def test_many_addresses_together_wait_too() -> None:
    access = guarded()
    for n in range(TRIES_OF_ALL):
        access.try_pin(f"10.0.{n // 200}.{n % 200}", "000000", 1.0)
    assert access.try_pin("10.9.9.9", PIN, 2.0).wait_s > 0
    assert access.try_pin("10.9.9.9", PIN, 1.0 + WAIT_S).token is not None


def test_what_is_remembered_of_strangers_is_bounded() -> None:
    access = guarded()
    for n in range(3 * ADDRESSES_KEPT):
        access.try_pin(f"fe80::{n:x}", "1", n * WAIT_S)
    assert len(access._tries) <= ADDRESSES_KEPT
    tokens = [access.try_pin(AFAR, PIN, 1e9).token for _ in range(2 * TOKENS_KEPT)]
    assert len(access._tokens) == TOKENS_KEPT
    assert access.knows(tokens[-1] or "")
    assert not access.knows(tokens[0] or "")


@given(st.text(max_size=20), st.text(max_size=20))
def test_no_word_but_the_pin_lets_in_and_none_does_harm(pin: str, address: str) -> None:
    answer = guarded().try_pin(address, pin, 5.0)
    assert (answer.token is not None) == (pin == PIN)


def test_pins_by_chance_are_pins() -> None:
    pins = {checked_pin(new_pin()) for _ in range(50)}
    assert len(pins) > 40
    for bad in ("12345", "12345a", " 123456", "١٢٣٤٥٦", "1" * 13):
        with pytest.raises(BadPin, match="6 to 12 digits"):
            checked_pin(bad)


# -- the hub: pages from afar -----------------------------------------------------------------------------


class Afar:
    """A hub that guards, and a page on another machine."""

    def __init__(self, address: str = AFAR) -> None:
        self.now_s = 0.0
        self.commands: list[Command] = []
        self.hub = Hub(self.commands.append, access=guarded(), clock=lambda: self.now_s)
        self.page = self.hub.join("box", address)

    def send(self, **message: object) -> bool:
        return self.hub.received(self.page, json.dumps(message))

    def press(self) -> None:
        self.send(do="key", board="left", key=8, down=True)


def test_a_page_from_afar_watches_until_the_pin_was_typed() -> None:
    afar = Afar()
    afar.press()
    assert (afar.commands, afar.page.bad_messages) == ([], 0)
    afar.send(do="pin", pin="000000")
    afar.press()
    assert afar.commands == []
    afar.send(do="pin", pin=PIN)
    afar.press()
    assert afar.commands == [KeyCommand("left", 8, True)]


def test_a_token_lets_the_same_page_in_again() -> None:
    afar = Afar()
    token = afar.hub.access.try_pin(AFAR, PIN, 0.0).token
    afar.send(do="token", token="made up")
    afar.press()
    assert afar.commands == []
    afar.send(do="token", token=token)
    afar.press()
    assert len(afar.commands) == 1


def test_a_page_of_this_machine_needs_no_pin() -> None:
    here = Afar("127.0.0.1")
    here.press()
    assert len(here.commands) == 1


def test_no_address_of_a_page_carries_a_pin_or_a_token() -> None:
    """Both travel inside the WebSocket: what is in an address is in logs and histories."""
    from galley.web.app import STATIC

    for script in STATIC.glob("*.js"):
        text = script.read_text("utf-8")
        assert not re.search(r"[?&](pin|token)=", text), script.name
        assert "localStorage" not in text or "token" not in text, f"{script.name}: a token ends with its page"


def test_more_messages_than_fingers_can_press_end_a_page() -> None:
    afar = Afar("127.0.0.1")
    fine = [afar.send(do="ping", id=n) for n in range(BURST)]
    assert all(fine)
    answers = [afar.send(do="ping", id=n) for n in range(BAD_MESSAGES)]
    assert answers == [True] * (BAD_MESSAGES - 1) + [False]


def test_a_page_that_slows_down_is_heard_again() -> None:
    afar = Afar("127.0.0.1")
    for n in range(BURST + 3):
        afar.send(do="ping", id=n)
    assert afar.page.bad_messages == 3
    afar.now_s += 1.0
    assert [afar.send(do="ping", id=n) for n in range(MESSAGES_A_SECOND)] == [True] * MESSAGES_A_SECOND
    assert afar.page.bad_messages == 3
