"""Which pin of a Raspberry Pi has which of the deck's jobs, and what settings.toml may change of that.

For: `machine`, which hands these to the firmware as if settings.toml said them, and the README. Names are
those of Blinka (D5 is GPIO 5). It must not touch hardware.

Why these: the colour reader is on the only I2C bus with pull-ups; the eye's motor needs the two channels of
hardware PWM, which `dtoverlay=pwm-2chan,pin=12,func=4,pin2=13,func2=4` in /boot/firmware/config.txt gives to
D12 and D13; pixels go out over PCM at D21, which neither of them disturbs. D0 and D1 are left alone: a HAT is
recognised over them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Final

from galley_board import pins

Value = str | int

DECK: Final[Mapping[str, str]] = {
    "SEAT1": "D5",
    "SEAT2": "D6",
    "SEAT3": "D16",
    "SEAT4": "D19",
    "SEAT5": "D20",
    "SEAT6": "D26",
    "HOLE1": "D22",
    "HOLE2": "D23",
    "HOLE3": "D24",
    "HOLE4": "D25",
    "EYE_nSLEEP": "D17",
    "EYE_nFAULT": "D27",
    "EYE_HOME": "D4",
    "EYE_IN1": "D12",
    "EYE_IN2": "D13",
    "DIE_HOME": "D7",
    "DIE_IN1": "D8",
    "DIE_IN2": "D9",
    "DIE_IN3": "D10",
    "DIE_IN4": "D11",
    "IR_STROBE": "D14",
    "GUARD": "D15",
    "SDA": "D2",
    "SCL": "D3",
    "PIXELS": "D21",
    "BUZZER": "none",
}
"""By the names of `pins`. A buzzer would need a third channel of PWM."""


class BadSettings(Exception):
    """A settings.toml cannot be used; the message says where and why."""


def settings(role: str, text: str = "", source: str = "settings.toml") -> dict[str, Value]:
    """What `os.getenv` answers on a board of this role: the Pi's pins, and over them what `text` says.

    Raises BadSettings for text that is no TOML, or a key that no board knows.
    """
    known = set(pins.settings())
    found: dict[str, Value] = {pins.setting_of(name): pin for name, pin in DECK.items()}
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(
            f"{source}: {error}: write KEY = value lines as in settings.toml.example"
        ) from error
    for key, value in given.items():
        if not isinstance(value, str | int):
            raise BadSettings(f"{source}: {key} is {value!r}: it takes a text or a whole number")
        if key.startswith("GALLEY_") and key not in known:
            raise BadSettings(f"{source}: no board knows {key}: settings.toml.example lists all")
        found[key] = value
    found["GALLEY_ROLE"] = role
    return found
