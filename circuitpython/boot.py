"""Runs once at power-on, before USB starts: which USB ports and drive this board shows.

The data port is always there: it carries the frames. With GALLEY_PRODUCTION = 1 in settings.toml the
console and the USB drive are hidden, so that nobody edits a box by accident; hold BELL (station) or
seat key 1 (deck) while plugging in to have them back. `galley firmware flash` opens them for one start.
"""

import os

import board
import digitalio
import microcontroller
import storage
import supervisor
import usb_cdc

from galley_board import pins, recovery

role = os.getenv("GALLEY_ROLE") or ""
which = pins.BOARD_OF_ROLE.get(role, pins.UNKNOWN)
hidden = str(os.getenv("GALLEY_PRODUCTION")) == "1" and which != pins.UNKNOWN
if hidden:
    pin = getattr(board, pins.chosen(pins.RESCUE_KEY[which], pins.RESCUE_PIN[which], os.getenv), None)
    hidden = pin is not None  # without that key nobody could come back
    if pin is not None:
        key = digitalio.DigitalInOut(pin)
        key.switch_to_input(pull=digitalio.Pull.UP)
        hidden = key.value
        key.deinit()
    hidden = hidden and not recovery.drive_is_to_open(microcontroller.nvm)

usb_cdc.enable(console=not hidden, data=True)
if hidden:
    storage.disable_usb_drive()
supervisor.set_usb_identification("Galley", "Galley " + (role if which != pins.UNKNOWN else "board"))
supervisor.runtime.autoreload = False
supervisor.status_bar.console = False
