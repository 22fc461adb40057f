"""boot.py and safemode.py: which ports and drive a board shows, and how it comes back from a crash."""

from __future__ import annotations

import os
import runpy
from typing import Any

import pytest

from tests.board.workbench import FIRMWARE, Bench


def run(name: str, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> None:
    """Run one of the board's files with these lines in settings.toml."""
    monkeypatch.setattr(os, "getenv", lambda key, default=None: settings.get(key, default))
    runpy.run_path(str(FIRMWARE / name), run_name="__main__")


@pytest.fixture
def enabled(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> dict[str, bool]:
    """What boot.py asked of USB."""
    found: dict[str, bool] = {}
    monkeypatch.setattr(bench.module("usb_cdc"), "enable", lambda **ports: found.update(ports))
    return found


def test_a_maker_s_board_shows_both_ports_and_its_drive(
    bench: Bench, enabled: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    run("boot.py", monkeypatch, GALLEY_ROLE="left", GALLEY_PRODUCTION=0)
    assert enabled == {"console": True, "data": True}
    assert not bench.rig.drive_hidden
    assert bench.rig.identification == ("Galley", "Galley left")
    assert bench.module("supervisor").runtime.autoreload is False
    assert bench.module("supervisor").status_bar.console is False


@pytest.mark.parametrize(("role", "rescue"), [("left", 9), ("right", 9), ("deck", 0)])
@pytest.mark.parametrize("held", [False, True])
def test_a_finished_board_hides_both_unless_its_rescue_key_is_held(
    bench: Bench,
    enabled: dict[str, bool],
    monkeypatch: pytest.MonkeyPatch,
    role: str,
    rescue: int,
    held: bool,
) -> None:
    bench.press(rescue, held)
    run("boot.py", monkeypatch, GALLEY_ROLE=role, GALLEY_PRODUCTION=1)
    assert enabled == {"console": held, "data": True}
    assert bench.rig.drive_hidden is not held
    assert not bench.rig.owners, "code.py needs the key's pin"


def test_a_finished_board_without_its_rescue_key_stays_open(
    bench: Bench, enabled: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    run("boot.py", monkeypatch, GALLEY_ROLE="left", GALLEY_PRODUCTION=1, GALLEY_PIN_BELL="GP77")
    assert enabled == {"console": True, "data": True}
    assert not bench.rig.drive_hidden


@pytest.mark.parametrize("held", [False, True])
def test_the_rescue_key_may_be_on_another_pin(
    bench: Bench, enabled: dict[str, bool], monkeypatch: pytest.MonkeyPatch, held: bool
) -> None:
    bench.press(3, held)
    run("boot.py", monkeypatch, GALLEY_ROLE="deck", GALLEY_PRODUCTION=1, GALLEY_PIN_SEAT1="GP3")
    assert enabled["console"] is held


@pytest.mark.parametrize("settings", [{}, {"GALLEY_ROLE": "kitchen", "GALLEY_PRODUCTION": 1}])
def test_a_board_without_a_role_never_locks_itself(
    bench: Bench, enabled: dict[str, bool], monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any]
) -> None:
    run("boot.py", monkeypatch, **settings)
    assert enabled == {"console": True, "data": True}
    assert not bench.rig.drive_hidden


class Reset(Exception):
    """The chip restarts here."""


def safe_mode(bench: Bench, monkeypatch: pytest.MonkeyPatch, reason: str, **settings: Any) -> bool:
    """Run safemode.py; whether it restarted the chip."""

    def reset() -> None:
        raise Reset

    bench.rig.safe_mode_reason = reason
    bench.rig.on_reset = reset
    try:
        run("safemode.py", monkeypatch, **settings)
    except Reset:
        return True
    return False


def test_safe_mode_restarts_three_times_then_stays_and_shows_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):
        assert safe_mode(bench, monkeypatch, "HARD_FAULT", GALLEY_ROLE="left")
        assert bench.rig.pixel_writes == 0
    assert not safe_mode(bench, monkeypatch, "HARD_FAULT", GALLEY_ROLE="left")
    assert [(at, step) for at, step in enumerate(bench.rig.pixels) if step] == [(3 * 80, 16)]
    assert "HARD_FAULT" in capsys.readouterr().out


def test_safe_mode_that_a_person_asked_for_stays(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not safe_mode(bench, monkeypatch, "USER", GALLEY_ROLE="deck")
    assert [at // 3 for at, step in enumerate(bench.rig.pixels) if step] == [6]
    assert bench.module("microcontroller").nvm[0] == 0xFF


def test_safe_mode_without_settings_still_counts_and_shows(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [safe_mode(bench, monkeypatch, "BROWNOUT") for _ in range(5)] == [True, True, True, False, False]
    assert bench.rig.pixels == bytes((16, 0, 0))


def test_a_minute_of_good_running_forgets_the_restarts(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    nvm = bench.module("microcontroller").nvm
    nvm[0] = 3
    start = bench.module("galley_board.start")
    loop = bench.start("left")

    class Enough(Exception):
        pass

    def sleep(seconds: float) -> None:
        bench.wait_ms(500)
        if bench.now_ns > 62 * 10**9:
            raise Enough

    monkeypatch.setattr(start.time, "sleep", sleep)
    with pytest.raises(Enough):
        start.run(loop)
    assert nvm[0] == 0
