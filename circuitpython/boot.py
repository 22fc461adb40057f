"""Runs once at power-on, before USB starts: which USB ports and drive this board shows.

The data port is always there: it carries the frames. With GALLEY_PRODUCTION = 1 in settings.toml the
console and the USB drive are hidden, so that nobody edits a box by accident; hold BELL (station) or
seat key 1 (deck) while plugging in to have them back.
"""

import os

import board
import digitalio
import storage
import supervisor
import usb_cdc

from galley_board import pins

role = os.getenv("GALLEY_ROLE") or ""
which = pins.BOARD_OF_ROLE.get(role, pins.UNKNOWN)
hidden = str(os.getenv("GALLEY_PRODUCTION")) == "1" and which != pins.UNKNOWN
if hidden:
    key = digitalio.DigitalInOut(getattr(board, pins.RESCUE_PIN[which]))
    key.switch_to_input(pull=digitalio.Pull.UP)
    hidden = key.value
    key.deinit()

usb_cdc.enable(console=not hidden, data=True)
if hidden:
    storage.disable_usb_drive()
supervisor.set_usb_identification("Galley", "Galley " + (role if which != pins.UNKNOWN else "board"))
supervisor.runtime.autoreload = False
supervisor.status_bar.console = False
