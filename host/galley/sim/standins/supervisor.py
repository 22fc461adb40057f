"""Stand-in for `supervisor`: board time, what USB says the board is, reload."""

from __future__ import annotations

from rig import rig


class Reload(BaseException):
    """Unwinds code.py when it asks for a reload; whoever runs it starts it again."""


class SafeModeReason:
    """Why the board stopped in safe mode."""

    NONE = "NONE"
    BROWNOUT = "BROWNOUT"
    HARD_FAULT = "HARD_FAULT"
    STACK_OVERFLOW = "STACK_OVERFLOW"
    USER = "USER"
    WATCHDOG = "WATCHDOG"


class Runtime:
    """State of the running system."""

    usb_connected = True
    autoreload = True

    @property
    def safe_mode_reason(self) -> str:
        """One of `SafeModeReason`."""
        return rig.safe_mode_reason


class StatusBar:
    """The title that CircuitPython writes to terminals; off, it does not disturb the console."""

    console = True
    display = True


def ticks_ms() -> int:
    """Milliseconds that wrap at 2**29, 65.5 s after power-on for the first time."""
    return rig.ticks_ms()


def set_usb_identification(
    manufacturer: str | None = None, product: str | None = None, vid: int = -1, pid: int = -1
) -> None:
    """Set what USB says the board is; for boot.py."""
    rig.identification = (manufacturer, product)


def reload() -> None:
    """Run code.py anew; the data port stays connected."""
    raise Reload


runtime = Runtime()
status_bar = StatusBar()
