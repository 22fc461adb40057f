"""A wheel carries the boards' files, so that an installed `galley` can simulate boards.

An editable install carries none: it uses the checkout's own `circuitpython/`, and a copy would go stale.
"""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Firmware(BuildHookInterface[Any]):
    """Puts `circuitpython/` into the wheel as `galley/circuitpython/`."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling; `version` is "standard" or "editable"."""
        if version == "standard":
            build_data["force_include"]["circuitpython"] = "galley/circuitpython"
