"""Stand-in for `storage`: whether the host computer sees the board's drive."""


def disable_usb_drive() -> None:
    """Hide the drive; for boot.py."""


def enable_usb_drive() -> None:
    """Show the drive; for boot.py."""
