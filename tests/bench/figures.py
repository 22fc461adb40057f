"""How times are summed up: percentiles, never means, because these machines are shared."""

from __future__ import annotations

from collections.abc import Sequence


def percentile(times: Sequence[float], share: float) -> float:
    """The smallest of `times` that is at least as large as `share` (0 to 1) of them."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def line(what: str, times_ms: Sequence[float], more: str = "") -> str:
    """One line of figures in milliseconds."""
    p50, p95, p99 = (percentile(times_ms, share) for share in (0.5, 0.95, 0.99))
    return f"{what:<52} n={len(times_ms):<4} p50 {p50:6.2f}  p95 {p95:6.2f}  p99 {p99:6.2f} ms{more}"
