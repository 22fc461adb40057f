"""Runs instead of boot.py and code.py when CircuitPython has stopped in safe mode.

A brown-out or a crash: restart, at most three times in a row. After that, or when a person asked for
safe mode, stay: the drive is open for repair, and one steady dim red pixel says so.
"""

import os

import board
import digitalio
import microcontroller
import neopixel_write
import supervisor

from galley_board import pins, recovery

RED = b"\x00\x10\x00"  # green, red, blue: the order on the wire

reason = supervisor.runtime.safe_mode_reason
print("safe mode: %s" % reason)
if reason != supervisor.SafeModeReason.USER and recovery.may_reset(microcontroller.nvm):
    microcontroller.reset()

which = pins.BOARD_OF_ROLE.get(os.getenv("GALLEY_ROLE") or "", pins.UNKNOWN)
sign = bytearray(3 * pins.PIXELS[which])
at = 3 * pins.WAITING_PIXEL[which]
sign[at : at + 3] = RED
pin = getattr(board, pins.chosen("PIXELS", pins.PIXEL_PIN, os.getenv), None)
if pin is not None:
    data = digitalio.DigitalInOut(pin)
    data.switch_to_output()
    neopixel_write.neopixel_write(data, sign)
    data.deinit()
print("staying in safe mode: mend what the reason names, then press RESET")
