"""`galley board` on Blinka's board that is none, with a key and a chain of pixels that a test can reach.

    python pi_board.py FLAG ARGUMENTS...

Its pin 0 (Dx_INPUT_TRUE) is low while the file FLAG exists. What goes to the pixels is printed.
"""

from __future__ import annotations

import os
import sys

from adafruit_blinka.microcontroller.generic_agnostic_board import neopixel, pin  # type: ignore[import-untyped]

from galley.cli import main

FLAG = sys.argv[1]
KEY_PIN = 0


def level(self: pin.Pin) -> bool:
    return self.id != KEY_PIN or not os.path.exists(FLAG)


def shown(gpio: object, data: bytes) -> None:
    print("pixels", bytes(data).hex(), flush=True)


pin.Pin.return_true = level
neopixel.neopixel_write = shown

if __name__ == "__main__":
    main(sys.argv[2:])
