"""Bot and hand play all four games on boards, cables and a host that fail at random; nothing may be lost.

`python3 tests -m soak --minutes 10` runs so long, a minute in each test; `--fault-seed` chooses the faults.
A test that fails prints the line that runs its minute again.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil
from pathlib import Path
from random import Random, SystemRandom

import pytest

from galley.arguments import game_options
from galley.data_folder import JOURNAL
from galley.house import House, HouseRules
from galley.journal import Journal
from galley.link import HostLink
from galley.sim.fault_plan import GENTLE, Plan
from galley.tables.table import BOARDS, BoardView
from galley_board import wire
from galley_board.link import DEFAULT_BUDGET_MA
from tests.faults.soak_rig import BELL, Rig, Tally, Watch, duel_keys
from tests.loop.box_process import BoxProcess, running_box
from tests.loop.test_resume import check_kept

pytestmark = pytest.mark.soak

TALLY = pytest.StashKey[Tally]()
SEATS = {
    "sushi_duel": ("--seats", "red,blue", "--set", "star_dice=6", "--set", "yuck_dice=0"),
    "sushi_bar": ("--seats", "red,blue", "--bots", "blue"),
    "worm_grill": ("--seats", "red,blue,green", "--bots", "blue,green"),
    "poop_deck": ("--seats", "red,blue", "--bots", "red,blue"),
}
GAMES = tuple(SEATS)
ROUND_S = 6.0
QUIET_WITHIN_S = 15.0
VIEW_WITHIN_S = 1.0
TOLD_EVERY_S = 1.3  # the host tells how boards stand each second
WHOLE_MINUTE_S = 60.0


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
    reporter = pytestconfig.pluginmanager.getplugin("terminalreporter")
    for line in tally.lines():
        reporter.write_line(f"\n{line}")


def test_nothing_is_lost_whatever_fails(minute: tuple[int, float], tmp_path: Path, tally: Tally) -> None:
    seed, minutes = minute
    options = f"-m soak --minutes {minutes:g} --fault-seed {seed}"
    print(f"to repeat: python3 tests tests/faults/test_soak.py {options}")
    games = [GAMES[(2 * seed + n) % 4] for n in range(2)]
    for number, game in enumerate(games):
        folder = tmp_path / str(number)
        folder.mkdir()
        asyncio.run(
            Evening(game, folder, 10 * seed + number, tally).play(WHOLE_MINUTE_S * minutes / len(games))
        )


class Evening:
    """One game on one rig, for some seconds, on as many hosts as are killed meanwhile."""

    def __init__(self, game: str, folder: Path, seed: int, tally: Tally) -> None:
        self.game = game
        self.folder = folder
        self.random = Random(seed)
        self.tally = tally
        self.people = game != "poop_deck"
        roles = ("left", "right", "deck") if self.people else ("left", "right")
        cables = folder / "ports"
        cables.mkdir()
        self.rig = Rig(cables, roles, tally)
        self.windows: dict[str, tuple[object, int, int]] = {}
        self.kept = 0

    async def play(self, seconds: float) -> None:
        """Host after host until the time is over."""
        end_s = time.monotonic() + seconds
        self.tally.seconds += seconds
        async with self.rig:
            while time.monotonic() < end_s - 2:
                await self.one_host(min(end_s, time.monotonic() + self.random.uniform(8, 25)), end_s)

    async def one_host(self, until_s: float, end_s: float) -> None:
        """A host from its start to a kill, or to the end of the evening."""
        sim = [] if self.people else ["--sim", "deck"]
        house = ("--game", self.game, "--no-howto", "--no-demo", "--bot-speed", "4")
        seats = SEATS[self.game]
        async with (
            running_box(*self.rig.arguments, *sim, *seats, house=house, data=self.folder / "data") as box,
            box.page() as page,
        ):
            watch = Watch(page)
            try:
                await self.rounds(watch, until_s)
                killed = until_s < end_s - 4
                if killed:
                    os.kill(box.process.pid, signal.SIGKILL)
                    await box.process.wait()
                    self.tally.kills += 1
                    await watch.gone.wait()
            finally:
                await watch.end()
            await ended(box)
        self.check_disk(watch)
        if killed:
            self.check_views(watch)

    async def rounds(self, watch: Watch, until_s: float) -> None:
        """Play with faults, be quiet and compare, again and again."""
        self.windows.clear()
        while time.monotonic() < until_s and not watch.gone.is_set():
            knobs = tuple(sorted(GENTLE)) if self.random.random() < 0.5 else Plan(0, 0, ()).knobs
            where = tuple(self.rig.boards)
            plan = Plan(self.random.randrange(1 << 30), int(1000 * ROUND_S), where, 700, knobs)
            faults = asyncio.create_task(self.harm(plan))
            try:
                await self.hands(watch, time.monotonic() + ROUND_S)
            finally:
                faults.cancel()
                await asyncio.gather(faults, return_exceptions=True)
            await self.compare(watch)

    async def harm(self, plan: Plan) -> None:
        """Let the faults of a plan happen at their times."""
        began_s = time.monotonic()
        for fault in plan.faults():
            await asyncio.sleep(max(0.0, began_s + fault.at_ms / 1000 - time.monotonic()))
            self.rig.inject(fault)

    # -- hands ------------------------------------------------------------------------------------------

    async def hands(self, watch: Watch, until_s: float) -> None:
        """Press what does something, now and then what does nothing, and race where two may ring."""
        while time.monotonic() < until_s and not watch.gone.is_set():
            house = watch.page.house
            if house["phase"] == "result":
                self.tally.games[self.game] += 1
                await watch.until(lambda page: page.house["prompts"], 4)
                await self.rig.press("left", BELL, 60)
                await watch.until(lambda page: page.house["phase"] != "result", 3)
            elif not self.people or house["phase"] != "game":
                await asyncio.sleep(0.1)
            elif self.game == "sushi_duel" and sum(word == "bell" for _, _, word in watch.jobs) == 2:
                await self.duel(watch)
            else:
                await self.press(watch)

    async def press(self, watch: Watch) -> None:
        jobs = [job for job in watch.jobs if job[0] in self.rig.boards]
        role, key = (*self.random.choice(jobs)[:2],) if jobs else ("left", 0)
        if not jobs or self.random.random() < 0.2:
            role, key = self.random.choice(("left", "right")), self.random.randrange(8)
        await self.rig.press(role, key, self.random.randrange(30, 90))
        await asyncio.sleep(self.random.uniform(0, 0.1))

    async def duel(self, watch: Watch) -> None:
        """Each side towards a platter; when both have one, both ring."""
        keys = {side: duel_keys(watch.page.state, side) for side in ("left", "right")}
        if not any(keys.values()):
            await self.race(watch)
            return
        await asyncio.gather(*(self.rig.press_all(side, own) for side, own in keys.items()))
        await asyncio.sleep(0.12)

    async def race(self, watch: Watch) -> None:
        """Two bells a known time apart: whoever is named was the first."""
        numbers = {news["n"] for news in watch.page.topics["news"]}
        stations = watch.page.state["stations"]
        seats = [seat["colour"] for seat in watch.page.house["seats"]]
        first, second = self.random.choice((("left", "right"), ("right", "left")))
        gap_ms = self.random.choice((0.2, 1.0, 3.0, 6.0, 12.0, 30.0))
        self.tally.races += 1
        await self.rig.race(first, second, gap_ms)
        await watch.until(
            lambda page: any(n["key"] == "first" and n["n"] not in numbers for n in page.topics["news"]), 0.6
        )
        told = [
            n["params"] for n in watch.page.topics["news"] if n["key"] == "first" and n["n"] not in numbers
        ]
        if not told:  # a cable failed meanwhile, and the race is void
            return
        verdict = told[-1]
        if verdict["race"] in ("heat", "provisional"):
            self.tally.heats += 1
            return
        self.tally.verdicts += 1
        winner = seats[stations[first]["seat"]]
        assert verdict["by"] == winner, f"{first} was {gap_ms} ms before {second}, but {verdict} was said"
        assert abs(float(verdict["gap"]) - gap_ms) <= float(verdict["doubt"]) + 0.1, (gap_ms, verdict)

    # -- what must hold -----------------------------------------------------------------------------------

    async def compare(self, watch: Watch) -> None:
        """Quiet: every board is back, shows what was asked, and its keys were counted alike at both ends."""
        roles = set(self.rig.boards)
        for line in self.rig.lines.values():
            line.calm()
        back = await watch.until(lambda page: roles <= set(page.live()), QUIET_WITHIN_S)
        if watch.gone.is_set():
            return
        assert back, f"not live again: {watch.page.topics['boards']}"
        await asyncio.sleep(0.5)
        equal = await watch.until(lambda page: not self.differing(watch), VIEW_WITHIN_S + TOLD_EVERY_S)
        if watch.gone.is_set():
            return
        assert equal, f"boards that show something else than was asked: {self.differing(watch)}"
        self.tally.views += len(roles)
        await asyncio.sleep(TOLD_EVERY_S)
        for role in sorted(roles):
            self.count_keys(role, watch.page.board(role))

    def differing(self, watch: Watch) -> dict[str, tuple[object, object]]:
        """Boards whose own beat differs from what the host says it asked for."""
        both = {role: (watch.page.board(role)["asked"], self.rig.shown.get(role)) for role in self.rig.boards}
        return {role: pair for role, pair in both.items() if pair[0] != pair[1]}

    def count_keys(self, role: str, entry: dict[str, object]) -> None:
        """Since the last quiet moment, if the link was never lost: as many edges taken as were made."""
        which = (entry["boot_id"], entry["session"])
        edges, made = entry["edges"], self.rig.made[role]
        assert isinstance(edges, int)
        before = self.windows.get(role)
        self.windows[role] = (which, edges, made)
        if before is None:
            return
        self.tally.windows += 1
        if before[0] == which:
            self.tally.windows_whole += 1
            self.tally.edges_checked += made - before[2]
            assert edges - before[1] == made - before[2], (
                f"{role}: {made - before[2]} made, {edges - before[1]} taken"
            )
        else:
            assert edges <= made, f"{role}: {made} made, {edges} taken"

    def check_views(self, watch: Watch) -> None:
        """A house made from the journal asks for what the boards at play showed when the host was killed."""
        journal = Journal.open(self.folder / "data" / JOURNAL)
        try:
            found = journal.latest()
            house = House(
                HouseRules(game=self.game, options=game_options(options_of(SEATS[self.game])), howto=False)
            )
            house.boards_live(frozenset(BOARDS), 1)
            house.restore(found.house, None if found.game is None else found.game.session(1), 1)
        finally:
            journal.close()
        if house.session is None or not watch.seen or len(house.session.steps) != watch.seen[-1][0]:
            return  # a bot moved between the look and the kill
        house.tick(10_000)
        for role in set(house.needed) & set(
            self.rig.shown
        ):  # the others may show what goes by: a clock, a score
            asked = digest_of(role, house.view()[role])
            assert asked == self.rig.shown[role], f"{role} shows something else than the state says"
            self.tally.rebuilt += 1

    def check_disk(self, watch: Watch) -> None:
        """All that the page has shown of the game on the table is in the journal, as it was shown."""
        seen = watch.seen
        starts = [at for at, (step, _) in enumerate(seen) if at and step < seen[at - 1][0]]
        last = seen[starts[-1] :] if starts else seen
        if last and watch.page.house["phase"] in ("game", "result"):
            check_kept(self.folder / "data", last)
        self.tally.steps += len(seen)


def options_of(arguments: Sequence[str]) -> tuple[str, ...]:
    """The values of --set."""
    return tuple(value for word, value in pairwise(arguments) if word == "--set")


def digest_of(role: str, view: BoardView) -> int:
    """What a board that shows this view says in its beats."""
    link = HostLink(1)
    link.show(view.dice, view.lamps, 0, view.deck)
    link.outputs.budget_ma = DEFAULT_BUDGET_MA[wire.ROLES.index(role)]
    return link.outputs.digest()


async def ended(box: BoxProcess) -> None:
    """A host never ends by itself."""
    assert box.process.returncode in (None, -signal.SIGKILL), "the host ended by itself"
