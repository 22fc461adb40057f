"""A board's `os` as far as the firmware uses it; the VM's own is `uos`. Settings are settings.toml's."""

from rig import rig
from uos import listdir, urandom  # noqa: F401


def getenv(key: str, default=None):
    """What settings.toml says: text, or a number where there are no quotes."""
    return rig.settings.get(key, default)
