"""A histogram of times as text for a terminal and as SVG for a page or a wall.

For: showing how errors are spread. It must not know what they are errors of.

Bars are of one width, a round number of ms, chosen so that there are between 10 and 25 of them; what lies
outside the middle 99 % counts in the outermost bars, so that one stray value does not flatten the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final, NamedTuple

TEXT_WIDTH: Final = 50
STEPS: Final = (1, 2, 5)
WIDTH: Final = 640
HEIGHT: Final = 320
MARGIN: Final = 48
FONT: Final = 'font-family="sans-serif" font-size="13"'


class Bar(NamedTuple):
    """How many values lie from `start` up to the next bar's."""

    start: float
    values: int


def bars(values: Sequence[float]) -> tuple[list[Bar], float]:
    """The bars of at least one value, and their width."""
    ordered = sorted(values)
    low, high = ordered[len(ordered) // 200], ordered[-1 - len(ordered) // 200]
    width = _round_width((high - low) / 12)
    first, last = int(low // width), int(high // width)
    counts = [0] * (last - first + 1)
    for value in ordered:
        counts[min(max(int(value // width), first), last) - first] += 1
    return [Bar((first + number) * width, count) for number, count in enumerate(counts)], width


def _round_width(width: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is at least `width`, and at least 0.001."""
    scale = 0.001
    while True:
        for step in STEPS:
            if step * scale >= width:
                return step * scale
        scale *= 10


def text(values: Sequence[float], unit: str) -> list[str]:
    """Lines of a histogram, one for each bar."""
    found, width = bars(values)
    places = 0 if width >= 1 else 1 if width >= 0.1 else 2 if width >= 0.01 else 3
    most = max(bar.values for bar in found)
    lines = []
    for bar in found:
        filled = "#" * -(-TEXT_WIDTH * bar.values // most)
        lines.append(f"{bar.start:+9.{places}f} {unit} |{filled:<{TEXT_WIDTH}}| {bar.values}")
    return lines


def svg(values: Sequence[float], unit: str, title: str, says: str) -> str:
    """A histogram as an SVG picture with a title and, for who cannot see it, a description."""
    found, width = bars(values)
    most = max(bar.values for bar in found)
    span = WIDTH - 2 * MARGIN
    floor = HEIGHT - MARGIN
    pitch = span / len(found)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" {FONT}>',
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(says)}</desc>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{MARGIN}" y="22" font-size="16">{escape(title)}</text>',
        f'<text x="{MARGIN}" y="40">{escape(says)}</text>',
    ]
    for number, bar in enumerate(found):
        height = (floor - 60) * bar.values / most
        place = f'x="{MARGIN + number * pitch:.1f}" y="{floor - height:.1f}"'
        size = f'width="{max(1, pitch - 1):.1f}" height="{height:.1f}"'
        hint = f"<title>{bar.start:+.3f} {escape(unit)}: {bar.values}</title>"
        parts.append(f'<rect {place} {size} fill="#1f5a8a">{hint}</rect>')
    for number in range(0, len(found) + 1, max(1, len(found) // 6)):
        at, value = MARGIN + number * pitch, found[0].start + number * width
        parts.append(f'<line x1="{at:.1f}" y1="{floor}" x2="{at:.1f}" y2="{floor + 5}" stroke="#000000"/>')
        parts.append(f'<text x="{at:.1f}" y="{floor + 20}" text-anchor="middle">{value:+.2f}</text>')
    parts.append(f'<line x1="{MARGIN}" y1="{floor}" x2="{WIDTH - MARGIN}" y2="{floor}" stroke="#000000"/>')
    parts.append(f'<text x="{WIDTH - MARGIN}" y="{HEIGHT - 10}" text-anchor="end">{escape(unit)}</text>')
    parts.append("</svg>")
    return "\n".join(parts) + "\n"
