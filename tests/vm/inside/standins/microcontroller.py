"""Stand-in for `microcontroller`: the chip, its non-volatile bytes, its reset and its watchdog."""

from rig import EXIT_RESET, leave, rig
from watchdog import WatchDogTimer

NVM_BYTES = 4096


class Pin:
    """A pin of the chip; `number` is its GP number."""

    def __init__(self, number: int) -> None:
        self.number = number


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

    @property
    def reset_reason(self) -> str:
        """One of `ResetReason`."""
        return rig.reset_reason


class ByteArray:
    """Bytes that outlive a restart when the rig names a file for them; 0xff on a new chip."""

    def __init__(self) -> None:
        self._bytes = bytearray(b"\xff" * NVM_BYTES)  # now: on a board they are not on the heap
        self._loaded = False

    def _load(self) -> bytearray:
        if not self._loaded:
            self._loaded = True
            if rig.nvm_path:
                try:
                    with open(rig.nvm_path, "rb") as file:
                        file.readinto(self._bytes)
                except OSError:
                    pass
        return self._bytes

    def __len__(self) -> int:
        return NVM_BYTES

    def __getitem__(self, index):
        return self._load()[index]

    def __setitem__(self, index, value) -> None:
        self._load()[index] = value
        if rig.nvm_path:
            with open(rig.nvm_path, "wb") as file:
                file.write(self._bytes)


def reset() -> None:
    """Restart the chip."""
    leave(EXIT_RESET)


cpu = Processor()
nvm = ByteArray()
watchdog = WatchDogTimer()
