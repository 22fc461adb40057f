"""What a check says: one line per rule and subject, with the value seen and the limit."""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    """`value` against `limit` (mm unless the rule says otherwise); `text` is the sentence for a person."""

    rule: str
    subject: str
    ok: bool
    value: float
    limit: str
    text: str


def at_least(
    rule: str, subject: str, value: float, limit: float, what: str, remedy: str, unit: str = "mm"
) -> Finding:
    """A value that must not fall below the limit."""
    ok = value >= limit - 1e-6
    return Finding(
        rule,
        subject,
        ok,
        value,
        f">= {limit:g} {unit}",
        f"{subject}: {what} is {value:.2f} {unit}"
        + ("." if ok else f", {limit - value:.2f} {unit} too little: {remedy}."),
    )


def at_most(
    rule: str, subject: str, value: float, limit: float, what: str, remedy: str, unit: str = "mm"
) -> Finding:
    """A value that must not rise above the limit."""
    ok = value <= limit + 1e-6
    return Finding(
        rule,
        subject,
        ok,
        value,
        f"<= {limit:g} {unit}",
        f"{subject}: {what} is {value:.2f} {unit}"
        + ("." if ok else f", {value - limit:.2f} {unit} too much: {remedy}."),
    )


def holds(rule: str, subject: str, ok: bool, limit: str, what: str, remedy: str) -> Finding:
    """A yes or no."""
    return Finding(
        rule, subject, ok, float(ok), limit, f"{subject}: {what}" + ("." if ok else f": {remedy}.")
    )


def worst_by_rule(findings: list[Finding]) -> list[Finding]:
    """One finding per rule: the first that fails, else the tightest numeric one."""
    out: dict[str, Finding] = {}
    for f in findings:
        old = out.get(f.rule)
        if old is None or (old.ok and not f.ok) or (old.ok and f.ok and _slack(f) < _slack(old)):
            out[f.rule] = f
    return list(out.values())


def _slack(f: Finding) -> float:
    return -f.value if f.limit.startswith("<") else f.value
