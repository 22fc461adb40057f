"""Bots and hands play all four games on boards, cables and a host that fail at random; nothing may be lost.

`python3 tests -m soak --minutes 10` runs so long, two kinds of games in each minute; `--fault-seed` chooses
the faults. A test that fails prints the line that runs its minute again, with the same faults at their times.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import ceil
from pathlib import Path
from random import Random, SystemRandom
from typing import Any, Final, NamedTuple

import pytest

from galley.arguments import game_options
from galley.data_folder import JOURNAL
from galley.deck_physics import Physics
from galley.house import RESULT_HOLD_MS, House, HouseRules
from galley.journal_reader import games, latest
from galley.journal_schema import to_read
from galley.journal_verify import findings
from galley.link import HostLink
from galley.sim.fault_plan import GENTLE, RANDOM, Plan
from galley.tables.table import BOARDS, BoardView, DeckStand
from galley_board import wire
from galley_board.link import DEFAULT_BUDGET_MA
from galley_engine.games.poop_deck_state import COLOURS
from tests.faults.soak_hands import Crew, Duelists, Hands
from tests.faults.soak_rig import Rig, Tally, Watch
from tests.loop.box_process import BoxProcess, running_box
from tests.loop.test_resume import check_kept

pytestmark = pytest.mark.soak

PER_COLOUR: Final = 1
ROUGH: Final = Physics(
    faces=COLOURS, railings=0, push_percent=100, turn_percent=20, brink_percent=5, eye_percent=60
)
"""A rough sea: who does not fish at once sees it fall."""


class Short(NamedTuple):
    """A game that is soon over: who sits there, its options, those of its world."""

    seats: str
    bots: str
    options: tuple[str, ...]
    world: tuple[str, ...] = ()

    @property
    def arguments(self) -> list[str]:
        """For the host's command line."""
        words = [("--seats", self.seats), *([("--bots", self.bots)] if self.bots else [])]
        words += [("--set", option) for option in self.options]
        words += [("--world", number) for number in self.world]
        return [word for pair in words for word in pair]


SHORT: Final[Mapping[str, Short]] = {
    "sushi_duel": Short(
        "red,blue",
        "",
        (
            "star_dice=6",
            "yuck_dice=0",
            'targets={"2": 1}',
            'deck={"uniform": 4, "combo": 0}',
            "min_roll_interval_ms=100",
        ),
    ),
    "poop_deck": Short(
        "red,blue",
        "",
        (f"droppings_per_colour={PER_COLOUR}",),
        tuple(f"{name}={json.dumps(number)}" for name, number in ROUGH._asdict().items()),
    ),
    "sushi_bar": Short("red,blue,green", "blue,green", ("sushi_tiles=[1, 2]", "bone_tiles=[-1, -2]")),
    "worm_grill": Short("red,blue,green", "blue,green", ("snails=0",)),
}
GAMES: Final = tuple(SHORT)
HANDS: Final[Mapping[str, Callable[[Rig, Random], Hands]]] = {
    "sushi_duel": Duelists,
    "poop_deck": partial(Crew, per_colour=PER_COLOUR, physics=ROUGH),
}
ROUND_S: Final = 6.0
FAULT_EVERY_MS: Final = 700
GENTLY: Final = 0.6  # how often a round has only what no link may be lost by
ASKED: Final = 0.25  # how often a host is asked to end, as by a system that shuts down, and not killed
QUIET_WITHIN_S: Final = 20.0
VIEW_WITHIN_S: Final = 1.0
SHORTEST_S: Final = 8.0  # less is not worth a host
TOLD_EVERY_S: Final = 1.3  # the host tells how boards stand each second
AT_REST_S: Final = 2.0  # so long after a step no die shows the moment of it any more
WHOLE_MINUTE_S: Final = 60.0
ANEW: Final = ("turning",)
"""What a deck's page has of itself that begins anew."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    seed = metafunc.config.getoption("--fault-seed")
    minutes = metafunc.config.getoption("--minutes")
    if "minute" in metafunc.fixturenames:
        first = SystemRandom().randrange(1 << 24) if seed is None else seed
        metafunc.parametrize("minute", [(first + n, min(1.0, minutes - n)) for n in range(ceil(minutes))])


@pytest.fixture(scope="session", name="tally")
def _tally(pytestconfig: pytest.Config) -> Iterator[Tally]:
    tally = Tally()
    yield tally
    plugins = pytestconfig.pluginmanager
    with plugins.getplugin("capturemanager").global_and_fixture_disabled():
        for line in tally.lines():
            plugins.getplugin("terminalreporter").write_line(f"\n{line}")


def test_nothing_is_lost_whatever_fails(minute: tuple[int, float], tmp_path: Path, tally: Tally) -> None:
    seed, minutes = minute
    options = f"-m soak --minutes {minutes:g} --fault-seed {seed}"
    print(f"to repeat: python3 tests tests/faults/test_soak.py {options}")
    names = [GAMES[(2 * seed + n) % len(GAMES)] for n in range(2)]
    for number, game in enumerate(names):
        folder = tmp_path / str(number)
        folder.mkdir()
        evening = Evening(game, folder, 10 * seed + number, tally)
        asyncio.run(evening.play(WHOLE_MINUTE_S * minutes / len(names)))


class Evening:
    """One game on one rig, again and again for some seconds, on as many hosts as are killed meanwhile."""

    def __init__(self, game: str, folder: Path, seed: int, tally: Tally) -> None:
        self.game = game
        self.folder = folder
        self.tally = tally
        self.faults = Random(
            seed
        )  # the hands have a chance of their own: what they do depends on the machine
        cables = folder / "ports"
        cables.mkdir()
        self.rig = Rig(cables, seed, tally)
        self.hands = HANDS.get(game, Hands)(self.rig, Random(seed + 1))
        self.deck_boot: int | None = None
        self.counted: dict[str, object] = {}

    async def play(self, seconds: float) -> None:
        """Host after host until the time is over."""
        end_s = time.monotonic() + seconds
        self.tally.seconds += seconds
        async with self.rig:
            while time.monotonic() < end_s - SHORTEST_S:
                await self.one_host(min(end_s, time.monotonic() + self.faults.uniform(12, 24)), end_s)
        self.check_journal()

    async def one_host(self, until_s: float, end_s: float) -> None:
        """A host from its start to its end: killed or asked to, at rest or at any instant, or at the last."""
        house = ("--game", self.game, "--no-howto", "--no-demo", "--bot-speed", "20")
        arguments = (*self.rig.arguments, *SHORT[self.game].arguments)
        killed, at_rest = until_s < end_s - SHORTEST_S, self.faults.random() < 0.5
        end = signal.SIGTERM if self.faults.random() < ASKED else signal.SIGKILL
        async with running_box(*arguments, house=house, data=self.folder / "data") as box, box.page() as page:
            watch = Watch(page)
            try:
                playing = asyncio.create_task(self.rounds(watch, until_s if at_rest or not killed else end_s))
                await asyncio.wait(
                    {playing}, timeout=None if at_rest or not killed else until_s - time.monotonic()
                )
                rests = playing.done() and self.is_at_rest(watch)
                if killed and not (playing.done() and playing.exception()):
                    os.kill(box.process.pid, end)
                    await box.process.wait()
                    self.tally.kills[f"{end.name} {'at rest' if rests else 'at any instant'}"] += 1
                    await watch.gone.wait()
                await playing
            finally:
                await watch.end()
            check_running(box, end)
        self.check_disk(watch)
        if killed and rests:
            self.check_views(watch)

    async def rounds(self, watch: Watch, until_s: float) -> None:
        """Play with faults, be quiet and compare, again and again."""
        self.deck_boot = None
        while time.monotonic() < until_s and not watch.gone.is_set():
            knobs = tuple(sorted(GENTLE)) if self.faults.random() < GENTLY else tuple(RANDOM)
            plan = Plan(self.faults.randrange(1 << 30), int(1000 * ROUND_S), BOARDS, FAULT_EVERY_MS, knobs)
            harm = asyncio.create_task(self.harm(plan))
            self.rig.lid(False)
            try:
                await self.play_on(watch, time.monotonic() + ROUND_S)
            finally:
                harm.cancel()
                await asyncio.gather(harm, return_exceptions=True)
            self.rig.lid(True)
            await self.compare(watch)

    async def harm(self, plan: Plan) -> None:
        """Let the faults of a plan happen at their times."""
        began_s = time.monotonic()
        for fault in plan.faults():
            await asyncio.sleep(max(0.0, began_s + fault.at_ms / 1000 - time.monotonic()))
            self.rig.inject(fault)

    async def play_on(self, watch: Watch, until_s: float) -> None:
        """Play, and once a game is over begin another."""
        while time.monotonic() < until_s and not watch.gone.is_set():
            if not watch.playing:
                await self.hands.begin(watch)
            elif watch.page.house["paused"] is None:
                await self.hands.act(watch)
            else:
                await asyncio.sleep(0.02)

    # -- what must hold -----------------------------------------------------------------------------------

    async def compare(self, watch: Watch) -> None:
        """Quiet: every board is back, shows what was asked, and each edge of its keys was taken once."""
        for line in self.rig.lines.values():
            line.calm()
        back = await watch.until(lambda page: set(BOARDS) <= set(page.live()), QUIET_WITHIN_S)
        if watch.gone.is_set():
            return
        assert back, f"not live again: {watch.page.topics['boards']}"
        await asyncio.sleep(0.5)
        equal = await watch.until(lambda page: not self.differing(watch), VIEW_WITHIN_S + TOLD_EVERY_S)
        if watch.gone.is_set():
            return
        assert equal, f"boards that show something else than was asked: {self.differing(watch)}"
        self.tally.views += len(BOARDS)
        await asyncio.sleep(TOLD_EVERY_S)
        right = await watch.until(lambda page: not self.wrong_keys(watch), QUIET_WITHIN_S)
        if watch.gone.is_set():
            return
        assert right, f"keys that are lost, doubled or new: {self.wrong_keys(watch)}"
        self.count_keys()
        if isinstance(self.hands, Crew):
            await self.count_droppings(self.hands, watch)

    def differing(self, watch: Watch) -> dict[str, tuple[object, object]]:
        """Boards whose own beat differs from what the host says it asked for."""
        both = {role: (watch.page.board(role)["asked"], self.rig.shown.get(role)) for role in BOARDS}
        return {role: pair for role, pair in both.items() if pair[0] != pair[1]}

    def wrong_keys(self, watch: Watch) -> dict[str, str]:
        """Boards that told of other edges than were made, or whose host took others than were told."""
        found = {}
        for role, book in self.rig.books.items():
            entry = watch.page.board(role)
            which, lost = (entry["boot_id"], entry["session"]), entry["counters"].get("lost", 0)
            if which != book.session or entry["edges"] + lost != book.numbered or lost > book.given_up:
                found[role] = f"{book.numbered} told in session {book.session}, but of the host {entry}"
            elif wrong := book.wrong():
                found[role] = wrong
        return found

    def count_keys(self) -> None:
        """What has been compared since the last time."""
        for role, book in self.rig.books.items():
            self.tally.sessions += self.counted.get(role) != book.session
            self.counted[role] = book.session
            told, given_up, overflows = book.news()
            self.tally.edges_checked += told
            self.tally.edges_given_up += given_up
            self.tally.overflows += overflows

    async def count_droppings(self, crew: Crew, watch: Watch) -> None:
        """What lies on deck is what the game counts, but for falls on a deck without power or host."""
        entry = watch.page.board("deck")
        before, self.deck_boot = self.deck_boot, entry["boot_id"]
        if not watch.playing or not crew.dealt:
            return
        lost = crew.lost(watch)
        assert lost >= 0, f"{crew.lying} on deck, {watch.page.state['deck']} counted: a fall counted twice"
        if before == self.deck_boot:  # it counts what falls while its cable is out
            assert lost == 0, f"{crew.lying} on deck, {watch.page.state['deck']} counted: a fall was lost"
        assert await crew.make_good(watch), "a finger through a beam was not counted"

    def is_at_rest(self, watch: Watch) -> bool:
        """Whether nothing moves: the last step was some time ago, and no bot has the turn."""
        if not watch.seen or watch.page.house["paused"] or time.monotonic() < watch.moved_s + AT_REST_S:
            return False
        turn = watch.page.state and watch.page.state.get("turn")
        return turn is None or watch.page.house["seats"][turn]["bot"] is None

    def check_views(self, watch: Watch) -> None:
        """A house made from the journal shows what pages and boards showed when the host was killed."""
        connection = to_read(self.folder / "data" / JOURNAL)
        found = latest(connection)
        connection.close()
        if found.game is None or len(found.game.steps) != watch.table["step"]:
            return  # the world took a step between the look and the kill
        short = SHORT[self.game]
        house = House(
            HouseRules(
                game=self.game,
                options=game_options(short.options),
                physics=game_options(short.world, "--world"),
                howto=False,
            )
        )
        house.boards_live(frozenset(BOARDS), 1)
        house.restore(found.house, found.game.session(1), 1)
        house.reported(DeckStand(None, False, guard_open=True, unsure=False), 1)
        if house.phase == "result":
            house.tick(1 + RESULT_HOLD_MS)
        again = shown_by(json.loads(json.dumps(house.topics())))
        for topic, value in shown_by(watch.page.topics).items():
            assert again[topic] == value, f"{topic}: the page had {value}, the journal gives {again[topic]}"
        for role, view in house.view().items():
            assert digest_of(role, view) == self.rig.shown[role], f"{role} showed another thing than {view}"
            self.tally.rebuilt += 1

    def check_disk(self, watch: Watch) -> None:
        """All that the page has shown of the game on the table is in the journal, as it was shown."""
        seen = watch.seen
        starts = [at for at, (step, _) in enumerate(seen) if at and step < seen[at - 1][0]]
        last = seen[starts[-1] :] if starts else seen
        if last and watch.page.house["phase"] == "game":  # one that is over may have left the table since
            check_kept(self.folder / "data", last)
        self.tally.steps += len(seen)

    def check_journal(self) -> None:
        """Every game of the evening is whole, played again from its record; count those that were over."""
        connection = to_read(self.folder / "data" / JOURNAL)
        try:
            assert list(findings(connection)) == []
            self.tally.games[self.game] += sum(game.ended == "over" for game in games(connection))
            fell = "SELECT count(*) FROM step WHERE json_extract(action, '$.do') = 'dropping_fell'"
            self.tally.falls += connection.execute(fell).fetchone()[0]
        finally:
            connection.close()


def shown_by(topics: dict[str, Any]) -> dict[str, Any]:
    """What pages show of a game, but for what begins anew."""
    found: dict[str, Any] = {name: topics[name] for name in ("house", "table", "news")}
    deck = (found["table"] or {}).get("deck")
    if deck is not None:
        found["table"] = {**found["table"], "deck": {**deck, **dict.fromkeys(ANEW)}}
    return found


def digest_of(role: str, view: BoardView) -> int:
    """What a board that shows this view says in its beats."""
    link = HostLink(1)
    link.show(view.dice, view.lamps, 0, view.deck)
    link.outputs.budget_ma = DEFAULT_BUDGET_MA[wire.ROLES.index(role)]
    return link.outputs.digest()


def check_running(box: BoxProcess, end: signal.Signals) -> None:
    """A host never ends by itself, and ends well when it is asked to."""
    ended = 0 if end is signal.SIGTERM else -end
    assert box.process.returncode in (None, ended), f"the host ended with {box.process.returncode}"
