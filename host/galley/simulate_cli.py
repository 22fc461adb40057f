"""`galley simulate GAME`: many games of bots, over several processes, and what became of them.

For: figures about games and bots. The games are played by `galley_engine.simulate`; this spreads them over
processes, shows a bar on a terminal, and prints. The same seed gives the same figures whatever the number
of processes; only the times differ.

Processes are spawned, not forked: they get names and numbers, and load the game by themselves.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click

from galley.arguments import Number, game_options

if TYPE_CHECKING:
    from galley_engine.simulate import MakeWorld, Plan, Tally

PORTIONS_A_JOB: Final = 16
LARGEST_PORTION: Final = 200
"""Games a process is sent at a time: enough that sending costs nothing, few enough that the bar moves."""


def _deck(given: Mapping[str, object]) -> MakeWorld:
    from galley.deck_physics import physics
    from galley.sim.deck_crew import DeckWorld

    return partial(DeckWorld, physics=physics(given))


WORLDS: Final[Mapping[str, Callable[[Mapping[str, object]], MakeWorld]]] = {"poop_deck": _deck}
"""Game -> what makes its world from the options of `--world`, for games that have one. Raises BadOption."""


@click.command()
@click.argument("game", metavar="GAME")
@click.option("--games", type=Number(1, 10**9), default=1000, show_default=True, help="How many games.")
@click.option("--seats", type=Number(1, 6), help="How many play.  [default: as many as policies, or 2]")
@click.option(
    "--policy", "strengths", default="best", show_default=True, metavar="LIST", help="Bots: best,easy."
)
@click.option("--seed", type=Number(0, 2**64 - 1), default=0, show_default=True, help="Seed of it all.")
@click.option("--jobs", type=Number(1, 256), default=1, show_default=True, help="Processes.")
@click.option("--set", "given", multiple=True, metavar="NAME=VALUE", help="An option of the game.")
@click.option("--world", multiple=True, metavar="NAME=VALUE", help="An option of its physics.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def simulate(
    game: str,
    games: int,
    seats: int | None,
    strengths: str,
    seed: int,
    jobs: int,
    given: tuple[str, ...],
    world: tuple[str, ...],
    as_json: bool,
) -> None:
    """Let bots play many games and count."""
    from concurrent.futures.process import BrokenProcessPool

    from galley_engine.simulate import BadPolicy

    plan = _plan(game, seats, tuple(word.strip() for word in strengths.split(",")), seed, game_options(given))
    physics = _physics(plan, world)
    started_s = time.perf_counter()
    try:
        tally = _counted(plan, physics, games, jobs)
    except BadPolicy as error:
        raise click.ClickException(str(error)) from None
    except BrokenProcessPool:
        raise click.ClickException(f"--jobs {jobs}: a process was killed, try fewer") from None
    found = _found(plan, tally, jobs, time.perf_counter() - started_s)
    if as_json:
        click.echo(json.dumps(found))
    else:
        for line in _lines(found):
            click.echo(line)


def _plan(
    name: str, seats: int | None, strengths: tuple[str, ...], seed: int, given: Mapping[str, object]
) -> Plan:
    """The simulation asked for, tried once. Fails with what is wrong with it."""
    from galley_engine.bots import UnknownStrength, policy
    from galley_engine.game import BadInput
    from galley_engine.games import UnknownGame, load
    from galley_engine.simulate import Plan

    try:
        game = load(name)
        for strength in strengths:
            policy(name, strength)
    except UnknownGame as error:
        raise click.UsageError(str(error)) from None
    except UnknownStrength as error:
        raise click.UsageError(f"--policy {','.join(strengths)}: {error}") from None
    seats = max(2, len(strengths)) if seats is None else seats
    if not game.min_seats <= seats <= game.max_seats:
        raise click.UsageError(f"--seats {seats}: {name} is played by {game.min_seats} to {game.max_seats}")
    if len(strengths) > seats:
        raise click.UsageError(
            f"--policy {','.join(strengths)}: {len(strengths)} policies need as many seats, not {seats}"
        )
    try:
        game.start(seats, game.options(given), None)
    except BadInput as error:
        raise click.UsageError(f"--set {error}") from None
    return Plan(name, seats, given, strengths, seed)


def _physics(plan: Plan, given: tuple[str, ...]) -> Mapping[str, object]:
    """The options of a game's world, tried once. Fails with what is wrong with them."""
    from galley_engine.dice import Dice
    from galley_engine.game import BadInput
    from galley_engine.games import load

    physics = game_options(given, "--world")
    if plan.game in WORLDS:
        game = load(plan.game)
        try:
            WORLDS[plan.game](physics)(game.start(plan.seats, game.options(plan.options), None), Dice(0))
        except BadInput as error:
            raise click.UsageError(f"--world {error}") from None
    elif physics:
        raise click.UsageError(f"--world {given[0]}: {plan.game} has no physics, leave it out")
    return physics


def _counted(plan: Plan, physics: Mapping[str, object], games: int, jobs: int) -> Tally:
    """The tally of all games, with a bar on standard error if that is a terminal."""
    from galley_engine.simulate import Tally

    portion = max(1, min(LARGEST_PORTION, games // (jobs * PORTIONS_A_JOB)))
    portions = [range(first, min(first + portion, games)) for first in range(0, games, portion)]
    tally = Tally()
    hidden = not sys.stderr.isatty()
    with click.progressbar(length=games, label=plan.game, file=sys.stderr, hidden=hidden) as bar:
        for part in _parts(plan, physics, portions, jobs):
            tally.add(part)
            bar.update(part.games)
    return tally


def _parts(plan: Plan, physics: Mapping[str, object], portions: list[range], jobs: int) -> Iterator[Tally]:
    """The tally of each portion, as they get done."""
    if jobs == 1:
        for numbers in portions:
            yield play_portion(plan, physics, numbers)
        return
    from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
    from multiprocessing import get_context

    workers = min(jobs, len(portions))
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_leave_interrupts)
    try:
        waiting = {pool.submit(play_portion, plan, physics, numbers) for numbers in portions}
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for part in done:
                yield part.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _leave_interrupts() -> None:
    """Ctrl-C is for the process that shows the bar; it stops the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def play_portion(plan: Plan, physics: Mapping[str, object], numbers: range) -> Tally:
    """Play some games of a simulation; this is what a process is asked to do."""
    from galley_engine.simulate import run

    world = WORLDS.get(plan.game)
    return run(plan, numbers, None if world is None else world(physics))


def _found(plan: Plan, tally: Tally, jobs: int, seconds: float) -> dict[str, Any]:
    """The figures. All but those of time depend on the plan alone."""
    from galley_engine.simulate import interval

    played = list(dict.fromkeys(plan.strengths))
    wins = {strength: tally.wins[strength] for strength in played}
    return {
        "game": plan.game,
        "games": tally.games,
        "seats": plan.seats,
        "policies": list(plan.strengths),
        "seed": plan.seed,
        "wins": wins,
        "shared_wins": tally.shared,
        "win_share": {strength: round(won / tally.games, 6) for strength, won in wins.items()},
        "win_share_95": {
            strength: [round(bound, 6) for bound in interval(won, tally.games)]
            for strength, won in wins.items()
        },
        "moves": tally.actions,
        "mean_length": round(tally.actions / tally.games, 6),
        "shortest": tally.shortest,
        "longest": tally.longest,
        "ends": dict(sorted(tally.endings.items())),
        "jobs": jobs,
        "seconds": round(seconds, 3),
        "games_per_s": round(tally.games / seconds, 1),
        "moves_per_s": round(tally.actions / seconds, 1),
    }


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"{found['games']} games of {found['game']}, {found['seats']} seats, seed {found['seed']}"
    for strength, won in found["wins"].items():
        low, high = found["win_share_95"][strength]
        share = found["win_share"][strength]
        yield f"  {strength:<8}won {won:>8}  {share:6.1%}  (95 %: {low:.1%} to {high:.1%})"
    if found["shared_wins"]:
        yield f"  shared  won {found['shared_wins']:>8}  by seats of several policies"
    yield (
        f"  moves   {found['mean_length']:.1f} a game, {found['shortest']} to {found['longest']}"
        f"; ends: {', '.join(f'{why} {count}' for why, count in found['ends'].items())}"
    )
    processes = "1 process" if found["jobs"] == 1 else f"{found['jobs']} processes"
    yield (
        f"  speed   {found['games_per_s']:.0f} games/s, {found['moves_per_s']:.0f} moves/s"
        f" in {found['seconds']:.1f} s with {processes}"
    )
