"""Stand-in for `storage`: whether the host computer sees the board's drive."""

from rig import rig


def disable_usb_drive() -> None:
    """Hide the drive; for boot.py."""
    rig.drive_hidden = True


def enable_usb_drive() -> None:
    """Show the drive; for boot.py."""
    rig.drive_hidden = False
