"""A strict reader of Prometheus's text format 0.0.4: it takes what the format allows and nothing else.

Each family is a HELP line, a TYPE line and at least one sample, all together and once. Names and labels are
of their alphabet, label values use the three escapes, no sample comes twice, counters are finite and not
negative.
"""

from __future__ import annotations

import re
from typing import NamedTuple

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
HELP = re.compile(rf"# HELP ({NAME}) ((?:[^\\\n]|\\\\|\\n)*)")
TYPE = re.compile(rf"# TYPE ({NAME}) (counter|gauge)")
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? (-?[0-9.]+(?:e[+-]?[0-9]+)?|NaN|[+-]Inf)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(,|$)')
ESCAPES = {r"\\": "\\", r"\"": '"', r"\n": "\n"}

Labels = frozenset[tuple[str, str]]


class Read(NamedTuple):
    """One family as it was read."""

    kind: str
    help: str
    samples: dict[Labels, float]


def read(text: str) -> dict[str, Read]:
    """All families by name. AssertionError names the line that is not of the format."""
    assert text.endswith("\n"), "the last line ends too"
    found: dict[str, Read] = {}
    name = ""
    lines = iter(text[:-1].split("\n"))
    for line in lines:
        if line.startswith("# HELP"):
            first, second = HELP.fullmatch(line), TYPE.fullmatch(next(lines, ""))
            assert first, line
            assert second, line
            assert first[1] == second[1], line
            assert not name or found[name].samples, f"{name} has no sample"
            name = first[1]
            assert name not in found, f"{name} comes twice"
            assert (second[2] == "counter") == name.endswith("_total"), line
            found[name] = Read(second[2], _plain(first[2]), {})
        else:
            match = SAMPLE.fullmatch(line)
            assert match, line
            assert match[1] == name, f"{line} stands under {name}"
            labels, value = _labels(match[2] or ""), float(match[3])
            assert labels not in found[name].samples, f"{line} comes twice"
            assert found[name].kind == "gauge" or 0 <= value < float("inf"), line
            found[name].samples[labels] = value
    assert found[name].samples, f"{name} has no sample"
    return found


def _labels(text: str) -> Labels:
    pairs: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        match = LABEL.match(text, at)
        assert match, text
        pairs.append((match[1], _plain(match[2])))
        at = match.end()
        assert (match[3] == ",") == (at < len(text)), text
    assert len({name for name, _ in pairs}) == len(pairs), text
    return frozenset(pairs)


def _plain(text: str) -> str:
    return re.sub(r"\\[\\\"n]", lambda escape: ESCAPES[escape[0]], text)
