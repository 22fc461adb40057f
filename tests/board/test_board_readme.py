"""The boards' README: pictures as drawn today, faults as the firmware words them, commands that exist."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from galley.cli import galley
from galley.wiring import LEFT_ROW, RIGHT_ROW, ROLES, pi_table, picture, uses
from galley_board import faults, pins
from tests.board.workbench import FIRMWARE, ROOT

SVG = "{http://www.w3.org/2000/svg}"
MOST_SIGNS = 57  # what fits beside the chip
README = (FIRMWARE / "README.md").read_text("utf-8")


@pytest.mark.parametrize("role", ROLES)
def test_a_picture_is_the_one_that_is_drawn_today(role: str) -> None:
    kept = FIRMWARE / "pictures" / f"wiring-{role}.svg"
    assert kept.read_text("utf-8") == picture(role), "galley firmware wiring --out circuitpython/pictures"
    assert f"(pictures/{kept.name})" in README


@pytest.mark.parametrize("role", ROLES)
def test_a_picture_shows_every_pin_once_and_every_use(role: str) -> None:
    texts = [text.text or "" for text in ElementTree.fromstring(picture(role)).iter(f"{SVG}text")]
    assert [pin for pin in (*LEFT_ROW, *RIGHT_ROW) if pin.startswith("GP") and texts.count(pin) != 1] == []
    joined = uses(role)
    assert [use.text for use in joined.values() if use.text not in texts] == []
    assert [text for text in texts if len(text) > MOST_SIGNS and "seen from above" not in text] == []
    which = pins.BOARD_OF_ROLE[role]
    expected = {pin for _, pin in pins.KEYS[which]} | {pin for _, pin in pins.DEVICES[which]}
    expected |= {pins.PIXEL_PIN, pins.BUZZER_PIN[which]}
    if which == pins.STATION:
        expected |= {pins.SIDE_PIN, pins.EXTERNAL_POWER_PIN[which]}
    assert set(joined) == expected


def test_left_and_right_differ_in_their_strap_only() -> None:
    left, right = uses("left"), uses("right")
    assert [pin for pin in left if left[pin] != right[pin]] == [pins.SIDE_PIN]


def test_the_table_of_faults_is_the_firmware_s() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", README[README.index("## Faults") :], re.MULTILINE)
    assert [(name, text) for name, text in rows if name in dict(rows)][: len(faults.FAULTS)] == [
        (name, text) for name, _, text in faults.FAULTS
    ]


def test_the_pi_s_wiring_is_the_one_that_is_used() -> None:
    assert pi_table() in README


def test_every_command_that_is_named_exists() -> None:
    named = set(re.findall(r"`galley ((?:firmware )?[a-z]\w*)", README))
    assert named >= {
        "boards",
        "board",
        "firmware flash",
        "firmware verify",
        "firmware uf2",
        "firmware wiring",
    }
    for words in named:
        done = CliRunner().invoke(galley, [*words.split(), "--help"])
        assert done.exit_code == 0, words


def test_every_file_that_is_linked_exists() -> None:
    for link in re.findall(r"\]\(([^)#]+)", README):
        assert (FIRMWARE / link).exists(), link
    assert (ROOT / "enclosure" / "README.md").read_text("utf-8").count("## 8. Wire it") == 1
