"""How a simulated board differs from the usual one.

For: tests and measurements that want another crystal, another queue, another start. It must not know how a
board is started: these are words and numbers, and the arguments of `child.py` that say them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Knobs:
    """The differences of one board; see `child.OPTIONS` for each."""

    ticks_origin: int | None = None
    skew_ppm: int = 0
    loop_ms: float = 0.0
    scan_ms: int = 0
    queue_len: int = 0
    boot_id: int | None = None  # of the first start; each later one has the next number
    nvm: str = ""
    safe_mode: str = ""
    settings: tuple[str, ...] = ()
    grounded: tuple[int, ...] = ()

    def arguments(self, start: int = 0) -> list[str]:
        """As arguments of `child.py` for its start number `start`, from 0."""
        given: list[tuple[str, object]] = [("--set", line) for line in self.settings]
        given += [("--ground", pin) for pin in self.grounded]
        if self.ticks_origin is not None:
            given.append(("--ticks-origin", self.ticks_origin))
        if self.boot_id is not None:
            given.append(("--boot-id", self.boot_id + start))
        if self.skew_ppm:
            given.append(("--skew-ppm", self.skew_ppm))
        if self.loop_ms:
            given.append(("--loop-ms", self.loop_ms))
        if self.scan_ms:
            given.append(("--scan-ms", self.scan_ms))
        if self.queue_len:
            given.append(("--queue-len", self.queue_len))
        if self.nvm:
            given.append(("--nvm", self.nvm))
        if self.safe_mode:
            given.append(("--safe-mode", self.safe_mode))
        return [str(word) for pair in given for word in pair]
