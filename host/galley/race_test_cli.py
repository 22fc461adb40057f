"""`galley race-test`: how far apart two boards' stamps are told when nothing is between them in truth.

For: a figure that this box can state. Both boards stamp the same edge, so every difference is an error;
what is printed is its spread, as numbers, as a histogram, and as a picture for the wall. The trace can be
kept and told again, also by a later version.

Edges come from the link model (the default), from two simulated boards (`race_sim`), from two boards on a
wire (`race_live`), or from a file.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

import click

from galley.arguments import Number
from galley.race_trace import BOARDS, Edge, Entry, Exchange, Gap

if TYPE_CHECKING:
    from galley.ticks import Widener

KINDS: Final = (
    "quiet",
    "busy",
    "500 ppm",
    "wander",
    "loops",
    "pauses",
    "stalls",
    "1 ms stamps",
    "reset",
    "outliers",
    "tick wrap",
    "all at once",
)
STAMPS: Final = ("keypad", "pio")
SIM_EDGE_S: Final = 0.2
EDGES_EVERY_S: Final = 0.1
WARM_S: Final = 10.0


@click.command("race-test")
@click.option("--link", "kind", type=click.Choice(KINDS), default="quiet", show_default=True, help="Model.")
@click.option("--sim", "stamps", type=click.Choice(STAMPS), help="Two simulated boards, stamped this way.")
@click.option("--connect", "ports", multiple=True, metavar="PORT", help="Two boards on a wire, left first.")
@click.option("--seconds", type=Number(1, 86400), default=600, help="How long to wait for edges.")
@click.option("--edges", type=Number(1, 10**6), default=1000, show_default=True, help="How many edges.")
@click.option("--seed", type=Number(0, 2**32 - 1), default=0, show_default=True, help="Of chance.")
@click.option("--replay", "replayed", metavar="FILE", help="Tell a recorded trace again.")
@click.option("--record", "kept", metavar="FILE", help="Keep the trace.")
@click.option("--svg", "picture", metavar="FILE", help="Also draw the histogram.")
def race_test(
    kind: str,
    stamps: str | None,
    ports: tuple[str, ...],
    seconds: int,
    edges: int,
    seed: int,
    replayed: str | None,
    kept: str | None,
    picture: str | None,
) -> None:
    """Measure how well two boards' presses are told apart."""
    if replayed and (ports or stamps):
        raise click.UsageError("--replay tells what is recorded: leave --connect and --sim out")
    if ports and stamps:
        raise click.UsageError("--connect takes real boards, --sim simulated ones: leave one of them out")
    if replayed:
        source, entries = _read(replayed)
    elif stamps:
        source, entries = f"two simulated boards, {stamps} stamps", _simulated(stamps, edges, seconds, seed)
    elif ports:
        source, entries = "two boards on a wire", _live(ports, edges, seconds)
    else:
        source, entries = f"link model, {kind}, seed {seed}", modelled(kind, edges, seed)
    if kept:
        from galley.race_trace import written

        _write(kept, "".join(f"{line}\n" for line in written(entries, source)))
    sys.exit(_tell(source, entries, picture))


def modelled(kind: str, edges: int, seed: int) -> list[Entry]:
    """A trace of the link model: the same edges on both boards, in the order in which the host learns."""
    from galley.sim.link_model import KINDS as MODELS
    from galley.sim.link_model import LinkModel
    from galley.ticks import US_PERIOD, Widener

    random = Random(f"edges {seed}")
    times_s = [WARM_S + EDGES_EVERY_S * (number + random.random()) for number in range(edges)]
    events: list[tuple[int, int, Entry]] = []
    for place, board in enumerate(BOARDS):
        model = LinkModel(MODELS[kind][place], f"{kind} {seed} {board}", times_s[-1] + 1, seed)
        ticks = Widener(US_PERIOD)
        learnt: list[tuple[int, Exchange | Edge]] = [
            (sample.received_ns, Exchange(board, *sample)) for sample in model.probes()
        ]
        for number, at in enumerate(times_s):
            press = model.press(at)
            learnt.append((press.received_ns, Edge(board, number, press.edge_us, 0)))
        for received_ns, entry in sorted(learnt, key=lambda event: event[0]):
            events.append((received_ns, len(events), _widened(entry, ticks)))
    return [entry for _, _, entry in sorted(events, key=lambda event: event[:2])]


def _widened(entry: Exchange | Edge, ticks: Widener) -> Entry:
    """The same with board times that do not wrap; entries of a board in the order in which they came."""
    if isinstance(entry, Exchange):
        return entry._replace(rx_us=ticks.widen(entry.rx_us), tx_us=ticks.widen(entry.tx_us))
    return entry._replace(us=ticks.widen(entry.us))


def _live(ports: Sequence[str], edges: int, seconds: int) -> list[Entry]:
    from galley.race_live import NoBoard, recorded

    if len(ports) != len(BOARDS):
        raise click.UsageError(f"--connect {ports[0]}: it takes two boards: give the option twice")

    def told(pairs: int) -> None:
        if not pairs:
            click.echo("Press the wired key, again and again; Ctrl-C gives up.", err=True)
        _count(pairs)

    try:
        entries = recorded(ports, edges, seconds, told)
    except NoBoard as error:
        raise click.ClickException(str(error)) from None
    click.echo(err=True)
    return entries


def _simulated(stamps: str, edges: int, seconds: int, seed: int) -> list[Entry]:
    import asyncio

    from galley.race_live import NoBoard
    from galley.race_sim import FINE, simulated
    from galley.sim.boards import SimulationError
    from galley.sim.knobs import Knobs

    own = Knobs(settings=(FINE,)) if stamps == "pio" else Knobs()
    click.echo(f"{edges} edges take about {edges * SIM_EDGE_S:.0f} s; Ctrl-C gives up.", err=True)
    try:
        entries = asyncio.run(simulated(edges, seconds, _count, dict.fromkeys(BOARDS, own), seed))
    except (NoBoard, SimulationError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(err=True)
    return entries


def _count(pairs: int) -> None:
    click.echo(f"\r{pairs} edges", err=True, nl=False)


def _read(path: str) -> tuple[str, list[Entry]]:
    from galley.race_trace import BadTrace, read

    try:
        with open(path, encoding="utf-8") as opened:
            return read(opened)
    except BadTrace as error:
        raise click.UsageError(f"--replay {path}: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise click.UsageError(f"--replay {path}: cannot be read ({why.lower()})") from None


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"{path}: cannot be written ({(error.strerror or '').lower()})") from None


def _tell(source: str, entries: Sequence[Entry], picture: str | None) -> int:
    """Print the figures; 0 when every error is within what was stated, 1 when one is not or there is none."""
    from galley import histogram
    from galley.race_trace import gaps

    found = gaps(entries)
    if not found:
        click.echo(f"race-test: {source}: no edge that both boards stamped: nothing to tell", err=True)
        return 1
    errors_ms = [gap.ns / 1e6 for gap in found]
    said = _figures(found)
    click.echo(f"{source}: {len(found)} edges on both boards, true gap 0")
    click.echo("\n".join(said))
    click.echo("\n".join(histogram.text(errors_ms, "ms")))
    if picture:
        title = f"Between two boards: {source}"
        _write(picture, histogram.svg(errors_ms, "ms", title, said[0]))
    return 0 if all(abs(gap.ns) <= gap.uncertainty_ns for gap in found) else 1


def _figures(found: Sequence[Gap]) -> list[str]:
    sizes = sorted(abs(gap.ns) / 1e6 for gap in found)
    stated = sorted(gap.uncertainty_ns / 1e6 for gap in found)
    p50, p95, p99 = (sizes[min(len(sizes) - 1, int(part * len(sizes)))] for part in (0.5, 0.95, 0.99))
    inside = sum(abs(gap.ns) <= gap.uncertainty_ns for gap in found)
    return [
        f"error p50 {p50:.2f}, p95 {p95:.2f}, p99 {p99:.2f}, worst {sizes[-1]:.2f} ms",
        f"stated ±{stated[len(stated) // 2]:.2f} ms (median), which holds {inside} of {len(found)}",
    ]
