"""Stand-in for `supervisor`: board time, what USB says the board is."""

from rig import rig


class SafeModeReason:
    """Why the board stopped in safe mode."""

    NONE = "NONE"
    BROWNOUT = "BROWNOUT"
    HARD_FAULT = "HARD_FAULT"
    USER = "USER"
    WATCHDOG = "WATCHDOG"


class Runtime:
    """State of the running system."""

    def __init__(self) -> None:
        self.usb_connected = True
        self.autoreload = True

    @property
    def safe_mode_reason(self) -> str:
        """One of `SafeModeReason`."""
        return rig.safe_mode_reason


class StatusBar:
    """The title that CircuitPython writes to terminals; off, it does not disturb the console."""

    def __init__(self) -> None:
        self.console = True
        self.display = True


def ticks_ms() -> int:
    """Milliseconds that wrap at 2**29, 65.5 s after power-on for the first time."""
    return rig.ticks_ms()


def set_usb_identification(manufacturer=None, product=None, vid: int = -1, pid: int = -1) -> None:
    """Set what USB says the board is; for boot.py."""
    for name in (manufacturer, product):
        if name is not None and not 0 < len(name) <= 126:
            raise ValueError("a name of 1 to 126 bytes is wanted")


runtime = Runtime()
status_bar = StatusBar()
