"""A board on a Raspberry Pi's own pins: the boards' firmware over Blinka instead of CircuitPython.

Blinka gives `board`, `digitalio`, `busio`, `pwmio`, `neopixel_write` and `microcontroller`. What it lacks, or
has without what the firmware needs, stands here under the names of CircuitPython's modules: `usb_cdc` (the
data port is a local socket), `supervisor`, `watchdog`, `storage`, `keypad` (with stamps). `machine` puts them
in place and runs `code.py`; `wiring` is which pin of the Pi is used for what.
"""
