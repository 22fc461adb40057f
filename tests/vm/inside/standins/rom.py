"""All that a board has in ROM, imported before the firmware, so that it lies apart from it on the heap."""

import array  # noqa: F401
import binascii  # noqa: F401
import gc
import io  # noqa: F401
import json  # noqa: F401

import adafruit_pixelbuf  # noqa: F401
import board  # noqa: F401
import busio  # noqa: F401
import digitalio  # noqa: F401
import keypad  # noqa: F401
import microcontroller  # noqa: F401
import neopixel_write  # noqa: F401
import os  # noqa: F401
import parts  # noqa: F401
import pwmio  # noqa: F401
import storage  # noqa: F401
import supervisor  # noqa: F401
import time  # noqa: F401
import traceback  # noqa: F401
import usb_cdc  # noqa: F401
import watchdog  # noqa: F401

gc.collect()
USED = gc.mem_alloc()
