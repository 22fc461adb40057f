"""Stand-in for `microcontroller`: the chip, its non-volatile bytes, its reset and its watchdog."""

from __future__ import annotations

from typing import overload

from rig import rig
from watchdog import WatchDogTimer

NVM_BYTES = 4096
UID_BYTES = 8


class Pin:
    """A pin of the chip; `number` is its GP number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __repr__(self) -> str:
        return f"board.GP{self.number}"


class ResetReason:
    """Why the chip last restarted."""

    POWER_ON = "POWER_ON"
    BROWNOUT = "BROWNOUT"
    SOFTWARE = "SOFTWARE"
    RESET_PIN = "RESET_PIN"
    WATCHDOG = "WATCHDOG"
    UNKNOWN = "UNKNOWN"


class Processor:
    """The chip."""

    frequency = 150_000_000

    @property
    def reset_reason(self) -> str:
        """One of `ResetReason`."""
        return rig.reset_reason

    @property
    def uid(self) -> bytearray:
        """Eight bytes that differ from board to board and stay with one."""
        name = rig.board.encode()[:UID_BYTES]
        return bytearray(name + bytes(UID_BYTES - len(name)))


class ByteArray:
    """Bytes that outlive a restart when the rig names a file for them; 0xff on a new chip."""

    def __init__(self) -> None:
        self._bytes: bytearray | None = None

    def _load(self) -> bytearray:
        if self._bytes is None:
            self._bytes = bytearray(b"\xff" * NVM_BYTES)
            if rig.nvm_path:
                try:
                    with open(rig.nvm_path, "rb") as file:
                        stored = file.read(NVM_BYTES)
                    self._bytes[: len(stored)] = stored
                except FileNotFoundError:
                    pass
        return self._bytes

    def __len__(self) -> int:
        return NVM_BYTES

    @overload
    def __getitem__(self, index: int) -> int: ...

    @overload
    def __getitem__(self, index: slice) -> bytearray: ...

    def __getitem__(self, index: int | slice) -> int | bytearray:
        return self._load()[index]

    @overload
    def __setitem__(self, index: int, value: int) -> None: ...

    @overload
    def __setitem__(self, index: slice, value: bytearray) -> None: ...

    def __setitem__(self, index: int | slice, value: int | bytearray) -> None:
        stored = self._load()
        stored[index] = value  # type: ignore[index, assignment]
        if rig.nvm_path:
            with open(rig.nvm_path, "wb") as file:
                file.write(stored)


def reset() -> None:
    """Restart the chip: on a board this never returns."""
    rig.on_reset()


cpu = Processor()
nvm = ByteArray()
watchdog = WatchDogTimer()
