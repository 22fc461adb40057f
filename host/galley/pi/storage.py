"""`storage` on a Raspberry Pi: there is no USB drive to hide."""


def disable_usb_drive() -> None:
    """Nothing to hide."""


def enable_usb_drive() -> None:
    """Nothing to show."""
