"""Numbers of a box: the format, what is told and what is left out, who may read them, the loop's lag."""

from __future__ import annotations

import asyncio
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from galley.box import Box, Watcher
from galley.journal_schema import state_of
from galley.journal_writer import Health
from galley.link_events import LinkState
from galley.loop_lag import QUIET_S, WARN_S, WINDOW_S, LoopLag
from galley.metrics import JOURNAL_STATES, LINK_STATES, Family, Reading, Sample, text, written
from galley.phases import PHASES
from galley.thermal import temperatures
from galley.web.access import Access
from galley.web.app import build_app, load_site
from galley.web.hub import Hub
from tests.host.prometheus import Read, read

LIVE: Mapping[str, Any] = {
    "role": "left",
    "state": "live",
    "simulated": False,
    "round_trip_us": 412,
    "frames_out": 7,
    "counters": {
        "frames_in": 9, "bad_frames": 1, "resends": 2, "repeats": 3, "overflow": 0, "lost": 0,
        "loop_us": 1500, "gc_us": 4000, "heap": 120_000,
    },
    "faults": ["role_strap"],
    "clock": {"state": "good", "uncertainty_us": 350, "drift_ppm": -12.5, "jumps": 1},
}  # fmt: skip
HEALTH = Health("ok", "", 2, 0, 11, 1.25, 9.5)
READING = Reading(
    version="0.1.0",
    build="abc",
    uptime_s=12.5,
    phase="game",
    phases=tuple(PHASES),
    boards=[LIVE],
    journal=HEALTH._asdict(),
    lag_worst_s=0.01,
    lag_most_s=0.2,
    lags=3,
    games_begun={"sushi_duel": 2},
    games_over={},
    games_left={},
    pages=1,
    bad_messages=0,
    temperatures={"cpu": 51.5},
)


def one(family: Read, **labels: str) -> float:
    return family.samples[frozenset(labels.items())]


def test_each_number_is_told_in_its_base_unit() -> None:
    told = read(text(READING))
    assert one(told["galley_board_link_state"], board="left", state="live") == 1
    assert sum(told["galley_board_link_state"].samples.values()) == 1
    assert one(told["galley_board_frames_total"], board="left", direction="in") == 9
    assert one(told["galley_board_frames_total"], board="left", direction="out") == 7
    assert one(told["galley_board_resends_total"], board="left") == 2
    assert one(told["galley_board_repeats_total"], board="left") == 3
    assert one(told["galley_board_bad_frames_total"], board="left") == 1
    assert one(told["galley_board_round_trip_seconds"], board="left") == pytest.approx(412e-6)
    assert one(told["galley_board_clock_uncertainty_seconds"], board="left") == pytest.approx(350e-6)
    assert one(told["galley_board_clock_drift_ppm"], board="left") == -12.5
    assert one(told["galley_board_loop_seconds"], board="left") == pytest.approx(0.0015)
    assert one(told["galley_board_heap_free_bytes"], board="left") == 120_000
    assert one(told["galley_board_fault"], board="left", fault="role_strap") == 1
    assert one(told["galley_journal_commit_seconds"], quantile="0.99") == pytest.approx(0.0095)
    assert one(told["galley_journal_waiting"]) == 2
    assert one(told["galley_journal_state"], state="ok") == 1
    assert one(told["galley_phase"], phase="game") == 1
    assert one(told["galley_games_begun_total"], game="sushi_duel") == 2
    assert one(told["galley_loop_lag_worst_seconds"]) == 0.01
    assert one(told["galley_temperature_celsius"], place="cpu") == 51.5


def test_what_is_not_known_is_left_out() -> None:
    absent = Box(Watcher()).status()[0]
    unknown = replace(READING, boards=[absent], journal=None, temperatures={}, games_begun={})
    told = read(text(unknown))
    assert one(told["galley_board_link_state"], board="left", state="absent") == 1
    assert one(told["galley_journal_state"], state="off") == 1
    for name in (
        "galley_board_round_trip_seconds", "galley_board_frames_total", "galley_board_clock_drift_ppm",
        "galley_journal_commit_seconds", "galley_temperature_celsius", "galley_games_begun_total",
    ):  # fmt: skip
        assert name not in told


def test_what_a_board_has_not_reported_yet_is_left_out() -> None:
    new = {**LIVE, "counters": {**LIVE["counters"], "heap": 0, "loop_us": 0, "gc_us": 0}}
    told = read(text(replace(READING, boards=[new])))
    assert not {"heap_free_bytes", "loop_seconds", "collection_seconds"} & {
        name.removeprefix("galley_board_") for name in told
    }
    assert one(told["galley_board_resends_total"], board="left") == 2


def test_a_board_without_a_place_is_counted_and_not_named() -> None:
    told = read(text(replace(READING, boards=[LIVE, {**LIVE, "role": "unknown"}])))
    assert one(told["galley_boards_refused"]) == 1
    assert len(told["galley_board_heap_free_bytes"].samples) == 1


def test_all_states_there_are_can_be_told() -> None:
    assert tuple(LinkState) == LINK_STATES
    errors = (OSError(28, "full"), OSError(30, "read-only"), OSError(5, "broken"))
    assert {state_of(error, Path("/")) for error in errors} <= set(JOURNAL_STATES)


@given(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.dictionaries(
        st.sampled_from(["a", "b_1", "place"]), st.text(st.characters(exclude_categories=["Cs"]))
    ),
    st.floats() | st.integers(-(2**53), 2**53),
)
def test_any_text_and_number_comes_back_as_it_was(help_: str, labels: dict[str, str], value: float) -> None:
    (family,) = read(written([Family("x", "gauge", help_, [Sample(tuple(labels.items()), value)])])).values()
    ((seen, number),) = family.samples.items()
    assert (family.help, dict(seen)) == (help_, labels)
    assert number == value or (math.isnan(number) and math.isnan(value))


# -- who may read them ------------------------------------------------------------------------------


class Told:
    """Stands for the operation of a running host."""

    def health(self) -> Mapping[str, object]:
        return {"ok": True, "galley": "0.1.0", "pid": 1}

    async def metrics(self) -> str:
        return text(READING)


async def get(access: Access, path: str, client: str, authorization: str = "") -> tuple[int, str]:
    """Ask the app as a client at this address would."""
    app = build_app(Hub(access=access), load_site("0.1.0"), Told())
    sent: list[Any] = []
    headers = [(b"host", b"127.0.0.1"), (b"authorization", authorization.encode())]
    scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b"",
             "headers": headers, "client": (client, 5000), "server": ("127.0.0.1", 8765), "scheme": "http",
             "root_path": "", "http_version": "1.1", "asgi": {"version": "3.0"}}  # fmt: skip

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent[0]["status"], sent[1]["body"].decode()


def test_this_machine_reads_the_numbers_and_a_stranger_only_with_a_token() -> None:
    async def test() -> None:
        access = Access(pin="493817", names=frozenset({"10.0.0.7"}))
        status, body = await get(access, "/metrics", "127.0.0.1")
        assert status == 200
        assert read(body)
        token = access.try_pin("10.0.0.9", "493817", 0.0).token
        for refused in ("", "Bearer", "Bearer 493817", f"Basic {token}"):
            assert (await get(access, "/metrics", "10.0.0.9", refused))[0] == 403, refused
        assert (await get(access, "/metrics", "10.0.0.9", f"Bearer {token}"))[0] == 200
        assert (await get(access, "/healthz", "10.0.0.9"))[0] == 200

    asyncio.run(test())


# -- the loop's lag ---------------------------------------------------------------------------------


def hold(seconds: float) -> None:
    """Keep the loop from turning."""
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        pass


def test_what_holds_the_loop_is_seen_and_told() -> None:
    told: list[tuple[float, int]] = []
    seen = asyncio.Event()

    def on_lag(worst_s: float, count: int) -> None:
        told.append((worst_s, count))
        seen.set()

    async def test() -> None:
        hold(0.15)  # while it starts, nobody waits
        lag.begin()
        await asyncio.sleep(0)
        assert lag.lags == 0
        asyncio.get_running_loop().call_soon(hold, 0.3)
        await asyncio.wait_for(seen.wait(), 10)

    lag = LoopLag(on_lag)
    with asyncio.Runner(loop_factory=lag.loop) as runner:
        runner.run(test())
    assert told[0][0] >= 0.3
    assert lag.most_s >= lag.worst_s(time.monotonic()) >= 0.3
    assert lag.lags >= 1


WAITS = """
import asyncio
from galley.loop_lag import LoopLag

async def wait() -> None:
    lag.begin()
    print("waits", flush=True)
    while not lag.lags:
        await asyncio.sleep(0.01)

lag = LoopLag(lambda worst_s, count: print(worst_s))
with asyncio.Runner(loop_factory=lag.loop) as runner:
    runner.run(wait())
"""


def test_a_process_that_stood_still_while_it_waited_was_late() -> None:
    with subprocess.Popen([sys.executable, "-c", WAITS], stdout=subprocess.PIPE, text=True) as waiting:
        assert waiting.stdout is not None
        assert waiting.stdout.readline() == "waits\n"
        waiting.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, waiting.pid, os.WSTOPPED)
        hold(0.2)
        waiting.send_signal(signal.SIGCONT)
        assert float(waiting.stdout.readline()) >= 0.19


def test_a_slow_machine_is_told_of_seldom_and_nothing_is_kept_for_ever() -> None:
    told: list[tuple[float, int]] = []
    lag = LoopLag(lambda worst_s, count: told.append((worst_s, count)))
    lag.take(WARN_S, 0.0)
    assert told == []
    for tenth in range(1000):
        lag.take(0.2 + tenth / 10_000, tenth / 10)
    assert len(told) == math.ceil(100 / QUIET_S)
    assert told[0] == (0.2, 1)
    assert sum(count for _, count in told) <= lag.lags == 1000
    assert lag.worst_s(100.0) == lag.most_s == pytest.approx(0.2999)
    assert lag.worst_s(101.0 + WINDOW_S) == 0.0
    assert lag.most_s > 0


# -- the temperature --------------------------------------------------------------------------------


def test_temperatures_are_read_where_they_are_told(tmp_path: Path) -> None:
    for number, (kind, temp) in enumerate(
        [("cpu-thermal", "48312\n"), ("cpu-thermal", "50000\n"), ("off", ""), ("odd", "4096000\n")]
    ):
        zone = tmp_path / f"thermal_zone{number}"
        zone.mkdir()
        (zone / "type").write_text(f"{kind}\n")
        (zone / "temp").write_text(temp)
    assert temperatures(tmp_path) == {"cpu-thermal": 48.312, "cpu-thermal-1": 50.0}
    assert temperatures(tmp_path / "none") == {}
